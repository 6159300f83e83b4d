"""Numbered pictures as a video, from whatever number on, with the gap told; and alpha and covers that no one reads."""

from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from support.media import gray_ramp, write_video

from texsamp import MediaError
from texsamp.io import VideoReader


def pictures(folder: Path, *numbers: int, pattern: str = "img_%04d.png") -> None:
    for number in numbers:
        Image.fromarray(np.full((8, 16, 3), number % 256, np.uint8)).save(folder / (pattern % number))


def levels(path: Path) -> list[int]:
    with VideoReader(path) as reader:
        return [int(frame.planes[0][0, 0]) for frame in reader]


@pytest.mark.parametrize("pattern", ["img_%04d.png", "%d.png", "a+b(%03d)[1].png"])
def test_sequences_begin_with_their_first_number(tmp_path: Path, pattern: str) -> None:
    pictures(tmp_path, *range(100, 105), pattern=pattern)
    (tmp_path / "img_x.png").touch()
    assert levels(tmp_path / pattern) == list(range(100, 105))


def test_a_missing_picture_ends_the_sequence_with_a_note(tmp_path: Path) -> None:
    pictures(tmp_path, 100, 101, 103, 104, 105)
    with VideoReader(tmp_path / "img_%04d.png") as reader:
        assert len(list(reader)) == 2
        assert reader.frame_rate == 25
        assert reader.notes == [
            "picture 102 is missing: the sequence ends there, 3 later ones are not read",
            "pictures have no times: 25 a second are assumed",
        ]


def test_a_pattern_without_files_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"img_%04d\.png: no such file, and no file with a number in that place"):
        VideoReader(tmp_path / "img_%04d.png")


def test_alpha_beside_the_pictures_is_told(tmp_path: Path) -> None:
    path = write_video(
        tmp_path / "a.webm",
        [gray_ramp(64, 48, n) for n in range(2)],
        "libvpx-vp9",
        setup=lambda _, stream: stream.metadata.update(alpha_mode="1"),
    )
    with VideoReader(path) as reader:
        assert reader.notes == ["alpha is dropped: FFmpeg's vp9 decoder does not read it"]
    Image.fromarray(np.zeros((16, 16, 4), np.uint8)).save(tmp_path / "a.avif")
    with VideoReader(tmp_path / "a.avif") as reader:
        assert "alpha is dropped: it is a stream of its own" in reader.notes


def test_sound_with_a_cover_is_no_video(tmp_path: Path) -> None:
    with av.open(tmp_path / "a.m4a", "w", format="mp4") as container:
        sound = container.add_stream("aac", rate=48000, layout="mono")
        cover = container.add_stream("png", rate=1)
        cover.width, cover.height, cover.pix_fmt, cover.disposition = 16, 16, "rgb24", 1024
        picture = av.VideoFrame(16, 16, "rgb24")
        picture.pts = 0
        container.mux(cover.encode(picture))
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate = 48000
        container.mux([*cover.encode(None), *sound.encode(frame), *sound.encode(None)])
    with pytest.raises(MediaError, match=r"a\.m4a: no video stream \(found audio, cover picture\)"):
        VideoReader(tmp_path / "a.m4a")
