"""Pictures inside a page, as data addresses."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

Image = NDArray[np.uint8]
"""8-bit RGB, (height, width, 3)."""
_SMALL_PX, _SMALL_QUALITY = 480, 70


def exact(image: Image) -> str:
    """Every sample as it is."""
    return _address(Pillow.fromarray(image), lossless=True, quality=60, method=4)


def small(image: Image, most_px: int = _SMALL_PX) -> str:
    """The picture no larger than so many pixels each way, for orientation."""
    made = Pillow.fromarray(image)
    made.thumbnail((most_px, most_px))
    return _address(made, quality=_SMALL_QUALITY)


def _address(image: Pillow.Image, **options: int) -> str:
    file = io.BytesIO()
    image.save(file, "WEBP", **options)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode()}"
