"""Texture block codecs: compressed blocks to arrays of texels."""

from texsamp.surface.codec.astc_volume import decode_volume
from texsamp.surface.codec.decode import decode

__all__ = ["decode", "decode_volume"]
