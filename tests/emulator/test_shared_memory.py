"""Shared local memory of the half-slices, held to one access after the other (seed 003:5966-5981, 8142-8189)."""

import numpy as np
import pytest
from support.programs import SET_UP, Program, buffer_surface, objects

from texsamp import get_device
from texsamp.errors import CaptureError

pytestmark = pytest.mark.usefixtures("each_place")

KERNEL = """
    add (8) r20.0<1>:ud r1.0<8;8,1>:ud 65536:ud                                    # addresses wrap after 64 KiB
    mov (8) r21.0<1>:ud r2.0<8;8,1>:ud
    send (8) null:ud r20.0<8;8,1>:ud data_cache 0x04036efe:ud                      # untyped write, red, SIMD8
    mov (8) r30.0<1>:ud r3.0<8;8,1>:ud
    mov (8) r31.0<1>:ud r4.0<8;8,1>:ud
    send (8) r32.0<1>:ud r30.0<8;8,1>:ud data_cache 0x0411b7fe:ud                  # atomic add, SIMD8
    mov (8) r91.0<1>:ud 0x77777777:ud
    send (8) r91.0<1>:ud r1.0<8;8,1>:ud data_cache 0x02116efe:ud                   # untyped read, red
    mov (8) r92.0<1>:ud r32.0<8;8,1>:ud
    add (8) r40.0<1>:ud r1.0<8;8,1>:ud 3:ud
    mov (8) r41.0<1>:ud 0xab:ud
    send (8) null:ud r40.0<8;8,1>:ud data_cache 0x040300fe:ud                      # byte scattered write
    mov (8) r93.0<1>:ud 0:ud
    send (8) r93.0<1>:ud r40.0<8;8,1>:ud data_cache 0x021100fe:ud                  # byte scattered read
    mov (8) r94.0<1>:ud 0:ud
    mov (8) r90.0<1>:ud 0:ud
    mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 8:uw
    send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0400:ud
"""


def test_threads_of_a_half_slice_share_one_memory():
    rng = np.random.default_rng(1)
    threads = 4
    write = 4 * rng.integers(0, 1 << 14, (threads, 8))
    add = np.where(rng.random((threads, 8)) < 0.5, write[::-1], 4 * rng.integers(0, 1 << 14, (threads, 8)))
    values, addends = (rng.integers(0, 1 << 32, (threads, 8)) for _ in range(2))
    rows = np.stack([write, values, add, addends], axis=1).reshape(threads, -1).astype(np.uint32)
    halves = [1, 2, 2, 1]
    commands = [command for row, half in zip(rows, halves, strict=True) for command in objects(row, half_slice=half)]
    program = Program([*SET_UP, *commands], KERNEL, surfaces=[buffer_surface(0, 1024)], data=[bytes(1024)])
    program.run()
    found = program.data().view("<u4")[: threads * 32].reshape(threads, 4, 8)
    memories = {1: {}, 2: {}}
    steps = [lambda t, c: memories[halves[t]].__setitem__(int(write[t, c]), int(values[t, c]))]
    returned = np.zeros((threads, 8), np.uint32)

    def atomic(t, c):
        memory, at = memories[halves[t]], int(add[t, c])
        returned[t, c] = memory.get(at, 0)
        memory[at] = (memory.get(at, 0) + int(addends[t, c])) % (1 << 32)

    for step in (*steps, atomic):
        for thread in range(threads):
            for channel in range(8):
                step(thread, channel)
    assert np.array_equal(found[:, 1], returned)
    assert (returned != 0).any()
    for thread in range(threads):
        memory = memories[halves[thread]]
        assert found[thread, 0].tolist() == [memory.get(int(at), 0) for at in write[thread]]
    assert (found[:, 2] == 0xAB).all()
    for half, memory in memories.items():
        written = {int(at) for t in range(threads) if halves[t] == half for at in write[t]}
        final = {at: value & 0xFFFFFF | 0xAB << 24 if at in written else value for at, value in memory.items()}
        words = program.context.shared_memory.on(get_device("cpu")).reshape(2, -1)[half - 1].view("<u4")
        assert {4 * int(at): int(words[at]) for at in np.flatnonzero(words)} == {k: v for k, v in final.items() if v}


@pytest.mark.parametrize(
    ("half", "line", "message"),
    [
        (0, "send (8) r20.0<1>:ud r1.0<8;8,1>:ud data_cache 0x02116efe:ud", "need half_slice 1 or 2"),
        (1, "send (8) r20.0<1>:ud r1.0<8;8,1>:ud data_cache 0x0210c2fe:ud", "DWORD_SCATTERED_READ does not reach"),
        (1, "send (8) r20.0<1>:ud r1.0<8;8,1>:ud data_cache 0x021800fe:ud", "OWORD_BLOCK_READ does not reach"),
    ],
)
def test_refusals(half, line, message):
    program = Program([*SET_UP, *objects([[0] * 8], half_slice=half)], line)
    with pytest.raises(CaptureError, match=message):
        program.run()


def test_to_other_caches_its_index_is_a_surface():
    """003:5979: only the data cache has shared local memory."""
    states = {0x800 + 4 * 254: (0xC00).to_bytes(4, "little")}
    line = """
        mov (8) r90.0<1>:ud 0:ud
        send (8) r91.0<1>:ud r90.0<8;8,1>:ud constant_cache 0x021800fe:ud
        mov (1) r90.2<1>:ud 4:ud
        send (8) null:ud r90.0<8;8,1>:ud data_cache 0x040a0000:ud
    """
    data = bytes(range(16)) + bytes(112)
    program = Program([*SET_UP, *objects([[0]])], line, surfaces=[buffer_surface(0, 128)], data=[data], states=states)
    program.run()
    assert program.data()[64:80].tolist() == list(range(16))
