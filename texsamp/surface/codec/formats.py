"""Compressed formats that can be decoded: one row per format of the surface format table, and the names people use."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.errors import FormatError
from texsamp.state.format_names import manual_name
from texsamp.state.formats import SurfaceFormatInfo, later_surface_formats, surface_format
from texsamp.surface.codec.astc import astc_errors, astc_launch
from texsamp.surface.codec.launch import DecodeJob, block_launch
from texsamp.surface.codec.reserved import in_job, is_reserved_bc6h, is_reserved_bc7, is_undefined_etc1

ROUNDINGS = MappingProxyType({"d3d": 0, "truncate": 1, "nvidia": 2, "amd": 3, "intel": 4})
"""Codes of `Rounding` in `kernels/block_palettes.h`. `docs/decoding.md` gives the formula and source of each."""

_COLOR_ROUNDINGS = ("d3d", "truncate", "nvidia", "amd", "intel")
_CHANNEL_ROUNDINGS = ("d3d", "truncate")
_BC3_ROUNDINGS = ("d3d", "truncate", "intel")
_EXACT = ("d3d",)


@dataclass(frozen=True)
class BlockDecoder:
    """How a compressed format is decoded.

    kernel: gives `dtype`, the format's natural type; kernel_f32, kernel_f16: give float32 or float16, for formats that
        are more precise.
    roundings: policies (of `ROUNDINGS`) with a known definition for this format.
    reserved: which blocks of a job no encoder may write: a bool array (count); None if all are legal.
    launch: the launch of a job, for kernels with parameters or tiles of their own.
    """

    kernel: str
    dtype: np.dtype[Any]
    roundings: tuple[str, ...]
    kernel_f32: str | None = None
    kernel_f16: str | None = None
    reserved: Callable[[Device, DecodeJob], Array] | None = None
    launch: Callable[[Device, DecodeJob], Launch] = block_launch


_U8: np.dtype[Any] = np.dtype(np.uint8)
_S8: np.dtype[Any] = np.dtype(np.int8)
_U16: np.dtype[Any] = np.dtype(np.uint16)
_S16: np.dtype[Any] = np.dtype(np.int16)
_F16: np.dtype[Any] = np.dtype(np.float16)

_BC1 = BlockDecoder("bc1_rgba8", _U8, _COLOR_ROUNDINGS)
_DXT1_RGB = BlockDecoder("bc1_rgb8", _U8, _COLOR_ROUNDINGS)
_BC2 = BlockDecoder("bc2_rgba8", _U8, _COLOR_ROUNDINGS)
_BC3 = BlockDecoder("bc3_rgba8", _U8, _BC3_ROUNDINGS)
_ETC2_RGB8 = BlockDecoder("etc2_rgb8", _U8, _EXACT)
_ETC2_PTA = BlockDecoder("etc2_pta_rgba8", _U8, _EXACT)
_ETC2_RGBA8 = BlockDecoder("etc2_rgba8", _U8, _EXACT)
_BC7 = BlockDecoder("bc7_rgba8", _U8, _EXACT, reserved=in_job(is_reserved_bc7))


def _astc_decoder(info: SurfaceFormatInfo) -> BlockDecoder:
    if info.channels[0].kind == "float":
        return BlockDecoder("astc_float16", _F16, _EXACT, reserved=astc_errors, launch=astc_launch)
    wider = None if info.color_space == "srgb" else "astc_float16"
    return BlockDecoder("astc_unorm8", _U8, _EXACT, kernel_f16=wider, reserved=astc_errors, launch=astc_launch)


DECODERS = MappingProxyType(
    {
        "BC1_UNORM": _BC1,
        "BC1_UNORM_SRGB": _BC1,
        "DXT1_RGB": _DXT1_RGB,
        "DXT1_RGB_SRGB": _DXT1_RGB,
        "BC2_UNORM": _BC2,
        "BC2_UNORM_SRGB": _BC2,
        "BC3_UNORM": _BC3,
        "BC3_UNORM_SRGB": _BC3,
        "BC4_UNORM": BlockDecoder("bc4_unorm8", _U8, _CHANNEL_ROUNDINGS, "bc4_unorm_f32"),
        "BC4_SNORM": BlockDecoder("bc4_snorm8", _S8, _EXACT, "bc4_snorm_f32"),
        "BC5_UNORM": BlockDecoder("bc5_unorm8", _U8, _CHANNEL_ROUNDINGS, "bc5_unorm_f32"),
        "BC5_SNORM": BlockDecoder("bc5_snorm8", _S8, _EXACT, "bc5_snorm_f32"),
        "BC6H_UF16": BlockDecoder("bc6h_uf16", _F16, _EXACT, reserved=in_job(is_reserved_bc6h)),
        "BC6H_SF16": BlockDecoder("bc6h_sf16", _F16, _EXACT, reserved=in_job(is_reserved_bc6h)),
        "BC7_UNORM": _BC7,
        "BC7_UNORM_SRGB": _BC7,
        "ETC1_RGB8": BlockDecoder("etc1_rgb8", _U8, _EXACT, reserved=in_job(is_undefined_etc1)),
        "ETC2_RGB8": _ETC2_RGB8,
        "ETC2_SRGB8": _ETC2_RGB8,
        "ETC2_RGB8_PTA": _ETC2_PTA,
        "ETC2_SRGB8_PTA": _ETC2_PTA,
        "ETC2_EAC_RGBA8": _ETC2_RGBA8,
        "ETC2_EAC_SRGB8_A8": _ETC2_RGBA8,
        "EAC_R11": BlockDecoder("eac_r11_unorm16", _U16, _EXACT, "eac_r11_unorm_f32"),
        "EAC_RG11": BlockDecoder("eac_rg11_unorm16", _U16, _EXACT, "eac_rg11_unorm_f32"),
        "EAC_SIGNED_R11": BlockDecoder("eac_r11_snorm16", _S16, _EXACT, "eac_r11_snorm_f32"),
        "EAC_SIGNED_RG11": BlockDecoder("eac_rg11_snorm16", _S16, _EXACT, "eac_rg11_snorm_f32"),
        "FXT1": BlockDecoder("fxt1_rgba8", _U8, _EXACT),
    }
    | {name: _astc_decoder(info) for name, info in later_surface_formats().items()}
)
"""Decoder by the manual's format name."""


