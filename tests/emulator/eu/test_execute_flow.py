"""Jumps, structured control flow and predication of many threads that go different ways, held to a scalar reference."""

import numpy as np
import pytest
from support.eu import END, Collect, Registers, emulate, hold

from texsamp.errors import CaptureError

THREADS = 7


def _registers(seed):
    """r1: channel numbers; r2: small random numbers that differ per channel and thread."""
    registers = Registers.zeros(THREADS)
    general = registers.general.view(np.int32).reshape(THREADS, 128, 8)
    general[:, 1] = np.arange(8)
    general[:, 2:4] = np.random.default_rng(seed).integers(0, 9, (THREADS, 2, 8))
    return registers


def _values(after, register):
    return after.general.view(np.int32).reshape(THREADS, 128, 8)[:, register]


def test_jmpi_moves_whole_threads():
    text = f"""
        cmp.g.f0.0 (1) null:d r2.0<0;1,0>:d 4:d
        (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud large {{NoMask}}
        mov (8) r10.0<1>:d 1:d
        jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud done {{NoMask}}
    large:
        mov (8) r10.0<1>:d 2:d
    done:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 10:d
        {END}"""
    registers = _registers(1)
    after = hold(text, registers)
    large = registers.general.view(np.int32).reshape(THREADS, 128, 8)[:, 2, 0] > 4
    assert large.any()
    assert not large.all()
    assert (_values(after, 10) == np.where(large, 12, 11)[:, None]).all()


def test_jmpi_backward_and_from_a_register():
    text = f"""
        mov (1) r10.0<1>:d 0:d
    again:
        add (1) r10.0<1>:d r10.0<0;1,0>:d 1:d
        cmp.l.f0.0 (1) null:d r10.0<0;1,0>:d r2.0<0;1,0>:d
        (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud again {{NoMask}}
        mov (1) r11.0<1>:d 2:d
        jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud r11.0<0;1,0>:d
        mov (1) r10.0<1>:d 99:d
        {END}"""
    registers = _registers(2)
    after = emulate(text, registers)
    wanted = np.maximum(registers.general.view(np.int32).reshape(THREADS, 128, 8)[:, 2, 0], 1)
    assert (_values(after, 10)[:, 0] == wanted).all()


def test_if_else_endif_nested():
    hold(
        f"""
        cmp.g.f0.0 (8) null:d r2.0<8;8,1>:d 4:d
        (+f0.0) if (8) jip=other uip=joined
        mov (8) r10.0<1>:d 1:d
        cmp.z.f0.1 (8) null:d r3.0<8;8,1>:d 3:d
        (-f0.1) if (8) jip=inner uip=inner
        add (8) r10.0<1>:d r10.0<8;8,1>:d 100:d
        mov (1) r12.0<1>:d 1:d {{NoMask}}
    inner:
        endif (8) jip=2
        else (8) jip=joined
    other:
        mov (8) r10.0<1>:d 2:d
        mov (1) r13.0<1>:d 1:d {{NoMask}}
    joined:
        endif (8) jip=2
        add (8) r11.0<1>:d r10.0<8;8,1>:d r1.0<8;8,1>:d
        {END}""",
        _registers(3),
    )


def test_the_low_half_of_the_execution_mask_serves_both_halves_of_32_channels():
    after = hold(
        f"""
        cmp.g.f0.0 (16) null:d r2.0<8;8,1>:d 4:d
        (+f0.0) if (16) jip=joined uip=joined
        mov (32) r10.0<1>:uw 7:uw
    joined:
        endif (16) jip=2
        {END}""",
        _registers(14),
    )
    written = after.general[:, 320:384].view(np.uint16) == 7
    assert 0 < written.sum() < written.size
    assert np.array_equal(written[:, :16], written[:, 16:])


@pytest.mark.parametrize("size", [8, 16])
def test_loops_with_break_and_continue(size):
    after = hold(
        f"""
        mov ({size}) r10.0<1>:d 0:d
        mov ({size}) r12.0<1>:d 0:d
    top:
        add ({size}) r10.0<1>:d r10.0<8;8,1>:d 1:d
        cmp.g.f0.0 ({size}) null:d r10.0<8;8,1>:d r2.0<8;8,1>:d
        (+f0.0) break ({size}) jip=bottom uip=bottom
        cmp.z.f0.1 ({size}) null:d r10.0<8;8,1>:d 3:d
        (+f0.1) cont ({size}) jip=bottom uip=bottom
        add ({size}) r12.0<1>:d r12.0<8;8,1>:d r10.0<8;8,1>:d
    bottom:
        while ({size}) jip=top
        add ({size}) r14.0<1>:d r12.0<8;8,1>:d 1000:d
        {END}""".replace("f0.1", "f1.0"),
        _registers(4),
    )
    limit = _values(after, 2)
    total = limit * (limit + 1) // 2 - 3 * (limit >= 3)
    assert (_values(after, 14) == total + 1000).all()


