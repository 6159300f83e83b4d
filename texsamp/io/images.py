"""Frames as pictures in files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from texsamp.errors import MediaError

Image = np.ndarray[Any, np.dtype[np.uint8]]


def write_png(path: str | os.PathLike[str], image: Image) -> None:
    """Write an image of shape (height, width, 3) as PNG. Raises MediaError if the file cannot be written."""
    import imageio.v3 as imageio  # slow to import, and nothing else here needs it

    try:
        imageio.imwrite(Path(path), image, extension=".png")
    except OSError as error:
        raise MediaError(f"{os.fspath(path)}: cannot be written: {error.strerror or error}") from error
