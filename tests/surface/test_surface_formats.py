"""Identity: what is stored in a surface comes back exactly, in every format of the table."""

import numpy as np
import pytest

from texsamp import FormatError, Surface
from texsamp.state.formats import surface_format, surface_formats
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.codec.formats import DECODERS
from texsamp.surface.images import TextureImages, image_size_B

TILINGS = ("linear", "X", "Y")
WIDTH, HEIGHT = 32, 21  # MONO8 wants a multiple of 32
LAID_OUT = [name for name in surface_formats() if name != "PLANAR_420_8"]
TEXELS = [name for name in LAID_OUT if name != "RAW" and surface_formats()[name].block_height == 1]


def random_images(name):
    """Three levels of two slices of random elements."""
    random = np.random.default_rng(5)
    info = surface_format(name)
    images = tuple(
        tuple(random.bytes(image_size_B(info, max(WIDTH >> level, 1), max(HEIGHT >> level, 1))) for _ in range(2))
        for level in range(3)
    )
    return TextureImages(SurfaceType.SURFTYPE_2D, name, WIDTH, HEIGHT, images, array_length=2, is_array=True)


@pytest.mark.parametrize("name", LAID_OUT)
def test_elements_of_every_format_come_back(name):
    images = random_images(name)
    for tiling in TILINGS:
        surface = Surface.from_images(images, tiling=tiling, device="cpu")
        assert surface.images() == images
        assert surface.view(level=1, layer=1).images().images == ((images.images[1][1],),)
        if surface.info.generation <= 7:
            assert Surface.from_memory(surface.data, surface.state, device="cpu").images() == images


@pytest.mark.parametrize("name", TEXELS)
def test_texels_of_every_format_come_back(name):
    """Numbers that a format can hold are what comes back of them, and padding is all that is lost of the elements."""
    surface = Surface.from_images(random_images(name), tiling="Y", device="cpu")
    texels = surface.to_array()
    assert (texels != 0).any()
    stored = Surface.from_array(texels, name, tiling="X", device="cpu")
    np.testing.assert_array_equal(stored.to_array(), texels, strict=True)
    again = Surface.from_array(stored.to_array(), name, tiling="X", device="cpu")
    assert again == stored


@pytest.mark.parametrize("name", sorted(DECODERS))
def test_blocks_of_every_format_are_decoded(name):
    surface = Surface.from_images(random_images(name), tiling="Y", device="cpu")
    for level in range(surface.levels):
        texels = surface.to_array(level)
        assert texels.shape == (2, *surface.level_size_px(level)[1::-1], len(surface.info.channels))
        np.testing.assert_array_equal(surface.to_array(level, layer=1), texels[1])


def test_raw_bytes_have_elements_but_no_texels():
    surface = Surface.from_images(random_images("RAW"), device="cpu")
    assert surface.elements(0, 1).shape == (HEIGHT, WIDTH)
    with pytest.raises(FormatError, match="RAW has no texels"):
        surface.to_array()
    with pytest.raises(FormatError, match="RAW has no texels"):
        Surface.from_array(np.zeros((2, 2, 1), np.uint8), "RAW")


def test_blue_before_red_in_memory_is_red_before_blue_in_arrays():
    surface = Surface.from_array(np.array([[[1, 2, 3, 4]]], np.uint8), "B8G8R8A8_UNORM", device="cpu")
    assert surface.elements().tolist() == [[3, 2, 1, 4]]
    assert surface.to_array().tolist() == [[[1, 2, 3, 4]]]


def test_floats_are_converted_to_what_the_format_stores():
    values = np.array([[[-1, 0, 0.5, 1], [np.nan, 0.1, 2, 0.25]]], np.float32)
    surface = Surface.from_array(values, "R8G8B8A8_UNORM", device="cpu")
    assert surface.to_array().tolist() == [[[0, 0, 128, 255], [0, 26, 255, 64]]]
    expected = np.array([[[0, 0, 128, 255], [0, 26, 255, 64]]], np.float32) / np.float32(255)
    np.testing.assert_array_equal(surface.to_array(dtype=np.float32), expected)


def test_rgba_of_a_format_with_fewer_channels():
    surface = Surface.from_array(np.array([[7]], np.uint8), "L8_UNORM", device="cpu")
    assert surface.to_array(channels="rgba").tolist() == [[[7, 7, 7, 255]]]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("R8_UNORM", {"rounding": "truncate"}, "R8_UNORM has no palettes to round: .* found 'truncate'"),
        ("R8_UNORM", {"dtype": np.uint16}, "texels of R8_UNORM can be uint8 or float32, found dtype 'uint16'"),
        ("BC7_UNORM", {"rounding": "amd"}, "BC7_UNORM can be rounded as d3d, found 'amd'"),
        ("BC7_UNORM", {"channels": "rgba"}, "BC7_UNORM takes no channels"),
        ("R8_UNORM", {"errors": "strict"}, "R8_UNORM takes no errors"),
    ],
)
def test_options_that_a_format_does_not_have(name, options, message):
    with pytest.raises(FormatError, match=message):
        Surface.from_images(random_images(name), device="cpu").to_array(**options)
