"""Where the scaler samples: one position per output column or row, in 1/32 texel of the source plane.

``align=hardware`` is the manual's rule (texel centers at integers, no half-texel offset, phases truncated
from the nearest 1/256 texel);
``align=center`` is texsamp's: picture edges coincide, chroma keeps its siting, phases are rounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import StateError

PHASES = 32
_UNITS = 256
"""Of a texel, which the hardware's positions are rounded to."""
_BLOCK_PX = 16
MAX_SIZE_PX = 16384
"""Largest width and height of a surface (seed 003:3085-3100)."""

CHROMA_SITING_2X: dict[int, tuple[int, int]] = {
    0: (0, 1),
    1: (0, 1),
    2: (1, 1),
    3: (0, 0),
    4: (1, 0),
    5: (0, 2),
    6: (1, 2),
}
"""FFmpeg's chroma location to twice the (x, y) luma offset of the first chroma sample; unspecified (0) means left."""

Positions = NDArray[np.int32]


@dataclass(frozen=True)
class Axis:
    """One axis of a plane: luma sizes before and after, subsampling, siting, and how often the source was halved.

    ``siting_2x`` is twice the luma offset of the first chroma sample (0 = on the first luma sample, 1 = between the
    first two). ``halvings`` counts the exact 2:1 reductions a prefilter has already made.
    """

    src_px: int
    dst_px: int
    log2_subsampling: int = 0
    siting_2x: int = 0
    halvings: int = 0

    @property
    def count(self) -> int:
        """Samples of the output plane."""
        return -(-self.dst_px >> self.log2_subsampling)


def center_positions(axis: Axis) -> Positions:
    """Center-aligned positions, exact in integers, rounded to the nearest 1/32.

    An output chroma sample sits at luma ``c * 2**k + s``; the luma grids map as ``(x + 1/2) * src / dst - 1/2``.
    """
    k, double_s = axis.log2_subsampling, axis.siting_2x
    c = np.arange(axis.count, dtype=np.int64)
    # Source position times (dst * 2^(k+1)), plus 1/2 texel, so that halving the grid is a division.
    denominator = axis.dst_px << (k + 1)
    numerator = ((c << (k + 1)) + double_s + 1) * axis.src_px - (1 + double_s) * axis.dst_px + denominator // 2
    denominator <<= axis.halvings
    return _checked((2 * PHASES * numerator - PHASES * denominator + denominator) // (2 * denominator))


_DECIMALS = 6
"""Of a phase: what doubles add to a place that lies exactly between two phases must not decide, or symmetry is lost."""


def nonlinear_positions(axis: Axis, strength: float) -> Positions:
    """Center-aligned positions of an anamorphic stretch, symmetric about the middle of the picture.

    The step between samples changes linearly (the message's second derivative, seed 003:4806-4811): from
    ``1 - strength`` times the average step at the edges to ``1 + strength`` times it in the middle, so the middle keeps
    its shape and the sides are stretched. ``strength`` is in [0, 1).
    """
    if not 0 <= strength < 1:
        raise StateError(f"nonlinear must be at least 0 and below 1, found {strength}")
    siting = axis.siting_2x / 2
    luma = (np.arange(axis.count, dtype=np.float64) * 2**axis.log2_subsampling + siting + 0.5) / axis.dst_px
    side = np.minimum(luma, 1 - luma)
    stretched = (1 - strength) * side + 2 * strength * side * side
    source = np.where(luma <= 0.5, stretched, 1 - stretched) * axis.src_px - 0.5
    texel = (source - siting) / 2**axis.log2_subsampling
    places = ((texel + 0.5) / 2**axis.halvings - 0.5) * PHASES + 0.5
    return _checked(np.floor(places.round(_DECIMALS)).astype(np.int64))


def hardware_positions(u0: float, du: float, ddu: float, size_px: int, count: int) -> Positions:
    """Positions of the sample_8x8 message: ``U(x) = U0 + dU * x + ddU * x * (x - 1) / 2`` (seed 003:4806-4811).

    Coordinates are normalized and scaled to texels first, as U_nn and deltaU_nn are (003:1906-1925); the arithmetic is
    IEEE single precision in this order, rounded to 1/256 texel, of which the phase is truncated. Reconstructed: copies
    of every size are identities so, and 1/256 is the unit in which software corrects starts (003:5033-5048).
    """
    size = np.float32(size_px)
    u0_px, du_px, ddu_px = np.float32(u0) * size, np.float32(du) * size, np.float32(ddu) * size
    texels = _curve(u0_px, du_px, ddu_px, np.arange(count, dtype=np.float32))
    units = np.floor(texels * np.float32(_UNITS) + np.float32(0.5)).astype(np.int64)
    return _checked(units // (_UNITS // PHASES))


def hardware_positions_with_workaround(
    u0: float, du: float, ddu: float, size_px: int, count: int, *, ief_on: bool
) -> Positions:
    """Horizontal positions of a row sent as messages of 16 pixels, each start nudged as software must (seed 003:5033).

    A start just below a texel boundary would be counted to the next texel by the hardware; the documented workaround
    moves it back by 5/256 texel, any other start that is not within 1/256 below one forward by 1/256. With IEF on, the
    test looks at the leftmost pixel of IEF's own window.
    """
    first = np.arange(0, count, _BLOCK_PX, dtype=np.float32)
    start = _curve(np.float32(u0), np.float32(du), np.float32(ddu), first)
    step = np.float32(du) + np.float32(ddu) * first
    left = start - np.float32(2) * step + np.float32(3) * np.float32(ddu) if ief_on else start
    texel = left * np.float32(size_px)
    unit = np.float32(256) * np.float32(size_px)
    late = np.trunc(texel + np.float32(5 / 256)) > np.trunc(texel)
    early = np.trunc(texel + np.float32(255 / 256)) == np.trunc(texel)
    moved = np.where(late, start - np.float32(5) / unit, np.where(early, start + np.float32(1) / unit, start))
    blocks = [
        hardware_positions(float(moved[i]), float(step[i]), ddu, size_px, min(_BLOCK_PX, count - i * _BLOCK_PX))
        for i in range(len(first))
    ]
    return np.concatenate(blocks)


def _curve(u0: np.float32, du: np.float32, ddu: np.float32, x: NDArray[np.float32]) -> NDArray[np.float32]:
    second = ddu * x * (x - np.float32(1)) / np.float32(2)
    return np.asarray(u0 + du * x + second, dtype=np.float32)


def _checked(positions: NDArray[np.int64]) -> Positions:
    """As int32, clear of overflow: no picture is wider than MAX_SIZE_PX, so farther positions see only its edge."""
    limit = 4 * MAX_SIZE_PX * PHASES
    return np.clip(positions, -limit, limit).astype(np.int32)
