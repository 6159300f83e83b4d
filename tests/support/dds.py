"""DDS files in memory, and what Pillow reads out of them."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
from PIL import Image

_CAPS_HEIGHT_WIDTH_PIXELFORMAT = 0x1007
_FOURCC = 4
_TEXTURE = 0x1000
_TEXTURE_2D = 3


def dds(dxgi: int, width: int, height: int, blocks: bytes) -> bytes:
    """A DDS file with a DX10 header: one image of a DXGI format."""
    header = struct.pack("<4s7I44x", b"DDS ", 124, _CAPS_HEIGHT_WIDTH_PIXELFORMAT, height, width, 0, 0, 0)
    pixel_format = struct.pack("<2I4s5I", 32, _FOURCC, b"DX10", 0, 0, 0, 0, 0)
    dx10 = struct.pack("<5I", dxgi, _TEXTURE_2D, 0, 1, 0)
    return header + pixel_format + struct.pack("<5I", _TEXTURE, 0, 0, 0, 0) + dx10 + blocks


def pillow_texels(file: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """(height, width, channels)"""
    with Image.open(io.BytesIO(file)) as image:
        texels = np.asarray(image)
    return texels.reshape(*texels.shape[:2], -1)
