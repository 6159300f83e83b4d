"""What a report has of a replayed case."""

from __future__ import annotations

import time
from collections.abc import Callable

from texsamp.emulator.case import Case
from texsamp.emulator.commands.streamer import Executed
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.emulator.eu.isa.text import text
from texsamp.emulator.files.capture import Capture, walk
from texsamp.emulator.listing.programs import kernels_of_commands, read_kernel
from texsamp.emulator.listing.references import states_of_commands
from texsamp.emulator.listing.words import changed, fields_of
from texsamp.errors import CaptureError
from texsamp.report import ReplayReport
from texsamp.report.replayed import Row
from texsamp.video.frame import Frame


def threads_in_words(dispatch: Dispatch) -> str:
    """What a dispatch or draw came to, and how many of its instructions the engine left to array operations.

    Of threads on a GPU also how many messages came to the host.
    """
    left = f", {dispatch.tally.left} by array operations" if dispatch.tally.left else ""
    left += f", {dispatch.tally.brought} messages by the host" if dispatch.tally.brought else ""
    if dispatch.primitives is not None:
        return (
            f"{dispatch.primitives} primitives, {dispatch.pixels} pixels, {dispatch.threads} threads, "
            f"{dispatch.steps} instructions{left}"
        )
    overwritten = f", {dispatch.overwritten} dwords overwritten" if dispatch.overwritten else ""
    return f"{dispatch.threads} threads, {dispatch.steps} instructions each{left}{overwritten}"


class Reporter:
    """What a report has of a case. Listed are states and kernels as the CPU wrote them, before a submission runs."""

    def __init__(self, case: Case, observe: Callable[[Capture, Executed], None] | None) -> None:
        self._case, self._next, self._report = case, observe, ReplayReport()
        self._memory = CaseMemory()
        self._capture: Capture | None = None
        self._uses: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self._notes: list[str] = []
        self._since = time.perf_counter()

    def observe(self, capture: Capture, executed: Executed) -> None:
        """Take note of a command that was executed."""
        took_ms = 1000 * (time.perf_counter() - self._since)
        if capture is not self._capture:
            self._capture, self._uses = capture, {}
            try:
                self._list(capture)
            except CaptureError as error:
                self._notes.append(f"{capture.name}: states and kernels are not listed: {error}")
        located = executed.located
        did = "" if executed.dispatch is None else threads_in_words(executed.dispatch)
        used = self._uses.get(located.address, ((), ())) if did else ((), ())
        count = f" x {located.count}" if located.count > 1 else ""
        row = Row(capture.name, located.address, located.command.name + count, fields_of(located), did, took_ms,
                  (*executed.warnings, *executed.notes), *used)  # fmt: skip
        self._report.add_command(row)
        if self._next is not None:
            self._next(capture, executed)
        self._since = time.perf_counter()

    def _list(self, capture: Capture) -> None:
        memory = self._memory
        memory.enter(capture)
        commands = list(walk(memory, capture.batch_address, length=capture.batch_length, strict=False, runs=True))
        starts = dict[int, list[tuple[int, str]]]()
        for located, kernels in kernels_of_commands(memory, commands):
            starts[located.address] = kernels
        for located, states in states_of_commands(capture, memory, commands):
            if starts[located.address]:
                words = [f"{each.role}: {each.state.name} {changed(each.state)}" for each in states]
                kernels = starts[located.address]
                self._uses[located.address] = (
                    tuple(map(self._report.state, words)),
                    tuple(self._kernel(address, role) for address, role in kernels),
                )

    def _kernel(self, address: int, role: str) -> int:
        lines = [f"{each.offset:6x} {text(each.instruction)}" for each in read_kernel(self._memory, address)]
        return self._report.kernel(role, lines)

    def add_picture(self, name: str, note: str, made: Frame, expected: Frame | None) -> None:
        """Take a finished picture, and what it should have been; note: how they compare."""
        images = [None if frame is None else frame.to_rgb() for frame in (made, expected)]
        assert images[0] is not None
        self._report.add_picture(name, note, images[0], images[1])
        self._since = time.perf_counter()

    def html(self) -> str:
        """The page."""
        first = self._case.captures[0]
        about = f"{len(self._case.captures)} submissions of {first.device}, the first is {first.name}."
        return self._report.html(first.case or first.name, about, self._notes)
