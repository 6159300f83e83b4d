"""Surfaces out of real memory: every texture that the captures' index lists, by its state alone.

The client uploaded one test picture again and again; in some cases the driver left a linear copy of it beside the
tiled one. Another renderer (llvmpipe) drew what was uploaded; with nearest filtering its pixels are texels. Textures
that a draw of the same capture fills are zero, as captures hold memory before execution.
"""

import gzip
import json
from functools import cache

import numpy as np
import pytest
from support.captures import CAPTURES, real_captures

from texsamp import Surface
from texsamp.emulator import Capture
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType

DRAWN_WIDTH, DRAWN_HEIGHT = 128, 96
FILLED_BY_A_DRAW = {"B5G6R5_UNORM", "R32G32B32A32_FLOAT", "R8_UNORM"}


@cache
def _bound():
    """(case, the driver's state, surface) of every texture that is read, in the order of the index."""
    real_captures("gl/*.g7cap")
    found = []
    with gzip.open(CAPTURES / "index.json.gz") as file:
        entries = [entry for entry in json.load(file) if entry["file"].startswith("gl/")]
    for entry in entries:
        capture = Capture.open(CAPTURES / entry["file"])
        for row in entry["surfaces"]:
            if row["role"] != "read" or row["type"] == "BUFFER":
                continue
            state = RenderSurfaceState.from_dwords([int(dword, 16) for dword in row["state_dw"]])
            (buffer,) = (b for b in capture.buffers if b.holds(state.base_address))
            memory = capture.contents(buffer)
            surface = Surface.from_memory(memory, state, address=buffer.address, device="cpu")
            found.append((entry["tag"], state, surface))
    return found


def _textures():
    return [(case, surface) for case, _, surface in _bound()]


def _texture(case):
    return next(surface for tag, surface in _textures() if tag == case)


@cache
def _uploaded():
    """The client's picture of 64 x 64 texels, from the linear copies."""
    copies = [s for _, s in _textures() if s.description.tiling == "linear"]
    assert len(copies) == 4
    pictures = [copy.to_array(layer=0) for copy in copies]
    for picture in pictures[1:]:
        np.testing.assert_array_equal(picture, pictures[0])
    assert len(np.unique(pictures[0].reshape(-1, 4), axis=0)) > 2000
    return pictures[0]


def _drawn(case):
    with gzip.open(CAPTURES / "gl" / "ref" / f"{case}.raw.gz") as file:
        return np.frombuffer(file.read(), np.uint8).reshape(DRAWN_HEIGHT, DRAWN_WIDTH, 4)


def _texels_under_pixels(size):
    """Columns and rows of the texels that fill the target, and which pixels lie on no texel's border."""
    x = (np.arange(DRAWN_WIDTH) + 0.5) / DRAWN_WIDTH * size
    y = (np.arange(DRAWN_HEIGHT) + 0.5)[:, None] / DRAWN_HEIGHT * size
    sure = (np.abs(x - np.round(x)) > 0.02) & (np.abs(y - np.round(y)) > 0.02)
    assert sure.mean() > 0.6
    return x.astype(int), y.astype(int), sure


def test_there_are_textures_of_every_kind():
    textures = [surface for _, surface in _textures()]
    assert len(textures) >= 48
    assert {s.format for s in textures} >= {
        "BC1_UNORM",
        "BC3_UNORM",
        "BC4_UNORM",
        "BC6H_UF16",
        "BC7_UNORM",
        "R24_UNORM_X8_TYPELESS",
        "R8G8B8A8_UNORM_SRGB",
        *FILLED_BY_A_DRAW,
    }
    assert {s.type.name for s in textures} == {"SURFTYPE_2D", "SURFTYPE_3D", "SURFTYPE_CUBE"}


def test_states_are_those_that_the_driver_wrote():
    """In every bit, but for caches and for the faces, which the driver enables on all kinds of surfaces."""
    for case, state, surface in _bound():
        written = state.replace(memory_object_control=0, cube_faces=surface.state.cube_faces)
        assert surface.state.pack() == written.pack(), case
        again = Surface.from_memory(surface.data, surface.state, address=state.base_address, device="cpu")
        assert again == surface, case


def test_tiled_textures_are_the_picture_that_was_uploaded():
    checked = set()
    for case, surface in _textures():
        plain = surface.format in ("R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB")
        size = surface.layout.level_size_px(0)
        if plain and size == (64, 64) and surface.surface_view.first_level == 0:
            np.testing.assert_array_equal(surface.to_array(layer=0), _uploaded(), case)
            checked.add((case, surface.description.tiling, surface.format))
    assert len(checked) >= 25
    assert {tiling for _, tiling, _ in checked} == {"Y", "linear"}
    assert {name for *_, name in checked} == {"R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB"}


