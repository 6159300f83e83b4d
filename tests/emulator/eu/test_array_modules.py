"""One interpreter for numpy and CuPy: on arrays that refuse what CuPy's refuse, every result is the same."""

import numpy as np
import pytest
from support.eu import END, Collect, Registers, emulate
from support.instructions import PLAIN, SOURCES, instruction_lines, instruction_types, with_addresses
from support.replayed import paths
from support.strict_arrays import StrictArray, StrictDevice

from texsamp.emulator.case import Case
from texsamp.emulator.eu.registers.spare_registers import SpareRegisters
from texsamp.emulator.eu.registers.threads import Threads


@pytest.fixture(autouse=True)
def _numpy_reader(monkeypatch):
    monkeypatch.setenv("TEXSAMP_EU", "reference")


FLOATS = """
    mad (8) r10.0<1>:f r20.0<4;4,1>.xyzw:f r21.0<4;4,1>.xyzw:f r22.0<4;4,1>.xyzw:f
    lrp (8) r11.0<1>:f r20.0<4;4,1>.xyzw:f r21.0<4;4,1>.xyzw:f r22.0<4;4,1>.xyzw:f
    line (8) r12.0<1>:f r20.0<0;4,1>:f r21.0<8;8,1>:f
    pln (16) r13.0<1>:f r20.0<0;4,1>:f r21.0<8;8,1>:f
    dp4 (8) r15.0<1>:f r20.0<8;8,1>:f -r21.0<8;8,1>:f
    dph (8) r16.0<1>:f r20.0<8;8,1>:f r21.0<8;8,1>:f
    mac.sat (8) r17.0<1>:f r20.0<8;8,1>:f r21.0<8;8,1>:f
    frc (8) r18.0<1>:f r20.0<8;8,1>:f
    f32to16 (8) r19.0<2>:uw r20.0<8;8,1>:f
    f16to32 (8) r30.0<1>:f r19.0<16;8,2>:uw
"""
DOUBLES = """
    mov (1) cr0.0<1>:ud 0x50:ud
    add.l.f0.0 (8) r10.0<1>:df r20.0<8;8,1>:df -r21.0<8;8,1>:df
    mac (8) r11.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df {AccWrEn}
    mad.sat (8) r12.0<1>.xyzw:df r20.0<4>.xyzw:df r21.0<4>.xyzw:df r22.0<4>.zwxy:df
    (+f0.0) sel (8) r13.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df
    cmpn.ge.f0.1 (8) r14.0<1>:df r20.0<8;8,1>:df r21.0<0;2,1>:df
    mov (8) r15.0<1>:f r20.0<8;8,1>:df
    mov (8) r16.0<1>:d r20.0<8;8,1>:df
    mov (8) r17.0<1>:df r20.0<8;8,1>:f
"""
INTEGERS = """
    mul (8) acc0.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d
    mach (8) r10.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d {AccWrEn}
    mov (8) r11.0<1>:d acc0.0<8;8,1>:d
    bfe (8) r12.0<1>:d r20.0<4;4,1>.xyzw:d r21.0<4;4,1>.xyzw:d r22.0<4;4,1>.xyzw:d
    bfi2 (8) r13.0<1>:ud r20.0<4;4,1>.xyzw:ud r21.0<4;4,1>.xyzw:ud r22.0<4;4,1>.xyzw:ud
    sad2 (16) r14.0<1>:uw r20.0<16;16,1>:ub r21.0<16;16,1>:ub
    sada2 (16) r15.0<1>:uw r20.0<16;16,1>:ub r21.0<16;16,1>:ub
    mov (8) r16.0<1>:w 0x76543210:v
    mov (8) r17.0<1>:f 0x30302010:vf
    or (8) r23.0<1>:ud r21.0<8;8,1>:ud 1:ud
    math.idivqr (8) r24.0<1>:d r20.0<8;8,1>:d r23.0<8;8,1>:d
"""
FLOW = """
    mov (1) f0.0<1>:ud r1.0<0;1,0>:ud
    (+f0.0.any4h) add (16) r10.0<1>:d r10.0<8;8,1>:d 5:d
    (-f0.0.allv) add (8) r12.0<1>:d r12.0<8;8,1>:d 5:d
    (+f0.0) if (16) jip=other uip=joined
    cmp.g.f0.1 (16) null:d r20.0<8;8,1>:d 0:d
    (+f0.1) add (16) r14.0<1>:d r14.0<8;8,1>:d 7:d
    mov (1) r50.0<1>:d 1:d {NoMask}
    else (16) jip=joined
other:
    xor (16) r16.0<1>:ud r16.0<8;8,1>:ud 255:ud
joined:
    endif (16) jip=2
    mov (16) r52.0<1>:d 0:d
    and (16) r54.0<1>:d r22.0<8;8,1>:d 7:d
top:
    add (16) r52.0<1>:d r52.0<8;8,1>:d 1:d
    cmp.g.f0.0 (16) null:d r52.0<8;8,1>:d r54.0<8;8,1>:d
    (+f0.0) break (16) jip=bottom uip=bottom
    cmp.z.f1.0 (16) null:d r52.0<8;8,1>:d 3:d
    (+f1.0) cont (16) jip=bottom uip=bottom
    send (16) r56.0<1>:ud r30.0<8;8,1>:ud data_cache 0x04200000:ud
bottom:
    while (16) jip=top
    mov (1) f1.0<1>:uw r2.0<0;1,0>:uw
    (+f1.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud done {NoMask}
    mov (1) a0.0<1>:ud r3.0<0;1,0>:ud
    (-f0.0) send (8) null:ud r30.0<8;8,1>:ud null a0.0<0;1,0>:ud
    (+f1.1) send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000010:ud {EOT}
    mov (16) r18.0<1>:ud 9:ud
    jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud done {NoMask}
done:
    nop (1)
"""
MATH = ("inv", "log", "exp", "sqrt", "rsq", "sin", "cos")


