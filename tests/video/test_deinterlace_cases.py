"""The deinterlacer in the situations where deinterlacers go wrong, one test each, and its symmetry."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle.deinterlace import DiState, deinterlace_luma
from support.interlaced import CONTENTS

from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

TEMPORAL = ("madi", "mcdi", "hq")


def gray(planes, **properties) -> list[Frame]:
    """Interlaced frames, top field first, 25 a second."""
    told = {"interlaced": True, "top_field_first": True, "time_base": Fraction(1, 25), **properties}
    return [
        Frame.from_arrays("gray", [np.ascontiguousarray(plane)], plane.shape[1], plane.shape[0], "cpu", pts=n, **told)
        for n, plane in enumerate(planes)
    ]


def run(mode: str, frames: list[Frame], **options) -> list[Frame]:
    return list(Pipeline([Deinterlace(mode, "field", **options)], "cpu")(frames))


def luma(frames: list[Frame]) -> list[np.ndarray]:
    return [frame.planes[0] for frame in frames]


def noise(count: int, seed: int, height: int = 24, width: int = 50) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 256, (height, width)).astype("u1") for _ in range(count)]


def test_first_frame_is_made_of_its_first_field_alone():
    """Seed 003:1566-1582: spatial only, whatever comes after it."""
    planes = noise(3, 1)
    made = luma(run("madi", gray(planes)))
    assert np.array_equal(made[0], deinterlace_luma(planes[0], None, 0, DiState()).luma)
    other = [planes[0], *noise(2, 2)]
    for mode in TEMPORAL:
        a, b = (luma(run(mode, gray(clip)))[0] for clip in (planes, other))
        assert np.array_equal(a, b)


def test_last_field_comes_out_and_is_made_with_the_frame_before():
    """A still picture stays whole to its end: the last second field has a neighbor in time, though none follows."""
    still = noise(1, 3)[0]
    for mode in TEMPORAL:
        made = run(mode, gray([still] * 8))
        assert len(made) == 16
        assert np.array_equal(made[-1].planes[0], still)
        assert made[-1].pts == made[-2].pts + 1


@pytest.mark.parametrize("mode", ["bob", "madi", "mcdi"])
@pytest.mark.parametrize("height", [8, 9])
def test_top_and_bottom_two_rows(mode, height):
    """A missing outermost line is a copy of the only line of its field beside it; one within has both."""
    ramp = np.repeat((20 * np.arange(height)[:, np.newaxis]).astype("u1"), 40, axis=1)
    first, second = luma(run(mode, gray([ramp])))
    assert (first[:2, 5] == (0, 20)).all()
    assert (second[:2, 5] == (20, 20)).all()
    bottom = 20 * (height - 1)
    odd = (height - 1) & 1
    copied, kept = (first, second) if odd else (second, first)
    assert (copied[-2:, 5] == (bottom - 20, bottom - 20)).all()
    assert (kept[-2:, 5] == (bottom - 20, bottom)).all()


@pytest.mark.parametrize("mode", TEMPORAL)
def test_scene_cut_on_the_second_field(mode):
    """The frame at the cut has a field of either scene; no field is mixed with the other scene."""
    old, new = np.full((24, 64), 40, "u1"), np.full((24, 64), 200, "u1")
    cut = old.copy()
    cut[1::2] = 200
    made = luma(run(mode, gray([old] * 4 + [cut] + [new] * 4)))
    assert [int(plane[12, 30]) for plane in made] == [40] * 9 + [200] * 9
    assert all((plane == plane[12, 30]).all() for plane in made)


@pytest.mark.parametrize("mode", ["bob", *TEMPORAL])
@pytest.mark.parametrize("layout", ["yuv420p", "nv12"])
def test_interlaced_420_chroma_stays_in_its_field(mode, layout):
    """Chroma line k belongs to field k & 1: colors that change from field to field are not mixed where it moves."""
    frames = []
    for number in range(4):
        y = np.full((24, 48), 200 * (number & 1), "u1")
        u, v = np.empty((12, 24), "u1"), np.full((12, 24), 90, "u1")
        u[0::2], u[1::2] = 50 + 20 * number, 60 + 20 * number
        planes = [y, u, v] if layout == "yuv420p" else [y, np.stack([u, v], 2).reshape(12, 48)]
        frames.append(Frame.from_arrays(layout, planes, 48, 24, "cpu", pts=number, interlaced=True))
    made = run(mode, frames, scenecut="off")
    values = [np.unique(frame.component("U")).tolist() for frame in made]
    assert values == [[50 + 10 * n] for n in range(8)]
    assert all((frame.component("V") == 90).all() for frame in made)


def test_variable_frame_rate():
    """The second field lies at the middle of the actual distance to the next frame, to half a tick."""
    times = [0, 3, 4, 11, 12]
    frames = [replace(frame, pts=t, duration=None) for frame, t in zip(gray(noise(5, 5)), times, strict=True)]
    made = run("madi", frames)
    assert [frame.pts * frame.time_base * 50 for frame in made] == [0, 3, 6, 7, 8, 15, 22, 23, 24, 25]


@pytest.mark.parametrize("mode", ["bob", "madi", "mcdi"])
@pytest.mark.parametrize("content", ["slanted", "noisy edges", "detail", "random"])
def test_upside_down_is_the_other_field_order(mode, content):
    """Turned over, the top field is the bottom field; nothing else may change but which of two equal vectors is met.

    Not so in hq: the blocks that move begin at the first line.
    """
    rng = np.random.default_rng(len(content))
    planes = [CONTENTS[content](rng, 24, 60, 255).astype("u1") for _ in range(2)]
    planes = [planes[0], planes[0], planes[1], np.roll(planes[1], 2, 1)]
    if mode == "mcdi":
        rows = rng.integers(0, 256, (1, 80)).astype("u1")  # no vector up or down is better than one across
        planes = [np.repeat(rows[:, n : n + 60], 24, 0) for n in range(4)]
    made = luma(run(mode, gray(planes), scenecut="off"))
    turned = luma(run(mode, gray([plane[::-1] for plane in planes], top_field_first=False), scenecut="off"))
    assert all(np.array_equal(a, b[::-1]) for a, b in zip(made, turned, strict=True))


@pytest.mark.parametrize("mode", ["bob", "madi", "hq"])
def test_mirrored_is_mirrored(mode):
    """The first fallback is off: its window, printed with 7 columns around a pair, is not symmetric (003:1094-1114).

    So is compensation: of equal vectors the last is kept. The width is a multiple of the blocks that hq weaves.
    """
    state = DeinterlaceSamplerState(sdi_fallback1_t1=255, sdi_fallback1_t2=255, mc_pixel_consistency_threshold=0)
    rng = np.random.default_rng(6)
    planes = [CONTENTS["slanted"](rng, 24, 64, 90).astype("u1") + 60 for _ in range(2)]
    planes = [planes[0], planes[0], planes[1], np.roll(planes[1], 3, 1)]
    made = luma(run(mode, gray(planes), scenecut="off", state=state))
    mirrored = luma(run(mode, gray([plane[:, ::-1] for plane in planes]), scenecut="off", state=state))
    assert all(np.array_equal(a, b[:, ::-1]) for a, b in zip(made, mirrored, strict=True))
