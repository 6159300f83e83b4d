"""Kernels made ready to run, kept as long as their bytes do not change."""

from __future__ import annotations

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.eu.execute import Program

MOST_PROGRAMS = 64
"""Prepared kernels that are kept; the oldest goes first."""
LARGEST_KERNEL_B = 1 << 20
"""Bytes of a kernel that can be reached; those of drivers stay below 64 KiB."""


class Programs:
    """Prepared kernels by address."""

    def __init__(self, memory: CaseMemory) -> None:
        self._memory = memory
        self._programs: dict[tuple[int, bool, int], tuple[tuple[int, int], Program]] = {}

    def at(self, start: int, single_program_flow: bool, base: int) -> Program:
        """The kernel `start` bytes behind the instruction base; CaptureError if nothing is mapped there."""
        address = base + start
        key = start, single_program_flow, base
        version = self._memory.version(address)
        known = self._programs.get(key)
        if known is not None and known[0] != version and known[1].is_still(self._memory.bytes_from(address)):
            known = version, known[1]
        if known is None or known[0] != version:
            code = self._memory.read(address, min(self._memory.extent(address), LARGEST_KERNEL_B))
            known = version, Program(code, single_program_flow, start)
        self._programs[key] = known
        if len(self._programs) > MOST_PROGRAMS:
            del self._programs[next(iter(self._programs))]
        return known[1]
