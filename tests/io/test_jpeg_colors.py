"""JPEG has no word for a matrix: what is written is what its readers take it for, whatever the frame had."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

import texsamp as ts
from texsamp.io import EncodeOptions, VideoWriter
from texsamp.io.frames.jpeg_colors import with_jpeg_colors
from texsamp.video.frame import ColorTags

COLORS = np.array([(230, 20, 10), (10, 240, 30), (20, 10, 220), (250, 250, 250)], np.uint8)
LARGE = (736, 256)
"""Rows from which untagged RGB becomes BT.709."""
SMALL = (64, 256)


def bars(size: tuple[int, int], layout: str, **tags: int) -> ts.Frame:
    rgb = np.repeat(np.broadcast_to(COLORS, (size[0], *COLORS.shape)), size[1] // len(COLORS), axis=1).copy()
    frame = ts.Frame.from_arrays(
        "rgb24", [rgb.reshape(size[0], -1)], size[1], size[0], "cpu", time_base=Fraction(1, 25)
    )
    matrix = {1: "bt709", 6: "bt601", 9: "bt2020"}[tags.get("matrix", 1)]
    if layout.startswith("yuv"):
        (frame,) = ts.ConvertColor(format=layout, matrix=matrix).feed(frame)
        return frame
    return ts.convert(frame, layout)


def colors(picture: np.ndarray) -> np.ndarray:
    return picture[picture.shape[0] // 2, picture.shape[1] // 8 :: picture.shape[1] // 4].astype(int)


@pytest.mark.parametrize("size", [LARGE, SMALL])
@pytest.mark.parametrize(
    ("layout", "matrix"),
    [("rgb24", 1), ("rgba", 1), ("rgb48le", 1), ("yuv420p", 1), ("yuv420p", 6), ("yuv422p10le", 1), ("yuv444p", 9)],
)
@pytest.mark.parametrize("name", ["a.jpg", "a.mkv"])
def test_readers_of_jpeg_see_the_colors(
    tmp_path: Path, name: str, layout: str, matrix: int, size: tuple[int, int]
) -> None:
    options: EncodeOptions = {"codec": "mjpeg"}
    with VideoWriter(tmp_path / name, **options) as writer:
        writer.write(bars(size, layout, matrix=matrix))
    if name.endswith("jpg"):
        shown = np.asarray(Image.open(tmp_path / name).convert("RGB"))
    else:
        with av.open(str(tmp_path / name)) as container:
            shown = next(container.decode(video=0)).to_ndarray(format="rgb24")
    assert np.abs(colors(shown) - COLORS).max() <= 6
    assert any("bt601, as which every JPEG is read" in note for note in writer.notes) == (
        layout.startswith("yuv") and matrix != 6
    )


def test_gray_and_what_has_the_matrix_stay() -> None:
    for frame in (bars(SMALL, "yuv420p", matrix=6), bars(SMALL, "gray")):
        assert with_jpeg_colors(frame, "yuvj420p") is frame


def test_fields_stay_apart() -> None:
    planes = [np.zeros((16, 32), np.uint8), *(np.zeros((8, 16), np.uint8) for _ in "uv")]
    for plane, (top, bottom) in zip(planes, [(200, 90), (60, 180), (150, 70)], strict=True):
        plane[::2], plane[1::2] = top, bottom
    tags = ColorTags(matrix=1)
    frame = ts.Frame.from_arrays("yuv420p", planes, 32, 16, "cpu", color=tags, interlaced=True, top_field_first=True)
    whole = with_jpeg_colors(frame, "yuvj420p").to_arrays()
    for parity in (0, 1):
        field = [np.ascontiguousarray(np.repeat(plane[parity::2], 2, axis=0)) for plane in planes]
        alone = with_jpeg_colors(ts.Frame.from_arrays("yuv420p", field, 32, 16, "cpu", color=tags), "yuvj420p")
        for plane, expected in zip(whole, alone.to_arrays(), strict=True):
            assert (plane[parity::2] == expected[0]).all()
