"""PSNR against its formula and against FFmpeg's psnr filter."""

import math

import numpy as np
import pytest
from support.ffmpeg_metrics import ffmpeg_metric, noisy_pair

from texsamp.errors import FormatError
from texsamp.quality import mean_squared_error, psnr


def test_equal_planes_have_infinite_psnr():
    plane = np.arange(20, dtype=np.uint8).reshape(4, 5)
    assert psnr(plane, plane, 255) == math.inf


def test_one_step_everywhere_is_48_13_db():
    plane = np.full((3, 7), 100, np.uint8)
    assert psnr(plane, plane + 1, 255) == pytest.approx(10 * math.log10(255**2))


def test_opposite_extremes_are_zero_db():
    black, white = np.zeros((2, 2), np.uint16), np.full((2, 2), 1023, np.uint16)
    assert psnr(black, white, 1023) == 0.0


def test_unsigned_differences_do_not_wrap():
    assert mean_squared_error(np.array([[0]], np.uint8), np.array([[255]], np.uint8)) == 255.0**2


@pytest.mark.parametrize(
    "other",
    [np.zeros((4, 4), np.uint8), np.zeros((4, 5), np.uint16), np.zeros((20,), np.uint8)],
    ids=["shape", "type", "dimensions"],
)
def test_unlike_planes_are_refused(other):
    with pytest.raises(FormatError, match="differ"):
        psnr(np.zeros((4, 5), np.uint8), other, 255)


@pytest.mark.parametrize("bad", [np.zeros((0, 5), np.uint8), np.zeros((4, 5), np.float32)], ids=["empty", "float"])
def test_planes_must_hold_unsigned_samples(bad):
    with pytest.raises(FormatError, match="unsigned integers"):
        psnr(bad, bad, 255)


@pytest.mark.parametrize(("pixel_format", "bits"), [("gray", 8), ("gray10le", 10)])
def test_agrees_with_ffmpeg(pixel_format, bits):
    reference, distorted = noisy_pair(bits, (37, 53), seed=1)
    metadata = ffmpeg_metric("psnr", reference, distorted, pixel_format)
    assert psnr(reference, distorted, (1 << bits) - 1) == pytest.approx(float(metadata["lavfi.psnr.psnr.y"]), abs=2e-6)
