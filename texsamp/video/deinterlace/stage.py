"""`Deinterlace`: interlaced frames to progressive ones, one or two for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

from texsamp.errors import StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.video.deinterlace.compensation import Vectors, search_motion
from texsamp.video.deinterlace.fields import Field, check_layout, deinterlace_fields, measure_motion, progressive, woven
from texsamp.video.deinterlace.figures import Shown, figures
from texsamp.video.deinterlace.film_mode import FilmMode, PlannedFrame
from texsamp.video.deinterlace.film_times import FilmTimes
from texsamp.video.deinterlace.matching import motion_matches
from texsamp.video.deinterlace.parameters import (
    DRIVER_STATE,
    TUNED_COMPENSATION,
    CompensationParameters,
    DeinterlaceParameters,
)
from texsamp.video.deinterlace.scene import SceneCuts
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.deinterlace.timing import at_field_rate, second_field, ticks_between
from texsamp.video.film.planner import FieldVerdict
from texsamp.video.film.variances import FilmParameters, measure_film
from texsamp.video.frame import Frame, Statistics
from texsamp.video.stage import Stage

Mode = Literal["bob", "madi", "mcdi", "hq", "weave"]
Rate = Literal["frame", "field", "film"]
Film = Literal["off", "auto", "32", "22", "2332", "32322", "2224", "55", "64", "87"]
Parity = Literal["auto", "tff", "bff"]
Deint = Literal["all", "interlaced"]
SceneCut = Literal["auto", "off"]
Preset = Literal["tuned", "i965"]

_TEMPORAL = ("madi", "mcdi", "hq")
"""Modes that look at other frames."""
_COMPENSATED = ("mcdi", "hq")
"""Those that compensate motion."""


@dataclass
class _Stream:
    """What is kept of a stream: its last frame, the one before, and the motion measured so far."""

    first_parity: int
    last: Frame
    second_waits: bool
    before: Frame | None = None
    ticks: int | None = None
    motion: StatisticsSurface | None = None
    plan: PlannedFrame | None = None


@dataclass
class _Counts:
    frames: int = 0
    interlaced: int = 0
    unknown_order: int = 0
    cuts: int = 0
    pairs: int = 0
    compensated: int = 0

    def summary(self, mode: Mode) -> str:
        """What was found in a stream, in words; empty if there is nothing to tell."""
        parts = [f"{self.cuts} scene cut{'s' * (self.cuts != 1)}"] if self.cuts else []
        if mode in _COMPENSATED and self.pairs:
            parts.append(f"motion compensated in {self.compensated} of {self.pairs} pairs of frames")
        return "; ".join(parts)


class Deinterlace(Stage):
    """Make progressive frames of interlaced ones (seed 003:980-1224, 1528-1582).

    ``mode`` "madi" is the motion adaptive deinterlacer and "mcdi" the motion compensated one; "hq" has texsamp's own
    longer filters for luma, and compensates motion where most of what moves is found; "bob" makes each field a frame by
    itself with the spatial half of "madi"; "weave" puts each field together with the one before it. ``rate`` "frame"
    makes one frame of the first field of each, without delay; "field" makes one of each field, the second when the next
    frame has come. ``parity`` is the field order: "auto" believes the frames, and takes the top field first where they
    do not say. ``deint`` "interlaced" passes frames that are not flagged as interlaced. ``scenecut`` "auto" starts anew
    at a scene cut. ``film`` "auto" or a cadence puts fields of one picture of a film back together (docs/film.md), some
    frames later; ``rate`` "film" then gives each picture once, and one frame of each where there is no film. ``preset``
    "tuned" has thresholds of our own for motion compensation, and leaves it out where little of what moves is found
    (equations 37 to 39 of docs/deinterlace.md); "i965" has those of the drivers; or ``state`` holds all constants: its
    enables and its codes of film mode are not used.

    Raises StateError naming the value and what is legal, FormatError for pictures that are not 4:2:0, 4:2:2 or gray.
    """

    def __init__(
        self,
        mode: Mode = "madi",
        rate: Rate = "frame",
        parity: Parity = "auto",
        deint: Deint = "interlaced",
        scenecut: SceneCut = "auto",
        state: DeinterlaceSamplerState | None = None,
        preset: Preset = "tuned",
        film: Film = "off",
    ) -> None:
        _check_choice("mode", mode, get_args(Mode))
        _check_choice("rate", rate, get_args(Rate))
        _check_choice("film", film, get_args(Film))
        if rate == "film" and film == "off":
            raise StateError("deinterlace rate=film needs film=auto or a cadence, found film=off")
        _check_choice("parity", parity, ("auto", "tff", "bff"))
        _check_choice("deint", deint, ("all", "interlaced"))
        _check_choice("scenecut", scenecut, ("auto", "off"))
        _check_choice("preset", preset, get_args(Preset))
        self.mode: Mode = mode
        self.rate: Rate = rate
        self.parity: Parity = parity
        self.deint: Deint = deint
        self.scenecut: SceneCut = scenecut
        self.parameters = DeinterlaceParameters.from_state(state or DRIVER_STATE)
        self.preset: Preset = preset
        self._must_match = mode == "hq" or (state is None and preset == "tuned")
        drivers = CompensationParameters.from_state(state or DRIVER_STATE)
        self.compensation = TUNED_COMPENSATION if state is None and preset == "tuned" else drivers
        self.film: Film = film
        self._film_state = FilmParameters.from_state(state or DRIVER_STATE)
        self._film = None if film == "off" else FilmMode(film, self._film_state)
        self._times = FilmTimes()
        self._held: tuple[Frame, int] | None = None
        self._cut_from: Frame | None = None
        self._shown = self._shown_next = Shown()
        self._variances: tuple[Frame, tuple[int, ...]] | None = None
        self._stream: _Stream | None = None
        self._cuts = SceneCuts()
        self._counts = _Counts()

    def feed(self, frame: Frame) -> Iterator[Frame]:
        """The second field of the frame before, then what can be made of this one."""
        if self.mode != "weave" or self._film is not None:
            check_layout(frame.layout)
        if not self._counts.frames:
            self.notes = ()
        interlaced = self.deint == "all" or frame.interlaced
        first = self._first_parity(frame, interlaced)
        if self._film is None:
            yield from self._take(frame, first, interlaced, None)
            return
        if self._held is not None and not (interlaced and _follows(*self._held, frame, first)):
            yield from self._finish_film()
        if not interlaced:
            yield from self._take(frame, first, False, None)
            return
        self._held = frame, first
        for plan in self._film.feed(frame, first):
            yield from self._take(plan.frame, plan.first_parity, True, plan)

    def _finish_film(self) -> Iterator[Frame]:
        """The frames that film mode still holds."""
        self._held = None
        for plan in () if self._film is None else self._film.finish():
            yield from self._take(plan.frame, plan.first_parity, True, plan)

    def _take(self, frame: Frame, first: int, interlaced: bool, plan: PlannedFrame | None) -> Iterator[Frame]:
        """The next frame in time, now that it is known whether it is film."""
        stream = self._stream
        if stream is not None and not interlaced:
            first = stream.first_parity
        if stream is not None and not _continues(stream, frame, first):
            yield from self._end_of_stream(None)
        elif stream is not None and (interlaced or stream.second_waits) and self._is_cut(stream.last, frame):
            yield from self._end_of_stream(ticks_between(stream.last, frame), frame)
            self._cut_from = stream.last
        yield from self._next_frame(frame, first, interlaced, plan)
        self._cut_from = None

    @property
    def surface(self) -> StatisticsSurface | None:
        """What the last frame has left, in the hardware's format (seed 003:1542-1582); None between streams.

        STMM is that of the modes that look at other frames; with ``rate`` "frame" only lines that the first field lacks
        are measured. The denoise history is that of a `Denoise` right before this stage, else 0.
        """
        stream = self._stream
        if stream is None or self.mode not in _TEMPORAL:
            return None
        last = stream.last
        return stream.motion or StatisticsSurface.after_first_frame(last.device, last.width_px, last.height_px)

    def statistics(self) -> Statistics:
        """Field order, method, cadence, motion and the film variances of the field just shown."""
        shown = self._shown
        field = shown.field
        if field is not None and shown.variances is None:
            known = self._variances
            if known is None or known[0] is not field.current:
                before = field.reference if field.parity == shown.first_parity else None
                self._variances = known = field.current, measure_film(field.current, before, self._film_state).variances
            shown = replace(shown, variances=known[1])
        return figures(shown, self.mode, self.parameters)

    def flush(self) -> Iterator[Frame]:
        """The second field of the last frame."""
        yield from self._finish_film()
        yield from self._end_of_stream(None)
        yield from self._timed(self._times.flush(), Shown())
        if self._film is not None and (summary := self._film.summary()):
            self.note(summary)
        self._cuts = SceneCuts()
        counts, self._counts = self._counts, _Counts()
        if found := counts.summary(self.mode):
            self.note(f"deinterlace: {found}")
        if counts.frames and not counts.interlaced:
            self.note(
                "deinterlace: no frame is flagged as interlaced: none was deinterlaced (deint=all takes them all)"
            )
        if counts.unknown_order:
            self.note(
                f"deinterlace: the field order of {counts.unknown_order} of {counts.frames} frames is unknown: "
                "the top field was taken first (parity=bff takes the other)"
            )

    # -- the stream --------------------------------------------------------------------------------------------------

    def _first_parity(self, frame: Frame, interlaced: bool) -> int:
        """Parity of the field that comes first; also counts what the notes tell."""
        self._counts.frames += 1
        self._counts.interlaced += interlaced
        if self.parity != "auto":
            return int(self.parity == "bff")
        self._counts.unknown_order += interlaced and frame.top_field_first is None
        return int(frame.top_field_first is False)

    def _is_cut(self, last: Frame, frame: Frame) -> bool:
        cut = self.mode in _TEMPORAL and self.scenecut == "auto" and self._cuts.between(last, frame)
        self._counts.cuts += cut
        return cut

    def _next_frame(self, frame: Frame, first: int, interlaced: bool, plan: PlannedFrame | None) -> Iterator[Frame]:
        """The second field of the frame before, with this one beside it, and the first of this one, with that one.

        The first frame of a stream has only a first field, made of itself alone (seed 003:1566-1582).
        """
        stream = self._stream
        last = None if stream is None else stream.last
        ticks = None if last is None else ticks_between(last, frame)
        wanted = stream is not None and self._wants_second(stream)
        motion = self._motion(stream, frame) if stream is not None and (wanted or interlaced) else None
        vectors = self._vectors(stream, frame, motion) if motion is not None and stream is not None else None
        self._stream = _Stream(first, frame, interlaced, last, ticks, motion, plan)
        seconds = [Field(last, 1 - first, frame, motion, vectors)] if wanted and last is not None else []
        wanted = interlaced and (self.rate != "film" or plan is None or plan.verdicts[0].shown)
        firsts = [Field(frame, first, last, motion, vectors)] if wanted else []
        verdicts = [
            *(_second_verdict(stream) for _ in seconds),
            *(None if plan is None else plan.verdicts[0] for _ in firsts),
        ]
        made = self._made(seconds, firsts, verdicts)
        if seconds:
            yield from self._second(made[0], ticks, _shown(seconds[0], stream, verdicts[0]))
        if interlaced and not firsts:
            return
        out = made[-1] if firsts else frame
        shown = _shown(firsts[0], self._stream, verdicts[-1]) if firsts else Shown()
        if self.rate == "film":
            lead = Fraction(0) if plan is None else plan.verdicts[0].lead_fields
            length = ticks or frame.duration
            times = self._times.picture(out, 0, length, lead) if interlaced else self._times.progressive(out)
            yield from self._timed(times, shown)
            return
        self._shown = shown
        yield at_field_rate(out, 1 if interlaced else 2) if self.rate == "field" else out

    def _timed(self, frames: Iterable[Frame], shown: Shown) -> Iterator[Frame]:
        """What film's times let go: the picture before the one that was given to them."""
        for frame in frames:
            self._shown = self._shown_next
            yield frame
        self._shown_next = shown

    def _wants_second(self, stream: _Stream) -> bool:
        """Whether the second field of the last frame is shown."""
        if not stream.second_waits or self.rate == "frame":
            return False
        return self.rate == "field" or (stream.plan is not None and stream.plan.verdicts[1].shown)

    def _second(self, made: Frame, ticks: int | None, shown: Shown) -> Iterator[Frame]:
        if self.rate == "film":
            lead = Fraction(0) if shown.verdict is None else shown.verdict.lead_fields
            yield from self._timed(self._times.picture(made, 1, ticks, lead), shown)
        else:
            self._shown = shown
            yield second_field(made, ticks)

    def _end_of_stream(self, ticks: int | None, after_cut: Frame | None = None) -> Iterator[Frame]:
        """The second field of a frame that no other follows: the frame before takes the place of the next one.

        Film goes on across a cut, which may lie between its fields.
        """
        stream, self._stream = self._stream, None
        if stream is None or not self._wants_second(stream):
            return
        before = stream.before
        motion = None if before is None else self._motion(stream, before)
        verdict = _second_verdict(stream)
        field = Field(stream.last, 1 - stream.first_parity, before, motion)
        made = self._made([field], [], [verdict], after_cut)
        yield from self._second(made[0], ticks or stream.ticks, _shown(field, stream, verdict))

    # -- fields ------------------------------------------------------------------------------------------------------

    def _motion(self, stream: _Stream, other: Frame) -> StatisticsSurface | None:
        """STMM of the lines that fields lack: the second one of the last frame, the first one of the other frame."""
        if self.mode not in _TEMPORAL:
            return None
        size = other.width_px, other.height_px
        stored = stream.motion or StatisticsSurface.after_first_frame(other.device, *size)
        written = StatisticsSurface.empty(other.device, *size)
        written.keep_history(other.denoise_history)
        first = stream.first_parity
        by_line = _by_line(stream, other)
        lines = (1 - first, 2) if self.rate == "frame" else (0, 1)
        other.device.launch(measure_motion(by_line, lines, self.parameters, stored, written))
        return written

    def _vectors(self, stream: _Stream, other: Frame, motion: StatisticsSurface) -> Vectors | None:
        """Motion of all lines, since those of one field are checked against the other's."""
        if self.mode not in _COMPENSATED:
            return None
        by_line, missing = _by_line(stream, other), 1 - stream.first_parity
        self._counts.pairs += 1
        constants, still = self.compensation, self.parameters.stmm_min
        if self._must_match and not motion_matches(by_line, missing, motion, still, constants):
            return None
        self._counts.compensated += 1
        launch, vectors = search_motion(by_line, constants)
        other.device.launch(launch)
        return vectors

    def _made(
        self,
        seconds: list[Field],
        firsts: list[Field],
        verdicts: list[FieldVerdict | None],
        after_cut: Frame | None = None,
    ) -> list[Frame]:
        """The fields as frames: woven where they are film, the others launched together."""
        fields = [*seconds, *firsts]
        made: list[Frame | None] = []
        for number, (field, verdict) in enumerate(zip(fields, verdicts, strict=True)):
            is_second = number < len(seconds)
            made.append(None if verdict is None else self._of_film(field, verdict.partner, is_second, after_cut))
        left = [field for field, frame in zip(fields, made, strict=True) if frame is None]
        rest = iter(self._deinterlaced(left, [field for field in left if field in firsts]))
        return [next(rest) if frame is None else frame for frame in made]

    def _of_film(self, field: Field, partner: int, is_second: bool, after_cut: Frame | None) -> Frame | None:
        """Progressive cadence reconstruction: a field with the one before or after it (seed 003:1226-1234)."""
        if not partner:
            return None
        if (partner < 0) == is_second:
            return progressive(field.current)
        other = field.reference if after_cut is None else after_cut
        if not is_second and other is None:
            other = self._cut_from
        return None if other is None else woven(Field(field.current, field.parity, other))

    def _deinterlaced(self, fields: list[Field], firsts: list[Field]) -> list[Frame]:
        """Fields that are no film as frames, launched together."""
        if self.mode == "weave":
            # A second field completes its own frame; a first one the frame before, if each field is shown.
            each = self.rate != "frame"
            return [woven(f) if each and f in firsts else progressive(f.current) for f in fields]
        if not fields:
            return []
        if self.mode == "bob":
            return deinterlace_fields([Field(f.current, f.parity) for f in fields], self.parameters)
        long_filters = self.mode == "hq"
        return deinterlace_fields([replace(field, long_filters=long_filters) for field in fields], self.parameters)


