"""Where the pixels of sample_8x8 blocks are in the source, in 1/32 texel (seed 003:4802-4813, 4996-5052).

A message's coordinates are normalized. They are scaled to texels first, each in single precision (the manual's own
conditions on them are in these terms: U_nn = U * width, deltaU_nn = deltaU * width, 003:1906-1925), then
`U(x) = U + dU * x + ddU * x * (x - 1) / 2` is single precision too. It is rounded to 1/256 texel, of which the phase is
truncated. Reconstructed: rows of copies are identities at every size so; without, a row of 1080 that single precision
puts just below a texel would be a phase off. 1/256 is what software has to correct starts by (003:5033-5048).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError

_UNITS, _UNITS_OF_A_PHASE = np.float32(256), 8
FARTHEST = np.float32(1 << 21)
"""In 1/32 texel: farther away only the edge can be seen, as no surface is larger than 16384."""


def block_positions(
    start: NDArray[np.float32],
    step: NDArray[np.float32],
    second: NDArray[np.float32],
    size_px: int,
    pixels: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Positions of blocks, shape of `pixels` (blocks, pixels of a block): numbers of the pixels from the start on.

    start, step and second derivative are normalized, one per block; negative steps count as 0 (003:5005, 5014).
    CaptureError if a value is no number or positions go back inside a block, which is not executed.
    """
    if not (np.isfinite(start).all() and np.isfinite(step).all() and np.isfinite(second).all()):
        raise CaptureError("sample_8x8 at positions that are no numbers")
    size, x = np.float32(size_px), pixels.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        texels = [values[:, None] * size for values in (start, np.maximum(step, np.float32(0)), second)]
        curve = texels[2] * x * (x - np.float32(1)) / np.float32(2)
        scaled = (texels[0] + texels[1] * x + curve) * _UNITS + np.float32(0.5)
    if np.isnan(scaled).any():
        raise CaptureError("sample_8x8 at positions that are no numbers")
    farthest = FARTHEST * _UNITS_OF_A_PHASE
    positions = np.floor(np.clip(scaled, -farthest, farthest)).astype(np.int32) // _UNITS_OF_A_PHASE
    if (np.diff(positions, axis=1) < 0).any():
        raise CaptureError("sample_8x8 with positions that go back inside a block is not executed")
    return positions
