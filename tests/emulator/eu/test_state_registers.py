"""State, control, instruction pointer and time stamp registers as operands, and the modes that cr0.0 chooses."""

import numpy as np
import pytest
from support.eu import END, Registers, emulate, hold
from support.strict_arrays import StrictArray, StrictDevice

from texsamp.errors import CaptureError

THREADS = 6
MODES = {"nearest": 0, "up": 1, "down": 2, "zero": 3}
LARGEST = np.finfo(np.float32).max


def _floats(seed, values=None):
    rng = np.random.default_rng(seed)
    registers = Registers.random(rng, THREADS)
    general = registers.general.view("<f4")
    exponents = rng.integers(-30, 30, general.shape)
    general[...] = (rng.normal(size=general.shape) * 2.0**exponents).astype(np.float32)
    if values is not None:
        general[:, 160:192] = rng.choice(np.array(values, np.float32), (THREADS, 32))
    registers.accumulator.view("<f4")[...] = rng.normal(size=(THREADS, 16))
    return registers


def _control(mode, *lines):
    return "\n".join([f"mov (1) cr0.0<1>:ud {mode:#x}:ud", *lines, END])


EDGES = (0.0, -0.0, 1.0, -1.0, 1e-38, -1e-38, 1e-20, 3e38, -3e38, 1.0000001, np.inf, -np.inf)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("values", [None, EDGES], ids=["random", "edges"])
def test_sums_and_products_round_in_the_threads_direction(mode, values):
    hold(
        _control(
            mode << 4,
            "add (16) r10.0<1>:f r20.0<8;8,1>:f -r22.0<8;8,1>:f",
            "mul (16) r12.0<1>:f r20.0<8;8,1>:f r22.0<8;8,1>:f",
            "mac (8) r14.0<1>:f r20.0<8;8,1>:f r22.0<8;8,1>:f",
            "add.sat (8) r15.0<1>:f r20.0<8;8,1>:f r22.0<8;8,1>:f",
        ),
        _floats(1, values),
    )


def test_directions_differ():
    registers = Registers.zeros(THREADS)
    registers.general.view("<f4")[:, 160:162] = 1.0, 2.0**-30
    line = "add (1) r10.0<1>:f r20.0<0;1,0>:f r20.1<0;1,0>:f"
    found = [emulate(_control(mode << 4, line), registers).general.view("<f4")[0, 80] for mode in range(4)]
    above = np.nextafter(np.float32(1), np.float32(2))
    assert found == [1.0, above, 1.0, 1.0]


def test_every_thread_has_its_own_mode():
    registers = _floats(2)
    general = registers.general.view("<u4")
    general[:, 8] = [0x00, 0x10, 0x20, 0x30, 0x01, 0x11]
    hold(
        f"""mov (1) cr0.0<1>:ud r1.0<0;1,0>:ud
        mul (16) r10.0<1>:f r20.0<8;8,1>:f r22.0<8;8,1>:f
        add (16) r12.0<1>:f r20.0<8;8,1>:f r10.0<8;8,1>:f
        {END}""",
        registers,
    )


def test_on_a_device_modes_are_asked_for_once_however_many_threads_have_them():
    text = f"""mov (1) cr0.0<1>:ud r1.0<0;1,0>:ud
        mul (16) r10.0<1>:f r20.0<8;8,1>:f r22.0<8;8,1>:f
        {END}"""
    counts = []
    for times in (1, 8):
        registers = Registers.zeros(6 * times)
        registers.general.view("<u4")[:, 160:192] = np.tile(_floats(2).general.view("<u4")[:, 160:192], (times, 1))
        registers.general.view("<u4")[:, 8] = [0x00, 0x10, 0x20, 0x30, 0x01, 0x11] * times
        device, before = StrictDevice(), StrictArray.looks
        assert emulate(text, registers).difference(emulate(text, registers, device=device)) == "none"
        counts.append((device.downloads, StrictArray.looks - before))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_sums_of_products_round_what_64_bits_hold(mode):
    registers = _floats(3)
    line = "mad (8) r10.0.xyzw:f r20.0.xyzw:f r21.0.xyzw:f r22.0.xyzw:f"
    after = emulate(_control(mode << 4, line), registers)
    a, b, c = (registers.general.view("<f4")[:, 8 * r : 8 * r + 8].astype(np.float64) for r in (20, 21, 22))
    exact, found = a + b * c, after.general.view("<f4")[:, 80:88].astype(np.float64)
    assert ((found >= exact) if mode == 1 else (found <= exact) if mode == 2 else abs(found) <= abs(exact)).all()
    assert np.allclose(found, exact, rtol=2.0**-23)


def test_the_alternative_mode_has_no_infinities():
    registers = _floats(4, [3e38, -3e38, 1e30, 2.0])
    after = hold(
        _control(
            1,
            "add (16) r10.0<1>:f r20.0<8;8,1>:f r20.0<8;8,1>:f",
            "mul (16) r12.0<1>:f r20.0<8;8,1>:f r22.0<8;8,1>:f",
        ),
        registers,
    )
    found = after.general.view("<f4")[:, 80:112]
    assert np.isfinite(found).all()
    assert (np.abs(found) == LARGEST).any()


