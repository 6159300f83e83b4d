"""Level of detail: the manual's pseudocode over random states, derivatives, and the blend of levels."""

import numpy as np
import pytest
from oracle import sampler as oracle
from support.sampling import HOSTILE, assert_same, coordinates, expected, levels_of, state_of, surface

import texsamp as ts

ZERO = np.zeros(300, np.float32)


def lods_found(made, u, v, **options):
    """LODs that are not clamped, in 1/256."""
    return np.rint(ts.query_lod(made, ts.Sampler(), u, v, **options)[..., 1] * 256).astype(int)


def gradient_lods(lengths):
    made = surface(sizes=(1, 1, 1))
    dx = np.asarray(lengths, np.float32)
    zero = np.zeros_like(dx)
    return lods_found(made, zero, zero, gradients=((dx, zero), (zero, zero)))


def test_log2_is_rounded_to_the_nearest_256th():
    random = np.random.default_rng(1)
    lengths = np.exp2(random.uniform(-15, 15, 3000)).astype(np.float32)
    lengths = np.concatenate([lengths, np.exp2(np.arange(-15, 16)), [np.nextafter(np.float32(1), 0), 1.0000001]])
    lengths = lengths.astype(np.float32)
    wanted = [oracle.base_lod([length, 0], [0, 0]) for length in lengths]
    np.testing.assert_array_equal(gradient_lods(lengths), wanted)


def test_log2_changes_at_the_right_mantissa():
    """Both neighbors of every one of the 128 thresholds of the squared length, and squares that are denormal."""
    edges = np.float32(2) ** ((2 * np.arange(-129, 130) + 1) / np.float32(512))
    lengths = np.concatenate([np.float32(edges) + np.float32(2.0**-23) * k for k in range(-4, 5)])
    lengths = np.concatenate([lengths, np.float32(2.0) ** np.arange(-80, 70)]).astype(np.float32)
    wanted = [oracle.base_lod([length, 0], [0, 0]) for length in lengths]
    np.testing.assert_array_equal(gradient_lods(lengths), wanted)


def test_mip_weights_are_the_published_ones():
    """Weights of a gradient of 1 + n / 32 texels, as later hardware was measured to have them."""
    made = ts.Surface.from_array(np.zeros((4, 4, 4), np.uint8), mips="box", device="cpu")
    length = (1 + np.arange(33) / 32).astype(np.float32) / 4
    zero = np.zeros_like(length)
    found = ts.query_lod(made, ts.Sampler(), zero, zero, gradients=((length, zero), (zero, zero)))
    np.testing.assert_array_equal(found[:, 0], np.round(np.log2(1 + np.arange(33) / 32) * 256) / 256)


def test_gradients_that_are_hostile():
    made = surface(sizes=(13, 7, 1))
    a, b = np.meshgrid(HOSTILE, HOSTILE)
    a, b = a.ravel(), b.ravel()
    found = lods_found(made, a, b, gradients=((a, b), (b, a)))
    with np.errstate(all="ignore"):
        wanted = [
            oracle.base_lod([x * np.float32(13), y * np.float32(7)], [y * np.float32(13), x * np.float32(7)])
            for x, y in zip(a, b, strict=True)
        ]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1), (3, 3), (6, 8), (5, 9)])
def test_a_grid_has_one_lod_for_each_quad(shape):
    made = surface(sizes=(13, 7, 1))
    u, v = np.random.default_rng(4).normal(size=(2, *shape)).astype(np.float32)
    found = lods_found(made, u, v)
    np.testing.assert_array_equal(found, oracle.grid_lods([u, v], (13, 7)))
    if shape == (6, 8):
        quads = found.reshape(3, 2, 4, 2)
        assert (quads == quads[:, :1, :, :1]).all()
        assert len(np.unique(found)) == 12


def test_grids_stacked_on_each_other_do_not_mix():
    made = surface(sizes=(13, 7, 1))
    u, v = np.random.default_rng(4).normal(size=(2, 3, 5, 4)).astype(np.float32)
    found = lods_found(made, u, v)
    for k in range(3):
        np.testing.assert_array_equal(found[k], oracle.grid_lods([u[k], v[k]], (13, 7)))


def test_the_grid_of_a_cube_and_a_volume():
    points = list(np.random.default_rng(4).normal(size=(3, 5, 6)).astype(np.float32))
    points[0][0, 0] = np.nan
    for type, sizes, cube in (("3D", (13, 7, 5), False), ("CUBE", (6.5, 6.5, 6.5), True)):
        found = ts.query_lod(surface(type), ts.Sampler(), *points)[..., 1] * 256
        np.testing.assert_array_equal(found, oracle.grid_lods(points, sizes, cube))


def random_sampler(random):
    low, high = sorted(random.integers(0, 4 * 256, 2) / 256)
    filters = ("nearest", "linear")
    return ts.Sampler(
        min_filter=random.choice(filters),
        mag_filter=random.choice(filters),
        mip_filter=random.choice(["none", "nearest", "linear"]),
        base_level=random.integers(0, 4) / 2,
        min_lod=low if random.random() < 0.8 else high,
        max_lod=high if random.random() < 0.8 else 14,
        lod_bias=random.integers(-512, 512) / 256,
        lod_preclamp=bool(random.random() < 0.5),
        trilinear_quality=random.choice(["full", "med", "low"]),
        rounding=list(random.random(3) < 0.5),
    )


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R16G16_FLOAT"])
@pytest.mark.parametrize("seed", range(12))
def test_explicit_lods_over_random_states(seed, format):
    random = np.random.default_rng(seed)
    made = surface(format=format, sizes=(61, 100, 1), mips="box", seed=seed)
    sampler = random_sampler(random)
    points = coordinates(300, 2, seed=seed)
    lod = random.choice(np.concatenate([np.arange(-512, 1800) / 256, random.uniform(-20, 20, 500), HOSTILE]), 300)
    lod = lod.astype(np.float32)
    resource = random.choice([0, 0, 0, 1.5, 3])
    codes = [oracle.lod_number(each) + round(sampler.state.lod_bias * 256) for each in lod]
    state = state_of(made, sampler, resource_min_lod=round(resource * 256))
    wanted = expected(state, levels_of(made), [*points, ZERO], codes)
    found = ts.sample(made, sampler, *points, lod=lod, resource_min_lod=resource)
    assert_same(found, wanted)