@pytest.mark.parametrize("name", ["brd", "halt", "brc"])
def test_branches_of_single_channels(name):
    uip = "" if name == "brd" else "uip=away"
    options = " {Switch}" if name != "halt" else ""
    hold(
        f"""
        cmp.g.f0.0 (8) null:d r2.0<8;8,1>:d 4:d
        (+f0.0) {name} (8) jip=away {uip}{options}
        add (8) r10.0<1>:d r1.0<8;8,1>:d 1:d
        mov (1) r11.0<1>:d 5:d {{NoMask}}
    away:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 10:d
        {END}""",
        _registers(5),
    )


def test_brc_takes_channels_to_uip_past_jip():
    """Seed 004:4585: channels that left are off until UIP; a thread that all left does not go on behind the branch."""
    registers = _registers(8)
    taken = registers.general.view(np.int32).reshape(THREADS, 128, 8)[:, 2]
    taken[0], taken[1] = 8, 0
    after = hold(
        f"""
        cmp.g.f0.0 (8) null:d r2.0<8;8,1>:d 4:d
        (+f0.0) brc (8) jip=inner uip=away {{Switch}}
        mov (1) r12.0<1>:d 1:d {{NoMask}}
        mov (8) r10.0<1>:d 2:d
    inner:
        mov (8) r11.0<1>:d 4:d
    away:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 10:d
        {END}""",
        registers,
    )
    away = taken > 4
    assert (_values(after, 12)[:, 0] == np.where(away.all(axis=1), 0, 1)).all()
    assert (_values(after, 10) == np.where(away, 10, 12)).all()
    assert (_values(after, 11) == np.where(away, 0, 4)).all()


def test_a_thread_that_all_channels_left_goes_on_at_jip_where_only_nomask_has_an_effect():
    """Volume 4 part 3, pages 156-179: the thread jumps to JIP, and its channels wait at UIP."""
    for name, options in (("halt", ""), ("brc", " {Switch}"), ("cont", ""), ("break", "")):
        away = "jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 0:d" if name != "break" else "while (8) jip=2"
        registers = _registers(9)
        left = registers.general.view(np.int32).reshape(THREADS, 128, 8)[:, 2]
        left[0], left[1] = 8, 0
        after = hold(
            f"""
            cmp.g.f0.0 (8) null:d r2.0<8;8,1>:d 4:d
            (+f0.0) {name} (8) jip=inner uip=away{options}
            mov (1) r12.0<1>:d 1:d {{NoMask}}
        inner:
            mov (1) r13.0<1>:d 1:d {{NoMask}}
            mov (8) r14.0<1>:d 1:d
        away:
            {away}
            {END}""",
            registers,
        )
        assert (_values(after, 12)[:, 0] == np.where((left > 4).all(axis=1), 0, 1)).all()
        assert (_values(after, 13)[:, 0] == 1).all()
        assert (_values(after, 14) == (left <= 4)).all()


@pytest.mark.parametrize("seed", [20, 21, 22])
def test_branches_out_of_nested_blocks_hop_from_end_to_end(seed):
    """All of `if`, `else`, `endif`, `while` and `jmpi` are passed by threads that no channel is enabled in."""
    registers = _registers(seed)
    small = registers.general.view(np.int32).reshape(THREADS, 128, 8)
    small[::2, 2], small[::2, 3] = 8 - seed % 3, np.arange(1, 5)[:, None]
    after = hold(
        f"""
        mov (8) r10.0<1>:d 0:d
    top:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1:d
        add (1) r20.0<1>:d r20.0<0;1,0>:d 1:d {{NoMask}}
        cmp.g.f0.0 (8) null:d r2.0<8;8,1>:d 3:d
        (+f0.0) if (8) jip=other uip=joined
        cmp.g.f0.1 (8) null:d r10.0<8;8,1>:d r3.0<8;8,1>:d
        (+f0.1) break (8) jip=behind_if uip=bottom
        add (1) r21.0<1>:d r21.0<0;1,0>:d 1:d {{NoMask}}
        cmp.z.f0.1 (8) null:d r10.0<8;8,1>:d 2:d
        (+f0.1) cont (8) jip=behind_if uip=bottom
    behind_if:
        add (1) r22.0<1>:d r22.0<0;1,0>:d 1:d {{NoMask}}
        if (8) jip=inner uip=inner
        add (1) r23.0<1>:d r23.0<0;1,0>:d 1:d {{NoMask}}
    inner:
        endif (8) jip=joined
        jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 2:d
        add (1) r24.0<1>:d r24.0<0;1,0>:d 1:d {{NoMask}}
        else (8) jip=joined
    other:
        cmp.g.f1.0 (8) null:d r10.0<8;8,1>:d r2.0<8;8,1>:d
        (+f1.0) halt (8) jip=joined uip=end
    joined:
        endif (8) jip=bottom
        add (1) r25.0<1>:d r25.0<0;1,0>:d 1:d {{NoMask}}
        cmp.l.f0.1 (8) null:d r10.0<8;8,1>:d 6:d
    bottom:
        (+f0.1) while (8) jip=top
        add (1) r26.0<1>:d r26.0<0;1,0>:d 1:d {{NoMask}}
        add (8) r11.0<1>:d r10.0<8;8,1>:d 100:d
    end:
        add (8) r11.0<1>:d r11.0<8;8,1>:d 1:d
        {END}""",
        registers,
    )
    assert not _values(after, 24).any()
    assert len(set(_values(after, 22)[:, 0].tolist())) > 1


