"""The command streamer: executes the commands of a submission in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from texsamp.emulator.commands import blits, contexts, draws, registers, state, synchronization, threads
from texsamp.emulator.commands.packet import Flow, Handlers, Packet
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.emulator.files.capture import Capture, LocatedCommand, walk
from texsamp.errors import CaptureError, StateError
from texsamp.state.command import Command
from texsamp.state.commands_3d import Primitive
from texsamp.state.commands_mi import MiStoreDataImm
from texsamp.state.commands_sampler import PaletteLoad
from texsamp.state.decode import RawCommand

WORK_PER_SUBMISSION, BYTES_PER_UNIT, MOST_WORK = 1 << 17, 32, 1 << 20
"""Units of work a submission may do, and one more for so many bytes of its buffer objects, up to a limit.

An EU instruction of up to 1024 threads is one. Captured ones take below 4096.
"""
HANDLERS: Handlers = {
    **state.HANDLERS,
    **registers.HANDLERS,
    **contexts.HANDLERS,
    **synchronization.HANDLERS,
    **threads.HANDLERS,
    **draws.HANDLERS,
    **blits.HANDLERS,
}


@dataclass(frozen=True, slots=True)
class Executed:
    """One command that was executed, or a run of MEDIA_OBJECTs, and what its threads came to.

    warnings: what the manual forbids about it. notes: what it amounts to.
    """

    located: LocatedCommand
    dispatch: Dispatch | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class CommandStreamer:
    """Executes commands on the state of a context, and on the memory that its engines share."""

    def __init__(self, engines: Engines, context: LogicalContext) -> None:
        self._engines, self._context = engines, context

    def run(
        self, capture: Capture, budget: Budget | None = None, *, strict: bool = False, work: int = 1
    ) -> Iterator[Executed]:
        """Execute a submission, yielding each command when it is done.

        strict: stop at what the manual forbids even where it can be executed. work: how many times the limit on work it
        may do. CaptureError, naming the command and its address, at whatever is illegal, unmapped or not executed; and,
        naming the submission, if it leaves a frame of the deinterlacer's walker undone.
        """
        memory, context, budget = self._engines.memory, self._context, budget or Budget(_work_of(capture) * work)
        number = context.generation.number
        for located in walk(memory, capture.batch_address, length=capture.batch_length, generation=number, runs=True):
            command = located.command
            execution = Execution(context, budget, f"{capture.name}: {command.name} at {located.address:#x}")
            try:
                done = self._execute(Packet(located, execution, self._engines))
                if strict and execution.warnings:
                    raise CaptureError(execution.warnings[0])
            except (CaptureError, StateError) as error:
                raise CaptureError(f"{execution.writer}: {error}") from None
            memory.attribute(execution.writer)
            context.registers.count_commands(located.count)
            dispatch = done if isinstance(done, Dispatch) else None
            yield Executed(located, dispatch, tuple(execution.warnings), tuple(execution.notes))
            if done is Flow.END:
                break
        context.deinterlace_walker.check_done(f"{capture.name}: the submission ends")

    def _execute(self, packet: Packet) -> Dispatch | Flow | None:
        command, ignored = packet.located.command, self._context.registers.ignored
        handler = HANDLERS.get(type(command))
        is_state = state.is_state(command)
        if handler is None and not is_state:
            raise CaptureError("this command is not executed")
        if ignored and _kind(command) in ignored:
            packet.execution.notes.append("ignored, as INSTPM says")
            return None
        if not isinstance(command, MiStoreDataImm):
            self._context.stores_to_come = 0
        done = None if handler is None else handler(packet, command)
        if is_state:
            self._context.keep(command)
        return done


def _work_of(capture: Capture) -> int:
    """Units of work: large pictures have many threads."""
    mapped_B = sum(buffer.size for buffer in capture.buffers)
    return min(WORK_PER_SUBMISSION + mapped_B // BYTES_PER_UNIT, MOST_WORK)


def _kind(command: Command | RawCommand) -> str:
    """The kind of instruction that INSTPM can disable."""
    if isinstance(command, PaletteLoad):
        return "palettes"
    if isinstance(command, Primitive):
        return "draws"
    if command.name.startswith(state.STATE_OF_DRAWS):
        return "states"
    return "media" if command.pipeline == "media" else ""
