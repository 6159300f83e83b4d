"""KTX2 files out: plain, or supercompressed with zstd or zlib."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from math import lcm

from texsamp.errors import FormatError
from texsamp.io.textures.data_format import data_format_descriptor
from texsamp.io.textures.format_tables import vulkan_code
from texsamp.io.textures.ktx2 import HEADER, INDEX, LEVEL_INDEX, LEVEL_INDEX_OFFSET_B, MAGIC
from texsamp.io.textures.supercompression import Scheme, compress
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import Bytes, TextureImages
from texsamp.surface.layout.description import CUBE_FACES

_PAIRS_ALIGNMENT_B = 4
_WRITER = b"KTXwriter\0texsamp\0"


def ktx2_parts(images: TextureImages, scheme: Scheme = Scheme.NONE) -> Iterator[Bytes]:
    """The parts of a KTX2 file, in order.

    Raises FormatError for formats without a VkFormat, and for scaled integers, whose VkFormats KTX2 prohibits
    (section vkFormat, "Prohibited Formats").
    """
    code = vulkan_code(images.format)
    if code is None:
        raise FormatError(f"{images.format} has no VkFormat that KTX2 files may hold; use DDS or decode it")
    info = images.info
    is_volume, is_1d = (images.type == kind for kind in (SurfaceType.SURFTYPE_3D, SurfaceType.SURFTYPE_1D))
    sizes = (images.width_px, 0 if is_1d else images.height_px, images.depth_px if is_volume else 0)
    layers = images.array_length if images.is_array else 0
    faces = CUBE_FACES if images.type == SurfaceType.SURFTYPE_CUBE else 1
    descriptor = data_format_descriptor(info)
    pairs = struct.pack("<I", len(_WRITER)) + _WRITER
    pairs += bytes(-len(pairs) % _PAIRS_ALIGNMENT_B)
    descriptor_offset_B = LEVEL_INDEX_OFFSET_B + images.levels * LEVEL_INDEX.size
    pairs_offset_B = descriptor_offset_B + len(descriptor)
    alignment_B = lcm(info.bits // 8, 4) if scheme is Scheme.NONE else 1
    level_index, levels = _levels(images, scheme, pairs_offset_B + len(pairs), alignment_B)
    yield MAGIC
    yield HEADER.pack(code, _type_size_B(info), *sizes, layers, faces, images.levels, scheme)
    yield INDEX.pack(descriptor_offset_B, len(descriptor), pairs_offset_B, len(pairs), 0, 0)
    yield from level_index
    yield descriptor
    yield pairs
    yield from levels


def _levels(
    images: TextureImages,
    scheme: Scheme,
    offset_B: int,  # noqa: N803 - the unit
    alignment_B: int,  # noqa: N803
) -> tuple[list[bytes], list[Bytes]]:
    """The level index, and what lies in the file from ``offset_B`` on: the smallest level comes first."""
    level_index: list[bytes] = []
    parts: list[Bytes] = []
    for slices in reversed(images.images):
        unpacked_B = sum(memoryview(image).nbytes for image in slices)
        content = list(slices) if scheme is Scheme.NONE else [compress(scheme, b"".join(slices))]
        stored_B = sum(memoryview(image).nbytes for image in content)
        padding_B = -offset_B % alignment_B
        parts += [bytes(padding_B), *content]
        level_index.append(LEVEL_INDEX.pack(offset_B + padding_B, stored_B, unpacked_B))
        offset_B += padding_B + stored_B
    return level_index[::-1], parts


def _type_size_B(info: SurfaceFormatInfo) -> int:  # noqa: N802 - the unit
    """Bytes of the numbers whose byte order would have to change on another machine."""
    places = [(channel.offset, channel.bits) for channel in info.channels]
    if info.block_height > 1:
        return 1
    of_whole_bytes = all(offset is not None and bits in (8, 16, 32, 64) for offset, bits in places)
    return (places[0][1] or 0) // 8 if of_whole_bytes else info.bits // 8
