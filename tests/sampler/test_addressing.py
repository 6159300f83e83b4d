"""Which texels a coordinate means, by every address control, against the manual written out."""

import numpy as np
import pytest
from support.sampling import (
    HOSTILE,
    assert_equal,
    assert_same,
    coordinates,
    expected,
    levels_of,
    noise,
    state_of,
    surface,
)

import texsamp as ts

MODES = ("wrap", "mirror", "clamp", "border", "mirror_once", "half_border")
FORMATS = ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT")
ZERO = np.zeros(400, np.float32)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("mode", MODES)
def test_2d(mode, filter, format):
    made = surface(format=format)
    for rounding in (True, False, (False, True)):
        sampler = ts.Sampler(
            min_filter=filter, mag_filter=filter, address=mode, rounding=rounding, border=(0.3, 0.6, 0.1, 1)
        )
        points = coordinates(400, 2)
        wanted = expected(state_of(made, sampler), levels_of(made), [*points, ZERO])
        assert_same(ts.sample(made, sampler, *points), wanted)


def test_every_axis_has_its_own_mode():
    made = surface("3D")
    for shift in range(6):
        modes = [MODES[(shift + axis) % 6] for axis in range(3)]
        sampler = ts.Sampler(address=modes, border=(1, 0.5, 0.25, 0.125))
        points = coordinates(200, 3, seed=shift)
        assert_same(ts.sample(made, sampler, *points), expected(state_of(made, sampler), levels_of(made), points))


@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("mode", ["clamp", "border", "half_border"])
def test_coordinates_in_texels(mode, filter):
    made = surface()
    sampler = ts.Sampler(
        min_filter=filter, mag_filter=filter, mip_filter="none", address=mode, normalized=False, border=(1, 0, 1, 0)
    )
    u, v = coordinates(400, 2, reach=3)
    points = [np.clip(u, -1e30, 1e30) * np.float32(13), np.clip(v, -1e30, 1e30) * np.float32(7)]
    assert_same(ts.sample(made, sampler, *points), expected(state_of(made, sampler), levels_of(made), [*points, ZERO]))


@pytest.mark.parametrize("mode", MODES)
def test_offsets_come_before_the_address_control(mode):
    made = surface(sizes=(5, 3, 1))
    sampler = ts.Sampler(address=mode, border=(0.5, 0.5, 0.5, 0.5))
    points = coordinates(100, 2, reach=1.2, sizes=(5, 3))
    for offset in ((-8, 7), (3, -5), (7, -8), (1, 0)):
        wanted = expected(state_of(made, sampler, offset=(*offset, 0)), levels_of(made), [*points, ZERO])
        assert_equal(ts.sample(made, sampler, *points, offset=offset), wanted)
    assert len(np.unique(wanted)) > 4


@pytest.mark.parametrize("mode", MODES)
def test_an_offset_of_whole_texels_is_a_shift_of_the_coordinate(mode):
    """Also where MIRROR_ONCE limits coordinates: it limits the sum."""
    made, sampler = surface(sizes=(16, 8, 1)), ts.Sampler(address=mode)
    u, v = np.random.default_rng(1).uniform(-1.7, 1.7, (2, 200)).astype(np.float32)
    moved = ts.sample(made, sampler, u + np.float32(3 / 16), v)
    np.testing.assert_allclose(ts.sample(made, sampler, u, v, offset=(3, 0)), moved, atol=1 / 255)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 3), (16384, 1), (1, 16384)])
def test_the_smallest_and_largest_sizes(mode, size):
    made = surface(sizes=(*size, 1))
    sampler = ts.Sampler(address=mode)
    points = coordinates(150, 2, sizes=size)
    wanted = expected(state_of(made, sampler), levels_of(made), [*points, ZERO])
    assert_equal(ts.sample(made, sampler, *points), wanted)


@pytest.mark.parametrize(
    ("shape", "mode"),
    [
        ((16384,), "mirror"),
        ((2048, 1), "border"),
        ((2048, 1, 1), "border"),
        ((1, 2048, 1), "wrap"),
        ((1, 1, 2048), "half_border"),
    ],
)
def test_the_largest_sizes_of_other_types(shape, mode):
    """1D, 1D arrays, and volumes along each axis."""
    type = "3D" if len(shape) == 3 else "1D"
    texels = noise((*shape, 4), np.uint8)
    made = ts.Surface.from_array(texels, type=type, tiling="linear", device="cpu")
    sampler = ts.Sampler(address=mode, border=(0.2, 0.4, 0.6, 0.8))
    sizes = (*reversed(shape), 1, 1)
    points = coordinates(150, 3 if type == "3D" else 1, sizes=sizes)
    places, more = [*points, ZERO], {}
    if len(shape) == 2:
        more["layer"] = places[1] = np.random.default_rng(3).uniform(-1, 2049, 150).astype(np.float32)
    wanted = expected(state_of(made, sampler), levels_of(made), places)
    found = ts.sample(made, sampler, *points, **more)
    assert_same(found, wanted)


def test_coordinates_that_are_no_numbers_are_zero():
    made, sampler = surface(), ts.Sampler()
    nan = np.float32(np.nan)
    np.testing.assert_array_equal(ts.sample(made, sampler, nan, 0.3), ts.sample(made, sampler, 0.0, 0.3))


def test_infinite_coordinates_clamp_to_the_edge():
    made, sampler = surface(), ts.Sampler(address="clamp")
    texels = made.to_array()
    found = ts.sample(made, sampler, np.float32([np.inf, -np.inf]), np.float32([-np.inf, np.inf]))
    np.testing.assert_array_equal(found * 255, np.float32([texels[0, -1], texels[-1, 0]]))


def test_hostile_coordinates_stay_inside_every_kind_of_surface():
    for type in ("1D", "2D", "3D", "CUBE"):
        made = surface(type, sizes=(5, 3, 2), mips="box")
        axes = {"1D": 1, "2D": 2}.get(type, 3)
        grid = np.meshgrid(*[HOSTILE] * min(axes, 2))
        points = [*grid, grid[0].T][:axes]
        for mode in MODES[:3]:
            sampler = ts.Sampler(address=mode)
            assert np.isfinite(ts.sample(made, sampler, *points)).all()


def test_wrapping_repeats_and_mirroring_reflects():
    made = surface(sizes=(8, 8, 1))
    u = (np.arange(8, dtype=np.float32) + 0.5) / 8
    first = ts.sample(made, ts.Sampler(), u, 0.3)
    for turn in (1, -1, 7):
        np.testing.assert_array_equal(ts.sample(made, ts.Sampler(), u + np.float32(turn), 0.3), first)
    mirror = ts.Sampler(address="mirror")
    np.testing.assert_array_equal(ts.sample(made, mirror, u + 1, 0.3), ts.sample(made, mirror, u, 0.3)[::-1])
    once = ts.Sampler(address="mirror_once")
    np.testing.assert_array_equal(ts.sample(made, once, -u, 0.3), ts.sample(made, once, u, 0.3))
