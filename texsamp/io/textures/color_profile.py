"""What a color profile (ICC) says, as far as anybody here asks."""

from __future__ import annotations

_WORDS = (b"sRGB", "sRGB".encode("utf-16-be"))
"""How the description of a profile of sRGB names it, in profiles of version 2 and of version 4."""


def is_srgb(profile: bytes) -> bool:
    """Whether a profile says that it is that of sRGB, as which pictures without one are shown."""
    return any(word in profile for word in _WORDS)
