"""Geometry shader threads: one object, two instances of one, or two objects each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from texsamp.device import Device
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

    objects: the host's, or where threads run. vertices: VUEs, uint32 (v, slots, 4), there. CaptureError for whatever
    the kernel does wrong.
    """
    shader = execution.context.latest(GeometryShader)
    stage = Stage.of(runner, execution, GeometryShader)
    device = runner.device
    work = _Work(len(objects.numbers), shader.instances, GeometryDispatch(shader.dispatch_mode))
    lanes = work.lanes
    with device.current():
        given = _Given.of(objects, shader, device)
    units = -(-vertices.shape[1] * SLOT_B // HANDLE_B) if shader.include_vertex_handles else 0
    handles_each = lanes * (stage.entry_B // HANDLE_B + units * given.vertices.shape[1])
    together = max(1, min(stage.scratch.most_threads, MOST_HANDLES // handles_each))
    with device.current():
        entries = stage.entries(execution, work.threads * lanes, device)
        ends = device.arrays.zeros((work.threads, DWORDS), np.uint32)
        read = read_slots(vertices, shader.urb_read_offset, shader.urb_read_length, device)
        padded = in_handles(vertices, units, device)

    def batches() -> Iterator[StageBatch]:
        for first in range(0, work.threads, together):
            part = slice(first, min(first + together, work.threads))
            with device.current():
                own = entries[part.start * lanes : part.stop * lanes].reshape(-1)
                rows = given.vertices[work.objects(device.arrays.arange(part.start, part.stop))]
                urb, handles = own, rows
                if units:
                    at, numbers = _distinct(rows, device)
                    handles = (part.stop - first) * lanes * stage.entry_B // HANDLE_B + units * numbers
                    urb = np.concatenate([own, padded[at].reshape(-1)])
                batch = _batch(stage, shader, given, work, part, read[rows], handles, urb, ends[part], device)
            yield batch
            if units:
                with device.current():
                    own[...] = urb[: len(own)]

    done = stage.run(runner, execution, batches(), work.threads)
    with device.current():
        every = device.arrays.arange(work.count * work.instances)
        at = work.slots(every)
        halves = np.stack([ends[:, _COUNTS] & 0xFFFF, ends[:, _COUNTS] >> 16], axis=1)[:, :lanes]
        counts = halves.reshape(-1).astype(np.int64)[at]
        return geometry_streams(shader, entries[at], counts, given.ids[every // work.instances], device), done


@dataclass(frozen=True)
class _Given:
    """Objects as threads are told of them, n, where these run.

    vertices: (n, k). ids: (n,), primitive ids. kinds: uint32 (n,), topologies: triangles of strips are told from those
    that wind the other way (pages 165-166).
    """

    vertices: Array
    ids: Array
    kinds: Array

    @classmethod
    def of(cls, objects: Objects, shader: GeometryShader, device: Device) -> Self:
        """Those of the host travel together."""
        vertices = payload_vertices(objects, ReorderMode(shader.reorder_mode), adjacent=not shader.discard_adjacency)
        topology, other = objects.topology, objects.topology
        if objects.topology in (Topology.TRISTRIP, Topology.TRISTRIP_REVERSE):
            topology, other = Topology.TRISTRIP, Topology.TRISTRIP_REVERSE
        told = vertices, objects.numbers, np.where(objects.turned, int(other), int(topology)).astype(np.uint32)
        return cls(*(kept(device, told) if isinstance(vertices, np.ndarray) else told))


@dataclass(frozen=True)
class _Work:
    """Which instance of which of `count` objects each half of each thread is; numbers are of host or device."""

    count: int
    instances: int
    mode: GeometryDispatch

    @property
    def lanes(self) -> int:
        """Halves of a thread that it may use."""
        return 1 if self.mode == GeometryDispatch.SINGLE else 2

    @property
    def threads(self) -> int:
        """All of them."""
        return self._rows * self._each

    @property
    def _rows(self) -> int:
        """Objects, or pairs of them."""
        return -(-self.count // 2) if self.mode == GeometryDispatch.DUAL_OBJECT else self.count

    @property
    def _each(self) -> int:
        """Threads of a row."""
        return -(-self.instances // 2) if self.mode == GeometryDispatch.DUAL_INSTANCE else self.instances

    def objects(self, threads: Array) -> Array:
        """Of each half, (threads, lanes); that of the other half where there is none."""
        first = threads // self._each
        if self.mode != GeometryDispatch.DUAL_OBJECT:
            return np.stack([first] * self.lanes, axis=1)
        second = 2 * first + 1
        return np.stack([2 * first, np.where(second < self.count, second, 2 * first)], axis=1)

    def numbers(self, threads: Array) -> Array:
        """The instance that each half is, (threads, lanes)."""
        first = threads % self._each
        if self.mode == GeometryDispatch.DUAL_INSTANCE:
            return np.stack([2 * first, 2 * first + 1], axis=1)
        return np.stack([first] * self.lanes, axis=1)

    def used(self, threads: Array) -> Array:
        """Whether halves have something to do, (threads, lanes)."""
        first = threads >= 0
        if self.mode == GeometryDispatch.DUAL_OBJECT:
            return np.stack([first, 2 * (threads // self._each) + 1 < self.count], axis=1)
        if self.mode == GeometryDispatch.DUAL_INSTANCE:
            return np.stack([first, 2 * (threads % self._each) + 1 < self.instances], axis=1)
        return first[:, None]

    def slots(self, every: Array) -> Array:
        """Halves of all threads by object and instance."""
        objects, numbers = every // self.instances, every % self.instances
        if self.mode == GeometryDispatch.DUAL_OBJECT:
            slots: Array = (objects // 2 * self._each + numbers) * 2 + objects % 2
        else:
            slots = (objects * self._each + numbers // self.lanes) * self.lanes + numbers % self.lanes
        return slots


def _distinct(rows: Array, device: Device) -> tuple[Array, Array]:
    """Numbers that differ, in order, and which of them each is; the host is asked how many there are."""
    ordered = np.sort(rows.reshape(-1))
    number = device.arrays.zeros(len(ordered), np.int64)
    number[1:] = np.cumsum(ordered[1:] != ordered[:-1])
    count = 1 + int(device.download(number[-1:])[0])
    distinct = ordered[np.searchsorted(number, device.arrays.arange(count))]
    return distinct, np.searchsorted(distinct, rows)


def _batch(
    stage: Stage,
    shader: GeometryShader,
    given: _Given,
    work: _Work,
    part: slice,
    inputs: Array,
    vertex_handles: Array,
    urb: Array,
    ends: Array,
    device: Device,
) -> StageBatch:
    """Threads of some work. inputs: (threads, halves, vertices, slots, 4); vertex_handles: of them in `urb`."""
    arange = device.arrays.arange
    count, lanes = part.stop - part.start, work.lanes
    threads, entry = arange(part.start, part.stop), stage.entry_B // HANDLE_B
    used, of_object = work.used(threads), work.objects(threads)
    handles = entry * arange(count * lanes).reshape(count, lanes)
    headers = device.arrays.zeros((count, DWORDS), np.uint32)
    headers[:, :lanes] = np.where(used, handles, handles[:, :1]) | work.numbers(threads) << _INSTANCE_AT
    headers[:, _COUNTS] = given.kinds[of_object[:, 0]]
    fixed = device.arrays.zeros((count, DWORDS if shader.include_primitive_id else 0), np.uint32)
    if shader.include_primitive_id:
        for place, lane in zip(_PRIMITIVE_IDS, (0, lanes - 1), strict=True):
            fixed[:, place] = given.ids[of_object[:, lane]]
    if shader.include_vertex_handles:
        fixed = np.concatenate([fixed, _handles(shader, vertex_handles, device)], axis=1)
    if shader.dispatch_mode == GeometryDispatch.DUAL_OBJECT:
        data = pairs(inputs.reshape(count * lanes, -1, 4))
    else:
        data = inputs[:, 0].reshape(count, -1)
    known = work.used(np.arange(part.start, part.stop))  # follows from how many there are
    channels = np.zeros((count, SIMD4X2), np.bool_)
    channels[:, : lanes * HALF] = np.repeat(known, HALF, axis=1)
    return StageBatch(headers, fixed, data, urb.view(np.uint8), channels, ends=ends)


def _handles(shader: GeometryShader, handles: Array, device: Device) -> Array:
    """Registers of the handles of vertices, (threads, halves, vertices): eight, or four of either object.

    The pages are 153-158 of volume 2 part 1 of Ironlake, which has this stage as Gen7 does.
    """
    dual = shader.dispatch_mode == GeometryDispatch.DUAL_OBJECT
    threads, _, vertices = handles.shape
    halves, each = (2, HALF) if dual else (1, DWORDS)
    made: Array = device.arrays.zeros((threads, halves, -(-vertices // each) * each), np.uint32)
    made[:, :, :vertices] = handles[:, :halves]
    return made.reshape(threads, halves, -1, each).transpose(0, 2, 1, 3).reshape(threads, -1)
