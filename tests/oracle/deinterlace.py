"""The motion adaptive deinterlacer written out literally: one equation after the other over whole arrays, int64.

Line numbers are those of seed 003; equation numbers are those of docs/deinterlace.md, which settles what the torn
manual leaves open. A "pair" is two pixels, x even. Arrays over missing lines have the shape (lines, pairs).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

Array = np.ndarray

OFFSETS = (-5, -3, -2, -1, 0, 1, 2, 3, 5)
"""Window offsets of -11, -18, -27, -45, 90, 45, 27, 18 and 11 degrees (1060-1062), in the order of the median."""


@dataclass(frozen=True)
class DiState:
    """The deinterlacer's fields of DEINTERLACE_SAMPLER_STATE, under the names the equations use (3669-3921)."""

    tdm_shift1: int = 4
    tdm_shift2: int = 7
    stmm_c2: int = 3
    vecm_mul: int = 30
    stmm_trc1: int = 64
    stmm_trc2: int = 125
    stmm_md_th: int = 118
    stmm_min: int = 118
    stmm_max: int = 150
    stmm_shift: int = 5
    sdi_th: int = 100
    sdi_d: int = 5
    sdi_t1: int = 50
    sdi_t2: int = 100
    sdi_angle2x1: int = 37
    own_angles: bool = False
    """Not of the state: texsamp's own choice of the angle."""


def fold(lines: Array, height: int) -> Array:
    """Line numbers in the picture: one outside becomes the nearest line of its own field, if the field has one (2)."""
    last = height - 1 - ((height - 1 - lines) & 1)
    folded = np.where(lines < 0, lines & 1, np.where(lines >= height, last, lines))
    return np.clip(folded, 0, height - 1)


def fetch(frame: Array, lines: Array, columns: Array) -> Callable[[int, int], Array]:
    """(dx, dy) -> samples at column + dx, line + dy; the picture continues beyond its edges (1, 2)."""
    whole = frame.astype(np.int64)
    height, width = frame.shape

    @cache
    def at(dx: int, dy: int) -> Array:
        return whole[fold(lines + dy, height)[:, np.newaxis], np.clip(columns + dx, 0, width - 1)]

    return at


def average(a: Array, b: Array) -> Array:
    """The mean of two samples (3)."""
    return (a + b + 1) >> 1


# ---- spatial-temporal motion measure (986-1056) ---------------------------------------------------------------------


def complexity(c: Callable[[int, int], Array], state: DiState) -> Array:
    """SCM = max(0, SVCM + SHCM - VECM) (996-1012, 1027): (4) to (7)."""
    svcm = sum(abs(c(x, y) - c(x, y - 2)) for x in (0, 1) for y in (0, 1, 2))
    shcm = sum(abs(c(x, y) - c(x + 1, y)) for x in (-1, 0, 1) for y in (-1, 0, 1))
    vecm = (sum(abs(c(0, y) - c(1, y)) for y in (-2, -1, 0, 1, 2)) * state.vecm_mul) >> 5
    return np.maximum(0, svcm + shcm - vecm)


def cross_filtered(c: Callable[[int, int], Array], x: int, y: int) -> Array:
    """c'(x, y) (1018): (8)."""
    return (2 * c(x, y) + c(x - 1, y) + c(x + 1, y) + 2 * c(x, y - 2) + 2 * c(x, y + 2)) >> 3


def temporal_difference(c: Callable[[int, int], Array], r: Callable[[int, int], Array]) -> Array:
    """TDM over 4x5 (1021): (9)."""
    window = [(x, y) for x in (-1, 0, 1, 2) for y in (-2, -1, 0, 1, 2)]
    return sum(abs(cross_filtered(c, x, y) - cross_filtered(r, x, y)) for x, y in window)


def denoised_near_the_block(
    c: Callable[[int, int], Array], noisy: Callable[[int, int], Array], lines: Array, parity: int
) -> Callable[[int, int], Array]:
    """Samples of the current frame as the cross filter gets them (1016): lines of a block of 4 are its y."""
    first, last = (-2, 6) if parity == 0 else (-3, 5)

    def at(dx: int, dy: int) -> Array:
        y = lines % 4 + dy
        return np.where(((first <= y) & (y <= last))[:, np.newaxis], c(dx, dy), noisy(dx, dy))

    return at


def stmm_of(tdm: Array, scm: Array, state: DiState, bits: int) -> Array:
    """STMM (1025), at most 255 (1027): (10)."""
    extra = bits - 8
    return np.minimum(
        255, ((tdm >> (state.tdm_shift1 + extra)) << state.tdm_shift2) // ((scm >> (4 + extra)) + state.stmm_c2)
    )


def smoothed(stmm: Array, stmm_s: Array, state: DiState) -> Array:
    """STMM2 (1031-1034): (11)."""
    trc = np.where(stmm > state.stmm_md_th, state.stmm_trc1, state.stmm_trc2)
    return (trc * stmm_s + (256 - trc) * stmm) >> 8


def widened(stmm2: Array) -> Array:
    """STMM3, the largest of a pair and the pairs beside it (1045): (12)."""
    beside = np.pad(stmm2, ((0, 0), (1, 1)), mode="edge")
    return np.maximum(np.maximum(beside[:, :-2], stmm2), beside[:, 2:])


