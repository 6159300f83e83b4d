"""URB reads and writes, held to one dword at a time by the manual's tables (seed 002:9348-10262)."""

import numpy as np
import pytest
from support.crossings import brought_by_messages
from support.programs import SET_UP, Program, buffer_surface, objects

from texsamp.device import get_device
from texsamp.errors import CaptureError
from texsamp.state.thread_messages import UrbDescriptor, UrbHeader

pytestmark = pytest.mark.usefixtures("each_place")
CPU = get_device("cpu")

OPCODES = {"hword": (0, 2), "oword": (1, 3)}
UNTOUCHED = 0x77777777


def _descriptor(opcode, length, response, **fields):
    word = UrbDescriptor(opcode=opcode, **fields).to_dwords()[0]
    return word | 1 << 19 | length << 25 | response << 20


def _run(write, read, writer, reader, data, registers, guard="", device="", l3_control=None, to=30, read_guard=""):
    """Registers that come back, (threads, registers, 8). writer, reader: headers, one per thread.

    to: where they come back; from 80 on they lie where the reader's header is.
    """
    threads = len(data)
    lines = [
        f"{guard}send (8) null:ud r2.0<8;8,1>:ud urb {write:#010x}:ud",
        "mov (8) r80.0<1>:ud r1.0<8;8,1>:ud",
        *(f"mov (8) r{30 + i}.0<1>:ud {UNTOUCHED:#x}:ud" for i in range(4)),
        f"{read_guard}send (8) r{to}.0<1>:ud r80.0<8;8,1>:ud urb {read:#010x}:ud",
        "mov (8) r90.0<1>:ud 0:ud",
        "mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 8:uw",
        *(f"mov (8) r{91 + i}.0<1>:ud r{to + i}.0<8;8,1>:ud" for i in range(4)),
        "send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0400:ud",
    ]
    payload = np.concatenate([reader[:, None], writer[:, None], data], axis=1).reshape(threads, -1)
    if guard or read_guard:
        lines.insert(0, "mov (1) f0.0<1>:uw 0xad:uw")
    program = Program(
        [*SET_UP, *objects(payload)],
        "\n".join(lines),
        surfaces=[buffer_surface(0, threads * 128)],
        data=[bytes(threads * 128)],
    )
    program.context.device = device
    if l3_control is not None:
        program.context.registers.write(0xB020, l3_control)
    program.run()
    return program.data(0).view("<u4").reshape(threads, 4, 8)[:, :registers]


def _headers(handles, **fields):
    return np.array([UrbHeader(handle_0=a, handle_1=b, **fields).to_dwords() for a, b in handles], np.uint32)


ALL = [True] * 8
MASK = [True, True, False, True, True, False, True, True]


def _place(kind, swizzle, handles, offset, register, lane, slots):
    """Byte of a dword of the data, or None if the message does not hold it."""
    unit = 32 if kind == "hword" else 16
    entry = int(swizzle == "INTERLEAVED" and lane >= 4)
    start = 64 * handles[entry] + unit * (offset + slots[entry])
    if swizzle == "INTERLEAVED":
        return start + 16 * register + 4 * (lane % 4)
    return start + (32 * register + 4 * lane if kind == "hword" else 4 * (lane % 4))


@pytest.mark.parametrize("guard", ["", "(+f0.0) "])
@pytest.mark.parametrize("slots", [None, (2, 5)])
@pytest.mark.parametrize("swizzle", ["NOSWIZZLE", "INTERLEAVED"])
@pytest.mark.parametrize("kind", ["hword", "oword"])
def test_what_is_written_is_read(kind, swizzle, slots, guard):
    rng = np.random.default_rng(1)
    registers = 3 if kind == "hword" else 1
    data = rng.integers(1, 1 << 31, (2, registers, 8)).astype(np.uint32)
    handles = [(3, 30), (60, 90)]
    high = kind == "oword" and slots is not None
    fields = {"slot_offset_0": 2, "slot_offset_1": 5, "high_oword": high}
    common = {"swizzle": swizzle, "per_slot_offset": slots is not None}
    write = _descriptor(OPCODES[kind][0], 1 + registers, 0, global_offset=4, **common)
    read = _descriptor(OPCODES[kind][1], 1, registers, global_offset=3, **common)
    writer, reader = (_headers(handles, channel_mask=mask, **fields) for mask in (MASK, ALL))
    found = _run(write, read, writer, reader, data, registers, guard)
    for thread in range(2):
        memory = {}
        for register in range(registers):
            for lane in range(8):
                half = kind == "oword" and swizzle == "NOSWIZZLE" and (lane >= 4) != high
                if MASK[lane] and not half and (not guard or 0xAD >> lane & 1):
                    at = _place(kind, swizzle, handles[thread], 4, register, lane, slots or (0, 0))
                    memory[at] = int(data[thread, register, lane])
        for register in range(registers):
            for lane in range(8):
                half = kind == "oword" and swizzle == "NOSWIZZLE" and (lane >= 4) != high
                at = _place(kind, swizzle, handles[thread], 3, register, lane, slots or (0, 0))
                assert found[thread, register, lane] == (UNTOUCHED if half else memory.get(at, 0))
    assert kind == "oword" or len(np.unique(found)) > 5


