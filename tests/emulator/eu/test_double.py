"""Double precision, held to exact fractions one number at a time."""

import numpy as np
import pytest
from support.eu import END, Registers, emulate, hold

from texsamp.errors import CaptureError

THREADS = 6
EDGES = np.array([
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0**-1022, -(2.0**-1022), 5e-324, -5e-324, 3e-310, -4e-310, 1.7976931348623157e308,
    -1.7976931348623157e308, 1e308, 2.0**-540, -(2.0**-530), 1 + 2.0**-52, 1 - 2.0**-53, 2.0**53 + 2, 1e-200, 0.1,
    np.inf, -np.inf, np.nan, 3.5e38, -3.5e38, 1e-40, 1e-46, 65535.5, -32769.0, 2147483647.5, 4294967296.0,
])  # fmt: skip
MODES = [0x00, 0x40, 0x10, 0x50, 0x20, 0x60, 0x30, 0x70]


def _registers(seed, edges=True):
    """Registers of doubles, from r60 on of floats, from r70 on of integers."""
    rng = np.random.default_rng(seed)
    registers = Registers.random(rng, THREADS)
    numbers = registers.general.view("<f8")
    numbers[...] = rng.normal(size=numbers.shape) * 2.0 ** rng.integers(-60, 60, numbers.shape)
    if edges:
        numbers[:, ::3] = rng.choice(EDGES, numbers[:, ::3].shape)
    floats = registers.general.view("<f4")
    floats[:, 480:560] = rng.choice(
        np.array([0, -0.0, 1.5, -3e38, 1e-40, -1e-45, np.inf, 0.1], np.float32), (THREADS, 80)
    )
    registers.general[:, 2240:] = rng.integers(0, 256, (THREADS, 4096 - 2240), np.uint8)
    registers.accumulator.view("<f8")[...] = rng.choice(EDGES[:20], (THREADS, 8))
    return registers


def _kernel(*lines, mode=0):
    return "\n".join([f"mov (1) cr0.0<1>:ud {mode:#x}:ud", *lines, END])


@pytest.mark.parametrize("mode", MODES, ids=hex)
def test_arithmetic_in_every_mode(mode):
    hold(
        _kernel(
            "add (8) r10.0<1>:df r20.0<8;8,1>:df -r21.0<8;8,1>:df",
            "add (16) r11.0<1>:df r22.0<8;8,1>:df r24.0<8;8,1>:df",
            "mul (8) r13.0<1>:df r20.0<8;8,1>:df abs r22.0<8;8,1>:df",
            "mul (16) r14.0<1>:df r26.0<8;8,1>:df r28.0<0;2,1>:df",
            "mac (8) r16.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df",
            "mad (8) r17.0<1>.xyzw:df r20.0<4>.xyzw:df -r21.0<4>.xyzw:df r22.0<4>.zwxy:df",
            "mad.sat (8) r18.0<1>.zw:df r20.0<4>.xyxy:df r21.0<4>.xyzw:df r22.0<4>.xyzw:df",
            "add.sat (8) r19.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df",
            mode=mode,
        ),
        _registers(mode),
    )


def test_products_near_the_ends_of_the_range_round_once():
    rng = np.random.default_rng(9)
    registers = _registers(1, edges=False)
    numbers = registers.general.view("<f8").reshape(THREADS, 128, 4)
    for row, exponent in ((20, -500), (21, -560), (22, 500), (23, 520)):
        numbers[:, row] = rng.normal(size=(THREADS, 4)) * 2.0 ** rng.integers(
            exponent - 20, exponent + 20, (THREADS, 4)
        )
    for mode in MODES:
        hold(
            _kernel(
                "mul (8) r10.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df",
                "mul (8) r11.0<1>:df r22.0<8;8,1>:df r23.0<8;8,1>:df",
                "mul (8) r12.0<1>:df r20.0<8;8,1>:df r23.0<8;8,1>:df",
                mode=mode,
            ),
            registers,
        )


