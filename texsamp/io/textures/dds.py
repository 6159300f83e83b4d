"""DDS files in: legacy headers (fourCC, D3DFORMAT numbers, bit masks) and DX10 headers."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from texsamp.errors import FormatError
from texsamp.io.textures.file_bytes import FileBytes
from texsamp.io.textures.format_tables import FileFormat, PixelMasks, dxgi_format, fourcc_format, mask_format
from texsamp.io.textures.geometry import Geometry
from texsamp.io.textures.texture_file import TextureFile
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import Bytes

MAGIC = b"DDS "
HEADER = struct.Struct("<4s7I44x2I4s5I5I")
"""Magic; size, flags, height, width, pitch, depth, mip count; 11 unused; pixel format; caps 1 to 4, unused."""

HEADER_SIZE_B = 124
PIXEL_FORMAT_SIZE_B = 32
DX10_HEADER = struct.Struct("<5I")
"""DXGI format, resource dimension, misc flags, array size, misc flags 2."""

DX10_FOURCC = b"DX10"
PF_ALPHA_PIXELS = 0x1
PF_ALPHA = 0x2
PF_FOURCC = 0x4
PF_RGB = 0x40
PF_LUMINANCE = 0x20000
PF_BUMP_LUMINANCE = 0x40000
PF_BUMP = 0x80000
CAPS2_CUBE = 0x200
CAPS2_ALL_FACES = 0xFC00
CAPS2_VOLUME = 0x200000
MISC_CUBE = 0x4
DIMENSIONS = {2: SurfaceType.SURFTYPE_1D, 3: SurfaceType.SURFTYPE_2D, 4: SurfaceType.SURFTYPE_3D}
"""D3D10_RESOURCE_DIMENSION."""

_ALPHA_MASK = 0x7
_ALPHA = {1: "straight", 2: "premultiplied", 3: "opaque", 4: "custom"}


@dataclass(frozen=True)
class _Description:
    """What the two kinds of headers agree on."""

    type: SurfaceType
    format: FileFormat
    array_length: int
    alpha: str
    data_offset_B: int  # noqa: N815 - the unit


def read_dds(data: Bytes) -> TextureFile:
    """Read a DDS file. Images are views of ``data``, except where bytes change their order.

    What writers leave behind is taken as they mean it: mip counts and array sizes of 0 as 1, any pitch as tight,
    missing flags as set, masks beyond the bits of luminance as its own. Raises FormatError for other lies, partial
    cubes, palettes and formats the table has not.
    """
    file = FileBytes(data)
    header = file.unpack(HEADER, 0, "the DDS header")
    _, size, _, height, width, _, depth, mip_count, _, pf_flags, fourcc, *masks, _, caps2, _, _, _ = header
    if size != HEADER_SIZE_B:
        raise FormatError(f"size of the DDS header must be {HEADER_SIZE_B}, found {size}")
    has_dx10_header = bool(pf_flags & PF_FOURCC) and fourcc == DX10_FOURCC
    found = (
        _described_by_dx10_header(file)
        if has_dx10_header
        else _described_by_legacy_header(pf_flags, fourcc, masks, caps2)
    )
    geometry = Geometry(
        type=found.type,
        info=found.format.info,
        width_px=width,
        height_px=height,
        depth_px=depth if found.type == SurfaceType.SURFTYPE_3D else 1,
        array_length=found.array_length,
        levels=mip_count or 1,
    )
    file.part(found.data_offset_B, geometry.size_B, "the texture")
    images: list[list[Bytes]] = [[] for _ in range(geometry.levels)]
    offset_B = found.data_offset_B
    for _ in range(geometry.slices):
        for level in range(geometry.levels):
            image_B = geometry.image_size_B(level)
            images[level].append(found.format.in_table_order(file.part(offset_B, image_B, f"level {level}")))
            offset_B += image_B
    notes = [f"{file.size_B - offset_B} bytes after the last level are ignored"] if offset_B < file.size_B else []
    return TextureFile(
        images=geometry.with_images(images),
        container="DDS, DX10 header" if has_dx10_header else "DDS, legacy header",
        stored_format=found.format.name,
        alpha=found.alpha,
        notes=tuple(notes),
    )


def _described_by_dx10_header(file: FileBytes) -> _Description:
    code, dimension, misc, array_size, misc2 = file.unpack(DX10_HEADER, HEADER.size, "the DX10 header")
    if (surface_type := DIMENSIONS.get(dimension)) is None:
        raise FormatError(f"resource dimension must be one of {', '.join(map(str, DIMENSIONS))}, found {dimension}")
    if misc & MISC_CUBE:
        if surface_type != SurfaceType.SURFTYPE_2D:
            raise FormatError(f"a cube must have resource dimension 3, found {dimension}")
        surface_type = SurfaceType.SURFTYPE_CUBE
    alpha = _ALPHA.get(misc2 & _ALPHA_MASK, "")
    return _Description(surface_type, dxgi_format(code), array_size or 1, alpha, HEADER.size + DX10_HEADER.size)


def _described_by_legacy_header(pf_flags: int, fourcc: bytes, masks: list[int], caps2: int) -> _Description:
    file_format = fourcc_format(fourcc) if pf_flags & PF_FOURCC else mask_format(_pixel_masks(pf_flags, masks))
    surface_type = SurfaceType.SURFTYPE_2D
    if caps2 & CAPS2_CUBE:
        if caps2 & CAPS2_ALL_FACES != CAPS2_ALL_FACES:
            faces = (caps2 & CAPS2_ALL_FACES).bit_count()
            raise FormatError(f"a cube must have its six faces, found {faces}")
        surface_type = SurfaceType.SURFTYPE_CUBE
    elif caps2 & CAPS2_VOLUME:
        surface_type = SurfaceType.SURFTYPE_3D
    alpha = "premultiplied" if file_format.premultiplied else ""
    return _Description(surface_type, file_format, 1, alpha, HEADER.size)


def _pixel_masks(flags: int, numbers: list[int]) -> PixelMasks:
    """The masks that the flags say are there; writers leave others behind."""
    bits, red, green, blue, alpha = numbers
    alpha = alpha if flags & PF_ALPHA_PIXELS else 0
    if flags & PF_RGB:
        return PixelMasks("rgb", bits, (red, green, blue, alpha))
    if flags & PF_LUMINANCE:
        return PixelMasks("luminance", bits, (red, 0, 0, alpha))
    if flags & PF_ALPHA:
        return PixelMasks("alpha", bits, (0, 0, 0, numbers[-1]))
    if flags & PF_BUMP:
        return PixelMasks("bump", bits, (red, green, blue, numbers[-1]))
    if flags & PF_BUMP_LUMINANCE:
        return PixelMasks("bumpluminance", bits, (red, green, blue, numbers[-1]))
    raise FormatError(f"pixel format flags {flags:#x} say no fourCC and no masks that surface formats have")
