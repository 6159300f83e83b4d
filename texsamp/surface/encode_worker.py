"""A program of its own: pictures on standard input, compressed blocks on standard output.

The encoders are C++ that can fail in ways that end a process; `texsamp.surface.encode` runs this file as one, so that
only it ends. It knows nothing of texsamp. Input: a line of JSON, {"library", "arguments", "pixel_B", "images":
[[width, height], ...]}, then the pixels of every image, RGBA of 8 bits (pixel_B 4) or halves (8). Output: the number
of bytes (8, little endian) and the blocks of every image.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

Encoder = Callable[[bytes, int, int, int], bytes]
"""Pixels, width, height and bytes of a pixel."""

_CHANNELS = {"compress_blocks_bc4": 1, "compress_blocks_bc5": 2}
"""That ISPC's functions take packed, where not all four."""


def _etcpak(function: str) -> Encoder:
    import etcpak

    encode: Any = getattr(etcpak, function)
    return lambda data, width, height, _: bytes(encode(data, width, height))


def _ispc(function: str, settings: str = "", profile: str = "") -> Encoder:
    import ispc_texcomp as ispc

    encode: Any = getattr(ispc, function)
    chosen = (getattr(ispc, settings).from_profile(profile),) if settings else ()
    channels = _CHANNELS.get(function, 4)

    def run(data: bytes, width: int, height: int, pixel_B: int) -> bytes:  # noqa: N803 - the unit
        packed = data if channels == 4 else bytearray(width * height * channels)
        if isinstance(packed, bytearray):
            for channel in range(channels):
                packed[channel::channels] = data[channel::4]
        return bytes(encode(ispc.RGBASurface(bytes(packed), width, height, width * pixel_B * channels // 4), *chosen))

    return run


def _astc(profile: str, block_width: int, block_height: int) -> Encoder:
    import astc_encoder as astc

    context = astc.ASTCContext(astc.ASTCConfig(astc.ASTCProfile[profile], block_width, block_height))
    swizzle = astc.ASTCSwizzle.from_str("RGBA")
    types = {4: astc.ASTCType.U8, 8: astc.ASTCType.F16}

    def encode(data: bytes, width: int, height: int, pixel_B: int) -> bytes:  # noqa: N803 - the unit
        return bytes(context.compress(astc.ASTCImage(types[pixel_B], width, height, data=data), swizzle))

    return encode


ENCODERS: dict[str, Callable[..., Encoder]] = {"etcpak": _etcpak, "ispc_texcomp": _ispc, "astc_encoder": _astc}


def main() -> None:
    """Encode everything."""
    request = json.loads(sys.stdin.buffer.readline())
    encode = ENCODERS[request["library"]](*request["arguments"])
    for width, height in request["images"]:
        data = sys.stdin.buffer.read(width * height * request["pixel_B"])
        blocks = encode(data, width, height, request["pixel_B"])
        sys.stdout.buffer.write(len(blocks).to_bytes(8, "little") + blocks)


if __name__ == "__main__":
    main()
