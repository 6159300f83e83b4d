"""Formats as files name them, and the manual's names: the tables of `texsamp/state/data/`.

``use`` says whether texsamp writes a code (``both``) or only reads it (``read``: typeless formats, and second codes of
one format); in OpenGL's table the sized internal formats say so, as rows without one are only read. ``bytes`` is the
order in which the file's bytes make up the texel, where that is not the table's: ``210`` takes a file's B, G, R as
R, G, B. A row without a manual's name is known by name only, for the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from texsamp.errors import FormatError
from texsamp.io.textures.geometry import Geometry
from texsamp.state.format_names import DXGI_PREFIX, VULKAN_PREFIX, format_rows
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.codec.astc_volume import VolumeFormat, decode_volume, volume_format
from texsamp.surface.images import Bytes


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of a file. name: the file's word for it; format: the manual's, empty if it has none."""

    name: str
    format: str
    byte_order: tuple[int, ...] = ()
    premultiplied: bool = False

    @property
    def volume(self) -> VolumeFormat | None:
        """Blocks of three dimensions, which no surface has: they are read as the texels that they decode to."""
        return None if self.format else volume_format(self.name)

    @property
    def info(self) -> SurfaceFormatInfo:
        """Row of the surface format table. Raises FormatError for a format that is none of them."""
        if self.volume is not None:
            return surface_format(self.volume.texels)
        if not self.format:
            raise FormatError(f"{self.name} is none of the surface formats")
        return surface_format(self.format)

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know about it."""
        return () if self.volume is None else (f"blocks of three dimensions became {self.volume.texels}",)

    def stored_size_B(self, geometry: Geometry, level: int) -> int:  # noqa: N802 - the unit
        """Bytes that a file has for an image of a level. Raises FormatError for blocks with a depth of no volume."""
        if self.volume is None:
            return geometry.image_size_B(level)
        if geometry.type != SurfaceType.SURFTYPE_3D:
            raise FormatError(f"{self.name} is for volumes, found {geometry.type.name}")
        return self.volume.size_B(*geometry.level_size_px(level))

    def image(self, stored: Bytes, geometry: Geometry, level: int) -> Bytes:
        """An image of a level of a file as the surface format table has it."""
        if self.volume is None:
            return self.in_table_order(stored)
        return decode_volume(stored, self.name, *geometry.level_size_px(level), device="cpu").tobytes()

    def in_table_order(self, image: Bytes) -> Bytes:
        """The file's bytes in the order that the surface format table gives the channels."""
        if not self.byte_order:
            return image
        texels = np.frombuffer(image, np.uint8).reshape(-1, len(self.byte_order))
        return texels[:, self.byte_order].tobytes()


@dataclass(frozen=True, slots=True)
class PixelMasks:
    """A legacy DDS pixel format. kind: rgb, luminance, alpha, bump or bumpluminance; masks: red, green, blue, alpha."""

    kind: str
    bits: int
    masks: tuple[int, int, int, int]

    def __str__(self) -> str:
        return f"{self.kind} of {self.bits} bits with masks {' '.join(f'{mask:08x}' for mask in self.masks)}"


def _file_format(name: str, row: dict[str, str]) -> FileFormat:
    order = tuple(map(int, row.get("bytes", "")))
    return FileFormat(name, row["format"], order, premultiplied=row.get("alpha") == "premultiplied")


@cache
def _dxgi() -> dict[int, FileFormat]:
    return {int(row["code"]): _file_format(DXGI_PREFIX + row["name"], row) for row in format_rows("dxgi_formats.csv")}


@cache
def _vulkan() -> dict[int, FileFormat]:
    return {int(row["code"]): _file_format(VULKAN_PREFIX + row["name"], row) for row in format_rows("vk_formats.csv")}


def _fourcc_bytes(text: str) -> bytes:
    return int(text).to_bytes(4, "little") if text.isdigit() else text.encode()


@cache
def _fourccs() -> dict[bytes, FileFormat]:
    return {
        _fourcc_bytes(row["fourcc"]): _file_format(f"fourCC {row['fourcc']}", row)
        for row in format_rows("dds_fourcc.csv")
    }


def _pixel_masks(row: dict[str, str]) -> PixelMasks:
    red, green, blue, alpha = (int(row[channel], 16) for channel in ("red", "green", "blue", "alpha"))
    return PixelMasks(row["kind"], int(row["bits"]), (red, green, blue, alpha))


@cache
def _masks() -> dict[PixelMasks, FileFormat]:
    table = {}
    for row in format_rows("dds_masks.csv"):
        masks = _pixel_masks(row)
        table[masks] = _file_format(str(masks), row)
    return table


@cache
def _gl_plain() -> dict[tuple[int, int], tuple[FileFormat, FileFormat | None]]:
    table = {}
    for row in format_rows("gl_formats.csv"):
        name = f"{row['format_name']} {row['type_name']}"
        order = tuple(map(int, row["bytes"]))
        linear, srgb = FileFormat(name, row["linear"], order), FileFormat(f"{name} (sRGB)", row["srgb"], order)
        table[int(row["format"], 16), int(row["type"], 16)] = (linear, srgb if row["srgb"] else None)
    return table


@cache
def _gl_compressed() -> dict[int, FileFormat]:
    return {
        int(row["internal_format"], 16): FileFormat(row["name"], row["format"])
        for row in format_rows("gl_compressed.csv")
    }


