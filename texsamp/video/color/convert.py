"""`ConvertColor`: another matrix, range or pixel format (seed 003:6774-6814)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout
from texsamp.video.color.matrices import KR_KB, ColorSpace, conversion, tagged_matrix, usual_matrix
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.pipe import run_pipe
from texsamp.video.frame import Frame
from texsamp.video.options import Choice, Kinds, check
from texsamp.video.scale.chroma import doubling, full_chroma
from texsamp.video.stage import Stage

KINDS: Kinds = {
    "matrix": Choice(("keep", *KR_KB)),
    "range": Choice(("keep", "full", "limited")),
    "format": Choice(("keep", *PIXEL_LAYOUTS)),
    "in_matrix": Choice(("auto", *KR_KB)),
    "in_range": Choice(("auto", "full", "limited")),
    "chroma": Choice(("interpolated", "repeated")),
}
"""What options may be."""
_TAG_OF = {"bt601": 6, "bt709": 1, "bt2020": 9, "smpte240m": 7}
_RGB_TAG = 0


@lru_cache(maxsize=32)  # as every frame of a video asks for the same
def _blocks(source: ColorSpace, target: ColorSpace) -> ColorBlocks:
    return ColorBlocks(matrix=conversion(source, target))


class ConvertColor(Stage):
    """Frames with another matrix, range or pixel format; the primaries and the transfer curve stay.

    ``matrix`` ("keep", or a name in `KR_KB`) and ``range`` ("keep", "full", "limited") are those of YUV results;
    ``format`` is a pixel layout or "keep". What a frame is follows from its tags, or from ``in_matrix`` and
    ``in_range``; untagged YUV is taken as limited, BT.709 from 720 rows on and BT.601 below, and untagged RGB as full
    range. RGB results have the full range unless limited is asked for. ``notes`` says what was guessed. ``chroma`` of
    4:2:0 and 4:2:2 is "interpolated" where the result is RGB, or "repeated", as the hardware's pipe does and as YUV
    results are made: so they can be undone.

    Raises StateError for a word that is not legal.
    """

    def __init__(
        self,
        matrix: str = "keep",
        range: str = "keep",
        format: str = "keep",
        in_matrix: str = "auto",
        in_range: str = "auto",
        chroma: str = "interpolated",
    ) -> None:
        check("csc", KINDS, matrix=matrix, range=range, format=format, chroma=chroma)
        check("csc", KINDS, in_matrix=in_matrix, in_range=in_range)
        self.matrix, self.range, self.format = matrix, range, format
        self.in_matrix, self.in_range = in_matrix, in_range
        self.chroma = chroma

    def _source(self, frame: Frame) -> ColorSpace:
        layout, tags = frame.layout, frame.color
        bits = layout.bits
        if layout.model == "rgb":
            full = tags.full_range is not False if self.in_range == "auto" else self.in_range == "full"
            return ColorSpace(None, full, bits)
        full = bool(tags.full_range) if self.in_range == "auto" else self.in_range == "full"
        matrix = self.in_matrix
        if matrix == "auto":
            matrix, guessed = tagged_matrix(frame)
            if guessed:
                self.note(f"csc: {guessed}")
        return ColorSpace(matrix, full, bits)

    def _target(self, source: ColorSpace, layout: PixelLayout, rows: int) -> ColorSpace:
        if layout.model == "rgb":
            kept = source.full_range if source.matrix is None else True
            return ColorSpace(None, kept if self.range == "keep" else self.range == "full", layout.bits)
        kept = False if source.matrix is None else source.full_range
        full = kept if self.range == "keep" else self.range == "full"
        if self.matrix != "keep":
            return ColorSpace(self.matrix, full, layout.bits)
        if source.matrix is not None:
            return ColorSpace(source.matrix, full, layout.bits)
        matrix = usual_matrix(rows)
        self.note(f"csc: no matrix is asked for: {matrix} is written for {rows} rows")
        return ColorSpace(matrix, full, layout.bits)

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with samples and tags of the wanted meaning."""
        layout = frame.layout if self.format == "keep" else PIXEL_LAYOUTS[self.format]
        source = self._source(frame)
        target = self._target(source, layout, frame.height_px)
        tags = replace(
            frame.color,
            matrix=_RGB_TAG if target.matrix is None else _TAG_OF[target.matrix],
            full_range=target.full_range,
        )
        if (source, layout) == (target, frame.layout):
            yield frame.with_color(tags)
            return
        interpolate = self.chroma == "interpolated" and layout.model == "rgb" and frame.layout.log2_chroma_width
        doubled = doubling(frame, layout) if interpolate else None
        chroma = full_chroma(frame) if interpolate and doubled is None else None
        yield run_pipe(frame, _blocks(source, target), layout, tags, full_chroma=chroma, doubled=doubled)
