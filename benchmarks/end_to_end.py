"""File to file: how much longer a job takes because of its filters, and beside a plain loop of PyAV without any."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import av

from benchmarks.clips import clip_path
from texsamp.io import VideoReader
from texsamp.io.frames.av_frame import picture_of
from texsamp.io.streams.codecs import CODECS
from texsamp.process import ProcessResult, process
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline
from texsamp.video.stage import Stage


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
    """Rounds of three runs: with the filters, with their recorded results in place of them, and PyAV's loop.

    Each round has all three, one right after the other, and another one first. Seconds are the shortest. All other
    figures compare runs of one round, whatever disturbs the machine for longer, and are the medians of the rounds.
    share: 1 - without / with, the part of the wall time that the filters cost. in_filters: the part of it that the
    calling thread was inside filters, waiting for a processor that codecs use included. loop_s: decoding the input and
    encoding the same results, with the same library and settings, in a loop without texsamp; over_loop: without /
    loop, low and high the least and the most of all rounds; over_loop_cpu by processor time.
    """

    job: str
    frames: int
    rounds: int
    with_s: float
    without_s: float
    share: float
    in_filters: float
    loop_s: float
    over_loop: float
    over_loop_low: float
    over_loop_high: float
    over_loop_cpu: float


def _run(source: Path, out: Path, filters: Pipeline) -> ProcessResult:
    return process(source, out, vf=filters, overwrite=True)


def _loop(source: Path, out: Path, pictures: list[av.VideoFrame], rate: Fraction) -> None:
    """Decode the input and encode these pictures in its frames' place, with its sound copied."""
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


def _row(name: str, source: Path, out: Path, text: str, rounds: int) -> JobRow:
    recorder = _Recorder()
    _run(source, out, Pipeline([*Pipeline.parse(text).stages, recorder]))
    pictures = [picture_of(frame) for frame in recorder.frames]
    with VideoReader(source) as reader:
        rate = reader.frame_rate or Fraction(25)
    inside: list[float] = []
    wall: dict[str, list[float]] = {"with": [], "without": [], "loop": []}
    cpu: dict[str, list[float]] = {name: [] for name in wall}

    def filtered() -> None:
        seconds = _run(source, out, Pipeline.parse(text)).seconds
        inside.append(seconds.kernels / seconds.total)

    runs: dict[str, Callable[[], object]] = {
        "with": filtered,
        "without": lambda: _run(source, out, Pipeline([_Player(recorder.frames)])),
        "loop": lambda: _loop(source, out, pictures, rate),
    }
    for number in range(rounds):
        for turn in (*list(runs)[number % 3 :], *list(runs)[: number % 3]):
            begin, used = perf_counter(), process_time()
            runs[turn]()
            wall[turn].append(perf_counter() - begin)
            cpu[turn].append(process_time() - used)
    over_loop = _ratios(wall["without"], wall["loop"])
    return JobRow(
        f"{name}: {text}",
        len(recorder.frames),
        rounds,
        *(min(wall[turn]) for turn in ("with", "without")),
        1 - median(_ratios(wall["without"], wall["with"])),
        median(inside),
        min(wall["loop"]),
        median(over_loop),
        min(over_loop),
        max(over_loop),
        median(_ratios(cpu["without"], cpu["loop"])),
    )


def _ratios(these: list[float], those: list[float]) -> list[float]:
    """Of runs of the same rounds."""
    return [a / b for a, b in zip(these, those, strict=True)]


def end_to_end() -> list[JobRow]:
    """A 1080p H.264 clip (made from a real 720p one) through scale and sharpen at default settings."""
    jobs = (
        ("1080p H.264 to 720p H.264", "scale=1280x720:preset=ihd,sharpen=44", 4, 5),
        ("1080p H.264 to 1440p H.264", "scale=2560x1440,sharpen=44", Fraction(6, 5), 5),
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        large, out = Path(folder) / "1080p.mkv", Path(folder) / "out.mkv"
        for name, text, seconds, rounds in jobs:
            process(clip_path("bigbuckbunny.mp4"), large, vf="scale=1920x1080", duration_s=seconds, overwrite=True)
            rows.append(_row(name, large, out, text, rounds))
    return rows
