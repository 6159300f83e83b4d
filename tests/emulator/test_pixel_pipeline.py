"""What pixel threads may do beside writing a color: discard, depth, samples, masks, two colors, several targets."""

from fractions import Fraction

import numpy as np
import pytest

from texsamp.emulator import Capture, CaseMemory, Gpu
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.registers import Counter
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.drawing import Draw
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import (
    Multisample,
    PixelShader,
    PolyStippleOffset,
    PolyStipplePattern,
    SampleMask,
    StripsFans,
    Windower,
)
from texsamp.state.pixel_state import BlendState, DepthStencilState, ScissorPointers
from texsamp.surface.surface import Surface

pytestmark = pytest.mark.usefixtures("each_place")

WRITE = "send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud {EOT}"
EVERYWHERE = [(-1, -1), (3, -1), (-1, 3)]
SIZE = (24, 16)
COLUMNS, ROWS = np.meshgrid(*((np.arange(n) + 0.5) / n for n in SIZE))
CLAMPED = {"clamp_range": "RTFORMAT", "pre_blend_clamp": True, "post_blend_clamp": True}
POSITIONS = {4: ([0.375, 0.875, 0.125, 0.625], [0.125, 0.375, 0.625, 0.875]),
             8: ([0.5625, 0.4375, 0.8125, 0.3125, 0.1875, 0.0625, 0.6875, 0.9375],
                 [0.3125, 0.6875, 0.5625, 0.1875, 0.8125, 0.4375, 0.9375, 0.0625])}  # fmt: skip


def plane(register, component, at, step=2):
    """The interpolated component `component` of the attribute whose planes are at a register."""
    lanes = 8 * step
    return f"pln ({lanes}) r{register}.0<1>:f r{at + component // 2}.{4 * (component % 2)}<0;1,0>:f r2.0<8;8,1>:f\n"


def color(values):
    """A color in r112 to r119."""
    return "".join(f"mov (16) r{112 + 2 * n}.0<1>:f {value}:f\n" for n, value in enumerate(values))


def at_depth(z):
    """A primitive that covers everything."""
    return [(x, y, z, 1) for x, y in EVERYWHERE]


def target(samples=1, size=SIZE):
    shape = (*((samples,) if samples > 1 else ()), size[1], size[0], 4)
    return Surface.from_array(np.zeros(shape, np.uint8), tiling="Y", samples=samples, device="cpu")


def multisample(samples):
    x, y = (positions + [0] * (8 - samples) for positions in POSITIONS[samples])
    return Multisample(samples=f"COUNT_{samples}", x_offset=x, y_offset=y)


def of_samples(**fields):
    """State of multisampled draws. fields: of 3DSTATE_WM."""
    return [
        StripsFans(viewport_transform=True, cull_mode="NONE", multisample_mode="ON_PATTERN"),
        Windower(**{"thread_dispatch": True, "barycentric_modes": 1, "multisample_mode": "ON_PATTERN"} | fields),
        SampleMask(mask=255),
    ]


DISCARD = (
    plane(120, 0, 6)
    + "cmp.g.f0.0 (16) null:f r120.0<8;8,1>:f 0.5:f\n"
    + color([1, 0, 0, 1])
    + """
    mov (8) r110.0<1>:ud r0.0<8;8,1>:ud {NoMask}
    mov (8) r111.0<1>:ud r1.0<8;8,1>:ud {NoMask}
    and (1) r111.14<1>:uw f0.0<0;1,0>:uw r1.14<0;1,0>:uw {NoMask}      # pixels that are still alive
    send (16) null:ud r110.0<8;8,1>:ud render_cache 0x140b1000:ud {EOT}
"""
)


def test_discarded_pixels_leave_neither_color_nor_depth():
    """The near object discards half of itself; the far one, of red 0.25, is seen there."""
    near, far = at_depth(0.25), at_depth(0.5)
    coordinate = [(0,), (2,), (0,), (1,), (1,), (1,)]  # 0 to 1 across the picture; of the far one above 0.5
    depth = DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS")
    kill = Windower(thread_dispatch=True, barycentric_modes=1, kill_pixel=True)
    flat = f"{DISCARD.replace('mov (16) r112.0<1>:f 1:f', plane(112, 0, 8))}"
    red = [(1,)] * 3 + [(0.25,)] * 3
    picture = Gpu().draw(
        flat, [near + far, coordinate, red], size=SIZE, depth=depth, state=[kill]
    ).picture  # fmt: skip
    assert (picture[:, :, 0] == np.where(COLUMNS > 0.5, 255, 64)).all()


