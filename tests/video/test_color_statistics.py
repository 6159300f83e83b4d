"""Statistics of the contrast block: equal to the oracle's counts, and the same for any number of threads."""

import numpy as np
import pytest
from oracle import color_statistics as oracle
from oracle.color_state import Dwords
from support.color_frames import patch
from support.color_states import pipe_planes, random_state
from support.filter_cases import sweep
from support.frames import random_frame

from texsamp.device import set_threads
from texsamp.errors import FormatError, StateError
from texsamp.state import ColorProcessingState
from texsamp.video.color import SkinTone, color_statistics
from texsamp.video.frame import Frame


def skin_frame(rng, name, width, height):
    """Random luma and chroma around the middle of skin."""
    frame = random_frame(rng, name, width, height)
    for plane, middle in zip(frame.planes[1:], (110, 154), strict=True):
        scale = 1 << frame.layout.bits - 8
        plane[...] = np.clip(scale * (middle + rng.normal(0, 8, plane.shape)), 0, 256 * scale - 1)
    return frame


@pytest.mark.parametrize("blocks", [("detect",), ("skin", "gamut"), ("gamut",), ()], ids="-".join)
def test_counts_are_the_oracles(blocks):
    rng = np.random.default_rng(40 + len(blocks))
    for case in range(sweep(6)):
        name = ["yuv444p", "yuv420p10le", "yuv422p"][case % 3]
        width, height = (int(v) for v in rng.integers(2, 14, 2))
        frame = skin_frame(rng, name, width, height)
        state = random_state(rng, *blocks).replace(
            full_image_histogram=case == 4, ace_skin_threshold=1 + 6 * case % 31, scaling_factor_mode=0
        )
        left, top = (int(rng.integers(0, size)) for size in (width, height))
        area = (left, top, int(rng.integers(1, width - left + 1)), int(rng.integers(1, height - top + 1)))
        rows = [list(zip(*lines, strict=True)) for lines in zip(*pipe_planes(frame), strict=True)]
        shared = bool(frame.layout.log2_chroma_width)
        histogram, skin, outside = oracle.counts(Dwords(state.to_dwords()), rows, area if case % 2 else None, shared)
        found = color_statistics(frame, state, area if case % 2 else None)
        assert {v: n for v, n in enumerate(found.histogram.tolist()) if n} == dict(histogram)
        assert (found.y_min, found.y_max, found.skin_pixels) == skin
        assert found.outside_pixels == (outside if state.gamut_enable else None)


def test_large_counts_do_not_depend_on_threads():
    rng = np.random.default_rng(44)
    frame = skin_frame(rng, "yuv420p", 517, 301)
    state = SkinTone().state.replace(gamut_enable=True)
    try:
        set_threads(1)
        one = color_statistics(frame, state, (3, 5, 500, 290))
        set_threads(3)
        three = color_statistics(frame, state, (3, 5, 500, 290))
    finally:
        set_threads(None)
    assert one.pixels == 500 * 290
    assert one.skin_pixels > 1000
    assert np.array_equal(one.histogram, three.histogram)
    assert (one.skin_pixels, one.outside_pixels) == (three.skin_pixels, three.outside_pixels)


def test_skin_counts_in_the_histogram_and_its_extremes_have_10_bits():
    luma = np.array([[563, 606], [300, 1023]], "<u2")
    u, v = (np.array([[skin, skin], [512, 512]], "<u2") for skin in (440, 616))
    found = color_statistics(Frame.from_arrays("yuv444p10le", [luma, u, v], 2, 2, "cpu"), SkinTone().state)
    assert np.flatnonzero(found.histogram).tolist() == [75, 140, 151, 255]
    assert np.flatnonzero(found.without_skin).tolist() == [75, 255]
    assert (found.pixels, found.skin_pixels, found.y_min, found.y_max) == (4, 2, 563, 606)
    found = color_statistics(patch("yuv444p", 150, 128, 128), SkinTone().state)
    assert (found.skin_pixels, found.y_min, found.y_max) == (0, 1023, 0)
    found = color_statistics(patch("yuv444p", 150, 110, 154), ColorProcessingState())
    assert (found.skin_pixels, found.y_min, found.y_max) == (0, 0, 0)


@pytest.mark.parametrize("area", [(0, 0, 5, 2), (-1, 0, 2, 2), (0, 0, 0, 1), (0.5, 0, 1, 1)])
def test_an_area_outside_the_picture_is_refused(area):
    with pytest.raises(StateError, match="inside the picture of 4x2 pixels, found"):
        color_statistics(patch("yuv444p", 1, 2, 3), ColorProcessingState(), area)


def test_rgb_is_refused():
    with pytest.raises(FormatError, match="color statistics works on luma and chroma"):
        color_statistics(patch("rgba", 1, 2, 3), ColorProcessingState())
