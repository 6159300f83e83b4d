"""File to file: how much longer a job takes because of its filters, and beside a plain loop of PyAV without any."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from time import perf_counter

import av

from benchmarks.clips import clip_path
from texsamp.io import VideoReader
from texsamp.io.av_frame import picture_of
from texsamp.io.codecs import CODECS
from texsamp.process import ProcessResult, process
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline
from texsamp.video.stage import Stage

PAIRS = 3


class _Recorder(Stage):
    """Keeps the frames it passes on."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def feed(self, frame: Frame) -> Iterable[Frame]:
        self.frames.append(frame)
        yield frame


class _Player(Stage):
    """Gives recorded frames in place of what it is fed: filters that take no time."""

    def __init__(self, frames: Iterable[Frame]) -> None:
        self._frames = iter(frames)

    def feed(self, frame: Frame) -> Iterable[Frame]:
        yield next(self._frames)


@dataclass(frozen=True)
class JobRow:
    """Medians over rounds of runs: with the filters, with their recorded results in place of them, and PyAV's loop.

    share: 1 - without_s / with_s, the part of the wall time that the filters cost. in_filters: the part of it that
    the calling thread was inside filters, waiting for a processor that codecs use included. loop_s: decoding the input
    and encoding the same results, with the same library and settings, in a loop without texsamp; over_loop:
    without_s / loop_s.
    """

    job: str
    frames: int
    with_s: float
    without_s: float
    share: float
    share_max: float
    in_filters: float
    loop_s: float
    over_loop: float


def _run(source: Path, out: Path, filters: Pipeline) -> ProcessResult:
    return process(source, out, vf=filters, overwrite=True)


def _loop_s(source: Path, out: Path, pictures: list[av.VideoFrame], rate: Fraction) -> float:
    """Wall time of decoding the input and encoding these pictures in its frames' place, with its sound copied."""
    begin = perf_counter()
    with av.open(source) as reading, av.open(out, "w") as writing:
        decoder, sound = reading.streams.video[0], reading.streams.audio[0]
        decoder.thread_type = "AUTO"
        encoder = writing.add_stream("libx264", rate=rate, options=CODECS["libx264"].quality)
        encoder.width, encoder.height = pictures[0].width, pictures[0].height
        encoder.pix_fmt, encoder.codec_context.time_base = pictures[0].format.name, decoder.time_base
        copied = writing.add_stream_from_template(sound)
        left = iter(pictures)
        for packet in reading.demux(decoder, sound):
            if packet.stream is sound:
                if packet.dts is not None:
                    packet.stream = copied
                    writing.mux(packet)
                continue
            for decoded in packet.decode():
                picture = next(left)
                picture.pts, picture.time_base = decoded.pts, decoded.time_base
                writing.mux(encoder.encode(picture))
        writing.mux(encoder.encode(None))
        assert next(left, None) is None
    return perf_counter() - begin


def _row(name: str, source: Path, out: Path, text: str) -> JobRow:
    recorder = _Recorder()
    _run(source, out, Pipeline([*Pipeline.parse(text).stages, recorder]))
    pictures = [picture_of(frame) for frame in recorder.frames]
    with VideoReader(source) as reader:
        rate = reader.frame_rate or Fraction(25)
    with_filters, without, loops = [], [], []
    for _ in range(PAIRS):
        with_filters.append(_run(source, out, Pipeline.parse(text)))
        without.append(_run(source, out, Pipeline([_Player(recorder.frames)])))
        loops.append(_loop_s(source, out, pictures, rate))
    shares = [1 - b.seconds.total / a.seconds.total for a, b in zip(with_filters, without, strict=True)]
    return JobRow(
        f"{name}: {text}",
        len(recorder.frames),
        median(run.seconds.total for run in with_filters),
        median(run.seconds.total for run in without),
        median(shares),
        max(shares),
        median(run.seconds.kernels / run.seconds.total for run in with_filters),
        median(loops),
        median(run.seconds.total / loop for run, loop in zip(without, loops, strict=True)),
    )


def end_to_end(seconds: float = 4.0) -> list[JobRow]:
    """A 1080p H.264 clip (made from a real 720p one) through scale and sharpen at default settings."""
    with tempfile.TemporaryDirectory() as folder:
        large, out = Path(folder) / "1080p.mkv", Path(folder) / "out.mkv"
        process(clip_path("bigbuckbunny.mp4"), large, vf="scale=1920x1080", duration_s=seconds)
        jobs = (
            ("1080p H.264 to 720p H.264", "scale=1280x720:preset=ihd,sharpen=44"),
            ("1080p H.264 to 1440p H.264", "scale=2560x1440,sharpen=44"),
        )
        return [_row(name, large, out, text) for name, text in jobs]
