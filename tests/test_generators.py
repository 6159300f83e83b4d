"""What the temporal filters are measured on, interlaced and noisy clips of our own making, is as FFmpeg makes it."""

import shutil
import subprocess

import numpy as np
import pytest
from support.interlaced import interlace
from support.telecine import noisy, real_pictures

import texsamp as ts

FFMPEG = shutil.which("ffmpeg")
pytestmark = pytest.mark.skipif(FFMPEG is None, reason="needs an ffmpeg binary")


def filtered(pictures: list[np.ndarray], filters: str) -> list[np.ndarray]:
    """Gray pictures of one size through FFmpeg's filters."""
    height, width = pictures[0].shape
    raw = ["-f", "rawvideo", "-pix_fmt", "gray"]
    command = [FFMPEG, "-v", "error", *raw, "-s", f"{width}x{height}", "-i", "-", "-vf", filters, *raw, "-"]
    made = subprocess.run(command, input=b"".join(map(bytes, pictures)), check=True, capture_output=True, timeout=60)
    return list(np.frombuffer(made.stdout, np.uint8).reshape(-1, height, width))


@pytest.fixture(scope="module")
def pictures() -> list[np.ndarray]:
    return real_pictures("bikes.mp4", 12, (160, 64, 320, 144))


@pytest.mark.parametrize("top_first", [True, False])
def test_interlaced_clips_are_tinterlaces(pictures, top_first):
    frames = [ts.Frame.from_arrays("gray", [picture], 320, 144, "cpu") for picture in pictures]
    if top_first:
        ours, mode = interlace(frames), "interleave_top"
    else:
        ours, mode = interlace(frames, top_first=False), "interleave_bottom"
    theirs = filtered(pictures, f"tinterlace={mode}")
    assert len(ours) == len(theirs) == 6
    assert all(np.array_equal(a.planes[0], b) for a, b in zip(ours, theirs, strict=True))


def test_noise_is_as_strong_as_noises(pictures):
    """FFmpeg's alls=15 is noise of deviation 8.06, 30.0 dB; its shares of small and large steps are the normal ones."""
    inside = [np.clip(picture, 50, 205) for picture in pictures]
    ours = np.stack(noisy(inside, 8.06)) - np.stack(inside).astype(int)
    theirs = np.stack(filtered(inside, "noise=alls=15:allf=t")) - np.stack(inside).astype(int)
    assert theirs.std() == pytest.approx(ours.std(), rel=0.05)
    assert abs(theirs.mean()) < 0.3
    for steps in (4, 8, 16):
        assert (abs(theirs) <= steps).mean() == pytest.approx((abs(ours) <= steps).mean(), abs=0.05)