@pytest.mark.parametrize("to", [30, 80])
@pytest.mark.parametrize("swizzle", ["NOSWIZZLE", "INTERLEAVED"])
def test_reads_keep_what_is_off_and_may_lie_where_their_header_is(swizzle, to):
    rng = np.random.default_rng(2)
    data, handles = rng.integers(1, 1 << 31, (2, 3, 8)).astype(np.uint32), [(3, 30), (60, 90)]
    write = _descriptor(0, 4, 0, swizzle=swizzle)
    read = _descriptor(2, 1, 3, swizzle=swizzle)
    writer, reader = (_headers(handles, channel_mask=mask) for mask in (ALL, MASK))
    found = _run(write, read, writer, reader, data, 3, to=to, read_guard="(+f0.0) ")
    enabled = np.array(MASK) & (0xAD >> np.arange(8) & 1 != 0)
    held = np.full((2, 3, 8), UNTOUCHED, np.uint32)
    if to == 80:
        held[:, 0], held[:, 1:] = reader, 0
    assert np.array_equal(found, np.where(enabled, data, held))


def test_headers_and_data_stay_where_registers_are(each_place, monkeypatch):
    if each_place is None:
        pytest.skip("of threads on a device")
    brought = brought_by_messages(monkeypatch, each_place)
    header, data = _headers([(1, 0), (9, 0)], channel_mask=ALL), np.full((2, 2, 8), 5, np.uint32)
    _run(_descriptor(0, 3, 0), _descriptor(2, 1, 2), header, header, data, 2)
    assert brought[:2] == [0, 0]


@pytest.mark.parametrize(
    ("device", "l3_control", "size_KB"),
    [
        ("ivb_gt2", None, 256), ("ivb_gt1", None, 128), ("unknown", None, 256), ("byt", None, 96), ("byt", 0x80041, 32),
        ("ivb_gt2", 0x80041, 128), ("ivb_gt1", 0x80041, 64), ("ivb_gt2", 28 << 1, 224), ("ivb_gt2", 16 << 1 | 1, 128),
        ("ivb_gt1", 28 << 1, 112),
    ],
)  # fmt: skip
def test_outside_of_the_buffer_reads_are_zero_and_writes_dropped(device, l3_control, size_KB):
    """Ways of 8 KiB, on GT1 4, by L3CNTLREG2 (volume 1 part 7, pages 38-39), half beside shared memory."""
    data = np.full((1, 2, 8), 5, np.uint32)
    last = size_KB * 16 - 1
    header = _headers([(last, 0)], channel_mask=ALL)
    write, read = _descriptor(0, 3, 0, global_offset=1), _descriptor(2, 1, 2, global_offset=1)
    found = _run(write, read, header, header, data, 2, device=device, l3_control=l3_control)
    assert found.tolist() == [[[5] * 8, [0] * 8]]


@pytest.mark.parametrize("offset", [1024, 0x10000011, 0xFFFFFFFF])
def test_slots_beyond_every_entry_read_zero_and_are_not_written(offset):
    """Mesa's domain shaders read both sides of a choice, the other one at an index that is none."""
    data = np.full((1, 2, 8), 5, np.uint32)
    header = _headers([(1, 0)], channel_mask=ALL)
    beyond = _headers([(1, 0)], slot_offset_0=offset, channel_mask=ALL)
    write, far = _descriptor(0, 3, 0), _descriptor(0, 3, 0, per_slot_offset=True)
    read, far_read = _descriptor(2, 1, 2), _descriptor(2, 1, 2, per_slot_offset=True)
    assert _run(write, far_read, header, beyond, data, 2).tolist() == [[[0] * 8] * 2]
    assert _run(far, read, beyond, header, data, 2).tolist() == [[[0] * 8] * 2]


