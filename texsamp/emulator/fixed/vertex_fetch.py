"""Vertex fetch: from the counts of a draw and vertex buffers to vertices (Sandy Bridge volume 2 part 1, pages 82-118).

Every vertex is fetched once: those that share an index within an instance are one, as in the vertex cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.device.kept import integers
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.fixed.assembly import TOPOLOGIES
from texsamp.emulator.fixed.vertex_stream import VertexStream, cut_stream
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import (
    BufferAccess,
    IndexBuffer,
    Topology,
    VertexBufferState,
    VertexComponent,
    VertexElementState,
)
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.surface.texels import load_texels

MOST_VERTICES = 1 << 22
"""Vertices of all instances of one draw; ours, against hostile counts."""
VERTICES_PER_UNIT = 256
"""Vertices whose fetch takes one unit of the budget."""
_INDEX_32 = 0xFFFFFFFF
_ONE = 0x3F800000
_WIDEST = 65536
"""Texels of a row of `load_texels`."""
_DOUBLE = 64
_INTEGERS = {"uint": np.uint32, "sint": np.int32}


@dataclass(frozen=True)
class FetchState:
    """Vertex buffers by number, elements in order, index buffer (None if none is set)."""

    buffers: Mapping[int, VertexBufferState]
    elements: tuple[VertexElementState, ...]
    index_buffer: IndexBuffer | None = None


@dataclass(frozen=True)
class DrawCounts:
    """What a 3DPRIMITIVE draws, wherever it has it from. indexed: through the index buffer."""

    topology: Topology
    indexed: bool
    vertices: int
    instances: int
    start_vertex: int = 0
    start_instance: int = 0
    base_vertex: int = 0


@dataclass(frozen=True)
class Fetched:
    """elements: uint32 (v, elements, 4), distinct vertices, where they were fetched to.

    edges: bool (v,), their edge flags. stream: rows of both. count: vertices generated, each time they are used.
    """

    elements: Array
    edges: NDArray[np.bool_]
    stream: VertexStream
    count: int


def fetch_vertices(
    memory: CaseMemory, state: FetchState, draw: DrawCounts, budget: Budget, device: Device, *, reuse: bool = True
) -> Fetched:
    """Fetch all vertices of a draw to a device; indices and edge flags are the host's.

    reuse: whether equal indices of an instance share a vertex.

    CaptureError for missing or illegal state, for memory inside a buffer that is not mapped, and for more than
    MOST_VERTICES vertices.
    """
    total = draw.vertices * draw.instances
    if total > MOST_VERTICES:
        raise CaptureError(f"{draw.vertices} vertices in {draw.instances} instances, at most {MOST_VERTICES} together")
    if not total:
        draw = replace(draw, vertices=0, instances=0)
    elements = _valid(state.elements)
    budget.spend(1 + total * (1 + len(elements)) // VERTICES_PER_UNIT)
    every = np.arange(draw.vertices, dtype=np.int64)
    cuts = np.zeros(draw.vertices, np.bool_)
    ids = every
    if draw.indexed:
        ids, cuts = _indices(memory, state.index_buffer, every + draw.start_vertex)
    uses_numbers = any(VertexComponent.STORE_PID in _components(element) for element in elements)
    if draw.indexed and reuse and not uses_numbers:
        distinct, rows = np.unique(ids, return_inverse=True)
    else:
        distinct, rows = ids, every
    per_instance = len(distinct)
    instance = np.repeat(np.arange(draw.instances, dtype=np.int64), per_instance)
    all_rows = (rows[None] + per_instance * np.arange(draw.instances)[:, None]).reshape(-1)
    stream = cut_stream(all_rows, cuts, draw.instances)
    first = draw.base_vertex if draw.indexed else draw.start_vertex
    generated = {
        VertexComponent.STORE_VID: np.tile(distinct, draw.instances),
        VertexComponent.STORE_IID: instance,
    }
    if uses_numbers:
        generated[VertexComponent.STORE_PID] = np.tile(_primitive_numbers(draw.topology, cuts), draw.instances)
    indices = (np.tile(distinct, draw.instances) + first) & _INDEX_32
    made = device.arrays.zeros((len(instance), len(elements), 4), np.uint32)
    edges = np.ones(len(instance), np.bool_)
    for number, element in enumerate(elements):
        source = device.arrays.zeros((len(instance), 4), np.uint32)
        if VertexComponent.STORE_SRC in _components(element):
            places = indices, instance, draw.start_instance
            source = _source(memory, state.buffers, element, number, places, device)
        if element.edge_flag:
            if number != len(elements) - 1:
                raise CaptureError(
                    f"vertex element {number} of {len(elements)} is the edge flag, which is the last one"
                )
            edges = device.download(source[:, 0]) != 0
            return Fetched(made[:, :number], edges, stream, int(np.count_nonzero(~cuts)) * draw.instances)
        for component, control in enumerate(_components(element)):
            made[:, number, component] = _value(control, source[:, component], generated, device)
    return Fetched(made, edges, stream, int(np.count_nonzero(~cuts)) * draw.instances)


def _valid(elements: tuple[VertexElementState, ...]) -> tuple[VertexElementState, ...]:
    """Elements up to the last valid one; CaptureError if there is none, or a hole."""
    valid = tuple(element for element in elements if element.valid)
    if not valid or elements[: len(valid)] != valid:
        raise CaptureError("vertex elements must be valid from the first to the last")
    return valid


def _components(element: VertexElementState) -> tuple[VertexComponent, ...]:
    return (
        VertexComponent(element.component_0), VertexComponent(element.component_1),
        VertexComponent(element.component_2), VertexComponent(element.component_3),
    )  # fmt: skip


def _indices(
    memory: CaseMemory, buffer: IndexBuffer | None, places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Indices at places of the index buffer, 0 behind its end, and which of them cut."""
    if buffer is None:
        raise CaptureError("indexed drawing without 3DSTATE_INDEX_BUFFER")
    size = 1 << int(buffer.index_format)
    found = _gather(memory, buffer.start_address + places * size, size, buffer.end_address, get_device("cpu"))
    ids = found.view(f"<u{size}")[:, 0].astype(np.int64)
    cuts = ids == (1 << 8 * size) - 1 if buffer.cut_index else np.zeros(len(ids), np.bool_)
    return ids, cuts


