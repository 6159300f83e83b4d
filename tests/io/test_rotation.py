"""Pictures that players turn are turned when they are read, whatever their format, and described as they then are."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from support.media import write_video

from texsamp import Frame, process
from texsamp.io import VideoReader
from texsamp.io.frames.rotation import Turner, turn_of
from texsamp.video.frame import ColorTags

ONE = 1 << 16
MATRICES = {
    "clockwise": ((0, 1, -1, 0), lambda a: np.rot90(a, -1)),
    "counterclockwise": ((0, -1, 1, 0), lambda a: np.rot90(a, 1)),
    "180": ((-1, 0, 0, -1), lambda a: np.rot90(a, 2)),
    "hflip": ((-1, 0, 0, 1), np.fliplr),
    "vflip": ((1, 0, 0, -1), np.flipud),
    "transpose": ((0, 1, 1, 0), np.transpose),
    "anti-transpose": ((0, -1, -1, 0), lambda a: np.rot90(a, 2).T),
}


def matrix(a: int, b: int, c: int, d: int) -> tuple[int, ...]:
    return (a * ONE, b * ONE, 0, c * ONE, d * ONE, 0, 0, 0, 1 << 30)


def picture(pix_fmt: str = "yuv420p", width: int = 32, height: int = 16) -> av.VideoFrame:
    rows, columns = np.mgrid[0:height, 0:width]
    rgb = np.dstack([columns * 7 % 256, rows * 13 % 256, (rows + columns) * 5 % 256]).astype(np.uint8)
    return av.VideoFrame.from_ndarray(rgb, "rgb24").reformat(format=pix_fmt)


def write(path: Path, values: tuple[int, int, int, int], pix_fmt: str = "yuv420p", **options: Any) -> Path:
    codec = options.pop("codec", "ffv1")

    def setup(_: Any, stream: Any) -> None:
        stream.set_display_matrix(matrix(*values))
        stream.codec_context.sample_aspect_ratio = Fraction(4, 3)

    return write_video(path, [picture(pix_fmt)] * 2, codec, setup=setup, **options)


def planes(frame: Frame) -> list[np.ndarray]:
    return [np.asarray(plane) for plane in frame.planes]


@pytest.mark.parametrize("name", MATRICES)
def test_pictures_are_turned_as_the_matrix_says(tmp_path: Path, name: str) -> None:
    """FFmpeg's matrix sends a point (x, y) to (a x + c y, b x + d y), y downwards."""
    values, turned = MATRICES[name]
    path = write(tmp_path / "a.mkv", values)
    with VideoReader(path, autorotate=False) as stored, VideoReader(path) as reader:
        before, after = next(stored), next(reader)
        for source, result in zip(planes(before), planes(after), strict=True):
            np.testing.assert_array_equal(result, turned(source))
        assert (reader.rotation, reader.display_matrix) == (0, None)
        assert sum("as players show them" in note for note in reader.notes) == 1
    a, b, c, d = values
    corners = [(x, y) for x in (-1, 1) for y in (-1, 1)]
    array = np.array([[1, 2], [3, 4]])
    result = np.zeros((2, 2), int)
    for x, y in corners:
        result[(b * x + d * y + 1) // 2, (a * x + c * y + 1) // 2] = array[(y + 1) // 2, (x + 1) // 2]
    np.testing.assert_array_equal(turned(array), result)


@pytest.mark.parametrize(
    ("pix_fmt", "codec", "layout"),
    [
        ("yuv420p10le", "ffv1", "yuv420p10le"),
        ("yuv422p", "ffv1", "yuv444p"),
        ("yuv422p10le", "ffv1", "yuv444p10le"),
        ("yuv444p", "ffv1", "yuv444p"),
        ("gray", "ffv1", "gray"),
        ("bgra", "ffv1", "bgra"),
        ("nv12", "rawvideo", "nv12"),
    ],
)
def test_every_format_can_be_turned(tmp_path: Path, pix_fmt: str, codec: str, layout: str) -> None:
    path = write(tmp_path / "a.mkv", (0, 1, -1, 0), pix_fmt, codec=codec)
    with VideoReader(path, autorotate=False) as stored, VideoReader(path) as reader:
        before, after = next(stored), next(reader)
        assert (after.layout.name, after.width_px, after.height_px) == (layout, 16, 32)
        part = "Y" if "Y" in after.layout.components else next(iter(after.layout.components))
        np.testing.assert_array_equal(np.asarray(after.component(part)), np.rot90(before.component(part), -1))


def test_chroma_location_and_field_order_turn_too(tmp_path: Path) -> None:
    turns = {name: Turner(turn) for name, (values, _) in MATRICES.items() if (turn := turn_of(matrix(*values)))}
    left = ColorTags(chroma_location=1)
    found = {name: turner.color(left).chroma_location for name, turner in turns.items()}
    assert found == {
        "clockwise": 4,
        "counterclockwise": 6,
        "180": 0,
        "hflip": 0,
        "vflip": 1,
        "transpose": 4,
        "anti-transpose": 6,
    }
    path = write(tmp_path / "a.mkv", (-1, 0, 0, -1), codec="libx264", options={"flags": "+ildct"}, stamp="tff")
    with VideoReader(path, autorotate=False) as stored, VideoReader(path) as reader:
        before, after = next(stored), next(reader)
        assert (before.top_field_first, after.top_field_first) == (True, False)
        assert before.sample_aspect == after.sample_aspect == Fraction(4, 3)
    path = write(tmp_path / "b.mkv", (0, 1, -1, 0), codec="libx264", options={"flags": "+ildct"}, stamp="tff")
    with VideoReader(path) as reader:
        assert (next(reader).width_px, reader.rotation) == (32, -90)
        assert "pictures are not turned: they are interlaced, and the rotation is passed on as a tag" in reader.notes


def test_other_angles_stay_tags(tmp_path: Path) -> None:
    path = write_video(
        tmp_path / "a.mp4", [picture()], setup=lambda _, stream: stream.set_display_rotation(30), codec="libx264"
    )
    result = process(path, tmp_path / "b.mp4", device="cpu")
    assert any("not by right angles" in note for note in result.notes)
    with VideoReader(tmp_path / "b.mp4") as reader:
        assert (reader.rotation, reader.width_px) == (30, 32)


def test_sizes_mean_the_shown_picture(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", (0, 1, -1, 0), codec="libx264")
    for vf, autorotate, expected, aspect in [
        ("scale=-2:64", True, (32, 64), Fraction(3, 4)),
        ("scale=-2:64", False, (128, 64), Fraction(4, 3)),
        ("scale=20x30", True, (20, 30), Fraction(9, 16)),
    ]:
        process(path, tmp_path / "b.mp4", vf, device="cpu", autorotate=autorotate, overwrite=True)
        with VideoReader(tmp_path / "b.mp4", autorotate=False) as reader:
            assert (reader.width_px, reader.height_px) == expected
            assert reader.sample_aspect == aspect
            assert reader.rotation == (0 if autorotate else -90)
