"""What is measured between two frames that follow each other, before their fields are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from texsamp.device.base import Array, Device
from texsamp.video.deinterlace.compensation import Vectors
from texsamp.video.deinterlace.components import as_gray, chroma_names
from texsamp.video.deinterlace.field import Field, Measured
from texsamp.video.deinterlace.field_guides import FieldGuides
from texsamp.video.deinterlace.field_vectors import FieldVectors, find_vectors
from texsamp.video.deinterlace.launches import measure_motion
from texsamp.video.deinterlace.matches import Matches, find_matches
from texsamp.video.deinterlace.parameters import DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame


@dataclass(frozen=True, eq=False)
class Between:
    """What was measured between two frames: STMM, vectors if they are of use, what matches and what moves by parity.

    ``relit``, by parity of a field, has its frame and its reference under the light of that field, where that differs.
    ``chroma`` is the same for U and V, where they are made as luma is.
    """

    motion: StatisticsSurface | None = None
    vectors: Vectors | None = None
    matches: Mapping[int, Matches] = field(default_factory=dict)
    motions: Mapping[int, FieldVectors] = field(default_factory=dict)
    relit: Mapping[int, tuple[Frame, Frame]] = field(default_factory=dict)
    chroma: Mapping[str, Between] = field(default_factory=dict)

    def about(self, parity: int) -> Measured:
        """What of it is about one field."""
        return Measured(self.motion, self.motions.get(parity), self.matches.get(parity))


@dataclass(frozen=True)
class Wanted:
    """What to measure beside STMM, whether of the lines of both fields or of one, and what of U and V, if anything."""

    both: bool
    matches: bool = False
    motions: bool = False
    chroma: Wanted | None = None


@dataclass(frozen=True, eq=False)
class Component:
    """Y, U or V of two frames as pictures of their own: see `measure`.

    motion: the STMM of the pair of frames before, and where to write this one's; matches: of the pair before; guides:
    of the two frames, as far as they were made before.
    """

    by_line: tuple[Frame, Frame]
    fields: list[Field]
    motion: tuple[StatisticsSurface, StatisticsSurface]
    matches: Mapping[int, Matches]
    guides: tuple[FieldGuides | None, ...]
    wanted: Wanted

    @classmethod
    def of(
        cls,
        by_line: tuple[Frame, Frame],
        fields: list[Field],
        before: Between,
        wanted: Wanted,
        history: Array | None = None,
    ) -> Component:
        """As `measure` gets it."""
        device, size = by_line[0].device, (by_line[0].width_px, by_line[0].height_px)
        stored = before.motion or StatisticsSurface.after_first_frame(device, *size)
        written = StatisticsSurface.empty(device, *size)
        written.keep_history(history)
        if not wanted.both:
            written.stmm[fields[-1].parity :: 2] = 0  # is not measured
        known = {id(one.frame): one for found in before.motions.values() for one in found.guides}
        guides = tuple(known.get(id(frame)) for frame in by_line)
        return cls(by_line, fields, (stored, written), before.matches, guides, wanted)


_Found = tuple[dict[int, Matches], dict[int, FieldVectors]]
Find = Callable[[Device, list[Component], DeinterlaceParameters], list[_Found]]
"""`found_between`, recorded on a device."""


def measure(
    by_line: tuple[Frame, Frame],
    fields: list[Field],
    before: Between,
    parameters: DeinterlaceParameters,
    wanted: Wanted,
    history: Array | None = None,
    find: Find | None = None,
) -> Between:
    """What stands between two frames in luma, and in U and V as if they were luma.

    ``by_line`` are, by the parity of a line, the frame whose field lacks it; ``fields`` are those that are asked for,
    ``before`` is what was measured in the pair of frames before, and ``history`` what the denoiser left. ``find`` is
    `found_between` if it is recorded.
    """
    parts = {"Y": Component.of(by_line, fields, before, wanted, history)}
    if wanted.chroma is not None:
        for name in chroma_names(by_line[0].layout):
            first, second = (as_gray(frame, name) for frame in by_line)
            apart, known = [one.component(name) for one in fields], before.chroma.get(name, Between())
            parts[name] = Component.of((first, second), apart, known, wanted.chroma)
    arguments = list(parts.values()), parameters
    found = found_between(*arguments) if find is None else find(by_line[0].device, *arguments)
    made = {
        name: Between(part.motion[1], None, matches, motions)
        for (name, part), (matches, motions) in zip(parts.items(), found, strict=True)
    }
    return replace(made.pop("Y"), chroma=made)


def found_between(components: list[Component], parameters: DeinterlaceParameters) -> list[_Found]:
    """Matches and vectors of components, whose STMM is written."""
    return [_found(component, parameters) for component in components]


def _found(part: Component, parameters: DeinterlaceParameters) -> _Found:
    lines = (0, 1) if part.wanted.both else (1 - part.fields[-1].parity, 2)
    part.by_line[0].device.launch(measure_motion(part.by_line, lines, parameters, *part.motion))
    matches = find_matches(part.fields, part.matches) if part.wanted.matches else {}
    known = [one for one in part.guides if one is not None]
    return matches, _motions(part.fields, known) if part.wanted.motions else {}


def _motions(fields: Sequence[Field], known: Sequence[FieldGuides]) -> dict[int, FieldVectors]:
    together = fields[0].current is fields[-1].reference  # and not each under a light of its own
    alike = [fields] if together else [[one] for one in fields]
    return {parity: found for some in alike for parity, found in find_vectors(some, known).items()}
