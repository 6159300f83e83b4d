"""What is written losslessly is read back equal: every layout and size, through files and pipes."""

from pathlib import Path

import pytest
from support.media import assert_same_samples, random_frames

from texsamp import Frame
from texsamp.io import VideoReader, VideoWriter
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS

SIZES = [(64, 48), (37, 29), (1, 1)]


def write(path: Path, frames: list[Frame], **options: object) -> list[str]:
    with VideoWriter(path, **options) as writer:
        for frame in frames:
            writer.write(frame)
    return writer.notes


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("layout", PIXEL_LAYOUTS)
def test_ffv1_keeps_every_sample_of_every_layout(tmp_path: Path, layout: str, size: tuple[int, int]) -> None:
    frames = random_frames(layout, *size, 3)
    write(tmp_path / "a.mkv", frames, lossless=True)
    with VideoReader(tmp_path / "a.mkv") as reader:
        back = list(reader)
    assert [f.pts * f.time_base for f in back] == [f.pts * f.time_base for f in frames]
    for a, b in zip(frames, back, strict=True):
        assert_same_samples(a, b)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("layout", PIXEL_LAYOUTS)
def test_raw_video_keeps_layout_and_samples(tmp_path: Path, layout: str, size: tuple[int, int]) -> None:
    frames = random_frames(layout, *size, 2)
    write(tmp_path / "a.nut", frames, codec="rawvideo")
    with VideoReader(tmp_path / "a.nut") as reader:
        back = list(reader)
    other = {"vyuy422": "yuv422p", "p010le": "yuv420p10le", "x2bgr10le": "x2rgb10le"}  # NUT has no tag for these
    assert reader.layout.name == other.get(layout, layout)
    for a, b in zip(frames, back, strict=True):
        assert_same_samples(a, b)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("layout", [name for name, layout in PIXEL_LAYOUTS.items() if layout.model != "rgb"])
def test_y4m_keeps_every_sample_of_yuv_and_gray(tmp_path: Path, layout: str, size: tuple[int, int]) -> None:
    frames = random_frames(layout, *size, 3)
    write(tmp_path / "a.y4m", frames)
    with VideoReader(tmp_path / "a.y4m") as reader:
        back = list(reader)
    for a, b in zip(frames, back, strict=True):
        assert_same_samples(a, b)


LOSSLESS_LAYOUTS = {
    ".mp4": ["yuv420p", "yuv422p", "yuv444p", "nv12", "yuyv422", "gray"],
    ".mov": ["yuv420p"],
    ".ts": ["yuv420p"],
    ".avi": ["yuv420p", "yuv422p10le", "rgba", "rgb24", "gray10le"],
    ".webm": ["yuv420p", "yuv444p"],
    ".nut": ["yuv420p10le"],
}


@pytest.mark.parametrize(
    ("extension", "layout"), [(e, name) for e, names in LOSSLESS_LAYOUTS.items() for name in names]
)
def test_lossless_holds_in_every_container(tmp_path: Path, extension: str, layout: str) -> None:
    frames = random_frames(layout, 64, 48, 3)
    path = tmp_path / f"a{extension}"
    write(path, frames, lossless=True)
    with VideoReader(path) as reader:
        back = list(reader)
    for a, b in zip(frames, back, strict=True):
        assert_same_samples(a, b)
