"""Coefficient tables and adaptive settings of the adaptive video scaler (AVS).

| preset | rows | provenance |
|---|---|---|
| i965 | Lanczos-3 (8 taps) or Lanczos-2 (4 taps), stretched for downscaling | rule of intel-vaapi-driver `src/i965_vpp_avs.c`; equal to captured Ivy Bridge state |
| ihd | sinc under a wide sinc window, cut at half the taps, stretched for downscaling | rule of media-driver `mhw_utilities_next.cpp` and `mos_utilities_next.cpp` |
| lanczos3 | Lanczos-3 (8 taps, of which 6 are used) or Lanczos-2 (4 taps) | texsamp |
| lanczos4 | Lanczos-4 (8 taps, all of them used) or Lanczos-2 (4 taps) | texsamp |
| catmull-rom | Keys' cubic, a = -1/2 | texsamp |
| bilinear | linear, the smooth filter of seed 003:1627 | texsamp; i965 also programs it unless high quality is asked for |

The texsamp presets are the same at every scale: downscaling is the work of a prefilter, since stretching stops at
the 8 source texels the hardware fetches. i965 and ihd stretch as their drivers do, and alias below half size: there a
prefilter halves first.
Lanczos-2 serves as the 4-tap form of lanczos3 and lanczos4 because it doubles half-size pictures 0.04 to 0.11 dB better than
Catmull-Rom with exact taps (the two round to the same row at a quarter texel).

Gen7 stores rows 0..16 and reads row 32 - p with its taps reversed for phase p > 16. The 32 rows given here are
always that mirror image. Row 16 is its own mirror except in `ihd`, which puts the residual of its rounding on tap 3
(41, 43 in the middle), and in `i965` at some ratios below 1 (30, 28 at 1/2); that is the generators' doing and is kept.
"""  # noqa: E501 - table rows

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import StateError
from texsamp.video.presets.polyphase import (
    ONE,
    PHASES,
    TAPS,
    Kernel,
    catmull_rom,
    distances,
    lanczos,
    mirrored,
    rounded_table,
    triangle,
)
from texsamp.video.presets.ranges import check_ranges

_CENTER = 3
"""The tap at floor(u)."""


def _normalized(kernel: Kernel, phase: int, stretch: float, taps: int) -> NDArray[np.float64]:
    """Weights of the `taps` middle taps at `phase` with distances multiplied by `stretch` <= 1; the others are 0."""
    used = np.abs(np.arange(TAPS) - 3.5) < taps / 2
    weights = np.where(used, kernel(distances(phase) * stretch), 0.0)
    return np.asarray(weights / weights.sum())


def _i965_row(phase: int, stretch: float, taps: int) -> NDArray[np.int16]:
    """Round to nearest; the residual goes to the larger middle tap, a quarter of it to each of that tap's neighbors."""
    row = np.rint(_normalized(lanczos(3 if taps == TAPS else 2), phase, stretch, taps) * ONE).astype(np.int16)
    largest = _CENTER if row[_CENTER] > row[_CENTER + 1] else _CENTER + 1
    residual = ONE - int(row.sum())
    share = int(residual / 4)
    row[largest - 1] += share
    row[largest + 1] += share
    row[largest] += residual - 2 * share
    return row


