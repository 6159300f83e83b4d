"""Panoramas and cubes: every direction keeps its color there and back, crosses keep their texels."""

from __future__ import annotations

import numpy as np
import pytest
from texsamp.cli.main import app
from typer.testing import CliRunner

import texsamp as ts
from texsamp.errors import StateError

SIZE = 32
AXES = {"+x": (1, 0, 0), "-x": (-1, 0, 0), "+y": (0, 1, 0), "-y": (0, -1, 0), "+z": (0, 0, 1), "-z": (0, 0, -1)}
PROJECTIONS = ("equirectangular", "octahedral")


def color(x, y, z):
    """Smooth over the sphere, and different everywhere."""
    length = np.sqrt(x * x + y * y + z * z)
    return np.stack([x / length, y / length, z / length, np.full_like(length, 2.0)], -1) * 0.5 + 0.5


@pytest.fixture(scope="module")
def cube():
    """Made by asking the sampler which direction each texel is: six flat faces know nothing of our formulas."""
    t, s = np.mgrid[0:SIZE, 0:SIZE].astype(np.float64) * 2 / SIZE - 1 + 1 / SIZE
    one = np.ones_like(s)
    faces = [(one, -t, -s), (-one, -t, s), (s, one, t), (s, -one, -t), (s, -t, one), (-s, -t, -one)]
    array = np.stack([color(*face) for face in faces]).astype(np.float32)
    return ts.Surface.from_array(array, "R32G32B32A32_FLOAT", type="CUBE", device="cpu")


def test_the_faces_are_where_the_sampler_looks_for_them(cube):
    for axis in AXES.values():
        found = ts.sample(cube, ts.Sampler(), *np.array(axis, np.float32)[:, None], lod=0.0)[0]
        np.testing.assert_allclose(found, color(*np.array(axis, np.float64)), atol=0.02)


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_there_and_back(cube, projection):
    panorama = ts.cube_to_panorama(cube, projection)
    width = 4 * SIZE if projection == "equirectangular" else 2 * SIZE
    assert panorama.shape[:2] == ((width // 2, width) if projection == "equirectangular" else (width, width))
    back = ts.panorama_to_cube(panorama, projection)
    assert (back.type, back.shape) == (cube.type, cube.shape)
    assert np.abs(back.to_array() - cube.to_array()).mean() < 0.01
    assert np.abs(back.to_array() - cube.to_array()).max() < 0.08  # beside the folds of the octahedron


@pytest.mark.parametrize(
    ("projection", "places"),
    [
        ("equirectangular", {"-z": (0.5, 0.5), "+x": (0.5, 0.75), "-x": (0.5, 0.25), "+y": (0, 0.5), "-y": (1, 0.5)}),
        (
            "octahedral",
            {"+z": (0.5, 0.5), "+x": (0.5, 1), "-x": (0.5, 0), "+y": (1, 0.5), "-y": (0, 0.5), "-z": (0, 0)},
        ),
    ],
)
def test_directions_are_where_the_docs_say(cube, projection, places):
    panorama = ts.cube_to_panorama(cube, projection, 256).to_array()
    height, width = panorama.shape[:2]
    for name, (down, across) in places.items():
        found = panorama[min(int(down * height), height - 1), min(int(across * width), width - 1)]
        np.testing.assert_allclose(found, color(*np.array(AXES[name], np.float64)), atol=0.04)


def test_the_horizon_is_in_the_middle():
    """A panorama that is the same above and below makes walls that are."""
    rows = np.abs(np.arange(64) - 31.5) / 32
    panorama = np.repeat(np.repeat(rows[:, None, None], 128, 1), 4, 2).astype(np.float32)
    surface = ts.Surface.from_array(panorama, "R32G32B32A32_FLOAT", device="cpu")
    made = ts.panorama_to_cube(surface, "equirectangular", 32).to_array()
    for face in (0, 1, 4, 5):
        np.testing.assert_allclose(made[face], made[face][::-1], atol=1e-3)


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_smaller_cubes_are_made_of_smaller_levels(cube, projection):
    """A checkerboard of single texels becomes gray, not one of its colors."""
    width = 4 * SIZE
    height = width // 2 if projection == "equirectangular" else width
    y, x = np.mgrid[0:height, 0:width]
    checks = np.repeat(((x + y) % 2 * 255).astype(np.uint8)[..., None], 4, -1)
    made = ts.panorama_to_cube(ts.Surface.from_array(checks, device="cpu"), projection, 4).to_array()
    assert np.abs(made.astype(int) - 127.5).max() < 2


def test_crosses_keep_every_texel(cube):
    cross = ts.cube_to_panorama(cube, "cross")
    assert cross.shape[:2] == (3 * SIZE, 4 * SIZE)
    assert ts.panorama_to_cube(cross, "cross") == cube
    wide = cross.to_array()
    tall = np.zeros((4 * SIZE, 3 * SIZE, 4), np.float32)
    tall[: 3 * SIZE] = wide[:, : 3 * SIZE]
    tall[3 * SIZE :, SIZE : 2 * SIZE] = wide[SIZE : 2 * SIZE, 3 * SIZE :][::-1, ::-1]
    upright = ts.Surface.from_array(tall, "R32G32B32A32_FLOAT", device="cpu")
    assert ts.panorama_to_cube(upright, "cross") == cube


def test_neighbors_in_a_cross_are_neighbors_in_the_cube(cube):
    """Colors go on across the borders of faces that touch in the cross."""
    row = ts.cube_to_panorama(cube, "cross").to_array()[SIZE : 2 * SIZE]
    assert np.abs(np.diff(row, axis=1)).max() < 0.1
    column = ts.cube_to_panorama(cube, "cross").to_array()[:, SIZE : 2 * SIZE]
    assert np.abs(np.diff(column, axis=0)).max() < 0.1


def test_what_is_refused(cube):
    flat = ts.Surface.from_array(np.zeros((5, 7, 4), np.uint8), device="cpu")
    with pytest.raises(
        StateError, match="projection must be one of equirectangular, octahedral, cross, found 'fisheye'"
    ):
        ts.panorama_to_cube(flat, "fisheye")
    with pytest.raises(StateError, match="a cross has 4x3 or 3x4 faces, found 7x5"):
        ts.panorama_to_cube(flat, "cross")
    with pytest.raises(StateError, match="a CUBE surface that is no array is needed"):
        ts.cube_to_panorama(flat, "equirectangular")
    with pytest.raises(StateError, match="twice as wide as high, found a width of 7"):
        ts.cube_to_panorama(cube, "equirectangular", 7)
    with pytest.raises(StateError, match="size must be from 1 to 65536 texels, found 0"):
        ts.panorama_to_cube(flat, "octahedral", 0)


def test_the_command(cube, tmp_path):
    cube.save(tmp_path / "sky.ktx2")
    runner = CliRunner()

    def run(*words):
        return runner.invoke(app, ["panorama", *map(str, words)])

    result = run(tmp_path / "sky.ktx2", tmp_path / "sky.exr")
    assert result.exit_code == 0, result.output
    result = run(tmp_path / "sky.exr", tmp_path / "again.dds", "--size", 16)
    assert result.exit_code == 0, result.output
    assert "CUBE R32G32B32A32_FLOAT 16x16" in result.stdout
    result = run(tmp_path / "sky.exr", tmp_path / "again.png")
    assert result.exit_code == 2
    assert "a cube has six faces" in result.stderr