@pytest.mark.parametrize(
    ("function", "arguments", "wanted"),
    [
        ("inv", (0.0,), LARGEST), ("inv", (-0.0,), -LARGEST), ("log", (0.0,), -LARGEST), ("log", (-8.0,), 3.0),
        ("sqrt", (-4.0,), 2.0), ("sqrt", (-0.0,), 0.0), ("rsq", (-0.25,), 2.0), ("rsq", (-0.0,), LARGEST),
        ("exp", (0.0,), 1.0), ("cos", (0.0,), 1.0), ("pow", (5.0, 0.0), 1.0), ("pow", (0.0, -0.0), 1.0),
        ("pow", (0.0, -2.0), LARGEST), ("pow", (-0.0, 3.0), 0.0), ("pow", (-2.0, 3.0), 8.0),
    ],
)  # fmt: skip
def test_math_in_the_alternative_mode(function, arguments, wanted):
    """Pages 192 to 194; numbers only, as the mode has nothing else."""
    registers = Registers.zeros(THREADS)
    registers.general.view("<f4")[:, 160 : 160 + len(arguments)] = arguments
    second = "r20.1<0;1,0>:f" if len(arguments) > 1 else "null<0;1,0>:f"
    line = f"math.{function} (1) r10.0<1>:f r20.0<0;1,0>:f {second}"
    found = emulate(_control(1, line), registers).general.view("<f4")[:, 80]
    assert (found == np.float32(wanted)).all()
    assert (np.signbit(found) == np.signbit(np.float32(wanted))).all()


@pytest.mark.parametrize(
    "line",
    [
        "math.fdiv (1) r10.0<1>:f r20.0<0;1,0>:f r20.0<0;1,0>:f",
        "f32to16 (1) r10.0<1>:w r20.0<0;1,0>:f",
    ],
)
def test_what_the_alternative_mode_has_not(line):
    with pytest.raises(CaptureError, match="not supported in the alternative mode"):
        emulate(_control(1, line), Registers.zeros(1))


def test_the_accumulator_can_be_disabled():
    registers = Registers.random(np.random.default_rng(5), THREADS)
    lines = (
        "add (8) r10.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d {AccWrEn}",
        "mov (8) r11.0<1>:d acc0.0<8;8,1>:d",
        "add (8) acc0.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d",  # named: not disabled
        "mov (8) r12.0<1>:d acc0.0<8;8,1>:d",
    )
    after = hold(_control(2, *lines), registers)
    assert np.array_equal(after.general[:, 352:384], registers.accumulator[:, :32])
    assert np.array_equal(after.general[:, 384:416], after.general[:, 320:352])
    hold(_control(0, *lines), registers)


def test_ip_is_read_and_jumped_by():
    after = hold(
        f"""
        mov (1) r10.0<1>:ud ip.0<0;1,0>:ud
        cmp.g.f0.0 (1) null:d r20.0<0;1,0>:d 0:d
        (+f0.0) add (1) ip.0<1>:ud ip.0<0;1,0>:ud 35:ud      # the low bits are dropped: 2 instructions
        mov (8) r11.0<1>:ud 5:ud
        mov (1) r10.1<1>:ud ip.0<0;1,0>:ud
        mov (1) ip.0<1>:ud 112:ud
        mov (8) r12.0<1>:ud 6:ud
        {END}""",
        _floats(6),
    )
    rows = after.general.view("<u4").reshape(THREADS, 128, 8)
    assert (rows[:, 10, :2] == [0, 64]).all()
    assert {tuple(row) for row in rows[:, 11].tolist()} >= {(5,) * 8}
    assert not (rows[:, 12] == 6).all(axis=1).any()


def test_time_goes_on():
    lines = ["mov (2) r10.0<1>:ud tm0.0<2;2,1>:ud", "nop (1)", "nop (1)", "mov (2) r10.2<1>:ud tm0.0<2;2,1>:ud", END]
    after = emulate("\n".join(lines), Registers.zeros(2)).general.view("<u4")[:, 80:84]
    assert (after == [0, 0, 3, 0]).all()


def test_dependencies_have_ended():
    line = "mov (8) tdr0.0<1>:uw 0xffff:uw\nmov (8) r10.0<1>:uw tdr0.0<8;8,1>:uw\n"
    assert not emulate(line + END, Registers.zeros(2)).general.any()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mov (1) n0.0<1>:ud 1:ud", "n0 is read only"),
        ("mov (1) tm0.0<1>:ud 1:ud", "tm0 is read only"),
        ("mov (2) ip.0<1>:ud 1:ud", "ends at byte 8 of 4"),
        ("mov (1) cr0.0<1>:ud 4:ud", "single program flow"),
        ("mov (1) cr0.0<1>:ud 8:ud", "the vector mask"),
        ("mov (1) cr0.1<1>:ud 0x20002000:ud", "system routines .pages 81-91. are not executed"),
        ("mov (1) r1.0<1>:ud ce0.0<0;1,0>:ud", "architecture register ce0 is not supported"),
    ],
)
def test_state_that_cannot_be_written(line, message):
    with pytest.raises(CaptureError, match=message):
        emulate(f"{line}\n{END}", Registers.zeros(1))
