"""The search: every choice of level, face, slice and texels that a precision allows, until one explains the sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.anisotropy import ROUND, Footprint, fixed_steps
from texsamp.quality.verifier.axes import FAR, MAX_CHOICES, AxisChoices, axis_choices
from texsamp.quality.verifier.faces import FaceChoice, face_choices, on_face
from texsamp.quality.verifier.footprint import Color, Taps, Where, lerp, level_color, probes_color, span
from texsamp.quality.verifier.lod import Levels, level_choices
from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers, Rules, Texture

MAX_TEXEL_CHOICES = 512
"""Choices of texels in two levels together that are tried for a choice of levels and faces."""


@dataclass
class Choice:
    """One choice for some samples: their numbers, and everything that the choice says.

    ratio: of the footprint's axes, 1/256; steps: from probe to probe on each level, 1/16 of a position's step.
    least, most: of each channel. undefined: channels that may be no number.
    """

    samples: Integers
    levels: Levels
    where: tuple[Where, Where]
    taps: tuple[list[Taps], list[Taps]]
    ratio: Integers
    steps: tuple[list[Integers], list[Integers]]
    least: Numbers
    most: Numbers
    undefined: Flags

    def take(self, chosen: Any) -> Choice:
        """The choice for fewer samples."""

        def part(value: Any) -> Any:
            if isinstance(value, np.ndarray):
                return value[chosen]
            if isinstance(value, list | tuple):
                return type(value)(part(each) for each in value)
            return type(value)(**{name: part(each) for name, each in vars(value).items()})

        made: Choice = part(self)
        return made


@dataclass
class Search:
    """Samples of a texture against what they may be.

    slack: what the found numbers may be off by because they were rounded to codes. accepted: found inside of a choice.
    undecided: not found, but not all choices were tried. nearest: the nearest choice, of the first samples rejected.
    """

    texture: Texture
    rules: Rules
    precision: Precision
    points: list[Numbers]
    layer: Numbers | None
    footprints: list[Footprint]
    found: Numbers
    slack: float
    reference: NDArray[np.float32]
    accepted: Flags = field(init=False)
    undecided: Flags = field(init=False)
    nearest: dict[int, Choice] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.found)
        self.accepted, self.undecided = np.zeros(count, bool), np.zeros(count, bool)

    def run(self, explained: int) -> None:
        """Try all choices; keep the nearest ones of the first samples that none explains."""
        for footprint in self.footprints:
            for levels in level_choices(self.texture, self.rules, footprint.lods, self.precision):
                self._levels(levels, footprint)
            self.undecided |= footprint.undecided
        self.undecided &= ~self.accepted
        wanted = np.flatnonzero(~self.accepted & ~self.undecided)[:explained]
        if wanted.size:
            self._explain(wanted)

    def _explain(self, wanted: Integers) -> None:
        part = Search(
            self.texture,
            self.rules,
            self.precision,
            [point[wanted] for point in self.points],
            None if self.layer is None else self.layer[wanted],
            [footprint.take(wanted) for footprint in self.footprints],
            self.found[wanted],
            self.slack,
            self.reference[wanted],
        )
        best = np.full(len(wanted), np.inf)
        for footprint in part.footprints:
            for levels in level_choices(self.texture, self.rules, footprint.lods, self.precision):
                for choice, distance in part._choices(levels, footprint):
                    for place, sample in enumerate(choice.samples):
                        if distance[place] < best[sample] or int(wanted[sample]) not in self.nearest:
                            best[sample] = distance[place]
                            self.nearest[int(wanted[sample])] = choice.take([place])

    def _levels(self, levels: Levels, footprint: Footprint) -> None:
        for choice, distance in self._choices(levels, footprint):
            self.accepted[choice.samples] |= distance == 0

    def _choices(self, levels: Levels, footprint: Footprint) -> Iterator[tuple[Choice, Numbers]]:
        """Choices of faces, slices and texels of samples that no choice has explained yet."""
        for face in self._faces():
            for slices, has_slice in self._slices():
                samples = np.flatnonzero(levels.exists & footprint.exists & face.exists & has_slice & ~self.accepted)
                if samples.size:
                    yield from self._texels(samples, levels, footprint, face, slices)

    def _faces(self) -> list[FaceChoice]:
        if self.texture.type == "CUBE":
            return face_choices(self.points[:3], self.precision)
        zero = np.zeros(len(self.found), np.int64)
        v = self.points[1] if self.texture.axes > 1 else self.points[0]
        return [FaceChoice(np.ones(len(self.found), bool), zero, self.points[0], v)]

    def _slices(self) -> list[tuple[Integers, Flags]]:
        if self.layer is None:
            return [(np.zeros(len(self.found), np.int64), np.ones(len(self.found), bool))]
        last = self.texture.layers - 1
        layer = np.clip(np.where(np.isnan(self.layer), 0.0, self.layer), 0.0, last + 1.0)
        error = 0.0 if self.precision.snap else 2.0**-self.precision.position_bits
        low, high = (np.minimum(np.floor(layer + 0.5 + e), last).astype(np.int64) for e in (-error, error))
        return [(low, np.ones(low.shape, bool)), (high, high > low)]

    def _axes(
        self, samples: Integers, level: Integers, linear: Flags, magnified: Flags, face: FaceChoice
    ) -> list[AxisChoices]:
        is_cube = self.texture.type == "CUBE"
        coordinates = [face.s, face.t] if is_cube else self.points
        made = []
        for axis in range(self.texture.axes):
            u = coordinates[axis][samples]
            error = np.full(u.shape, 2.0**-self.precision.coordinate_bits) if is_cube else np.zeros(u.shape)
            if not is_cube and not self.precision.snap:
                error = np.minimum(np.where(np.isnan(u), 0.0, abs(u)), FAR) * 2.0**-self.precision.coordinate_bits
            rounded = np.where(magnified, self.rules.round_mag[axis], self.rules.round_min[axis])
            size = self.texture.sizes[level][:, axis]
            made.append(axis_choices(u, error, size, axis, self.rules, linear, rounded, self.precision))
        return made

    def _texels(
        self, samples: Integers, levels: Levels, footprint: Footprint, face: FaceChoice, slices: Integers
    ) -> Iterator[tuple[Choice, Numbers]]:
        """Combinations of choices along the axes of both levels, counted as the digits of one number."""
        of = Levels(*(value[samples] for value in vars(levels).values()))
        linear, stretched = (
            np.where(of.magnified, self.rules.mag in names, self.rules.min in names)
            for names in (("linear", "anisotropic"), ("anisotropic",))
        )
        ratio = np.where(stretched, footprint.ratio[samples], ROUND)
        where = tuple(
            Where(level, slices[samples], face.face[samples], self.reference[samples])
            for level in (of.first, of.second)
        )
        axes = [self._axes(samples, at.level, linear, of.magnified, face) for at in where]
        steps = [self._steps(samples, at, ratio, footprint) for at in where]
        two = of.most > 0
        of_levels = [
            [*(axis.count for axis in a), *(step.count for step in s)] for a, s in zip(axes, steps, strict=True)
        ]
        counts = np.array(of_levels[0] + [np.where(two, count, 1) for count in of_levels[1]])
        total = np.prod(np.minimum(counts, MAX_CHOICES), axis=0)
        self.undecided[samples] |= (counts > MAX_CHOICES).any(axis=0) | (total > MAX_TEXEL_CHOICES)
        number = 0
        rest = np.arange(len(samples))
        while rest.size:
            digits, left = [], np.full(rest.shape, number)
            for count in np.minimum(counts[:, rest], MAX_CHOICES):
                digits.append(left % count)
                left //= count
            choice = self._choice(samples, of, (where[0], where[1]), axes, steps, ratio, digits, linear, rest)
            distance = self._distance(choice)
            yield choice, distance
            number += 1
            rest = rest[(distance > 0) & (total[rest] > number) & (number < MAX_TEXEL_CHOICES)]

    def _steps(self, samples: Integers, at: Where, ratio: Integers, footprint: Footprint) -> list[_StepChoices]:
        """From probe to probe on a level, along each axis; none where footprints are round."""
        if (ratio == ROUND).all():
            none = np.zeros(len(samples), np.int64)
            return [_StepChoices(none, none + 1)] * self.texture.axes
        ways = [way[:, samples] for way in (footprint.least, footprint.most)]
        if self.texture.type == "CUBE":
            ways = [on_face(at.face, way) / 2 for way in ways]
        made = []
        for axis in range(self.texture.axes):
            size = self.texture.sizes[at.level][:, axis]
            ends = [np.where(ratio == ROUND, 0, fixed_steps(way[axis], size, self.precision)) for way in ways]
            made.append(_StepChoices(np.minimum(ends[0], ends[1]), np.abs(ends[1] - ends[0]) + 1))
        return made

    def _choice(
        self,
        samples: Integers,
        levels: Levels,
        where: tuple[Where, Where],
        axes: Sequence[Sequence[AxisChoices]],
        step_choices: Sequence[Sequence[_StepChoices]],
        ratio: Integers,
        digits: list[Integers],
        linear: Flags,
        rest: Integers,
    ) -> Choice:
        of = Levels(*(value[rest] for value in vars(levels).values()))
        outside = self.rules.resource_min_lod > len(self.texture.sizes) - 1
        colors: list[Color] = []
        taps: list[list[Taps]] = []
        places: list[Where] = []
        count = self.texture.axes
        ratio = ratio[rest]
        steps: list[list[Integers]] = []
        for k in range(2 if (of.most > 0).any() else 1):
            at = Where(*(value[rest] for value in vars(where[k]).values()))
            chosen = [
                _taps(_rows(axis, rest), digit, linear[rest], offset)
                for axis, digit, offset in zip(axes[k], digits[2 * k * count :], self.rules.offset, strict=False)
            ]
            along = [
                step.start[rest] + digit
                for step, digit in zip(step_choices[k], digits[(2 * k + 1) * count :], strict=False)
            ]
            if (ratio > ROUND).any():
                color = probes_color(
                    self.texture, self.rules, at, chosen, along, ratio, linear[rest], self.precision, outside
                )
            else:
                color = level_color(self.texture, self.rules, at, chosen, linear[rest], self.precision, outside)
            colors.append(color)
            steps.append(along)
            taps.append(chosen)
            places.append(at)
        low, high, largest, undefined = vars(colors[0]).values()
        if len(colors) > 1:
            ends = [
                lerp(first, second, beta)
                for first, second in ((low, colors[1].least), (high, colors[1].most))
                for beta in (of.least, of.most)
            ]
            two = (of.most > 0)[:, None]
            low, high = span(ends)
            largest = np.where(two, np.maximum(largest, colors[1].largest), largest)
            undefined = undefined | (two & colors[1].undefined) | np.logical_or.reduce([np.isnan(end) for end in ends])
        with np.errstate(invalid="ignore"):
            slack = self._slack(largest) + self.slack
            low, high = (np.where(np.isinf(end), end, end + sign * slack) for end, sign in ((low, -1), (high, 1)))
        levels_used, taps_used, ways = (places[0], places[-1]), (taps[0], taps[-1]), (steps[0], steps[-1])
        return Choice(samples[rest], of, levels_used, taps_used, ratio, ways, low, high, undefined)

    def _slack(self, largest: Numbers) -> Numbers:
        if self.texture.unorm8:
            return np.full(largest.shape, self.precision.unorm8_codes / 255 + 2.0**-24)
        return largest * 2.0**-self.precision.color_bits

    def _distance(self, choice: Choice) -> Numbers:
        """0 inside of the interval, else how far beyond its ends."""
        found = self.found[choice.samples]
        with np.errstate(invalid="ignore"):
            beyond = np.maximum(choice.least - found, found - choice.most)
            inside = (found >= choice.least) & (found <= choice.most) | (np.isnan(found) & choice.undefined)
            beyond = np.where(inside, 0.0, np.where(np.isnan(beyond), np.inf, beyond))
        return np.asarray(beyond.max(axis=1))


@dataclass(frozen=True)
class _StepChoices:
    """For each sample, which ways from probe to probe there may be: the first, and how many."""

    start: Integers
    count: Integers


def _taps(axis: AxisChoices, digit: Integers, linear: Flags, offset: int) -> Taps:
    first, least, most = axis.choice(digit, linear)
    return Taps(first + offset, least, most)


def _rows(axis: AxisChoices, rest: Integers) -> AxisChoices:
    return AxisChoices(axis.start[rest], axis.count[rest], axis.least[rest], axis.most[rest], axis.steps)
