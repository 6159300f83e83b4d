"""Every opcode that computes, over types, regions, modifiers, predicates and addresses, held to a scalar reference."""

import numpy as np
import pytest
from support.eu import END, Registers, emulate, hold
from support.random_instructions import (
    FLOATS,
    INTEGERS,
    ONE_DWORD,
    ONE_INTEGER,
    SIZE,
    TWO_INTEGERS,
    Writer,
    instruction,
    written_registers,
)

from texsamp.errors import CaptureError

THREADS = 5


def _registers(rng, floats=False):
    return written_registers(rng, THREADS, floats)


def _kernel(lines):
    return "\n".join([*lines, END])


def _run_random(name, count, seed, choose, floats=False):
    rng = np.random.default_rng(seed)
    writer = Writer(rng)
    for _ in range(count):
        kinds, result = choose(rng)
        hold(_kernel([instruction(writer, name, kinds, result)]), _registers(rng, floats))


def _pick(rng, values):
    return str(rng.choice(values))


@pytest.mark.parametrize("name", ONE_INTEGER)
def test_one_integer(name):
    _run_random(name, 60, 1, lambda rng: ([_pick(rng, INTEGERS)], _pick(rng, INTEGERS)))


@pytest.mark.parametrize("name", TWO_INTEGERS)
def test_two_integers(name):
    def choose(rng):
        kinds = [_pick(rng, INTEGERS), _pick(rng, INTEGERS)]
        if name == "mul" and all(SIZE[kind] == 4 for kind in kinds):
            kinds[1] = _pick(rng, INTEGERS[2:])
        return kinds, _pick(rng, INTEGERS)

    _run_random(name, 60, 2, choose)


@pytest.mark.parametrize("name", ONE_DWORD)
def test_bits_of_dwords(name):
    kinds = {"bfrev": ("ud",), "cbit": ("ud", "uw", "ub"), "fbl": ("ud", "d", "uw", "ub")}.get(name, ("ud", "d"))
    _run_random(name, 30, 3, lambda rng: ([_pick(rng, kinds)], "ud"))


def test_bfi1():
    _run_random("bfi1", 40, 4, lambda rng: ([_pick(rng, ("ud", "d"))] * 2, _pick(rng, ("ud", "d"))))


@pytest.mark.parametrize("name", ["addc", "subb"])
def test_carry_goes_to_the_accumulator(name):
    _run_random(name, 40, 5, lambda rng: (["ud", "ud"], "ud"))


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name):
    count = 1 if name in ("mov", "frc", "rndu", "rndd", "rnde", "rndz") else 2
    only_floats = name in ("mac", "frc", "rndu", "rndd", "rnde", "rndz")
    results = ("f",) if only_floats else ("f", "f", "d", "uw", "ub")
    _run_random(name, 60, 6, lambda rng: (["f"] * count, _pick(rng, results)), floats=True)


@pytest.mark.parametrize("name", ["mov", "add"])
def test_integers_to_floats(name):
    count = 1 if name == "mov" else 2
    _run_random(name, 40, 7, lambda rng: ([_pick(rng, INTEGERS) for _ in range(count)], "f"))


@pytest.mark.parametrize("name", ["bfe", "bfi2"])
@pytest.mark.parametrize("kind", ["ud", "d"])
def test_three_sources(name, kind):
    rng = np.random.default_rng(8)
    for _ in range(40):
        sources = []
        for register in (20, 22, 24):
            swizzle = "".join(rng.choice(list("xyzw"), 4))
            sources.append(f"r{register}.0<4>.{swizzle}{'.r' * int(rng.integers(2))}:{kind}")
        mask = "".join(letter for letter in "xyzw" if rng.integers(3))
        size = int(rng.choice([4, 8]))
        predicate = str(rng.choice(["", "(+f0.0) ", "(-f1.1) "]))
        line = f"{predicate}{name} ({size}) r10.0<1>.{mask}:{kind} {' '.join(sources)}"
        hold(_kernel([line]), _registers(rng))


