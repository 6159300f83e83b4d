"""Draws whose samples are several, antialiased or stippled: the same on a device, of whose pixels nothing comes."""

import numpy as np
import pytest
from emulator.test_device_quads import BLEND, DEPTH, PASSED, SIZE, drawn, paint, refuse, triangles
from emulator.test_pixel_interpolator import CENTROID, SAMPLE, descriptor
from emulator.test_pixel_interpolator import kernel as asking
from support.crossings import moved_within
from support.strict_arrays import StrictDevice

from texsamp import get_device
from texsamp.emulator import Gpu
from texsamp.emulator.context.device_copies import DeviceCopies
from texsamp.emulator.context.registers import Counter, Registers
from texsamp.emulator.dispatch.pixel_quads import slices_between
from texsamp.emulator.dispatch.pixels import Pixels
from texsamp.emulator.eu.registers.constants import Constants
from texsamp.emulator.fixed import raster
from texsamp.state.commands_raster import (
    LineAntialiasing,
    LineStipple,
    Multisample,
    PixelShader,
    PolyStippleOffset,
    PolyStipplePattern,
    SampleMask,
    StripsFans,
    Windower,
)
from texsamp.surface.surface import Surface

PLACES = {
    4: ([0.375, 0.875, 0.125, 0.625], [0.125, 0.375, 0.625, 0.875]),
    8: (
        [0.5625, 0.4375, 0.8125, 0.3125, 0.1875, 0.0625, 0.6875, 0.9375],
        [0.3125, 0.6875, 0.5625, 0.1875, 0.8125, 0.4375, 0.9375, 0.0625],
    ),
}
PLANES = {8: 4, 16: 6, 32: 11}
"""Register that a shader's planes begin at, by its width."""


def of_samples(samples, simd, rate, *, mask=None, windower=None, shader=None):
    """State of a draw with several samples whose shader is `paint`."""
    mode = {"multisample_mode": "ON_PATTERN"}
    x, y = (part + [0] * (8 - samples) for part in PLACES[samples])
    return [
        StripsFans(viewport_transform=True, cull_mode="NONE", **mode),
        Multisample(samples=f"COUNT_{samples}", x_offset=x, y_offset=y),
        SampleMask(mask=(1 << samples) - 1 if mask is None else mask),
        Windower(
            **{"thread_dispatch": True, "dispatch_rate": rate, "barycentric_modes": 1, "statistics": True, **mode,
               **(windower or {})}
        ),
        PixelShader(**{f"dispatch_{simd}": True, "grf_start_0": PLANES[simd], "max_threads": 1, "attributes": True,
                       **(shader or {})}),
    ]  # fmt: skip


def target_of(samples):
    texels = np.full((samples, *SIZE[::-1], 4), 40, np.uint8)
    return Surface.from_array(texels, tiling="Y", samples=samples, device="cpu")


def counting(monkeypatch):
    """Sums of the counters of pixels and samples, from now on."""
    found, count_up = dict.fromkeys((Counter.PS_INVOCATIONS, Counter.PS_DEPTH), 0), Registers.count

    def count(self, counter, number):
        if counter in found:
            found[counter] += int(number)
        count_up(self, counter, number)

    monkeypatch.setattr(Registers, "count", count)
    return found


def threads_of(payloads):
    return [payload for _, _, registers in payloads for payload in registers]


def assert_stays(monkeypatch, kernel, attributes, **draw):
    """Threads, picture and counters of the host; nothing that is looked at here. Returns the picture."""
    counted = counting(monkeypatch)
    expected = drawn(monkeypatch, get_device("cpu"), kernel, attributes, **draw)
    numbers = dict(counted)
    counted.update(dict.fromkeys(counted, 0))
    refuse(monkeypatch)
    found = drawn(monkeypatch, StrictDevice(), kernel, attributes, **draw)
    assert threads_of(found[1]) == threads_of(expected[1])
    assert np.array_equal(found[0], expected[0])
    assert counted == numbers
    return found[0]


@pytest.mark.parametrize("together", [1 << 13, 50])
@pytest.mark.parametrize("early", ["NORMAL", "PREPS"])
@pytest.mark.parametrize(
    ("samples", "simd", "rate"),
    [
        *((4, simd, "PERPIXEL") for simd in (8, 16, 32)),
        *((4, simd, "PERSAMPLE") for simd in (8, 16, 32)),
        *((8, simd, rate) for simd in (8, 16) for rate in ("PERPIXEL", "PERSAMPLE")),
    ],
)
def test_samples_of_objects_over_each_other(samples, simd, rate, early, together, monkeypatch):
    """Threads that none of whose samples are covered are not there; two halves of a square share pixels."""
    monkeypatch.setattr(raster, "TOGETHER", together)
    corners, colors = triangles(samples, 24)
    halves = [(-0.7, -0.9, 0.1, 1), (0.8, -0.8, 0.2, 1), (-0.8, 0.7, 0, 1)]
    corners = np.concatenate([corners, halves, [halves[1], (0.9, 0.9, 0.1, 1), halves[2]]])
    colors = np.concatenate([colors, np.random.default_rng(1).random((6, 4))])
    state = of_samples(samples, simd, rate, windower={"early_depth": early})
    picture = assert_stays(
        monkeypatch, paint(simd, PLANES[simd]), [corners, colors], target=target_of(samples), simd=simd, blend=BLEND,
        depth=DEPTH, state=state,
    )  # fmt: skip
    assert len(np.unique(picture)) > 50
    assert (picture != picture[:1]).any()


