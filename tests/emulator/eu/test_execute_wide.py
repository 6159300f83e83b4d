"""Products of dwords in the accumulator, sums of absolute differences, and align16, against Python's own numbers."""

import numpy as np
import pytest
from support.eu import END, Registers, emulate

from texsamp.errors import CaptureError

THREADS = 4
DTYPES = {"ud": "<u4", "d": "<i4", "f": "<f4"}


def _registers(seed):
    registers = Registers.random(np.random.default_rng(seed), THREADS)
    registers.general.view("<u4")[:, 160] = 0xFFFFFFFF
    registers.general.view("<u4")[:, 168] = 0xFFFFFFFF
    registers.general.view("<u4")[:, 161] = 0x80000000
    return registers


def _run(lines, registers):
    return emulate("\n".join([*lines, END]), registers)


def _rows(registers, kind):
    return registers.general.view(DTYPES[kind]).reshape(THREADS, 128, 8)


@pytest.mark.parametrize("kinds", [("d", "d"), ("ud", "ud"), ("d", "ud"), ("ud", "d")])
@pytest.mark.parametrize("size", [1, 8])
def test_mul_mach_mov_give_all_bits_of_a_product(kinds, size):
    registers = _registers(1)
    region = "<8;8,1>" if size == 8 else "<0;1,0>"
    a, b = (f"r{register}.0{region}:{kind}" for register, kind in zip((20, 21), kinds, strict=True))
    lines = [
        f"mul ({size}) acc0.0<1>:d {a} {b}",
        f"mach ({size}) r10.0<1>:d {a} {b} {{AccWrEn}}",
        f"mov ({size}) r11.0<1>:d acc0.0{region}:d",
    ]
    after = _run(lines, registers)
    for thread in range(THREADS):
        for n in range(size):
            values = (int(_rows(registers, kind)[thread, 20 + i, n]) for i, kind in enumerate(kinds))
            product = int(np.prod([*values], dtype=object))
            assert int(_rows(after, "ud")[thread, 10, n]) == product >> 32 & 0xFFFFFFFF
            assert int(_rows(after, "ud")[thread, 11, n]) == product & 0xFFFFFFFF


def test_mul_reads_the_low_word_of_the_second_dword():
    registers = _registers(2)
    after = _run(["mul (8) r10.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d"], registers)
    a, b = (_rows(registers, "ud")[:, register].astype(np.uint64) for register in (20, 21))
    assert np.array_equal(_rows(after, "ud")[:, 10], (a * (b & np.uint64(0xFFFF))).astype(np.uint32))


def test_masked_channels_keep_their_product():
    registers = _registers(3)
    registers.flags[...] = 0b01100101
    lines = [
        "mul (8) acc0.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d",
        "(+f0.0) mach (8) r10.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d {AccWrEn}",
        "(-f0.0) mach (8) r10.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d {AccWrEn}",
    ]
    after = _run(lines, registers)
    products = _rows(registers, "d")[:, 20].astype(object) * _rows(registers, "d")[:, 21].astype(object)
    assert (_rows(after, "d")[:, 10] == products >> 32).all()


def test_the_second_half_of_a_thread_has_its_products_in_the_same_accumulator():
    """As Mesa divides by constants in SIMD16: mach is not masked, and a mov takes what its quarter needs."""
    registers = _registers(6)
    registers.flags.view("<u2")[...] = 0b0110_0101_0000_0000
    lines = [
        "(+f0.0) mul (8) acc0.0<1>:ud r20.0<8;8,1>:ud r21.0<8;8,1>:ud {Q2}",
        "mach (8) r10.0<1>:ud r20.0<8;8,1>:ud r21.0<8;8,1>:ud {NoMask, AccWrEn}",
    ]
    after = _rows(_run(lines, registers), "ud")[:, 10]
    a, b = (_rows(registers, "ud")[:, register].astype(np.uint64) for register in (20, 21))
    assert np.array_equal(after[:, [0, 2, 5, 6]], ((a * b) >> np.uint64(32))[:, [0, 2, 5, 6]])


def test_products_of_vectors_are_those_of_their_components():
    registers = _registers(7)
    lines = [
        "mul (8) acc0.0<1>.xyzw:d r20.0<4>.wzyx:d r21.0<4>.xxyy:d {align16}",
        "mach (8) r10.0<1>.xz:d r20.0<4>.wzyx:d r21.0<4>.xxyy:d {align16, AccWrEn}",
        "mov (8) r11.0<1>.xyzw:d acc0.0<4>.xyzw:d {align16}",
    ]
    before, after = _rows(registers, "d"), _rows(_run(lines, registers), "d")
    a = before[:, 20].reshape(THREADS, 2, 4)[..., ::-1].astype(object)
    product = a * before[:, 21].reshape(THREADS, 2, 4)[..., [0, 0, 1, 1]].astype(object)
    high, held = after[:, 10].reshape(THREADS, 2, 4), before[:, 10].reshape(THREADS, 2, 4)
    assert (high[..., ::2] == (product >> 32)[..., ::2]).all() and (high[..., 1::2] == held[..., 1::2]).all()
    low = after[:, 11].view("<u4").reshape(THREADS, 2, 4)
    assert (low[..., ::2] == product[..., ::2] % 2**32).all()


