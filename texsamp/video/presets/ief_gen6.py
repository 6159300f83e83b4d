"""Settings of Sandy Bridge's image enhancement filters, the generation before (Sandy Bridge PRM volume 4 part 1).

Defaults are those of its SAMPLER_STATE for sample_8x8, pages 111 to 115.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from texsamp.errors import StateError
from texsamp.video.presets.ief import DEFAULT_LEVEL, ief_level
from texsamp.video.presets.ranges import check_ranges

Gen6Mode = Literal["gen6-detail-3x3", "gen6-detail-5x5", "gen6-combination"]

SEGMENTS = 7


@dataclass(frozen=True, kw_only=True)
class Gen6DetailParameters:
    """The detail filter of 3x3 or sparse 5x5 (pages 62 to 64, 111 to 113).

    `gain` is 0..63, the weights 0..7, the thresholds of the edge metric 0..15. Raises StateError for other values.
    """

    gain: int = 40
    strong_weight: int = 7
    regular_weight: int = 2
    non_edge_weight: int = 1
    strong_threshold: int = 8
    weak_threshold: int = 1
    size: Literal[3, 5] = 5

    def __post_init__(self) -> None:
        check_ranges(
            self,
            {
                "gain": 63,
                **dict.fromkeys(("strong_weight", "regular_weight", "non_edge_weight"), 7),
                **dict.fromkeys(("strong_threshold", "weak_threshold"), 15),
            },
        )
        if self.size not in (3, 5):
            raise StateError(f"Gen6DetailParameters.size must be 3 or 5, found {self.size!r}")


@dataclass(frozen=True, kw_only=True)
class Gen6CombinationParameters:
    """The combination of sharpening and smoothing (pages 64 to 69, 112 to 115).

    `points` are 6 local contrasts (8 bits, not decreasing) between which the two strengths are straight lines: 7 biases
    of 0..255 and 7 slopes of -128..127, in 1/16. Coefficients are 0..31 (in 1/32), limiters 0..15 (in 1/16),
    `clip_limiter` 0..1023 (10 bits). Raises StateError for other values.
    """

    noise_estimate: int = 22
    r3c: int = 15
    r3x: int = 6
    r5c: int = 3
    r5cx: int = 8
    r5x: int = 9
    steepness_threshold: int = 0
    steepness_boost: bool = False
    ridge_threshold: int = 5
    ridge_boost: bool = False
    points: tuple[int, ...] = (4, 12, 16, 26, 40, 160)
    smooth_biases: tuple[int, ...] = (127, 98, 88, 64, 44, 0, 0)
    smooth_slopes: tuple[int, ...] = (-116, -20, -96, -32, -50, 0, 0)
    sharp_biases: tuple[int, ...] = (3, 32, 32, 58, 100, 108, 88)
    sharp_slopes: tuple[int, ...] = (116, 0, 104, 67, 9, -3, -15)
    max_limiter: int = 11
    min_limiter: int = 10
    limiter_boost: int = 0
    clip_limiter: int = 130

    def __post_init__(self) -> None:
        check_ranges(
            self,
            {
                "noise_estimate": 255,
                **dict.fromkeys(("r3c", "r3x", "r5c", "r5cx", "r5x"), 31),
                **dict.fromkeys(("steepness_threshold", "ridge_threshold"), 15),
                **dict.fromkeys(("max_limiter", "min_limiter", "limiter_boost"), 15),
                "clip_limiter": 1023,
            },
        )
        if list(self.points) != sorted(self.points):
            raise StateError(f"Gen6CombinationParameters.points must not decrease, found {self.points}")
        lists = {"points": (SEGMENTS - 1, 0, 255)}
        lists |= dict.fromkeys(("smooth_biases", "sharp_biases"), (SEGMENTS, 0, 255))
        lists |= dict.fromkeys(("smooth_slopes", "sharp_slopes"), (SEGMENTS, -128, 127))
        for name, (count, low, high) in lists.items():
            values = getattr(self, name)
            if len(values) != count or not all(low <= value <= high for value in values):
                raise StateError(
                    f"Gen6CombinationParameters.{name} must be {count} integers in {low}..{high}, found {values}"
                )


Gen6Parameters = Gen6DetailParameters | Gen6CombinationParameters


def gen6_settings(mode: Gen6Mode, level: int = DEFAULT_LEVEL) -> Gen6Parameters:
    """Documented settings of a mode, with the level as the gain of the detail filters; 64 means 63.

    The combination has no gain: StateError for another level than the default's.
    """
    gain = ief_level(level).gain
    if mode != "gen6-combination":
        return Gen6DetailParameters(gain=gain, size=3 if mode == "gen6-detail-3x3" else 5)
    if level != DEFAULT_LEVEL:
        raise StateError(f"sharpen mode gen6-combination has no level: it must be {DEFAULT_LEVEL}, found {level}")
    return Gen6CombinationParameters()
