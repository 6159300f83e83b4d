"""Subroutines and single program flow, held to a scalar reference."""

import numpy as np
import pytest
from support.eu import END, Collect, Registers, emulate, hold

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.isa.codec import decode
from texsamp.emulator.eu.registers.threads import GENERAL_B, Threads
from texsamp.errors import CaptureError

THREADS = 6


def _registers(seed):
    """r1: channel numbers, r2 and r3: small random numbers of each channel and thread."""
    registers = Registers.zeros(THREADS)
    general = registers.general.view(np.int32).reshape(THREADS, 128, 8)
    general[:, 1] = np.arange(8)
    general[:, 2:4] = np.random.default_rng(seed).integers(0, 9, (THREADS, 2, 8))
    return registers


def _rows(after):
    return after.general.view(np.int32).reshape(THREADS, 128, 8)


@pytest.mark.parametrize("where", ["before", "behind"])
def test_called_channels_run_alone_until_all_have_returned(where):
    """A predicated call of some channels, of which some return early; the others wait on either side of the routine."""
    routine = """
    routine:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 100:d
        cmp.g.f0.1 (16) null:d r3.0<8;8,1>:d 4:d
        (+f0.1) ret (16) null:ud r20.0<2;2,1>:ud
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1000:d
        add (1) r11.0<1>:d r11.0<0;1,0>:d 1:d {NoMask}
        ret (16) null:ud r20.0<2;2,1>:ud
    """
    text = f"""
        jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud start {{NoMask}}
        {routine if where == "before" else ""}
    start:
        cmp.g.f0.0 (16) null:d r2.0<8;8,1>:d 3:d
        (+f0.0) call (2) r20.0<1>:ud jip=routine
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1:d
        add (1) r12.0<1>:d r12.0<0;1,0>:d 1:d {{NoMask}}
        jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud end {{NoMask}}
        {routine if where == "behind" else ""}
    end:
        {END}"""
    registers = _registers(1)
    after, before = _rows(hold(text, registers)), _rows(registers)
    called, early = before[:, 2] > 3, before[:, 3] > 4
    assert (after[:, 10] == 1 + called * (100 + 1000 * ~early)).all()
    assert (after[:, 12, 0] == 1).all()


def test_routines_call_routines():
    text = f"""
        call (2) r20.0<1>:ud jip=outer
        jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud end {{NoMask}}
    inner:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 7:d
        ret (16) null:ud r22.0<2;2,1>:ud
    outer:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 10:d
        cmp.z.f0.0 (16) null:d r2.0<8;8,1>:d 3:d
        (-f0.0) call (2) r22.0<1>:ud jip=inner
        add (8) r10.0<1>:d r10.0<8;8,1>:d 100:d
        ret (16) null:ud r20.0<2;2,1>:ud
    end:
        {END}"""
    registers = _registers(2)
    after = _rows(hold(text, registers))
    assert (after[:, 10] == 110 + 7 * (_rows(registers)[:, 2] != 3)).all()
    assert (after[:, 20, 0] == 16).all()
    assert (after[:, 20, 1] == -1).all()


def test_a_call_of_no_channels_does_nothing():
    text = f"(+f0.0) call (2) r20.0<1>:ud jip=6\nmov (8) r10.0<1>:d 5:d\n{END}\nmov (8) r10.0<1>:d 6:d\n{END}"
    after = _rows(hold(text, Registers.zeros(THREADS)))
    assert (after[:, 10] == 5).all()
    assert not after[:, 20].any()


def test_the_end_of_a_thread_may_be_called():
    """The workaround of page 161."""
    text = f"call (2) r20.0<1>:ud jip=6 {{NoMask}}\nmov (8) r10.0<1>:d 5:d\nnop (1)\n{END}"
    assert not _rows(emulate(text, Registers.zeros(THREADS)))[:, 10].any()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("call (8) r20.0<1>:ud jip=2", "two channels of a destination"),
        ("call (2) r20.1<1>:ud jip=2", "at a multiple of 8 bytes"),
        ("call (2) null:ud jip=2", "in a general register"),
        ("call (2) r20.0<1>:uw jip=2", "two dwords"),
        ("ret (2) null:ud f0.0<2;2,1>:ud", "from a general register"),
        ("ret (2) null:ud r20.0<2;2,1>:ud", "limit on executed work"),
    ],
)
def test_calls_that_cannot_be(line, message):
    with pytest.raises(CaptureError, match=message):
        emulate(f"{line}\n{END}", Registers.zeros(1), steps=100)


