"""The verifier's short way for planes: its numbers are those of the general way, and only planes are taken so."""

import numpy as np
import pytest

from texsamp.quality import verify
from texsamp.quality.verifier import Rules, Texture
from texsamp.quality.verifier.footprint import Taps, Where, level_color, probes_color
from texsamp.quality.verifier.planes import is_moderate, is_plane, plane_color
from texsamp.quality.verifier.precision import PRECISIONS

GEN7 = PRECISIONS["gen7"]
MODES = ("wrap", "mirror", "clamp", "mirror_once", "border", "half_border")
BORDER = (1.0, 51 / 255, 0.0, 17 / 255)


YES = np.ones(1, bool)


def textures(random, kind, slices=1, width=None, height=None, type="2D"):
    """One that is taken the short way, and the same in numbers that are not."""
    width, height = width or int(random.integers(1, 40)), height or int(random.integers(1, 40))
    height = {"1D": 1, "CUBE": width}.get(type, height)
    shapes = [(slices, max(height >> k, 1), max(width >> k, 1), 4) for k in range(4)]
    if kind == "codes":
        levels = [random.integers(0, 256, shape).astype(np.uint8) for shape in shapes]
        plain = [level / 255 for level in levels]
    else:
        levels = [random.normal(0, 10 ** random.uniform(-3, 3, shape)).astype(np.float32) for shape in shapes]
        plain = [level.astype(np.float64) for level in levels]
    return [Texture(type, given, unorm8=kind == "codes") for given in (levels, plain)]


