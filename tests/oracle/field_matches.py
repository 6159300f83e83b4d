"""Fields of one picture and still pictures, literally: docs/deinterlace-hq.md (44) to (50), (77), (81) and (82)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracle.deinterlace import Array, average, fetch, missing_lines

OWN, REFERENCE, STILL, CALM, RESTS = 1, 2, 4, 8, 16


def combs(lines: Array, around: Array, missing: Array) -> Array:
    """How the lines of one frame lie among those around them of another: (44)."""
    columns = np.arange(lines.shape[1])
    p, n = fetch(lines, missing, columns), fetch(around, missing, columns)
    return p(0, -2) + 4 * p(0, 0) + p(0, 2) - 3 * (n(0, -1) + n(0, 1))


def by_blocks(values: Array, shape: tuple[int, int]) -> Array:
    """Sums over blocks of 8 pixels by 4 missing lines."""
    sums = np.zeros(shape, np.int64)
    for row, column in np.ndindex(shape):
        sums[row, column] = values[4 * row : 4 * row + 4, 8 * column : 8 * column + 8].sum()
    return sums


def upright(comb: Array, apart: Array, shape: tuple[int, int]) -> Array:
    """(77): how far columns of blocks comb in one sense, and back, beyond what lines apart may: the lesser."""
    senses = []
    for sign in (1, -1):
        rest = np.zeros(shape, np.int64)
        for row, column in np.ndindex(shape):
            lines, columns = slice(4 * row, 4 * row + 4), slice(8 * column, 8 * column + 8)
            sums = sign * comb[lines, columns].sum(axis=0) - 12 * apart[lines, columns].sum(axis=0)
            rest[row, column] = sums.clip(0).sum()
        senses.append(rest)
    return np.minimum(*senses)


def about(blocks: Array, row: int, column: int, reach: int = 1) -> list[int]:
    """A block and those about it; beyond the picture its last ones are repeated."""
    rows, columns = blocks.shape
    reached = range(-reach, reach + 1)
    return [
        int(blocks[min(max(row + i, 0), rows - 1), min(max(column + j, 0), columns - 1)])
        for i in reached
        for j in reached
    ]


def inside(blocks: Array, row: int, column: int, reach: int) -> list[int]:
    """A block and those about it that there are."""
    top, left = max(row - reach, 0), max(column - reach, 0)
    return [int(v) for v in blocks[top : row + reach + 1, left : column + reach + 1].ravel()]


@dataclass(frozen=True)
class Verdicts:
    """Of blocks: what they are woven with, and how often in a row they have matched."""

    verdict: Array
    runs: Array
    noise: int


def noise_of(c: Array, r: Array, parity: int, bits: int) -> int:
    """(58): what the calmest tenth of the blocks that lie in the picture whole change and bend by."""
    missing, width = missing_lines(parity, c.shape[0]), c.shape[1]
    values = []
    for row in range(len(missing) // 4):
        lines = missing[4 * row : 4 * row + 4]
        n, m = (fetch(frame, lines, np.arange(width)) for frame in (c, r))
        change, above = abs(n(0, 0) - m(0, 0)), n(0, -1)
        for first in range(0, width - 7, 8):
            bend = sum(
                abs(above[:, x - 1] + above[:, x + 1] - 2 * above[:, x]).sum() for x in range(first + 1, first + 7)
            )
            values.append(min(13 * change[:, first : first + 8].sum(), 10 * bend) >> (4 + bits - 8))
    values.sort()
    return min(int(values[-(-len(values) // 10) - 1]), 255) if values else 0


def verdicts(c: Array, r: Array, parity: int, before: Verdicts | None = None, bits: int = 8) -> Verdicts:
    """(45) to (49) for the field of a parity of ``c`` with ``r`` beside it."""
    height, width = c.shape
    missing, shape = missing_lines(parity, height), (-(-height // 8), -(-width // 8))
    runs = np.zeros(shape, np.int64) if before is None else before.runs.astype(np.int64)
    after, verdict = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    if not len(missing):
        empty = np.zeros((0, width), np.int64)
        own = other = beyond = stillness = empty
        apart = {"own": empty, "other": empty}
    else:
        own, other, beyond = combs(c, c, missing), combs(r, c, missing), combs(r, r, missing)
        n, m = (fetch(frame, missing, np.arange(width)) for frame in (c, r))
        kept = [abs(n(0, dy) - m(0, dy)) for dy in (-1, 1)]
        stillness = abs(n(0, 0) - m(0, 0)) + (sum(kept) >> 1)
        lines = abs(n(0, -1) - n(0, 1))
        apart = {key: lines + abs(f(0, 0) - f(0, -2)) for key, f in (("own", n), ("other", m))}
    size = {key: by_blocks(abs(v), shape) for key, v in (("own", own), ("other", other), ("beyond", beyond))}
    sign = {key: by_blocks(v, shape) for key, v in (("own", own), ("other", other), ("beyond", beyond))}
    detail = {key: by_blocks(v, shape) for key, v in apart.items()}
    change, scale = by_blocks(stillness, shape), 1 << (bits - 8)
    shifted = (
        upright(own + other, abs(n(0, -1) - n(0, 1)), shape) >= 576 * scale if len(missing) else np.zeros(shape, bool)
    )
    noise = noise_of(c, r, parity, bits)
    for row, column in np.ndindex(shape):
        k = {key: sum(about(v, row, column)) for key, v in size.items()}
        signed = {key: abs(sum(about(v, row, column))) for key, v in sign.items()}
        uneven = {key: 2 * signed[key] < k[key] for key in k}
        least = 1152 * scale
        detail_about = {key: sum(about(v, row, column)) for key, v in detail.items()}
        detailed = {key: 4 * k[key] <= 9 * d + 9216 * scale for key, d in detail_about.items()}
        is_own = 7 * max(k["own"], k["beyond"]) + 4 * least < 4 * k["other"] and uneven["other"] and detailed["own"]
        is_other = 7 * k["other"] + 4 * least < 4 * min(k["own"], k["beyond"]) and uneven["own"] and uneven["beyond"]
        is_other = is_other and detailed["other"]
        near = inside(runs, row, column, 3)
        many_own, many_other = sum(v >= 2 for v in near), sum(v <= -2 for v in near)
        in_own, in_other = many_own >= 5 and 4 * many_other < many_own, many_other >= 5 and 4 * many_own < many_other
        goes_on = (in_own and detailed["own"]) or (in_other and detailed["other"])
        run = int(runs[row, column])
        if is_own:
            after[row, column] = 0 if run < 0 else min(run + 1, 3)
        elif is_other:
            after[row, column] = 0 if run > 0 else max(run - 1, -3)
        elif k["own"] + k["other"] > 6912 * scale and not goes_on:
            after[row, column] = run - int(np.sign(run))
        else:
            after[row, column] = run
        beside = inside(runs, row, column, 1)
        own_before, other_before = max(0, *beside), max(0, *(-v for v in beside))
        like_own, like_other = sum(v > 0 for v in near) + 4, sum(v < 0 for v in near) + 4
        with_own = is_own and own_before > 0 and other_before < 2 and 40 * k["own"] <= like_own * k["other"]
        moved = min(k["own"], k["beyond"])
        with_other = is_other and other_before > 0 and own_before < 2 and 40 * k["other"] <= like_other * moved
        if with_own or (in_own and detailed["own"] and 9 * k["own"] <= 8 * k["other"]):
            verdict[row, column] |= OWN
        if with_other or (in_other and detailed["other"] and 9 * k["other"] <= 8 * k["own"]):
            verdict[row, column] |= REFERENCE
        most = (768 + 24 * noise) * scale + (k["own"] >> 5)
        if shifted[row, column]:
            most = min(24 * noise * scale, max(1392 * scale, k["own"] >> 6)) + (k["own"] >> 8)
        rests = sum(about(change, row, column)) < most
        rested = before is None or bool(before.verdict[row, column] & RESTS)
        if rests:
            verdict[row, column] |= RESTS
        if rested or 4 * k["own"] <= 16 * detail_about["own"] + 9216 * scale:
            if rests:
                verdict[row, column] |= STILL
            if not shifted[row, column] and min(about(change, row, column)) < 96 * scale:
                verdict[row, column] |= CALM
    return Verdicts(verdict, after, noise)


def with_matches(
    made: Array, c: Array, r: Array, parity: int, found: Verdicts, halved: tuple[int, int] = (0, 0), bits: int = 8
) -> Array:
    """A component of a field made a frame, with what matches woven in: (50). ``halved`` is log2 of its subsampling."""
    height, width = c.shape
    out, missing = made.astype(np.int64), missing_lines(parity, height)
    if not len(missing):
        return out
    n, m = (fetch(frame, missing, np.arange(width)) for frame in (c, r))
    change, detail = 0, 0
    for dx in range(-2, 3):
        for dy in (-2, 0, 2):
            far = [abs(n(dx, dy + k) - m(dx, dy + k)) for k in (-1, 0, 1)]
            change = change + np.max(far, axis=0)
            near = average(n(dx, dy - 1), n(dx, dy + 1))
            detail = detail + abs(average(n(dx, dy), m(dx, dy)) - near)
    rows, columns = (missing << halved[1]) // 8, (np.arange(width) << halved[0]) // 8
    said = found.verdict[rows[:, None], columns]
    still = (said & STILL > 0) & (change < ((8 + found.noise) << (bits - 8)) + (detail >> 2))
    still |= (said & CALM > 0) & (change < (8 << (bits - 8)))
    woven = np.where(said & REFERENCE, m(0, 0), n(0, 0))
    known = np.where(said & (OWN | REFERENCE), woven, out[missing])
    out[missing] = np.where(still, average(n(0, 0), m(0, 0)), known)
    return out
