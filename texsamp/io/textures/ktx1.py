"""KTX files (version 1) in, of both byte orders."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from texsamp.errors import FormatError
from texsamp.io.textures.file_bytes import FileBytes
from texsamp.io.textures.format_tables import FileFormat, gl_format
from texsamp.io.textures.geometry import Geometry, ktx_geometry
from texsamp.io.textures.key_values import notes_of, read_key_values
from texsamp.io.textures.texture_file import TextureFile
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import Bytes

MAGIC = b"\xabKTX 11\xbb\r\n\x1a\n"
_ENDIANNESS = {b"\x01\x02\x03\x04": "<", b"\x04\x03\x02\x01": ">"}
_TYPE_SIZES_B = (1, 2, 4, 8)
_ALIGNMENT_B = 4


def aligned(size_B: int) -> int:  # noqa: N803 - the unit
    """Bytes up to the next whole word of 4 bytes."""
    return -(-size_B // _ALIGNMENT_B) * _ALIGNMENT_B


@dataclass(frozen=True)
class _Rows:
    """How rows of an image lie in the file."""

    geometry: Geometry
    format: FileFormat
    swapped_B: int  # noqa: N815 - bytes of a number whose bytes are in the other order; 1: nothing to swap

    def size_px_B(self, level: int) -> tuple[int, int]:  # noqa: N802 - the unit
        """Rows of an image, and bytes of one."""
        height_rows = self.geometry.level_size_px(level)[1]
        rows = -(-height_rows // self.geometry.info.block_height) * self.geometry.level_size_px(level)[2]
        return rows, self.geometry.image_size_B(level) // rows

    def padded_size_B(self, level: int) -> int:  # noqa: N802 - the unit
        """Bytes of an image with every row padded."""
        if self.format.volume is not None:
            return self.tight_size_B(level)  # whole words
        rows, row_B = self.size_px_B(level)
        return rows * aligned(row_B)

    def tight_size_B(self, level: int) -> int:  # noqa: N802 - the unit
        """Bytes of an image without padding."""
        return self.format.stored_size_B(self.geometry, level)

    def tight(self, image: memoryview, level: int) -> Bytes:
        """An image of the file without padding, in this machine's byte order and the table's order of bytes."""
        if self.format.volume is not None:
            return self.format.image(image, self.geometry, level)
        rows, row_B = self.size_px_B(level)
        result: Bytes = image
        if image.nbytes != rows * row_B:
            result = np.frombuffer(image, np.uint8).reshape(rows, aligned(row_B))[:, :row_B].tobytes()
        if self.swapped_B > 1:
            result = np.frombuffer(result, f"<u{self.swapped_B}").byteswap().tobytes()
        return self.format.in_table_order(result)


def read_ktx1(data: Bytes) -> TextureFile:
    """Read a KTX file. Images are views of ``data``, except where rows are padded or bytes in another order.

    Raises FormatError for lies and for formats the table has not.
    """
    file = FileBytes(data)
    byte_order = _ENDIANNESS.get(bytes(file.part(len(MAGIC), 4, "the KTX header")))
    if byte_order is None:
        raise FormatError("endianness of a KTX file must be 0x04030201 in one byte order")
    header = struct.Struct(f"{byte_order}12I")
    numbers = file.unpack(header, len(MAGIC) + 4, "the KTX header")
    gl_type, type_size_B, format_code, internal_format, _, *sizes, pairs_B = numbers
    file_format = gl_format(internal_format, format_code, gl_type)
    geometry = ktx_geometry(file_format.info, *sizes)
    offset_B = len(MAGIC) + 4 + header.size
    pairs = read_key_values(file.part(offset_B, pairs_B, "keys and values"), byte_order)
    if gl_type and type_size_B not in _TYPE_SIZES_B:
        raise FormatError(f"glTypeSize must be one of {', '.join(map(str, _TYPE_SIZES_B))}, found {type_size_B}")
    element_B = geometry.info.bits // 8
    if gl_type and element_B % type_size_B:
        raise FormatError(f"glTypeSize must divide the {element_B} bytes of a texel, found {type_size_B}")
    rows = _Rows(geometry, file_format, type_size_B if byte_order == ">" and gl_type else 1)
    images, end_B = _read_levels(file, offset_B + pairs_B, rows, byte_order)
    notes = [*notes_of(pairs, "S=r,T=d,R=i"), *file_format.notes]
    if end_B < file.size_B:
        notes.append(f"{file.size_B - end_B} bytes after the last level are ignored")
    return TextureFile(
        images=geometry.with_images(images),
        container="KTX, little endian" if byte_order == "<" else "KTX, big endian",
        stored_format=file_format.name,
        notes=tuple(notes),
    )


def _read_levels(file: FileBytes, offset_B: int, rows: _Rows, byte_order: str) -> tuple[list[list[Bytes]], int]:  # noqa: N803
    """Images of all levels, and where they end."""
    geometry = rows.geometry
    size_field = struct.Struct(f"{byte_order}I")
    single_cube = geometry.type == SurfaceType.SURFTYPE_CUBE and not geometry.is_array
    images = []
    for level in range(geometry.levels):
        (found_B,) = file.unpack(size_field, offset_B, f"size of level {level}")
        offset_B += size_field.size
        images_said = 1 if single_cube else geometry.slices  # the size of a cube is that of one face
        padded_B, tight_B = rows.padded_size_B(level), rows.tight_size_B(level)
        if found_B not in (padded_B * images_said, tight_B * images_said):  # some writers do not pad rows
            raise FormatError(f"level {level} must have {padded_B * images_said} bytes, found {found_B}")
        image_B = found_B // images_said
        step_B = aligned(image_B) if single_cube else image_B
        file.part(offset_B, step_B * (geometry.slices - 1) + image_B, f"level {level}")
        places = range(offset_B, offset_B + step_B * geometry.slices, step_B)
        images.append([rows.tight(file.part(place, image_B, f"level {level}"), level) for place in places])
        offset_B = aligned(offset_B + step_B * geometry.slices)
    return images, offset_B
