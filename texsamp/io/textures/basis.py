"""Basis Universal in KTX2 files, ETC1S and UASTC, through Binomial's transcoder (the package opengl-basisu)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from texsamp.errors import FormatError
from texsamp.io.textures.data_format import MODEL_ETC1S, DataFormat
from texsamp.io.textures.format_tables import FileFormat, vulkan_format
from texsamp.io.textures.geometry import Geometry
from texsamp.io.textures.texture_file import TextureFile
from texsamp.surface.images import Bytes

VK_FORMAT_OF_UASTC = 157
"""ASTC 4x4, whose blocks have the same size."""

_TARGETS = {
    # What holds every bit: the transcoder's word, and VkFormats without and with sRGB.
    "uastc": ("astc_4x4", VK_FORMAT_OF_UASTC, 158),
    "etc1s": ("etc1", 147, 148),
    "etc1s with alpha": ("rgba8", 37, 43),  # no format has ETC1 beside alpha in the same blocks
}


def read_basis(data: Bytes, geometry: Geometry, data_format: DataFormat, notes: list[str]) -> TextureFile:
    """UASTC as ASTC 4x4 and ETC1S as ETC2 without alpha, both bit for bit; ETC1S with alpha as RGBA of 8 bits.

    geometry: what the header says, checked. Raises FormatError for what the transcoder does not take, and without it.
    """
    try:
        import opengl_basisu  # an extra, and only these files need it
    except ImportError:
        raise FormatError("Basis Universal textures need opengl-basisu: pip install 'texsamp[basis]'") from None
    kind = "etc1s" if data_format.model == MODEL_ETC1S else "uastc"
    stored = f"{kind.upper()} (Basis Universal)"
    if geometry.depth_px > 1:
        raise FormatError(f"Basis Universal textures have no depth, found {geometry.depth_px}")
    try:
        texture = opengl_basisu.open(bytes(data))
        if kind == "etc1s" and texture.has_alpha:
            kind = "etc1s with alpha"
        word, *codes = _TARGETS[kind]
        file_format = vulkan_format(codes[texture.srgb])
        if (texture.width, texture.height, texture.layers * texture.faces, texture.levels) != (
            *geometry.level_size_px(0)[:2],
            geometry.slices,
            geometry.levels,
        ):
            raise FormatError(f"the Basis Universal texture is not what the header says, found {texture!r}")
        images = _images(texture, word, file_format)
    except (ValueError, IndexError) as error:
        raise FormatError(f"the Basis Universal texture cannot be transcoded: {error}") from error
    return TextureFile(
        images=replace(geometry, info=file_format.info).with_images(images),
        container="KTX2",
        stored_format=stored,
        alpha="premultiplied" if data_format.premultiplied else "",
        notes=(*notes, f"{stored} became {file_format.info.name}"),
    )


def _images(texture: Any, word: str, file_format: FileFormat) -> list[list[Bytes]]:
    return [
        [
            file_format.in_table_order(memoryview(texture.transcode(word, level, face, layer).data.tobytes()))
            for layer in range(texture.layers)
            for face in range(texture.faces)
        ]
        for level in range(texture.levels)
    ]