# ---- spatial deinterlacer: the angle (1054-1136) --------------------------------------------------------------------


def angle_cost(n: Callable[[int, int], Array], offset: int) -> Array:
    """AngleCost_6x3 (1072): (13)."""
    return sum(abs(n(x + offset, y + 1) - n(x - offset, y - 1)) for x in (-2, -1, 0, 1, 2, 3) for y in (-2, 0, 2))


def angle_cost_2x1(n: Callable[[int, int], Array], offset: int) -> Array:
    """AngleCost_2x1 (1126): (14)."""
    return sum(abs(n(x + offset, 1) - n(x - offset, -1)) for x in (0, 1))


def decided_as_printed(cost: dict[int, Array], state: DiState, bits: int) -> Array:
    """Offset of the best angle, box by box of the flowchart (1084; SNB volume 4 part 1, page 43): (15)."""
    d, th = state.sdi_d << (bits - 8), state.sdi_th << (bits - 8)
    n, p, p90 = {k: cost[-k] for k in (1, 2, 3, 5)}, {k: cost[k] for k in (1, 2, 3, 5)}, cost[0]
    if_n45 = (n[1] + th < p[1]) & (n[1] + th < p90)
    if_p45 = ~if_n45 & (p[1] + th < n[1]) & (p[1] + th < p90)
    edge = np.zeros_like(p90)
    for entered, side, sign in ((if_n45, n, -1), (if_p45, p, 1)):
        to_27 = entered & (side[2] + d < side[1])
        to_18 = to_27 & (side[3] + d < side[2])
        to_11 = to_18 & (side[5] + d < side[3])
        for box, offset in ((entered & ~to_27, 1), (to_27 & ~to_18, 2), (to_18 & ~to_11, 3), (to_11, 5)):
            edge = np.where(box & (side[offset] < th), sign * offset, edge)
    return edge


def decided_by_us(cost: dict[int, Array], state: DiState, bits: int) -> Array:
    """Offset of the best angle by texsamp's own rule: (41)."""
    d, th = state.sdi_d << (bits - 8), state.sdi_th << (bits - 8)
    side = np.where(cost[1] < cost[-1], 1, -1)
    on_side = {offset: np.where(side == 1, cost[offset], cost[-offset]) for offset in (1, 2, 3, 5)}
    going, best, lowest = cost[1] != cost[-1], np.zeros_like(cost[0]), cost[0]
    for offset in (1, 2, 3, 5):
        going = going & (on_side[offset] + d < lowest)
        best, lowest = np.where(going, offset, best), np.where(going, on_side[offset], lowest)
    return side * np.where((best >= 3) & ~(lowest < th), 0, best)


def too_fine(c: Callable[[int, int], Array], state: DiState, bits: int) -> Array:
    """Fallback mode 1 (1094-1114): (16) to (18)."""
    s_range = (-2, -1, 0, 1, 2, 3)

    def sum_h1(y: int) -> Array:
        return sum(abs(c(s, y) - c(s + 1, y)) for s in s_range)

    def sum_h2(y: int) -> Array:
        return np.max([abs(c(-2, y) - c(s, y)) + abs(c(s, y) - c(4, y)) for s in s_range], axis=0)

    t1, t2 = state.sdi_t1 << (bits - 8), state.sdi_t2 << (bits - 8)
    fine = sum_h1(-1) + sum_h1(1)
    return (fine > sum_h2(-1) + sum_h2(1) + t1) & (fine >= t2)


def not_better_close_up(
    n: Callable[[int, int], Array], cost: dict[int, Array], best: Array, state: DiState, bits: int
) -> Array:
    """Fallback mode 2 (1120-1122): (19)."""
    close_up = {offset: angle_cost_2x1(n, offset) for offset in OFFSETS}
    best_cost = sum(np.where(best == offset, cost[offset], 0) for offset in OFFSETS)
    best_close_up = sum(np.where(best == offset, close_up[offset], 0) for offset in OFFSETS)
    bias = state.sdi_angle2x1 << (bits - 8)
    return cost[0] + (close_up[0] << 3) < best_cost + ((best_close_up + bias) << 3)


def median3(values: Array) -> Array:
    """The median of a pair's offset and its neighbors' (1136): (20)."""
    beside = np.pad(values, ((0, 0), (1, 1)), mode="edge")
    return np.median([beside[:, :-2], values, beside[:, 2:]], axis=0).astype(np.int64)


