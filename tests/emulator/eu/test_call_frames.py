"""Random programs with calls, recursion to its limits, and what frames take, held to the scalar reference."""

import tracemalloc

import numpy as np
import pytest
from support.eu import END, Registers, emulate, hold
from support.filter_cases import sweep
from support.random_instructions import Writer
from support.strict_arrays import StrictDevice

from texsamp.emulator.eu.registers.frames import MOST_FRAMES, MOST_NESTED
from texsamp.emulator.eu.registers.threads import CHANNELS, PITCH_B
from texsamp.errors import CaptureError

THREADS, ROUTINES = 5, 4
TURNS = 3
"""Of the loop of a random program, which may jump out of its routines."""

RECURSION = f"""
        call (2) r24.0<1>:ud jip=deeper
        jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud end {{NoMask}}
    deeper:
        add (1) r12.0<1>:d r12.0<0;1,0>:d 1:d {{NoMask}}
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1:d
        cmp.l.f0.0 (8) null:d r10.0<8;8,1>:d r2.0<8;8,1>:d
        (+f0.0) call (2) r20.0<1>:ud jip=deeper
        add (1) r12.0<1>:d r12.0<0;1,0>:d -1:d {{NoMask}}
        add (8) r11.0<1>:d r11.0<8;8,1>:d r10.0<8;8,1>:d
        cmp.z.f1.0 (1) null:d r12.0<0;1,0>:d 0:d {{NoMask}}
        (+f1.0) mov (1) r20.0<1>:ud r24.0<0;1,0>:ud {{NoMask}}
        ret (16) null:ud r20.0<2;2,1>:ud
    end:
        {END}"""
"""Channels go as deep as r2 says; r12 is how deep a thread is, and the outermost return goes to where r24 says."""


def _registers(rng, threads=THREADS, most=9):
    """r2 to r5: small random numbers of each channel and thread."""
    registers = Registers.zeros(threads)
    registers.general.view(np.int32).reshape(threads, 128, 8)[:, 2:6] = rng.integers(0, most, (threads, 4, 8))
    return registers


def _rows(registers):
    return registers.general.view(np.int32).reshape(-1, 128, 8)


def _compare(writer):
    name = writer.pick(("g", "l", "z", "nz"))
    return f"cmp.{name}.f0.0 (16) null:d r{writer.pick(range(2, 6))}.0<8;8,1>:d {writer.pick(range(9))}:d"


def _routine(writer, number):
    """Routine `number` returns by r20, r22 and so on; it calls those behind it, maybe jumps out of all of them."""
    lines = [f"routine{number}:"]
    for part in range(3):
        label = f"joined{number}_{part}"
        lines.append(f"add (8) r10.0<1>:d r10.0<8;8,1>:d {writer.pick(range(1, 99))}:d")
        lines.append(f"add (1) r{11 + number}.0<1>:d r{11 + number}.0<0;1,0>:d 1:d {{NoMask}}")
        lines.append(_compare(writer))
        sign = writer.pick("+-")
        deeper = [writer.pick(range(number + 1, ROUTINES))] if number + 1 < ROUTINES and writer.chance(0.7) else []
        if deeper and writer.chance(0.3):
            lines.append(f"({sign}f0.0) if (16) jip={label} uip={label}")
        for routine in deeper:
            predicate = writer.pick(("", f"({sign}f0.0) "))
            lines.append(f"{predicate}call (2) r{20 + 2 * routine}.0<1>:ud jip=routine{routine}")
        if " if " in lines[-1 - len(deeper)]:
            lines += [f"{label}:", f"endif (16) jip=behind_{label}", f"behind_{label}:"]
        elif writer.chance(0.3):
            lines.append(f"({sign}f0.0) ret (16) null:ud r{20 + 2 * number}.0<2;2,1>:ud")
        elif writer.chance(0.15):
            lines.append(f"({sign}f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud out")
    return "\n".join([*lines, f"ret (16) null:ud r{20 + 2 * number}.0<2;2,1>:ud"])


def _program(rng):
    """A loop that calls routines, which stand before and behind it."""
    writer = Writer(rng)
    routines = [_routine(writer, number) for number in range(ROUTINES)]
    before = int(rng.integers(ROUTINES + 1))
    calls = [f"{_compare(writer)}\n{writer.pick(('', '(+f0.0) '))}call (2) r20.0<1>:ud jip=routine0"]
    calls.append(f"{_compare(writer)}\n(-f0.0) call (2) r22.0<1>:ud jip=routine1")
    return "\n".join(
        [
            "jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top {NoMask}",
            *routines[:before],
            "top:",
            *calls,
            "out:",
            "add (1) r16.0<1>:d r16.0<0;1,0>:d 1:d {NoMask}",
            f"cmp.l.f1.0 (1) null:d r16.0<0;1,0>:d {TURNS}:d {{NoMask}}",
            "(+f1.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top {NoMask}",
            END,
            *routines[before:],
        ]
    )


