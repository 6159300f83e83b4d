"""denoise=hq, one block at a time, from docs/denoise.md H1 to H9."""

from __future__ import annotations

import numpy as np

NOW = 4
COS = np.array(
    [
        [64, 64, 64, 64, 64, 64, 64, 64],
        [89, 75, 50, 18, -18, -50, -75, -89],
        [83, 36, -36, -83, -83, -36, 36, 83],
        [75, -18, -89, -50, 50, 89, 18, -75],
        [64, -64, -64, 64, 64, -64, -64, 64],
        [50, -89, 18, 75, -75, -18, 89, -50],
        [36, -83, 83, -36, -36, 83, -83, 36],
        [18, -50, 75, -89, 89, -75, 50, -18],
    ]
)
SIGNS = np.array([[(-1) ** (i & t).bit_count() for t in range(8)] for i in range(8)])


def at(picture, x: int, y: int) -> int:
    """H1: the nearest sample of the picture."""
    height, width = picture.shape
    return int(picture[min(max(y, 0), height - 1), min(max(x, 0), width - 1)])


def window(picture, x: int, y: int, size: int) -> np.ndarray:
    return np.array([[at(picture, x + i, y + j) for i in range(size)] for j in range(size)])


class Quarter:
    """H2: means of 4x4 samples, also beyond the picture."""

    def __init__(self, picture) -> None:
        self.picture = picture
        self.shape = -(-picture.shape[0] // 4), -(-picture.shape[1] // 4)

    def window(self, x: int, y: int, size: int) -> np.ndarray:
        large = window(self.picture, 4 * x, 4 * y, 4 * size)
        return (large.reshape(size, 4, size, 4).sum((1, 3)) + 8) >> 4


def windows(picture, x: int, y: int, size: int) -> np.ndarray:
    return picture.window(x, y, size) if isinstance(picture, Quarter) else window(picture, x, y, size)


def match(now, then, predictors, radius: int, bias: int) -> np.ndarray:
    """H3: (x, y) of every cell."""
    cell = 4 if predictors is None else 8
    rows, columns = -(-now.shape[0] // cell), -(-now.shape[1] // cell)
    vectors = np.zeros((rows, columns, 2), int)
    for row, column in np.ndindex(rows, columns):
        x, y = column * cell - cell // 2, row * cell - cell // 2
        here = windows(now, x, y, 2 * cell)
        # every window that any vector leads to lies in this one
        reach = radius + (0 if predictors is None else 4 * int(abs(predictors).max()))
        around = windows(then, x - reach, y - reach, 2 * cell + 2 * reach)

        def difference(v, here=here, around=around, reach=reach, cell=cell) -> int:
            left, top = reach + v[0], reach + v[1]
            return int(abs(here - around[top : top + 2 * cell, left : left + 2 * cell]).sum())

        starts = [(0, 0)]
        if predictors is not None:
            for dx, dy in ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)):
                py = min(max(row // 2 + dy, 0), predictors.shape[0] - 1)
                px = min(max(column // 2 + dx, 0), predictors.shape[1] - 1)
                starts.append((4 * int(predictors[py, px, 0]), 4 * int(predictors[py, px, 1])))
        start = min(starts, key=lambda v: difference(v) + bias * (v != (0, 0)))
        steps = [(i, j) for j in range(-radius, radius + 1) for i in range(-radius, radius + 1)]
        best = min(steps, key=lambda s: difference((start[0] + s[0], start[1] + s[1])) + bias * (abs(s[0]) + abs(s[1])))
        vectors[row, column] = start[0] + best[0], start[1] + best[1]
    return vectors


def rounded(values, shift: int) -> np.ndarray:
    return (values + (1 << (shift - 1))) >> shift


def filtered_block(stack, limit: int, table, shape) -> tuple[np.ndarray, int]:
    """H4 to H8: samples in 1/16 steps and their weight; of a picture that is missing the block is None."""
    now = stack[NOW]
    source = list(range(8))
    for time in (5, 6, 7, 3, 2, 1, 0):
        then = stack[time]
        if then is None or abs(now - then).sum() > limit:
            source[time] = source[time - 1 if time > NOW else time + 1]
    blocks = np.array([stack[k] for k in source])
    signs_of = np.array([[SIGNS[i][[t for t in range(8) if source[t] == k]].sum() for k in range(8)] for i in range(8)])
    variances = (signs_of**2).sum(axis=1)
    in_time = np.einsum("it,tyx->iyx", SIGNS, blocks)
    down = rounded(np.einsum("vy,iyx->ivx", COS, in_time), 5)
    both = rounded(np.einsum("ux,ivx->ivu", COS, down), 5)
    limits = np.array([table[v] for v in variances])[:, None, None] * np.reshape(shape, (1, 8, 8)) >> 6
    stays = abs(both) > limits
    stays[0, 0, 0] = True
    left = (np.einsum("i,ivu->vu", SIGNS[:, NOW], both * stays) + 4) >> 3
    across = rounded(np.einsum("ux,vu->vx", COS, left), 7)
    made = rounded(np.einsum("vy,vx->yx", COS, across), 9)
    return made, 1 + 32768 // int((stays.sum((1, 2)) * variances).sum())


def denoise(pictures, vectors, subsampling, limit: int, table, shape, largest: int) -> np.ndarray:
    """H4 to H9 of one plane of ``pictures[NOW]``; missing pictures and vectors are None."""
    height, width = pictures[NOW].shape
    sums, weights = np.zeros((height, width), int), np.zeros((height, width), int)
    for y0 in range(-4, height, 4):
        for x0 in range(-4, width, 4):
            stack = []
            for time, picture in enumerate(pictures):
                x, y = x0, y0
                if picture is not None and time != NOW:
                    rows, columns = vectors[time].shape[:2]
                    row = min(max(((y0 + 4) << subsampling[1]) // 8, 0), rows - 1)
                    column = min(max(((x0 + 4) << subsampling[0]) // 8, 0), columns - 1)
                    x += int(vectors[time][row, column, 0]) >> subsampling[0]
                    y += int(vectors[time][row, column, 1]) >> subsampling[1]
                stack.append(None if picture is None else window(picture, x, y, 8))
            made, weight = filtered_block(stack, limit, table, shape)
            for j in range(8):
                for i in range(8):
                    if 0 <= y0 + j < height and 0 <= x0 + i < width:
                        sums[y0 + j, x0 + i] += weight * int(made[j, i])
                        weights[y0 + j, x0 + i] += weight
    return np.clip(np.maximum(sums + 8 * weights, 0) // (16 * weights), 0, largest)
