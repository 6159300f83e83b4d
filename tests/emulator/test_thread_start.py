"""Threads that no interface descriptor starts: those of the 3D pipeline's stages."""

import numpy as np
import pytest
from support.programs import BASES, Program

from texsamp.device import get_device
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.shared_memory import SharedBytes, SharedMemory
from texsamp.emulator.dispatch.payloads import Batch
from texsamp.emulator.dispatch.runner import Runner
from texsamp.emulator.dispatch.thread_start import ThreadStart
from texsamp.errors import CaptureError

WRITE_AND_END = "send (8) null<1>.xyzw:f r1.0<4>.xyzw:f urb 0x0408c000:ud {align16, EOT}"
PIXELS = "render_cache 0x02030000:ud"


def run(kernel, payload, **batch):
    """Threads with these registers, (threads, registers, 8) dwords; their own URB, unless None is given."""
    program = Program([BASES], kernel)
    program.run()
    count = len(payload)
    halves = np.zeros(count, np.int64)
    memory = SharedMemory.of_half_slices(program.context.shared_memory, halves)
    execution = Execution(program.context, Budget(1000), "a stage")
    rows = np.ascontiguousarray(payload, "<u4").reshape(count, -1).view(np.uint8)
    return Runner(program.memory).run(
        execution, ThreadStart(kernel_start=0), [Batch(np.arange(count), rows, memory, **batch)], halves
    )


def payloads(count):
    """R0 empty, R1 a URB header with handles 2n and 2n + 1, R2 data."""
    registers = np.zeros((count, 3, 8), np.uint32)
    registers[:, 1, :2] = np.arange(2 * count).reshape(count, 2)
    registers[:, 1, 5] = 0xFF00
    registers[:, 2] = np.arange(8 * count).reshape(count, 8) + 1
    return registers


def test_a_stage_ends_its_threads_by_writes_to_its_own_urb():
    urb = np.zeros(1024, np.uint8)
    done = run(WRITE_AND_END, payloads(4), urb=SharedBytes.lent(urb, get_device("cpu")))
    assert done.threads == 4
    entries = urb.view("<u4").reshape(-1, 16)
    for handle in range(8):
        assert entries[handle].tolist() == [4 * handle + 1 + n for n in range(4)] + [0] * 12


def test_a_thread_without_enabled_channels_ends_at_its_last_message():
    kernel = f"cmp.l.f0.0 (8) null:ud r2.0<8;8,1>:ud 9:ud\n(+f0.0) {WRITE_AND_END.replace('align16, ', '')}".replace(
        "null<1>.xyzw:f r1.0<4>.xyzw:f", "null:ud r1.0<8;8,1>:ud"
    )
    urb = np.zeros(1024, np.uint8)
    assert run(kernel, payloads(4), urb=SharedBytes.lent(urb, get_device("cpu"))).threads == 4
    written = urb.view("<u4").reshape(-1, 16).any(axis=1)
    assert written.tolist() == [True, True] + [False] * 14


def test_only_threads_of_such_stages_end_so():
    with pytest.raises(CaptureError, match="ends threads of the 3D pipeline only"):
        run(WRITE_AND_END, payloads(1))


def test_threads_of_such_stages_start_no_others():
    with pytest.raises(CaptureError, match="messages to spawner are not executed"):
        run("send (8) null:ud r1.0<8;8,1>:ud spawner 0x02000010:ud {EOT}", payloads(1))


def test_writes_to_render_targets_reach_whoever_takes_them():
    taken = []
    kernel = f"send (8) null:ud r2.0<8;8,1>:ud {PIXELS} {{EOT}}"
    run(kernel, payloads(3), render_targets=lambda message: taken.append(message.dwords(0, 1).tolist()))
    assert taken == [payloads(3)[:, 2].tolist()]
    with pytest.raises(CaptureError, match="RENDER_TARGET_WRITE is not executed"):
        run(kernel, payloads(1))