@pytest.mark.sweep
def test_random_programs_with_calls_are_those_of_the_scalar_reference():
    rng = np.random.default_rng(5)
    for _ in range(sweep(25)):
        after = _rows(hold(_program(rng), _registers(rng)))
        assert after[:, 16, 0].all()


def test_on_a_device_calls_are_the_same():
    rng = np.random.default_rng(9)
    for text in (RECURSION, _program(rng), _program(rng)):
        registers = _registers(rng)
        assert emulate(text, registers).difference(emulate(text, registers, device=StrictDevice())) == "none", text


def test_on_a_device_no_pointers_of_calls_come_to_the_host():
    """Only numbers, few beside the pointers of one call: registers go there once, and come back."""
    registers = _registers(np.random.default_rng(3), threads=256, most=20)
    device = StrictDevice()
    emulate(RECURSION, registers, device=device)
    assert device.downloaded_B < 256 * (PITCH_B + 8 * CHANNELS)


def test_channels_and_threads_recurse_as_deep_as_each_wants():
    registers = _registers(np.random.default_rng(6), most=40)
    wanted = np.maximum(_rows(registers)[:, 2], 1)
    after = _rows(hold(RECURSION, registers))
    assert (after[:, 10] == wanted).all()
    assert not after[:, 12].any()
    assert (after[:, 11] == wanted**2).all()


def test_a_thread_may_nest_calls_up_to_the_limit():
    """One of two threads does; the other one returns from its first call."""
    registers = Registers.zeros(2)
    _rows(registers)[1, 2, 3] = MOST_NESTED
    assert _rows(hold(RECURSION, registers))[:, 10].tolist() == [[1] * 8, [1, 1, 1, MOST_NESTED, 1, 1, 1, 1]]
    _rows(registers)[1, 2, 3] += 1
    with pytest.raises(CaptureError, match=r"513 calls of a thread that have not returned: the limit is 512"):
        emulate(RECURSION, registers)


def test_all_threads_together_have_a_limit():
    """1024 threads may nest 256 calls each, but not one more."""
    threads = 1024
    registers = Registers.zeros(threads)
    _rows(registers)[:, 2] = MOST_FRAMES // threads
    assert (_rows(emulate(RECURSION, registers))[:, 10] == MOST_FRAMES // threads).all()
    _rows(registers)[7, 2, 5] += 1
    with pytest.raises(CaptureError, match=r"262145 calls of all threads that have not returned: the limit is 262144"):
        emulate(RECURSION, registers)


def test_threads_that_do_not_call_take_no_memory_for_it():
    """Frames for all 2048 threads would be 256 MiB; one thread's are 128 KiB."""
    registers = Registers.zeros(2048)
    _rows(registers)[9, 2] = MOST_NESTED
    peaks = []
    for depth in (1, MOST_NESTED):
        _rows(registers)[9, 2] = depth
        tracemalloc.start()
        emulate(RECURSION, registers)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + (4 << 20)


def test_calls_that_have_returned_do_not_count():
    """Neither of a thread nor of all: 600 threads call 600 times, from channel 3 on."""
    text = f"""
    top:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1:d
        cmp.ge.f0.0 (8) null:d r1.0<8;8,1>:d 3:d
        (+f0.0) call (2) r20.0<1>:ud jip=routine
        cmp.l.f0.0 (8) null:d r10.0<8;8,1>:d 600:d
        (+f0.0) while (8) jip=top
        {END}
    routine:
        add (8) r11.0<1>:d r11.0<8;8,1>:d 2:d
        ret (16) null:ud r20.0<2;2,1>:ud"""
    registers = Registers.zeros(600)
    _rows(registers)[:, 1] = np.arange(8)
    after = _rows(emulate(text, registers))
    assert (after[:, 11] == [0] * 3 + [1200] * 5).all()
    assert (after[:, 20] == [16 * 3, 0xF8, *[0] * 6]).all()


def test_a_return_without_a_call_goes_where_its_register_says():
    """Of channels that the predicate chooses; the others go on behind it."""
    text = f"""
        mov (2) r20.0<1>:ud 80:ud
        cmp.g.f0.0 (8) null:d r2.0<8;8,1>:d 4:d
        (+f0.0) ret (16) null:ud r20.0<2;2,1>:ud
        add (8) r10.0<1>:d r10.0<8;8,1>:d 5:d
        nop (1)
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1:d
        {END}"""
    registers = _registers(np.random.default_rng(8))
    assert (_rows(hold(text, registers))[:, 10] == 1 + 5 * (_rows(registers)[:, 2] <= 4)).all()
