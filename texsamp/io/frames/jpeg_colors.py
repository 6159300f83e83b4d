"""Frames for encoders whose files have no word for the matrix: all read JPEG as BT.601 of full range (JFIF)."""

from __future__ import annotations

from texsamp.io.frames.convert import nearest_layout
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.color.convert import ConvertColor
from texsamp.video.color.matrices import tagged_matrix
from texsamp.video.conversion import PLANAR_422, convert
from texsamp.video.frame import Frame

_MATRIX = "bt601"


def matrix_note(frame: Frame) -> str | None:
    """In words, that the matrix of a frame of luma and chroma changes."""
    if frame.layout.model != "yuv" or not _changes(frame, frame.layout):
        return None
    return f"{tagged_matrix(frame)[0]} is converted to {_MATRIX}, as which every JPEG is read"


def with_jpeg_colors(frame: Frame, pix_fmt: str) -> Frame:
    """The frame as it is, or with the matrix of JPEG in full range, in the layout that ``pix_fmt`` stores."""
    layout = nearest_layout(pix_fmt)
    if not _changes(frame, layout):
        return frame
    # The pipe knows no fields, so between it and 4:2:0 of two fields there is 4:2:2.
    between = PLANAR_422[layout.bits] if frame.interlaced and layout.log2_chroma_height else layout
    source = convert(frame, between) if frame.layout.model == "yuv" else frame
    (made,) = ConvertColor(matrix=_MATRIX, range="full", format=between.name).feed(source)
    return convert(made, layout)


def _changes(frame: Frame, layout: PixelLayout) -> bool:
    if "gray" in (frame.layout.model, layout.model):
        return False
    return frame.layout.model == "rgb" or tagged_matrix(frame)[0] != _MATRIX
