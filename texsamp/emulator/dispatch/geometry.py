"""The vertex side of a draw: from 3DPRIMITIVE to primitives for the clipper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import get_device
from texsamp.device.base import Array
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.registers import PRIMITIVE_REGISTERS, Counter
from texsamp.emulator.dispatch.geometry_stage import run_geometry
from texsamp.emulator.dispatch.runner import Dispatch, Runner, together
from texsamp.emulator.dispatch.tessellation import is_on, tessellate_patches
from texsamp.emulator.dispatch.vertex_stage import shade_vertices
from texsamp.emulator.fixed.assembly import Objects, assemble, drawn, primitives
from texsamp.emulator.fixed.primitives import Primitives
from texsamp.emulator.fixed.stream_out import Streamed, StreamOutState, stream_out
from texsamp.emulator.fixed.vertex_fetch import DrawCounts, FetchState, fetch_vertices
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import (
    GeometryShader,
    IndexBuffer,
    Primitive,
    ReorderMode,
    StreamOut,
    StreamOutBuffer,
    StreamOutDeclarations,
    Topology,
    VertexAccess,
    VertexBuffers,
    VertexBufferState,
    VertexElements,
    VertexElementState,
    VertexShader,
    VfStatistics,
)
from texsamp.state.decode import RawCommand


@dataclass(frozen=True)
class Geometry:
    """primitives: what is left for the clipper, None if nothing is to be. threads: of all stages."""

    primitives: Primitives | None
    threads: Dispatch


class GeometryPipeline:
    """Vertex fetch, shaders of vertices and primitives, stream-out."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def run(self, execution: Execution, command: Primitive) -> Geometry:
        """Make the primitives of a draw; CaptureError for state that is missing, and for what a kernel does wrong."""
        context = execution.context
        state = fetch_state(execution)
        counts = draw_counts(execution, command, state)
        shader = context.latest(VertexShader)
        device = self._runner.device
        with device.current():
            fetched = fetch_vertices(
                self._runner.memory, state, counts, execution.budget, device, reuse=not shader.vertex_cache_disable
            )
        objects = assemble(counts.topology, fetched.stream, get_device("cpu"))
        registers = context.registers
        if context.latest(VfStatistics).enable:
            registers.count(Counter.IA_VERTICES, fetched.count)
            registers.count(Counter.IA_PRIMITIVES, objects.counted)
        shaded, done = shade_vertices(self._runner, execution, fetched.elements)
        vertices: Array = shaded
        if shader.statistics:
            registers.count(Counter.VS_INVOCATIONS, len(vertices))
        flags: NDArray[np.bool_] | None = fetched.edges
        if is_on(execution):
            objects, vertices, more = tessellate_patches(self._runner, execution, objects, vertices)
            done, flags = together(done, more), None
        if not context.latest(GeometryShader).enable:
            return Geometry(self._left(execution, [(0, objects, vertices)], flags), done)
        streams, more = self._geometry(execution, objects, vertices)
        return Geometry(self._left(execution, streams, None), together(done, more))

    def _geometry(
        self, execution: Execution, objects: Objects, vertices: Array
    ) -> tuple[list[tuple[int, Objects, Array]], Dispatch]:
        """Streams that geometry threads put out."""
        context = execution.context
        shader = context.latest(GeometryShader)
        streams, done = run_geometry(self._runner, execution, objects, vertices)
        if shader.statistics:
            started = len(objects.numbers) * shader.instances
            context.registers.count(Counter.GS_INVOCATIONS, started * shader.invocations_increment)
            context.registers.count(Counter.GS_PRIMITIVES, sum(made.counted for _, made, _ in streams))
        return streams, done

    def _left(
        self,
        execution: Execution,
        streams: Sequence[tuple[int, Objects, Array]],
        flags: NDArray[np.bool_] | None,
    ) -> Primitives | None:
        """Stream out, and keep the stream that is rendered. streams: number, objects and vertices of each."""
        context, device = execution.context, self._runner.device
        command = context.latest(StreamOut)
        if command.enable:
            buffers = [found for found in context.last.values() if isinstance(found, StreamOutBuffer)]
            state = StreamOutState(
                command, {buffer.index: buffer for buffer in buffers}, context.latest(StreamOutDeclarations)
            )
            mode = ReorderMode(command.reorder_mode)
            written = {}
            with device.current():
                for number, objects, vertices in streams:
                    corners, _ = drawn(objects, mode)
                    written[number] = Streamed(vertices, corners.reshape(-1, corners.shape[2]))
                stream_out(self._runner.memory, context.registers, state, written, device)
        if command.render_disable:
            return None
        rendered = [stream for stream in streams if stream[0] == command.render_stream]
        if not rendered:
            return None
        _, objects, vertices = rendered[0]
        with device.current():
            return primitives(objects, vertices, device, flags)


def fetch_state(execution: Execution) -> FetchState:
    """Vertex buffers, elements and index buffer of a context."""
    context = execution.context
    buffers = [s for s in context.latest(VertexBuffers).elements if isinstance(s, VertexBufferState)]
    elements = [s for s in context.latest(VertexElements).elements if isinstance(s, VertexElementState)]
    index_buffer = context.last.get((IndexBuffer.name, 0))
    assert not isinstance(index_buffer, RawCommand)
    return FetchState(
        {buffer.index: buffer for buffer in buffers},
        tuple(elements),
        index_buffer if isinstance(index_buffer, IndexBuffer) else None,
    )


def draw_counts(execution: Execution, command: Primitive, state: FetchState) -> DrawCounts:
    """What a 3DPRIMITIVE draws, by its own dwords or by registers (volume 1 part 3, pages 112-114).

    The end offset is a number of bytes of vertex buffer 0: whole vertices before it are drawn (ours; the manual only
    says that it ends the draw). CaptureError for an end offset without a vertex buffer 0 that has a pitch.
    """
    registers = execution.context.registers
    vertices, instances = command.vertex_count, command.instance_count
    starts = command.start_vertex, command.start_instance
    base = command.base_vertex
    if command.indirect_parameter:
        vertices, instances = (registers.read(PRIMITIVE_REGISTERS[name]) for name in ("VERTEX_COUNT", "INSTANCE_COUNT"))
        starts = (
            registers.read(PRIMITIVE_REGISTERS["START_VERTEX"]),
            registers.read(PRIMITIVE_REGISTERS["START_INSTANCE"]),
        )
        base = registers.read(PRIMITIVE_REGISTERS["BASE_VERTEX"])
        base -= (base & 1 << 31) << 1
    if command.end_offset:
        buffer = state.buffers.get(0)
        if buffer is None or not buffer.pitch:
            raise CaptureError("an end offset counts vertices of vertex buffer 0, which must have a pitch")
        vertices = registers.read(PRIMITIVE_REGISTERS["END_OFFSET"]) // buffer.pitch
    indexed = command.vertex_access == VertexAccess.RANDOM
    return DrawCounts(Topology(command.topology), indexed, vertices, instances, *starts, base)
