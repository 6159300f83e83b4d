"""A generated clip with detail in every direction and at every size: for demonstrations, benchmarks and tests."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from texsamp.device import get_device
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.frame import ColorTags, Frame

Plane = np.ndarray[Any, np.dtype[np.uint8]]

# A 5 x 7 dot font's letters of "TEXSAMP", one row of dots a number.
_GLYPHS = (
    (31, 4, 4, 4, 4, 4, 4),
    (31, 16, 16, 30, 16, 16, 31),
    (17, 10, 10, 4, 10, 10, 17),
    (15, 16, 16, 14, 1, 1, 30),
    (14, 17, 17, 31, 17, 17, 17),
    (17, 27, 21, 21, 17, 17, 17),
    (30, 17, 17, 30, 16, 16, 16),
)
_GLYPH_ROWS, _GLYPH_COLUMNS = 7, 6


def _text_mask() -> np.ndarray[Any, np.dtype[np.bool_]]:
    rows = [[bool(glyph[r] >> (4 - c) & 1) for glyph in _GLYPHS for c in range(-1, 5)] for r in range(_GLYPH_ROWS)]
    return np.array(rows)


def _luma(width_px: int, height_px: int, time: float) -> Plane:
    """A zone plate whose phase moves, a band of small text that scrolls, and a smooth ramp; limited range."""
    x = np.arange(width_px, dtype=np.float64)[None, :] - width_px / 2
    y = np.arange(height_px, dtype=np.float64)[:, None] - height_px / 2
    # The frequency reaches half the sampling rate where the shorter side ends.
    plate = np.cos(np.pi * (x * x + y * y) / max(1, min(width_px, height_px)) + 2 * np.pi * time)
    luma = np.rint(126 + 90 * plate)
    ramp_rows, text_rows = height_px // 8, max(height_px // 6, 1)
    if ramp_rows:
        luma[-ramp_rows:] = np.rint(16 + 219 * (x + width_px / 2) / max(1, width_px - 1))
    mask = _text_mask()
    dot_px = max(1, text_rows // (_GLYPH_ROWS + 2))
    rows = np.arange(text_rows) // dot_px - 1
    columns = (np.arange(width_px) + int(time * 24 * dot_px)) // dot_px % mask.shape[1]
    inside = (rows >= 0) & (rows < _GLYPH_ROWS)
    luma[:text_rows] = np.where(inside[:, None] & mask[np.clip(rows, 0, _GLYPH_ROWS - 1)][:, columns], 235, 40)
    result: Plane = luma.astype(np.uint8)
    return result


def _chroma(width_px: int, height_px: int, time: float) -> tuple[Plane, Plane]:
    """Two ramps that turn with time."""
    x = np.linspace(-1, 1, width_px)[None, :]
    y = np.linspace(-1, 1, height_px)[:, None]
    c, s = np.cos(time), np.sin(time)
    u, v = np.rint(128 + 56 * (c * x + s * y)), np.rint(128 + 56 * (c * y - s * x))
    return u.astype(np.uint8), v.astype(np.uint8)


def pattern_clip(
    width_px: int, height_px: int, frames: int, rate: Fraction | int = 25, interlaced: bool = False
) -> Iterator[Frame]:
    """Frames of 8-bit 4:2:0 at ``rate`` frames per second, in CPU memory; the same ones every time.

    With ``interlaced``, the two fields of a frame are half a frame apart in time, top field first.
    """
    rate = Fraction(rate)
    layout = PIXEL_LAYOUTS["yuv420p"]
    columns, rows = layout.component_size("U", width_px, height_px)
    for number in range(frames):
        planes = [_luma(width_px, height_px, number / 25), *_chroma(columns, rows, number / 25)]
        if interlaced:
            later = number / 25 + 1 / 50
            for plane, second in zip(
                planes, (_luma(width_px, height_px, later), *_chroma(columns, rows, later)), strict=True
            ):
                plane[1::2] = second[1::2]
        yield Frame(
            layout,
            width_px,
            height_px,
            tuple(planes),
            get_device("cpu"),
            pts=number,
            duration=1,
            time_base=1 / rate,
            interlaced=interlaced,
            top_field_first=True if interlaced else None,
            repeat_fields=0,
            sample_aspect=Fraction(1),
            color=ColorTags(matrix=1, primaries=1, transfer=1, full_range=False, chroma_location=1),
        )
