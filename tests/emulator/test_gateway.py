"""Message gateway: forwarded messages, clocks and registers (volume 4 part 2, pages 5-16)."""

import numpy as np
import pytest
from support.crossings import registers_brought
from support.programs import BASES, CURBE, DESCRIPTORS, SELECT, Program, buffer_surface, objects

from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaVfeState
from texsamp.state.commands_mi import MiLoadRegisterImm

pytestmark = pytest.mark.usefixtures("each_place")

FILL = 0xEEEEEEEE
TICKS = 320
"""Quarters of a nanosecond of a tick of TIMESTAMP."""


def _run(kernel, threads=1, commands=(), **vfe):
    """Register 40 of every thread at the end, (threads, 8)."""
    store = f"""
        mov (8) r40.0<1>:ud {FILL:#x}:ud
        mov (8) r30.0<1>:ud 0:ud
        {kernel}
        mov (8) r100.0<1>:ud 0:ud
        mul (1) r100.2<1>:ud r0.6<0;1,0>:ud 4:uw
        mov (8) r101.0<1>:ud r40.0<8;8,1>:ud
        mov (8) r102.0<1>:ud r41.0<8;8,1>:ud
        send (16) null:ud r100.0<8;8,1>:ud data_cache 0x060a0300:ud
    """
    state = MediaVfeState(max_threads=60, urb_entries=1, curbe_size=32, **vfe)
    ready = (SELECT, BASES, state, CURBE, DESCRIPTORS)
    program = Program(
        [*ready, *commands, *objects(np.arange(threads)[:, None])], store,
        surfaces=[buffer_surface(0, 64 * threads)], data=[bytes(64 * threads)],
    )  # fmt: skip
    program.run()
    return program.data().view("<u4").reshape(threads, 2, 8)[:, 0], program


OPEN = """
    mov (1) r30.5<1>:ud {VALUE}:ud
    send (8) null:ud r30.0<8;8,1>:ud gateway 0x02000000:ud
"""
FORWARD = """
    mov (8) r31.0<1>:ud 0:ud
    mov (4) r31.0<1>:ud 0x4444aabb:ud
    mov (1) r31.1<1>:ud 0x22222222:ud
    mov (1) r31.5<1>:ud {WHERE}:ud
    mov (1) r31.4<1>:ud {WHOM}:ud
    send (8) {RESPONSE}:ud r31.0<8;8,1>:ud gateway {DESCRIPTOR}:ud
"""


def _forward(where, whom=0, response="null", descriptor="0x02000002"):
    return (
        FORWARD.replace("{WHERE}", f"{where:#x}").replace("{WHOM}", f"{whom:#x}")
        .replace("{RESPONSE}", response).replace("{DESCRIPTOR}", descriptor)
    )  # fmt: skip


ACKNOWLEDGED = {"response": "r33.0<1>", "descriptor": "0x0210c002"}


@pytest.mark.parametrize("more", [{}, ACKNOWLEDGED, {"descriptor": "0x02008002"}], ids=["", "told", "wakes"])
def test_what_messages_are_about_stays_where_registers_are(more, each_place, monkeypatch):
    """Whether something is illegal comes, and who is woken; of the clock nothing."""
    if each_place is None:
        pytest.skip("of threads on a device")
    brought = registers_brought(monkeypatch, each_place)
    kernel = OPEN.replace("{VALUE}", f"{38 << 21 | 2 << 8:#x}")
    kernel += _forward(2 << 21 | 4 << 16 | 1 << 8, whom=1 << 16, **more)
    kernel += "send (8) r35.0<1>:ud r30.0<8;8,1>:ud gateway 0x02104003:ud\n"
    _run(kernel, threads=9)
    assert sum(len(each) for kind, each in brought.items() if kind[0] == "gateway") == 3
    assert max(max(each) for kind, each in brought.items() if kind[0] == "gateway") * 32 * 9 <= 9 * 4 + 2 * 8


