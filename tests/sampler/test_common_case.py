"""The vector loops for 2D textures compute what the general kernel does, bit by bit, and codes are those floats."""

import numpy as np
import pytest
from support.sampling import HOSTILE, assert_equal, assert_same, noise, sample_generally

import texsamp as ts

MODES = ("wrap", "mirror", "clamp", "mirror_once", "border", "half_border")
SIZES = [(1, 1), (2, 1), (61, 37), (256, 256), (1000, 3)]
CODES, FLOATS = ("R8G8B8A8_UNORM", np.uint8), ("R32G32B32A32_FLOAT", np.float32)


def both(sizes, mips="box", seed=1, format=CODES):
    """A texture, and an array of it alone, which the general kernel samples."""
    texels = noise((sizes[1], sizes[0], 4), format[1], seed)
    return (
        ts.Surface.from_array(texels, format[0], mips=mips, device="cpu"),
        ts.Surface.from_array(texels[None], format[0], mips=mips, device="cpu"),
    )


def coordinates(shape, seed=2):
    random = np.random.default_rng(seed)
    made = random.uniform(-3, 3, (2, *shape)).astype(np.float32)
    return np.where(random.random((2, *shape)) < 0.05, random.choice(HOSTILE, (2, *shape)), made)


def perspective(shape):
    """Rows that come closer: LODs that differ inside a row, and that are the same in others."""
    y, x = (axis.astype(np.float32) for axis in np.mgrid[0 : shape[0], 0 : shape[1]])
    depth = 1 + x * y / (shape[0] * shape[1] / 16)
    return (x / shape[1] / depth + np.float32(0.3), y / shape[0] / depth - x / (4 * shape[1]))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("mode", MODES)
def test_every_level_and_between_them(mode, sizes):
    texture, array = both(sizes)
    random = np.random.default_rng(5)
    u, v = coordinates((70, 131))
    for rounding in (True, (False, True)):
        sampler = ts.Sampler(address=(mode, MODES[3]), rounding=rounding, border=(0.1, 0.2, 1.0, 0.7))
        lods = [random.uniform(-2, texture.levels + 1, u.shape).astype(np.float32), 0.0, 1.3]
        for lod in lods:
            general = sample_generally(array, sampler, u, v, lod=lod, layer=0)
            assert_equal(ts.sample(texture, sampler, u, v, lod=lod), general)
            codes = ts.sample(texture, sampler, u, v, lod=lod, dtype=np.uint8)
            assert_equal(codes, sample_generally(array, sampler, u, v, lod=lod, layer=0, dtype=np.uint8))
            sums = np.rint(general.astype(np.float64) * (255 * 65536)).astype(np.int64)
            np.testing.assert_array_equal(codes, (sums + 32768) >> 16)


@pytest.mark.parametrize("format", [CODES, FLOATS], ids=["codes", "floats"])
@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("mode", MODES)
def test_every_filter_of_codes_and_floats(mode, filter, format):
    u, v = coordinates((3, 11, 67))
    for place, sizes in enumerate(SIZES):
        texture, array = both(sizes, format=format)
        address = (MODES[place], mode) if place % 2 else (mode, MODES[place])
        for mip in ("none", "nearest", "linear"):
            sampler = ts.Sampler(
                min_filter=filter, mag_filter=filter, mip_filter=mip, address=address, border=(0.1, 0.2, 1.0, 0.7)
            )
            for lod in (np.clip(u, -2, 9), 0.0, 0.6):
                found = ts.sample(texture, sampler, u, v, lod=lod)
                assert_equal(found, sample_generally(array, sampler, u, v, lod=lod, layer=0))


GRIDS = [(37, 64), (4, 255), (1, 256), (51, 257), (3, 700), (700, 3), (513,), (2, 9, 65), (3, 7, 129), (4, 1, 80)]
"""Pieces and strips; of stacked grids with an odd number of rows the pieces go across."""


@pytest.mark.parametrize("shape", GRIDS)
def test_levels_of_a_grid(shape):
    texture, array = both((128, 32))
    floats, float_array = both((128, 32), format=FLOATS)
    smooth = perspective(shape[-2:] if len(shape) > 1 else (1, *shape))
    smooth = [np.broadcast_to(axis, shape) if len(shape) != 1 else axis[0] for axis in smooth]
    for u, v in (smooth, coordinates(shape), [axis * 40 for axis in smooth]):
        for sampler in (
            ts.Sampler(),
            ts.Sampler(lod_bias=-0.7, trilinear_quality="low"),
            ts.Sampler(mip_filter="nearest"),
        ):
            for bias in (None, 0.4, np.abs(u)):
                general = sample_generally(array, sampler, u, v, layer=0, bias=bias)
                assert_equal(ts.sample(texture, sampler, u, v, bias=bias), general)
            assert_equal(ts.sample(floats, sampler, u, v), sample_generally(float_array, sampler, u, v, layer=0))


