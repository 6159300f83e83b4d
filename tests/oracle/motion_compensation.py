"""Motion compensated deinterlacing written out literally: what `mcdi` adds to the motion adaptive one.

Line numbers are those of seed 003; equation numbers are those of docs/deinterlace.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracle.deinterlace import (
    Array,
    DiState,
    Field,
    angle_cost,
    average,
    blend,
    deinterlace_luma,
    fetch,
    fold,
    missing_lines,
)

VECTORS = (
    *((x, -2) for x in (-1, 0, 1)),
    *((x, 0) for x in (-6, -5, -4, -3, -2, 2, 3, 4, 5, 6)),
    *((x, 2) for x in (-1, 0, 1)),
)
"""Motion vectors in the order they are examined (1240-1242)."""


@dataclass(frozen=True)
class McState:
    """The fields of DEINTERLACE_SAMPLER_STATE that only motion compensation uses."""

    cat_th1: int = 0
    cat_slope: int = 10
    sad_tha: int = 5
    sad_thb: int = 10
    sad_tight_th: int = 5
    smooth_mv_th: int = 0
    mc_pixel_consistency_th: int = 25
    neighbor_pixel_th: int = 10
    blended: bool = True
    """Not of the state: false where only pixels above the blend are compensated, as Haswell has it printed."""


@dataclass(frozen=True)
class Motion:
    """Vectors and smallest sums of lines, shape (lines, pairs)."""

    x: Array
    y: Array
    sad: Array


def search(c: Array, r: Array, lines: Array) -> Motion:
    """The vector with the smallest SAD over 6x5; of equal ones the last (1250-1254): (28)."""
    pairs = 2 * np.arange(-(-c.shape[1] // 2))
    at_c, at_r = fetch(c, lines, pairs), fetch(r, lines, pairs)
    best = Motion(
        *(np.zeros((len(lines), len(pairs)), np.int64) for _ in range(2)), np.full((len(lines), len(pairs)), 1 << 20)
    )
    for mx, my in VECTORS:
        sad = sum(abs(at_r(i + mx, j + my) - at_c(i, j)) for i in range(-2, 4) for j in range(-2, 3))
        better = sad <= best.sad
        best = Motion(np.where(better, mx, best.x), np.where(better, my, best.y), np.where(better, sad, best.sad))
    return best


def interleaved(even: Motion, odd: Motion, height: int) -> Motion:
    """Vectors of all lines from those of either parity."""
    planes = []
    for a, b in ((even.x, odd.x), (even.y, odd.y), (even.sad, odd.sad)):
        whole = np.zeros((height, a.shape[1]), np.int64)
        whole[::2], whole[1::2] = a, b
        planes.append(whole)
    return Motion(*planes)


def is_smooth(motion: Motion, lines: Array, state: McState) -> Array:
    """Neighbors inside the 4x4 block agree (1277-1314): (29). Those of the other field point the other way."""
    height, count = motion.x.shape
    pairs = np.arange(count)
    down = np.where(lines % 4 < 2, 1, -1)
    across = np.minimum(np.where(pairs % 2 == 0, pairs + 1, pairs - 1), count - 1)
    ok = np.ones((len(lines), count), bool)
    for plane in (motion.x, motion.y):
        here = plane[lines]
        ok &= abs(here + plane[fold(lines + down, height)]) <= state.smooth_mv_th
        ok &= abs(here - plane[fold(lines + 2 * down, height)]) <= state.smooth_mv_th
        ok &= abs(here - here[:, across]) <= state.smooth_mv_th
    return ok


def compensated(frame: Array, lines: Array, mx: Array, my: Array) -> Array:
    """P_DI: the sample half a vector away, from the lines of the missing parity (1316-1337): (30).

    ``mx`` and ``my`` are per sample; with their signs turned this is P_DI_cur (1264-1275).
    """
    height, width = frame.shape
    whole, columns = frame.astype(np.int64), np.arange(width)
    half = np.sign(mx) * (abs(mx) // 2)
    side = np.where(mx >= 0, 1, -1)

    def at(column: Array, down: Array) -> Array:
        return whole[fold(lines[:, np.newaxis] + down, height), np.clip(columns + column, 0, width - 1)]

    a, b = at(half, np.sign(my) - (my != 0)), at(half, np.sign(my) + (my != 0))
    c, d = at(half + side, np.sign(my) - (my != 0)), at(half + side, np.sign(my) + (my != 0))
    odd, tall = abs(mx) % 2 == 1, my != 0
    return np.where(
        odd & tall, (a + b + c + d + 2) >> 2, np.where(odd, average(a, c), np.where(tall, average(a, b), a))
    )


def adaptive_limit(scm: Array, state: McState, bits: int) -> Array:
    """CAT_TH2 * 30 (1404-1431); SCM without vertical edges: (31)."""
    scm = scm >> (bits - 8)
    between = np.where(scm > state.cat_slope * state.sad_thb, state.sad_thb, scm // state.cat_slope)
    return np.where(scm < state.cat_slope * state.sad_tha, state.sad_tha, between) * 30 << (bits - 8)


def plain_complexity(c: Array, lines: Array) -> Array:
    """SHCM + SVCM (1411)."""
    at = fetch(c, lines, 2 * np.arange(-(-c.shape[1] // 2)))
    svcm = sum(abs(at(x, y) - at(x, y - 2)) for x in (0, 1) for y in (0, 1, 2))
    return svcm + sum(abs(at(x, y) - at(x + 1, y)) for x in (-1, 0, 1) for y in (-1, 0, 1))


def compensation(
    c: Array,
    r: Array,
    parity: int,
    state: DiState,
    mc: McState,
    stmm_s: Array,
    motion: Motion,
    bits: int,
    noisy: Array | None = None,
) -> tuple[Field, Array, Array]:
    """The motion adaptive result, where P_DI takes the place of the spatial one (1373-1402), and P_DI."""
    height, width = c.shape
    lines, extra = missing_lines(parity, height), bits - 8
    made = deinterlace_luma(c, r, parity, state, stmm_s, bits, noisy)

    def per_sample(pairs: Array) -> Array:
        return np.repeat(pairs, 2, axis=1)[:, :width]

    mx, my, sad = (plane[lines] for plane in (motion.x, motion.y, motion.sad))
    p_di = compensated(r, lines, per_sample(mx), per_sample(my))
    delta = abs(p_di - compensated(c, lines, -per_sample(mx), -per_sample(my)))
    above, below = (fetch(c, lines, np.arange(width))(0, dy) for dy in (-1, 1))
    edge, columns, whole = per_sample(made.angle), np.arange(width), c.astype(np.int64)
    along_edge = abs(
        whole[fold(lines - 1, height)[:, np.newaxis], np.clip(columns - edge, 0, width - 1)]
        - whole[fold(lines + 1, height)[:, np.newaxis], np.clip(columns + edge, 0, width - 1)]
    )
    consistent = (along_edge > delta) & (delta < mc.mc_pixel_consistency_th << extra)
    checked = consistent & per_sample(is_smooth(motion, lines, mc))
    between = p_di == np.median([p_di, above, below], axis=0)
    near = between | (np.minimum(abs(p_di - above), abs(p_di - below)) < mc.neighbor_pixel_th << extra)
    cost90 = angle_cost(fetch(c, lines, 2 * np.arange(sad.shape[1])), 0)
    tight = (made.angle == 0) & (sad + (mc.sad_tight_th * 30 << extra) < 2 * cost90)
    perfect = sad <= mc.cat_th1 << extra
    likely = sad < adaptive_limit(plain_complexity(c, lines), mc, bits)
    take = per_sample(perfect) & checked | per_sample(~perfect & likely & tight) & checked & near
    return made, take & per_sample(mc.blended | (made.stmm3 > state.stmm_max)), p_di


def deinterlace_luma_mc(
    c: Array,
    r: Array,
    parity: int,
    state: DiState,
    mc: McState,
    stmm_s: Array,
    motion: Motion,
    bits: int = 8,
    noisy: Array | None = None,
) -> Field:
    """As `deinterlace_luma`, with the compensated sample in place of the spatial one where it is sure."""
    made, take, p_di = compensation(c, r, parity, state, mc, stmm_s, motion, bits, noisy)
    lines = made.missing
    spatial = deinterlace_luma(c, None, parity, state, None, bits).luma[lines]
    stmm3 = np.repeat(made.stmm3, 2, axis=1)[:, : c.shape[1]]
    out = c.astype(np.int64)
    tdi = average(c[lines].astype(np.int64), r[lines].astype(np.int64))
    out[lines] = blend(stmm3, np.where(take, p_di, spatial), tdi, state)
    return Field(out, made.stmm2, made.stmm3, made.angle, lines)
