"""The color filters: what they leave alone, what they do, and that both is what their states say."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle import color as oracle
from oracle.color_state import Dwords
from support.filter_cases import sweep
from support.frames import random_frame, samples_of

from texsamp.errors import FormatError, StateError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color import ConvertColor, Procamp, SkinTone, TotalColorControl, skin_scores
from texsamp.video.color.matrices import KR_KB, ColorSpace, conversion
from texsamp.video.color.skintone import skin_tone_state
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.sharpen import Sharpen

YUV = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model == "yuv"]
OTHERS = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model != "yuv"]
LEGAL_601 = {"white": ((255, 255, 255), (235, 128, 128)), "black": ((0, 0, 0), (16, 128, 128)),
             "red": ((255, 0, 0), (81, 90, 240)), "green": ((0, 255, 0), (145, 54, 34)),
             "blue": ((0, 0, 255), (41, 240, 110)), "yellow": ((255, 255, 0), (210, 16, 146))}  # fmt: skip
RED = {"bt601": (81, 90, 240), "bt709": (63, 102, 240), "bt2020": (74, 97, 240)}


def applied(stage, frame):
    (result,) = stage.feed(frame)
    return result


def same(a, b, components):
    return all(np.array_equal(samples_of(a, c), samples_of(b, c)) for c in components)


def patch(name, *values, size=(4, 2), **tags):
    """A frame of one color."""
    layout = PIXEL_LAYOUTS[name]
    frame = Frame.empty(layout, *size, "cpu")
    for component, value in zip(layout.components, values, strict=False):
        frame.component(component)[...] = value << layout.components[component].shift
    return frame.with_color(ColorTags(**tags))


def color_of(frame):
    """The samples of the upper left pixel."""
    return tuple(int(samples_of(frame, c)[0, 0]) for c in frame.layout.components)


# ---- procamp ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", YUV)
def test_neutral_levels_change_no_bit(name):
    frame = random_frame(np.random.default_rng(1), name, 23, 7)
    assert same(frame, applied(Procamp(), frame), "YUV")


@pytest.mark.parametrize("name", ["yuv420p", "nv12", "yuv444p10le", "uyvy422"])
def test_levels_of_one_kind_leave_the_other_plane_alone(name):
    frame = random_frame(np.random.default_rng(2), name, 20, 6)
    assert same(frame, applied(Procamp(brightness=-12.5), frame), "UV")
    for stage in (Procamp(saturation=1.4), Procamp(hue=33), Procamp(saturation=0, hue=180)):
        result = applied(stage, frame)
        assert same(frame, result, "Y")
        assert not same(frame, result, "UV")


@pytest.mark.parametrize(
    "values", [(0, 1, 1, 0), (100, 10, 10, 180), (-100, 0, 0, -180), (7.3, 1.1, 0.9, 12.5), (-3, 9.99, 10, 45)]
)
def test_levels_are_the_state_of_the_drivers_formula(values):
    """cos * contrast * saturation and its sine (seed 003:6770), and the pipe the state describes."""
    brightness, contrast, saturation, hue = values
    stage = Procamp(*values)
    factor, angle = contrast * saturation, np.radians(hue)
    assert stage.state.code("contrast") == round(contrast * 128)
    assert stage.state.brightness == pytest.approx(brightness, abs=1 / 32)
    assert stage.state.cos_c_s == pytest.approx(factor * np.cos(angle), abs=1 / 512 + 1e-9)
    assert stage.state.sin_c_s == pytest.approx(factor * np.sin(angle), abs=1 / 512 + 1e-9)
    d = Dwords(stage.state.to_dwords())
    frame = random_frame(np.random.default_rng(3), "yuv444p", 9, 4)
    result = applied(stage, frame)
    for place in np.ndindex(4, 9):
        pixel = tuple(Fraction(int(samples_of(frame, c)[place])) for c in "YUV")
        wanted = [oracle.repack(v, 8) for v in oracle.procamp(d, pixel)]
        assert [int(samples_of(result, c)[place]) for c in "YUV"] == wanted


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"brightness": 100.5}, "procamp brightness must be a number from -100 to 100, found 100.5"),
        ({"contrast": -0.1}, "procamp contrast must be a number from 0 to 10"),
        ({"saturation": float("nan")}, "procamp saturation must be a number"),
        ({"hue": "12"}, "procamp hue must be a number from -180 to 180, found '12'"),
    ],
)
def test_levels_out_of_range(given, message):
    with pytest.raises(StateError, match=message):
        Procamp(**given)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("stage", [Procamp(), SkinTone(), TotalColorControl()], ids=lambda s: type(s).__name__)
def test_what_is_not_yuv_is_refused_with_a_way_out(stage, name):
    with pytest.raises(FormatError, match=f"works on luma and chroma, {name} .*: put csc=format=yuv444p before it"):
        applied(stage, Frame.empty(name, 4, 4, "cpu"))


# ---- csc -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("color", LEGAL_601)
def test_colors_of_bt601_are_the_known_codes(color):
    rgb, yuv = LEGAL_601[color]
    assert color_of(applied(ConvertColor("bt601", format="yuv444p"), patch("rgb24", *rgb))) == yuv
    back = color_of(applied(ConvertColor(format="rgb24"), patch("yuv444p", *yuv, matrix=6)))
    assert max(abs(a - b) for a, b in zip(back, rgb, strict=True)) <= 1


@pytest.mark.parametrize("matrix", RED)
def test_red_in_every_matrix(matrix):
    assert color_of(applied(ConvertColor(matrix, format="yuv444p"), patch("rgb24", 255, 0, 0))) == RED[matrix]


def reference(value, source, target):
    """The conversion in exact fractions, from and to 8-bit-unit samples; rounded to the nearest at the end."""

    def decode(space, sample):
        offsets = [Fraction(o, 16) for o in space.offsets]
        v = [s - o for s, o in zip(sample, offsets, strict=True)]
        luma, chroma = Fraction(space.luma_span) / 16, Fraction(space.chroma_span) / 16
        if space.matrix is None:
            return [c / luma for c in v]
        kr, kb = KR_KB[space.matrix]
        y, cb, cr = v[0] / luma, v[1] / chroma, v[2] / chroma
        r, b = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
        return [r, (y - kr * r - kb * b) / (1 - kr - kb), b]

    def encode(space, rgb):
        offsets = [Fraction(o, 16) for o in space.offsets]
        luma, chroma = Fraction(space.luma_span) / 16, Fraction(space.chroma_span) / 16
        if space.matrix is None:
            return [c * luma + o for c, o in zip(rgb, offsets, strict=True)]
        kr, kb = KR_KB[space.matrix]
        y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]
        cb, cr = (rgb[2] - y) / (2 * (1 - kb)), (rgb[0] - y) / (2 * (1 - kr))
        return [y * luma + offsets[0], cb * chroma + offsets[1], cr * chroma + offsets[2]]

    bits = target.bits
    steps = [c * (1 << bits) / 256 for c in encode(target, decode(source, value))]
    return [min(max(round(c), 0), (1 << bits) - 1) for c in steps]


SPACES = [(matrix, full) for matrix in (None, *KR_KB) for full in (True, False)]


@pytest.mark.parametrize("source", SPACES, ids=str)
def test_conversions_are_the_exact_matrix_rounded(source):
    """Any meaning to any other, within one step of the exact result in 8 bits and in 10; mostly equal."""
    rng = np.random.default_rng(len(str(source)))
    layouts = {(None, 8): "rgb24", (None, 10): "x2rgb10le"}
    for matrix, full in SPACES:
        for bits in (8, 10):
            have = ColorSpace(source[0], source[1], 8)
            want = ColorSpace(matrix, full, bits)
            frame = random_frame(rng, layouts.get((source[0], 8), "yuv444p"), 8, 2)
            out = layouts.get((matrix, bits), "yuv444p" if bits == 8 else "yuv444p10le")
            stage = ConvertColor(
                matrix or "keep",
                "full" if full else "limited",
                out,
                source[0] or "auto",
                "full" if source[1] else "limited",
            )
            result = applied(stage, frame)
            names = list(result.layout.components)[:3]
            different = 0
            for place in np.ndindex(2, 8):
                sample = [Fraction(int(samples_of(frame, c)[place])) for c in list(frame.layout.components)[:3]]
                exact = reference(sample, have, want)
                if result.layout.packed_element:
                    element = int(result.planes[0][place])
                    found = [element >> result.layout.components[c].shift & 1023 for c in names]
                else:
                    found = [int(samples_of(result, c)[place]) for c in names]
                errors = [abs(a - b) for a, b in zip(found, exact, strict=True)]
                assert max(errors) <= 1, (have, want, sample, found, exact)
                different += sum(errors)
            assert different <= 8, (have, want, different)


@pytest.mark.parametrize("matrix", KR_KB)
@pytest.mark.parametrize("full", [True, False])
def test_gray_stays_gray_and_white_white(matrix, full):
    gray = np.arange(256, dtype=np.uint8)[np.newaxis]
    frame = Frame.from_arrays("rgb24", [np.repeat(gray, 3, 1)], 256, 1, "cpu")
    result = applied(ConvertColor(matrix, "full" if full else "limited", "yuv444p"), frame)
    assert (samples_of(result, "U") == 128).all()
    assert (samples_of(result, "V") == 128).all()
    luma = samples_of(result, "Y")[0]
    assert (luma[0], luma[255]) == ((0, 255) if full else (16, 235))
    back = applied(ConvertColor(format="rgb24"), result)
    assert np.abs(samples_of(back, "R") - gray).max() <= (0 if full else 1)
    assert same(back, back, "RGB")
    assert np.array_equal(samples_of(back, "R"), samples_of(back, "B"))


@pytest.mark.parametrize("matrix", KR_KB)
def test_full_range_444_comes_back(matrix):
    rng = np.random.default_rng(7)
    frame = random_frame(rng, "rgb24", 64, 8)
    there = applied(ConvertColor(matrix, "full", "yuv444p10le"), frame)
    back = applied(ConvertColor(format="rgb24"), there)
    for c in "RGB":
        assert np.abs(samples_of(back, c) - samples_of(frame, c)).max() <= 1


@pytest.mark.parametrize("name", [n for n, layout in PIXEL_LAYOUTS.items() if not layout.packed_element])
def test_nothing_to_convert_hands_the_frame_on(name):
    frame = random_frame(np.random.default_rng(8), name, 6, 4)
    result = applied(ConvertColor(), frame)
    assert all(a is b for a, b in zip(result.planes, frame.planes, strict=True))


@pytest.mark.parametrize(("have", "wanted"), [("yuv420p", "nv12"), ("yuv422p10le", "yuv444p10le"), ("nv12", "p010le")])
def test_other_places_for_the_same_samples(have, wanted):
    frame = random_frame(np.random.default_rng(9), have, 14, 6).with_color(ColorTags(matrix=1, full_range=False))
    result = applied(ConvertColor(format=wanted), frame)
    assert np.array_equal(samples_of(applied(ConvertColor(format=have), result), "U"), samples_of(frame, "U"))
    assert same(frame, applied(ConvertColor(format=have), result), "YUV")


def test_tags_say_what_was_made_and_notes_what_was_guessed():
    stage = ConvertColor("bt709")
    result = applied(stage, patch("yuv444p", 90, 100, 110, matrix=2, primaries=5))
    assert result.color == ColorTags(matrix=1, primaries=5, full_range=False)
    assert stage.notes == ("csc: the video does not say its matrix: bt601 is assumed for 2 rows",)
    stage = ConvertColor("bt709")
    assert color_of(applied(stage, patch("yuv444p", 90, 100, 110, matrix=1))) == (90, 100, 110)
    assert stage.notes == ()
    rgb = applied(ConvertColor(format="rgb24"), patch("yuv444p", 90, 100, 110, matrix=9))
    assert (rgb.color.matrix, rgb.color.full_range) == (0, True)
    stage = ConvertColor(format="yuv420p")
    assert applied(stage, patch("rgb24", 1, 2, 3)).color.matrix == 6
    assert stage.notes == ("csc: no matrix is asked for: bt601 is written for 2 rows",)
    tall = Frame.empty("yuv420p", 2, 720, "cpu")
    stage = ConvertColor(format="rgb24")
    applied(stage, tall)
    assert stage.notes == ("csc: the video does not say its matrix: bt709 is assumed for 720 rows",)


def test_gray_gets_chroma_and_gray_loses_it():
    gray = patch("gray", 77, matrix=6)
    assert color_of(applied(ConvertColor(format="yuv444p"), gray)) == (77, 128, 128)
    assert color_of(applied(ConvertColor(format="gray10le"), patch("yuv444p", 77, 3, 9, matrix=6))) == (308,)


@pytest.mark.parametrize("word", ["matrix", "range", "format", "in_matrix", "in_range"])
def test_words_of_csc_are_checked(word):
    with pytest.raises(StateError, match=f"csc {word} must be one of .*, found 'purple'"):
        ConvertColor(**{word: "purple"})


def test_matrix_sums_cannot_overflow():
    """Coefficients in 14 bits times 12-bit samples, over all spaces."""
    for source in SPACES:
        for target in SPACES:
            for bits in (8, 10, 16):
                block = conversion(ColorSpace(*source, bits), ColorSpace(*target, 8))
                for row in range(3):
                    terms = [
                        max(abs(0 + o), abs(4095 + o)) * abs(c)
                        for c, o in zip(block["coefficients"][3 * row : 3 * row + 3], block["offsets_in"], strict=True)
                    ]
                    assert sum(terms) < 1 << 31


# ---- skintone --------------------------------------------------------------------------------------------------------


def skin_ramp():
    """U and V around the middle of the skin at a skin's luma."""
    u, v = np.meshgrid(np.arange(92, 128, 2), np.arange(136, 172, 2))
    planes = [np.full(u.shape, 150), u, v]
    return Frame.from_arrays("yuv444p", [p.astype(np.uint8) for p in planes], u.shape[1], u.shape[0], "cpu")


