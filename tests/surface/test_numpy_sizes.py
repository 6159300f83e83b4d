"""Sizes and coordinates may be numpy's integers, which wrap around: what is computed from them must not."""

import numpy as np
import pytest

from texsamp import FormatError, StateError, decode
from texsamp.io.textures import read_raw_image
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.detile import detile
from texsamp.surface.layout import SurfaceDescription, SurfaceLayout, SurfaceView
from texsamp.surface.texels import fetch_texels, load_texels, put_texels, store_texels
from texsamp.surface.tiling import Addressing, tiling

WORDS = np.random.default_rng(0).integers(0, 256, 200 * 200, np.uint8)


def test_too_few_blocks_for_sizes_whose_product_wraps_around():
    with pytest.raises(FormatError, match=r"has 16384x16384 blocks .* 4294967296 bytes in all; found 0"):
        decode(b"", "BC7_UNORM", np.int32(65536), np.int32(65536), device="cpu")
    with pytest.raises(FormatError, match=r"has 14x10 blocks .* 1120 bytes in all; found 96"):
        decode(bytes(96), "BC1_UNORM", np.uint8(53), np.uint8(37), device="cpu")


@pytest.mark.parametrize("size", [np.uint8(200), np.int16(200), np.int32(200)])
def test_sizes_of_any_integer_type_read_the_same(size):
    assert np.array_equal(
        decode(WORDS[:20000], "BC1_UNORM", size, size, device="cpu"),
        decode(WORDS[:20000], "BC1_UNORM", 200, 200, device="cpu"),
    )
    assert np.array_equal(
        load_texels(WORDS, "R8_UNORM", size, size, dtype="float32", device="cpu"),
        load_texels(WORDS, "R8_UNORM", 200, 200, dtype="float32", device="cpu"),
    )
    assert read_raw_image(WORDS.tobytes(), "R8_UNORM", size, size).images.image_size_B(0) == 40000


def test_too_few_texels_for_sizes_whose_product_wraps_around():
    wide = np.uint16(60000)
    with pytest.raises(FormatError, match="needs 3600000000 bytes, found 70000"):
        load_texels(bytes(70000), "R8_UNORM", wide, wide, dtype="float32", device="cpu")
    side, place = np.int32(65536), np.array([20000])
    with pytest.raises(FormatError, match="needs 17179869184 bytes, found 262144"):
        fetch_texels(bytes(1 << 18), "R8G8B8A8_UNORM", place, place, width_px=side, height_px=side, device="cpu")
    with pytest.raises(FormatError, match="needs 2147385349 bytes, found 40000"):
        load_texels(WORDS, "R8_UNORM", 4, 65536, pitch_B=np.int16(32767), device="cpu")
    rows = WORDS.copy().reshape(200, 200)
    with pytest.raises(FormatError, match="needs 60000 rows of 60000 bytes, found 200 of 200"):
        put_texels(np.zeros((1, 1), "f4"), rows, "R8_UNORM", place, place, width_px=wide, height_px=wide, device="cpu")
    assert store_texels(WORDS.reshape(200, 200), "R8_UNORM", pitch_B=np.uint8(250), device="cpu").shape == (200, 250)


@pytest.mark.parametrize("side", [4.0, "4", None, True, float("nan")])
def test_sizes_that_are_no_integers_are_refused(side):
    for width, height in ((side, 4), (4, side)):
        with pytest.raises(FormatError, match="must be from 1 to 65536 texels, found"):
            decode(bytes(8), "BC1_UNORM", width, height, device="cpu")
        with pytest.raises(FormatError, match="must be from 1 to 65536 texels, found"):
            load_texels(bytes(16), "R8_UNORM", width, height, device="cpu")


def test_names_and_types_that_are_none_are_refused():
    for format in (None, b"BC1", 3.5):
        with pytest.raises(FormatError, match="found"):
            decode(bytes(8), format, 4, 4, device="cpu")
        with pytest.raises(FormatError, match="no surface format"):
            load_texels(bytes(16), format, 4, 4, device="cpu")
    for dtype in ("flaot32", 3):
        with pytest.raises(FormatError, match="dtype must be a type of numbers"):
            decode(bytes(8), "BC1_UNORM", 4, 4, dtype=dtype, device="cpu")
        with pytest.raises(FormatError, match="dtype must be a type of numbers"):
            load_texels(bytes(16), "R8_UNORM", 4, 4, dtype=dtype, device="cpu")


def surface(tiling, **sizes):
    return SurfaceLayout(SurfaceDescription(SurfaceType.SURFTYPE_2D, "R8G8B8A8_UNORM", tiling=tiling, **sizes))


@pytest.mark.parametrize("name", ["linear", "X", "Y"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.int32, np.uint64])
def test_coordinates_of_any_integer_type_have_the_same_offset(name, dtype):
    layout = surface(name, width_px=200, height_px=200, array_length=3)
    at = np.arange(200)
    narrow = at.astype(dtype)
    assert np.array_equal(layout.offset_B(narrow, narrow), layout.offset_B(at, at))
    assert layout.offset_B(dtype(199), dtype(198), layer=dtype(2)) == layout.offset_B(199, 198, layer=2)
    plane = layout.addressing
    assert np.array_equal(plane.offset_B(narrow, narrow), plane.offset_B(at, at))
    assert np.array_equal(plane.position(narrow).y_rows, plane.position(at).y_rows)
    view = SurfaceView(layout, 1 << 32, first_layer=1)
    assert np.array_equal(view.address(narrow, narrow, layer=dtype(1)), view.address(at, at, layer=1))


def test_coordinates_that_are_no_integers_are_refused():
    layout = surface("Y", width_px=200, height_px=200)
    for place in (0.5, float("nan"), np.array([1.0]), "1", None):
        with pytest.raises(StateError, match="coordinates must be integers"):
            layout.offset_B(place, 0)


def test_descriptions_and_pitches_of_numpy_integers():
    small = surface("Y", width_px=np.int16(16000), height_px=np.int16(9000))
    large = surface("Y", width_px=16000, height_px=9000)
    assert (small.description, small.size_B) == (large.description, large.size_B)
    with pytest.raises(StateError, match=r"width in texels must be from 1 to 16384, found 2\.5"):
        surface("Y", width_px=2.5)
    assert Addressing(tiling("Y"), np.int16(16384)).tile_row_B == 16384 * 32


def test_rectangles_of_numpy_integers_stay_inside():
    memory = np.zeros(1 << 17, np.uint8)
    linear = Addressing(tiling("linear"), 1 << 17)
    with pytest.raises(StateError, match="the region needs 7864189928 bytes"):
        detile(memory, linear, np.int16(1000), np.int16(30000), y_rows=np.int16(30000), device="cpu")
    with pytest.raises(StateError, match="height_rows must be from 0 to"):
        detile(memory, linear, 16, 1.5, device="cpu")