@pytest.mark.parametrize(
    ("immediate", "result"),
    [
        ("0x76543210:v", "w"), ("0xfedcba98:v", "d"), ("0xfedcba98:uv", "uw"), ("0x30b080ff:vf", "f"),
        ("-5:w", "d"), ("0xffff:uw", "ud"), ("0x80000000:d", "d"), ("0x80000000:ud", "f"), ("-0.375:f", "f"),
        ("0x7fc01234:f", "f"), ("1e9:f", "uw"), ("-1.5:f", "d"),
    ],
)  # fmt: skip
def test_immediates(immediate, result):
    registers = _registers(np.random.default_rng(9))
    hold(_kernel([f"mov (8) r10.0<1>:{result} {immediate}"]), registers)


def test_vector_immediates_repeat_after_eight_and_four():
    registers = Registers.zeros(1)
    after = emulate(_kernel(["mov (16) r10.0<1>:w 0x7654321f:v", "mov (8) r12.0<1>:f 0x48403000:vf"]), registers)
    assert after.general[0, 320:352].view(np.int16).tolist() == [-1, 1, 2, 3, 4, 5, 6, 7] * 2
    assert after.general[0, 384:416].view(np.float32).tolist() == [0.0, 1.0, 2.0, 3.0] * 2


def test_rows_with_addresses_of_their_own():
    rng = np.random.default_rng(10)
    for width, size, first in ((1, 8, 0), (1, 4, 3), (2, 8, 4), (4, 16, 2)):
        registers = _registers(rng)
        registers.address.view(np.uint16)[...] = 4 * rng.integers(0, 900, (THREADS, 8))
        hold(_kernel([f"mov ({size}) r10.0<1>:uw r[a0.{first}, 64]<VxH;{width},1>:uw"]), registers)


def test_the_second_register_of_an_operand_is_at_the_next_address():
    registers = Registers.zeros(1)
    registers.general[0, :1024] = np.arange(256, dtype=np.float32).view(np.uint8)
    registers.address.view(np.uint16)[0, :4] = 32 * 10, 32 * 20, 32 * 2, 32 * 6
    after = hold(_kernel(["mov (16) r[a0.0, 256]<1>:f r[a0.2, 0]<8;8,1>:f"]), registers).general[0].view(np.float32)
    assert after[144:152].tolist() == list(range(16, 24))
    assert after[224:232].tolist() == list(range(48, 56))
    assert after[152:160].tolist() == list(range(152, 160))
    with pytest.raises(CaptureError, match=r"two registers at addresses a0\.1 on: it is odd"):
        emulate(_kernel(["mov (16) r40.0<1>:f r[a0.1, 0]<8;8,1>:f"]), registers)


def test_most_addresses_have_12_bits():
    registers = Registers.zeros(1)
    registers.general[0, 64:80] = 0xFF
    after = hold(_kernel(["mov (8) a0.0<1>:uw r2.0<8;8,1>:uw", "mov (8) r10.0<1>:uw a0.0<8;8,1>:uw"]), registers)
    assert after.general[0, 320:336].view(np.uint16).tolist() == [0xFFFF] * 2 + [0xFFF] * 6


def test_reads_come_before_writes():
    registers = _registers(np.random.default_rng(11))
    hold(
        _kernel(["mov (8) r10.1<1>:ud r10.0<8;8,1>:ud", "add (16) r10.0<1>:uw r10.1<16;16,1>:uw r10.2<16;16,1>:uw"]),
        registers,
    )


def test_the_accumulator_is_a_register():
    registers = _registers(np.random.default_rng(12), floats=True)
    lines = [
        "mov (4) acc0.0<1>:w 0x00006ea2:v",
        "add (4) acc0.0<1>:w acc0.0<4;4,1>:w 0x0046:uw",
        "shl (4) r22.0<1>:w acc0.0<4;4,1>:w 5:uw",
        "mov (16) acc0.0<1>:f r40.0<8;8,1>:f",
        "mac (16) acc0.0<1>:f r42.0<8;8,1>:f 0.5:f",
        "mac (1) r50.2<1>:f r44.0<0;1,0>:f r44.1<0;1,0>:f",
        "add (8) r51.0<1>:ud r20.0<8;8,1>:ud 7:ud {AccWrEn}",
    ]
    after = emulate(_kernel(lines), registers)
    theirs = hold(_kernel(lines[:-1]), registers)
    assert np.array_equal(after.general[:, 1600:1632], theirs.general[:, 1600:1632])
    assert np.array_equal(after.accumulator[:, :32], after.general[:, 1632:1664])


