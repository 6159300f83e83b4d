"""Running a kernel: threads in lockstep, always at the lowest instruction any channel waits at."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu.alu.double import DoubleCompute, is_double
from texsamp.emulator.eu.alu.dword_products import WideMultiply, is_wide
from texsamp.emulator.eu.alu.indexed import MoveIndexed
from texsamp.emulator.eu.alu.plan import Compute
from texsamp.emulator.eu.alu.state_registers import WithState, names_state
from texsamp.emulator.eu.control.calls import Call, Return
from texsamp.emulator.eu.control.flow import Branch, Jump
from texsamp.emulator.eu.control.wait import Wait
from texsamp.emulator.eu.engine.active_threads import executing, going
from texsamp.emulator.eu.engine.launches import IllegalAddressError, Table
from texsamp.emulator.eu.engine.lowering import Ways, branching, going_on, stopping
from texsamp.emulator.eu.engine.stretches import Stretch, is_engine_used
from texsamp.emulator.eu.engine.trails import Walk, walk_of
from texsamp.emulator.eu.engine.whole_program import Asks, Whole
from texsamp.emulator.eu.isa.codec import Located, decode, extent_B, kernel
from texsamp.emulator.eu.isa.instruction import JUMP_UNIT_B, KEPT_INSTRUCTIONS, NATIVE_B, Instruction
from texsamp.emulator.eu.isa.opcodes import Shape
from texsamp.emulator.eu.isa.text import SHARED_FUNCTIONS, text
from texsamp.emulator.eu.registers.threads import Array, Mask, Threads
from texsamp.emulator.eu.sends.host_copies import Asked
from texsamp.emulator.eu.sends.messages import Send, SharedFunctions
from texsamp.errors import CaptureError

_THREADS_OF_A_UNIT = 1024
_INSTRUCTIONS_OF_A_UNIT = 8
"""Of the engine, which takes less for one than an array operation does."""
_UNITS_OF_A_BRANCH = 4
"""Channels that part are several array operations."""
_KEPT_KERNELS, _LARGEST_KEPT_B = 64, 1 << 15
"""Kernels that are kept prepared for all cases of the process, and their bytes at most."""
_LONGEST_STRETCH = 2048
"""Instructions, those of loops as often as they are expected to go around."""
_LONGEST_WHOLE = 4096
"""Instructions that are prepared before they are reached; kernels of real captures have fewer."""


@dataclass
class Tally:
    """What running programs came to.

    left: instructions that the engine did not take. brought: messages of threads on a device that came to the host with
    what they are about. thread_steps: instructions of threads. total_s: processor time of the calling thread.
    functions_s: of it in messages, by the shared function.
    """

    left: int = 0
    brought: int = 0
    thread_steps: int = 0
    total_s: float = 0.0
    functions_s: dict[str, float] = field(default_factory=dict)

    @property
    def messages_s(self) -> float:
        """Processor time in messages."""
        return sum(self.functions_s.values())

    def add(self, other: Tally) -> None:
        """Count another's, too."""
        self.left += other.left
        self.brought += other.brought
        self.thread_steps += other.thread_steps
        self.total_s += other.total_s
        for name, spent_s in other.functions_s.items():
            self.spend(name, spent_s)

    def spend(self, function: str, time_s: float) -> None:
        """Count a message to a shared function."""
        self.functions_s[function] = self.functions_s.get(function, 0.0) + time_s


class _Straight:
    """An instruction after which every channel goes on with the next one."""

    def __init__(self, compute: Compute | DoubleCompute | WideMultiply | MoveIndexed | None, next_offset: int) -> None:
        self.compute, self.next = compute, next_offset

    def run(self, threads: Threads, here: Mask) -> None:
        if self.compute is not None:
            self.compute.run(threads, here)
        threads.leave(self.next, here)


@lru_cache(maxsize=KEPT_INSTRUCTIONS)
def _computing(raw: bytes) -> tuple[Compute | DoubleCompute | WideMultiply | MoveIndexed, bool]:
    """What computes, and whether it names registers of the thread's state."""
    instruction = decode(raw)
    kind: Callable[[Instruction], Compute | DoubleCompute | WideMultiply | MoveIndexed] = Compute
    if instruction.opcode.mnemonic == "movi":
        kind = MoveIndexed
    elif is_double(instruction):
        kind = DoubleCompute
    elif is_wide(instruction):
        kind = WideMultiply
    return kind(instruction), names_state(instruction)


_Step = _Straight | Jump | Branch | Call | Return | Send | Wait | WithState


