"""What each uncompressed surface format is to an array: its channels, its natural dtype, and the kernels' description.

Everything follows from the format table. Channels stand in the order R, G, B, A (or Y, Cb, Cr as the sampler returns
them: Cr, Y, Cb), whatever their order in memory; L, I, D and A-only formats have theirs alone; palette formats have
the index (P) and then alpha. Padding (X) is no channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from texsamp.device.params import struct_dtype
from texsamp.errors import FormatError
from texsamp.state.formats import Channel, SurfaceFormatInfo, surface_format, surface_formats
from texsamp.surface.memory import dtype_named

Border = Literal["dx10", "dx9"]
"""Texture Border Color Mode: which of a format's two channel maps applies (seed 003:2876-3056)."""

_ORDER = ("R", "L", "I", "P", "Cr", "Y", "G", "Cb", "B", "A")
_NO_NUMBER = ("pad", "exponent")
_COLORS = ("R", "G", "B", "L")
_WIDE_BITS = 64

KINDS = (
    "constant",
    "bits",
    "uint",
    "sint",
    "unorm",
    "snorm",
    "unorm32",
    "snorm32",
    "srgb",
    "uscaled",
    "sscaled",
    "sfixed",
    "float",
    "shared_exponent",
    "palette",
    "palette_bits",
    "nibble",
)
"""Kinds of a channel, in the order of TexelKind in `kernels/formats.h`."""

ELEMENTS = ("bytes", "bits", "pair")
"""TexelElement in `kernels/formats.h`."""

PLAIN_FORMATS = {
    "linear": ("R8_UNORM", "R8G8_UNORM", "R8G8B8_UNORM", "R8G8B8A8_UNORM"),
    "srgb": ("", "", "R8G8B8_UNORM_SRGB", "R8G8B8A8_UNORM_SRGB"),
    "snorm": ("R8_SNORM", "R8G8_SNORM"),
}
"""Formats of 8-bit codes by color space and number of channels: what compressed ones are as numbers."""


def encoded_dtype(info: SurfaceFormatInfo) -> np.dtype[Any]:
    """What texels of a compressed format are encoded from: int8 or uint8 codes, or float16."""
    return np.dtype({"float": np.float16, "snorm": np.int8}.get(info.channels[0].kind, np.uint8))


_FORMAT_DTYPE = struct_dtype("TexelFormat")

_RAW_DTYPES: dict[tuple[str, int], Any] = {
    **{(kind, 8): np.uint8 for kind in ("unorm", "uint", "uscaled", "index")},
    **{(kind, 16): np.uint16 for kind in ("unorm", "uint", "uscaled")},
    **{(kind, 32): np.uint32 for kind in ("unorm", "uint", "uscaled")},
    **{(kind, 8): np.int8 for kind in ("snorm", "sint", "sscaled")},
    **{(kind, 16): np.int16 for kind in ("snorm", "sint", "sscaled")},
    **{(kind, 32): np.int32 for kind in ("snorm", "sint", "sscaled", "sfixed")},
    ("float", 16): np.float16,
    ("float", 32): np.float32,
    ("float", 64): np.float64,
    ("passthru", 64): np.uint64,
}

_ONE = {"snorm": lambda bits: (1 << (bits - 1)) - 1, "unorm": lambda bits: (1 << bits) - 1}


