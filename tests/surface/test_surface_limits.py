"""What surfaces refuse, in words that name the limit and the value; and any state at all."""

import numpy as np
import pytest

from texsamp import FormatError, StateError, Surface, TexsampError
from texsamp.state.formats import SurfaceFormat
from texsamp.state.render_surface import RenderSurfaceState


def noise(shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def test_a_volume_has_no_layers_to_view():
    volume = Surface.from_array(noise((4, 5, 6, 4)), type="3D", device="cpu")
    with pytest.raises(StateError, match="only arrays and cubes have layers to choose from"):
        volume.view(layer=1)


def test_integers_have_no_mips():
    with pytest.raises(FormatError, match="R8G8B8A8_UINT cannot be filtered: its channels are uint"):
        Surface.from_array(noise((4, 4, 4)), "R8G8B8A8_UINT", mips="box", device="cpu")
    with pytest.raises(FormatError, match="2 levels need a filter"):
        Surface.from_array(noise((4, 4, 4)), levels=2, device="cpu")
    for levels in (0, 4):
        with pytest.raises(StateError, match=f"levels must be from 1 to 3, found {levels}"):
            Surface.from_array(noise((4, 4, 4)), mips="box", levels=levels, device="cpu")


def test_memory_must_hold_the_surface():
    surface = Surface.from_array(noise((8, 8, 4)), device="cpu")
    with pytest.raises(StateError, match="takes 256 bytes from address 0x0 on, found memory from 0x0 to 0xff"):
        Surface.from_memory(bytes(255), surface.state, device="cpu")
    with pytest.raises(StateError, match="found memory from 0x1000 to 0x2000"):
        Surface.from_memory(bytes(4096), surface.state, address=0x1000, device="cpu")
    with pytest.raises(FormatError, match="data must be contiguous"):
        Surface.from_memory(np.zeros((64, 64), np.uint8)[:, ::2], surface.state, device="cpu")
    words = np.arange(64, dtype=np.uint32)
    assert Surface.from_memory(words, surface.state, device="cpu").data.tobytes() == words.tobytes()


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((4, 4, 2), {}, r"R8G8B8A8_UNORM has 4 channels on the last axis, found shape \(4, 4, 2\)"),
        ((4, 4), {}, r"a 2D surface has shape \(height, width, channels\) or \(slices, .*, found \(4, 4\)"),
        ((0, 4, 4), {}, r"found \(0, 4, 4\)"),
        ((5, 4, 4, 4), {"type": "CUBE"}, r"6 faces per cube \(\+X -X \+Y -Y \+Z -Z\), found 5 in shape"),
        ((4, 4, 4), {"type": "3D"}, r"a 3D surface has shape \(depth, height, width, channels\), found \(4, 4, 4\)"),
        ((3, 4, 4, 4), {"samples": 4, "tiling": "Y"}, r"must have 4 samples, found shape \(3, 4, 4, 4\)"),
        ((4, 4, 4), {"type": "4D"}, "type must be one of 1D, 2D, 3D, CUBE, BUFFER, found '4D'"),
        ((4, 4, 4), {"format": "R8G8B8A8"}, "no surface format 'R8G8B8A8'"),
        ((4, 4, 4), {"mips": "cubic"}, "mips must be made with box, kaiser, lanczos, found 'cubic'"),
        ((1, 1, 4), {"mips": "cubic"}, "found 'cubic'"),
        ((4, 4, 4), {"mips": "box", "edge": "mirror"}, "edge must be clamp or wrap, found 'mirror'"),
    ],
)
def test_arrays_that_do_not_fit(shape, options, message):
    with pytest.raises(FormatError, match=message):
        Surface.from_array(noise(shape), device="cpu", **options)


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((4, 5, 5, 4), {"type": "3D", "samples": 1, "generation": 8}, "layouts are described for generations"),
        ((6, 5, 4, 4), {"type": "CUBE"}, "cube faces are square, found 4 x 5"),
        ((1, 16385, 4), {}, "SURFTYPE_2D width in texels must be from 1 to 16384, found 16385"),
        ((2, 4, 4, 4), {"samples": 2, "tiling": "Y"}, "samples must be one of 1, 4, 8 on generation 7, found 2"),
        ((4, 4, 4), {"tiling": "Z"}, "tiling must be one of linear, X, Y, W, found 'Z'"),
    ],
)
def test_sizes_beyond_the_hardware(shape, options, message):
    with pytest.raises(StateError, match=message):
        Surface.from_array(noise(shape), device="cpu", **options)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"level": 1}, "level must be from 0 to 0, found 1"),
        ({"level": -1}, "level must be from 0 to 0, found -1"),
        ({"level": 0.0}, "level must be from 0 to 0, found 0.0"),
        ({"layer": 2}, "layer must be from 0 to 1, found 2"),
        ({"face": "up"}, r"face must be one of \+x, -x, \+y, -y, \+z, -z or 0 to 5, found 'up'"),
        ({"face": 6}, "face must be from 0 to 5, found 6"),
        ({"sample": 1}, "sample must be from 0 to 0, found 1"),
    ],
)
def test_what_cannot_be_seen(choice, message):
    cubes = Surface.from_array(noise((12, 4, 4, 4)), type="CUBE", device="cpu")
    with pytest.raises(StateError, match=message):
        cubes.to_array(**choice)
    if "sample" not in choice:
        with pytest.raises(StateError, match=message):
            cubes.view(**choice)