def test_atomic_messages_change_one_dword_in_the_order_of_threads(each_place, monkeypatch):
    """002:10264-10312: 32-bit offsets; INC returns the old value in one dword, MOV stores dword 2 of the header.

    Masks of channels do not count. Outside of the buffer INC returns 0.
    """
    handles, offsets = [3, 3, 5, 3, 4095], (7, 20)
    headers = [[handle, 0, 1000 + number, *[0xFFFFFFFF] * 5] for number, handle in enumerate(handles)]
    count = _descriptor(5, 1, 1, global_offset=offsets[0])
    move = _descriptor(4, 1, 0, global_offset=offsets[1])
    lines = []
    for register, message in enumerate([count, count, move, _descriptor(5, 1, 1, global_offset=offsets[1])]):
        response = f"r{91 + register}.0<1>:ud" if message != move else "null:ud"
        lines += [f"mov (8) r{91 + register}.0<1>:ud {UNTOUCHED:#x}:ud", "mov (1) f0.0<1>:uw 0x02:uw"]
        lines += [f"(+f0.0) send (8) {response} r1.0<8;8,1>:ud urb {message:#010x}:ud"]
    lines += ["mov (8) r90.0<1>:ud 0:ud", "mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 8:uw"]
    lines += ["send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0400:ud"]
    program = Program(
        [*SET_UP, *objects(np.array(headers))], "\n".join(lines), surfaces=[buffer_surface(0, 640)], data=[bytes(640)]
    )
    brought = [] if each_place is None else brought_by_messages(monkeypatch, each_place)
    program.run()
    assert not any(brought[:4])
    found = program.data(0).view("<u4").reshape(5, 4, 8)
    memory = {}
    for message in range(4):
        for number, handle in enumerate(handles):
            at = 64 * handle + 4 * offsets[message > 1]
            old = memory.get(at, 0)
            if at + 4 <= 256 << 10:
                memory[at] = 1000 + number if message == 2 else old + 1
            expected = UNTOUCHED if message == 2 else old
            assert found[number, message].tolist() == [expected] + [UNTOUCHED] * 7
    urb = program.context.urb.on(CPU).view("<u4")
    assert {4 * int(at): int(urb[at]) for at in np.flatnonzero(urb)} == memory


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (_descriptor(0, 2, 0) & ~(1 << 19), "URB messages have a header|header_present"),
        (_descriptor(0, 1, 0), "URB_WRITE_HWORD cannot have 0 registers"),
        (_descriptor(1, 3, 0), "URB_WRITE_OWORD cannot have 2 registers"),
        (_descriptor(2, 2, 1), "a URB read is its header"),
        (_descriptor(0, 2, 1), "a URB write returns nothing"),
        (_descriptor(0, 2, 0, global_offset=1024), "at most 1023 is defined"),
        (_descriptor(5, 1, 0), "URB_ATOMIC_INC returns 1 registers, not 0"),
        (_descriptor(4, 1, 1), "URB_ATOMIC_MOV returns 0 registers, not 1"),
        (_descriptor(4, 2, 0), "URB_ATOMIC_MOV is its header alone"),
        (_descriptor(5, 1, 1, per_slot_offset=True), "without offsets per slot"),
    ],
)
def test_refusals(write, message):
    header = _headers([(0, 0)], slot_offset_0=0xFFFFFFFF)
    with pytest.raises(CaptureError, match=message):
        _run(write, _descriptor(2, 1, 1), header, header, np.zeros((1, 2, 8), np.uint32), 1)


def test_a_read_without_data_gives_a_handle_back():
    """As Mesa's hull shaders do with their input when they end."""
    header, data = _headers([(0, 0)], channel_mask=ALL), np.full((1, 1, 8), 5, np.uint32)
    release = _descriptor(3, 1, 0, complete=True, swizzle="INTERLEAVED")
    found = _run(release, _descriptor(2, 1, 1), header, header, data, 1)
    assert not found.any()
    with pytest.raises(CaptureError, match="URB_READ_OWORD cannot have 0 registers of data"):
        _run(_descriptor(3, 1, 0), _descriptor(2, 1, 1), header, header, data, 1)
