"""The color oracle against pixels worked out by hand."""

from fractions import Fraction

import pytest

from oracle import color, color_gamut, color_skin, color_tone
from oracle.color_state import Dwords

# Seed 003:7122-7130, 7508: the documented defaults, with skin detection, V-Y curves and enhancement on.
DEFAULT_SKIN = [
    0x9A6E39F3, 0x400D3C65, 0x000C9180, 0xFE2F2E80, 0x0003FFFF, 0x06660CE4, 0xD82E0640, 0x8285ECEC, 0x07FB8282, 0,
    0x02117000, 0xA38FEC96, 0x01008CC8, 0x003A6871, 0x01478000, 0x7F07C37A, 0x1291F008, 0x00094855, 0x1C1BD100,
    0x038023F8, 0x0002A980, 0x00080180, 0x0007CFF5, 0x18D1F07C, 0x000800BD, 0x1C080100, 0x03800000, 0x00000100,
    0x0008012B,
]  # fmt: skip
TCC = [0xDCDCDC80, 0xDCDCDC00, 0x1E34CC91, 0x3E3CCE91, 0x02E80195, 0x0197046B, 0x01790174, 0x00096000, 0, 0x03030000,
       0x009201C0]  # fmt: skip


def state(**parts):
    dwords = [0] * 67
    for place, values in parts.items():
        first = int(place[2:])
        dwords[first : first + len(values)] = values
    return Dwords(dwords)


def eight(*values):
    return tuple(Fraction(v) for v in values)


def test_samples_line_up_at_the_top():
    assert color.unpack(255, 8) == 255
    assert color.unpack(1023, 10) == Fraction(1023, 4)
    assert color.unpack(0xFFFF, 16) == Fraction(4095, 16)
    assert [color.repack(Fraction(4095, 16), bits) for bits in (8, 10, 16)] == [255, 1023, 0xFFF0]


def test_procamp_by_hand():
    # contrast 1.5 (192), brightness 3.25 (52), cos 0, sin 1: hue of 90 degrees
    d = state(dw53=[192 << 17 | 52 << 1 | 1, 0 << 16 | 256])
    y, u, v = color.procamp(d, eight(100, 138, 118))
    assert y == (100 - 16) * Fraction(3, 2) + Fraction(13, 4) + 16
    assert (u, v) == (128 + (118 - 128), 128 - (138 - 128))
    assert color.procamp(d, eight(255, 0, 128))[0] == color.WHITE


def test_matrix_by_hand():
    # output rows: U - 128, Y, Y / 2 + 64
    d = state(dw55=[1024 << 16 | 0 << 3 | 4 | 2 | 1, 1024 << 13, 0, 512, 0, 0, (-512 & 0x3FF), 256 << 10])
    assert color.csc(d, eight(100, 138, 7)) == (10, 100, 50 + 64)
    assert color.csc(d, eight(100, 120, 7))[0] == 0


def test_the_middle_of_the_skin_is_full_skin_and_gray_is_none():
    d = state(dw0=DEFAULT_SKIN)
    assert color_skin.turned(d, *eight(110, 154)) == (0, 0)
    assert color_skin.score(d, *eight(150, 110, 154)) == 31
    assert color_skin.score(d, *eight(120, 128, 128)) == 0
    sat, hue = color_skin.turned(d, *eight(128, 128))
    assert sat == Fraction(-18 * 79 - 26 * 101, 128)
    assert hue == -Fraction(18 * 101 - 26 * 79, 128)


def test_rectangle_and_rhombus_by_hand():
    d = state(dw0=DEFAULT_SKIN)
    # slope 2^(5-3) = 4: (31 - 25.5) * 4 = 22; hue (14 - 10.25) * 4 = 15
    assert color_skin.rectangle(d, Fraction(51, 2), Fraction(0)) == 22
    assert color_skin.rectangle(d, Fraction(0), Fraction(-41, 4)) == 15
    assert color_skin.rectangle(d, Fraction(32), Fraction(0)) == 0
    # 35 - (20 + 100/64 * 4) = 8.75, times 2^(5-4)
    assert color_skin.rhombus(d, Fraction(-20), Fraction(4)) == 17


def test_luma_and_vy_by_hand():
    d = state(dw0=DEFAULT_SKIN)
    assert [color_skin.luma_factor(d, Fraction(y)) for y in (45, 46, 47, 253, 254, 255)] == [0, 0, 31, 31, 3, 0]
    # at 106 the upper curve is 163 + 113/256 * 40 = 180.65625 (180.625 in 4 bits), the lower 133 - 5/256 * 60 = 131.8
    expected = min(int((Fraction(2890, 16) - 178) * 1600 * 32 / 65536), 31)
    assert color_skin.vy_factor(d, Fraction(106), Fraction(178)) == expected == 2
    assert color_skin.vy_factor(d, Fraction(106), Fraction(131)) == 0


def test_dark_membership_by_hand():
    d = state(dw0=DEFAULT_SKIN)
    assert [color_skin.dark_membership(d, Fraction(y)) for y in (99, 120, 141)] == [256, 127, 0]


