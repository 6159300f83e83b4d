"""Arrays as pictures that people see."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import FormatError

CHANNELS = ("rgba", "rgb", "r", "g", "b", "a")
"""What may be shown of texels; ``rgba`` over checks."""
_CHECKS_PX, _LIGHT, _DARK = 8, 204.0, 153.0
"""What is seen through transparent texels."""
_QUICK = 1
"""How hard to pack: the way to the screen is short."""


def png(image: NDArray[np.uint8]) -> bytes:
    """A picture of shape (height, width), (height, width, 3) or (height, width, 4), without loss."""
    from PIL import Image  # most who import texsamp look at nothing

    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG", compress_level=_QUICK)
    return file.getvalue()


def code_range(texels: NDArray[Any]) -> tuple[float, float]:
    """What is black and what is white by default: the codes of integers, 0 to 1 of floats."""
    if texels.dtype in (np.uint8, np.uint16):
        return 0.0, float(np.iinfo(texels.dtype).max)
    if np.issubdtype(texels.dtype, np.integer):
        return float(min(texels.min(), 0)), float(max(texels.max(), 1))
    return 0.0, 1.0


def displayed(texels: NDArray[Any], channels: str, low: float, high: float) -> NDArray[np.uint8]:
    """Texels (height, width, 1 to 4) as a picture of 8 bits, ``low`` black and ``high`` white.

    With rgba over checks, as alpha says. Missing channels are 0, a single one is gray, what is no number is black.
    FormatError for a channel that is not there.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        shown = np.nan_to_num((texels.astype(np.float64) - low) / (high - low), nan=0.0, posinf=1.0, neginf=0.0)
    codes = 255 * shown.clip(0, 1)
    count = texels.shape[2]
    if channels in CHANNELS[2:]:
        place = CHANNELS[0].index(channels)
        if place >= count:
            raise FormatError(f"the texture has {count} channels, found {channels}")
        return np.round(codes[..., place]).astype(np.uint8)
    color = np.repeat(codes, 3, axis=2) if count == 1 else np.zeros((*texels.shape[:2], 3))
    if count > 1:
        color[..., : min(count, 3)] = codes[..., :3]
    if channels == "rgba" and count == len(CHANNELS[0]):
        rows, columns = np.indices(texels.shape[:2]) // _CHECKS_PX
        alpha = codes[..., 3:] / 255
        color = color * alpha + np.where((rows + columns) % 2, _DARK, _LIGHT)[..., None] * (1 - alpha)
    return np.round(color).astype(np.uint8)


def texels_png(texels: NDArray[Any]) -> bytes:
    """Texels as they are shown by default."""
    return png(displayed(texels, CHANNELS[0], *code_range(texels)))
