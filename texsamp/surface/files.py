"""Files of textures: `texsamp.io` registers how they are read and written, so that surfaces need not know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import Any

from texsamp.surface.images import TextureImages

Path = str | PathLike[str]


@dataclass(frozen=True)
class TextureFiles:
    """How texture files are read and written; `write` takes options."""

    read: Callable[[Path], TextureImages]
    write: Callable[..., Any]


_registered: list[TextureFiles] = []

_OWNER = "texsamp.io"
"""It registers when it is imported, which `import texsamp` does not do."""


def register_texture_files(read: Callable[[Path], TextureImages], write: Callable[..., Any]) -> None:
    """Make ``read(path)`` and ``write(path, images, **options)`` the way to and from files."""
    _registered[:] = [TextureFiles(read, write)]


def texture_files() -> TextureFiles:
    """The registered way."""
    if not _registered:
        import_module(_OWNER)
    return _registered[0]