def test_mac_adds_the_accumulator_at_the_destinations_sub_register():
    registers = Registers.zeros(1)
    registers.accumulator[...] = np.arange(16, dtype=np.float32).view(np.uint8)
    after = emulate(
        _kernel(["mac (1) r10.5<1>:f 2.0:f 3.0:f"]).replace("2.0:f 3.0:f", "r1.0<0;1,0>:f 3.0:f"), registers
    )
    assert after.general[0, 320:352].view(np.float32).tolist() == [0, 0, 0, 0, 0, 5.0, 0, 0]


NAN, TINY = float("nan"), 1e-40


@pytest.mark.parametrize(
    ("line", "expected"),
    [  # pairs: (1, NaN), (NaN, 1), (NaN, NaN), (1, 2), (2, 1), (denormal, 0), (0, denormal), (-0, 0)
        ("cmpn.nz.f0.0 (8) {}", [0, 1, 0, 1, 1, 0, 0, 0]),
        ("cmpn.ge.f0.0 (8) {}", [1, 0, 1, 0, 1, 1, 1, 1]),
        ("cmpn.l.f0.0 (8) {}", [1, 0, 1, 1, 0, 0, 0, 0]),
        ("cmp.nz.f0.0 (8) {}", [1, 1, 1, 1, 1, 0, 0, 0]),
        ("cmp.ge.f0.0 (8) {}", [0, 0, 0, 0, 1, 1, 1, 1]),
    ],
)
def test_a_nan_second_source_decides_cmpn(line, expected):
    after = emulate(_kernel([line.format("null:f r0.0<8;8,1>:f r1.0<8;8,1>:f")]), _pairs())
    assert np.unpackbits(after.flags[0, :1], bitorder="little").tolist() == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sel.ge.f0.0", [1, 1, NAN, 2, 2, 0, 0, -0.0]),
        ("sel.l.f0.0", [1, 1, NAN, 1, 1, 0, 0, 0.0]),
        ("sel.nz.f0.0", [1, NAN, NAN, 1, 2, 0, 0, 0.0]),
        ("(-f0.0) sel", [1, NAN, NAN, 1, 2, TINY, 0, -0.0]),
        ("(+f0.0) sel", [NAN, 1, NAN, 2, 1, 0, TINY, 0.0]),
    ],
)
def test_sel_prefers_numbers_and_flushes_denormals_only_with_a_condition(line, expected):
    head, _, tail = line.partition("sel")
    after = emulate(_kernel([f"{head}sel{tail} (8) r10.0<1>:f r0.0<8;8,1>:f r1.0<8;8,1>:f"]), _pairs())
    found, expected = after.general[0, 320:352].view(np.float32), np.array(expected, np.float32)
    number = ~np.isnan(expected)
    assert np.isnan(found[~number]).all()
    assert found[number].tobytes() == expected[number].tobytes()


def _pairs():
    registers = Registers.zeros(1)
    registers.general[0, :64] = np.array(
        [1, NAN, NAN, 1, 2, TINY, 0, -0.0, NAN, 1, NAN, 2, 1, 0, TINY, 0], np.float32
    ).view(np.uint8)
    return registers


