"""Registers of threads that have ended, for those that come after them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.emulator.eu.registers.constants import Constants

Array = NDArray[Any]

_SPARE_SHARE = 64


class SpareRegisters:
    """Registers of threads that have ended, for others: memory that the system has mapped costs a fourth of new one.

    constants: those that were uploaded for any of them. looked_at: of their last messages, by shared function.
    """

    def __init__(self) -> None:
        self._kept: Array | None = None
        self.constants = Constants()
        self.looked_at: dict[Any, Any] = {}

    def take(self, device: Device, count: int, pitch_B: int) -> Array:  # noqa: N803 - the unit
        """An array that begins with zeros for so many threads, of so many bytes each."""
        kept, self._kept = self._kept, None
        if kept is None or len(kept) < count:
            rows = count + count // _SPARE_SHARE  # the next threads may be some more
            kept = device.empty((rows, pitch_B), np.uint8)  # aligned, with large pages, as zeros have not
        kept[:count] = 0
        return kept

    def beside(self) -> SpareRegisters:
        """None, with the same constants."""
        made = SpareRegisters()
        made.constants = self.constants
        return made

    def give(self, registers: Array) -> None:
        """Keep what `take` returned, of which nobody reads any more, if it is more than what is kept."""
        if self._kept is None or len(self._kept) < len(registers):
            self._kept = registers
