"""What a writer would make of its first frame and of the input's other streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from texsamp.io.input.stream_info import StreamInfo

READER_LEFT = "the reader of the pipe has gone away"
"""What ends a run whose output nobody takes any more."""


@dataclass(frozen=True)
class StreamFate:
    """One stream of the input: its index, kind ("audio", ...), codec, and what becomes of it."""

    index: int
    kind: str
    codec: str
    fate: str


@dataclass(frozen=True)
class OutputPlan:
    """The file that would be written: FFmpeg's names of container, encoder and pixel format, and the encoder's options.

    ``frame_rate`` is in frames per second.
    """

    path: str
    container: str
    codec: str
    pix_fmt: str
    width_px: int
    height_px: int
    frame_rate: Fraction
    options: Mapping[str, str] = field(default_factory=dict)
    streams: tuple[StreamFate, ...] = ()


def stream_fates(info: StreamInfo | None, fates: Mapping[int, str]) -> tuple[StreamFate, ...]:
    """What becomes of every stream of an input: ``fates`` by index, dropped without one; the video is processed."""
    if info is None:
        return ()
    fates = {**fates, info.video_index: "processed"}
    return tuple(StreamFate(s.index, s.kind, s.codec, fates.get(s.index, "dropped")) for s in info.streams)
