"""Film detection written out literally: the eleven variances of every 16x4 block, over whole arrays of int64.

Line numbers are those of seed 003; F numbers are the gaps of docs/fidelity.md. Samples are of 8 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracle.deinterlace import fetch

Array = np.ndarray


@dataclass(frozen=True)
class FmdState:
    """The film detection fields of DEINTERLACE_SAMPLER_STATE (3800-3826)."""

    fmd_tdiff: int = 175
    fmd_vdiff1: int = 16
    fmd_vdiff2: int = 100
    fmd_thr_tear: int = 2


def block_sums(pixels: Array) -> Array:
    """Sums over blocks of 16 columns and two even lines, of an array (even lines, columns)."""
    lines, columns = pixels.shape
    padded = np.zeros((-(-lines // 2) * 2, -(-columns // 16) * 16), np.int64)
    padded[:lines, :columns] = pixels
    return padded.reshape(len(padded) // 2, 2, padded.shape[1] // 16, 16).sum((1, 3))


def without_strays(tear: Array, erratum: bool) -> Array:
    """TEAR_N without the pixels no neighbor agrees with (1497-1505); beyond the picture there is no tear.

    Rows are even lines, so y - 2 and y + 2 are the rows above and below. The erratum of the A stepping (1522-1526)
    forgets those.
    """
    around = np.pad(tear, 1)
    neighbors = around[1:-1, :-2] | around[1:-1, 2:]
    if not erratum:
        neighbors = neighbors | around[:-2, 1:-1] | around[2:, 1:-1]
    return tear & neighbors


def variances(current: Array, previous: Array | None, state: FmdState, erratum: bool = False) -> Array:
    """Arrays (blocks down, blocks across, 11) as the hardware has them before it adds blocks up."""
    height, width = current.shape
    even = np.arange(0, height, 2)
    c = fetch(current, even, np.arange(width))
    p = fetch(current if previous is None else previous, even, np.arange(width))

    diff_cTpT = (c(0, 0) - p(0, 0)) ** 2  # 1441-1449 (F1)
    diff_cBpB = (c(0, 1) - p(0, 1)) ** 2
    diff_cTcB = (c(0, 0) - c(0, 1)) ** 2
    diff_cTpB = (c(0, 0) - p(0, 1)) ** 2
    diff_cBpT = (c(0, 1) - p(0, 0)) ** 2

    diff_cTcT = (c(0, 0) - c(0, 2)) ** 2  # 1459-1467
    diff_cBcB = (c(0, -1) - c(0, 1)) ** 2
    diff_pTpT = (p(0, 0) - p(0, 2)) ** 2
    diff_pBpB = (p(0, -1) - p(0, 1)) ** 2
    diff_cT = abs(c(0, 0) - c(0, -2)) + abs(c(0, 0) - c(0, 2)) - abs(c(0, -2) - c(0, 2))  # 1469-1471 (F2)
    diff_cB = abs(c(0, 1) - c(0, -1)) + abs(c(0, 1) - c(0, 3)) - abs(c(0, -1) - c(0, 3))

    moving = diff_cTpT + diff_cBpB > state.fmd_tdiff
    if previous is None:
        moving = np.ones_like(moving)
    tears = diff_cTcB > diff_cTcT + diff_cBcB
    smooth = moving & (diff_cT < state.fmd_vdiff1) & (diff_cB < state.fmd_vdiff1)
    tear_1 = smooth & (diff_cTcB >= state.fmd_vdiff2) & tears
    tear_2 = smooth & (diff_cTpB >= state.fmd_vdiff2) & (diff_cTpB > diff_cTcT + diff_pBpB)
    tear_3 = smooth & (diff_cBpT >= state.fmd_vdiff2) & (diff_cBpT > diff_pTpT + diff_cBcB)

    out = [block_sums(diff) >> 4 for diff in (diff_cTpT, diff_cBpB, diff_cTcB, diff_cTpB, diff_cBpT)]  # 1451
    out += [block_sums(moving & tears), block_sums(moving & ~tears), block_sums(smooth)]
    out += [block_sums(without_strays(tear, erratum)) for tear in (tear_1, tear_2, tear_3)]
    if previous is None:  # 1581: "should indicate a maximum difference" (F5)
        for index in (0, 1, 3, 4):
            out[index] = np.full_like(out[index], 0xFFFF)
        for index in (9, 10):
            out[index] = np.full_like(out[index], 32)
    result = np.stack(out, 2)
    worst = (result[..., 8] > result[..., 9]) & (result[..., 8] > result[..., 10])  # 1508 (F4: per block)
    result[worst, 7:11] = 0
    for index in (8, 9, 10):  # 1510-1514
        result[result[..., index] < state.fmd_thr_tear, index] = 0
    return result


def combs(current: Array, previous: Array, least: int = 6) -> list[int]:
    """Sums of `comb_squares`."""
    return [int(squares.sum()) for squares in comb_squares(current, previous, least)]


def comb_squares(current: Array, previous: Array, least: int = 6) -> list[Array]:
    """How far lines of a top field lie outside the two lines of a bottom one next to them, squared (ours).

    Three arrays (even lines, columns), 0 where it is not asked.

    For the current top and bottom field, the current top and previous bottom one, the previous top and current bottom
    one. Top lines at the edge of the picture have one neighbor only and are not asked; nor are pixels that change by
    less than ``least`` steps in all of the three lines.
    """
    height, width = current.shape
    even = np.arange(2, height - 1, 2)
    c, p = (fetch(frame, even, np.arange(width)) for frame in (current, previous))

    changes = np.max([abs(c(0, dy) - p(0, dy)) for dy in (-1, 0, 1)], axis=0) >= least

    def comb(line: Array, above: Array, below: Array) -> Array:
        over = line - np.maximum(above, below)
        under = np.minimum(above, below) - line
        squares = np.zeros(((height + 1) // 2, width), np.int64)
        squares[1 : 1 + len(even)] = np.where(changes, np.maximum(0, np.maximum(over, under)), 0) ** 2
        return squares

    return [
        comb(c(0, 0), c(0, -1), c(0, 1)),
        comb(c(0, 0), p(0, -1), p(0, 1)),
        comb(p(0, 0), c(0, -1), c(0, 1)),
    ]


def leans(current: Array, previous: Array, rows: slice = slice(None), columns: slice = slice(None)) -> list[int]:
    """How much more lines of a top field differ from the bottom line above than from that below (ours); pairs as above.

    Of some even lines and columns, which begin at a block's. Both are squared, summed over blocks of 16x4 pixels and
    divided by 16, rounded down, as simple differences are. Top lines at the edge of the picture differ from both alike.
    """
    height, width = current.shape
    even = np.arange(0, height, 2)
    c, p = (fetch(frame, even, np.arange(width)) for frame in (current, previous))
    inner = ((even > 0) & (even < height - 1))[:, np.newaxis]

    def lean(line: Array, above: Array, below: Array) -> int:
        falls = (line - below) ** 2
        rises = np.where(inner, (line - above) ** 2, falls)
        rises, falls = (block_sums(squares[rows, columns]) >> 4 for squares in (rises, falls))
        return int((rises - falls).sum())

    return [
        lean(c(0, 0), c(0, -1), c(0, 1)),
        lean(c(0, 0), p(0, -1), p(0, 1)),
        lean(p(0, 0), c(0, -1), c(0, 1)),
    ]


def levels(current: Array, rows: slice = slice(None), columns: slice = slice(None)) -> list[int]:
    """What top lines, and the bottom lines below them, add up to (ours), of some even lines and columns."""
    height, width = current.shape
    c = fetch(current, np.arange(0, height, 2), np.arange(width))
    return [int(c(0, dy)[rows, columns].sum()) for dy in (0, 1)]
