"""A first look: a short generated clip, scaled and sharpened, and a picture of before and after."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from texsamp.device import Device
from texsamp.errors import MediaError
from texsamp.io import VideoReader, VideoWriter, pattern_clip, write_png
from texsamp.io.images import Image
from texsamp.process import ProcessResult, ProgressCallback, process
from texsamp.video.frame import Frame

FILTERS = "scale=1280x720,sharpen=44"
_CLIP_SIZE_PX = (640, 360)
_CLIP_FRAMES = 50
_ENLARGEMENT = 2
_CROP_PX = 320
_DIVIDER_PX = 4


@dataclass(frozen=True)
class DemoResult:
    """The files `demo` wrote, and what processing did."""

    clip: str
    video: str
    picture: str
    process: ProcessResult


def _middle(picture: Image, size_px: int) -> Image:
    row, column = (picture.shape[0] - size_px) // 2, (picture.shape[1] - size_px) // 2
    return picture[row : row + size_px, column : column + size_px]


def before_and_after(before: Frame, after: Frame) -> Image:
    """The middle of a frame, its pixels repeated, beside the middle of the result that is twice its size."""
    old = _middle(before.to_rgb(), _CROP_PX).repeat(_ENLARGEMENT, axis=0).repeat(_ENLARGEMENT, axis=1)
    new = _middle(after.to_rgb(), _CROP_PX * _ENLARGEMENT)
    return np.hstack([old, np.full((old.shape[0], _DIVIDER_PX, 3), 255, np.uint8), new])


@contextmanager
def _nothing_left_on_failure(folder: Path, files: tuple[Path, ...]) -> Iterator[None]:
    """Remove, on any error and on Ctrl-C, those of the files and folders that were not there before."""
    new_files = [file for file in files if not os.path.lexists(file)]
    new_folders = [made for made in (folder, *folder.parents) if not os.path.lexists(made)]
    try:
        yield
    except BaseException:
        for file in new_files:
            with suppress(OSError):
                file.unlink()
        for made in new_folders:  # innermost first
            with suppress(OSError):
                made.rmdir()
        raise


def demo(
    directory: str | os.PathLike[str] = "demo",
    device: Device | str = "auto",
    progress: ProgressCallback | None = None,
) -> DemoResult:
    """Write ``clip.mkv``, the processed ``scaled.mp4`` and ``before-after.png`` into a directory, replacing them.

    On any error and on KeyboardInterrupt files and folders that were not there before are removed.

    Raises MediaError if they cannot be written, DeviceError.
    """
    folder = Path(directory)
    clip, video, picture = folder / "clip.mkv", folder / "scaled.mp4", folder / "before-after.png"
    with _nothing_left_on_failure(folder, (clip, video, picture)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MediaError(f"{folder}: cannot be made: {error.strerror}") from error
        with VideoWriter(clip, lossless=True, overwrite=True) as writer:
            for frame in pattern_clip(*_CLIP_SIZE_PX, _CLIP_FRAMES):
                writer.write(frame)
        result = process(clip, video, FILTERS, device, overwrite=True, progress=progress)
        with VideoReader(clip) as before, VideoReader(video) as after:
            write_png(picture, before_and_after(before.first_frame, after.first_frame))
    return DemoResult(str(clip), str(video), str(picture), result)
