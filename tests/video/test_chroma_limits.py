"""Chroma of `deinterlace=hq`: within what the fields beside a field show of it, as the oracle says."""

import re
from pathlib import Path

import numpy as np
import pytest
from oracle.chroma_limits import limited
from support.filter_cases import sweep
from support.frames import random_frame, samples_of

import texsamp as ts
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.deinterlace.chroma_limits import TILE, limited_chroma

LAYOUTS = ("yuv420p", "nv12", "nv21", "yuv422p", "yuyv422", "uyvy422", "p010le", "yuv420p10le")


def lively(rng, name, width, height, device):
    """Four frames: noise; levels near each other, as limits ask; one that is like another but for a few samples."""
    frames = [random_frame(rng, name, width, height) for _ in range(4)]
    for near in zip(*(frame.planes for frame in frames), strict=True):
        near[1][...] = near[0] ^ rng.integers(0, 2, near[0].shape).astype(near[0].dtype) << rng.integers(0, 6)
        near[2][...] = np.where(rng.random(near[0].shape) < 0.9, near[0], near[2])
    return [ts.Frame.from_arrays(name, frame.planes, width, height, device) for frame in frames]


def check(rng, name, width, height, device):
    frames = lively(rng, name, width, height, device)
    for parity in (0, 1):
        current, reference, made = (frames[n] for n in rng.permutation(4)[:3])
        bits, names = made.layout.bits, set(made.layout.components) - {"Y"}
        of = {n: [samples_of(frame, n).copy() for frame in (current, reference, made)] for n in made.layout.components}
        device.launch(*limited_chroma(parity, current, reference, made))
        for n, (c, r, before) in of.items():
            expected = limited(c, r, parity, before, bits) if n in names else before
            assert np.array_equal(samples_of(made, n), expected), (n, parity)


@pytest.mark.parametrize("level", [level for level in supported_levels() if library_path(level)])
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_kernels_are_the_oracle(name, level):
    rng, device = np.random.default_rng([*name.encode()]), CpuDevice(level)
    for _ in range(sweep(3)):
        check(rng, name, *(int(v) for v in rng.integers(1, 60, 2)), device)


@pytest.mark.parametrize("name", ["yuv420p", "nv12", "nv21", "p010le"])
@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 1), (3, 40), (2 * TILE[0] + 70, 2 * TILE[1] + 6)])
def test_sizes(name, size):
    check(np.random.default_rng(size), name, *size, CpuDevice())


def test_tiles_are_the_kernels():
    header = (Path(ts.__file__).parents[1] / "kernels" / "deinterlace_limits.h").read_text()
    assert tuple(int(v) for v in re.findall(r"LIMITS_(?:WIDTH|LINES) = (\d+)", header)) == TILE


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
