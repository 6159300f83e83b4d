"""`Deinterlace`: interlaced frames to progressive ones, one or two for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, get_args

from texsamp.device.arguments import check_kind
from texsamp.errors import StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.deinterlace.components import planar
from texsamp.video.deinterlace.field import Field, check_layout
from texsamp.video.deinterlace.figures import figures
from texsamp.video.deinterlace.film_mode import FilmMode
from texsamp.video.deinterlace.frame_measures import Between
from texsamp.video.deinterlace.frame_pairs import OURS, TEMPORAL, FieldPairs, Mode, ShownField
from texsamp.video.deinterlace.parameters import (
    DRIVER_STATE,
    TUNED_COMPENSATION,
    CompensationParameters,
    DeinterlaceParameters,
)
from texsamp.video.deinterlace.planned_frame import PlannedFrame, ticks_between
from texsamp.video.deinterlace.rates import PACES, Pace, Rate
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.film.variances import FilmParameters, FilmVariances
from texsamp.video.fitting import with_halved_chroma, with_luma
from texsamp.video.frame import Frame
from texsamp.video.options import Choice, Kinds, check
from texsamp.video.scene_cuts import SceneCuts
from texsamp.video.stage import Stage

Film = Literal["off", "auto", "32", "22", "2332", "32322", "2224", "euro", "44", "55", "66", "64", "87"]
Parity = Literal["auto", "tff", "bff"]
Deint = Literal["all", "interlaced"]
SceneCut = Literal["auto", "off"]
Preset = Literal["tuned", "i965"]
Angles = Literal["hardware", "ours"]
KINDS: Kinds = {
    "mode": Choice(get_args(Mode)),
    "rate": Choice(get_args(Rate)),
    "parity": Choice(get_args(Parity)),
    "deint": Choice(get_args(Deint)),
    "film": Choice(get_args(Film)),
    "scenecut": Choice(get_args(SceneCut)),
    "preset": Choice(get_args(Preset)),
    "angles": Choice(get_args(Angles)),
}
"""What options may be."""


@dataclass(frozen=True, eq=False)
class _Stream:
    """What is kept of a stream: its last frame, the one before, and what was measured between them.

    ``opens``: the last frame is the first one, and its first field waits for the next frame.
    """

    last: PlannedFrame
    variances: Callable[[], tuple[int, ...]]
    before: Frame | None = None
    ticks: int | None = None
    between: Between = field(default_factory=Between)
    opens: bool = False


@dataclass
class _Counts:
    frames: int = 0
    interlaced: int = 0
    unknown_order: int = 0
    other_order: int = 0
    cuts: int = 0


class Deinterlace(Stage):
    """Make progressive frames of interlaced ones (seed 003:980-1224, 1528-1582).

    ``mode`` "hq" has texsamp's own longer filters, edges at shallow angles, and luma that moves taken from the fields
    beside it; "best" is "hq" with edges sought in more places, and U and V taken from there, too; "madi" is the
    hardware's motion adaptive deinterlacer and "mcdi" its motion compensated one; "mcdi-hsw" is "mcdi" with the merge
    of the next generation, Haswell; "bob" makes each field a frame by itself with the spatial half of "madi"; "weave"
    puts each field together with the one before it. ``rate`` "frame" makes one frame of the first field of each,
    without delay; "field" makes one of each field, the second when the next frame has come. ``parity`` is the field
    order: "auto" believes the frames, whose readers measure it where no flag tells, and takes the top field first where
    they do not say; film is taken in the order it moves in.
    ``deint`` "interlaced" passes frames that are not flagged as interlaced, unless they are film's. ``scenecut`` "auto"
    starts anew at a scene cut. ``film`` "auto" or a cadence puts fields of one picture of a film back together
    (docs/film.md), some frames later; ``rate`` "film" then gives each picture once, and one frame of each where there
    is no film.
    ``preset`` "tuned" has thresholds of our own for motion compensation, and leaves it out where little of what
    moves is found (equations 37 to 39 of docs/deinterlace.md); "i965" has those of the drivers; or ``state`` holds
    all constants: its enables and its codes of film mode are not used. ``angles`` "ours" chooses the direction of
    edges by a rule of texsamp's own, which finds more of them.

    Raises StateError naming the value and what is legal, FormatError for pictures that are not 4:2:0, 4:2:2 or gray.
    """

    overlaps = True

    def __init__(
        self,
        mode: Mode = "hq",
        rate: Rate = "frame",
        parity: Parity = "auto",
        deint: Deint = "interlaced",
        scenecut: SceneCut = "auto",
        state: DeinterlaceSamplerState | None = None,
        preset: Preset = "tuned",
        film: Film = "off",
        angles: Angles = "hardware",
    ) -> None:
        check("deinterlace", KINDS, mode=mode, rate=rate, film=film, parity=parity)
        if state is not None:
            check_kind("deinterlace state", state, DeinterlaceSamplerState)
        check("deinterlace", KINDS, deint=deint, scenecut=scenecut, preset=preset, angles=angles)
        if rate == "film" and film == "off":
            raise StateError("deinterlace rate=film needs film=auto or a cadence, found film=off")
        self.mode: Mode = mode
        self.rate: Rate = rate
        self.parity: Parity = parity
        self.deint: Deint = deint
        self.scenecut: SceneCut = scenecut
        constants = DeinterlaceParameters.from_state(state or DRIVER_STATE)
        self.parameters = replace(constants, own_angles=angles == "ours")
        self.angles: Angles = angles
        self.preset: Preset = preset
        drivers = CompensationParameters.from_state(state or DRIVER_STATE)
        self.compensation = TUNED_COMPENSATION if state is None and preset == "tuned" else drivers
        self.film: Film = film
        self._film_state = FilmParameters.from_state(state or DRIVER_STATE)
        self._film = None if film == "off" else FilmMode(film, self._film_state, may_turn=parity == "auto")
        if mode == "mcdi-hsw":
            self.compensation = drivers.on_haswell()
        must_match = mode == "mcdi" and state is None and preset == "tuned"
        self._pairs = FieldPairs(mode, self.parameters, self.compensation, must_match, rate != "frame")
        self._pace: Pace = PACES[rate]()
        self._stream: _Stream | None = None
        self._cuts = SceneCuts()
        self._counts = _Counts()

    TALLIES = ("notes", "_counts")

    @property
    def _copies(self) -> bool:
        """Whether lines are put together as they are, whatever they show."""
        return self.mode == "weave" and self._film is None

    def wants(self, layout: PixelLayout) -> PixelLayout:
        """Modes of ours take 4:4:4 as it is, and lines that are copied may be anything; alpha of fields is nobody's."""
        if self._copies or "A" in layout.components:
            return layout
        return with_luma(layout) if self.mode in OURS else with_halved_chroma(layout)

    def feed(self, frame: Frame) -> Iterator[Frame]:
        """The second field of the frame before, then what can be made of this one."""
        if not self._copies:
            check_layout(frame.layout, full_chroma=self.mode in OURS)
        if not self._counts.frames:
            self.notes = ()
        coming = self._ordered(frame)
        for planned in [coming] if self._film is None else self._film.feed(coming):
            yield from self._take(planned)

    @property
    def surface(self) -> StatisticsSurface | None:
        """What the last frame has left, in the hardware's format (seed 003:1542-1582); None between streams.

        STMM is that of the modes that look at other frames; with ``rate`` "frame" only lines that the first field lacks
        are measured. The denoise history is that of a `Denoise` right before this stage, else 0.
        """
        stream = self._stream
        if stream is None or self.mode not in TEMPORAL:
            return None
        last = stream.last.frame
        return stream.between.motion or StatisticsSurface.after_first_frame(last.device, last.width_px, last.height_px)

    def flush(self) -> Iterator[Frame]:
        """The second field of the last frame."""
        for planned in () if self._film is None else self._film.finish():
            yield from self._take(planned)
        yield from self._end_of_stream()
        yield from self._pace.flush()
        judged = () if self._film is None else tuple(self._film.notes())
        for told in judged:
            self.note(told)
        self._cuts = SceneCuts()
        counts, self._counts = self._counts, _Counts()
        cuts = f"{counts.cuts} scene cut{'s' * (counts.cuts != 1)}" if counts.cuts else ""
        if found := [text for text in (cuts, self._pairs.summary()) if text]:
            self.note(f"deinterlace: {'; '.join(found)}")
        if counts.frames and not (counts.interlaced or judged):
            self.note(
                "deinterlace: no frame is flagged as interlaced: none was deinterlaced (deint=all takes them all)"
            )
        if counts.other_order:
            other = "top" if self.parity == "bff" else "bottom"
            self.note(
                f"deinterlace: {counts.other_order} of {counts.frames} frames have the {other} field first, "
                f"but parity={self.parity} was asked for, and taken (parity=auto takes them as flagged)"
            )
        if counts.unknown_order:
            unless = "" if self._film is None else " unless film moved otherwise"
            self.note(
                f"deinterlace: the field order of {counts.unknown_order} of {counts.frames} frames is unknown: "
                f"the top field was taken first{unless} (parity=bff takes the other)"
            )

    def _ordered(self, given: Frame) -> PlannedFrame:
        """The frame with the parity of the field that comes first; also counts what the notes tell."""
        interlaced = self.deint == "all" or given.interlaced
        self._counts.frames += 1
        self._counts.interlaced += interlaced
        frame = planar(given) if self.mode in OURS else given
        if self.parity != "auto":
            self._counts.other_order += interlaced and given.top_field_first == (self.parity == "bff")
            return PlannedFrame(frame, given, int(self.parity == "bff"), interlaced)
        self._counts.unknown_order += interlaced and given.top_field_first is None
        has_order = given.top_field_first is not None
        return PlannedFrame(frame, given, int(given.top_field_first is False), interlaced, has_order)

    def _take(self, coming: PlannedFrame) -> Iterator[Frame]:
        """The next frame in time, now that it is known whether it is film."""
        stream, beyond = self._stream, None
        if stream is not None and not coming.interlaced:
            coming = replace(coming, first_parity=stream.last.first_parity)
        if stream is not None and not stream.last.is_followed_by(coming):
            yield from self._end_of_stream()
        elif stream is not None and self._is_cut(stream.last, coming):
            yield from self._end_of_stream(coming.frame)
            beyond = stream.last.frame
        yield from self._next_frame(coming, beyond)

    def _is_cut(self, last: PlannedFrame, coming: PlannedFrame) -> bool:
        if self.mode not in TEMPORAL or self.scenecut == "off" or not (coming.interlaced or last.interlaced):
            return False
        frames = last.frame, coming.frame
        cut = self._cuts.between(*frames, *self._pairs.beside_cuts(*frames)) and not self._pairs.are_one_scene(*frames)
        self._counts.cuts += cut
        return cut

    def _next_frame(self, coming: PlannedFrame, beyond: Frame | None) -> Iterator[Frame]:
        """The second field of the frame before, with this one beside it, and the first of this one, with that one.

        The first frame of a stream has only a first field, made of itself alone (seed 003:1566-1582), or, of modes that
        let it wait, with the next frame beside it. Film goes on across the cut, ``beyond`` which its frame before lies.
        """
        stream, frame = self._stream, coming.frame
        last = None if stream is None else stream.last.frame
        ticks = None if last is None else ticks_between(last, frame)
        second = stream is not None and self._shows(stream.last, 1)
        between = Between()
        if stream is not None and (second or coming.interlaced):
            between = self._pairs.between(stream.last, frame, stream.between)
        opens = stream is None and self._shows(coming, 0) and self._pairs.may_wait(coming.verdicts[0])
        self._stream = now = _Stream(coming, self._variances(coming, last), last, ticks, between, opens)
        shown = []
        if stream is not None and stream.opens:
            shown.append(_field(stream, 0, frame, self._pairs.opening(stream.last, frame)))
        if stream is not None and second:
            shown.append(_field(stream, 1, frame, between))
        if not opens and self._shows(coming, 0):
            shown.append(_field(now, 0, last, between, beyond))
        yield from self._made(shown, ticks)
        if not coming.interlaced:
            yield from self._pace.passed(self._with_figures(coming.given, None))

    def _end_of_stream(self, beyond: Frame | None = None) -> Iterator[Frame]:
        """The second field of a frame that no other follows: the frame before takes the place of the next one.

        Film goes on with the frame ``beyond`` a cut, which may lie between its fields.
        """
        stream, self._stream = self._stream, None
        if stream is None:
            return
        if stream.opens:
            yield from self._made([_field(stream, 0, None, Between())], None)
        if not self._shows(stream.last, 1):
            return
        between = Between()
        if stream.before is not None:
            between = self._pairs.between(stream.last, stream.before, stream.between, search=False)
        ticks = None if beyond is None else ticks_between(stream.last.frame, beyond)
        yield from self._made([_field(stream, 1, stream.before, between, beyond)], ticks or stream.ticks)

    def _shows(self, planned: PlannedFrame, field: int) -> bool:
        return planned.interlaced and self._pace.shows(field, planned.verdicts[field])

    def _made(self, fields: list[ShownField], ticks: int | None) -> Iterator[Frame]:
        for shown, made in zip(fields, self._pairs.made(fields), strict=True):
            yield from self._pace.timed(self._with_figures(made, shown), shown.number, ticks, shown.lead_fields)

    def _with_figures(self, frame: Frame, shown: ShownField | None) -> Frame:
        return frame.told(figures=partial(figures, shown, self.mode, self.parameters))

    def _variances(self, coming: PlannedFrame, before: Frame | None) -> Callable[[], tuple[int, ...]]:
        """The film variances of a frame: those film mode knows, or measured once when they are asked for."""
        return FilmVariances(coming.frame, before, self._film_state, coming.variances)


def _field(
    stream: _Stream, number: int, reference: Frame | None, between: Between, beyond: Frame | None = None
) -> ShownField:
    """The first (0) or second field of a stream's last frame in time."""
    last = stream.last
    parity = last.first_parity ^ number
    field = Field(
        last.frame,
        parity,
        reference,
        between.motion,
        between.vectors,
        motions=between.motions.get(parity),
        matches=between.matches.get(parity),
        chroma={name: found.about(parity) for name, found in between.chroma.items()},
    )
    relit = between.relit.get(parity)
    return ShownField(
        field, last.given.layout, last.first_parity, last.verdicts[number], stream.variances, beyond, relit
    )
