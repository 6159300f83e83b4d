"""Edges at shallow angles (hq and best): the kernels are the oracle's, slanted edges come out whole, the rest stays."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from oracle.edges import AGAIN as EXPECTED_AGAIN
from oracle.edges import draw_edges as expected_edges
from support.frames import random_frame, samples_of

import texsamp as ts
from texsamp.device import CpuDevice
from texsamp.video.deinterlace import frame_pairs
from texsamp.video.deinterlace.edges import AGAIN, BY_HQ, SEARCH_TILES, WEIGHTS, seek_edges
from texsamp.video.deinterlace.launches import deinterlace_fields
from texsamp.video.frame import Frame

DEPTHS = {"gray": 8, "uyvy422": 8, "p010le": 10, "yuv422p10le": 10}


def slanted(rng, width, height, slope, bits=8, low=30, high=220):
    """Bars across the picture whose edges run ``slope`` columns a line, and noise of a few codes."""
    y, x = np.mgrid[:height, :width]
    period = rng.uniform(30, 60)
    wave = np.sin(2 * np.pi * (x - slope * y + rng.uniform(0, period)) / period)
    luma = (low + high) / 2 + (high - low) / 2 * np.clip(3 * wave, -1, 1) + rng.normal(0, 1.5, x.shape)
    return np.clip(np.rint(luma * 2 ** (bits - 8)), 0, 2**bits - 1).astype(np.int64)


def threads(rng, width, height, slope, bits=8):
    """Bright and dark lines as thick as a line of the picture across gray, and noise of a code."""
    y, x = np.mgrid[:height, :width]
    luma = np.full(x.shape, 120.0)
    for level in (110, -100, 90, -90):
        away = abs((x - rng.uniform(0, width)) / slope - (y - rng.uniform(0, height)))
        luma += level * np.clip(1.2 - away, 0, 1)
    return np.clip(np.rint((luma + rng.normal(0, 0.5, x.shape)) * 2 ** (bits - 8)), 0, 2**bits - 1).astype(np.int64)


def frame_with(luma, name):
    """A frame of a layout with this luma; what lies beside it is random."""
    height, width = luma.shape
    frame = random_frame(np.random.default_rng(1), name, width, height)
    part = frame.layout.components["Y"]
    view = frame.component("Y")
    view[...] = (luma << part.shift).astype(view.dtype)
    return frame


def drawn(current, reference, made, name, parity, vectors=None, weights=WEIGHTS):
    """The kernels'."""
    frames = [None if luma is None else frame_with(luma, name) for luma in (current, reference, made)]
    before = [plane.copy() for plane in frames[0].planes]
    device = frames[2].device
    motions = None if vectors is None else SimpleNamespace(y=vectors[1].astype("i1"), cost=vectors[2].astype("<u2"))
    search, edges = seek_edges(frames[0], parity, frames[1], motions)
    device.launch(search)
    device.launch(edges.drawn(frames[2], weights))
    assert all(np.array_equal(a, b) for a, b in zip(before, frames[0].planes, strict=True))
    return samples_of(frames[2], "Y")


@pytest.mark.parametrize(
    ("name", "slope"), [("gray", -7.0), ("gray", 2.5), ("uyvy422", 5.0), ("p010le", -3.2), ("yuv422p10le", 1.0)]
)
def test_the_kernels_are_the_oracle(name, slope):
    bits = DEPTHS[name]
    rng = np.random.default_rng([bits, int(10 * slope) + 100])
    sizes = [(1, 2), (5, 2), (23, 3), (40, 9), (SEARCH_TILES["host"][0] + 1, 4), (130, 6)]
    changed = 0
    for width, height in sizes:
        current, reference, made = (slanted(rng, width, height, slope, bits) for _ in range(3))
        if width == 40:
            current = rng.integers(0, 2**bits, current.shape)
        for parity in (0, 1):
            other, vectors = None if width == 23 else reference, None
            if width == 130:
                other = np.where(np.arange(width) < 48, current, reference)
                vectors = rng.integers(0, 2, (3, 1, 9)) * [[[1]], [[2]], [[900]]]
            expected = expected_edges(current, other, parity, made, vectors, bits)
            assert np.array_equal(drawn(current, other, made, name, parity, vectors), expected), (width, height, parity)
            changed += int((expected != made).sum())
    assert changed > 20


