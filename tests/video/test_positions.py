"""Where the scaler samples: the same positions as the oracle's, bit for bit, and the shape of the nonlinear stretch."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle import avs as oracle
from support.filter_cases import sweep
from support.frames import random_frame, samples_of

from texsamp.errors import StateError
from texsamp.video.scale import Scale
from texsamp.video.scale.positions import (
    MAX_SIZE_PX,
    Axis,
    center_positions,
    hardware_positions,
    hardware_positions_with_workaround,
    nonlinear_positions,
)

FAR = 4 * MAX_SIZE_PX * 32
"""Positions are clipped there, farther out than any picture."""

sizes = st.integers(1, 4096)
normalized = st.floats(-2, 2, width=32)


def clipped(positions):
    return [min(max(p, -FAR), FAR) for p in positions]


# ---- center ---------------------------------------------------------------------------------------------------------


@settings(derandomize=True, max_examples=300, deadline=None)
@given(sizes, st.integers(1, 1500), st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2]))
@example(16384, 16384, 0, 0)
@example(1, 16384, 0, 0)
@example(16384, 1, 1, 1)
def test_center(source, destination, log2, siting_2x):
    siting_2x = siting_2x if log2 else 0
    ours = center_positions(Axis(source, destination, log2, siting_2x))
    exact = oracle.center_positions(
        source, destination, subsampling=2**log2, offset=Fraction(siting_2x, 2) if log2 else 0
    )
    assert ours.dtype == np.int32
    assert ours.tolist() == clipped(exact)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(sizes, st.integers(1, 400), st.sampled_from([0, 1]), st.sampled_from([0, 1, 2]), st.integers(1, 5))
def test_center_after_halving(source, destination, log2, siting_2x, halvings):
    """A sample of the halved plane lies between samples 2x and 2x + 1 of the plane before."""
    siting_2x = siting_2x if log2 else 0
    ours = center_positions(Axis(source, destination, log2, siting_2x, halvings)).tolist()
    assert len(ours) == -(-destination // 2**log2)
    for x, position in enumerate(ours):
        s = Fraction(siting_2x, 2)
        u = ((x * 2**log2 + s + Fraction(1, 2)) * source / destination - Fraction(1, 2) - s) / 2**log2
        for _ in range(halvings):
            u = (u - Fraction(1, 2)) / 2
        assert position == min(max((u * 32 + Fraction(1, 2)).__floor__(), -FAR), FAR)


@pytest.mark.parametrize("size", [1, 2, 7, 720, 16384])
def test_center_is_the_identity_at_one_to_one(size):
    for log2, siting in ((0, 0), (1, 0), (1, 1), (1, 2)):
        positions = center_positions(Axis(size, size, log2, siting))
        assert (positions == 32 * np.arange(len(positions))).all()


@settings(derandomize=True, max_examples=100, deadline=None)
@given(sizes, st.integers(1, 600))
def test_center_is_symmetric(source, destination):
    """Position x and its mirror add up to the last texel, but for one half that is rounded up in both."""
    positions = center_positions(Axis(source, destination)).astype(int)
    both = positions + positions[::-1] - 32 * (source - 1)
    assert set(both.tolist()) <= {0, 1}
    assert (np.diff(positions) >= 0).all()


# ---- hardware -------------------------------------------------------------------------------------------------------


@settings(derandomize=True, max_examples=400, deadline=None)
@given(normalized, normalized, st.floats(-(2**-10), 2**-10, width=32), st.integers(1, 16384), st.integers(1, 200))
@example(0.0, 1 / 720, 0.0, 720, 720)
@example(0.0, 0.01, 0.0, 100, 11)
@example(0.0, 1.0, 1.0, 16384, 200)
def test_hardware(u0, du, ddu, size, count):
    """Single precision in the formula's order, phase truncated."""
    ours = hardware_positions(u0, du, ddu, size, count)
    assert ours.dtype == np.int32
    assert ours.tolist() == clipped(oracle.hardware_positions(u0, du, ddu, size, count))


@pytest.mark.sweep
def test_hardware_as_drivers_scale():
    rng = np.random.default_rng(6)
    for _ in range(sweep(40)):
        source, destination = (int(v) for v in rng.integers(1, 4097, 2))
        ours = hardware_positions(0.0, 1 / destination, 0.0, source, destination)
        assert ours.tolist() == oracle.hardware_positions(0.0, 1 / destination, 0.0, source, destination)


@settings(derandomize=True, max_examples=400, deadline=None)
@given(
    st.integers(-3000, 70000),
    st.integers(1, 1024),
    st.integers(-40, 40),
    st.integers(1, 4096),
    st.integers(1, 100),
    st.booleans(),
)
def test_workaround(start_256ths, step_256ths, ddu_256ths, width, count, ief_on):
    """Starts in 1/256 texel: every case of the rule, a little below, on and above a texel's edge."""
    u0, du, ddu = (value / 256 / width for value in (start_256ths, step_256ths, ddu_256ths / 16))
    ours = hardware_positions_with_workaround(u0, du, ddu, width, count, ief_on=ief_on)
    exact = oracle.hardware_positions_with_workaround(u0, du, ddu, width, count, ief_on=ief_on)
    assert ours.tolist() == clipped(exact)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(normalized, st.floats(0, 0.5, width=32), st.integers(1, 4096), st.integers(1, 60), st.booleans())
