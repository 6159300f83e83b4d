"""OWord block and DWord scattered messages (seed 003:8351-8520, 8830-8960), held to slices of bytes."""

import numpy as np
import pytest
from support.programs import DATA, DATA_STEP, SET_UP, Program, buffer_surface, objects

from texsamp.errors import CaptureError

SIZE = 4096
OUT = """
    mov (8) r90.0<1>:ud 0:ud
    mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 16:uw
    mov (8) r91.0<1>:ud r20.0<8;8,1>:ud
    mov (8) r92.0<1>:ud r21.0<8;8,1>:ud
    mov (8) r93.0<1>:ud r22.0<8;8,1>:ud
    mov (8) r94.0<1>:ud r23.0<8;8,1>:ud
    send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0401:ud    # all 8 OWords to surface 1
"""
FILL = "\n".join(f"mov (8) r{register}.0<1>:ud 0x77777777:ud" for register in range(20, 24))
HEADER, OFFSETS = (
    "mov (8) r10.0<1>:ud r1.0<8;8,1>:ud",
    "\n".join(f"mov (8) r{10 + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(1, 5)),
)


def _run(inline, line, memory, size=SIZE, index0=None):
    """Run one message per thread (header in r10, what follows it in r11 to r14, response in r20 on)."""
    inline = np.atleast_2d(np.array(inline, np.uint32))
    inline = np.pad(inline, ((0, 0), (0, 40 - inline.shape[1])))
    out = bytes(256 * len(inline))
    surfaces = [index0 or buffer_surface(0, size), buffer_surface(1, len(out))]
    kernel = f"{HEADER}\n{OFFSETS}\n{FILL}\n{line}\n{OUT}"
    program = Program([*SET_UP, *objects(inline)], kernel, surfaces=surfaces, data=[memory.tobytes(), out])
    program.run()
    return program.data(0), program.data(1).reshape(len(inline), 256)[:, :128]


def _memory(seed):
    return np.random.default_rng(seed).integers(0, 256, SIZE, np.uint8)


def _header(offset, base=0):
    return [0, 0, offset, 0, 0, base, 0, 0]


@pytest.mark.parametrize("cache", ["data_cache", "constant_cache"])
@pytest.mark.parametrize(("code", "owords"), [(0, 1), (2, 2), (3, 4), (4, 8)])
def test_oword_block_reads(cache, code, owords):
    memory = _memory(1)
    offsets = [0, 5, 250, 255, 1000]
    line = f"send (16) r20.0<1>:ud r10.0<8;8,1>:ud {cache} {0x02080000 | 4 << 20 | code << 8:#010x}:ud"
    _, found = _run([_header(offset) for offset in offsets], line, memory)
    padded = np.concatenate([memory, np.zeros(1 << 15, np.uint8)])  # outside the surface is 0
    for row, offset in zip(found, offsets, strict=True):
        assert np.array_equal(row[: 16 * owords], padded[16 * offset :][: 16 * owords])
        assert (row[16 * owords :] == 0x77).all()


def test_the_high_half_alone():
    line = "send (8) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x02180100:ud"
    memory = _memory(2)
    _, found = _run(_header(3), line, memory)
    assert (found[0, :16] == 0x77).all()
    assert np.array_equal(found[0, 16:32], memory[48:64])
    after, _ = _run([*_header(3), *range(8)], "send (8) null:ud r10.0<8;8,1>:ud data_cache 0x040a0100:ud", memory)
    assert after[48:64].view("<u4").tolist() == [4, 5, 6, 7]


@pytest.mark.parametrize("cache", ["data_cache", "constant_cache", "sampler_cache"])
def test_unaligned_reads_count_bytes(cache):
    memory = _memory(3)
    line = f"send (16) r20.0<1>:ud r10.0<8;8,1>:ud {cache} 0x02484300:ud"
    _, found = _run([_header(offset) for offset in (4, 100, 4088)], line, memory)
    padded = np.concatenate([memory, np.zeros(64, np.uint8)])
    for row, offset in zip(found, (4, 100, 4088), strict=True):
        assert np.array_equal(row[:64], padded[offset : offset + 64])
    with pytest.raises(CaptureError, match="an unaligned OWord block begins at whole dwords"):
        _run(_header(6), line, memory)


def test_writes_drop_what_is_outside_or_disabled():
    memory = _memory(4)
    data = np.arange(100, 132)
    mask = "mov (1) f0.0<1>:uw 0x0ff3:uw\n(+f0.0) send (16) null:ud r10.0<8;8,1>:ud data_cache 0x0a0a0400:ud"
    after, _ = _run([[*_header(254), *data], [*_header(8), *data]], mask, memory)
    expected = memory.copy().view("<u4")
    enabled = [0x0FF3 >> n % 16 & 1 for n in range(32)]
    for start in (254 * 4, 8 * 4):
        for n in range(32):
            if enabled[n] and start + n < SIZE // 4:
                expected[start + n] = data[n]
    assert np.array_equal(after, expected.view(np.uint8))


def test_scattered_dwords():
    memory = _memory(5)
    rng = np.random.default_rng(6)
    offsets = rng.integers(0, SIZE // 4 + 40, 16)
    mask = "mov (1) f0.0<1>:uw 0x5abf:uw\n(+f0.0) "
    line = mask + "send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x0628c300:ud"
    _, found = _run([*_header(3), *offsets], line, memory)
    padded = np.concatenate([memory, np.zeros(256, np.uint8)]).view("<u4")
    expected = [padded[3 + o] if 0x5ABF >> n & 1 else 0x77777777 for n, o in enumerate(offsets)]
    assert found[0, :64].view("<u4").tolist() == expected
    line = mask + "send (16) null:ud r10.0<8;8,1>:ud data_cache 0x0a0ac300:ud"
    values = np.arange(1000, 1016)
    after, _ = _run([*_header(3), *offsets, *values], line, memory)
    wanted = memory.copy().view("<u4")
    for n, offset in enumerate(offsets):
        if 0x5ABF >> n & 1 and 3 + offset < SIZE // 4:
            wanted[3 + offset] = values[n]
    assert np.array_equal(after, wanted.view(np.uint8))


def test_stateless_messages_begin_at_general_state_base():
    memory = _memory(7)
    line = "send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x024803ff:ud"
    _, found = _run([_header(2, 1024), _header(0, 0)], line, memory)
    assert np.array_equal(found[0, :64], memory[1024 + 32 :][:64])
    assert np.array_equal(found[1, :64], memory[:64])
    with pytest.raises(CaptureError, match=rf"4 bytes at {DATA + SIZE:#x} are not mapped"):
        _run(_header(SIZE // 16), line, memory)
    _, found = _run(_header(0, DATA_STEP), line, memory)  # one buffer further on
    assert not found[0, :64].any()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x02400300:ud", "need a header"),
        ("send (16) null:ud r10.0<8;8,1>:ud data_cache 0x040a0300:ud", "the message has 2 registers, its type needs 3"),
    ],
)
def test_illegal_messages(line, message):
    with pytest.raises(CaptureError, match=message):
        _run(_header(0), line, _memory(8))


def test_blocks_need_buffers():
    from texsamp.state import RenderSurfaceState

    line = "send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x02480300:ud"
    with pytest.raises(CaptureError, match="data port blocks need a buffer, surface 0 is SURFTYPE_2D"):
        _run(_header(0), line, _memory(9), index0=RenderSurfaceState(base_address=DATA))
