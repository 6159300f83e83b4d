"""KTX files (version 1) out, little endian."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from texsamp.errors import FormatError
from texsamp.io.textures.format_tables import gl_numbers
from texsamp.io.textures.ktx1 import MAGIC, aligned
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import Bytes, TextureImages
from texsamp.surface.layout.description import CUBE_FACES

_LITTLE_ENDIAN = 0x04030201


def ktx1_parts(images: TextureImages) -> Iterator[Bytes]:
    """The parts of a KTX file, in order. Raises FormatError for formats without OpenGL's numbers."""
    numbers = gl_numbers(images.format)
    if numbers is None:
        raise FormatError(f"{images.format} has no numbers in OpenGL that KTX files may hold; use DDS or KTX2")
    is_volume, is_1d = (images.type == kind for kind in (SurfaceType.SURFTYPE_3D, SurfaceType.SURFTYPE_1D))
    is_cube = images.type == SurfaceType.SURFTYPE_CUBE
    yield MAGIC
    yield struct.pack(
        "<13I",
        _LITTLE_ENDIAN,
        numbers.type,
        numbers.type_size_B,
        numbers.format,
        numbers.internal_format,
        numbers.base_format,
        images.width_px,
        0 if is_1d else images.height_px,
        images.depth_px if is_volume else 0,
        images.array_length if images.is_array else 0,
        CUBE_FACES if is_cube else 1,
        images.levels,
        0,
    )
    for level, slices in enumerate(images.images):
        padded = [_padded(images, level, image) for image in slices]
        image_B = sum(map(len, padded))
        # Of a cube that is no array the size of one face is said; faces are whole rows, and so padded already.
        said_B = len(padded[0]) if is_cube and not images.is_array else image_B
        yield struct.pack("<I", said_B)
        yield from padded
        yield bytes(aligned(image_B) - image_B)


def _padded(images: TextureImages, level: int, image: Bytes) -> bytes:
    """An image whose rows are padded to whole words of 4 bytes, as OpenGL unpacks them."""
    _, height_px, depth_px = images.level_size_px(level)
    rows = -(-height_px // images.info.block_height) * depth_px
    tight = np.frombuffer(image, np.uint8).reshape(rows, -1)
    made: bytes = np.pad(tight, ((0, 0), (0, aligned(tight.shape[1]) - tight.shape[1]))).tobytes()
    return made