def test_workaround_anywhere(u0, du, width, count, ief_on):
    ours = hardware_positions_with_workaround(u0, du, 0.0, width, count, ief_on=ief_on)
    exact = oracle.hardware_positions_with_workaround(u0, du, 0.0, width, count, ief_on=ief_on)
    assert ours.tolist() == clipped(exact)


# ---- nonlinear ------------------------------------------------------------------------------------------------------

strengths = st.floats(0, 0.99)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(sizes, st.integers(1, 2000), strengths)
def test_nonlinear_is_symmetric_and_never_goes_back(source, destination, strength):
    positions = nonlinear_positions(Axis(source, destination), strength).astype(int)
    both = positions + positions[::-1] - 32 * (source - 1)
    assert set(both.tolist()) <= {0, 1}
    assert (np.diff(positions) >= 0).all()


@settings(derandomize=True, max_examples=100, deadline=None)
@given(sizes, st.integers(1, 500), st.sampled_from([0, 1]), st.sampled_from([0, 1]), st.integers(0, 3))
def test_nonlinear_of_strength_0_is_linear(source, destination, log2, siting_2x, halvings):
    axis = Axis(source, destination, log2, siting_2x if log2 else 0, halvings)
    difference = np.abs(nonlinear_positions(axis, 0.0).astype(int) - center_positions(axis))
    assert difference.max() <= 1  # a tie may be rounded the other way
    assert (difference == 0).mean() > 0.9 or len(difference) < 20


@pytest.mark.parametrize("strength", [0.0, 0.25, 0.5, 0.9])
def test_nonlinear_edges_map_to_edges_and_the_middle_keeps_its_shape(strength):
    """At the edges the step is (1 - strength) times the average, in the middle (1 + strength) times."""
    source, destination = 16000, 8000
    positions = nonlinear_positions(Axis(source, destination), strength) / 32
    average = source / destination
    first_step, middle = np.diff(positions[:41]).mean(), destination // 2
    assert first_step == pytest.approx((1 - strength) * average, abs=0.03)
    assert np.diff(positions[middle - 50 : middle + 51]).mean() == pytest.approx((1 + strength) * average, abs=0.03)
    # the edge of the picture lies half a step before the first sample and half a texel before the first texel
    assert positions[0] - first_step / 2 == pytest.approx(-0.5, abs=0.06)
    assert positions[-1] + first_step / 2 == pytest.approx(source - 0.5, abs=0.06)


@pytest.mark.parametrize("strength", [0.3, 0.8])
def test_nonlinear_has_a_constant_second_derivative_on_each_side(strength):
    """As the message's positions have (seed 003:4808)."""
    positions = nonlinear_positions(Axis(3000, 3000), strength) / 32
    for side in (positions[:1500], positions[1500:]):
        fit = np.polynomial.Polynomial.fit(np.arange(1500), side, 2)
        assert np.abs(fit(np.arange(1500)) - side).max() <= 1 / 32


@pytest.mark.parametrize("siting_2x", [0, 1])
def test_nonlinear_chroma_follows_luma(siting_2x):
    """Where a chroma sample sits on a luma sample (or between two) its position is that of the luma there."""
    luma = nonlinear_positions(Axis(64, 96), 0.5) / 32
    chroma = nonlinear_positions(Axis(64, 96, 1, siting_2x), 0.5) / 32
    at_chroma = luma[::2] if siting_2x == 0 else (luma[::2] + luma[1::2]) / 2
    assert np.abs(chroma * 2 + siting_2x / 2 - at_chroma).max() <= 0.1


@pytest.mark.parametrize("strength", [1.0, -0.01, float("nan")])
def test_nonlinear_strength_out_of_range(strength):
    with pytest.raises(StateError, match=f"nonlinear must be at least 0 and below 1, found {strength}"):
        nonlinear_positions(Axis(4, 4), strength)


@pytest.mark.parametrize("name", ["gray", "yuv444p"])
def test_the_stage_stretches_columns_and_not_rows(name):
    frame = random_frame(np.random.default_rng(7), name, 31, 12)
    (scaled,) = Scale(45, 9, preset="bilinear", nonlinear=0.6, prefilter="off").feed(frame)
    px = nonlinear_positions(Axis(31, 45), 0.6).tolist()
    py = oracle.center_positions(12, 9)
    rows = [[0, 0, 0, 64 - 2 * i, 2 * i, 0, 0, 0] for i in range(32)]
    tables = oracle.CoefficientTables(rows, rows, rows, rows)
    (expected,) = oracle.avs([samples_of(frame, "Y")], "Y", [px], [py], tables=tables)
    assert np.array_equal(samples_of(scaled, "Y"), expected)