def test_faces_of_the_oldest_cubes_cannot_be_named():
    cube = Surface.from_array(noise((6, 4, 4, 4)), type="CUBE", mips="box", generation=4, device="cpu")
    np.testing.assert_array_equal(cube.view(level=1).to_array(), cube.to_array(1))
    with pytest.raises(StateError, match="faces of generation 4 lie like slices of a volume"):
        cube.view(face="+x")


def test_faces_belong_to_cubes():
    surface = Surface.from_array(noise((4, 4, 4)), device="cpu")
    with pytest.raises(StateError, match=r"only cubes have faces, found face '\+x'"):
        surface.to_array(face="+x")
    cubes = Surface.from_array(noise((12, 4, 4, 4)), type="CUBE", device="cpu")
    with pytest.raises(StateError, match="a face is chosen from one cube, found 2 layers"):
        cubes.view(face=0)
    with pytest.raises(StateError, match="layers of a view from layer 1 on must be from 1 to 1, found 2"):
        cubes.view(layer=1, layers=2)


def random_state(random):
    """A state with every field at random, or with fields that often make a surface."""
    if random.random() < 0.2:
        return RenderSurfaceState.from_dwords([int(dword) for dword in random.integers(0, 1 << 32, 8)])
    names = list(SurfaceFormat.__members__)
    choices = {
        "surface_type": [0, 1, 2, 3],
        "format": [SurfaceFormat[name] for name in names],
        "width": [1, 3, 7, 33, 64, 200],
        "height": [1, 3, 7, 33, 64, 200],
        "depth": [1, 1, 2, 6],
        "pitch": [128, 512, 1024, 2048, 999],
        "tiled": [0, 1],
        "tile_walk": [0, 1],
        "surface_array": [0, 1],
        "min_array_element": [0, 0, 1, 5, 7],
        "surface_min_lod": [0, 0, 1, 3],
        "mip_count": [0, 1, 4],
        "samples": [0, 0, 0, 2, 3],
        "multisample_format": [0, 1],
        "x_offset": [0, 0, 4, 12],
        "y_offset": [0, 0, 2, 6],
        "vertical_line_stride": [0, 0, 0, 1],
        "array_spacing": [0, 1],
        "horizontal_alignment": [0, 1],
        "vertical_alignment": [0, 1],
    }
    values = {name: legal[int(random.integers(len(legal)))] for name, legal in choices.items()}
    if random.random() < 0.2:
        buffer = {"surface_type": int(random.integers(4, 6)), "entries": int(random.integers(1, 3000))}
        values = {"format": values["format"], "pitch": int(random.integers(1, 64)), **buffer}
    return RenderSurfaceState(**values)


def test_any_state_gives_texels_that_its_own_state_finds_again_or_an_error():
    random = np.random.default_rng(8)
    memory = random.integers(0, 256, 1 << 20, np.uint8)
    made = 0
    for _ in range(1500):
        try:
            state = random_state(random)
            surface = Surface.from_memory(memory, state, address=state.base_address, device="cpu")
            for level in range(surface.levels):
                surface.to_array(level)
        except TexsampError:
            continue
        again = Surface.from_memory(memory, surface.state, address=surface.state.base_address, device="cpu")
        assert again == surface, state
        made += 1
    assert made > 100
