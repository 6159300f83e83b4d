"""The low-pass before scaling down equals its oracle, and keeps the picture where it is."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.prefilter import prefiltered, taps_of
from support.filter_cases import PATTERNS, nothing_else_written, padded_plane, picture, sweep

from texsamp.device import get_device
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.samples import Samples
from texsamp.video.scale import Scale
from texsamp.video.scale.positions import CHROMA_SITING_2X
from texsamp.video.scale.prefilter import Prefilter, lanczos3_taps

HALF = Fraction(1, 2)
below_one = st.fractions(min_value=HALF, max_value=1, max_denominator=16384).filter(lambda r: HALF < r < 1)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(below_one)
def test_taps(ratio):
    taps = lanczos3_taps(ratio, halve=False)
    assert taps.tolist() == taps_of(ratio, halve=False)
    assert taps.sum() == 4096
    assert len(taps) % 2 == 1
    assert (taps == taps[::-1]).all()
    assert taps.max() == taps[len(taps) // 2]
    assert np.abs(taps).sum() < 2 * 4096  # 16-bit sums of 8-bit samples cannot overflow


def test_halving_taps():
    taps = lanczos3_taps(HALF, halve=True)
    assert taps.tolist() == taps_of(HALF, halve=True)
    assert (len(taps), taps.sum()) == (12, 4096)
    assert (taps == taps[::-1]).all()
    assert np.abs(taps).sum() < 2 * 4096
    # |H| at the new Nyquist frequency is about one half and nothing much is left above 0.4 cycles per sample
    response = np.abs(np.fft.rfft(taps / 4096, 400))
    assert 0.4 < response[100] < 0.6
    assert response[150:].max() < 0.03


def run(samples, ratios, bits, *, shift=0, step=1, seed=0):
    """The kernels' result, from a plane with padded rows and garbage in its unused bits."""
    rng = np.random.default_rng(seed)
    height, width = samples.shape
    dtype = "u1" if bits == 8 else "<u2"
    plane = padded_plane(rng, height, width * step, dtype)
    part = plane[:, step - 1 :: step]
    mask = ((1 << bits) - 1) << shift
    part[...] = (part & (np.iinfo(part.dtype).max - mask)) | (samples << shift)
    prefilter = Prefilter(get_device("cpu"), (width, height), ratios)
    with nothing_else_written([plane[:0]]):
        (made,) = prefilter.run([Samples(plane, width, height, bits, step - 1, step, shift)])
    assert (made.width, made.height) == prefilter.output_size
    assert (made.bits, made.step, made.shift) == (bits, 1, 0)
    return made.array.astype(np.int64), prefilter.halvings


SIZES = [(1, 1), (1, 2), (2, 1), (1, 9), (9, 1), (2, 2), (3, 3), (5, 4), (12, 7), (23, 17)]
RATIOS = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(9, 10), Fraction(1, 5), Fraction(1), Fraction(3, 2)]


@pytest.mark.parametrize("bits", [2, 8, 10, 16])
@pytest.mark.parametrize("size", SIZES)
def test_sizes_and_ratios(size, bits):
    rng = np.random.default_rng([*size, bits])
    for ratio_x in RATIOS:
        for ratio_y in rng.permutation(len(RATIOS))[:3]:
            ratios = (ratio_x, RATIOS[ratio_y])
            if min(ratios) < 1:
                samples = picture(rng, size[1], size[0], (1 << bits) - 1)
                made, halvings = run(samples, ratios, bits)
                expected, expected_halvings = prefiltered(samples, ratios, bits)
                assert halvings == expected_halvings
                assert np.array_equal(made, expected), ratios


@pytest.mark.parametrize("bits", [8, 10, 16])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_contents(pattern, bits):
    """Also from interleaved samples, and from the upper bits of elements."""
    rng = np.random.default_rng(bits)
    samples = picture(rng, 13, 18, (1 << bits) - 1, pattern)
    for ratios in ((HALF, HALF), (Fraction(7, 11), Fraction(5, 6)), (Fraction(2, 7), Fraction(1, 8))):
        expected, _ = prefiltered(samples, ratios, bits)
        for step, shift in ((1, 0), (2, 6 * (bits == 10)), (4, 0)):
            assert np.array_equal(run(samples, ratios, bits, step=step, shift=shift)[0], expected)


@pytest.mark.parametrize("ratio", [HALF, Fraction(5, 9), Fraction(2, 3), Fraction(4095, 4096)])
def test_flat_pictures_stay_as_they_are(ratio):
    for value in range(256):
        flat = np.full((2, 5), value)
        made, _ = run(flat, (ratio, ratio), 8)
        assert (made == value).all(), value


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("width", [511, 512, 513, 1023, 1024, 1025, 1026, 1029])
def test_rows_longer_than_a_tile(width, bits):
    rng = np.random.default_rng(width)
    samples = picture(rng, 2, width, (1 << bits) - 1, "random")
    for ratios in ((HALF, Fraction(1)), (Fraction(4, 5), Fraction(1)), (HALF, HALF)):
        expected, _ = prefiltered(samples, ratios, bits)
        assert np.array_equal(run(samples, ratios, bits)[0], expected)


