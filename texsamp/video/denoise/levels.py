"""Denoise levels 0 to 64: the table behind media-driver's slider.

Source of every number: intel media-driver `media_driver/agnostic/gen8/vp/hal/vphal_render_vebox_g8_base.cpp:56-185`.
"""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.errors import StateError
from texsamp.video.denoise.parameters import DenoiseParameters

HIGHEST_LEVEL = 64


@dataclass(frozen=True)
class _Row:
    """What the slider sets from a level on; scm_th is tasd_th."""

    first: int
    tasd_th: int
    delta: int
    stad_th: int
    mp_th: int
    low: int
    th: int


_ROWS = (
    #    level  ASD delta STAD MP LTD TD
    _Row(0, 32, 8, 128, 0, 0, 0),
    _Row(48, 38, 7, 140, 1, 7, 13),
    _Row(56, 39, 7, 140, 1, 7, 13),
    _Row(64, 40, 8, 140, 2, 8, 14),
)
_TEMPORAL = 48
"""The first level that filters in time; from it on the maximum history and the STAD threshold grow."""


def level_parameters(level: int) -> DenoiseParameters:
    """The luma constants of a level, 1 to 64. Raises StateError for other values."""
    if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= HIGHEST_LEVEL:
        raise StateError(f"the denoise level must be an integer in 0..{HIGHEST_LEVEL}, found {level!r}")
    row = next(row for row in reversed(_ROWS) if level >= row.first)
    over = max(level - _TEMPORAL, 0)
    return DenoiseParameters(
        stad_th=row.stad_th + over // 4,
        mp_th=row.mp_th,
        tasd_th=row.tasd_th,
        scm_th=row.tasd_th,
        history_max=192 + over,
        delta=row.delta,
        th=row.th,
        low=row.low,
        gn_th=level >> 2,
    )