class _Prepared:
    """Instructions of a kernel, ready to run, and their rows of the engine: what running it does not change."""

    def __init__(self, code: bytes, single_program_flow: bool, base: int) -> None:
        self._code, self._base, self._single = code, base, single_program_flow
        self._steps: dict[int, _Step] = {}
        self._straight: dict[int, Stretch] = {}
        self.table = Table()
        self._whole: Whole | None = None

    def step(self, offset: int) -> _Step:
        """See `Program.prepared`."""
        if offset not in self._steps:
            self._steps[offset] = self._prepared(offset)
        return self._steps[offset]

    def straight(self, offset: int) -> Stretch:
        """What the engine takes from an offset on, up to a jump; not to be changed."""
        if offset not in self._straight:
            made, taken = Stretch(offset, self.table), True
            while taken and len(made) < _LONGEST_STRETCH:
                try:
                    step = self.step(made.end)
                except CaptureError:  # raised again where it is reached
                    break
                taken = isinstance(step, _Straight) and (step.compute is None or isinstance(step.compute, Compute))
                if taken:
                    assert isinstance(step, _Straight) and (step.compute is None or isinstance(step.compute, Compute))
                    taken = made.take(step.compute, made.end, step.next)
            self._straight[offset] = made
        return self._straight[offset]

    def whole(self) -> Whole:
        """All that can be told of the program before it runs, for the engine; made once."""
        if self._whole is None:
            places: list[Located] = []
            with suppress(CaptureError):  # behind the program; what is in it raises again where it is reached
                places.extend(islice(kernel(self._code), _LONGEST_WHOLE))
            offsets = [place.offset for place in places]
            numbers = {offset: number for number, offset in enumerate(offsets)}
            rows = [self._row(offset, numbers) or stopping() for offset in offsets]
            self._stop_at_loops(offsets, numbers, rows)
            behind = offsets[-1] + places[-1].instruction.size_B if places else 0
            is_closed = all(self._stays_inside(offset, numbers) for offset in offsets)
            self._whole = Whole(self.table, [*offsets, behind], rows, is_closed=is_closed)
            self.table.in_order = self._whole.numbers, self._whole.rows
        return self._whole

    def _stop_at_loops(self, offsets: list[int], numbers: dict[int, int], rows: list[bytes]) -> None:
        """Of loops the engine goes around those without messages, so that no tile sends before others do."""
        sends = np.cumsum([0, *(self._sends(offset) for offset in offsets)])
        for number, offset in enumerate(offsets):
            with suppress(CaptureError):
                step = self.step(offset)
                way = step.way.target if isinstance(step, Branch) and step.way else None
                way = step.target if isinstance(step, Jump) else way
                first = None if way is None else numbers.get(way)
                if first is None or first > number or sends[first] == sends[number]:
                    continue
                if isinstance(step, Jump):
                    rows[number] = going_on(step.instruction, first, stays=True)
                else:
                    rows[number] = stopping()

    def _sends(self, offset: int) -> bool:
        """Whether others may notice an instruction, or when it is reached."""
        try:
            return not isinstance(self.step(offset), _Straight | Jump | Branch)
        except CaptureError:
            return True

    def _stays_inside(self, offset: int, numbers: dict[int, int]) -> bool:
        """Whether all that an instruction may lead to are instructions of the program."""
        try:
            step = self.step(offset)
        except CaptureError:
            return True
        if isinstance(step, Jump):
            return step.target in numbers
        if isinstance(step, Branch):
            return step.places is not None and all(place in numbers for place in step.places)
        return not isinstance(step, Call | Return)

    def _row(self, offset: int, numbers: dict[int, int]) -> bytes | None:
        """How the engine takes an instruction, numbers of others by their offset; None if it does not."""
        try:
            step = self.step(offset)
        except CaptureError:
            return None
        if isinstance(step, Jump):
            target = None if step.target is None else numbers.get(step.target)
            return None if target is None else going_on(step.instruction, target)
        if isinstance(step, Branch):
            way = step.way
            if way is None or not {way.target, way.ahead, way.lead} <= numbers.keys():
                return None
            ways = Ways(numbers[way.target], numbers[way.ahead], numbers[way.lead], way.leads)
            return branching(step.instruction, ways, kind=way.kind, inverted=way.inverted)
        if isinstance(step, _Straight) and (step.compute is None or isinstance(step.compute, Compute)):
            return self.table.row(step.compute, offset)
        return None

    def _prepared(self, offset: int) -> _Step:
        if not 0 <= offset < len(self._code):
            raise CaptureError("the kernel ends before its threads do")
        instruction = decode(self._code, offset)
        name, shape = instruction.opcode.mnemonic, instruction.opcode.shape
        if name == "nop":
            return _Straight(None, offset + instruction.size_B)
        if name == "jmpi":
            return Jump(instruction, offset)
        if name == "wait":
            return Wait(instruction, offset)
        if shape is Shape.MESSAGE:
            return Send(instruction, offset)
        if shape is Shape.JUMP:
            if name == "call":
                return Call(instruction, offset, self._base)
            if name == "ret":
                return Return(instruction, offset, self._base)
            return Branch(instruction, offset, self._while_B(instruction, offset), self._single)
        if shape is Shape.NONE:
            raise CaptureError(f"{name} is not executed")
        compute, has_state = _computing(bytes(self._code[offset : offset + instruction.size_B]))
        if has_state:
            return WithState(instruction, offset, self._base, compute)
        return _Straight(compute, offset + instruction.size_B)

    def _while_B(self, instruction: Instruction, offset: int) -> int:  # noqa: N802 - the unit
        """Size of the `while` that a `break` names."""
        if instruction.opcode.mnemonic != "break" or instruction.uip is None:
            return NATIVE_B
        at = offset + JUMP_UNIT_B * instruction.uip
        return decode(self._code, at).size_B if 0 <= at < len(self._code) else NATIVE_B


