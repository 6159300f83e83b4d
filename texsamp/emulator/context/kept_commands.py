"""What is left of the commands that set state: some change a part of what earlier ones of their class set."""

from __future__ import annotations

from texsamp.state.command import Command
from texsamp.state.commands_3d import StreamOutBuffer, VertexBuffers, VertexBufferState
from texsamp.state.commands_raster import LineStipple
from texsamp.state.commands_sampler import ChromaKey, PaletteLoad
from texsamp.state.decode import RawCommand
from texsamp.state.pixel_state import BlendStatePointers, ColorCalcStatePointers, DepthStencilStatePointers

Kept = Command | RawCommand
_WITH_VALID_BIT = (BlendStatePointers, ColorCalcStatePointers, DepthStencilStatePointers)


def number_of(command: Kept) -> int:
    """Which of several of its class a command sets: an entry, a buffer, a length."""
    if isinstance(command, ChromaKey | StreamOutBuffer):
        return int(command.index)
    return len(command.tail) if isinstance(command, PaletteLoad) else 0


def combined(earlier: Kept | None, command: Kept) -> Kept:
    """One command that sets what both have set, one after the other.

    3DSTATE_VERTEX_BUFFERS changes the buffers that it lists, and their addresses only if it says so;
    3DSTATE_LINE_STIPPLE changes its counters only if it says so; pointers whose valid bit is clear change nothing.
    """
    if isinstance(command, VertexBuffers) and isinstance(earlier, VertexBuffers):
        buffers = {state.index: state for state in _buffers(earlier)}
        for state in _buffers(command):
            buffers[state.index] = _addressed(state, buffers.get(state.index))
        return command.replace(tail=list(buffers.values()))
    if isinstance(command, LineStipple) and isinstance(earlier, LineStipple) and not command.modify_counters:
        return command.replace(current_counter=earlier.current_counter, current_index=earlier.current_index)
    if isinstance(command, _WITH_VALID_BIT) and not command.valid and earlier is not None:
        return earlier
    return command


def _buffers(command: VertexBuffers) -> list[VertexBufferState]:
    return [state for state in command.elements if isinstance(state, VertexBufferState)]


def _addressed(state: VertexBufferState, known: VertexBufferState | None) -> VertexBufferState:
    """A vertex buffer with the addresses it had, where the command does not change them."""
    if known is None or state.address_modify:
        return state
    return state.replace(start_address=known.start_address, end_address=known.end_address)
