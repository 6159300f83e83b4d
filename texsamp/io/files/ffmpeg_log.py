"""What FFmpeg says in its log: the reason of a failure, and the few facts that PyAV gives no other way to."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from threading import Lock
from typing import Any

import av
import av.filter
import av.logging

# What other threads say while the log is on goes to Python's logger, which would print it for want of a handler.
logging.getLogger("libav").addHandler(logging.NullHandler())

_OFF = -8
"""FFmpeg's AV_LOG_QUIET, below all that is said."""

CHROMA_LOCATIONS = {"left": 1, "center": 2, "topleft": 3, "top": 4, "bottomleft": 5, "bottom": 6}
"""FFmpeg's chroma location names and their code points."""


class _Switch:
    """FFmpeg's log, as talkative as the most curious of the captures that are running."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._levels: list[int] = []
        self._before: tuple[int | None, bool] = (None, True)

    def _set(self) -> None:
        level, skips = (max(self._levels), False) if self._levels else self._before  # each file has its own complaints
        av.logging.set_skip_repeated(skips)
        if level is None or level == _OFF:  # threads may be on their way in, where PyAV compares levels
            av.logging.set_level(_OFF)
            av.logging.set_libav_level(_OFF)
            av.logging.restore_default_callback()
        else:
            av.logging.set_libav_level(level)
            av.logging.set_level(level)

    @contextmanager
    def on(self, level: int) -> Iterator[None]:
        with self._lock:
            if not self._levels:
                self._before = av.logging.get_level(), av.logging.get_skip_repeated()
            self._levels.append(level)
            self._set()
        try:
            yield
        finally:
            with self._lock:
                self._levels.remove(level)
                self._set()


_switch = _Switch()

_EVERY_THREAD = Lock()
"""Held by a capture of all threads: PyAV gives those lines to the one that began last."""


@contextmanager
def captured_log(level: int, of: str | None = None) -> Iterator[list[str]]:
    """The lines that FFmpeg logs on this thread while the block runs; PyAV keeps the log off otherwise.

    With ``of`` they are those of FFmpeg's parts of this name (of a decoder, say), on whatever threads they run.

    Keep the block short: while the log is on, FFmpeg's own threads wait for Python's lock whenever they have something
    to say.
    """
    lines: list[str] = []
    with nullcontext() if of is None else _EVERY_THREAD, _switch.on(level), av.logging.Capture(of is None) as entries:
        try:
            yield lines
        finally:
            said = (text.strip() for its, name, text in entries if its <= level and of in (None, name))
            lines.extend(text for text in said if text)


def failure_reason(error: Exception, log: list[str]) -> str:
    """One line for people: FFmpeg's last logged complaint, or the error's own text."""
    text = getattr(error, "strerror", None) or str(error)
    said = [line for line in log if line and "Task finished with error" not in line]
    return f"{said[0]} ({text})" if said else text


def sample_aspect(picture: av.VideoFrame) -> Fraction:
    """Width of a picture's samples over their height, 0 when unknown, which PyAV has no accessor for.

    FFmpeg's `showinfo` filter prints it.
    """
    graph = av.filter.Graph()
    size = f"video_size={picture.width}x{picture.height}:pix_fmt={picture.format.name}"
    tags = f"colorspace={int(picture.colorspace)}:range={int(picture.color_range)}"
    nodes = (graph.add("buffer", f"{size}:time_base=1/1:{tags}"), graph.add("showinfo", "checksum=0"))
    graph.link_nodes(*nodes, graph.add("buffersink")).configure()
    with captured_log(av.logging.INFO) as log:
        graph.push(picture)
        graph.pull()
    found = re.search(r"\bsar:([0-9]+)/([0-9]+)", " ".join(log))
    return Fraction(int(found[1]), int(found[2])) if found and int(found[2]) else Fraction(0)


def chroma_location(container: Any, stream_index: int) -> int:
    """Chroma location of a video stream (FFmpeg's code point, 0 when unknown).

    PyAV has no accessor for it; FFmpeg's verbose description of the stream names it inside the format's parentheses.
    ``container`` is an open PyAV container, typed loosely because the stubs lack ``dumps_format``.
    """
    with captured_log(av.logging.VERBOSE):
        description = container.dumps_format()
    lines = [line for line in description.splitlines() if f"#0:{stream_index}" in line and "Video:" in line]
    if not lines:
        return 0
    words = lines[0].replace("(", ",").replace(")", ",").split(",")
    return next((CHROMA_LOCATIONS[w.strip()] for w in words if w.strip() in CHROMA_LOCATIONS), 0)
