"""`texsamp.decode`: compressed blocks in memory to an array of texels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from texsamp.device import get_device
from texsamp.device.base import Array, Device
from texsamp.device.given import GivenArray
from texsamp.errors import FormatError
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.surface.codec.astc_volume import volume_format
from texsamp.surface.codec.formats import ROUNDINGS, BlockDecoder, block_decoder
from texsamp.surface.codec.launch import DecodeJob
from texsamp.surface.memory import dtype_named, flat_bytes, size_px
from texsamp.surface.texel_formats import PLAIN_FORMATS
from texsamp.surface.texels import load_texels

_BLOCK_ALIGNMENT_B = 4


def decode(
    data: GivenArray,
    format: str,
    width: int,
    height: int,
    *,
    rounding: str = "d3d",
    errors: Literal["replace", "strict"] = "replace",
    dtype: DTypeLike | None = None,
    device: Device | str = "auto",
) -> Array:
    """Decode one image of compressed blocks.

    data: the blocks, row by row: bytes, a buffer, or a contiguous array (numpy, CuPy, DLPack) of any type, of exactly
        ``ceil(width / block width) * ceil(height / block height)`` blocks of the size that the format table has for
        them: 4x4 texels (FXT1: 8x4; ASTC: its footprint) in 8 bytes (BC1, BC4, ETC1, ETC2 without alpha of 8 bits,
        R11) or 16 bytes.
    format: a name of the surface format table (``BC7_UNORM``), or ``DXT5``, ``DXGI_FORMAT_BC3_UNORM``, ``ASTC_6x6``,
        ``ASTC_6x6_SRGB``, ``ASTC_6x6_SFLOAT`` (HDR), ...
    width, height: in texels, 1 to 65536; what the last blocks hold beyond them is dropped.
    rounding: how 8-bit palette entries of BC1 to BC5 are rounded: ``d3d`` (to nearest), ``truncate`` (what Pillow
        does), or, for colors of BC1 and BC2, ``nvidia`` and ``amd``, for those of BC1 to BC3 ``intel``. The other
        formats are exact and know only ``d3d``.
    errors: what becomes of reserved blocks (BC6H modes 19, 23, 27, 31; BC7 with first byte 0; ETC1 with a sum outside
        of 0 to 31; illegal ones of ASTC): ``replace`` gives zero in every channel, of ASTC magenta, or NaN in the HDR
        profile; ``strict`` raises.
    dtype: None for the format's natural type; float32 for values: the full precision of BC4 and BC5, fractions of
        EAC's R11 and RG11, codes of 8 bits by 255 (linear, if they are SRGB), halves as they are; or float16 for ASTC
        of UNORM: its decode_float16 instead of decode_unorm8.
    device: where to decode; the result stays there.

    Returns an array (height, width, channels) with the channels of the format table: uint8 for UNORM and SRGB (the
    encoded values), int8 for SNORM (-127 to 127), float16 for BC6H and HDR ASTC, uint16 or int16 (-32767 to
    32767) for R11 and RG11, float32 (0 to 1, or -1 to 1) on request.

    Raises FormatError for an unknown format, a size out of range, data of another size, not contiguous or not bytes,
    a rounding or dtype that the format does not have, and reserved blocks if ``errors`` is ``strict``.
    Sources: Direct3D 11.3 functional specification 19.5, GL_ARB_texture_compression_bptc, Khronos Data Format
    Specification 1.4 (ETC1, ETC2, EAC, ASTC), seed 001:1461-1906 (FXT1), seed 001:1910-2060 (BC4, BC5).
    """
    if isinstance(format, str) and volume_format(format) is not None:
        raise FormatError(f"{format} has blocks of three dimensions, which decode_volume takes")
    info, decoder = block_decoder(format)
    width, height = size_px(width, height)
    if rounding not in decoder.roundings:
        raise FormatError(f"{info.name} can be rounded as {', '.join(decoder.roundings)}, found {rounding!r}")
    if errors not in ("replace", "strict"):
        raise FormatError(f"errors must be replace or strict, found {errors!r}")
    wanted = decoder.dtype if dtype is None else dtype_named(dtype)
    kernel, texel_dtype = _kernel_for(info.name, decoder, wanted)

    columns, rows = -(-width // info.block_width), -(-height // info.block_height)
    block_B = info.bits // 8
    where = get_device(device)
    blocks = flat_bytes(data, where)
    if blocks.size != columns * rows * block_B:
        raise FormatError(
            f"{info.name} of {width}x{height} texels has {columns}x{rows} blocks of {block_B} bytes, "
            f"{columns * rows * block_B} bytes in all; found {blocks.size}"
        )
    if where.address(blocks) % _BLOCK_ALIGNMENT_B:
        blocks = where.copy(blocks)
    texels = where.empty((height, width, len(info.channels)), texel_dtype)
    job = DecodeJob(info, kernel, blocks, texels, ROUNDINGS[rounding])
    if errors == "strict" and decoder.reserved is not None:
        bad = decoder.reserved(where, job)
        if bad.any():
            raise FormatError(f"{info.name} has {int(bad.sum())} reserved blocks, the first is block {bad.argmax()}")
    where.launch(decoder.launch(where, job))
    return texels if wanted == texel_dtype else _values(texels, info, where)


def _kernel_for(name: str, decoder: BlockDecoder, wanted: np.dtype[Any]) -> tuple[str, np.dtype[Any]]:
    """The kernel, and the type of what it gives: the one wanted, or what values are made from."""
    kernels = {str(decoder.dtype): decoder.kernel}
    if decoder.kernel_f16 is not None:
        kernels["float16"] = decoder.kernel_f16
    if decoder.kernel_f32 is not None:
        kernels["float32"] = decoder.kernel_f32
    if wanted == np.float32 and decoder.kernel_f32 is None:
        wanted = decoder.dtype
    if str(wanted) not in kernels:
        known = " or ".join(dict.fromkeys([*kernels, "float32"]))
        raise FormatError(f"{name} decodes to {known}, found dtype {str(wanted)!r}")
    return kernels[str(wanted)], wanted


def _values(texels: Array, info: SurfaceFormatInfo, device: Device) -> Array:
    """Codes of 8 bits or halves as float32."""
    if texels.dtype == np.uint8:
        height, width, channels = texels.shape
        plain = PLAIN_FORMATS[info.color_space][channels - 1]
        return load_texels(texels, plain, width, height, dtype=np.float32, device=device)
    made = device.empty(texels.shape, np.float32)
    made[...] = texels
    return made
