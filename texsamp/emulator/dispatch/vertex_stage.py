"""Vertex shader threads: two vertices each, whose entries they fill (Sandy Bridge volume 2 part 1, pages 119-144)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.stage_threads import (
    HALF,
    HANDLE_B,
    MOST_HANDLES,
    SIMD4X2,
    SLOT_B,
    Stage,
    StageBatch,
    pairs,
    read_slots,
)
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import VertexShader


def shade_vertices(runner: Runner, execution: Execution, elements: Array) -> tuple[Array, Dispatch]:
    """URB entries of vertices, uint32 (v, slots, 4), where threads run, and what came of these.

    elements: of vertex fetch, uint32 (v, elements, 4): they are in the entries where threads write nothing, and all
    there is if the stage is off. CaptureError for whatever the kernel does wrong, and if they do not fit.
    """
    stage = Stage.of(runner, execution, VertexShader)
    shader = execution.context.latest(VertexShader)
    if not shader.enable:
        return elements, Dispatch(0, 0)
    count, width = elements.shape[:2]
    if width * SLOT_B > stage.entry_B:
        raise CaptureError(f"{width} vertex elements do not fit into URB entries of {stage.entry_B} bytes")
    lanes = 1 if shader.single_vertex_dispatch else 2
    threads = -(-count // lanes)
    with runner.device.current():
        entries = stage.entries(execution, threads * lanes, runner.device)
        entries[:count, :width] = elements
    together = min(stage.scratch.most_threads, MOST_HANDLES * HANDLE_B // (lanes * stage.entry_B))

    def batches() -> Iterator[StageBatch]:
        for first in range(0, threads, together):
            chosen = entries[first * lanes : (first + together) * lanes]
            with runner.device.current():
                batch = _batch(stage, shader, chosen, min(count - first * lanes, len(chosen)), runner.device)
            yield batch

    return entries[:count], stage.run(runner, execution, batches(), threads)


def _batch(stage: Stage, shader: VertexShader, entries: Array, count: int, device: Device) -> StageBatch:
    """Threads of some entries, of which `count` are vertices."""
    lanes = 1 if shader.single_vertex_dispatch else 2
    handles = (np.arange(len(entries)) * (stage.entry_B // HANDLE_B)).astype(np.uint32).reshape(-1, lanes)
    headers = np.zeros((len(handles), 8), np.uint32)
    headers[:, :2] = handles
    slots = read_slots(entries, shader.urb_read_offset, shader.urb_read_length, device)
    channels = np.ones((len(handles), SIMD4X2), np.bool_)
    if lanes == 1:
        slots = np.repeat(slots, 2, axis=0)
        channels[:, HALF:] = False
    elif count < len(entries):
        headers[-1, 1] = headers[-1, 0]
        channels[-1, HALF:] = False
    fixed = np.zeros((len(handles), 0), np.uint32)
    return StageBatch(headers, fixed, pairs(slots), entries.reshape(-1).view(np.uint8), channels)
