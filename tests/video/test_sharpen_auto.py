"""`sharpen=auto`: blurred pictures come nearer to what they were, sharp and noisy ones stay, cuts are followed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from support.frames import samples_of

from texsamp.errors import StateError
from texsamp.video.conversion import convert
from texsamp.video.frame import Frame
from texsamp.video.presets.ief import ief_level
from texsamp.video.sharpen import Sharpen
from texsamp.video.sharpness import LEVELS, SharpnessHistory, restoring_level, sharpness


def drawn(seed):
    """Rectangles and disks of many grays."""
    rng = np.random.default_rng(seed)
    luma = np.full((96, 128), 120.0)
    y, x = np.mgrid[:96, :128]
    for _ in range(30):
        cx, cy, size = rng.uniform(0, 128), rng.uniform(0, 96), rng.uniform(4, 24)
        round_ = (x - cx) ** 2 + (y - cy) ** 2 < size**2
        square = (abs(x - cx) < size) & (abs(y - cy) < size / 2)
        luma[round_ if rng.random() < 0.5 else square] = rng.uniform(20, 230)
    return luma


def frame_of(luma):
    height, width = luma.shape
    return Frame.from_arrays("gray", [np.rint(np.clip(luma, 0, 255)).astype(np.uint8)], width, height, "cpu")


def error(luma, frame):
    return float(np.mean((np.rint(luma) - samples_of(frame, "Y")) ** 2))


@pytest.mark.parametrize("radius_px", [1.2, 1.6, 2.2])
def test_blurred_pictures_come_nearer_to_what_they_were(radius_px):
    for seed in range(3):
        luma = drawn(seed)
        blurred = frame_of(gaussian_filter(luma, radius_px))
        (made,) = Sharpen("auto").feed(blurred)
        assert error(luma, made) < 0.9 * error(luma, blurred)


@pytest.mark.parametrize("noise", [0, 2, 10])
def test_sharp_pictures_stay_bit_for_bit_with_noise_too(noise):
    for seed in range(3):
        sharp = frame_of(drawn(seed) + np.random.default_rng(seed).normal(0, noise, (96, 128)))
        (made,) = Sharpen("auto").feed(sharp)
        assert np.array_equal(samples_of(made, "Y"), samples_of(sharp, "Y"))


def test_what_holds_no_edges_stays():
    for luma in (np.full((40, 40), 90.0), np.tile(np.arange(40.0), (40, 1)), np.zeros((1, 1)), np.full((3, 4), 7.0)):
        (made,) = Sharpen("auto").feed(frame_of(luma))
        assert np.array_equal(samples_of(made, "Y"), np.rint(luma))


@pytest.mark.parametrize("name", ["nv12", "uyvy422", "yuv444p10le", "p010le"])
def test_every_layout_measures_the_same_luma(name):
    gray = frame_of(gaussian_filter(drawn(4), 1.4))
    expected, other = Sharpen("auto"), Sharpen("auto")
    next(iter(expected.feed(gray)))
    next(iter(other.feed(convert(gray, name))))
    assert other.settings == expected.settings
    assert other.settings.gain > 0


def test_levels_fall_with_sharpness():
    found = np.linspace(0.25, 1, 100)
    levels = [restoring_level(float(v)) for v in found]
    assert levels == sorted(levels, reverse=True)
    assert (levels[0], levels[-1], restoring_level(None)) == (LEVELS[0][1], 0, 0)
    blurs = [sharpness(np.rint(gaussian_filter(drawn(5), r))) for r in (0.6, 1.0, 1.5, 2.0)]
    assert blurs == sorted(blurs, reverse=True)


def test_levels_do_not_flicker_and_follow_cuts():
    history = SharpnessHistory()
    steady = [history.smoothed(v) for v in (0.40, 0.44, 0.36, 0.44, 0.36)]
    assert np.abs(np.diff(steady)).max() < 0.01
    assert history.smoothed(None) == steady[-1]  # a frame without edges tells nothing
    assert history.smoothed(0.7) == 0.7  # another scene
    sharp, soft = frame_of(drawn(6)), frame_of(gaussian_filter(drawn(6), 1.6))
    stage = Sharpen("auto")
    for frame, changes in ((soft, True), (sharp, False), (sharp, False), (soft, True)):
        (made,) = stage.feed(frame)
        assert changes != np.array_equal(samples_of(made, "Y"), samples_of(frame, "Y"))


def test_a_new_stream_begins_anew():
    stage, soft = Sharpen("auto"), frame_of(gaussian_filter(drawn(7), 1.6))
    (first,) = stage.feed(soft)
    flat = frame_of(np.full((96, 128), 90.0))
    next(iter(stage.feed(flat)))
    assert stage.settings.gain > 0
    list(stage.flush())
    next(iter(stage.feed(flat)))
    assert stage.settings.gain == 0
    (again,) = stage.feed(soft)
    assert np.array_equal(first.planes[0], again.planes[0])


def test_the_drivers_slider_is_the_drivers_table():
    frame = frame_of(drawn(8))
    for level in (10, 30, 50, 64):
        (made,) = Sharpen(level, slider="driver").feed(frame)
        (wanted,) = Sharpen(settings=ief_level(level)).feed(frame)
        assert np.array_equal(made.planes[0], wanted.planes[0])
    even, driver = (replace(Sharpen(44, slider=s).settings) for s in ("even", "driver"))
    assert even == driver


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slider": "log"}, "slider must be one of even, driver, found 'log'"),
        ({"level": "auto", "mode": "gen6-detail-3x3"}, "need mode gen7, found gen6-detail-3x3"),
        ({"slider": "driver", "mode": "gen6-combination"}, "need mode gen7, found gen6-combination"),
        ({"level": "on"}, "must be auto or an integer from 0 to 64, found 'on'"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(StateError, match=message):
        Sharpen(**options)
