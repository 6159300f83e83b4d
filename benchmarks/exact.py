"""The hardware's filter and the exact one against the mathematics in double precision, and what gradients take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import texsamp as ts

_SIDE, _LUT = 512, 33
_COUNT = 1 << 20

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """Largest and root mean square error for texels from 0 to 1, in 1/65536; CPU time of 2^20 samples, least of 5."""

    case: str
    filter: str
    most_error: float
    rms_error: float
    cpu_ms: float


def _blended(level: Floats, at: Floats) -> Floats:
    """Every axis blended, the last of ``at`` being that of slices; clamped."""
    corners = []
    for coordinate, size in zip(at, reversed(level.shape[:-1]), strict=True):
        x = coordinate * size - 0.5
        first = np.floor(x)
        ends = [np.clip(first + n, 0, size - 1).astype(int) for n in (0, 1)]
        corners.append(list(zip(ends, (1 - (x - first), x - first), strict=True)))
    total = np.zeros((at.shape[1], level.shape[-1]))
    for taps in np.ndindex(*[2] * len(corners)):
        chosen = [corners[axis][tap] for axis, tap in enumerate(taps)]
        weight = np.prod([each[1] for each in chosen], axis=0)
        total += level[tuple(each[0] for each in reversed(chosen))] * weight[:, None]
    return total


def _slope(level: Floats, at: Floats, weights: Floats) -> Floats:
    """By the first coordinate: the difference of the two columns, blended along the other axis."""
    width = level.shape[1]
    x = at[0] * width - 0.5
    centers = (np.floor(x) + np.array([[0.5], [1.5]])) / width
    at_ends = [_blended(level, np.stack([center, at[1]])) for center in centers]
    return np.asarray(width * ((at_ends[1] - at_ends[0]) * weights).sum(axis=1))


def _least_ms(run: Callable[[], Any]) -> float:
    found = []
    for _ in range(5):
        begin = time.process_time()
        run()
        found.append((time.process_time() - begin) * 1e3)
    return min(found)


def _row(case: str, filter: str, run: Callable[[], Any], truth: Floats) -> Row:
    errors = (run().astype(np.float64) - truth) * 65536
    return Row(case, filter, float(abs(errors).max()), float(np.sqrt((errors**2).mean())), _least_ms(run))


def exact() -> list[Row]:
    """Both filters at a million random places; gradients of the exact one."""
    random = np.random.default_rng(1)
    texels = random.uniform(0, 1, (_SIDE, _SIDE, 4)).astype(np.float32)
    flat = ts.Surface.from_array(texels, "R32G32B32A32_FLOAT", device="cpu", mips="box")
    lut = random.uniform(0, 1, (_LUT, _LUT, _LUT, 4)).astype(np.float32)
    volume = ts.Surface.from_array(lut, "R32G32B32A32_FLOAT", type="3D", device="cpu")
    at = random.uniform(0, 1, (3, _COUNT)).astype(np.float32)
    lod = random.uniform(0, 3, _COUNT).astype(np.float32)
    places, part = at.astype(np.float64), (lod - np.floor(lod)).astype(np.float64)[:, None]
    levels = [_blended(flat.to_array(level).astype(np.float64), places[:2]) for level in range(5)]
    number = np.floor(lod).astype(int)
    near, far = (np.choose(number[:, None] + n, levels) for n in (0, 1))
    truths = {
        "bilinear": (flat, at[:2], {"lod": 0.0}, levels[0]),
        "trilinear": (flat, at[:2], {"lod": lod}, near * (1 - part) + far * part),
        "table of 33 x 33 x 33": (volume, at, {"lod": 0.0}, _blended(lut.astype(np.float64), places)),
    }
    rows = []
    for case, (surface, where, detail, truth) in truths.items():
        for filter in ("hardware", "exact"):
            sampler = ts.Sampler(filter=filter, address="clamp")  # type: ignore[arg-type]
            rows.append(_row(case, filter, lambda: ts.sample(surface, sampler, *where, **detail), truth))  # noqa: B023
    sampler = ts.Sampler(filter="exact", address="clamp")
    weights = random.normal(0, 1, (_COUNT, 4)).astype(np.float32)
    slopes = _slope(texels.astype(np.float64), places[:2], weights.astype(np.float64)) / _SIDE

    def gradients() -> Any:
        found = ts.sample_gradients(flat, sampler, *at[:2], lod=0.0, weights=weights)
        return found.coordinates[0] / np.float32(_SIDE)

    rows.append(_row("gradients of bilinear, by texels", "exact", gradients, slopes))
    return rows
