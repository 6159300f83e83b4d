"""Scene cuts: the measure is what it says, and only cuts are cuts."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from support.frames import random_frame, samples_of
from support.interlaced import interlace

from texsamp.io.clips import pattern_clip
from texsamp.video.frame import Frame
from texsamp.video.measurement import read_together
from texsamp.video.scene_cuts import SceneCuts, mean_change


@pytest.mark.parametrize("layout", ["gray", "nv12", "uyvy422", "p010le", "yuv422p10le"])
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (40, 6), (511, 63), (513, 65), (1030, 130)])
def test_the_mean_change_of_every_fifth_line(layout, size):
    rng = np.random.default_rng(size)
    a, b = (random_frame(rng, layout, *size, pattern="random") for _ in range(2))
    lines = [samples_of(frame, "Y")[::5] for frame in (a, b)]
    expected = Fraction(int(np.abs(lines[0] - lines[1]).sum()), lines[0].size << (a.layout.bits - 8))
    assert read_together(a.device, [mean_change(a, b)]) == [expected]


def flat(value: int) -> Frame:
    return Frame.from_arrays("gray", [np.full((12, 40), value, np.uint8)], 40, 12, "cpu")


def test_a_cut_is_a_sudden_change():
    cuts = SceneCuts()
    levels = [10, 15, 34, 60, 90, 90, 110, 110, 91, 150, 151]
    found = [cuts.between(flat(a), flat(b)) for a, b in itertools.pairwise(levels)]
    assert found == [False, False, False, False, False, True, False, False, True, False]


def test_motion_is_no_cut():
    frames = interlace(list(pattern_clip(160, 90, 40)))
    cuts = SceneCuts()
    assert not any(cuts.between(a, b) for a, b in itertools.pairwise(frames))