@pytest.mark.parametrize("level", range(10))
def test_levels_do_what_their_states_say(level):
    stage = SkinTone(level)
    d = Dwords(stage.state.to_dwords())
    frame = skin_ramp()
    result = applied(stage, frame)
    assert same(frame, result, "Y")
    assert not same(frame, result, "UV")
    rng = np.random.default_rng(level)
    for place in rng.permutation(list(np.ndindex(*frame.planes[0].shape)))[: sweep(40)]:
        pixel = tuple(Fraction(int(plane[tuple(place)])) for plane in frame.planes)
        (wanted, _), _ = oracle.pair(d, [pixel, pixel], shared_chroma=False)
        assert [int(plane[tuple(place)]) for plane in result.planes] == [oracle.repack(v, 8) for v in wanted]


def test_higher_levels_saturate_more():
    frame = skin_ramp()

    def mean_saturation(level):
        result = applied(SkinTone(level), frame)
        u, v = samples_of(result, "U") - 128, samples_of(result, "V") - 128
        return float(np.hypot(u, v).mean())

    values = [mean_saturation(level) for level in range(4, 10)]
    assert values == sorted(values)
    assert values[0] > mean_saturation(3)


@pytest.mark.parametrize("level", range(10))
def test_curves_of_every_level_are_continuous(level):
    state = skin_tone_state(level)
    for curve, half in (("sat", 31), ("hue", 14)):
        points = (-half, *getattr(state, f"{curve}_points")[0], half)
        biases = (-half, *getattr(state, f"{curve}_biases")[0], half)
        slopes = getattr(state, f"{curve}_slopes")[0]
        for i in range(4):
            if points[i] < points[i + 1]:
                reached = biases[i] + slopes[i] * (points[i + 1] - points[i])
                assert reached == pytest.approx(biases[i + 1], abs=0.12)


