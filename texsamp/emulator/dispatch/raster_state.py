"""What the clipper, the setup and the rasterizer go by, as commands and the states they point to say it."""

from __future__ import annotations

from typing import TypeVar

from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.surfaces import read_state
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state import Struct
from texsamp.state.commands_raster import Clip, DrawingRectangle, Multisample, SetupBackend, StripsFans, Windower
from texsamp.state.pixel_state import ScissorPointers, ScissorRect, SfClipViewport, SfClipViewportPointers

_State = TypeVar("_State", bound=Struct)


def raster_state(memory: CaseMemory, context: LogicalContext) -> RasterState:
    """The state of a draw. CaptureError for states that are illegal or not mapped.

    Of viewports and scissors those up to the clipper's last index are read, as far as they are mapped.
    """
    clip = context.latest(Clip)

    def table(pointers: type[SfClipViewportPointers | ScissorPointers], kind: type[_State]) -> tuple[_State, ...]:
        if (pointers.name, 0) not in context.last:
            return (kind(),)
        at, size_B = context.bases.dynamic + context.latest(pointers).pointer, 4 * kind.dwords
        count = min(int(clip.max_viewport_index) + 1, max(memory.extent(at) // size_B, 1))
        return tuple(read_state(memory, kind, at + size_B * n) for n in range(count))

    return RasterState(
        clip=clip,
        strips_fans=context.latest(StripsFans),
        backend=context.latest(SetupBackend),
        windower=context.latest(Windower),
        rectangle=context.latest(DrawingRectangle),
        multisample=context.latest(Multisample),
        viewports=table(SfClipViewportPointers, SfClipViewport),
        scissors=table(ScissorPointers, ScissorRect),
    )
