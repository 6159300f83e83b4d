"""Textures of random bytes, and files of them built number by number."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from texsamp.state.formats import surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import TextureImages, image_size_B

KINDS: dict[str, dict[str, Any]] = {
    "2D": {},
    "2D array": {"array_length": 3, "is_array": True},
    "2D array of one": {"array_length": 1, "is_array": True},
    "cube": {"type": SurfaceType.SURFTYPE_CUBE, "width_px": 16, "height_px": 16},
    "cube array": {"type": SurfaceType.SURFTYPE_CUBE, "width_px": 16, "height_px": 16, "array_length": 2},
    "3D": {"type": SurfaceType.SURFTYPE_3D, "depth_px": 5},
    "1D": {"type": SurfaceType.SURFTYPE_1D, "height_px": 1},
    "1D array": {"type": SurfaceType.SURFTYPE_1D, "height_px": 1, "array_length": 4},
}
"""Arguments of `texture` for every kind of texture; sizes are no multiples of blocks."""


def texture(
    format: str,
    seed: int = 0,
    *,
    type: SurfaceType = SurfaceType.SURFTYPE_2D,
    width_px: int = 21,
    height_px: int = 13,
    depth_px: int = 1,
    array_length: int = 1,
    is_array: bool = False,
    levels: int = 3,
) -> TextureImages:
    """A texture of random bytes."""
    rng = np.random.default_rng(seed)
    slices = array_length * (6 if type == SurfaceType.SURFTYPE_CUBE else 1)
    sizes = [
        image_size_B(surface_format(format), *(max(side >> level, 1) for side in (width_px, height_px, depth_px)))
        for level in range(levels)
    ]
    images = tuple(tuple(rng.bytes(size) for _ in range(slices)) for size in sizes)
    is_array = is_array or array_length > 1
    return TextureImages(type, format, width_px, height_px, images, depth_px, array_length, is_array)


def legacy_dds(
    width: int,
    height: int,
    pixel_format: bytes,
    data: bytes,
    *,
    mips: int = 0,
    caps2: int = 0,
    depth: int = 0,
    flags: int = 0x1007,
) -> bytes:
    """A DDS file; ``pixel_format`` is what follows its size: flags, fourCC, bits, masks."""
    header = struct.pack("<4s7I44x", b"DDS ", 124, flags, height, width, 0, depth, mips)
    return header + struct.pack("<I", 32) + pixel_format + struct.pack("<5I", 0x1000, caps2, 0, 0, 0) + data


def fourcc(code: bytes) -> bytes:
    """Pixel format of a fourCC."""
    return struct.pack("<I4s5I", 4, code, 0, 0, 0, 0, 0)


def masks(flags: int, bits: int, *numbers: int) -> bytes:
    """Pixel format of bit masks."""
    return struct.pack("<I4x5I", flags, bits, *numbers)


def ktx1(
    numbers: tuple[int, int, int, int],
    sizes: tuple[int, int, int, int, int, int],
    levels: list[bytes],
    *,
    byte_order: str = "<",
    pairs: bytes = b"",
) -> bytes:
    """A KTX file. numbers: glType, glTypeSize, glFormat, glInternalFormat; sizes: width, height, depth, slices, faces,
    levels; levels: size of an image as it is said, then the data.
    """
    header = struct.pack(f"{byte_order}13I", 0x04030201, *numbers, numbers[2], *sizes, len(pairs))
    return b"\xabKTX 11\xbb\r\n\x1a\n" + header + pairs + b"".join(levels)


def ktx1_level(said: int, data: bytes, byte_order: str = "<") -> bytes:
    """A level of a KTX file with its size and padding."""
    return struct.pack(f"{byte_order}I", said) + data + bytes(-len(data) % 4)