def _registers(rng, floats=False):
    registers = with_addresses(Registers.random(rng, 4), rng)
    if floats:
        registers.general.view("<f4")[...] = rng.normal(size=(4, 1024)) * 10.0 ** rng.integers(-5, 6, (4, 1024))
        registers.accumulator.view("<f4")[...] = rng.normal(size=(4, 16))
    return registers


def _same(text, registers):
    functions = Collect(), Collect()
    device = StrictDevice()
    ours = emulate(text, registers, functions[0])
    strict = emulate(text, registers, functions[1], device=device)
    assert ours.difference(strict) == "none", text
    assert [m[:3] for m in functions[0].messages] == [m[:3] for m in functions[1].messages]
    assert all(np.array_equal(a[3], b[3]) for a, b in zip(*(f.messages for f in functions), strict=True))
    return device


@pytest.mark.parametrize("name", PLAIN)
def test_every_type_and_region(name):
    rng = np.random.default_rng(7)
    for is_float in (False, True):
        kinds, results = instruction_types(name, is_float)
        if kinds:
            lines = [
                line
                for t, region in enumerate(SOURCES.values())
                for line in instruction_lines(name, region, kinds, results, t)
            ]
            _same("\n".join([*lines, END]), _registers(rng, is_float))


@pytest.mark.parametrize(
    "text", [FLOATS, DOUBLES, *(f"math.{name} (8) r10.0<1>:f r20.0<8;8,1>:f null:f" for name in MATH)]
)
def test_sums_and_functions_of_floats(text):
    with np.errstate(all="ignore"):
        _same(f"{text}\n{END}", _registers(np.random.default_rng(8), floats=True))


def test_products_and_bit_fields():
    _same(f"{INTEGERS}\n{END}", _registers(np.random.default_rng(9)))


def test_flow_flags_and_messages():
    registers = _registers(np.random.default_rng(10))
    dwords = registers.general.view("<u4").reshape(4, 128, 8)
    dwords[:, 3, 0] = 0x02000000
    dwords[1, 3, 0] = 0x04000000
    dwords[:, 2, 0] = 0, 1, 0, 0
    assert _same(f"{FLOW}\n{END}", registers).downloads > 3


