"""The hardware's vocabulary: every state structure as one class with one line per field.

What most users need is imported here. Commands and their decoding are in `texsamp.state.decode` and the `commands_*`
modules, everything by name in `texsamp.state.registry`.
"""

from texsamp.state.base import Struct
from texsamp.state.color_processing import ColorProcessingState
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.fields import Array, Field
from texsamp.state.formats import (
    SurfaceFormat,
    SurfaceFormatInfo,
    later_surface_formats,
    media_formats,
    surface_format,
    surface_formats,
)
from texsamp.state.media_surface import MediaSurfaceFormat, MediaSurfaceState, MediaTileMode, PictureStructure
from texsamp.state.presets import preset, preset_names, presets
from texsamp.state.render_surface import (
    BindingTableState,
    MemoryObjectControlState,
    RenderSurfaceState,
    SurfaceType,
)
from texsamp.state.sample_8x8 import Sample8x8SamplerState, Sampler8x8State
from texsamp.state.sampler import BorderColorState, BorderColorStateDx9, SamplerState

__all__ = [
    "Array",
    "BindingTableState",
    "BorderColorState",
    "BorderColorStateDx9",
    "ColorProcessingState",
    "DeinterlaceSamplerState",
    "Field",
    "MediaSurfaceFormat",
    "MediaSurfaceState",
    "MediaTileMode",
    "MemoryObjectControlState",
    "PictureStructure",
    "RenderSurfaceState",
    "Sample8x8SamplerState",
    "Sampler8x8State",
    "SamplerState",
    "Struct",
    "SurfaceFormat",
    "SurfaceFormatInfo",
    "SurfaceType",
    "later_surface_formats",
    "media_formats",
    "preset",
    "preset_names",
    "presets",
    "surface_format",
    "surface_formats",
]
