"""Surfaces: arrays and files in, arrays and files out, and the state that reads back to an equal surface."""

import itertools

import numpy as np
import pytest

from texsamp import FormatError, StateError, Surface
from texsamp.state.formats import SurfaceFormat
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType

SHAPES = {
    "2D": ((37, 61, 4), {}),
    "2D array": ((5, 37, 61, 4), {}),
    "1D": ((33, 4), {"type": "1D"}),
    "1D array": ((3, 33, 4), {"type": "1D"}),
    "3D": ((7, 9, 11, 4), {"type": "3D"}),
    "cube": ((6, 16, 16, 4), {"type": "CUBE"}),
    "cube array": ((12, 16, 16, 4), {"type": "CUBE"}),
    "buffer": ((100, 4), {"type": "BUFFER"}),
    "4 samples": ((4, 9, 13, 4), {"samples": 4}),
    "array of 8 samples": ((3, 8, 9, 13, 4), {"samples": 8}),
}
TILINGS = ("linear", "X", "Y")


def noise(shape, dtype=np.uint8, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8).astype(dtype)


SURFACES = [
    pytest.param(shape, {**options, "tiling": tiling}, id=f"{name}-{tiling}")
    for (name, (shape, options)), tiling in itertools.product(SHAPES.items(), TILINGS)
    if (tiling == "linear" or name != "buffer") and (tiling != "linear" or "samples" not in name)
]


@pytest.mark.parametrize(("shape", "options"), SURFACES)
def test_an_array_comes_back(shape, options):
    array = noise(shape)
    surface = Surface.from_array(array, device="cpu", **options)
    np.testing.assert_array_equal(surface.to_array(), array, strict=True)


@pytest.mark.parametrize(("shape", "options"), SURFACES)
def test_state_and_memory_read_back_to_an_equal_surface(shape, options):
    surface = Surface.from_array(noise(shape), device="cpu", **options)
    dwords = surface.state.pack()
    again = Surface.from_memory(bytes(surface.data), RenderSurfaceState.unpack(dwords), device="cpu")
    assert again == surface
    assert again.state.pack() == dwords


@pytest.mark.parametrize(("shape", "options"), SURFACES)
def test_images_read_back_to_an_equal_surface(shape, options):
    surface = Surface.from_array(noise(shape), device="cpu", **options)
    if surface.samples > 1 or options.get("type") == "BUFFER":
        with pytest.raises(FormatError, match="no buffers and no samples"):
            surface.images()
        return
    assert Surface.from_images(surface.images(), tiling=options["tiling"], device="cpu") == surface


@pytest.mark.parametrize("tiling", TILINGS)
def test_parts_of_a_cube_array(tiling):
    array = noise((18, 16, 16, 4))
    surface = Surface.from_array(array, type="CUBE", tiling=tiling, device="cpu")
    np.testing.assert_array_equal(surface.to_array(layer=1, face="-x"), array[7])
    np.testing.assert_array_equal(surface.to_array(layer=1), array[6:12])
    np.testing.assert_array_equal(surface.to_array(face="-z"), array[5::6])
    np.testing.assert_array_equal(surface.to_array(layer=2, face=0), array[12])


@pytest.mark.parametrize("tiling", TILINGS)
@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"layer": 1}, slice(6, 12)),
        ({"layer": 1, "layers": 2}, slice(6, 18)),
        ({"layer": 1, "face": "+y"}, slice(8, 9)),
        ({"layer": 0, "face": 0}, slice(0, 1)),
    ],
)
def test_views_of_cubes(tiling, choice, expected):
    array = noise((18, 16, 16, 4))
    surface = Surface.from_array(array, type="CUBE", tiling=tiling, device="cpu")
    view = surface.view(**choice)
    np.testing.assert_array_equal(view.to_array(), array[expected])
    assert np.shares_memory(view.data, surface.data)
    assert Surface.from_memory(surface.data, view.state, device="cpu") == view


def test_cubes_may_begin_at_any_slice():
    array = noise((18, 16, 16, 4))
    surface = Surface.from_array(array, type="CUBE", device="cpu")
    shifted = Surface.from_memory(surface.data, surface.state.replace(min_array_element=3, depth=2), device="cpu")
    assert shifted.layers == 2
    np.testing.assert_array_equal(shifted.to_array(), array[3:15])
    last = shifted.view(layer=1)
    np.testing.assert_array_equal(last.to_array(), array[9:15])
    assert last.layers == 1


