"""Adaptive contrast: neutral when off, monotone and continuous always, steady from frame to frame."""

from fractions import Fraction

import numpy as np
import pytest
from oracle import color_tone
from oracle.color_state import Dwords
from support.color_frames import applied, patch, same
from support.color_states import piped
from support.filter_cases import sweep
from support.frames import random_frame, samples_of

from texsamp.errors import FormatError, StateError
from texsamp.state import ColorProcessingState
from texsamp.video.color import Contrast
from texsamp.video.color.ace import (
    CLOSEST_POINTS,
    HIGHEST_SLOPE,
    LOWEST_SLOPE,
    Curve,
    analysis,
    anchor_points,
    contrast_state,
    dark_factor,
    limited,
    limited_values,
)
from texsamp.video.color.params import ColorBlocks, contrast_block
from texsamp.video.frame import ColorTags, Frame


def luma_frame(luma, **tags):
    height, width = luma.shape
    gray = np.full((height // 2, width // 2), 128, np.uint8)
    frame = Frame.from_arrays("yuv420p", [luma.astype(np.uint8), gray, gray], width, height, "cpu")
    return frame.with_color(ColorTags(**tags))


def histograms(rng, count):
    """Any shape of histogram: noise, lumps, single bins, the ends."""
    for index in range(count):
        kind = index % 4
        if kind == 0:
            yield rng.integers(0, 1000, 256)
        elif kind == 1:
            values = rng.normal(rng.uniform(0, 255), rng.uniform(0.5, 60), 4000)
            yield np.bincount(np.clip(values, 0, 255).astype(int), minlength=256)
        elif kind == 2:
            yield np.bincount(rng.integers(0, 256, int(rng.integers(1, 4))), minlength=256) * 500
        else:
            yield np.bincount(rng.choice([0, 255, 16, 235], 50), minlength=256)


def curve_of(state):
    """The curve at all 4096 lumas, by the kernel."""
    luma = np.arange(4096).reshape(64, 64)
    return piped([luma, luma, luma], ColorBlocks(contrast=contrast_block(state)))[0].ravel()


def test_every_curve_is_monotone_continuous_and_keeps_black_and_white():
    rng = np.random.default_rng(50)
    for index, histogram in enumerate(histograms(rng, sweep(40))):
        black, white = [(16, 235), (0, 255)][index % 2]
        curve = analysis(histogram, rng.uniform(0, 1), [None, 1, 10][index % 3], black, white).curve
        assert (np.diff(curve.points) >= CLOSEST_POINTS - 1e-9).all()
        slopes = np.diff(curve.values) / np.diff(curve.points)
        assert LOWEST_SLOPE - 1e-9 <= slopes.min() <= slopes.max() <= HIGHEST_SLOPE + 1e-9
        state = contrast_state(curve, ColorProcessingState())
        at = curve_of(state)
        assert np.diff(at).min() >= 0
        assert np.diff(at).max() <= 6  # slope 2, and what an 8-bit slope loses over a segment
        assert np.array_equal(at[: black * 16 + 1], np.arange(black * 16 + 1))
        assert np.array_equal(at[white * 16 :], np.arange(white * 16, 4096))
        inside = np.arange(black, white)
        assert np.abs(at[inside * 16] - np.interp(inside, curve.points, curve.values) * 16).max() <= 24


def test_the_kernels_curve_is_the_oracles_at_every_luma():
    rng = np.random.default_rng(51)
    for histogram in histograms(rng, 2):
        state = contrast_state(analysis(histogram, 0, 10, 16, 235).curve, ColorProcessingState())
        d = Dwords(state.to_dwords())
        assert curve_of(state).tolist() == [int(color_tone.contrast(d, Fraction(y, 16)) * 16) for y in range(4096)]


def test_steps_by_hand():
    histogram = np.zeros(256, np.int64)
    histogram[[40, 200]] = 900, 100
    shares = limited(histogram)
    assert shares[[40, 200]].tolist() == [8 / 256] * 2  # both are cut
    assert dark_factor(shares) == (120, 0)
    assert dark_factor(np.eye(256)[84]) == (84, 0.5)
    assert dark_factor(np.eye(256)[20]) == (20, 1)
    points = anchor_points(shares, tuple(k / 10 - 0.05 for k in range(1, 11)), 16, 235)
    assert points.tolist() == [16, 40, 48, 56, 64, 72, 195, 203, 211, 219, 227, 235]
    flat = np.linspace(16, 235, 12)
    assert np.allclose(limited_values(flat, flat), flat)
    cubed = limited_values(flat, 16 + 219 * np.linspace(0, 1, 12) ** 3)
    assert (cubed[0], cubed[-1]) == (16, pytest.approx(235))
    slopes = np.diff(cubed) / np.diff(flat)
    assert (slopes[0], slopes[-1]) == (pytest.approx(LOWEST_SLOPE), pytest.approx(HIGHEST_SLOPE))


def test_a_narrow_histogram_is_spread_and_dark_pictures_are_lit():
    rng = np.random.default_rng(52)
    narrow = rng.normal(120, 15, (64, 64))
    result = samples_of(applied(Contrast(10), luma_frame(narrow)), "Y")
    assert result.std() > 1.3 * narrow.std()
    dark = np.clip(rng.gamma(2, 12, (64, 64)) + 16, 16, 235)
    lit = samples_of(applied(Contrast(10), luma_frame(dark)), "Y")
    assert lit.mean() > dark.mean() + 4
    weaker = samples_of(applied(Contrast(3), luma_frame(dark)), "Y")
    assert dark.mean() < weaker.mean() < lit.mean()


@pytest.mark.parametrize("strength", ["auto", 5, 10])
def test_flat_gray_stays_what_it_is(strength):
    """Also with a little noise, and beside a second level; at full strength 128 once became 72."""
    rng = np.random.default_rng(57)
    for gray in (20, 40, 90, 128, 170, 230):
        assert (samples_of(applied(Contrast(strength), luma_frame(np.full((32, 32), gray))), "Y") == gray).all()
        noisy = np.rint(rng.normal(gray, 1, (64, 64)))
        assert abs(samples_of(applied(Contrast(strength), luma_frame(noisy)), "Y").mean() - noisy.mean()) < 5
    halves = np.repeat([[60], [180]], 32, axis=0) * np.ones((1, 64), int)
    moved = np.abs(samples_of(applied(Contrast(strength), luma_frame(halves)), "Y").astype(int) - halves)
    assert moved.max() <= 6


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.85])
@pytest.mark.parametrize(("top", "bottom"), [(200, 170), (180, 176), (225, 215), (235, 140)])
def test_automatic_strength_darkens_no_sky(share, top, bottom):
    """A gradient over so much of the picture, textured ground below; it fell by 15 codes."""
    rng = np.random.default_rng(58)
    rows = np.linspace(0, 1, 128)[:, None] * np.ones((1, 128))
    ground = np.clip(rng.normal(80, 30, rows.shape), 16, 235)
    sky = rows < share
    luma = np.rint(np.where(sky, top + (bottom - top) * rows / share, ground)).astype(int)
    change = samples_of(applied(Contrast(), luma_frame(luma)), "Y").astype(int) - luma
    assert change[sky].min() >= -7
    assert change[sky].mean() >= -6
    assert np.abs(change).max() >= 2  # it still does something


