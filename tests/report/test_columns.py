"""Numbers of every frame in reports: each answers to what it is named for, and to nothing else."""

import re

import numpy as np
import pytest

from texsamp.report.columns import Columns, noise
from texsamp.report.comparison import ComparisonReport


@pytest.mark.parametrize("bits", [8, 10, 16])
def test_every_column_answers_to_what_it_is_named_for(bits):
    """In steps of 8 bits, whatever the depth: lines that move, levels, cuts."""
    unit, columns = 1 << bits - 8, Columns()
    flat = np.full((6, 40), 60 * unit, np.uint16)
    top, lit = flat.copy(), flat.copy()
    top[0::2] += 9 * unit
    lit[:, :10] = 200 * unit
    for frame in (flat, top, top, lit, 255 * unit - lit):
        columns.add(frame, bits)
    assert columns.top == pytest.approx([0, 9, 0, (131 * 10 + 9 * 30) / 40, 0.25 * 145 + 0.75 * 135])
    assert columns.bottom == pytest.approx([0, 0, 0, 35, 0.25 * 145 + 0.75 * 135])
    assert columns.motion == pytest.approx([(a + b) / 2 for a, b in zip(columns.top, columns.bottom, strict=True)])
    assert columns.levels["median"] == [60, 60, 60, 60, 195]
    assert columns.levels["brightest 1 %"] == [60, 69, 69, 200, 195]
    assert columns.cuts == [1, 3, 4]


def test_noise_is_that_of_the_samples_and_not_of_slopes():
    rng = np.random.default_rng(1)
    slope = np.add.outer(np.arange(64), 2 * np.arange(96)).astype(np.int32)
    assert noise(slope) == 0
    assert noise(slope + np.rint(rng.normal(0, 6, slope.shape)).astype(np.int32)) == pytest.approx(6, rel=0.1)
    assert noise(slope[:2]) == 0


def test_scenes_of_the_same_brightness_are_told_apart_by_how_much_changes():
    rng, columns = np.random.default_rng(3), Columns()
    scenes = [np.kron(rng.integers(30, 220, (8, 12)), np.ones((8, 8), int)).astype(np.uint8) for _ in range(2)]
    for frame in range(20):
        columns.add(np.roll(scenes[frame >= 11], frame, axis=1), 8)
    assert columns.cuts == [11]


def test_curves_and_cuts_share_the_axis_of_the_scores():
    report, rng = ComparisonReport(), np.random.default_rng(2)
    for frame in range(41):
        report.add_scores("Y", 40.0, 1.0)
        low = 20 if frame < 10 else 150
        report.add_luma(rng.integers(low, low + 30, (8, 8), np.uint8), 8)
    html = report.html("axis", ("a", "b"), {}, ())
    ends = {points.split()[-1].split(",")[0] for points in re.findall(r'points="([^"]*)"', html)}
    assert ends == {"1000.0"}
    assert set(re.findall(r'class="cut" x1="([^"]*)"', html)) == {"250.0"}
    for name in ("PSNR", "Motion", "Cadence", "Noise", "Levels"):
        assert f"{name} over time" in html
