"""`Sharpen` on frames: every layout, chroma untouched, level 0 changes nothing, constants stay, symmetric."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ief import IefState, ief
from support.frames import assert_unused_bits_are_zero, random_frame, samples_of

from texsamp.errors import FormatError, StateError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.frame import Frame
from texsamp.video.presets.ief import ief_level, ief_preset
from texsamp.video.sharpen import Sharpen

LUMA = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model != "rgb"]
RGB = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model == "rgb"]


def sharpened(frame, *arguments, **options):
    (result,) = Sharpen(*arguments, **options).feed(frame)
    return result


@pytest.mark.parametrize("size", [(1, 1), (1, 4), (5, 1), (9, 7), (16, 10)])
@pytest.mark.parametrize("name", LUMA)
def test_every_layout(name, size):
    rng = np.random.default_rng(size)
    frame = random_frame(rng, name, *size)
    before = [plane.copy() for plane in frame.planes]
    for parameters in (ief_level(44), ief_level(63), ief_preset("doc")):
        result = sharpened(frame, settings=parameters)
        expected = ief(samples_of(frame, "Y"), IefState(**vars(parameters)), bits=frame.layout.bits)
        assert np.array_equal(samples_of(result, "Y"), expected)
        for component in frame.layout.components:
            if component != "Y":
                assert np.array_equal(result.component(component), frame.component(component))
    assert all(np.array_equal(a, b) for a, b in zip(before, frame.planes, strict=True))


@pytest.mark.parametrize("name", LUMA)
def test_chroma_planes_are_shared_and_packed_chroma_is_copied(name):
    frame = random_frame(np.random.default_rng(1), name, 8, 6)
    result = sharpened(frame)
    luma = frame.layout.components["Y"].plane
    for index, (old, new) in enumerate(zip(frame.planes, result.planes, strict=True)):
        assert (old is new) == (index != luma)


@pytest.mark.parametrize("name", LUMA)
def test_level_0_is_bit_identical(name):
    frame = random_frame(np.random.default_rng(2), name, 21, 13)
    result = sharpened(frame, 0)
    for component in frame.layout.components:
        assert np.array_equal(samples_of(result, component), samples_of(frame, component))
    if frame.layout.plane_count > 1 or name.startswith("gray"):
        luma = frame.layout.components["Y"]
        assert np.array_equal(result.planes[luma.plane], samples_of(frame, "Y") << luma.shift)


@pytest.mark.parametrize("name", ["yuv420p10le", "gray10le", "p010le"])
def test_garbage_in_unused_bits_does_not_matter(name):
    frame = random_frame(np.random.default_rng(3), name, 13, 9)
    result = sharpened(frame)
    luma = frame.layout.components["Y"]
    clean = (samples_of(frame, "Y") << luma.shift).astype("<u2")
    same = sharpened(frame.like(13, 9, [clean, *frame.planes[1:]]))
    assert not np.array_equal(clean, frame.planes[0])
    assert np.array_equal(result.planes[0], same.planes[0])
    assert_unused_bits_are_zero(Frame.from_arrays("gray10le", [same.planes[0] >> luma.shift], 13, 9, device="cpu"))


@pytest.mark.parametrize("name", LUMA)
def test_a_constant_stays_the_same_constant(name):
    rng = np.random.default_rng(4)
    for level in (1, 44, 64):
        frame = random_frame(rng, name, 9, 7)
        for pattern in ("zero", "max"):
            frame = random_frame(rng, name, 9, 7, pattern)
            result = sharpened(frame, level)
            assert np.array_equal(samples_of(result, "Y"), samples_of(frame, "Y"))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    st.integers(1, 12), st.integers(1, 12), st.integers(0, 63), st.booleans(), st.sampled_from(["difference", "sum"])
)
def test_symmetric_in_every_direction(width, height, level, smooth, combine):
    """Flipped or transposed in, flipped or transposed out: all neighbors of a kind have one coefficient."""
    samples = np.random.default_rng([width, height]).integers(0, 256, (height, width))
    parameters = replace(ief_level(level), smooth=smooth, combine=combine)

    def apply(luma):
        rows, columns = luma.shape
        frame = Frame.from_arrays("gray", [np.ascontiguousarray(luma, "u1")], columns, rows, device="cpu")
        return sharpened(frame, settings=parameters).planes[0]

    straight = apply(samples)
    for turn in (np.fliplr, np.flipud, np.transpose):
        assert np.array_equal(apply(turn(samples)), turn(straight))


def test_a_soft_edge_gets_steeper_and_smooth_mode_calms_noise():
    edge = np.tile(np.clip(np.arange(-12, 12) * 12 + 128, 40, 210), (9, 1))
    steeper = (
        sharpened(Frame.from_arrays("gray", [edge.astype("u1")], 24, 9, device="cpu"), 44).planes[0][4].astype(int)
    )
    assert np.ptp(steeper) > np.ptp(edge)
    noise = np.random.default_rng(5).integers(120, 137, (30, 30)).astype("u1")
    parameters = replace(ief_level(63), smooth=True)
    calmer = sharpened(Frame.from_arrays("gray", [noise], 30, 30, device="cpu"), settings=parameters).planes[0]
    assert calmer.std() < 0.8 * noise.std()


def test_skin_is_spared():
    """A score of 31 leaves pixels as they are, 0 sharpens them as without a score."""
    rng = np.random.default_rng(6)
    frame = random_frame(rng, "yuv420p", 12, 8)
    plain = sharpened(frame)
    score = np.zeros((8, 12), "u1")
    score[:, 6:] = 31
    tuned = Sharpen().apply(frame, score)
    assert np.array_equal(tuned.planes[0][:, :6], plain.planes[0][:, :6])
    assert np.array_equal(tuned.planes[0][:, 6:], frame.planes[0][:, 6:])
    assert not np.array_equal(plain.planes[0][:, 6:], frame.planes[0][:, 6:])


@pytest.mark.parametrize("name", RGB)
def test_rgb_has_no_luma(name):
    with pytest.raises(FormatError, match=f"sharpen works on luma and {name} has none: convert to a YUV format first"):
        sharpened(Frame.empty(name, 4, 4, "cpu"))


@pytest.mark.parametrize("level", [-1, 65])
def test_levels_out_of_range(level):
    with pytest.raises(StateError, match=f"from 0 to 64, found {level}"):
        Sharpen(level)
