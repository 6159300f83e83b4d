"""Sandy Bridge's image enhancement filters written out literally: one luma pixel at a time, unbounded Python integers.

Pages are those of the Sandy Bridge PRM, volume 4 part 1. Names are the manual's. What the pages leave open or print
with broken brackets is settled by texsamp's definitions (docs/fidelity.md) and marked so. Luma has 10 bits (page 61).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oracle.ief import E_h, E_v, Neighbor, convolve3x3

RING = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]
SPARSE_RING = [(2 * r, 2 * c) for r, c in RING]


@dataclass(frozen=True)
class DetailState:
    """Fields of the detail filter (pages 111 to 113), by default the documented ones."""

    gain: int = 40
    strong_weight: int = 7
    regular_weight: int = 2
    non_edge_weight: int = 1
    strong_threshold: int = 8
    weak_threshold: int = 1
    size: int = 5


@dataclass(frozen=True)
class CombinationState:
    """Fields of the combination mode (pages 112 to 115), by default the documented ones."""

    noise_estimate: int = 22
    r3c: int = 15
    r3x: int = 6
    r5c: int = 3
    r5cx: int = 8
    r5x: int = 9
    steepness_threshold: int = 0
    steepness_boost: bool = False
    ridge_threshold: int = 5
    ridge_boost: bool = False
    points: tuple[int, ...] = (4, 12, 16, 26, 40, 160)
    smooth_biases: tuple[int, ...] = (127, 98, 88, 64, 44, 0, 0)
    smooth_slopes: tuple[int, ...] = (-116, -20, -96, -32, -50, 0, 0)
    sharp_biases: tuple[int, ...] = (3, 32, 32, 58, 100, 108, 88)
    sharp_slopes: tuple[int, ...] = (116, 0, 104, 67, 9, -3, -15)
    max_limiter: int = 11
    min_limiter: int = 10
    limiter_boost: int = 0
    clip_limiter: int = 130


def local_adjust(y: Neighbor, state: DetailState) -> int:
    """EM of [DevSNB-Bstep] has 4 bits (page 63)."""
    edge = min(max((abs(convolve3x3(y, E_h)) + abs(convolve3x3(y, E_v)) + 4) >> 3, 0), 15)
    if edge > state.strong_threshold:
        return state.strong_weight
    if edge > state.weak_threshold:
        return state.regular_weight
    return state.non_edge_weight


def detail_pixel(y: Neighbor, state: DetailState) -> int:
    """Pages 63 and 64. The quotient is rounded down (texsamp's definition: m_DivTable is not printed)."""
    Xc = y(0, 0)
    sigma = 8 * Xc - sum(y(r, c) for r, c in (RING if state.size == 3 else SPARSE_RING))
    SrcPrecision = 10
    min_clip = -1 << (5 + SrcPrecision - 8)
    max_clip = (1 << (5 + SrcPrecision - 8)) - 1
    clipped_sigma = min(max(sigma, min_clip), max_clip)
    nh9 = [y(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1)]
    diff3 = max(nh9) - min(nh9)
    Delta = (clipped_sigma * state.gain * local_adjust(y, state) + 64) // (128 * min(max(8 + diff3, 0), 255))
    return min(max(Xc + Delta, 0), 1023)


def pwl(diff: int, points: Sequence[int], bias: Sequence[int], slope: Sequence[int]) -> int:
    """PWL of 8 points (page 65), 0 and 255 at the ends.

    Slopes are S3.4, so they are divided by 16; the page's 8 would make the default curve jump (texsamp's definition).
    The last segment serves diff = 255 too, whose bias does not exist.
    """
    Point = (0, *points)
    i = max(k for k in range(7) if Point[k] <= diff)
    return min(max((diff - Point[i]) * slope[i] // 16 + bias[i], 0), 255)


def combination_pixel(y10: Neighbor, state: CombinationState) -> int:
    """Pages 64 to 69. What is named 8.0u there is measured on the 8 MSB (texsamp's definition)."""

    def y(r: int, c: int) -> int:
        return y10(r, c) >> 2

    window5 = [(r, c) for r in range(-2, 3) for c in range(-2, 3)]
    window3 = [(r, c) for r in range(-1, 2) for c in range(-1, 2)]
    max5, min5 = max(y(*at) for at in window5), min(y(*at) for at in window5)
    max3, min3 = max(y(*at) for at in window3), min(y(*at) for at in window3)
    diff5, diff3 = max5 - min5, max3 - min3

    # gradient analysis
    norm_grad = []
    for r in range(-2, 2):
        for c in range(-2, 2):
            dx = y(r, c) - y(r, c + 1) + y(r + 1, c) - y(r + 1, c + 1)
            dy = y(r, c) + y(r, c + 1) - y(r + 1, c) - y(r + 1, c + 1)
            norm_grad.append(abs(dx) + abs(dy))
    MaxNorm = max(norm_grad)
    tot_norm = sum(norm_grad)
    tot_norm -= 23 * (max5 - min5) >> 1
    tot_norm = max(tot_norm, 0)
    MR = min(5 * (tot_norm // 8) // (max5 - min5 + 1), 15)
    Dif5_mod = 3 * (max5 - min5) // 8 + 1
    max_norm_mod = max((2 * MaxNorm - Dif5_mod) // 4, 0)
    Steepness = min(max_norm_mod // Dif5_mod, 15)

    # the diff by the noise; brackets repaired (texsamp's definition)
    GN1 = state.noise_estimate
    modify_diff5 = diff5 - GN1
    modify_diff3 = max(diff3 - GN1, 0)
    diff = min(max(modify_diff5, modify_diff3 + modify_diff3 // 2, 1), 255)
    if diff > state.points[2]:
        diff = max(min(modify_diff5, modify_diff3 + (modify_diff3 >> 1)), 0)
    sharp_strength = pwl(diff, state.points, state.sharp_biases, state.sharp_slopes)
    smooth_strength = pwl(diff, state.points, state.smooth_biases, state.smooth_slopes)
    steepness = Steepness - max(8 - diff3 // 2, 0)
    # "uses it only when greater than this threshold" (page 113)
    boost = max(MR - state.ridge_threshold, 0) * state.ridge_boost
    boost += max(steepness - state.steepness_threshold, 0) * state.steepness_boost
    sharp_strength = sharp_strength * (16 - min(boost, 15)) // 16

    def D(i: int, j: int) -> int:  # noqa: N802 - the manual's name
        return y10(i, j) - y10(0, 0)

    # coefficients are U0.5; 2 fraction bits are left ("12.2u round 3 lsb")
    Sharp = (
        state.r5c * (D(2, 0) + D(-2, 0) + D(0, -2) + D(0, 2))
        + state.r5x * (D(2, 2) + D(-2, 2) + D(2, -2) + D(-2, -2))
        + state.r5cx * (D(2, 1) + D(-2, 1) + D(1, -2) + D(-1, -2) + D(-2, -1) + D(2, -1) + D(1, 2) + D(-1, 2))
    )
    Sharp = (Sharp + 4) >> 3
    # kept neighbors; NZ[n] = 1 / n (texsamp's definition: the table is not printed), in 1/12 here
    sums, counts = [0, 0], [0, 0]
    for i, j in window3:
        if (i or j) and abs(D(i, j)) < GN1 << 2:
            sums[i == 0 or j == 0] += D(i, j)
            counts[i == 0 or j == 0] += 1
    twelfths = 0
    for kind, r3 in enumerate((state.r3x, state.r3c)):
        if counts[kind]:
            twelfths += r3 * sums[kind] * (12 // counts[kind])
    Smooth = (twelfths + 48) // 96

    # strengths are U0.8 here, so that 10 bits are dropped ("11.0s round 10bits")
    filtering = (-sharp_strength * Sharp + smooth_strength * Smooth + 512) >> 10
    Output_pixel = y10(0, 0) + filtering
    max5, min5 = max(y10(*at) for at in window5), min(y10(*at) for at in window5)
    max3, min3 = max(y10(*at) for at in window3), min(y10(*at) for at in window3)
    if Output_pixel > max5:
        Output_pixel = ((Output_pixel - max5) * state.max_limiter >> 4) + max5
        Output_pixel = min(max5 + state.clip_limiter + ((max5 - max3) * state.limiter_boost >> 4), Output_pixel)
    elif Output_pixel < min5:  # printed "< max5", and min5 - min3 below (texsamp's definition: mirrored)
        Output_pixel = min5 - ((min5 - Output_pixel) * state.min_limiter >> 4)
        Output_pixel = max(min5 - (state.clip_limiter + ((min3 - min5) * state.limiter_boost >> 4)), Output_pixel)
    return min(max(Output_pixel, 0), 1023)


def ief_gen6(luma: np.ndarray, state: DetailState | CombinationState, *, bits: int = 8) -> np.ndarray:
    """Filter an 8- or 10-bit luma plane; an int64 array of the same shape and depth. Texels outside repeat the edge."""
    samples = [[int(value) for value in row] for row in np.asarray(luma)]
    to_10_bits = {8: 2, 10: 0}[bits]
    height, width = len(samples), len(samples[0])
    result = np.zeros((height, width), dtype=np.int64)
    for row in range(height):
        for column in range(width):

            def y(r: int, c: int, row: int = row, column: int = column) -> int:
                return samples[min(max(row + r, 0), height - 1)][min(max(column + c, 0), width - 1)] << to_10_bits

            out = detail_pixel(y, state) if isinstance(state, DetailState) else combination_pixel(y, state)
            result[row, column] = min((out + 2) >> 2, 255) if bits == 8 else out
    return result
