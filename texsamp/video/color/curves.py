"""The transfer curve of BT.709, BT.601 and BT.2020 as integers, in both directions and beyond 0 and 1."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from texsamp.device.base import Array, Device

CODES = range(-1024, 5120)
"""R', G' or B' that have an entry; 1.0 is 4096."""
LIGHTS = range(-40960, 90113, 32)
"""Linear light that has an entry; 1.0 is 32768."""

_ALPHA, _BETA = 1.09929682680944, 0.018053968510807
"""The constants of BT.2020 at full precision, with which both pieces of the curve meet."""


def curve_tables() -> npt.NDArray[np.int32]:
    """Light of every code in `CODES`, then the code of every light in `LIGHTS`; odd about 0, as xvYCC has it."""
    codes = np.array(CODES) / 4096
    size = np.abs(codes)
    light = np.where(size < 4.5 * _BETA, size / 4.5, ((size + _ALPHA - 1) / _ALPHA) ** (1 / 0.45))
    lights = np.array(LIGHTS) / 32768
    size = np.abs(lights)
    code = np.where(size < _BETA, 4.5 * size, _ALPHA * size**0.45 - (_ALPHA - 1))
    tables = np.concatenate(
        [np.sign(codes) * np.floor(light * 32768 + 0.5), np.sign(lights) * np.floor(code * 4096 + 0.5)]
    )
    return tables.astype(np.int32)


@lru_cache(maxsize=2)
def device_curves(device: Device) -> Array:
    """The tables on a device."""
    return device.upload(curve_tables())