def test_faces_behind_the_last_cube_need_no_memory():
    """A view of an array's slices 2 to 13 as two cubes, as drivers program it, ends where slice 13 does."""
    array = noise((14, 16, 16, 4))
    flat = Surface.from_array(array, tiling="Y", device="cpu")
    state = flat.state.replace(surface_type="SURFTYPE_CUBE", cube_faces=63, min_array_element=2, depth=2)
    cubes = Surface.from_memory(flat.data, state, device="cpu")
    np.testing.assert_array_equal(cubes.to_array(), array[2:])
    with pytest.raises(StateError, match="the surface takes"):
        Surface.from_memory(flat.data, state.replace(min_array_element=6), device="cpu")


@pytest.mark.parametrize("shape", [(1, 160, 4), (3, 21, 4), (5, 9, 17, 4)])
def test_linear_surfaces_end_with_their_last_texel(shape):
    """Rows that align it need no memory, nor does the rest of its pitch."""
    array = noise(shape)
    flat = Surface.from_array(array, tiling="linear", device="cpu")
    slices_rows = (shape[0] - 1) * flat.layout.slice_pitch_el_rows if len(shape) == 4 else 0
    end = (slices_rows + shape[-3] - 1) * flat.layout.pitch_B + shape[-2] * 4
    assert end <= flat.data.size - flat.layout.pitch_B
    np.testing.assert_array_equal(Surface.from_memory(flat.data[:end], flat.state, device="cpu").to_array(), array)
    with pytest.raises(StateError, match="the surface takes"):
        Surface.from_memory(flat.data[: end - 1], flat.state, device="cpu")


def test_views_of_arrays_nest():
    array = noise((9, 5, 7, 4))
    surface = Surface.from_array(array, tiling="Y", device="cpu")
    view = surface.view(layer=2, layers=5).view(layer=3)
    np.testing.assert_array_equal(view.to_array(), array[5:6])
    assert view.state.min_array_element == 5
    assert view.layers == 1
    with pytest.raises(StateError, match="layer must be from 0 to 0, found 1"):
        view.to_array(layer=1)


@pytest.mark.parametrize("tiling", TILINGS)
@pytest.mark.parametrize("kind", ["2D", "2D array", "3D", "cube array"])
def test_views_of_levels(tiling, kind):
    shape, options = SHAPES[kind]
    surface = Surface.from_array(noise(shape), mips="box", tiling=tiling, device="cpu", **options)
    assert surface.levels == max(size for size in (*shape[-3:-1], surface.depth_px)).bit_length()
    for level in range(surface.levels):
        view = surface.view(level=level)
        assert (view.levels, view.state.surface_min_lod, view.state.mip_count) == (1, level, 0)
        np.testing.assert_array_equal(view.to_array(), surface.to_array(level))
        assert Surface.from_memory(surface.data, view.state, device="cpu") == view
    part = surface.view(level=1, levels=2)
    assert part.levels == 2
    assert (part.width_px, part.height_px, part.depth_px) == surface.level_size_px(1)
    np.testing.assert_array_equal(part.to_array(1), surface.to_array(2))


@pytest.mark.parametrize("kind", ["2D", "2D array", "3D", "cube array", "1D"])
@pytest.mark.parametrize("tiling", TILINGS)
def test_mips_are_the_same_in_every_layout_and_read_back(kind, tiling):
    shape, options = SHAPES[kind]
    plain = Surface.from_array(noise(shape), mips="lanczos", edge="wrap", device="cpu", **options)
    surface = Surface.from_array(noise(shape), mips="lanczos", edge="wrap", tiling=tiling, device="cpu", **options)
    again = Surface.from_memory(surface.data, surface.state, device="cpu")
    assert again == surface
    for level in range(surface.levels):
        np.testing.assert_array_equal(again.to_array(level), plain.to_array(level))
    width, height, depth = surface.level_size_px(surface.levels - 1)
    assert (width, height, depth) == (1, 1, 1)


