"""`call` and `ret`: channels that are called run alone, until all of them have returned (volume 4 part 3, p. 160, 204).

The pages store the mask of the called channels beside the return address and restore it from there, which would lose
the caller's mask in a nested call; here the frames themselves keep who waits, and the stored mask is only shown.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu.plan import Predicate
from texsamp.emulator.eu.isa.instruction import JUMP_UNIT_B, Instruction
from texsamp.emulator.eu.isa.operands import Region as SourceRegion
from texsamp.emulator.eu.isa.operands import RegisterFile, Source
from texsamp.emulator.eu.registers.channels import any_channel
from texsamp.emulator.eu.registers.pointers import PARKED
from texsamp.emulator.eu.registers.regions import Place, destination_region, source_region
from texsamp.emulator.eu.registers.threads import CHANNELS, Mask, Threads
from texsamp.errors import CaptureError

_PAIR = 2
_QWORD_B = 8
_HALF = 16
"""Channels that the upper half of a flag register has bits for."""


class _Step:
    """What both have in common: the channels that the predicate chooses, and writing instruction pointers back."""

    def __init__(self, instruction: Instruction, offset: int, base: int) -> None:
        self._next, self._base = offset + instruction.size_B, base
        self._predicate = None
        if instruction.predicate:
            count = CHANNELS - _HALF * instruction.flag_subregister
            self._predicate = Predicate(replace(instruction, exec_size=count, quarter=0, nibble=0))

    def _chosen(self, threads: Threads, here: Mask) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Channels at this instruction, and those of them that the predicate chooses; (threads, channels)."""
        at = threads.arrays.ones((threads.count, CHANNELS), np.bool_) if here is None else here
        if self._predicate is None:
            return at, at
        chosen = self._predicate.read(threads)
        missing = threads.arrays.zeros((threads.count, CHANNELS - chosen.shape[1]), np.bool_)
        return at, np.logical_and(at, np.concatenate([chosen, missing], axis=1))

    def _moved(self, threads: Threads, at: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Instruction pointers of every channel, those at this instruction behind it."""
        if threads.alone is not None:
            threads.lead(threads.alone_here(), self._next)
        moved: NDArray[np.int64] = np.where(at, self._next, threads.diverge())
        return moved


class Call(_Step):
    """One `call`. base: the kernel's address as `ip` counts. CaptureError for operands it cannot have."""

    def __init__(self, instruction: Instruction, offset: int, base: int) -> None:
        super().__init__(instruction, offset, base)
        destination = instruction.destination
        if instruction.jip is None or destination is None or instruction.exec_size != _PAIR:
            raise CaptureError("call takes an immediate distance and two channels of a destination (page 161)")
        general = destination.file == RegisterFile.GENERAL and destination.indirection is None
        if not general or destination.subregister_B % _QWORD_B or destination.type.size_B != _QWORD_B // _PAIR:
            raise CaptureError("call stores two dwords in a general register, at a multiple of 8 bytes (page 161)")
        self._place = Place(destination, destination_region(destination, _PAIR))
        self._target = offset + JUMP_UNIT_B * instruction.jip

    def run(self, threads: Threads, here: Mask) -> None:
        """Send the chosen channels into the routine; all others of their thread wait."""
        at, chosen = self._chosen(threads, here)
        behind, called = self._moved(threads, at), any_channel(chosen)
        threads.frames.enter(called, behind)
        stored: NDArray[np.int64] = threads.arrays.zeros((threads.count, _PAIR), np.int64)
        stored[:, 0] = self._base + self._next
        stored[:, 1] = threads.channel_bits(chosen)
        self._place.write(threads, stored, np.broadcast_to(called[:, None], stored.shape))
        threads.diverge()[...] = np.where(called[:, None], np.where(chosen, self._target, PARKED), behind)
        threads.settle()


class Return(_Step):
    """One `ret`. base: the kernel's address as `ip` counts. CaptureError for operands it cannot have."""

    def __init__(self, instruction: Instruction, offset: int, base: int) -> None:
        super().__init__(instruction, offset, base)
        source = instruction.sources[0] if instruction.sources else None
        if not isinstance(source, Source) or source.file != RegisterFile.GENERAL:
            raise CaptureError("ret takes its address from a general register (page 204)")
        first = replace(source, region=SourceRegion(0, 1, 0))
        self._place = Place(first, source_region(first, 1))

    def run(self, threads: Threads, here: Mask) -> None:
        """Send the chosen channels back; they wait until no channel of their call is left in the routine."""
        at, chosen = self._chosen(threads, here)
        targets = (self._place.read(threads)[:, :1].astype(np.int64) & 0xFFFFFFF8) - self._base
        called = threads.frames.are_called()
        threads.frames.send_back(chosen & called[:, None], targets)
        moved = np.where(chosen, np.where(called[:, None], PARKED, targets), self._moved(threads, at))
        done = called & any_channel(chosen) & (moved >= PARKED).all(axis=1)
        threads.diverge()[...] = np.where(done[:, None], threads.frames.leave(done), moved)
        threads.settle()
