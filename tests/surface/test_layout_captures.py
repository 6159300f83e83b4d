"""Real memory: textures that a real driver tiled and laid out, read back from their surface states alone.

The client's test picture has a frame of (255, 40 * image, 0, 255), where image counts levels, slices or faces, so a
level, slice or face that were read from a wrong place would lack it.
"""

import gzip
import json
from functools import cache

import numpy as np
import pytest
from support.captures import CAPTURES, real_captures

from texsamp.emulator import Capture
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType
from texsamp.surface.detile import detile
from texsamp.surface.layout import SurfaceView

PICTURES = [
    "tex_nearest",
    "tex_nearest_npot_repeat",
    "tex_3d_nearest_repeat",
    "tex_cube_nearest",
    "tex_mip_nearest",
    "tex_mip_linear_npot_repeat",
    "tex_mip_linear_lod",
]


@cache
def _index():
    real_captures("gl/*.g7cap")
    with gzip.open(CAPTURES / "index.json.gz") as file:
        return {entry["file"]: entry for entry in json.load(file)}


def _texture(case):
    """View, memory of its buffer object from the surface on, and the case's notes."""
    entry = _index()[f"gl/{case}_000.g7cap"]
    surface = next(s for s in entry["surfaces"] if s["role"] == "read")
    state = RenderSurfaceState.from_dwords([int(dword, 16) for dword in surface["state_dw"]])
    view = SurfaceView.from_state(state)
    capture = Capture.open(CAPTURES / entry["file"])
    assert capture.swizzle == "none"
    (buffer,) = (b for b in capture.buffers if b.holds(view.base_address))
    contents = np.frombuffer(capture.contents(buffer), np.uint8)
    return view, contents[view.base_address - buffer.address :], entry["meta"]


def _images(view):
    """(level, slice, face) of every image, in the order in which the client numbered them."""
    d = view.layout.description
    if d.type == SurfaceType.SURFTYPE_3D:
        return [(0, z, 0) for z in range(d.depth_px)]
    return [(level, 0, layer) for level in range(view.levels) for layer in range(d.slices)]


def _read(view, memory, level, z, layer):
    """One image through the kernel."""
    layout = view.layout
    width, height = layout.level_size_px(level)
    x_el, y_el = layout.origin_el(level, layer, z)
    size = layout.element.size_B
    rows = detile(memory, layout.addressing, width * size, height, x_B=x_el * size, y_rows=y_el)
    return rows.reshape(height, width, size)


@pytest.mark.parametrize("case", PICTURES)
def test_every_level_slice_and_face_is_where_the_driver_put_it(case):
    view, memory, meta = _texture(case)
    assert view.layout.level_size_px(0) == (meta["texture"]["width"], meta["texture"]["height"])
    images = _images(view)
    assert len(images) > 1 or not {"3d", "cube", "mip"} & set(case.split("_"))
    for number, (level, z, layer) in enumerate(images):
        texels = _read(view, memory, level, z, layer)
        frame = np.ones(texels.shape[:2], bool)
        frame[1:-1, 1:-1] = False
        is_frame_color = (texels == np.array([255, 40 * number & 255, 0, 255], np.uint8)).all(-1)
        np.testing.assert_array_equal(is_frame_color, frame, f"image {number}")


@pytest.mark.parametrize("case", PICTURES)
def test_addresses_and_kernel_read_the_same(case):
    view, memory, _ = _texture(case)
    for level, z, layer in _images(view):
        width, height = view.layout.level_size_px(level)
        y, x = np.mgrid[0:height, 0:width]
        addresses = view.address(x, y, level=level, z=z, layer=layer) - view.base_address
        expected = memory[addresses[..., None] + np.arange(view.layout.element.size_B)]
        np.testing.assert_array_equal(_read(view, memory, level, z, layer), expected)


@pytest.mark.parametrize("case", ["tex_nearest", "tex_nearest_npot_repeat", "tex_3d_nearest_repeat"])
def test_texels_are_those_another_renderer_drew(case):
    """llvmpipe drew the same upload with nearest filtering: each of its pixels is the texel we read."""
    view, memory, meta = _texture(case)
    volume = np.stack([_read(view, memory, *image) for image in _images(view)])
    with gzip.open(CAPTURES / "gl" / "ref" / f"{case}.raw.gz") as file:
        drawn = np.frombuffer(file.read(), np.uint8).reshape(96, 128, 4)
    corners = np.array(meta["vertices_xy_stpq"]).reshape(4, 6)[:, 2:5]  # s, t, p at (-1, -1), (1, -1), (-1, 1), (1, 1)
    px, py = (np.arange(128) + 0.5) / 128, (np.arange(96) + 0.5)[:, None] / 96
    along = [c[0] + (c[1] - c[0]) * px + (c[2] - c[0]) * py for c in corners.T]
    depth, height, width = volume.shape[:3]
    texels = [a % 1.0 * size for a, size in zip(along, (width, height, depth), strict=True)]
    sure = np.ones((96, 128), bool)  # a texel's border is anyone's guess
    for t in texels[: 3 if depth > 1 else 2]:
        sure &= np.abs(t - np.round(t)) > 0.02
    x, y, z = (t.astype(int) for t in texels)
    found = volume[z if depth > 1 else 0, y, x]
    assert sure.mean() > 0.6
    np.testing.assert_array_equal(found[sure], drawn[sure])
    assert len(np.unique(found[sure].reshape(-1, 4), axis=0)) > 500


def test_every_texture_fits_its_buffer_object():
    """No layout needs more memory than the driver allocated; chains of levels need exactly that."""
    exact = 0
    for name, entry in _index().items():
        if not name.startswith("gl/"):
            continue
        capture = Capture.open(CAPTURES / name)
        for surface in entry["surfaces"]:
            if surface["role"] != "read" or surface["type"] == "BUFFER":
                continue
            state = RenderSurfaceState.from_dwords([int(dword, 16) for dword in surface["state_dw"]])
            view = SurfaceView.from_state(state)
            (buffer,) = (b for b in capture.buffers if b.holds(view.base_address))
            room = buffer.size - (view.base_address - buffer.address)
            assert view.size_B <= room, name
            exact += view.levels > 1 and view.size_B == room
    assert exact >= 5
