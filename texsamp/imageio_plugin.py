"""DDS, KTX, KTX2 and ASTC in ImageIO: ``import texsamp.imageio_plugin`` makes ``imageio.v3`` know them.

A page is a mip level: ``imread(path, index=1)``, ``imiter(path)``, ``imwrite(path, levels)`` (docs/textures.md).
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import EllipsisType
from typing import Any

import numpy as np
from imageio.config import FileExtension, PluginConfig, extension_list, known_extensions, known_plugins
from imageio.core.request import URI_BYTES, URI_FILENAME, InitializationError, Request
from imageio.core.v3_plugin_api import ImageProperties, PluginV3

from texsamp.errors import FormatError, TexsampError
from texsamp.io.textures import CONTAINERS, read_texture, write_texture
from texsamp.surface.images import TextureImages
from texsamp.surface.surface import Surface

Image = np.ndarray[Any, np.dtype[Any]]

_READ = (".dds", ".ktx", ".ktx2", ".astc")
_KINDS = {"uint8": (8, "UNORM"), "uint16": (16, "UNORM"), "float16": (16, "FLOAT"), "float32": (32, "FLOAT")}


class TexturePlugin(PluginV3):
    """What ImageIO asks of a kind of files."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._surface: Surface | None = None
        if request.mode.io_mode == "w":
            if request.extension not in CONTAINERS:
                raise InitializationError(
                    f"texsamp writes {', '.join(CONTAINERS)}, found {request.extension or 'no extension'}"
                )
            return
        try:
            self._surface = Surface.from_images(read_texture(request.get_file().read()), device="cpu")
        except TexsampError as error:
            raise InitializationError(f"texsamp cannot read it: {error}") from error

    @property
    def _texture(self) -> Surface:
        if self._surface is None:
            raise FormatError("the file is open to be written, not read")
        return self._surface

    def read(self, *, index: int | EllipsisType = 0) -> Image:
        """Texels of a mip level as `Surface.to_array` gives them; ``...``: of the only level, with an axis of pages.

        Raises FormatError for ``...`` where there are several levels, StateError for levels that there are not.
        """
        if index is not Ellipsis:
            return np.asarray(self._texture.to_array(index))
        if self._texture.levels > 1:
            raise FormatError(
                f"levels have sizes of their own, so {self._texture.levels} of them are no array: read one, or iterate"
            )
        return np.asarray(self._texture.to_array())[None]

    def iter(self) -> Iterator[Image]:
        """Every level, the largest first."""
        return (np.asarray(self._texture.to_array(level)) for level in range(self._texture.levels))

    def properties(self, index: int | EllipsisType = 0) -> ImageProperties:
        """Shape and type of what `read` gives."""
        image = self.read(index=index)
        return ImageProperties(image.shape, image.dtype, self._texture.levels, index is Ellipsis)

    def metadata(self, index: int | EllipsisType = 0, exclude_applied: bool = True) -> dict[str, Any]:
        """Of the texture, whatever the level: its format by the manual's name, type, and counts."""
        made = self._texture
        type = made.type.name.removeprefix("SURFTYPE_")
        return {
            "format": made.format,
            "type": type,
            "levels": made.levels,
            "layers": made.layers,
            "faces": made.faces,
        }

    def write(
        self,
        ndimage: Any,
        *,
        format: str | None = None,
        type: str | None = None,
        mips: Any = None,
        supercompression: str = "none",
    ) -> bytes | None:
        """Write a texture: an array as `Surface.from_array` takes it, or a list of those of all levels.

        format: None for the one that has the array's type and channels, so that nothing is lost. The rest is as for
        `Surface.from_array` and `texsamp.io.write_texture`. An existing file is replaced.

        Raises FormatError and StateError as these do, and for levels that do not follow from the first one's size.
        """
        levels = [np.asarray(each) for each in (ndimage if isinstance(ndimage, list | tuple) else [ndimage])]
        if not levels:
            raise FormatError("a texture has at least one level, found none")
        name = _lossless(levels[0]) if format is None else format
        images = _images([Surface.from_array(each, name, type=type, mips=mips, device="cpu") for each in levels])
        if self.request._uri_type == URI_FILENAME:
            write_texture(self.request.get_local_filename(), images, supercompression=supercompression, overwrite=True)
            return None
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"texture{self.request.extension}"
            write_texture(path, images, supercompression=supercompression)
            data = path.read_bytes()
        if self.request._uri_type == URI_BYTES:
            return data
        self.request.get_file().write(data)
        return None


def _lossless(image: Image) -> str:
    """The format that has an array's type and channels. Raises FormatError."""
    channels = image.shape[-1] if image.ndim > 2 else 1
    if image.dtype.name not in _KINDS or not 1 <= channels <= 4:
        raise FormatError(
            f"arrays of 1 to 4 channels on the last axis, of {', '.join(_KINDS)}, are kept as they are, "
            f"found {image.dtype} of shape {image.shape}: say the format"
        )
    bits, kind = _KINDS[image.dtype.name]
    return "".join(f"{letter}{bits}" for letter in "RGBA"[:channels]) + f"_{kind}"


def _images(surfaces: Sequence[Surface]) -> TextureImages:
    """A texture whose levels are these surfaces. Raises FormatError."""
    first = surfaces[0].images()
    for level, surface in enumerate(surfaces):
        wanted = tuple(max(1, side >> level) for side in surfaces[0].level_size_px(0)[:2])
        found = tuple(surface.level_size_px(0)[:2])
        if found != wanted or surface.layers != surfaces[0].layers or (level and surfaces[0].levels > 1):
            raise FormatError(
                f"level {level} of a list must be {wanted[0]} x {wanted[1]} with {surfaces[0].layers} layers and no "
                f"mips of its own, found {found[0]} x {found[1]} with {surface.layers}"
            )
    if len(surfaces) == 1:
        return first
    if len(surfaces) > math.floor(math.log2(max(surfaces[0].level_size_px(0)))) + 1:
        raise FormatError(f"{surfaces[0]!r} has no {len(surfaces)} levels")
    return replace(first, images=tuple(surface.images().images[0] for surface in surfaces))


def _register() -> None:
    """Once: modules are."""
    known_plugins["texsamp"] = PluginConfig(
        name="texsamp", class_name="TexturePlugin", module_name="texsamp.imageio_plugin", package_name="texsamp"
    )
    for extension in _READ:
        entry = FileExtension(extension=extension, priority=["texsamp"], name="texture")
        extension_list.append(entry)
        known_extensions.setdefault(extension, []).insert(0, entry)


_register()
