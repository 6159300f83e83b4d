"""The verifier of the monochrome filter: own samples are accepted, errors of one step are rejected."""

from dataclasses import replace

import numpy as np
import pytest
from support.sampling import HOSTILE

import texsamp as ts
from texsamp.quality import PRECISIONS, verify_mono

WIDTH, HEIGHT = 64, 23
RANDOM = np.random.default_rng(1)
BITS = RANDOM.integers(0, 2, (HEIGHT, WIDTH, 1)).astype(np.uint8)
MADE = ts.Surface.from_array(BITS, "MONO8", device="cpu")
SIZES = [(1, 1), (2, 1), (3, 3), (6, 5), (7, 7)]


def sampler_of(size, **options):
    return ts.Sampler(mono_size=size, mip_filter="none", address="border", **options)


def points(count=800):
    exact = RANDOM.integers(-40, 3 * WIDTH, (2, count)) / np.float32([[WIDTH], [HEIGHT]]) / 2
    made = np.where(RANDOM.random((2, count)) < 0.4, exact, RANDOM.uniform(-0.3, 1.3, (2, count)))
    return np.where(RANDOM.random((2, count)) < 0.05, RANDOM.choice(HOSTILE, (2, count)), made).astype(np.float32)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("size", SIZES)
def test_own_samples_are_accepted(size, precision):
    for rounding in (True, (False, True, False)):
        sampler = sampler_of(size, rounding=rounding)
        at = points().reshape(2, 40, 20)
        result = ts.sample(MADE, sampler, *at)
        for found in (result, np.floor(result * 255 + 0.5).astype(np.uint8)):
            report = ts.verify(MADE, sampler, *at, result=found, precision=precision)
            assert report.ok, report
            assert report.accepted.shape == (40, 20)
            assert report.undecided.mean() < (0.01 if precision == "gen7" else 0.1)
        assert len(np.unique(result)) > 10 or size == (1, 1)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("axis", [0, 1])
def test_a_step_of_position_is_rejected_where_it_changes_a_number(size, axis):
    sampler = sampler_of(size)
    at = RANDOM.uniform(0, 1, (2, 500)).astype(np.float32)
    wrong = at.copy()
    wrong[axis] += np.float32(1 / 256 / (WIDTH, HEIGHT)[axis])
    right, result = (ts.sample(MADE, sampler, *where) for where in (at, wrong))
    changed = (right != result).any(axis=-1)
    assert changed.sum() > 200
    report = ts.verify(MADE, sampler, *at, result=result)
    assert np.array_equal(report.accepted, ~changed)
    assert ts.verify(MADE, sampler, *at, result=result, precision="d3d").ok


@pytest.mark.parametrize("precision", PRECISIONS)
def test_another_size_or_texel_is_rejected(precision):
    at = RANDOM.uniform(0.1, 0.9, (2, 500)).astype(np.float32)
    result = ts.sample(MADE, sampler_of((3, 3)), *at)
    assert ts.verify(MADE, sampler_of((3, 4)), *at, result=result, precision=precision).rejected > 300
    assert ts.verify(MADE, sampler_of((4, 3)), *at, result=result, precision=precision).rejected > 300
    shifted = at + np.float32([[1 / WIDTH], [0]])
    assert ts.verify(MADE, sampler_of((3, 3)), *shifted, result=result, precision=precision).rejected > 300
    result[:, 2] += 0.02
    assert ts.verify(MADE, sampler_of((3, 3)), *at, result=result, precision=precision).rejected > 400


def test_a_report_says_which_box_was_expected():
    result = ts.sample(MADE, sampler_of((3, 2)), 0.25, 0.5)
    report = ts.verify(MADE, sampler_of((3, 2)), 0.25, 0.5, result=result + np.float32([0.25, 0, 0, 0]))
    lines = str(report).splitlines()
    assert lines[:2] == ["gen7: 0 of 1 samples are allowed", "sample () at u 0.25, v 0.5"]
    assert lines[2] == "  box of 3x2 texels from x 14.5, y 10.5"
    assert lines[3].startswith("  red must be ")
    assert len(lines) == 4


def test_the_part_that_is_covered_by_hand():
    bits = np.array([[1, 0], [0, 0]])
    assert verify_mono(bits, (1, 1), ([0.5], [0.5]), [[0.25] * 4]).ok
    assert verify_mono(bits, (2, 2), ([0.5], [0.5]), [[0.25] * 4]).ok
    assert verify_mono(bits, (2, 2), ([0.25], [0.5]), [[0.25] * 4]).ok
    assert verify_mono(bits, (2, 1), ([0.0], [0.25]), [[0.5] * 4]).ok
    assert not verify_mono(bits, (1, 1), ([0.5], [0.5]), [[0.25 + 1 / 256] * 4]).ok
    assert not verify_mono(bits, (1, 1), ([0.5], [0.5]), [[np.nan] * 4]).ok


def test_places_that_are_too_uncertain_are_not_decided():
    """Own numbers: a coordinate of 8 bits reaches over 16 of 4096 texels."""
    coarse = replace(PRECISIONS["d3d"], coordinate_bits=8)
    bits, at = np.ones((4, 4096)), ([0.99, 0.001], [0.5, 0.5])
    report = verify_mono(bits, (3, 3), at, np.full((2, 4), 0.5), precision=coarse)
    assert report.undecided.tolist() == [True, False]
    assert (report.rejected, report.precision) == (1, "own precision")
    far = np.float32([2e6, -2e6]), [0.5, 0.5]
    for precision in PRECISIONS:
        assert verify_mono(bits, (3, 3), far, np.zeros((2, 4)), precision=precision).accepted.all()


def test_what_is_refused():
    at = np.float32([0.5]), np.float32([0.5])
    result = np.zeros((1, 4))
    with pytest.raises(ts.StateError, match="one slice, without layer, compare, offset"):
        ts.verify(MADE, sampler_of((3, 3)), *at, result=result, offset=(1, 0, 0))
    with pytest.raises(ts.FormatError, match="MONO is for 2D surfaces of MONO8"):
        ts.verify(ts.Surface.from_array(BITS, "R8_UNORM", device="cpu"), sampler_of((3, 3)), *at, result=result)
    with pytest.raises(ts.FormatError, match="sampled at 2 coordinates, found 1"):
        ts.verify(MADE, sampler_of((3, 3)), at[0], result=result)
    with pytest.raises(ts.FormatError, match="0 or 1"):
        verify_mono(np.full((2, 2), 2), (3, 3), at, result)
    with pytest.raises(ts.StateError, match="from 1 to 7, found"):
        verify_mono(np.ones((2, 2)), (3, 8), at, result)
