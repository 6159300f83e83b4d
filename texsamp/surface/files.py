"""Files of textures: `texsamp.io` registers how they are read and written, so that surfaces need not know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from texsamp.errors import FormatError
from texsamp.surface.images import TextureImages

Path = str | PathLike[str]


@dataclass(frozen=True)
class TextureFiles:
    """How texture files are read and written; `write` takes options."""

    read: Callable[[Path], TextureImages]
    write: Callable[..., Any]


_registered: list[TextureFiles] = []


def register_texture_files(read: Callable[[Path], TextureImages], write: Callable[..., Any]) -> None:
    """Make ``read(path)`` and ``write(path, images, **options)`` the way to and from files."""
    _registered[:] = [TextureFiles(read, write)]


def texture_files() -> TextureFiles:
    """The registered way. Raises FormatError if there is none: `import texsamp` registers it."""
    if not _registered:
        raise FormatError("nobody reads texture files here: import texsamp, not texsamp.surface alone")
    return _registered[0]
