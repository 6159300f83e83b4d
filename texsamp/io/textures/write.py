"""Texture files out, by the extension of the name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType

from texsamp.errors import FormatError
from texsamp.io.files.output_file import OutputFile
from texsamp.io.textures.astc import astc_parts, lost_in_astc
from texsamp.io.textures.dds_writer import dds_parts
from texsamp.io.textures.geometry import Geometry
from texsamp.io.textures.ktx1_writer import ktx1_parts
from texsamp.io.textures.ktx2_writer import ktx2_parts
from texsamp.io.textures.supercompression import Scheme
from texsamp.surface.images import Bytes, TextureImages

CONTAINERS: MappingProxyType[str, Callable[[TextureImages], Iterable[Bytes]]] = MappingProxyType(
    {".dds": dds_parts, ".ktx": ktx1_parts, ".ktx2": ktx2_parts, ".astc": astc_parts}
)
"""Kinds of texture files that are written, by extension."""

_SCHEMES = {"none": Scheme.NONE, "zstd": Scheme.ZSTD, "zlib": Scheme.ZLIB}


def write_texture(
    path: str | os.PathLike[str],
    images: TextureImages,
    *,
    supercompression: str = "none",
    overwrite: bool = False,
    input_path: str | None = None,
) -> list[str]:
    """Write a texture as DDS, KTX, KTX2 or ASTC, by the path's extension; returns what people should know about it.

    Nothing of the texture is lost, but that ASTC files do not say which ASTC format their blocks are.

    supercompression: ``none``, or ``zstd`` or ``zlib`` in KTX2 files. overwrite: replace a file that exists.
    input_path: a file that must not be replaced, whatever ``overwrite`` says.
    The file is complete or not there: it is written under a temporary name next to ``path`` and renamed.

    Raises FormatError for other extensions, and for textures that the kind of file cannot hold; MediaError for paths
    that cannot be written.
    """
    if not isinstance(path, str | os.PathLike):
        raise FormatError(f"a texture is written to a path, found {type(path).__name__}")
    path = os.fspath(path)
    Geometry.of(images)  # what is beyond the limits could not be read again
    parts = _parts(path, images, supercompression)
    write_parts(path, parts, overwrite=overwrite, input_path=input_path)
    return lost_in_astc(images) if Path(path).suffix.lower() == ".astc" else []


def write_parts(path: str, parts: Iterable[Bytes], *, overwrite: bool = False, input_path: str | None = None) -> None:
    """Write a file under a temporary name and rename it. Raises MediaError if it cannot be written."""
    output = OutputFile(path, overwrite, input_path)
    with output:
        output.fill(parts)


def _parts(path: str, images: TextureImages, supercompression: str) -> Iterable[Bytes]:
    if supercompression not in _SCHEMES:
        raise FormatError(f"supercompression must be one of {', '.join(_SCHEMES)}, found {supercompression!r}")
    scheme = _SCHEMES[supercompression]
    extension = Path(path).suffix.lower()
    if extension not in CONTAINERS:
        raise FormatError(
            f"{path}: texture files end in {', '.join(CONTAINERS)}, found {extension or 'no extension'!r}"
        )
    if scheme is not Scheme.NONE:
        if extension != ".ktx2":
            raise FormatError(f"{path}: only KTX2 files can be packed with {supercompression}")
        return ktx2_parts(images, scheme)
    return CONTAINERS[extension](images)
