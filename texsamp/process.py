"""The main job: a video through a pipeline into another video."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from time import perf_counter
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device, set_threads
from texsamp.device.arguments import is_integer, path_text
from texsamp.errors import MediaError, StateError
from texsamp.io import CurvePlot, EncodeOptions, Lavfi, PassLog, StatisticsFile, VideoReader, VideoWriter
from texsamp.io.files.output_file import OutputFile
from texsamp.io.files.read_files import led_to
from texsamp.io.files.temporary import TemporaryFolder
from texsamp.io.frame_hashes import FrameHashFile
from texsamp.io.input.hardware_decoder import HwAccelChoice, check_hwaccel
from texsamp.report import ProcessReport
from texsamp.segments.agreed import TOO_SHORT, NotInSegmentsError, SegmentNote
from texsamp.segments.cut import Segment, check_segments, plan_segments
from texsamp.segments.joined import join_segments
from texsamp.segments.pool import Pools
from texsamp.shown.html import table
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.denoise import Denoise
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline
from texsamp.video.stage import Stage

ProgressCallback = Callable[[int, int | None], None]
"""Told how many frames have gone in, and how many there will be (None when unknown)."""


@dataclass(frozen=True)
class ProcessSeconds:
    """Where the calling thread's time went: waiting for the decoder, running kernels, waiting for the encoder.

    ``segments``: waiting for the processes that make the segments.
    """

    decode_wait: float
    kernels: float
    encode_wait: float
    segments: float
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

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = [("frames", f"{self.frames_in} in, {self.frames_out} out"), *(("note", text) for text in self.notes)]
        return table(self.output, (), rows)


class _Clock:
    """Adds up the time between laps, by name."""

    def __init__(self) -> None:
        self.start = self._last = perf_counter()
        self.laps = {"decode_wait": 0.0, "kernels": 0.0, "encode_wait": 0.0, "segments": 0.0}

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


class _Reporter:
    """The report of a job, written when the video is complete; a context that leaves nothing behind on errors."""

    def __init__(
        self, path: str | os.PathLike[str], overwrite: bool, names: tuple[str | os.PathLike[str], ...]
    ) -> None:
        self._names = [os.path.basename(path_text(name)) for name in names]
        if os.path.realpath(path) in {os.path.realpath(name) for name in names}:
            raise MediaError(f"{path_text(path)}: the report is to be written over the video")
        self._report = ProcessReport()
        self._output = OutputFile(path_text(path), overwrite)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if kind is not None:
            self._output.discard()

    def watch(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Frames that go in, as they pass."""
        for frame in frames:
            self._report.add_source(*_seen(frame))
            yield frame

    def add(self, frame: Frame) -> None:
        """Take a frame that goes out."""
        self._report.add_made(*_seen(frame))

    def finish(self, done: ProcessResult, pipeline: Pipeline) -> None:
        """Write the page."""
        seconds = done.seconds
        about = [
            ("filters", pipeline.describe()),
            ("frames", f"{done.frames_in} in, {done.frames_out} out"),
            ("seconds", f"{seconds.total:.2f}: decoder {seconds.decode_wait:.2f}, kernels {seconds.kernels:.2f}, "
                        f"encoder {seconds.encode_wait:.2f}"),
        ]  # fmt: skip
        html = self._report.html(self._names[1], (self._names[0], self._names[1]), about, done.notes)
        with self._output:
            self._output.fill([html.encode()])


def _seen(frame: Frame) -> tuple[NDArray[Any], int, Fraction | None, Callable[[], NDArray[np.uint8]]]:
    """The first component's samples and their bits, the time of the frame, and what gives its picture."""
    name, part = next(iter(frame.layout.components.items()))
    elements = np.asarray(frame.to("cpu").component(name))
    time = None if frame.pts is None or frame.time_base is None else frame.pts * frame.time_base
    return elements >> part.shift & (1 << part.bits) - 1, part.bits, time, frame.to_rgb


def _write(writer: VideoWriter, frame: Frame, clock: _Clock) -> None:
    clock.lap("kernels")
    writer.write(frame)
    clock.lap("encode_wait")


def _check_apart(files: dict[str, str | os.PathLike[str] | None]) -> None:
    """Refuse one path for two of the files beside the video, by what they hold."""
    taken: dict[str, str] = {}
    for content, path in files.items():
        if path is not None:
            other = taken.setdefault(os.path.realpath(path_text(path)), content)
            if other != content:
                raise MediaError(f"{path_text(path)}: {content} would be written over {other}")


def _keeps_fields(stage: Stage) -> bool:
    """Whether a stage filters fields as they are, or leaves it to FFmpeg to know them."""
    return isinstance(stage, Denoise) or (isinstance(stage, Lavfi) and not stage.deinterlaces)


def check_passes(src: str, encoding: EncodeOptions) -> None:
    """Refuse two passes that cannot be."""
    if encoding.get("bitrate") is None:
        raise StateError("two passes divide a bitrate: give one, as in --bitrate 4M")
    if src == "-" or (os.path.exists(src) and not os.path.isfile(src)):
        raise StateError(f"two passes read the input twice: it must be a file, found {src}")


