"""The deinterlacer's long filters written out literally: (32) to (36) of docs/deinterlace-hq.md."""

from __future__ import annotations

import numpy as np

from oracle.deinterlace import Array, DiState, Field, deinterlace_luma, fetch

COEFFICIENTS = (
    # own +-3, own +-5, line itself, +-2, +-4: docs/deinterlace-hq.md, by STMM3 >> 4
    (0, 0, 128, 0, 0),
    (23, 2, 88, -23, -4),
    (17, 0, 79, -26, -1),
    (9, -1, 78, -24, 1),
    (7, -1, 71, -26, 2),
    (2, -3, 63, -28, 5),
    (-8, -5, 51, -26, 9),
    (-11, -4, 44, -25, 9),
    (-16, -2, 39, -24, 8),
    (-20, 0, 32, -21, 7),
    (-24, 2, 23, -15, 6),
    (-27, 4, 19, -13, 4),
    (-30, 6, 12, -9, 3),
    (-30, 5, 11, -8, 3),
    (-31, 6, 6, -4, 1),
    (-29, 6, 2, -2, 1),
)
ALONE = (-30, 6)


def whole_width(pairs: Array, width: int) -> Array:
    """A value per pair as a value per pixel."""
    return np.repeat(pairs, 2, axis=1)[:, :width]


def in_time(c: Array, r: Array, field: Field) -> Array:
    """The missing lines from six lines of the field and ten of the other parity: (32) to (34)."""
    width = c.shape[1]
    n, m = (fetch(frame, field.missing, np.arange(width)) for frame in (c, r))
    g3, g5, t0, t2, t4 = (
        whole_width(np.array([row[column] for row in COEFFICIENTS])[field.stmm3 >> 4], width) for column in range(5)
    )
    g1 = 128 - g3 - g5 - t0 - 2 * t2 - 2 * t4
    total = (
        g1 * (n(0, -1) + n(0, 1))
        + g3 * (n(0, -3) + n(0, 3))
        + g5 * (n(0, -5) + n(0, 5))
        + t0 * (n(0, 0) + m(0, 0))
        + t2 * (n(0, -2) + n(0, 2) + m(0, -2) + m(0, 2))
        + t4 * (n(0, -4) + n(0, 4) + m(0, -4) + m(0, 4))
    )
    near = [n(0, -1), n(0, 1), n(0, 0), m(0, 0)]
    return np.clip((total + 128) >> 8, np.min(near, axis=0), np.max(near, axis=0))


def alone(c: Array, field: Field) -> Array:
    """The missing lines from the field by itself: (35)."""
    n = fetch(c, field.missing, np.arange(c.shape[1]))
    g3, g5 = ALONE
    total = (128 - g3 - g5) * (n(0, -1) + n(0, 1)) + g3 * (n(0, -3) + n(0, 3)) + g5 * (n(0, -5) + n(0, 5))
    near = [n(0, -1), n(0, 1), n(0, -3), n(0, 3)]
    return np.clip((total + 128) >> 8, np.min(near, axis=0), np.max(near, axis=0))


def deinterlace_luma_hq(
    c: Array, r: Array | None, parity: int, state: DiState, stmm_s: Array | None = None, bits: int = 8
) -> Array:
    """The field of a parity of frame ``c`` as a whole frame; the arguments are those of `deinterlace_luma`."""
    field = deinterlace_luma(c, r, parity, state, stmm_s, bits)
    out = c.astype(np.int64)
    out[field.missing] = alone(c, field) if r is None or stmm_s is None else in_time(c, r, field)
    return out
