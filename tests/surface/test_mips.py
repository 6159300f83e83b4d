"""Mip levels equal the definition in docs/surfaces.md, texel by texel."""

import numpy as np
import pytest
from oracle import mips as oracle

from texsamp import FormatError, get_device
from texsamp.state.formats import surface_format
from texsamp.surface.mips import filter_rows, smaller_levels

CPU = get_device("cpu")
FORMATS = ("R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "R8G8_SNORM", "R16_UNORM", "R16G16B16A16_SNORM", "R32G32B32_FLOAT")
DTYPES = {"R8G8_SNORM": np.int8, "R16_UNORM": np.uint16, "R16G16B16A16_SNORM": np.int16, "R32G32B32_FLOAT": np.float32}


def letters(name):
    return "".join(channel.name for channel in surface_format(name).channels)


def chain(width, height, depth=1):
    sizes = []
    while (width, height, depth) != (1, 1, 1):
        width, height, depth = max(width >> 1, 1), max(height >> 1, 1), max(depth >> 1, 1)
        sizes.append((width, height, depth))
    return sizes


def picture(name, shape, seed=1):
    """Noise with both ends of the range in it."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(DTYPES.get(name, np.uint8))
    shape = (*shape, len(letters(name)))
    if dtype.kind == "f":
        return random.normal(size=shape).astype(dtype)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    noise = random.integers(low, high, shape, dtype, endpoint=True)
    return np.where(random.random(shape) < 0.3, random.choice([low, high], shape), noise).astype(dtype)


def made(texels, name, sizes, filter, edge):
    return list(smaller_levels(texels, surface_format(name), sizes, filter, edge, CPU))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("filter", ["box", "kaiser", "lanczos"])
@pytest.mark.parametrize("edge", ["clamp", "wrap"])
def test_levels_are_the_definition(name, filter, edge):
    for shape in ((1, 7, 12), (1, 9, 5), (5, 6, 7)):
        texels = picture(name, shape)
        sizes = chain(shape[2], shape[1], shape[0])
        expected = oracle.levels(texels, sizes, filter, edge, letters(name), name.endswith("SRGB"))
        found = made(texels, name, sizes, filter, edge)
        assert len(found) == len(expected) >= 2
        for level, literal in zip(found, expected, strict=True):
            np.testing.assert_array_equal(level, literal, strict=True)


@pytest.mark.parametrize("filter", ["box", "kaiser", "lanczos"])
@pytest.mark.parametrize("name", ["R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB"])
def test_a_picture_of_one_color_keeps_it(filter, name):
    for code in range(256):
        texels = np.full((1, 11, 14, 4), code, np.uint8)
        for level in made(texels, name, chain(14, 11), filter, "clamp"):
            assert (level == code).all(), (code, level)


def test_box_of_powers_of_two_is_the_exact_mean_of_level_0():
    texels = picture("R8G8B8A8_UNORM", (1, 64, 64))
    for level, found in enumerate(made(texels, "R8G8B8A8_UNORM", chain(64, 64), "box", "clamp"), 1):
        side = 64 >> level
        sums = texels.reshape(side, 1 << level, side, 1 << level, 4).sum((1, 3), np.int64)
        area = 1 << 2 * level
        np.testing.assert_array_equal(found[0], (2 * sums + area) // (2 * area))


@pytest.mark.parametrize("size", [2, 3, 5, 6, 7, 13, 100, 255])
def test_rows_of_box_are_the_covered_lengths(size):
    rows = filter_rows(size, size // 2, "box")
    covered = np.zeros(size)
    for samples, weights, count in zip(rows.samples, rows.weights, rows.counts, strict=True):
        np.testing.assert_allclose(weights[:count].sum(), 1, atol=1e-6)
        covered[samples[:count]] += weights[:count]
    np.testing.assert_allclose(covered, (size // 2) / size, atol=1e-6)


@pytest.mark.parametrize("filter", ["kaiser", "lanczos"])
def test_sinc_filters_pass_what_the_smaller_level_can_hold(filter):
    """A wave of 16 texels survives halving; one of 2.5 texels, which the smaller level cannot hold, does not."""
    x = np.arange(160)
    for period, gain in ((16, 1.0), (2.5, 0.0)):
        wave = np.sin(2 * np.pi * (x + 0.5) / period).astype(np.float32).reshape(1, 1, 160, 1)
        (level,) = made(wave, "R32_FLOAT", [(80, 1, 1)], filter, "wrap")
        expected = gain * np.sin(2 * np.pi * (np.arange(80) * 2 + 1) / period)
        np.testing.assert_allclose(level.ravel(), expected, atol=0.06)


def test_wrapping_moves_with_the_picture():
    texels = picture("R8_UNORM", (1, 16, 32))
    (level,) = made(texels, "R8_UNORM", [(16, 8, 1)], "kaiser", "wrap")
    (moved,) = made(np.roll(texels, (4, 10), (1, 2)), "R8_UNORM", [(16, 8, 1)], "kaiser", "wrap")
    np.testing.assert_array_equal(np.roll(level, (2, 5), (1, 2)), moved)


def test_values_that_are_not_finite_stay_where_they_reach():
    texels = np.zeros((1, 1, 8, 1), np.float32)
    texels[0, 0, 0], texels[0, 0, 5] = np.inf, np.nan
    (level,) = made(texels, "R32_FLOAT", [(4, 1, 1)], "box", "clamp")
    np.testing.assert_array_equal(level.ravel(), [np.inf, 0, np.nan, 0])


def test_srgb_is_averaged_as_light_and_alpha_is_not():
    texels = np.array([[0, 0, 0, 0], [255, 255, 255, 255]], np.uint8).reshape(1, 1, 2, 4)
    (level,) = made(texels, "R8G8B8A8_UNORM_SRGB", [(1, 1, 1)], "box", "clamp")
    assert level.ravel().tolist() == [188, 188, 188, 128]


@pytest.mark.parametrize("name", ["R8G8B8A8_UINT", "R32_SINT", "P8_UNORM_PALETTE0", "RAW"])
def test_formats_that_are_no_quantities_are_refused(name):
    with pytest.raises(FormatError, match=f"{name} cannot be filtered"):
        made(np.zeros((1, 2, 2, 1), np.uint8), name, [(1, 1, 1)], "box", "clamp")


@pytest.mark.parametrize(("name", "dtype"), [("R32_UNORM", np.uint32), ("R64_FLOAT", np.float64)])
def test_formats_beyond_float32_are_refused(name, dtype):
    with pytest.raises(FormatError, match=f"{name} cannot be filtered: float32 does not hold its {np.dtype(dtype)}"):
        made(np.zeros((1, 2, 2, 1), dtype), name, [(1, 1, 1)], "box", "clamp")


@pytest.mark.parametrize(("filter", "edge"), [("cubic", "clamp"), ("box", "mirror")])
def test_unknown_filters_and_edges_are_refused(filter, edge):
    with pytest.raises(FormatError, match=r"found '(cubic|mirror)'"):
        made(np.zeros((1, 2, 2, 1), np.uint8), "R8_UNORM", [(1, 1, 1)], filter, edge)
