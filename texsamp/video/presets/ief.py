"""Settings of the image enhancement filter (IEF) for luma detail.

| preset | provenance |
|---|---|
| doc | default value of SAMPLER_STATE for sample_8x8, 0D090801h and 721A03C6h (seed 003:3545), fields as laid out at 003:3555-3668 |
| ihd | media-driver `media_driver/agnostic/gen8/hw/mhw_state_heap_hwcmd_g8_X.cpp:190`; equal to level 44 |
| even level 0..64 | texsamp: the coefficients of level 44, the gain by the level |
| level 0..63 | media-driver `media_driver/agnostic/common/vp/hal/vphal_render_ief.cpp:33-85`; 64 is accepted and means 63 |

intel-vaapi-driver also writes coefficients (R3x 27, R3c 5) but always bypasses the filter: they are no evidence.
"""  # noqa: E501 - table rows

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from texsamp.errors import StateError
from texsamp.video.presets.ranges import check_ranges


@dataclass(frozen=True, kw_only=True)
class IefParameters:
    """The IEF fields of SAMPLER_STATE for sample_8x8 (seed 003:3541-3667), by meaning.

    `gain` and the edge thresholds are 0..63, the edge weights 0..7, the coefficients 0..31 (in 1/32),
    `noise_estimate` 0..255. `smooth` selects IEF4Smooth (3x3, uses `noise_estimate`) instead of detail (3x3 and 5x5).
    `combine` is no hardware field: it says how the torn manual's two detail filters are put together, 5x5 minus 3x3
    or their sum. Raises StateError for a value outside its range.
    """

    gain: int
    strong_weight: int
    regular_weight: int
    non_edge_weight: int
    strong_threshold: int
    weak_threshold: int
    r3x: int
    """3x3: the 4 diagonal neighbors."""
    r3c: int
    """3x3: the 4 axial neighbors."""
    r5x: int
    """5x5 ring: the 4 corners."""
    r5cx: int
    """5x5 ring: the 8 texels between corner and axis."""
    r5c: int
    """5x5 ring: the 4 texels on the axes."""
    smooth: bool = False
    noise_estimate: int = 0
    combine: Literal["difference", "sum"] = "difference"

    def __post_init__(self) -> None:
        check_ranges(
            self,
            {
                "gain": 63,
                **dict.fromkeys(("strong_weight", "regular_weight", "non_edge_weight"), 7),
                **dict.fromkeys(("strong_threshold", "weak_threshold"), 63),
                **dict.fromkeys(("r3x", "r3c", "r5x", "r5cx", "r5c"), 31),
                "noise_estimate": 255,
            },
        )
        if self.combine not in ("difference", "sum"):
            raise StateError(f"IefParameters.combine must be 'difference' or 'sum', found {self.combine!r}")


DEFAULT_LEVEL = 44
HIGHEST_LEVEL = 64

# R5x = R5cx = R5c at levels 0..63.
_R5_BY_LEVEL = (
    *(0, 0, 0, 0, 1, 1, 1, 1, 1, 1),  # 0-9
    *(2, 2, 2, 2, 2, 2, 3, 3, 3, 3),  # 10-19
    *(3, 3, 4, 4, 4, 4, 4, 4, 4, 5),  # 20-29
    *(5, 5, 5, 5, 5, 6, 6, 6, 6, 6),  # 30-39
    *(6, 7, 7, 7, 7, 8, 10, 11, 12, 13),  # 40-49
    *(15, 16, 17, 18, 20, 21, 22, 23, 25, 26),  # 50-59
    *(27, 28, 30, 31),  # 60-63
)
# R3x = R3c at levels 0..63.
_R3_BY_LEVEL = (
    *(0, 0, 0, 0, 0, 1, 1, 1, 1, 1),  # 0-9
    *(1, 1, 1, 1, 2, 2, 2, 2, 2, 2),  # 10-19
    *(2, 2, 3, 3, 3, 3, 3, 3, 3, 3),  # 20-29
    *(3, 4, 4, 4, 4, 4, 4, 4, 4, 4),  # 30-39
    *(5, 5, 5, 5, 5, 6, 6, 7, 7, 8),  # 40-49
    *(8, 9, 10, 10, 11, 11, 12, 13, 13, 14),  # 50-59
    *(14, 15, 15, 16),  # 60-63
)


def ief_level(level: int = DEFAULT_LEVEL) -> IefParameters:
    """Settings of the sharpness slider, 0 (changes nothing) to 63; 64 means 63. Raises StateError for other values."""
    if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= HIGHEST_LEVEL:
        raise StateError(f"the sharpness level must be an integer in 0..{HIGHEST_LEVEL}, found {level!r}")
    level = min(level, HIGHEST_LEVEL - 1)
    r3, r5 = _R3_BY_LEVEL[level], _R5_BY_LEVEL[level]
    return IefParameters(
        gain=level,
        strong_weight=7,
        regular_weight=2,
        non_edge_weight=1,
        strong_threshold=8,
        weak_threshold=1,
        r3x=r3,
        r3c=r3,
        r5x=r5,
        r5cx=r5,
        r5c=r5,
        noise_estimate=255,  # the driver's value for "no estimate"
    )


Slider = Literal["even", "driver"]


def even_level(level: int = DEFAULT_LEVEL) -> IefParameters:
    """Settings of texsamp's own slider, 0 to 64: the driver's level 44 with a gain in proportion to the level.

    Above 44 the strength also grows with the square, to 2.5 times that of 44 at 64; where the gain ends at 63, the
    coefficients double. Raises StateError as `ief_level`.
    """
    ief_level(level)  # refuses what is no level
    above = max(level - DEFAULT_LEVEL, 0)
    strength = level + 23 * above * above // 200
    settings = replace(ief_level(DEFAULT_LEVEL), gain=min(strength, 63))
    if strength <= 63:
        return settings
    r3, r5 = 2 * settings.r3x, 2 * settings.r5x
    return replace(settings, gain=(strength + 1) // 2, r3x=r3, r3c=r3, r5x=r5, r5cx=r5, r5c=r5)


IEF_PRESETS: Mapping[str, IefParameters] = MappingProxyType(
    {
        "doc": IefParameters(
            gain=40,
            strong_weight=7,
            regular_weight=2,
            non_edge_weight=1,
            strong_threshold=8,
            weak_threshold=1,
            r3x=6,
            r3c=15,
            r5x=9,
            r5cx=8,
            r5c=3,
        ),
        "ihd": IefParameters(
            gain=44,
            strong_weight=7,
            regular_weight=2,
            non_edge_weight=1,
            strong_threshold=8,
            weak_threshold=1,
            r3x=5,
            r3c=5,
            r5x=7,
            r5cx=7,
            r5c=7,
            noise_estimate=255,
        ),
    }
)


def ief_preset(name: str) -> IefParameters:
    """Settings of a named preset. Raises StateError for an unknown name, listing the known ones."""
    if name not in IEF_PRESETS:
        raise StateError(f"unknown IEF preset {name!r}; known are {', '.join(IEF_PRESETS)}")
    return IEF_PRESETS[name]
