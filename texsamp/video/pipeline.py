"""Stages in a row."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from texsamp.device import Device, get_device
from texsamp.errors import StateError
from texsamp.fidelity.part import Part
from texsamp.video.conversion import convert, copy_alpha
from texsamp.video.filters import FILTERS, filter_of, filter_text
from texsamp.video.frame import Frame, check_frame
from texsamp.video.grammar import parse_graph
from texsamp.video.stage import Stage

MAX_STAGES = 100
"""Stages of a pipeline; each takes a few frames of the call stack."""


class Pipeline(Stage):
    """Frames through a row of stages on one device; a frame is uploaded once, when it enters.

    ``Pipeline([Scale(1280, 720), Sharpen(44)])`` or ``Pipeline.parse("scale=1280x720,sharpen=44")``. Call it on an
    iterable of the frames of one stream to iterate over the results; it may be called again for the next stream, but
    not while one is running. A pipeline is itself a stage.
    """

    def __init__(self, stages: Sequence[Stage], device: Device | str = "auto") -> None:
        """Raises StateError for what is no stage or more than `MAX_STAGES`, DeviceError for a device not usable."""
        self.stages = _checked(stages)
        self.device = get_device(device)
        self._names = _column_names(self.stages)
        self._running = self._measures = False
        self.overlaps = all(stage.overlaps for stage in self.stages)

    @classmethod
    def parse(cls, text: str, device: Device | str = "auto") -> Pipeline:
        """The pipeline a filter text describes. Raises StateError naming what is wrong and what is legal."""
        if not isinstance(text, str):
            raise StateError(f"filters must be filter text or a Pipeline, found {text!r}")
        return cls(parse_graph(text), device)

    def __call__(self, frames: Iterable[Frame], statistics: bool = False) -> Iterator[Frame]:
        """The results for one stream, as they become complete; stages are flushed at its end.

        With ``statistics`` every result carries the figures of all stages it has gone through, by the filter's name
        and the figure's (``denoise_noise_y``); of two filters of one kind the second one's name ends in a 2.
        """
        if self._running:
            raise StateError("this pipeline is still running over another stream: make a second one")
        self._running = True
        self._measure(statistics)
        try:
            for frame in frames:
                yield from self.feed(frame)
            yield from self.flush()
        except BaseException:  # also when the caller stops early
            self._forget()
            raise
        finally:
            self._running = False
            self._measure(False)

    def _forget(self) -> None:
        """Nothing of a stream that ended early may reach the next one: stages come to its end, unseen.

        What Ctrl-C left half done may fail there. That is not what the caller has to know, and it is forgotten by then.
        """
        for stage in self.stages:
            for _ in range(2):
                with suppress(Exception):
                    deque(stage.flush(), maxlen=0)
                    break

    def _measure(self, wanted: bool) -> None:
        self._measures = wanted
        for stage in self.stages:
            if isinstance(stage, Pipeline):
                stage._measure(wanted)

    def feed(self, frame: Frame) -> Iterator[Frame]:
        """The next frame of the stream; yields the frames that are now complete, on the pipeline's device."""
        check_frame(frame, "a pipeline")
        return self._complete(self._through([frame.to(self.device)], 0))

    def flush(self) -> Iterator[Frame]:
        """The stream has ended: yields what the stages still hold, first to last."""
        for place, stage in enumerate(self.stages, start=1):
            yield from self._complete(self._through(self._told(stage.flush(), place - 1), place))

    def _complete(self, frames: Iterator[Frame]) -> Iterator[Frame]:
        """Frames whose pixels are all there; stages go on meanwhile, where every one of them lets that be."""
        if not self.overlaps:
            yield from frames
            return
        while True:
            with self.device.overlap():
                frame = next(frames, None)
            if frame is None:
                return
            yield frame
            del frame  # what its planes lie in may be used again

    def _through(self, frames: Iterable[Frame], place: int) -> Iterator[Frame]:
        """Frames fed to the stages from ``place`` on."""
        if place == len(self.stages):
            yield from map(_as_it_came, frames)
            return
        for frame in frames:
            fed = self.stages[place].feed(_fitted(frame, self.stages[place]))
            yield from self._through(self._told(fed, place), place + 1)

    def _told(self, frames: Iterable[Frame], place: int) -> Iterator[Frame]:
        """The frames that a stage makes, with its figures among their statistics if these are wanted."""
        for frame in frames:
            told = frame.statistics
            if self._measures and frame.figures is not None:
                told = {**told, **{f"{self._names[place]}_{name}": value for name, value in frame.figures().items()}}
            yield frame if frame.figures is None else frame.told(statistics=told, figures=None)

    def __repr__(self) -> str:
        return f"<Pipeline {self}, {self.device.name}>"

    def __str__(self) -> str:
        return ",".join(stage_text(stage) for stage in self.stages)

    def describe(self) -> str:
        """What runs, for people: each stage as filter text, and how faithful each of its parts is."""
        count = len(self.stages)
        lines = [f"{count} filter{'s' * (count != 1)} on {self.device.name}: {self.device.describe()}"]
        for stage in self.stages:
            text, parts = _described(stage)
            lines += [text, *(f"  {part.label:<13}  {part.part} ({part.basis})" for part in parts)]
        return "\n".join(lines)


