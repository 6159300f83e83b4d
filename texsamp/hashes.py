"""Hashes of what filters make of a video, without writing one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from texsamp.device import Device
from texsamp.device.arguments import path_text
from texsamp.errors import StateError
from texsamp.io import VideoReader
from texsamp.io.frame_hashes import FrameHash
from texsamp.process import ProgressCallback
from texsamp.segments.cut import Segment, check_segments, plan_segments
from texsamp.segments.hashed import hash_segments
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline


def hash_frames(
    src: str | os.PathLike[str],
    vf: str | Pipeline = "",
    device: Device | str = "auto",
    start_s: float | None = None,
    duration_s: float | None = None,
    frames: int | None = None,
    progress: ProgressCallback | None = None,
    strict: bool = False,
    autorotate: bool = True,
    segments: int = 1,
    note: Callable[[str], None] | None = None,
) -> Iterator[FrameHash]:
    """The hash of every picture that the filters ``vf`` make of the video ``src``, as `process` has them encoded.

    Arguments are those of `process`, and so are the errors. Any device and any number of threads gives the same.

    With ``segments`` so many processes filter parts of the whole file at once, and give the same again; ``note`` is
    told how it was cut. Scripts that ask for that need ``if __name__ == "__main__"``.
    """
    if segments != 1:
        yield from _in_segments(
            src, vf, device, segments, (start_s, duration_s, frames), progress, strict, autorotate, note
        )
        return
    pipeline = vf if isinstance(vf, Pipeline) else Pipeline.parse(vf, device)
    with VideoReader(src, start_s, duration_s, frames, None, strict, autorotate) as reader:
        yield from map(FrameHash.of, pipeline(_counted(reader, reader.frame_count, progress)))


def _in_segments(
    src: str | os.PathLike[str],
    vf: str | Pipeline,
    device: Device | str,
    count: int,
    part: tuple[float | int | None, ...],
    progress: ProgressCallback | None,
    strict: bool,
    autorotate: bool,
    note: Callable[[str], None] | None,
) -> Iterator[FrameHash]:
    check_segments(count, part)
    if not isinstance(vf, str):
        raise StateError("segments are filtered by other processes: give the filters as text")
    Pipeline.parse(vf, device)
    where = device if isinstance(device, str) else device.name
    whole = Segment(path_text(src), vf, where, strict=strict, autorotate=autorotate)
    found = hash_segments(whole, plan_segments(whole, count), lambda told: None if note is None else note(str(told)))
    for number, picture in enumerate(found, start=1):
        yield picture
        if progress is not None:
            progress(number, None)


def _counted(frames: Iterable[Frame], total: int | None, progress: ProgressCallback | None) -> Iterator[Frame]:
    for number, frame in enumerate(frames, start=1):
        yield frame
        if progress is not None:
            progress(number, total)


@dataclass(frozen=True)
class HashDifference:
    """The first picture that is not as listed; frames count from 0. None: there is none on that side."""

    frame: int
    listed: str | None
    found: str | None


def first_hash_difference(listed: Sequence[str], found: Iterable[FrameHash]) -> tuple[int, HashDifference | None]:
    """How many pictures were looked at, and the first that is not the list's; None if all are the same."""
    number = 0
    for number, picture in enumerate(found, start=1):
        expected = listed[number - 1] if number <= len(listed) else None
        if expected != picture.digest:
            return number, HashDifference(number - 1, expected, picture.digest)
    return number, HashDifference(number, listed[number], None) if number < len(listed) else None