@pytest.mark.parametrize("kind", ["codes", "floats"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ratios", [(256, 257), (257, 4097), (256, 4097)], ids=["round", "long", "both"])
@pytest.mark.parametrize(("size", "reach"), [(None, 90), (16, 90), (16, 1 << 22)], ids=["odd", "16", "far"])
def test_colors_are_those_of_the_general_way(kind, mode, ratios, size, reach):
    random = np.random.default_rng(7)
    colors_are_equal(random, *textures(random, kind, 3, size, size), (mode, mode, mode), ratios, reach)


@pytest.mark.parametrize("kind", ["codes", "floats"])
@pytest.mark.parametrize("ratios", [(256, 257), (256, 4097)], ids=["round", "long"])
@pytest.mark.parametrize(
    ("type", "address"),
    [
        ("CUBE", ("cube", "cube", "cube")),
        ("CUBE", ("cube", "wrap", "wrap")),
        ("CUBE", ("wrap", "cube", "wrap")),
        ("CUBE", ("mirror", "clamp", "wrap")),
        ("1D", ("wrap", "border", "border")),
        ("1D", ("border", "wrap", "wrap")),
        ("2D", ("cube", "border", "cube")),
    ],
)
def test_faces_and_lines_are_planes_as_well(kind, ratios, type, address):
    random = np.random.default_rng(8)
    given = textures(random, kind, 12 if type == "CUBE" else 2, type=type)
    colors_are_equal(random, *given, address, ratios, 60)


def colors_are_equal(random, texture, plain, address, ratios, reach):
    """Of the short way and the general one, of random samples."""
    count, kind = 700, "codes" if texture.has_codes else "floats"
    rules = Rules(mag="anisotropic", min="anisotropic", address=address, border=BORDER)
    assert is_plane(texture, rules, GEN7, YES) and not is_plane(plain, rules, GEN7, YES)
    slices = random.integers(0, texture.layers, count)
    faces = random.integers(0, 6 if texture.type == "CUBE" else 1, count)
    at = Where(random.integers(0, 4, count), slices, faces, np.zeros(count, np.float32))
    weights = random.integers(0, 256, (texture.axes, count)) / 256
    taps = [Taps(random.integers(-reach, reach, count), weight, weight) for weight in weights]
    ratio = random.integers(*ratios, count)
    ratio[::7] = ratios[0]
    steps = [np.where(ratio > 256, random.integers(-9000, 9000, count), 0) for _ in taps]
    linear = np.ones(count, bool)
    found = plane_color(texture, rules, at, taps, steps, ratio)
    expected = [probes_color(plain, rules, at, taps, steps, ratio, linear, GEN7)]
    if ratios == (256, 257):
        expected.append(level_color(plain, rules, at, taps, linear, GEN7))
    assert found.least is found.most and not found.undefined.any()
    for general in expected:
        np.testing.assert_allclose(found.least, general.least, rtol=0, atol=1e-12 * abs(general.least).max())
        if kind == "floats":
            np.testing.assert_allclose(found.largest, general.largest, rtol=1e-14)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scale", [1.0, 1e-38, 1e-44, 1e29])
@pytest.mark.parametrize("bits", [8, 20])
def test_what_single_precision_is_sure_of_is_right(mode, scale, bits):
    random = np.random.default_rng(11)
    level = (random.normal(0, 10 ** random.uniform(-3, 0, (1, 9, 12, 4))) * scale).astype(np.float32)
    texture, count = Texture("2D", [level]), 3000
    rules = Rules(mag="anisotropic", address=(mode, mode, mode), border=(scale, -0.3 * scale, 0.0, scale / 3))
    assert is_moderate(texture, rules)
    zero = np.zeros(count, np.int64)
    weights = random.integers(0, 256, (2, count)) / 256
    taps = [Taps(random.integers(-20, 20, count), weight, weight) for weight in weights]
    ratio = random.integers(256, 4097, count)
    steps = [random.integers(-9000, 9000, count) for _ in range(2)]
    given = texture, rules, Where(zero, zero, zero, np.zeros(count, np.float32)), taps, steps, ratio
    exact, sure = plane_color(*given), plane_color(*given, sure_bits=bits)
    assert (abs(sure.least - exact.least) <= (exact.largest - sure.largest) * 2.0**-bits).all()
    assert (sure.largest >= 0).mean() > 0.95 or scale < 1e-36


@pytest.mark.parametrize("value", [2.0**101, np.finfo(np.float32).max])
def test_single_precision_is_not_asked_for_what_it_cannot_hold(value):
    level = np.zeros((1, 2, 2, 4), np.float32)
    level[0, 0] = value, value, -value, value
    assert not is_moderate(Texture("2D", [level]), Rules())
    assert not is_moderate(Texture("2D", [level[:, 1:]]), Rules(border=(0.0, value, 0.0, 0.0)))
    points = [np.linspace(-1, 1, 60, dtype=np.float32).reshape(6, 10)] * 2
    found = np.full((6, 10, 4), np.inf)
    assert verify(Texture("2D", [level]), Rules(), points, found, explained=0).rejected == 60


@pytest.mark.parametrize("kind", ["codes", "floats"])
@pytest.mark.parametrize("mag", ["nearest", "linear", "anisotropic"])
def test_verdicts_are_those_of_the_general_way(kind, mag):
    random = np.random.default_rng(3)
    both = textures(random, kind, 1, 24, 20)
    rules = Rules(mag=mag, min=mag, mip="linear", round_mag=(mag != "nearest",) * 3)
    y, x = np.mgrid[:40, :50]
    points = [(x * 0.03 + y * 0.011).astype(np.float32), (y * 0.004 - x * 0.002).astype(np.float32)]
    misses = verify(both[1], rules, points, random.random((40, 50, 4)) * 1e9, explained=40 * 50).misses
    assert len(misses) == 40 * 50
    found = np.zeros((40, 50, 4))
    for miss in misses:  # of every second sample, a little beyond what was allowed
        least, most = np.array(miss.least), np.array(miss.most)
        found[miss.index] = (least + most) / 2 + (sum(miss.index) % 2) * 0.6 * (most - least)
    reports = [verify(texture, rules, points, found) for texture in both]
    np.testing.assert_array_equal(reports[0].accepted, reports[1].accepted)
    assert 0.4 < reports[0].accepted.mean() < 0.7


def test_neighbors_of_nearest_texels_do_not_excuse_floats():
    random = np.random.default_rng(5)
    texture, _ = textures(random, "floats")
    assert is_plane(texture, Rules(), GEN7, YES)
    assert not is_plane(texture, Rules(), GEN7, np.array([True, False]))


@pytest.mark.parametrize("kind", ["codes", "floats"])
@pytest.mark.parametrize(
    "rules",
    [
        Rules(address=("border", "wrap", "wrap"), border=(0.0, np.inf, 0.0, 0.0)),
        Rules(address=("wrap", "half_border", "wrap"), border=(np.nan, 0.0, 0.0, 0.0)),
        Rules(compare="less"),
        Rules(resource_min_lod=5.0),
        Rules(max_anisotropy=18),
    ],
    ids=["border", "half border", "comparison", "out of bounds", "probes"],
)
def test_what_is_more_than_a_plane_goes_the_general_way(kind, rules):
    assert not is_plane(textures(np.random.default_rng(0), kind)[0], rules, GEN7, YES)


@pytest.mark.parametrize("kind", ["codes", "floats"])
@pytest.mark.parametrize("precision", ["d3d", "loose"])
def test_intervals_go_the_general_way(kind, precision):
    assert not is_plane(textures(np.random.default_rng(0), kind)[0], Rules(), PRECISIONS[precision], YES)


def test_infinite_texels_go_the_general_way():
    level = np.zeros((1, 2, 2, 4), np.float32)
    level[0, 0, 0, 0] = np.inf
    assert not is_plane(Texture("2D", [level]), Rules(), GEN7, YES)


@pytest.mark.parametrize("color", [0.5, 2.0, -1 / 255])
def test_borders_that_are_no_codes_go_the_general_way(color):
    rules = Rules(address=("border", "wrap", "wrap"), border=(0.0, color, 0.0, 0.0))
    assert not is_plane(textures(np.random.default_rng(0), "codes")[0], rules, GEN7, YES)
    assert is_plane(textures(np.random.default_rng(0), "floats")[0], rules, GEN7, YES)
