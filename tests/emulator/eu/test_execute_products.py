"""Sums of products and math functions, held to one number at a time in wider arithmetic."""

import math

import numpy as np
import pytest
from support.eu import END, Registers, emulate

from texsamp.errors import CaptureError

THREADS = 3
f32 = np.float32


def _registers(seed, integers=False):
    rng = np.random.default_rng(seed)
    registers = Registers.random(rng, THREADS)
    if not integers:
        values = rng.normal(size=(THREADS, 1024)) * rng.choice([1e-3, 1, 40], (THREADS, 1024))
        registers.general[...] = values.astype(f32).view(np.uint8)
    return registers


def _floats(registers):
    return registers.general.view(f32).reshape(THREADS, 128, 8)


def _run(line, registers):
    return emulate(f"{line}\n{END}", registers)


def _rounded(value):
    """A float32, denormals zero."""
    number = f32(value)
    return f32(math.copysign(0.0, number)) if abs(number) < 2.0**-126 else number


def _same(found, expected):
    """Bit for bit."""
    expected = np.array([[_rounded(value) for value in row] for row in expected], f32)
    assert np.array_equal(found.view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("name", ["mad", "lrp"])
def test_three_sources(name):
    registers = _registers(1)
    after = _floats(_run(f"{name} (8) r10.xyzw:f r20.xyzw:f -r21.xyzw:f r22.yyww:f", registers))
    before = _floats(registers).astype(np.float64)
    expected = []
    for thread in range(THREADS):
        row = []
        for n in range(8):
            a, b, c = (
                before[thread, 20, n],
                -before[thread, 21, n],
                before[thread, 22, n // 4 * 4 + (1, 1, 3, 3)[n % 4]],
            )
            row.append(a + b * c if name == "mad" else a * b + (1 - a) * c)
        expected.append(row)
    _same(after[:, 10], expected)


def test_lines_and_planes():
    registers = _registers(2)
    before = _floats(registers).astype(np.float64)
    after = _floats(_run("line (8) r10.0<1>:f r20.4<0;1,0>:f r21.0<8;8,1>:f", registers))
    _same(after[:, 10], [[row[20, 4] * row[21, n] + row[20, 7] for n in range(8)] for row in before])
    after = _floats(_run("pln (8) r10.0<1>:f r20.0<0;1,0>:f r22.0<8;8,1>:f", registers))
    _same(
        after[:, 10],
        [[row[20, 0] * row[22, n] + row[20, 1] * row[23, n] + row[20, 3] for n in range(8)] for row in before],
    )
    after = _floats(_run("pln (16) r10.0<1>:f r20.4<0;1,0>:f r30.0<8;8,1>:f", registers))
    for half in (0, 1):
        _same(
            after[:, 10 + half],
            [
                [row[20, 4] * row[30 + 2 * half, n] + row[20, 5] * row[31 + 2 * half, n] + row[20, 7] for n in range(8)]
                for row in before
            ],
        )


@pytest.mark.parametrize(("name", "count"), [("dp2", 2), ("dp3", 3), ("dp4", 4), ("dph", 3)])
def test_dot_products_fill_groups_of_four(name, count):
    registers = _registers(3)
    before = _floats(registers).astype(np.float64)
    after = _floats(_run(f"{name} (8) r10.0<1>:f r20.0<8;8,1>:f abs r21.0<8;8,1>:f", registers))
    expected = []
    for row in before:
        values = []
        for group in (0, 4):
            terms = [row[20, group + i] * abs(row[21, group + i]) for i in range(count)]
            values += [sum(terms) + (abs(row[21, group + 3]) if name == "dph" else 0)] * 4
        expected.append(values)
    found = after[:, 10]
    assert np.allclose(found, expected, rtol=1e-7, atol=0)
    assert (found[:, :4] == found[:, :1]).all() and (found[:, 4:] == found[:, 4:5]).all()


FUNCTIONS = {
    "inv": lambda a: 1 / a, "log": math.log2, "exp": lambda a: 2.0**a, "sqrt": math.sqrt,
    "rsq": lambda a: 1 / math.sqrt(a), "sin": math.sin, "cos": math.cos,
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_math_of_one_number(name):
    registers = _registers(4)
    after = _floats(_run(f"math.{name} (8) r10.0<1>:f abs r20.0<8;8,1>:f null:f", registers))
    before = abs(_floats(registers)[:, 20].astype(np.float64))
    expected = np.vectorize(FUNCTIONS[name])(before).astype(f32)
    assert np.allclose(after[:, 10], expected, rtol=2.0**-23, atol=0)


def test_math_of_two_numbers():
    registers = _registers(5)
    before = _floats(registers).astype(np.float64)
    after = _floats(_run("math.fdiv (8) r10.0<1>:f r20.0<8;8,1>:f r21.0<8;8,1>:f", registers))
    _same(after[:, 10], before[:, 20] / before[:, 21])
    after = _floats(_run("math.pow (8) r10.0<1>:f r20.0<8;8,1>:f 2.5:f", registers))
    assert np.allclose(after[:, 10], abs(before[:, 20]) ** 2.5, rtol=2.0**-23, atol=0)


def test_powers_of_special_values_are_those_of_exp2_and_log2():
    """Rows and columns of the table of POW (volume 4 part 3, page 193)."""
    inf, nan = np.inf, np.nan
    bases = [3.0, 0.25, 1.0, inf, 0.0, -0.0, -inf, nan]
    rows = (
        (inf, [inf, 0, nan, inf, 0, 0, inf, nan]),
        (0.0, [1, 1, 1, nan, nan, nan, nan, nan]),
        (-0.0, [1, 1, 1, nan, nan, nan, nan, nan]),
        (-inf, [0, inf, nan, 0, inf, inf, 0, nan]),
        (-2.0, [f32(1 / 9), 16, 1, 0, inf, inf, 0, nan]),
        (2.0, [9, 0.0625, 1, inf, 0, 0, inf, nan]),
        (nan, [nan] * 8),
    )
    for power, expected in rows:
        registers = Registers.zeros(1)
        registers.general.view(f32)[0, 160:176] = [*bases, *[power] * 8]
        after = _run("math.pow (8) r10.0<1>:f r20.0<8;8,1>:f r21.0<8;8,1>:f", registers)
        assert np.array_equal(after.general.view(f32)[0, 80:88], np.array(expected, f32), equal_nan=True), power


def test_ends_of_the_range():
    registers = Registers.zeros(1)
    registers.general.view(f32)[0, 160:168] = [0.0, -0.0, np.inf, -1.0, np.nan, 1e-40, 200.0, -200.0]
    found = {}
    for name in ("inv", "log", "sqrt", "rsq", "exp"):
        after = _run_one(f"math.{name} (8) r10.0<1>:f r20.0<8;8,1>:f null:f", registers)
        found[name] = [float(value) for value in after]
    inf = math.inf
    assert found["inv"][:4] == [inf, -inf, 0.0, -1.0] and found["inv"][5] == inf
    assert found["log"][:3] == [-inf, -inf, inf] and math.isnan(found["log"][3])
    assert found["sqrt"][:3] == [0.0, 0.0, inf] and math.isnan(found["sqrt"][3])
    assert found["rsq"][0] == inf and found["rsq"][2] == 0.0
    assert found["exp"][6:] == [inf, 0.0] and math.isnan(found["exp"][4])


def _run_one(line, registers):
    return emulate(f"{line}\n{END}", registers).general.view(f32)[0, 80:88]


@pytest.mark.parametrize("kind", ["d", "ud"])
def test_integer_division_truncates(kind):
    registers = _registers(6, integers=True)
    dtype = {"d": "<i4", "ud": "<u4"}[kind]
    values = registers.general.view(dtype).reshape(THREADS, 128, 8)
    values[:, 21, ::2] %= 97
    values[:, 21] += values[:, 21] == 0
    for name in ("idivq", "idivr", "idivqr"):
        line = f"math.{name} (8) r10.0<1>:{kind} r20.0<8;8,1>:{kind} r21.0<8;8,1>:{kind}"
        after = _run(line, registers).general.view(dtype).reshape(THREADS, 128, 8)
        for thread in range(THREADS):
            for n in range(8):
                a, b = int(values[thread, 20, n]), int(values[thread, 21, n])
                quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
                assert int(after[thread, 10, n]) == (a - quotient * b if name == "idivr" else quotient)
                if name == "idivqr":
                    assert int(after[thread, 11, n]) == a - quotient * b


def test_halves():
    registers = _registers(7)
    registers.general.view(f32)[:, 160:168] = [0.1, -2.5, 65504.0, 1e6, 6e-8, -0.0, 1 / 3, 2049.0]
    after = _run("f32to16 (8) r10.0<2>:uw r20.0<8;8,1>:f\nf16to32 (8) r11.0<1>:f r10.0<16;8,2>:uw", registers)
    with np.errstate(over="ignore"):
        expected = registers.general.view(f32)[:, 160:168].astype(np.float16)
    words = after.general.view(np.uint16).reshape(THREADS, 128, 16)[:, 10, ::2]
    assert np.array_equal(words, expected.view(np.uint16))
    back = after.general.view(f32).reshape(THREADS, 128, 8)[:, 11]
    assert np.array_equal(back, expected.astype(f32))


def test_results_saturate_and_set_flags():
    registers = _registers(8)
    before = _floats(registers).astype(np.float64)
    after = _run("mad.sat.g.f0.0 (8) r10.xyzw:f r20.xyzw:f r21.xyzw:f r22.xyzw:f", registers)
    values = before[:, 20] + before[:, 21] * before[:, 22]
    _same(_floats(after)[:, 10], np.clip(values, 0, 1))
    assert np.array_equal(np.unpackbits(after.flags[:, :1], axis=1, bitorder="little"), values > 0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("math.idivqr (16) r10.0<1>:d r20.0<8;8,1>:d r22.0<8;8,1>:d", "one whole register of quotients"),
        ("math.idivqr (8) null:d r20.0<8;8,1>:d r22.0<8;8,1>:d", "one whole register of quotients"),
        ("math.inv (8) r10.0<1>:d r20.0<8;8,1>:d null:d", "math takes no D sources"),
        ("math.idivq (8) r10.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:ud", "two of one type"),
        ("dp4 (2) r10.0<1>:f r20.0<2;2,1>:f r21.0<2;2,1>:f", "groups of four"),
        ("pln (4) r10.0<1>:f r20.0<0;1,0>:f r21.0<4;4,1>:f", "pln needs 8 or 16 channels"),
        ("pln (8) r10.0<1>:f r20.0<0;1,0>:f r127.0<8;8,1>:f", "ends at byte 4128 of 4096"),
        ("line (8) r10.0<1>:f r[a0.0, 0]<0;1,0>:f r21.0<8;8,1>:f", "without an address"),
        ("f32to16 (8) r10.0<1>:d r20.0<8;8,1>:f", "f32to16 gives no D"),
        ("f16to32 (8) r10.0<1>:f r20.0<8;8,1>:ud", "f16to32 takes no UD sources"),
        ("f32to16 (8) r10.0<1>:ud r20.0<8;8,1>:f", "f32to16 gives no UD"),
        ("mad (8) r10.xyzw:d r20.xyzw:d r21.xyzw:d r22.xyzw:d", "mad takes no D sources"),
    ],
)
def test_what_is_not_executed(line, message):
    with pytest.raises(CaptureError, match=message):
        _run(line, _registers(9))


@pytest.mark.parametrize("kind", ["d", "ud"])
def test_an_integer_divided_by_zero_gives_all_ones_and_itself(kind):
    registers = Registers.zeros(1)
    registers.general.view("<i4")[0, 160:163] = 7, -7, 0
    after = _run(f"math.idivqr (8) r10.0<1>:{kind} r20.0<8;8,1>:{kind} r21.0<8;8,1>:{kind}", registers)
    assert after.general.view("<i4")[0, 80:88].tolist() == [-1] * 8
    assert after.general.view("<i4")[0, 88:92].tolist() == [7, -7, 0, 0]


def test_vectors_of_halves_have_zeros_above():
    """Shaders of vectors pack halves so; what the mask leaves out stays."""
    registers = _registers(10)
    registers.general.view(f32)[:, 160:168] = [1.5, -2.0, 0.25, 1e6, 0.1, 0.0, -0.0, 3.0]
    registers.general.view(np.uint32)[:, 80:88] = 7
    after = _run("f32to16 (8) r10.xyw:ud r20.yxzw:f {align16}", registers)
    found = after.general.view(np.uint32)[0, 80:88].tolist()
    assert found == [0xC000, 0x3E00, 7, 0x7C00, 0, 0x2E66, 7, 0x4200]


def test_vectors_of_halves_are_unpacked():
    """As shaders of vectors do it; what lies above a half is nothing."""
    registers = _registers(10)
    registers.general.view(np.uint32)[:, 160:168] = [0x3E00, 0xC000, 0x12340000, 0x7C00, 0x5678B400, 0x0001, 0x8000, 9]
    registers.general.view(f32)[:, 80:88] = 7
    after = _run("f16to32 (8) r10.xyw:f r20.yxzw:ud {align16}", registers)
    found = after.general.view(f32)[0, 80:88].tolist()
    assert found == [-2.0, 1.5, 7, np.inf, 2**-24, -0.25, 7, 9 * 2**-24]


def test_halves_saturate_are_modified_and_set_flags():
    registers = _registers(10)
    values = np.array([0.25, -0.25, 2.0, -1e-9, 1e6, np.nan, np.inf, 0.0], f32)
    registers.general.view(f32)[:, 160:168] = values
    after = _run(
        """f32to16.sat.z.f0.0 (8) r10.0<2>:uw -r20.0<8;8,1>:f
        f32to16.o.f0.1 (8) r11.0<2>:w abs r20.0<8;8,1>:f
        f32to16.u.f1.0 (8) r12.0<2>:w r20.0<8;8,1>:f
        f16to32.sat.g.f1.1 (8) r13.0<1>:f r12.0<16;8,2>:w""",
        registers,
    )
    halves = after.general.view(np.float16).reshape(THREADS, 128, 16)[:, :, ::2]
    assert np.array_equal(halves[0, 10], np.array([0, 0.25, 0, 0, 0, 0, 0, 0], np.float16))
    assert np.array_equal(halves[0, 11], np.abs(values).astype(np.float16), equal_nan=True)
    assert _floats(after)[0, 13].tolist() == [0.25, 0, 1, 0, 1, 0, 1, 0]
    flags = np.unpackbits(after.flags[0, [0, 2, 4, 6]], bitorder="little").reshape(4, 8).tolist()
    assert flags[0] == [1, 0, 1, 1, 1, 1, 1, 1]  # 1e-9 is 0 as a half, what is below 0 and no number is saturated
    assert flags[1] == [0, 0, 0, 0, 1, 0, 0, 0]  # only 1e6 overflows
    assert flags[2] == [0, 0, 0, 0, 0, 1, 0, 0]
    assert flags[3] == [1, 0, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("name", ["line", "pln"])
@pytest.mark.parametrize("channels", [8, 16])
def test_planes_overflow_where_all_of_their_numbers_are_finite(name, channels):
    registers = Registers.random(np.random.default_rng(9), THREADS)
    floats = registers.general.view(f32).reshape(THREADS, 128, 8)
    floats[:, 20:26] = 1
    floats[0, 20, 0] = floats[0, 22, 2] = floats[0, 22, 3] = 3e38  # 3e38 * 3e38
    floats[1, 20, 3] = np.inf
    floats[2, 20, 2] = np.inf  # which no plane uses
    floats[2, 20, 0] = floats[2, 22, 1] = -3e38
    after = _run(f"{name}.o.f0.0 ({channels}) r10.0<1>:f r20.0<0;1,0>:f r22.0<8;8,1>:f", registers)
    flags = np.unpackbits(after.flags[:, :2], axis=1, bitorder="little")[:, :channels]
    assert [np.flatnonzero(row).tolist() for row in flags] == [[2, 3], [], [1]]
