"""One picture of a texture file as an array of texels."""

from __future__ import annotations

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.errors import FormatError
from texsamp.io.textures.geometry import Geometry
from texsamp.io.textures.read import TextureSource, read_source
from texsamp.io.textures.texture_file import TextureFile
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.arrays import format_named
from texsamp.surface.codec import decode
from texsamp.surface.images import Bytes, TextureImages
from texsamp.surface.layout.description import CUBE_FACES
from texsamp.surface.memory import size_px
from texsamp.surface.texels import load_texels

FACES = ("+x", "-x", "+y", "-y", "+z", "-z")
"""Faces of a cube in the order of their slices."""


def read_raw_image(source: TextureSource, format: str, width_px: int, height_px: int) -> TextureFile:
    """Nothing but the elements of one image. source: as of `read_texture`.

    Raises FormatError for an unknown format, a size out of range, and more or fewer bytes; MediaError for a file that
    cannot be opened.
    """
    width_px, height_px = size_px(width_px, height_px)
    geometry = Geometry(SurfaceType.SURFTYPE_2D, format_named(format), width_px, height_px)

    def read(data: Bytes) -> TextureFile:
        found_B = memoryview(data).nbytes
        if found_B != geometry.size_B:
            size = f"{width_px}x{height_px}"
            raise FormatError(f"{geometry.info.name} of {size} texels has {geometry.size_B} bytes, found {found_B}")
        return TextureFile(geometry.with_images([[data]]), "raw elements", geometry.info.name)

    return read_source(source, read)


def picture_texels(
    images: TextureImages,
    level: int = 0,
    layer: int = 0,
    face: str | None = None,
    *,
    rounding: str | None = None,
    device: Device | str = "auto",
) -> Array:
    """Texels of one picture: (height, width, channels), stored channels in the format's natural type.

    Nothing but this picture is decoded, and the limits of no generation's surfaces apply.

    layer: array slice, cube of a cube array, or slice of a volume. face: one of `FACES`, +x if None; cubes only.
    rounding: a policy of `texsamp.decode`, for compressed formats.

    Raises FormatError for what the texture has not.
    """
    info = images.info
    index = slice_index(images, level, layer, face)
    width_px, height_px, depth_px = images.level_size_px(level)
    if images.type == SurfaceType.SURFTYPE_3D:
        whole = memoryview(images.images[level][0]).cast("B")
        slice_B = whole.nbytes // depth_px
        image = whole[index * slice_B : (index + 1) * slice_B]
    else:
        image = memoryview(images.images[level][index]).cast("B")
    where = get_device(device)
    if info.block_height > 1:
        return decode(image, info.name, width_px, height_px, rounding=rounding or "d3d", device=where)
    if rounding is not None:
        raise FormatError(f"rounding is for compressed formats, found {info.name} and rounding {rounding}")
    return load_texels(image, info.name, width_px, height_px, device=where)


def slice_index(images: TextureImages, level: int, layer: int, face: str | None) -> int:
    """The slice of a level, as the texture counts them: array slice, 6 * cube + face, or slice of a volume.

    Raises FormatError for what the texture has not.
    """
    _require("level", level, images.levels)
    is_volume, is_cube = (images.type == kind for kind in (SurfaceType.SURFTYPE_3D, SurfaceType.SURFTYPE_CUBE))
    _require("layer", layer, images.level_size_px(level)[2] if is_volume else images.array_length)
    if face is not None and not is_cube:
        raise FormatError(f"only cubes have faces, found {images.type.name} and face {face}")
    if face is not None and face not in FACES:
        raise FormatError(f"face must be one of {', '.join(FACES)}, found {face!r}")
    return layer * CUBE_FACES + FACES.index(face or FACES[0]) if is_cube else layer


def _require(name: str, value: int, count: int) -> None:
    if not 0 <= value < count:
        raise FormatError(f"{name} must be from 0 to {count - 1}, found {value}")