def _gather(memory: CaseMemory, addresses: NDArray[np.int64], size: int, end: int, device: Device) -> Array:
    """Bytes at addresses, (n, size): zeros unless the last byte is at `end`, inclusive, or before."""
    made: Array = device.arrays.zeros((len(addresses), size), np.uint8)
    inside = np.flatnonzero(addresses + size - 1 <= end)
    if len(inside):
        first, last = int(addresses[inside].min()), int(addresses[inside].max())
        memory.find(first, last + size - first)
        held, places = memory.bytes_on(device, first), addresses[inside] - first
        if device.arrays is np:
            made[inside] = np.lib.stride_tricks.sliding_window_view(held, size)[places]
        elif len(inside) == len(addresses):
            made = held[integers(device, places)[0][:, None] + device.arrays.arange(size)]
        else:
            chosen, places = integers(device, inside, places)
            made[chosen] = held[places[:, None] + device.arrays.arange(size)]
    return made


def _source(
    memory: CaseMemory,
    buffers: Mapping[int, VertexBufferState],
    element: VertexElementState,
    number: int,
    places: tuple[NDArray[np.int64], NDArray[np.int64], int],
    device: Device,
) -> Array:
    """Converted components, (n, 4): 0, 0, 0, 1 where the format has none, zeros beyond the buffer's end.

    places: indices and instances of vertices, the first instance.
    """
    indices, instance, start_instance = places
    info = surface_format(int(element.format))
    if not info.can("vertex"):
        raise CaptureError(f"vertex element {number}: {info.name} is no format of vertices")
    buffer = buffers.get(element.buffer_index)
    if buffer is None:
        raise CaptureError(f"vertex element {number} reads vertex buffer {element.buffer_index}, which is not set")
    if buffer.null_buffer:
        nothing: Array = device.arrays.zeros((len(indices), 4), np.uint32)
        return nothing
    if buffer.access == BufferAccess.INSTANCEDATA:
        steps = instance // buffer.step_rate if buffer.step_rate else np.zeros_like(instance)
        indices = (start_instance + steps) & _INDEX_32
    size = info.bits // 8
    addresses = buffer.start_address + indices * buffer.pitch + element.offset
    distinct, rows = np.unique(addresses, return_inverse=True)
    made = converted(_gather(memory, distinct, size, buffer.end_address, device), info, device)
    beyond = np.flatnonzero(distinct + size - 1 > buffer.end_address)
    if len(beyond):
        made[integers(device, beyond)[0]] = 0
    return made if np.array_equal(rows, np.arange(len(distinct))) else made[integers(device, rows)[0]]


def converted(data: Array, info: SurfaceFormatInfo, device: Device) -> Array:
    """Elements of a format, (n, bytes), as four components of 32 bits, floats or integers by the format, (n, 4).

    The host rounds doubles, wherever they are: bits of a NaN that is rounded differ between processors.
    """
    kinds = [channel.kind for channel in info.channels if channel.kind != "pad"]
    dtype = None if info.channels[0].bits == _DOUBLE else _INTEGERS.get(kinds[0], np.float32)
    made: Array = device.arrays.zeros((len(data), 4), np.uint32)
    made[:, 3] = 1 if kinds[0] in _INTEGERS else _ONE
    if not len(data):
        return made
    width = min(len(data), _WIDEST)
    height = -(-len(data) // width)
    filled = device.arrays.zeros((height * width, data.shape[1]), np.uint8)
    filled[: len(data)] = data
    texels = load_texels(filled.reshape(height, -1), info.name, width, height, dtype=dtype, device=device)
    found = texels.reshape(height * width, -1)[: len(data)]
    if dtype is None:
        with np.errstate(over="ignore", invalid="ignore"):
            found = device.upload(device.download(found).astype(np.float32))
    made[:, : len(kinds)] = found.view(np.uint32)
    return made


def _value(
    control: VertexComponent,
    source: Array,
    generated: Mapping[VertexComponent, NDArray[np.int64]],
    device: Device,
) -> Array | int:
    """What is stored for a component; 0 where nothing is."""
    if control == VertexComponent.STORE_SRC:
        return source
    if control in generated:
        return integers(device, generated[control])[0].astype(np.uint32)
    return {VertexComponent.STORE_1_FP: _ONE, VertexComponent.STORE_1_INT: 1}.get(control, 0)


def _primitive_numbers(topology: Topology, cuts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Primitive id that each vertex of an instance carries (pages 115-117), counted on over cuts."""
    rule = TOPOLOGIES[topology]
    skipped, repeated = rule.number_counters
    places = np.arange(len(cuts))
    last_cut = np.maximum.accumulate(np.where(cuts, places, -1))
    within = places - last_cut - 1
    ended = np.flatnonzero(cuts)
    before = np.concatenate([[0], np.cumsum(rule.counts(np.diff(ended, prepend=-1) - 1))])
    numbers = before[np.cumsum(cuts)] + np.maximum(0, (within - skipped + 1) // (repeated + 1))
    return np.where(cuts, 0, numbers)
