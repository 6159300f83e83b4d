"""The tips of the RGB cube's outline at every hue, for gamut compression (seed 003:6900-6957, hole C18)."""

from __future__ import annotations

from functools import cache, lru_cache
from math import cos, floor, pi, sin

import numpy as np
import numpy.typing as npt

from texsamp.device.base import Array, Device
from texsamp.video.color.matrices import KR_KB

HUES = 512
ONE = 4096
"""1.0 in the table."""


@cache
def vertex_table(matrix: str) -> npt.NDArray[np.int32]:
    """Chroma and luma of the tip at the hues 0 to 511 of 1024, shape (512, 2); the other half mirrors the luma.

    At a hue, R, G and B less luma grow with chroma at rates d; the tip is where the largest is 1 and the smallest 0.
    """
    kr, kb = (float(k) for k in KR_KB[matrix])
    kg = 1 - kr - kb
    table = np.empty((HUES, 2), np.int32)
    for index in range(HUES):
        u, v = cos(pi * index / HUES), sin(pi * index / HUES)
        red, blue = 2 * (1 - kr) * v, 2 * (1 - kb) * u
        rates = (red, -(kr * red + kb * blue) / kg, blue)
        chroma = 1 / (max(rates) - min(rates))
        table[index] = floor(ONE * chroma + 0.5), floor(-ONE * min(rates) * chroma + 0.5)
    table.flags.writeable = False
    return table


@cache
def channel_rates(matrix: str) -> npt.NDArray[np.int32]:
    """How fast channels leave luma: red by V, blue by U, green by U and by V, in 1/4096; shape (4,)."""
    kr, kb = KR_KB[matrix]
    red, blue = 2 * (1 - kr), 2 * (1 - kb)
    rates = red, blue, -kb * blue / (1 - kr - kb), -kr * red / (1 - kr - kb)
    return np.array([round(ONE * rate) for rate in rates], np.int32)


@lru_cache(maxsize=8)
def device_vertices(device: Device, matrix: str) -> Array:
    """The table on a device, and the rates behind it."""
    return device.upload(np.concatenate([vertex_table(matrix).ravel(), channel_rates(matrix)]))
