"""What the clipper, the setup and the rasterizer go by, as commands and the states they point to say it."""

from __future__ import annotations

from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.merge_state import sample_mask, table
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_raster import (
    Clip,
    DrawingRectangle,
    LineAntialiasing,
    LineStipple,
    Multisample,
    PolyStippleOffset,
    PolyStipplePattern,
    SetupBackend,
    StripsFans,
    Windower,
)
from texsamp.state.pixel_state import ScissorPointers, ScissorRect, SfClipViewport, SfClipViewportPointers


def raster_state(memory: CaseMemory, context: LogicalContext) -> RasterState:
    """The state of a draw. CaptureError for states that are illegal or not mapped.

    Of viewports and scissors those up to the clipper's last index are read, as far as they are mapped, if anything goes
    by them: drivers' copies and clears leave pointers as they were, to memory that is used for something else.
    """
    clip, strips_fans = context.latest(Clip), context.latest(StripsFans)
    count = clip.max_viewport_index + 1
    by_viewports = bool(strips_fans.viewport_transform or clip.enable)
    return RasterState(
        clip=clip,
        strips_fans=strips_fans,
        backend=context.latest(SetupBackend),
        windower=context.latest(Windower),
        rectangle=context.latest(DrawingRectangle),
        multisample=context.latest(Multisample),
        viewports=table(memory, context, SfClipViewportPointers, SfClipViewport, count, used=by_viewports),
        scissors=table(memory, context, ScissorPointers, ScissorRect, count, used=bool(strips_fans.scissor_enable)),
        line_stipple=context.latest(LineStipple),
        line_antialiasing=context.latest(LineAntialiasing),
        stipple_offset=context.latest(PolyStippleOffset),
        stipple_pattern=context.latest(PolyStipplePattern),
        sample_mask=sample_mask(context),
    )
