"""What a row of stages remembers of the frames it was fed: to go on with in another process, and to tell apart."""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Sequence
from typing import Any

from texsamp.errors import StateError
from texsamp.video.stage import Stage


def remembered(stages: Sequence[Stage]) -> bytes:
    """All that stages are and hold, for `recalled` anywhere. StateError for one that cannot leave its process."""
    return _written(tuple(stages), pickle.Pickler)


def recalled(memory: bytes) -> tuple[Stage, ...]:
    """The stages of `remembered`, which go on as those would have. Only for memories of your own: they are pickles."""
    stages: tuple[Stage, ...] = pickle.loads(memory)
    return stages


def fingerprint(value: Any) -> str:
    """SHA-256 of a value such as stages or a frame: of its parts' values, wherever they lie.

    Equal fingerprints mean equal results from here on. Attributes that a class lists in ``TALLIES`` are what only notes
    tell, and do not count. Raises StateError as `remembered` does.
    """
    return hashlib.sha256(_written(value, _Values)).hexdigest()


class _Values(pickle.Pickler):
    """Writes the same bytes for the same values: nothing refers back to what was written before."""

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.protocol = protocol
        self.fast = True

    def reducer_override(self, value: Any) -> Any:
        tallies = getattr(value, "TALLIES", None)
        if tallies is None or isinstance(value, type):
            return NotImplemented
        made, arguments, kept, *rest = value.__reduce_ex__(self.protocol)
        return made, arguments, {name: part for name, part in kept.items() if name not in tallies}, *rest


def _written(value: Any, pickler: Any) -> bytes:
    file = io.BytesIO()
    try:
        pickler(file, pickle.HIGHEST_PROTOCOL).dump(value)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        raise StateError(f"a filter keeps what cannot leave its process: {error}") from None
    return file.getvalue()
