"""The anisotropic filter: footprints, probes and their weights, over types, formats, address controls, algorithms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from oracle import sampler as plain
from oracle import sampler_footprint as oracle
from support.sampling import HOSTILE, assert_equal, assert_same, coordinates, levels_of, noise, state_of, surface

import texsamp as ts
from texsamp.sampler.launch import Footprints, footprint_parameters, footprints_launch

MODES = ("wrap", "mirror", "clamp", "border", "mirror_once", "half_border")
ZERO = np.float32(0)


def footprints(made, sampler, dx, dy):
    """What the kernel finds for derivatives: arrays of one dimension."""
    shape = dx[0].shape
    out = Footprints(
        np.empty(shape, np.int32), np.empty(shape, np.int32), tuple(np.empty(shape, np.float32) for _ in dx)
    )
    parameters = footprint_parameters(made, sampler, shape, out, gradients=(list(dx), list(dy)))
    made.device.launch(footprints_launch(parameters, shape))
    return out


def derivatives(count, axes, seed=1):
    """Of all directions, lengths and ratios, and some that are hostile."""
    random = np.random.default_rng(seed)
    made = random.normal(size=(2, axes, count)) * 2 ** random.uniform(-12, 2, (2, 1, count))
    made = np.where(random.random(made.shape) < 0.1, 0, made)
    made = np.where(random.random(made.shape) < 0.03, random.choice(HOSTILE, made.shape), made)
    return made.astype(np.float32)


def sizes_of(made):
    width, height, _ = made.level_size_px(0)
    return {"SURFTYPE_1D": (width,), "SURFTYPE_2D": (width, height), "SURFTYPE_CUBE": (width / 2,) * 3}[made.type.name]


def compared(made, sampler, points, dx, dy, border="dx10", reference=None, **changes):
    """Samples of footprints from gradients, and the oracle's."""
    found = ts.sample(made, sampler, *points, gradients=(dx, dy), compare=reference)
    s, levels = state_of(made, sampler, **changes), levels_of(made, border)
    ewa = bool(sampler.state.anisotropic_algorithm)
    bias = round(sampler.state.lod_bias * 256)
    wanted = []
    for i in range(len(points[0])):
        one = oracle.footprint([d[i] for d in dx], [d[i] for d in dy], sizes_of(made), sampler.max_anisotropy, ewa)
        at = [*[p[i] for p in points], ZERO]
        wanted.append(oracle.sample(s, levels, at, one, None if reference is None else reference[i], bias))
    return found, np.array(wanted)


@pytest.mark.parametrize("most", [2, 6, 14, 16])
@pytest.mark.parametrize("algorithm", ["legacy", "ewa"])
@pytest.mark.parametrize("type", ["1D", "2D", "CUBE"])
def test_footprints_of_any_derivatives(type, algorithm, most):
    made = surface(type, sizes=(64, 40, 1))
    dx, dy = derivatives(400, {"1D": 1, "2D": 2, "CUBE": 3}[type])
    sampler = ts.Sampler(max_anisotropy=most, anisotropy=algorithm)
    found = footprints(made, sampler, dx, dy)
    for i in range(400):
        wanted = oracle.footprint(dx[:, i], dy[:, i], sizes_of(made), most, algorithm == "ewa")
        assert (found.lods[i], found.ratios[i]) == (wanted.lod, wanted.ratio), i
        assert_equal(np.array([step[i] for step in found.steps]), np.array(wanted.step))
    assert len(np.unique(found.ratios)) > 1
    assert found.ratios.max() <= 256 * most


def test_ratios_are_powers_of_two_to_the_nearest_256th():
    """Every difference of LODs up to 16:1."""
    made = surface(sizes=(1, 1, 1))
    length = (2.0 ** (np.arange(1025) / 256)).astype(np.float32)
    one, zero = np.ones_like(length), np.zeros_like(length)
    found = footprints(made, ts.Sampler(max_anisotropy=16), (length, zero), (zero, one))
    np.testing.assert_array_equal(found.ratios, [oracle.ratio_of(d) for d in range(1025)])
    assert not found.lods.any()


