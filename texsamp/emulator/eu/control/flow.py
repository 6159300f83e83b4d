"""Control flow: every channel has its own instruction pointer, and the lowest one of all is executed next.

Waiting at a higher address is what makes channels meet again, so no stack of masks is needed. Channels of the thread
that an instruction's execution size leaves out go where the others have gone that are farthest ahead, so they are alone
nowhere: no channel that no kernel has would reach what a branch leaves out. A thread none
of whose channels goes on behind a branch goes to its JIP, which may lie before the place where its channels wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu.plan import Predicate
from texsamp.emulator.eu.isa.encoding import signed
from texsamp.emulator.eu.isa.instruction import JUMP_UNIT_B, NATIVE_B, Instruction
from texsamp.emulator.eu.isa.operands import Immediate
from texsamp.emulator.eu.registers.channels import any_channel
from texsamp.emulator.eu.registers.regions import Place, source_region
from texsamp.emulator.eu.registers.threads import CHANNELS, Mask, Threads
from texsamp.errors import CaptureError

_SWITCH = 2
_SUSPENDING = frozenset({"break", "cont", "halt", "brc"})
"""Branches that send channels past where the thread goes on."""


_KINDS = {
    **dict.fromkeys(("if", "else"), "parts"),
    "endif": "joins",
    "while": "loops",
    **dict.fromkeys(("break", "cont", "halt"), "suspends"),
}
"""What the engine knows of branches (EuBranch of kernels/eu_operations.h)."""


@dataclass(frozen=True)
class Way:
    """A branch whose distances are known. target: where channels go that jump; ahead: those it does not name, at last.

    lead: where threads go that have no channel behind it, those whose channels jump here only if `leads`. inverted:
    whether channels jump where the predicate is not set.
    """

    kind: str
    target: int
    ahead: int
    lead: int
    leads: bool
    inverted: bool


class Jump:
    """`jmpi`: the whole thread goes on elsewhere, if channel 0 of the predicate says so; CaptureError for others."""

    def __init__(self, instruction: Instruction, offset: int) -> None:
        if instruction.exec_size != 1:
            raise CaptureError(f"jmpi is a scalar instruction, its execution size is {instruction.exec_size}")
        self.instruction = instruction
        self._predicate = Predicate(instruction) if instruction.predicate else None
        self.next = offset + instruction.size_B
        distance = instruction.sources[1]
        self._fixed: int | None = None
        self.is_fixed = isinstance(distance, Immediate)
        if isinstance(distance, Immediate):
            self._fixed = signed(distance.bits, 32)
        else:
            self._place = Place(distance, source_region(distance, 1))

    @property
    def target(self) -> int | None:
        """Where it leads if it is taken; None if registers say so."""
        return None if self._fixed is None else self.next + JUMP_UNIT_B * self._fixed

    @property
    def only_way(self) -> int | None:
        """Where it always leads."""
        return None if self._predicate is not None else self.target

    def run(self, threads: Threads, here: Mask) -> None:
        """Move every thread that has channels at this instruction."""
        if self._fixed is not None:
            distances: NDArray[np.int64] | int = self._fixed
        else:
            distances = self._place.read(threads)[:, 0].astype(np.int64)
        targets: Any = self.next + JUMP_UNIT_B * distances
        if self._fixed is not None and self._predicate is None:
            if here is None:
                threads.ip = int(targets)
                return
            targets = threads.upload(np.full(threads.count, targets, np.int64))
        if self._predicate is not None:
            targets = np.where(self._predicate.read(threads)[:, 0], targets, self.next)
        targets = np.broadcast_to(targets, (threads.count,))
        if here is None:
            first, last = threads.numbers_of(targets.min(), targets.max())
            if first == last:
                threads.ip = first
                return
        threads.leave(targets[:, None], here, None if self.target is None else (self.next, self.target))


class Branch:
    """Structured control flow and the branches of single channels (brd, brc: seed 004:4562-4656).

    CaptureError for branches that are not executed.
    """

    def __init__(self, instruction: Instruction, offset: int, while_B: int = NATIVE_B, single: bool = False) -> None:  # noqa: N803
        """while_B: size of the instruction that the UIP of `break` names. single: whether all channels move alike.

        In single program flow the first channel's predicate decides, and UIP is where `if`, `break`, `cont` and `halt`
        go (volume 4 part 3, pages 160 and 180-181).
        """
        self.instruction = instruction
        name = instruction.opcode.mnemonic
        self._while_B, self._single = while_B, single
        if single and name == "brc":
            raise CaptureError("brc in single program flow: which of its distances counts is not printed (page 156)")
        if single and instruction.first_channel:
            raise CaptureError("single program flow has the first channels only (page 48)")
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

    @property
    def way(self) -> Way | None:
        """What the engine is told of it; None for what it does not take."""
        if self._single or self._place is not None or self._name not in _KINDS:
            return None
        jip, uip = self._targets_of_all
        kind, inverted = _KINDS[self._name], self._name == "if"
        target = {"if": jip, "else": jip, "endif": self._next, "while": jip, "break": uip + self._while_B}.get(
            self._name, uip
        )
        ahead = {"if": jip, "else": jip}.get(self._name, self._next)
        if kind == "suspends":
            ahead = max(target, self._next)
        if self._predicate is None and inverted:
            target = self._next
        return Way(kind, target, ahead, jip, kind == "suspends" and jip != uip, inverted)

    @property
    def places(self) -> tuple[int, ...] | None:
        """Where channels and threads may go on; None if registers say so."""
        ways = self._ways
        return None if ways is None else (*ways, self._targets_of_all[0])

    @property
    def next(self) -> int:
        """Behind it."""
        return self._next

    @property
    def ends_loop(self) -> bool:
        """Whether threads of which all channels break may go past it."""
        return self._name == "while"

    @property
    def _ways(self) -> tuple[int, ...] | None:
        """All that channels here may go on at; None if registers say so."""
        if self._place is not None:
            return None
        jip, uip = self._targets_of_all
        target = {"break": uip + self._while_B, "halt": uip, "cont": uip, "brc": uip, "endif": self._next}
        if self._single:
            target["if"] = uip
        way = target.get(self._name, jip)
        return (way,) if self._name in ("else", "endif") else (self._next, way)

    @property
    def _targets_of_all(self) -> tuple[int, int]:
        return self._offset + JUMP_UNIT_B * (self._jip or 0), self._offset + JUMP_UNIT_B * (self._uip or 0)

    def run(self, threads: Threads, here: Mask) -> None:
        """Move the channels at this instruction."""
        chosen: NDArray[np.bool_] = threads.arrays.ones((threads.count, self._count), np.bool_)
        if self._predicate is not None:
            chosen = self._predicate.read(threads)
        if self._single:
            threads.leave(self._scalar_targets(chosen[:, :1], threads), here, self._ways)
            return
        ips = threads.diverge()
        jip, uip = self._targets(threads)
        if self._name in ("if", "else", "endif"):
            ahead, stay = (jip, self._next) if self._name != "endif" else (self._next, self._next)
            jumps = ~chosen if self._name == "if" else np.ones_like(chosen)
            self._move(ips, here, jumps, ahead, stay, ahead)
        elif self._name == "while":
            self._move(ips, here, chosen, jip, self._next, self._next)
        else:  # break ends up behind the while its UIP names; cont takes part in it; halt, brd and brc jump there
            target = {"break": self._behind(uip), "brd": jip}.get(self._name, uip)
            self._move(ips, here, chosen, target, self._next, np.maximum(target, self._next))
        self._lead(threads, here, jip)
        threads.settle(self._ways)

    def _lead(self, threads: Threads, here: Mask, jip: NDArray[np.int64] | int) -> None:
        """Send threads on that have no channel behind the branch (volume 4 part 3, pages 156-182, 223)."""
        if self._name in _SUSPENDING and (self._place is not None or self._jip != self._uip):
            rows = threads.arrays.ones(threads.count, np.bool_) if here is None else threads.present(here)[:, 0]
        elif threads.alone is not None:
            rows = threads.alone_here()
        else:
            return
        if self._name == "while":
            threads.lead(rows, self._next)
            return
        ips = threads.diverge()
        if self._name == "brd":  # jumps if any channel has
            jumps = (ips == jip).any(axis=1, keepdims=True)
        elif self._name == "endif":
            jumps = rows[:, None]
        else:
            jumps = ~(ips == self._next).any(axis=1, keepdims=True)
        threads.lead(rows, np.where(jumps, jip, self._next))

    def _scalar_targets(self, chosen: NDArray[np.bool_], threads: Threads) -> NDArray[np.int64]:
        """Where whole threads go on, shape (threads, 1)."""
        jip, uip = self._targets(threads)
        if self._name == "endif":
            return np.full_like(chosen, self._next, np.int64)
        if self._name == "else":
            return np.full_like(chosen, jip, np.int64)
        if self._name == "if":
            return np.where(chosen, self._next, uip)
        target = {"while": jip, "brd": jip, "break": self._behind(uip)}.get(self._name, uip)
        return np.where(chosen, target, self._next)

    def _behind(self, uip: NDArray[np.int64] | int) -> NDArray[np.int64] | int:
        """Behind the `while` that a `break` names."""
        return uip + self._while_B

    def _targets(self, threads: Threads) -> tuple[NDArray[np.int64] | int, NDArray[np.int64] | int]:
        """Addresses of JIP and UIP; per thread, shape (threads, 1), if they come from a register."""
        if self._place is None:
            return self._targets_of_all
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
        named = slice(self._first, self._first + self._count)
        goes: NDArray[np.int64] = np.where(jumps, target, stay)
        if isinstance(target, int):  # then looking at channels does
            there = jumps if here is None else jumps & here[:, named]
            behind = ~jumps if here is None else ~jumps & here[:, named]
            far, near = (there, behind) if target > stay else (behind, there)
            farthest = np.where(any_channel(near), min(target, stay), ahead)
            farthest = np.where(any_channel(far), max(target, stay), farthest)[:, None]
        else:
            goes = np.broadcast_to(goes, (len(ips), self._count))
            farthest = (goes if here is None else np.where(here[:, named], goes, -1)).max(axis=1, keepdims=True)
            farthest = np.where(farthest < 0, ahead, farthest)
        moved = ips if here is None else np.empty_like(ips)
        moved[...] = farthest
        moved[:, named] = goes
        if here is not None:
            ips[...] = np.where(here, moved, ips)
