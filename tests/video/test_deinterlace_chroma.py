"""Chroma of `deinterlace=hq`: within what the fields beside a field show of it, as the oracle says."""

from dataclasses import asdict

import numpy as np
import pytest
from oracle.chroma_limits import limited
from oracle.deinterlace import DiState, missing_lines
from oracle.hq_deinterlace import deinterlace_luma_hq
from support.filter_cases import sweep
from support.frames import random_frame, samples_of
from support.interlaced import DRIVER, random_statistics

import texsamp as ts
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.deinterlace.components import as_gray
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.frame_measures import Between, Wanted, measure
from texsamp.video.deinterlace.launches import HQ_LINES, TILE_SIZES, deinterlace_fields

LAYOUTS = (
    "yuv420p",
    "nv12",
    "nv21",
    "yuv422p",
    "yuyv422",
    "uyvy422",
    "p010le",
    "yuv420p10le",
    "yuv444p",
    "yuv444p10le",
)


BEYOND_A_TILE = 2 * TILE_SIZES["host"].hq_width + 70, 4 * HQ_LINES + 6


def lively(rng, name, width, height, device):
    """Four frames: noise; levels near each other, as limits ask; one that is like another but for a few samples."""
    frames = [random_frame(rng, name, width, height) for _ in range(4)]
    for near in zip(*(frame.planes for frame in frames), strict=True):
        near[1][...] = near[0] ^ rng.integers(0, 2, near[0].shape).astype(near[0].dtype) << rng.integers(0, 6)
        near[2][...] = np.where(rng.random(near[0].shape) < 0.9, near[0], near[2])
    return [ts.Frame.from_arrays(name, frame.planes, width, height, device) for frame in frames]


def check(rng, name, width, height, device):
    """Fields whose chroma is measured by itself: the long filters of luma, and then the limits."""
    frames = lively(rng, name, width, height, device)
    for parity in (0, 1):
        current, reference = (frames[n] for n in rng.permutation(4)[:2])
        before = {n: Between(random_statistics(rng, as_gray(current, n))) for n in "UV"}
        by_line = (current, reference) if parity else (reference, current)
        found = measure(
            by_line,
            [Field(current, parity, reference)],
            Between(chroma=before),
            DRIVER,
            Wanted(True, chroma=Wanted(True)),
        )
        known = {n: found.chroma[n].about(parity) for n in "UV"}
        (made,) = deinterlace_fields(
            [Field(current, parity, reference, found.motion, long_filters=True, chroma=known)], DRIVER
        )
        for n in "UV":
            c, r = (samples_of(frame, n) for frame in (current, reference))
            lines, bits = missing_lines(parity, len(c)), made.layout.bits
            expected = c
            if len(lines):
                state, stmm = DiState(**asdict(DRIVER)), before[n].motion.stmm[lines]
                expected = limited(c, r, parity, deinterlace_luma_hq(c, r, parity, state, stmm, bits), bits)
            assert np.array_equal(samples_of(made, n), expected), (n, parity)


@pytest.mark.parametrize("level", [level for level in supported_levels() if library_path(level)])
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_kernels_are_the_oracle(name, level):
    rng, device = np.random.default_rng([*name.encode()]), CpuDevice(level)
    for _ in range(sweep(3)):
        check(rng, name, *(int(v) for v in rng.integers(1, 60, 2)), device)


@pytest.mark.parametrize("name", ["yuv420p", "nv12", "nv21", "p010le"])
@pytest.mark.parametrize(
    "size", [(1, 1), (1, 2), (2, 1), (3, 40), (2 * TILE_SIZES["host"].hq_width + 70, 4 * HQ_LINES + 6)]
)
def test_sizes(name, size):
    check(np.random.default_rng(size), name, *size, CpuDevice())


