"""Texels of one format as texels of another: by value, channel by channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.surface.arrays import is_compressed
from texsamp.surface.texel_formats import texel_type

_COLOR_OF = {"L": "RGB", "I": "RGBA", "Y": "RGB"}
"""Which colors a channel is that stands alone, or with alpha."""
_CHROMA = {"Cr": "R", "Y": "G", "Cb": "B"}
"""What the sampler returns the channels of YCbCr as (seed 003:3056)."""


def value_dtype(info: SurfaceFormatInfo) -> np.dtype[Any]:
    """Dtype of a format's values: float32, uint32 or int32. Raises FormatError for formats without texels."""
    return np.dtype(np.float32) if is_compressed(info) else texel_type(info.name).value


def recolored(values: Array, source: SurfaceFormatInfo, target: SurfaceFormatInfo, device: Device) -> Array:
    """Values (height, width, channels) of one format as those of another.

    Luminance is red, green and blue, and is made of red; intensity is alpha, too. A missing color is 0, a missing alpha
    1. Numbers of integer formats are rounded to nearest, halves away from zero, and
    clamped; NaN is 0. Raises FormatError for palettes.
    """
    places = _places(source)
    names = _names(target)
    wanted = value_dtype(target)
    made = device.empty((*values.shape[:2], len(names)), wanted)
    for index, name in enumerate(names):
        color = name if name in ("R", "G", "B", "A") else _colors_of(name, names)[0]
        place = places.get(color)
        if place is None:
            made[..., index] = int(color == "A")
        else:
            made[..., index] = _as_dtype(values[..., place], wanted)
    return made


def _names(info: SurfaceFormatInfo) -> tuple[str, ...]:
    names = tuple(channel.name for channel in info.channels) if is_compressed(info) else texel_type(info.name).names
    if "P" in names:
        raise FormatError(f"{info.name} has indices of a palette, which are no colors to convert")
    return names


def _colors_of(name: str, names: tuple[str, ...]) -> str:
    return _CHROMA[name] if "Cr" in names else _COLOR_OF[name]


def _places(info: SurfaceFormatInfo) -> Mapping[str, int]:
    """Where a format's red, green, blue and alpha are."""
    names = _names(info)
    made: dict[str, int] = {}
    for place, name in enumerate(names):
        colors = name if name in ("R", "G", "B", "A") else _colors_of(name, names)
        made.update(dict.fromkeys(colors, place))
    return made


def _as_dtype(values: Array, wanted: np.dtype[Any]) -> Array:
    if values.dtype == wanted or wanted.kind == "f":
        return values
    low, high = np.iinfo(wanted).min, np.iinfo(wanted).max
    if values.dtype.kind == "f":
        top = np.nextafter(np.float32(high), np.float32(0))  # the largest float below 2^31 or 2^32
        numbers = np.where(np.isnan(values), np.float32(0), values).clip(np.float32(low), top)
        whole = np.trunc(numbers)
        rest = numbers - whole
        rounded: Array = whole.astype(np.int64) + (rest >= 0.5) - 1 * (rest <= -0.5)
        return rounded
    known = np.iinfo(values.dtype)
    return values.clip(max(low, known.min), min(high, known.max))