@pytest.mark.parametrize(
    ("line", "flag"),
    [
        ("add.l.f0.0 (1) r10.0<1>:d r2.0<0;1,0>:d 0x7fffffff:d", 1),  # 80000000h is stored
        ("add.z.f0.0 (1) r10.0<1>:w r2.2<0;1,0>:w r2.2<0;1,0>:w", 1),  # -32768 twice
        ("add.o.f0.0 (1) r10.0<1>:w r2.2<0;1,0>:w r2.2<0;1,0>:w", 1),
        ("add.sat.l.f0.0 (1) r10.0<1>:w r2.2<0;1,0>:w r2.2<0;1,0>:w", 1),
        ("mov.sat.l.f0.0 (1) r10.0<1>:uw -r2.0<0;1,0>:w", 0),  # -1 is saturated, which drivers rely on
        ("mov.sat.z.f0.0 (1) r10.0<1>:uw -r2.0<0;1,0>:w", 1),
        ("mov.sat.o.f0.0 (1) r10.0<1>:uw -r2.0<0;1,0>:w", 1),
        ("mov.sat.nz.f0.0 (1) r10.0<1>:f -r3.0<0;1,0>:f", 0),  # -0.5
        ("mov.sat.ge.f0.0 (1) r10.0<1>:f -r3.1<0;1,0>:f", 1),
        ("add.sat.l.f0.0 (1) null:f -r3.0<0;1,0>:f -r3.0<0;1,0>:f", 0),
        ("mov.sat.z.f0.0 (1) r10.0<1>:f r3.3<0;1,0>:f", 1),
        ("mov.sat.u.f0.0 (1) r10.0<1>:f r3.3<0;1,0>:f", 1),
        ("mov.nz.f0.0 (1) r10.0<1>:d r3.0<0;1,0>:f", 0),  # 0.5 becomes 0
        ("mov.o.f0.0 (1) r10.0<1>:uw r3.1<0;1,0>:f", 1),  # 70000.0
        ("mul.o.f0.0 (1) r10.0<1>:f r3.2<0;1,0>:f r3.2<0;1,0>:f", 1),  # 1e30 squared
        ("mov.u.f0.0 (1) r10.0<1>:f r3.3<0;1,0>:f", 1),  # NaN
    ],
)
def test_conditions_are_about_the_result_as_it_is_stored(line, flag):
    registers = Registers.zeros(1)
    registers.general[0, 64:72] = np.array([1, 0, -32768, 0], np.int16).view(np.uint8)
    registers.general[0, 96:112] = np.array([0.5, 70000, 1e30, NAN], np.float32).view(np.uint8)
    assert hold(_kernel([line]), registers).flags[0, 0] & 1 == flag


SPECIAL = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 1e-40, -1e-40, 0.5], np.float32)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("d", [0, 2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 0, 0, 0]),
        ("uw", [0, 65535, 0, 65535, 0, 0, 0, 0]),
        ("b", [0, 127, -128, 127, -128, 0, 0, 0]),
    ],
)
def test_floats_that_do_not_fit_are_clamped(result, expected):
    registers = Registers.zeros(1)
    registers.general[0, :32] = SPECIAL.view(np.uint8)
    stride = {"d": 1, "uw": 2, "b": 4}[result]
    after = emulate(_kernel([f"mov (8) r10.0<{stride}>:{result} r0.0<8;8,1>:f"]), registers)
    kind = {"d": np.int32, "uw": np.uint16, "b": np.int8}[result]
    assert after.general[0, 320:352].view(kind)[::stride].tolist() == expected


