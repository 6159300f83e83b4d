"""The scaler's kernels equal the oracle to the last bit, whatever the state, positions, sizes, depths and contents."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from oracle.avs import AdaptiveState
from support.filter_cases import (
    PATTERNS,
    ROW_KINDS,
    picture,
    random_positions,
    random_rows,
    random_tables,
    sweep,
)
from support.scaler import Scaling, Store

from texsamp.video.presets.avs import COEFFICIENT_PRESETS, AdaptiveRule, coefficients

SHARPNESS = (0, 1, 127, 128, 254, 255)
RULES = get_args(AdaptiveRule)
IHD = AdaptiveState(max_derivative4=7, max_derivative8=20, transition4=4, transition8=5, bypass_x=False, bypass_y=False)
STORES = {
    8: [Store("u1"), Store("u1", interleaved=True)],
    10: [Store("<u2"), Store("<u2", shift=6), Store("<u2", shift=6, interleaved=True), Store("<u2", interleaved=True)],
    16: [Store("<u2"), Store("<u2", interleaved=True)],
}
NAMES = ("Y", "YUV", "UV", "RGB", "RGBA", "U")


def random_state(rng, names):
    level = int(rng.choice([*SHARPNESS, rng.integers(0, 256)]))
    derivatives = [int(rng.choice([0, 255, rng.integers(0, 256), rng.integers(0, 40)])) for _ in range(2)]
    transitions = [int(v) for v in rng.integers(0, 8, 2)]
    bypass_x, bypass_y, everything, luma_of_rgb = (bool(v) for v in rng.integers(0, 2, 4))
    adapts = not (bypass_x and bypass_y) and ("Y" in names or "G" in names)
    rule = str(rng.choice(RULES))
    return AdaptiveState(
        level, *derivatives, *transitions, bypass_x, bypass_y, everything and adapts, luma_of_rgb and "R" in names, rule
    )


def preset_tables(preset, ratio_x, ratio_y):
    return tuple(coefficients(preset, ratio, taps) for taps in (8, 4) for ratio in (ratio_x, ratio_y))


def random_scaling(rng, bits, names, size, out_size, **changes):
    (width, height), (columns, rows) = size, out_size
    preset = str(rng.choice(COEFFICIENT_PRESETS))
    tables = preset_tables(preset, columns / width, rows / height) if rng.random() < 0.4 else random_tables(rng)
    stores = STORES[bits]
    case = Scaling(
        [picture(rng, height, width, (1 << bits) - 1) for _ in names],
        names,
        random_positions(rng, width, columns),
        random_positions(rng, height, rows),
        tables,
        random_state(rng, names),
        str(rng.choice(["clamp", "mirror"])),
        [bits] * len(names),
        store=stores[rng.integers(len(stores))],
    )
    return replace(case, **changes)


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("bits", [8, 10, 16])
def test_random_states_positions_and_sizes(bits, names):
    rng = np.random.default_rng([bits, len(names), ord(names[0])])
    for case in range(sweep(45)):
        size, out_size = (tuple(int(v) for v in rng.integers(1, 24, 2)) for _ in range(2))
        random_scaling(rng, bits, names, size, out_size).check(seed=case)


@pytest.mark.sweep
@pytest.mark.parametrize("bits", [8, 10, 16])
def test_random_larger_pictures(bits):
    rng = np.random.default_rng([bits, 1])
    for case in range(sweep(6)):
        names = str(rng.choice(NAMES))
        size, out_size = (tuple(int(v) for v in rng.integers(24, 80, 2)) for _ in range(2))
        random_scaling(rng, bits, names, size, out_size).check(seed=case)


SIZES = [(1, 1), (1, 2), (2, 1), (1, 7), (7, 1), (3, 3), (8, 8), (9, 5), (40, 1), (1, 40), (17, 13)]


@pytest.mark.parametrize("size", SIZES)
def test_small_sizes(size):
    """From each size to each other, in whole and adaptive."""
    rng = np.random.default_rng(size)
    for bits in (8, 10, 16):
        for out_size in SIZES:
            random_scaling(rng, bits, "Y", size, out_size).check()
            random_scaling(rng, bits, "Y", size, out_size, state=IHD).check()


@pytest.mark.parametrize("preset", COEFFICIENT_PRESETS)
@pytest.mark.parametrize("bits", [8, 10, 16])
def test_presets_on_every_content(bits, preset):
    rng = np.random.default_rng(bits)
    for pattern in PATTERNS:
        for ratio in (2, 0.7):
            width, height = 15, 11
            columns, rows = int(width * ratio), int(height * ratio)
            planes = [picture(rng, height, width, (1 << bits) - 1, pattern) for _ in "YUV"]
            px = [int(((x + 0.5) / ratio - 0.5) * 32 // 1) for x in range(columns)]
            py = [int(((y + 0.5) / ratio - 0.5) * 32 // 1) for y in range(rows)]
            store = STORES[bits][0]
            for state in (AdaptiveState(), IHD, replace(IHD, adaptive_all_channels=True)):
                tables = preset_tables(preset, ratio, ratio)
                Scaling(planes, "YUV", px, py, tables, state, bits=[bits] * 3, store=store).check()


@pytest.mark.parametrize("field", ["max_derivative4", "max_derivative8", "transition4", "transition8"])
@pytest.mark.parametrize("bits", [8, 16])
def test_each_adaptive_field(bits, field):
    """Swept through its range with the others at values that let it speak."""
    rng = np.random.default_rng(bits)
    names = "YUV"
    for value in (0, 1, 2, 6, 7) if field.startswith("transition") else (0, 1, 19, 20, 60, 127, 128, 254, 255):
        for rule in RULES:
            state = replace(IHD, adaptive_all_channels=True, rule=rule, **{field: value})
            random_scaling(rng, bits, names, (14, 12), (19, 15), state=state, tables=preset_tables("ihd", 2, 2)).check()


@pytest.mark.parametrize("level", SHARPNESS)
@pytest.mark.parametrize(("bypass_x", "bypass_y"), [(True, True), (True, False), (False, True), (False, False)])
def test_default_sharpness_with_each_bypass(level, bypass_x, bypass_y):
    rng = np.random.default_rng(level)
    state = replace(IHD, default_sharpness=level, bypass_x=bypass_x, bypass_y=bypass_y)
    for bits in (8, 10, 16):
        for everything in (False, True):
            changed = replace(state, adaptive_all_channels=everything)
            random_scaling(rng, bits, "RGBA", (9, 9), (13, 12), state=changed).check()


def test_all_channels_without_adaptation_means_nothing():
    rng = np.random.default_rng(9)
    state = AdaptiveState(default_sharpness=77, adaptive_all_channels=True)
    case = random_scaling(rng, 8, "YUV", (9, 9), (13, 12), state=state)
    case.check()
    assert np.array_equal(case.run()[0], replace(case, state=replace(state, adaptive_all_channels=False)).run()[0])


@pytest.mark.parametrize("rgb_adaptive", [False, True])
@pytest.mark.parametrize("everything", [False, True])
def test_alpha_of_2_bits_beside_colors_of_10(everything, rgb_adaptive):
    """Alpha follows the guide like every other channel and is clamped to its own range."""
    rng = np.random.default_rng(12)
    for level in (0, 100, 255):
        for _ in range(8):
            state = replace(
                random_state(rng, "RGBA"),
                default_sharpness=level,
                bypass_x=False,
                adaptive_all_channels=everything,
                rgb_adaptive=rgb_adaptive,
            )
            case = random_scaling(rng, 10, "RGBA", (12, 9), (17, 14), state=state, store=Store("<u2"))
            channels = [*case.channels[:3], picture(rng, 9, 12, 3)]
            replace(case, channels=channels, bits=[10, 10, 10, 2]).check()


@pytest.mark.parametrize("names", ["Y", "YUV", "RGBA"])
def test_the_16_bit_form_of_8_bit_samples(names):
    rng = np.random.default_rng(len(names))
    for _ in range(sweep(40)):
        size, out_size = (tuple(int(v) for v in rng.integers(1, 16, 2)) for _ in range(2))
        random_scaling(rng, 8, names, size, out_size, output="full16", store=Store("<u2")).check()


@pytest.mark.parametrize("edge", ["clamp", "mirror"])
def test_positions_far_outside(edge):
    """Only the edge, or its mirror image, is left to see; every base around both ends is met."""
    rng = np.random.default_rng(3)
    for size in (1, 2, 3, 5, 9):
        positions = [32 * base + int(rng.integers(0, 32)) for base in range(-2 * size - 9, 3 * size + 9)]
        far = [-(2**21), -(2**21) + 1, *positions, 2**21 - 1, 2**21]
        for bits in (8, 16):
            samples = [picture(rng, size, size, (1 << bits) - 1, "random")]
            tables = random_tables(rng)
            for state in (AdaptiveState(), IHD):
                case = Scaling(samples, "Y", far, [0, 40], tables, state, edge, [bits], store=STORES[bits][0])
                case.check()
                replace(case, px=[0, 40], py=far).check()


# ---- which kernel is chosen -----------------------------------------------------------------------------------------


def worst_picture(tables, phase_x, phase_y, top, sign):
    """8x8 samples that drive both sums at these phases as far as they go, up or down."""
    kx, ky = tables[0][phase_x], tables[1][phase_y]
    upward, downward = np.where(kx > 0, top, 0), np.where(kx < 0, top, 0)
    raise_row = ky * sign > 0
    return np.where(raise_row[:, np.newaxis], upward, downward)


@pytest.mark.parametrize("bits", [8, 10, 16])
@pytest.mark.parametrize("kind_x", ROW_KINDS)
def test_sums_never_overflow(bits, kind_x):
    """The picture that is worst for a row in both directions, at random phases, for all kinds of tables."""
    rng = np.random.default_rng([bits, ROW_KINDS.index(kind_x)])
    store = STORES[bits][0]
    for kind_y in ROW_KINDS:
        tables = (random_rows(rng, 8, kind_x), random_rows(rng, 8, kind_y), *random_tables(rng)[2:])
        for _ in range(sweep(3)):
            phases = rng.integers(0, 32, 2).tolist()
            for sign in (-1, 1):
                samples = [worst_picture(tables, *phases, (1 << bits) - 1, sign)]
                px, py = ([3 * 32 + phase] for phase in phases)
                for level in (0, 1, 128, 254, 255):
                    fixed = AdaptiveState(default_sharpness=level)
                    adaptive = replace(IHD, default_sharpness=level, bypass_y=level > 127)
                    for state in (fixed, adaptive):
                        Scaling(samples, "Y", px, py, tables, state, bits=[bits], store=store).check()


def row_with(positive, negative):
    """A row whose positive coefficients sum to `positive` and negative ones to -`negative`."""
    row = [0] * 8
    for tap in (3, 4, 2, 5):
        row[tap] = min(positive - sum(row), 127)
    for tap in (1, 6, 0, 7):
        row[tap] = max(positive - negative - sum(row), -128)
    assert sum(row) == positive - negative
    return np.array(row, dtype=np.int16)


# Kernel, bits, (positive, negative) sums of the x row, of the y row, default sharpness: each just within its bounds.
AT_THE_LIMIT = [
    # sums along x fit 16 bits: 255 * 128 = 32640, and along y 24: 32640 * 513 + 2048 < 2^24 <= 32640 * 514
    ("scale_u8", 8, (128, 128), (257, 256), 255),
    ("scale_u8_wide", 8, (128, 128), (257, 257), 255),
    ("scale_u8_wide", 8, (129, 0), (64, 0), 255),
    ("scale_u8_wide", 8, (64, 129), (64, 0), 255),
    ("scale_u8", 8, (64, 0), (508, 512), 255),
    # and what the sharp result is below the smooth one: 255 * (64 + 64) < 2^15
    ("adaptive_u8", 8, (128, 64), (257, 256), 100),
    ("adaptive_u8_wide", 8, (128, 64), (257, 257), 100),
    ("adaptive_u8_wide", 8, (129, 0), (64, 0), 100),
    ("adaptive_u8_wide", 8, (64, 65), (64, 0), 100),
    # 1023 * 128 * 128 + 2048 < 2^24 < 1023 * 129 * 128
    ("scale_u16", 10, (128, 0), (100, 28), 255),
    ("scale_u16_wide", 10, (129, 0), (100, 28), 255),
    ("scale_u16_wide", 10, (0, 129), (100, 28), 255),
    ("scale_u16_wide", 16, (1, 0), (256, 0), 255),
    ("scale_u16", 16, (1, 0), (255, 0), 255),
    # (positive sums) * 1023 * 256 < 2^31: 90 * 91 = 8190, 91 * 91 = 8281 and 2^31 / 256 / 1023 = 8199
    ("adaptive_u16", 10, (90, 0), (91, 0), 100),
    ("adaptive_u16_wide", 10, (91, 0), (91, 0), 100),
    # 2^12 * 1023 + 64 * 1023 * negative: 64 * (64 + 64) = 8192
    ("adaptive_u16", 10, (64, 64), (1, 0), 100),
    ("adaptive_u16_wide", 10, (64, 65), (1, 0), 100),
    ("adaptive_u16_wide", 16, (1, 0), (1, 0), 100),
]


@pytest.mark.parametrize(("kernel", "bits", "x_sums", "y_sums", "level"), AT_THE_LIMIT)
def test_kernels_at_the_limits_of_their_types(kernel, bits, x_sums, y_sums, level):
    """The narrow kernel is used as far as it is exact, and the wide one from there."""
    x, y = (np.tile(row_with(*sums), (32, 1)) for sums in (x_sums, y_sums))
    tables = (x, y, *random_tables(np.random.default_rng(0))[2:])
    for sign in (-1, 1):
        samples = [worst_picture(tables, 0, 0, (1 << bits) - 1, sign)]
        for phase in (0, 31):
            state = AdaptiveState(default_sharpness=level)
            position = [3 * 32 + phase]
            case = Scaling(samples, "Y", position, position, tables, state, bits=[bits], store=STORES[bits][0])
            assert case.check() == [kernel]


def test_every_scaling_kernel_has_a_case_at_its_limits():
    names = {name for name, *_ in AT_THE_LIMIT}
    assert names == {f"{a}_{t}{w}" for a in ("scale", "adaptive") for t in ("u8", "u16") for w in ("", "_wide")}
