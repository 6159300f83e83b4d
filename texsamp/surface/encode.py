"""Encoding texels into compressed blocks, with the libraries of the `encode` extra in a process of their own."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.surface.texel_formats import PLAIN_FORMATS
from texsamp.surface.texels import store_texels

_WORKER = Path(__file__).with_name("encode_worker.py")
_PACKAGES = {"etcpak": "etcpak", "astc_encoder": "astc-encoder-py"}


@dataclass(frozen=True)
class BlockEncoder:
    """How a format is encoded: the library, and what its function or context is made of.

    opaque: the library writes no alpha although the format has it.
    """

    library: str
    arguments: tuple[Any, ...]
    opaque: bool = False


_BC1 = BlockEncoder("etcpak", ("compress_bc1",), opaque=True)
_BC3 = BlockEncoder("etcpak", ("compress_bc3",))
_BC7 = BlockEncoder("etcpak", ("compress_bc7",))
_ETC2 = BlockEncoder("etcpak", ("compress_etc2_rgb",))
_ETC2_RGBA = BlockEncoder("etcpak", ("compress_etc2_rgba",))

_ETCPAK = {
    "BC1_UNORM": _BC1,
    "BC1_UNORM_SRGB": _BC1,
    "DXT1_RGB": _BC1,
    "DXT1_RGB_SRGB": _BC1,
    "BC3_UNORM": _BC3,
    "BC3_UNORM_SRGB": _BC3,
    "BC4_UNORM": BlockEncoder("etcpak", ("compress_bc4",)),
    "BC5_UNORM": BlockEncoder("etcpak", ("compress_bc5",)),
    "BC7_UNORM": _BC7,
    "BC7_UNORM_SRGB": _BC7,
    "ETC1_RGB8": BlockEncoder("etcpak", ("compress_etc1_rgb",)),
    "ETC2_RGB8": _ETC2,
    "ETC2_SRGB8": _ETC2,
    "ETC2_EAC_RGBA8": _ETC2_RGBA,
    "ETC2_EAC_SRGB8_A8": _ETC2_RGBA,
    "EAC_R11": BlockEncoder("etcpak", ("compress_eac_r",)),
    "EAC_RG11": BlockEncoder("etcpak", ("compress_eac_rg",)),
}


def block_encoder(info: SurfaceFormatInfo) -> BlockEncoder:
    """How a format is encoded. Raises FormatError for formats that no library encodes, or if it is not installed."""
    encoder = _ETCPAK.get(info.name)
    if info.name.startswith("ASTC_LDR"):
        profile = "LDR_SRGB" if info.color_space == "srgb" else "LDR"
        encoder = BlockEncoder("astc_encoder", (profile, info.block_width, info.block_height))
    if encoder is None:
        raise FormatError(f"formats that can be encoded are {', '.join(_ETCPAK)} and ASTC_LDR_*, found {info.name}")
    if importlib.util.find_spec(encoder.library) is None:
        raise FormatError(f"encoding {info.name} needs {_PACKAGES[encoder.library]}: pip install 'texsamp[encode]'")
    return encoder


def encodable(texels: Array, info: SurfaceFormatInfo, device: Device) -> Array:
    """Texels (height, width, channels) as the 8-bit codes that encoders take; float32 is converted (`store_texels`).

    Raises FormatError for other types, and for formats that cannot be encoded.
    """
    block_encoder(info)
    if texels.dtype == np.float32:
        plain = PLAIN_FORMATS[info.color_space][texels.shape[2] - 1]
        return store_texels(texels, plain, device=device).reshape(texels.shape)
    if texels.dtype != np.uint8:
        raise FormatError(f"{info.name} is encoded from uint8 or float32, found {texels.dtype}")
    return texels


def encode(pictures: Sequence[Array], info: SurfaceFormatInfo, device: Device) -> list[Array]:
    """Encode pictures (height, width, channels) as `encodable` gives them: uint8 rows of blocks on the device, of each.

    Raises FormatError for formats that cannot be encoded, pictures that the library does not encode as they are, and
    if the library fails.
    """
    if not pictures:
        return []
    encoder = block_encoder(info)
    padded = [_padded(device.download(encodable(picture, info, device)), info) for picture in pictures]
    if encoder.opaque and any((picture[..., 3] < 255).any() for picture in padded):
        raise FormatError(f"{encoder.library} encodes {info.name} without alpha, found alpha below 255: use BC3 or BC7")
    sizes = [(picture.shape[1], picture.shape[0]) for picture in padded]
    request = {"library": encoder.library, "arguments": encoder.arguments, "images": sizes}
    data = b"".join([json.dumps(request).encode(), b"\n", *(picture.tobytes() for picture in padded)])
    try:
        ran = subprocess.run([sys.executable, "-P", _WORKER], input=data, capture_output=True, check=False)
    except OSError as error:
        raise FormatError(f"cannot start {sys.executable or 'Python'} to encode {info.name}: {error}") from None
    if ran.returncode:
        last = (ran.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise FormatError(f"{encoder.library} failed to encode {info.name}: status {ran.returncode}, {last}")
    return [device.upload(rows) for rows in _rows(ran.stdout, sizes, info)]


def _padded(picture: np.ndarray[Any, np.dtype[Any]], info: SurfaceFormatInfo) -> np.ndarray[Any, np.dtype[Any]]:
    """The picture as RGBA, its last column and row repeated up to whole blocks."""
    height, width, channels = picture.shape
    rgba = np.zeros((height, width, 4), np.uint8)
    rgba[..., 3] = 255
    rgba[..., :channels] = picture
    return np.pad(rgba, ((0, -height % info.block_height), (0, -width % info.block_width), (0, 0)), mode="edge")


def _rows(
    output: bytes, sizes: Sequence[tuple[int, int]], info: SurfaceFormatInfo
) -> Iterator[np.ndarray[Any, np.dtype[Any]]]:
    """Blocks of every picture; etcpak returns twice as many bytes as EAC_R11 has, the second half unused."""
    place = 0
    for width, height in sizes:
        found_B = int.from_bytes(output[place : place + 8], "little")
        rows, row_B = height // info.block_height, width // info.block_width * info.bits // 8
        if found_B < rows * row_B:
            raise FormatError(f"{info.name} of {width}x{height} has {rows * row_B} bytes, the encoder gave {found_B}")
        yield np.frombuffer(output, np.uint8, rows * row_B, place + 8).reshape(rows, row_B)
        place += 8 + found_B