def test_each_face_and_slice_has_mips_of_its_own():
    array = noise((12, 16, 16, 4))
    cube = Surface.from_array(array, type="CUBE", mips="kaiser", device="cpu")
    alone = Surface.from_array(array[9], mips="kaiser", device="cpu")
    for level in range(cube.levels):
        np.testing.assert_array_equal(cube.to_array(level, layer=1, face="-y"), alone.to_array(level))


def test_a_volume_is_filtered_through_its_depth():
    array = np.zeros((2, 2, 2, 1), np.uint8)
    array[1] = 200
    volume = Surface.from_array(array, "R8_UNORM", type="3D", mips="box", device="cpu")
    assert volume.to_array(1).ravel().tolist() == [100]


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "B8G8R8A8_UNORM_SRGB", "B5G6R5_UNORM", "R16G16_FLOAT"])
def test_mips_can_be_made_later(format):
    channels = {"B5G6R5_UNORM": 3, "R16G16_FLOAT": 2}.get(format, 4)
    array = noise((2, 13, 21, channels)).astype(np.float32) / np.float32(255)
    at_once = Surface.from_array(array, format, mips="kaiser", levels=3, tiling="Y", device="cpu")
    later = Surface.from_array(array, format, tiling="Y", device="cpu").with_mips("kaiser", 3)
    assert at_once == later
    assert at_once.levels == 3
    part = Surface.from_array(array, format, device="cpu").view(layer=1).with_mips("kaiser", 3)
    np.testing.assert_array_equal(part.to_array(2), at_once.to_array(2)[1:])


def test_mips_of_linear_light_are_lighter():
    array = np.zeros((2, 2, 4), np.uint8)
    array[0] = 255
    expected = {"R8G8B8A8_UNORM": 128, "B8G8R8A8_UNORM_SRGB": 188, "B8G8R8A8_UNORM": 128}
    for name, color in expected.items():
        surface = Surface.from_array(array, name, mips="box", device="cpu")
        assert surface.to_array(1).tolist() == [[[color, color, color, 128]]]


def test_padding_and_addresses_do_not_make_surfaces_different():
    surface = Surface.from_array(noise((9, 13, 4)), tiling="Y", device="cpu")
    memory = np.full(surface.data.size + 3 * 4096, 0x5A, np.uint8)
    memory[8192 : 8192 + surface.data.size] = surface.data
    everywhere = Surface.from_array(np.full((9, 13, 4), 255, np.uint8), tiling="Y", device="cpu")
    padding = everywhere.data == 0
    assert padding.sum() == surface.data.size - 9 * 13 * 4
    memory[8192 : 8192 + surface.data.size][padding] = 0xA5
    moved = surface.state.replace(base_address=0x7000 + 8192)
    copy = Surface.from_memory(memory, moved, address=0x7000, device="cpu")
    assert copy == surface
    assert copy.state.base_address == 0x9000
    assert copy != Surface.from_array(noise((9, 13, 4)), tiling="X", device="cpu")
    assert copy != Surface.from_array(noise((9, 13, 4), seed=1), tiling="Y", device="cpu")
    assert copy != "a surface"


def test_what_is_read_out_of_memory_follows_the_memory():
    surface = Surface.from_array(noise((8, 8, 4)), device="cpu")
    memory = np.array(surface.data)
    view = Surface.from_memory(memory, surface.state, device="cpu")
    memory[:4] = 1, 2, 3, 4
    assert view.to_array()[0, 0].tolist() == [1, 2, 3, 4]


def test_one_field_of_interleaved_lines():
    frame = noise((12, 6, 4))
    whole = Surface.from_array(frame, device="cpu")
    fields = [
        whole.state.replace(height=6, vertical_line_stride=1, vertical_line_stride_offset=offset) for offset in (0, 1)
    ]
    for offset, state in enumerate(fields):
        field = Surface.from_memory(whole.data, state, device="cpu")
        np.testing.assert_array_equal(field.to_array(), frame[offset::2])
        assert field.state == state


