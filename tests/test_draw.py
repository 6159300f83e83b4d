"""Quads of every format are pictures, or an error says why not."""

import numpy as np
import pytest
from support.textures import texture

import texsamp as ts
from texsamp.draw import draw_quad, quad_sampler
from texsamp.state.formats import surface_format, surface_formats
from texsamp.state.render_surface import SurfaceType


def drawn(format, filter="nearest", floats=False, **options):
    images = texture(format, levels=1, width_px=32, **options)
    return draw_quad(images, quad_sampler(filter), (9, 7), "scale=0.9", floats=floats, device="cpu")


@pytest.mark.parametrize("floats", [False, True])
def test_every_format(floats):
    made, refused = 0, 0
    for format in surface_formats():
        info = surface_format(format)
        for filter in ("nearest", "trilinear"):
            try:
                picture = drawn(format, filter, floats)
            except ts.FormatError as error:
                refused += 1
                assert format in str(error)
                simple = {channel.kind for channel in info.channels} <= {"unorm"} and info.block_width == 1
                assert not simple or info.map_dx10 is None or format == "PLANAR_420_8", error
            else:
                made += 1
                assert picture.texels.shape == (7, 9, 4)
                assert floats == (picture.texels.dtype == np.float32) or picture.texels.dtype.kind in "ui"
                assert len(np.unique(picture.texels)) > 1
    assert made > 150
    assert refused > 50


@pytest.mark.parametrize(
    ("format", "message"),
    [
        ("RAW", "RAW has no channels to draw"),
        ("P8_UNORM_PALETTE0", "takes its colors from a palette, which texture files do not hold"),
        ("R16_FLOAT", "PNG holds no floats, R16_FLOAT has some; OUT.exr"),
        ("R8_UINT", "cannot be filtered"),
    ],
)
def test_formats_that_cannot_be_drawn(format, message):
    with pytest.raises(ts.FormatError, match=message):
        drawn(format, "trilinear")


def test_textures_larger_than_surfaces():
    images = texture("R8_UNORM", levels=1, width_px=20000, height_px=1)
    with pytest.raises(ts.FormatError, match="16384"):
        draw_quad(images, quad_sampler("linear"), (4, 4), device="cpu")


def test_a_texture_of_one_texel_needs_no_levels():
    picture = draw_quad(texture("R8G8_UNORM", levels=1, width_px=1, height_px=1), quad_sampler("trilinear"), (4, 3))
    assert (picture.levels, picture.notes) == (1, ())
    assert len(np.unique(picture.texels.reshape(-1, 4), axis=0)) == 1


def test_levels_of_volumes_and_rows_are_made():
    for options in (
        {"type": SurfaceType.SURFTYPE_3D, "depth_px": 5},
        {"type": SurfaceType.SURFTYPE_1D, "height_px": 1},
    ):
        picture = drawn("R8G8B8A8_UNORM", "trilinear", **options)
        assert picture.levels == 6
        assert picture.notes


def test_words_of_filters():
    with pytest.raises(ts.StateError, match=r"filter must be one of nearest, linear, .*aniso16, .*, found 'cubic'"):
        quad_sampler("cubic")
