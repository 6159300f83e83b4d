"""Stream-out: vertices of whole objects into buffers (seed 004:2043-2529; volume 1 part 3, pages 107-109)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.registers import SO_PRIMS_WRITTEN, SO_STORAGE_NEEDED, SO_WRITE_OFFSET, Registers
from texsamp.state.commands_3d import StreamOut, StreamOutBuffer, StreamOutDeclarations

BUFFERS = 4
_DWORD_B, _WIDE_B = 4, 8
_COMPONENTS = 4
_SLOTS_OF_A_UNIT = 2


@dataclass(frozen=True)
class StreamOutState:
    """The stage, buffers by number, and declarations."""

    command: StreamOut
    buffers: Mapping[int, StreamOutBuffer]
    declarations: StreamOutDeclarations


@dataclass(frozen=True)
class Streamed:
    """Vertices of a stream, uint32 (v, slots, 4), where they were made, and its objects' rows of them in order.

    corners: int64 (n, corners), likewise or the host's.
    """

    vertices: Array
    corners: Array


@dataclass(frozen=True)
class _Declaration:
    """Dwords of a vertex: from `components` of `slot`, to `place` dwords behind the vertex' beginning in a buffer."""

    buffer: int
    place: int
    slot: int
    components: tuple[int, ...]


def stream_out(
    memory: CaseMemory, registers: Registers, state: StreamOutState, streams: Mapping[int, Streamed], device: Device
) -> None:
    """Write what the declarations say of every stream where a device's arrays are, advance write offsets, and count.

    An object is written as a whole or not at all: of the first one on that does not fit into every buffer of its stream
    (a buffer that is off or has no pitch holds none), none is written. CaptureError for buffers that are not mapped.
    """
    for number, stream in sorted(streams.items()):
        objects, corners = stream.corners.shape
        selected = [n for n in range(BUFFERS) if state.declarations.buffer_selects[number] >> n & 1]
        fitting = min((_room(registers, state, n, corners) for n in selected), default=0)
        written = min(objects, fitting)
        if state.command.statistics:
            registers.count(SO_STORAGE_NEEDED + _WIDE_B * number, objects)
            registers.count(SO_PRIMS_WRITTEN + _WIDE_B * number, written)
        if not written:
            continue
        first = _SLOTS_OF_A_UNIT * int(state.command.read_offset[number])
        read = stream.vertices[:, first : first + _SLOTS_OF_A_UNIT * int(state.command.read_length[number])]
        rows = device.upload(stream.corners[:written].reshape(-1))
        for declaration in _declarations(state.declarations, number):
            if declaration.buffer in selected:
                _write(memory, registers, state.buffers[declaration.buffer], declaration, device, read, rows)
        for n in selected:
            offset = registers.read(SO_WRITE_OFFSET + _DWORD_B * n)
            registers.write(SO_WRITE_OFFSET + _DWORD_B * n, offset + len(rows) * state.buffers[n].pitch)


def _room(registers: Registers, state: StreamOutState, number: int, corners: int) -> int:
    """Whole objects that still fit into a buffer."""
    buffer = state.buffers.get(number)
    if buffer is None or not buffer.pitch or not state.command.buffers[number]:
        return 0
    free = buffer.end_address - buffer.base_address - registers.read(SO_WRITE_OFFSET + _DWORD_B * number)
    return max(0, free) // (corners * buffer.pitch)


def _declarations(command: StreamOutDeclarations, stream: int) -> list[_Declaration]:
    """What a stream's vertices leave, without the holes."""
    found, filled = [], [0] * BUFFERS
    for n in range(int(command.entries[stream])):
        if _SLOTS_OF_A_UNIT * n + stream // 2 >= len(command.tail):
            break
        word = command.tail[2 * n + stream // 2] >> 16 * (stream % 2)
        buffer, hole, slot, mask = word >> 12 & 3, word >> 11 & 1, word >> 4 & 63, word & 15
        components = tuple(c for c in range(_COMPONENTS) if mask >> c & 1)
        if components and not hole:
            found.append(_Declaration(buffer, filled[buffer], slot, components))
        filled[buffer] += len(components)
    return found


def _write(
    memory: CaseMemory,
    registers: Registers,
    buffer: StreamOutBuffer,
    declaration: _Declaration,
    device: Device,
    read: Array,
    rows: Array,
) -> None:
    """One declaration of all vertices; slots that were not read are 0.

    Where one vertex reaches into the next, the later one stays: all but the last keep what a pitch has room for.
    """
    start = buffer.base_address + registers.read(SO_WRITE_OFFSET + _DWORD_B * int(buffer.index))
    start += _DWORD_B * declaration.place
    size = (len(rows) - 1) * buffer.pitch + _DWORD_B * len(declaration.components)
    found = memory.find(start, size)
    values = device.arrays.zeros((len(rows), len(declaration.components)), np.uint32)
    if declaration.slot < read.shape[1]:
        slots = read[rows, declaration.slot]
        for number, component in enumerate(declaration.components):
            values[:, number] = slots[:, component]
    data = values.view(np.uint8)
    held, end, each = memory.bytes_on(device, start), (len(rows) - 1) * buffer.pitch, min(data.shape[1], buffer.pitch)
    held[:end].reshape(len(rows) - 1, buffer.pitch)[:, :each] = data[:-1, :each]
    held[end : end + data.shape[1]] = data[-1]
    memory.touch(found, device)
