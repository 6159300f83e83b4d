"""Every format through the sampler: texels come back exactly at their centers, channels follow the map, borders too."""

import numpy as np
import pytest
from support.sampling import assert_equal, assert_same, coordinates, expected, levels_of, noise, state_of, surface

import texsamp as ts
from texsamp.sampler.expanded import texel_kind
from texsamp.state.formats import surface_format, surface_formats
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.arrays import is_compressed
from texsamp.surface.codec.formats import DECODERS
from texsamp.surface.images import TextureImages
from texsamp.surface.texel_formats import texel_type


def _plain_formats():
    for name, info in surface_formats().items():
        if info.map_dx10 and not is_compressed(info) and "PALETTE" not in name:
            yield name


PLAIN = list(_plain_formats())
INTEGERS = [name for name in PLAIN if texel_type(name).value.kind in "ui"]


def made_of_bytes(format, width=24, height=20, seed=2):
    """A surface of random elements: every code, NaN and infinity included."""
    info = surface_format(format)
    columns, rows = -(-width // info.block_width), -(-height // info.block_height)
    data = noise(columns * rows * info.bits // 8, np.uint8, seed)
    images = TextureImages(SurfaceType.SURFTYPE_2D, format, width, height, ((data.tobytes(),),))
    return ts.Surface.from_images(images, device="cpu")


def centers(width, height):
    v, u = np.mgrid[0:height, 0:width].astype(np.float32) + np.float32(0.5)
    return u / np.float32(width), v / np.float32(height)


def test_all_formats_are_here():
    assert len(PLAIN) > 90
    assert len(INTEGERS) > 15


@pytest.mark.parametrize("format", PLAIN)
def test_texel_centers_give_the_texels(format):
    made = made_of_bytes(format)
    kind = texel_kind(made.info, "dx10")
    wanted = made.to_array(channels="rgba", dtype=kind.result)
    for filter in ("nearest",) if format in INTEGERS else ("nearest", "linear"):
        sampler = ts.Sampler(min_filter=filter, mag_filter=filter, mip_filter="none")
        assert_equal(ts.sample(made, sampler, *centers(24, 20)), wanted)


@pytest.mark.parametrize("format", sorted(DECODERS))
def test_texel_centers_of_compressed_formats(format):
    made = made_of_bytes(format)
    codes, values = made.to_array(), made.to_array(dtype=np.float32)
    if codes.dtype == np.uint8 and DECODERS[format].kernel_f32 is None:
        expected = codes / np.float32(255)
        if made.info.color_space == "srgb":
            numbers = expected[..., :3].astype(np.float64)
            expected[..., :3] = np.where(numbers <= 0.04045, numbers / 12.92, ((numbers + 0.055) / 1.055) ** 2.4)
        np.testing.assert_allclose(values, expected, rtol=1e-6)  # by another formula, in doubles
    wanted = np.zeros((20, 24, 4), np.float32)
    wanted[..., 3] = 1
    wanted[..., : values.shape[-1]] = values
    for filter in ("nearest", "linear"):
        found = ts.sample(made, ts.Sampler(min_filter=filter, mag_filter=filter), *centers(24, 20))
        assert_equal(found, wanted)


@pytest.mark.parametrize("size", [(3, 5), (7, 11), (100, 333), (1000, 1), (16384, 2), (1, 8191)])
def test_texel_centers_of_every_size(size):
    width, height = size
    made = surface(sizes=(*size, 1))
    u, v = centers(width, height)
    wanted = made.to_array() / np.float32(255)
    for filter in ("nearest", "linear"):
        for mode in ("wrap", "clamp", "mirror", "border", "mirror_once", "half_border"):
            sampler = ts.Sampler(min_filter=filter, mag_filter=filter, address=mode)
            assert_equal(ts.sample(made, sampler, u, v), wanted)


@pytest.mark.parametrize(
    "format", ["R8G8B8A8_UNORM_SRGB", "YCRCB_NORMAL", "L8A8_UNORM", "A8_UNORM", "R24_UNORM_X8_TYPELESS"]
)
def test_filtering_of_converted_texels(format):
    made = made_of_bytes(format)
    points = coordinates(200, 2, sizes=(24, 20))
    wanted = expected(state_of(made, ts.Sampler()), levels_of(made), [*points, np.zeros(200, np.float32)])
    found = ts.sample(made, ts.Sampler(), *points)
    (assert_equal if format == "A8_UNORM" else assert_same)(found, wanted)


@pytest.mark.constant
def test_srgb_is_linear_before_it_is_filtered():
    made = ts.Surface.from_array(np.uint8([[[0] * 4, [255] * 4]]), "R8G8B8A8_UNORM_SRGB", device="cpu")
    assert ts.sample(made, ts.Sampler(address="clamp"), 0.5, 0.5).tolist() == [0.5] * 4


def test_values_that_are_not_finite_reach_only_what_they_weigh_in():
    texels = np.zeros((1, 8, 1), np.float32)
    texels[0, 2], texels[0, 6] = np.inf, np.nan
    made = ts.Surface.from_array(texels, "R32_FLOAT", device="cpu")
    u = np.float32([1.5, 1.625, 2.5, 3.5, 5.5, 6.25, 7.5]) / 8
    found = ts.sample(made, ts.Sampler(), u, 0.5)[:, 0]
    np.testing.assert_array_equal(found, [0, np.inf, np.inf, 0, 0, np.nan, 0])


@pytest.mark.constant
def test_a_flat_texture_stays_flat():
    for format, value in (("R8G8B8A8_UNORM", 77), ("R32G32B32A32_FLOAT", 0.3), ("R32G32B32A32_FLOAT", 3e38)):
        dtype = np.float32 if "FLOAT" in format else np.uint8
        made = ts.Surface.from_array(np.full((9, 9, 4), value, dtype), format, device="cpu")
        found = ts.sample(made, ts.Sampler(), *coordinates(500, 2))
        assert len(np.unique(found)) == 1


BORDER = (0.25, 0.5, 0.75, 0.125)
HALVES = (64 / 255, 128 / 255, 191 / 255, 32 / 255)


@pytest.mark.constant
@pytest.mark.parametrize(
    ("format", "mode", "wanted"),
    [
        ("R8G8B8A8_UNORM", "dx10", HALVES),
        ("R8G8B8X8_UNORM", "dx10", (*HALVES[:3], 1)),
        ("R8G8B8X8_UNORM", "dx9", HALVES),
        ("R16G16_UNORM", "dx10", (0.25, 0.5, 0, 1)),
        ("R16G16_UNORM", "dx9", HALVES),
        ("R32_FLOAT", "dx10", (0.25, 0, 0, 1)),
        ("L32_FLOAT", "dx10", (0.25, 0.25, 0.25, 1)),
        ("I32_FLOAT", "dx10", (0.25, 0.25, 0.25, 0.25)),
        ("A32_FLOAT", "dx10", (0, 0, 0, 0.125)),
        ("L32A32_FLOAT", "dx10", (0.25, 0.25, 0.25, 0.125)),
        ("R8G8B8A8_UNORM_SRGB", "dx10", BORDER),
    ],
)
def test_border_colors_by_format(format, mode, wanted):
    made = made_of_bytes(format)
    sampler = ts.Sampler(address="border", border=BORDER, border_mode=mode)
    np.testing.assert_array_equal(ts.sample(made, sampler, 5.0, 0.5), np.float32(wanted))


def test_border_colors_are_limited_by_the_format():
    for format, wanted in (
        ("R16G16B16A16_UNORM", [0, 1, 1, 0]),
        ("R16G16B16A16_SNORM", [-1, 1, 1, 0]),
        ("R8G8B8A8_UNORM", [0, 1, 1, 0]),
        ("R16G16B16A16_FLOAT", [-2, 2, np.inf, 0]),
    ):
        sampler = ts.Sampler(address="border", border=(-2, 2, np.inf, 0))
        np.testing.assert_array_equal(ts.sample(made_of_bytes(format), sampler, 5.0, 0.5), np.float32(wanted))


def test_palettes():
    made = made_of_bytes("P8_UNORM_PALETTE0")
    entries = noise(256, np.uint32)
    found = ts.sample(made, ts.Sampler(min_filter="nearest", mag_filter="nearest"), *centers(24, 20), palette=entries)
    wanted = entries[made.to_array()[..., 0]]
    for place, shift in enumerate((16, 8, 0, 24)):
        np.testing.assert_array_equal(found[..., place], (wanted >> shift & 255).astype(np.float32) / np.float32(255))


@pytest.mark.constant
def test_texels_are_read_again_after_invalidate():
    made = ts.Surface.from_array(np.zeros((4, 4, 4), np.uint8), device="cpu")
    assert ts.sample(made, ts.Sampler(), 0.5, 0.5)[0] == 0
    made.data[...] = 255
    assert ts.sample(made, ts.Sampler(), 0.5, 0.5)[0] == 0
    made.invalidate()
    assert ts.sample(made, ts.Sampler(), 0.5, 0.5)[0] == 1


@pytest.mark.parametrize("tiling", ["linear", "X", "Y"])
def test_tiling_makes_no_difference(tiling):
    texels = noise((37, 41, 4), np.uint8)
    points = coordinates(300, 2)
    plain = ts.sample(ts.Surface.from_array(texels, mips="box", device="cpu"), ts.Sampler(), *points)
    tiled = ts.Surface.from_array(texels, mips="box", tiling=tiling, device="cpu")
    assert_same(ts.sample(tiled, ts.Sampler(), *points), plain)
