"""The hardware's vocabulary: every state structure as one class with one line per field.

`Struct.by_name` maps the manual's name to the class once this package is imported.
"""

from texsamp.state import (  # noqa: F401 - registers their structures
    commands_3d,
    commands_common,
    commands_media,
    commands_mi,
    commands_raster,
    commands_sampler,
    data_port,
    gen9,
    pixel_state,
    thread_messages,
)
from texsamp.state.base import Struct
from texsamp.state.color_processing import ColorProcessingState
from texsamp.state.command import Command
from texsamp.state.decode import CommandHeader, RawCommand, command_header, decode_command, opcodes
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.fields import Array, Field
from texsamp.state.formats import SurfaceFormat, SurfaceFormatInfo, media_formats, surface_format, surface_formats
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
from texsamp.state.sampler_messages import SamplerMessageDescriptor, SamplerMessageHeader

__all__ = [
    "Array",
    "BindingTableState",
    "BorderColorState",
    "BorderColorStateDx9",
    "ColorProcessingState",
    "Command",
    "CommandHeader",
    "DeinterlaceSamplerState",
    "Field",
    "MediaSurfaceFormat",
    "MediaSurfaceState",
    "MediaTileMode",
    "MemoryObjectControlState",
    "PictureStructure",
    "RawCommand",
    "RenderSurfaceState",
    "Sample8x8SamplerState",
    "Sampler8x8State",
    "SamplerMessageDescriptor",
    "SamplerMessageHeader",
    "SamplerState",
    "Struct",
    "SurfaceFormat",
    "SurfaceFormatInfo",
    "SurfaceType",
    "command_header",
    "decode_command",
    "media_formats",
    "opcodes",
    "preset",
    "preset_names",
    "presets",
    "surface_format",
    "surface_formats",
]
