"""FFmpeg's filters as contenders, through PyAV in this process, and zscale through an ffmpeg binary that has it."""

from __future__ import annotations

import resource
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av

from benchmarks.clips import planes

ACCURATE = "accurate_rnd+full_chroma_int+bitexact"


class FilterGraph:
    """One FFmpeg filter on 4:2:0 frames in memory."""

    def __init__(self, frame: av.VideoFrame, name: str, arguments: str, threads: int = 1) -> None:
        self._frame = frame
        self._graph = av.filter.Graph()
        self._graph.threads = threads
        source = self._graph.add_buffer(
            width=frame.width, height=frame.height, format=frame.format, time_base=Fraction(1, 25)
        )
        stage = self._graph.add(name, arguments)
        sink = self._graph.add("buffersink")
        source.link_to(stage)
        stage.link_to(sink)
        self._graph.configure()

    def __call__(self, frame: av.VideoFrame | None = None) -> av.VideoFrame:
        self._graph.push(frame or self._frame)
        return self._graph.pull()


class FieldGraph(FilterGraph):
    """A filter that makes any number of frames of one; call it with None at the end."""

    def __init__(self, frame: av.VideoFrame, name: str, arguments: str, threads: int = 1) -> None:
        super().__init__(frame, name, arguments, threads)
        self._count = 0

    def __call__(self, frame: av.VideoFrame | None = None) -> list[av.VideoFrame]:
        if frame is not None:
            frame.pts, self._count = self._count, self._count + 1
        self._graph.push(frame)
        made = []
        while True:
            try:
                made.append(self._graph.pull())
            except (av.error.BlockingIOError, av.error.EOFError):
                return made


def has_filter(name: str) -> bool:
    """Whether PyAV's FFmpeg has a filter."""
    return name in av.filter.filters_available


def ffmpeg_with(name: str) -> str | None:
    """Path of an ffmpeg binary that has a filter, if there is one."""
    binary = shutil.which("ffmpeg")
    if binary is None:
        return None
    listing = subprocess.run([binary, "-hide_banner", "-filters"], capture_output=True, text=True, check=False).stdout
    return binary if any(line.split()[1:2] == [name] for line in listing.splitlines()) else None


def binary_cpu_ms(
    binary: str,
    frame: av.VideoFrame | bytes,
    video_filter: str,
    frames: int = 60,
    copies: int = 1,
    *,
    form: tuple[str, int, int] | None = None,
    options: Sequence[str] = (),
) -> float:
    """CPU milliseconds per frame of a filter in an ffmpeg binary, one thread, less the cost of reading the frames.

    That cost varies by more than a cheap filter takes: ``copies`` of the filter in a row make its share small. A frame
    may be raw bytes, whose pixel format, width and height are then ``form``; ``options`` come before all others.
    """
    raw = frame if isinstance(frame, bytes) else b"".join(plane.tobytes() for plane in planes(frame))
    pixel_format, width, height = form or ("yuv420p", frame.width, frame.height)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frame.yuv"
        path.write_bytes(raw)

        def cpu_s(filters: str) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [binary, "-v", "error", *options, "-filter_threads", "1", "-stream_loop", str(frames - 1)]
            command += ["-f", "rawvideo", "-pix_fmt", pixel_format, "-s", f"{width}x{height}", "-i", str(path)]
            command += ["-vf", filters, "-threads", "1", "-f", "null", "-"]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

        return (cpu_s(",".join([video_filter] * copies)) - cpu_s("null")) * 1e3 / (frames * copies)
