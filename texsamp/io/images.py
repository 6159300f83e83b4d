"""Frames as pictures in files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from texsamp.device.arguments import path_text
from texsamp.io.files.output_file import OutputFile
from texsamp.io.files.png_level import PNG_LEVEL

Image = np.ndarray[Any, np.dtype[np.uint8]]


def write_png(path: str | os.PathLike[str], image: Image, *, overwrite: bool = True) -> None:
    """Write an image of shape (height, width, 3) as PNG.

    Raises MediaError if the file cannot be written, or exists and ``overwrite`` is off.
    """
    import imageio.v3 as imageio  # slow to import, and nothing else here needs it

    output = OutputFile(path_text(path), overwrite)
    with output:
        output.fill([imageio.imwrite("<bytes>", image, extension=".png", compress_level=PNG_LEVEL)])
