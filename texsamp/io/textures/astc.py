"""ASTC files: one picture or volume."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from texsamp.errors import FormatError
from texsamp.io.textures.file_bytes import FileBytes
from texsamp.io.textures.format_tables import FileFormat
from texsamp.io.textures.geometry import Geometry
from texsamp.io.textures.texture_file import TextureFile
from texsamp.state.formats import later_surface_formats
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.codec.astc_volume import volume_format
from texsamp.surface.images import Bytes, TextureImages

MAGIC = b"\x13\xab\xa1\x5c"
HEADER = struct.Struct("<4s3B3s3s3s")
"""Magic; width, height and depth of a block; width, height and depth of the image in 24 bits each."""

FORMAT = "ASTC_LDR_2D_{}x{}_FLT16"
"""The file says neither the color space nor the range; linear values of low range are what it is read as."""

_VOLUME_FORMAT = "ASTC_{}x{}x{}_UNORM"


def read_astc(data: Bytes) -> TextureFile:
    """Read an ASTC file. Slices of two-dimensional blocks are a volume, too. Raises FormatError for lies."""
    file = FileBytes(data)
    _, block_width, block_height, block_depth, *sizes = file.unpack(HEADER, 0, "the ASTC header")
    width, height, depth = (int.from_bytes(size, "little") for size in sizes)
    footprint = f"{block_width}x{block_height}x{block_depth}"
    file_format = _format(block_width, block_height, block_depth)
    if file_format is None:
        raise FormatError(f"ASTC has no blocks of {footprint} texels")
    is_volume = depth > 1 or file_format.volume is not None
    kind = SurfaceType.SURFTYPE_3D if is_volume else SurfaceType.SURFTYPE_2D
    geometry = Geometry(kind, file_format.info, width, height, depth)
    size_B = file_format.stored_size_B(geometry, 0)
    image = file.part(HEADER.size, size_B, "the image")
    left_B = file.size_B - HEADER.size - size_B
    notes = [f"{left_B} bytes after the image are ignored"] if left_B else []
    notes.append("ASTC files do not say their color space; read as linear values of low range")
    return TextureFile(
        images=geometry.with_images([[file_format.image(image, geometry, 0)]]),
        container="ASTC",
        stored_format=f"blocks of {footprint.removesuffix('x1')}",
        notes=(*notes, *file_format.notes),
    )


def _format(width: int, height: int, depth: int) -> FileFormat | None:
    """The format of blocks; None if there are none of the size."""
    plain, volume = FORMAT.format(width, height), _VOLUME_FORMAT.format(width, height, depth)
    if depth == 1 and plain in later_surface_formats():
        return FileFormat(plain, plain)
    return FileFormat(volume, "") if volume_format(volume) is not None else None


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
