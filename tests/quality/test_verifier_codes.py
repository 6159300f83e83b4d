"""The verifier's integers of 8-bit textures: they are the numbers of its general way, and only those are taken so."""

import numpy as np
import pytest

from texsamp.quality import verify
from texsamp.quality.verifier import Rules, Texture
from texsamp.quality.verifier.codes import codes_color, is_of_codes
from texsamp.quality.verifier.footprint import Taps, Where, level_color, probes_color
from texsamp.quality.verifier.precision import PRECISIONS

GEN7 = PRECISIONS["gen7"]
MODES = ("wrap", "mirror", "clamp", "mirror_once")


def levels_of(random, slices=1, width=None, height=None):
    width, height = width or int(random.integers(1, 40)), height or int(random.integers(1, 40))
    sizes = [(max(width >> k, 1), max(height >> k, 1)) for k in range(4)]
    return [random.integers(0, 256, (slices, h, w, 4)).astype(np.uint8) for w, h in sizes]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ratios", [(256, 257), (257, 4097), (256, 4097)], ids=["round", "long", "both"])
@pytest.mark.parametrize("size", [None, 16])
def test_colors_are_those_of_the_general_way(mode, ratios, size):
    random = np.random.default_rng(7)
    levels, count = levels_of(random, 3, size, size), 700
    texture = Texture("2D", levels, unorm8=True)
    plain = Texture("2D", [level / 255 for level in levels], unorm8=True)
    rules = Rules(mag="anisotropic", min="anisotropic", address=(mode, mode, mode))
    assert is_of_codes(texture, rules, GEN7) and not is_of_codes(plain, rules, GEN7)
    slices = random.integers(0, 3, count)
    at = Where(random.integers(0, 4, count), slices, np.zeros(count, np.int64), np.zeros(count, np.float32))
    weights = random.integers(0, 256, (2, count)) / 256
    taps = [Taps(random.integers(-90, 90, count), weight, weight) for weight in weights]
    ratio = random.integers(*ratios, count)
    steps = [np.where(ratio > 256, random.integers(-9000, 9000, count), 0) for _ in range(2)]
    linear = np.ones(count, bool)
    found = codes_color(texture, rules, at, taps, steps, ratio)
    general = probes_color(plain, rules, at, taps, steps, ratio, linear, GEN7)
    assert found.least is found.most
    np.testing.assert_allclose(found.least, general.least, rtol=0, atol=1e-12)
    if ratios == (256, 257):
        np.testing.assert_allclose(
            found.least, level_color(plain, rules, at, taps, linear, GEN7).least, rtol=0, atol=1e-12
        )


@pytest.mark.parametrize("mag", ["nearest", "linear", "anisotropic"])
def test_verdicts_are_those_of_the_general_way(mag):
    random = np.random.default_rng(3)
    levels = levels_of(random, 1, 24, 20)
    rules = Rules(mag=mag, min=mag, mip="linear", round_mag=(mag != "nearest",) * 3)
    y, x = np.mgrid[:40, :50]
    points = [(x * 0.03 + y * 0.011).astype(np.float32), (y * 0.004 - x * 0.002).astype(np.float32)]
    found = random.random((40, 50, 4))
    made = verify(Texture("2D", levels, unorm8=True), rules, points, found, explained=40 * 50)
    right = np.zeros(found.shape)
    for miss in made.misses:  # the middle of what was allowed, and a little beyond for every second sample
        right[miss.index] = (np.array(miss.least) + miss.most) / 2 + (sum(miss.index) % 2) * 2e-7
    reports = [
        verify(Texture("2D", given, unorm8=True), rules, points, right)
        for given in (levels, [level / 255 for level in levels])
    ]
    np.testing.assert_array_equal(reports[0].accepted, reports[1].accepted)
    assert 0.4 < reports[0].accepted.mean() < 0.6


@pytest.mark.parametrize(
    "rules",
    [
        Rules(address=("border", "wrap", "wrap")),
        Rules(address=("wrap", "half_border", "wrap")),
        Rules(compare="less"),
        Rules(resource_min_lod=5.0),
    ],
    ids=["border", "half border", "comparison", "out of bounds"],
)
def test_what_is_more_than_codes_goes_the_general_way(rules):
    assert not is_of_codes(Texture("2D", levels_of(np.random.default_rng(0)), unorm8=True), rules, GEN7)


@pytest.mark.parametrize("precision", ["d3d", "loose"])
def test_intervals_go_the_general_way(precision):
    texture = Texture("2D", levels_of(np.random.default_rng(0)), unorm8=True)
    assert not is_of_codes(texture, Rules(), PRECISIONS[precision])