def test_off_is_neutral_and_chroma_never_changes():
    frame = random_frame(np.random.default_rng(53), "yuv420p10le", 34, 18)
    assert same(applied(Contrast(0), frame), frame, "YUV")
    assert same(applied(Contrast(10), frame), frame, "UV")
    assert not same(applied(Contrast(10), frame), frame, "Y")


def test_black_and_white_follow_the_range():
    for full, ends in ((False, (16, 235)), (True, (0, 255))):
        stage = Contrast(10)
        applied(stage, luma_frame(np.random.default_rng(54).normal(120, 15, (32, 32)), full_range=full))
        assert (stage.state.ace_points[0], stage.state.ace_points[-1]) == ends


def test_skin_does_not_count_and_weakens_the_curve():
    skin = patch("yuv444p", 150, 110, 154, size=(8, 8))
    stage = Contrast(10)
    made = applied(stage, skin)
    assert same(made, skin, "YUV")
    assert [made.figures()[name] for name in ("skin_pixels", "y_min", "y_max")] == [64, 600, 600]
    assert made.figures()["mean"] is None
    assert applied(Contrast(10, histogram="hardware"), skin).figures()["mean"] == 150
    histogram = np.bincount(np.random.default_rng(55).normal(120, 15, 4000).astype(int), minlength=256)
    strong, weak = (analysis(histogram, skin, 10, 16, 235).curve for skin in (0, 0.5))
    assert np.allclose(weak.values - weak.points, 0.75 * (strong.values - strong.points))