@pytest.mark.parametrize("mode", [0x00, 0x40])
def test_comparisons_and_choices(mode):
    lines = []
    for number, condition in enumerate(("z", "nz", "g", "ge", "l", "le")):
        lines += [
            f"cmp.{condition}.f0.0 (8) r{10 + number}.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df",
            f"cmpn.{condition}.f0.1 (8) r{30 + number}.0<1>:df r22.0<8;8,1>:df r23.0<8;8,1>:df {{Q2}}",
            f"sel.{condition} (8) r{40 + number}.0<1>:df r24.0<8;8,1>:df -r25.0<8;8,1>:df",
            f"(+f0.1) sel (8) r{50 + number}.0<1>:df r24.0<8;8,1>:df -r25.0<8;8,1>:df",
        ]
    registers = _registers(mode + 1)
    registers.general.view("<f8").reshape(THREADS, 128, 4)[:, (21, 23), 0] = np.nan
    hold(_kernel(*lines, mode=mode), registers)


@pytest.mark.parametrize("condition", ["z", "nz", "g", "ge", "l", "le", "o", "u"])
def test_conditions_of_results(condition):
    hold(
        _kernel(
            f"add.{condition}.f0.0 (8) r10.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df",
            f"mul.sat.{condition}.f0.1 (8) r11.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df {{Q2}}",
            f"mad.{condition}.f1.0 (8) r12.0<1>.xyzw:df r20.0<4>.xyzw:df r21.0<4>.xyzw:df r22.0<4>.xyzw:df",
            f"mov.{condition}.f1.1 (8) r13.0<1>:df r23.0<8;8,1>:df",
        ),
        _registers(5),
    )


@pytest.mark.parametrize("mode", [0x00, 0x40, 0x10])
def test_conversions(mode):
    hold(
        _kernel(
            "mov (8) r10.0<1>:df r60.0<8;8,1>:f",
            "mov (8) r11.0<1>:df -r61.0<1;2,0>:f",
            "mov (8) r12.0<1>:df r70.0<8;8,1>:d",
            "mov (8) r13.0<1>:df r71.0<8;8,1>:ud",
            "mov (8) r14.0<1>:df r72.0<8;8,1>:w",
            "mov (8) r15.0<1>:df 0.1:f",
            "mov (8) r30.0<1>:f r20.0<8;8,1>:df",
            "mov.sat (8) r31.0<1>:f r21.0<8;8,1>:df",
            "mov (8) r32.0<1>:d r22.0<8;8,1>:df",
            "mov (8) r33.0<1>:ud -r23.0<8;8,1>:df",
            "mov (8) r34.0<2>:w r24.0<8;8,1>:df",
            "mov (8) r35.0<2>:uw r25.0<8;8,1>:df",
            "mov (8) r36.0<1>:df r26.0<8;8,1>:df",
            "mov (8) r37.0<1>:df -r26.0<8;8,1>:df",
            mode=mode,
        ),
        _registers(mode + 2),
    )


def test_pages_examples():
    """Four doubles move; singles round toward zero, and denormals become doubles (pages 27-28, 71)."""
    registers = Registers.zeros(1)
    registers.general.view("<f8").reshape(128, 4)[11] = 1.0, -2.0, 1 + 2.0**-24 + 2.0**-30, 1e300
    registers.general.view("<f4").reshape(128, 8)[12, ::2] = 1e-45, -1e-45, 3.0, 4.0
    after = emulate(
        _kernel(
            "mov (8) r10.0<1>:df r11.0<8;8,1>:df", "mov (8) r13.0<1>:f r11.0<8;8,1>:df",
            "mov (8) r14.0<1>:df r12.0<8;8,1>:f",
        ),
        registers,
    ).general  # fmt: skip
    assert after.view("<f8").reshape(128, 4)[10].tolist() == [1.0, -2.0, 1 + 2.0**-24 + 2.0**-30, 1e300]
    assert after.view("<f4").reshape(128, 8)[13, ::2].tolist() == [1.0, -2.0, 1.0, float(np.finfo(np.float32).max)]
    assert after.view("<f8").reshape(128, 4)[14].tolist() == [2.0**-149, -(2.0**-149), 3.0, 4.0]


def test_channels_of_a_number_are_masked_predicated_and_accumulated():
    hold(
        _kernel(
            "(+f0.0) add (8) r10.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df",
            "(-f0.0.any2h) mov (8) r11.0<1>:df r20.0<8;8,1>:df",
            "(+f0.0) if (8) jip=5 uip=5",
            "mul (8) r12.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df {AccWrEn}",
            "mov (4) r13.0<1>:df r20.0<4;4,1>:df",
            "add (2) r13.2<1>:df r20.0<2;2,1>:df r21.0<2;2,1>:df",
            "endif (8) jip=2",
            "mov (8) r14.0<1>:df acc0.0<8;8,1>:df",
            "add (8) acc0.0<1>:df r20.0<8;8,1>:df r22.0<8;8,1>:df",
            "mac (8) r15.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df",
            "mov (4) r16.0<1>:df r20.0<4;4,1>:df {Q2}",
        ).replace("jip=5 uip=5", "jip=8 uip=8"),
        _registers(3),
    )