def test_of_bytes_that_meet_the_last_sender_s_stay():
    """Nine threads send a dword each to their own first register's neighbors, thread by thread a byte further."""
    kernel = (
        OPEN.replace("{VALUE}", f"{38 << 21 | 2 << 8:#x}")
        + """
        mov (8) r31.0<1>:ud 0:ud
        mul (1) r31.0<1>:ud r0.6<0;1,0>:ud 0x1111:uw
        add (1) r31.0<1>:ud r31.0<0;1,0>:ud 0x01020304:ud
        and (1) r32.0<1>:ud r0.6<0;1,0>:ud 3:ud
        shl (1) r32.0<1>:ud r32.0<0;1,0>:ud 18:ud
        or (1) r31.5<1>:ud r32.0<0;1,0>:ud 0x00400200:ud
        mov (1) r31.4<1>:ud 0x20000:ud
        send (8) null:ud r31.0<8;8,1>:ud gateway 0x02000002:ud
    """
    )
    found, _ = _run(kernel, threads=9)
    expected = np.full((9, 8), FILL, np.uint32)
    for thread in range(9):
        expected[2, thread & 3] = thread * 0x1111 + 0x01020304
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("length", "byte", "written"),
    [
        (0, 5, {5: 0xBB}), (1, 6, {6: 0xBB, 7: 0xAA}), (2, 8, {8: 0xBB, 9: 0xAA, 10: 0x44, 11: 0x44}),
        (3, 16, {16: 0xBB, 17: 0xAA, 18: 0x44, 19: 0x44, **dict.fromkeys(range(20, 24), 0x22)}),
    ],
)  # fmt: skip
def test_a_thread_writes_a_register_of_another(length, byte, written):
    """Thread 1 of execution unit 0 has opened its gateway from r38 on; all threads write into its third register."""
    kernel = OPEN.replace("{VALUE}", f"{38 << 21 | 2 << 8:#x}") + _forward(
        2 << 21 | byte << 16 | length << 8, whom=1 << 16
    )
    found, _ = _run(kernel, threads=3)
    expected = np.full((3, 32), 0xEE, np.uint8)
    for at, value in written.items():
        expected[1, at] = value
    assert np.array_equal(found.view(np.uint8), expected)


def test_four_dwords_and_a_bypassed_gateway():
    found, _ = _run(_forward(40 << 21 | 4 << 8, whom=0), threads=2, bypass_gateway=True)
    assert found.tolist() == [[0x4444AABB, 0x22222222, 0x4444AABB, 0x4444AABB] + [FILL] * 4, [FILL] * 8]


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (_forward(40 << 21 | 2 << 8, response="r40.0<1>", descriptor="0x02104002"), 2),  # closed
        (_forward(40 << 21 | 2 << 8, whom=5 << 24, response="r40.0<1>", descriptor="0x02104002"), 2),  # nobody
        (OPEN.replace("{VALUE}", f"{41 << 21:#x}") + _forward(5 << 8, 0, "r40.0<1>", "0x02104002"), 6),
        (OPEN.replace("{VALUE}", f"{41 << 21:#x}") + _forward(2 << 8, 0, "r40.0<1>", "0x02104002"), 0),
        (
            OPEN.replace("{VALUE}", f"{41 << 21:#x}") + "send (8) null:ud r30.0<8;8,1>:ud gateway 0x02000001:ud"
            + _forward(2 << 8, 0, "r40.0<1>", "0x02104002"), 2,
        ),
        ("send (8) r40.0<1>:ud r30.0<8;8,1>:ud gateway 0x02104004:ud", 1),  # no barrier
    ],
)  # fmt: skip
def test_acknowledgments_tell_what_went_wrong(kernel, code):
    found, _ = _run(kernel)
    assert found.tolist() == [[3 << 16 | code] + [FILL] * 7]


@pytest.mark.parametrize("high", [0, 1])
def test_clocks(high):
    """Both count 80 ns; MEDIA_VFE_STATE has reset the relative one when three commands had been executed."""
    kernel = f"""
        mov (1) r30.5<1>:ud {high << 31:#x}:ud
        send (8) r40.0<1>:ud r30.0<8;8,1>:ud gateway 0x02104003:ud
    """
    commands = [MiLoadRegisterImm(register_offset=0x2358, data=1000)]
    found, _ = _run(kernel, commands=commands, reset_gateway_timer=True)
    half, other = found[0, 4 * high :][:4].tolist(), found[0, 4 - 4 * high :][:4].tolist()
    assert other == [FILL] * 4
    absolute, relative = (half[0] >> 20 | half[1] << 12), (half[2] >> 20 | half[3] << 12)
    assert absolute % TICKS == relative % TICKS == 0
    assert absolute // TICKS - relative // TICKS == 2  # what TIMESTAMP was at MEDIA_VFE_STATE
    assert absolute // TICKS >= 1000


