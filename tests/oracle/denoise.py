"""Denoise, written out as docs/denoise.md numbers it (seed 003:799-978, 1566-1575): scalar, slow, one pixel at a time.

Pictures are lists or arrays of rows of integers. Nothing here is shared with the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy as np

GN_Q_TABLE = (2048, 1024, 682, 512, 409, 341, 292, 256, 227)
Q_TABLE = (1024, 512, 341, 256, 205, 171, 146, 128, 114, 102, 93, 85, 79, 73, 68, 64)


@dataclass(frozen=True)
class DnState:
    """Fields of DEINTERLACE_SAMPLER_STATE under the names of the equations, in 8-bit steps."""

    stad_th: int = 140
    mp_th: int = 1
    tasd_th: int = 38
    scm_th: int = 38
    history_max: int = 192
    delta: int = 7
    th: int = 13
    low: int = 7
    gn_th: int = 12
    edge_th: int = 1
    nn_th: int = 20
    progressive: bool = True
    bits: int = 8
    gn_q: tuple[int, ...] = GN_Q_TABLE
    gn_shift: int = 11
    q: tuple[int, ...] = Q_TABLE

    def scaled(self, value: int) -> int:
        """A threshold at the depth of the samples."""
        return value << (self.bits - 8)


@dataclass
class DnResult:
    """Denoised picture, history, and per block STAD, MP, TASD, SHCM, SVCM."""

    picture: np.ndarray
    history: np.ndarray
    statistics: np.ndarray


def at(picture, x: int, y: int, progressive: bool) -> int:
    """N2: a sample of the picture, or the nearest one for places beyond it."""
    height, width = len(picture), len(picture[0])
    step = 1 if progressive else 2
    while y < 0:
        y += step
    while y >= height:
        y -= step
    y = max(y, 0)  # a field without lines
    return int(picture[y][min(max(x, 0), width - 1)])


def neighborhood(picture, x: int, y: int, progressive: bool) -> list[int]:
    """N1: row by row."""
    s = 1 if progressive else 2
    return [at(picture, x + i, y + j, progressive) for j in (-s, 0, s) for i in (-1, 0, 1)]


def block_statistics(c, p, bx: int, by: int, state: DnState) -> tuple[int, int, int, int, int]:
    """E1 to E5 of the 4x4 block in block column bx and block row by."""

    def curr(x: int, y: int) -> int:
        return at(c, 4 * bx + x, 4 * by + y, state.progressive)

    stad = mp = signed = shcm = svcm = 0
    for y in range(4):
        for x in range(4):
            if p is not None:
                difference = curr(x, y) - at(p, 4 * bx + x, 4 * by + y, state.progressive)
                stad += abs(difference)
                mp += abs(difference) >= state.scaled(state.th)
                signed += difference
            if x < 3:
                shcm += abs(curr(x, y) - curr(x + 1, y))
            if y < 3:
                svcm += abs(curr(x, y) - curr(x, y + 1))
    return stad, mp, abs(signed), shcm, svcm


def updated_history(history: int, moving: bool, tasd: int, scm: int, state: DnState) -> int:
    """E7."""
    if moving:
        return history // 2 if history >= 128 else 0
    if history < 128:
        new = 128
    elif history < state.history_max:
        new = history + state.delta
    else:
        new = history
    if tasd > state.scaled(state.tasd_th) and scm < state.scaled(state.scm_th):
        new = 128
    return new


def spatial(pixels: list[int], state: DnState) -> int:
    """E9."""
    here = pixels[4]
    good = [v for v in pixels if abs(v - here) <= state.scaled(state.gn_th)]
    return ((sum(good) + (len(good) >> 1)) * state.gn_q[len(good) - 1]) >> state.gn_shift


def blended(pixels: list[int], before: int, history: int, moving: bool, state: DnState) -> int:
    """E8, E10, E11."""
    here = pixels[4]
    th, low = state.scaled(state.th), state.scaled(state.low)
    difference = abs(here - before)
    spatial_denoised = spatial(pixels, state)
    temporal_denoised = (history * before + (256 - history) * here + 128) >> 8
    block_max, block_min = max(pixels), min(pixels)
    if temporal_denoised >= block_max:
        temporal_denoised = (temporal_denoised + block_max) >> 1
    if temporal_denoised < block_min:
        temporal_denoised = (temporal_denoised + block_min) >> 1
    if difference >= th or moving:
        return spatial_denoised
    if difference < low:
        return temporal_denoised
    weighted = spatial_denoised * (difference - low) + temporal_denoised * (th - difference) + ((th - low) >> 1)
    result = (weighted * state.q[state.th - state.low - 1]) >> (10 + state.bits - 8)
    return min(result, (1 << state.bits) - 1)


def denoise(c, p, history, state: DnState) -> DnResult:
    """One luma picture; ``p`` None for a first frame (E12)."""
    height, width = len(c), len(c[0])
    rows, columns = -(-height // 4), -(-width // 4)
    result = DnResult(
        np.zeros((height, width), np.int64), np.zeros((rows, columns), int), np.zeros((rows, columns, 5), int)
    )
    moves = np.zeros((rows, columns), bool)
    for by in range(rows):
        for bx in range(columns):
            stad, mp, tasd, shcm, svcm = block_statistics(c, p, bx, by, state)
            result.statistics[by, bx] = stad, mp, tasd, shcm, svcm
            if p is not None:
                moves[by, bx] = stad > state.scaled(state.stad_th) or mp > state.mp_th
                old = int(history[by][bx])
                result.history[by, bx] = updated_history(old, bool(moves[by, bx]), tasd, shcm + svcm, state)
    for y in range(height):
        for x in range(width):
            pixels = neighborhood(c, x, y, state.progressive)
            if p is None:
                result.picture[y, x] = spatial(pixels, state)
            else:
                block = y // 4, x // 4
                new = int(result.history[block])
                result.picture[y, x] = blended(pixels, int(p[y][x]), new, bool(moves[block]), state)
    return result


def denoise_chroma(c, p, history, state: DnState) -> tuple[np.ndarray, np.ndarray]:
    """E17 to E19: the denoised plane and its history."""
    height, width = len(c), len(c[0])
    out = np.array(c, np.int64)
    new = np.zeros((-(-height // 4), -(-width // 4)), int)
    if p is None:
        return out, new
    th, low = state.scaled(state.th), state.scaled(state.low)
    for by in range(new.shape[0]):
        for bx in range(new.shape[1]):
            stad = block_statistics(c, p, bx, by, state)[0]
            moving = stad > state.scaled(state.stad_th)
            h = new[by, bx] = updated_history(int(history[by][bx]), moving, 0, 0, state)
            for y in range(4 * by, min(4 * by + 4, height)):
                for x in range(4 * bx, min(4 * bx + 4, width)):
                    here, before = int(c[y][x]), int(p[y][x])
                    difference = abs(here - before)
                    t = (h * before + (256 - h) * here + 128) >> 8 if difference < th else here
                    out[y, x] = (t + here + 1) >> 1 if moving or difference >= low else t
    return out, new


def block_noise(c, state: DnState, block_rows: int) -> np.ndarray:
    """E13 to E16: the estimate of every block of 16 columns and ``block_rows`` lines."""
    height, width = len(c), len(c[0])
    blocks = np.full((-(-height // block_rows), -(-width // 16)), 255)
    for y in range(height):
        for x in range(width):
            n = neighborhood(c, x, y, state.progressive)
            horizontal = abs(n[0] + 2 * n[1] + n[2] - n[6] - 2 * n[7] - n[8])
            vertical = abs(n[0] + 2 * n[3] + n[6] - n[2] - 2 * n[5] - n[8])
            edge = (horizontal + vertical) >> 3
            distances = [abs(v - int(median(n))) for v in n]
            if edge < state.scaled(state.edge_th) and max(distances) - min(distances) < state.scaled(state.nn_th):
                block = y // block_rows, x // 16
                blocks[block] = min(blocks[block], sum(distances) >> (state.bits - 8))
    return blocks


def frame_noise(blocks: np.ndarray) -> tuple[int, int]:
    """E16: sum and number of the blocks that have an estimate."""
    passed = [int(value) for value in blocks.ravel() if value < 255]
    return sum(passed), len(passed)


def second_differences(picture, progressive: bool, largest: int) -> np.ndarray:
    """Blocks of the automatic strength: sums of |L| for samples 1, 2 and 3 apart, and clipped ones."""
    s = 1 if progressive else 2
    height, width = len(picture), len(picture[0])
    rows, columns = max(height - 6 * s, 0) // 16, max(width - 6, 0) // 16
    samples = np.asarray(picture, np.int64)

    def beside(x: int, y: int) -> np.ndarray:
        """The samples so far from those of the blocks."""
        return samples[3 * s + y :, 3 + x :][: 16 * rows, : 16 * columns]

    found = []
    for d in (1, 2, 3):
        total = np.zeros((16 * rows, 16 * columns), np.int64)
        for j, down in ((-1, 1), (0, -2), (1, 1)):
            for i, across in ((-1, 1), (0, -2), (1, 1)):
                total += down * across * beside(i * d, j * d * s)
        found.append(abs(total))
    found.append(np.isin(beside(0, 0), (0, largest)))
    return np.array([each.reshape(rows, 16, columns, 16).sum((1, 3)) for each in found]).transpose(1, 2, 0)
