"""Lines through the whole pipeline: antialiased, stippled and as outlines, from Python."""

import numpy as np
import pytest

from texsamp import get_device
from texsamp.emulator import Gpu
from texsamp.emulator.fixed.fragments import Fragments
from texsamp.state.commands_3d import Primitive
from texsamp.state.commands_mi import MiBatchBufferEnd
from texsamp.state.commands_raster import CullMode, LineStipple, PolyStipplePattern, StripsFans, Windower

pytestmark = pytest.mark.usefixtures("each_place")

WHITE = "\n".join(
    [f"mov (16) r{112 + 2 * c}.0<1>:f 1.0:f" for c in range(4)]
    + ["send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud {EOT}"]
)
SIZE = (32, 16)


def drawn(points, topology, setup, windower=None, state=()):
    """The picture of corners in pixels."""
    at = np.array(points, float) / np.array(SIZE) * [2, -2] + [-1, 1]
    commands = [
        StripsFans(cull_mode=CullMode.NONE, viewport_transform=True, **setup),
        Windower(thread_dispatch=True, barycentric_modes=1, **(windower or {})),
        *state,
    ]
    return Gpu().draw(WHITE, [at], size=SIZE, topology=topology, state=commands).picture


def test_antialiased_lines_multiply_alpha():
    """A horizontal line of width 2 whose sides lie in the middle of pixels, with ends that fall off over 2 pixels."""
    setup = {"line_width": 2.0, "antialiasing": True, "line_end_width": "PIXELS_2"}
    picture = drawn([(8, 8), (24, 8)], "LINELIST", setup, {"line_width": "PIXELS_2"})
    ends = np.clip(np.minimum(np.arange(32) + 0.5 - 6, 26 - np.arange(32) - 0.5) / 2, 0, 1)
    wanted = np.zeros((16, 32))
    wanted[7:9] = np.clip(0.5, 0, 1) * ends
    assert np.abs(picture[:, :, 3] - 255 * wanted).max() <= 1
    assert (picture[:, :, 0] == np.where(wanted > 0, 255, 0)).all()


def test_alpha_is_multiplied_where_colors_are(each_place):
    """Colors of a device never come to the host for it; what is no number has the bits that blending gives it."""
    device = each_place or get_device("cpu")
    alpha, coverage = np.array([0.5, -np.nan, np.inf, -2], np.float32), np.array([0.25, 1, 0, 1], np.float32)
    colors = np.random.default_rng(3).integers(0, 1 << 32, (4, 4), np.uint32)
    colors[:, 3] = alpha.view(np.uint32)
    places, second = np.zeros(4, np.int32), colors[::-1].copy()
    fragments = Fragments(
        places, places, places, np.ones(4, np.uint32), np.zeros(4, np.bool_),
        device.upload(np.zeros((1, 1), np.float32)),
        colors={0: device.upload(colors)}, second=device.upload(second), source0_alpha=device.upload(alpha),
    )  # fmt: skip
    found = fragments.covered(device.upload(coverage))
    for made, given in ((found.colors[0], colors), (found.second, second)):
        with np.errstate(invalid="ignore"):
            wanted = given[:, 3].view(np.float32).astype(np.float64) * coverage
        bits = np.where(np.isnan(wanted), np.uint32(0x7FC00000), wanted.astype(np.float32).view(np.uint32))
        assert np.array_equal(device.download(made), np.concatenate([given[:, :3], bits[:, None]], axis=1))
    assert device.download(found.source0_alpha).view(np.uint32).tolist() == [
        0x3E000000,
        0x7FC00000,
        0x7FC00000,
        0xC0000000,
    ]
    assert np.array_equal(device.download(fragments.colors[0]), colors)


def test_stippled_lines_and_polygons():
    stipple = LineStipple(pattern=0b0000111100110101, repeat=1)
    picture = drawn([(2, 4.5), (30, 4.5)], "LINELIST", {"line_width": 1.0}, {"line_stipple": True}, [stipple])
    row = [0b0000111100110101 >> n % 16 & 1 for n in range(28)]
    assert (picture[4, 2:30, 3] == np.array(row) * 255).all()
    assert picture[:, :, 3].sum() == 255 * sum(row)
    rows = [0xF0F0F0F0, 0x0F0F0F0F] * 16
    whole = [(0, 0), (64, 0), (0, 64)]
    picture = drawn(whole, "TRILIST", {}, {"polygon_stipple": True}, [PolyStipplePattern(pattern=rows)])
    y, x = np.mgrid[:16, :32]
    assert (picture[:, :, 3] == np.where((x // 4 + y) % 2 == 0, 255, 0)).all()


def test_outlines_of_quads_have_no_diagonals():
    setup = {"front_fill": "WIREFRAME", "back_fill": "WIREFRAME", "line_width": 1.0}
    picture = drawn([(4.5, 2.5), (20.5, 2.5), (20.5, 10.5), (4.5, 10.5)], "QUADLIST", setup)
    wanted = np.zeros((16, 32), bool)
    wanted[[2, 10], 4:20] = True
    wanted[2:10, [4, 20]] = True
    assert ((picture[:, :, 3] == 255) == wanted).all()


def test_the_line_stipple_goes_on_over_draws():
    """LINESTRIP_CONT counts on from the draw before it, and others begin anew; 3DSTATE_LINE_STIPPLE may set counters.

    The third line is beside the picture and rejected: it has no pixels, but the strip goes on behind it.
    """
    points = [(2, 2.5), (20, 2.5), (20, 40.5), (25, 40.5), (25, 9.5), (3, 9.5)]
    stippled, width = {"line_stipple": True}, {"line_width": 0.0}
    pattern = {"pattern": 0b0000111100110101, "repeat": 3}
    whole = drawn(points, "LINESTRIP", width, stippled, [LineStipple(**pattern)])

    def parts(*cuts, then="LINESTRIP_CONT", stipples=()):
        starts = [0, *cuts]
        work = [LineStipple(**pattern)]
        for number, (first, end) in enumerate(zip(starts, [*cuts, len(points) - 1], strict=True)):
            work += [*stipples][number - 1 : number] if number else []
            kind = then if number else "LINESTRIP"
            counts = {"vertex_count": end - first + 1, "start_vertex": first, "instance_count": 1}
            work.append(Primitive(topology=kind, **counts))
        return drawn(points, "LINESTRIP", width, stippled, [*work, MiBatchBufferEnd()])

    for cuts in ((1,), (2,), (3,), (1, 3, 4)):
        assert np.array_equal(parts(*cuts), whole)
    anew = parts(4, then="LINESTRIP")
    assert not np.array_equal(anew, whole)
    zero = LineStipple(modify_counters=True, **pattern)
    assert np.array_equal(parts(4, stipples=[zero]), anew)
    assert np.array_equal(parts(4, stipples=[LineStipple(**pattern)]), whole)
    counted = 18 + 38 + 31
    at = {"current_index": counted // 3 % 16, "current_counter": counted % 3}
    assert np.array_equal(parts(4, stipples=[zero.replace(**at)]), whole)
