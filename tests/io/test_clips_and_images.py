"""Generated clips and pictures of frames."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from texsamp import MediaError
from texsamp.io import ffmpeg_versions, pattern_clip, write_png


@pytest.mark.parametrize("size", [(64, 48), (37, 29), (1, 1), (640, 3)], ids=str)
def test_clips_are_the_same_every_time(size: tuple[int, int]) -> None:
    first, second = list(pattern_clip(*size, 3)), list(pattern_clip(*size, 3))
    assert len(first) == 3
    for a, b in zip(first, second, strict=True):
        assert all(np.array_equal(p, q) for p, q in zip(a.planes, b.planes, strict=True))


def test_clips_move_and_stay_in_limited_range() -> None:
    frames = list(pattern_clip(160, 96, 3))
    for frame in frames:
        assert np.asarray(frame.planes[0]).min() >= 16
        assert np.asarray(frame.planes[0]).max() <= 235
        assert np.ptp(frame.planes[0]) > 150
        for plane in frame.planes[1:]:
            assert np.asarray(plane).min() >= 16
            assert np.asarray(plane).max() <= 240
    assert not np.array_equal(frames[0].planes[0], frames[1].planes[0])


def test_picture_of_a_frame(tmp_path: Path) -> None:
    frame = next(pattern_clip(64, 48, 1))
    rgb = frame.to_rgb()
    assert (rgb.shape, rgb.dtype) == ((48, 64, 3), np.uint8)
    white = np.asarray(frame.planes[0]) == 235
    assert white.any()
    write_png(tmp_path / "a.png", rgb)
    assert np.array_equal(np.asarray(Image.open(tmp_path / "a.png")), rgb)
    with pytest.raises(MediaError, match=r"none/a\.png: there is no directory"):
        write_png(tmp_path / "none" / "a.png", rgb)
    with pytest.raises(MediaError, match=r"a\.png: exists already"):
        write_png(tmp_path / "a.png", rgb, overwrite=False)


def test_versions_name_ffmpeg() -> None:
    versions = ffmpeg_versions()
    assert {"PyAV", "FFmpeg", "libavcodec"} <= set(versions)
    assert all(versions.values())
