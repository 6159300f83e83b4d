"""OWord block, dual block and scattered messages (seed 003:8351-9060), held to slices of bytes."""

from functools import reduce

import numpy as np
import pytest
from support import programs
from support.captures import buffer, capture_bytes
from support.programs import DATA, DATA_STEP, SET_UP, Program, buffer_surface, objects

from texsamp.device import get_device
from texsamp.emulator import Capture, CaseMemory
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.context.surfaces import SurfaceTable
from texsamp.emulator.dispatch.runner import together
from texsamp.emulator.shared.data_port.buffers import Buffer, Buffers
from texsamp.emulator.shared.router import Router
from texsamp.errors import CaptureError
from texsamp.replay.reporter import threads_in_words
from texsamp.state import RenderSurfaceState
from texsamp.state.commands_mi import MiBatchBufferEnd

pytestmark = pytest.mark.usefixtures("each_place")

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
    "\n".join(f"mov (8) r{10 + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(1, 6)),
)


def _run(inline, line, memory, size=SIZE, index0=None):
    """Run one message per thread (header in r10, what follows it in r11 to r15, response in r20 on)."""
    inline = np.atleast_2d(np.array(inline, np.uint32))
    inline = np.pad(inline, ((0, 0), (0, 48 - inline.shape[1])))
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
@pytest.mark.parametrize("offsets", [[0, 5, 250, 255, 1000], [7, 7, 7], [255, 255]])
def test_oword_block_reads(cache, code, owords, offsets):
    memory = _memory(1)
    line = f"send (16) r20.0<1>:ud r10.0<8;8,1>:ud {cache} {0x02080000 | 4 << 20 | code << 8:#010x}:ud"
    _, found = _run([_header(offset) for offset in offsets], line, memory)
    padded = np.concatenate([memory, np.zeros(1 << 15, np.uint8)])  # outside the surface is 0
    for row, offset in zip(found, offsets, strict=True):
        assert np.array_equal(row[: 16 * owords], padded[16 * offset :][: 16 * owords])
        assert (row[16 * owords :] == 0x77).all()


def test_blocks_that_are_the_same_for_all_threads_are_read_once(monkeypatch, each_place):
    line = "send (16) r20.0<1>:ud r10.0<8;8,1>:ud constant_cache 0x02480400:ud"
    read, load = [], Buffers.load
    monkeypatch.setattr(Buffers, "load", lambda *given: read.append(len(given[2])) or load(*given))
    _run([_header(4)] * 9, line, _memory(3))
    _run([_header(4)] * 8 + [_header(5)], line, _memory(3))
    is_host = each_place is None and programs.where_threads_run is None
    assert read == ([1, 9] if is_host else [])  # a device reads with each thread


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