@pytest.mark.parametrize(("name", "slope"), [("gray", 3.0), ("gray", -4.5), ("uyvy422", -2.0), ("p010le", 4.0)])
def test_thin_lines_are_the_oracle(name, slope):
    """Beside groups that stand, and groups that vectors follow."""
    bits, width, height, thin = DEPTHS[name], 150, 24, 0
    rng = np.random.default_rng([bits, int(10 * slope) + 100])
    for parity in (0, 1, 0, 1):
        current, other, made = (threads(rng, width, height, slope, bits) for _ in range(3))
        other[:, :48] = current[:, :48]
        vectors = rng.integers(0, 2, (3, 3, 10)) * [[[1]], [[2]], [[900]]]
        expected = expected_edges(current, other, parity, made, vectors, bits)
        assert np.array_equal(drawn(current, other, made, name, parity, vectors), expected)
        field = current[parity::2] if parity == 0 else current[1::2]
        apart = abs(field[1:] - field[:-1]) < 36 << bits - 8
        between = expected[1 + parity : height - 1 + parity : 2] != made[1 + parity : height - 1 + parity : 2]
        thin += int((between & apart).sum())
    assert thin > 20


@pytest.mark.parametrize("name", ["gray", "p010le"])
def test_what_changes_slowly_is_the_oracles(name):
    """Beside a frame that differs by the more the farther to the right, up to half the contrast."""
    bits, rng = DEPTHS[name], np.random.default_rng(5)
    current, made = (slanted(rng, 200, 16, slope, bits) for slope in (6.0, -2.0))
    change = np.rint(np.linspace(0, 100, 200) * rng.uniform(0, 1, current.shape)) * 2 ** (bits - 8)
    other = np.clip(current + change, 0, 2**bits - 1).astype(np.int64)
    expected, fast = (expected_edges(current, each, 0, made, None, bits) for each in (other, None))
    assert np.array_equal(drawn(current, other, made, name, 0), expected)
    limited = ((expected != fast) & (expected != made))[1::2].any(axis=0)
    assert limited[:64].sum() > 10
    assert not limited[160:].any()


def test_more_lines_than_a_tile_has():
    rng = np.random.default_rng(3)
    lines = 2 * SEARCH_TILES["host"][1] + 3
    current, reference, made = (slanted(rng, 20, lines, 2.0) for _ in range(3))
    assert np.array_equal(drawn(current, reference, made, "gray", 1), expected_edges(current, reference, 1, made))


def test_tiles_in_which_nothing_moves_are_not_read(monkeypatch):
    """The search leaves their offsets as they were in memory: here edges all over."""
    width = SEARCH_TILES["host"][0]
    empty = CpuDevice.empty

    def full(device, shape, dtype):
        array = empty(device, shape, dtype)
        array.fill(11)
        return array

    monkeypatch.setattr(CpuDevice, "empty", full)
    drawn_beside = 0
    for slope in (1.0, -1.0, 4.0, -4.0, 8.0, -8.0):
        rng = np.random.default_rng(9)
        current, reference, made = (slanted(rng, 2 * width, 40, slope) for _ in range(3))
        other = np.where(np.arange(2 * width) < width, current, reference)
        expected = expected_edges(current, other, 0, made)
        assert np.array_equal(drawn(current, other, made, "gray", 0), expected), slope
        drawn_beside += int((expected != made)[:, width : width + 2].sum())
    assert drawn_beside > 20


def test_edges_are_drawn_again_by_other_weights():
    rng = np.random.default_rng(5)
    current, reference, made = (slanted(rng, 130, 24, 4.0) for _ in range(3))
    found = drawn(current, reference, made, "gray", 0, weights=AGAIN)
    assert np.array_equal(found, expected_edges(current, reference, 0, made, weights=EXPECTED_AGAIN))
    assert not np.array_equal(found, drawn(current, reference, made, "gray", 0))


def test_extreme_pictures():
    """Black and white columns: the largest costs there are."""
    for current in (
        np.tile([0, 255], (8, 25)),
        np.tile([[0], [255]], (4, 50)),
        np.indices((8, 50)).sum(0) // 2 % 2 * 255,
    ):
        made = np.full(current.shape, 99)
        assert np.array_equal(drawn(current, None, made, "gray", 0), expected_edges(current, None, 0, made))


def moving(slope, count=6):
    """Bars that move by 5 columns a picture, as fields."""
    rng = np.random.default_rng(7)
    wide = slanted(rng, 220, 64, slope)
    truth = [wide[:, 5 * n : 5 * n + 160] for n in range(count)]
    return truth, as_fields(truth)


def as_fields(truth):
    """Frames of two fields each of so many pictures."""
    frames = []
    for n in range(0, len(truth), 2):
        luma = truth[n].copy()
        luma[1::2] = truth[n + 1][1::2]
        height, width = luma.shape
        frame = Frame.from_arrays("gray", [luma.astype(np.uint8)], width, height, "cpu")
        frames.append(replace(frame, interlaced=True, top_field_first=True, pts=n))
    return frames


def errors(truth, frames):
    """Mean squares of what `hq` makes with edges and without."""
    return [
        np.mean([(a - b) ** 2 for a, b in zip(truth, made_by(frames, edges), strict=True)]) for edges in (True, False)
    ]


