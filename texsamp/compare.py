"""Two videos, compared: scores per plane, or the first sample that differs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from texsamp.device.arguments import path_text
from texsamp.io import VideoReader
from texsamp.io.files.output_file import OutputFile
from texsamp.process import ProgressCallback
from texsamp.quality import Comparison, Difference, FrameScores, Planes, compare_streams, first_stream_difference
from texsamp.report import ComparisonReport
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


class _Watched:
    """Frames as they pass; `latest` is the last one."""

    def __init__(self, frames: Iterable[Frame]) -> None:
        self._frames = frames
        self.latest: Frame | None = None

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._frames:
            self.latest = frame
            yield frame


def _pictures(frames: Iterable[Frame], total: int | None, progress: ProgressCallback | None) -> Iterator[Planes]:
    for number, frame in enumerate(frames, start=1):
        yield _planes(frame)
        if progress is not None:
            progress(number, total)


def _notes(*readers: VideoReader) -> tuple[str, ...]:
    return tuple(f"{reader.path}: {note}" for reader in readers for note in reader.notes)


def compare(
    reference: Path,
    distorted: Path,
    progress: ProgressCallback | None = None,
    strict: bool = False,
    report: Path | None = None,
    full_pictures: bool = False,
    overwrite: bool = False,
) -> VideoScores:
    """PSNR and SSIM of every plane of two videos: mean, minimum and worst frame.

    ``report`` names an HTML file to write: the scores over time, and the worst frames to look into, of which it has
    256x256 pixels, or with ``full_pictures`` all.

    Raises MediaError if one cannot be read (with ``strict`` also if it is damaged), FormatError if they differ in
    length, size, planes or depth, DeviceError for a report without jinja2 (the extra ``report``).
    """
    with VideoReader(reference, strict=strict) as a, VideoReader(distorted, strict=strict) as b:
        if report is None:
            comparison = compare_streams(_pictures(a, a.frame_count, progress), _pictures(b, None, None))
            return VideoScores(comparison, _notes(a, b))
        output = OutputFile(path_text(report), overwrite)
        with output:
            made, ends = ComparisonReport(whole=full_pictures), (_Watched(a), _Watched(b))
            comparison = compare_streams(
                _pictures(ends[0], a.frame_count, progress), _pictures(ends[1], None, None), partial(_note, made, ends)
            )
            names = (os.path.basename(path_text(reference)), os.path.basename(path_text(distorted)))
            page = made.html(f"{names[1]} against {names[0]}", names, comparison.planes, _notes(a, b))
            output.fill([page.encode()])
        return VideoScores(comparison, _notes(a, b))


def _note(report: ComparisonReport, ends: tuple[_Watched, _Watched], scores: FrameScores, a: Planes, b: Planes) -> None:
    """Give a report a frame's scores and, if it asks for them, its pictures; the first plane says what is worst."""
    for plane, psnr in scores.psnr.items():
        report.add_scores(plane, psnr, scores.ssim[plane])
    first = next(iter(scores.psnr))
    report.add_luma(b.planes[first], b.max_value[first].bit_length())
    if report.wants(scores.frame, scores.psnr[first]):
        pictures = [end.latest.to_rgb() for end in ends if end.latest is not None]
        report.add_pictures(
            scores.frame, scores.psnr[first], (pictures[0], pictures[1]), (a.planes[first], b.planes[first])
        )


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