@pytest.mark.parametrize("name", ["csc_nv12_bgrx", "csc_rgbx_nv12"])
def test_a_captured_picture_is_the_same_and_crosses_over_in_messages_only(name):
    """Registers leave the device with the messages, of which there are far fewer than instructions."""
    case = Case.open(paths(name, 1))
    steps = []
    (expected,) = case.replay(lambda _, done: steps.append(done.dispatch.steps if done.dispatch else 0))
    device = StrictDevice()
    (found,) = case.replay(device=device)
    assert found.raw() == expected.raw()
    assert 0 < device.downloads < sum(steps) / 10


def test_constants_are_uploaded_once_while_they_live():
    """By threads of later batches as well; another array at the same place in memory is another constant."""
    device, spare = StrictDevice(), SpareRegisters()
    kept = np.arange(4)
    for _ in range(3):
        threads = Threads(2, device=device, spare=spare)
        assert (threads.download(threads.constant(kept)) == np.arange(4)).all()
    assert device.uploads == 1
    for number in range(20):
        threads = Threads(2, device=device, spare=spare)
        assert (threads.download(threads.constant(np.full(4, number))) == number).all()
    assert device.uploads == 21


def test_constants_travel_together_once():
    threads = Threads(2, device=(device := StrictDevice()))
    first, second, third = np.arange(4), np.arange(5), np.arange(6)
    threads.constants(first, second)
    assert device.uploads == 1
    there = threads.constants(second, third, first)
    assert device.uploads == 2
    assert [each.inner.tolist() for each in there] == [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3]]


def test_registers_that_all_threads_begin_with_alike_travel_once():
    rng, device = np.random.default_rng(12), StrictDevice()
    payload = np.repeat(rng.integers(0, 256, (1, 640), np.uint8), 50, axis=0)
    payload[:, 36:40] = rng.integers(0, 256, (50, 4), np.uint8)
    state, there = rng.integers(0, 256, (50, 16), np.uint8), device.upload(rng.integers(0, 256, (50, 64), np.uint8))
    threads, before = Threads(50, device=device), device.uploaded_B
    threads.begin((0, payload), (1024, there), (2048, state))
    assert (device.uploads, device.uploaded_B - before) == (2, 640 + 50 * 4 + 16 + 50 * 16 + 5 * 4)
    for at, data in ((0, payload), (1024, there.inner), (2048, state)):
        assert (threads.registers.inner[:, at : at + data.shape[1]] == data).all()


def test_nobody_asks_whether_floats_are_denormal():
    registers = Registers.random(np.random.default_rng(13), 4)
    registers.general.view("<u4")[...] &= np.uint32(0x807FFFFF)
    before = StrictArray.looks
    _same(f"add (8) r10.0<1>:f r20.0<8;8,1>:f r21.0<8;8,1>:f\n{END}", registers)
    assert StrictArray.looks == before


SPLIT = """
    (+f0.0) if (16) jip=other{0} uip=joined{0}
    else (16) jip=joined{0}
other{0}:
joined{0}:
    endif (16) jip=2
"""
JUMP = """
    (+f1.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud next{0} {{NoMask}}
    nop (1)
next{0}:
    nop (1)
"""


@pytest.mark.parametrize(("text", "flags", "asked"), [(SPLIT, "r1.0<0;1,0>", 0), (SPLIT, "0", 0), (JUMP, "0", 1)])
def test_where_threads_go_on_is_asked_for_by_jumps_alone(text, flags, asked):
    """Once each, and by no branch whose ways are known, whether channels part or not."""

    def crossings(count):
        start = f"mov (1) f0.0<1>:ud {flags}:ud\nmov (1) f1.0<1>:ud 0:ud\n"
        lines = "".join(text.format(number) for number in range(count))
        before = StrictArray.looks
        device = _same(f"{start}{lines}\n{END}", Registers.random(np.random.default_rng(11), 4))
        return device.downloads + StrictArray.looks - before

    assert crossings(7) - crossings(3) == 4 * asked
