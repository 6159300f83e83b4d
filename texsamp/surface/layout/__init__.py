"""Surface layout: where texel (x, y) of a level, slice and sample lies, for every kind of surface."""

from texsamp.surface.layout.description import MipLayout, SurfaceDescription, Usage
from texsamp.surface.layout.multisample import (
    MCS_CLEAR,
    interleave,
    mcs_description,
    pack_mcs,
    sample_slice,
    uninterleave,
)
from texsamp.surface.layout.placement import Level
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.layout.view import SurfaceView

__all__ = [
    "MCS_CLEAR",
    "Level",
    "MipLayout",
    "SurfaceDescription",
    "SurfaceLayout",
    "SurfaceView",
    "Usage",
    "interleave",
    "mcs_description",
    "pack_mcs",
    "sample_slice",
    "uninterleave",
]
