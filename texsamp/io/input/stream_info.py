"""What is known about an input before its frames are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from texsamp.video.frame import ColorTags


@dataclass(frozen=True)
class StreamSummary:
    """One stream of a container: its index, kind ("video", "audio", ...), codec and language."""

    index: int
    kind: str
    codec: str
    language: str | None = None


@dataclass(frozen=True)
class StreamInfo:
    """The video stream that is read, and its container. Times are in seconds; None means unknown.

    ``pix_fmt`` is the format as stored, before any conversion. ``start_s`` is the time of the container's first sample.
    ``field_order`` is "progressive", "tff", "bff" or "unknown", for the stream as a whole.
    """

    path: str
    container: str
    codec: str
    pix_fmt: str
    width_px: int
    height_px: int
    video_index: int = 0
    frame_rate: Fraction | None = None
    time_base: Fraction | None = None
    start_s: Fraction = Fraction(0)
    duration_s: Fraction | None = None
    frame_count: int | None = None
    sample_aspect: Fraction | None = None
    field_order: str = "unknown"
    color: ColorTags = field(default_factory=ColorTags)
    streams: tuple[StreamSummary, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    chapters: tuple[dict[str, Any], ...] = ()

    def whole_from_s(self, first_s: Fraction) -> Fraction:
        """Zero of an output of the whole, whose first picture is at ``first_s``.

        That is the first sample's time; but 0 where it is only sound to prime its decoder that comes before 0.
        """
        return self.start_s if first_s < 0 else max(self.start_s, Fraction(0))
