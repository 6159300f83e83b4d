"""Texture files in: the kind follows from the first bytes, never from the name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from texsamp.device.whole_file import read_at_most
from texsamp.errors import FormatError, MediaError
from texsamp.io.textures import astc, dds, ktx1, ktx2
from texsamp.io.textures.astc import read_astc
from texsamp.io.textures.dds import read_dds
from texsamp.io.textures.ktx1 import read_ktx1
from texsamp.io.textures.ktx2 import read_ktx2
from texsamp.io.textures.pictures import read_picture
from texsamp.io.textures.texture_file import TextureFile
from texsamp.surface.images import Bytes, TextureImages

MAX_FILE_B = 1 << 32
"""Largest file that is read."""

TextureSource = str | os.PathLike[str] | Bytes | BinaryIO

_READERS: dict[bytes, Callable[[Bytes], TextureFile]] = {
    dds.MAGIC: read_dds,
    ktx1.MAGIC: read_ktx1,
    ktx2.MAGIC: read_ktx2,
    astc.MAGIC: read_astc,
}


def read_texture(source: TextureSource) -> TextureImages:
    """Read a texture: DDS, KTX, KTX2, ASTC, or a picture (PNG up to 16 bits, EXR, HDR, JPEG, TIFF, TGA, ...).

    source: a path, the bytes of a file, or a file opened in binary mode. The kind follows from the first bytes.

    Raises FormatError for malformed files (truncated, sizes that do not fit, levels out of the file or overlapping),
    for formats the surface format table has not, Basis Universal without the extra ``basis``, partial cubes, palettes,
    sides above 65536, arrays above 2048, and more than 2^31 bytes; MediaError for a file that cannot be opened.
    """
    return read_texture_file(source).images


def read_texture_file(source: TextureSource) -> TextureFile:
    """`read_texture`, with what else the file says: kind, its own word for the format, alpha, notes."""
    return read_source(source, _read)


def read_source(source: TextureSource, read: Callable[[Bytes], TextureFile]) -> TextureFile:
    """What ``read`` makes of the bytes of a source. Errors begin with the path; MediaError if it cannot be opened."""
    name = ""
    try:
        if isinstance(source, str | os.PathLike):
            name = f"{os.fspath(source)}: "
            with Path(source).open("rb") as file:
                return read(_content(file))
        if isinstance(source, bytes | bytearray | memoryview):
            return read(source)
        if not hasattr(source, "read"):
            raise FormatError(f"a texture is read from a path, bytes or a file, found {type(source).__name__}")
        return read(_content(source))
    except FormatError as error:
        raise FormatError(f"{name}{error}") from error
    except OSError as error:
        raise MediaError(f"{name}cannot be read: {error.strerror or error}") from error


def _content(file: BinaryIO) -> bytearray:
    data = read_at_most(file, MAX_FILE_B)
    if data is None:
        raise FormatError(f"a texture file must have at most {MAX_FILE_B} bytes, found more")
    return data


def _read(data: Bytes) -> TextureFile:
    if not memoryview(data).nbytes:
        raise FormatError("a texture file must have some bytes, found none")
    for magic, reader in _READERS.items():
        if bytes(data[: len(magic)]) == magic:
            return reader(data)
    return read_picture(data)
