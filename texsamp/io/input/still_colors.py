"""Color tags that the decoders of still pictures leave out, though their files can mean only one thing."""

from __future__ import annotations

import av

from texsamp.io.frames.convert import model_of
from texsamp.io.input.tiff_jpeg import TIFF

_STILLS = frozenset(
    "bmp dpx jpegls jpeg2000 mjpeg pam pbm pcx pfm pgm phm png ppm sgi sunrast targa tiff webp xbm xwd".split()
)
"""Codecs of pictures, whose gray is of full range: black is 0."""

_RGB, _UNKNOWN, _BT601 = 0, 2, 6
"""Matrices by H.273."""

_FULL = 2
"""FFmpeg's word for full range."""


def tag_still(picture: av.VideoFrame, codec: str) -> None:
    """Tag a decoded picture with what its kind of file says; TIFF of luma and chroma is BT.601 of full range."""
    model = model_of(picture.format.name)
    if model == "gray" and codec in _STILLS:
        picture.color_range = int(picture.color_range) or _FULL
        if picture.colorspace == _RGB:  # as PNG has it, and no encoder of luma may
            picture.colorspace = _UNKNOWN
    elif model == "yuv" and codec == TIFF:
        picture.color_range, picture.colorspace = _FULL, _BT601
