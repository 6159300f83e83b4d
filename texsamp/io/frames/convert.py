"""Pixel formats that are no pixel layout of ours: which layout they become, and the one function that converts."""

from __future__ import annotations

import threading
from functools import cache

import av
from av.video.reformatter import VideoReformatter

from texsamp.errors import MediaError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout

SAME_BYTES = {"yuvj420p": "yuv420p", "yuvj422p": "yuv422p", "yuvj444p": "yuv444p"}
"""FFmpeg's full range names of formats that are otherwise the same."""

_YUV_LAYOUTS = {
    (1, 1, 8): "yuv420p",
    (1, 0, 8): "yuv422p",
    (0, 0, 8): "yuv444p",
    (1, 1, 10): "yuv420p10le",
    (1, 0, 10): "yuv422p10le",
    (0, 0, 10): "yuv444p10le",
}
"""Layout by log2 chroma width, log2 chroma height (both at most 1) and bits."""

_RANGE_LIMITED, _RANGE_FULL = 1, 2
_MATRIX_709, _MATRIX_601 = 1, 6
_SWS_MATRIX = {1: 1, 4: 4, 5: 5, 6: 5, 7: 7, 9: 9, 10: 9}
"""swscale's matrix number of the H.273 matrices it knows."""

# Bicubic with accurate rounding, full chroma interpolation on both sides, and the same bits on every processor.
_SWS_FLAGS = 0x4 | 0x2000 | 0x4000 | 0x40000 | 0x80000

_local = threading.local()


def _describe(pix_fmt: str) -> av.VideoFormat:
    try:
        return av.VideoFormat(pix_fmt, 16, 16)
    except ValueError:
        raise MediaError(f"pixel format {pix_fmt!r} is unknown to FFmpeg") from None


def _bits(form: av.VideoFormat) -> int:
    """Largest sample size of a format; FFmpeg counts only a share of a Bayer sample for each color."""
    if form.name.startswith("bayer"):
        return 16 if "16" in form.name else 8
    return max(c.bits for c in form.components if not c.is_alpha)


def model_of(pix_fmt: str) -> str:
    """Whether a pixel format is "rgb", "gray" or "yuv"."""
    form = _describe(pix_fmt)
    if form.is_rgb or form.has_palette or pix_fmt.startswith(("bayer", "xyz")):
        return "rgb"
    return "gray" if sum(not c.is_alpha for c in form.components) == 1 else "yuv"


@cache
def nearest_layout(pix_fmt: str) -> PixelLayout:
    """The layout that frames of a pixel format are processed in.

    YUV keeps its chroma subsampling (rounded to the next finer layout) and up to 10 bits, and loses alpha; RGB keeps
    alpha and up to 16 bits. Raises MediaError for formats without pixels in memory (hardware surfaces).
    """
    name = SAME_BYTES.get(pix_fmt, pix_fmt)
    if name in PIXEL_LAYOUTS:
        return PIXEL_LAYOUTS[name]
    form = _describe(pix_fmt)
    if not form.components:
        raise MediaError(f"pixel format {pix_fmt!r} has no pixels in memory")
    bits = _bits(form)
    alpha = form.has_palette or any(c.is_alpha for c in form.components)
    model = model_of(pix_fmt)
    if model == "rgb":
        narrow = "rgba" if alpha else "rgb24"
        wide = "rgba64le" if alpha else "x2rgb10le" if bits <= 10 else "rgb48le"
        name = narrow if bits <= 8 else wide
    elif model == "gray":
        name = "gray" if bits <= 8 else "gray10le"
    else:
        fine_columns, fine_rows = form.chroma_width(16) == 16, form.chroma_height(16) == 16
        columns, rows = (0, 0) if fine_columns else (1, 0 if fine_rows else 1)
        name = _YUV_LAYOUTS[columns, rows, 8 if bits <= 8 else 10]
    return PIXEL_LAYOUTS[name]


def conversion_note(pix_fmt: str, target: str) -> str:
    """One line for people: what becomes of a pixel format and what is lost."""
    source, wanted = _describe(pix_fmt), _describe(target)
    bits, left = _bits(source), _bits(wanted)
    lost = [f"{bits} bits become {left}"] if left < bits else []
    if any(c.is_alpha for c in source.components) and not any(c.is_alpha for c in wanted.components):
        lost.append("alpha is dropped")
    return f"{pix_fmt} is converted to {target}" + (f" ({', '.join(lost)})" if lost else "")


def matrix_for(matrix: int, height_px: int) -> int:
    """The matrix to use for a tag: the tag itself, or when it says nothing BT.601 below 720 rows and BT.709 above."""
    if matrix in _SWS_MATRIX:
        return matrix
    return _MATRIX_709 if height_px >= 720 else _MATRIX_601


def is_full_range(pix_fmt: str) -> bool:
    """Whether a pixel format is full range by its name alone."""
    return model_of(pix_fmt) == "rgb" or pix_fmt.startswith(("yuvj", "mono"))


def _range_of(picture: av.VideoFrame) -> int:
    if is_full_range(picture.format.name):
        return _RANGE_FULL
    return int(picture.color_range) or _RANGE_LIMITED


def convert(picture: av.VideoFrame, pix_fmt: str) -> av.VideoFrame:
    """The picture in another pixel format, size and meaning kept; itself if it has that format.

    The matrix between YUV and RGB is the picture's, see `matrix_for`; gray and YUV keep their range, RGB is full range.
    The result carries the matrix and range that it holds. Raises MediaError if FFmpeg has no such conversion.
    """
    if picture.format.name == pix_fmt:
        return picture
    source, target = model_of(picture.format.name), model_of(pix_fmt)
    source_range = _range_of(picture)
    matrix = matrix_for(int(picture.colorspace), picture.height)
    if source == "gray" and target == "rgb" and source_range == _RANGE_LIMITED:
        return convert(convert(picture, "yuv444p10le"), pix_fmt)
    kept_range = {"rgb gray": _RANGE_FULL, "rgb yuv": _RANGE_LIMITED}.get(f"{source} {target}", source_range)
    target_range = _RANGE_FULL if is_full_range(pix_fmt) else kept_range
    if "gray" in (source, target) and target_range == source_range:
        # swscale takes every gray picture for full range: told that both sides are, it leaves the samples alone.
        result = _reformat(picture, pix_fmt, matrix, _RANGE_FULL, _RANGE_FULL)
    else:
        result = _reformat(picture, pix_fmt, matrix, source_range, target_range)
    result.color_range = target_range
    result.colorspace = picture.colorspace
    if source != target and "rgb" in (source, target):
        result.colorspace = 0 if target == "rgb" else matrix
    return result


def _reformat(picture: av.VideoFrame, pix_fmt: str, matrix: int, source_range: int, target_range: int) -> av.VideoFrame:
    reformatter = getattr(_local, "reformatter", None)
    if reformatter is None:
        reformatter = _local.reformatter = VideoReformatter()
    try:
        result: av.VideoFrame = reformatter.reformat(
            picture,
            format=pix_fmt,
            src_colorspace=None if model_of(picture.format.name) == "rgb" else _SWS_MATRIX[matrix],
            dst_colorspace=None if model_of(pix_fmt) == "rgb" else _SWS_MATRIX[matrix],
            interpolation=_SWS_FLAGS,
            src_color_range=source_range,
            dst_color_range=target_range,
            threads=1,  # with more, a slice's last odd row may overrun the first pixels of the next slice
        )
    except (av.FFmpegError, ValueError) as error:
        raise MediaError(f"FFmpeg cannot convert {picture.format.name} to {pix_fmt}: {error}") from error
    return result
