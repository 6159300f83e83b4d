"""The color filters: what they leave alone, what they do, and that both is what their states say."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle import color as oracle
from oracle.color_state import Dwords
from support.color_frames import applied, color_of, patch, same
from support.filter_cases import sweep
from support.frames import random_frame, samples_of

from texsamp.errors import FormatError, StateError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color import (
    CompressGamut,
    ConvertColor,
    Procamp,
    SkinTone,
    TotalColorControl,
    outside_gamut,
    skin_scores,
)
from texsamp.video.color.matrices import KR_KB
from texsamp.video.color.procamp import procamp_state
from texsamp.video.color.skintone import skin_tone_state
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.sharpen import Sharpen

YUV = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model == "yuv"]
OTHERS = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model != "yuv"]


# ---- procamp ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hue", range(-180, 181, 30))
def test_hue_turns_by_its_sine(hue):
    state = procamp_state(0, 1, 2, hue)
    assert (state.cos_c_s, state.sin_c_s) == pytest.approx(
        (2 * np.cos(np.pi * hue / 180), 2 * np.sin(np.pi * hue / 180)), abs=1 / 512
    )


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
@pytest.mark.parametrize("stage", [Procamp, SkinTone, TotalColorControl, CompressGamut])
def test_what_is_not_yuv_is_refused_with_a_way_out(stage, name):
    with pytest.raises(FormatError, match=f"works on luma and chroma, {name} .*: put csc=format=yuv444p before it"):
        applied(stage(), Frame.empty(name, 4, 4, "cpu"))


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
    with pytest.raises(StateError, match="sharpen skintone must be one of off, on, found True"):
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


# ---- gamut -----------------------------------------------------------------------------------------------------------


def rgb_of(frame, matrix):
    """R, G, B in 0..1 of every pixel, not clipped."""
    kr, kb = (float(k) for k in KR_KB[matrix])
    y, u, v = ((samples_of(frame, c) - o) / s for c, o, s in (("Y", 16, 219), ("U", 128, 224), ("V", 128, 224)))
    r, b = y + 2 * (1 - kr) * v, y + 2 * (1 - kb) * u
    return np.stack([r, (y - kr * r - kb * b) / (1 - kr - kb), b])


@pytest.mark.parametrize("matrix", ["bt601", "bt709"])
def test_what_is_outside_is_what_leaves_the_rgb_cube(matrix):
    """The triangle test agrees with R, G and B themselves, but for rounding at the boundary."""
    frame = random_frame(np.random.default_rng(20), "yuv444p", 64, 64)
    outside = outside_gamut(frame, matrix).astype(bool)
    rgb = rgb_of(frame, matrix)
    excess = np.maximum(rgb.max(0) - 1, -rgb.min(0))
    assert outside[excess > 0.012].all()
    assert not outside[excess < -0.012].any()
    assert 0.3 < outside.mean() < 0.95


@pytest.mark.parametrize("matrix", ["bt601", "bt709"])
@pytest.mark.parametrize("mode", ["basic", "advanced"])
def test_every_color_comes_inside_with_its_hue(mode, matrix):
    frame = random_frame(np.random.default_rng(21), "yuv444p", 64, 64)
    luma = samples_of(frame, "Y")
    frame.planes[0][...] = np.clip(luma, 24, 228)
    result = applied(CompressGamut(mode, matrix), frame)
    rgb = rgb_of(result, matrix)
    excess = np.maximum(rgb.max(0) - 1, -rgb.min(0))
    assert excess.max() < 0.12  # past the tip, where the equations lengthen the upper boundary
    assert (excess < 0.02).mean() > 0.95
    before, after = (np.array([samples_of(f, c) - 128.0 for c in "UV"]) for f in (frame, result))
    large = np.hypot(*after) > 30
    turn = np.angle((after[0] + 1j * after[1]) / (before[0] + 1j * before[1]))[large]
    assert np.abs(turn).max() < 0.06
    assert (np.hypot(*after) <= np.hypot(*before) + 1.5).all()


def test_basic_mode_leaves_what_is_inside_alone_and_advanced_mode_keeps_order():
    frame = random_frame(np.random.default_rng(22), "yuv444p", 64, 32)
    inside = outside_gamut(frame, "bt709") == 0
    result = applied(CompressGamut("basic", "bt709"), frame)
    for c in "YUV":
        assert np.array_equal(samples_of(result, c)[inside], samples_of(frame, c)[inside])
    v = np.arange(128, 256, dtype=np.uint8)[np.newaxis]
    ramp = Frame.from_arrays("yuv444p", [np.full_like(v, 120), np.full_like(v, 128), v], 128, 1, "cpu")
    clipped, squeezed = (
        samples_of(applied(CompressGamut(mode, "bt709"), ramp), "V")[0] for mode in ("basic", "advanced")
    )
    assert (np.diff(squeezed) >= 0).all()
    assert len(set(squeezed[100:])) > len(set(clipped[100:]))


def test_the_cube_is_that_of_the_tag_and_guesses_are_told():
    frame = random_frame(np.random.default_rng(23), "yuv444p", 16, 8)

    def made(to, **tags):
        stage = CompressGamut(to=to)
        return applied(stage, frame.with_color(ColorTags(**tags))), stage.notes

    tagged, notes = made("auto", matrix=1)
    assert same(tagged, made("bt709")[0], "YUV")
    assert notes == ()
    assert not same(tagged, made("bt601")[0], "YUV")
    assert not same(tagged, made("auto", matrix=1, full_range=True)[0], "YUV")
    assert made("auto")[1] == ("gamut: the video does not say its matrix: bt601 is assumed for 8 rows",)
    assert made("auto", matrix=9)[1] == ()
    assert not same(made("auto", matrix=9)[0], tagged, "YUV")
    for given, option in (({"mode": "hard"}, "mode"), ({"to": "bt2020"}, "to"), ({"source": "p3"}, "from")):
        with pytest.raises(StateError, match=f"gamut {option} must be one of"):
            CompressGamut(**given)


def test_frames_keep_everything_else():
    frame = replace(random_frame(np.random.default_rng(14), "nv12", 8, 4), pts=5, interlaced=True)
    for stage in (Procamp(1), SkinTone(), TotalColorControl(red=1.5), ConvertColor(format="yuv444p")):
        result = applied(stage, frame)
        assert (result.pts, result.interlaced, result.width_px) == (5, True, 8)
