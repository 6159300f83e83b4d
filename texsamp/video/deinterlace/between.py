"""What is measured between two frames that follow each other, before their fields are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from texsamp.device.base import Array
from texsamp.video.deinterlace.compensation import Vectors
from texsamp.video.deinterlace.components import as_gray, chroma_names
from texsamp.video.deinterlace.field import Field, Measured
from texsamp.video.deinterlace.field_vectors import FieldVectors, find_vectors
from texsamp.video.deinterlace.fields import measure_motion
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


def measure(
    by_line: tuple[Frame, Frame],
    fields: Sequence[Field],
    before: Between,
    parameters: DeinterlaceParameters,
    wanted: Wanted,
    history: Array | None = None,
) -> Between:
    """What stands between two frames in luma, and in U and V as if they were luma.

    ``by_line`` are, by the parity of a line, the frame whose field lacks it; ``fields`` are those that are asked for,
    ``before`` is what was measured in the pair of frames before, and ``history`` what the denoiser left.
    """
    device, parity, size = by_line[0].device, fields[-1].parity, (by_line[0].width_px, by_line[0].height_px)
    stored = before.motion or StatisticsSurface.after_first_frame(device, *size)
    written = StatisticsSurface.empty(device, *size)
    written.keep_history(history)
    if not wanted.both:
        written.stmm[parity::2] = 0  # is not measured
    lines = (0, 1) if wanted.both else (1 - parity, 2)
    device.launch(measure_motion(by_line, lines, parameters, stored, written))
    matches = find_matches(fields, before.matches) if wanted.matches else {}
    motions = _motions(fields, before) if wanted.motions else {}
    chroma = {}
    if wanted.chroma is not None:
        for name in chroma_names(by_line[0].layout):
            first, second = (as_gray(frame, name) for frame in by_line)
            parts, known = [one.component(name) for one in fields], before.chroma.get(name, Between())
            chroma[name] = measure((first, second), parts, known, parameters, wanted.chroma)
    return Between(written, None, matches, motions, chroma=chroma)


def _motions(fields: Sequence[Field], before: Between) -> dict[int, FieldVectors]:
    known = [guides for found in before.motions.values() for guides in found.guides]
    together = fields[0].current is fields[-1].reference  # and not each under a light of its own
    alike = [fields] if together else [[one] for one in fields]
    return {parity: found for some in alike for parity, found in find_vectors(some, known).items()}
