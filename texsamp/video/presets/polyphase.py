"""Interpolation kernels sampled at 32 phases, and their rounding to the 1/64 steps of the coefficient tables.

Tap j of a row lies at distance j - 3 - phase/32 texels from the sampled position, because the 8 taps start at
floor(u) - 3 (seed 003:1604) and the fraction of u, truncated to 5 bits, selects the row (seed 003:1606-1608).
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

PHASES = 32
TAPS = 8
ONE = 64
"""1.0 in the S1.6 format of a coefficient."""

Kernel = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Distance in texels -> weight; need not be normalized."""


def lanczos(lobes: float) -> Kernel:
    """sinc(x) windowed by its own central lobe stretched to `lobes` texels."""
    return lambda x: np.where(np.abs(x) < lobes, np.sinc(x) * np.sinc(x / lobes), 0.0)


def catmull_rom(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keys' cubic convolution with a = -1/2 (IEEE Trans. ASSP 29(6), 1981)."""
    d = np.abs(x)
    inner = (1.5 * d - 2.5) * d * d + 1.0
    outer = ((-0.5 * d + 2.5) * d - 4.0) * d + 2.0
    return np.where(d < 1, inner, np.where(d < 2, outer, 0.0))


def triangle(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Linear interpolation."""
    return np.maximum(0.0, 1.0 - np.abs(x))


def distances(phase: int) -> NDArray[np.float64]:
    """Distance of each of the 8 taps from the position sampled at `phase`, in texels."""
    return np.arange(TAPS, dtype=np.float64) - (3 + phase / PHASES)


def mirrored(rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """Complete stored rows 0..16 to 32: row p > 16 is row 32 - p with its taps reversed, as on Gen7."""
    return np.concatenate([rows, rows[PHASES // 2 - 1 : 0 : -1, ::-1]])


# Interpolation error is judged where natural pictures have energy and where a kernel can follow a delay at all:
# power falling as 1/f^2 from a corner at 1/20 cycle per sample, nothing above 0.35.
_FREQUENCY = (np.arange(256) + 0.5) / 256 * 0.35
_POWER = 1.0 / (_FREQUENCY**2 + 0.05**2)


def _correlation(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlation of two samples of a natural signal `distance` texels apart."""
    cosine = np.cos(2 * np.pi * distance[..., np.newaxis] * _FREQUENCY)
    return np.asarray((cosine * _POWER).sum(axis=-1) / _POWER.sum())


_TAP_CORRELATION = _correlation(np.subtract.outer(np.arange(TAPS, dtype=np.float64), np.arange(TAPS, dtype=np.float64)))


def interpolation_error(row: NDArray[np.int16] | NDArray[np.float64], phase: int) -> float:
    """Expected squared error of interpolating a natural signal of unit power with a row in 1/64 steps (8 taps)."""
    c = np.asarray(row, dtype=np.float64) / ONE
    return float(c @ _TAP_CORRELATION @ c - 2 * c @ _correlation(distances(phase)) + 1.0)


def round_row(row: NDArray[np.float64], phase: int) -> NDArray[np.int16]:
    """Round a normalized row to 1/64 steps with sum 64, keeping every tap within one step of its exact value.

    Of all ways to round the taps down or up, take the one with the least `interpolation_error`; at phase 16 only
    symmetric rows compete, so that the row is its own mirror. Rounding errors of the taps then compensate
    each other at low frequencies instead of being dumped on the center tap.
    """
    exact = row * ONE
    near = np.rint(exact)
    exact = np.where(np.abs(exact - near) < 1e-9, near, exact)
    choices = [sorted({math.floor(c), math.ceil(c)}) for c in exact]
    if phase == PHASES // 2:
        halves = itertools.product(*choices[: TAPS // 2])
        candidates = [half + half[::-1] for half in halves if 2 * sum(half) == ONE]
    else:
        candidates = [taps for taps in itertools.product(*choices) if sum(taps) == ONE]
    rows = [np.array(taps, dtype=np.int16) for taps in candidates]
    return min(rows, key=lambda taps: interpolation_error(taps, phase))


def rounded_table(kernel: Kernel) -> NDArray[np.int16]:
    """All 32 rows of a kernel of at most 8 texels support, in 1/64 steps, shape (32, 8), symmetric in phase."""
    rows = []
    for phase in range(PHASES // 2 + 1):
        weights = kernel(distances(phase))
        rows.append(round_row(weights / weights.sum(), phase))
    return mirrored(np.stack(rows))