def test_flags_of_channels_that_an_align16_destination_leaves_out_stay():
    registers = _registers(8)
    registers.flags.view("<u2")[...] = 0b1010_0101_1010_0101
    compare = "cmp.l.f0.0 (8) r10.0<1>.xz:f r20.0<4>.xyzw:f r21.0<4>.xyzw:f {align16}"
    rows, after = _rows(registers, "f"), _run([compare], registers)
    less = rows[:, 20] < rows[:, 21]
    bits = np.unpackbits(after.flags.view(np.uint8).reshape(THREADS, -1), axis=1, bitorder="little")[:, :8]
    left = np.array([1, 0, 1, 0, 0, 1, 0, 1])
    assert (bits[:, ::2] == less[:, ::2]).all() and (bits[:, 1::2] == left[1::2]).all()


MUL = "mul (8) acc0.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d"
MACH = "mach (8) r10.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d {AccWrEn}"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([MACH], "the accumulator holds none"),
        ([MUL, "mov (8) acc0.0<1>:f 1.0:f", MACH], "the accumulator holds none"),
        ([MUL, "add (8) r9.0<1>:f r20.0<8;8,1>:f 1.0:f {AccWrEn}", MACH], "the accumulator holds none"),
        ([MUL, MACH.replace(" {AccWrEn}", "")], "mach needs AccWrEn"),
        ([MUL, MACH.replace("r10.0", "acc0.0")], "cannot name the accumulator"),
        ([MACH.replace("{AccWrEn}", "{Q2, AccWrEn}")], "channels 0 to 7 of acc0 only"),
        ([MUL.replace("acc0.0", "acc0.4").replace("(8)", "(4)").replace("8;8", "4;4")], "channels 0 to 7 of acc0"),
        ([MUL.replace("acc0", "acc1")], "channels 0 to 7 of acc0 only"),
        ([MUL.replace("(8)", "(16)")], "channels 0 to 7 of acc0 only"),
        ([MUL.replace("r21.0<8;8,1>", "acc0.0<8;8,1>")], "takes no accumulator as a source"),
        ([MUL.replace("mul", "mul.sat")], "with saturation or condition modifier"),
        ([MACH.replace("r21.0<8;8,1>:d", "r21.0<8;8,1>:w")], "mach takes no W sources"),
        (["sad2 (1) r10.0<1>:uw r20.0<0;1,0>:ub r21.0<0;1,0>:ub"], "sad2 needs channels in pairs"),
        (["sad2 (8) r10.0<1>:ud r20.0<8;8,1>:ub r21.0<8;8,1>:ub"], "sad2 gives no UD"),
        (["sada2 (8) r[a0.0, 0]<1>:uw r20.0<8;8,1>:ub r21.0<8;8,1>:ub"], "sada2 to an address"),
        (["mov (16) r10.0<1>.xyzw:f r0.0<4>.xyzw:f {align16}"], "align16 of 16 channels"),
        (["mov (8) r10.0<1>.xyzw:w r0.0<4>.xyzw:w {align16}"], "align16 operands are dwords, not W"),
        (["mac (8) r10.0<1>.xyzw:f r0.0<4>.xyzw:f r1.0<4>.xyzw:f {align16}"], "mac in align16"),
        (["mul (8) r10.0<1>.xyzw:d r0.0<4>.xyzw:d r1.0<4>.xyzw:w {align16}"], "align16 operands are dwords, not W"),
    ],
)
def test_what_is_not_known(lines, message):
    with pytest.raises(CaptureError, match=message):
        _run(lines, _registers(4))