def test_no_texture_is_left_out():
    """Every one is held against the upload, another renderer's picture, or the blocks of a case that is."""
    tested = {
        "64 x 64 texels": lambda s: s.format.startswith("R8G8B8A8_UNORM") and s.layout.level_size_px(0) == (64, 64),
        "blocks": lambda s: s.format.startswith("BC"),
        "depth": lambda s: s.format == "R24_UNORM_X8_TYPELESS",
        "volume or cube": lambda s: s.type.name != "SURFTYPE_2D",
        "61 x 37 texels, in test_layout_captures": lambda s: s.layout.level_size_px(0) == (61, 37),
        "filled by a draw": lambda s: s.format in FILLED_BY_A_DRAW or not s.data.any(),
    }
    for case, surface in _textures():
        assert any(test(surface) for test in tested.values()), (case, surface)


def test_textures_that_a_draw_fills_are_empty_before_it():
    found = [surface for _, surface in _textures() if surface.format in FILLED_BY_A_DRAW]
    assert {surface.format for surface in found} == FILLED_BY_A_DRAW
    for surface in found:
        assert not surface.to_array().any()


@pytest.mark.parametrize(
    ("case", "name", "tolerance"),
    [
        ("bc1_nearest", "BC1_UNORM", 1),
        ("bc3_nearest", "BC3_UNORM", 1),
        ("bc4_nearest", "BC4_UNORM", 1),
        ("bc6h_nearest", "BC6H_UF16", 0),
        ("bc7_nearest", "BC7_UNORM", 0),
    ],
)
def test_compressed_textures_are_what_another_renderer_drew(case, name, tolerance):
    """Exactly, where decoding is exact; the other renderer rounds palettes of BC1 to BC4 in its own way."""
    surface = _texture(case)
    assert surface.format == name
    texels = surface.to_array(layer=0)
    if texels.dtype == np.float16:
        texels = np.floor(np.clip(texels.astype(np.float64), 0, 1) * 255 + 0.5)
    x, y, sure = _texels_under_pixels(64)
    found, drawn = texels[y, x][sure].astype(int), _drawn(case)[sure][:, : texels.shape[2]].astype(int)
    assert len(np.unique(found, axis=0)) > 100
    assert np.abs(found - drawn).max() <= tolerance


def test_blocks_of_other_cases_are_the_same_upload():
    for cases in (("bc1_nearest", "bc1_linear", "bc1_mip_linear_lod"), ("bc7_nearest", "bc7_linear")):
        first, *others = [_texture(case).elements() for case in cases]
        assert first.any()
        for other in others:
            np.testing.assert_array_equal(other, first)


def test_smaller_levels_of_blocks_show_the_picture_of_their_level():
    """The client's own encoder is coarse, but blocks in another place would be far off."""

    def block_means(picture):
        side = len(picture) // 4
        return picture[..., :3].reshape(side, 4, side, 4, 3).mean((1, 3))

    blocks, plain = _texture("bc1_mip_linear_lod"), _texture("tex_mip_nearest")
    assert blocks.levels == plain.levels == 7
    for level in range(4):
        found, picture = (block_means(surface.to_array(level, layer=0)) for surface in (blocks, plain))
        errors = [np.abs(found - other).mean() for other in (picture, picture[::-1], picture[:, ::-1])]
        assert errors[0] < 16
        assert min(errors[1:]) > 1.8 * errors[0]


def test_depth_passes_where_another_renderer_found_it_to():
    """The draw compares 0.55 with the depth texture: red where it is less or equal."""
    depth = _texture("shadow_nearest").to_array(layer=0)[..., 0]
    assert depth.dtype == np.float32
    x, y, sure = _texels_under_pixels(64)
    passed = _drawn("shadow_nearest")[..., 0] == 255
    np.testing.assert_array_equal(passed[sure], (depth[y, x] >= 0.55)[sure])
    assert 0.1 < passed[sure].mean() < 0.9
    assert len(np.unique(depth)) > 3000


def test_a_driver_names_levels_as_views_do():
    """To make mips the driver reads one level at a time: its states are those of our views of the whole texture."""
    levels = [surface for case, surface in _textures() if case == "tex_mip_linear_genmip"]
    (whole,) = (surface for surface in levels if surface.levels == 7)
    parts = [surface for surface in levels if surface.levels == 1]
    assert [part.width_px for part in parts] == [64, 32, 16, 8, 4, 2]
    for level, part in enumerate(parts):
        view = whole.view(level=level)
        assert view == part
        assert view.state == part.state


def test_slices_of_a_volume_and_faces_of_a_cube_are_numbered_pictures():
    for case, surface_type, count in (("tex_3d_nearest_repeat", "3D", 8), ("tex_cube_nearest", "CUBE", 6)):
        surface = _texture(case)
        assert surface.type == SurfaceType[f"SURFTYPE_{surface_type}"]
        pictures = surface.to_array()
        assert pictures.shape == (count, 32, 32, 4)
        assert [picture[0, 0].tolist() for picture in pictures] == [[255, 40 * k & 255, 0, 255] for k in range(count)]
        for k, picture in enumerate(pictures):
            choice = {"layer": k} if surface_type == "3D" else {"layer": 0, "face": k}
            np.testing.assert_array_equal(surface.to_array(**choice), picture)