@dataclass(frozen=True)
class TexelType:
    """How texels of one format look as an array of numbers.

    ``channels`` are those the format stores; ``natural`` the dtype that holds what is stored without loss, ``raw``
    whether that is the channels' codes as they are, ``value`` the dtype of converted values (float32, uint32 or int32).
    """

    info: SurfaceFormatInfo
    channels: tuple[Channel, ...]
    natural: np.dtype[Any]
    raw: bool
    value: np.dtype[Any]

    @property
    def names(self) -> tuple[str, ...]:
        """Letters of the stored channels."""
        return tuple(channel.name for channel in self.channels)

    @property
    def has_palette(self) -> bool:
        """Whether texels index a palette."""
        return self.channels[0].kind == "index"

    @property
    def is_pair(self) -> bool:
        """Whether two texels share an element (YUV 4:2:2)."""
        return self.info.block_width == 2

    @property
    def is_wide(self) -> bool:
        """Whether channels have 64 bits; only vertex fetch reads such formats, and they are only copied."""
        return self.channels[0].bits == _WIDE_BITS

    def row_B(self, width_px: int) -> int:  # noqa: N802 - the unit
        """Bytes of a row of elements that holds a number of texels."""
        return -(-(-(-width_px // self.info.block_width) * self.info.bits) // 8)

    def is_even(self, names: Sequence[str]) -> bool:
        """Whether these channels lie in memory as in an array, each converted alike: then one is as good as a texel."""
        kinds = {(channel.kind, channel.bits) for channel in self.info.channels}
        in_order = tuple(names) == tuple(channel.name for channel in self.info.channels)
        return in_order and len(kinds) == 1 and self.info.color_space == "linear" and not self.has_palette

    def is_plain_copy(self, dtype: np.dtype[Any], names: Sequence[str]) -> bool:
        """Whether an array of these channels has the bytes of the elements."""
        return (
            self.raw
            and dtype == self.natural
            and self.info.bits == 8 * dtype.itemsize * len(self.info.channels)
            and tuple(names) == tuple(channel.name for channel in self.info.channels)
        )


@cache
def texel_type(format: str) -> TexelType:
    """The texel type of a surface format. Raises FormatError for an unknown, compressed, planar or untyped format."""
    info = surface_format(format)
    if info.block_height > 1 or (info.block_width > 1 and info.color_space != "ycbcr"):
        raise FormatError(f"{info.name} is compressed: texsamp.decode reads it")
    if not info.channels:
        raise FormatError(f"{info.name} has no texels, only bytes")
    if any(channel.bits is None for channel in info.channels):
        raise FormatError(f"{info.name} has no elements of one size: its planes are surfaces of their own")
    unique = {channel.name: channel for channel in reversed(info.channels) if channel.kind not in _NO_NUMBER}
    channels = tuple(sorted(unique.values(), key=lambda channel: _ORDER.index(channel.name)))
    natural, raw = _natural(channels)
    return TexelType(info, channels, natural, raw, _value(channels))


def _natural(channels: Sequence[Channel]) -> tuple[np.dtype[Any], bool]:
    kinds, widths = {c.kind for c in channels}, {c.bits for c in channels}
    if "index" in kinds:
        return np.dtype(np.uint8), True
    if len(kinds) == len(widths) == 1:
        kind, bits = channels[0].kind, channels[0].bits or 0
        if (kind, bits) in _RAW_DTYPES:
            return np.dtype(_RAW_DTYPES[kind, bits]), True
        if kind == "unorm" and bits == 1:  # R1 and MONO8 are bits rather than numbers (001:1370-1383)
            return np.dtype(np.uint8), True
    if kinds <= {"uint", "sint"}:
        narrow = max(bits or 0 for bits in widths)
        return np.dtype(f"{'u' if kinds == {'uint'} else 'i'}{1 if narrow <= 8 else 2 if narrow <= 16 else 4}"), False
    return np.dtype(np.float32), False


def _value(channels: Sequence[Channel]) -> np.dtype[Any]:
    kinds = {c.kind for c in channels}
    return np.dtype(np.uint32 if kinds == {"uint"} else np.int32 if kinds == {"sint"} else np.float32)


def rgba_map(type_: TexelType, border: Border) -> tuple[str, ...]:
    """What the sampler returns as R, G, B, A: channel letters, "0" or "1".

    A format with one map has it in both modes. Raises FormatError for formats that the sampler cannot read.
    """
    info = type_.info
    if border not in ("dx10", "dx9"):
        raise FormatError(f"border must be dx10 or dx9, found {border!r}")
    chosen = (info.map_dx9 or info.map_dx10) if border == "dx9" else (info.map_dx10 or info.map_dx9)
    if chosen is None:
        raise FormatError(
            f"{info.name} has no channel map, as the sampler does not return it: load its stored channels, "
            f"or sample what Surface.convert({sampled_format(type_)!r}) makes"
        )
    return chosen


def sampled_format(type_: TexelType) -> str:
    """A format with a channel map for the values of one that has none: as many bits and the same kind, or floats."""
    kinds = {channel.kind for channel in type_.channels}
    bits = next((size for size in (8, 16, 32) if all((c.bits or 0) <= size for c in type_.channels)), 32)
    srgb = "_SRGB" if type_.info.color_space == "srgb" else ""
    name = f"R{bits}G{bits}B{bits}A{bits}_{kinds.pop().upper()}{srgb}"
    info = surface_formats().get(name)
    return name if info is not None and info.map_dx10 and not kinds else "R32G32B32A32_FLOAT"


def dtype_of(type_: TexelType, dtype: Any, outputs: Sequence[str]) -> np.dtype[Any]:
    """The dtype asked for, or the natural one if it is None. Raises FormatError if the channels cannot have it."""
    known = [type_.natural]
    only_codes = type_.is_wide or (type_.has_palette and "P" in outputs)
    if not only_codes and type_.value not in known:
        known.append(type_.value)
    wanted = type_.natural if dtype is None else dtype_named(dtype)
    if wanted not in known:
        words = " or ".join(str(each) for each in known)
        raise FormatError(f"texels of {type_.info.name} can be {words}, found dtype {str(wanted)!r}")
    return wanted


def _is_raw(type_: TexelType, dtype: np.dtype[Any]) -> bool:
    return type_.raw and dtype == type_.natural


def describe(type_: TexelType, outputs: Sequence[str], dtype: np.dtype[Any]) -> np.ndarray[Any, np.dtype[np.void]]:
    """The kernels' description of a format (TexelFormat of `kernels/formats.h`, without axes).

    outputs: the array's channels: letters of stored channels, of a palette's entries, "0" or "1". Channels that are all
    alike (`TexelType.is_even`) may be described by the first alone, each as an element of its own.
    """
    made = np.zeros((), _FORMAT_DTYPE)
    made["channels"] = len(outputs)
    made["element"] = ELEMENTS.index("pair" if type_.is_pair else "bits" if type_.info.bits < 8 else "bytes")
    one_of_many = len(outputs) == 1 and type_.is_even(type_.names)
    made["element_bits"] = type_.channels[0].bits if one_of_many else type_.info.bits
    for place, name in enumerate(outputs):
        if name in ("0", "1"):
            made["channel"][place] = (KINDS.index("constant"), 0, 32, 0)
            made["constant"][place] = _one(type_, dtype) if name == "1" else 0
        else:
            made["channel"][place] = _channel(type_, outputs, name, dtype)
    return made


def _one(type_: TexelType, dtype: np.dtype[Any]) -> int:
    """The bits of 1.0 (of 1 in integer formats) as the array's dtype holds it."""
    if type_.has_palette and dtype == np.uint8:
        return 255
    channel = type_.channels[0]
    if _is_raw(type_, dtype) and channel.kind in _ONE:
        return int(_ONE[channel.kind](channel.bits))
    if dtype.kind == "f":
        return int(np.ones((), dtype).view(f"u{dtype.itemsize}"))
    return 1


_PALETTE_BYTES = {"R": 16, "G": 8, "B": 0, "A": 24}
"""Where an entry has its channels (seed 003:4356-4378)."""


def _channel(type_: TexelType, outputs: Sequence[str], name: str, dtype: np.dtype[Any]) -> tuple[int, int, int, int]:
    stored = {channel.name: channel for channel in type_.channels}
    if type_.has_palette and name not in stored:
        index = stored["P"]
        kind = "palette" if dtype.kind == "f" else "palette_bits"
        return KINDS.index(kind), index.offset or 0, index.bits or 0, _PALETTE_BYTES[name]
    channel = stored[name]
    bits, offset = channel.bits or 0, channel.offset or 0
    if type_.is_pair and name == "Y":
        offset = 32 + offset % 16
    kind, extra = channel.kind, 0
    srgb = type_.info.color_space == "srgb" and name in _COLORS
    if _is_raw(type_, dtype):
        kind = "sint" if kind in ("snorm", "sint", "sscaled") else "bits"
        if bits == 4 and "P" not in outputs:
            kind = "nibble"
    elif kind in ("unorm", "snorm") and bits == 32:
        kind += "32"
    elif kind == "unorm" and srgb:
        kind = "srgb"
    elif kind == "float" and bits == 32:
        kind = "bits"
    if kind == "sint":
        extra = 32 - 8 * dtype.itemsize
    elif kind == "sharedexp":
        kind = "shared_exponent"
        extra = next(c.offset or 0 for c in type_.info.channels if c.kind == "exponent")
    return KINDS.index(kind), offset, bits, extra
