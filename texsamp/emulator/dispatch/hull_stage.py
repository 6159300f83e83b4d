"""Hull shader threads: `instances` of them fill the URB entry of a patch together."""

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
    HANDLE_B,
    MOST_HANDLES,
    SLOT_B,
    Stage,
    StageBatch,
    in_handles,
    read_slots,
)
from texsamp.emulator.fixed.assembly import Objects
from texsamp.emulator.shared.barriers import Barriers
from texsamp.state.commands_3d import HullShader

_INSTANCE_AT, _HANDLE_REGISTERS = 16, 4


def run_hull(runner: Runner, execution: Execution, objects: Objects, vertices: Array) -> tuple[Array, Dispatch]:
    """URB entries of patches, uint32 (n, slots, 4), where threads run, and what came of these.

    vertices: VUEs, uint32 (v, slots, 4), likewise. CaptureError for whatever the kernel does wrong.
    """
    shader = execution.context.latest(HullShader)
    stage = Stage.of(runner, execution, HullShader)
    count, points = objects.vertices.shape
    device = runner.device
    units = -(-vertices.shape[1] * SLOT_B // HANDLE_B)
    handles_each = stage.entry_B // HANDLE_B + points * units
    together = max(1, min(stage.scratch.most_threads // shader.instances, MOST_HANDLES // handles_each))
    with device.current():
        patches = stage.entries(execution, count, device)
        read = read_slots(vertices, shader.urb_read_offset, shader.urb_read_length, device)
        padded = in_handles(vertices, units, device)
    barriers = Barriers(np.arange(count * shader.instances) // shader.instances, shader.instances)

    def batches() -> Iterator[StageBatch]:
        for first in range(0, count, together):
            part = slice(first, min(count, first + together))
            with device.current():
                (chosen,) = kept(device, (objects.vertices[part],))
                own = patches[part].reshape(-1)
                urb = np.concatenate([own, padded[chosen].reshape(-1)])
                batch = _batch(stage, shader, objects.numbers[part], points, units, read[chosen], urb, barriers)
            yield batch
            with device.current():
                own[...] = urb[: len(own)]

    return patches, stage.run(runner, execution, batches(), count * shader.instances)


def _batch(
    stage: Stage,
    shader: HullShader,
    numbers: NDArray[np.int64],
    points: int,
    units: int,
    inputs: Array,
    urb: Array,
    barriers: Barriers,
) -> StageBatch:
    """Threads of some patches. units: handles of a vertex. inputs: (patches, points, slots, 4)."""
    count, entry = len(numbers), stage.entry_B // HANDLE_B
    headers = np.zeros((count, shader.instances, DWORDS), np.uint32)
    headers[:, :, 0] = (np.arange(count) * entry)[:, None]
    headers[:, :, 1] = numbers[:, None]
    headers[:, :, 2] = np.arange(shader.instances) << _INSTANCE_AT
    fixed = np.zeros((count, DWORDS * _HANDLE_REGISTERS if shader.include_vertex_handles else 0), np.uint32)
    if shader.include_vertex_handles:
        fixed[:, :points] = count * entry + units * np.arange(count * points).reshape(count, points)
    fixed, data = (part.reshape(count, -1).repeat(shader.instances, axis=0) for part in (fixed, inputs))
    return StageBatch(headers.reshape(-1, DWORDS), fixed, data, urb.view(np.uint8), barriers=barriers)
