"""Geometry shader threads: one object, two instances of one, or two objects each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.stage_threads import (
    DWORDS,
    HALF,
    HANDLE_B,
    MOST_HANDLES,
    SIMD4X2,
    SLOT_B,
    Stage,
    StageBatch,
    in_handles,
    pairs,
    read_slots,
)
from texsamp.emulator.fixed.assembly import Objects, payload_vertices
from texsamp.emulator.fixed.geometry_output import geometry_streams
from texsamp.state.commands_3d import GeometryDispatch, GeometryShader, ReorderMode, Topology

_INSTANCE_AT = 27
_COUNTS = 2
"""Dword of a header with the vertices of both halves, where a message ends a thread."""
_PRIMITIVE_IDS = (0, 4)


def run_geometry(
    runner: Runner, execution: Execution, objects: Objects, vertices: Array
) -> tuple[list[tuple[int, Objects, Array]], Dispatch]:
    """Streams of what geometry threads put out of objects, as `geometry_streams` has them, and what came of threads.

    vertices: VUEs, uint32 (v, slots, 4), where threads run. CaptureError for whatever the kernel does wrong.
    """
    shader = execution.context.latest(GeometryShader)
    stage = Stage.of(runner, execution, GeometryShader)
    mode = GeometryDispatch(shader.dispatch_mode)
    work = _work(len(objects.numbers), shader.instances, mode)
    lanes = work.shape[1]
    device, used = runner.device, work[:, :, 0] >= 0
    of_object = np.where(used, work[:, :, 0], work[:, :1, 0])
    chosen = payload_vertices(objects, ReorderMode(shader.reorder_mode), adjacent=not shader.discard_adjacency)
    units = -(-vertices.shape[1] * SLOT_B // HANDLE_B) if shader.include_vertex_handles else 0
    handles_each = lanes * (stage.entry_B // HANDLE_B + units * chosen.shape[1])
    together = max(1, min(stage.scratch.most_threads, MOST_HANDLES // handles_each))
    with device.current():
        entries = stage.entries(execution, len(work) * lanes, device)
        ends = device.arrays.zeros((len(work), DWORDS), np.uint32)
        read = read_slots(vertices, shader.urb_read_offset, shader.urb_read_length, device)
        padded = in_handles(vertices, units, device)

    def batches() -> Iterator[StageBatch]:
        for first in range(0, len(work), together):
            part = slice(first, first + together)
            rows = chosen[of_object[part]]
            there, numbers = np.unique(rows, return_inverse=True)
            handles = len(rows) * lanes * stage.entry_B // HANDLE_B + units * numbers.reshape(rows.shape)
            with device.current():
                own = entries[first * lanes : (first + together) * lanes].reshape(-1)
                at, places = kept(device, (there, rows))
                urb = own if not units else np.concatenate([own, padded[at].reshape(-1)])
                batch = _batch(stage, shader, objects, work[part], read[places], handles, urb, ends[part])
            yield batch
            if units:
                with device.current():
                    own[...] = urb[: len(own)]

    done = stage.run(runner, execution, batches(), len(work))
    order = np.lexsort((work[:, :, 1][used], work[:, :, 0][used]))
    left = np.flatnonzero(used.reshape(-1))[order]
    numbers = objects.numbers[work[:, :, 0].reshape(-1)[left]]
    with device.current():
        halves = np.stack([ends[:, _COUNTS] & 0xFFFF, ends[:, _COUNTS] >> 16], axis=1)[:, :lanes]
        (at,) = kept(device, (left,))
        counts = halves.reshape(-1).astype(np.int64)[at]
        return geometry_streams(shader, entries[at], counts, numbers, device), done


def _work(objects: int, instances: int, mode: GeometryDispatch) -> NDArray[np.int64]:
    """Object and instance of each half of each thread, (threads, 1 or 2, 2); object -1: there is none."""
    if mode == GeometryDispatch.DUAL_OBJECT:
        first = np.arange(0, objects, 2)
        both = np.stack([first, np.where(first + 1 < objects, first + 1, -1)], axis=1)
        both = np.repeat(both, instances, axis=0)
        numbers = np.tile(np.arange(instances), len(first))
        return np.stack([both, np.stack([numbers, numbers], axis=1)], axis=2)
    step = 1 + (mode == GeometryDispatch.DUAL_INSTANCE)
    numbers = np.arange(0, instances, step)[:, None] + np.arange(step)
    of_object = np.repeat(np.arange(objects), len(numbers))[:, None] + np.zeros(step, np.int64)
    numbers = np.tile(numbers, (objects, 1))
    return np.stack([np.where(numbers < instances, of_object, -1), numbers], axis=2)


def _batch(
    stage: Stage,
    shader: GeometryShader,
    objects: Objects,
    work: NDArray[np.int64],
    inputs: Array,
    vertex_handles: NDArray[np.int64],
    urb: Array,
    ends: Array,
) -> StageBatch:
    """Threads of some work. inputs: (threads, halves, vertices, slots, 4); vertex_handles: of them in `urb`."""
    count, lanes = work.shape[:2]
    handles = (np.arange(count * lanes) * (stage.entry_B // HANDLE_B)).astype(np.uint32).reshape(count, lanes)
    used = work[:, :, 0] >= 0
    of_object = np.where(used, work[:, :, 0], work[:, :1, 0])
    headers = np.zeros((count, DWORDS), np.uint32)
    headers[:, :lanes] = np.where(used, handles, handles[:, :1]) | (work[:, :, 1] << _INSTANCE_AT).astype(np.uint32)
    headers[:, _COUNTS] = _kinds(objects)[of_object[:, 0]]
    fixed = np.zeros((count, DWORDS if shader.include_primitive_id else 0), np.uint32)
    if shader.include_primitive_id:
        fixed[:, _PRIMITIVE_IDS] = objects.numbers[of_object[:, (0, lanes - 1)]]
    if shader.include_vertex_handles:
        fixed = np.concatenate([fixed, _handles(shader, vertex_handles)], axis=1)
    if shader.dispatch_mode == GeometryDispatch.DUAL_OBJECT:
        data = pairs(inputs.reshape(count * lanes, -1, 4))
    else:
        data = inputs[:, 0].reshape(count, -1)
    channels = np.zeros((count, SIMD4X2), np.bool_)
    channels[:, : lanes * HALF] = np.repeat(used, HALF, axis=1)
    return StageBatch(headers, fixed, data, urb.view(np.uint8), channels, ends=ends)


def _handles(shader: GeometryShader, handles: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Registers of the handles of vertices, (threads, halves, vertices): eight, or four of either object.

    The pages are 153-158 of volume 2 part 1 of Ironlake, which has this stage as Gen7 does.
    """
    dual = shader.dispatch_mode == GeometryDispatch.DUAL_OBJECT
    threads, _, vertices = handles.shape
    halves, each = (2, HALF) if dual else (1, DWORDS)
    made = np.zeros((threads, halves, -(-vertices // each) * each), np.uint32)
    made[:, :, :vertices] = handles[:, :halves]
    return made.reshape(threads, halves, -1, each).transpose(0, 2, 1, 3).reshape(threads, -1)


def _kinds(objects: Objects) -> NDArray[np.uint32]:
    """Topology of each object: triangles of strips are told from those that wind the other way (pages 165-166)."""
    kinds = np.full(len(objects.numbers), int(objects.topology), np.uint32)
    if objects.topology in (Topology.TRISTRIP, Topology.TRISTRIP_REVERSE):
        kinds[:] = np.where(objects.turned, int(Topology.TRISTRIP_REVERSE), int(Topology.TRISTRIP))
    return kinds
