"""Planes of media surfaces: offsets and pitches of the known layouts, fields, tiles, and FFmpeg's own pictures."""

import av
import numpy as np
import pytest

from texsamp.errors import StateError, UndefinedBehavior
from texsamp.state.media_surface import MediaSurfaceState
from texsamp.surface.planar import PLANAR_NAMES, media_planes, planar_state, read_plane, write_plane


def noise(count, seed=1):
    return np.random.default_rng(seed).integers(0, 256, count, np.uint8)


def read(memory, state):
    return {plane.components: read_plane(memory, plane) for plane in media_planes(state)}


@pytest.mark.parametrize(
    ("name", "ffmpeg", "swap"), [("NV12", "nv12", ""), ("I420", "yuv420p", ""), ("YV12", "yuv420p", "UV")]
)
def test_contiguous_layouts_are_ffmpegs_bytes(name, ffmpeg, swap):
    """A picture whose rows need no padding is stored by FFmpeg exactly so; YV12 is I420 with U and V exchanged."""
    array = noise((72, 64))
    frame = av.VideoFrame.from_ndarray(array, ffmpeg)
    state, size_B = planar_state(name, 64, 48)
    assert size_B == array.size
    found = read(array.reshape(-1), state)
    planes = [np.frombuffer(plane, np.uint8).reshape(plane.height, -1)[:, : plane.line_size] for plane in frame.planes]
    expected = dict(zip(("Y", "UV") if name == "NV12" else ("Y", "U", "V"), planes, strict=True))
    for key, rows in found.items():
        other = {"U": "V", "V": "U"}.get(key, key) if swap else key
        np.testing.assert_array_equal(rows, expected[other][: rows.shape[0], : rows.shape[1]])


@pytest.mark.parametrize(
    ("name", "offsets", "pitches"),
    [  # bytes from the base address of Y, U, V at 64 x 32 with a pitch of 128
        ("NV12", {"Y": 0, "UV": 32 * 128}, {"UV": 128}),
        ("I420", {"Y": 0, "U": 32 * 128, "V": 40 * 128}, {"U": 64, "V": 64}),
        ("YV12", {"Y": 0, "V": 32 * 128, "U": 40 * 128}, {"U": 64, "V": 64}),
        ("IMC3", {"Y": 0, "U": 32 * 128, "V": 48 * 128}, {"U": 128, "V": 128}),
        ("IMC4", {"Y": 0, "U": 32 * 128, "V": 32 * 128 + 64}, {"U": 128, "V": 128}),
        ("422P", {"Y": 0, "U": 32 * 128, "V": 64 * 128}, {"U": 128, "V": 128}),
        ("411P", {"Y": 0, "U": 32 * 128, "V": 64 * 128}, {"U": 128, "V": 128}),
    ],
)
def test_where_planes_begin(name, offsets, pitches):
    state, _ = planar_state(name, 64, 32, pitch_B=128)
    for plane in media_planes(state):
        assert plane.offset_B + plane.addressing().offset_B(plane.x_B, plane.y_rows) == offsets[plane.components]
        assert plane.pitch_B == pitches.get(plane.components, 128)


@pytest.mark.parametrize(("name", "v_rows"), [("IMC3", 80), ("IMC4", 48)])
def test_chroma_of_imc_begins_on_multiples_of_16_rows(name, v_rows):
    state, _ = planar_state(name, 64, 36)  # 18 rows of chroma
    assert (state.y_offset_u, state.y_offset_v) == (48, v_rows)


SIZES = {"NV12": (64, 16), "I420": (32, 16), "422P": (32, 32), "411P": (16, 32)}


@pytest.mark.parametrize("name", SIZES)
def test_how_large_chroma_is(name):
    state, _ = planar_state(name, 64, 32)
    plane = media_planes(state)[1]
    assert (plane.width_B, plane.rows) == SIZES[name]


@pytest.mark.parametrize(
    ("name", "size"), [("NV12", (6, 2)), ("I420", (3, 2)), ("422P", (3, 3)), ("411P", (2, 3))], ids=str
)
def test_chroma_of_odd_pictures_reaches_their_last_column_and_row(name, size):
    plane = media_planes(planar_state(name, 5, 3)[0])[1]
    assert (plane.width_B, plane.rows) == size


