"""The IEF oracle against pixels worked out by hand."""

import numpy as np
import pytest

from oracle.ief import IefState, ief, skin_tone_delta


def spike(background, height, size=9):
    luma = np.full((size, size), background)
    luma[size // 2, size // 2] = height
    return luma


@pytest.mark.parametrize("state", [IefState(), IefState(combine="sum"), IefState(smooth=True, noise_estimate=255)])
@pytest.mark.parametrize("bits", [8, 10])
def test_constant_in_constant_out(state, bits):
    for value in (0, 1, 90, 2**bits - 1):
        luma = np.full((4, 6), value)
        assert (ief(luma, state, bits=bits) == luma).all()


def test_zero_gain_and_bypass_copy():
    luma = np.random.default_rng(3).integers(0, 256, (12, 11))
    assert (ief(luma, IefState(gain=0)) == luma).all()
    assert (ief(luma, bypass=True) == luma).all()
    assert (ief(luma) != luma).any()


def test_detail_pixels_by_hand():
    result = ief(spike(300, 940), bits=10)
    # Center: every difference is 640, no gradient: weight 1.
    # S3 = (6*4 + 15*4)*640 = 53760, S5 = (9*4 + 3*4 + 8*8)*640 = 71680, delta = (17920*40 + 32768) >> 16 = 11
    assert result[4, 4] == 940 + 11
    # Left of it: EM = min((2*640 + 4) >> 3, 63) = 63 > 8: weight 7; S3 = -15*640, S5 = 0
    assert result[4, 3] == 300 + ((9600 * 40 * 7 + 32768) >> 16) == 341
    # Diagonal: |Eh| + |Ev| = 1280 as well, S3 = -6*640
    assert result[3, 3] == 300 + ((3840 * 40 * 7 + 32768) >> 16) == 316
    # Ring of distance 2, no gradient: weight 1; axial S5 = -3*640, corner -9*640, others -8*640
    assert result[4, 2] == 300 + ((-1920 * 40 + 32768) >> 16) == 299
    assert result[2, 2] == 300 + ((-5760 * 40 + 32768) >> 16) == 296
    assert result[2, 3] == 300 + ((-5120 * 40 + 32768) >> 16) == 297


def test_8_bit_luma_is_filtered_in_10_bits():
    in_8_bits, in_10_bits = ief(spike(75, 235)), ief(spike(300, 940), bits=10)
    assert (in_8_bits == (in_10_bits + 2) >> 2).all()
    assert in_8_bits[4, 3] == 85


def test_sum_adds_both_filters():
    # (53760 + 71680) * 40 + 32768 >> 16 = 77
    assert ief(spike(300, 940), IefState(combine="sum"), bits=10)[4, 4] == 940 + 77


def test_each_coefficient_weighs_its_own_neighbors():
    """A spike away from the filtered pixel shows the coefficient of that neighbor alone (10 bit, weights equal)."""
    names = {(1, 1): "r3x", (0, 1): "r3c", (2, 2): "r5x", (0, 2): "r5c", (1, 2): "r5cx"}
    even = dict(gain=32, strong_weight=4, regular_weight=4, non_edge_weight=4, combine="sum")
    for row in range(-3, 4):
        for column in range(-3, 4):
            if (row, column) == (0, 0):
                continue
            luma = np.full((9, 9), 512)
            luma[4 + row, 4 + column] += 256
            own = names.get((min(abs(row), abs(column)), max(abs(row), abs(column))))
            for name in names.values():
                coefficients = {**dict.fromkeys(names.values(), 0), name: 16}
                expected = 512 - (16 * 256 * 32 * 4 >> 16) if name == own else 512
                assert ief(luma, IefState(**even, **coefficients), bits=10)[4, 4] == expected


@pytest.mark.parametrize(("step", "weight"), [(0, 1), (2, 1), (3, 2), (16, 2), (17, 7)])
def test_edge_classes_are_strict(step, weight):
    """A vertical edge of `step` in 10 bits: EM = (4 * step + 4) >> 3 against thresholds 1 and 8."""
    luma = np.full((9, 9), 500)
    luma[:, 5:] += step
    state = IefState(gain=63, r3x=0, r3c=0, r5x=31, r5cx=31, r5c=31)
    local_detail = -7 * 31 * step  # S5: seven of its ring are higher
    assert ief(luma, state, bits=10)[4, 4] == 500 + ((local_detail * 63 * weight + 32768) >> 16)


def test_result_is_clipped():
    strong = IefState(gain=63, r5x=31, r5cx=31, r5c=31, r3x=0, r3c=0)
    assert ief(spike(0, 255), strong)[4, 4] == 255
    assert ief(spike(255, 0), strong)[4, 4] == 0
    assert ief(spike(0, 1020), strong, bits=10)[4, 4] == 1023


def test_edges_repeat():
    luma = np.random.default_rng(4).integers(0, 256, (7, 8))
    assert (ief(np.pad(luma, 3, mode="edge"))[3:-3, 3:-3] == ief(luma)).all()


def test_skin_tone_score_scales_toward_zero():
    assert [skin_tone_delta(delta, 0) for delta in (-7, 7)] == [-7, 7]
    assert [skin_tone_delta(delta, 31) for delta in (-7, 7)] == [0, 0]
    assert [skin_tone_delta(delta, 16) for delta in (-7, 7)] == [-3, 3]  # 7 * 15 / 31 = 3.39
    luma = spike(300, 940)
    # 11 * (31 - 10) / 31 = 7.45
    assert ief(luma, std_score=np.full((9, 9), 10), bits=10)[4, 4] == 940 + 7
    assert (ief(luma, std_score=np.full((9, 9), 31), bits=10) == luma).all()


def test_smooth_pixels_by_hand():
    state = IefState(smooth=True, noise_estimate=10)  # threshold 40 in 10 bits
    # The spike of 9 (36 in 10 bits): ((128 - 84) * 436 + 84 * 400 + 64) >> 7 = 412
    assert ief(spike(100, 109), state)[4, 4] == (412 + 2) >> 2
    # Its left neighbor: (113 * 400 + 15 * 436 + 64) >> 7 = 404; its diagonal: (122 * 400 + 6 * 436 + 64) >> 7 = 402
    assert ief(spike(100, 109), state)[4, 3] == (404 + 2) >> 2
    assert ief(spike(100, 109), state)[3, 3] == (402 + 2) >> 2
    # A difference of 40 is not below the threshold.
    assert (ief(spike(100, 110), state) == spike(100, 110)).all()


def test_smooth_threshold_has_a_floor():
    state = IefState(smooth=True, noise_estimate=0)  # threshold 16 in 10 bits
    assert ief(spike(100, 103), state)[4, 4] < 103
    assert ief(spike(100, 104), state)[4, 4] == 104