def _go_on(threads: Threads, count: int) -> None:
    """So many instructions were executed."""
    if threads.walk is not None:
        threads.walk.number += count
        if not threads.are_together:
            threads.walk = None


@lru_cache(maxsize=_KEPT_KERNELS)
def _kept(code: bytes, single_program_flow: bool, base: int) -> _Prepared:
    """Cases of one driver mostly have the same kernels."""
    return _Prepared(code, single_program_flow, base)


class Program:
    """A kernel whose instructions are decoded and prepared when they are first reached.

    code: bytes from the kernel's first instruction on. single_program_flow: all channels of a thread branch alike.
    base: the kernel's address, which `ip` counts from.
    """

    def __init__(self, code: bytes | memoryview, single_program_flow: bool = False, base: int = 0) -> None:
        self._code = bytes(code[: extent_B(code)])
        prepare = _kept if len(self._code) <= _LARGEST_KEPT_B else _Prepared
        self._kind = single_program_flow, base
        self._prepared = prepare(self._code, single_program_flow, base)
        self._stretches: dict[int, Stretch] = {}
        self._ways: dict[int, int] = {}
        self._on_engine = is_engine_used()
        self.tally = Tally()

    @property
    def whole(self) -> Whole:
        """All of it for the engine."""
        return self._prepared.whole()

    def is_still(self, code: NDArray[np.uint8]) -> bool:
        """Whether memory from the kernel's first instruction on begins with the bytes it had."""
        return code[: len(self._code)].tobytes() == self._code

    def walk(self, payload: NDArray[np.uint8]) -> Walk | None:
        """What is known of threads that begin with registers, (threads, bytes); None where all has to be asked."""
        if len(self._code) > _LARGEST_KEPT_B:
            return None
        return walk_of((self._code, *self._kind), self._prepared.step, payload)

    def run(self, threads: Threads, functions: SharedFunctions, budget: Budget) -> int:
        """Execute until every thread has ended, and return how many instructions the one with the most executed.

        CaptureError, with offset and text, at what cannot be executed, and if threads wait that nobody notifies.
        """
        self.advance(threads, functions, budget)
        if not threads.ended:
            count = threads.waiting
            raise CaptureError(
                f"{self.where_waiting(threads)}: all {count} threads that are left wait for a notification"
            )
        most = threads.executed.most
        return most if isinstance(most, int) else threads.numbers_of(most)[0]

    def where_waiting(self, threads: Threads) -> str:
        """Offset and text of the instruction that suspended threads are at."""
        return self._where(threads.waits_at())

    def advance(self, threads: Threads, functions: SharedFunctions, budget: Budget) -> int:
        """Execute until every thread has ended or waits, and return how many instructions that took.

        CaptureError, with offset and text, at what cannot be executed.
        """
        if not threads.running:
            threads.settle()
        steps, units = 0, 1 + threads.count // _THREADS_OF_A_UNIT
        began, tally = time.thread_time(), self.tally
        while threads.running:
            offset, is_guessed = threads.ip, threads.is_guessed
            try:
                if count := self._run_stretch(threads, units, budget):
                    _go_on(threads, count)
                    steps += count
                    tally.thread_steps += count * threads.count
                    continue
                budget.spend(units)
                if is_guessed and not self._may_be_of_nobody(offset):
                    threads.be_certain()
                    continue
                step = self.prepared(offset)
                if isinstance(step, Branch):
                    budget.spend(units * (_UNITS_OF_A_BRANCH - 1))
                here = threads.here()
                who = executing(threads, here, not (isinstance(step, Branch) and step.ends_loop))
                if isinstance(step, Send):
                    sent = time.thread_time()
                    step.run(threads, here, functions)
                    tally.spend(SHARED_FUNCTIONS[step.instruction.condition], time.thread_time() - sent)
                    tally.brought += step.was_brought
                else:
                    step.run(threads, here)
                    if isinstance(step, Wait):
                        who = going(threads, who)
                _go_on(threads, 1)
                steps += 1
                threads.executed.add(1, who, is_guessed=is_guessed)
                tally.thread_steps += threads.count
                tally.left += isinstance(step, _Straight | WithState)
                if here is None and threads.are_together and isinstance(step, Jump) and step.is_fixed:
                    self._ways[offset] = threads.ip
            except IllegalAddressError as error:
                raise CaptureError(f"{self._where(error.offset)}: {error}") from None
            except CaptureError as error:
                raise CaptureError(f"{self._where(offset)}: {error}") from None
        tally.total_s += time.thread_time() - began
        return steps

    def _run_stretch(self, threads: Threads, units: int, budget: Budget) -> int:
        """Run what the engine takes from the current instruction on, and return how many instructions that were."""
        if not self._on_engine or threads.modes is not None:
            return 0
        asks: Asks | None = None
        if threads.arrays is not np and threads.are_together:
            asks = partial(self._asks, threads)
        may_part = asks is not None or not threads.are_together or self._is_branch(threads.ip)
        if may_part and (count := self.whole.run(threads, _LONGEST_STRETCH, asks)):
            budget.spend(units * (1 + count // _INSTRUCTIONS_OF_A_UNIT))
            return count
        if threads.alone is not None:
            return 0
        stretch = self._stretches.get(threads.ip)
        if stretch is None:
            stretch = self._stretches[threads.ip] = self._stretch(threads.ip)
        elif stretch.jump in self._ways:
            self._extend(stretch)
        count = stretch.count_for(threads) if len(stretch) else 0
        if count:
            count = stretch.run(threads, threads.here(), count, asks)
            budget.spend(units * (1 + count // _INSTRUCTIONS_OF_A_UNIT))
        return count

    def _asks(self, threads: Threads, offset: int) -> dict[Asked, Array]:
        """What a message at an offset asks of the device."""
        try:
            step = self.prepared(offset)
            return step.asks(threads, None) if isinstance(step, Send) else {}
        except CaptureError:  # raised again where it is reached
            return {}

    def _stretch(self, offset: int) -> Stretch:
        """What the engine takes from an offset on; programs of the same bytes share what ends before no jump."""
        straight = self._prepared.straight(offset)
        with suppress(CaptureError):  # raised again where it is reached
            if isinstance(self.prepared(straight.end), Jump):
                stretch = Stretch(offset, self._prepared.table)
                self._extend(stretch)
                return stretch
        return straight

    def _extend(self, stretch: Stretch) -> None:
        """Take what the engine can, past jumps that have been seen to lead somewhere."""
        stretch.jump = None
        while len(stretch) < _LONGEST_STRETCH:
            stretch.go_on(self._prepared.straight(stretch.end))
            offset = stretch.end
            try:
                step = self.prepared(offset)
            except CaptureError:  # raised again where it is reached
                return
            if not isinstance(step, Jump):
                return
            way = self._ways.get(offset) if step.only_way is None else step.only_way
            if way is None:
                stretch.jump = offset
                return
            if not stretch.expect(step.instruction, offset, step.next, way):
                return

    def _is_branch(self, offset: int) -> bool:
        try:
            return isinstance(self.prepared(offset), Branch)
        except CaptureError:
            return False

    def _may_be_of_nobody(self, offset: int) -> bool:
        """Whether an instruction only moves channels, or sends with a mask; one that nobody comes to may be none."""
        try:
            return isinstance(self.prepared(offset), Jump | Branch | Send)
        except CaptureError:
            return False

    def prepared(self, offset: int) -> _Step:
        """The instruction at an offset, ready to run; CaptureError if it cannot be."""
        return self._prepared.step(offset)

    def _where(self, offset: int) -> str:
        try:
            instruction: Instruction = decode(self._code, offset)
        except CaptureError:
            return f"EU offset {offset:#x}"
        return f"EU offset {offset:#x}, {text(instruction)}"
