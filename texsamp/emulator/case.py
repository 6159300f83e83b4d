"""A case: submissions of one client in order, executed on one memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from os import PathLike
from typing import Any, Self

from texsamp.device import Device, get_device
from texsamp.emulator.commands.streamer import CommandStreamer, Executed
from texsamp.emulator.context.budget import check_times
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory, Watch
from texsamp.emulator.context.surfaces import WrittenSurface
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.files.capture import BufferObject, Capture
from texsamp.emulator.files.opening import open_captures
from texsamp.emulator.pictures import Picture, Target, picture_key
from texsamp.emulator.surface_pictures import surface_name, surface_picture
from texsamp.errors import CaptureError, FormatError, StateError, UndefinedBehavior
from texsamp.state.generation import Generation
from texsamp.state.generations import GENERATIONS, generation_of_device

GENERATION = Generation.of(7)
"""Whose command buffers are executed."""
DEFAULT_CONTEXT = 0
"""The context whose state does not survive a submission."""


@dataclass(frozen=True)
class Case:
    """Captures of one case in the order of execution."""

    captures: tuple[Capture, ...]

    @classmethod
    def open(cls, paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> Self:
        """Read a capture file or several, in any order, or one AUB file.

        CaptureError if a file is malformed, of another case or generation, or given twice.
        """
        given = [paths] if isinstance(paths, str | PathLike) else paths
        return cls.of([capture for path in given for capture in open_captures(path)])

    @classmethod
    def of(cls, captures: Sequence[Capture]) -> Self:
        """A case of captures in any order; CaptureError as in `open`."""
        ordered = tuple(sorted(captures, key=lambda capture: capture.sequence))
        for capture in ordered:
            generation = generation_of_device(capture.device) or GENERATION.number
            if generation != GENERATION.number:
                raise CaptureError(
                    f"{capture.name}: captured on {capture.device}, generation {generation:g} "
                    f"({GENERATIONS[generation]}); generation {GENERATION.number:g} is executed"
                )
        for left, right in pairwise(ordered):
            if left.case != right.case:
                raise CaptureError(
                    f"captures of one case are replayed at a time: {left.name} is of case {left.case!r}, "
                    f"{right.name} of {right.case!r}"
                )
            if left.sequence == right.sequence:
                raise CaptureError(f"{left.name} and {right.name} are both submission {left.sequence}")
        return cls(ordered)

    def replay(
        self,
        observe: Callable[[Capture, Executed], None] | None = None,
        stop_at: int | None = None,
        watch: Watch | None = None,
        device: Device | str = "cpu",
        strict: bool = False,
        unread: Callable[[CaptureError], None] | None = None,
        work: int = 1,
    ) -> Iterator[Picture]:
        """Execute all submissions and yield every output picture as soon as it is finished.

        Where a capture does not say what its picture is, these are the surfaces that its threads wrote to.
        observe is told of every command that was executed. stop_at: commands after which to stop (MEDIA_OBJECTs that
        run together count as one); the picture being worked on is then yielded as it is. watch: a byte whose writer is
        to be found out. device: where threads run. strict: stop at what the manual forbids even where it can be
        executed, such as a PIPE_CONTROL that breaks a restriction. unread: told of each picture that cannot be read;
        without it that is a CaptureError when all others have come. CaptureError, naming submission, command and
        address, at whatever is illegal, unmapped or not executed; unless `strict`, `unread` is told of that as well,
        the picture worked on does not come, and the next submission goes on from what is in memory. work: how many
        times the limit on work a submission may do, 1 to 1024; StateError for others.
        """
        check_times(work)
        memory = CaseMemory()
        memory.watch = watch
        contexts: dict[int, LogicalContext] = {}
        engines = Engines(memory, None if device == "cpu" else get_device(device))
        seen: dict[int, BufferObject] = {}
        count = 0
        reading, spoiled = _Reading(unread), set[tuple[Any, ...]]()
        for number, capture in enumerate(self.captures):
            memory.enter(capture)
            seen |= {buffer.handle: buffer for buffer in capture.buffers}
            context = LogicalContext(device=capture.device, generation=GENERATION)
            if capture.context != DEFAULT_CONTEXT:
                context = contexts.setdefault(capture.context, context)
            stopped = stop_at is not None and count >= stop_at
            written: dict[tuple[object, ...], WrittenSurface] = {}
            if not stopped:
                try:
                    for executed in CommandStreamer(engines, context).run(capture, strict=strict, work=work):
                        count += 1
                        if executed.dispatch is not None:
                            written |= {surface.key: surface for surface in executed.dispatch.written}
                        if observe is not None:
                            observe(capture, executed)
                        if stop_at is not None and count >= stop_at:
                            stopped = True
                            break
                except CaptureError as error:
                    if strict or unread is None:
                        raise
                    unread(error)
                    spoiled.add(picture_key(capture))
                    continue
            if "dst" not in capture.meta:
                for surface in written.values():
                    yield from reading.of(surface_name(surface, capture), partial(_surface, memory, surface, capture))
            following = self.captures[number + 1] if number + 1 < len(self.captures) else None
            is_last = stopped or following is None or picture_key(following) != picture_key(capture)
            if is_last and picture_key(capture) not in spoiled:
                yield from reading.of(capture.name, partial(_target, memory, seen, capture))
            if stopped:
                break
        reading.finish()

    def writer_of(
        self,
        picture: Picture,
        plane: int,
        x_B: int,  # noqa: N803
        row: int,
        stop_at: int | None = None,
        work: int = 1,
    ) -> str:
        """What gave a byte of a picture of the case its value: command, thread, message and the state of its surface.

        The case is executed again up to that picture, past submissions that cannot be. plane, byte column and row are
        those of `Picture.planes`. stop_at, work: as `replay` has them. CaptureError if the picture has no such plane or
        byte, or is none of memory.
        """
        if picture.origin is None:
            raise CaptureError(f"{picture.name}: bytes of this picture have no place in memory")
        if not 0 <= plane < len(picture.planes):
            raise CaptureError(f"plane {plane} of a target of {len(picture.planes)}")
        rows, width_B = picture.planes[plane].shape
        if not (0 <= x_B < width_B and 0 <= row < rows):
            raise CaptureError(f"byte {x_B} of row {row} of a plane of {width_B} bytes and {rows} rows")
        watch = Watch(picture.origin.handle, picture.origin.offset(plane, x_B, row))
        for replayed in self.replay(stop_at=stop_at, watch=watch, unread=lambda error: None, work=work):
            if replayed.name == picture.name:
                break
        return watch.writer


class _Reading:
    """Pictures read one by one. tell: is told of those that cannot be; without it `finish` raises what it was."""

    def __init__(self, tell: Callable[[CaptureError], None] | None) -> None:
        self._unread: list[CaptureError] = []
        self._tell = self._unread.append if tell is None else tell

    def of(self, name: str, read: Callable[[], Picture | None]) -> Iterator[Picture]:
        """The picture of that name, if there is one and it can be read."""
        try:
            picture = read()
        except (CaptureError, FormatError, StateError, UndefinedBehavior) as error:
            text = str(error)
            self._tell(CaptureError(text if text.startswith(name) else f"{name}: {text}"))
        else:
            if picture is not None:
                yield picture

    def finish(self) -> None:
        """CaptureError if nobody was told of a picture that could not be read."""
        if self._unread:
            first, *others = self._unread
            more = f" (and {len(others)} more pictures cannot be read)" if others else ""
            raise CaptureError(f"{first}{more}")


def _surface(memory: CaseMemory, surface: WrittenSurface, capture: Capture) -> Picture:
    """A surface that was written to."""
    is_linear = not surface.state.tiled and surface.tiling != "W"
    picture = surface_picture(memory, surface, capture)
    return replace(picture, sequence=capture.sequence, is_linear=is_linear)


def _target(memory: CaseMemory, seen: dict[int, BufferObject], capture: Capture) -> Picture | None:
    """The picture that a capture names, if it names one that a submission has shown."""
    target = Target.of(capture)
    if target is None or target.handle not in seen:
        return None
    return replace(target.read(memory, seen[target.handle], capture.name), sequence=capture.sequence)
