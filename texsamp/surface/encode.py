"""Encoding texels into compressed blocks, with the libraries of the `encode` extra in a process of their own.

What no library has is encoded by `numpy_encoders`.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.surface.numpy_encoders import signed_channel_blocks, signed_float_blocks, with_explicit_alpha
from texsamp.surface.texel_formats import PLAIN_FORMATS, encoded_dtype
from texsamp.surface.texels import store_texels

_WORKER = Path(__file__).with_name("encode_worker.py")
_PACKAGES = {"etcpak": "etcpak", "astc_encoder": "astc-encoder-py", "ispc_texcomp": "ispc-texcomp"}
_UNSIGNED = ("BC6H_UF16",)
_LARGEST_HALF = 65504.0

Picture = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class BlockEncoder:
    """How a format is encoded: the library, and what its function or context is made of.

    library: empty where ``whole`` makes the blocks of a picture without one. finished: makes the format's blocks of
        the library's. opaque: the library writes no alpha although the format has it.
    """

    library: str = ""
    arguments: tuple[Any, ...] = ()
    opaque: bool = False
    whole: Callable[[Picture], bytes] | None = None
    finished: Callable[[bytes, Picture], bytes] | None = None


_BC1 = BlockEncoder("ispc_texcomp", ("compress_blocks_bc1",), opaque=True)
_BC2 = BlockEncoder("ispc_texcomp", ("compress_blocks_bc3",), finished=with_explicit_alpha)
_BC3 = BlockEncoder("ispc_texcomp", ("compress_blocks_bc3",))
_BC7 = BlockEncoder("ispc_texcomp", ("compress_blocks_bc7", "BC7EncSettings", "alpha_fast"))
_ETC2 = BlockEncoder("etcpak", ("compress_etc2_rgb",))
_ETC2_RGBA = BlockEncoder("etcpak", ("compress_etc2_rgba",))

ENCODERS = MappingProxyType(
    {
        "BC1_UNORM": _BC1,
        "BC1_UNORM_SRGB": _BC1,
        "DXT1_RGB": _BC1,
        "DXT1_RGB_SRGB": _BC1,
        "BC2_UNORM": _BC2,
        "BC2_UNORM_SRGB": _BC2,
        "BC3_UNORM": _BC3,
        "BC3_UNORM_SRGB": _BC3,
        "BC4_UNORM": BlockEncoder("ispc_texcomp", ("compress_blocks_bc4",)),
        "BC4_SNORM": BlockEncoder(whole=signed_channel_blocks),
        "BC5_UNORM": BlockEncoder("ispc_texcomp", ("compress_blocks_bc5",)),
        "BC5_SNORM": BlockEncoder(whole=signed_channel_blocks),
        "BC6H_UF16": BlockEncoder("ispc_texcomp", ("compress_blocks_bc6h", "BC6HEncSettings", "basic")),
        "BC6H_SF16": BlockEncoder(whole=signed_float_blocks),
        "BC7_UNORM": _BC7,
        "BC7_UNORM_SRGB": _BC7,
        "ETC1_RGB8": BlockEncoder("etcpak", ("compress_etc1_rgb",)),  # ISPC's is not twice the same, and dies at times
        "ETC2_RGB8": _ETC2,
        "ETC2_SRGB8": _ETC2,
        "ETC2_EAC_RGBA8": _ETC2_RGBA,
        "ETC2_EAC_SRGB8_A8": _ETC2_RGBA,
        "EAC_R11": BlockEncoder("etcpak", ("compress_eac_r",)),
        "EAC_RG11": BlockEncoder("etcpak", ("compress_eac_rg",)),
    }
)
"""Who encodes a format; ASTC comes on top. The best of those that `python -m benchmarks encode` compares, within reason
of time."""


def block_encoder(info: SurfaceFormatInfo) -> BlockEncoder:
    """How a format is encoded. Raises FormatError for formats that no library encodes, or if it is not installed."""
    encoder = ENCODERS.get(info.name)
    if info.name.startswith("ASTC"):
        profile = "HDR" if info.channels[0].kind == "float" else "LDR_SRGB" if info.color_space == "srgb" else "LDR"
        encoder = BlockEncoder("astc_encoder", (profile, info.block_width, info.block_height))
    if encoder is None:
        raise FormatError(f"formats that can be encoded are {', '.join(ENCODERS)} and ASTC, found {info.name}")
    if encoder.library and importlib.util.find_spec(encoder.library) is None:
        raise FormatError(f"encoding {info.name} needs {_PACKAGES[encoder.library]}: pip install 'texsamp[encode]'")
    return encoder


def encodable(texels: Array, info: SurfaceFormatInfo, device: Device) -> Array:
    """Texels (height, width, channels) as what encoders take: codes of 8 bits, or halves; float32 is converted.

    Halves are finite and, but for BC6H_SF16 and ASTC, not negative: what lies beyond is clamped, and NaN is 0.
    Raises FormatError for other types, and for formats that cannot be encoded.
    """
    block_encoder(info)
    wanted = encoded_dtype(info)
    if wanted == np.float16 and texels.dtype.kind == "f":
        least = 0.0 if info.name in _UNSIGNED else -_LARGEST_HALF
        numbers = texels.astype(np.float32)
        return np.where(np.isnan(numbers), np.float32(0), numbers).clip(least, _LARGEST_HALF).astype(np.float16)
    if texels.dtype == np.float32:
        plain = PLAIN_FORMATS["snorm" if wanted == np.int8 else info.color_space][texels.shape[2] - 1]
        return store_texels(texels, plain, device=device).view(wanted).reshape(texels.shape)
    if texels.dtype != wanted:
        raise FormatError(f"{info.name} is encoded from {wanted} or float32, found {texels.dtype}")
    return texels


def encode(pictures: Sequence[Array], info: SurfaceFormatInfo, device: Device) -> list[Array]:
    """Encode pictures (height, width, channels) as `encodable` gives them: uint8 rows of blocks on the device, of each.

    Raises FormatError for formats that cannot be encoded, pictures that the library does not encode as they are, and
    if the library fails.
    """
    if not pictures:
        return []
    encoder = block_encoder(info)
    on_host = [device.download(encodable(picture, info, device)) for picture in pictures]
    if encoder.whole is not None:
        padded = [_padded(picture, info) for picture in on_host]
        made = [encoder.whole(picture) for picture in padded]
    else:
        padded = [_padded(_with_four_channels(picture), info) for picture in on_host]
        made = _made_by_library(encoder, padded, info)
    if encoder.finished is not None:
        made = [encoder.finished(blocks, picture) for blocks, picture in zip(made, padded, strict=True)]
    return [device.upload(_rows(blocks, picture.shape, info)) for blocks, picture in zip(made, padded, strict=True)]


def _made_by_library(encoder: BlockEncoder, padded: Sequence[Picture], info: SurfaceFormatInfo) -> list[bytes]:
    """What the library writes for pictures of four channels, in a process of its own."""
    if encoder.opaque and any((picture[..., 3] < 255).any() for picture in padded):
        raise FormatError(f"{encoder.library} encodes {info.name} without alpha, found alpha below 255: use BC3 or BC7")
    sizes = [(picture.shape[1], picture.shape[0]) for picture in padded]
    request = {
        "library": encoder.library,
        "arguments": encoder.arguments,
        "pixel_B": padded[0].itemsize * padded[0].shape[2],
        "images": sizes,
    }
    data = b"".join([json.dumps(request).encode(), b"\n", *(picture.tobytes() for picture in padded)])
    try:
        ran = subprocess.run([sys.executable, "-P", _WORKER], input=data, capture_output=True, check=False)
    except OSError as error:
        raise FormatError(f"cannot start {sys.executable or 'Python'} to encode {info.name}: {error}") from None
    if ran.returncode:
        last = (ran.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise FormatError(f"{encoder.library} failed to encode {info.name}: status {ran.returncode}, {last}")
    return list(_outputs(ran.stdout, len(padded)))


def _with_four_channels(picture: Picture) -> Picture:
    """The picture as RGBA; a missing color is 0, a missing alpha 1."""
    made = np.zeros((*picture.shape[:2], 4), picture.dtype)
    made[..., 3] = 255 if picture.dtype == np.uint8 else 1
    made[..., : picture.shape[2]] = picture
    return made


def _padded(picture: Picture, info: SurfaceFormatInfo) -> Picture:
    """The picture with its last column and row repeated up to whole blocks."""
    height, width, _ = picture.shape
    return np.pad(picture, ((0, -height % info.block_height), (0, -width % info.block_width), (0, 0)), mode="edge")


def _outputs(output: bytes, count: int) -> Iterator[bytes]:
    """What the library wrote of each picture, after its size in bytes."""
    place = 0
    for _ in range(count):
        found_B = int.from_bytes(output[place : place + 8], "little")
        yield output[place + 8 : place + 8 + found_B]
        place += 8 + found_B


def _rows(blocks: bytes, shape: tuple[int, ...], info: SurfaceFormatInfo) -> Picture:
    """Rows of blocks of a picture; libraries may return more bytes than the format has, which are unused."""
    height, width = shape[:2]
    rows, row_B = height // info.block_height, width // info.block_width * info.bits // 8
    if len(blocks) < rows * row_B:
        raise FormatError(f"{info.name} of {width}x{height} has {rows * row_B} bytes, the encoder gave {len(blocks)}")
    return np.frombuffer(blocks, np.uint8, rows * row_B).reshape(rows, row_B)
