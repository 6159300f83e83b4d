"""Two videos, compared: scores per plane, or the first sample that differs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from texsamp.io import VideoReader
from texsamp.process import ProgressCallback
from texsamp.quality import Comparison, Difference, Planes, compare_streams, first_stream_difference
from texsamp.video.frame import Frame

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class VideoDifference:
    """The first difference of two videos; frames count from 0, planes are named by component."""

    frame: int
    plane: str
    sample: Difference


@dataclass(frozen=True)
class VideoScores:
    """Scores of one video against its reference; ``notes`` says in words what was converted before."""

    comparison: Comparison
    notes: tuple[str, ...]


@dataclass(frozen=True)
class ExactResult:
    """The first difference of two videos, None if there is none in ``frames`` frames; ``notes`` as in VideoScores."""

    difference: VideoDifference | None
    frames: int
    notes: tuple[str, ...]


def _planes(frame: Frame) -> Planes:
    """Every component of a frame as a plane of plain samples."""
    planes = {}
    for name, part in frame.layout.components.items():
        elements = np.asarray(frame.to("cpu").component(name))
        planes[name] = (elements >> part.shift) & elements.dtype.type((1 << part.bits) - 1)
    return Planes(planes, {name: (1 << part.bits) - 1 for name, part in frame.layout.components.items()})


def _pictures(frames: Iterable[Frame], total: int | None, progress: ProgressCallback | None) -> Iterator[Planes]:
    for number, frame in enumerate(frames, start=1):
        yield _planes(frame)
        if progress is not None:
            progress(number, total)


def _notes(*readers: VideoReader) -> tuple[str, ...]:
    return tuple(f"{reader.path}: {note}" for reader in readers for note in reader.notes)


def compare(
    reference: Path, distorted: Path, progress: ProgressCallback | None = None, strict: bool = False
) -> VideoScores:
    """PSNR and SSIM of every plane of two videos: mean, minimum and worst frame.

    Raises MediaError if one cannot be read (with ``strict`` also if it is damaged), FormatError if they differ in
    length, size, planes or depth.
    """
    with VideoReader(reference, strict=strict) as a, VideoReader(distorted, strict=strict) as b:
        comparison = compare_streams(_pictures(a, a.frame_count, progress), _pictures(b, None, None))
        return VideoScores(comparison, _notes(a, b))


def compare_exactly(
    reference: Path, distorted: Path, progress: ProgressCallback | None = None, strict: bool = False
) -> ExactResult:
    """The first difference of two videos, if there is one. Reads no further. Raises as `compare` does."""
    with VideoReader(reference, strict=strict) as a, VideoReader(distorted, strict=strict) as b:
        found = first_stream_difference(_pictures(a, a.frame_count, progress), _pictures(b, None, None))
        notes = _notes(a, b)
    if isinstance(found, int):
        return ExactResult(None, found, notes)
    return ExactResult(VideoDifference(*found), found[0] + 1, notes)
