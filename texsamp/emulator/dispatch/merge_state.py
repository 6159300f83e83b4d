"""What the output merger goes by, as commands and the states they point to say it."""

from __future__ import annotations

from collections import defaultdict
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

_SAMPLES = {SampleCount.COUNT_1: 1, SampleCount.COUNT_4: 4, SampleCount.COUNT_8: 8}
_State = TypeVar("_State", bound=Struct)
Pointers = (
    type[CcViewportPointers]
    | type[ColorCalcStatePointers]
    | type[DepthStencilStatePointers]
    | type[ScissorPointers]
    | type[SfClipViewportPointers]
)


def table(
    memory: CaseMemory,
    context: LogicalContext,
    pointers: Pointers,
    structure: type[_State],
    count: int,
    *,
    used: bool = True,
) -> tuple[_State, ...]:
    """Up to `count` states that a command points to, those that are mapped; of defaults without one, or if not used.

    CaptureError for states that are illegal, and if the first is not mapped.
    """
    if not used or (pointers.name, 0) not in context.last:
        return (structure(),) * count
    at = context.bases.dynamic + context.latest(pointers).pointer
    mapped = min(count, max(memory.extent(at) // (4 * structure.dwords), 1))
    return tuple(read_state(memory, structure, at + 4 * structure.dwords * n) for n in range(mapped))


class _Blends(dict[int, BlendState]):
    """Blend states by render target, each read when it is drawn to: drivers write those of their targets alone."""

    def __init__(self, memory: CaseMemory, context: LogicalContext) -> None:
        super().__init__()
        self._memory = memory
        self._at = context.bases.dynamic + context.latest(BlendStatePointers).pointer

    def __missing__(self, target: int) -> BlendState:
        start = 4 * BlendState.dwords * target
        is_mapped = not target or start < self._memory.extent(self._at)
        self[target] = read_state(self._memory, BlendState, self._at + start) if is_mapped else BlendState()
        return self[target]


def merge_state(memory: CaseMemory, context: LogicalContext) -> MergeState:
    """The state of a draw, but for its targets; CaptureError for states that are illegal or not mapped."""
    depth, stencil = context.latest(DepthBuffer), context.latest(StencilBuffer)
    has_depth = (depth.name, 0) in context.last and depth.surface_type != DepthSurfaceType.SURFTYPE_NULL
    clear = context.latest(ClearParameters).depth if context.latest(Windower).depth_clear else None
    last_viewport = context.latest(Clip).max_viewport_index
    return MergeState(
        depth_stencil=table(memory, context, DepthStencilStatePointers, DepthStencilState, 1)[0],
        color_calc=table(memory, context, ColorCalcStatePointers, ColorCalcState, 1)[0],
        blends=_Blends(memory, context) if (BlendStatePointers.name, 0) in context.last else defaultdict(BlendState),
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
