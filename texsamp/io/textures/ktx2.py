"""KTX2 files in: plain, or supercompressed with zstd or zlib."""

from __future__ import annotations

import struct
from itertools import pairwise

from texsamp.errors import FormatError
from texsamp.io.textures.basis import VK_FORMAT_OF_UASTC, read_basis
from texsamp.io.textures.data_format import MODEL_ETC1S, MODEL_UASTC, DataFormat, read_data_format
from texsamp.io.textures.file_bytes import FileBytes
from texsamp.io.textures.format_tables import vulkan_format
from texsamp.io.textures.geometry import ktx_geometry
from texsamp.io.textures.key_values import notes_of, read_key_values
from texsamp.io.textures.supercompression import Scheme, decompress
from texsamp.io.textures.texture_file import TextureFile
from texsamp.surface.images import Bytes

MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"
HEADER = struct.Struct("<9I")
"""Format; type size; width, height, depth; layers, faces, levels; supercompression."""

INDEX = struct.Struct("<4I2Q")
"""Offset and bytes of the data format descriptor, of keys and values, and of supercompression's global data."""

LEVEL_INDEX = struct.Struct("<3Q")
"""Offset, bytes, and bytes when unpacked of a level."""

LEVEL_INDEX_OFFSET_B = len(MAGIC) + HEADER.size + INDEX.size
_LATER_SCHEMES = {4: "UASTC HDR 6x6 (Basis Universal)", 5: "XUASTC (Basis Universal)"}
_SCHEME_WORDS = {Scheme.NONE: "", Scheme.ZSTD: ", zstd", Scheme.ZLIB: ", zlib"}


def read_ktx2(data: Bytes) -> TextureFile:
    """Read a KTX2 file. Images are views of ``data``, or of the unpacked levels.

    Raises FormatError for lies, for Basis Universal without its transcoder, and for formats the table has not.
    """
    file = FileBytes(data)
    vk_format, _, *sizes, scheme_code = file.unpack(HEADER, len(MAGIC), "the KTX2 header")
    places = file.unpack(INDEX, len(MAGIC) + HEADER.size, "the KTX2 index")
    dfd, pairs, global_data = zip(places[::2], places[1::2], strict=True)
    data_format = read_data_format(file.part(*dfd, "the data format descriptor"))
    is_basis = scheme_code == Scheme.BASIS_LZ or data_format.model in (MODEL_ETC1S, MODEL_UASTC)
    scheme = Scheme.BASIS_LZ if is_basis else _scheme(scheme_code, vk_format, data_format)
    file_format = vulkan_format(VK_FORMAT_OF_UASTC if is_basis else vk_format)
    geometry = ktx_geometry(file_format.info, *sizes)
    file.part(*global_data, "supercompression's global data")
    notes = notes_of(read_key_values(file.part(*pairs, "keys and values")), "rdi")
    level_index = [
        file.unpack(LEVEL_INDEX, LEVEL_INDEX_OFFSET_B + level * LEVEL_INDEX.size, "the level index")
        for level in range(geometry.levels)
    ]
    levels = [(offset_B, size_B) for offset_B, size_B, _ in level_index]
    _check_places([(0, LEVEL_INDEX_OFFSET_B + geometry.levels * LEVEL_INDEX.size), dfd, pairs, global_data, *levels])
    if is_basis:
        for level, (offset_B, stored_B, unpacked_B) in enumerate(level_index):
            file.part(offset_B, stored_B, f"level {level}")
            if data_format.model == MODEL_UASTC:
                _check_unpacked(level, unpacked_B, geometry.image_size_B(level) * geometry.slices)
        return read_basis(data, geometry, data_format, notes)
    images = []
    for level, (offset_B, stored_B, unpacked_B) in enumerate(level_index):
        image_B = file_format.stored_size_B(geometry, level)
        _check_unpacked(level, unpacked_B, image_B * geometry.slices)
        if scheme is Scheme.NONE and stored_B != unpacked_B:
            raise FormatError(f"level {level} is not packed and must have {unpacked_B} bytes, found {stored_B}")
        stored = file.part(offset_B, stored_B, f"level {level}")
        unpacked = stored if scheme is Scheme.NONE else _unpacked(scheme, stored, unpacked_B, f"level {level}")
        places_B = range(0, unpacked_B, image_B)
        images.append([file_format.image(unpacked[place : place + image_B], geometry, level) for place in places_B])
    return TextureFile(
        images=geometry.with_images(images),
        container=f"KTX2{_SCHEME_WORDS[scheme]}",
        stored_format=file_format.name,
        alpha="premultiplied" if data_format.premultiplied else "",
        notes=(*notes, *file_format.notes),
    )


def _check_unpacked(level: int, found_B: int, needed_B: int) -> None:  # noqa: N803 - the unit
    if found_B != needed_B:
        raise FormatError(f"level {level} must have {needed_B} bytes, found {found_B}")


def _unpacked(scheme: Scheme, stored: memoryview, size_B: int, what: str) -> memoryview:  # noqa: N803 - the unit
    return memoryview(decompress(scheme, stored, size_B, what)).toreadonly()


def _scheme(code: int, vk_format: int, data_format: DataFormat) -> Scheme:
    if word := _LATER_SCHEMES.get(code):
        raise FormatError(f"supercompression {code} is {word}, which is not read")
    if code not in tuple(Scheme):
        raise FormatError(f"supercompression must be 0 (none), 2 (zstd) or 3 (zlib), found {code}")
    if vk_format == 0:
        raise FormatError(f"KTX2 files without a VkFormat are not supported, found color model {data_format.model}")
    return Scheme(code)


def _check_places(places: list[tuple[int, int]]) -> None:
    """Raise FormatError if two parts of the file overlap; parts without bytes lie nowhere."""
    parts = sorted((offset_B, offset_B + size_B) for offset_B, size_B in places if size_B)
    for (_, end_B), (start_B, _) in pairwise(parts):
        if start_B < end_B:
            raise FormatError(f"parts of a KTX2 file must not overlap, found one up to {end_B} and one from {start_B}")
