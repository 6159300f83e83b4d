"""States that drivers of OpenGL set and no captured picture shows, each by a whole draw against what is written out."""

import numpy as np
import pytest

from texsamp.emulator import Gpu
from texsamp.emulator.drawing import Draw
from texsamp.state.commands_3d import VertexComponent, VertexElements, VertexElementState
from texsamp.state.commands_raster import (
    ClearParameters,
    Clip,
    DepthBuffer,
    HierDepthBuffer,
    SetupBackend,
    StencilBuffer,
    Windower,
)
from texsamp.state.pixel_state import DepthStencilState
from texsamp.surface.surface import Surface

pytestmark = pytest.mark.usefixtures("each_place")

SIDE = 64
CODES = {"D16_UNORM": (2, 0xFFFF), "D24_UNORM_X8_UINT": (4, 0xFFFFFF), "D32_FLOAT": (4, None)}
"""Bytes of a texel, and what 1.0 is, of depth formats that a stencil buffer lies beside."""
PAINT = """
    mov (16) r112.0<1>:f 1:f
    mov (16) r114.0<1>:f 1:f
    mov (16) r116.0<1>:f 1:f
    mov (16) r118.0<1>:f 1:f
    send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud {EOT}
"""
LEFT = [(-1, -1), (0, -1), (-1, 1), (0, -1), (0, 1), (-1, 1)]
RIGHT = [(0, -1), (0, 1), (1, -1), (1, -1), (0, 1), (1, 1)]
"""Halves of the screen: back faces, and front faces, which turn clockwise."""


def at_depth(corners, z):
    return [(x, y, z, 1) for x, y in corners]


TARGET = Surface.from_array(np.zeros((SIDE, SIDE, 4), np.uint8), tiling="Y", device="cpu")


def drawn(states_at, attributes, surfaces=(), **more):
    """A draw whose state is made of the addresses of its surfaces."""
    more = {"target": TARGET, **more}
    first = Draw(PAINT, attributes=attributes, surfaces=surfaces, state=states_at([0] * len(surfaces)), **more)
    at = {each.name: each.address for each in first.submission().buffers}
    state = states_at([at[f"surface {1 + number}"] for number in range(len(surfaces))])
    return Gpu().draw(PAINT, attributes, surfaces=surfaces, state=state, **more)


def y_tiled(data, texel_B):
    """Texels of a surface whose rows have SIDE texels: tiles of 32 rows and 8 columns of 16 bytes."""
    y, x = np.mgrid[:SIDE, : SIDE * texel_B]
    tile = y // 32 * (SIDE * texel_B // 128) + x // 128
    at = tile * 4096 + x % 128 // 16 * 512 + y % 32 * 16 + x % 16
    return np.ascontiguousarray(data[at]).view({2: "<u2", 4: "<u4"}[texel_B])


