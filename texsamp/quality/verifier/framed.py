"""Levels of a plane in a frame of what lies beyond their edges, so that a sample's texels are always side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.axes import INSIDE, texel_of_index
from texsamp.quality.verifier.footprint import bordered
from texsamp.quality.verifier.texture import CHANNELS, Rules, Texture

SIDE = 2
"""Texels on each side: both of a sample may lie beyond an edge."""


@dataclass(frozen=True)
class Framed:
    """A level. texels: of each slice, row by row: codes as lanes of 16 bits, floats as (texels, 4).

    signed: whether floats may be negative; vanish: whether one is too small for 32 bits. size: columns and rows without
    the frame. row, area: texels from one row, and slice, to the next.
    """

    texels: NDArray[Any]
    signed: bool
    vanish: bool
    size: tuple[int, int]
    row: int
    area: int


def framed(texture: Texture, rules: Rules, level: int) -> Framed:
    """A level of a texture of finite numbers, in the frame of its address modes; made once."""
    made: Framed = texture.kept((level, rules.address[:2], rules.border), lambda: _framed(texture, rules, level))
    return made


def _framed(texture: Texture, rules: Rules, level: int) -> Framed:
    given = texture.level(level)
    slices, height, width = given.shape[:3]
    (columns, across), (rows, down) = (
        texel_of_index(np.arange(-SIDE, count + SIDE), np.array(count), mode)
        for count, mode in zip((width, height), rules.address, strict=False)
    )
    kind = np.dtype("<u2") if texture.has_codes else np.dtype(np.float32)
    texels = np.empty((slices, len(rows), len(columns), CHANNELS), kind)
    texels[:, SIDE:-SIDE, SIDE:-SIDE] = given
    sides = np.r_[:SIDE, -SIDE:0]
    texels[:, sides] = given[:, rows[sides]][:, :, columns]
    texels[:, :, sides] = given[:, :, columns[sides]][:, rows]
    outside = np.maximum.outer(down, across)
    beyond = outside != INSIDE
    vanish = False
    if beyond.any():
        one = 255.0 if texture.has_codes else 1.0
        where = np.broadcast_to(outside[beyond], (slices, int(beyond.sum()))).ravel()
        colors = texels[:, beyond].reshape(-1, CHANNELS).astype(np.float64) / one
        colors = bordered(colors, [where], texture, rules, snap=True) * one
        if texture.has_codes:
            colors = np.rint(colors)
        else:
            single = colors.astype(np.float32)
            texels = texels.astype(np.float32 if (single == colors).all() else np.float64, copy=False)
            vanish = bool(((single == 0) & (colors != 0)).any())
        texels[:, beyond] = colors.reshape(slices, -1, CHANNELS)
    flat = texels.reshape(-1, CHANNELS)
    lanes = flat.view("<u8")[:, 0] if texture.has_codes else flat
    signed = min(texture.least, *rules.border) < 0
    return Framed(lanes, signed, vanish, (width, height), len(columns), len(columns) * len(rows))
