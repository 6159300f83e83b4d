"""Levels in a frame of what lies beyond their edges, so that a sample's texels are always side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.axes import INSIDE, texel_of_index
from texsamp.quality.verifier.footprint import Where, bordered, fetch_cube
from texsamp.quality.verifier.texture import CHANNELS, Flags, Numbers, Rules, Texture

SIDE = 2
"""Texels on each side: both of a sample may lie beyond an edge."""


@dataclass(frozen=True)
class Framed:
    """A level. texels: of each slice, row by row: codes as lanes of 16 bits, floats as (texels, 4).

    signed: whether floats may be negative; vanish: whether one is too small for 32 bits. size: columns and rows without
    the frame. modes: across and down. row, area: texels from one row, and slice, to the next.
    """

    texels: NDArray[Any]
    signed: bool
    vanish: bool
    size: tuple[int, int]
    modes: tuple[str, str]
    row: int
    area: int


def framed(texture: Texture, rules: Rules, level: int, single: bool) -> Framed:
    """A level of a texture of finite numbers, in the frame of its address modes; made once.

    single: floats have 32 bits; else 64, if some of the frame do not fit into fewer.
    """
    what = level, rules.address[:2], rules.border, single
    made: Framed = texture.kept(what, lambda: _framed(texture, rules, level, single))
    return made


def _framed(texture: Texture, rules: Rules, level: int, single: bool) -> Framed:
    given = texture.level(level)
    slices, height, width = given.shape[:3]
    is_seamless = texture.type == "CUBE" and rules.address[0] == "cube"
    modes = ("cube", "cube") if is_seamless else (rules.address[0], rules.address[1] if texture.axes > 1 else "clamp")
    (columns, across), (rows, down) = (
        texel_of_index(np.arange(-SIDE, count + SIDE), np.array(count), mode)
        for count, mode in zip((width, height), modes, strict=True)
    )
    kind = np.dtype("<u2") if texture.has_codes else np.dtype(np.float32)
    texels = np.empty((slices, len(rows), len(columns), CHANNELS), kind)
    texels[:, SIDE:-SIDE, SIDE:-SIDE] = given
    sides = np.r_[:SIDE, -SIDE:0]
    texels[:, sides] = given[:, rows[sides]][:, :, columns]
    texels[:, :, sides] = given[:, :, columns[sides]][:, rows]
    outside = np.broadcast_to(np.maximum.outer(down, across), texels.shape[:3])
    beyond, vanish = outside != INSIDE, False
    if is_seamless:
        beyond = np.ones(texels.shape[:3], bool)
        beyond[:, SIDE:-SIDE, SIDE:-SIDE] = False
    if beyond.any():
        if is_seamless:
            colors = _of_neighbors(texture, level, beyond)
        else:
            colors = texels[beyond].astype(np.float64) / (255.0 if texture.has_codes else 1.0)
            colors = bordered(colors, [outside[beyond]], texture, rules, snap=True)
        if texture.has_codes:
            colors = np.rint(colors * 255)
        else:
            rounded = colors.astype(np.float32)
            vanish = bool(((rounded == 0) & (colors != 0)).any())
            if not single and (rounded != colors).any():
                texels = texels.astype(np.float64)
        texels[beyond] = colors
    flat = texels.reshape(-1, CHANNELS)
    lanes = flat.view("<u8")[:, 0] if texture.has_codes else flat
    signed = min(texture.least, *rules.border) < 0
    return Framed(lanes, signed, vanish, (width, height), modes, len(columns), len(columns) * len(rows))


def _of_neighbors(texture: Texture, level: int, beyond: Flags) -> Numbers:
    """What lies beyond the edges of the faces of seamless cubes."""
    slices, rows, columns = beyond.nonzero()
    size = np.full(slices.shape, texture.sizes[level, 0])
    at = Where(np.full(slices.shape, level), slices // 6, slices % 6, np.zeros(slices.shape, np.float32))
    return fetch_cube(texture, at, [columns - SIDE, rows - SIDE], size, True, texture.numbers)[0]