def test_a_thread_ends_where_it_is_without_channels():
    registers = Registers.zeros(2)
    registers.general.view(np.int32).reshape(2, 128, 8)[0, 2] = 1
    after = hold(
        f"""
        mov (1) f0.0<1>:ud -r2.0<0;1,0>:ud
        (+f0.0) halt (32) jip=inner uip=away
    inner:
        {END}
    away:
        mov (1) r13.0<1>:d 1:d {{NoMask}}
        {END}""",
        registers,
    )
    assert not after.general.view(np.int32).reshape(2, 128, 8)[:, 13].any()


@pytest.mark.parametrize(("name", "packed"), [("brd", 4), ("brc", 4 << 16 | 4)])
def test_branches_by_registers(name, packed):
    text = f"""
        mov (1) r20.0<1>:d {packed}:d
        {name} (8) null:d r20.0<0;1,0>:d {{Switch}}
        mov (8) r10.0<1>:d 99:d
        mov (8) r11.0<1>:d 1:d
        {END}"""
    after = emulate(text, _registers(6))
    assert not _values(after, 10).any()
    assert _values(after, 11).all()


def test_threads_end_one_by_one():
    text = f"""
        cmp.g.f0.0 (1) null:d r2.0<0;1,0>:d 4:d
        (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud late {{NoMask}}
        {END}
    late:
        mov (8) r10.0<1>:d 1:d
        {END}"""
    registers = _registers(7)
    collect = Collect()
    after = emulate(text, registers, collect)
    large = registers.general.view(np.int32).reshape(THREADS, 128, 8)[:, 2, 0] > 4
    assert (_values(after, 10)[:, 0] == large).all()
    assert [rows for *_, rows, _ in collect.messages] == [
        np.flatnonzero(~large).tolist(),
        np.flatnonzero(large).tolist(),
    ]


def test_messages_take_only_enabled_threads_and_descriptors_come_in_order():
    text = f"""
        mov (1) a0.0<1>:ud 0x02000000:ud
        cmp.g.f0.0 (1) null:d r2.0<0;1,0>:d 4:d
        (+f0.0) mov (1) a0.0<1>:ud 0x02000001:ud
        send (1) null:ud r2.0<0;1,0>:ud data_cache a0.0<0;1,0>:ud
        (+f0.0) send (1) null:ud r2.0<0;1,0>:ud gateway 0x02000007:ud
        {END}"""
    registers = _registers(8)
    collect = Collect()
    emulate(text, registers, collect)
    large = registers.general.view(np.int32).reshape(THREADS, 128, 8)[:, 2, 0] > 4
    groups = {0x02000000: np.flatnonzero(~large).tolist(), 0x02000001: np.flatnonzero(large).tolist()}
    first = int(large[0])
    sent = [(function, descriptor, rows) for function, descriptor, rows, _ in collect.messages]
    order = [0x02000000 + first, 0x02000001 - first]
    assert sent[:2] == [(10, descriptor, groups[descriptor]) for descriptor in order]
    assert sent[2] == (3, 0x02000007, groups[0x02000001])
    assert collect.messages[2][3].tobytes() == registers.general[large, 64:96].tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("top:\njmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top", "more than the limit on executed work"),
        ("nop (1)", "EU offset 0x10: the kernel ends before its threads do"),
        ("jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud -9:d", r"EU offset -0x38: the kernel ends"),
        ("mov (1) f0.0<1>:uw 0x55:uw\n(+f0.0) while (8) jip=-20\nnop (1)", r"EU offset -0x90: the kernel ends"),
        ("jmpi (2) ip.0<1>:ud ip.0<0;1,0>:ud 2:d", "jmpi is a scalar instruction"),
        ("brd (8) jip=2", "brd needs the Switch option"),
        ("if (32) jip=2 uip=2 {Q2}", "channels 8 on of 32"),
        ("send (1) null:ud r2.1<0;1,0>:ud sampler 0x0:ud", "begin with whole registers"),
        ("send (1) r9.0<1>:ud r2.0<0;1,0>:ud spawner 0x02000010:ud {EOT}", "has a null destination and an immediate"),
        ("send (1) null:ud r2.0<0;1,0>:ud spawner a0.0<0;1,0>:ud {EOT}", "has a null destination and an immediate"),
        ("send (1) null:ud r[a0.0, 0]<0;1,0>:ud sampler 0x0:ud", "in general registers"),
    ],
)
def test_illegal_flow(text, message):
    with pytest.raises(CaptureError, match=message):
        emulate(text, Registers.zeros(2), steps=1000)


