"""Sampler states as threads name them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.surfaces import read_state
from texsamp.errors import CaptureError
from texsamp.state import Struct

_INDEX_UNIT_B = 16
POINTER, POINTER_BITS = 3, 0xFFFFFFE0
"""Dword of a message's header, and its bits, with the sampler table it overrides the thread's with."""
_State = TypeVar("_State", bound=Struct)


@dataclass(frozen=True)
class SamplerTable:
    """The sampler table of a dispatch. address: its own; dynamic_base: what pointers in states count from."""

    memory: CaseMemory
    address: int
    dynamic_base: int

    def state(self, structure: type[_State], index: int, every: int = 1) -> _State:
        """Element of the table; indices count 16 bytes and are multiples of `every` (seed 003:4464).

        CaptureError for other indices, and for states that are illegal or not mapped.
        """
        if index % every:
            raise CaptureError(f"indices of {structure.name} are multiples of {every}, not {index}")
        return read_state(self.memory, structure, self.address + index * _INDEX_UNIT_B)

    def named(self, header: NDArray[np.uint32]) -> SamplerTable:
        """The table that headers (threads, 8), which agree in it, name; by default the thread's."""
        pointer = int(header[0, POINTER]) & POINTER_BITS
        return replace(self, address=self.dynamic_base + pointer) if pointer else self
