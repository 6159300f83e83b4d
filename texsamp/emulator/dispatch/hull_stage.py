"""Hull shader threads: `instances` of them fill the URB entry of a patch together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from texsamp.device import get_device
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.stage_threads import (
    DWORDS,
    HANDLE_B,
    MOST_HANDLES,
    SLOT_B,
    Stage,
    StageBatch,
    read_slots,
)
from texsamp.emulator.fixed.assembly import Objects
from texsamp.emulator.shared.barriers import Barriers
from texsamp.state.commands_3d import HullShader

_INSTANCE_AT, _HANDLE_REGISTERS = 16, 4


def run_hull(
    runner: Runner, execution: Execution, objects: Objects, vertices: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], Dispatch]:
    """URB entries of patches, uint32 (n, slots, 4), and what came of threads.

    vertices: VUEs, uint32 (v, slots, 4). CaptureError for whatever the kernel does wrong.
    """
    shader = execution.context.latest(HullShader)
    stage = Stage.of(runner, execution, HullShader)
    count, points = objects.vertices.shape
    patches = stage.entries(execution, count, get_device("cpu"))
    units = -(-vertices.shape[1] * SLOT_B // HANDLE_B)
    handles_each = stage.entry_B // HANDLE_B + points * units
    together = max(1, min(stage.scratch.most_threads // shader.instances, MOST_HANDLES // handles_each))
    read = read_slots(vertices, shader.urb_read_offset, shader.urb_read_length, get_device("cpu"))
    padded = np.zeros((len(vertices), units * HANDLE_B // SLOT_B, 4), np.uint32)
    padded[:, : vertices.shape[1]] = vertices
    barriers = Barriers(np.arange(count * shader.instances) // shader.instances, shader.instances)

    def batches() -> Iterator[StageBatch]:
        for first in range(0, count, together):
            part = slice(first, min(count, first + together))
            chosen = objects.vertices[part]
            own = patches[part].reshape(-1)
            urb = np.concatenate([own, padded[chosen].reshape(-1)])
            yield _batch(stage, shader, objects.numbers[part], chosen.shape[1], units, read[chosen], urb, barriers)
            own[...] = urb[: len(own)]

    return patches, stage.run(runner, execution, batches(), count * shader.instances)


def _batch(
    stage: Stage,
    shader: HullShader,
    numbers: NDArray[np.int64],
    points: int,
    units: int,
    inputs: NDArray[np.uint32],
    urb: NDArray[np.uint32],
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
    fixed, data = (np.repeat(part.reshape(count, -1), shader.instances, axis=0) for part in (fixed, inputs))
    return StageBatch(headers.reshape(-1, DWORDS), fixed, data, urb.view(np.uint8), barriers=barriers)