@contextmanager
def _two_passes(dst: str, first_pass: Callable[[PassLog], None]) -> Iterator[PassLog]:
    """Run the job once for the encoder to learn from; gives what the second pass needs, for as long as it runs."""
    try:
        folder = TemporaryFolder(led_to(dst))
    except OSError as error:
        raise MediaError(f"{dst}: its directory cannot be written to: {error.strerror or error}") from error
    try:
        log = os.path.join(folder.path, "passes.log")
        first_pass(PassLog(1, log))
        yield PassLog(2, log)
    finally:
        folder.remove()


_FILM_TAKES = {"deint": "film mode takes those of film alone", "parity": "film mode takes the order they move in"}
"""What becomes of pictures that are not what they are flagged as, by the option that would tell it."""


def field_advice(reader: VideoReader, pipeline: Pipeline) -> list[str]:
    """What `deinterlace` should be told of pictures that are not what they are flagged as, unless it is told so."""
    if reader.field_remedy is None:
        return []
    option, value = reader.field_remedy
    asked = [stage for stage in pipeline.stages if isinstance(stage, Deinterlace)]
    if any(getattr(stage, option) == value for stage in asked):
        return []
    advice = f"deinterlace={option}={value} takes the pictures as they look"
    if not asked:
        return [advice]
    by_film = any(stage.film != "off" and stage.parity == "auto" for stage in asked)
    return [f"{advice}: without it {_FILM_TAKES[option] if by_film else 'they are taken as they are flagged'}"]


def _interlaced_note(pipeline: Pipeline, interlaced: int, frames: int) -> list[str]:
    in_frames = [stage for stage in pipeline.stages if not _keeps_fields(stage)]
    if not interlaced or not in_frames or isinstance(in_frames[0], Deinterlace | Lavfi):
        return []
    return [f"{interlaced} of {frames} frames are interlaced: filters take them as progressive"]


def _in_segments(
    whole: Segment,
    count: int,
    dst: str | os.PathLike[str],
    overwrite: bool,
    threads: int | None,
    pools: Pools | None,
    progress: ProgressCallback | None,
    manifest: str | os.PathLike[str] | None,
    hwaccel: HwAccelChoice,
    encoding: EncodeOptions,
) -> ProcessResult:
    """Filter and encode in segments. Raises NotInSegmentsError where that cannot be, with nothing written."""
    clock = _Clock()
    parts = plan_segments(whole, count)
    if len(parts) == 1:
        raise NotInSegmentsError(TOO_SHORT)
    with (
        VideoReader(whole.source, strict=whole.strict, autorotate=whole.autorotate) as reader,
        nullcontext() if manifest is None else FrameHashFile(manifest, overwrite, (whole.source, dst)) as hashes,
        closing(VideoWriter(dst, reader, overwrite=overwrite, hwaccel=hwaccel, **encoding)) as writer,
    ):
        take_hash = None if hashes is None else hashes.add
        done = join_segments(parts, reader, writer, threads, pools, progress, take_hash)
    pipeline = Pipeline.parse(whole.vf, "cpu")
    told = [*reader.notes, *field_advice(reader, pipeline), *done.notes, *writer.notes]
    notes = (*dict.fromkeys(told), *_interlaced_note(pipeline, done.interlaced, done.frames_in))
    clock.lap("segments")
    return ProcessResult(path_text(dst), done.frames_in, done.frames_out, clock.seconds(), notes)


