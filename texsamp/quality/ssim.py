"""Structural similarity over 8x8 windows, every 4 samples: the variant of FFmpeg's ``ssim`` filter.

Windows have no weights. A window lies at every multiple of 4, so columns and rows beyond the last multiple of 4 do not
count, as in FFmpeg. Wang et al., "Image quality assessment", IEEE Trans. Image Processing 13(4), 2004, eq. 13, with
K1 = 0.01 and K2 = 0.03, unbiased variances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.planes import Plane, check_pair

BLOCK = 4
WINDOW = 2 * BLOCK
_SAMPLES = WINDOW * WINDOW


def _window_sums(samples: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum over each 8x8 window, put together from four 4x4 blocks."""
    rows, columns = (size // BLOCK * BLOCK for size in samples.shape)
    blocks = samples[:rows, :columns].reshape(rows // BLOCK, BLOCK, columns // BLOCK, BLOCK).sum(axis=(1, 3))
    pairs = blocks[:-1] + blocks[1:]
    return np.asarray(pairs[:, :-1] + pairs[:, 1:])


def ssim(reference: Plane, distorted: Plane, max_value: int) -> float:
    """Mean SSIM of two planes whose samples reach ``max_value``: 1.0 for equal planes, lower for less alike ones.

    Planes smaller than a window are continued to 8 samples by repeating their last row and column.
    Raises FormatError if the planes do not match.
    """
    check_pair(reference, distorted)
    padding = [(0, max(WINDOW - size, 0)) for size in reference.shape]
    a = np.pad(reference.astype(np.int64), padding, mode="edge")
    b = np.pad(distorted.astype(np.int64), padding, mode="edge")
    sum_a, sum_b = _window_sums(a).astype(np.float64), _window_sums(b).astype(np.float64)
    sum_squares, sum_products = _window_sums(a * a + b * b), _window_sums(a * b)
    c1 = int(0.01 * 0.01 * max_value * max_value * _SAMPLES + 0.5)
    c2 = int(0.03 * 0.03 * max_value * max_value * _SAMPLES * (_SAMPLES - 1) + 0.5)
    means = sum_a * sum_a + sum_b * sum_b
    variances = sum_squares * _SAMPLES - means
    covariance = sum_products * _SAMPLES - sum_a * sum_b
    scores = (2 * sum_a * sum_b + c1) * (2 * covariance + c2) / ((means + c1) * (variances + c2))
    return float(scores.mean())
