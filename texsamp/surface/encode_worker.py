"""A program of its own: pictures on standard input, compressed blocks on standard output.

The encoders are C++ that can fail in ways that end a process; `texsamp.surface.encode` runs this file as one, so that
only it ends. It knows nothing of texsamp. Input: a line of JSON, {"library", "arguments", "images": [[width, height],
...]}, then RGBA bytes of every image. Output: the blocks of every image.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

Encoder = Callable[[bytes, int, int], bytes]


def _etcpak(function: str) -> Encoder:
    import etcpak

    encode: Any = getattr(etcpak, function)
    if function == "compress_bc7":
        params = etcpak.BC7CompressBlockParams()
        return lambda data, width, height: bytes(encode(data, width, height, params))
    return lambda data, width, height: bytes(encode(data, width, height))


def _astc(profile: str, block_width: int, block_height: int) -> Encoder:
    import astc_encoder as astc

    context = astc.ASTCContext(astc.ASTCConfig(astc.ASTCProfile[profile], block_width, block_height))
    swizzle = astc.ASTCSwizzle.from_str("RGBA")

    def encode(data: bytes, width: int, height: int) -> bytes:
        return bytes(context.compress(astc.ASTCImage(astc.ASTCType.U8, width, height, data=data), swizzle))

    return encode


ENCODERS: dict[str, Callable[..., Encoder]] = {"etcpak": _etcpak, "astc_encoder": _astc}


def main() -> None:
    """Encode everything."""
    request = json.loads(sys.stdin.buffer.readline())
    encode = ENCODERS[request["library"]](*request["arguments"])
    for width, height in request["images"]:
        blocks = encode(sys.stdin.buffer.read(width * height * 4), width, height)
        sys.stdout.buffer.write(len(blocks).to_bytes(8, "little") + blocks)


if __name__ == "__main__":
    main()
