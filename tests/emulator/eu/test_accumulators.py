"""Integers in the accumulator have more bits than its register shows, held to a scalar reference."""

import numpy as np
import pytest
from support.eu import END, Registers, emulate, hold

THREADS = 4


def _run(lines, words=None):
    registers = Registers.zeros(1)
    if words is not None:
        registers.general[0, 64 : 64 + 2 * len(words)] = np.array(words, np.int16).view(np.uint8)
    return emulate("\n".join([*lines, END]), registers)


@pytest.mark.parametrize(
    ("fill", "shift", "expected"),
    [
        ("add (8) acc0.0<1>:w r2.0<0;1,0>:w r2.1<0;1,0>:w", 1, 30000),
        ("mul (8) acc0.0<1>:w r2.2<0;1,0>:w r2.2<0;1,0>:w", 8, 3906),
        ("mul (8) acc0.0<1>:w r2.3<0;1,0>:w r2.2<0;1,0>:w", 8, -3907),
    ],
)
def test_a_word_keeps_33_bits(fill, shift, expected):
    after = _run([fill, f"asr (8) r10.0<1>:w acc0.0<8;8,1>:w {shift}:w"], [30000, 30000, 1000, -1000])
    assert after.general[0, 320:336].view(np.int16).tolist() == [expected] * 8


def test_a_filter_of_words_saturates_at_its_end():
    """What media kernels do: products summed in the accumulator, shifted and clamped to bytes."""
    lines = [
        "mul (8) acc0.0<1>:w r2.0<0;1,0>:w r2.1<0;1,0>:w",
        "mac (8) acc0.0<1>:w r2.0<0;1,0>:w r2.1<0;1,0>:w",
        "asr.sat (8) r10.0<2>:ub acc0.0<8;8,1>:w 10:w",
        "mov.sat (8) r11.0<1>:w acc0.0<8;8,1>:w",
    ]
    after = _run(lines, [250, 500])
    assert after.general[0, 320:336:2].tolist() == [2 * 250 * 500 >> 10] * 8
    assert after.general[0, 352:368].view(np.int16).tolist() == [32767] * 8


def test_a_product_of_dword_and_word_keeps_48_bits():
    registers = Registers.zeros(1)
    registers.general[0, 64:72] = np.array([0x10000000, 0x1000], np.int32).view(np.uint8)
    line = "mul (8) acc0.0<1>:d r2.0<0;1,0>:d r2.2<0;1,0>:w\nasr (8) r10.0<1>:d acc0.0<8;8,1>:d 16:w"
    after = emulate(f"{line}\n{END}", registers)
    assert after.general[0, 320:352].view(np.int32).tolist() == [0x1000000] * 8


def test_floats_of_the_second_quarter_use_acc1():
    registers = Registers.zeros(1)
    registers.general[0, 64:128] = np.arange(16, dtype=np.float32).view(np.uint8)
    registers.accumulator[0, 32:] = np.full(8, 200, np.float32).view(np.uint8)
    lines = [
        "mac (8) r10.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {Q2}",
        "add (8) r11.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {AccWrEn, Q2}",
    ]
    after = hold("\n".join([*lines, END]), registers)
    a, b = np.arange(8, dtype=np.float32), np.arange(8, 16, dtype=np.float32)
    assert after.general[0, 320:352].view(np.float32).tolist() == (a * b + 200).tolist()
    assert after.accumulator[0].view(np.float32).tolist() == [0] * 8 + (a + b).tolist()


def _line(rng, kinds):
    """One instruction that writes, or reads, elements of acc0."""
    kind = str(rng.choice(kinds))
    size = int(rng.choice([4, 8]))
    first = int(rng.integers(2)) * 4 if size == 4 else 0
    width = f"<{size};{size},1>"
    other = f"r{rng.integers(20, 24)}.0{width}:{rng.choice(['w', 'uw', 'b', 'ub'])}"
    more = f"r{rng.integers(20, 24)}.0{width}:{rng.choice(['w', 'uw'])}"
    predicate = str(rng.choice(["", "", "(+f0.0) "]))
    saturate = str(rng.choice(["", "", ".sat"]))
    target, held = f"acc0.{first}<1>:{kind}", f"acc0.{first}{width}:{kind}"
    out = f"r{rng.integers(10, 16)}.0<1>:{rng.choice(['d', 'w', 'uw'])}"
    wide = f"r{rng.integers(20, 24)}.0{width}:d"
    return predicate + str(
        rng.choice(
            [
                f"mul{saturate} ({size}) {target} {other} {more}",
                f"mul{saturate} ({size}) acc0.{first}<1>:d {wide} {more}",
                f"add{saturate} ({size}) {target} {other} {more}",
                f"mov{saturate} ({size}) {target} {more}",
                f"add{saturate} ({size}) {target} {held} {other}",
                f"mac{saturate} ({size}) {target} {other} {more}",
                f"add ({size}) r10.{first}<1>:{kind} {other} {more} {{AccWrEn}}",
                f"asr{saturate} ({size}) {out} {held} {rng.integers(12)}:w",
                f"mov{saturate} ({size}) {out} {held}",
                f"add{saturate} ({size}) {out} -{held} {other}",
                f"mov ({size}) acc0.{first}<1>:f r20.0{width}:f",
            ]
        )
    )


@pytest.mark.parametrize("kinds", [("w",), ("w", "uw"), ("d", "ud"), ("w", "d")])
def test_programs_that_fill_and_read_the_accumulator(kinds):
    rng = np.random.default_rng(7)
    for _ in range(40):
        registers = Registers.random(rng, THREADS)
        lines = [_line(rng, kinds) for _ in range(10)]
        hold("\n".join([*lines, END]), registers)