@pytest.mark.parametrize("seed", range(6))
def test_implicit_lods_of_a_grid(seed):
    random = np.random.default_rng(seed)
    made = surface(sizes=(32, 16, 1), mips="box")
    sampler = random_sampler(random)
    y, x = np.mgrid[0:12, 0:15]
    turn, size = random.uniform(0, 7), 2 ** random.uniform(-6, 0)
    u = ((np.cos(turn) * x - np.sin(turn) * y) * size).astype(np.float32)
    v = ((np.sin(turn) * x + np.cos(turn) * y * random.uniform(0.2, 3)) * size).astype(np.float32)
    bias = random.uniform(-1, 1, u.shape).astype(np.float32)
    codes = oracle.grid_lods([u, v], (32, 16)) + round(sampler.state.lod_bias * 256)
    codes = codes + np.vectorize(oracle.lod_number)(bias)
    zero = np.zeros(u.size, np.float32)
    wanted = expected(state_of(made, sampler), levels_of(made), [u.ravel(), v.ravel(), zero], codes.ravel())
    assert_same(ts.sample(made, sampler, u, v, bias=bias), wanted.reshape(*u.shape, 4))


@pytest.mark.constant
def test_a_bias_brings_back_lods_beyond_all_levels():
    """OpenGL drivers ask for LOD 17 with a bias of -15. The first texel tells of which of three levels it is."""
    texels = np.zeros((4, 4, 4), np.uint8)
    texels[0, 1] = texels[1, 0] = 200
    made = ts.Surface.from_array(texels, "R8G8B8A8_UNORM", mips="box", device="cpu")
    sampler = ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="nearest", lod_bias=-15)
    x, v = np.arange(4, dtype=np.float32) * np.ones((4, 1), np.float32), np.zeros((4, 4), np.float32)
    found = [ts.sample(made, sampler, x * 2.0 ** (lod - 2), v)[0, 0, 0] * 255 for lod in (14, 15, 16, 17, 31)]
    assert np.rint(found).tolist() == [0, 0, 100, 25, 25]


def test_numbers_are_the_same_as_arrays_of_them():
    made = surface(sizes=(32, 32, 1), mips="box")
    u, v = np.random.default_rng(0).random((2, 10, 10)).astype(np.float32)
    for lod in (0, 1.3, 2.499, -3, 99.0, float("nan")):
        one = ts.sample(made, ts.Sampler(lod_bias=0.25), u, v, lod=lod)
        np.testing.assert_array_equal(one, ts.sample(made, ts.Sampler(lod_bias=0.25), u, v, lod=np.full_like(u, lod)))
    one = ts.sample(made, ts.Sampler(), u, v, bias=-2.3)
    np.testing.assert_array_equal(one, ts.sample(made, ts.Sampler(), u, v, bias=np.full_like(u, -2.3)))


def test_a_view_counts_its_levels_from_its_first():
    made = surface(sizes=(32, 32, 1), mips="box")
    part = made.view(level=2, levels=3)
    u, v = np.random.default_rng(0).random((2, 50)).astype(np.float32)
    np.testing.assert_array_equal(
        ts.sample(part, ts.Sampler(), u, v, lod=0.5), ts.sample(made, ts.Sampler(), u, v, lod=2.5)
    )


def test_queries_return_the_clamped_and_the_other_lod():
    made = surface(sizes=(32, 32, 1), mips="box")
    sampler = ts.Sampler(min_lod=0.5, max_lod=2.25)
    step = np.float32([0.5, 1, 1.5, 2, 4, 16]) / 32
    zero = np.zeros(6, np.float32)
    found = ts.query_lod(made, sampler, zero, zero, gradients=((step, zero), (zero, zero)))
    np.testing.assert_array_equal(found[:, 1], np.round(np.log2(step * 32) * 256) / 256)
    np.testing.assert_array_equal(found[3:, 0], [1, 2, 2.25])
    assert found[2, 0] == found[2, 1]


def test_surfaces_out_of_bounds_are_zero():
    """Resource Min LOD beyond the last level: zero, and one where the format has no alpha."""
    for format, alpha in (("R8G8B8A8_UNORM", 0), ("R16G16_UNORM", 1)):
        made = surface(format=format, mips="box", sizes=(8, 8, 1))
        found = ts.sample(made, ts.Sampler(), 0.3, 0.4, lod=1, resource_min_lod=3.25)
        assert found.tolist() == [0, 0, 0, alpha]
        assert ts.sample(made, ts.Sampler(), 0.3, 0.4, lod=1, resource_min_lod=3)[0] > 0


def test_lod_excludes_bias_and_gradients():
    made = surface(mips="box")
    with pytest.raises(ts.StateError, match="without bias"):
        ts.sample(made, ts.Sampler(), 0.5, 0.5, lod=1, bias=1)
    with pytest.raises(ts.FormatError, match="two groups"):
        ts.sample(made, ts.Sampler(), 0.5, 0.5, gradients=((0.1,), (0.1,)))
    with pytest.raises(ts.StateError, match="from 0 to 14, found 15"):
        ts.sample(made, ts.Sampler(), 0.5, 0.5, resource_min_lod=15)
