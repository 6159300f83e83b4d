"""Sandy Bridge's enhancement filters equal the oracle to the last bit, over the whole range of every parameter."""

from dataclasses import replace

import numpy as np
import pytest
from oracle.ief_gen6 import CombinationState, DetailState, ief_gen6, pwl
from support.filter_cases import PATTERNS, nothing_else_written, padded_plane, picture, sweep

from texsamp.device import get_device
from texsamp.errors import StateError
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline
from texsamp.video.presets.ief_gen6 import Gen6CombinationParameters, Gen6DetailParameters, gen6_settings
from texsamp.video.samples import Samples
from texsamp.video.sharpen import Sharpen, sharpen_launch

STORES = {8: [("u1", 1, 0, 0), ("u1", 2, 1, 0)], 10: [("<u2", 1, 0, 0), ("<u2", 2, 1, 6)]}


def check(luma, settings, bits, store=None, seed=0):
    """The kernel's result from and into planes with padded rows is the oracle's; no other byte changes."""
    rng = np.random.default_rng(seed)
    dtype, step, offset, shift = store or STORES[bits][0]
    height, width = luma.shape
    planes = [padded_plane(rng, height, width * step, dtype) for _ in range(2)]
    source, target = (Samples(plane, width, height, bits, offset, step, shift) for plane in planes)
    part, out = (plane[:, offset::step] for plane in planes)
    part[...] = luma << shift
    device = get_device("cpu")
    with nothing_else_written([out]):
        device.launch(sharpen_launch(device, source, target, settings))
    oracle_type = DetailState if isinstance(settings, Gen6DetailParameters) else CombinationState
    expected = ief_gen6(luma, oracle_type(**vars(settings)), bits=bits)
    wrong = np.argwhere(out >> shift != expected)
    assert not len(wrong), f"{len(wrong)} differ, first at {wrong[0]}: {settings}"
    return expected


def any_of(rng, low, high):
    """A legal value, often an extreme one."""
    return int(rng.choice([low, high, rng.integers(low, high + 1)]))


def random_detail(rng):
    weights = {name: any_of(rng, 0, 7) for name in ("strong_weight", "regular_weight", "non_edge_weight")}
    thresholds = {name: any_of(rng, 0, 15) for name in ("strong_threshold", "weak_threshold")}
    return Gen6DetailParameters(gain=any_of(rng, 0, 63), size=int(rng.choice([3, 5])), **weights, **thresholds)


def random_combination(rng):
    values = {name: any_of(rng, 0, 31) for name in ("r3c", "r3x", "r5c", "r5cx", "r5x")}
    small = ("steepness_threshold", "ridge_threshold", "max_limiter", "min_limiter", "limiter_boost")
    values |= {name: any_of(rng, 0, 15) for name in small}
    values |= {name: bool(rng.integers(0, 2)) for name in ("steepness_boost", "ridge_boost")}
    values |= {f"{kind}_biases": tuple(any_of(rng, 0, 255) for _ in range(7)) for kind in ("smooth", "sharp")}
    values |= {f"{kind}_slopes": tuple(any_of(rng, -128, 127) for _ in range(7)) for kind in ("smooth", "sharp")}
    points = tuple(sorted(any_of(rng, 0, 255) for _ in range(6)))
    noise = any_of(rng, 0, int(rng.choice([40, 255])))
    return Gen6CombinationParameters(noise_estimate=noise, points=points, clip_limiter=any_of(rng, 0, 1023), **values)


@pytest.mark.parametrize("random_settings", [random_detail, random_combination])
@pytest.mark.parametrize("bits", [8, 10])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_random_settings_on_every_content(pattern, bits, random_settings):
    rng = np.random.default_rng([bits, len(pattern)])
    for case in range(sweep(5)):
        height, width = (int(v) for v in rng.integers(1, 13, 2))
        luma = picture(rng, height, width, (1 << bits) - 1, pattern)
        settings = random_settings(rng) if case else type(random_settings(rng))()
        check(luma, settings, bits, STORES[bits][rng.integers(2)], case)


@pytest.mark.parametrize("mode", ["gen6-detail-3x3", "gen6-detail-5x5", "gen6-combination"])
@pytest.mark.parametrize("bits", [8, 10])
def test_sizes_and_tile_borders(bits, mode):
    rng = np.random.default_rng(bits)
    for width, height in ((1, 1), (1, 9), (9, 1), (2, 2), (257, 2), (5, 9)):
        luma = picture(rng, height, width, (1 << bits) - 1, "random")
        check(luma, gen6_settings(mode), bits)


def test_noise_is_smoothed_and_edges_are_sharpened_within_limits():
    rng = np.random.default_rng(3)
    settings = replace(Gen6CombinationParameters(), noise_estimate=8)
    noise = (512 + rng.normal(0, 6, (24, 24))).astype(int)
    assert check(noise, settings, 10)[2:-2, 2:-2].std() < 0.9 * noise[2:-2, 2:-2].std()
    edge = np.where(np.arange(12) < 6, 300, 700) + np.zeros((8, 1), int)
    sharp = check(edge, settings, 10)
    assert sharp.max() > 700 and sharp.min() < 300
    assert sharp.max() <= 700 + 130 and sharp.min() >= 300 - 130
    flat = np.full((6, 6), 517)
    assert (check(flat, settings, 10) == 517).all()


def test_the_default_strengths_are_continuous_with_slopes_of_sixteenths():
    """The reason for 1/16 where the page prints 1/8: with it the documented points lie on the lines before them."""
    s = CombinationState()
    for biases, slopes in ((s.sharp_biases, s.sharp_slopes), (s.smooth_biases, s.smooth_slopes)):
        steps = np.diff([pwl(d, s.points, biases, slopes) for d in range(256)])
        assert np.abs(steps).max() <= 9


def test_filter_text_and_refusals():
    frame = Frame.from_arrays("gray", [np.random.default_rng(4).integers(0, 256, (9, 11), np.uint8)], 11, 9, "cpu")
    for mode in ("gen6-detail-3x3", "gen6-combination"):
        (made,) = Pipeline.parse(f"sharpen=mode={mode}", device="cpu")([frame])
        oracle_type = CombinationState if mode == "gen6-combination" else DetailState
        expected = ief_gen6(frame.planes[0], oracle_type(**vars(gen6_settings(mode))))
        assert np.array_equal(made.planes[0], expected)
    for arguments, message in (
        (dict(mode="gen6"), "sharpen mode must be one of gen7, gen6-detail-3x3, "),
        (dict(level=20, mode="gen6-combination"), "has no level: it must be 44, found 20"),
        (dict(skintone="on", mode="gen6-detail-5x5"), "skintone=on needs mode gen7, found gen6-detail-5x5"),
    ):
        with pytest.raises(StateError, match=message):
            Sharpen(**arguments)
    for changes, message in (
        (dict(points=(4, 12, 16, 26, 40)), r"points must be 6 integers in 0\.\.255"),
        (dict(points=(4, 12, 16, 26, 40, 30)), "points must not decrease"),
        (dict(sharp_slopes=(128,) * 7), r"sharp_slopes must be 7 integers in -128\.\.127"),
        (dict(max_limiter=16), r"max_limiter must be an integer in 0\.\.15, found 16"),
    ):
        with pytest.raises(StateError, match=message):
            Gen6CombinationParameters(**changes)
    with pytest.raises(StateError, match="size must be 3 or 5, found 7"):
        Gen6DetailParameters(size=7)
