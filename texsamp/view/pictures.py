"""Pictures as a browser takes them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_QUICK = 1
"""How hard to pack: the way to the browser is short."""


def png(image: NDArray[np.uint8]) -> bytes:
    """A picture of shape (height, width), (height, width, 3) or (height, width, 4), without loss."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG", compress_level=_QUICK)
    return file.getvalue()


def plain(values: NDArray[Any]) -> list[int | float | str]:
    """Numbers that JSON can hold; what is no number as a word."""
    return [value if np.isfinite(value) else str(value) for value in values.ravel().tolist()]