def test_a_surface_at_an_offset_in_tiled_memory():
    frame = noise((40, 48, 4))
    whole = Surface.from_array(frame, tiling="Y", device="cpu")
    state = whole.state.replace(width=16, height=8, x_offset=12, y_offset=6)
    part = Surface.from_memory(whole.data, state, device="cpu")
    np.testing.assert_array_equal(part.to_array(), frame[6:14, 12:28])
    with pytest.raises(StateError, match="width_B must be from 0 to 80, found 128"):
        Surface.from_memory(whole.data, state.replace(width=32, x_offset=44), device="cpu").elements()


def test_elements_of_buffers_may_lie_apart():
    memory = noise((20, 8))
    buffer = Surface.from_array(memory[:, :4], type="BUFFER", device="cpu")
    apart = Surface.from_memory(memory.reshape(-1), buffer.state.replace(pitch=8), device="cpu")
    np.testing.assert_array_equal(apart.to_array(), memory[:, :4])
    wide = Surface.from_array(noise(200_000)[:, None], "R8_UNORM", type="BUFFER", device="cpu")
    np.testing.assert_array_equal(wide.to_array()[:, 0], noise(200_000))


@pytest.mark.parametrize("pitch_B", [1, 3])
def test_elements_of_buffers_may_overlap_and_end_in_zeros(pitch_B):
    """Drivers see constants so: an entry of four floats at every byte."""
    memory = noise(64)
    state = Surface.from_array(memory[:40].reshape(10, 4), type="BUFFER", device="cpu").state.replace(pitch=pitch_B)
    found = Surface.from_memory(memory, state, device="cpu").to_array()
    held = np.concatenate([memory[: 10 * pitch_B], np.zeros(4, np.uint8)])
    np.testing.assert_array_equal(found, [held[pitch_B * n : pitch_B * n + 4] for n in range(10)])


def test_structures_of_a_buffer_are_packed():
    """001:2254-2258; a view of later structures begins at the first of them."""
    memory = noise(40 * 12)
    state = RenderSurfaceState(
        surface_type=SurfaceType.SURFTYPE_STRBUF, format=SurfaceFormat["RAW"], entries=40, pitch=12
    )
    buffer = Surface.from_memory(memory, state, device="cpu")
    assert buffer.elements().tobytes() == memory.tobytes()
    later = Surface.from_memory(memory, state.replace(entries=30, min_structure=10), device="cpu")
    assert later.elements().tobytes() == memory[10 * 12 :].tobytes()
    assert later.width_px == 30


@pytest.mark.parametrize("generation", [4, 5, 6, 7, 7.5])
@pytest.mark.parametrize("slices", [(), (3,)])
@pytest.mark.parametrize("tiling", TILINGS)
def test_1d_surfaces_are_2d_surfaces_of_one_row(tiling, slices, generation):
    """001:2266-2268."""
    options = {"mips": "box", "tiling": tiling, "generation": generation, "device": "cpu"}
    array = noise((*slices, 100, 4))
    line = Surface.from_array(array, type="1D", **options)
    plane = Surface.from_array(array[..., None, :, :], type="2D", **options)
    assert line.data.tobytes() == plane.data.tobytes()
    for level in range(line.levels):
        assert line.to_array(level).tobytes() == plane.to_array(level).tobytes()