def test_what_is_no_skin_is_left_alone():
    rng = np.random.default_rng(11)
    frame = random_frame(rng, "yuv444p", 64, 32)
    outside = skin_scores(frame) == 0
    assert 0.5 < outside.mean() < 1
    result = applied(SkinTone(9), frame)
    for c in "UV":
        changed = samples_of(result, c) != samples_of(frame, c)
        assert not changed[outside].any()


@pytest.mark.parametrize("level", [-1, 10, 2.5, True, "3"])
def test_levels_of_skintone_are_checked(level):
    with pytest.raises(StateError, match="skintone level must be an integer from 0 to 9"):
        SkinTone(level)


def test_sharpen_spares_skin_when_asked():
    rng = np.random.default_rng(12)
    frame = random_frame(rng, "yuv444p", 32, 16)
    frame.planes[0][...] = rng.integers(140, 151, (16, 32))
    frame.planes[1][:, :16], frame.planes[2][:, :16] = 110, 154
    frame.planes[1][:, 16:], frame.planes[2][:, 16:] = 128, 128
    score = skin_scores(frame)
    assert (score[:, :16] == 31).all()
    assert (score[:, 16:] == 0).all()
    plain, tuned = applied(Sharpen(60), frame), applied(Sharpen(60, skintone="on"), frame)
    assert np.array_equal(tuned.planes[0], Sharpen(60).apply(frame, score).planes[0])
    assert np.array_equal(tuned.planes[0][:, :16], frame.planes[0][:, :16])
    assert np.array_equal(tuned.planes[0][:, 18:], plain.planes[0][:, 18:])
    assert not np.array_equal(plain.planes[0][:, :16], frame.planes[0][:, :16])
    with pytest.raises(StateError, match="sharpen skintone must be off or on, found True"):
        Sharpen(skintone=True)
    with pytest.raises(FormatError, match="gray has no chroma"):
        applied(Sharpen(skintone="on"), Frame.empty("gray", 4, 4, "cpu"))