@pytest.mark.parametrize("kind", ["ub", "b"])
@pytest.mark.parametrize("size", [2, 16])
def test_sums_of_absolute_differences(kind, size):
    registers = _registers(5)
    region = f"<{size};{size},1>"
    a, b = f"r20.0{region}:{kind}", f"r21.0{region}:{kind}"
    after = _run([f"sad2 ({size}) r10.0<1>:uw {a} {b}", f"sada2 ({size}) r11.0<1>:uw {a} {b}"], registers)
    rows = registers.general.view({"ub": np.uint8, "b": np.int8}[kind]).reshape(THREADS, 128, 32).astype(int)
    before, words = (part.general.view("<u2").reshape(THREADS, 128, 16) for part in (registers, after))
    accumulator = registers.accumulator.view("<u2").astype(int)
    for thread in range(THREADS):
        differences = [abs(rows[thread, 20, n] - rows[thread, 21, n]) for n in range(size)]
        for n in range(16):
            if n % 2 or n >= size:  # only even channels are written
                assert (words[thread, 10:12, n] == before[thread, 10:12, n]).all()
                continue
            total = differences[n] + differences[n + 1]
            assert words[thread, 10, n] == total
            assert words[thread, 11, n] == (total + accumulator[thread, n]) % 65536


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("kind", ["f", "d"])
def test_align16_swizzles_and_masks(size, kind):
    registers = _registers(6)
    registers.general.view("<i4")[...] = np.random.default_rng(7).integers(-1000, 1000, (THREADS, 1024))
    if kind == "f":
        registers.general.view("<f4")[...] = registers.general.view("<i4").astype(np.float32)
    line = f"add ({size}) r10.0<1>.xzw:{kind} -r20.4<4>.wyxx:{kind} r22.0<0>.yzwx:{kind} {{align16}}"
    after = _run([line], registers)
    flat, found = (part.general.view(DTYPES[kind]) for part in (registers, after))
    for n in range(8):
        component = n % 4
        if n >= size or component == 1:
            assert np.array_equal(found[:, 80 + n], flat[:, 80 + n], equal_nan=True)
            continue
        a = flat[:, 164 + 4 * (n // 4) + (3, 1, 0, 0)[component]]
        assert np.array_equal(found[:, 80 + n], -a + flat[:, 176 + (1, 2, 3, 0)[component]])


def test_align16_vectors_and_dot_products():
    registers = Registers.zeros(1)
    registers.general.view("<f4")[0, 160:168] = [1, 2, 3, 4, 5, 6, 7, 8]
    lines = [
        "mov (8) r10.0<1>.xyzw:f 0x30000000:vf {align16}",
        "dp3 (8) r11.0<1>.y:f r20.0<4>.xyzw:f r20.0<4>.zyxx:f {align16}",
        "mov (4) r12.4<1>.xyzw:f r20.0<4>.wwww:f {align16}",
    ]
    rows = _run(lines, registers).general.view("<f4").reshape(128, 8)
    assert rows[10].tolist() == [0, 0, 0, 1] * 2
    assert rows[11].tolist() == [0, 3 + 4 + 3, 0, 0, 0, 35 + 36 + 35, 0, 0]
    assert rows[12].tolist() == [0, 0, 0, 0, 4, 4, 4, 4]


@pytest.mark.parametrize(("name", "bits"), [("", 0b10110010), (".x", 0xF0), (".y", 0x0F), (".z", 0xF0), (".w", 0)])
def test_align16_predicates_replicate_a_component(name, bits):
    registers = _registers(8)
    registers.flags[...] = 0b01010010 if name else bits
    line = f"(+f0.0{name}) sel (8) r10.0<1>.xyzw:d r20.0<4>.xyzw:d r21.0<4>.xyzw:d {{align16}}"
    rows, before = _rows(_run([line], registers), "d"), _rows(registers, "d")
    chosen = np.array([bits >> n & 1 for n in range(8)], bool)
    assert np.array_equal(rows[:, 10], np.where(chosen, before[:, 20], before[:, 21]))


def test_sums_of_absolute_differences_are_modified_saturate_and_set_flags():
    registers = _registers(11)
    a, b = "r20.0<8;8,1>:b", "r21.0<8;8,1>:b"
    after = _run([f"sad2.g.f0.0 (8) r10.0<1>:w -{a} abs {b}", f"sada2.sat.l.f0.1 (8) r11.0<1>:w {a} {b}"], registers)
    rows = registers.general.view(np.int8).reshape(THREADS, 128, 32).astype(int)
    words, held = after.general.view("<i2").reshape(THREADS, 128, 16), registers.accumulator.view("<i2").astype(int)
    flags = np.unpackbits(after.flags[:, :4], axis=1, bitorder="little")
    for n in range(0, 8, 2):
        changed = np.abs(-rows[:, 20] - np.abs(rows[:, 21]))
        plain = np.abs(rows[:, 20] - rows[:, 21])
        first, second = (part[:, n] + part[:, n + 1] for part in (changed, plain))
        assert np.array_equal(words[:, 10, n], first)
        assert np.array_equal(words[:, 11, n], np.clip(second + held[:, n], -32768, 32767))
        assert np.array_equal(flags[:, n], first > 0)
        assert np.array_equal(flags[:, 16 + n], second + held[:, n] < 0)


@pytest.mark.parametrize("modifier", ["abs ", "-", "-abs "])
def test_products_of_modified_dwords(modifier):
    registers = _registers(12)
    lines = [
        f"mul (8) acc0.0<1>:d {modifier}r20.0<8;8,1>:d {modifier}r21.0<8;8,1>:d",
        f"mach (8) r10.0<1>:ud {modifier}r20.0<8;8,1>:d {modifier}r21.0<8;8,1>:d {{AccWrEn}}",
        "mov (8) r11.0<1>:ud acc0.0<8;8,1>:ud",
    ]
    rows, before = _rows(_run(lines, registers), "ud").astype(object), _rows(registers, "d").astype(object)
    a, b = before[:, 20], before[:, 21]
    product = abs(a) * abs(b) if "abs" in modifier else a * b
    assert (rows[:, 10] << 32 | rows[:, 11]).tolist() == (product % 2**64).tolist()
