"""`Gpu.draw`: pictures from arrays, held to exact coverage, planes, textures, depth and blending."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import imageio.v3 as imageio
import numpy as np
import pytest

from texsamp.emulator import Capture, Case, Gpu
from texsamp.emulator.drawing import Draw
from texsamp.emulator.submission_parts import FIRST_SURFACE, SURFACES_AT
from texsamp.errors import CaptureError, StateError
from texsamp.sampler.sampler import Sampler
from texsamp.state.commands_mi import MiTopologyFilter
from texsamp.state.commands_raster import DrawingRectangle, Multisample, PixelShader, SampleMask, StripsFans, Windower
from texsamp.state.pixel_state import BlendState, DepthStencilState
from texsamp.state.registry import structure
from texsamp.state.render_surface import RenderSurfaceState
from texsamp.surface.surface import Surface

pytestmark = pytest.mark.usefixtures("each_place")


def write(simd, index=0):
    """The write of a color at r112 to the only render target, which ends the thread."""
    descriptor = {8: 0x08031400, 16: 0x10031000}[simd] | index
    return f"send ({simd}) null:ud r112.0<8;8,1>:ud render_cache {descriptor:#x}:ud {{EOT}}"


def colors(simd=16):
    """A pixel shader that shows its first attribute: planes behind 2 registers and the weights."""
    step = simd // 8
    planes = 2 + 2 * step
    lines = [
        f"pln ({simd}) r{112 + step * c}.0<1>:f r{planes + c // 2}.{4 * (c % 2)}<0;1,0>:f r2.0<8;8,1>:f"
        for c in range(4)
    ]
    return "\n".join([*lines, write(simd)])


def wide():
    """The same for 32 pixels: weights of slots 0 to 15 in r3 to r6, of the others in r7 to r10, planes behind them."""
    lines = []
    for half, quarter in ((0, "Q1"), (1, "Q3")):
        for c in range(4):
            plane, weights = f"r{11 + c // 2}.{4 * (c % 2)}<0;1,0>:f", f"r{3 + 4 * half}.0<8;8,1>:f"
            lines.append(f"pln (16) r{112 + 2 * c}.0<1>:f {plane} {weights} {{{quarter}}}")
        descriptor = 0x10030000 | half << 11 | half << 12  # the slot group; the last one
        ends = f"{{{quarter}{', EOT' if half else ''}}}"
        lines.append(f"send (16) null:ud r112.0<8;8,1>:ud render_cache {descriptor:#x}:ud {ends}")
    return "\n".join(lines)


DOCS = Path(__file__).parents[2] / "docs"
TRIANGLE = [(-0.83, -0.71), (0.93, -0.47), (-0.21, 0.88)]
PAINT = [(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 0)]


def exact(corners, size, paint):
    """Coverage by the top-left rule, and colors as exact planes: (height, width), (height, width, 4)."""
    width, height = size
    at = []
    for x, y in corners:
        screen = (np.float32(x) * np.float32(width / 2) + np.float32(width / 2),
                  np.float32(y) * np.float32(-height / 2) + np.float32(height / 2))  # fmt: skip
        at.append(tuple(Fraction(round(Fraction(float(v)) * 256), 256) for v in screen))
    (ax, ay), (bx, by), (cx, cy) = at
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    inside = np.zeros((height, width), np.bool_)
    made = np.zeros((height, width, 4))
    for row in range(height):
        for column in range(width):
            x, y = column + Fraction(1, 2), row + Fraction(1, 2)
            weights = []
            for (px, py), (qx, qy) in (((bx, by), (cx, cy)), ((cx, cy), (ax, ay)), ((ax, ay), (bx, by))):
                weights.append(((qx - px) * (y - py) - (qy - py) * (x - px)) / area)
            edges = [((cx - bx), (cy - by)), ((ax - cx), (ay - cy)), ((bx - ax), (by - ay))]
            turn = 1 if area > 0 else -1
            inside[row, column] = all(
                w > 0 or (w == 0 and (turn * dy < 0 or (dy == 0 and turn * dx > 0)))
                for w, (dx, dy) in zip(weights, edges, strict=True)
            )
            if inside[row, column]:
                made[row, column] = sum(float(w) * np.array(c) for w, c in zip(weights, paint, strict=True))
    return inside, made


@pytest.mark.parametrize("simd", [8, 16, 32])
@pytest.mark.parametrize("size", [(1, 1), (37, 23), (64, 48)])
def test_a_triangle_covers_its_pixels_and_interpolates_its_colors(size, simd):
    kernel = wide() if simd == 32 else colors(simd)
    done = Gpu().draw(kernel, [TRIANGLE, PAINT], size=size, simd=simd)
    inside, made = exact(TRIANGLE, size, PAINT)
    assert done.picture.shape == (size[1], size[0], 4)
    assert np.abs(done.picture - np.rint(255 * made)).max() <= 1
    assert not done.picture[~inside].any()
    assert done.picture[inside][:, :3].any(axis=1).all()


def test_triangles_that_share_edges_cover_every_pixel_once():
    rng = np.random.default_rng(5)
    fan = np.concatenate([[(0, 0)], [(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 14)[:-1]]])
    fan[1:] *= rng.uniform(0.5, 3, (13, 1))
    corners = fan[[n for i in range(13) for n in (0, 1 + i, 1 + (i + 1) % 13)]]
    add = BlendState(
        blend_enable=True, source_factor="ONE", destination_factor="ONE", source_alpha_factor="ONE",
        destination_alpha_factor="ONE", pre_blend_clamp=True, post_blend_clamp=True, clamp_range="RTFORMAT",
    )  # fmt: skip
    paint = np.tile(np.float32((0.2, 0.4, 0.6, 0.8)), (len(corners), 1))
    picture = Gpu().draw(colors(), [corners, paint], size=(61, 47), blend=add).picture
    assert set(map(tuple, picture.reshape(-1, 4).tolist())) <= {(0, 0, 0, 0), (51, 102, 153, 204)}
    assert picture[23, 30].tolist() == [51, 102, 153, 204]


TEXTURED = """
    pln (16) r120.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f
    pln (16) r122.0<1>:f r6.4<0;1,0>:f r2.0<8;8,1>:f
    send (16) r112.0<1>:ud r120.0<8;8,1>:ud sampler 0x08840001:ud
    send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud {EOT}
