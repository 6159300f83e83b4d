"""Frames of ours and of FFmpeg: planes as views on the decoder's memory, and back into a picture for the encoder."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import av
import numpy as np

from texsamp.device import get_device
from texsamp.device.cpu import ROW_ALIGNMENT_B
from texsamp.errors import MediaError
from texsamp.io.frames.convert import SAME_BYTES, convert, is_full_range
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout
from texsamp.video.conversion import convert as convert_frame
from texsamp.video.frame import ColorTags, Frame

Plane = np.ndarray[Any, np.dtype[Any]]

_UNKNOWN_TO_FFMPEG = {"vyuy422": "yuv422p"}
"""Layouts that are no FFmpeg pixel format, and the one that holds the same samples."""

_QUARTER_WIDTH = ("yuv411p", "yuvj411p")
"""Formats with a chroma sample for four pixels of a line."""

_PADDING_PX, _MAX_PADDED_PX = 128, 2**28 - 1
"""FFmpeg's limit on the samples of a picture (av_image_check_size) counts so many more columns and rows."""


def plane_view(plane: av.video.plane.VideoPlane, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Plane:
    """The samples of one plane, shape (rows, elements of a row), on the picture's own memory wherever that is possible.

    A picture stored bottom up (negative line size) or with rows that do not start on an element is copied. The view
    keeps the picture alive.
    """
    line_B = plane.line_size
    rows, elements = shape
    raw: Plane = np.frombuffer(cast(bytes, plane), np.uint8)
    by_row = raw[: rows * abs(line_B)].reshape(rows, abs(line_B))[:, : elements * dtype.itemsize]
    if line_B < 0:
        by_row = by_row[::-1].copy()
    if line_B % dtype.itemsize:
        by_row = np.ascontiguousarray(by_row)
    view: Plane = by_row.view(dtype)
    return view


def doubled_columns(plane: Plane, columns: int) -> Plane:
    """Chroma of 4:1:1 as chroma of 4:2:2: between two samples their mean, half up (seed 003:1176-1181).

    The last sample repeats. ``plane`` is uint8 of (rows, (columns + 1) // 2 or more), the result of (rows, columns).
    """
    right = np.concatenate([plane[:, 1:], plane[:, -1:]], axis=1)
    between = ((plane.astype(np.uint16) + right + 1) >> 1).astype(np.uint8)
    return np.stack([plane, between], axis=2).reshape(plane.shape[0], -1)[:, :columns]


def frame_of(picture: av.VideoFrame, layout: PixelLayout, **properties: Any) -> Frame:
    """A frame over the picture's memory, converted first if its format is not the layout's; 4:1:1 as the manual does.

    ``properties`` are the frame's other fields; range and matrix of ``color`` follow from the conversion. The planes
    are read-only: the decoder may still predict from them.
    """
    name = picture.format.name
    color: ColorTags = properties.pop("color", ColorTags())
    if is_full_range(name):
        color = replace(color, full_range=True)
    quarter = name in _QUARTER_WIDTH and layout.name == "yuv422p"
    if SAME_BYTES.get(name, name) != layout.name and not quarter:
        picture = convert(picture, layout.name)
        color = replace(color, matrix=int(picture.colorspace), full_range=int(picture.color_range) == 2)
    planes = []
    for index, plane in enumerate(picture.planes):
        rows, columns = layout.plane_shape(index, picture.width, picture.height)
        if quarter and index:
            view = doubled_columns(plane_view(plane, (rows, -(-picture.width // 4)), layout.dtype), columns)
        else:
            view = plane_view(plane, (rows, columns), layout.dtype)
        view.flags.writeable = False
        planes.append(view)
    return Frame(layout, picture.width, picture.height, tuple(planes), get_device("cpu"), color=color, **properties)


def too_large(width: int, height: int, name: str) -> str:
    """Why FFmpeg takes no picture of this size."""
    padded = (width + _PADDING_PX) * (height + _PADDING_PX)
    limit = f"(width + {_PADDING_PX}) * (height + {_PADDING_PX}) must be below {_MAX_PADDED_PX}, found {padded}"
    return f"FFmpeg takes no picture of {width}x{height} {name}: {limit}"


def format_of(layout: PixelLayout) -> str:
    """The FFmpeg pixel format of pictures that are made of frames of a layout."""
    return _UNKNOWN_TO_FFMPEG.get(layout.name, layout.name)


def picture_of(frame: Frame) -> av.VideoFrame:
    """A picture with the frame's samples, color tags and no time, in the FFmpeg format of the frame's layout.

    The one layout FFmpeg lacks (vyuy422) becomes planar 4:2:2, which holds the same samples. Raises MediaError for a
    picture larger than FFmpeg takes.
    """
    name = format_of(frame.layout)
    width, height = frame.width_px, frame.height_px
    try:
        picture = av.VideoFrame(width, height, name)
    except (av.FFmpegError, ValueError) as error:
        raise MediaError(too_large(width, height, name)) from error
    if name == frame.layout.name:
        sources = list(frame.to_arrays())
    else:
        host = frame.to("cpu")
        sources = [host.component(component) for component in "YUV"]
    for plane, source in zip(picture.planes, sources, strict=True):
        plane_view(plane, source.shape, source.dtype)[...] = source
    tag_picture(picture, frame.color)
    return picture


class _Lent:
    """Memory of a plane that its borrower only reads: DLPack knows no read-only arrays, and exports none."""

    def __init__(self, plane: Plane) -> None:
        self.plane = plane
        self.__array_interface__ = {**plane.__array_interface__, "data": (plane.ctypes.data, False)}


def _lent(plane: Plane) -> Plane:
    """The plane for FFmpeg to read, copied only if its rows do not lie as FFmpeg's would."""
    if (plane.ctypes.data | plane.strides[0]) % ROW_ALIGNMENT_B:
        (copy,) = get_device("cpu").empty_all([plane.shape], plane.dtype)
        copy[...] = plane
        return copy
    return plane if plane.flags.writeable else np.asarray(_Lent(plane))


def _can_be_lent(frame: Frame) -> bool:
    """Whether PyAV makes pictures over memory that holds such a frame."""
    layout = frame.layout
    whole = layout.plane_count == len(layout.components) or layout.name in ("nv12", "p010le")
    odd = (frame.width_px & (1 << layout.log2_chroma_width) - 1) | (
        frame.height_px & (1 << layout.log2_chroma_height) - 1
    )
    return whole and not odd


def picture_over(frame: Frame) -> av.VideoFrame:
    """As `picture_of` of a frame in CPU memory, but on the frame's own memory where that is possible.

    FFmpeg keeps the memory as long as it refers to the picture, and must only read it.
    """
    if not _can_be_lent(frame):
        return picture_of(frame)
    planes = [_lent(plane) for plane in frame.planes]
    picture = av.VideoFrame.from_dlpack(planes, frame.layout.name, frame.width_px, frame.height_px)
    tag_picture(picture, frame.color)
    return picture


def picture_in(frame: Frame, pix_fmt: str, lend: bool = False) -> av.VideoFrame:
    """A frame in CPU memory as a picture in an FFmpeg format; FFmpeg converts only to formats that are no layouts here.

    With ``lend`` the picture may lie on the frame's memory, for a borrower that only reads it. Raises MediaError as
    `picture_of` and `convert` do.
    """
    if pix_fmt in PIXEL_LAYOUTS:
        made = convert_frame(frame, pix_fmt)
        return picture_over(made) if lend else picture_of(made)
    return convert(picture_of(frame), pix_fmt)


def tag_picture(picture: av.VideoFrame, color: ColorTags) -> None:
    """Write color tags on a picture."""
    picture.colorspace = color.matrix
    picture.color_primaries = color.primaries
    picture.color_trc = color.transfer
    picture.color_range = 0 if color.full_range is None else 1 + color.full_range


def tags_of(picture: av.VideoFrame | av.VideoCodecContext, chroma_location: int) -> ColorTags:
    """The color tags of a picture or a decoder; PyAV hides the chroma location, which is the stream's."""
    return ColorTags(
        matrix=int(picture.colorspace),
        primaries=int(picture.color_primaries),
        transfer=int(picture.color_trc),
        full_range={1: False, 2: True}.get(int(picture.color_range)),
        chroma_location=chroma_location,
    )


def seconds(ticks: int | None, time_base: Fraction | None) -> Fraction | None:
    """A count of time base ticks in seconds."""
    return None if ticks is None or time_base is None else ticks * time_base