def test_skin_curves_reach_their_ends_and_gray_is_untouched():
    d = state(dw0=DEFAULT_SKIN)
    sat_curve, hue_curve = color_skin._curves(d, 15)
    assert color_skin.corrected(d, Fraction(31), 31, *sat_curve) == 31
    assert color_skin.corrected(d, Fraction(-31), 31, *sat_curve) == -31
    assert color_skin.corrected(d, Fraction(-6), 31, *sat_curve) == -2
    assert color_skin.corrected(d, Fraction(-6), 14, *hue_curve) == -2
    gray = eight(120, 128, 128)
    assert color.pair(d, [gray, gray], shared_chroma=False) == ([gray, gray], [0, 0])


def test_a_pair_that_shares_chroma_averages_its_scores():
    d = state(dw0=DEFAULT_SKIN, dw66=[2 << 26 | 2 << 24])
    bright, black = eight(150, 110, 154), eight(20, 110, 154)
    assert color.pair(d, [bright, black], shared_chroma=False)[1] == [31, 0]
    pixels, scores = color.pair(d, [bright, black], shared_chroma=True)
    assert scores == [15, 15]
    assert pixels[0][1:] == pixels[1][1:]


def test_score_output():
    d = state(dw0=[DEFAULT_SKIN[0] | 4, *DEFAULT_SKIN[1:]])
    pixel = eight(150, 110, 154)
    assert color.pair(d, [pixel, pixel], shared_chroma=False)[0][0] == eight(
        Fraction(0x7FF + 31 * 64, 16), Fraction(0x7FF, 16), Fraction(0x7FF, 16)
    )


# BT.601 hue angles of magenta, red, yellow, green, cyan, blue, which the base colors stand for.
@pytest.mark.parametrize(
    ("rgb", "expected"),
    [((1, 0, 1), 145), ((1, 0, 0), 307), ((1, 1, 0), 483), ((0, 1, 0), 657), ((0, 1, 1), 819), ((0, 0, 1), 995)],
)
def test_angles_of_the_base_colors(rgb, expected):
    r, g, b = rgb
    y = 0.299 * r + 0.587 * g + 0.114 * b
    u, v = round(448 * (b - y) / 1.772), round(448 * (r - y) / 1.402)
    assert abs(float(color_tone.angle(u, v)) - expected) < 4


def test_saturation_factor_by_hand():
    d = state(dw42=TCC)
    # magenta itself: no over-saturation room at 448, half of it at 224; gray is left alone
    assert color_tone.saturation_factor(d, 0, 0, 0) == 1
    assert color_tone.saturation_factor(d, 150, 200, 0) > 1
    assert color_tone.saturation_factor(d, 449, 449, 0) == 1
    neutral = state(dw42=[0x80808080, 0x80808000, *TCC[2:]])
    assert {color_tone.saturation_factor(neutral, u, v, 0) for u in (-300, -7, 200) for v in (-90, 0, 400)} == {1}
    assert color_tone.saturation_factor(d, 150, 200, 31) < color_tone.saturation_factor(d, 150, 200, 0)


def test_contrast_curve_by_hand():
    # Ymin 16, Y1 36 with slope 2^-1, then 1 from B1
    dwords = [1, 0x4C382410, 0x9C887460, 0xEBD8C4B0, 0x604C381A, 0xB09C8874, 0xD8C4, 0x04000200, *[0x04000400] * 5]
    d = state(dw29=dwords)
    assert [color_tone.contrast(d, Fraction(y)) for y in (15, 16, 26, 36, 46, 235, 240)] == [
        15,
        16,
        21,
        26,
        36,
        235,
        240,
    ]


def test_tips_of_the_cube_by_hand():
    """At +V only red grows with chroma and green falls: BT.709 red rises by 1.5748 and green falls by 0.46812."""
    chroma = 1 / (1.5748 + 0.46812)
    assert color_gamut.vertex(0, 256) == (round(4096 * chroma), round(4096 * 0.46812 * chroma))
    # at +U blue rises by 1.772 (BT.601) and green falls by 0.34414
    chroma = 1 / (1.772 + 0.344136)
    assert color_gamut.vertex(1, 0) == (round(4096 * chroma), round(4096 * 0.344136 * chroma))


def test_a_pixel_far_outside_by_hand():
    # no xvYCC, BT.601 (1), shift 0; U = 2048 + 2000, V = 2048: hue 0, tip (1936, 666); Y = 400 is below the tip's luma
    d = state(dw64=[1 << 31, 0, 1])
    pixel = (Fraction(400, 16), Fraction(2048 + 2000, 16), Fraction(128))
    found = color_gamut.compress(d, pixel)
    slope, line = Fraction(666, 1936), -Fraction(1936, 666)
    chroma = int((400 - 2000 * line) / (slope - line))
    assert found.outside
    assert found.scaling == chroma * 4096 // 2000
    assert found.luma == 400 + (2000 - chroma) * Fraction(1936, 666) // 1
    inside = color_gamut.compress(d, (Fraction(100), Fraction(2048 + 100, 16), Fraction(128)))
    assert (inside.outside, inside.scaling, inside.luma) == (False, 4096, 1600)
