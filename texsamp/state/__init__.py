"""The hardware's vocabulary: every state structure as one class with one line per field."""

from texsamp.state.base import Struct
from texsamp.state.fields import Array, Field
from texsamp.state.media_surface import MediaSurfaceFormat, MediaSurfaceState, MediaTileMode, PictureStructure
from texsamp.state.sample_8x8 import Sample8x8SamplerState, Sampler8x8State

__all__ = [
    "Array",
    "Field",
    "MediaSurfaceFormat",
    "MediaSurfaceState",
    "MediaTileMode",
    "PictureStructure",
    "Sample8x8SamplerState",
    "Sampler8x8State",
    "Struct",
]
