"""Surfaces: arrays and files in, arrays and files out, and the state that reads back to an equal surface."""

import itertools

import numpy as np
import pytest

from texsamp import FormatError, StateError, Surface
from texsamp.state.render_surface import RenderSurfaceState

SHAPES = {
    "2D": ((37, 61, 4), {}),
    "2D array": ((5, 37, 61, 4), {}),
    "1D": ((33, 4), {"type": "1D"}),
    "1D array": ((3, 33, 4), {"type": "1D"}),
    "3D": ((7, 9, 11, 4), {"type": "3D"}),
    "cube": ((6, 16, 16, 4), {"type": "CUBE"}),
    "cube array": ((12, 16, 16, 4), {"type": "CUBE"}),
    "buffer": ((100, 4), {"type": "BUFFER"}),
    "4 samples": ((4, 9, 13, 4), {"samples": 4}),
    "array of 8 samples": ((3, 8, 9, 13, 4), {"samples": 8}),
}
TILINGS = ("linear", "X", "Y")


def noise(shape, dtype=np.uint8, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8).astype(dtype)


SURFACES = [
    pytest.param(shape, {**options, "tiling": tiling}, id=f"{name}-{tiling}")
    for (name, (shape, options)), tiling in itertools.product(SHAPES.items(), TILINGS)
    if (tiling == "linear" or name != "buffer") and (tiling != "linear" or "samples" not in name)
]


@pytest.mark.parametrize(("shape", "options"), SURFACES)
def test_an_array_comes_back(shape, options):
    array = noise(shape)
    surface = Surface.from_array(array, device="cpu", **options)
    np.testing.assert_array_equal(surface.to_array(), array, strict=True)


@pytest.mark.parametrize(("shape", "options"), SURFACES)
def test_state_and_memory_read_back_to_an_equal_surface(shape, options):
    surface = Surface.from_array(noise(shape), device="cpu", **options)
    dwords = surface.state.pack()
    again = Surface.from_memory(bytes(surface.data), RenderSurfaceState.unpack(dwords), device="cpu")
    assert again == surface
    assert again.state.pack() == dwords


@pytest.mark.parametrize(("shape", "options"), SURFACES)
def test_images_read_back_to_an_equal_surface(shape, options):
    surface = Surface.from_array(noise(shape), device="cpu", **options)
    if surface.samples > 1 or options.get("type") == "BUFFER":
        with pytest.raises(FormatError, match="no buffers and no samples"):
            surface.images()
        return
    assert Surface.from_images(surface.images(), tiling=options["tiling"], device="cpu") == surface


@pytest.mark.parametrize("tiling", TILINGS)
def test_parts_of_a_cube_array(tiling):
    array = noise((18, 16, 16, 4))
    surface = Surface.from_array(array, type="CUBE", tiling=tiling, device="cpu")
    np.testing.assert_array_equal(surface.to_array(layer=1, face="-x"), array[7])
    np.testing.assert_array_equal(surface.to_array(layer=1), array[6:12])
    np.testing.assert_array_equal(surface.to_array(face="-z"), array[5::6])
    np.testing.assert_array_equal(surface.to_array(layer=2, face=0), array[12])


@pytest.mark.parametrize("tiling", TILINGS)
@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"layer": 1}, slice(6, 12)),
        ({"layer": 1, "layers": 2}, slice(6, 18)),
        ({"layer": 1, "face": "+y"}, slice(8, 9)),
        ({"layer": 0, "face": 0}, slice(0, 1)),
    ],
)
def test_views_of_cubes(tiling, choice, expected):
    array = noise((18, 16, 16, 4))
    surface = Surface.from_array(array, type="CUBE", tiling=tiling, device="cpu")
    view = surface.view(**choice)
    np.testing.assert_array_equal(view.to_array(), array[expected])
    assert np.shares_memory(view.data, surface.data)
    assert Surface.from_memory(surface.data, view.state, device="cpu") == view


def test_views_of_arrays_nest():
    array = noise((9, 5, 7, 4))
    surface = Surface.from_array(array, tiling="Y", device="cpu")
    view = surface.view(layer=2, layers=5).view(layer=3)
    np.testing.assert_array_equal(view.to_array(), array[5:6])
    assert view.state.min_array_element == 5
    assert view.layers == 1
    with pytest.raises(StateError, match="layer must be from 0 to 0, found 1"):
        view.to_array(layer=1)
