"""What programs need where they run, and what does not change."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from texsamp.device import Device

Array = NDArray[Any]


class Constants:
    """Arrays that never change, where threads run: each is uploaded once, and forgotten with the host's."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[weakref.ref[Array], Array]] = {}

    def of(self, device: Device, values: Sequence[Array]) -> list[Array]:
        """Arrays on the device, which are always the same ones; those that are new travel together.

        In one piece of memory, one behind the other: what is read as larger elements than an array has begins it.
        """
        new = [each for each in values if id(each) not in self._held]
        for each, there in zip(new, device.upload_all(new) if new else (), strict=True):
            self._held[id(each)] = weakref.ref(each, partial(self._forget, id(each))), there
        return [self._held[id(each)][1] for each in values]

    def _forget(self, key: int, _: object) -> None:
        self._held.pop(key, None)
