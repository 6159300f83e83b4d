"""Two frames that follow each other: what is measured between them, and the fields that are made of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from texsamp.device.recorded import Recorded
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.conversion import convert
from texsamp.video.deinterlace.compensation import Vectors, search_motion
from texsamp.video.deinterlace.compensation_choice import motion_matches
from texsamp.video.deinterlace.edges import BY_BEST, BY_HQ
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.frame_measures import Between, Wanted, found_between, measure
from texsamp.video.deinterlace.launches import deinterlace_fields, made_planes, patched, progressive, woven
from texsamp.video.deinterlace.matches import find_matches
from texsamp.video.deinterlace.parameters import CompensationParameters, DeinterlaceParameters
from texsamp.video.deinterlace.planned_frame import PlannedFrame
from texsamp.video.film.planner import FieldVerdict
from texsamp.video.film.variances import strip_area
from texsamp.video.frame import Frame
from texsamp.video.light import explains_change, under_light_of, unknown
from texsamp.video.measurement import Measurement

Mode = Literal["bob", "madi", "mcdi", "hq", "best", "weave", "mcdi-hsw"]

TEMPORAL = ("madi", "mcdi", "mcdi-hsw", "hq", "best")
"""Modes that look at other frames."""
_COMPENSATED = ("mcdi", "mcdi-hsw")
"""Those that compensate motion."""
OURS = {"hq": BY_HQ, "best": BY_BEST}
"""Those with filters, edges and vectors of texsamp's own, and where they seek edges."""
_WHOLE_CHROMA = ("best",)
"""Those that weave what matches in U and V; others, what matches in luma."""


@dataclass(frozen=True, eq=False)
class ShownField:
    """A field that is shown: what it is made of, the layout it is shown in, and what is told about it.

    ``beyond`` is the frame beyond a scene cut, with which film may still go together; ``variances`` measures those of
    its frame; ``relit`` is what `Between` has of that name for it.
    """

    field: Field
    layout: PixelLayout
    first_parity: int
    verdict: FieldVerdict | None
    variances: Callable[[], tuple[int, ...]]
    beyond: Frame | None = None
    relit: tuple[Frame, Frame] | None = None

    @property
    def number(self) -> int:
        """0 for the first field of its frame in time, 1 for the second."""
        return int(self.field.parity != self.first_parity)

    @property
    def partner(self) -> int:
        """Which field film mode puts it together with: the one before it (-1), after it (1), or none (0)."""
        return 0 if self.verdict is None else self.verdict.partner

    @property
    def video_strips(self) -> tuple[int, ...]:
        """The strips of film statistics that are deinterlaced within a picture of film."""
        return () if self.verdict is None else self.verdict.video_strips

    @property
    def lead_fields(self) -> Fraction:
        """How much later than its field film mode shows it."""
        return Fraction(0) if self.verdict is None else self.verdict.lead_fields


