"""The curves of tone mapping as tables for the kernels (docs/tonemap.md).

They are computed as long doubles, so that the floats do not depend on the processor's or the library's powers.
"""

from __future__ import annotations

from functools import lru_cache
from math import log2, log10
from typing import Any

import numpy as np
import numpy.typing as npt

from texsamp.device.base import Array, Device

Floats = npt.NDArray[np.longdouble]

BRIGHTEST = 10000
"""The light of PQ's largest code, cd/m²."""

CODE_WHITE = 16384
"""The largest code that has an entry in tables of light."""
PLACES_PER_OCTAVE, FIRST_EXPONENT, OCTAVES = 64, -32, 40

_M1, _M2 = 2610 / 16384, 2523 / 4096 * 128
_C1, _C2, _C3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
_A, _B, _C = 0.17883277, 0.28466892, 0.55991073
"""BT.2100's constants of PQ and of HLG."""

_DISPLAY_GAMMA = 2.4
"""BT.1886, with a black of 0."""


def places() -> Floats:
    """The light at which curves have entries, `PLACES_PER_OCTAVE` in each of `OCTAVES` octaves, and the end."""
    index = np.arange(OCTAVES * PLACES_PER_OCTAVE + 1)
    octave, part = index // PLACES_PER_OCTAVE, index % PLACES_PER_OCTAVE
    return np.ldexp((1 + part / PLACES_PER_OCTAVE).astype(np.longdouble), octave + FIRST_EXPONENT)


def _codes() -> Floats:
    """The codes that have an entry, from 0 to 1."""
    return np.arange(CODE_WHITE + 1).astype(np.longdouble) / CODE_WHITE


def pq_light(code: Any) -> Any:
    """Light in cd/m² of PQ codes from 0 to 1."""
    root = code ** (1 / _M2)
    return BRIGHTEST * (np.maximum(root - _C1, 0) / (_C2 - _C3 * root)) ** (1 / _M1)


def pq_code(light: Any) -> Any:
    """PQ codes from 0 to 1 of light in cd/m²."""
    power = (light / BRIGHTEST) ** _M1
    return ((_C1 + _C2 * power) / (1 + _C3 * power)) ** _M2


def hlg_light(code: Any) -> Any:
    """Light of the scene, 0 to 1, of HLG codes from 0 to 1."""
    return np.where(code <= 0.5, code * code / 3, (np.exp((code - _C) / _A) + _B) / 12)


def system_gamma(peak: float) -> float:
    """The exponent of HLG's system (OOTF) for a display whose white is ``peak`` cd/m²; BT.2100's, note 5f included."""
    return 1.2 + 0.42 * log10(peak / 1000) if 400 <= peak <= 2000 else 1.2 * 1.111 ** log2(peak / 1000)


def _rolled_off(light: Floats, peak: float, white: float) -> Floats:
    """BT.2390's EETF from a display of ``peak`` cd/m² to one of ``white``; both have a black of 0, light is cd/m²."""
    top = pq_code(np.longdouble(peak))
    source = np.minimum(pq_code(light) / top, 1)
    target = pq_code(np.longdouble(white)) / top
    knee = 1.5 * target - 0.5
    t = np.maximum(source - knee, 0) / (1 - knee)
    spline = (2 * t**3 - 3 * t**2 + 1) * knee + (t**3 - 2 * t**2 + t) * (1 - knee) + (3 * t**2 - 2 * t**3) * target
    return np.where(source < knee, light, pq_light(np.minimum(spline, target) * top))


def pq_table(white: int) -> Floats:
    """Light, 1.0 at white, of every PQ code."""
    return np.asarray(pq_light(_codes()) / white)


def hlg_table() -> Floats:
    """Light of the scene of every HLG code."""
    return np.asarray(hlg_light(_codes()))


def system_table(peak: int, white: int) -> Floats:
    """The factor from light of the scene to light of the display, 1.0 at white, over the luminance of the former."""
    table = peak / white * places() ** (system_gamma(peak) - 1)
    table[0] = 0
    return np.asarray(table)


def gain_table(peak: float, white: int) -> Floats:
    """What light, 1.0 at white, is multiplied with, over its largest component."""
    light = places()
    if peak <= white:
        return np.asarray(1 / np.maximum(light, 1))
    return np.asarray(_rolled_off(light * white, peak, white) / (light * white))


def code_table() -> Floats:
    """R', G' or B' of the display over its light, both from 0 to 1."""
    table = np.minimum(places(), 1) ** (np.longdouble(1) / _DISPLAY_GAMMA)
    table[0] = 0
    return np.asarray(table)


_TABLES: dict[str, Any] = {
    "pq": pq_table,
    "hlg": hlg_table,
    "system": system_table,
    "gain": gain_table,
    "code": code_table,
}


@lru_cache(maxsize=64)
def device_table(device: Device, name: str, *of: float) -> Array:
    """A table as float32 on a device: pq, hlg, system, gain or code, and the arguments of its function here."""
    return device.upload(_TABLES[name](*of).astype(np.float32))
