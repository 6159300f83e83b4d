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
_BELOW_POINTER = 31
POINTER = 3
"""Dword of a message's header with the sampler table it overrides the thread's with."""
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
        """The table that headers (threads, 8) name, by default the thread's; CaptureError if they name several."""
        pointers = (header[:, POINTER] & ~np.uint32(_BELOW_POINTER)).astype(np.int64)
        places = np.where(pointers == 0, self.address, self.dynamic_base + pointers)
        if (places != places[0]).any():
            raise CaptureError("threads that name different sampler tables in one message are not executed")
        return self if places[0] == self.address else replace(self, address=int(places[0]))
