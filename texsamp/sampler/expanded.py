"""A surface's texels as plain numbers, made once: four channels of one kind, whatever the tiling, blocks and format."""

from __future__ import annotations

import itertools
import math
import threading
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

_BAND_TEXELS = {"host": 1 << 16, "device": 1 << 24}
"""What is expanded at once, so that what is made on the way stays in a CPU's caches, and fits into a GPU's memory."""

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


class Room:
    """Memory for the texels of a surface, and whether all of them are there.

    Memory that is never written costs nothing on the CPU: `texsamp.sampler.touched` fills what few samples want.
    """

    def __init__(self, texels: Expanded) -> None:
        self.texels = texels
        self.is_whole = False
        self.lock = threading.Lock()


@dataclass(frozen=True)
class _Bits:
    texels: Array


def room_of(surface: Surface, border: Border) -> Room:
    """The memory for a surface's texels, kept with it until `Surface.invalidate`.

    Raises FormatError for formats that the sampler does not return, StateError for too many texels.
    """
    kind = texel_kind(surface.info, border)
    return surface.derived.made(Room, kind.channels, lambda: Room(_unfilled(surface, kind)))


def expanded(surface: Surface, border: Border = "dx10", palette: Any = None) -> Expanded:
    """The texels of a surface, kept with it until `Surface.invalidate`.

    Raises as `room_of` does.
    """
    if palette is not None:
        made = _unfilled(surface, texel_kind(surface.info, border))
        _fill(surface, made, border, palette)
        return made
    room = room_of(surface, border)
    with room.lock:
        if not room.is_whole:
            _fill(surface, room.texels, border, None)
            room.is_whole = True
    return room.texels


def bits_of_texels(surface: Surface) -> Array:
    """Level 0 of a surface of one-bit texels, bytes of 0 or 1 in rows; kept until `Surface.invalidate`."""

    def made() -> _Bits:
        size = surface.level_size_px(0)[:2]
        texels = texels_of(surface.elements(), surface.info, size, surface.device, dtype=np.uint8)
        return _Bits(texels.reshape(-1))

    return surface.derived.made(_Bits, None, made).texels


def _unfilled(surface: Surface, kind: TexelKind) -> Expanded:
    """Room for the texels of a surface. Raises StateError for too many."""
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
    return Expanded(kind, texels, levels)


def _fill(surface: Surface, made: Expanded, border: Border, palette: Any) -> None:
    """Expand every texel, a band of rows at a time: what is made on the way stays small."""
    kind, rows_px = made.kind, surface.info.block_height
    most = _BAND_TEXELS[surface.device.tile_limits]
    for level, (width, height, slices, first) in enumerate(made.levels.tolist()):
        band_px = rows_px * max(1, most // (width * rows_px)) if surface.samples == 1 else height
        for slice, top in itertools.product(range(slices), range(0, height, band_px)):
            lines = min(band_px, height - top)
            part = (top // rows_px, -(-lines // rows_px))
            elements = surface.elements(level, *divmod(slice, surface.samples), part)
            picture = picture_of(surface, kind, elements, (width, lines), border, palette)
            begin = first + (slice * height + top) * width
            made.texels[begin : begin + width * lines] = picture.reshape(-1, 4)


def picture_of(
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