_GL_SRGB = frozenset({0x8C40, 0x8C41, 0x8C42, 0x8C43, 0x8C44, 0x8C45, 0x8C46, 0x8C47, 0x8FBD, 0x8FBE})
"""GL_SRGB, GL_SRGB8, GL_SRGB_ALPHA, GL_SRGB8_ALPHA8, the four of luminance, GL_SR8 and GL_SRG8."""


def dxgi_format(code: int) -> FileFormat:
    """Format of a DXGI code. Raises FormatError for numbers that are none."""
    if (found := _dxgi().get(code)) is None:
        raise FormatError(f"DXGI format {code} is unknown")
    return found


def vulkan_format(code: int) -> FileFormat:
    """Format of a VkFormat. Raises FormatError for numbers that are none, or of formats no texture file has."""
    if (found := _vulkan().get(code)) is None:
        raise FormatError(f"VkFormat {code} is unknown")
    return found


def fourcc_format(fourcc: bytes) -> FileFormat:
    """Format of the fourCC of a DDS file; some are the numbers of D3DFORMAT. Raises FormatError for other ones."""
    if (found := _fourccs().get(fourcc)) is None:
        text = repr(fourcc.decode()) if fourcc.isalnum() else str(int.from_bytes(fourcc, "little"))
        raise FormatError(f"fourCC {text} is none of the surface formats")
    return found


def mask_format(masks: PixelMasks) -> FileFormat:
    """Format of the bit masks of a DDS file. Raises FormatError if no surface format has these."""
    if (found := _masks().get(masks)) is None:
        raise FormatError(f"{masks} is none of the surface formats")
    return found


def gl_format(internal_format: int, format: int, type: int) -> FileFormat:
    """Format of OpenGL's numbers: of ``internal_format`` alone if type is 0 (compressed), else what the data are.

    Raises FormatError for numbers that are none of the surface formats.
    """
    if type == 0:
        if (compressed := _gl_compressed().get(internal_format)) is None:
            raise FormatError(f"compressed glInternalFormat {internal_format:#06x} is none of the surface formats")
        return compressed
    linear, srgb = _gl_plain().get((format, type), (None, None))
    found = srgb if internal_format in _GL_SRGB else linear
    if found is None:
        raise FormatError(
            f"glFormat {format:#06x} of glType {type:#06x} as glInternalFormat {internal_format:#06x} "
            "is none of the surface formats"
        )
    return found


@cache
def _written(table: str) -> dict[str, dict[str, str]]:
    return {row["format"]: row for row in format_rows(table) if row["use"] == "both"}


def dxgi_code(format: str) -> int | None:
    """DXGI code that a surface format is written as, if it has one."""
    row = _written("dxgi_formats.csv").get(format)
    return int(row["code"]) if row else None


def vulkan_code(format: str) -> int | None:
    """VkFormat that a surface format is written as, if it has one."""
    row = _written("vk_formats.csv").get(format)
    return int(row["code"]) if row else None


def fourcc_of(format: str) -> bytes | None:
    """FourCC that a surface format without DXGI code is written as, if it has one."""
    row = _written("dds_fourcc.csv").get(format)
    return _fourcc_bytes(row["fourcc"]) if row else None


def masks_of(format: str) -> PixelMasks | None:
    """Bit masks that a surface format without DXGI code is written as, if it has some."""
    row = _written("dds_masks.csv").get(format)
    return _pixel_masks(row) if row else None


@dataclass(frozen=True, slots=True)
class GlNumbers:
    """A format as a KTX file names it; type and format are 0 of compressed ones. type_size_B: what byte order swaps."""

    type: int
    type_size_B: int  # noqa: N815 - the unit
    format: int
    internal_format: int
    base_format: int


_GL_BASE_CODES = {
    "GL_RED": 0x1903,
    "GL_ALPHA": 0x1906,
    "GL_RGB": 0x1907,
    "GL_RGBA": 0x1908,
    "GL_LUMINANCE": 0x1909,
    "GL_LUMINANCE_ALPHA": 0x190A,
    "GL_INTENSITY": 0x8049,
    "GL_RG": 0x8227,
}
_GL_SIZES_B = (("BYTE", 1), ("SHORT", 2), ("HALF", 2), ("INT", 4), ("FLOAT", 4))
"""Bytes of a type with this word in its name; the first that fits."""


@cache
def _gl_numbers() -> dict[str, GlNumbers]:
    table = {}
    for row in format_rows("gl_formats.csv"):
        for column in ("linear", "srgb"):
            if internal := row[f"internal_{column}"]:
                name = row["format_name"].replace("BGR", "RGB").removesuffix("_INTEGER")
                size_B = next(size for word, size in _GL_SIZES_B if word in row["type_name"])
                codes = (int(row["type"], 16), size_B, int(row["format"], 16), int(internal, 16), _GL_BASE_CODES[name])
                table[row[column]] = GlNumbers(*codes)
    by_channels = ("", "GL_RED", "GL_RG", "GL_RGB", "GL_RGBA")
    for row in format_rows("gl_compressed.csv"):
        if not row["format"]:
            continue
        base = _GL_BASE_CODES[by_channels[len(surface_format(row["format"]).channels)]]
        table[row["format"]] = GlNumbers(0, 1, 0, int(row["internal_format"], 16), base)
    return table


def gl_numbers(format: str) -> GlNumbers | None:
    """OpenGL's numbers that a surface format is written as, if it has some."""
    return _gl_numbers().get(format)
