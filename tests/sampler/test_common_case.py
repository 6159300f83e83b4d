"""The vector loops for 8-bit textures compute what the general kernel does, bit by bit, and codes are those floats."""

import numpy as np
import pytest
from support.sampling import HOSTILE, assert_equal, assert_same, noise

import texsamp as ts

MODES = ("wrap", "mirror", "clamp", "mirror_once")


def both(sizes, mips="box", seed=1):
    """A texture, and an array of it alone, which the general kernel samples."""
    texels = noise((sizes[1], sizes[0], 4), np.uint8, seed)
    return (
        ts.Surface.from_array(texels, mips=mips, device="cpu"),
        ts.Surface.from_array(texels[None], mips=mips, device="cpu"),
    )


def coordinates(shape, seed=2):
    random = np.random.default_rng(seed)
    made = random.uniform(-3, 3, (2, *shape)).astype(np.float32)
    return np.where(random.random((2, *shape)) < 0.05, random.choice(HOSTILE, (2, *shape)), made)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (61, 37), (256, 256), (1000, 3)])
@pytest.mark.parametrize("mode", MODES)
def test_every_level_and_between_them(mode, sizes):
    texture, array = both(sizes)
    random = np.random.default_rng(5)
    u, v = coordinates((70, 131))
    for rounding in (True, (False, True)):
        sampler = ts.Sampler(address=(mode, MODES[3]), rounding=rounding)
        lods = [random.uniform(-2, texture.levels + 1, u.shape).astype(np.float32), 0.0, 1.3]
        for lod in lods:
            general = ts.sample(array, sampler, u, v, lod=lod, layer=0)
            assert_equal(ts.sample(texture, sampler, u, v, lod=lod), general)
            codes = ts.sample(texture, sampler, u, v, lod=lod, dtype=np.uint8)
            assert_equal(codes, ts.sample(array, sampler, u, v, lod=lod, layer=0, dtype=np.uint8))
            sums = np.rint(general.astype(np.float64) * (255 * 65536)).astype(np.int64)
            np.testing.assert_array_equal(codes, (sums + 32768) >> 16)


def test_smooth_coordinates_whose_neighbors_are_fetched_together():
    texture, array = both((64, 64))
    y, x = np.mgrid[0:50, 0:700].astype(np.float32) / 500
    for sampler in (ts.Sampler(), ts.Sampler(address="clamp"), ts.Sampler(lod_bias=-0.7)):
        found = ts.sample(texture, sampler, x + y / 3, y - x / 5)
        assert_same(found, ts.sample(array, sampler, x + y / 3, y - x / 5, layer=0))


def test_codes_are_only_for_codes():
    sampler = ts.Sampler()
    for format, texels in (("R8G8B8A8_UNORM_SRGB", np.uint8), ("R32G32B32A32_FLOAT", np.float32)):
        made = ts.Surface.from_array(np.zeros((2, 2, 4), texels), format, device="cpu")
        with pytest.raises(ts.FormatError, match=f"samples of {format} are float32, found dtype 'uint8'"):
            ts.sample(made, sampler, 0.5, 0.5, dtype=np.uint8)
    texture, _ = both((4, 4))
    with pytest.raises(ts.FormatError, match="are float32 or uint8, found dtype 'float64'"):
        ts.sample(texture, sampler, 0.5, 0.5, dtype=np.float64)


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