def test_the_components_of_an_align16_message_are_part_of_its_mask():
    functions = _Masks()
    emulate(
        f"send (8) null<1>.xz:ud r2.0<4>.xyzw:ud sampler 0x02000000:ud {{align16}}\n{END}",
        Registers.zeros(1),
        functions,
    )
    assert functions.masks[0].tolist() == [[True, False, True, False] * 2]
    assert functions.masks[1].all()


def test_instructions_of_the_engine_cost_less_than_array_operations():
    """A loop over 64 x 64 texels in one thread is no hostile one."""
    lines = ["mov (1) r1.0<1>:ud 64:ud", "top:"]
    lines += [f"add (8) r{2 + n}.0<1>:f r{2 + n}.0<8;8,1>:f 1.0:f" for n in range(30)]
    lines += ["add.nz.f0.0 (1) r1.0<1>:d r1.0<0;1,0>:d -1:d", "(+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top", END]
    after = emulate("\n".join(lines), Registers.zeros(1), steps=700)
    assert (after.general.view("<f4").reshape(128, 8)[2:32] == 64).all()


@pytest.mark.parametrize("size", [8, 16])
@pytest.mark.parametrize("taken", [True, False])
def test_a_side_that_no_channel_of_a_kernel_takes_is_not_executed(size, taken):
    """NoMask would have an effect there, were the channels behind the kernel's own to go that way."""
    lines = [
        f"cmp.{'z' if taken else 'nz'}.f0.0 ({size}) null:ud r1.0<0;1,0>:ud r1.0<0;1,0>:ud",
        f"(+f0.0) if ({size}) jip=6 uip=8",
        "mov (1) r10.0<1>:ud 1:ud {NoMask}",
        f"else ({size}) jip=4",
        "mov (1) r11.0<1>:ud 1:ud {NoMask}",
        f"endif ({size}) jip=2",
        f"(+f0.0) break ({size}) jip=4 uip=4",
        "mov (1) r12.0<1>:ud 1:ud {NoMask}",
        f"while ({size}) jip=-4",
        END,
    ]
    kernel = "\n".join(lines if taken else [*lines[:6], END])
    after = emulate(kernel, Registers.zeros(3)).general.view("<u4").reshape(3, 128, 8)[:, 10:13, 0]
    assert after.tolist() == [[int(taken), int(not taken), 0]] * 3


@pytest.mark.parametrize(("swizzle", "descriptor"), [("xxxx", 0x02000001), ("yyyy", 0x02000002), ("wzyx", 0x02000004)])
def test_a_descriptor_in_a0_may_be_read_in_align16(swizzle, descriptor):
    """Mesa's vertex and geometry shaders send so when they index samplers and buffers."""
    moves = "".join(f"mov (1) a0.{n}<1>:ud {0x02000001 + n:#x}:ud {{NoMask}}\n" for n in range(4))
    functions = _Masks()
    emulate(
        f"{moves}send (8) null<1>.xyzw:ud r2.0<4>.xyzw:ud sampler a0.0<0>.{swizzle}:ud {{align16}}\n{END}",
        Registers.zeros(1),
        functions,
    )
    assert functions.descriptors[0] == descriptor


class _Masks:
    """Shared functions that note down descriptors and which channels were enabled."""

    def __init__(self):
        self.masks, self.descriptors = [], []

    def send(self, message):
        self.masks.append(message.mask)
        self.descriptors.append(message.descriptor)
