"""Cubes without some of their faces."""

import numpy as np
import pytest
from support.sampling import assert_same, coordinates, expected, levels_of, state_of, surface

import texsamp as ts

ZERO = np.zeros(200, np.float32)
FACES = {"+X": 4, "-X": 5, "+Y": 2, "-Y": 3, "+Z": 0, "-Z": 1}
DIRECTIONS = {"+X": (1, 0, 0), "-X": (-1, 0, 0), "+Y": (0, 1, 0), "-Y": (0, -1, 0), "+Z": (0, 0, 1), "-Z": (0, 0, -1)}


def sampler_of(**options):
    return ts.Sampler(border=(0.2, 0.4, 0.6, 0.8), **options)


@pytest.mark.parametrize("face", FACES)
def test_each_bit_is_a_face(face):
    made = ts.Surface.from_array(np.full((6, 4, 4, 4), 255, np.uint8), type="CUBE", device="cpu")
    for name, direction in DIRECTIONS.items():
        found = ts.sample(made, sampler_of(), *map(np.float32, direction), cube_faces=63 & ~(1 << FACES[face]))
        wanted = np.float32([51, 102, 153, 204]) / np.float32(255) if name == face else np.ones(4, np.float32)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R16G16_FLOAT"])
@pytest.mark.parametrize("enabled", [0b101001, 0b000010, 0])
def test_disabled_faces_are_the_border_on_every_level(enabled, format):
    made = surface("CUBE", format, slices=2, mips="box")
    sampler = sampler_of()
    s, levels = state_of(made, sampler), levels_of(made)
    for level in levels:
        for number, name in enumerate(FACES):
            if not enabled >> FACES[name] & 1:
                level[number::6] = s.border
    points, layer = coordinates(200, 3), np.random.default_rng(1).integers(0, 2, 200).astype(np.float32)
    lod = np.random.default_rng(2).integers(0, 3, 200).astype(np.float32)
    wanted = expected(s, levels, [*points, layer], (lod * 256).astype(int))
    found = ts.sample(made, sampler, *points, layer=layer, lod=lod, cube_faces=enabled)
    np.testing.assert_array_equal(found, wanted)
    assert (len(np.unique(found[:, 0])) > 1) == (enabled != 0)


def test_other_states_do_not_see_the_same_faces():
    made, points = surface("CUBE"), coordinates(100, 3)
    whole = ts.sample(made, sampler_of(), *points)
    some = ts.sample(made, sampler_of(), *points, cube_faces=1)
    other = ts.sample(made, ts.Sampler(border=(1, 1, 1, 1)), *points, cube_faces=1)
    assert_same(ts.sample(made, sampler_of(), *points, cube_faces=63), whole)
    assert not np.array_equal(some, other)
    assert not np.array_equal(some, whole)
    assert_same(ts.sample(made, sampler_of(), *points), whole)
    np.testing.assert_array_equal(ts.sample(made, sampler_of(), *points, cube_faces=1), some)


@pytest.mark.constant
def test_gathers_see_the_border_too():
    made = surface("CUBE")
    found = ts.gather4(made, sampler_of(), 0.0, 0.0, 1.0, channel="g", cube_faces=0b111110)
    np.testing.assert_array_equal(found, np.full(4, np.float32(102) / np.float32(255)))


def test_what_is_refused():
    points = coordinates(3, 3)
    with pytest.raises(ts.StateError, match=r"address CLAMP needs all faces of a cube .* found cube_faces 0b000001"):
        ts.sample(surface("CUBE"), ts.Sampler(address="clamp", cube="programmed"), *points, cube_faces=1)
    with pytest.raises(ts.StateError, match="only cubes have faces to disable, found SURFTYPE_2D"):
        ts.sample(surface(), ts.Sampler(), 0.5, 0.5, cube_faces=1)
    for wrong in (64, -1, 1.5):
        with pytest.raises(ts.StateError, match="cube_faces must be an integer from 0 to 63"):
            ts.sample(surface("CUBE"), sampler_of(), *points, cube_faces=wrong)


@pytest.mark.parametrize("read", [ts.sample, ts.gather4])
@pytest.mark.parametrize("format", ["I24X8_UNORM", "R24_UNORM_X8_TYPELESS"])
def test_wide_formats_have_no_border_of_mode_dx9(format, read):
    made, sampler = surface("CUBE", format), sampler_of(border_mode="dx9")
    with pytest.raises(ts.FormatError, match=rf"{format} has no border color of mode DX9 \(003:4211\)"):
        read(made, sampler, *coordinates(3, 3), cube_faces=1)
    read(made, sampler, *coordinates(3, 3))
    read(made, sampler_of(), *coordinates(3, 3), cube_faces=1)