FACES = """
    mov (16) r112.0<1>:f 0.0:f
    mov (16) r114.0<1>:f 1.0:f
    asr.nz.f0.0 (16) null:d -r0.0<0;1,0>:w 15:d                        # as Mesa asks for front faces
    (+f0.0) mov (16) r112.0<1>:f 1.0:f
    and (1) r100.0<1>:ud r0.0<0;1,0>:ud 0x1f:ud
    mul (1) r100.0<1>:ud r100.0<0;1,0>:ud 10:uw
    mov (1) r101.0<1>:f r100.0<0;1,0>:ud
    mul (16) r116.0<1>:f r101.0<0;1,0>:f 0.00392156886:f
    mov (16) r118.0<1>:f 1.0:f
"""


@pytest.mark.parametrize("clockwise", [False, True])
def test_kernels_are_told_front_faces_and_the_topology(clockwise):
    corners = at_depth(0.5)[:: -1 if clockwise else 1]
    picture = Gpu().draw(FACES + WRITE, [corners], size=SIZE).picture
    assert (picture[:, :, 1] == 255).all()
    assert (picture[:, :, 0] == (0 if picture[0, 0, 0] == 0 else 255)).all()
    assert (picture[:, :, 2] == 10 * Topology.TRILIST).all()
    other = Gpu().draw(FACES + WRITE, [corners[::-1]], size=SIZE).picture
    assert {int(picture[0, 0, 0]), int(other[0, 0, 0])} == {0, 255}


def test_a_kernel_computes_depth():
    """Two objects at the same depth; what their kernel computes crosses in the middle."""
    kernel = color([0, 0, 0, 1]) + plane(112, 0, 6) + plane(120, 1, 6)
    kernel += "send (16) null:ud r112.0<8;8,1>:ud render_cache 0x14031000:ud {EOT}"
    values = [(1, 0), (1, 2), (1, 0), (0.5, 0.5), (0.5, 0.5), (0.5, 0.5)]  # red and depth
    depth = DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS")
    computed = Windower(thread_dispatch=True, barycentric_modes=1, computed_depth="ON")
    draw = {"size": SIZE, "depth": depth, "state": [computed]}
    picture = Gpu().draw(kernel, [at_depth(0.9) * 2, values], **draw).picture
    assert (picture[:, :, 0] == np.where(COLUMNS < 0.5, 255, 128)).all()


def test_depth_and_w_are_in_the_payload():
    """Depth at r6, W at r8, planes behind them; W from 1 to 4 in perspective."""
    corners = [(-1, -1, 0.25, 1), (1, -1, 0.25, 1), (-4, 4, 3, 4), (4, 4, 3, 4)]
    kernel = (
        color([0, 0, 0, 1]) + "mov (16) r112.0<1>:f r6.0<8;8,1>:f\nmul (16) r114.0<1>:f r8.0<8;8,1>:f 0.25:f\n" + WRITE
    )
    state = [
        Windower(thread_dispatch=True, barycentric_modes=1, source_depth=True, source_w=True),
        PixelShader(grf_start_0=10, dispatch_16=True, max_threads=1),
    ]
    picture = Gpu().draw(kernel, [corners], size=SIZE, topology="TRISTRIP", state=state).picture
    v = 1 - ROWS  # from the near edge to the far one on the screen
    depth, w = 0.25 + v * 0.5, 1 / ((1 - v) + v / 4)
    assert np.abs(picture[:, :, 0] - 255 * depth).max() <= 0.51
    assert np.abs(picture[:, :, 1] - 255 * w / 4).max() <= 0.51


def covered(corners, size, at):
    """Pixels whose point `at` is inside, exactly; the corners lie on 1/256 pixels."""
    width, height = size
    points = [((Fraction(x) + 1) * width / 2, (1 - Fraction(y)) * height / 2) for x, y in corners]
    inside = np.zeros((height, width), np.bool_)
    for row in range(height):
        for column in range(width):
            x, y = column + Fraction(at[0]), row + Fraction(at[1])
            sides = [
                (bx - ax) * (y - ay) - (by - ay) * (x - ax)
                for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True)
            ]
            inside[row, column] = all(side > 0 for side in sides) or all(side < 0 for side in sides)
    return inside