@pytest.mark.parametrize("name", PLANAR_NAMES)
@pytest.mark.parametrize("size", [(64, 32), (66, 34), (130, 18), (5, 3), (1, 1)], ids=str)
@pytest.mark.parametrize("tile_mode", ["LINEAR", "X", "Y"])
def test_planes_keep_their_bytes_and_nobody_elses(name, size, tile_mode):
    if name in ("I420", "YV12") and tile_mode != "LINEAR":
        return
    state, size_B = planar_state(name, *size, tile_mode=tile_mode)
    again = MediaSurfaceState.from_dwords(state.to_dwords())
    assert media_planes(again) == media_planes(state)
    memory = np.full(size_B, 0xA5, np.uint8)
    made = {}
    for seed, plane in enumerate(media_planes(state)):
        made[plane.components] = noise((plane.rows, plane.width_B), seed)
        write_plane(made[plane.components], memory, plane)
    found = read(memory, state)
    assert found.keys() == made.keys()
    for key, rows in made.items():
        np.testing.assert_array_equal(found[key], rows)
    marked = np.zeros(size_B, np.uint8)
    for plane in media_planes(state):
        write_plane(np.ones((plane.rows, plane.width_B), np.uint8), marked, plane)
    assert marked.sum() == sum(rows.size for rows in made.values())


@pytest.mark.parametrize("name", ["NV12", "I420", "IMC4"])
def test_fields_are_every_second_row(name):
    frame, size_B = planar_state(name, 64, 32)
    memory = noise(size_B)
    whole = read(memory, frame)
    for field, first in (("TOP_FIELD", 0), ("BOTTOM_FIELD", 1)):
        state = frame.replace(picture_structure=field, height=16)
        for plane in media_planes(state):
            rows = read_plane(memory, plane)
            np.testing.assert_array_equal(rows, whole[plane.components][first::2])
            before = memory.copy()
            write_plane(rows ^ 0xFF, memory, plane)
            assert (memory != before).sum() == rows.size
            np.testing.assert_array_equal(read_plane(memory, plane), rows ^ 0xFF)
            memory[:] = before


def test_packed_surfaces_have_one_plane_at_the_u_offset():
    state = MediaSurfaceState(format="YCRCB_SWAPY", width=10, height=6, pitch=64, x_offset_u=4, y_offset_u=2)
    (plane,) = media_planes(state)
    assert (plane.components, plane.width_B, plane.rows) == ("YCRCB_SWAPY", 20, 6)
    memory = noise(64 * 8)
    np.testing.assert_array_equal(read_plane(memory, plane), memory.reshape(8, 64)[2:8, 8:28])


def test_what_has_no_planes_is_refused():
    with pytest.raises(StateError, match="STMM_DN_STATISTICS has no planes of texels"):
        media_planes(MediaSurfaceState(format="STMM_DN_STATISTICS", width=64, height=32, pitch=64))
    with pytest.raises(StateError, match="no planar layout 'NV21'"):
        planar_state("NV21", 64, 32)
    with pytest.raises(UndefinedBehavior, match="half_pitch_chroma in a surface of tiling Y"):
        planar_state("YV12", 64, 32, tile_mode="Y")
    with pytest.raises(StateError, match="pitch of IMC4 must be a multiple of 4 from 64, found 32"):
        planar_state("IMC4", 64, 32, pitch_B=32)


def test_a_plane_takes_its_own_shape():
    state, size_B = planar_state("NV12", 64, 32)
    memory = np.zeros(size_B, np.uint8)
    with pytest.raises(StateError, match=r"plane UV takes uint8 of shape \(16, 64\), found uint8 of \(16, 32\)"):
        write_plane(np.zeros((16, 32), np.uint8), memory, media_planes(state)[1])
    with pytest.raises(StateError, match="the region needs"):
        read_plane(memory[:-1], media_planes(state)[1])


def test_nv12_as_a_driver_places_it():
    """A 352x288 picture of a recorded deinterlacer: its chroma also has a surface of its own, 0x1b000 behind luma."""
    state = MediaSurfaceState(
        format="PLANAR_420_8", width=352, height=288, pitch=384, interleave_chroma=True, tile_mode="Y", y_offset_u=288
    )
    assert planar_state("NV12", 352, 288, tile_mode="Y") == (state, 0x1B000 + 160 * 384)
    chroma = media_planes(state)[1]
    assert chroma.addressing().offset_B(chroma.x_B, chroma.y_rows) == 0x1B000
