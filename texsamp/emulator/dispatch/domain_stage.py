"""Domain shader threads: two points of a patch each, which become vertices."""

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
    read_slots,
)
from texsamp.emulator.fixed.tessellator import ONE
from texsamp.state.commands_3d import DomainShader

_PATCH_HANDLE, _NUMBER = 3, 7
"""Dwords of R1 beside the places of both points."""


def run_domain(
    runner: Runner,
    execution: Execution,
    patches: Array,
    numbers: NDArray[np.int64],
    points: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[Array, Dispatch]:
    """VUEs of all points of patches in order, uint32 (v, slots, 4), where threads run, and what came of these.

    patches: URB entries, uint32 (n, slots, 4), likewise. numbers: int64 (n,), primitive ids. points: of all patches,
    fixed point (points, 2). counts: int64 (n,), how many each has. CaptureError for whatever the kernel does wrong.
    """
    shader = execution.context.latest(DomainShader)
    stage = Stage.of(runner, execution, DomainShader)
    lanes = 1 if shader.single_point_dispatch else 2
    threads_of = -(-counts // lanes)
    patch = np.repeat(np.arange(len(counts)), threads_of)
    first = (np.arange(len(patch)) - np.repeat(np.cumsum(threads_of) - threads_of, threads_of)) * lanes
    place = first[:, None] + np.arange(lanes)
    used = place < counts[patch][:, None]
    rows = (np.cumsum(counts) - counts)[patch][:, None] + np.where(used, place, first[:, None])
    device = runner.device
    with device.current():
        entries = stage.entries(execution, len(patch) * lanes, device)
        read = read_slots(patches, shader.patch_read_offset, shader.patch_read_length, device)
    units, entry = -(-patches.shape[1] * SLOT_B // HANDLE_B), stage.entry_B // HANDLE_B
    together = max(1, min(stage.scratch.most_threads, MOST_HANDLES // (lanes * entry + units)))

    def batches() -> Iterator[StageBatch]:
        for start in range(0, len(patch), together):
            part = slice(start, start + together)
            known, local = np.unique(patch[part], return_inverse=True)
            count = len(local)
            headers = np.zeros((count, DWORDS), np.uint32)
            handles = (np.arange(count * lanes) * entry).reshape(count, lanes)
            headers[:, :lanes] = np.where(used[part], handles, handles[:, :1])
            fixed = np.zeros((count, DWORDS), np.uint32)
            for lane in range(lanes):
                places = _places(points[rows[part, lane]], compute_w=bool(shader.compute_w))
                fixed[:, lane * HALF : lane * HALF + 3] = places
            fixed[:, _PATCH_HANDLE] = count * lanes * entry + local * units
            fixed[:, _NUMBER] = numbers[patch[part]]
            channels = np.zeros((count, SIMD4X2), np.bool_)
            channels[:, : lanes * HALF] = np.repeat(used[part], HALF, axis=1)
            with device.current():
                at, of_thread = kept(device, (known, patch[part]))
                own = entries[start * lanes : (start + together) * lanes].reshape(-1)
                urb = np.concatenate([own, patches[at].reshape(-1)])
                data = read[of_thread].reshape(count, -1)
            yield StageBatch(headers, fixed, data, urb.view(np.uint8), channels)
            with device.current():
                own[...] = urb[: len(own)]

    done = stage.run(runner, execution, batches(), len(patch))
    with device.current():
        (rows_there,) = kept(device, (np.flatnonzero(used),))
        return entries[rows_there], done


def _places(points: NDArray[np.int64], *, compute_w: bool) -> NDArray[np.uint32]:
    """U, V and W as floats, (n, 3); W is 0 unless it is wanted."""
    w = (ONE - points.sum(axis=1)) * compute_w
    return (np.column_stack([points, w]) / ONE).astype(np.float32).view(np.uint32)
