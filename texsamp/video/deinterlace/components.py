"""U and V as pictures of their own, which are deinterlaced as gray ones are; and frames with a plane for each."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.conversion import convert
from texsamp.video.frame import Frame

_PLANAR = {
    **dict.fromkeys(("nv12", "nv21"), "yuv420p"),
    **dict.fromkeys(("yuyv422", "yvyu422", "uyvy422", "vyuy422"), "yuv422p"),
    "p010le": "yuv420p10le",
}


def planar(frame: Frame) -> Frame:
    """The same picture with a plane for each component, whose samples are read in half of the time."""
    layout = _PLANAR.get(frame.layout.name)
    return frame if layout is None else convert(frame, layout).told(denoise_history=frame.denoise_history)


def chroma_names(layout: PixelLayout) -> tuple[str, ...]:
    """The components but Y."""
    return tuple(name for name in layout.components if name != "Y")


def as_gray(frame: Frame, name: str) -> Frame:
    """One component of a frame as the luma of a gray frame, which shares its memory; the same one each time."""
    key = f"{name} as gray"
    known: Frame | None = frame.described.get(key)
    if known is None:
        width, height = frame.layout.component_size(name, frame.width_px, frame.height_px)
        plane = frame.planes[frame.layout.components[name].plane]
        known = frame.like(width, height, [plane], _gray_layout(frame.layout, name))
        frame.described[key] = known
    return known


@lru_cache
def _gray_layout(layout: PixelLayout, name: str) -> PixelLayout:
    luma = replace(layout.components[name], plane=0)
    return PixelLayout(f"{name} of {layout.name}", "gray", {"Y": luma}, layout.dtype)
