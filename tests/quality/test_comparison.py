"""Streams compared frame by frame: means, minima, worst frames, first differences and mismatches."""

import math

import numpy as np
import pytest

from texsamp.errors import FormatError
from texsamp.quality import (
    Difference,
    Planes,
    compare_streams,
    first_difference,
    first_stream_difference,
    mean_squared_error,
    psnr_from_mse,
    ssim,
)

LIMITS = {"Y": 255, "U": 255}


def picture(seed, size=(12, 16), limits=LIMITS):
    random = np.random.default_rng(seed)
    return Planes({name: random.integers(0, 256, size, dtype=np.uint8) for name in limits}, limits)


def damaged(original, plane, value=9):
    planes = {name: array.copy() for name, array in original.planes.items()}
    planes[plane][5, 3] ^= value
    planes[plane][5, 7] ^= value
    return Planes(planes, original.max_value)


def test_means_minima_and_worst_frames():
    reference = [picture(i) for i in range(4)]
    distorted = [reference[0], damaged(reference[1], "Y", 3), damaged(reference[2], "Y", 200), reference[3]]
    result = compare_streams(iter(reference), iter(distorted))
    errors = [mean_squared_error(a.planes["Y"], b.planes["Y"]) for a, b in zip(reference, distorted, strict=True)]
    similarities = [ssim(a.planes["Y"], b.planes["Y"], 255) for a, b in zip(reference, distorted, strict=True)]
    luma = result.planes["Y"]
    assert result.frames == 4
    assert not result.identical
    assert luma.psnr_mean == psnr_from_mse(sum(errors) / 4, 255)
    assert luma.psnr_min == psnr_from_mse(max(errors), 255)
    assert luma.psnr_worst_frame == luma.ssim_worst_frame == 2
    assert luma.ssim_mean == pytest.approx(sum(similarities) / 4)
    assert luma.ssim_min == min(similarities)
    assert result.planes["U"].psnr_mean == math.inf
    assert result.planes["U"].ssim_min == 1.0


def test_identical_streams():
    result = compare_streams([picture(1), picture(2)], [picture(1), picture(2)])
    assert result.identical
    assert first_stream_difference([picture(1), picture(2)], [picture(1), picture(2)]) == 2


def test_a_picture_without_alpha_is_opaque_beside_one_with_it():
    """As a PNG of three channels beside the four that a texture decodes to; where bits count they differ."""
    bare = picture(1)
    alpha = np.full((12, 16), 255, np.uint8)
    alpha[0, 0] = 0
    whole = Planes({**bare.planes, "A": alpha}, {**LIMITS, "A": 255})
    for streams in ([bare], [whole]), ([whole], [bare]):
        scores = compare_streams(*streams).planes
        assert scores["Y"].psnr_mean == math.inf
        assert scores["A"].psnr_mean == psnr_from_mse(255**2 / alpha.size, 255)
        with pytest.raises(FormatError, match=r"cannot be compared .*: convert one first, as by csc=format=rgb24"):
            first_stream_difference(*streams)


def test_first_difference_is_in_reading_order():
    a = np.zeros((3, 4), np.uint8)
    b = a.copy()
    b[2, 0], b[1, 3] = 7, 9
    assert first_difference(a, b) == Difference(x=3, y=1, reference=0, distorted=9)
    assert first_difference(a, a) is None


def test_first_difference_of_streams_names_frame_and_plane():
    reference = [picture(i) for i in range(3)]
    distorted = [reference[0], damaged(damaged(reference[1], "U"), "U", 0), damaged(reference[2], "Y")]
    value = int(reference[1].planes["U"][5, 3])
    assert first_stream_difference(reference, distorted) == (1, "U", Difference(3, 5, value, value ^ 9))


def test_first_difference_reads_no_further():
    def endless():
        yield picture(0)
        raise AssertionError("read beyond the first difference")

    assert first_stream_difference(endless(), [damaged(picture(0), "Y")])[0] == 0


@pytest.mark.parametrize("compare", [compare_streams, first_stream_difference])
class TestMismatch:
    def test_length(self, compare):
        with pytest.raises(FormatError, match="distorted stream ends after 1 frames, the reference stream goes on"):
            compare([picture(0), picture(1)], [picture(0)])

    def test_size(self, compare):
        with pytest.raises(FormatError, match=r"frame 0: sizes differ: reference Y 16x12.*distorted Y 8x12"):
            compare([picture(0)], [picture(0, size=(12, 8))])

    def test_planes(self, compare):
        with pytest.raises(FormatError, match=r"frame 0: Y of 8 bits, U of 8 bits cannot be compared with Y of 8 bits"):
            compare([picture(0)], [picture(0, limits={"Y": 255})])

    def test_nothing(self, compare):
        with pytest.raises(FormatError, match="no frames"):
            compare([], [])
