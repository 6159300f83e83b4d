"""Unfiltered loads, and what resinfo says."""

import numpy as np
import pytest
from oracle import sampler as oracle
from support.sampling import assert_equal, levels_of, surface

import texsamp as ts
from texsamp.sampler.expanded import texel_kind


def places(count, sizes, seed=1):
    random = np.random.default_rng(seed)
    far = np.array([-(2**31), 2**31 - 1, -1, 2**20])
    return [
        np.where(random.random(count) < 0.1, random.choice(far, count), random.integers(-2, size + 2, count)).astype(
            np.int32
        )
        for size in sizes
    ]


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R32G32_FLOAT", "R16G16_SINT", "R8_UINT"])
@pytest.mark.parametrize(("type", "slices"), [("1D", 3), ("2D", 1), ("2D", 4), ("3D", 1)])
def test_loads_at_every_place(type, slices, format):
    mips = None if "INT" in format else "box"
    made = surface(type, format, sizes=(9, 6, 4), slices=slices, mips=mips)
    levels = levels_of(made)
    size = levels[0].shape
    x, y, z, level = places(500, (size[2], size[1], size[0], made.levels))
    given = {"layer": z} if type != "3D" and slices > 1 else {}
    arguments = {"1D": [x], "2D": [x, y], "3D": [x, y, z]}[type]
    y = y if type != "1D" else np.zeros_like(y)
    z = z if type == "3D" or given else np.zeros_like(z)
    kind = texel_kind(made.info, "dx10")
    outside = np.array(kind.outside).astype(kind.dtype)
    found = ts.load(made, *arguments, level=level, **given)
    wanted = np.array([oracle.load(levels, place, outside) for place in zip(x, y, z, level, strict=True)])
    if kind.name == "unorm8":
        wanted = wanted.astype(np.float32) / np.float32(255)
    assert_equal(found, wanted)
    assert len(np.unique(found[..., 0])) > 2


def test_loads_from_buffers():
    made = surface("BUFFER", "R32_UINT", sizes=(100000, 1, 1))
    x = np.int64([0, 99999, 100000, -1, 2**40])
    found = ts.load(made, x)
    np.testing.assert_array_equal(found[:2, 0], made.to_array()[[0, 99999], 0])
    np.testing.assert_array_equal(found[2:], [[0, 0, 0, 1]] * 3)


def test_nothing_outside_has_alpha_only_where_the_format_has_none():
    for format, alpha in (("R8G8B8A8_UNORM", 0), ("R8G8_UNORM", 1), ("R16_FLOAT", 1), ("A8_UNORM", 0)):
        assert ts.load(surface(format=format), -1, 0).tolist() == [0, 0, 0, alpha]


def test_loads_that_are_refused():
    with pytest.raises(ts.StateError, match=r"1D, 2D, 3D and BUFFER surfaces are loaded from .*CUBE"):
        ts.load(surface("CUBE"), 0, 0)
    with pytest.raises(ts.FormatError, match="y of SURFTYPE_2D is missing"):
        ts.load(surface(), 0)
    with pytest.raises(ts.FormatError, match="SURFTYPE_1D is loaded from by x, layer, found y"):
        ts.load(surface("1D"), 0, 0)
    with pytest.raises(ts.FormatError, match="x must be integers, found float"):
        ts.load(surface(), 0.5, 0)


def test_resinfo_by_type():
    assert ts.resinfo(surface("1D", slices=3)).tolist() == [13, 3, 0, 1]
    assert ts.resinfo(surface("1D")).tolist() == [13, 0, 0, 1]
    assert ts.resinfo(surface(mips="box"), 1).tolist() == [6, 3, 0, 4]
    assert ts.resinfo(surface(slices=5)).tolist() == [13, 7, 5, 1]
    assert ts.resinfo(surface("3D")).tolist() == [13, 7, 5, 1]
    assert ts.resinfo(surface("CUBE", slices=2)).tolist() == [13, 13, 2, 1]
    assert ts.resinfo(surface("BUFFER")).tolist() == [13, 0, 0, 1]


@pytest.mark.parametrize(("type", "slices"), [("1D", 3), ("2D", 5), ("2D", 1), ("3D", 1), ("CUBE", 2)])
def test_resinfo_of_levels_that_do_not_exist(type, slices):
    """Seed 002:2551: red, green and blue are 0 unless the LOD is one of the surface's; alpha stays the number."""
    made = surface(type, slices=slices, mips="box")
    outside = [made.levels, 31, 32, 2**31 - 1, -1, -(2**31)]
    assert ts.resinfo(made, np.int32(outside)).tolist() == [[0, 0, 0, made.levels]] * len(outside)
    assert ts.resinfo(made, made.levels - 1)[0] > 0
    single = surface(type, slices=slices)
    assert ts.resinfo(single, [0, 1])[:, 0].tolist() == [13, 0]


def test_resinfo_of_a_buffer_has_one_level():
    assert ts.resinfo(surface("BUFFER"), [0, 1, 32, -1]).tolist() == [[13, 0, 0, 1]] * 4
