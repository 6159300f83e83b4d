"""What the output merger goes by, as commands and the states they point to say it."""

from __future__ import annotations

from typing import TypeVar

from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.surfaces import read_state
from texsamp.emulator.fixed.fragments import MergeState
from texsamp.state import Struct
from texsamp.state.commands_raster import (
    ClearParameters,
    Clip,
    DepthBuffer,
    DepthSurfaceType,
    Multisample,
    PixelShader,
    SampleMask,
    StencilBuffer,
    Windower,
)
from texsamp.state.pixel_state import (
    BlendState,
    BlendStatePointers,
    CcViewport,
    CcViewportPointers,
    ColorCalcState,
    ColorCalcStatePointers,
    DepthStencilState,
    DepthStencilStatePointers,
    ScissorPointers,
    SfClipViewportPointers,
)
from texsamp.state.render_surface import SampleCount

_BLEND_STATES = 8
_SAMPLES = {SampleCount.COUNT_1: 1, SampleCount.COUNT_4: 4, SampleCount.COUNT_8: 8}
_State = TypeVar("_State", bound=Struct)
Pointers = (
    type[BlendStatePointers]
    | type[CcViewportPointers]
    | type[ColorCalcStatePointers]
    | type[DepthStencilStatePointers]
    | type[ScissorPointers]
    | type[SfClipViewportPointers]
)


def table(
    memory: CaseMemory, context: LogicalContext, pointers: Pointers, structure: type[_State], count: int
) -> tuple[_State, ...]:
    """Up to `count` states that a command points to, those that are mapped; of defaults if no command ever did.

    CaptureError for states that are illegal, and if the first is not mapped.
    """
    if (pointers.name, 0) not in context.last:
        return (structure(),) * count
    at = context.bases.dynamic + context.latest(pointers).pointer
    mapped = min(count, max(memory.extent(at) // (4 * structure.dwords), 1))
    return tuple(read_state(memory, structure, at + 4 * structure.dwords * n) for n in range(mapped))


def merge_state(memory: CaseMemory, context: LogicalContext) -> MergeState:
    """The state of a draw, but for its targets; CaptureError for states that are illegal or not mapped."""
    depth, stencil = context.latest(DepthBuffer), context.latest(StencilBuffer)
    has_depth = (depth.name, 0) in context.last and depth.surface_type != DepthSurfaceType.SURFTYPE_NULL
    clear = context.latest(ClearParameters).depth if context.latest(Windower).depth_clear else None
    last_viewport = context.latest(Clip).max_viewport_index
    return MergeState(
        depth_stencil=table(memory, context, DepthStencilStatePointers, DepthStencilState, 1)[0],
        color_calc=table(memory, context, ColorCalcStatePointers, ColorCalcState, 1)[0],
        blends=table(memory, context, BlendStatePointers, BlendState, _BLEND_STATES),
        viewports=table(memory, context, CcViewportPointers, CcViewport, last_viewport + 1),
        depth_buffer=depth if has_depth else None,
        stencil_buffer=stencil if stencil.base_address else None,
        samples=samples_of(context),
        sample_mask=sample_mask(context),
        clear_depth=clear,
        fast_clear=bool(context.latest(PixelShader).fast_clear),
    )


def sample_mask(context: LogicalContext) -> int:
    """Samples that are drawn; the first if there was no 3DSTATE_SAMPLE_MASK."""
    return context.latest(SampleMask).mask if (SampleMask.name, 0) in context.last else 1


def samples_of(context: LogicalContext) -> int:
    """Samples of a pixel."""
    return _SAMPLES[SampleCount(context.latest(Multisample).samples)]
