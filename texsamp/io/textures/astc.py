"""ASTC files: one image of two-dimensional blocks."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from texsamp.errors import FormatError
from texsamp.io.textures.file_bytes import FileBytes
from texsamp.io.textures.geometry import Geometry
from texsamp.io.textures.texture_file import TextureFile
from texsamp.state.formats import later_surface_formats
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import Bytes, TextureImages

MAGIC = b"\x13\xab\xa1\x5c"
HEADER = struct.Struct("<4s3B3s3s3s")
"""Magic; width, height and depth of a block; width, height and depth of the image in 24 bits each."""

FORMAT = "ASTC_LDR_2D_{}x{}_FLT16"
"""The file says neither the color space nor the range; linear values of low range are what it is read as."""


def read_astc(data: Bytes) -> TextureFile:
    """Read an ASTC file. Raises FormatError for lies, and for blocks or images with a depth."""
    file = FileBytes(data)
    _, block_width, block_height, block_depth, *sizes = file.unpack(HEADER, 0, "the ASTC header")
    width, height, depth = (int.from_bytes(size, "little") for size in sizes)
    footprint = f"{block_width}x{block_height}x{block_depth}"
    if block_depth > 1 or depth > 1:
        raise FormatError(
            f"ASTC files must have two-dimensional blocks and one slice, found blocks of {footprint} and {depth} slices"
        )
    name = FORMAT.format(block_width, block_height)
    info = later_surface_formats().get(name)
    if block_depth < 1 or info is None:
        raise FormatError(f"ASTC has no blocks of {footprint} texels")
    geometry = Geometry(SurfaceType.SURFTYPE_2D, info, width, height, depth)
    image = file.part(HEADER.size, geometry.size_B, "the image")
    left_B = file.size_B - HEADER.size - geometry.size_B
    notes = [f"{left_B} bytes after the image are ignored"] if left_B else []
    notes.append("ASTC files do not say their color space; read as linear values of low range")
    return TextureFile(
        images=geometry.with_images([[image]]),
        container="ASTC",
        stored_format=f"blocks of {block_width}x{block_height}",
        notes=tuple(notes),
    )


def lost_in_astc(images: TextureImages) -> list[str]:
    """What people should know about a texture in an ASTC file."""
    info = images.info
    if info.name == FORMAT.format(info.block_width, info.block_height):
        return []
    return [f"ASTC files do not say that blocks are {info.name}; KTX2 files do"]


def astc_parts(images: TextureImages) -> Iterator[Bytes]:
    """The parts of an ASTC file, in order. Raises FormatError for what is not one 2D image of ASTC blocks."""
    info = images.info
    if not info.name.startswith("ASTC"):
        raise FormatError(f"an ASTC file holds ASTC blocks, found {info.name}")
    if images.type != SurfaceType.SURFTYPE_2D or images.array_length > 1 or images.levels > 1:
        raise FormatError(
            "an ASTC file holds one 2D image, found "
            f"{images.type.name} with {images.array_length} slices and {images.levels} levels; use KTX2"
        )
    sizes = (size.to_bytes(3, "little") for size in (images.width_px, images.height_px, 1))
    yield HEADER.pack(MAGIC, info.block_width, info.block_height, 1, *sizes)
    yield images.images[0][0]