# ---- tcc -------------------------------------------------------------------------------------------------------------

COLORS = {"red": (81, 90, 240), "yellow": (210, 16, 146), "green": (145, 54, 34), "cyan": (170, 166, 16),
          "blue": (41, 240, 110), "magenta": (106, 202, 222)}  # fmt: skip


def half_saturated(color):
    y, u, v = COLORS[color]
    return y, 128 + (u - 128) // 2, 128 + (v - 128) // 2


def saturation(frame):
    _, u, v = color_of(frame)
    return float(np.hypot(u - 128, v - 128))


@pytest.mark.parametrize("name", YUV)
def test_neutral_factors_change_nothing_in_8_and_10_bits(name):
    frame = random_frame(np.random.default_rng(13), name, 21, 9)
    assert same(frame, applied(TotalColorControl(), frame), "YUV")


@pytest.mark.parametrize("color", COLORS)
def test_a_factor_reaches_its_own_color_and_not_its_opposite(color):
    opposite = {"red": "cyan", "cyan": "red", "green": "magenta", "magenta": "green", "blue": "yellow",
                "yellow": "blue"}  # fmt: skip
    for factor in (0.5, 1.5):
        stage = TotalColorControl(**{color: factor})
        own, other = (patch("yuv444p", *half_saturated(c)) for c in (color, opposite[color]))
        ratio = saturation(applied(stage, own)) / saturation(own)
        assert ratio == pytest.approx(factor if factor < 1 else 1.25, abs=0.13)
        assert color_of(applied(stage, other)) == color_of(other)
        assert color_of(applied(stage, own))[0] == color_of(own)[0]


def test_gray_and_full_colors_are_spared_when_a_factor_rises():
    stage = TotalColorControl(*[1.99] * 6)
    for gray in ((360, 512, 512), (360, 509, 515), (360, 510, 512)):
        assert color_of(applied(stage, patch("yuv444p10le", *gray))) == gray
    full = patch("yuv444p", 106, 240, 240)
    assert saturation(applied(stage, full)) == pytest.approx(saturation(full), abs=2)
    assert saturation(applied(TotalColorControl(*[0] * 6), full)) <= 2


@pytest.mark.parametrize("value", [-0.01, 2, "1", float("inf")])
def test_factors_are_checked(value):
    with pytest.raises(StateError, match=r"tcc blue must be a number from 0 to 1\.99"):
        TotalColorControl(blue=value)


def test_frames_keep_everything_else():
    frame = replace(random_frame(np.random.default_rng(14), "nv12", 8, 4), pts=5, interlaced=True)
    for stage in (Procamp(1), SkinTone(), TotalColorControl(red=1.5), ConvertColor(format="yuv444p")):
        result = applied(stage, frame)
        assert (result.pts, result.interlaced, result.width_px) == (5, True, 8)
