"""The main job: a video through a pipeline into another video."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from time import perf_counter

from texsamp.device import Device, set_threads
from texsamp.device.arguments import is_integer
from texsamp.errors import MediaError, StateError
from texsamp.io import CurvePlot, StatisticsFile, VideoReader, VideoWriter
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.denoise import Denoise
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

ProgressCallback = Callable[[int, int | None], None]
"""Told how many frames have gone in, and how many there will be (None when unknown)."""


@dataclass(frozen=True)
class ProcessSeconds:
    """Where the calling thread's time went: waiting for the decoder, running kernels, waiting for the encoder."""

    decode_wait: float
    kernels: float
    encode_wait: float
    total: float


@dataclass(frozen=True)
class ProcessResult:
    """What `process` did. ``notes`` says in words what was converted, dropped or guessed."""

    output: str
    frames_in: int
    frames_out: int
    seconds: ProcessSeconds
    notes: tuple[str, ...]

    @property
    def frames_per_second(self) -> float:
        """Output frames per second of wall time."""
        return self.frames_out / self.seconds.total


class _Clock:
    """Adds up the time between laps, by name."""

    def __init__(self) -> None:
        self.start = self._last = perf_counter()
        self.laps = {"decode_wait": 0.0, "kernels": 0.0, "encode_wait": 0.0}

    def lap(self, name: str) -> None:
        now = perf_counter()
        self.laps[name] += now - self._last
        self._last = now

    def seconds(self) -> ProcessSeconds:
        return ProcessSeconds(**self.laps, total=perf_counter() - self.start)


class _Source:
    """The reader's frames, counted and timed: time until the next one is asked for is the kernels'."""

    def __init__(self, reader: VideoReader, clock: _Clock, progress: ProgressCallback | None) -> None:
        self.frames = self.interlaced = 0
        self._reader = reader
        self._clock = clock
        self._progress = progress

    def __iter__(self) -> Iterator[Frame]:
        decoded = iter(self._reader)
        while True:
            self._clock.lap("kernels")
            frame = next(decoded, None)
            self._clock.lap("decode_wait")
            if frame is None:
                return
            yield frame
            self.frames += 1
            self.interlaced += frame.interlaced
            if self._progress is not None:
                self._progress(self.frames, self._reader.frame_count)


def process(
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    vf: str | Pipeline = "",
    device: Device | str = "auto",
    threads: int | None = None,
    codec: str | None = None,
    crf: float | None = None,
    pix_fmt: str | None = None,
    lossless: bool = False,
    overwrite: bool = False,
    start_s: float | None = None,
    duration_s: float | None = None,
    frames: int | None = None,
    progress: ProgressCallback | None = None,
    stats: str | os.PathLike[str] | None = None,
    plot: str | os.PathLike[str] | None = None,
) -> ProcessResult:
    """Run the filters ``vf`` over the video ``src`` and write ``dst``; "-" is standard input or output, as y4m.

    ``vf`` is filter text (see docs/filters.md) or a Pipeline, which then brings its own device. ``threads`` is how many
    the decoder uses and, from now on and in the whole process as with `set_threads`, the CPU kernels. ``codec``,
    ``crf`` and ``pix_fmt`` go to the encoder; without them they follow from the output's name. ``start_s``,
    ``duration_s`` (seconds) and ``frames`` select a part. Decoding and encoding run on threads of their own.

    ``stats`` names a CSV file to write: one row per frame that goes out, with what the filters have measured.
    ``plot`` names a picture to draw (png, svg or pdf; needs matplotlib, the extra ``plot``): the contrast curves.

    Until it is complete the output has a temporary name, which is removed on any error and on KeyboardInterrupt.

    Raises StateError for bad filters and options, MediaError for files that cannot be read or written (also when
    ``dst`` exists and ``overwrite`` is not set), FormatError for pictures a filter cannot take, DeviceError.
    """
    if frames is not None and not (is_integer(frames) and frames >= 1):
        raise StateError(f"frames must be an integer of at least 1, found {frames!r}")
    if threads is not None:
        set_threads(threads)
    if stats is not None and plot is not None and os.path.realpath(stats) == os.path.realpath(plot):
        raise MediaError(f"{os.fspath(plot)}: the drawing is to be written over the statistics")
    pipeline = vf if isinstance(vf, Pipeline) else Pipeline.parse(vf, device)
    with (
        VideoReader(src, start_s=start_s, duration_s=duration_s, max_frames=frames, threads=threads) as reader,
        nullcontext() if stats is None else StatisticsFile(stats, overwrite, (src, dst), reader.origin_s) as table,
        nullcontext() if plot is None else CurvePlot(plot, overwrite, not_these=(src, dst)) as drawing,
        VideoWriter(
            dst, reader, codec=codec, crf=crf, pix_fmt=pix_fmt, lossless=lossless, overwrite=overwrite
        ) as writer,
    ):
        clock = _Clock()
        source = _Source(reader, clock, progress)
        frames_out = 0
        for result in pipeline(source, statistics=table is not None or drawing is not None):
            if table is not None:
                table.write(result)
            if drawing is not None:
                drawing.add(result)
            host = result.to("cpu")
            clock.lap("kernels")
            writer.write(host)
            clock.lap("encode_wait")
            frames_out += 1
    notes = [*reader.notes, *(text for stage in pipeline.stages for text in stage.notes), *writer.notes]
    in_frames = [stage for stage in pipeline.stages if not isinstance(stage, Denoise)]  # it filters fields as they are
    if source.interlaced and in_frames and not isinstance(in_frames[0], Deinterlace):
        notes.append(f"{source.interlaced} of {source.frames} frames are interlaced: filters take them as progressive")
    clock.lap("encode_wait")  # until the writer has encoded everything
    return ProcessResult(os.fspath(dst), source.frames, frames_out, clock.seconds(), tuple(notes))