def _second_verdict(stream: _Stream | None) -> FieldVerdict | None:
    return None if stream is None or stream.plan is None else stream.plan.verdicts[1]


def _shown(field: Field, stream: _Stream | None, verdict: FieldVerdict | None) -> Shown:
    """A field of the last frame of a stream, to be told about."""
    if stream is None:
        return Shown(field, field.parity, verdict)
    plan = stream.plan
    return Shown(field, stream.first_parity, verdict, None if plan is None else plan.statistics.variances)


def _by_line(stream: _Stream, other: Frame) -> tuple[Frame, Frame]:
    """By the parity of a line, the frame whose field lacks it: the last one's second field, or the other's first."""
    return (other, stream.last) if stream.first_parity else (stream.last, other)


def _continues(stream: _Stream, frame: Frame, first_parity: int) -> bool:
    return _follows(stream.last, stream.first_parity, frame, first_parity)


def _follows(last: Frame, last_parity: int, frame: Frame, first_parity: int) -> bool:
    """Whether a frame follows the last one of a stream: the same kind of picture, later in time."""
    ticks = ticks_between(last, frame)
    return (
        (last.layout, last.width_px, last.height_px) == (frame.layout, frame.width_px, frame.height_px)
        and last.device is frame.device
        and first_parity == last_parity
        and (ticks is None or ticks > 0)
    )


def _check_choice(name: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        raise StateError(f"deinterlace {name} must be one of {', '.join(choices)}, found {value!r}")