"""
QUAD = [(-1, 1), (1, 1), (-1, -1), (1, -1)]
CORNERS = [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_a_texture_on_a_quad_of_its_size_is_the_texture():
    texels = np.random.default_rng(2).integers(0, 256, (24, 40, 4)).astype(np.uint8)
    texture = Surface.from_array(texels, tiling="Y", device="cpu")
    nearest = Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")
    done = Gpu().draw(
        TEXTURED, [QUAD, CORNERS], size=(40, 24), topology="TRISTRIP", surfaces=[texture], samplers=[nearest]
    )
    assert np.array_equal(done.picture, texels)
    assert done.surfaces[0] == texture


@pytest.mark.parametrize(("topology", "is_drawn"), [(0, True), (4, True), (5, False)])
def test_draws_of_another_topology_than_the_filter_names_are_dropped(topology, is_drawn):
    done = Gpu().draw(colors(), [TRIANGLE, PAINT], size=(8, 8), state=[MiTopologyFilter(topology=topology)])
    assert done.picture.any() == is_drawn


def test_perspective_divides_by_w():
    """A floor that recedes: w is 1 at its near edge and 4 at the far one."""
    corners = [(-1, -1, 0, 1), (1, -1, 0, 1), (-4, 4, 0, 4), (4, 4, 0, 4)]
    depth = [(1, 0, 0, 1), (1, 0, 0, 1), (0, 0, 0, 1), (0, 0, 0, 1)]
    picture = Gpu().draw(colors(), [corners, depth], size=(4, 64), topology="TRISTRIP").picture
    v = (np.arange(64) + 0.5) / 64  # from the top: far
    far = (1 - v) / 4 / ((1 - v) / 4 + v)
    assert np.abs(picture[:, :, 0] - 255 * (1 - far)[:, None]).max() <= 0.51


def test_depth_keeps_what_is_nearest():
    near = [(-1, -1, 0.2, 1), (3, -1, 0.2, 1), (-1, 3, 0.2, 1)]
    crossing = [(-1, -1, 0, 1), (3, -1, 0.8, 1), (-1, 3, 0, 1)]
    paint = [(1, 0, 0, 1)] * 3 + [(0, 1, 0, 1)] * 3
    depth = DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS")
    for order in (1, -1):
        corners = near + crossing if order > 0 else crossing + near
        painted = paint if order > 0 else paint[3:] + paint[:3]
        picture = Gpu().draw(colors(), [corners, painted], size=(40, 8), depth=depth).picture
        columns = np.argmax(picture[:, :, :2], axis=2)
        nearer = (np.arange(40) + 0.5) / 40 * 2 / 4 * 0.8 < 0.2  # where the crossing one is in front
        assert (columns == nearer).all()


def test_colors_are_blended_and_a_target_keeps_the_rest():
    over = BlendState(
        blend_enable=True, source_factor="SRC_ALPHA", destination_factor="INV_SRC_ALPHA", source_alpha_factor="ONE",
        destination_alpha_factor="ZERO", independent_alpha=True, clamp_range="RTFORMAT", pre_blend_clamp=True,
        post_blend_clamp=True,
    )  # fmt: skip
    before = np.full((16, 16, 4), 200, np.uint8)
    target = Surface.from_array(before, tiling="Y", device="cpu")
    left = [(-1, 1), (0, 1), (-1, -1), (0, -1)]
    done = Gpu().draw(colors(), [left, [(1, 0, 0.5, 0.25)] * 4], target=target, topology="TRISTRIP", blend=over)
    after = done.picture.to_array()
    assert (after[:, 8:] == 200).all()
    assert np.abs(after[:, :8].astype(int) - [214, 150, 182, 64]).max() <= 1
    assert (target.to_array() == before).all()


@pytest.mark.parametrize("tiling", ["linear", "X", "Y"])
def test_levels_and_slices_of_targets_are_drawn_to(tiling):
    """Each alone, and nothing else changes."""
    texels = np.full((3, 13, 22, 4), 9, np.uint8)
    target = Surface.from_array(texels, mips="box", tiling=tiling, device="cpu")
    for part in ({}, {"level": 1}, {"level": 2, "layer": 1}, {"layer": 2}):
        drawn = Gpu().draw(colors(), [TRIANGLE, PAINT], target=target.view(**part)).picture
        width, height, _ = drawn.level_size_px(0)
        alone = np.full((height, width, 4), 9, np.uint8)
        alone = Gpu().draw(colors(), [TRIANGLE, PAINT], target=Surface.from_array(alone, device="cpu")).picture
        assert np.array_equal(drawn.to_array(layer=0), alone.to_array())
        if not part:
            assert drawn.levels > 3
            assert (drawn.to_array()[1:] == 9).all()
            assert all((drawn.to_array(level) == 9).all() for level in range(1, drawn.levels))


@pytest.mark.parametrize("width", [1, 5, 22])
def test_rows_of_a_linear_target_need_not_hold_its_padding(width):
    """Drivers read pictures back through one: 250 pixels of 4 bytes have a pitch of 1000."""
    height = 9
    target = Surface.from_array(np.full((height, width, 4), 9, np.uint8), tiling="linear", device="cpu")
    submission = Draw(colors(), target, [TRIANGLE, PAINT]).submission()
    expected = Gpu().draw(colors(), [TRIANGLE, PAINT], target=target).picture.to_array()
    states = bytearray(submission.buffers[2].contents)
    state = RenderSurfaceState.unpack(bytes(states[SURFACES_AT : SURFACES_AT + 32]))
    assert state.pitch > 4 * width
    states[SURFACES_AT : SURFACES_AT + 32] = state.replace(pitch=4 * width).pack()
    buffers = [replace(b, contents=bytes(states)) if b.name == "states" else b for b in submission.buffers]
    memory, _ = Gpu()._run(replace(submission, buffers=buffers))
    found = np.frombuffer(bytes(memory.image(FIRST_SURFACE)), np.uint8)
    rows = found[: 4 * width * height].reshape(height, width, 4)
    drawn = (expected != 9).any(axis=2)
    assert drawn.any()
    assert (rows[drawn] == expected[drawn]).all()


@pytest.mark.parametrize("samples", [4, 8])
@pytest.mark.parametrize("width", [1, 3, 33])
def test_samples_have_depths_of_their_own(width, samples):
    """The right half of each pixel is behind what is drawn to the left of it first."""
    left = [(-1, 1, 0.2), (0, 1, 0.2), (-1, -1, 0.2), (0, -1, 0.2)]
    whole = [(-1, 1, 0.5), (1, 1, 0.5), (-1, -1, 0.5), (1, -1, 0.5)]
    columns = np.tile([0.25, 0.75], 4)
    state = [
        Multisample(samples=f"COUNT_{samples}", x_offset=columns, y_offset=[0.5] * 8),
        SampleMask(mask=255),
        StripsFans(viewport_transform=True, cull_mode="NONE", multisample_mode="ON_PATTERN"),
        Windower(thread_dispatch=True, barycentric_modes=1, multisample_mode="ON_PATTERN"),
    ]
    target = Surface.from_array(np.zeros((samples, 2, width, 4), np.uint8), samples=samples, tiling="Y", device="cpu")
    less = DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS")
    quads = [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7]
    paint = [(1, 0, 0, 1)] * 4 + [(0, 1, 0, 1)] * 4
    picture = (
        Gpu()
        .draw(colors(), [left + whole, paint], indices=quads, target=target, depth=less, state=state)
        .picture.to_array()
    )
    places = np.arange(width) + columns[:samples, None]
    red = np.broadcast_to((places < width / 2)[:, None], picture.shape[:3])
    assert np.array_equal(picture[..., 0] == 255, red)
    assert np.array_equal(picture[..., 1] == 255, ~red)


@pytest.mark.parametrize("indices", [[0, 1, 2, 2, 1, 3], [[0, 1], [2, 3]]])
def test_indices_name_vertices(indices):
    if isinstance(indices[0], list):
        with pytest.raises(StateError, match=r"indices must be numbers of shape \(n,\), found int64 \(2, 2\)"):
            Gpu().draw(colors(), [QUAD, [(1, 1, 1, 1)] * 4], size=(8, 8), indices=indices)
    else:
        assert (Gpu().draw(colors(), [QUAD, [(1, 1, 1, 1)] * 4], size=(8, 8), indices=indices).picture == 255).all()


def test_flat_attributes_are_those_of_the_first_vertex():
    kernel = "\n".join(
        [*(f"mov (16) r{112 + 2 * c}.0<1>:f r{6 + c // 2}.{4 * (c % 2) + 3}<0;1,0>:f" for c in range(4)), write(16)]
    )
    picture = Gpu().draw(kernel, [TRIANGLE, PAINT], size=(16, 16), flat=[0]).picture
    assert set(map(tuple, picture.reshape(-1, 4).tolist())) == {(0, 0, 0, 0), (255, 0, 0, 255)}


def test_constants_come_before_the_attributes():
    kernel = "\n".join([*(f"mov (16) r{112 + 2 * c}.0<1>:f r6.{c}<0;1,0>:f" for c in range(4)), write(16)])
    picture = Gpu().draw(kernel, [TRIANGLE], size=(16, 16), constants=[0.2, 0.4, 0.6, 0.8]).picture
    assert set(map(tuple, picture.reshape(-1, 4).tolist())) == {(0, 0, 0, 0), (51, 102, 153, 204)}


MIRROR = """
    mov (8) r112.0<1>:ud r0.0<8;8,1>:ud {NoMask}                           # the message: handles of two vertices
    mov (1) r112.5<1>:ud 0xff00:ud {NoMask}
    mov (8) r113.0<1>.xyzw:ud 0:ud {align16}                               # an empty header
    mov (8) r114.0<1>.xyzw:f -r1.0<4>.xyzw:f {align16}                     # positions, turned around
    mov (8) r114.0<1>.zw:f r1.0<4>.xyzw:f {align16}
    mov (8) r115.0<1>.xyzw:f r2.0<4>.xyzw:f {align16}                      # colors
    send (8) null<1>.xyzw:f r112.0<4>.xyzw:f urb 0x0808c000:ud {align16, EOT}
