"""A video that is encoded in segments and joined without encoding again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from texsamp.errors import MediaError, StateError
from texsamp.io import VideoReader, VideoWriter
from texsamp.io.files.read_files import led_to
from texsamp.io.files.temporary import TemporaryFolder
from texsamp.io.frame_hashes import FrameHash
from texsamp.io.output.encoded_part import EncodedPart, encode_part
from texsamp.io.output.video_encoder import EncoderSetup
from texsamp.segments.agreed import NotInSegmentsError, SegmentNote, SegmentTask, agreed
from texsamp.segments.cut import WARM_UP, Segment
from texsamp.segments.pool import Pools
from texsamp.segments.run import SegmentResult
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline


@dataclass(frozen=True)
class _Made:
    part: EncodedPart
    hashes: tuple[FrameHash, ...]


@dataclass(frozen=True)
class _Encode:
    """Makes a part of a segment's pictures, and their hashes if they are wanted."""

    setup: EncoderSetup
    path: str
    hashes: bool

    def __call__(self, frames: Iterable[Frame]) -> _Made:
        found: list[FrameHash] = []

        def seen() -> Iterable[Frame]:
            for frame in frames:
                if self.hashes:
                    found.append(FrameHash.of(frame))
                yield frame

        part = encode_part(seen(), self.setup, self.path)
        return _Made(part, tuple(found))


@dataclass(frozen=True)
class JoinedVideo:
    """Frames that were read and made, interlaced ones of those read, and what readers and filters had to tell."""

    frames_in: int
    frames_out: int
    interlaced: int
    notes: tuple[str, ...]


def join_segments(
    segments: Sequence[Segment],
    reader: VideoReader,
    writer: VideoWriter,
    threads: int | None = None,
    pools: Pools | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    take_hash: Callable[[FrameHash], None] | None = None,
) -> JoinedVideo:
    """Encode a video in segments, each by another process, into parts beside the output, and complete its ``writer``.

    ``reader`` is the whole video's, whose first pictures are read here. ``take_hash`` is told every picture's hash.
    Raises NotInSegmentsError where one run must do it (close the writer then: it may have parts), else as `process`.
    """
    pipeline = Pipeline.parse(segments[0].vf, segments[0].device)
    first = next(iter(pipeline(islice(reader, WARM_UP))), None)
    if first is None:
        raise NotInSegmentsError(f"its first {WARM_UP} pictures give none")
    first = first.to("cpu")
    try:
        setup = writer.setup_for(first)
    except StateError as error:
        raise NotInSegmentsError(str(error)) from None
    notes: list[str] = []
    results: list[SegmentResult[_Made]] = []
    try:
        folder = TemporaryFolder(led_to(writer.path))
    except OSError as error:
        raise MediaError(f"{writer.path}: its directory cannot be written to: {error.strerror or error}") from error
    try:
        paths = [os.path.join(folder.path, f"{number}.part") for number in range(len(segments))]
        tasks = [
            SegmentTask(segment, _Encode(setup, path, take_hash is not None), f"{path}.count")
            for segment, path in zip(segments, paths, strict=True)
        ]
        total = reader.frame_count

        def tell(frames: int) -> None:
            if progress is not None:
                progress(frames, total)

        def note(told: SegmentNote) -> None:
            notes.append(str(told))

        for result in agreed(tasks, note, threads, pools, tell):
            for found in result.made.hashes if take_hash is not None else ():
                take_hash(found)  # type: ignore[misc]
            if results and not _follows(result.made.part, results[-1].made.part):
                raise NotInSegmentsError("time stamps of two segments do not fit the file")
            writer.append(first, result.made.part)
            results.append(result)
        writer.commit()
    finally:
        folder.remove()
    frames_in, frames_out, interlaced = (
        sum(values) for values in zip(*((r.frames_in, r.made.part.frames, r.interlaced) for r in results), strict=True)
    )
    tell(frames_in)
    return JoinedVideo(frames_in, frames_out, interlaced, (*_told(results), *notes))


def _follows(part: EncodedPart, before: EncodedPart) -> bool:
    """Whether a part is shown after another."""
    return part.first_pts is not None and before.last_pts is not None and part.first_pts > before.last_pts


def _told(results: Sequence[SegmentResult[_Made]]) -> Iterable[str]:
    """What segments had to tell: once, if all say the same, else of which it is true."""
    by_text: dict[str, list[int]] = {}
    for number, result in enumerate(results, start=1):
        for text in (*result.notes, *result.made.part.notes):
            by_text.setdefault(text, []).append(number)
    for text, numbers in by_text.items():
        where = "" if len(numbers) == len(results) else f"segment {', '.join(map(str, numbers))}: "
        yield f"{where}{text}"
