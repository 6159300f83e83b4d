"""denoise=fast and hq, one block at a time, all of its lines at once, from docs/denoise.md H1 to H10."""

from __future__ import annotations

import numpy as np

NOW = 4
COSINE = (None, 32138, 30274, 27246, None, 18205, 12540, 6393)
"""32768 cos(pi n / 16)."""
BACK = (None, 251, 237, 213, 128, 142, 98, 50)
"""256 cos(pi n / 16), half of it where n is 4, which stands for the mean."""
WINDOW = (4, 6, 7, 8, 8, 7, 6, 4)
SIGNS = np.array([[(-1) ** (i & t).bit_count() for t in range(8)] for i in range(8)])


def window(picture, x: int, y: int, size: int) -> np.ndarray:
    """H1: of each place the nearest sample of the picture."""
    rows, columns = (
        [min(max(first + n, 0), most - 1) for n in range(size)]
        for first, most in zip((y, x), picture.shape, strict=True)
    )
    return picture[np.ix_(rows, columns)].astype(int)


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


def sources(stack, limit: int) -> list[int]:
    """H4: which picture's block is in every place of the stack; of a picture that is missing the block is None."""
    found = list(range(8))
    for time in (5, 6, 7, 3, 2, 1, 0):
        then = stack[time]
        if then is None or abs(stack[NOW] - then).sum() > limit:
            found[time] = found[time - 1 if time > NOW else time + 1]
    return found


def variances_of(found) -> np.ndarray:
    """H5."""
    signs_of = [[SIGNS[i][[t for t in range(8) if found[t] == k]].sum() for k in range(8)] for i in range(8)]
    return (np.array(signs_of) ** 2).sum(axis=1)


def product(a, c):
    return (a * c + 16384) >> 15


def signed(function: int, place: int) -> tuple[int, int]:
    """cos(pi * function * (2 * place + 1) / 16) as a number of the tables' first quarter, and its sign."""
    n = function * (2 * place + 1) % 32
    n = 32 - n if n > 16 else n
    return (16 - n, -1) if n > 8 else (n, 1)


def eight(x) -> np.ndarray:
    """H6: the first dimension. The halves of a line are added or subtracted before anything is multiplied."""
    both = [x[i] + x[7 - i] for i in range(4)], [x[i] - x[7 - i] for i in range(4)]
    inner = [both[0][i] + both[0][3 - i] for i in range(2)], [both[0][i] - both[0][3 - i] for i in range(2)]
    made = []
    for function in range(8):
        if function % 4 == 0:
            made.append(inner[0][0] + (inner[0][1] if function == 0 else -inner[0][1]))
            continue
        total = 0
        for place, value in enumerate(inner[1] if function % 2 == 0 else both[1]):
            n, sign = signed(function, place)
            total += sign * product(value, COSINE[n])
        made.append(total)
    return np.array(made)


def eight_back(c, shift: int) -> np.ndarray:
    """H8: the first dimension."""
    made = []
    for place in range(8):
        total = 0
        for function in range(8):
            n, sign = signed(function, place) if function else (4, 1)
            total += sign * BACK[n] * c[function]
        made.append((total + (1 << (shift - 1))) >> shift)
    return np.array(made)


def transformed(stack, found, middle: int) -> np.ndarray:
    """H6."""
    in_time = np.einsum("it,tyx->yxi", SIGNS, np.array([stack[k] for k in found]) - middle)
    down = eight(in_time)
    return eight((down.transpose(1, 2, 0) + 1) >> 1).transpose(1, 2, 0)


def restored(coefficients, middle: int) -> np.ndarray:
    """H8, samples in 1/16 steps."""
    left = (np.einsum("i,ivu->vu", SIGNS[:, NOW], coefficients) + 4) >> 3
    across = eight_back(left.T, 8).T
    return eight_back(across, 7) + 16 * middle


def filtered_block(stack, middle: int, limit: int, table, shape) -> tuple[np.ndarray, int]:
    """H4 to H8: samples in 1/16 steps and their weight."""
    found = sources(stack, limit)
    variances, both = variances_of(found), transformed(stack, found, middle)
    limits = product(np.asarray(table, int)[variances][:, None, None], np.reshape(shape, (8, 8)).astype(int))
    stays = abs(both) > limits
    stays[0, 0, 0] = True
    return restored(both * stays, middle), 1 + 32768 // int((stays.sum((1, 2)) * variances).sum())


def guided_block(stack, guides, middle: int, limit: int, shape, unit) -> tuple[np.ndarray, int]:
    """H10: as `filtered_block`."""
    found = sources(guides, limit)
    variances, both, guide = variances_of(found), transformed(stack, found, middle), transformed(guides, found, middle)
    c, squares = guide.astype(np.float32), (np.reshape(shape, (8, 8)).astype(int) ** 2).astype(np.float32)
    noise = np.float32(unit) * np.maximum(variances, 1).astype(np.float32)[:, None, None] * squares
    share = np.float32(256) * (noise / (c * c + noise)) + np.float32(0.5)
    goes = np.minimum(share.astype(int), 255)
    goes[0, 0, 0] = 0
    left = int((variances[:, None, None] * (256 - goes) ** 2 >> 9).sum())
    return restored(both - ((both * goes + 128) >> 8), middle), 1 + (1 << 22) // left


def denoise(pictures, vectors, subsampling, largest: int, block, guides=None) -> np.ndarray:
    """H4 to H10 of one plane of ``pictures[NOW]``; missing pictures and vectors are None.

    ``block`` makes samples and their weight of a stack, and of that of the guides if there are some.
    """
    height, width = pictures[NOW].shape
    sums, weights = np.zeros((height, width), int), np.zeros((height, width), int)
    corners = [(x, y) for y in range(-6, height, 2) for x in range(-6, width, 2) if x % 4 == y % 4]
    for x0, y0 in corners:
        stacks = [[], []]
        for time in range(8):
            x, y = x0, y0
            if pictures[time] is not None and time != NOW:
                rows, columns = vectors[time].shape[:2]
                row = min(max(((y0 + 4) << subsampling[1]) // 8, 0), rows - 1)
                column = min(max(((x0 + 4) << subsampling[0]) // 8, 0), columns - 1)
                x += int(vectors[time][row, column, 0]) >> subsampling[0]
                y += int(vectors[time][row, column, 1]) >> subsampling[1]
            for stack, kind in zip(stacks, (pictures, guides or pictures), strict=True):
                stack.append(None if kind[time] is None else window(kind[time], x, y, 8))
        made, weight = block(*stacks[: 1 if guides is None else 2])
        for j in range(8):
            for i in range(8):
                if 0 <= y0 + j < height and 0 <= x0 + i < width:
                    counts = weight * WINDOW[j] * WINDOW[i] // 64
                    sums[y0 + j, x0 + i] += counts * int(made[j, i])
                    weights[y0 + j, x0 + i] += counts
    return np.clip(np.maximum(sums + 8 * weights, 0) // (16 * weights), 0, largest)