@pytest.mark.parametrize("generation", [5, 6, 7, 7.5])
def test_stencil_buffers_are_tiled_in_w(generation):
    array = noise((70, 65, 1))
    stencil = Surface.from_array(array, "R8_UINT", tiling="W", generation=generation, device="cpu")
    np.testing.assert_array_equal(stencil.to_array(), array)
    for y, x in ((0, 0), (1, 0), (0, 1), (3, 5), (63, 63), (69, 64)):
        place = (y // 64 * 2 + x // 64) * 4096  # tiles of 64 x 64 bytes; two of them cover a row
        for bit, coordinate in enumerate(
            (x, y, x >> 1, y >> 1, x >> 2, y >> 2, y >> 3, y >> 4, y >> 5, x >> 3, x >> 4, x >> 5)
        ):
            place += (coordinate & 1) << bit
        assert stencil.data[place] == array[y, x, 0]
    with pytest.raises(StateError, match="RENDER_SURFACE_STATE describes linear, X and Y"):
        _ = stencil.state


@pytest.mark.parametrize("generation", [4, 5, 6, 7, 7.5])
def test_every_generation_lays_out_in_its_own_way(generation):
    array = noise((6, 20, 20, 4))
    surface = Surface.from_array(array, type="CUBE", mips="box", tiling="Y", generation=generation, device="cpu")
    np.testing.assert_array_equal(surface.to_array(), array)
    reference = Surface.from_array(array, type="CUBE", mips="box", device="cpu")
    np.testing.assert_array_equal(surface.to_array(2), reference.to_array(2))
    assert surface.images() == reference.images()


@pytest.mark.parametrize("suffix", ["dds", "ktx2"])
def test_files_are_written_and_opened(tmp_path, suffix):
    array = noise((12, 16, 16, 4))
    cubes = Surface.from_array(array, type="CUBE", mips="box", tiling="X", device="cpu")
    cubes.save(tmp_path / f"sky.{suffix}")
    assert Surface.open(tmp_path / f"sky.{suffix}", tiling="X", device="cpu") == cubes
    plain = Surface.open(tmp_path / f"sky.{suffix}", device="cpu")
    assert plain.description.tiling == "linear"
    np.testing.assert_array_equal(plain.to_array(2), cubes.to_array(2))


class Foreign:
    """An array of another library: nothing but the DLPack protocol."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_arrays_of_other_libraries_come_and_go_by_dlpack():
    array = noise((9, 13, 4))
    surface = Surface.from_array(Foreign(array), tiling="Y", device="cpu")
    np.testing.assert_array_equal(np.from_dlpack(surface.to_array()), array)
    raw = np.from_dlpack(surface.data)
    assert np.shares_memory(raw, surface.data)
    again = Surface.from_memory(Foreign(raw), surface.state, device="cpu")
    assert again == surface
    assert np.shares_memory(again.data, surface.data)


@pytest.mark.parametrize(
    ("shape", "type", "size"),
    [
        ((5, 7), None, (7, 5, 1)),
        ((5, 1), None, (1, 5, 1)),
        ((3, 5, 7), None, (7, 5, 1)),
        ((9,), "1D", (9, 1, 1)),
        ((2, 9), "1D", (9, 1, 1)),
        ((2, 3, 4), "3D", (4, 3, 2)),
        ((6, 4, 4), "CUBE", (4, 4, 1)),
        ((9,), "BUFFER", (9, 1, 1)),
    ],
)
def test_formats_of_one_channel_may_leave_its_axis_out(shape, type, size):
    surface = Surface.from_array(noise(shape), "R8_UNORM", type=type, device="cpu")
    assert surface.level_size_px(0) == size
    np.testing.assert_array_equal(surface.to_array()[..., 0], noise(shape))
    assert Surface.from_array(noise(shape)[..., None], "R8_UNORM", type=type, device="cpu") == surface


@pytest.mark.parametrize("flip", [(0,), (1,), (0, 1)])
def test_arrays_need_not_be_contiguous(flip):
    array = np.flip(noise((9, 13, 8)), flip)[..., ::2]
    np.testing.assert_array_equal(Surface.from_array(array, tiling="X", device="cpu").to_array(), array)


def test_samples_lie_where_the_layout_says():
    array = noise((4, 6, 10, 1), np.uint8)
    for storage in ("R8_UNORM", "R24_UNORM_X8_TYPELESS"):
        values = array if storage == "R8_UNORM" else array.astype(np.float32) / np.float32(255)
        surface = Surface.from_array(values, storage, samples=4, tiling="Y", device="cpu")
        for sample, y, x in np.ndindex(4, 6, 10):
            offset = surface.layout.offset_B(x, y, sample=sample)
            assert surface.data[offset : offset + surface.layout.element.size_B].tobytes() == (
                surface.elements(sample=sample).reshape(6, 10, -1)[y, x].tobytes()
            )
        np.testing.assert_array_equal(surface.to_array(sample=2), surface.to_array()[2])


def test_repr_is_one_short_line():
    surface = Surface.from_array(noise((12, 4, 4, 4)), type="CUBE", mips="box", tiling="Y", device="cpu")
    assert repr(surface) == "<Surface CUBE R8G8B8A8_UNORM 4x4, 3 levels, 2 layers, Y, cpu>"
    with pytest.raises(TypeError, match="unhashable"):
        hash(surface)
