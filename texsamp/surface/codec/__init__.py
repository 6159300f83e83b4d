"""Texture block codecs: compressed blocks to arrays of texels."""

from texsamp.surface.codec.decode import decode

__all__ = ["decode"]
