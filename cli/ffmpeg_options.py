"""What FFmpeg's options are called here, for those whose fingers know FFmpeg."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import typer

HERE = {
    "-i": "IN and OUT are given by themselves: texsamp process IN OUT",
    **dict.fromkeys(("-vf", "-filter:v", "-filter_complex"), "--vf"),
    **dict.fromkeys(("-c:v", "-codec:v", "-vcodec"), "--codec"),
    **dict.fromkeys(("-b:v", "-vb"), "--bitrate"),
    **dict.fromkeys(("-frames:v", "-vframes"), "--frames"),
    "-ss": "--start",
    "-t": "--duration",
    "-to": "--duration, from --start on",
    **dict.fromkeys(
        ("-c", "-c:a", "-acodec", "-c:s"), "not needed: sound and subtitles are copied where OUT can hold them"
    ),
    "-crf": "--crf",
    "-preset": "--preset",
    "-tune": "--tune",
    "-g": "--gop",
    "-pix_fmt": "--pix-fmt",
    "-f": "--format of standard output; of files the name tells",
    "-threads": "--threads",
    "-hwaccel": "--hwaccel",
    "-s": "a filter, --vf scale=W:H",
    "-r": "a filter, --vf fps=RATE",
}
"""By FFmpeg's option: what it is in `texsamp process`."""
_VIDEO = ("process", "batch", "compare")
"""Commands that people who know FFmpeg come to with its options."""
_UsageError = cast("type[Any]", typer.BadParameter.__mro__[1])
"""Which Typer does not name."""


@contextmanager
def told_by_ffmpeg_names(given: Iterable[str]) -> Iterator[None]:
    """Add to an error about the arguments what was meant, if they are FFmpeg's or a file in place of a command."""
    try:
        yield
    except _UsageError as error:
        first, *_ = given = list(given)
        if hasattr(error, "option_name") and (first in _VIDEO or first in HERE):
            meant = next((each for each in given if each in HERE and each.startswith(error.option_name)), None)
            hint = meant and f"FFmpeg's {meant}: {HERE[meant]}"
        elif error.message.startswith("No such command") and os.path.isfile(first):
            hint = "for a video: texsamp process IN OUT"
        else:
            hint = None
        if hint:
            error.message += f" ({hint})"
        raise
