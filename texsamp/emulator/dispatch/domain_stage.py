"""Domain shader threads: two points of a patch each, which become vertices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from texsamp.device.base import Array
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.stage_threads import (
    HANDLE_B,
    MOST_HANDLES,
    SLOT_B,
    Stage,
    StageBatch,
    read_slots,
)
from texsamp.emulator.fixed.domain_threads import DomainWork
from texsamp.emulator.fixed.tessellator import Tessellated
from texsamp.state.commands_3d import DomainShader


def run_domain(
    runner: Runner, execution: Execution, patches: Array, ids: Array, made: Tessellated
) -> tuple[Array, Dispatch]:
    """VUEs of all points of patches in order, uint32 (v, slots, 4), where threads run, and what came of these.

    patches: URB entries, uint32 (n, slots, 4), likewise. ids: int64 (n,), primitive ids, likewise. made: their points.
    CaptureError for whatever the kernel does wrong.
    """
    shader = execution.context.latest(DomainShader)
    stage = Stage.of(runner, execution, DomainShader)
    device = runner.device
    lanes = 1 if shader.single_point_dispatch else 2
    units, entry = -(-patches.shape[1] * SLOT_B // HANDLE_B), stage.entry_B // HANDLE_B
    places = device.empty((made.ends.points,), np.int32)
    work = DomainWork(made, ids, lanes, entry, units, bool(shader.compute_w), places, device)
    with device.current():
        entries = stage.entries(execution, work.threads * lanes, device)
        read = read_slots(patches, shader.patch_read_offset, shader.patch_read_length, device)
    together = max(1, min(stage.scratch.most_threads, MOST_HANDLES // (lanes * entry + units)))

    def batches() -> Iterator[StageBatch]:
        for threads in work.batches(together):
            count, begin = len(threads.patches), threads.first * lanes
            with device.current():
                own = entries[begin : begin + count * lanes].reshape(-1)
                urb = np.concatenate([own, patches[threads.held].reshape(-1)])
                data = read[threads.patches].reshape(count, -1)
            channels = None if work.is_full and lanes > 1 else threads.channels
            yield StageBatch(threads.headers, threads.fixed, data, urb.view(np.uint8), channels)
            with device.current():
                own[...] = urb[: len(own)]

    done = stage.run(runner, execution, batches(), work.threads)
    with device.current():
        return entries if work.is_full else entries[places], done
