"""Mutated compute captures: commands, states, kernels and constants that lie. CaptureError or results, soon.

The captures are made here: groups with barriers, shared memory, atomics, loops, samplers, predicates, indirect
dimensions and switches of contexts.
"""

import numpy as np
import pytest
from support.filter_cases import sweep
from support.mutations import replay_mutated

import texsamp as ts
from texsamp.emulator import Capture, CaseMemory, Gpu
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.files.writer import BufferContents, Submission
from texsamp.state.commands_common import PipeControl
from texsamp.state.commands_media import GpgpuWalker
from texsamp.state.commands_mi import (
    MiConditionalBatchBufferEnd,
    MiLoadRegisterImm,
    MiLoadRegisterMem,
    MiPredicate,
    MiSetContext,
    MiUrbClear,
)

REPLAYS = 100
WORK = 4000
"""Units of work; the captures as they are take below a quarter."""
IMAGES = 0x7000_0000
WHERE = """
    shl (1) r10.0<1>:ud r0.1<0;1,0>:ud 6:uw
    add (16) r12.0<1>:ud r1.0<8;8,1>:ud r10.0<0;1,0>:ud
"""
SHARING = f"""
    {WHERE}
    mov (16) r14.0<1>:ud r12.0<8;8,1>:ud
    send (16) null:ud r12.0<8;8,1>:ud data_cache 0x08035efe:ud       # shared memory
    mov (8) r40.0<1>:ud r0.0<8;8,1>:ud
    and (1) r40.2<1>:ud r0.2<0;1,0>:ud 0x0f000000:ud
    send (8) null:ud r40.0<8;8,1>:ud gateway 0x02000004:ud           # barrier
    wait (1) n0.0<1>:ud n0.0<0;1,0>:ud
    send (16) r14.0<1>:ud r12.0<8;8,1>:ud data_cache 0x04215efe:ud
    send (16) null:ud r12.0<8;8,1>:ud data_cache 0x08035e00:ud
    send (8) r20.0<1>:ud r12.0<8;8,1>:ud data_cache 0x0411b700:ud    # atomic add
"""
LOOPS = f"""
    {WHERE}
    mov (16) r22.0<1>:d 0:d
next:
    cmp.ge.f0.0 (16) null:d r22.0<8;8,1>:d 20:d
    (+f0.0) break (16) jip=again uip=again
    mov (16) r24.0<1>:f r22.0<8;8,1>:d
    mul (16) r24.0<1>:f r24.0<8;8,1>:f 0.5:f
    cmp.g.f0.1 (16) null:f r24.0<8;8,1>:f 3.0:f
    (+f0.1) if (16) jip=over uip=over
    add (16) r22.0<1>:d r22.0<8;8,1>:d 1:d
over:
    endif (16) jip=again
    add (16) r22.0<1>:d r22.0<8;8,1>:d 2:d
again:
    while (16) jip=next
    mov (16) r14.0<1>:d r22.0<8;8,1>:d
    send (16) null:ud r12.0<8;8,1>:ud data_cache 0x08035e00:ud
"""
SAMPLING = f"""
    {WHERE}
    mov (16) r30.0<1>:f 0.0:f
    mov (16) r32.0<1>:f r1.0<8;8,1>:ud
    mul (16) r32.0<1>:f r32.0<8;8,1>:f 0.01:f
    mov (16) r34.0<1>:f r32.0<8;8,1>:f
    send (16) r14.0<1>:f r30.0<8;8,1>:ud sampler 0x0c842001:ud       # sample_l
    send (16) null:ud r12.0<8;8,1>:ud data_cache 0x08035e00:ud
"""


def _dispatch(kernel, **more):
    texture = ts.Surface.from_array(np.random.default_rng(1).integers(0, 256, (8, 8, 4), np.uint8), device="cpu")
    return Gpu().submission(
        kernel, groups=3, threads=4, surfaces=[np.zeros((12, 16), np.uint32), texture], samplers=[ts.Sampler()],
        constants=np.arange(0, 64, 4), **more,
    )  # fmt: skip


def _guarded(submission):
    """The same behind a predicate and with dimensions from memory, between switches of contexts."""
    batch, *others = submission.buffers
    at = submission.buffers[3].address
    walker = GpgpuWalker.dwords * 4
    front, last = batch.contents[: -walker - 4], batch.contents[-walker - 4 : -4]
    indirect = GpgpuWalker.unpack(last).replace(predicate_enable=True, indirect_parameter=True)
    commands = [
        MiSetContext(context_address=IMAGES, restore_inhibit=True),
        *(MiLoadRegisterImm(register_offset=0x2500 + 4 * n, data=value) for n, value in enumerate((3, 1, 1))),
        MiPredicate(load_operation="LOAD", combine_operation="SET", compare_operation="SRCS_EQUAL"),
        MiSetContext(context_address=IMAGES + 0x2000, restore_inhibit=True),
        MiSetContext(context_address=IMAGES),
        MiLoadRegisterMem(register_offset=0x2440, memory_address=at),
        MiUrbClear(clear_length=16, urb_address=4),
        MiConditionalBatchBufferEnd(data=5, compare_address=at),
        PipeControl(cs_stall=True, data_cache_flush=True, post_sync="WRITE_TIMESTAMP", address=at),
        indirect,
    ]
    made = b"".join(command.pack() for command in commands)
    contents = front + made + batch.contents[-4:]
    buffers = [
        BufferContents(1, batch.address, contents, "commands"),
        *others,
        BufferContents(90, IMAGES, bytes(0x4000), "contexts"),
    ]
    return Submission("guarded", buffers)


CAPTURES = {
    "sharing": lambda: _dispatch(SHARING, shared_memory_B=4096),
    "loops": lambda: _guarded(_dispatch(LOOPS)),
    "sampling": lambda: _dispatch(SAMPLING),
}


def _replay(capture, memory):
    """What is left of the budget."""
    budget = Budget(WORK)
    for _ in CommandStreamer(Engines(memory), LogicalContext()).run(capture, budget):
        pass
    return budget.left


def _mutate(name, count):
    capture = Capture.from_bytes(CAPTURES[name]().to_bytes(), name)
    memory = CaseMemory()
    memory.enter(capture)
    assert _replay(capture, memory) > WORK * 3 // 4
    outcomes = replay_mutated(capture, memory, _replay, np.random.default_rng(len(name)), count)
    assert min(outcomes.values()) > count // 20, outcomes


@pytest.mark.sweep
@pytest.mark.parametrize("name", CAPTURES)
def test_mutated_dispatches_are_replayed_or_refused(name):
    """300 in all; the long sweep (TEXSAMP_SWEEP=34) takes 10,000."""
    _mutate(name, sweep(REPLAYS))
