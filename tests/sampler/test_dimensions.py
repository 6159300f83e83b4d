"""1D, 3D, arrays and cubes."""

import numpy as np
import pytest
from support.sampling import assert_same, coordinates, expected, levels_of, state_of, surface

import texsamp as ts

FORMATS = ("R8G8B8A8_UNORM", "R32G32_FLOAT")
LAYERS = np.random.default_rng(1).uniform(-2, 5, 300).astype(np.float32)
LAYERS[:8] = [0.5, 1.5, 2.5, 0.49999997, np.nan, np.inf, -np.inf, 1e30]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("type", ["1D", "2D", "CUBE"])
def test_arrays(type, filter, format):
    made = surface(type, format, slices=3)
    sampler = ts.Sampler(min_filter=filter, mag_filter=filter)
    points = coordinates(300, {"1D": 1, "2D": 2, "CUBE": 3}[type])
    wanted = expected(state_of(made, sampler), levels_of(made), [*points, LAYERS])
    assert_same(ts.sample(made, sampler, *points, layer=LAYERS), wanted)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_volumes(filter, format):
    made = surface("3D", format)
    sampler = ts.Sampler(min_filter=filter, mag_filter=filter)
    points = coordinates(300, 3)
    assert_same(ts.sample(made, sampler, *points), expected(state_of(made, sampler), levels_of(made), points))


def test_no_layer_is_the_first():
    made, sampler = surface(slices=3), ts.Sampler()
    np.testing.assert_array_equal(ts.sample(made, sampler, 0.4, 0.6), ts.sample(made, sampler, 0.4, 0.6, layer=0))


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("format", FORMATS)
def test_cube_edges_and_corners(format, size):
    """Directions close to edges and corners, where texels of two and three faces meet."""
    made = surface("CUBE", format, sizes=(size, size, 1))
    sampler = ts.Sampler()
    random = np.random.default_rng(2)
    points = random.choice([-1.0, 1.0], (3, 300)) * random.uniform(1 - 0.6 / size, 1, (3, 300))
    points[random.integers(0, 3, 300), np.arange(300)] *= random.random(300) < 0.6
    points = list(points.astype(np.float32))
    wanted = expected(state_of(made, sampler), levels_of(made), [*points, np.zeros(300, np.float32)])
    assert_same(ts.sample(made, sampler, *points), wanted)


def test_cube_faces_that_clamp_stay_on_their_face():
    made = surface("CUBE")
    sampler = ts.Sampler(address="clamp", cube="programmed")
    points = coordinates(300, 3)
    wanted = expected(state_of(made, sampler), levels_of(made), [*points, np.zeros(300, np.float32)])
    assert_same(ts.sample(made, sampler, *points), wanted)


def test_cubes_override_the_address_control_unless_it_is_programmed():
    """Seed 003:3384-3394."""
    made, points = surface("CUBE"), coordinates(300, 3)
    seamless = ts.sample(made, ts.Sampler(address="cube", cube="programmed"), *points)
    for address in ("wrap", "mirror", "clamp", "border"):
        np.testing.assert_array_equal(ts.sample(made, ts.Sampler(address=address), *points), seamless)
    clamped = ts.sample(made, ts.Sampler(address="clamp", cube="programmed"), *points)
    assert 0.02 < (clamped != seamless).any(axis=-1).mean() < 0.9
    with pytest.raises(ts.StateError, match="cubes need address CLAMP or CUBE"):
        ts.sample(made, ts.Sampler(address="wrap", cube="programmed"), *points)


def test_the_centers_of_faces_are_in_the_order_of_memory():
    faces = np.zeros((6, 3, 3, 4), np.uint8)
    faces[..., 0] = np.arange(6)[:, None, None] * 40
    made = ts.Surface.from_array(faces, type="CUBE", device="cpu")
    x, y, z = np.float32([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]).T
    found = ts.sample(made, ts.Sampler(), x, y, z)[:, 0] * 255
    np.testing.assert_allclose(found, np.arange(6) * 40, rtol=1e-6)


def test_a_cube_is_continuous_across_its_edges():
    """Colors that depend on the direction alone have no seam."""
    size = 16
    made = surface("CUBE", "R32G32B32A32_FLOAT", sizes=(size, size, 1))
    centers = (np.arange(size) + 0.5) / size * 2 - 1
    s, t = np.meshgrid(centers, centers)
    one = np.ones_like(s)
    vectors = [(one, -t, -s), (-one, -t, s), (s, one, t), (s, -one, -t), (s, -t, one), (-s, -t, -one)]
    faces = np.stack([np.stack([*v, one], -1) for v in vectors]).astype(np.float32)
    made = ts.Surface.from_array(faces, "R32G32B32A32_FLOAT", type="CUBE", device="cpu")
    angle = np.linspace(0, 2 * np.pi, 2000).astype(np.float32)
    x, y, z = np.cos(angle), np.sin(angle), np.full_like(angle, 0.3)
    found = ts.sample(made, ts.Sampler(), x, y, z)
    assert np.abs(np.diff(found[:, 0])).max() < 0.02
    reference = np.stack([x, y, z]) / np.maximum(np.abs(x), np.abs(y))
    np.testing.assert_allclose(found[:, :3].T, reference, atol=1.2 / size)


def test_directions_of_any_length_are_the_same():
    made = surface("CUBE")
    points = coordinates(100, 3)
    points = [np.clip(np.nan_to_num(p), -9, 9).astype(np.float32) for p in points]
    found = ts.sample(made, ts.Sampler(), *points)
    np.testing.assert_array_equal(found, ts.sample(made, ts.Sampler(), *[p * np.float32(4) for p in points]))
