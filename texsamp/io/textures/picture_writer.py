"""Texels as picture files: PNG of 8 and 16 bits, TGA, EXR, HDR, and npy for everything. Depth is kept, or said."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from texsamp.device.arguments import path_text
from texsamp.errors import FormatError
from texsamp.io.files.png_level import PNG_LEVEL
from texsamp.io.textures.still_codec import Image, encode_still, pixel_format
from texsamp.io.textures.write import write_parts
from texsamp.state.formats import Channel, SurfaceFormatInfo
from texsamp.surface.texel_formats import texel_type

_PNG_16 = ("gray16be", "ya16be", "rgb48be", "rgba64be")
_FLOAT = ("grayf32le", "gbrpf32le", "gbrapf32le")
_HDR = ("gbrpf32le",)
_EXR_TYPES = {"float16": "half", "float32": "float"}
_IN_NPY = "OUT.npy keeps every format"

Picture = tuple[bytes, list[str]]


def write_picture(
    path: str | os.PathLike[str],
    texels: Image,
    info: SurfaceFormatInfo,
    *,
    overwrite: bool = False,
    input_path: str | None = None,
) -> list[str]:
    """Write texels as a picture, by the extension of the path; returns what people should know about it.

    texels: (height, width, channels), stored channels in the format's natural type (`texsamp.decode`, `load_texels`);
        info: their format.

    - ``.png``: 8 bits for channels of up to 8, 16 for up to 16: UNORM and SRGB as encoded, UINT as numbers, SNORM with
      -1 to 1 as 0 to the largest number.
    - ``.tga``: the same of up to 8 bits.
    - ``.exr``: floats, exact: half or float as they are. ``.hdr``: floats in 8 bits and a shared exponent.
    - ``.npy``: the array itself.

    One channel is written as gray, two as red and green with blue 0, luminance and alpha as gray and alpha.
    The file is complete or not there. Raises FormatError for other extensions and for what the kind of file cannot keep
    at full depth; MediaError for paths that cannot be written.
    """
    path = path_text(path)
    extension = Path(path).suffix.lower()
    if extension not in PICTURES:
        raise FormatError(f"{path}: pictures end in {', '.join(PICTURES)}, found {extension or 'no extension'!r}")
    content, notes = PICTURES[extension](texels, info)
    write_parts(path, [content], overwrite=overwrite, input_path=input_path)
    return notes


def _npy(texels: Image, _info: SurfaceFormatInfo) -> Picture:
    content = io.BytesIO()
    np.save(content, texels)
    return content.getvalue(), []


def _png(texels: Image, info: SurfaceFormatInfo) -> Picture:
    numbers, notes = _png_numbers(texels, info)
    image, more_notes = _with_picture_channels(numbers, info)
    if image.dtype == np.uint8:
        content = _by_pillow(image, "PNG", compress_level=PNG_LEVEL)
    else:
        name = pixel_format(_PNG_16, image.shape[2])
        content = encode_still("png", image, name, compression_level=str(PNG_LEVEL))
    return content, notes + more_notes


def _by_pillow(image: Image, kind: str, **options: int) -> bytes:
    """8 bits by Pillow, which takes larger pictures than FFmpeg."""
    from PIL import Image as pillow  # noqa: N813 - slow to import

    content = io.BytesIO()
    pillow.fromarray(image[:, :, 0] if image.shape[2] == 1 else np.ascontiguousarray(image)).save(
        content, kind, **options
    )
    return content.getvalue()


def _tga(texels: Image, info: SurfaceFormatInfo) -> Picture:
    numbers, notes = _png_numbers(texels, info, "TGA")
    if numbers.dtype != np.uint8:
        raise FormatError(f"TGA holds 8 bits of each channel, {info.name} has {numbers.dtype}; OUT.png keeps 16")
    image, more_notes = _with_picture_channels(numbers, info)
    return _by_pillow(image, "TGA"), notes + more_notes


def _exr(texels: Image, info: SurfaceFormatInfo) -> Picture:
    if texels.dtype.name not in _EXR_TYPES:
        raise FormatError(f"EXR holds half and float, {info.name} has {texels.dtype}; {_way_out(texels, info)}")
    image, notes = _with_picture_channels(texels, info, gray_alpha=False)
    name = pixel_format(_FLOAT, image.shape[2])
    return encode_still("exr", image, name, format=_EXR_TYPES[texels.dtype.name], compression="zip16"), notes


def _hdr(texels: Image, info: SurfaceFormatInfo) -> Picture:
    if texels.dtype.kind != "f":
        raise FormatError(f"HDR holds floats, {info.name} has {texels.dtype}; {_way_out(texels, info)}")
    image, notes = _with_picture_channels(texels, info, gray_alpha=False)
    if image.shape[2] == 1:
        image = np.repeat(image, 3, axis=2)
    colors = image[:, :, :3]
    if not np.isfinite(colors).all() or (colors < 0).any():
        raise FormatError("HDR holds no negative numbers, infinities and NaN, and the picture has some; use OUT.exr")
    notes.append(f"HDR keeps 8 bits of each number{' and no alpha' * (image.shape[2] == 4)}; OUT.exr keeps all")
    return encode_still("hdr", colors, pixel_format(_HDR, 3)), notes


PICTURES: MappingProxyType[str, Callable[[Image, SurfaceFormatInfo], Picture]] = MappingProxyType(
    {".png": _png, ".tga": _tga, ".exr": _exr, ".hdr": _hdr, ".npy": _npy}
)
"""Kinds of pictures that are written, by extension."""


def _way_out(texels: Image, info: SurfaceFormatInfo) -> str:
    try:
        _png_numbers(texels[:1, :1], info)
    except FormatError:
        return _IN_NPY
    return f"OUT.png keeps it, and {_IN_NPY}"


def _png_numbers(texels: Image, info: SurfaceFormatInfo, kind: str = "PNG") -> tuple[Image, list[str]]:
    """Unsigned 8- or 16-bit numbers of the same channels. Raises FormatError where bits or meaning would be lost."""
    stored = _stored_channels(info)
    kinds = {channel.kind for channel in stored}
    if "float" in kinds or "sharedexp" in kinds:
        raise FormatError(f"{kind} holds no floats, {info.name} has some; OUT.exr keeps them, and {_IN_NPY}")
    if texels.dtype in (np.uint8, np.uint16) and kinds <= {"unorm", "uint"}:
        return texels, []
    bits = max((channel.bits or 8 * texels.itemsize) for channel in stored)
    if not kinds <= {"unorm", "snorm"} or bits > 16:
        found = f"{'/'.join(sorted(kinds))} of up to {bits} bits"
        raise FormatError(f"{kind} holds unsigned numbers of 8 or 16 bits, {info.name} has {found}; {_IN_NPY}")
    largest, dtype = (255, np.uint8) if bits <= 8 else (65535, np.uint16)
    numbers = np.empty(texels.shape, dtype)
    for index, channel in enumerate(stored):
        value = texels[:, :, index].astype(np.float64)
        if texels.dtype.kind in "iu":
            value /= np.iinfo(texels.dtype).max
        if channel.kind == "snorm":
            value = (np.maximum(value, -1) + 1) / 2
        numbers[:, :, index] = np.floor(value * largest + 0.5)
    notes = [f"signed values -1 to 1 are written as 0 to {largest}"] if "snorm" in kinds else []
    return numbers, notes


def _stored_channels(info: SurfaceFormatInfo) -> tuple[Channel, ...]:
    """Channels in the order of arrays: R, G, B, A (Cr, Y, Cb)."""
    return info.channels if info.block_height > 1 else texel_type(info.name).channels


def _with_picture_channels(
    image: Image, info: SurfaceFormatInfo, *, gray_alpha: bool = True
) -> tuple[Image, list[str]]:
    """The image with channels that picture files have: gray, gray and alpha, RGB or RGBA."""
    names = [channel.name for channel in _stored_channels(info)]
    if "Cr" in names:
        return image, ["Cr, Y, Cb are written as red, green, blue, as the sampler returns them"]
    if image.shape[2] != 2:
        return image, []
    if "A" in names:
        if gray_alpha:
            return image, []
        return image[:, :, [0, 0, 0, 1]], []
    zeros = np.zeros((*image.shape[:2], 1), image.dtype)
    result: np.ndarray[Any, np.dtype[Any]] = np.concatenate([image, zeros], axis=2)
    return result, ["two channels are written as red and green, with blue 0"]