@pytest.mark.parametrize("rate", ["PERPIXEL", "PERSAMPLE"])
@pytest.mark.parametrize("offset", ["CENTROID", "SAMPLE"])
@pytest.mark.parametrize("mask", [0b1011, 0b0100, 0])
def test_what_threads_of_samples_are_told(mask, offset, rate, monkeypatch):
    """Weights at centroids and samples, in perspective or not, offsets, masks; some samples are not drawn."""
    windower = {"barycentric_modes": 0b110110, "source_depth": True, "source_w": True, "input_coverage": True}
    windower |= {"position_mode": offset}
    shader = {"position_offset": offset, "grf_start_0": 30}
    state = of_samples(4, 16, rate, mask=mask, windower=windower, shader=shader)
    corners, colors = triangles(7, 20)
    corners[:, 3] = np.random.default_rng(2).uniform(0.5, 3, len(corners))
    picture = assert_stays(
        monkeypatch, paint(16, 30), [corners, colors], target=target_of(4), state=state, depth=DEPTH
    )  # fmt: skip
    drawn_to = [(picture[sample] != 40).any() for sample in range(4)]
    assert drawn_to == [bool(mask >> sample & 1) for sample in range(4)]


OWN_MASK = paint(16, 6).replace(
    "send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud",
    "mov (16) r111.0<1>:uw 0x5:uw\nsend (16) null:ud r111.0<8;8,1>:ud render_cache 0x12031000:ud",
)
"""Writes samples 0 and 2 alone."""


def test_kernels_mask_samples(monkeypatch):
    state = of_samples(4, 16, "PERPIXEL", shader={"omask": True})
    picture = assert_stays(
        monkeypatch, OWN_MASK, triangles(3, 9), target=target_of(4), blend=BLEND, state=state
    )  # fmt: skip
    assert [(picture[sample] != 40).any() for sample in range(4)] == [True, False, True, False]


@pytest.mark.parametrize("rate", ["PERPIXEL", "PERSAMPLE"])
@pytest.mark.parametrize("kind", [SAMPLE, CENTROID])
def test_weights_at_samples_and_centroids_are_asked_for(kind, rate, monkeypatch):
    text = asking(descriptor(kind, data=2 << 4 if kind == SAMPLE else 0))
    corners, colors = triangles(11, 15)
    state = of_samples(4, 16, rate)
    assert_stays(monkeypatch, text, [corners, colors], target=target_of(4), blend=BLEND, state=state)


def lines(seed, count):
    random = np.random.default_rng(seed)
    at = np.concatenate(
        [random.uniform(-1, 1, (count, 2)), random.uniform(0, 1, (count, 1)), np.ones((count, 1))], axis=1
    )
    return [at, random.uniform(0, 1, (count, 4))]


STIPPLE = LineStipple(pattern=0b1011000111100101, repeat=3)
SMOOTH = {"line_width": 3.0, "antialiasing": True, "line_end_width": "PIXELS_1"}
ROWS = [0xF0F3C0F0 * (n + 1) & 0xFFFFFFFF for n in range(32)]
DRAWS = {
    "antialiased lines": ("LINELIST", SMOOTH, {"line_width": "PIXELS_2"}, []),
    "their slopes": ("LINESTRIP", SMOOTH, {}, [LineAntialiasing(slope=0.55, bias=0.3, end_slope=0.4, end_bias=0.1)]),
    "antialiased outlines": ("TRILIST", {**SMOOTH, "front_fill": "WIREFRAME"}, {}, []),
    "stippled lists": ("LINELIST", {"line_width": 1.0}, {"line_stipple": True}, [STIPPLE]),
    "stippled strips": ("LINESTRIP", {"line_width": 0.0}, {"line_stipple": True}, [STIPPLE]),
    "strips that go on": ("LINESTRIP_CONT", {"line_width": 2.0}, {"line_stipple": True}, [STIPPLE]),
    "stippled polygons": (
        "TRILIST", {}, {"polygon_stipple": True},
        [PolyStipplePattern(pattern=ROWS), PolyStippleOffset(x=5, y=9)],
    ),
    "stippled outlines": (
        "TRILIST", {"line_width": 1.0, "back_fill": "WIREFRAME"}, {"polygon_stipple": True, "line_stipple": True},
        [PolyStipplePattern(pattern=ROWS), STIPPLE],
    ),
}  # fmt: skip
"""By name: a topology, 3DSTATE_SF, 3DSTATE_WM, more state."""


