"""The search: every choice of level, face, slice and texels that a precision allows, until one explains the sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.quality.verifier.anisotropy import ROUND, Footprint, fixed_steps
from texsamp.quality.verifier.axes import FAR, MAX_CHOICES, AxisChoices, axis_choices
from texsamp.quality.verifier.faces import FaceChoice, face_choices, on_face
from texsamp.quality.verifier.footprint import Color, Taps, Where, lerp, level_color, probes_color, span
from texsamp.quality.verifier.lod import Levels, level_choices
from texsamp.quality.verifier.planes import is_moderate, is_plane, plane_color
from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers, Rules, Texture

MAX_TEXEL_CHOICES = 512
"""Choices of texels in two levels together that are tried for a choice of levels and faces."""
_MIDDLE = 0.5 * (1 + 2.0**-40)
"""Of a sum of two ends; a whole number in their middle must not be rounded to less than itself."""


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

    def run(self) -> None:
        """Try all choices."""
        for footprint in self.footprints:
            for levels in level_choices(self.texture, self.rules, footprint.lods, self.precision):
                if (levels.exists & ~self.accepted).any():
                    self._levels(levels, footprint)
            self.undecided |= footprint.undecided
        self.undecided &= ~self.accepted

    def explain(self, wanted: Integers) -> None:
        """Keep the nearest choices of some samples."""
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
        for choice, distance in self._choices(levels, footprint, likely=True):
            self.accepted[choice.samples] |= distance == 0

    def _choices(
        self, levels: Levels, footprint: Footprint, *, likely: bool = False
    ) -> Iterator[tuple[Choice, Numbers]]:
        """Choices of faces, slices and texels of samples that no choice has explained yet; ``likely`` ones first."""
        for face in self._faces:
            for slices, has_slice in self._slices():
                samples = np.flatnonzero(levels.exists & footprint.exists & face.exists & has_slice & ~self.accepted)
                if samples.size:
                    yield from self._texels(samples, levels, footprint, face, slices, likely)

    @cached_property
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
        self, some: Integers | slice, level: Integers, linear: Flags, magnified: Flags, face: FaceChoice
    ) -> list[AxisChoices]:
        is_cube = self.texture.type == "CUBE"
        coordinates = [face.s, face.t] if is_cube else self.points
        made = []
        for axis in range(self.texture.axes):
            u = coordinates[axis][some]
            error = np.full(u.shape, 2.0**-self.precision.coordinate_bits) if is_cube else np.zeros(u.shape)
            if not is_cube and not self.precision.snap:
                error = np.minimum(np.where(np.isnan(u), 0.0, abs(u)), FAR) * 2.0**-self.precision.coordinate_bits
            rounded = np.where(magnified, self.rules.round_mag[axis], self.rules.round_min[axis])
            size = self.texture.size_of(level, axis)
            made.append(axis_choices(u, error, size, axis, self.rules, linear, rounded, self.precision))
        return made

    def _texels(
        self,
        samples: Integers,
        levels: Levels,
        footprint: Footprint,
        face: FaceChoice,
        slices: Integers,
        likely: bool,
    ) -> Iterator[tuple[Choice, Numbers]]:
        """Combinations of choices along the axes of both levels, counted as the digits of one number.

        Before 0 comes the combination of the ``likely`` choices, with which most samples are explained at once. It may
        be judged by less than is allowed: what it does not explain is tried again.
        """
        some = samples if len(samples) < len(self.found) else slice(None)  # which copies nothing
        of = Levels(*(value[some] for value in vars(levels).values()))
        linear, stretched = (
            np.where(of.magnified, self.rules.mag in names, self.rules.min in names)
            for names in (("linear", "anisotropic"), ("anisotropic",))
        )
        ratio = np.where(stretched, footprint.ratio[some], ROUND)
        where = tuple(
            Where(level, slices[some], face.face[some], self.reference[some]) for level in (of.first, of.second)
        )
        axes = [self._axes(some, at.level, linear, of.magnified, face) for at in where]
        steps = [self._steps(some, at, ratio, footprint) for at in where]
        two = of.most > 0
        places: list[AxisChoices | _StepChoices] = [*axes[0], *steps[0], *axes[1], *steps[1]]
        half = len(places) // 2
        counts = [each.count for each in places[:half]] + [np.where(two, each.count, 1) for each in places[half:]]
        total = np.ones(len(samples), np.int64)
        varied = [place for place, count in enumerate(counts) if count.max() > 1]
        for place in varied:
            total *= np.minimum(counts[place], MAX_CHOICES)
            self.undecided[samples] |= counts[place] > MAX_CHOICES
        self.undecided[samples] |= total > MAX_TEXEL_CHOICES
        number = -1 if likely else 0
        rest: Integers | slice = slice(None)
        left = np.arange(len(samples))
        while left.size:
            digits: list[Integers | int] = [0] * len(counts)
            if number < 0:
                for place in varied:
                    if places[place].likely.any():
                        tried = np.minimum(counts[place], MAX_CHOICES)
                        digit = np.clip(places[place].likely, 0, tried - 1)
                        digits[place] = np.where(total <= MAX_TEXEL_CHOICES, digit, 0)
            elif number:
                chosen = _digits(number, [np.minimum(counts[place][left], MAX_CHOICES) for place in varied])
                for place, digit in zip(varied, chosen, strict=True):
                    digits[place] = digit
            at = where[0], where[1]
            choice = self._choice(samples, of, at, axes, steps, ratio, digits, linear, rest, sure=number < 0)
            distance = self._distance(choice)
            yield choice, distance
            number += 1
            rest = left = left[(distance > 0) & (total[left] > number) & (number < MAX_TEXEL_CHOICES)]

    def _steps(self, some: Integers | slice, at: Where, ratio: Integers, footprint: Footprint) -> list[_StepChoices]:
        """From probe to probe on a level, along each axis; none where footprints are round."""
        if (ratio == ROUND).all():
            none = np.zeros(len(ratio), np.int64)
            return [_StepChoices(none, none + 1, none)] * self.texture.axes
        ways = [way[:, some] for way in (footprint.least, footprint.most)]
        if self.texture.type == "CUBE":
            ways = [on_face(at.face, way) / 2 for way in ways]
        made = []
        for axis in range(self.texture.axes):
            size = self.texture.size_of(at.level, axis)
            ends = [np.where(ratio == ROUND, 0, fixed_steps(way[axis], size, self.precision)) for way in ways]
            start, more = np.minimum(ends[0], ends[1]), np.abs(ends[1] - ends[0])
            likely, some = np.zeros_like(start), np.flatnonzero(more)
            middle = (ways[0][axis, some] + ways[1][axis, some]) * _MIDDLE
            likely[some] = fixed_steps(middle, size[some], self.precision) - start[some]
            made.append(_StepChoices(start, more + 1, likely))
        return made

    def _choice(
        self,
        samples: Integers,
        levels: Levels,
        where: tuple[Where, Where],
        axes: Sequence[Sequence[AxisChoices]],
        step_choices: Sequence[Sequence[_StepChoices]],
        ratio: Integers,
        digits: Sequence[Integers | int],
        linear: Flags,
        rest: Integers | slice,
        *,
        sure: bool,
    ) -> Choice:
        of = Levels(*(value[rest] for value in vars(levels).values()))
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
            if is_plane(self.texture, self.rules, self.precision, linear[rest]):
                bits = self.precision.color_bits if sure and is_moderate(self.texture, self.rules) else None
                color = plane_color(self.texture, self.rules, at, chosen, along, ratio, bits)
            elif (ratio > ROUND).any():
                color = probes_color(self.texture, self.rules, at, chosen, along, ratio, linear[rest], self.precision)
            else:
                color = level_color(self.texture, self.rules, at, chosen, linear[rest], self.precision)
            colors.append(color)
            steps.append(along)
            taps.append(chosen)
            places.append(at)
        low, high, largest, undefined = vars(colors[0]).values()
        if len(colors) > 1:
            pairs = [(low, colors[1].least), (high, colors[1].most)]
            if low is high and colors[1].least is colors[1].most:
                del pairs[1]
            betas = [of.least] if (of.least == of.most).all() else [of.least, of.most]
            is_finite = self.texture.is_finite(self.rules)
            ends = [lerp(first, second, beta, is_finite) for first, second in pairs for beta in betas]
            two = (of.most > 0)[:, None]
            low, high = span(ends)
            if not self.texture.unorm8:
                largest = np.where(two, np.maximum(largest, colors[1].largest), largest)
            if not is_finite:
                undefined = undefined | (two & colors[1].undefined) | np.isnan(ends).any(axis=0)
        with np.errstate(invalid="ignore"):
            slack = self._slack(largest) + self.slack
            low, high = low - slack, high + slack  # what is infinite stays so: the slack is not
        levels_used, taps_used, ways = (places[0], places[-1]), (taps[0], taps[-1]), (steps[0], steps[-1])
        return Choice(samples[rest], of, levels_used, taps_used, ratio, ways, low, high, undefined)

    def _slack(self, largest: Numbers) -> Numbers | float:
        if self.texture.unorm8:
            return self.precision.unorm8_codes / 255 + 2.0**-24
        return largest * 2.0**-self.precision.color_bits

    def _distance(self, choice: Choice) -> Numbers:
        """0 inside of the interval, else how far beyond its ends."""
        found = self.found[choice.samples]
        with np.errstate(invalid="ignore"):
            inside = (found >= choice.least) & (found <= choice.most)
            distance = np.zeros(len(found))
            rest = np.flatnonzero(~_every(inside))
            found, least, most = found[rest], choice.least[rest], choice.most[rest]
            beyond = np.maximum(least - found, found - most)
            inside = inside[rest] | (np.isnan(found) & choice.undefined[rest])
            distance[rest] = np.where(inside, 0.0, np.where(np.isnan(beyond), np.inf, beyond)).max(axis=1)
        return distance


@dataclass(frozen=True)
class _StepChoices:
    """For each sample, which ways from probe to probe there may be: the first, how many, and the likely one."""

    start: Integers
    count: Integers
    likely: Integers


def _every(flags: Flags) -> Flags:
    """Whether all channels hold; numpy's reduction of short rows is slow."""
    return np.asarray(flags[:, 0] & flags[:, 1] & flags[:, 2] & flags[:, 3])


def _digits(number: int, counts: Sequence[Integers]) -> Iterator[Integers]:
    """Which of its choices each of some things makes in a combination, by the counts of choices for each sample."""
    left = np.full(counts[0].shape, number)
    for count in counts:
        yield left % count
        left //= count


def _taps(axis: AxisChoices, digit: Integers | int, linear: Flags, offset: int) -> Taps:
    first, least, most = axis.choice(digit, linear)
    return Taps(first + offset, least, most)


def _rows(axis: AxisChoices, rest: Integers | slice) -> AxisChoices:
    start, count, likely = axis.start[rest], axis.count[rest], axis.likely[rest]
    return AxisChoices(start, count, likely, axis.least[rest], axis.most[rest], axis.steps)
