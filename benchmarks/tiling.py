"""Speed of tiling and detiling against a plain copy of the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import texsamp as ts
from benchmarks.timing import Contender, measure
from texsamp.surface.detile import detile, tile
from texsamp.surface.tiling import Addressing, AddressSwizzle
from texsamp.surface.tiling import tiling as named

_SURFACES = {"1024 x 1024": (1024, 1024), "4096 x 4096": (4096, 4096)}
_TILINGS = [
    ("X", AddressSwizzle.NONE),
    ("X", AddressSwizzle.BIT_9_10),
    ("Y", AddressSwizzle.NONE),
    ("Y", AddressSwizzle.BIT_9),
    ("W", AddressSwizzle.NONE),
    ("W", AddressSwizzle.BIT_9),
    ("YS_32", AddressSwizzle.NONE),
]


@dataclass(frozen=True)
class TilingRow:
    """Bytes of the surface per second: of wall time, and of the processor time of all threads together."""

    surface: str
    name: str
    threads: int
    wall_GB_s: float  # noqa: N815 - the unit
    per_core_GB_s: float  # noqa: N815 - the unit


def _contenders(width_px: int, height_rows: int, threads: int) -> list[Contender]:
    width_B = width_px * 4
    size = width_B * height_rows
    source, copied = (ts.get_device("cpu").empty((size,), np.uint8) for _ in range(2))  # aligned, as surfaces are
    source[:] = copied[:] = np.random.default_rng(0).integers(0, 256, size, dtype=np.uint8)
    rows = source.reshape(height_rows, width_B)
    made = [Contender("copy", lambda: np.copyto(copied, source))]
    for name, swizzle in _TILINGS:
        addressing = Addressing(named(name), width_B, swizzle)
        label = name + ("" if swizzle is AddressSwizzle.NONE else f" {swizzle.name.lower()}")

        def read(addressing: Addressing = addressing) -> None:
            detile(source, addressing, width_B, height_rows)

        def write(addressing: Addressing = addressing) -> None:
            tile(rows, copied, addressing)

        made.append(Contender(f"detile {label}", read, lambda: ts.set_threads(threads)))
        made.append(Contender(f"tile {label}", write, lambda: ts.set_threads(threads)))
    return made


def tiling(threads: int) -> list[TilingRow]:
    """Surfaces of 4 bytes per texel that fit the cache, and that do not."""
    rows = []
    for surface, (width_px, height_rows) in _SURFACES.items():
        size_MB = width_px * height_rows * 4 / 1e6
        timed = measure("tiling", _contenders(width_px, height_rows, threads), "copy", threads, rounds=9, frames=4)
        rows += [
            TilingRow(surface, row.name, threads, size_MB / row.wall_median_ms, size_MB / row.cpu_median_ms)
            for row in timed
        ]
    return rows
