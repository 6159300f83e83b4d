"""The AVS oracle against vectors worked out by hand."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from oracle.avs import (
    AdaptiveState,
    CoefficientTables,
    adaptive_alpha,
    avs,
    center_positions,
    edge_index,
    footprint,
    hardware_positions,
    hardware_positions_with_workaround,
    our_share,
    share_of,
    workaround_u_coord,
)

IDENTITY_ROW = (0, 0, 0, 64, 0, 0, 0, 0)
RINGING_ROW = (0, 2, -9, 58, 17, -4, 0, 0)


def tables_of(row0, row1=None):
    """Tables 0 and 1 that hold one row at every phase."""
    row1 = row0 if row1 is None else row1
    return CoefficientTables([row0] * 32, [row0] * 32, [row1] * 32, [row1] * 32)


def luma(samples, px, py, tables, state=None, **options):
    (result,) = avs([np.array(samples)], "Y", [px], [py], tables=tables, state=state, **options)
    return result


@pytest.mark.parametrize("sharpness", [0, 1, 100, 127, 128, 254, 255])
@pytest.mark.parametrize("bits", [8, 10, 16])
def test_constant_in_constant_out(sharpness, bits):
    state = AdaptiveState(default_sharpness=sharpness)
    for value in (0, 1, 77, 2**bits - 1):
        result = luma(
            np.full((3, 5), value), range(-70, 200, 13), range(0, 96, 7), tables_of(RINGING_ROW), state, bits=bits
        )
        assert (result == value).all()


def test_constant_in_constant_out_full16():
    result = luma(np.full((3, 5), 201), [0, 5, 40], [9], tables_of(RINGING_ROW), output="full16")
    assert (result == 201 << 8).all()


def test_identity_row_copies():
    samples = np.random.default_rng(1).integers(0, 1024, (6, 9))
    for edge in ("clamp", "mirror"):
        result = luma(samples, range(0, 9 * 32, 32), range(0, 6 * 32, 32), tables_of(IDENTITY_ROW), bits=10, edge=edge)
        assert (result == samples).all()


def test_eight_taps_by_hand():
    ramp = np.tile(np.arange(10, 90, 10), (8, 1))
    # 20*2 - 30*9 + 40*58 + 50*17 - 60*4 = 2700 = 42.19 * 64
    assert luma(ramp, [3 * 32 + 8], [3 * 32], tables_of(RINGING_ROW)) == 42
    assert luma(ramp.T, [3 * 32], [3 * 32 + 8], tables_of(RINGING_ROW)) == 42
    # 2700 * 64 = 172800; (172800 + 8) >> 4
    assert luma(ramp, [3 * 32 + 8], [3 * 32], tables_of(RINGING_ROW), output="full16") == 10800


def test_both_directions_keep_full_precision():
    samples = np.zeros((8, 8), dtype=int)
    samples[3, 3] = 255
    samples[4, 4] = 200
    expected = (58 * 58 * 255 + 17 * 17 * 200 + 2048) // 4096
    assert luma(samples, [3 * 32 + 8], [3 * 32 + 8], tables_of(RINGING_ROW)) == expected == 224


def test_every_tap_has_its_own_column():
    row = (1, 2, 3, 48, 4, 5, 7, -6)
    for tap in range(8):
        samples = np.zeros((1, 8), dtype=int)
        samples[0, tap] = 1023
        wide = tables_of(row)
        vertical_identity = CoefficientTables(wide.table_0x, [IDENTITY_ROW] * 32, wide.table_1x, wide.table_1y)
        expected = max((1023 * row[tap] * 64 + 2048) >> 12, 0)
        assert luma(samples, [3 * 32], [0], vertical_identity, bits=10) == expected


def test_sharp_filter_is_clamped_before_blending():
    """Overshoot beyond black must not darken the smooth part."""
    step = np.array([[0, 0, 0, 0, 255, 255, 255, 255]] * 8).T
    undershoot = (0, 0, 0, 80, -16, 0, 0, 0)
    state = AdaptiveState(default_sharpness=128)
    tables = CoefficientTables([IDENTITY_ROW] * 32, [undershoot] * 32, [IDENTITY_ROW] * 32, [IDENTITY_ROW] * 32)
    smooth_part = 128 * (2 * 255 * 64 * 16) + 128 >> 8  # beta 16 of 32
    assert luma(step, [3 * 32], [3 * 32 + 16], tables, state) == (smooth_part + 2048) >> 12 == 64


def test_smooth_filter_is_bilinear():
    samples = np.array([[0, 32, 64, 128, 224, 10, 20, 30]] * 2)
    for beta in range(32):
        expected = (128 * (32 - beta) + 224 * beta + 16) // 32
        state = AdaptiveState(default_sharpness=0)
        assert luma(samples, [3 * 32 + beta], [0], tables_of(RINGING_ROW), state) == expected


def test_default_sharpness_reaches_both_ends():
    assert [share_of(level) for level in (0, 1, 127, 128, 254, 255)] == [0, 1, 127, 128, 254, 256]


def test_edge_indices():
    assert [edge_index(k, 4, "clamp") for k in range(-4, 9)] == [0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]
    assert [edge_index(k, 4, "mirror") for k in range(-4, 9)] == [3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]
    assert [edge_index(k, 2, "mirror") for k in range(-4, 6)] == [1, 1, 1, 0, 0, 1, 1, 0, 0, 0]
    assert footprint(-1, 20, "mirror") == (3, 2, 1, 0, 0, 1, 2, 3)
    assert footprint(0, 20, "clamp") == (0, 0, 0, 0, 1, 2, 3, 4)


IHD = AdaptiveState(max_derivative4=7, max_derivative8=20, transition4=4, transition8=5, bypass_x=False, bypass_y=False)


@pytest.mark.parametrize(
    ("window", "alpha"),
    [
        ((9, 9, 9, 9, 9, 9, 9, 9), 255),  # flat: cannot ring
        ((0, 0, 0, 0, 0, 0, 0, 100), 0),  # edge beside a calm middle: ringing
        ((0, 0, 0, 0, 100, 100, 100, 100), 255),  # edge in the middle: keep it sharp
        ((0, 0, 0, 100, 100, 100, 100, 100), 0),  # beside it, one side of the middle is calm
        ((0, 30, 30, 30, 30, 30, 30, 30), 255 - 80),  # (30 - 20) * 8
        ((60, 0, 0, 0, 10, 10, 10, 10), 48),  # bends 10 and 10, steps 10: (10 - 7) * 16
        ((60, 0, 0, 0, 10, 20, 20, 20), 0),  # the second bends only once: (10 + 0) / 2 <= 7
        ((60, 0, 0, 0, 10, 19, 19, 19), 0),  # (10 + 1) / 2
        ((60, 0, 0, 5, 25, 25, 25, 25), 160),  # bends 15 and 20: 17; (17 - 7) * 16
        ((20, 0, 0, 0, 0, 0, 0, 0), 255),  # at the limit, not above
        ((0, 0, 100, 100, 100, 100, 0, 0), 0),  # steps 1 and 5 are not in the middle
    ],
)
def test_adaptive_alpha_by_hand(window, alpha):
    assert adaptive_alpha(window, IHD) == alpha


def test_literal_ramps_jump_where_the_transition_is_above_4():
    """Transition 5 rises by 8 a step and ends after 8 steps, at 64; transition 4 rises by 16 and ends after 16."""
    window = (0, 27, 27, 27, 27, 27, 27, 27)
    literal = replace(IHD, rule="literal")
    assert [adaptive_alpha(window, state) for state in (IHD, literal)] == [255 - 56] * 2
    window = (0, 28, 28, 28, 28, 28, 28, 28)
    assert [adaptive_alpha(window, state) for state in (IHD, literal)] == [255 - 64, 0]
    steep = AdaptiveState(transition4=7, transition8=0, bypass_x=False)
    assert [adaptive_alpha((9, 9, 9, 9, 12, 12, 12, 12), replace(steep, rule=r)) for r in ("hardware", "literal")] == [
        6,
        255,
    ]


@pytest.mark.parametrize(
    ("window", "share"),
    [
        ((9, 9, 9, 9, 9, 9, 9, 9), 256),
        ((0, 0, 0, 0, 0, 0, 0, 100), 0),
        ((0, 30, 30, 30, 30, 30, 30, 30), 256 - 80),
        ((50, 0, 0, 0, 8, 8, 8, 8), 256 - 14 * 8),  # step 3 is 1 above 7: 16 are taken from 50 - 20
        ((0, 0, 0, 100, 100, 0, 0, 0), 256),  # both sides of the middle step
        ((0, 0, 0, 100, 100, 100, 100, 100), 0),  # one side does not
        ((0, 0, 0, 0, 100, 100, 100, 100), 256),  # the sample lies on the step itself
    ],
)
def test_our_share_by_hand(window, share):
    assert our_share(window, IHD) == share


def test_adaptive_weight_works_in_each_direction():
    """A step three texels away from the sample rings through the sharp row and is calm in the adaptive result."""
    ring = (0, 0, 0, 64, 0, 0, -16, 16)
    step = np.array([[100] * 7 + [200]] * 8)
    sharp_only, adaptive = AdaptiveState(), IHD
    for samples, axis in ((step, "x"), (step.T, "y")):
        position = ([3 * 32], [3 * 32])
        assert luma(samples, *position, tables_of(ring), sharp_only) == 125
        assert luma(samples, *position, tables_of(ring), adaptive) == 100
        bypassed = replace(IHD, bypass_x=axis == "x", bypass_y=axis == "y")
        assert luma(samples, *position, tables_of(ring), bypassed) == 125


def test_only_the_8_msbs_guide():
    ring = (0, 0, 0, 64, 0, 0, -16, 16)
    step = np.array([[400] * 7 + [400 + 4 * 20 + 3]] * 8)  # 20 in 8 bits: not above the limit of 20
    assert luma(step, [96], [96], tables_of(ring), IHD, bits=10) == 421
    step[:, 7] += 1  # 21: alpha 255 - 8
    expected_row = 64 * 400 + (247 * 16 * 84 + 128 >> 8)
    assert luma(step, [96], [96], tables_of(ring), IHD, bits=10) == (expected_row * 64 + 2048) >> 12 == 420


def test_chroma_uses_table_1_and_the_default_sharpness():
    rng = np.random.default_rng(2)
    planes = [rng.integers(0, 256, (8, 8)), rng.integers(0, 256, (4, 4)), rng.integers(0, 256, (4, 4))]
    double = (0, 0, 0, 64, 64, 0, 0, 0)
    px, py = [[96], [32], [32]], [[96], [32], [32]]
    tables = CoefficientTables([IDENTITY_ROW] * 32, [IDENTITY_ROW] * 32, [double] * 32, [IDENTITY_ROW] * 32)
    y, u, v = avs(planes, "YUV", px, py, tables=tables, state=IHD)
    assert y == planes[0][3, 3]
    assert u == min(planes[1][1, 1] + planes[1][1, 2], 255)
    assert v == min(planes[2][1, 1] + planes[2][1, 2], 255)


def test_all_channels_follow_the_guide():
    """U alone would ring; the flat Y says it cannot, the stepped Y says it does."""
    ring = (0, 0, 0, 64, 0, 0, -16, 16)
    flat, step = np.full((8, 8), 50), np.array([[100] * 7 + [200]] * 8)
    state = replace(IHD, adaptive_all_channels=True)
    for guide, expected in ((flat, 125), (step, 100)):
        _, u = avs([guide, step], "YU", [[96]] * 2, [[96]] * 2, tables=tables_of(ring, IDENTITY_ROW), state=state)
        assert u == expected
    with pytest.raises(ValueError, match="another size"):
        avs([flat, flat[:4, :4]], "YU", [[96], [32]], [[96], [32]], tables=tables_of(ring), state=state)


def test_all_channels_need_a_direction_that_adapts():
    """With both bypassed the other channels stay with table 1 and the default sharpness, of any size."""
    double = (0, 0, 0, 64, 64, 0, 0, 0)
    planes = [np.full((8, 8), 50), np.full((4, 4), 50)]
    state = AdaptiveState(adaptive_all_channels=True)
    _, u = avs(planes, "YU", [[96], [32]], [[96], [32]], tables=tables_of(IDENTITY_ROW, double), state=state)
    assert u == 200
    one_way = replace(state, bypass_x=False)
    _, u = avs(planes[:1] * 2, "YU", [[96]] * 2, [[96]] * 2, tables=tables_of(IDENTITY_ROW, double), state=one_way)
    assert u == 50


def test_rgb_guides():
    """G alone, or the weighted mean that sees a step of R and B."""
    ring = (0, 0, 0, 64, 0, 0, -16, 16)
    flat, step = np.full((8, 8), 50), np.array([[100] * 7 + [250]] * 8)
    channels = [step, flat, step]
    for rgb_adaptive, expected in ((False, 100 + 150 // 4 + 1), (True, 100)):
        state = replace(IHD, adaptive_all_channels=True, rgb_adaptive=rgb_adaptive)
        r, g, b = avs(channels, "RGB", [[96]] * 3, [[96]] * 3, tables=tables_of(ring), state=state)
        assert (r, g, b) == (expected, 50, expected)
    with pytest.raises(ValueError, match="RGB input only"):
        avs([flat], "Y", [[96]], [[96]], tables=tables_of(ring), state=AdaptiveState(rgb_adaptive=True))


def test_hardware_positions():
    assert hardware_positions(0.0, 1 / 64, 0.0, 64, 5) == [0, 32, 64, 96, 128]
    assert hardware_positions(0.0, 0.5 / 64, 0.0, 64, 5) == [0, 16, 32, 48, 64]
    # u = x + x * (x - 1) / 2 texels: the step grows by one texel per pixel
    assert hardware_positions(0.0, 1 / 64, 1 / 64, 64, 5) == [0, 32, 96, 192, 320]
    assert hardware_positions(-1 / 128, 1 / 64, 0.0, 64, 2) == [-16, 16]
    # float32 0.01 is a little less than 1/100; times 100 it rounds to 1
    assert hardware_positions(0.0, 0.01, 0.0, 100, 11) == [32 * x for x in range(11)]


def test_workaround_moves_positions_near_texel_edges():
    width = 256
    step = 1 / (256 * width)
    cases = {10 - 4 / 256: -5, 10 - 5 / 256: -5, 10 - 6 / 256: 0, 10.0: 1, 10 + 0.5 / 256: 1, 10 + 1 / 256: 0, 10.5: 0}
    for u_texel, moved in cases.items():
        result = workaround_u_coord(u_texel / width, 0.0, 0.0, width, ief_on=False)
        assert result == np.float32(u_texel / width + moved * step), u_texel


def test_workaround_with_ief_looks_two_pixels_to_the_left():
    width, du = 256, 1 / 1024  # a quarter texel
    u = (10 + 128 / 256) / width
    assert workaround_u_coord(u, du, 0.0, width, ief_on=False) == np.float32(u)
    assert workaround_u_coord(u, du, 0.0, width, ief_on=True) == np.float32(u + 1 / (256 * width))  # 10.5 - 2/4 = 10
    ddu = -4 / 3 / 256 / width  # 10 + 3 ddu = 10 - 4/256
    assert workaround_u_coord(u, du, ddu, width, ief_on=True) == np.float32(u - 5 / (256 * width))


def test_workaround_is_applied_to_each_message_of_16_pixels():
    width, du = 256, 1.5 / 256
    start = 0.25 / width
    plain = hardware_positions(start, du, 0.0, width, 40)
    moved = hardware_positions_with_workaround(start, du, 0.0, width, 40, ief_on=False)
    assert moved == plain  # 0.25 and 24.25 and 48.25 are far from an edge
    start = (1 - 4 / 256) / width
    moved = hardware_positions_with_workaround(start, du, 0.0, width, 40, ief_on=False)
    assert moved == [(int((1 - 9 / 256 + 1.5 * x) * 32 // 1)) for x in range(40)]
    curved = hardware_positions_with_workaround(start, du, 0.25 / 256, width, 20, ief_on=False)
    # block 1 starts at 1 - 4/256 + 24 + 0.25 * 120 texels with a step of 1.5 + 4, on the same fraction
    assert curved[16:] == [int((55 - 9 / 256 + 5.5 * x + 0.25 * x * (x - 1) / 2) * 32 // 1) for x in range(4)]


def test_center_positions_of_doubling_use_phases_24_and_8():
    assert center_positions(4, 8) == [-8, 8, 24, 40, 56, 72, 88, 104]
    assert [p % 32 for p in center_positions(360, 720)] == [24, 8] * 360
    assert center_positions(7, 7) == [32 * x for x in range(7)]
    assert center_positions(8, 4) == [16, 80, 144, 208]


def test_center_positions_round_to_nearest():
    for source, destination in ((5, 7), (1920, 1280), (100, 333), (720, 19)):
        for x, position in enumerate(center_positions(source, destination)):
            exact = (Fraction(2 * x + 1, 2) * source / destination - Fraction(1, 2)) * 32
            assert -Fraction(1, 2) < position - exact <= Fraction(1, 2)


def test_center_positions_respect_chroma_siting():
    half = Fraction(1, 2)
    # Centered chroma of a doubled picture sees its own plane doubled.
    assert center_positions(16, 32, subsampling=2, offset=half) == center_positions(8, 16)
    # Cosited: destination chroma x lies at luma 2x, i.e. luma 2x * 1/2 - 1/4 in the source, chroma x/2 - 1/8.
    assert center_positions(16, 32, subsampling=2) == [16 * x - 4 for x in range(16)]
    assert center_positions(16, 16, subsampling=2) == [32 * x for x in range(8)]
    # An odd luma size has a half-used last chroma sample.
    assert len(center_positions(9, 15, subsampling=2)) == 8
