"""The command streamer: executes the commands of a submission in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from texsamp.emulator.commands import blits, registers, state, synchronization, threads
from texsamp.emulator.commands.packet import Flow, Handler, Handlers, Packet, no_effect
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.emulator.files.capture import Capture, LocatedCommand, walk
from texsamp.errors import CaptureError, StateError
from texsamp.state.command import Command
from texsamp.state.decode import RawCommand

_STATE_OF_DRAWS = "3DSTATE_"
"""Commands that only change what later draws do."""
WORK_PER_SUBMISSION = 1 << 17
"""Units of work a submission may do: an EU instruction of up to 1024 threads is one; real ones take below 4096."""
HANDLERS: Handlers = {
    **state.HANDLERS,
    **registers.HANDLERS,
    **synchronization.HANDLERS,
    **threads.HANDLERS,
    **blits.HANDLERS,
}


@dataclass(frozen=True, slots=True)
class Executed:
    """One command that was executed, or a run of MEDIA_OBJECTs, and what its threads came to."""

    located: LocatedCommand
    dispatch: Dispatch | None = None


class CommandStreamer:
    """Executes commands on the state of a context, and on the memory that its engines share."""

    def __init__(self, engines: Engines, context: LogicalContext) -> None:
        self._engines, self._context = engines, context

    def run(self, capture: Capture, budget: Budget | None = None) -> Iterator[Executed]:
        """Execute a submission, yielding each command when it is done.

        CaptureError, naming the command and its address, at whatever is illegal, unmapped or not executed; and, naming
        the submission, if it leaves a frame of the deinterlacer's walker undone.
        """
        memory, context, budget = self._engines.memory, self._context, budget or Budget(WORK_PER_SUBMISSION)
        for located in walk(memory, capture.batch_address, length=capture.batch_length, runs=True):
            command = located.command
            execution = Execution(context, budget, f"{capture.name}: {command.name} at {located.address:#x}")
            try:
                done = _handler(command)(Packet(located, execution, self._engines), command)
            except (CaptureError, StateError) as error:
                raise CaptureError(f"{execution.writer}: {error}") from None
            memory.attribute(execution.writer)
            context.registers.count_commands(located.count)
            yield Executed(located, done if isinstance(done, Dispatch) else None)
            if done is Flow.END:
                break
        context.deinterlace_walker.check_done(f"{capture.name}: the submission ends")


def _handler(command: Command | RawCommand) -> Handler:
    handler = HANDLERS.get(type(command))
    if handler is None and command.name.startswith(_STATE_OF_DRAWS):
        return no_effect
    if handler is None:
        raise CaptureError("this command is not executed")
    return handler