def test_registers_are_read_and_written():
    """To MI_PREDICATE_SRC0, and what a command has left in MI_PREDICATE_SRC1."""
    kernel = """
        mov (1) r30.3<1>:ud 1:ud
        mov (1) r30.2<1>:ud 0x2400:ud
        mov (1) r30.0<1>:ud 0x1234:ud
        send (8) null:ud r30.0<8;8,1>:ud gateway 0x02000006:ud
        mov (1) r30.3<1>:ud 0:ud
        mov (1) r30.2<1>:ud 0x2408:ud
        send (8) r40.0<1>:ud r30.0<8;8,1>:ud gateway 0x02100006:ud
    """
    commands = [MiLoadRegisterImm(register_offset=0x2408, data=0x5678)]
    found, program = _run(kernel, commands=commands, gateway_mmio_access=2)
    assert found.tolist() == [[0x5678] + [FILL] * 7]
    assert program.context.registers.read(0x2400) == 0x1234


@pytest.mark.parametrize("seed", range(4))
def test_what_threads_write_to_registers_of_the_device_comes_when_a_command_reads_it(seed, each_place):
    """Of threads on a device once, however many messages there are; commands between them see it."""
    kernel = """
        mov (1) r30.3<1>:ud 1:ud
        mov (1) r30.2<1>:ud 0x2400:ud
        mov (1) r30.0<1>:ud r1.0<0;1,0>:ud
        send (8) null:ud r30.0<8;8,1>:ud gateway 0x02000006:ud
        add (1) r30.2<1>:ud r30.2<0;1,0>:ud 8:ud
        send (8) r41.0<1>:ud r30.0<8;8,1>:ud gateway 0x02104006:ud
        mov (1) r30.3<1>:ud 0:ud
        send (8) r40.0<1>:ud r30.0<8;8,1>:ud gateway 0x02100006:ud
    """
    threads = 3 + seed
    before = 0 if each_place is None else each_place.downloads
    found, program = _run(kernel, threads, gateway_mmio_access=2)
    asked = 0 if each_place is None else each_place.downloads - before
    assert program.context.registers.read_wide(0x2400) == threads - 1
    assert program.context.registers.read(0x2408) == threads - 1
    assert found[:, 0].tolist() == [threads - 1] * threads
    assert asked <= 4  # whether messages write, and what was written


READ = "mov (1) r30.2<1>:ud 0x2400:ud\nsend (8) {} r30.0<8;8,1>:ud gateway {}:ud"


@pytest.mark.parametrize(
    ("kernel", "vfe", "message"),
    [
        (READ.format("r40.0<1>:ud", "0x02100006"), {}, "gateway_mmio_access allows threads no registers"),
        (READ.format("null:ud", "0x02000006"), {"gateway_mmio_access": 2}, "returns 1 registers, not 0"),
        (OPEN.replace("{VALUE}", f"{6 << 8:#x}"), {}, "gateway size 6: codes 0 to 5 are defined"),
        (OPEN.replace("{VALUE}", "0") + _forward(2 << 8), {}, "forwarded to r0"),
        (OPEN.replace("{VALUE}", f"{9 << 21:#x}") + _forward(1 << 21 | 2 << 8), {}, "of register 1 of 1"),
        (OPEN.replace("{VALUE}", f"{9 << 21:#x}") + _forward(1 << 16 | 2 << 8), {}, "4 bytes at byte 1 of register 0"),
        ("send (8) null:ud r30.0<8;8,1>:ud gateway 0x02000003:ud", {}, "GET_TIMESTAMP without an acknowledgment"),
    ],
)
def test_gateway_errors(kernel, vfe, message):
    with pytest.raises(CaptureError, match=message):
        _run(kernel, **vfe)


def test_threads_that_hardware_could_not_tell_apart_are_named():
    with pytest.raises(CaptureError, match=r"2 threads in lockstep are thread 1 of execution unit 0: .*at most 128"):
        _run(_forward(40 << 21 | 2 << 8, whom=1 << 16), threads=130, bypass_gateway=True)


def test_an_opening_message_that_ends_its_thread_closes_the_gateway():
    """Page 7: whoever forwards to it is told so (error 2)."""
    ends = (
        OPEN.replace("{VALUE}", f"{50 << 21 | 2 << 8:#x}")
        + f"""
        cmp.z.f0.0 (8) null:ud r0.6<0;1,0>:ud 0:ud
        mov (8) r42.0<1>:ud 0:ud
        (-f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud others {{NoMask}}
        send (8) null:ud r30.0<8;8,1>:ud gateway 0x02000000:ud {{EOT}}
    others:
        {_forward(0, response="r40.0<1>", descriptor="0x02104002")}
    """
    )
    found, _ = _run(ends, threads=2)
    assert found[1, 0] == 3 << 16 | 2
    assert found[0].any() == 0