def final_angle(frame: Array, lines: Array, state: DiState, bits: int = 8) -> Array:
    """Signed offset of the angle of every pair of the missing lines: (13) to (20)."""
    n = fetch(frame, lines, 2 * np.arange(-(-frame.shape[1] // 2)))
    cost = {offset: angle_cost(n, offset) for offset in OFFSETS}
    best = (decided_by_us if state.own_angles else decided_as_printed)(cost, state, bits)
    fallback = too_fine(n, state, bits) | not_better_close_up(n, cost, best, state, bits)
    return median3(np.where(fallback, 0, best))


# ---- interpolation and blend (1138-1224) ----------------------------------------------------------------------------


def along(frame: Array, lines: Array, offsets: Array) -> Array:
    """Mean of the samples above and below along an offset per sample (1140): (21)."""
    height, width = frame.shape
    whole, columns = frame.astype(np.int64), np.arange(width)
    above, below = fold(lines - 1, height)[:, np.newaxis], fold(lines + 1, height)[:, np.newaxis]
    return average(
        whole[above, np.clip(columns - offsets, 0, width - 1)], whole[below, np.clip(columns + offsets, 0, width - 1)]
    )


def blend(stmm3: Array, moving: Array, static: Array, state: DiState) -> Array:
    """Between two values by STMM3 (1211-1222): (22)."""
    between = ((stmm3 - state.stmm_min) * moving + (state.stmm_max - stmm3) * static) >> state.stmm_shift
    return np.where(stmm3 < state.stmm_min, static, np.where(stmm3 > state.stmm_max, moving, between))


@dataclass(frozen=True)
class Field:
    """What one field of frame ``c`` becomes with the frame ``r`` next to it in time."""

    luma: Array
    stmm2: Array
    stmm3: Array
    angle: Array
    missing: Array


def missing_lines(parity: int, height: int) -> Array:
    """Lines of a frame that the field of a parity does not have."""
    return np.arange(1 - parity, height, 2)


def deinterlace_luma(
    c: Array,
    r: Array | None,
    parity: int,
    state: DiState,
    stmm_s: Array | None = None,
    bits: int = 8,
    noisy: Array | None = None,
) -> Field:
    """The field of a parity (0 top) of frame ``c`` as a whole frame, with the stored STMM of its missing lines.

    ``noisy`` is ``c`` before denoising, where the same call denoises it; the parity is then that of the first field.
    Without ``r`` and ``stmm_s`` the first frame's rule holds: spatial only, STMM 255 (1566-1582).
    """
    height, width = c.shape
    lines, pairs = missing_lines(parity, height), -(-width // 2)
    columns = 2 * np.arange(pairs)
    angle = final_angle(c, lines, state, bits)
    sdi = along(c, lines, np.repeat(angle, 2, axis=1)[:, :width])
    out = c.astype(np.int64)
    if r is None or stmm_s is None:
        stmm2 = np.full((len(lines), pairs), 255, np.int64)
        out[lines] = sdi
        return Field(out, stmm2, stmm2, angle, lines)
    at_c, at_r = fetch(c, lines, columns), fetch(r, lines, columns)
    filtered = at_c
    if noisy is not None:
        filtered = denoised_near_the_block(at_c, fetch(noisy, lines, columns), lines, parity)
    stmm = stmm_of(temporal_difference(filtered, at_r), complexity(at_c, state), state, bits)
    stmm2 = smoothed(stmm, stmm_s.astype(np.int64), state)
    stmm3 = widened(stmm2)
    tdi = average(c[lines].astype(np.int64), r[lines].astype(np.int64))
    out[lines] = blend(np.repeat(stmm3, 2, axis=1)[:, :width], sdi, tdi, state)
    return Field(out, stmm2, stmm3, angle, lines)


# ---- chroma (1142-1207) ---------------------------------------------------------------------------------------------


def stmm3_at(field: Field, lines: Array, height: int) -> Array:
    """STMM3 of missing lines by their number in the frame, continued like the picture."""
    parity = int(field.missing[0]) & 1
    inside = fold(lines, height)
    return field.stmm3[np.minimum((inside - parity) // 2, len(field.missing) - 1)]


def doubled_chroma(c: Array, r: Array | None, parity: int, field: Field, height: int, state: DiState) -> Array:
    """Chroma of 4:2:0 doubled vertically in time and space (1154-1174): (23). All its lines are new or stored ones."""
    rows = np.arange(1 - parity, c.shape[0], 2)
    out = c.astype(np.int64)
    if not len(rows):
        return out
    spatial = along(c, rows, np.zeros((len(rows), c.shape[1]), np.int64))
    if r is None:
        out[rows] = spatial
        return out
    temporal = average(c[rows].astype(np.int64), r[rows].astype(np.int64))
    out[rows] = blend(stmm3_at(field, 2 * rows + 1 - parity, height), spatial, temporal, state)
    return out


def deinterlaced_chroma(c: Array, r: Array | None, field: Field, state: DiState) -> Array:
    """Chroma of 4:2:2: three angles, the static image fallback, the blend (1183-1207, 1211-1222): (24) to (27)."""
    lines = field.missing
    zero = np.zeros_like(field.angle)
    c90 = along(c, lines, zero)
    c27 = along(c, lines, np.sign(field.angle))
    c45 = average(c90, c27)
    size = abs(field.angle)
    three = np.where(size == 0, c90, np.where(size == 1, c45, c27))
    out = c.astype(np.int64)
    if r is None:
        out[lines] = three
        return out
    sdi = blend(field.stmm3, three, c90, state)
    tdi = average(c[lines].astype(np.int64), r[lines].astype(np.int64))
    out[lines] = blend(field.stmm3, sdi, tdi, state)
    return out