def process(
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    vf: str | Pipeline = "",
    device: Device | str = "auto",
    threads: int | None = None,
    overwrite: bool = False,
    start_s: float | None = None,
    duration_s: float | None = None,
    frames: int | None = None,
    progress: ProgressCallback | None = None,
    stats: str | os.PathLike[str] | None = None,
    plot: str | os.PathLike[str] | None = None,
    manifest: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    strict: bool = False,
    autorotate: bool = True,
    hwaccel: HwAccelChoice = "auto",
    two_pass: bool = False,
    segments: int = 1,
    pools: Pools | None = None,
    **encoding: Unpack[EncodeOptions],
) -> ProcessResult:
    """Run the filters ``vf`` over the video ``src`` and write ``dst``; "-" is standard input or, as y4m, output.

    ``vf`` is filter text (see docs/filters.md) or a Pipeline, which then brings its own device. ``threads`` is how many
    the decoder uses and, from now on and in the whole process as with `set_threads`, the CPU kernels. ``start_s``,
    ``duration_s`` (seconds) and ``frames`` select a part. Decoding and encoding run on threads of their own.

    ``encoding`` is what `texsamp.io.EncodeOptions` lists: ``codec``, ``crf``, ``pix_fmt``, ``lossless``, ``preset``,
    ``tune``, ``bitrate``, ``gop``, ``options`` and ``copy_only``; what is left out follows from the output's name. With
    ``two_pass`` everything runs twice, so that the encoder knows the whole video when it divides ``bitrate``.

    ``stats`` names a CSV file to write: one row per frame that goes out, with what the filters have measured.
    ``manifest`` names a list to write, in the format of FFmpeg's framehash: SHA-256 of every picture that goes out,
    before it is encoded (`hash_frames` makes the same).
    ``report`` names an HTML file to write (needs jinja2, the extra ``report``): motion, cadence, noise and levels of
    both videos over time, and frames of both at equal distances.
    ``plot`` names a picture to draw (png, svg or pdf; needs matplotlib, the extra ``plot``): the contrast curves.

    A damaged input is read as far as possible, with notes; with ``strict`` it raises MediaError.
    Pictures that players turn are turned before the filters; without ``autorotate`` the rotation is passed on as a tag.

    With ``hwaccel`` "auto" NVDEC decodes on the GPU that the filters run on, where FFmpeg can, and an NVENC ``codec``
    takes its pictures from there; with "off" all of them are in the CPU's memory between.

    With ``segments`` so many processes filter and encode parts of the whole file at once, ``threads`` threads each (a
    share of the cores by default), and the parts are joined without encoding again: the pictures before encoding are
    those of one run. What cannot be cut is done in one run, and a note says why. Scripts that ask for segments need
    ``if __name__ == "__main__"``. ``pools`` gives others to do it (`texsamp.batch` its workers).

    Until it is complete the output has a temporary name, which is removed on any error and on KeyboardInterrupt.

    Raises StateError for bad filters and options, MediaError for files that cannot be read or written (also when
    ``dst`` exists and ``overwrite`` is not set), FormatError for pictures a filter cannot take, DeviceError.
    """
    if frames is not None and not (is_integer(frames) and frames >= 1):
        raise StateError(f"frames must be an integer of at least 1, found {frames!r}")
    check_hwaccel(hwaccel)
    check_segments(segments, (start_s, duration_s, frames))
    _check_apart({"the statistics": stats, "the drawing": plot, "the hashes": manifest, "the report": report})
    whole: list[str] = []
    if segments > 1:
        one_run = {"statistics": stats, "a drawing": plot, "a report": report, "two passes": two_pass or None}
        if refused := [what for what, asked in one_run.items() if asked is not None]:
            raise StateError(f"{refused[0]} and segments exclude each other")
        if not isinstance(vf, str):
            raise StateError("segments are filtered by other processes: give the filters as text")
        Pipeline.parse(vf, device)
        where = device if isinstance(device, str) else device.name
        part = Segment(path_text(src), vf, where, strict=strict, autorotate=autorotate)
        try:
            return _in_segments(part, segments, dst, overwrite, threads, pools, progress, manifest, hwaccel, encoding)
        except NotInSegmentsError as error:
            whole = [str(SegmentNote(1, whole=str(error)))]
    if threads is not None:
        set_threads(threads)
    pipeline = vf if isinstance(vf, Pipeline) else Pipeline.parse(vf, device)
    decode_on: Device | str = pipeline.device if hwaccel == "auto" else "cpu"
    clock = _Clock()
    by_order = any(isinstance(stage, Deinterlace) for stage in pipeline.stages)
    reading = partial(VideoReader, src, start_s, duration_s, frames, threads, strict, autorotate, decode_on, by_order)
    writing = partial(VideoWriter, dst, overwrite=overwrite, hwaccel=hwaccel, **encoding)

    def first_pass(log: PassLog) -> None:
        with reading() as reader, writing(reader, pass_log=log) as writer:
            for result in pipeline(_Source(reader, clock, progress)):
                _write(writer, result, clock)

    if two_pass:
        check_passes(path_text(src), encoding)
    with (
        _two_passes(path_text(dst), first_pass) if two_pass else nullcontext() as log,
        reading() as reader,
        nullcontext() if stats is None else StatisticsFile(stats, overwrite, (src, dst), reader.origin_s) as table,
        nullcontext() if manifest is None else FrameHashFile(manifest, overwrite, (src, dst)) as hashes,
        nullcontext() if report is None else _Reporter(report, overwrite, (src, dst)) as told,
        nullcontext() if plot is None else CurvePlot(plot, overwrite, not_these=(src, dst)) as drawing,
        writing(reader, pass_log=log) as writer,
    ):
        source = _Source(reader, clock, progress)
        frames_out = 0
        going_in = source if told is None else told.watch(source)
        for result in pipeline(going_in, statistics=table is not None or drawing is not None):
            if table is not None:
                table.write(result)
            if drawing is not None:
                drawing.add(result)
            if hashes is not None:
                hashes.write(result)
            if told is not None:
                told.add(result)
            _write(writer, result, clock)
            frames_out += 1
    notes = [
        *reader.notes,
        *field_advice(reader, pipeline),
        *(text for stage in pipeline.stages for text in stage.notes),
        *writer.notes,
        *_interlaced_note(pipeline, source.interlaced, source.frames),
        *whole,
    ]
    clock.lap("encode_wait")  # until the writer has encoded everything
    done = ProcessResult(path_text(dst), source.frames, frames_out, clock.seconds(), tuple(notes))
    if told is not None:
        told.finish(done, pipeline)
    return done