@pytest.mark.parametrize("name", DRAWS)
def test_lines_and_stipples(name, monkeypatch):
    topology, setup, windower, state = DRAWS[name]
    commands = [
        StripsFans(cull_mode="NONE", viewport_transform=True, **setup),
        Windower(thread_dispatch=True, barycentric_modes=1, statistics=True, **windower),
        *state,
    ]
    picture = assert_stays(
        monkeypatch, paint(16, 6), lines(4, 18), topology=topology, blend=BLEND, state=commands
    )  # fmt: skip
    assert len(np.unique(picture)) > 20


@pytest.mark.parametrize("mode", ["OFF_PATTERN", "OFF_PIXEL"])
def test_lines_that_are_not_multisampled_beside_polygons(mode, monkeypatch):
    """Outlines of front faces, which are tested where the pixel is, among filled back faces."""
    states = of_samples(4, 16, "PERPIXEL", windower={"multisample_mode": mode})
    states[0] = StripsFans(
        viewport_transform=True, cull_mode="NONE", multisample_mode=mode, line_width=1.0, front_fill="WIREFRAME"
    )
    picture = assert_stays(
        monkeypatch, paint(16, 6), triangles(6, 12), target=target_of(4), blend=BLEND, state=states
    )  # fmt: skip
    assert len(np.unique(picture)) > 20


@pytest.mark.parametrize("rate", ["PERPIXEL", "PERSAMPLE"])
def test_a_draw_of_several_samples_brings_how_many_there_are(rate, monkeypatch):
    """However large it is: a total, whether objects meet, and four numbers of each part that goes on together."""
    for size in ((8, 6), (256, 256)):
        device = StrictDevice()
        moved = moved_within(monkeypatch, device, (Pixels, "run"), [(DeviceCopies, "of"), (Constants, "of")])
        texels = np.zeros((4, size[1], size[0], 4), np.uint8)
        target = Surface.from_array(texels, tiling="Y", samples=4, device="cpu")
        states = of_samples(4, 16, rate, windower={"statistics": False})
        Gpu(device).draw(paint(16, 6), triangles(1, 7), target=target, blend=BLEND, state=states)
        subspans = 7 * size[0] * size[1] // 4
        assert moved[0] <= 4 + 4 + 16 * (subspans // raster.TOGETHER + 1)
        assert moved[1] < 2500


INDEXED = PASSED.replace("mov (8) r114.0", "mov (8) r113.0<1>.y:d r2.0<4>.wwww:f {align16}\nmov (8) r114.0")
"""A vertex shader whose array index is the last channel of the attribute."""
IN_HEADERS = (
    paint(16, 6)
    .replace(
        "send",
        """mov (8) r110.0<1>:ud r0.0<8;8,1>:ud {NoMask}
        mov (8) r111.0<1>:ud r1.0<8;8,1>:ud {NoMask}
        and (1) r109.0<1>:ud r0.6<0;1,0>:ud 3:ud {NoMask}
        shl (1) r109.0<1>:ud r109.0<0;1,0>:ud 17:ud {NoMask}
        or (1) r110.0<1>:ud r110.0<0;1,0>:ud r109.0<0;1,0>:ud {NoMask}
        send""",
    )
    .replace("r112.0<8;8,1>:ud render_cache 0x10031000", "r110.0<8;8,1>:ud render_cache 0x140b1000")
)
"""Threads write to slices 0, 2, 4 and 6 by their numbers."""


@pytest.mark.parametrize("kernels", [(paint(16, 6), INDEXED), (IN_HEADERS, None)], ids=["vertices", "headers"])
def test_of_many_array_indices_the_host_asks_which_there_are(kernels, monkeypatch):
    """Of objects, or of what messages say: a bit for each that a surface may have."""
    corners, colors = triangles(2, 12)
    colors[:, 3] = np.repeat([0, 3, 6, 3, 1, 0] * 2, 3)
    target = Surface.from_array(np.zeros((7, *SIZE[::-1], 4), np.uint8), tiling="Y", device="cpu")
    options = {} if kernels[1] is None else {"vertex_kernel": kernels[1]}
    picture = assert_stays(monkeypatch, kernels[0], [corners, colors], target=target, **options)
    wanted = {0, 1, 3, 6} if kernels[1] else {0, 2, 4, 6}
    assert {number for number in range(7) if picture[number].any()} == wanted
    device = StrictDevice()
    moved = moved_within(monkeypatch, device, (Pixels, "run"), [(DeviceCopies, "of"), (Constants, "of")])
    Gpu(device).draw(kernels[0], [corners, colors], target=target, **options)
    assert moved[0] < 4 + 4 + 8 + 3 * 2048 // 8  # at most one such question of objects, and two of batches


def test_array_indices_that_no_surface_has_may_be_left_out():
    device = StrictDevice()
    for given, found in (
        ([5, 5], (5,)), ([6, 5], (5, 6)), ([1, 9, 4, 4, 2047], (1, 4, 9, 2047)),
        ([-7, 3, 0, 5000, 70000], (-7, 0, 3, 70000)), ([2048, -1, 2047], (-1, 2047, 2048)),
    ):  # fmt: skip
        slices = device.upload(np.array(given, np.int32))
        assert slices_between((min(given), max(given)), slices, device) == found
    assert device.downloaded_B == 3 * 2048 // 8
