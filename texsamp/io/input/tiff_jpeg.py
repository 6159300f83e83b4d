"""TIFF with JPEG inside, by Pillow: FFmpeg takes such strips for empty, and gives a black picture without a word."""

from __future__ import annotations

import contextlib
import io
import warnings

import av
import numpy as np

from texsamp.errors import MediaError
from texsamp.io.frames.av_frame import plane_view
from texsamp.io.textures.libtiff_silence import silence_libtiff

TIFF = "tiff"
"""FFmpeg's name for the codec."""

_HEADER_B = 8
_COMPRESSION, _JPEG = 259, (6, 7)
"""The tag, and its values for JPEG in the old way and in the new one."""

_FORMATS = {"L": "gray", "RGB": "rgb24", "RGBA": "rgba"}
"""FFmpeg's names for Pillow's modes; all others become RGB."""


def read_by_pillow(picture: av.VideoFrame, file: bytes, path: str) -> av.VideoFrame:
    """The decoder's picture of a TIFF file, or Pillow's if the file holds JPEG.

    Raises MediaError if Pillow cannot read that.
    """
    from PIL import Image  # slow to import, and few pictures need it

    silence_libtiff()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about metadata, and sizes that were checked before
        if _compression(file) not in _JPEG:
            return picture
        try:
            with Image.open(io.BytesIO(file), formats=["TIFF"]) as found:
                shown = found if found.mode in _FORMATS else found.convert("RGB")
                samples, name = np.asarray(shown), _FORMATS[shown.mode]
        except Exception as error:  # Pillow's readers raise what they come across
            raise MediaError(f"{path}: its TIFF picture cannot be decoded: {error or type(error).__name__}") from error
    made = av.VideoFrame(samples.shape[1], samples.shape[0], name)
    plane = made.planes[0]
    plane_view(plane, (plane.height, plane.width * samples[0, 0].size), samples.dtype)[...] = samples.reshape(
        samples.shape[0], -1
    )
    made.pts, made.time_base = picture.pts, picture.time_base
    return made


def _compression(file: bytes) -> object:
    """The first picture's; None if its directory is damaged. No more is read: Pillow opens less than FFmpeg."""
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    with contextlib.suppress(Exception):  # its reader raises what it comes across
        directory, stream = ImageFileDirectory_v2(file[:_HEADER_B]), io.BytesIO(file)
        stream.seek(directory.next)
        directory.load(stream)
        return directory.get(_COMPRESSION)
    return None
