"""Control flow: every channel has its own instruction pointer, and the lowest one of all is executed next.

Waiting at a higher address is what makes channels meet again, so no stack of masks is needed. Channels of the thread
that an instruction's execution size leaves out always take the way that is farther ahead, and wait there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.encoding import signed
from texsamp.emulator.eu.instruction import JUMP_UNIT_B, NATIVE_B, Instruction
from texsamp.emulator.eu.operands import Immediate
from texsamp.emulator.eu.plan import Predicate
from texsamp.emulator.eu.regions import Place, source_region
from texsamp.emulator.eu.threads import CHANNELS, Mask, Threads, put
from texsamp.errors import CaptureError

_EXECUTED = frozenset({"if", "else", "endif", "while", "break", "cont", "halt", "brd", "brc"})
_SWITCH = 2


class Jump:
    """`jmpi`: the whole thread goes on elsewhere, if channel 0 of the predicate says so; CaptureError for others."""

    def __init__(self, instruction: Instruction, offset: int) -> None:
        if instruction.exec_size != 1:
            raise CaptureError(f"jmpi is a scalar instruction, its execution size is {instruction.exec_size}")
        self._predicate = Predicate(instruction) if instruction.predicate else None
        self._next = offset + instruction.size_B
        distance = instruction.sources[1]
        self._fixed: int | None = None
        if isinstance(distance, Immediate):
            self._fixed = signed(distance.bits, 32)
        else:
            self._place = Place(distance, source_region(distance, 1))

    def run(self, threads: Threads, here: Mask) -> None:
        """Move every thread that has channels at this instruction."""
        if self._fixed is not None:
            distances: NDArray[np.int64] | int = self._fixed
        else:
            distances = self._place.read(threads)[:, 0].astype(np.int64)
        targets: Any = self._next + JUMP_UNIT_B * distances
        if self._fixed is not None and self._predicate is None:
            if here is None:
                threads.ip = int(targets)
                return
            targets = threads.upload(np.full(threads.count, targets, np.int64))
        if self._predicate is not None:
            targets = np.where(self._predicate.read(threads)[:, 0], targets, self._next)
        targets = np.broadcast_to(targets, (threads.count,))
        if here is None and (targets == targets[0]).all():
            threads.ip = int(targets[0])
            return
        put(threads.diverge(), targets[:, None], here)
        threads.settle()


class Branch:
    """Structured control flow and the branches of single channels (brd, brc: seed 004:4562-4656).

    CaptureError for branches that are not executed.
    """

    def __init__(self, instruction: Instruction, offset: int) -> None:
        name = instruction.opcode.mnemonic
        if name not in _EXECUTED:
            raise CaptureError(f"{name} is not executed")
        if name in ("brd", "brc") and instruction.thread_control != _SWITCH:
            raise CaptureError(f"{name} needs the Switch option")
        self._name, self._offset, self._next = name, offset, offset + instruction.size_B
        self._jip, self._uip = instruction.jip, instruction.uip
        self._place = None
        if instruction.jip is None:
            source = instruction.sources[0]
            if name not in ("brd", "brc") or isinstance(source, Immediate):
                raise CaptureError(f"{name} needs immediate distances")
            self._place = Place(source, source_region(source, 1))
        self._predicate = Predicate(instruction) if instruction.predicate else None
        self._first, self._count = instruction.first_channel, instruction.exec_size
        if self._first + self._count > CHANNELS:
            raise CaptureError(f"channels {self._first} on of {self._count}: there are {CHANNELS}")

    def run(self, threads: Threads, here: Mask) -> None:
        """Move the channels at this instruction."""
        ips = threads.diverge()
        chosen: NDArray[np.bool_] = threads.arrays.ones((threads.count, self._count), np.bool_)
        if self._predicate is not None:
            chosen = self._predicate.read(threads)
        jip, uip = self._targets(threads)
        if self._name in ("if", "else", "endif"):
            ahead, stay = (jip, self._next) if self._name != "endif" else (self._next, self._next)
            jumps = ~chosen if self._name == "if" else np.ones_like(chosen)
            self._move(ips, here, jumps, ahead, stay, ahead)
        elif self._name == "while":
            self._move(ips, here, chosen, jip, self._next, self._next)
        else:  # break ends up behind the while its UIP names; cont takes part in it; halt, brd and brc jump there
            target = {"break": uip + NATIVE_B, "brd": jip}.get(self._name, uip)
            self._move(ips, here, chosen, target, self._next, np.maximum(target, self._next))
        threads.settle()

    def _targets(self, threads: Threads) -> tuple[NDArray[np.int64] | int, NDArray[np.int64] | int]:
        """Addresses of JIP and UIP; per thread, shape (threads, 1), if they come from a register."""
        if self._place is None:
            return self._offset + JUMP_UNIT_B * (self._jip or 0), self._offset + JUMP_UNIT_B * (self._uip or 0)
        packed = self._place.read(threads)[:, :1].astype(np.int64)
        if self._name == "brd":
            return self._offset + JUMP_UNIT_B * packed, 0
        low, high = ((packed & 0xFFFF) ^ 0x8000) - 0x8000, packed >> 16
        return self._offset + JUMP_UNIT_B * low, self._offset + JUMP_UNIT_B * high

    def _move(
        self,
        ips: NDArray[np.int64],
        here: Mask,
        jumps: NDArray[np.bool_],
        target: NDArray[np.int64] | int,
        stay: int,
        ahead: NDArray[np.int64] | int,
    ) -> None:
        moved = np.empty_like(ips)
        moved[...] = ahead
        moved[:, self._first : self._first + self._count] = np.where(jumps, target, stay)
        put(ips, moved, here)
