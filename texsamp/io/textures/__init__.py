"""Texture files (DDS, KTX, KTX2, ASTC) and pictures: the bytes of all levels and slices, as they are in the file."""

from texsamp.io.textures.read import read_texture, read_texture_file
from texsamp.io.textures.texture_file import TextureFile
from texsamp.io.textures.write import write_texture

__all__ = ["TextureFile", "read_texture", "read_texture_file", "write_texture"]
