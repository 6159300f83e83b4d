"""Positions along an axis as intervals, the texels that they can fall on, and where address modes put those."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers, Rules

FAR = 2.0**22
MAX_CHOICES = 4
"""Choices along an axis that are tried; what has more is not decided."""
FARTHEST_OFFSET = 34
"""Texels: the largest offset, of gather4, and the neighbors."""
INSIDE, HALF, BORDER = 0, 1, 2


@dataclass(frozen=True)
class AxisChoices:
    """For each sample, which texels a position may fall on.

    start: of the first choice, in texels (in steps, if positions snap). count: of choices. likely: the choice of the
    coordinate as it is. least, most: the interval, in texels from the center of the left texel. steps: to a texel; 0 if
    positions do not snap.
    """

    start: Integers
    count: Integers
    likely: Integers
    least: Numbers
    most: Numbers
    steps: int

    def choice(self, k: Integers | int, linear: Flags) -> tuple[Integers, Numbers, Numbers]:
        """Left texel, and the weights that the right one may have, of choice k of each sample."""
        if self.steps:
            position = self.start
            if np.any(k):
                position = position + k * np.where(linear, 1, self.steps)
            texel = position >> self.steps.bit_length() - 1
            weight = (position & self.steps - 1) / self.steps
            if not linear.all():
                weight = np.where(linear, weight, 0.0)
            return texel, weight, weight
        texel = self.start + k
        low, high = np.clip(self.least - texel, 0, 1), np.clip(self.most - texel, 0, 1)
        return texel, np.where(linear, low, 0.0), np.where(linear, high, 0.0)


def axis_choices(
    u: Numbers,
    error: Numbers,
    size: Integers,
    axis: int,
    rules: Rules,
    linear: Flags,
    rounded: Flags,
    precision: Precision,
) -> AxisChoices:
    """Choices of coordinates u, which are certain to within ``error``, in levels of a size."""
    u = np.clip(np.where(np.isnan(u), 0.0, u), -FAR, FAR)
    mode = rules.address[axis]
    texels = np.ones(u.shape)
    if rules.normalized:
        if mode == "wrap":
            u = u - np.floor(u)
        elif mode == "mirror":
            u = u - 2 * np.floor(u / 2)
        texels = size.astype(np.float64)
    x = np.clip(u * texels, -FAR, FAR)
    if mode == "mirror_once":  # with the offset that is added later
        x = np.clip(x, -texels - rules.offset[axis], texels - rules.offset[axis])
    roundings = 2 if mode in ("wrap", "mirror") else 1  # what is left of a negative number is rounded, then the product
    error = error * texels + abs(x) * roundings * 2.0**-precision.coordinate_bits
    half = np.where(linear, 0.5, 0.0)
    ends = (x - error, x + error)
    if mode == "cube":  # no quotient leaves the face
        ends = (np.maximum(ends[0], 0.0), np.minimum(ends[1], texels))
    if precision.snap:
        steps = 1 << precision.position_bits
        nudge = np.where(rounded, 0.5, 0.0)
        low, high = (np.floor(end * steps + nudge) - half * steps for end in ends)
        count = high - low
        if not linear.all():
            low, high = (np.where(linear, end, np.floor(end / steps) * steps) for end in (low, high))
            count = np.where(linear, count, (high - low) / steps)
        likely = np.zeros(count.shape, np.int64)
        some = np.flatnonzero(count)
        one = np.where(linear[some], 1, steps)
        middle = np.floor(x[some] * steps + nudge[some]) - half[some] * steps
        likely[some] = np.floor(middle / one) - low[some] / one
        return AxisChoices(low.astype(np.int64), count.astype(np.int64) + 1, likely, low / steps, high / steps, steps)
    step = 2.0**-precision.position_bits
    least, most = ends[0] - step - half, ends[1] + step - half
    if mode not in ("wrap", "mirror"):  # beyond the texture all is one
        reach = size + FARTHEST_OFFSET
        least, most = (np.clip(end, -reach, reach) for end in (least, most))
    start, middle, last = (np.floor(end).astype(np.int64) for end in (least, (least + most) / 2, most))
    return AxisChoices(start, last - start + 1, middle - start, least, most, 0)


def texel_of_index(index: Integers, size: Integers, mode: str) -> tuple[Integers, Integers]:
    """Where an index along an axis leads: a texel, and INSIDE, HALF or BORDER."""
    if mode == "wrap":
        is_power = not (size & size - 1).any()  # masks take a fraction of the time of remainders
        return index & size - 1 if is_power else index % size, np.zeros_like(index)
    if mode == "mirror":
        folded = index % (2 * size)
        return np.where(folded < size, folded, 2 * size - 1 - folded), np.zeros_like(index)
    if mode == "mirror_once":
        index = np.where(index < 0, -1 - index, index)
    outside = (index < 0) | (index >= size)
    place = {"border": BORDER, "half_border": HALF}.get(mode, INSIDE)
    return np.clip(index, 0, size - 1), np.where(outside, place, INSIDE)