"""


def test_a_vertex_kernel_makes_positions():
    plain = Gpu().draw(colors(), [[(-x, -y) for x, y in TRIANGLE], PAINT], size=(33, 21))
    turned = Gpu().draw(colors(), [TRIANGLE, PAINT], size=(33, 21), vertex_kernel=MIRROR)
    assert np.array_equal(turned.picture, plain.picture)
    assert turned.threads == plain.threads + 2
    assert plain.picture.any()


def test_state_commands_replace_those_of_the_method():
    everything = [(-1, -1), (3, -1), (-1, 3)]
    picture = (
        Gpu()
        .draw(
            colors(),
            [everything, [(1, 1, 1, 1)] * 3],
            size=(16, 16),
            state=[DrawingRectangle(left=3, top=5, right=9, bottom=6)],
        )
        .picture
    )
    rows, columns = np.nonzero(picture[:, :, 0])
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (5, 6, 3, 9)


def test_vertices_that_are_nowhere_draw_nothing():
    for bad in (np.nan, np.inf, -np.inf):
        corners = [(bad, 0), (1, bad), (0, 1)]
        assert not Gpu().draw(colors(), [corners, PAINT], size=(8, 8)).picture.any()
    behind = [(-1, -1, 0, -1), (1, -1, 0, -1), (0, 1, 0, -1)]
    assert not Gpu().draw(colors(), [behind, PAINT], size=(8, 8)).picture.any()
    assert not Gpu().draw(colors(), [[(5, 5), (6, 5), (5, 6)], PAINT], size=(8, 8)).picture.any()
    flat = StripsFans(viewport_transform=True, cull_mode="BOTH")
    assert not Gpu().draw(colors(), [TRIANGLE, PAINT], size=(8, 8), state=[flat]).picture.any()


@pytest.mark.parametrize(
    ("change", "error", "why"),
    [
        ({"size": None}, StateError, "a draw has a size or a target"),
        ({"size": (0, 4)}, StateError, r"size must be two numbers from 1 to 16384, found \(0, 4\)"),
        ({"simd": 64}, StateError, "simd must be one of 8, 16, 32, found 64"),
        ({"attributes": [TRIANGLE, PAINT[:2]]}, StateError, "attributes have 3, 2 vertices"),
        ({"attributes": [np.zeros((3, 5))]}, StateError, r"attribute 0 must be numbers of shape \(vertices, 1 to 4\)"),
        ({"attributes": [TRIANGLE] * 18}, StateError, "positions and at most 16 attributes, found 18 arrays"),
        ({"flat": [1]}, StateError, r"flat names attributes from 0 to 0, found \[1\]"),
        ({"kernel": "nonsense (16)"}, StateError, "line 1"),
        ({"kernel": "mov (16) r2.0<1>:f 0.0:f"}, CaptureError, "3DPRIMITIVE at"),
        ({"state": [PixelShader()]}, CaptureError, "enables no width of its kernels"),
        ({"state": [Windower(thread_dispatch=True, barycentric_modes=63)]}, CaptureError, "before the constants"),
        ({"constants": [[1.0]]}, StateError, r"constants must be numbers of shape \(n,\)"),
    ],
)
def test_what_does_not_fit_is_refused(change, error, why):
    given = {"kernel": colors(), "attributes": [TRIANGLE, PAINT], "size": (8, 8)} | change
    with pytest.raises(error, match=why):
        Gpu().draw(**given)


def test_the_submission_of_a_draw_is_a_case():
    target = Surface.from_array(np.zeros((12, 20, 4), np.uint8), tiling="Y", device="cpu")
    submission = Draw(colors(), target, [TRIANGLE, PAINT]).submission()
    (picture,) = Case.of([Capture.from_bytes(submission.to_bytes(), "draw")]).replay()
    wanted = Gpu().draw(colors(), [TRIANGLE, PAINT], size=(20, 12)).picture
    assert np.array_equal(picture.planes[0].reshape(12, 20, 4), wanted)


def test_strict_replay_stops_at_constants_without_room():
    target = Surface.from_array(np.zeros((4, 4, 4), np.uint8), device="cpu")
    alloc = structure("3DSTATE_PUSH_CONSTANT_ALLOC_PS")
    for size, strict in ((1, True), (0, False)):
        drawn = Draw(colors(), target, [TRIANGLE, PAINT], constants=[1.0], state=[alloc(size=size)])
        (picture,) = Case.of([Capture.from_bytes(drawn.submission().to_bytes(), "draw")]).replay(strict=strict)
        assert picture.planes[0].any()
    with pytest.raises(CaptureError, match=r"3DSTATE_CONSTANT_PS pushes 32 bytes, .* has room for 0"):
        list(Case.of([Capture.from_bytes(drawn.submission().to_bytes(), "draw")]).replay(strict=True))


def test_the_example_of_the_page_makes_its_picture(tmp_path, monkeypatch):
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / "emulator-drawing.md").read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/emulator-drawing.md", "exec"), {})
    shown = imageio.imread(DOCS / "pictures" / "emulator" / "triangle.png")
    assert np.array_equal(imageio.imread(tmp_path / "triangle.png"), shown)


def test_the_depth_of_samples_is_a_picture_of_its_pixels():
    """Interleaved samples take more columns and rows than the picture has pixels."""
    target = Surface.from_array(np.zeros((4, 6, 9, 4), np.uint8), samples=4, tiling="Y", device="cpu")
    depth = DepthStencilState(depth_test=True, depth_write=True, depth_function="ALWAYS")
    state = [
        Multisample(samples="COUNT_4", x_offset=[0.5] * 8, y_offset=[0.5] * 8),
        SampleMask(mask=15),
        StripsFans(viewport_transform=True, cull_mode="NONE", multisample_mode="ON_PATTERN"),
        Windower(thread_dispatch=True, barycentric_modes=1, multisample_mode="ON_PATTERN"),
    ]
    everywhere = [(x, y, 0.25) for x, y in [(-1, -1), (3, -1), (-1, 3)]]
    drawn = Draw(colors(), target, [everywhere, PAINT], depth=depth, state=state)
    pictures = Case.of([Capture.from_bytes(drawn.submission().to_bytes(), "draw")]).replay()
    (found,) = [picture for picture in pictures if picture.name.endswith("_depth")]
    assert (found.width_px, found.height_rows) == (9, 6)
    assert (np.frombuffer(found.raw(), "<f4") == 0.25).all()
