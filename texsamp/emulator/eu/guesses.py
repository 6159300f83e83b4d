"""Steps at places where perhaps no channel was, which count once the device has told whether one was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any
"""Of a device; of no dimension."""


class Guesses:
    """Instructions that were executed without asking whether anybody was there."""

    def __init__(self) -> None:
        self._open: list[tuple[int, Array]] = []
        self._in_vain = 0

    def add(self, count: int, nobody: Array) -> None:
        """So many instructions, and whether nobody was there."""
        self._open.append((count, nobody))

    def asked(self) -> tuple[Array, ...]:
        """What goes along with the next question; its answer goes to `told`."""
        made, self._open = self._open, []
        return (sum(nobody.astype(np.int64) * count for count, nobody in made),) if made else ()

    def told(self, found: list[int]) -> None:
        """The answer to `asked`."""
        self._in_vain += sum(found)

    def take(self, numbers_of: Callable[..., list[int]]) -> int:
        """Instructions that nobody executed, since the last time."""
        if asked := self.asked():
            self.told(numbers_of(*asked))
        found, self._in_vain = self._in_vain, 0
        return found