def test_a_double_is_one_channel_of_masks_flags_and_align16_enables():
    """As Mesa's kernels have it: N2 is channels 4 to 7, and .x, .y, .z and .w are four doubles."""
    registers = Registers.zeros(1)
    registers.general.view("<f8").reshape(128, 4)[20:22] = [1, 2, 3, 4], [5, 6, 7, 8]
    lines = [
        "mov (8) r10.0<1>.x:df r20.0<0>.zwzw:df {align16}",
        "mov (8) r10.0<1>.y:df r21.0<0>.xyxy:df {align16, N2}",
        "mov (8) r10.0<1>.z:df r20.2<0>.zwzw:df {align16}",
        "mov (8) r10.0<1>.w:df r21.2<0>.xyxy:df {align16}",
        "cmp.l.f0.0 (8) r11.0<1>:df r20.0<0;2,1>:df r10.0<8;8,1>:df",
        "cmp.g.f0.0 (8) r12.0<1>.yw:df r10.0<4>.xyzw:df r20.0<4>.zwzw:df {align16, N2}",
        "(+f0.0) mov (8) r13.0<1>:ud 7:ud",
    ]
    after = emulate(_kernel(*lines), registers)
    assert after.general.view("<f8").reshape(128, 4)[10].tolist() == [2, 5, 4, 7]
    assert after.general.view("<u4").reshape(128, 8)[13].tolist() == [7, 7, 7, 7, 0, 7, 0, 7]


def test_align16_swizzles_choose_halves():
    hold(
        _kernel(
            "add (8) r10.0<1>.xyzw:df r20.0<4>.xyzw:df r21.0<4>.zwxy:df {align16}",
            "mul (8) r11.0<1>.xy:df r20.0<4>.xyxy:df -r21.0<4>.xyzw:df {align16}",
            "mov (4) r12.0<1>.zw:df r20.0<4>.zwzw:df {align16}",
            "cmp.l.f0.0 (8) r13.0<1>.xz:df r20.0<4>.xyzw:df r21.0<4>.xyzw:df {align16}",
            "cmp.l.f0.0 (8) r14.0<1>.yz:df r22.0<4>.xyzw:df r21.0<4>.xyzw:df {align16, N2}",
            "(+f0.0) if (8) jip=4 uip=4",
            "mov (8) r15.0<1>:df r22.0<8;8,1>:df",
            "mov (8) r16.0<1>:df r22.0<8;8,1>:df {N2}",
            "endif (8) jip=2",
        ).replace("jip=4 uip=4", "jip=6 uip=6"),
        _registers(4),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("add (8) r10.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:f", "add mixes DF with other types"),
        ("avg (8) r10.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df", "avg takes no doubles"),
        ("mov (8) r10.0<1>:df r20.0<8;8,1>:b", "does not convert B to DF .page 195"),
        ("mov.z.f0.0 (8) r10.0<1>:df r20.0<8;8,1>:f", "that converts takes no condition modifier"),
        ("mov (1) r10.0<1>:df r20.0<0;1,0>:df", "take channels in pairs"),
        ("mov (8) r10.0<1>:df r20.0<0;1,0>:df", "pairs of floats, aligned to 64 bits"),
        ("mov (8) r10.4b<1>:df r20.0<8;8,1>:df", "pairs of floats, aligned to 64 bits"),
        ("mov (8) r10.0<2>:df r20.0<8;8,1>:df", "pairs of floats, aligned to 64 bits"),
        ("sel (8) r10.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df", "a predicate or a condition modifier"),
        ("cmp (8) r10.0<1>:df r20.0<8;8,1>:df r21.0<8;8,1>:df", "cmp needs a condition modifier"),
        ("mac (16) r10.0<1>:df r20.0<8;8,1>:df r22.0<8;8,1>:df", "an accumulator holds 4 doubles"),
    ],
)
def test_what_the_pages_do_not_have_is_refused(line, message):
    with pytest.raises(CaptureError, match=message):
        emulate(f"{line}\n{END}", Registers.zeros(1))