class FieldPairs:
    """Measures pairs of frames and makes fields of them; ``both`` if the second field of each frame is shown too."""

    TALLIES = ("_searched", "_compensated")

    def __init__(
        self,
        mode: Mode,
        parameters: DeinterlaceParameters,
        compensation: CompensationParameters,
        must_match: bool,
        both: bool,
    ) -> None:
        self._mode, self._parameters, self._compensation = mode, parameters, compensation
        self._must_match, self._both = must_match, both
        self._searched = self._compensated = 0
        self._find, self._make = Recorded(found_between), Recorded(made_planes)

    def beside_cuts(self, *frames: Frame) -> list[Measurement[None]]:
        """What may be measured of frames with the change between them, since it will be asked for."""
        return unknown(*frames) if self._mode in OURS else []

    def are_one_scene(self, first: Frame, second: Frame) -> bool:
        """Whether frames that differ much are those of one scene, under another light."""
        return self._mode in OURS and explains_change(first, second)

    def between(self, last: PlannedFrame, other: Frame, before: Between, search: bool = True) -> Between:
        """STMM of the lines that fields lack, the second one of the last frame and the first one of the other frame.

        With it, if wanted, vectors of all lines, since those of one field are checked against the other's. ``before``
        is what was measured between the last frame and the one before.
        """
        if self._mode not in TEMPORAL:
            return Between()
        first = last.first_parity
        fields = [Field(last.frame, 1 - first, other), Field(other, first, last.frame)]
        wanted = fields if self._both else fields[1:]
        relit = self._relit(wanted)
        wanted = [under_light(relit.get(one.parity), one) for one in wanted]
        # By the parity of a line, the frame whose field lacks it.
        pair = relit.get(1 - first) or relit.get(first, (other, last.frame))[::-1]
        by_line = pair[::-1] if first else pair
        wants, history = self._wanted(search), other.denoise_history
        found = measure(by_line, wanted, before, self._parameters, wants, history, self._find)
        vectors = self._vectors(by_line, 1 - first, found) if search else None
        return replace(found, vectors=vectors, relit=relit)

    def _wanted(self, search: bool) -> Wanted:
        least = Wanted(self._both)
        if self._mode not in OURS:
            return least
        whole = Wanted(self._both, matches=True, motions=search)
        return replace(whole, chroma=whole if self._mode in _WHOLE_CHROMA else replace(whole, matches=False))

    def may_wait(self, verdict: FieldVerdict | None) -> bool:
        """Whether the first field of a stream is made when the next frame has come: no film, in modes of ours."""
        return self._both and self._mode in OURS and (verdict is None or not verdict.partner)

    def opening(self, first: PlannedFrame, following: Frame) -> Between:
        """What stands between the first frame of a stream and the next one, for its first field."""
        field = Field(first.frame, first.first_parity, following)
        relit = self._relit([field])
        matches = find_matches([under_light(relit.get(field.parity), field)], {})
        return Between(matches=matches, relit=relit)

    def _relit(self, fields: Sequence[Field]) -> dict[int, tuple[Frame, Frame]]:
        """By parity, the frames of fields whose light is another than that of the fields beside them."""
        if self._mode not in OURS:
            return {}
        pairs = {one.parity: under_light_of(one.parity, one.current, one.needed_reference("light")) for one in fields}
        return {parity: pair for parity, pair in pairs.items() if pair is not None}

    def _vectors(self, by_line: tuple[Frame, Frame], missing: int, found: Between) -> Vectors | None:
        if self._mode not in _COMPENSATED or found.motion is None:
            return None
        self._searched += 1
        constants, still = self._compensation, self._parameters.stmm_min
        if self._must_match and not motion_matches(by_line, missing, found.motion, still, constants):
            return None
        self._compensated += 1
        launch, vectors = search_motion(by_line, constants)
        by_line[0].device.launch(launch)
        return vectors

    def made(self, fields: Sequence[ShownField]) -> list[Frame]:
        """The fields as frames: woven where they are film, the others launched together."""
        films = [(shown, _of_film(shown)) for shown in fields]
        rest = iter(self._deinterlaced([shown for shown, film in films if film is None or shown.video_strips]))
        made = (
            next(rest) if film is None else _with_video(film, shown, rest) if shown.video_strips else film
            for shown, film in films
        )
        return [convert(frame, shown.layout) for frame, shown in zip(made, fields, strict=True)]

    def _deinterlaced(self, fields: list[ShownField]) -> list[Frame]:
        """Fields that are no film as frames, launched together."""
        if self._mode == "weave":
            # A second field completes its own frame; a first one the frame before, if each field is shown.
            return [woven(s.field) if self._both and not s.number else progressive(s.field.current) for s in fields]
        if not fields:
            return []
        if self._mode == "bob":
            alone = [Field(s.field.current, s.field.parity) for s in fields]
            return deinterlace_fields(alone, self._parameters, self._make)
        wanted = [under_light(s.relit, s.field) for s in fields]
        if self._mode in OURS:
            wanted = [replace(one, long_filters=True, edges=OURS[self._mode]) for one in wanted]
        return deinterlace_fields(wanted, self._parameters, self._make)

    def summary(self) -> str:
        """What was found in a stream, in words; empty if there is nothing to tell. Forgets it."""
        searched, compensated = self._searched, self._compensated
        self._searched = self._compensated = 0
        return f"motion compensated in {compensated} of {searched} pairs of frames" if searched else ""


def under_light(relit: tuple[Frame, Frame] | None, field: Field) -> Field:
    """A field of frames under its light, if these are others than its own."""
    return field if relit is None else replace(field, current=relit[0], reference=relit[1])


def _with_video(film: Frame, shown: ShownField, rest: Iterator[Frame]) -> Frame:
    """A picture of film with what is video in it, which is the next one of the others."""
    areas = [strip_area(strip, film.width_px) for strip in shown.video_strips]
    return patched(film, areas, next(rest))


def _of_film(shown: ShownField) -> Frame | None:
    """Progressive cadence reconstruction: a field with the one before or after it (seed 003:1226-1234)."""
    field = shown.field
    if not shown.partner:
        return None
    if (shown.partner < 0) == bool(shown.number):
        return progressive(field.current)
    other = shown.beyond or field.reference
    return None if other is None else woven(Field(field.current, field.parity, other))
