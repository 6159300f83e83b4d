"""Seeded inputs for the tests of the video filters: pictures, coefficient tables, positions, guarded planes.

`sweep(n)` is n times the environment variable TEXSAMP_SWEEP (default 1): the same tests run longer, on more cases, or
shorter, with a fraction of them.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate

import numpy as np
from oracle.avs import CoefficientTables

PATTERNS: dict[str, Callable[[np.random.Generator, int, int, int], np.ndarray]] = {
    "random": lambda rng, h, w, top: rng.integers(0, top + 1, (h, w)),
    "zero": lambda _rng, h, w, _top: np.zeros((h, w), dtype=np.int64),
    "max": lambda _rng, h, w, top: np.full((h, w), top),
    "checkerboard": lambda _rng, h, w, top: np.indices((h, w)).sum(axis=0) % 2 * top,
    "impulses": lambda rng, h, w, top: (rng.random((h, w)) < 0.06) * top,
    "extremes": lambda rng, h, w, top: rng.integers(0, 2, (h, w)) * top,
    "steps": lambda rng, h, w, top: np.repeat(np.repeat(rng.integers(0, top + 1, (h, w)), 4, 0), 4, 1)[:h, :w],
    "soft": lambda rng, h, w, top: top // 2 + rng.integers(-max(top // 16, 1), top // 16 + 1, (h, w)),
}
"""Name -> (generator, height, width, largest sample) -> samples."""


def sweep(count: int) -> int:
    """How many cases a test runs: one at least."""
    return max(1, round(count * float(os.environ.get("TEXSAMP_SWEEP", "1"))))


def picture(rng: np.random.Generator, height: int, width: int, top: int, pattern: str | None = None) -> np.ndarray:
    """Samples 0..top of a pattern, or of any one."""
    chosen = pattern or str(rng.choice(list(PATTERNS)))
    return PATTERNS[chosen](rng, height, width, top)


# ---- coefficient tables ---------------------------------------------------------------------------------------------

_FIELD = np.array([16, 32, 64, 128, 128, 64, 32, 16])
"""Coefficient j of a stored row lies in [-_FIELD[j], _FIELD[j]) (seed 003:4051-4130)."""


def random_rows(rng: np.random.Generator, taps: int, kind: str) -> np.ndarray:
    """32 rows of 8 legal coefficients, shape (32, 8); with 4 taps the outer two on each side are 0."""
    rows = {
        "field": lambda: rng.integers(-_FIELD, _FIELD, (32, 8)),
        "extreme": lambda: np.where(rng.random((32, 8)) < 0.5, -_FIELD, _FIELD - 1),
        "any": lambda: rng.integers(-128, 128, (32, 8)),
        "any extreme": lambda: np.where(rng.random((32, 8)) < 0.5, -128, 127),
        "positive": lambda: rng.integers(0, _FIELD, (32, 8)),
        "negative": lambda: rng.integers(-_FIELD, 1, (32, 8)),
        "small": lambda: rng.integers(-9, 10, (32, 8)),
        "sharp": lambda: rng.integers(-12, 5, (32, 8)) + np.array([0, 0, 0, 50, 40, 0, 0, 0]),
        "zero": lambda: np.zeros((32, 8), dtype=np.int64),
    }[kind]()
    if taps == 4:
        rows[:, [0, 1, 6, 7]] = 0
    return rows.astype(np.int16)


ROW_KINDS = ("field", "extreme", "any", "any extreme", "positive", "negative", "small", "sharp", "zero")


def random_tables(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Tables 0X, 0Y, 1X, 1Y of any kinds."""
    x0, y0, x1, y1 = (random_rows(rng, taps, str(rng.choice(ROW_KINDS))) for taps in (8, 8, 4, 4))
    return x0, y0, x1, y1


def oracle_tables(tables: tuple[np.ndarray, ...]) -> CoefficientTables:
    """The same tables for the oracle."""
    return CoefficientTables(*(table.tolist() for table in tables))


# ---- positions ------------------------------------------------------------------------------------------------------


def random_positions(rng: np.random.Generator, source: int, count: int) -> list[int]:
    """Non-decreasing base texels with any phases: 1:1, up, down, curved, negative starts, far outside."""

    def even(step: float, start: float) -> list[int]:
        return [int(np.floor(start + step * x)) for x in range(count)]

    kind = rng.integers(0, 7)
    if kind == 0:
        return even(32, 0)
    if kind == 1:  # the whole source
        return even(32 * source / count, rng.integers(-40, 40))
    if kind == 2:
        return even(rng.uniform(0, 32), rng.integers(-200, 32 * source))
    if kind == 3:
        return even(rng.uniform(32, 700), rng.integers(-900, 100))
    if kind == 4:  # second derivative
        steps = np.maximum(rng.uniform(4, 90) + rng.uniform(-2, 2) * np.arange(count), 0)
        return [int(p) - 64 for p in accumulate(steps.tolist())]
    if kind == 5:  # far outside on one side
        return even(rng.uniform(0, 90), rng.choice([-5000, 32 * source + 3000]))
    # one texel after the other, any phase: phases may go back inside a texel
    bases = accumulate(rng.integers(0, 3, count).tolist(), initial=int(rng.integers(-6, 2)))
    return [32 * base + int(rng.integers(0, 32)) for base, _ in zip(bases, range(count), strict=False)]


# ---- memory ---------------------------------------------------------------------------------------------------------


def padded_plane(rng: np.random.Generator, rows: int, elements: int, dtype: str) -> np.ndarray:
    """A view of random elements inside a larger array of random bytes: rows have a pitch, and neighbors."""
    margin, padding = int(rng.integers(1, 4)), int(rng.integers(1, 70))
    shape = (rows + 2 * margin, elements + 2 * padding)
    kind = np.dtype(dtype)
    whole = rng.integers(0, np.iinfo(kind).max, shape, dtype=kind, endpoint=True)
    return whole[margin : margin + rows, padding : padding + elements]


@contextmanager
def nothing_else_written(views: Sequence[np.ndarray]) -> Iterator[None]:
    """Fail if anything changes in the arrays that hold these views, except the elements of the views."""
    wholes = {id(view.base): view.base for view in views}
    before = {key: whole.copy() for key, whole in wholes.items()}
    yield
    for key, whole in wholes.items():
        changed = (whole != before[key]).ravel()
        for view in views:
            if view.base is whole:
                first = (view.ctypes.data - whole.ctypes.data) // view.itemsize
                down, across = (stride // view.itemsize for stride in view.strides)
                rows, columns = view.shape
                changed[first + down * np.arange(rows)[:, np.newaxis] + across * np.arange(columns)] = False
        assert not changed.any(), f"elements outside the picture changed: {np.flatnonzero(changed)[:8].tolist()}"