def test_special_floats():
    registers = Registers.zeros(1)
    registers.general[0, :32] = SPECIAL.view(np.uint8)
    lines = [
        "mov (8) r10.0<1>:f r0.0<8;8,1>:f",  # bits
        "mov.sat (8) r11.0<1>:f r0.0<8;8,1>:f",
        "add (8) r12.0<1>:f r0.0<8;8,1>:f 0.0:f",  # denormals become zero
        "cmp.nz.f0.0 (8) r13.0<1>:d r0.0<8;8,1>:f r0.0<8;8,1>:f",  # NaN differs from itself
        "cmp.le.f0.1 (8) r14.0<1>:f r0.0<8;8,1>:f 0.5:f",
        "sel.ge.f0.0 (8) r15.0<1>:f r0.0<8;8,1>:f 1.0:f",  # the number of a number and a NaN
    ]
    rows = emulate(_kernel(lines), registers).general[0].reshape(-1, 32)
    assert rows[10].tobytes() == SPECIAL.tobytes()
    assert rows[11].view(np.float32).tolist() == [0, 1, 0, 1, 0, 0, 0, 0.5]
    assert rows[12].view(np.float32)[5:].tolist() == [0, 0, 0.5]
    assert rows[13].view(np.int32).tolist() == [-1, 0, 0, 0, 0, 0, 0, 0]
    assert rows[14].view(np.uint32).tolist() == [0, 0, 2**32 - 1, 0, 2**32 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1]
    assert rows[15].view(np.float32).tolist() == [1, np.inf, 1, 3e9, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("avg (8) r10.0<1>:f r0.0<8;8,1>:f r1.0<8;8,1>:f", "avg takes no F sources"),
        ("add (8) r10.0<1>:f r0.0<8;8,1>:f r1.0<8;8,1>:d", "add mixes F with integers"),
        ("addc (8) r10.0<1>:ud r0.0<8;8,1>:ud r1.0<8;8,1>:ud", "addc needs AccWrEn"),
        ("bfrev (8) r10.0<1>:ud -r0.0<8;8,1>:ud", "bfrev takes no source modifiers"),
        ("bfrev.z.f0.0 (8) r10.0<1>:ud r0.0<8;8,1>:ud", "bfrev takes no condition modifier"),
        ("and.sat (8) r10.0<1>:ud r0.0<8;8,1>:ud r1.0<8;8,1>:ud", "and takes no saturation"),
        ("f16to32 (8) r10.0<1>:f -r0.0<8;8,1>:w", "of the word or the half is not printed .page 173"),
        ("mac (8) r10.0<1>:d r0.0<8;8,1>:d r1.0<8;8,1>:w", "mac takes no D sources"),
        ("mov (4) r10.0<1>:d r0.0<8;8,1>:d", "region width 8 exceeds the execution size 4"),
        ("mov (8) r10.0<1>:d r0.0<4;8,1>:d", "needs V = W"),
        ("mov (8) r10.0<0>:d r0.0<8;8,1>:d", "a destination cannot have stride 0"),
        ("mov (8) r10.0<1>:d r0.2b<8;8,1>:d", "sub-register offset 2 is no multiple of 4"),
        ("mov (16) r10.0<1>:d r0.0<16;8,2>:d", "touches 4 registers"),
        ("mov (8) r127.1<1>:d r0.0<8;8,1>:d", "an operand ends at byte 4100 of 4096"),
        ("mov (8) r10.0<1>:d ce0.0<0;1,0>:d", "architecture register ce0 is not supported"),
        ("mov (8) r10.0<1>:d r0.0<VxH;1,0>:d", "a VxH region needs an address"),
        ("mov (8) r10.0<1>:d r[a0.2, 0]<VxH;1,0>:d", "runs beyond a0.7"),
        ("cmp (8) null:d r0.0<8;8,1>:d r1.0<8;8,1>:d", "cmp needs a condition modifier"),
        ("cmp.o.f0.0 (8) r10.0<1>:d r0.0<8;8,1>:d r1.0<8;8,1>:d", "condition modifier 8 is not executed"),
        ("cmp.z.f0.0 (32) r10.0<1>:w r0.0<8;8,1>:w r1.0<8;8,1>:w", "cmp of 32 channels takes no condition modifier"),
        ("cmp.z.f0.1 (16) null:d r0.0<8;8,1>:d r1.0<0;1,0>:d {Q3}", "flag bits 32 to 47"),
        ("wait (1) n0.0<1>:ud n0.0<0;1,0>:ud", "all 2 threads that are left wait for a notification"),
        ("illegal (1)", "illegal is not executed"),
    ],
)
def test_what_is_not_executed_names_offset_and_text(line, message):
    with pytest.raises(CaptureError, match=message) as caught:
        emulate(_kernel(["nop (1)", line]), Registers.zeros(2))
    assert f"EU offset 0x10, {line.split(' ')[0]}" in str(caught.value)


@pytest.mark.parametrize(
    ("address", "message"),
    [(4092, "an operand ends at byte 4124 of 4096"), (65532, "of 4096"), (3, "no multiple of 4")],
)
def test_addresses_outside_the_registers(address, message):
    registers = Registers.zeros(2)
    registers.address.view(np.uint16)[:, 0] = address
    with pytest.raises(CaptureError, match=message):
        emulate(_kernel(["mov (8) r10.0<1>:d r[a0.0, 0]<8;8,1>:d"]), registers)
    registers.address.view(np.uint16)[0, 0] = 64
    with pytest.raises(CaptureError, match=r"(at byte|to) \d+ of 4096|no multiple"):
        emulate(_kernel(["mov (8) r10.0<1>:d r[a0.0, 0]<8;8,1>:d"]), registers)


def test_offsets_before_the_registers():
    registers = Registers.zeros(2)
    registers.address[:] = 0
    for line in ("mov (8) r10.0<1>:d r[a0.0, -128]<8;8,1>:d", "mov (8) r[a0.0, -4]<1>:d r10.0<8;8,1>:d"):
        with pytest.raises(CaptureError, match="bytes before its registers"):
            emulate(_kernel([line]), registers)