SINGLE = """
        mov (8) r10.0<1>:d 0:d
    top:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1:d
        cmp.g.f0.0 (8) null:d r2.0<0;1,0>:d 4:d
        (+f0.0) if (8) jip=else uip=other
        add (8) r12.0<1>:d r12.0<8;8,1>:d 10:d
    else:
        else (8) jip=joined
    other:
        add (8) r12.0<1>:d r12.0<8;8,1>:d 3:d
    joined:
        endif (8) jip=2
        cmp.g.f0.0 (8) null:d r10.0<8;8,1>:d r3.0<8;8,1>:d
        (+f0.0) break (8) jip=bottom uip=bottom
        cmp.l.f0.0 (8) null:d r10.0<8;8,1>:d 6:d
    bottom:
        (+f0.0) while (8) jip=top
        add (8) r13.0<1>:d r10.0<8;8,1>:d r1.0<8;8,1>:d
"""


def test_in_single_program_flow_the_first_channel_decides():
    """r3 differs by channel, yet all channels leave the loop together, and UIP is where `if` goes."""
    registers = _registers(3)
    after, before = _rows(hold(SINGLE + END, registers, single=True)), _rows(registers)
    turns = np.minimum(before[:, 3, 0] + 1, 6)
    assert (after[:, 10] == turns[:, None]).all()
    assert (after[:, 12] == np.where(before[:, 2, :1] > 4, 10, 3) * turns[:, None]).all()


def test_single_program_flow_refuses_what_is_not_printed():
    for line, message in (
        ("(+f0.0) brc (8) jip=2 uip=2 {Switch}", "which of its distances counts"),
        ("(+f0.0) if (8) jip=2 uip=2 {Q2}", "the first channels only"),
    ):
        with pytest.raises(CaptureError, match=message):
            emulate(f"{line}\n{END}", Registers.zeros(1), single=True)


def _while_at(code):
    return next(at for at in range(0, len(code), 16) if code[at] == 39)


def _compact_while(distance):
    """The compact form of `while (8)`, by trying the entries of both tables it needs."""
    for control in range(32):
        for datatype in range(32):
            word = 39 | control << 8 | datatype << 13 | 1 << 29 | (distance & 255) << 56 | (distance >> 8 & 31) << 35
            found = decode(word.to_bytes(8, "little"))
            plain = not (found.predicate or found.no_mask or found.align16 or found.thread_control or found.quarter)
            if found.exec_size == 8 and plain and found.jip == distance:
                return word.to_bytes(8, "little")
    raise AssertionError("the tables have no such entries")


def test_break_ends_up_behind_a_compacted_while():
    """The `while` that UIP names may take 8 bytes (flow is the same as with one of 16)."""
    loop = """
        mov (8) r10.0<1>:d 0:d
    top:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1:d
        cmp.g.f0.0 (8) null:d r10.0<8;8,1>:d r2.0<8;8,1>:d
        (+f0.0) break (8) jip=bottom uip=bottom
    bottom:
        while (8) jip=top
        add (8) r11.0<1>:d r10.0<8;8,1>:d 1:d
    """
    registers = _registers(4)
    native = assemble(loop + END)
    at, size = _while_at(native), len(native)
    short = _compact_while(-3 * 16 // 8)
    text = native[:at] + short + native[at + 16 :]
    assert len(text) == size - 8
    threads = Threads(THREADS)
    threads.registers[:, :GENERAL_B] = registers.general
    Program(text).run(threads, Collect(), Budget(1000))
    usual = hold(loop + END, registers)
    assert np.array_equal(threads.registers[:, :GENERAL_B], usual.general)
