"""Addresses from RENDER_SURFACE_STATE alone, and states of layouts."""

import numpy as np
import pytest

from texsamp.errors import StateError
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType
from texsamp.surface.layout import SurfaceDescription, SurfaceLayout, SurfaceView, Usage, interleave

D2, CUBE = SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_CUBE
BASE = 0x40000
RGBA8 = "R8G8B8A8_UNORM"

DESCRIPTIONS = [
    SurfaceDescription(SurfaceType.SURFTYPE_1D, "R32_FLOAT", 100, levels=7, array_length=5),
    SurfaceDescription(D2, RGBA8, 61, 37, levels=6, tiling="Y", valign_rows=4),
    SurfaceDescription(D2, "BC3_UNORM", 64, 64, levels=7, tiling="X", array_length=3),
    SurfaceDescription(D2, RGBA8, 64, 64, samples=8, tiling="Y", array_length=2),
    SurfaceDescription(D2, "R24_UNORM_X8_TYPELESS", 64, 64, samples=4, tiling="Y", valign_rows=4, halign_px=8),
    SurfaceDescription(SurfaceType.SURFTYPE_3D, "R16G16B16A16_FLOAT", 20, 30, 9, levels=4),
    SurfaceDescription(CUBE, RGBA8, 32, 32, levels=6, tiling="Y", array_length=2),
    SurfaceDescription(SurfaceType.SURFTYPE_BUFFER, "R32G32_UINT", 1 << 20, pitch_B=16),
    SurfaceDescription(SurfaceType.SURFTYPE_BUFFER, "RAW", 4096),
    SurfaceDescription(SurfaceType.SURFTYPE_STRBUF, "RAW", 1000, pitch_B=52),
]


@pytest.mark.parametrize("description", DESCRIPTIONS, ids=lambda d: f"{d.type.name[9:]}-{d.format}")
def test_a_layout_survives_its_state(description):
    view = SurfaceView(SurfaceLayout(description), BASE)
    state = RenderSurfaceState.unpack(view.state().pack())
    again = SurfaceView.from_state(state)
    assert again == view
    assert again.layout == view.layout


def test_what_is_not_the_first_is_added():
    """003:2329 and 003:2471: Minimum Array Element and Surface Min LOD."""
    layout = SurfaceLayout(SurfaceDescription(D2, RGBA8, 64, 64, levels=7, array_length=9))
    view = SurfaceView(layout, BASE, first_level=2, first_layer=4)
    again = SurfaceView.from_state(view.state())
    assert again == view
    assert again.levels == 5
    assert again.address(3, 4, level=1, layer=2) == BASE + layout.offset_B(3, 4, level=3, layer=6)
    with pytest.raises(StateError, match="layer must be from 0 to 8, found 9"):
        again.address(0, 0, layer=5)


def test_cube_views_count_faces():
    layout = SurfaceLayout(SurfaceDescription(CUBE, RGBA8, 8, 8, array_length=3))
    view = SurfaceView(layout, BASE, first_layer=6)
    assert view.state().depth == 2
    again = SurfaceView.from_state(view.state())
    assert again == view
    assert again.address(0, 0, layer=5) == BASE + layout.offset_B(0, 0, layer=11)


def test_offsets_are_applied_before_tiling():
    """003:2412-2465: the base address is a tile, the surface begins inside it."""
    layout = SurfaceLayout(SurfaceDescription(D2, RGBA8, 16, 8, tiling="Y", pitch_B=512))
    view = SurfaceView(layout, BASE, x_offset_px=12, y_offset_rows=6)
    again = SurfaceView.from_state(view.state())
    assert again == view
    assert again.address(5, 3) == BASE + layout.addressing.offset_B(17 * 4, 9)
    assert again.address(15, 7) == BASE + layout.addressing.offset_B(27 * 4, 13)


@pytest.mark.parametrize("field", [0, 1])
def test_one_field_of_an_interleaved_surface(field):
    """003:2094-2106: every second row."""
    layout = SurfaceLayout(SurfaceDescription(D2, "R8_UNORM", 64, 16, tiling="Y", field_access=True))
    view = SurfaceView(layout, BASE, line_stride=1, line_offset=field)
    again = SurfaceView.from_state(view.state())
    assert again == view
    assert again.address(9, 11) == BASE + layout.addressing.offset_B(9, 22 + field)
    assert again.size_B == 4096


