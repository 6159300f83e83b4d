"""SSIM against FFmpeg's ssim filter, and its simple properties."""

import numpy as np
import pytest
from support.ffmpeg_metrics import ffmpeg_metric, noisy_pair

from texsamp.errors import FormatError
from texsamp.quality import ssim


@pytest.mark.parametrize(("pixel_format", "bits"), [("gray", 8), ("gray10le", 10)])
@pytest.mark.parametrize("shape", [(8, 8), (37, 53), (64, 96), (11, 200)])
def test_agrees_with_ffmpeg(pixel_format, bits, shape):
    reference, distorted = noisy_pair(bits, shape, seed=shape[0])
    metadata = ffmpeg_metric("ssim", reference, distorted, pixel_format)
    assert ssim(reference, distorted, (1 << bits) - 1) == pytest.approx(float(metadata["lavfi.ssim.Y"]), abs=2e-6)


@pytest.mark.parametrize("shape", [(1, 1), (3, 50), (8, 8), (40, 40)])
def test_equal_planes_score_one(shape):
    plane = np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)
    assert ssim(plane, plane, 255) == 1.0


@pytest.mark.parametrize("seed", range(10))
def test_windows_lie_at_every_multiple_of_4(seed):
    a, b = noisy_pair(8, (12, 20), seed=seed)
    windows = [np.s_[y : y + 8, x : x + 8] for y in (0, 4) for x in (0, 4, 8, 12)]
    assert ssim(a, b, 255) == pytest.approx(np.mean([ssim(a[window], b[window], 255) for window in windows]))


def test_is_symmetric():
    a, b = noisy_pair(8, (30, 44), seed=9)
    assert ssim(a, b, 255) == ssim(b, a, 255)


def test_more_noise_scores_lower():
    clean, noisy = noisy_pair(8, (64, 64), seed=2)
    noisier = np.random.default_rng(4).permutation(noisy, axis=0)
    assert 1.0 > ssim(clean, noisy, 255) > ssim(clean, noisier, 255)


def test_16_bit_samples_do_not_overflow():
    black, white = np.zeros((16, 16), np.uint16), np.full((16, 16), 65535, np.uint16)
    assert 0 < ssim(black, white, 65535) < 1e-3
    assert ssim(white, white, 65535) == 1.0


def test_unlike_planes_are_refused():
    with pytest.raises(FormatError, match="differ"):
        ssim(np.zeros((8, 8), np.uint8), np.zeros((8, 9), np.uint8), 255)
