"""What threads know of the host's trails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Walk(Protocol):
    """See `trails.Walk`."""

    number: int

    def ways(self, kind: str) -> Array | None:
        """Where threads go from here, if that is known."""
        ...

    def went(self, kind: str, found: Array) -> None:
        """Where threads have gone."""
        ...

    def registers(self) -> dict[Any, Array]:
        """What is known of what the message here is looked at by, not to be changed."""
        ...

    def looked(self, send: Any, found: Mapping[Any, Array]) -> None:
        """What the message here was looked at by."""
        ...

    def told(self, begin: int, data: NDArray[np.uint8]) -> None:
        """Bytes of registers, (threads, n), that the host puts into the response here."""
        ...

    def told_made(self, begin: int, size: int, source: tuple[int, int]) -> None:
        """Bytes of the response here that are made of others, the first and how many."""
        ...

    def sent(self) -> None:
        """The message here has been carried out."""
        ...
