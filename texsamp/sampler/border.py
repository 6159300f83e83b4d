"""The border color as a texel of a surface's kind (seed 003:4199-4244, docs/sampler.md)."""

from __future__ import annotations

import math

import numpy as np

from texsamp.sampler.expanded import TexelKind
from texsamp.sampler.sampler import Sampler
from texsamp.state.formats import SurfaceFormatInfo

_SOURCE = {"R": 0, "L": 0, "I": 0, "Cr": 0, "G": 1, "Y": 1, "B": 2, "Cb": 2, "A": 3, "P": 0}
"""Channel of the border color that a stored channel takes; luminance and intensity take red (003:4209)."""

_WORD, _MASK = 32, 0xFFFFFFFF


def border_texel(sampler: Sampler, kind: TexelKind, info: SurfaceFormatInfo) -> tuple[float, ...]:
    """Four numbers: 0 to 255 for unorm8, codes of 32 bits for integers, else floats.

    The format's range limits them. Channels that it lacks are constants, but in DX9 mode the border's own. Integers
    have no border (003:4647) but of samplers whose border holds codes.
    """
    if kind.name == "integer":
        return _integers(sampler, kind, info)
    dx9 = sampler.border_mode == "dx9"
    ranges = {channel.name: channel.kind for channel in info.channels}
    color = []
    for place, name in enumerate(kind.channels):
        if name in ("0", "1") and not dx9:
            color.append(_number(float(name), "unorm", kind))
            continue
        value = sampler.border[place if name in ("0", "1") else _SOURCE[name]]
        color.append(_number(_code8(value) / 255 if dx9 else value, ranges.get(name, "unorm"), kind))
    return tuple(color)


def _integers(sampler: Sampler, kind: TexelKind, info: SurfaceFormatInfo) -> tuple[int, ...]:
    if not sampler.lenient:
        return (0, 0, 0, 0)
    codes = np.array(sampler.border, np.uint32).view(kind.dtype).tolist()
    bits = {channel.name: channel.bits or _WORD for channel in info.channels}
    color = []
    for name in kind.channels:
        if name in ("0", "1"):
            color.append(int(name))
            continue
        magnitude = bits[name] - (kind.dtype.kind == "i")
        lowest = -(1 << magnitude) if kind.dtype.kind == "i" else 0
        color.append(min(max(codes[_SOURCE[name]], lowest), (1 << magnitude) - 1) & _MASK)
    return tuple(color)


def _code8(value: float) -> int:
    limited = 0.0 if math.isnan(value) else min(max(float(np.float32(value)), 0.0), 1.0)
    return math.floor(limited * 255 + 0.5)


def _number(value: float, channel_kind: str, kind: TexelKind) -> float:
    if kind.name == "unorm8":
        return _code8(value)
    limits = {"unorm": (0.0, 1.0), "snorm": (-1.0, 1.0)}.get(channel_kind)
    if limits is None:
        return value
    return 0.0 if math.isnan(value) else min(max(value, limits[0]), limits[1])