def made_by(frames, edges=True):
    """Luma of both fields by `hq`, or by it without edges."""
    stage = ts.Deinterlace("hq", "field")
    if not edges:
        stage._pairs._deinterlaced = lambda fields: deinterlace_fields(
            [replace(shown.field, long_filters=True) for shown in fields], stage.parameters
        )
    return [samples_of(frame, "Y") for frame in ts.Pipeline([stage], "cpu")(frames)]


@pytest.mark.parametrize("slope", [-6.0, -2.5, 3.5, 8.0])
def test_moving_slanted_edges_come_out_whole(slope):
    truth, frames = moving(slope)
    drawn, plain = (
        np.mean([(a[8:-8, 16:-16] - b[8:-8, 16:-16]) ** 2 for a, b in zip(truth, made_by(frames, edges), strict=True)])
        for edges in (True, False)
    )
    assert drawn < 0.5 * plain


def test_still_pictures_and_upright_edges_stay_as_they_are_without():
    rng = np.random.default_rng(9)
    still = slanted(rng, 96, 32, 5.0).astype(np.uint8)
    upright = [np.roll(np.tile(still[:1], (32, 1)), 3 * n, axis=1) for n in range(3)]
    for pictures in ([still] * 3, upright):
        frames = [
            replace(Frame.from_arrays("gray", [luma], 96, 32, "cpu"), interlaced=True, top_field_first=True, pts=n)
            for n, luma in enumerate(pictures)
        ]
        drawn, plain = made_by(frames), made_by(frames, edges=False)
        assert all(np.array_equal(a, b) for a, b in zip(drawn[1:], plain[1:], strict=True))


@pytest.mark.parametrize(("fine", "most", "share"), [(0.003, 2.0, 1.005), (0.006, 11.3, 1.09), (0.008, 86.0, 0.91)])
def test_patterns_that_alias_are_not_drawn_over(fine, most, share):
    """A zone plate that drifts: its fine rings look like edges of other angles, line by line.

    ``most`` is the mean square that may be wrong, ``share`` that beside what is wrong without edges. Without edges it
    was 2.2, 10.6 and 95.5 when edges were fitted, of which they were to add 0, 0.9 and 0: rings that are a little
    coarser are drawn over in part, by a twelfth.
    """
    y, x = np.mgrid[:128, :200].astype(float)
    truth = []
    for n in range(8):
        square = (x - 100 - 1.7 * n) ** 2 + (y - 60 - 0.6 * n) ** 2
        truth.append(np.rint(128 + 100 * np.cos(fine * square) * np.clip(2.4 - 1.7 * fine * np.sqrt(square), 0, 1)))
    drawn, plain = errors(truth, as_fields(truth))
    assert drawn < most
    assert drawn < share * plain


def line_that_goes_down(slope, top, left, reach):
    """Eight pictures of a bright line through a place, which ends ``reach`` pixels from its middle."""
    y, x = np.mgrid[:96, :200].astype(float)
    truth = []
    for n in range(8):
        away = abs((y - top - 0.7 * n) - (x - left) / slope) / np.hypot(1, 1 / slope)
        truth.append(np.rint(30 + 180 * np.clip(reach - away, 0, 1)).astype(int))
    return truth


@pytest.mark.parametrize(("slope", "most"), [(4, 0.1), (6, 0.075)])
def test_the_ground_beyond_a_thin_line_does_not_go_on_through_it(slope, most):
    truth = line_that_goes_down(slope, 30, 20, 1.7)
    drawn, plain = errors(truth, as_fields(truth))
    assert drawn < most * plain


@pytest.mark.parametrize("slope", [3, 4, 6])
def test_a_line_that_lies_between_those_of_the_field_goes_on(slope):
    """Above and below it is ground, and what lies along it is brighter: half the error without edges was left."""
    truth = line_that_goes_down(slope, 40, 100, 1.2)
    drawn, plain = errors(truth, as_fields(truth))
    assert drawn < 0.1 * plain, (drawn, plain)


def test_vectors_leave_lines_that_turn_as_edges_made_them(monkeypatch):
    y, x = np.mgrid[:96, :200].astype(float)
    truth = []
    for n in range(8):
        angle = 0.12 + 0.02 * n
        away = abs((y - 48) * np.cos(angle) - (x - 100) * np.sin(angle))
        truth.append(np.rint(30 + 180 * np.clip(2.2 - abs(away - 20), 0, 1)).astype(int))
    frames = as_fields(truth)
    again, _ = errors(truth, frames)
    monkeypatch.setitem(frame_pairs.OURS, "hq", replace(BY_HQ, again=(0,) * len(AGAIN)))
    once, _ = errors(truth, frames)
    assert again < 0.9 * once, (again, once)