def test_weights_sum_to_one_and_outer_probes_weigh_less():
    for ratio in range(257, 4097):
        probes = oracle.probes_of(ratio)
        weights = [weight for _, weight in probes]
        assert sum(weights) == 65536
        assert len(weights) == 2 * math.ceil(ratio / 512)
        assert 0 <= weights[0] == weights[-1] <= min(weights[1:-1], default=32768) + 8
        assert abs(Fraction(weights[0], 65536) - Fraction(ratio - 256 * (len(weights) - 2), 2 * ratio)) < Fraction(
            1, 8192
        )


@pytest.mark.parametrize("mip", ["none", "nearest", "linear"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R16G16_FLOAT"])
def test_every_address_control_and_mip_filter(format, mode, mip):
    made = surface(format=format, sizes=(61, 37, 1), mips="box")
    algorithm = "ewa" if mip == "linear" else "legacy"
    sampler = ts.Sampler(
        max_anisotropy=16, anisotropy=algorithm, mip_filter=mip, address=(mode, "wrap"), border=(0.1, 0.9, 0.3, 1)
    )
    dx, dy = derivatives(120, 2)
    found, wanted = compared(made, sampler, coordinates(120, 2, sizes=(61, 37)), dx, dy)
    assert_same(found, wanted)


@pytest.mark.parametrize(
    "format", ["R8_UNORM", "B5G6R5_UNORM", "R8G8B8A8_UNORM_SRGB", "R8G8B8A8_SNORM", "R32G32B32A32_FLOAT"]
)
def test_formats(format):
    made = surface(format=format, sizes=(32, 16, 1), mips="box")
    dx, dy = derivatives(100, 2, seed=3)
    found, wanted = compared(made, ts.Sampler(max_anisotropy=8), coordinates(100, 2), dx, dy)
    assert_same(found, wanted)


@pytest.mark.parametrize("cube", ["seamless", "programmed"])
@pytest.mark.parametrize("algorithm", ["legacy", "ewa"])
def test_cubes(algorithm, cube):
    made = surface("CUBE", sizes=(32, 32, 1), mips="box")
    dx, dy = derivatives(150, 3)
    sampler = ts.Sampler(max_anisotropy=12, anisotropy=algorithm, cube=cube, address="clamp")
    found, wanted = compared(made, sampler, coordinates(150, 3), dx, dy)
    assert_same(found, wanted)


def test_one_dimension():
    made = surface("1D", sizes=(64, 1, 1), mips="box")
    dx, dy = derivatives(150, 1)
    found, wanted = compared(made, ts.Sampler(max_anisotropy=16), coordinates(150, 1), dx, dy)
    assert_same(found, wanted)


@pytest.mark.parametrize(("mag", "least"), [("linear", "anisotropic"), ("anisotropic", "linear"), ("nearest", None)])
def test_only_one_of_the_filters(mag, least):
    made = surface(sizes=(61, 37, 1), mips="box")
    dx, dy = derivatives(200, 2)
    sampler = ts.Sampler(max_anisotropy=16, mag_filter=mag, min_filter=least, lod_bias=0.5, trilinear_quality="med")
    found, wanted = compared(made, sampler, coordinates(200, 2, sizes=(61, 37)), dx, dy)
    assert_same(found, wanted)


def test_comparison_comes_before_the_probes():
    texels = np.random.default_rng(1).random((32, 32, 1)).astype(np.float32)
    made = ts.Surface.from_array(texels, "R32_FLOAT", device="cpu")
    dx, dy = derivatives(150, 2)
    reference = np.random.default_rng(2).random(150).astype(np.float32)
    sampler = ts.Sampler(max_anisotropy=16, shadow="less")
    found, wanted = compared(made, sampler, coordinates(150, 2), dx, dy, reference=reference)
    assert_same(found, wanted)


@pytest.mark.parametrize("algorithm", ["legacy", "ewa"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (5, 1), (9, 300)])
def test_a_grid_has_one_footprint_for_each_quad(shape, algorithm):
    made = surface(sizes=(64, 64, 1), mips="box")
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    u = (x * 0.11 + y * 0.013 + (x * y) ** 1.2 * 1e-4).astype(np.float32)
    v = (y * 0.02 - x * 0.007).astype(np.float32)
    sampler = ts.Sampler(max_anisotropy=16, anisotropy=algorithm, address=("wrap", "mirror"))
    bias = np.random.default_rng(3).uniform(-1, 1, shape).astype(np.float32)
    found = ts.sample(made, sampler, u, v, bias=bias)
    cells = oracle.grid_footprints([u, v], (64, 64), ewa=algorithm == "ewa")
    s, levels = state_of(made, sampler), levels_of(made)
    step = max(1, u.size // 150)
    places = list(np.ndindex(*shape))[::step]
    wanted = [oracle.sample(s, levels, [u[i], v[i], ZERO], cells[i], None, plain.lod_number(bias[i])) for i in places]
    assert_equal(np.array([found[i] for i in places]), np.array(wanted))
    query = ts.query_lod(made, sampler, u, v)[..., 1] * 256
    np.testing.assert_array_equal(query, np.vectorize(lambda each: each.lod)(cells))


@pytest.mark.parametrize("mode", ["wrap", "mirror", "clamp", "mirror_once"])
@pytest.mark.parametrize("sizes", [(1, 1), (2, 16), (61, 37), (256, 256)])
def test_vector_loops_compute_what_the_general_kernel_does(sizes, mode):
    texels = noise((sizes[1], sizes[0], 4), np.uint8, 1)
    texture = ts.Surface.from_array(texels, mips="box", device="cpu")
    array = ts.Surface.from_array(texels[None], mips="box", device="cpu")
    random = np.random.default_rng(7)
    y, x = np.mgrid[0:40, 0:300]
    for turn, scale, stretch in ((0.3, 0.01, 1.0), (1.1, 0.05, 9.0), (2.2, 0.003, 30.0), (0.0, 1.7, 3.0)):
        u = ((math.cos(turn) * x - math.sin(turn) * y) * scale).astype(np.float32)
        v = ((math.sin(turn) * x + math.cos(turn) * y) * scale * stretch).astype(np.float32)
        u = np.where(random.random(u.shape) < 0.01, random.choice(HOSTILE, u.shape), u)
        for sampler in (
            ts.Sampler(max_anisotropy=16, address=(mode, "wrap"), rounding=(True, False)),
            ts.Sampler(max_anisotropy=6, address=(mode, "clamp"), mag_filter="linear", mip_filter="nearest"),
        ):
            general = ts.sample(array, sampler, u, v, layer=0)
            assert_equal(ts.sample(texture, sampler, u, v), general)
            codes = ts.sample(texture, sampler, u, v, dtype=np.uint8)
            assert_equal(codes, ts.sample(array, sampler, u, v, layer=0, dtype=np.uint8))
    assert sizes == (1, 1) or len(np.unique(codes)) > 1


@pytest.mark.parametrize("mode", ["wrap", "mirror", "clamp", "mirror_once"])
def test_the_smallest_negative_coordinates_are_rounded_up_once(mode):
    texels = noise((37, 61, 4), np.uint8, 1)
    sampler = ts.Sampler(max_anisotropy=16, address=mode, rounding=(True, True))
    u = v = np.full(64, -1e-30, np.float32)
    gradients = ([np.linspace(0.01, 0.2, 64), np.zeros(64)], [np.zeros(64), np.full(64, 0.01)])
    vectors = ts.sample(ts.Surface.from_array(texels, device="cpu"), sampler, u, v, gradients=gradients)
    array = ts.Surface.from_array(texels[None], device="cpu")
    assert_equal(vectors, ts.sample(array, sampler, u, v, layer=0, gradients=gradients))
    assert len(np.unique(vectors[:, 0])) > 1


def test_a_round_footprint_is_the_linear_filter():
    made = surface(sizes=(64, 64, 1), mips="box")
    y, x = np.mgrid[0:40, 0:50].astype(np.float32) / 64
    assert_same(
        ts.sample(made, ts.Sampler(max_anisotropy=16), x * 2, y * 2), ts.sample(made, ts.Sampler(), x * 2, y * 2)
    )


def test_explicit_lods_are_linear():
    """003:3311: the filter is overridden where the message brings its LOD."""
    made, points = surface(sizes=(64, 64, 1), mips="box"), coordinates(200, 2)
    assert_same(
        ts.sample(made, ts.Sampler(max_anisotropy=16), *points, lod=0.7),
        ts.sample(made, ts.Sampler(), *points, lod=0.7),
    )


@pytest.mark.constant
@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R32G32B32A32_FLOAT"])
def test_flat_textures_stay_flat(format):
    texels = np.full((32, 32, 4), 77, np.uint8) if "8" in format[:3] else np.full((32, 32, 4), 1 / 3, np.float32)
    made = ts.Surface.from_array(texels, format, mips="box", device="cpu")
    dx, dy = derivatives(500, 2)
    found = ts.sample(made, ts.Sampler(max_anisotropy=16), *coordinates(500, 2), gradients=(dx, dy))
    assert len(np.unique(found)) == 1


def test_stripes_along_the_major_axis_stay_sharp():
    """What anisotropy is for: minified 8 times in u only, stripes of v keep their contrast, which trilinear loses."""
    stripes = np.zeros((64, 64, 4), np.uint8)
    stripes[::2] = 255
    made = ts.Surface.from_array(stripes, mips="box", device="cpu")
    y, x = np.mgrid[0:16, 0:16]
    u, v = (x * 8 / 64).astype(np.float32), ((y + 0.5) / 64).astype(np.float32)
    sharp, dull = (ts.sample(made, sampler, u, v)[..., 0] for sampler in (ts.Sampler(max_anisotropy=16), ts.Sampler()))
    assert np.ptp(sharp) == 1
    assert np.ptp(dull) < 0.01


def test_the_ratio_changes_the_result_smoothly():
    """From 1:1 to 16:1 no step is large, at whatever number of probes."""
    curve = np.linspace(0, 1, 64, dtype=np.float32)[None, :, None].repeat(64, 0) ** 2
    made = ts.Surface.from_array(curve, "R32_FLOAT", device="cpu")
    length = np.geomspace(1, 16, 4000).astype(np.float32) / 64
    zero, u = np.zeros_like(length), np.full_like(length, 0.13)
    sampler = ts.Sampler(max_anisotropy=16, address="clamp")
    found = ts.sample(made, sampler, u + 0.4, u, gradients=((length, zero), (zero, zero + 1 / 64)))[:, 0]
    assert np.ptp(found) > 0.004
    assert np.abs(np.diff(found)).max() < 0.0003


@pytest.mark.constant
def test_more_anisotropy_is_never_less_sharp_than_allowed():
    made = surface(sizes=(64, 64, 1), mips="box")
    lods = []
    for most in (2, 4, 8, 16):
        gradients = ((np.float32([0.5]), ZERO[None]), (ZERO[None], np.float32([1 / 64])))
        lods.append(ts.query_lod(made, ts.Sampler(max_anisotropy=most), 0.5, 0.5, gradients=gradients)[..., 1].item())
    assert lods == [4.0, 3.0, 2.0, 1.0]


def test_state_says_what_the_words_do():
    sampler = ts.Sampler(max_anisotropy=10, anisotropy="ewa", mip_filter="nearest")
    again = ts.Sampler.from_state(sampler.state)
    assert again == sampler
    assert (again.max_anisotropy, again.is_anisotropic) == (10, True)
    assert not ts.Sampler().is_anisotropic


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_anisotropy": 3}, "max_anisotropy must be one of 2, 4, .*16, found 3"),
        ({"max_anisotropy": 0}, "found 0"),
        ({"max_anisotropy": 16, "anisotropy": "fine"}, "anisotropy must be one of legacy, ewa, found 'fine'"),
    ],
)
def test_words_that_mean_nothing(options, message):
    with pytest.raises(ts.StateError, match=message):
        ts.Sampler(**options)


def test_what_the_manual_does_not_allow():
    with pytest.raises(ts.StateError, match=r"SURFTYPE_3D can be filtered NEAREST and LINEAR .*found ANISOTROPIC"):
        ts.sample(surface("3D"), ts.Sampler(max_anisotropy=2), 0.5, 0.5, 0.5)
    with pytest.raises(ts.StateError, match="need the filters NEAREST or LINEAR, found ANISOTROPIC"):
        ts.sample(surface(), ts.Sampler(max_anisotropy=2, normalized=False, address="clamp"), 0.5, 0.5)
    with pytest.raises(ts.FormatError, match="R8_UINT has integers, which cannot be filtered"):
        ts.sample(surface(format="R8_UINT"), ts.Sampler(max_anisotropy=2), 0.5, 0.5)