def _ihd_row(phase: int, stretch: float, taps: int) -> NDArray[np.int16]:
    """Round half up; the residual goes to the middle tap on the near side of the position."""
    half = taps / 2
    window = max(half, 2.0 if taps < TAPS else 8.0 if stretch >= 1.0 else 4.0)

    def kernel(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(np.abs(x) < half, np.sinc(x) * np.sinc(x / window), 0.0)

    row = np.floor(0.5 + _normalized(kernel, phase, stretch, taps) * ONE).astype(np.int16)
    row[_CENTER if phase <= PHASES // 2 else _CENTER + 1] += ONE - int(row.sum())
    return row


def _i965_table(stretch: float, taps: int) -> NDArray[np.int16]:
    return mirrored(np.stack([_i965_row(phase, stretch, taps) for phase in range(PHASES // 2 + 1)]))


def _ihd_table(stretch: float, taps: int) -> NDArray[np.int16]:
    return np.stack([_ihd_row(phase, stretch, taps) for phase in range(PHASES)])


_DRIVER_TABLES = {"i965": _i965_table, "ihd": _ihd_table}
_KERNELS: Mapping[str, Mapping[int, Kernel]] = {
    "lanczos3": {8: lanczos(3), 4: lanczos(2)},
    "lanczos4": {8: lanczos(4), 4: lanczos(2)},
    "catmull-rom": {8: catmull_rom, 4: catmull_rom},
    "bilinear": {8: triangle, 4: triangle},
}

STRETCHED_PRESETS: tuple[str, ...] = tuple(_DRIVER_TABLES)
"""Those whose coefficients are stretched where the picture gets smaller."""
COEFFICIENT_PRESETS: tuple[str, ...] = (*_DRIVER_TABLES, *_KERNELS)
"""Names `coefficients` knows."""


@lru_cache(maxsize=64)
def _table(preset: str, stretch: float, taps: int) -> NDArray[np.int16]:
    table_of = _DRIVER_TABLES.get(preset)
    table = table_of(stretch, taps) if table_of else rounded_table(_KERNELS[preset][taps])
    table.setflags(write=False)
    return table


def coefficients(preset: str, ratio: float | Fraction, taps: Literal[8, 4]) -> NDArray[np.int16]:
    """Coefficient table of one direction: shape (32 phases, 8 taps), in 1/64 steps, each row summing to 64, read-only.

    `ratio` is destination size over source size (> 0). `taps` = 8 fills table 0 (luma, G), `taps` = 4 fills table 1
    (chroma, R and B) in taps 2..5 and leaves the others 0. Every row fits the ranges of seed 003:4051-4130.

    Raises StateError for an unknown preset, a number of taps other than 8 or 4, or a ratio that is not positive.
    """
    if preset not in COEFFICIENT_PRESETS:
        raise StateError(f"unknown AVS preset {preset!r}; known are {', '.join(COEFFICIENT_PRESETS)}")
    if taps not in (8, 4):
        raise StateError(f"AVS tables have 8 or 4 taps, found {taps}")
    if not (ratio > 0 and math.isfinite(ratio)):
        raise StateError(f"the scale ratio must be a positive number, found {ratio}")
    stretch = min(1.0, float(ratio)) if preset in _DRIVER_TABLES else 1.0
    return _table(preset, stretch, taps)


AdaptiveRule = Literal["hardware", "literal", "ours"]
"""How the adaptive weight is measured.

"hardware" is the manual's (Sandy Bridge PRM volume 4 part 1, pages 60 and 61), its ramps 2**transition wide, as the
field's name says and as makes them continuous. "literal" ends them at 2**(8 - transition), as printed. "ours" has one
ramp, and takes 2**transition4 times what the middle 4 samples step above max_derivative4 from the largest step of all
8 first: a step of any height counts beside samples that are calm against it, and texture counts nowhere.
"""


@dataclass(frozen=True, kw_only=True)
class AdaptiveParameters:
    """How AVS mixes its sharp and smooth filter; SAMPLER_8x8_STATE DW136-137 and DW4 (seed 003:4100-4189).

    A bypassed direction mixes by `default_sharpness` alone: 0 = all smooth, 255 = all sharp. The other direction
    measures the largest step between neighbors in its 8 samples, and how much the middle 4 step and bend (8-bit units).
    Measures above `max_derivative8` (`max_derivative4`) count as edges, fully so once above by 2**transition8
    (2**transition4). `rule` is no field of the state; `AdaptiveRule` says what it may be.
    Raises StateError for a value outside its range (sharpness, derivatives 0..255, transitions 0..7), or another rule.
    """

    default_sharpness: int
    max_derivative4: int
    max_derivative8: int
    transition4: int
    transition8: int
    bypass_x: bool
    bypass_y: bool
    adaptive_all_channels: bool = False
    """Chroma, or R and B, use table 0 and the guide's mix as well; their planes must have the guide's size."""
    rgb_adaptive: bool = False
    """RGB is guided by (R + 2G + B) >> 2 instead of G."""
    rule: AdaptiveRule = "hardware"

    def __post_init__(self) -> None:
        if self.rule not in get_args(AdaptiveRule):
            raise StateError(
                f"AdaptiveParameters.rule must be one of {', '.join(get_args(AdaptiveRule))}, found {self.rule!r}"
            )
        check_ranges(
            self,
            {
                "default_sharpness": 255,
                "max_derivative4": 255,
                "max_derivative8": 255,
                "transition4": 7,
                "transition8": 7,
            },
        )


AdaptiveSettings = Literal["tuned", "ihd"]
"""Settings to choose; "tuned" are another preset under the rule "ours"."""

ADAPTIVE_PRESETS: Mapping[str, AdaptiveParameters] = MappingProxyType(
    {
        # intel-vaapi-driver as captured on Ivy Bridge, high quality: DW136 = FF000000h, DW137 = 00600000h. It also
        # sets "adaptive filter for all channels", which has nothing to act on while both directions are bypassed.
        "i965": AdaptiveParameters(
            default_sharpness=255,
            max_derivative4=0,
            max_derivative8=0,
            transition4=0,
            transition8=0,
            bypass_x=True,
            bypass_y=True,
        ),
        # media-driver `media_common/agnostic/common/renderhal/renderhal.h:283`.
        "ihd": AdaptiveParameters(
            default_sharpness=255,
            max_derivative4=7,
            max_derivative8=20,
            transition4=4,
            transition8=5,
            bypass_x=False,
            bypass_y=False,
        ),
        # texsamp: fitted to lanczos3 under the rule "hardware" by `python -m benchmarks.adaptive` (docs/presets.md).
        "tuned": AdaptiveParameters(
            default_sharpness=255,
            max_derivative4=0,
            max_derivative8=60,
            transition4=3,
            transition8=5,
            bypass_x=False,
            bypass_y=False,
        ),
        # texsamp: under the rule "ours" steps of 16 and more do not overshoot (docs/presets.md).
        "tuned-ours": AdaptiveParameters(
            default_sharpness=255,
            max_derivative4=0,
            max_derivative8=8,
            transition4=3,
            transition8=3,
            bypass_x=False,
            bypass_y=False,
            rule="ours",
        ),
    }
)


def adaptive_parameters(preset: str) -> AdaptiveParameters:
    """Adaptive settings by name (`i965` never adapts). Raises StateError for an unknown one, listing the known."""
    if preset not in ADAPTIVE_PRESETS:
        raise StateError(f"unknown AVS adaptive preset {preset!r}; known are {', '.join(ADAPTIVE_PRESETS)}")
    return ADAPTIVE_PRESETS[preset]


def adaptive_settings(settings: AdaptiveSettings, rule: AdaptiveRule) -> AdaptiveParameters:
    """Settings for a rule. Raises StateError for unknown ones, or for another rule."""
    own = (settings, rule) == ("tuned", "ours")
    return replace(adaptive_parameters("tuned-ours" if own else settings), rule=rule)
