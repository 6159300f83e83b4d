"""Whole videos as arrays, for what fits in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from texsamp.device.arguments import check_kind
from texsamp.device.given import GivenArray, given_array
from texsamp.errors import FormatError
from texsamp.io.input.reader import VideoReader
from texsamp.io.output.encode_request import EncodeOptions
from texsamp.io.output.rate import exact_rate
from texsamp.io.output.writer import VideoWriter
from texsamp.video.frame import Frame


def read_frames(
    path: str | os.PathLike[str],
    start_s: float | Fraction | None = None,
    duration_s: float | Fraction | None = None,
    max_frames: int | None = None,
) -> NDArray[np.uint8]:
    """A video's pictures as displayed: uint8 (frames, height, width, 3), red, green and blue.

    The part to read is chosen as in `VideoReader`, whose errors are raised, too; FormatError if the size changes.
    """
    with VideoReader(path, start_s, duration_s, max_frames) as reader:
        pictures = [frame.to_rgb() for frame in reader]
    sizes = {f"{picture.shape[1]}x{picture.shape[0]}" for picture in pictures}
    if len(sizes) > 1:
        raise FormatError(f"{os.fspath(path)}: pictures of one array have one size, found {', '.join(sorted(sizes))}")
    return np.stack(pictures)


def write_frames(
    path: str | os.PathLike[str],
    frames: Iterable[Frame | GivenArray],
    frame_rate: float | Fraction = 25,
    *,
    overwrite: bool = False,
    **encoding: Unpack[EncodeOptions],
) -> int:
    """Write pictures as a video, and return how many; container and codec follow from the extension.

    frames: uint8 arrays (height, width, 3), red, green and blue, or one array of all of them; or `Frame`, which keep
        their own times. frame_rate: pictures of arrays a second, above 0 to 1000.

    Arrays become 4:2:0 of 8 bits unless ``encoding`` names a ``pix_fmt``; its options and errors are those of
    `VideoWriter`. Raises FormatError for other arrays, StateError for another rate.
    """
    rate = exact_rate(frame_rate)
    check_kind("frames to write", frames, Iterable)
    step = 1 / rate
    count = 0
    with VideoWriter(path, overwrite=overwrite, **encoding) as writer:
        for count, given in enumerate(frames, start=1):
            writer.write(given if isinstance(given, Frame) else _frame(given, count - 1, step))
    return count


def _frame(given: GivenArray, number: int, step_s: Fraction) -> Frame:
    picture = given_array(f"picture {number}", given)
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or 0 in picture.shape:
        raise FormatError(
            f"picture {number} must be uint8 (height, width, 3), found {picture.dtype} {tuple(picture.shape)}"
        )
    height, width, _ = picture.shape
    rows = np.ascontiguousarray(picture).reshape(height, width * 3)
    return Frame.from_arrays("rgb24", [rows], width, height, "cpu", pts=number, duration=1, time_base=step_s)
