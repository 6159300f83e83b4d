"""What FFmpeg says in its log: the reason of a failure, and the few facts that PyAV gives no other way to."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import av
import av.logging

_LOCK = Lock()

# What other threads say while the log is on goes to Python's logger, which would print it for want of a handler.
logging.getLogger("libav").addHandler(logging.NullHandler())

CHROMA_LOCATIONS = {"left": 1, "center": 2, "topleft": 3, "top": 4, "bottomleft": 5, "bottom": 6}
"""FFmpeg's chroma location names and their code points."""


@contextmanager
def captured_log(level: int) -> Iterator[list[str]]:
    """The lines that FFmpeg logs on this thread while the block runs; PyAV keeps the log off otherwise.

    Keep the block short: while the log is on, FFmpeg's own threads wait for Python's lock whenever they have something
    to say.
    """
    lines: list[str] = []
    with _LOCK:
        before, skips = av.logging.get_level(), av.logging.get_skip_repeated()
        av.logging.set_skip_repeated(False)  # the same complaint about two files is two complaints
        av.logging.set_libav_level(level)
        av.logging.set_level(level)
        try:
            with av.logging.Capture(local=True) as entries:
                try:
                    yield lines
                finally:
                    lines.extend(message.strip() for _, _, message in entries if message.strip())
        finally:
            av.logging.set_skip_repeated(skips)
            av.logging.set_level(before)
            av.logging.set_libav_level(av.logging.INFO)


def failure_reason(error: Exception, log: list[str]) -> str:
    """One line for people: FFmpeg's last logged complaint, or the error's own text."""
    text = getattr(error, "strerror", None) or str(error)
    said = [line for line in log if line and "Task finished with error" not in line]
    return f"{said[0]} ({text})" if said else text


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