def test_one_lod_of_a_turned_picture():
    """Lengths that differ in their last bits alone are one LOD for a tile."""
    texture, array = both((64, 64))
    y, x = np.mgrid[0:50, 0:700].astype(np.float32) / 500
    for sampler in (ts.Sampler(), ts.Sampler(address="clamp"), ts.Sampler(lod_bias=-0.7)):
        for scale in (0.4, 1, 7, 30):
            u, v = (x + y / 3) * scale, (y - x / 5) * scale
            assert_same(ts.sample(texture, sampler, u, v), sample_generally(array, sampler, u, v, layer=0))


@pytest.mark.parametrize("algorithm", ["legacy", "ewa"])
@pytest.mark.parametrize("shape", [(33, 64), (4, 255), (1, 257), (2, 5, 131)])
def test_anisotropy_of_a_grid(shape, algorithm):
    """Pictures whose footprints differ, are all the same, and go around the texture; made strip by strip or before."""
    textures = [both(size, seed=3) for size in ((128, 32), (61, 37))]
    smooth = [np.broadcast_to(axis, shape) for axis in perspective(shape[-2:])]
    flat = [np.broadcast_to(axis, shape).astype(np.float32) / 100 for axis in np.mgrid[0 : shape[-2], 0 : shape[-1]]]
    turned = (flat[1] + flat[0] * 3, flat[0] - flat[1] / 5)
    for place, (u, v) in enumerate((smooth, turned, flat, coordinates(shape))):
        texture, array = textures[place % 2]
        for number, mode in enumerate(MODES):
            sampler = ts.Sampler(
                max_anisotropy=2 + 14 * (number % 2),
                anisotropy=algorithm,
                mag_filter="linear" if number == 2 else None,
                address=(mode, MODES[number - 1]),
                border=(0.1, 0.2, 1.0, 0.7),
                lod_bias=-0.3 * (number % 3),
            )
            for bias in (None, np.abs(v)) if number < 2 else (None,):
                found = ts.sample(texture, sampler, u, v, bias=bias)
                assert_equal(found, sample_generally(array, sampler, u, v, layer=0, bias=bias))
            codes = ts.sample(texture, sampler, u, v, dtype=np.uint8)
            assert_equal(codes, sample_generally(array, sampler, u, v, layer=0, dtype=np.uint8))


@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_infinities_stay_where_they_are(filter):
    """Beside an infinity a weight of 0 counts: a texel's center gives the texel."""
    texels = noise((9, 8, 4), np.float32, 3)
    texels[::2, ::3] = np.inf
    texels[1::3, ::2] = -np.inf
    texture = ts.Surface.from_array(texels, FLOATS[0], device="cpu")
    y, x = np.mgrid[0:9, 0:64]
    for mode in ("wrap", "mirror", "clamp"):
        sampler = ts.Sampler(min_filter=filter, mag_filter=filter, address=mode)
        found = ts.sample(texture, sampler, (x % 8 + 0.5) / 8, (y + 0.5) / 9)
        np.testing.assert_array_equal(found, texels[y, x % 8])


def test_codes_are_only_for_codes():
    sampler = ts.Sampler()
    for format, texels in (("R8G8B8A8_UNORM_SRGB", np.uint8), ("R32G32B32A32_FLOAT", np.float32)):
        made = ts.Surface.from_array(np.zeros((2, 2, 4), texels), format, device="cpu")
        with pytest.raises(ts.FormatError, match=f"samples of {format} are float32, found dtype 'uint8'"):
            ts.sample(made, sampler, 0.5, 0.5, dtype=np.uint8)
    texture, _ = both((4, 4))
    with pytest.raises(ts.FormatError, match="are float32 or uint8, found dtype 'float64'"):
        ts.sample(texture, sampler, 0.5, 0.5, dtype=np.float64)
    with pytest.raises(ts.FormatError, match="numpy knows, found 'foo'"):
        ts.sample(texture, sampler, 0.5, 0.5, dtype="foo")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_make_no_difference(threads):
    texture, _ = both((61, 37))
    u, v = coordinates((300, 400))
    wanted = ts.sample(texture, ts.Sampler(), u, v)
    ts.set_threads(threads)
    try:
        assert_same(ts.sample(texture, ts.Sampler(), u, v), wanted)
    finally:
        ts.set_threads(None)