def test_auto_is_less_for_pictures_of_few_levels():
    def strength(deviation):
        luma = np.random.default_rng(56).normal(120, deviation, 4000).astype(int)
        histogram = np.bincount(luma, minlength=256)
        auto, full = (analysis(histogram, 0, s, 16, 235).curve for s in (None, 10))
        return np.abs(auto.values - auto.points).max() / np.abs(full.values - full.points).max()

    assert strength(30) == pytest.approx(0.5)
    assert 0.02 < strength(3) < 0.2


def test_a_stream_does_not_flicker_and_a_cut_starts_anew():
    rng = np.random.default_rng(57)
    bright, dark = rng.normal(150, 20, (64, 64)), np.clip(rng.gamma(2, 10, (64, 64)) + 16, 16, 235)
    stage, alone = Contrast(10), Contrast(10)
    applied(stage, luma_frame(bright))
    before = curve_of(stage.state)
    applied(stage, luma_frame(bright + 8 * (rng.random((64, 64)) < 0.3)))
    after = curve_of(stage.state)
    applied(alone, luma_frame(bright + 8 * (rng.random((64, 64)) < 0.3)))
    assert np.abs(after - before).max() <= 3 * 16
    applied(stage, luma_frame(dark))
    applied(alone, luma_frame(dark))
    assert stage.state == alone.state  # both began anew
    list(stage.flush())
    assert stage.state == Contrast(10).state


def test_an_identity_curve_changes_nothing():
    state = contrast_state(Curve.identity(16, 235), ColorProcessingState())
    assert np.array_equal(curve_of(state), np.arange(4096))


def test_statistics_hold_the_curve():
    stage = Contrast(10)
    picture = luma_frame(np.random.default_rng(58).normal(120, 15, (32, 32)))
    idle = applied(Contrast(0), picture).figures()
    assert (idle["mean"], idle["in0"]) == (None, 16)
    figures = applied(stage, picture).figures()
    assert list(figures) == list(idle)
    assert 118 < figures["mean"] < 122
    assert (figures["skin_pixels"], figures["y_min"], figures["y_max"]) == (0, None, None)
    ins, outs = ([figures[f"{kind}{i}"] for i in range(12)] for kind in ("in", "out"))
    assert (ins, outs[1:-1]) == (list(stage.state.ace_points), list(stage.state.ace_biases))
    assert (outs[0], outs[-1]) == (16, 235)


@pytest.mark.parametrize("strength", [-1, 11, 2.5, "strong", True])
def test_other_strengths_are_refused(strength):
    with pytest.raises(StateError, match="contrast strength must be auto or an integer from 0 to 10, found"):
        Contrast(strength)


def test_other_histograms_are_refused():
    with pytest.raises(StateError, match="contrast histogram must be one of ours, hardware, found 'all'"):
        Contrast(5, "all")


def test_rgb_is_refused():
    with pytest.raises(FormatError, match="contrast works on luma and chroma"):
        applied(Contrast(), patch("rgba", 1, 2, 3))
