"""Texture files (DDS, KTX, KTX2, ASTC) and pictures: the bytes of all levels and slices, as they are in the file."""

from texsamp.io.textures.picture_writer import PICTURES, write_picture
from texsamp.io.textures.read import read_texture, read_texture_file
from texsamp.io.textures.texels import FACES, picture_texels, read_raw_image, slice_index
from texsamp.io.textures.texture_file import TextureFile
from texsamp.io.textures.write import CONTAINERS, write_texture
from texsamp.surface.files import register_texture_files

__all__ = [
    "CONTAINERS",
    "FACES",
    "PICTURES",
    "TextureFile",
    "picture_texels",
    "read_raw_image",
    "read_texture",
    "read_texture_file",
    "slice_index",
    "write_picture",
    "write_texture",
]

register_texture_files(read_texture, write_texture)
