"""Containers as FFmpeg opens them, and what is in them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

import av
from av.codec.hwaccel import HWAccel
from av.stream import Stream

from texsamp.errors import MediaError
from texsamp.io.files.ffmpeg_log import captured_log, failure_reason
from texsamp.io.files.pipe_input import PipeInput

_ATTACHED_PICTURE = 1024
"""FFmpeg's AV_DISPOSITION_ATTACHED_PIC: a cover image, not a video."""

INDEX_FIRST = "; an mp4 from a pipe needs its index first (FFmpeg: -movflags faststart)"
"""What to say to an mp4 whose index comes last, as it mostly does."""

TAGS_ONLY = {"codec_whitelist": "none", "analyzeduration": "1"}
"""Options of `open_container` where no decoder is needed, which takes most of the time with its first picture."""


def url_of(path: str) -> str:
    """The path as FFmpeg takes it: a colon in a file name is not a protocol."""
    return path if "://" in path else f"file:{path}"


def open_container(
    path: str,
    options: dict[str, str] | None = None,
    hwaccel: HWAccel | None = None,
    stream_options: list[dict[str, str]] | None = None,
) -> av.container.InputContainer:
    """Open an input file, with options of its demuxer and a device to decode on. Raises MediaError naming it.

    ``stream_options`` are options for the decoders of a first look at each stream, of a container that begins with a
    list of them.
    """
    if os.path.isdir(path):
        raise MediaError(f"{path}: is a directory")
    try:
        return av.open(
            url_of(path),
            options=options or {},
            stream_options=stream_options,  # type: ignore[arg-type]  # PyAV takes dicts, whatever its stubs say
            metadata_errors="replace",
            hwaccel=hwaccel,
        )
    except FileNotFoundError as error:
        raise MediaError(f"{path}: no such file") from error
    except (av.FFmpegError, OSError, ValueError) as error:
        if os.path.isfile(path) and not os.path.getsize(path):
            raise MediaError(f"{path}: the file is empty") from error
        raise MediaError(f"{path}: cannot be opened: {failure_reason(error, complaints_about(path))}") from error


def open_pipe(pipe: PipeInput) -> av.container.InputContainer:
    """Open what comes through a pipe; it is read only once. Raises MediaError naming it."""
    if not pipe.peek(1):
        raise MediaError(f"{pipe.name}: ended before its first byte")
    failure: Exception | None = None
    with captured_log(av.logging.ERROR) as log:
        try:
            container = av.open(cast(BinaryIO, pipe), "r", metadata_errors="replace")
        except (av.FFmpegError, OSError, ValueError) as error:
            failure = error
    if pipe.interruption is not None:
        raise pipe.interruption
    if failure is not None:
        reason = failure_reason(failure, log)
        raise MediaError(
            f"{pipe.name}: cannot be opened: {reason}{INDEX_FIRST if 'moov atom' in reason else ''}"
        ) from failure
    return container


def complaints_about(path: str) -> list[str]:
    """FFmpeg's words about a file that is no good: it is opened again with the log on, which would slow down others."""
    with captured_log(av.logging.ERROR) as log, contextlib.suppress(av.FFmpegError, OSError, ValueError):
        av.open(url_of(path)).close()
    return log


def is_cover(stream: Stream) -> bool:
    """Whether a stream is a cover picture."""
    return bool(int(stream.disposition) & _ATTACHED_PICTURE)


def codec_of(stream: Stream) -> str:
    """FFmpeg's name of a stream's codec, "none" if it has none."""
    context = cast(av.CodecContext | None, stream.codec_context)  # None without a decoder, whatever the stubs say
    return str(getattr(stream, "name", None) or "none") if context is None else context.codec.canonical_name


def lost_alpha(container: av.container.InputContainer, stream: av.video.stream.VideoStream) -> str | None:
    """What people should know about an alpha channel that lies beside the pictures, where no decoder reads it."""
    tags = {key.lower(): value for key, value in stream.metadata.items()}
    form = stream.codec_context.format
    if tags.get("alpha_mode") == "1" and form is not None and not any(c.is_alpha for c in form.components):
        return f"alpha is dropped: FFmpeg's {codec_of(stream)} decoder does not read it"
    is_avif = container.metadata.get("major_brand") in ("avif", "avis")
    if is_avif and any(s.metadata.get("title") == "Alpha" for s in container.streams.video):
        return "alpha is dropped: it is a stream of its own"
    return None


def video_stream(container: av.container.InputContainer, path: str) -> av.video.stream.VideoStream:
    """The video stream to read: FFmpeg's best one that is no cover. Raises MediaError if there is none."""
    candidates = [s for s in container.streams.video if not is_cover(s)]
    if not candidates:
        kinds = ", ".join(sorted({"cover picture" if is_cover(s) else s.type for s in container.streams})) or "nothing"
        raise MediaError(f"{path}: no video stream (found {kinds})")
    best = container.streams.best("video")
    chosen = next((s for s in candidates if best is not None and s.index == best.index), candidates[0])
    if chosen.codec_context is None:
        raise MediaError(f"{path}: FFmpeg has no decoder for its video stream")
    return chosen


def packets_of(container: av.container.InputContainer, *streams: Stream) -> Iterator[av.Packet[Any]]:
    """Packets of these streams, or of all, and an empty one at the end of each.

    Streams that begin where nothing was known of them yet, as a second sound does in a broadcast, are left out.
    """
    packets = container.demux(*streams)
    while True:
        try:
            packet = next(packets)
        except (StopIteration, IndexError):  # PyAV may end such streams, too, behind all others, and knows none
            return
        yield packet