@pytest.mark.parametrize("rate", ["PERPIXEL", "PERSAMPLE"])
@pytest.mark.parametrize("samples", [4, 8])
def test_samples_are_covered_one_by_one(samples, rate):
    corners = [(-0.8125, -0.6875), (0.9375, -0.4375), (-0.1875, 0.8125)]
    surface = target(samples, (16, 16))
    done = Gpu().draw(
        color([0.2, 0.4, 0.6, 1]) + WRITE, [corners], target=surface,
        state=[multisample(samples), *of_samples(dispatch_rate=rate)],
    )  # fmt: skip
    found = done.picture.to_array()
    for number, at in enumerate(zip(*POSITIONS[samples], strict=True)):
        inside = covered(corners, (16, 16), at)
        assert np.array_equal(found[number], np.where(inside[..., None], [51, 102, 153, 255], 0))


def test_threads_of_samples_are_told_where_theirs_are():
    """Weights at the sample: a plane of columns gives each sample its own position."""
    surface = target(4, (16, 16))
    kernel = color([0, 0, 0, 1]) + plane(112, 0, 6) + plane(114, 1, 6) + WRITE
    across = [(0, 1), (2, 1), (0, -1)]  # x from the left, y from the top
    state = [multisample(4), *of_samples(dispatch_rate="PERSAMPLE", barycentric_modes=4)]
    found = Gpu().draw(kernel, [EVERYWHERE, across], target=surface, state=state).picture.to_array()
    for number, (x, y) in enumerate(zip(*POSITIONS[4], strict=True)):
        columns, rows = np.meshgrid((np.arange(16) + x) / 16, (np.arange(16) + y) / 16)
        assert np.abs(found[number, :, :, 0] - 255 * columns).max() <= 0.51
        assert np.abs(found[number, :, :, 1] - 255 * rows).max() <= 0.51


