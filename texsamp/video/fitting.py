"""What a pipeline converts frames to before filters that do not take them as they are."""

from __future__ import annotations

from texsamp.surface.pixel_layout import PixelLayout, pixel_layout

_WIDE = {(0, 0): pixel_layout("yuv444p10le"), (1, 0): pixel_layout("yuv422p10le")}
_NARROW = pixel_layout("yuv422p")


def as_it_is(layout: PixelLayout) -> PixelLayout:
    """The layout itself."""
    return layout


def with_luma(layout: PixelLayout) -> PixelLayout:
    """4:4:4 for RGB, in 10 bits, so that 8 bits come back nearly as they were; a pipeline keeps the alpha meanwhile."""
    return _WIDE[0, 0] if layout.model == "rgb" else layout


def with_halved_chroma(layout: PixelLayout) -> PixelLayout:
    """The same, but 4:2:2 for it and for 4:4:4."""
    found = with_luma(layout)
    if found.model != "yuv" or found.log2_chroma_width:
        return found
    return _NARROW if found.bits == 8 else _WIDE[1, 0]