def w_tiled(data):
    """Bytes of one tile of 64 x 64: bits of a place are those of its column and row in turns, but for the highest."""
    y, x = np.mgrid[:SIDE, :SIDE]
    at = x // 8 * 512 + y // 8 * 64
    for bit, (value, step) in enumerate(((x, 1), (y, 1), (x, 2), (y, 2), (x, 4), (y, 4))):
        at = at + (value // step % 2 << bit)
    return data[at]


@pytest.mark.parametrize("depth_format", CODES)
def test_separate_stencil_of_two_sides_beside_each_depth_format(depth_format):
    """Front faces count what passes, back faces invert what fails its depth test; each by masks of its own."""
    texel_B, one = CODES[depth_format]
    held = np.full(SIDE * SIDE * 4, 0x50, np.uint8)
    half = np.float32(0.5).view(np.uint32) if one is None else round(0.5 * one)
    depths = np.full(SIDE * SIDE, half, {2: "<u2", 4: "<u4"}[texel_B]).view(np.uint8)

    def states(addresses):
        return [
            DepthBuffer(
                surface_type="SURFTYPE_2D", depth_write=True, stencil_write=True, format=depth_format,
                pitch=SIDE * texel_B, base_address=addresses[0], width=SIDE, height=SIDE,
            ),
            StencilBuffer(pitch=2 * SIDE, base_address=addresses[1]),
        ]  # fmt: skip

    depth = DepthStencilState(
        stencil_test=True, stencil_write=True, stencil_function="ALWAYS", stencil_pass="INCRSAT", test_mask=255,
        write_mask=0x0F, double_sided=True, back_function="ALWAYS", back_depth_fail="INVERT", back_test_mask=255,
        back_write_mask=0xF0, depth_test=True, depth_function="LESS", depth_write=True,
    )  # fmt: skip
    corners = at_depth(LEFT, 0.75) + at_depth(RIGHT, 0.25)
    done = drawn(states, [corners], [depths, held], depth=depth)
    found, stencil = y_tiled(done.surfaces[0], texel_B), w_tiled(done.surfaces[1])
    quarter = np.float32(0.25).view(np.uint32) if one is None else round(0.25 * one)
    left, right = np.s_[:, : SIDE // 2], np.s_[:, SIDE // 2 :]
    assert (stencil[left] == 0xA0).all()
    assert (stencil[right] == 0x51).all()
    assert (found[left] == half).all()
    assert (found[right] == quarter).all()
    assert not done.picture.to_array()[left].any()
    assert (done.picture.to_array()[right] == 255).all()


@pytest.mark.parametrize("depth_format", CODES)
def test_a_clear_by_hierarchical_depth_writes_the_clear_value(depth_format):
    """Whatever depth the rectangle has, and no color; a resolve of either kind leaves all as it is."""
    texel_B, one = CODES[depth_format]
    value = int(np.float32(0.75).view(np.uint32)) if one is None else round(0.75 * one)
    depths, hier = np.zeros(SIDE * SIDE * texel_B, np.uint8), np.zeros(1 << 14, np.uint8)

    def with_bit(name):
        def states(addresses):
            return [
                DepthBuffer(
                    surface_type="SURFTYPE_2D", depth_write=True, hier_depth_enable=True, format=depth_format,
                    pitch=SIDE * texel_B, base_address=addresses[0], width=SIDE, height=SIDE,
                ),
                HierDepthBuffer(pitch=128, base_address=addresses[1]),
                ClearParameters(depth=value, valid=True),
                Windower(**{name: True}),
            ]  # fmt: skip

        return states

    depth = DepthStencilState(depth_write=True, depth_test=True, depth_function="NEVER")
    corners = at_depth(LEFT + RIGHT, 0.25)
    done = drawn(with_bit("depth_clear"), [corners], [depths, hier], depth=depth)
    assert (y_tiled(done.surfaces[0], texel_B) == value).all()
    assert not done.picture.to_array().any()
    for name in ("depth_resolve", "hier_depth_resolve"):
        done = drawn(with_bit(name), [corners], [depths, hier], depth=depth)
        assert not done.surfaces[0].any()
        assert not done.picture.to_array().any()


def _elements(*indices):
    """Vertices whose header has a slice of the target (and a viewport of 0), then floats of the other buffers."""
    one = dict.fromkeys([f"component_{n}" for n in range(4)], VertexComponent.STORE_SRC)
    header = {
        "component_0": VertexComponent.STORE_0, "component_1": VertexComponent.STORE_SRC,
        "component_2": VertexComponent.STORE_0, "component_3": VertexComponent.STORE_0,
    }  # fmt: skip
    first = VertexElementState(buffer_index=1, valid=True, format="R32G32_UINT", **header)
    others = [VertexElementState(buffer_index=n, valid=True, format="R32G32B32A32_FLOAT", **one) for n in indices]
    return VertexElements(tail=[first, *others])


@pytest.mark.parametrize("forced", [False, True])
def test_vertices_choose_the_slice_that_they_are_drawn_to(forced):
    """As geometry shaders of layered framebuffers do; a slice that is not there is the first, as is a forced one."""
    layers = np.zeros((3, 16, 16, 4), np.uint8)
    target = Surface.from_array(layers, tiling="Y", device="cpu")
    slices = np.repeat(np.array([2, 7], np.uint32), 6)
    header = np.stack([slices * 0, slices], axis=1).astype("<u4").view("<f4")
    corners = at_depth(LEFT, 0.5) + at_depth(RIGHT, 0.5)
    done = drawn(
        lambda _: [
            _elements(0),
            SetupBackend(attributes=0, urb_read_offset=1, urb_read_length=1),
            Clip(
                enable=True, api_mode="D3D", viewport_xy_test=True, viewport_z_test=True, guardband_test=True,
                force_zero_array_index=forced,
            ),
        ],
        [corners, header], target=target,
    )  # fmt: skip
    wanted = layers.copy()
    wanted[0 if forced else 2, :, :8] = 255
    wanted[0, :, 8:] = 255
    found = done.picture
    assert np.array_equal(np.stack([found.to_array(layer=n) for n in range(3)]), wanted)


@pytest.mark.parametrize("planes", [0, 1, 2, 3])
def test_user_distances_clip_where_their_bit_is_set(planes):
    """Distances lie behind the position of a vertex: of x and of y, each 0 at an edge of pixels."""
    corners = at_depth(LEFT + RIGHT, 0.5)
    distances = [(x + 0.5, 0.25 - y, -1, -1) for x, y, _, _ in corners]
    headers = np.zeros((len(corners), 2), np.float32)
    done = drawn(
        lambda _: [
            _elements(0, 2),
            SetupBackend(attributes=0, urb_read_offset=1, urb_read_length=1),
            Clip(
                enable=True, api_mode="D3D", viewport_xy_test=True, viewport_z_test=True, guardband_test=True,
                clip_distances=planes,
            ),
        ],
        [corners, headers, distances],
    )  # fmt: skip
    y, x = (np.mgrid[:SIDE, :SIDE] + 0.5) / SIDE * 2 - 1
    inside = ((x > -0.5) | (not planes & 1)) & ((-y < 0.25) | (not planes & 2))
    assert np.array_equal(done.picture.to_array()[:, :, 0] == 255, inside)


@pytest.mark.parametrize("format", ["R32G32B32A32_UINT", "R16G16B16A16_SINT", "R8G8B8A8_UINT"])
def test_integers_are_drawn_clamped_and_never_blended(format):
    kernel = "\n".join(f"mov (16) r{112 + 2 * n}.0<1>:d {value}:d" for n, value in enumerate((-5, 300, 7, 70000)))
    info = {"R32G32B32A32_UINT": "<u4", "R16G16B16A16_SINT": "<i2", "R8G8B8A8_UINT": "u1"}[format]
    target = Surface.from_array(np.zeros((8, 8, 4), info), format, tiling="Y", device="cpu")
    done = Gpu().draw(kernel + PAINT[PAINT.index("\n    send") :], [at_depth(LEFT + RIGHT, 0.5)], target=target)
    wanted = {
        "R32G32B32A32_UINT": [2**32 - 5, 300, 7, 70000], "R16G16B16A16_SINT": [-5, 300, 7, 32767],
        "R8G8B8A8_UINT": [255, 255, 7, 255],
    }[format]  # fmt: skip
    texels = done.picture.to_array()
    assert (texels.reshape(-1, 4) == wanted).all(), texels[0, 0]