@pytest.mark.parametrize(("simd", "samples"), [(8, 4), (8, 8), (16, 4), (16, 8)])
def test_threads_of_samples_are_told_their_first_pair(simd, samples):
    """Bits 7:6 of R0.0: of 16 slots for the sample of their first quad."""
    pair = f"""
        and (8) r20.0<1>:ud r0.0<0;1,0>:ud 0xc0:ud {{NoMask}}
        shr (8) r20.0<1>:ud r20.0<8;8,1>:ud 6:ud {{NoMask}}
        mov (8) r21.0<1>:f r20.0<8;8,1>:ud {{NoMask}}
        mul ({simd}) r112.0<1>:f r21.0<0;1,0>:f {1 / 255}:f
    """
    kernel = color([0, 0, 0, 1]) + pair + WRITE
    if simd == 8:
        kernel = (pair + "".join(f"mov (8) r{113 + n}.0<1>:f 1.0:f\n" for n in range(3)) + WRITE).replace("(16)", "(8)")
        kernel = kernel.replace("0x10031000", "0x08031400")
    state = [multisample(samples), *of_samples(dispatch_rate="PERSAMPLE")]
    surface = target(samples, (16, 16))
    found = Gpu().draw(kernel, [EVERYWHERE], target=surface, simd=simd, state=state).picture.to_array()
    for sample in range(samples):
        first = sample - sample % (simd // 4)
        assert (found[sample, :, :, 0] == first // 2).all()


@pytest.mark.parametrize("simd", [8, 16])
@pytest.mark.parametrize("rate", ["PERPIXEL", "PERSAMPLE"])
def test_tests_before_the_shader_leave_what_tests_behind_it_do(rate, simd):
    """Of samples some of whose quads are hidden: each shows its own depth and place."""
    random = np.random.default_rng(8)
    corners = np.concatenate([random.uniform(-1, 1, (36, 2)), random.uniform(0, 1, (36, 1)), np.ones((36, 1))], axis=1)
    shown = "".join(plane(112 + n * simd // 8, n, 4 if simd == 8 else 6, simd // 8) for n in range(4))
    write = WRITE if simd == 16 else WRITE.replace("(16)", "(8)").replace("0x10031000", "0x08031400")
    found = []
    for when in ("NORMAL", "PREPS"):
        state = [multisample(8), *of_samples(dispatch_rate=rate, early_depth=when, barycentric_modes=4)]
        draw = {
            "simd": simd,
            "state": state,
            "depth": DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS"),
        }
        found.append(
            Gpu().draw(shown + write, [corners, random_colors(36)], target=target(8), **draw).picture.to_array()
        )
    assert np.array_equal(*found)
    assert len(np.unique(found[0])) > 100


def random_colors(count):
    return np.random.default_rng(count).uniform(0, 1, (count, 4))


def test_pixels_of_threads_that_are_not_full_are_blended_once():
    add = BlendState(
        blend_enable=True, color_function="ADD", source_factor="ONE", destination_factor="ONE", alpha_function="ADD",
        source_alpha_factor="ONE", destination_alpha_factor="ONE", **CLAMPED,
    )  # fmt: skip
    corners = [(-0.9, -0.8), (-0.3, -0.3), (-0.6, 0.9), (0.1, -0.7), (0.9, -0.1), (0.4, 0.8)]
    for part in range(4):  # some of which give threads that lack quads
        moved = [(x + part / 30, y) for x, y in corners]
        picture = Gpu().draw(color([0.2] * 4) + WRITE, [moved], size=SIZE, blend=add).picture
        assert set(np.unique(picture)) == {0, 51}


@pytest.mark.parametrize("mask", [0b1111, 0b0101, 0])
def test_the_sample_mask_says_which_are_written(mask):
    state = [multisample(4), *of_samples(dispatch_rate="PERPIXEL"), SampleMask(mask=mask)]
    done = Gpu().draw(color([1, 1, 1, 1]) + WRITE, [EVERYWHERE], target=target(4), state=state)
    found = done.picture.to_array()
    assert [int(found[n].min()) == int(found[n].max()) == 255 for n in range(4)] == [
        bool(mask >> n & 1) for n in range(4)
    ]


def test_a_kernel_writes_its_own_sample_mask():
    kernel = "mov (16) r111.0<1>:uw 6:uw\n" + color([1, 1, 1, 1])
    kernel += "send (16) null:ud r111.0<8;8,1>:ud render_cache 0x12031000:ud {EOT}"
    state = [
        multisample(4), *of_samples(dispatch_rate="PERPIXEL"),
        PixelShader(grf_start_0=6, dispatch_16=True, max_threads=1, omask=True),
    ]  # fmt: skip
    found = Gpu().draw(kernel, [EVERYWHERE], target=target(4), state=state).picture.to_array()
    assert [(found[n] == 255).all() for n in range(4)] == [False, True, True, False]
    assert not found[[0, 3]].any()


def test_two_colors_blend():
    """Source 0 times source 1, in two messages of 8 pixels each."""
    lines = []
    for half in range(2):
        lines += [f"mov (8) r{104 + n}.0<1>:f {value}:f" for n, value in enumerate((1, 0.8, 0.6, 1, 0.2, 0.5, 1, 1))]
        ends = "{EOT}" if half else ""
        lines.append(f"send (8) null:ud r104.0<8;8,1>:ud render_cache {0x10031000 | (2 + half) << 8:#x}:ud {ends}")
    blend = BlendState(
        blend_enable=True, source_factor="SRC1_COLOR", destination_factor="ZERO", source_alpha_factor="ONE",
        destination_alpha_factor="ZERO", independent_alpha=True, **CLAMPED,
    )  # fmt: skip
    shader = PixelShader(grf_start_0=6, dispatch_16=True, max_threads=1, dual_source_blend=True)
    picture = Gpu().draw("\n".join(lines), [EVERYWHERE], size=SIZE, blend=blend, state=[shader]).picture
    assert (picture == [51, 102, 153, 255]).all()


def test_several_targets():
    other = target()
    kernel = color([1, 0, 0, 1]) + WRITE.replace("0x10031000", "0x10030000").replace(" {EOT}", "") + "\n"
    kernel += color([0, 1, 0, 1]) + WRITE.replace("0x10031000", "0x10031001")
    done = Gpu().draw(kernel, [EVERYWHERE], size=SIZE, surfaces=[other])
    assert (done.picture == [255, 0, 0, 255]).all()
    assert (done.surfaces[0].to_array() == [0, 255, 0, 255]).all()


def test_tests_before_the_shader_save_threads():
    """The far object comes second; it is not shaded where the near one is in front."""
    depth = DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS")
    threads = {}
    for when in ("NORMAL", "PSEXEC", "PREPS"):
        early = Windower(thread_dispatch=True, barycentric_modes=1, early_depth=when)
        corners, paint = at_depth(0.25) + at_depth(0.5), [(1,)] * 3 + [(0.5,)] * 3
        kernel = color([0, 0, 0, 1]) + plane(112, 0, 6) + WRITE
        done = Gpu().draw(kernel, [corners, paint], size=SIZE, depth=depth, state=[early])
        assert (done.picture[:, :, 0] == 255).all()
        threads[when] = done.threads
    assert threads["NORMAL"] == threads["PSEXEC"] == 2 * threads["PREPS"] == 2 * SIZE[0] * SIZE[1] // 16


def test_the_scissor_is_inclusive_and_may_be_empty():
    """The scissor lies where constants do: row and column of both corners."""
    at = 0x2800 + 0x140
    scissored = StripsFans(viewport_transform=True, cull_mode="NONE", scissor_enable=True)
    for left, top, right, bottom in ((3, 2, 9, 5), (0, 0, 0, 0), (5, 5, 4, 5)):
        picture = Gpu().draw(
            color([1, 1, 1, 1]) + WRITE, [EVERYWHERE], size=SIZE, constants=[top << 16 | left, bottom << 16 | right],
            state=[scissored, ScissorPointers(pointer=at)],
        ).picture  # fmt: skip
        wanted = np.zeros(SIZE[::-1], np.bool_)
        wanted[top : bottom + 1, left : right + 1] = True
        assert np.array_equal(picture[:, :, 0] == 255, wanted)


def test_pixels_and_samples_that_pass_are_counted():
    depth = DepthStencilState(depth_test=True, depth_write=True, depth_function="LESS")
    draw = Draw(
        color([1, 1, 1, 1]) + WRITE, target(), [at_depth(0.5) + at_depth(0.75)], depth=depth,
        state=[Windower(thread_dispatch=True, barycentric_modes=1, statistics=True)],
    )  # fmt: skip
    capture = Capture.from_bytes(draw.submission().to_bytes(), "counted")
    memory, context = CaseMemory(), LogicalContext()
    memory.enter(capture)
    list(CommandStreamer(Engines(memory), context).run(capture))
    pixels = SIZE[0] * SIZE[1]
    assert context.registers.read_wide(Counter.PS_INVOCATIONS) == 2 * pixels
    assert context.registers.read_wide(Counter.PS_DEPTH) == pixels


def test_resolves_write_nothing():
    draw = {"size": SIZE, "attributes": [EVERYWHERE], "kernel": color([1, 1, 1, 1]) + WRITE}
    shader = {"grf_start_0": 6, "dispatch_16": True, "max_threads": 1}
    assert not Gpu().draw(**draw, state=[PixelShader(resolve=True, **shader)]).picture.any()
    for name in ("depth_resolve", "hier_depth_resolve"):
        assert not Gpu().draw(**draw, state=[Windower(thread_dispatch=True, **{name: True})]).picture.any()


def test_a_fast_clear_clears_what_its_rectangle_stands_for():
    """Two pixels of 64 x 64 each, of a target tiled in Y whose clear color is black."""
    white = Surface.from_array(np.full((90, 200, 4), 255, np.uint8), tiling="Y", device="cpu")
    cleared = Gpu().draw(
        color([1, 0.5, 1, 1]) + WRITE, [EVERYWHERE], target=white, constants=[0, 1],
        state=[
            PixelShader(fast_clear=True, grf_start_0=6, dispatch_16=True, max_threads=1),
            StripsFans(viewport_transform=True, cull_mode="NONE", scissor_enable=True),
            ScissorPointers(pointer=0x2800 + 0x140),
        ],
    ).picture  # fmt: skip
    wanted = np.full((90, 200, 4), 255, np.uint8)
    wanted[:64, :128] = 0
    assert np.array_equal(cleared.to_array(), wanted)


def test_threads_of_samples_have_one_width():
    state = [multisample(4), *of_samples(dispatch_rate="PERSAMPLE"), PixelShader(dispatch_8=True, dispatch_16=True)]
    with pytest.raises(CaptureError, match="threads of samples have one"):
        Gpu().draw(color([1, 1, 1, 1]) + WRITE, [EVERYWHERE], target=target(4), state=state)


def test_polygons_are_stippled():
    rows = np.random.default_rng(3).integers(0, 1 << 32, 32, np.uint64)
    state = [
        Windower(thread_dispatch=True, barycentric_modes=1, polygon_stipple=True),
        PolyStipplePattern(pattern=[int(row) for row in rows]), PolyStippleOffset(x=5, y=30),
    ]  # fmt: skip
    picture = Gpu().draw(color([1, 1, 1, 1]) + WRITE, [EVERYWHERE], size=(70, 66), state=state).picture
    y, x = np.mgrid[:66, :70]
    assert np.array_equal(picture[:, :, 0] == 255, rows[(y + 30) % 32] >> (31 - (x + 5) % 32).astype(np.uint64) & 1)
