"""Adaptive contrast, steps 2 to 10: from a histogram to the curve (seed 003:6560-6570).

The manual names the steps and gives no number: every number here is texsamp's own (docs/color.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from texsamp.state import ColorProcessingState
from texsamp.video.color.statistics import BINS, Counts

SEGMENTS = 11
LARGEST_SHARE = 8 / BINS
"""Step 2: what a bin holds above this share of all pixels counts as spread over all luma, which asks for no change."""

DARK_MEAN, BRIGHT_MEAN = 56.0, 112.0
"""Step 4: pictures with a mean luma up to the first are dark, from the second on bright."""

BRIGHT_PORTIONS = (0.02, 0.10, 0.20, 0.30, 0.40, 0.50, 0.60, 0.75, 0.90, 0.98)
BRIGHT_DESTINATIONS = (0.04, 0.13, 0.23, 0.32, 0.41, 0.50, 0.59, 0.72, 0.87, 0.96)
DARK_PORTIONS = (0.05, 0.15, 0.30, 0.45, 0.60, 0.70, 0.80, 0.90, 0.95, 0.99)
DARK_DESTINATIONS = (0.06, 0.14, 0.25, 0.36, 0.47, 0.55, 0.64, 0.76, 0.86, 0.96)
"""Step 5: where so large a portion of the pixels is darker lies an anchor; where it goes, of the range of luma."""

CLOSEST_POINTS = 8
"""Anchors are so many steps apart at least, so that rounded ones keep the slopes below 2, which the state can hold."""

LOWEST_SLOPE, HIGHEST_SLOPE = 0.5, 1.75
"""Step 8."""

HIGHEST_STRENGTH = 10
AUTOMATIC_STRENGTH = 5
FULL_SPREAD = 64
"""Step 9: automatic strength is less for a picture whose middle 96 % of pixels lie within fewer steps than this."""

FULL_COUNT = 1 / 2
"""Step 9: any strength is less for a picture of which less than this counts after step 2, as flat graphics."""

LARGEST_DARKENING = 6
"""Step 9: automatic strength is less where luma above the middle, as skies and walls, would fall by more steps."""

SKIN_SHARE = 0.5
"""Step 9: of a picture that is all skin so much of the strength is taken away."""

HISTORY = 7 / 8
"""Step 10: weight of the curve before."""

CUT_SHARE = 0.4
"""Step 10: if more of the pixels than this moved to other bins, it is another scene, and its history begins anew."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """12 anchors, black to white: luma ``points`` go to ``values`` and what is between lies on straight lines."""

    points: Floats
    values: Floats

    @classmethod
    def identity(cls, black: int, white: int) -> Curve:
        """The curve that changes nothing."""
        points = np.linspace(black, white, SEGMENTS + 1)
        return cls(points, points)

    def softened(self, weight: float) -> Curve:
        """Step 9: so much of the curve, the rest identity."""
        return Curve(self.points, self.points + weight * (self.values - self.points))

    def blended(self, other: Curve, weight: float) -> Curve:
        """So much of another curve, anchor by anchor."""
        return Curve(
            self.points + weight * (other.points - self.points), self.values + weight * (other.values - self.values)
        )


def limited(histogram: Counts) -> Floats:
    """Step 2: the histogram as shares of the pixels, none above `LARGEST_SHARE`. The histogram is not empty."""
    shares: Floats = histogram / histogram.sum()
    return np.minimum(shares, LARGEST_SHARE)


def spread(shares: Floats, black: int, white: int) -> Floats:
    """Step 2: limited shares, and what is missing to 1 spread evenly from black to white."""
    made = shares.copy()
    made[black : white + 1] += (1 - shares.sum()) / (white + 1 - black)
    return made


def dark_factor(shares: Floats) -> tuple[float, float]:
    """Steps 3 and 4: the mean luma, and 1 for a dark picture, 0 for a bright one."""
    mean = float(np.arange(BINS) @ shares / shares.sum())
    return mean, float(np.clip((BRIGHT_MEAN - mean) / (BRIGHT_MEAN - DARK_MEAN), 0, 1))


def anchor_points(shares: Floats, portions: tuple[float, ...], black: int, white: int) -> Floats:
    """Step 5: the luma below which each portion lies, black and white at the ends, `CLOSEST_POINTS` apart."""
    below = np.cumsum(shares) / shares.sum()
    found = np.searchsorted(below, portions).astype(np.float64)
    points = np.array([black, *found, white], np.float64)
    steps = np.arange(SEGMENTS + 1) * CLOSEST_POINTS
    points[:-1] = np.maximum.accumulate(np.maximum(points[:-1], black) - steps[:-1]) + steps[:-1]
    return np.minimum(points, white - steps[::-1])


def limited_values(points: Floats, values: Floats) -> Floats:
    """Step 8: values whose slopes keep the limits; all slopes are scaled alike, then cut, so that the ends stay."""
    widths = np.diff(points)
    slopes = np.maximum(np.diff(values), 0) / widths
    low, high = 0.0, 1e6
    while low < (middle := (low + high) / 2) < high:
        rise = float(np.minimum(np.maximum(slopes * middle, LOWEST_SLOPE), HIGHEST_SLOPE) @ widths)
        low, high = (middle, high) if rise < points[-1] - points[0] else (low, middle)
    cut = np.clip(slopes * high, LOWEST_SLOPE, HIGHEST_SLOPE)
    return np.concatenate(([points[0]], points[0] + np.cumsum(cut * widths)))


def picture_curve(shares: Floats, dark: float, black: int, white: int) -> Curve:
    """Steps 5 to 8: the curve of one picture, at full strength."""
    bright_points = anchor_points(shares, BRIGHT_PORTIONS, black, white)
    dark_points = anchor_points(shares, DARK_PORTIONS, black, white)
    points = bright_points + dark * (dark_points - bright_points)
    bright, dim = (np.array([0.0, *d, 1.0]) for d in (BRIGHT_DESTINATIONS, DARK_DESTINATIONS))
    values = black + (white - black) * (bright + dark * (dim - bright))
    return Curve(points, limited_values(points, values))


def softness(shares: Floats, skin_share: float, strength: int | None) -> float:
    """Step 9: how much of the curve to take, 0 to 1; a strength of None is automatic."""
    weight = (AUTOMATIC_STRENGTH if strength is None else strength) / HIGHEST_STRENGTH
    weight *= min(float(shares.sum()) / FULL_COUNT, 1.0)
    if strength is None:
        below = np.cumsum(shares) / shares.sum()
        low, high = np.searchsorted(below, (0.02, 0.98))
        weight *= min(float(high - low) / FULL_SPREAD, 1.0)
    return weight * (1 - SKIN_SHARE * skin_share)


@dataclass(frozen=True)
class Analysis:
    """What steps 2 to 9 make of one picture; ``mean`` and ``dark`` are None if there is nothing to count."""

    mean: float | None
    dark: float | None
    curve: Curve


def analysis(histogram: Counts, skin_share: float, strength: int | None, black: int, white: int) -> Analysis:
    """The curve of one picture between black and white, by 256 bins of luma; a strength of None is automatic."""
    if not histogram.any():
        return Analysis(None, None, Curve.identity(black, white))
    shares = limited(histogram)
    mean, dark = dark_factor(shares)
    curve = picture_curve(spread(shares, black, white), dark, black, white)
    weight = softness(shares, skin_share, strength)
    if strength is None:
        bright = curve.points > (black + white) / 2
        fall = float((curve.points - curve.values)[bright].max()) * weight
        weight *= min(LARGEST_DARKENING / fall, 1.0) if fall > 0 else 1.0
    return Analysis(mean, dark, curve.softened(weight))


def contrast_state(curve: Curve, template: ColorProcessingState) -> ColorProcessingState:
    """A state with this curve: 8-bit anchors, and slopes rounded down, so that no segment ends above the next."""
    points = np.floor(curve.points + 0.5)
    values = np.floor(np.interp(points, curve.points, curve.values) + 0.5)
    slopes = np.floor(np.diff(values) * 1024 / np.diff(points)) / 1024
    return template.replace(
        ace_enable=True,
        ace_points=[int(p) for p in points],
        ace_biases=[int(v) for v in values[1:-1]],
        ace_slopes=[float(s) for s in slopes],
    )


class CurveHistory:
    """Step 10: a picture's curve blended with those before, unless the scene has changed."""

    def __init__(self) -> None:
        self._curve: Curve | None = None
        self._histogram: Counts | None = None

    def blended(self, curve: Curve, histogram: Counts) -> Curve:
        """The curve to use for the next picture of the stream."""
        if self._curve is not None and self._histogram is not None and not _is_cut(self._histogram, histogram):
            curve = curve.blended(self._curve, HISTORY)
        self._curve, self._histogram = curve, histogram
        return curve


def _is_cut(before: Counts, after: Counts) -> bool:
    """Whether too many pixels moved to other bins; an empty histogram has nothing to compare."""
    totals = int(before.sum()), int(after.sum())
    if not all(totals):
        return False
    return float(np.abs(before / totals[0] - after / totals[1]).sum()) / 2 > CUT_SHARE
