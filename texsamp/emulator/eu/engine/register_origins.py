"""Which registers follow from what threads begin with alone, whatever messages answer.

One thread goes the way of all by itself on the host, without an answer to its messages. What answers would change is
followed along: a byte is of an answer from where one is put into it, or into anything it is computed from, until it
is written over. As long as neither jumps nor addresses of operands hang on answers, or differ from thread to thread,
all threads go that way, and what the host has seen of any other register holds for all threads that begin alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu.plan import Compute, has_two_registers
from texsamp.emulator.eu.control.flow import Jump
from texsamp.emulator.eu.isa.instruction import KEPT_INSTRUCTIONS, Instruction
from texsamp.emulator.eu.isa.opcodes import Shape
from texsamp.emulator.eu.isa.operands import ADDRESS, DataType, Destination, Immediate, RegisterFile, Source
from texsamp.emulator.eu.registers.accumulators import ACCUMULATOR, ACCUMULATORS
from texsamp.emulator.eu.registers.regions import Place, Region, destination_region, is_null, source_region
from texsamp.emulator.eu.registers.threads import (
    ADDRESSES_AT,
    ARCHITECTURE_PLACES,
    FLAGS,
    FLAGS_AT,
    GENERAL_B,
    GENERAL_REGISTERS,
    PITCH_B,
    REGISTER_B,
    Threads,
)
from texsamp.emulator.eu.sends.host_copies import Asked
from texsamp.emulator.eu.sends.messages import Send
from texsamp.errors import CaptureError

FLAG_BITS = PITCH_B
"""Where the 64 bits of f0 and f1 are, one each; of all other registers there is one for a byte."""
_FLAGS_OF_A_REGISTER = 32
_ACCUMULATORS = (1 << 2 * REGISTER_B) - 1 << GENERAL_B + ARCHITECTURE_PLACES[ACCUMULATOR][0]
"""Both; the bits beyond what they show go with the bytes that were written with them."""
_ALL_GENERAL = (1 << GENERAL_B) - 1
_DWORD_B = 4
_OF_A_VECTOR_B = 4 * REGISTER_B
"""That operands may reach which are no plain regions: vectors, planes."""
_MOST_STEPS = 4096
_ANSWERING = frozenset({2, 4, 5, 6, 9, 10})
"""Shared functions that write nothing but the registers of the response, and only those of the thread."""
_PLAIN = frozenset(
    "mov not f32to16 f16to32 bfrev frc rndu rndd rnde rndz lzd fbh fbl cbit sel and or xor shr shl asr cmp cmpn bfi1 "
    "add mul avg mac".split()
)
"""Instructions whose operands are their regions, of which all channels are written."""
_ACCUMULATING = frozenset("mac mach sada2 addc subb".split())


Told = Collection[tuple[int, ...]]
"""Bytes of registers that the host puts there itself: the first one, and how many. Behind these may come the bytes
that they are made of."""


class UnknownOriginError(Exception):
    """Something that is not followed."""


def bits_of(begin: int, size: int) -> int:
    """Bytes of registers, from one on."""
    return (1 << size) - 1 << begin


def predicate_bits(instruction: Instruction) -> int:
    """Flags that an instruction may be predicated by."""
    if not instruction.predicate:
        return 0
    at = FLAG_BITS + _FLAGS_OF_A_REGISTER * instruction.flag_register
    if instruction.predicate == 1 and not instruction.align16:
        first = 16 * instruction.flag_subregister + instruction.first_channel
        return bits_of(at + first, instruction.exec_size)
    return bits_of(at, _FLAGS_OF_A_REGISTER)


class Origins:
    """What is of answers before each message that threads send, by the number of instructions that come before it."""

    def __init__(self, step_at: Callable[[int], Any], payload: NDArray[np.uint8], told: Mapping[int, Told]) -> None:
        """payload: bytes that registers of threads begin with, (threads, n). told: of responses, by their number.

        UnknownOriginError if they are not followed: they do not go one way, or wait.
        """
        self._before: dict[int, int] = {}
        self._told = told
        own = np.flatnonzero((payload != payload[0]).any(axis=0))
        self._differing, self._answers = sum(1 << int(at) for at in own), 0
        self._threads = Threads(1)
        self._threads.begin((0, payload[:1]))
        try:
            self._follow(step_at)
        except CaptureError:
            raise UnknownOriginError from None

    def is_known(self, number: int, bits: int) -> bool:
        """Whether registers before a message follow from what threads begin with."""
        return number in self._before and not self._before[number] & bits

    def _follow(self, step_at: Callable[[int], Any]) -> None:
        for number in range(_MOST_STEPS):
            step = step_at(self._threads.ip)
            if isinstance(step, Send):
                self._before[number] = self._answers
                if step.instruction.end_of_thread:
                    return
                self._answer(step, self._told.get(number, ()))
                self._threads.ip = step.next
                continue
            if isinstance(step, Jump):
                self._require(predicate_bits(step.instruction))
                if not step.is_fixed:
                    raise UnknownOriginError
            elif not step_is_plain(step):
                raise UnknownOriginError
            elif step.compute is not None and not self._compute(step.compute):
                self._threads.ip = step.next
                continue
            step.run(self._threads, None)
            if not self._threads.are_together:
                raise UnknownOriginError
        raise UnknownOriginError

    def _require(self, bits: int) -> None:
        """UnknownOriginError unless registers are the same in all threads, whatever is answered."""
        if (self._answers | self._differing) & bits:
            raise UnknownOriginError

    def _answer(self, step: Send, told: Told) -> None:
        instruction, descriptor = step.instruction, step.instruction.sources[1]
        destination = instruction.destination
        if instruction.condition not in _ANSWERING or destination is None:
            raise UnknownOriginError
        if isinstance(descriptor, Immediate):
            bits = descriptor.bits
        else:
            assert step.place is not None
            self._require(asked_bits(step, "descriptors"))
            bits = int(step.place.read(self._threads)[0, 0])
        if not is_null(destination):
            count = min(bits >> 20 & 31, GENERAL_REGISTERS - destination.number)
            own = sum(bits_of(begin, size) for begin, size, *source in told if not self._is_answer(*source))
            self._answers = self._answers & ~own | bits_of(destination.number * REGISTER_B, count * REGISTER_B) & ~own
            self._differing |= own

    def _is_answer(self, first: int = 0, size: int = 0) -> bool:
        """Whether any of some bytes is of an answer."""
        return bool(self._answers & bits_of(first, size))

    def _compute(self, compute: Compute) -> bool:
        """Follow what an instruction does; whether it does what no answer changes."""
        effect, chosen = _effect(compute), None
        if compute.predicate is not None and not compute.operation.chooses:
            flags = predicate_bits(compute.instruction)
            if not (self._answers | self._differing) & flags:
                chosen = compute.predicate.read(self._threads)
                if not chosen.any():
                    return True
        read, written = effect.read, effect.written
        for operand, place in effect.sources:
            read |= self._addressed(operand, place)
        for target, place in effect.destination:
            written |= self._addressed(target, place)
        is_known = not self._answers & read
        is_whole = effect.is_whole and (compute.predicate is None or (chosen is not None and bool(chosen.all())))
        self._answers = _after(self._answers, read, written, effect.kept, is_whole)
        self._differing = _after(self._differing, read, written, effect.kept, is_whole)
        return is_known

    def _addressed(self, operand: Source | Destination, place: Place) -> int:
        """Bytes of an operand at an address."""
        assert operand.indirection is not None
        rows, first = place.rows, operand.indirection.subregister
        self._require(bits_of(ADDRESSES_AT + 2 * first, 2 * (max(rows) + 1)))
        starts = [int(self._threads.addresses(first + row)[0]) for row in range(max(rows) + 1)]
        before = operand.indirection.offset_B
        found = [starts[row] + before + offset for row, offset in zip(rows, place.offsets, strict=True)]
        if min(found) < 0:
            raise UnknownOriginError
        return sum_of(found, operand.type.size_B)


@dataclass(frozen=True)
class _Effect:
    """What an instruction reads and writes: bytes of registers, and operands at addresses.

    kept: accumulators that it may write, too. is_whole: whether all that it may write is written, by all channels.
    """

    read: int
    written: int
    kept: int
    is_whole: bool
    sources: tuple[tuple[Source, Place], ...]
    destination: tuple[tuple[Destination, Place], ...]


def _after(known: int, read: int, written: int, kept: int, is_whole: bool) -> int:
    """What is of answers behind an instruction, or what differs. kept: accumulators that it may write, too."""
    if known & read:
        return known | written | kept
    return known & ~written if is_whole else known


@lru_cache(maxsize=KEPT_INSTRUCTIONS)
def _effect(compute: Compute) -> _Effect:
    instruction, destination = compute.instruction, compute.instruction.destination
    assert destination is not None
    operands = [each for each in (destination, *instruction.sources) if not isinstance(each, Immediate)]
    if any(each.type == DataType.DF for each in operands):
        raise UnknownOriginError
    name, halves, count = instruction.opcode.mnemonic, has_two_registers(instruction), instruction.exec_size
    read, written = predicate_bits(instruction), 0
    if name in _ACCUMULATING or instruction.opcode.shape is Shape.THREE_SOURCES:
        read |= _ACCUMULATORS
    sources, target = [], []
    is_plain = name in _PLAIN | {"math", "mach", "addc", "subb"} and not instruction.align16
    for source in instruction.sources:
        if isinstance(source, Immediate) or is_null(source):
            continue
        if source.indirection is not None and is_plain:
            sources.append((source, Place(source, source_region(source, count), halves=halves)))
        else:
            read |= _bytes(source, source_region(source, count)) if is_plain else _whole_registers(source)
    if not is_null(destination):
        if destination.indirection is not None and not instruction.align16:
            target.append((destination, Place(destination, destination_region(destination, count), halves=halves)))
        elif instruction.align16:
            written |= _whole_registers(destination)
        else:
            written |= _bytes(destination, destination_region(destination, count))
    if name == "math":  # two results of some functions are in registers that follow each other
        written |= written << REGISTER_B & _ALL_GENERAL
    if instruction.condition and name not in ("math", "sel"):
        at = FLAG_BITS + _FLAGS_OF_A_REGISTER * instruction.flag_register
        written |= bits_of(at + 16 * instruction.flag_subregister + instruction.first_channel, count)
    is_whole = name in _PLAIN and not instruction.align16
    kept = _ACCUMULATORS if instruction.accumulator_write else 0
    return _Effect(read, written, kept, is_whole, tuple(sources), tuple(target))


def _whole_registers(operand: Source | Destination) -> int:
    """Of a direct operand that is no plain region."""
    if operand.indirection is not None or operand.file != RegisterFile.GENERAL:
        raise UnknownOriginError
    return bits_of(operand.number * REGISTER_B, _OF_A_VECTOR_B) & _ALL_GENERAL


def _bytes(operand: Source | Destination, region: Region) -> int:
    """Bytes of a direct operand, or its flags."""
    place, size = Place(operand, region), operand.type.size_B
    if operand.file == RegisterFile.ARCHITECTURE and operand.number in FLAGS:
        return sum_of([FLAG_BITS + 8 * (position - FLAGS_AT) for position in place.positions], 8 * size)
    if operand.file == RegisterFile.ARCHITECTURE and operand.number not in (ADDRESS, *ACCUMULATORS):
        raise UnknownOriginError
    return sum_of(place.positions, size)


def asked_bits(send: Send, what: Asked) -> int:
    """Registers that something is of which a message is looked at by."""
    if what == "mask":
        return predicate_bits(send.instruction)
    if what == "descriptors":
        return bits_of(ADDRESSES_AT, _DWORD_B) if send.place is None else sum_of(send.place.positions, _DWORD_B)
    if what[0] == "ranges":
        return sum_of([send.place_of(number) for number, _ in what[1]], _DWORD_B)
    first, count, only = what
    dwords = range(8 * count) if only is None else only
    return sum_of([(send.source + first) * REGISTER_B + _DWORD_B * number for number in dwords], _DWORD_B)


def step_is_plain(step: Any) -> bool:
    """Whether an instruction computes as the engine does, or does nothing."""
    return hasattr(step, "compute") and (step.compute is None or isinstance(step.compute, Compute))


def sum_of(positions: list[int], size: int) -> int:
    """Elements of some size at positions, which may lie over each other."""
    found = 0
    for position in positions:
        found |= bits_of(position, size)
    return found
