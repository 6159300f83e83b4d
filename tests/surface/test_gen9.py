"""Surfaces that states of Gen9 describe, held to their texels' places as scalar arithmetic (Broxton volume 2c)."""

import numpy as np
import pytest
from oracle.tiling import linear, w_tiled, x_tiled, y_tiled

from texsamp.errors import StateError
from texsamp.sampler.sample import sample
from texsamp.sampler.sampler import Sampler
from texsamp.state.formats import SurfaceFormat
from texsamp.state.gen9 import RenderSurfaceStateGen9
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType
from texsamp.surface.layout.description import SurfaceDescription, Usage
from texsamp.surface.surface import Surface

ADDRESS = 0x12_3456_7000
TILINGS = {"LINEAR": linear, "XMAJOR": x_tiled, "YMAJOR": y_tiled}
UNITS = {"4": 4, "8": 8, "16": 16}


def _place(state, level, layer, x, y, texel_B):
    """Byte of a texel: level 1 below level 0, level 2 beside 1, others below 2; slices QPitch rows apart."""
    i, j = int(state["horizontal_alignment"][7:]), int(state["vertical_alignment"][7:])

    def padded(size, number, unit):
        return -(-max(size >> number, 1) // unit) * unit

    column = padded(state["width"], 1, i) if level > 1 else 0
    above = [0, *range(2, level)] if level > 1 else range(level)
    row = sum(padded(state["height"], number, j) for number in above)
    x, y = column + x + state.get("x_offset", 0), row + y + layer * state["qpitch"] + state.get("y_offset", 0)
    return TILINGS[state["tile_mode"]](x * texel_B, y, state["pitch"])


def _state(**fields):
    return RenderSurfaceStateGen9(format=SurfaceFormat["R8G8B8A8_UNORM"], base_address=ADDRESS, **fields)


@pytest.mark.parametrize("tile_mode", TILINGS)
def test_levels_and_slices_lie_where_the_state_says(tile_mode):
    rng = np.random.default_rng(len(tile_mode))
    for _ in range(4):
        width, height, layers = (int(n) for n in rng.integers((9, 9, 1), (60, 40, 5)))
        unit = str(rng.choice(list(UNITS)))
        fields = {
            "width": width, "height": height, "tile_mode": tile_mode, "pitch": 1024, "depth": layers,
            "surface_array": True, "horizontal_alignment": f"HALIGN_{rng.choice(list(UNITS))}",
            "vertical_alignment": f"VALIGN_{unit}", "mip_count": 3, "qpitch": 128 + 16 * int(rng.integers(4)),
        }  # fmt: skip
        memory = rng.integers(0, 256, 1 << 20, np.uint8)
        surface = Surface.from_memory(memory, _state(**fields), address=ADDRESS, device="cpu")
        for level in range(4):
            found = surface.to_array(level)
            for layer in range(layers):
                for y in range(max(height >> level, 1)):
                    for x in range(max(width >> level, 1)):
                        at = _place(fields, level, layer, x, y, 4)
                        assert found[layer, y, x].tolist() == memory[at : at + 4].tolist(), (fields, level, layer, y, x)


def test_volumes_cubes_offsets_blocks_and_first_levels():
    rng = np.random.default_rng(3)
    memory = rng.integers(0, 256, 1 << 20, np.uint8)
    common = {"width": 16, "height": 16, "pitch": 512, "tile_mode": "YMAJOR", "qpitch": 32}
    common |= {"horizontal_alignment": "HALIGN_4", "vertical_alignment": "VALIGN_4"}

    def read(**fields):
        return Surface.from_memory(memory, _state(**common | fields), address=ADDRESS, device="cpu")

    def expected(layer, level=0, **fields):
        size = 16 >> level
        places = [[_place(common | fields, level, layer, x, y, 4) for x in range(size)] for y in range(size)]
        return np.stack([memory[np.array(places) + channel] for channel in range(4)], axis=2)

    volume = read(surface_type="SURFTYPE_3D", depth=5).to_array()
    cube = read(surface_type="SURFTYPE_CUBE", cube_faces=63).to_array()
    for slice in range(5):
        assert np.array_equal(volume[slice], expected(slice))
        assert np.array_equal(cube[slice], expected(slice))
    shifted = read(x_offset=8, y_offset=4).to_array()
    assert np.array_equal(shifted, expected(0, x_offset=8, y_offset=4))
    second = read(surface_min_lod=1, mip_count=1).to_array()
    assert np.array_equal(second, expected(0, level=1))
    third = read(surface_array=True, depth=2, min_array_element=2).to_array()
    assert np.array_equal(third[1], expected(3))
    blocks = RenderSurfaceStateGen9(
        format=SurfaceFormat["BC1_UNORM"], base_address=ADDRESS, width=32, height=32, pitch=64, qpitch=12, mip_count=1,
        surface_array=True, depth=2,
    )  # fmt: skip
    surface = Surface.from_memory(memory, blocks, address=ADDRESS, device="cpu")
    assert (
        np.asarray(surface.elements(1, 1)).tobytes()
        == b"".join(  # in blocks: 8 rows above, 12 to the slice
            memory[64 * (12 + 8 + row) :][: 4 * 8].tobytes() for row in range(4)
        )
    )


def test_states_are_read_by_their_generation():
    """Bytes say nothing about whose they are; and who keeps memory coherent changes no texel here."""
    memory = np.random.default_rng(6).integers(0, 256, 1 << 15, np.uint8)
    later = _state(width=9, height=5, pitch=512, tile_mode="YMAJOR")
    sooner = RenderSurfaceState(
        surface_type="SURFTYPE_2D", format=SurfaceFormat["R8G8B8A8_UNORM"], base_address=0x7000, width=9, height=5,
        pitch=512, tiled=True, tile_walk="YMAJOR",
    )  # fmt: skip
    found = [
        Surface.from_memory(memory, later.pack(), address=ADDRESS, generation=9, device="cpu"),
        Surface.from_memory(memory, later.replace(cpu_coherent=True), address=ADDRESS, device="cpu"),
        Surface.from_memory(memory, sooner.pack(), address=0x7000, device="cpu"),
    ]
    assert len({surface.to_array().tobytes() for surface in found}) == 1
    with pytest.raises(StateError, match=r"surface and sampler states of generation 6 .Sandy Bridge. are not known"):
        Surface.from_memory(memory, sooner.pack(), generation=6, device="cpu")


@pytest.mark.parametrize("generation", [7, 9])
def test_levels_that_are_not_there_yet(generation):
    """Resource Min LOD of the state, as the argument of that name: the larger of both (seed 003:478-479)."""
    memory = np.random.default_rng(7).integers(0, 256, 1 << 15, np.uint8)
    state = _state(width=32, height=32, pitch=128, mip_count=4, tile_mode="YMAJOR")
    if generation == 7:
        state = RenderSurfaceState(
            surface_type="SURFTYPE_2D", format=SurfaceFormat["R8G8B8A8_UNORM"], base_address=0x1000, width=32,
            height=32, pitch=128, mip_count=4, tiled=True, tile_walk="YMAJOR",
        )  # fmt: skip
    places = np.random.default_rng(8).random((2, 50), np.float32)
    sampler = Sampler(mip_filter="linear")

    def sampled(least, given=0.0, lod=0.25):
        changed = state.replace(resource_min_lod=least)
        surface = Surface.from_memory(memory, changed, address=state.base_address, device="cpu")
        assert generation == 9 or surface.surface_view.state().resource_min_lod == least
        return sample(surface, sampler, *places, lod=lod, resource_min_lod=given)

    for least, given in ((1.5, 0), (1.5, 2.75), (3, 0.5)):
        assert np.array_equal(sampled(least, given), sampled(0, max(least, given)))
        assert not np.array_equal(sampled(least, given), sampled(0))
    assert not sampled(6).any()


def test_stencil_buffers_and_buffers():
    memory = np.random.default_rng(4).integers(0, 256, 1 << 14, np.uint8)
    stencil = RenderSurfaceStateGen9(
        format=SurfaceFormat["R8_UINT"], base_address=ADDRESS, width=40, height=30, pitch=64, tile_mode="WMAJOR",
        vertical_alignment="VALIGN_8", horizontal_alignment="HALIGN_8",
    )  # fmt: skip

    found = Surface.from_memory(memory, stencil, address=ADDRESS, usage=Usage.STENCIL, device="cpu").to_array()
    assert [[memory[w_tiled(x, y, 64)] for x in range(40)] for y in range(30)] == found.reshape(30, 40).tolist()
    numbers = RenderSurfaceStateGen9(
        surface_type="SURFTYPE_BUFFER", format=SurfaceFormat["R32_UINT"], base_address=ADDRESS, entries=300, pitch=4
    )
    found = Surface.from_memory(memory, numbers, address=ADDRESS, device="cpu").to_array()
    assert found.reshape(-1).tolist() == memory.view("<u4")[:300].tolist()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tiled_resource_mode": "TILE_4KB"}, "tiled_resource_mode"),
        ({"auxiliary_mode": "AUX_CCS_E"}, "auxiliary_mode"),
        ({"memory_compression_enable": True}, "memory_compression_enable"),
        ({"samples": "COUNT_4"}, "samples"),
        ({"select_red": "BLUE"}, "shader channel selects"),
        ({"quilt_width": 2}, "quilts"),
        ({"astc": True}, "astc"),
        ({"base_mip_level": 1.5}, "base_mip_level"),
        ({"rotation": "DEG_90"}, "rotation"),
        ({"surface_type": "SURFTYPE_3D", "mip_count": 1, "depth": 2}, "levels of SURFTYPE_3D on generation 9"),
        ({"surface_array": True, "depth": 2, "qpitch": 12}, "must be a multiple of 4 from 16 on, found 12"),
        ({"surface_type": "SURFTYPE_1D", "height": 1, "surface_array": True, "depth": 2}, "texels apart, not rows"),
    ],
)
def test_what_only_gen9_has_is_refused(fields, message):
    state = _state(**{"width": 16, "height": 16, "pitch": 512} | fields)
    with pytest.raises(StateError, match=message):
        Surface.from_memory(bytes(1 << 16), state, address=ADDRESS, device="cpu")


def test_older_generations_choose_their_slices_themselves():

    with pytest.raises(StateError, match="generation 7 chooses the rows from slice to slice itself"):
        SurfaceDescription(SurfaceType.SURFTYPE_2D, "R8_UNORM", 8, 8, slice_rows=16)
