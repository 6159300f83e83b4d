"""State, control, notification, instruction pointer, dependency and time stamp registers as operands.

Volume 4 part 3, pages 44-56. They are shown to an instruction before it runs, and what it wrote takes effect behind it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from texsamp.emulator.eu.alu.plan import Predicate, execution_mask
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.operands import Destination, RegisterFile, Source
from texsamp.emulator.eu.registers.threads import CONTROL, STATE, Mask, Threads
from texsamp.errors import CaptureError

NOTIFICATION, POINTER, DEPENDENCIES, TIME = 0x90, 0xA0, 0xB0, 0xC0
_READ_ONLY = {NOTIFICATION: "n0 is read only (page 51)", TIME: "tm0 is read only (page 56)"}
_ALIGNED_B = 8
_FIXED = {2: "single program flow (bit 2)", 3: "the vector mask (bit 3)"}
"""Bits of cr0.0 that threads keep: code is prepared for them."""
_SOFTWARE_STATUS, _SOFTWARE_ENABLE = 1 << 29, 1 << 13
_NUMBERS = frozenset({STATE, CONTROL, NOTIFICATION, POINTER, DEPENDENCIES, TIME})


class Compute(Protocol):
    """What runs with them."""

    def run(self, threads: Threads, here: Mask) -> None:
        """Execute for the channels at this instruction."""
        ...


def _number(operand: object) -> int | None:
    """Number of a state register that an operand is; None if it is none."""
    if not isinstance(operand, Source | Destination) or operand.file != RegisterFile.ARCHITECTURE:
        return None
    return operand.number if operand.number in _NUMBERS and operand.indirection is None else None


def names_state(instruction: Instruction) -> bool:
    """Whether an operand is one of these registers."""
    return any(_number(operand) is not None for operand in (instruction.destination, *instruction.sources))


class WithState:
    """An instruction that computes, with its state registers. base: the kernel's address, which `ip` counts from.

    CaptureError for writes to what is read only.
    """

    def __init__(self, instruction: Instruction, offset: int, base: int, compute: Compute) -> None:
        self._compute, self._offset, self._base = compute, offset, base
        self._next = offset + instruction.size_B
        self._instruction = instruction
        self._predicate = Predicate(instruction) if instruction.predicate else None
        self._sources = {_number(source) for source in instruction.sources}
        self._target = _number(instruction.destination)
        if self._target in _READ_ONLY:
            raise CaptureError(_READ_ONLY[self._target])

    def run(self, threads: Threads, here: Mask) -> None:
        """Execute for the channels at this instruction, and go on with the next, or where `ip` now points to."""
        if POINTER in self._sources or self._target == POINTER:
            threads.state(POINTER)[:, 0] = self._base + self._offset
        if NOTIFICATION in self._sources:
            threads.state(NOTIFICATION)[...] = threads.upload(threads.notifications.astype(np.uint32))
        if TIME in self._sources:
            executed = threads.executed.each
            threads.state(TIME)[:, 0] = executed & 0xFFFFFFFF
            threads.state(TIME)[:, 1] = executed >> 32
        if self._target in (CONTROL, DEPENDENCIES):
            before = threads.state(self._target).copy()
        self._compute.run(threads, here)
        if self._target == CONTROL:
            _check_control(threads, before)
            threads.take_control()
        elif self._target == DEPENDENCIES:  # a write clears valid bits, and all dependencies have ended before
            threads.state(DEPENDENCIES)[...] = before
        if self._target == POINTER:
            self._jump(threads, here)
        else:
            threads.leave(self._next, here)

    def _jump(self, threads: Threads, here: Mask) -> None:
        mask = execution_mask(self._instruction, here, self._predicate, threads)
        written = threads.state(POINTER)[:, :1].astype(np.int64) & -_ALIGNED_B
        targets = written - self._base
        if mask is not None:
            targets = np.where(mask, targets, self._next)
        threads.leave(targets, here)


def _check_control(threads: Threads, before: np.ndarray[tuple[int, ...], np.dtype[np.uint32]]) -> None:
    now = threads.state(CONTROL)
    for bit, name in _FIXED.items():
        if ((now[:, 0] ^ before[:, 0]) >> bit & 1).any():
            raise CaptureError(f"cr0.0 changes {name} while a thread runs (page 48): it is that of the dispatch here")
    if ((now[:, 1] & _SOFTWARE_STATUS != 0) & (now[:, 1] & _SOFTWARE_ENABLE != 0)).any():
        raise CaptureError("a software exception (cr0.1 bit 29): system routines (pages 81-91) are not executed")
