"""Encoding texels into compressed blocks, by libraries of the `encode` extra."""

from __future__ import annotations

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.errors import FormatError


def encode(texels: Array, format: str, *, device: Device) -> Array:
    """Blocks of a compressed format, as uint8 rows. Raises FormatError for formats that cannot be encoded."""
    del texels, device
    raise FormatError(f"{format} cannot be encoded")
