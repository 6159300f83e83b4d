"""The image enhancement filter written out literally: one luma pixel at a time, unbounded Python integers.

Line numbers are those of seed 003. What the torn manual leaves open is settled by texsamp's definitions and marked so.
The delta drops 16 fraction bits: of 14, 16 and 17 only 16 matches the published strength of the hardware's sharpening.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Neighbor = Callable[[int, int], int]
"""10-bit sample at (row, column) relative to the pixel filtered."""


@dataclass(frozen=True)
class IefState:
    """SAMPLER_STATE for sample_8x8 (3541-3667); the default is the document's 0D090801h, 721A03C6h (3545)."""

    gain: int = 40
    strong_weight: int = 7
    regular_weight: int = 2
    non_edge_weight: int = 1
    strong_threshold: int = 8
    weak_threshold: int = 1
    r3x: int = 6
    r3c: int = 15
    r5x: int = 9
    r5cx: int = 8
    r5c: int = 3
    smooth: bool = False
    noise_estimate: int = 0
    combine: str = "difference"


E_h = ((-1, -2, -1), (0, 0, 0), (1, 2, 1))
E_v = ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1))
"""Sobel kernels (1663-1667)."""

DIAGONAL_3X3 = ((-1, -1), (-1, 1), (1, -1), (1, 1))
AXIAL_3X3 = ((-1, 0), (0, -1), (0, 1), (1, 0))
CORNERS_5X5 = ((-2, -2), (-2, 2), (2, -2), (2, 2))
AXIAL_5X5 = ((-2, 0), (0, -2), (0, 2), (2, 0))
OTHERS_5X5 = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
"""The "IEF map" is lost; which coefficient weighs which neighbor is texsamp's definition."""


def convolve3x3(NH9: Neighbor, kernel: Sequence[Sequence[int]]) -> int:
    """NH9(x) * E: the 3x3 neighborhood against a kernel."""
    return sum(kernel[r + 1][c + 1] * NH9(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1))


def edge_metric(y: Neighbor) -> int:
    """EM(x) = clip((|NH9 * E_h| + |NH9 * E_v| + 4) >> 3, 0, 63) on 10-bit input (1671)."""
    return min(max((abs(convolve3x3(y, E_h)) + abs(convolve3x3(y, E_v)) + 4) >> 3, 0), 63)


def local_adjust(em: int, state: IefState) -> int:
    """Weight by the kind of edge (1673-1677)."""
    if em > state.strong_threshold:
        return state.strong_weight
    if em > state.weak_threshold:
        return state.regular_weight
    return state.non_edge_weight


def difference_sum(y: Neighbor, where: Sequence[tuple[int, int]]) -> int:
    """Sum of center minus neighbor."""
    return sum(y(0, 0) - y(r, c) for r, c in where)


def detail_delta(y: Neighbor, state: IefState) -> int:
    """What detail filtering adds to the pixel: 3x3 and 5x5 filter combined, weighted by the edge (1681-1683)."""
    S3 = state.r3x * difference_sum(y, DIAGONAL_3X3) + state.r3c * difference_sum(y, AXIAL_3X3)
    S5 = (
        state.r5x * difference_sum(y, CORNERS_5X5)
        + state.r5c * difference_sum(y, AXIAL_5X5)
        + state.r5cx * difference_sum(y, OTHERS_5X5)
    )
    LD = {"difference": S5 - S3, "sum": S5 + S3}[state.combine]
    return (LD * state.gain * local_adjust(edge_metric(y), state) + 32768) >> 16


def skin_tone_delta(delta: int, std_score: int) -> int:
    """The delta adjusted by the 5-bit skin tone score (1687): 0 = no skin, 31 = nothing is added."""
    magnitude = abs(delta) * (31 - std_score) // 31
    return magnitude if delta >= 0 else -magnitude


def smooth_pixel(y: Neighbor, state: IefState) -> int:
    """IEF4Smooth, a content adaptive smooth filter on the 3x3 region (3627-3631); texsamp's definition."""
    threshold = max(4, state.noise_estimate) << 2
    sum_w = 0
    sum_w_y = 0
    for where, weight in ((DIAGONAL_3X3, state.r3x), (AXIAL_3X3, state.r3c)):
        for r, c in where:
            if abs(y(r, c) - y(0, 0)) < threshold:
                sum_w += weight
                sum_w_y += weight * y(r, c)
    return min(max(((128 - sum_w) * y(0, 0) + sum_w_y + 64) >> 7, 0), 1023)


def ief(
    luma: np.ndarray,
    state: IefState | None = None,
    *,
    bits: int = 8,
    std_score: np.ndarray | None = None,
    bypass: bool = False,
) -> np.ndarray:
    """Filter an 8- or 10-bit luma plane; the result is an int64 array of the same shape and depth.

    `std_score` is the skin tone score per pixel, 0..31 (detail filtering only). Texels outside repeat the edge.
    """
    state = state or IefState()
    samples = [[int(value) for value in row] for row in np.asarray(luma)]
    if bypass:
        return np.array(samples, dtype=np.int64)
    to_10_bits = {8: 2, 10: 0}[bits]
    height, width = len(samples), len(samples[0])
    result = np.zeros((height, width), dtype=np.int64)
    for row in range(height):
        for column in range(width):

            def y(r: int, c: int, row: int = row, column: int = column) -> int:
                return samples[min(max(row + r, 0), height - 1)][min(max(column + c, 0), width - 1)] << to_10_bits

            if state.smooth:
                out10 = smooth_pixel(y, state)
            else:
                delta = detail_delta(y, state)
                if std_score is not None:
                    delta = skin_tone_delta(delta, int(std_score[row][column]))
                out10 = min(max(y(0, 0) + delta, 0), 1023)
            result[row, column] = min((out10 + 2) >> 2, 255) if bits == 8 else out10
    return result