def shown(chroma, luma):
    """U of what `hq` makes of pictures whose fields follow each other."""
    frames = []
    for n in range(0, len(luma), 2):
        planes = []
        for top, bottom in ((luma[n], luma[n + 1]), *2 * ((chroma[n], chroma[n + 1]),)):
            planes.append(np.where(np.arange(len(top))[:, None] % 2 == 0, top, bottom).astype("u1"))
        frames.append(ts.Frame.from_arrays("yuv420p", planes, 64, 64, "cpu", pts=n // 2, interlaced=True))
    return [samples_of(frame, "U").astype(int) for frame in ts.Pipeline([ts.Deinterlace("hq", "field")], "cpu")(frames)]


def test_a_color_that_only_one_field_shows_does_not_comb():
    """A butterfly as light as the sky: luma says that nothing moves."""
    luma, chroma = [np.full((64, 64), 120)] * 10, [np.full((32, 32), 90) for _ in range(10)]
    chroma[5][8:20, 10:22] = 170
    made = shown(chroma, luma)
    assert abs(made[5][9:19, 10:22] - 170).max() <= 1
    assert all((made[n] == 90).all() for n in (3, 7))


def test_colors_that_stand_stay_whole_while_luma_moves():
    """Stripes of two lines of color, over which gray goes by."""
    rng = np.random.default_rng(1)
    chroma = [np.tile(np.where(np.arange(32)[:, None] % 4 < 2, 90, 160), (1, 32))] * 10
    luma = [rng.integers(60, 190, (64, 64)) for _ in range(10)]
    assert all((picture == chroma[0]).all() for picture in shown(chroma, luma)[2:-1])


def wheel(count=12, size=96):
    """Sectors of U that turn, and of V that turn the other way, as a camera whose pixels have an area sees them."""
    y, x = (np.mgrid[: 4 * size, : 4 * size] - (2 * size - 0.5)) / 4
    angle, levels = np.arctan2(y, x) * 5 / (2 * np.pi), np.array([60, 200, 110, 170, 90])
    sectors = ([np.floor(angle + way * n).astype(int) % 5 for way in (0.02, -0.015)] for n in range(count))
    return [[levels[sector].reshape(size, 4, size, 4).mean((1, 3)) for sector in both] for both in sectors]


def interlaced(pictures, layout="yuv420p"):
    """Pictures of U and V as fields of frames, over luma that stands; and U and V as gray frames."""
    color, gray = [], {"U": [], "V": []}
    for n in range(0, len(pictures), 2):
        told = {"pts": n // 2, "interlaced": True}
        fields = zip(*pictures[n : n + 2], strict=True)
        u, v = (np.where(np.arange(len(a))[:, None] % 2 == 0, a, b).astype("u1") for a, b in fields)
        times = 1 if layout == "yuv444p" else 2
        height, width = times * len(u), times * u.shape[1]
        luma = np.full((height, width), 90, "u1")
        planes = [luma, np.dstack([u, v]).reshape(len(u), -1)] if layout == "nv12" else [luma, u, v]
        color.append(ts.Frame.from_arrays(layout, planes, width, height, "cpu", **told))
        for name, plane in (("U", u), ("V", v)):
            gray[name].append(ts.Frame.from_arrays("gray", [plane], *plane.shape[::-1], "cpu", **told))
    return color, gray


def made_of(frames, name, mode):
    return [samples_of(frame, name) for frame in ts.Pipeline([ts.Deinterlace(mode, "field")], "cpu")(frames)]


@pytest.mark.parametrize("layout", ["yuv420p", "nv12", "yuv444p"])
def test_best_makes_chroma_as_it_makes_luma(layout):
    color, gray = interlaced(wheel(), layout)
    for name, frames in gray.items():
        for number, (a, b) in enumerate(zip(made_of(color, name, "best"), made_of(frames, "Y", "best"), strict=True)):
            assert number == len(wheel()) - 1 or np.array_equal(a, b), (name, number)


def test_edges_of_color_that_turn_are_drawn():
    """By `hq` 10 dB nearer to the truth than by `madi` at least, and by `best`, which seeks more edges, 0.5 more."""
    truth = wheel()
    color, _ = interlaced(truth)
    errors = {
        mode: np.mean(
            [
                np.mean((made.astype(float) - true[k]) ** 2)
                for k, name in enumerate("UV")
                for made, true in zip(made_of(color, name, mode)[2:-2], truth[2:-2], strict=True)
            ]
        )
        for mode in ("madi", "hq", "best")
    }
    gains = [10 * np.log10(errors["madi"] / errors[mode]) for mode in ("hq", "best")]
    assert gains[0] > 10
    assert gains[1] > gains[0] + 0.5


def test_colors_that_go_by_are_followed_while_luma_stands():
    """A crawl of patches as high as two lines, of which a field shows half: those beside it have the rest."""
    world = np.kron(np.random.default_rng(2).integers(60, 200, (16, 40)), np.ones((2, 4)))
    chroma = [world[:, 3 * n : 3 * n + 32] for n in range(12)]
    made = shown(chroma, [np.full((64, 64), 120)] * 12)
    assert (
        np.mean([(made[n] - chroma[n])[2:-2, 8:-8] ** 2 for n in range(3, 9)]) < 10
    )  # without vectors 379, `madi` 629


@pytest.mark.parametrize("mode", ["hq", "best"])
@pytest.mark.parametrize(
    ("layout", "planar"),
    [("nv12", "yuv420p"), ("p010le", "yuv420p10le"), ("uyvy422", "yuv422p"), ("yvyu422", "yuv422p")],
)
def test_other_layouts_are_the_same_picture_and_come_back_as_they_were(layout, planar, mode):
    rng = np.random.default_rng(5)
    given = [random_frame(rng, layout, 36, 22) for _ in range(4)]
    frames = [
        ts.Frame.from_arrays(layout, frame.planes, 36, 22, "cpu", pts=n, interlaced=n != 2)
        for n, frame in enumerate(given)
    ]
    stage = ts.Deinterlace(mode, "field", scenecut="off")
    made = list(ts.Pipeline([stage], "cpu")(frames))
    expected = list(ts.Pipeline([stage], "cpu")(ts.convert(frame, planar) for frame in frames))
    assert all(frame.layout.name == layout for frame in made)
    for a, b in zip(made, expected, strict=True):
        for name in a.layout.components:
            assert np.array_equal(samples_of(a, name), samples_of(b, name))
