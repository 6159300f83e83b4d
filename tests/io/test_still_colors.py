"""Still pictures beside Pillow: gray is of full range, TIFF may hold JPEG and luma and chroma."""

from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image, ImageCms

from texsamp import process
from texsamp.errors import MediaError
from texsamp.io import VideoReader
from texsamp.io.frames.av_frame import plane_view

PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
GRAYS = {"L": ("jpg", "jp2", "pgm", "tga", "sgi", "tif", "png"), "LA": ("tif", "png"), "I;16": ("tif", "pgm", "png")}


def picture(mode: str = "RGB", rows: int = 48) -> Image.Image:
    y, x = np.mgrid[0:rows, 0:64]
    colors = np.dstack([x * 4, y * 255 // rows, np.where(x < 32, 250, 10)]).astype(np.uint8)
    made = Image.fromarray(colors)
    if mode == "I;16":
        return Image.fromarray(np.asarray(made.convert("L")).astype(np.uint16) * 257)
    return made.convert(mode)


def shown(path: Path) -> np.ndarray:
    with VideoReader(path, rgb=True) as reader:
        (frame,) = reader
    return frame.to_arrays()[0].reshape(frame.height_px, frame.width_px, 3).astype(int)


@pytest.mark.parametrize(("mode", "kind"), [(mode, kind) for mode, kinds in GRAYS.items() for kind in kinds])
def test_gray_pictures_keep_their_black_and_white(tmp_path: Path, mode: str, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    picture(mode).save(path)
    with Image.open(path) as image:
        expected = np.asarray(image.convert("L") if image.mode in ("L", "LA") else picture("L"), int)
    with VideoReader(path) as reader:
        assert reader.color.full_range is True
        assert reader.color.matrix != 0  # that of RGB, which no encoder of luma may write
    assert np.abs(shown(path) - expected[:, :, None]).max() <= 1


def test_a_gray_photograph_becomes_a_video_of_the_same_range(tmp_path: Path) -> None:
    picture("L").save(tmp_path / "a.png")
    process(tmp_path / "a.png", tmp_path / "b.mkv", vf="scale=64x48")
    with VideoReader(tmp_path / "b.mkv") as reader:
        assert (reader.color.full_range, reader.color.matrix) == (True, 2)
    assert np.abs(shown(tmp_path / "b.mkv") - np.asarray(picture("L"), int)[:, :, None]).max() <= 8


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "CMYK", "YCbCr"])
def test_tiff_with_jpeg_inside(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.tif"
    picture(mode).save(path, compression="jpeg", icc_profile=PROFILE)
    with Image.open(path) as image:
        expected = np.asarray(image.convert("RGB"), int)
    assert np.array_equal(shown(path), expected)
    assert expected.max() > 200
    with VideoReader(path) as reader:
        assert reader.color_profile == PROFILE


def test_damaged_jpeg_in_tiff_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    picture().save(path, compression="jpeg")
    data = bytearray(path.read_bytes())
    at = data.index(b"\xff\xda") + 2
    data[at : at + 60] = bytes(60)
    path.write_bytes(data)
    with pytest.raises(MediaError, match=r"a\.tif: its TIFF picture cannot be decoded"), VideoReader(path) as reader:
        list(reader)


def test_tiff_that_pillow_does_not_know(tmp_path: Path) -> None:
    """Gray with alpha in 16 bits: FFmpeg reads it, and that is enough."""
    sent = np.random.default_rng(5).integers(0, 65536, (6, 8, 2), np.uint16)
    picture = av.VideoFrame(8, 6, "ya16le")
    plane_view(picture.planes[0], (6, 16), np.dtype("<u2"))[...] = sent.reshape(6, 16)
    with av.open(str(tmp_path / "a.tif"), "w", format="image2", options={"update": "1"}) as file:
        stream = file.add_stream("tiff", rate=1, width=8, height=6, pix_fmt="ya16le")
        file.mux([*stream.encode(picture), *stream.encode()])
    with VideoReader(tmp_path / "a.tif") as reader:
        (frame,) = reader
    assert np.abs(frame.to_arrays()[0] - sent[:, :, 0] / 64.0).max() <= 1  # of 10 bits


@pytest.mark.parametrize("rows", [48, 720])
def test_luma_and_chroma_in_tiff_are_bt601_of_full_range(tmp_path: Path, rows: int) -> None:
    picture("YCbCr", rows).save(tmp_path / "a.tif")
    assert np.abs(shown(tmp_path / "a.tif") - np.asarray(picture("YCbCr", rows).convert("RGB"), int)).max() <= 2
