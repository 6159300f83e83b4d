"""What a verification found, and why samples are not what they may be: as data, and as text for people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from texsamp.quality.verifier.anisotropy import probe_count
from texsamp.quality.verifier.search import Choice, Search
from texsamp.quality.verifier.texture import Flags

_FACE_NAMES = ("+x", "-x", "+y", "-y", "+z", "-z")
_CHANNELS = ("red", "green", "blue", "alpha")


@dataclass(frozen=True)
class LevelUse:
    """What one mip level would have to give: left texel and least and most weight of its neighbor, for each axis.

    probes: of the anisotropic filter, with those texels in their middle; else 1. step: from probe to probe, in texels.
    """

    level: int
    size: tuple[int, ...]
    slice: int
    face: str
    texels: tuple[int, ...]
    weights: tuple[tuple[float, float], ...]
    linear: bool
    probes: int = 1
    step: tuple[float, ...] = ()

    def __str__(self) -> str:
        where = f"level {self.level} ({'x'.join(map(str, self.size))})"
        where += f", face {self.face}" if self.face else ""
        where += f", slice {self.slice}" if self.slice else ""
        parts = []
        for axis, texel, (least, most) in zip("xyz", self.texels, self.weights, strict=False):
            if self.linear:
                parts.append(f"{axis} {texel} and {texel + 1}, the second by {_span(least, most)}")
            else:
                parts.append(f"{axis} {texel}")
        if self.probes > 1:
            apart = ", ".join(f"{step:.6g}" for step in self.step)
            parts.append(f"in the middle of {self.probes} probes, {apart} texels apart")
        return f"{where}: texels {'; '.join(parts)}"


@dataclass(frozen=True)
class BoxUse:
    """What the monochrome filter would have to cover: its columns and rows, and least and most of where they begin."""

    size: tuple[int, int]
    begin: tuple[tuple[float, float], ...]

    def __str__(self) -> str:
        places = ", ".join(f"{axis} {_span(*ends)}" for axis, ends in zip("xy", self.begin, strict=True))
        return f"box of {self.size[0]}x{self.size[1]} texels from {places}"


@dataclass(frozen=True)
class Miss:
    """A sample that no allowed choice explains, and the choice that comes nearest.

    index: of the sample in the result. lod: before it is clamped, least and most; the monochrome filter has none.
    levels: one or two; of the monochrome filter the box. blend: weight of the second level.
    found, least, most: four channels each.
    """

    index: tuple[int, ...]
    coordinates: tuple[float, ...]
    lod: tuple[float, float] | None
    magnified: bool
    levels: tuple[LevelUse | BoxUse, ...]
    blend: tuple[float, float]
    found: tuple[float, ...]
    least: tuple[float, ...]
    most: tuple[float, ...]

    def __str__(self) -> str:
        at = ", ".join(f"{name} {value:.9g}" for name, value in zip("uvw", self.coordinates, strict=False))
        lines = [f"sample {self.index} at {at}"]
        if self.lod is not None:
            lines[0] += f": LOD {_span(*self.lod)}, {'magnified' if self.magnified else 'reduced'}"
        lines += [f"  {level}" for level in self.levels]
        if len(self.levels) > 1:
            lines.append(f"  the second level by {_span(*self.blend)}")
        for name, found, least, most in zip(_CHANNELS, self.found, self.least, self.most, strict=True):
            if not least <= found <= most and not (np.isnan(found) and np.isnan(least)):
                beyond = max(least - found, found - most)
                lines.append(f"  {name} must be {_span(least, most)}, found {found:.9g}, off by {beyond:.3g}")
        return "\n".join(lines)


def _span(least: float, most: float) -> str:
    return f"{least:.9g}" if least == most else f"{least:.9g} to {most:.9g}"


@dataclass(frozen=True, repr=False)
class Report:
    """The verdict on every sample.

    accepted: what the precision allows. undecided: coordinates so uncertain that not all choices were tried; counted as
    neither. misses: the first of the others, explained.
    """

    precision: str
    accepted: Flags
    undecided: Flags
    misses: tuple[Miss, ...]

    def __repr__(self) -> str:
        return f"<Report {self.precision}: {self.rejected} of {self.accepted.size} samples rejected>"

    @property
    def rejected(self) -> int:
        """Samples that nothing allowed explains."""
        return int((~self.accepted & ~self.undecided).sum())

    @property
    def ok(self) -> bool:
        """Whether no sample is rejected."""
        return not self.rejected

    def __str__(self) -> str:
        count = self.accepted.size
        line = f"{self.precision}: {count - self.rejected} of {count} samples are allowed"
        if self.undecided.any():
            line += f" ({int(self.undecided.sum())} of them not decided)"
        more = self.rejected - len(self.misses)
        rest = [f"and {more} more"] if more else []
        return "\n".join([line, *map(str, self.misses), *rest])


def miss_of(search: Search, sample: int, index: tuple[int, ...]) -> Miss:
    """Why a sample was rejected."""
    choice = search.nearest[sample]
    levels = [_level_use(search, choice, 0)]
    if choice.levels.most[0] > 0:
        levels.append(_level_use(search, choice, 1))
    return Miss(
        index,
        tuple(float(point[sample]) for point in search.points),
        (
            min(float(each.lods.least[sample]) for each in search.footprints if each.exists[sample]),
            max(float(each.lods.most[sample]) for each in search.footprints if each.exists[sample]),
        ),
        bool(choice.levels.magnified[0]),
        tuple(levels),
        (float(choice.levels.least[0]), float(choice.levels.most[0])),
        tuple(search.found[sample].tolist()),
        tuple(choice.least[0].tolist()),
        tuple(choice.most[0].tolist()),
    )


def _level_use(search: Search, choice: Choice, k: int) -> LevelUse:
    texture, at = search.texture, choice.where[k]
    level = int(at.level[0])
    taps = choice.taps[k]
    filter = search.rules.mag if choice.levels.magnified[0] else search.rules.min
    return LevelUse(
        level,
        tuple(texture.sizes[level][: texture.axes].tolist()),
        int(at.slice[0]),
        _FACE_NAMES[int(at.face[0])] if texture.type == "CUBE" else "",
        tuple(int(tap.first[0]) for tap in taps),
        tuple((float(tap.least[0]), float(tap.most[0])) for tap in taps),
        filter != "nearest",
        int(probe_count(choice.ratio)[0]),
        tuple(float(step[0]) / (16 << search.precision.position_bits) for step in choice.steps[k]),
    )