def _astc_aliases() -> dict[str, str]:
    aliases = {}
    for (name, info), begin in itertools.product(later_surface_formats().items(), ("ASTC_", "ASTC")):
        plain = f"{begin}{info.block_width}X{info.block_height}"
        if info.color_space == "srgb":
            aliases[f"{plain}_SRGB"] = aliases[f"{plain}_UNORM_SRGB"] = name
        elif info.channels[0].kind == "float":
            aliases[f"{plain}_SFLOAT"] = name
        else:
            aliases[plain] = aliases[f"{plain}_UNORM"] = name
    return aliases


ALIASES = MappingProxyType(
    {
        "BC1": "BC1_UNORM",
        "BC1_SRGB": "BC1_UNORM_SRGB",
        "BC1_RGBA_UNORM": "BC1_UNORM",
        "BC1_RGBA_SRGB": "BC1_UNORM_SRGB",
        "BC1_RGB_UNORM": "DXT1_RGB",
        "BC1_RGB_SRGB": "DXT1_RGB_SRGB",
        "DXT1": "BC1_UNORM",
        "DXT1_RGBA": "BC1_UNORM",
        "BC2": "BC2_UNORM",
        "BC2_SRGB": "BC2_UNORM_SRGB",
        "DXT2": "BC2_UNORM",
        "DXT3": "BC2_UNORM",
        "BC3": "BC3_UNORM",
        "BC3_SRGB": "BC3_UNORM_SRGB",
        "DXT4": "BC3_UNORM",
        "DXT5": "BC3_UNORM",
        "BC4": "BC4_UNORM",
        "BC4U": "BC4_UNORM",
        "BC4S": "BC4_SNORM",
        "RGTC1": "BC4_UNORM",
        "BC5": "BC5_UNORM",
        "BC5U": "BC5_UNORM",
        "BC5S": "BC5_SNORM",
        "RGTC2": "BC5_UNORM",
        "BC6H": "BC6H_UF16",
        "BC6H_UFLOAT": "BC6H_UF16",
        "BC6H_SFLOAT": "BC6H_SF16",
        "BC7": "BC7_UNORM",
        "BC7_SRGB": "BC7_UNORM_SRGB",
        "BPTC": "BC7_UNORM",
        "ETC1": "ETC1_RGB8",
        "ETC1_R8G8B8_UNORM": "ETC1_RGB8",
        "ETC2": "ETC2_RGB8",
        "ETC2_RGB": "ETC2_RGB8",
        "ETC2_RGBA": "ETC2_EAC_RGBA8",
        "ETC2_RGB8A1": "ETC2_RGB8_PTA",
        "ETC2_RGBA1": "ETC2_RGB8_PTA",
        "ETC2_RGBA8": "ETC2_EAC_RGBA8",
        "ETC2_R8G8B8_UNORM": "ETC2_RGB8",
        "ETC2_R8G8B8_SRGB": "ETC2_SRGB8",
        "ETC2_R8G8B8A1_UNORM": "ETC2_RGB8_PTA",
        "ETC2_R8G8B8A1_SRGB": "ETC2_SRGB8_PTA",
        "ETC2_R8G8B8A8_UNORM": "ETC2_EAC_RGBA8",
        "ETC2_R8G8B8A8_SRGB": "ETC2_EAC_SRGB8_A8",
        "EAC_R11_UNORM": "EAC_R11",
        "EAC_R11_SNORM": "EAC_SIGNED_R11",
        "EAC_R11G11_UNORM": "EAC_RG11",
        "EAC_R11G11_SNORM": "EAC_SIGNED_RG11",
    }
    | _astc_aliases()
)
"""Other names of formats, in capitals and without the prefixes and suffixes below."""

_PREFIXES = ("DXGI_FORMAT_", "VK_FORMAT_")
_SUFFIX = "_BLOCK"
_NAMES = MappingProxyType({name.upper(): name for name in DECODERS})
_NAMES_IN_ERRORS = ", ".join(name for name in DECODERS if not name.startswith("ASTC"))


def block_decoder(name: str) -> tuple[SurfaceFormatInfo, BlockDecoder]:
    """Table row and decoder of a compressed format by any of its names, in any case.

    Raises FormatError naming the formats there are.
    """
    plain = name.upper().removesuffix(_SUFFIX) if isinstance(name, str) else ""
    for prefix in _PREFIXES:
        plain = plain.removeprefix(prefix)
    known = ALIASES.get(plain) or _NAMES.get(plain) or manual_name(plain) or ""
    if known not in DECODERS:
        raise FormatError(
            f"format must be one of {_NAMES_IN_ERRORS}, ASTC_4x4_UNORM to ASTC_12x12_SFLOAT (or DXT1, BC7, ...), "
            f"found {name!r}"
        )
    return surface_format(known), DECODERS[known]
