"""A surface's texels as plain numbers, made once: four channels of one kind, whatever the tiling, blocks and format."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from texsamp.device.base import Array
from texsamp.device.params import struct_dtype
from texsamp.errors import FormatError, StateError
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.arrays import is_compressed, texels_of
from texsamp.surface.codec.formats import block_decoder
from texsamp.surface.surface import Surface
from texsamp.surface.texel_formats import Border, rgba_map, texel_type

MAX_TEXELS = (1 << 31) - 2
"""Texels of all levels and slices; kernels count them in 32 bits."""

LEVEL_DTYPE = struct_dtype("SampleLevel")
"""SampleLevel of `kernels/sample_params.h`."""


@dataclass(frozen=True)
class TexelKind:
    """How the sampler sees texels of a format.

    name: ``unorm8`` (codes of 8 bits), ``float`` (float32) or ``integer`` (uint32 or int32). channels: what R, G, B and
    A are: a letter of a stored channel, "0" or "1".
    """

    name: str
    dtype: np.dtype[Any]
    channels: tuple[str, ...]

    @property
    def result(self) -> np.dtype[Any]:
        """Dtype of samples."""
        return np.dtype(np.float32) if self.name == "unorm8" else self.dtype

    @property
    def outside(self) -> tuple[int, ...]:
        """A texel where there is none: zero, alpha one in formats without alpha (003:516)."""
        one = 255 if self.name == "unorm8" else 1
        return (0, 0, 0, one if self.channels[3] == "1" else 0)


@lru_cache(maxsize=512)
def texel_kind(info: SurfaceFormatInfo, border: Border) -> TexelKind:
    """The kind of a format's texels. Raises FormatError for formats that the sampler does not return."""
    if is_compressed(info):
        _, decoder = block_decoder(info.name)
        is_codes = decoder.dtype == np.uint8 and decoder.kernel_f32 is None and info.color_space == "linear"
        name, dtype = _UNORM8 if is_codes else _FLOAT
        return TexelKind(name, dtype, _channels_of_blocks(info))
    type_ = texel_type(info.name)
    channels = rgba_map(type_, border)
    if type_.value.kind in "ui":
        return TexelKind("integer", type_.value, channels)
    codes = all(c.kind == "unorm" and c.bits == 8 for c in type_.channels) and info.color_space == "linear"
    name, dtype = _UNORM8 if codes or type_.has_palette else _FLOAT
    return TexelKind(name, dtype, channels)


_UNORM8: tuple[str, np.dtype[Any]] = ("unorm8", np.dtype(np.uint8))
_FLOAT: tuple[str, np.dtype[Any]] = ("float", np.dtype(np.float32))


def _channels_of_blocks(info: SurfaceFormatInfo) -> tuple[str, ...]:
    stored = {channel.name for channel in info.channels}
    return tuple(name if name in stored else "1" if name == "A" else "0" for name in "RGBA")


@dataclass(frozen=True, eq=False)
class Expanded:
    """Texels of every level and slice of a surface.

    texels: (texels + 1, 4) of the kind's dtype, level after level, slice after slice, row after row, and one more, so
    that two texels can be read at once; samples of a slice are slices one after the other. levels:
    width, height, slices and first texel of each level.
    """

    kind: TexelKind
    texels: Array
    levels: np.ndarray[Any, np.dtype[np.void]]


def expanded(surface: Surface, border: Border = "dx10", palette: Any = None) -> Expanded:
    """The texels of a surface, kept with it until `Surface.invalidate`.

    Raises FormatError for formats that the sampler does not return, StateError for too many texels.
    """
    if palette is not None:
        return _expand(surface, texel_kind(surface.info, border), border, palette)
    kind = texel_kind(surface.info, border)
    key = ("sampler", kind.channels)
    if key not in surface.derived:
        surface.derived[key] = _expand(surface, kind, border, None)
    made: Expanded = surface.derived[key]
    return made


def bits_of_texels(surface: Surface) -> Array:
    """Level 0 of a surface of one-bit texels, bytes of 0 or 1 in rows; kept until `Surface.invalidate`."""
    key = ("sampler", "bits")
    if key not in surface.derived:
        width, height, _ = surface.level_size_px(0)
        texels = texels_of(surface.elements(), surface.info, (width, height), surface.device, dtype=np.uint8)
        surface.derived[key] = texels.reshape(-1)
    made: Array = surface.derived[key]
    return made


def _expand(surface: Surface, kind: TexelKind, border: Border, palette: Any) -> Expanded:
    levels = np.zeros(surface.levels, LEVEL_DTYPE)
    total = 0
    for level in range(surface.levels):
        width, height, depth = surface.level_size_px(level)
        slices = depth if surface.type == SurfaceType.SURFTYPE_3D else surface.layers * surface.faces * surface.samples
        if total + width * height * slices > MAX_TEXELS:
            raise StateError(f"a surface to be sampled may have {MAX_TEXELS} texels in all, found {surface!r}")
        levels[level] = (width, height, slices, total)
        total += width * height * slices
    texels = surface.device.empty((total + 1, 4), kind.dtype)
    texels[total:] = 0
    for level, (width, height, slices, first) in enumerate(levels.tolist()):
        for slice in range(slices):
            elements = surface.elements(level, *divmod(slice, surface.samples))
            picture = _picture(surface, kind, elements, (width, height), border, palette)
            begin = first + slice * width * height
            texels[begin : begin + width * height] = picture.reshape(-1, 4)
    return Expanded(kind, texels, levels)


def _picture(
    surface: Surface, kind: TexelKind, elements: Array, size_px: tuple[int, int], border: Border, palette: Any
) -> Array:
    """Rows of elements as texels (height, width, 4)."""
    info, device = surface.info, surface.device
    if is_compressed(info):
        return _picture_of_blocks(surface, kind, elements, size_px)
    options: dict[str, Any] = {"channels": "rgba", "border": border, "dtype": kind.dtype}
    if palette is not None:
        options["palette"] = palette
    if math.prod(size_px) == 0:
        raise FormatError("a level without texels cannot be sampled")
    return texels_of(elements, info, size_px, device, **options)


def _picture_of_blocks(surface: Surface, kind: TexelKind, elements: Array, size_px: tuple[int, int]) -> Array:
    info, device = surface.info, surface.device
    stored = texels_of(elements, info, size_px, device, dtype=kind.dtype)
    made = device.empty((*stored.shape[:2], 4), kind.dtype)
    names = [channel.name for channel in info.channels]
    one = 255 if kind.name == "unorm8" else 1
    for place, name in enumerate(kind.channels):
        constant = {"0": 0, "1": one}.get(name)
        made[..., place] = stored[..., names.index(name)] if constant is None else constant
    return made