@pytest.mark.parametrize("cache", ["data_cache", "constant_cache"])
def test_scattered_dwords(cache):
    memory = _memory(5)
    rng = np.random.default_rng(6)
    offsets = rng.integers(0, SIZE // 4 + 40, 16)
    mask = "mov (1) f0.0<1>:uw 0x5abf:uw\n(+f0.0) "
    line = mask + f"send (16) r20.0<1>:ud r10.0<8;8,1>:ud {cache} 0x0628c300:ud"
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


@pytest.mark.parametrize("is_refused", [False, True])
def test_messages_that_come_to_the_host_are_counted(is_refused, each_place, monkeypatch):
    """Of threads on a device those that cannot be carried out there."""
    if is_refused:
        monkeypatch.setattr(Router, "send_unasked", lambda router, message: False)
    inline = np.zeros((2, 48), np.uint32)
    line = "send (16) r20.0<1>:ud r10.0<8;8,1>:ud constant_cache 0x02480400:ud"
    program = Program(
        [*SET_UP, *objects(inline)], f"{HEADER}\n{OFFSETS}\n{line}",
        surfaces=[buffer_surface(0, SIZE)], data=[bytes(SIZE)],
    )  # fmt: skip
    dispatch = reduce(together, [executed.dispatch for executed in program.run() if executed.dispatch])
    is_there = each_place is not None or programs.where_threads_run is not None
    assert dispatch.tally.brought == (is_refused and is_there)
    told = f", {dispatch.tally.brought} messages by the host" in threads_in_words(dispatch)
    assert told == bool(dispatch.tally.brought)


def test_stateless_messages_begin_at_general_state_base():
    memory = _memory(7)
    line = "send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x024803ff:ud"
    for other in (0, 2):
        _, found = _run([_header(2, 1024), _header(other, 0)], line, memory)
        assert np.array_equal(found[0, :64], memory[1024 + 32 :][:64])
        assert np.array_equal(found[1, :64], memory[16 * other :][:64])
    with pytest.raises(CaptureError, match=rf"4 bytes at {DATA + SIZE:#x} are not mapped"):
        _run(_header(SIZE // 16), line, memory)
    _, found = _run(_header(0, DATA_STEP), line, memory)  # one buffer further on
    assert not found[0, :64].any()


@pytest.mark.parametrize(("code", "owords"), [(0, 1), (2, 4)])
@pytest.mark.parametrize("header", [True, False])
def test_dual_blocks(code, owords, header):
    memory, base = _memory(10), 7 if header else 0
    offsets = [3, 0, 0, 0, SIZE // 16 - 2 - base, 0, 0, 0]
    inline = [*_header(base), *offsets] if header else offsets
    mask = "mov (1) f0.0<1>:uw 0x0040:uw\n(+f0.0) "
    length = 1 + header
    read = 0x00008000 | code << 8 | header << 19
    for cache in ("data_cache", "constant_cache"):
        line = f"send (8) r20.0<1>:ud r10.0<8;8,1>:ud {cache} {read | length << 25 | owords << 20:#010x}:ud"
        padded = np.concatenate([memory, np.zeros(256, np.uint8)]).reshape(-1, 16)
        for prefix, halves in (("", (True, True)), (mask, (False, True))):
            _, found = _run(inline, prefix + line, memory)
            rows = found[0].reshape(-1, 16)
            for k in range(owords):
                for half, start in enumerate((base + 3, SIZE // 16 - 2)):
                    wanted = padded[start + k] if halves[half] else np.full(16, 0x77, np.uint8)
                    assert np.array_equal(rows[2 * k + half], wanted)
            assert (rows[2 * owords :] == 0x77).all()
    data = np.arange(50, 50 + 8 * owords)
    write = 0x00028000 | code << 8 | header << 19 | (length + owords) << 25
    line = f"mov (1) f0.0<1>:uw 0x00d7:uw\n(+f0.0) send (8) null:ud r10.0<8;8,1>:ud data_cache {write:#010x}:ud"
    after, _ = _run([*inline, *data], line, memory)
    expected = memory.copy().view("<u4").reshape(-1, 4)
    for k in range(owords):
        for channel in range(8):
            row = (base + 3 if channel < 4 else SIZE // 16 - 2) + k
            if 0xD7 >> channel & 1 and row < len(expected):
                expected[row, channel % 4] = data[8 * k + channel]
    assert np.array_equal(after, expected.reshape(-1).view(np.uint8))


@pytest.mark.parametrize(("code", "size"), [(0, 1), (1, 2), (2, 4)])
@pytest.mark.parametrize("slots", [8, 16])
def test_scattered_bytes(code, size, slots):
    memory, rng = _memory(11), np.random.default_rng(12)
    surface_B = 1024
    offsets = rng.integers(0, surface_B + 8, slots)
    enabled = [0xB6F5 >> n & 1 for n in range(slots)]
    mask = "mov (1) f0.0<1>:uw 0xb6f5:uw\n(+f0.0) "
    registers = slots // 8
    control = code << 10 | (slots == 16) << 8 | 1 << 19
    read = 4 << 14 | control | (1 + registers) << 25 | registers << 20
    line = f"{mask}send ({slots}) r20.0<1>:ud r10.0<8;8,1>:ud data_cache {read:#010x}:ud"
    bound = RenderSurfaceState(surface_type="SURFTYPE_BUFFER", base_address=DATA, entries=surface_B // 4, pitch=1)
    _, found = _run([*_header(5), *offsets], line, memory, index0=bound)
    for n, offset in enumerate(offsets):
        expected = np.full(4, 0x77, np.uint8)
        if enabled[n]:
            places = 5 + offset + np.arange(size)
            expected[:size] = np.where(places < surface_B, memory[places], 0)
        assert np.array_equal(found[0, 4 * n : 4 * n + 4], expected)
    values = rng.integers(0, 1 << 32, slots, np.uint32)
    write = 12 << 14 | control | (1 + 2 * registers) << 25
    line = f"{mask}send ({slots}) null:ud r10.0<8;8,1>:ud data_cache {write:#010x}:ud"
    after, _ = _run([*_header(5), *offsets, *values], line, memory, index0=bound)
    expected = memory.copy()
    for n, offset in enumerate(offsets):
        for byte in range(size):
            if enabled[n] and 5 + offset + byte < surface_B:
                expected[5 + offset + byte] = values[n] >> 8 * byte & 255
    assert np.array_equal(after, expected)


def test_disabled_slots_of_stateless_reads_touch_nothing():
    line = "mov (1) f0.0<1>:uw 0x0001:uw\n(+f0.0) send (8) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x0418c2ff:ud"
    _, found = _run([*_header(0), 2, *[0x20000000] * 7], line, _memory(13))
    assert np.array_equal(found[0, :4], _memory(13)[8:12])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("send (8) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x0210c2ff:ud", "stateless messages need a header"),
        ("send (8) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x04190c00:ud", "byte count code 3 is reserved|legal"),
        ("send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x02400300:ud", "this data port message needs a header"),
        ("send (16) null:ud r10.0<8;8,1>:ud data_cache 0x040a0300:ud", "the message has 2 registers, its type needs 3"),
    ],
)
def test_illegal_messages(line, message):
    with pytest.raises(CaptureError, match=message):
        _run(_header(0), line, _memory(8))


def test_blocks_need_buffers():
    line = "send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x02480300:ud"
    with pytest.raises(CaptureError, match="data port blocks need a buffer, surface 0 is SURFTYPE_2D"):
        _run(_header(0), line, _memory(9), index0=RenderSurfaceState(base_address=DATA))


def test_a_null_surface_reads_zeros_and_drops_what_is_written():
    null = RenderSurfaceState(surface_type="SURFTYPE_NULL", base_address=DATA)
    memory = _memory(10)
    line = "send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x02480400:ud"
    _, found = _run(_header(0), line, memory, index0=null)
    assert (found == 0).all()
    line = "send (16) null:ud r10.0<8;8,1>:ud data_cache 0x0a0a0400:ud"
    after, _ = _run([*_header(8), *range(100, 132)], line, memory, index0=null)
    assert np.array_equal(after, memory)


def test_dwords_are_aligned_by_their_address_wherever_the_buffer_object_begins(each_place):
    """Addresses of captures need not be those of pages."""
    memory, device = CaseMemory(), get_device("cpu") if each_place is None else each_place
    parts = buffer(1, 0x10000, MiBatchBufferEnd().pack()), buffer(9, 0x20003, bytes(range(18)))
    memory.enter(Capture.from_bytes(capture_bytes(*parts)))
    buffers = Buffers(SurfaceTable(memory, 0, 0), 0, Budget(9), SharedMemory.none(), device)
    there, offsets = Buffer(np.array([0x20004]), None), np.array([[12, 0]])
    found = device.download(buffers.load(there, offsets, None))
    assert found.tobytes() == bytes([13, 14, 15, 16, 1, 2, 3, 4])
    buffers.store(there, offsets, device.upload(found + np.uint32(1)), np.ones((1, 2), bool))
    assert memory.read(0x20004, 16) == bytes([2, 2, 3, 4, *range(5, 13), 14, 14, 15, 16])
    with pytest.raises(CaptureError, match="4 bytes at 0x20014 are not mapped"):
        buffers.load(there, offsets + 4, None)
