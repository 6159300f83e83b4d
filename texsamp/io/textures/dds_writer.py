"""DDS files out: a DX10 header where the format has a DXGI code, a legacy header otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from texsamp.errors import FormatError
from texsamp.io.textures.dds import (
    CAPS2_ALL_FACES,
    CAPS2_CUBE,
    CAPS2_VOLUME,
    DIMENSIONS,
    DX10_FOURCC,
    DX10_HEADER,
    HEADER,
    HEADER_SIZE_B,
    MAGIC,
    MISC_CUBE,
    PF_ALPHA,
    PF_ALPHA_PIXELS,
    PF_BUMP,
    PF_BUMP_LUMINANCE,
    PF_FOURCC,
    PF_LUMINANCE,
    PF_RGB,
    PIXEL_FORMAT_SIZE_B,
)
from texsamp.io.textures.format_tables import dxgi_code, fourcc_of, masks_of
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import Bytes, TextureImages

_CAPS_HEIGHT_WIDTH_PIXEL_FORMAT = 0x1007
_PITCH = 0x8
_LINEAR_SIZE = 0x80000
_MIP_COUNT = 0x20000
_DEPTH = 0x800000
_CAPS_TEXTURE = 0x1000
_CAPS_COMPLEX = 0x8
_CAPS_MIPS = 0x400000
_PF_KIND = {
    "rgb": PF_RGB,
    "luminance": PF_LUMINANCE,
    "alpha": PF_ALPHA,
    "bump": PF_BUMP,
    "bumpluminance": PF_BUMP_LUMINANCE,
}


def dds_parts(images: TextureImages) -> Iterator[Bytes]:
    """The parts of a DDS file, in order.

    Raises FormatError for formats that DDS has no name for, and for arrays and 1D textures of those without DXGI code.
    """
    code = dxgi_code(images.format)
    pixel_format = (PF_FOURCC, DX10_FOURCC, 0, 0, 0, 0, 0) if code is not None else _legacy_pixel_format(images)
    is_cube = images.type == SurfaceType.SURFTYPE_CUBE
    is_volume = images.type == SurfaceType.SURFTYPE_3D
    flags = _CAPS_HEIGHT_WIDTH_PIXEL_FORMAT | (_LINEAR_SIZE if images.info.block_height > 1 else _PITCH)
    flags |= (_MIP_COUNT if images.levels > 1 else 0) | (_DEPTH if is_volume else 0)
    # Compressed formats say the size of level 0, others the bytes of a row.
    rows = 1 if images.info.block_height == 1 else -(-images.height_px // images.info.block_height)
    columns = -(-images.width_px // images.info.block_width)
    pitch_B = -(-columns * images.info.bits // 8) * rows
    caps = _CAPS_TEXTURE | (_CAPS_MIPS if images.levels > 1 else 0)
    caps |= _CAPS_COMPLEX if images.levels > 1 or is_cube or is_volume else 0
    caps2 = (CAPS2_CUBE | CAPS2_ALL_FACES if is_cube else 0) | (CAPS2_VOLUME if is_volume else 0)
    depth = images.depth_px if is_volume else 0
    size = (HEADER_SIZE_B, flags, images.height_px, images.width_px, pitch_B, depth, images.levels)
    yield HEADER.pack(MAGIC, *size, PIXEL_FORMAT_SIZE_B, *pixel_format, caps, caps2, 0, 0, 0)
    if code is not None:
        surface_type = SurfaceType.SURFTYPE_2D if is_cube else images.type
        (dimension,) = (number for number, name in DIMENSIONS.items() if name == surface_type)
        yield DX10_HEADER.pack(code, dimension, MISC_CUBE if is_cube else 0, images.array_length, 0)
    for slice_images in zip(*images.images, strict=True):
        yield from slice_images


def _legacy_pixel_format(images: TextureImages) -> tuple[int, bytes, int, int, int, int, int]:
    """Flags, fourCC, bits and masks."""
    fourcc, masks = fourcc_of(images.format), masks_of(images.format)
    if fourcc is None and masks is None:
        raise FormatError(f"{images.format} has no name in DDS files; use KTX2 or decode it")
    if images.array_length > 1 or images.type == SurfaceType.SURFTYPE_1D:
        raise FormatError(f"{images.format} has no DXGI code, and DDS files without one hold no arrays or 1D textures")
    if masks is None:
        assert fourcc is not None
        return PF_FOURCC, fourcc, 0, 0, 0, 0, 0
    with_alpha = masks.kind in ("rgb", "luminance") and masks.masks[3] != 0
    return _PF_KIND[masks.kind] | (PF_ALPHA_PIXELS if with_alpha else 0), bytes(4), masks.bits, *masks.masks
