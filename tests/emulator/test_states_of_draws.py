"""State that draws point to: only what they go by is read, as drivers leave pointers to memory that others use now."""

import pytest
from support.captures import buffer, capture_bytes

from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.merge_state import merge_state
from texsamp.emulator.dispatch.raster_state import raster_state
from texsamp.emulator.files.capture import Capture
from texsamp.errors import CaptureError
from texsamp.state.commands_raster import Clip, StripsFans
from texsamp.state.pixel_state import (
    BlendFactor,
    BlendState,
    BlendStatePointers,
    ScissorPointers,
    ScissorRect,
    SfClipViewport,
    SfClipViewportPointers,
)

STATES, VIEWPORTS = 0x10000, 0x400
ILLEGAL = b"\xff"
CONSTANT_COLOR = BlendState(source_factor=BlendFactor.CONST_COLOR)


def drawn(*commands, blends=b"", viewports=b""):
    """Memory that is illegal as a state but for blend states and viewports, and a context with these commands."""
    states = bytearray(ILLEGAL * 0x1000)
    states[: len(blends)] = blends
    states[VIEWPORTS : VIEWPORTS + len(viewports)] = viewports
    memory, context = CaseMemory(), LogicalContext()
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, STATES, bytes(states))), "a draw"))
    context.bases.dynamic = STATES
    for command in commands:
        context.keep(command)
    return memory, context


def test_blend_states_are_read_for_targets_that_are_drawn_to():
    memory, context = drawn(
        BlendStatePointers(pointer=0, valid=True), blends=BlendState().pack() + CONSTANT_COLOR.pack()
    )
    blends = merge_state(memory, context).blends
    assert (blends[1], blends[0]) == (CONSTANT_COLOR, BlendState())
    with pytest.raises(CaptureError, match="BLEND_STATE at 0x10010: BLEND_STATE"):
        blends[2]


def test_blend_states_beyond_their_buffer_are_those_that_no_command_set():
    memory, context = drawn(BlendStatePointers(pointer=0xFC0, valid=True))
    assert merge_state(memory, context).blends[8 * 7] == BlendState()
    assert merge_state(*drawn()).blends[3] == BlendState()


@pytest.mark.parametrize("uses", [StripsFans(viewport_transform=True), Clip(enable=True)])
def test_viewports_are_read_where_something_goes_by_them(uses):
    pointers = SfClipViewportPointers(pointer=VIEWPORTS)
    viewport = SfClipViewport(m00=2.0)
    assert raster_state(*drawn(pointers)).viewports == (SfClipViewport(),)
    assert raster_state(*drawn(pointers, uses, viewports=viewport.pack())).viewports == (viewport,)
    with pytest.raises(CaptureError, match="SF_CLIP_VIEWPORT at 0x10400"):
        raster_state(*drawn(pointers, uses))


def test_scissors_are_read_where_they_are_enabled():
    pointers, uses = ScissorPointers(pointer=VIEWPORTS), StripsFans(scissor_enable=True)
    scissor = ScissorRect(right=7)
    assert raster_state(*drawn(pointers)).scissors == (ScissorRect(),)
    assert raster_state(*drawn(pointers, uses, viewports=scissor.pack())).scissors == (scissor,)
