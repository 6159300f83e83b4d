"""Single pictures through FFmpeg's codecs: the depths that Pillow has not (16-bit PNG, EXR, HDR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import numpy as np

from texsamp.errors import FormatError
from texsamp.io.files.ffmpeg_log import captured_log
from texsamp.io.frames.av_frame import plane_view, too_large

Image = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class PixelFormat:
    """How FFmpeg keeps pictures: its name, type of a sample, and the channels of an image that each plane holds."""

    name: str
    dtype: str
    planes: tuple[tuple[int, ...], ...]


_FORMATS = (
    PixelFormat("gray16be", ">u2", ((0,),)),
    PixelFormat("ya16be", ">u2", ((0, 1),)),
    PixelFormat("rgb48be", ">u2", ((0, 1, 2),)),
    PixelFormat("rgba64be", ">u2", ((0, 1, 2, 3),)),
    PixelFormat("grayf32le", "<f4", ((0,),)),
    PixelFormat("gbrpf32le", "<f4", ((1,), (2,), (0,))),
    PixelFormat("gbrapf32le", "<f4", ((1,), (2,), (0,), (3,))),
    PixelFormat("grayf16le", "<f2", ((0,),)),
    PixelFormat("gbrpf16le", "<f2", ((1,), (2,), (0,))),
    PixelFormat("gbrapf16le", "<f2", ((1,), (2,), (0,), (3,))),
)
_BY_NAME = {pixel_format.name: pixel_format for pixel_format in _FORMATS}


def pixel_format(names: Sequence[str], channels: int) -> str:
    """The one of some formats that has so many channels."""
    return next(name for name in names if sum(map(len, _BY_NAME[name].planes)) == channels)


def encode_still(codec: str, image: Image, name: str, **options: str) -> bytes:
    """An image (height, width, channels) as a file. Raises FormatError for sizes that FFmpeg does not take."""
    height, width = image.shape[:2]
    layout = _BY_NAME[name]
    try:
        picture = av.VideoFrame(width, height, name)
    except (av.FFmpegError, ValueError) as error:
        raise FormatError(too_large(width, height, name)) from error
    try:
        for plane, channels in zip(picture.planes, layout.planes, strict=True):
            rows = np.ascontiguousarray(image[:, :, channels], dtype=layout.dtype).view(np.uint8).reshape(height, -1)
            padded = np.zeros((height, plane.line_size), np.uint8)
            padded[:, : rows.shape[1]] = rows
            plane.update(padded.tobytes())
        context = av.CodecContext.create(codec, "w")
        assert isinstance(context, av.VideoCodecContext)
        context.width, context.height, context.pix_fmt, context.time_base = width, height, name, Fraction(1)
        context.sample_aspect_ratio = Fraction(1)  # EXR needs one
        context.options = options
        packets = [*context.encode(picture), *context.encode(None)]
    except (av.FFmpegError, ValueError) as error:
        raise FormatError(f"FFmpeg makes no {codec} of {width}x{height} {name}: {error}") from error
    return b"".join(map(bytes, packets))


def decode_still(codec: str, data: bytes) -> Image:
    """An image (height, width, channels) from a file. Raises FormatError for what FFmpeg cannot decode whole."""
    try:
        context = av.CodecContext.create(codec, "r")
        assert isinstance(context, av.VideoCodecContext)
        context.options = {"err_detect": "explode+crccheck"}
        with captured_log(av.logging.ERROR, of=codec) as log:  # EXR's says no more of a block that it cannot decode
            pictures = [*context.decode(av.Packet(data)), *context.decode(None)]
    except (av.FFmpegError, ValueError) as error:
        raise FormatError(f"the {codec.upper()} picture cannot be decoded: {error}") from error
    if log:
        raise FormatError(f"the {codec.upper()} picture cannot be decoded: {log[0]}")
    if len(pictures) != 1:
        raise FormatError(f"the {codec.upper()} picture must be one picture, found {len(pictures)}")
    (picture,) = pictures
    if (layout := _BY_NAME.get(picture.format.name)) is None:
        raise FormatError(f"pixels of the {codec.upper()} picture are {picture.format.name}, which is not supported")
    image = np.empty((picture.height, picture.width, sum(map(len, layout.planes))), layout.dtype)
    for plane, channels in zip(picture.planes, layout.planes, strict=True):
        shape = (picture.height, picture.width * len(channels))
        samples = plane_view(plane, shape, np.dtype(layout.dtype))
        image[:, :, channels] = samples.reshape(picture.height, picture.width, len(channels))
    return image.astype(image.dtype.newbyteorder("="))
