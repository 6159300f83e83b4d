"""Pictures of linear light are coded by the sRGB curve before anything is rounded."""

import warnings
from pathlib import Path

import av
import numpy as np
import pytest

from texsamp import process
from texsamp.io import VideoReader
from texsamp.io.frames.linear_light import coded
from texsamp.io.textures.still_codec import encode_still

LIGHT = np.array([0, 0.001, 0.0031308, 0.01, 0.18, 0.5, 0.75, 1.0])
WANTED = (0, 847, 2651, 6544, 30235, 48192, 57725, 65535)
"""By IEC 61966-2-1, of 65535: made with 40 decimal places."""


def floats(channels: int) -> np.ndarray:
    image = np.zeros((8, 16, channels), np.float32)
    image[:, :8, 0], image[:, 8:, -1] = LIGHT, LIGHT[::-1]
    return image


@pytest.mark.parametrize(("channels", "kept"), [(3, "float"), (4, "float"), (3, "half")])
def test_exr_is_coded(tmp_path: Path, channels: int, kept: str) -> None:
    image = floats(channels)
    name = "gbrpf32le" if channels == 3 else "gbrapf32le"
    (tmp_path / "a.exr").write_bytes(encode_still("exr", image, name, format=kept))
    with VideoReader(tmp_path / "a.exr") as reader:
        (frame,) = reader
    samples = frame.to_arrays()[0].reshape(image.shape)
    slack = 8 if kept == "half" else 0  # halves have 11 bits
    assert np.abs(samples[:, :8, 0].astype(int) - WANTED).max() <= slack
    assert not samples[:, :8, 1].any()
    last = np.rint(LIGHT[::-1] * 65535) if image.shape[2] == 4 else np.array(WANTED)[::-1]  # alpha is no light
    assert np.abs(samples[:, 8:, -1] - last).max() <= slack
    assert frame.color.transfer == 13
    assert any("sRGB curve" in note for note in reader.notes)


@pytest.mark.parametrize(("name", "codec"), [("a.hdr", "hdr"), ("a.pfm", "pfm")])
def test_radiance_and_portable_float_maps_are_coded(tmp_path: Path, name: str, codec: str) -> None:
    (tmp_path / name).write_bytes(encode_still(codec, floats(3), "gbrpf32le"))
    with VideoReader(tmp_path / name) as reader:
        (frame,) = reader
    red = frame.to_arrays()[0].reshape(8, 16, 3)[0, :8, 0]
    assert np.abs(red.astype(int) - WANTED).max() <= (200 if codec == "hdr" else 0)  # 8 bits and an exponent


def test_what_is_no_number_or_beyond_white_has_a_value() -> None:
    picture = av.VideoFrame(4, 1, "grayf32le")
    np.frombuffer(picture.planes[0], np.float32)[:4] = np.nan, -1, 7, np.inf
    made = np.frombuffer(coded(picture).planes[0], np.uint16)[:4]
    assert made.tolist() == [0, 0, 65535, 65535]


def test_a_picture_of_a_picture_is_as_bright_as_people_expect(tmp_path: Path) -> None:
    gray = np.full((16, 16, 3), 0.18, np.float32)  # a gray card
    (tmp_path / "a.exr").write_bytes(encode_still("exr", gray, "gbrpf32le"))
    process(tmp_path / "a.exr", tmp_path / "a.jpg", device="cpu")
    with av.open(tmp_path / "a.jpg") as container:
        (picture,) = container.decode(video=0)
    assert np.abs(picture.to_ndarray(format="gray").astype(int) - 118).max() <= 1


def test_no_kind_of_nan_is_complained_of(tmp_path: Path) -> None:
    """A signaling one makes NumPy warn, on whatever is standard error."""
    signaling = np.full((8, 16, 3), 0x7F800001, np.uint32).view(np.float32)
    (tmp_path / "a.exr").write_bytes(encode_still("exr", signaling, "gbrpf32le", format="float"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (frame,) = VideoReader(tmp_path / "a.exr")
    assert not frame.to_arrays()[0].any()
