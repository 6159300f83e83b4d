"""A texture file that was read."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.surface.images import TextureImages


@dataclass(frozen=True)
class TextureFile:
    """What a file holds, beyond the texture itself.

    container: kind of file, as people call it; stored_format: its own word for the format.
    alpha: straight, premultiplied, opaque, custom, or empty if the file does not say. notes: what people should know.
    """

    images: TextureImages
    container: str
    stored_format: str
    alpha: str = ""
    notes: tuple[str, ...] = ()