def test_samples_from_the_state():
    view = SurfaceView.from_state(SurfaceView(SurfaceLayout(DESCRIPTIONS[4]), BASE).state())
    x, y = interleave(9, 11, 2, 4)
    assert view.address(9, 11, sample=2) == BASE + view.layout.addressing.offset_B(x * 4, y)


def test_structures():
    view = SurfaceView(SurfaceLayout(DESCRIPTIONS[9]), BASE, first_layer=10)
    assert view.state().min_structure == 10
    assert view.state().entries == 990
    assert SurfaceView.from_state(view.state()).address(3) == BASE + 13 * 52


def test_arrays_of_coordinates():
    view = SurfaceView(SurfaceLayout(DESCRIPTIONS[1]), BASE)
    y, x = np.mgrid[0:37, 0:61]
    found = view.address(x, y)
    assert found.shape == (37, 61)
    assert found[20, 33] == view.address(33, 20)
    assert found.max() < BASE + view.size_B


def test_broken_states():
    layout = SurfaceLayout(SurfaceDescription(D2, RGBA8, 64, 64, tiling="Y"))
    with pytest.raises(StateError, match="base address of a tiled surface must be a multiple of 4096, found 0x40010"):
        SurfaceView(layout, BASE + 16)
    with pytest.raises(StateError, match="a linear surface has no X and Y offset, found 4 and 0"):
        SurfaceView(SurfaceLayout(SurfaceDescription(D2, RGBA8, 64, 64)), BASE, x_offset_px=4)
    with pytest.raises(StateError, match="first level must be from 0 to 0, found 3"):
        SurfaceView(layout, BASE, first_level=3)
    blocks = SurfaceLayout(SurfaceDescription(D2, "FXT1", 64, 64, tiling="Y"))
    with pytest.raises(StateError, match="X and Y offset of FXT1 must be multiples of 8 and 4, found 4 and 2"):
        SurfaceView(blocks, BASE, x_offset_px=4, y_offset_rows=2)
    with pytest.raises(StateError, match="the vertical line stride of FXT1 must be 0, found 1"):
        SurfaceView(blocks, BASE, line_stride=1)
    with pytest.raises(StateError, match="SURFTYPE_NULL has no memory"):
        SurfaceView.from_state(RenderSurfaceState(surface_type=SurfaceType.SURFTYPE_NULL, format=RGBA8))
    with pytest.raises(StateError, match="pitch of this Y surface must be a multiple of 128 bytes from 256"):
        SurfaceView.from_state(RenderSurfaceState(format=RGBA8, width=64, height=4, pitch=128, tiled=1, tile_walk=1))


def test_what_a_state_cannot_say():
    stencil = SurfaceDescription(D2, "R8_UINT", 64, 64, tiling="W", usage=Usage.STENCIL)
    with pytest.raises(StateError, match="describes linear, X and Y on generation 7, found W on generation 7"):
        SurfaceView(SurfaceLayout(stencil), BASE).state()
    with pytest.raises(StateError, match="found linear on generation 5"):
        SurfaceView(SurfaceLayout(SurfaceDescription(D2, RGBA8, 4, 4, generation=5)), BASE).state()


def test_the_unit_of_a_single_image_does_not_matter():
    """Mesa clears a stencil buffer as a Y-tiled render target of R32G32B32A32_UINT with VALIGN_2 (003:2054 wants 4)."""
    one = SurfaceDescription(D2, "R32G32B32A32_UINT", 32, 24, tiling="Y", pitch_B=512)
    state = SurfaceView(SurfaceLayout(one), BASE).state().replace(vertical_alignment="VALIGN_2")
    view = SurfaceView.from_state(state, usage=Usage.RENDER_TARGET)
    assert view.address(5, 7) == SurfaceView.from_state(state.replace(vertical_alignment="VALIGN_4")).address(5, 7)
    with pytest.raises(StateError, match="must be 4, found 2"):
        SurfaceView.from_state(state.replace(depth=2, surface_array=True), usage=Usage.RENDER_TARGET)