@pytest.mark.parametrize("width", [31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 135])
@pytest.mark.parametrize("pattern", ["random", "extremes"])
def test_halves_of_lines_of_some_vectors(width, pattern):
    rng = np.random.default_rng(width)
    samples = picture(rng, 15, width, 255, pattern)
    expected, _ = prefiltered(samples, (HALF, HALF), 8)
    assert np.array_equal(run(samples, (HALF, HALF), 8)[0], expected)


@pytest.mark.sweep
def test_random():
    rng = np.random.default_rng(77)
    for _ in range(sweep(40)):
        bits = int(rng.choice([8, 10, 16]))
        height, width = (int(v) for v in rng.integers(1, 30, 2))
        ratios = tuple(Fraction(int(rng.integers(1, 40)), int(rng.integers(1, 40))) for _ in range(2))
        if min(ratios) < 1:
            samples = picture(rng, height, width, (1 << bits) - 1)
            assert np.array_equal(run(samples, ratios, bits)[0], prefiltered(samples, ratios, bits)[0])


# ---- the picture stays where it is ----------------------------------------------------------------------------------

SLOPE = 6


def ramp(layout, width, height, location, axis):
    """Samples equal to SLOPE times their luma coordinate along an axis, sitting where the chroma location says."""
    empty = Frame.empty(layout, width, height, "cpu")
    for component in "YUV":
        view = empty.component(component)
        view[...] = (SLOPE * coordinates(empty.layout, component, location, axis, view.shape)).astype(int)
    return replace(empty, color=ColorTags(chroma_location=location))


def coordinates(layout, component, location, axis, shape):
    """Luma coordinate of every sample along an axis (0 = x); SLOPE makes all of them integers."""
    log2 = layout.subsampling(component)[axis]
    siting = Fraction(CHROMA_SITING_2X[location][axis], 2) if log2 else 0
    line = np.array([float(c * 2**log2 + siting) for c in range(shape[1 - axis])])
    return np.broadcast_to(line if axis == 0 else line[:, np.newaxis], shape)


@pytest.mark.parametrize("layout", ["yuv420p10le", "yuv422p10le", "yuv444p10le"])
@pytest.mark.parametrize("location", sorted(CHROMA_SITING_2X))
@pytest.mark.parametrize("factor", [Fraction(1, 2), Fraction(1, 4), Fraction(2, 3), Fraction(3, 8), Fraction(3, 2)])
def test_a_ramp_stays_the_same_ramp(factor, location, layout):
    """Along each axis and for every chroma siting; within rounding, clear of the repeated edges."""
    for axis in (0, 1):
        size = [24, 24]
        size[axis] = 144
        out_size = [n if i != axis else int(n * factor) for i, n in enumerate(size)]
        (scaled,) = Scale(*out_size, preset="lanczos3").feed(ramp(layout, *size, location, axis))
        for component in "YUV":
            values = scaled.component(component).astype(float)
            where = coordinates(scaled.layout, component, location, axis, values.shape)
            expected = SLOPE * ((where + 0.5) / float(factor) - 0.5)
            margin = 8 if factor < 1 else 16
            inner = np.abs(values - expected)
            inner = inner[:, margin:-margin] if axis == 0 else inner[margin:-margin]
            # the position is rounded to 1/32 texel, each pass to its depth
            limit = 0.5 + SLOPE * 2 ** max(scaled.layout.subsampling(component)[axis], 1) / 32 / float(min(factor, 1))
            assert inner.size
            assert inner.max() <= limit, (component, axis)


def test_off_aliases_and_auto_does_not():
    """Stripes finer than the result can show: gray with the low-pass, stripes without."""
    stripes = np.tile(np.array([0, 255, 255, 0, 0, 255, 255], "u1"), (30, 20))
    frame = Frame.from_arrays("gray", [stripes], 140, 30, device="cpu")
    (auto,), (off,) = (list(Scale(20, 30, prefilter=mode).feed(frame)) for mode in ("auto", "off"))
    assert np.ptp(auto.planes[0][:, 2:-2].astype(int)) <= 4
    (hardware,) = Scale(20, 30, align="hardware", prefilter="auto").feed(frame)
    assert np.ptp(hardware.planes[0]) == 0  # every seventh column
    assert hardware.planes[0][0, 0] in (0, 255)
    assert off.planes[0][:, 2:-2].std() < 1
    assert abs(int(off.planes[0][0, 9]) - 146) > 60