def _as_it_came(frame: Frame) -> Frame:
    """In the layout that it had before it was converted for a stage."""
    layout, alpha_of = frame.converted_from, frame.alpha_of
    if layout is None:
        return frame
    made = convert(frame, layout).told(converted_from=None, alpha_of=None)
    if alpha_of is not None:
        copy_alpha(alpha_of, made)
    return made


def _fitted(frame: Frame, stage: Stage) -> Frame:
    """In a layout that the stage takes, if there is one; stages in a row that want the same one share it."""
    came = frame.converted_from or frame.layout
    wanted = stage.wants(came)
    if wanted == came:
        return _as_it_came(frame)
    stage.note(f"{stage_text(stage).partition('=')[0]} does not take {came.name}: converted to {wanted.name} and back")
    alpha_of = frame if "A" in came.components and frame.layout == came else frame.alpha_of
    return convert(frame, wanted).told(converted_from=came, alpha_of=alpha_of)


def _checked(stages: object) -> tuple[Stage, ...]:
    """Stages as a caller from Python may have given them."""
    if isinstance(stages, str):
        raise StateError(f"a pipeline takes stages, found the text {stages!r}: use Pipeline.parse")
    if not isinstance(stages, Iterable):
        raise StateError(f"a pipeline takes a sequence of stages, found {stages!r}")
    found = tuple(stages)
    for place, stage in enumerate(found, start=1):
        if not isinstance(stage, Stage):
            raise StateError(f"stage {place} of a pipeline must be a Stage, as Scale and Sharpen are, found {stage!r}")
    if len(found) > MAX_STAGES:
        raise StateError(f"a pipeline has at most {MAX_STAGES} filters, found {len(found)}")
    return found


def _column_names(stages: Sequence[Stage]) -> tuple[str, ...]:
    """A name for each stage, that of its filter; the second of a kind ends in a 2."""
    seen: Counter[str] = Counter()
    names = []
    for stage in stages:
        name = next((f.name for f in FILTERS if type(stage) is f.stage), type(stage).__name__.lower())
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}{seen[name]}")
    return tuple(names)


def stage_text(stage: Stage) -> str:
    """A stage as filter text; one that no filter text can make shows itself."""
    return filter_text(stage) or str(stage)


def _described(stage: Stage) -> tuple[str, list[Part]]:
    """A stage as text, and its parts."""
    found = filter_of(stage)
    if found is None:
        return str(stage), list(stage.parts)
    which, values = found
    return which.text(values), list(which.parts_in_use(values))
