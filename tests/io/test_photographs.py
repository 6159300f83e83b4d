"""Pictures as cameras write them: EXIF, turned, with a color profile."""

import struct
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps

from texsamp import process
from texsamp.io import VideoReader
from texsamp.io.textures.color_profile import profile_of
from texsamp.io.textures.read import read_texture_file

PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
EXIF_LOST, PROFILE_LOST = "EXIF metadata cannot be passed on", "the color profile (ICC) cannot be passed on"


def photograph(path: Path, orientation: int, **options: object) -> Path:
    rows, columns = np.mgrid[0:48, 0:80]
    picture = Image.fromarray(np.dstack([columns * 3, rows * 5, (rows + columns) % 200]).astype(np.uint8))
    exif = Image.Exif()
    exif[0x112], exif[0x10F] = orientation, "Camera"
    picture.save(path, exif=exif, **options)
    return path


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photograph_is_turned_as_its_exif_says(tmp_path: Path, orientation: int) -> None:
    """As Pillow turns it; EXIF, which PyAV has no name for, and the profile are told as lost, a level camera is not."""
    path = photograph(tmp_path / "a.jpg", orientation, quality=98, subsampling=0, icc_profile=PROFILE)
    expected = np.asarray(ImageOps.exif_transpose(Image.open(path)).convert("L"), np.int64)
    with VideoReader(path) as reader:
        (frame,) = reader
        assert any(note.startswith(EXIF_LOST) for note in reader.notes)
        assert reader.color_profile == PROFILE
        assert sum("turned" in note or "mirrored" in note for note in reader.notes) == (orientation > 1)
        assert reader.display_matrix is None
    luma = frame.to_arrays()[0]
    assert luma.shape == expected.shape
    assert np.abs(luma - expected).max() <= 3
    notes = process(path, tmp_path / "b.png").notes
    assert Image.open(tmp_path / "b.png").size == (frame.width_px, frame.height_px)
    assert not any("rotation" in note for note in notes)


@pytest.mark.parametrize("name", ["a.tif", "a.webp", "a.png"])
def test_other_pictures_with_exif_are_read(tmp_path: Path, name: str) -> None:
    path = photograph(tmp_path / name, 1)
    with VideoReader(path) as reader:
        assert len(list(reader)) == 1


KINDS = ("png", "jpg", "tif")


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("source", [*KINDS, "webp"])
def test_a_color_profile_is_passed_on_to_pictures(tmp_path: Path, source: str, target: str) -> None:
    """One that takes many segments of JPEG, too: nothing a filter of luma does changes what colors mean."""
    profile = PROFILE + bytes(range(256)) * 600
    photograph(tmp_path / f"a.{source}", 1, icc_profile=profile, quality=98)
    result = process(tmp_path / f"a.{source}", tmp_path / f"b.{target}", vf="sharpen=10")
    assert not any(note.startswith(PROFILE_LOST) for note in result.notes)
    with Image.open(tmp_path / f"b.{target}") as made, Image.open(tmp_path / f"a.{source}") as given:
        assert made.info["icc_profile"] == profile
        off = np.abs(np.asarray(made.convert("RGB"), int) - np.asarray(given.convert("RGB"), int))
        assert off.mean() < 3
    with VideoReader(tmp_path / f"b.{target}") as reader:
        assert reader.color_profile == profile
        (frame,) = reader
        assert not frame.damaged


def test_a_profile_that_jpeg_has_no_segments_for_is_told(tmp_path: Path) -> None:
    """255 of 65519 bytes."""
    for size_B, lost in ((255 * 65519, False), (255 * 65519 + 1, True)):
        photograph(tmp_path / "a.tif", 1, icc_profile=PROFILE + bytes(size_B - len(PROFILE)))
        result = process(tmp_path / "a.tif", tmp_path / "b.jpg", overwrite=True)
        assert any(note.startswith(PROFILE_LOST) for note in result.notes) == lost
        assert ("icc_profile" in Image.open(tmp_path / "b.jpg").info) == (not lost)


def test_metadata_that_pillow_wonders_about_is_nobodys_concern(tmp_path: Path) -> None:
    photograph(tmp_path / "a.tif", 1, icc_profile=PROFILE)
    data = bytearray((tmp_path / "a.tif").read_bytes())
    (directory,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, directory)
    entries = [directory + 2 + 12 * n for n in range(count)]
    profile = next(at for at in entries if struct.unpack_from("<H", data, at) == (34675,))
    struct.pack_into("<I", data, profile + 4, 1 << 24)  # more than the file has
    (tmp_path / "a.tif").write_bytes(data)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert profile_of(str(tmp_path / "a.tif")) is None
    assert told == []


def test_every_picture_of_a_sequence_gets_the_profile(tmp_path: Path) -> None:
    for number in (3, 4):
        photograph(tmp_path / f"a_{number}.png", 1, icc_profile=PROFILE)
    process(tmp_path / "a_%d.png", tmp_path / "b_%d.png", vf="scale=40x24")
    made = sorted(tmp_path.glob("b_*.png"))
    assert len(made) == 2
    assert all(Image.open(path).info["icc_profile"] == PROFILE for path in made)


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("b.mkv", {}),
        ("b.y4m", {}),
        ("b.png", {"pix_fmt": "gray"}),  # the profile is about RGB
        ("b.png", {"vf": "setparams=color_primaries=bt2020"}),  # as filters say that make other colors
    ],
)
def test_a_profile_that_is_lost_is_told(tmp_path: Path, target: str, options: dict[str, str]) -> None:
    photograph(tmp_path / "a.png", 1, icc_profile=PROFILE)
    result = process(tmp_path / "a.png", tmp_path / target, **options)
    assert any(note.startswith(PROFILE_LOST) for note in result.notes)
    if target == "b.png":
        assert "icc_profile" not in Image.open(tmp_path / target).info


def test_a_named_profile_is_freed_once(tmp_path: Path) -> None:
    """PyAV would free the name of a PNG's profile a second time, and Python with it."""
    Image.new("RGBA", (32, 16)).save(tmp_path / "a.png", icc_profile=PROFILE)
    program = """
import gc, sys
from texsamp.io import VideoReader
from texsamp.io.textures.read import read_texture_file
for _ in range(5):
    with VideoReader(sys.argv[1]) as reader:
        frames = list(reader)
        assert reader.color_profile
    del reader, frames
    gc.collect()
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.png")], check=True)


def test_a_texture_keeps_the_rows_of_its_file(tmp_path: Path) -> None:
    """With a note, as for KTXorientation; damaged EXIF is none."""
    level = read_texture_file(photograph(tmp_path / "a.jpg", 1).read_bytes())
    turned = read_texture_file(photograph(tmp_path / "b.jpg", 6).read_bytes())
    assert level.notes == ()
    assert turned.notes == ("the EXIF orientation is 6: rows and columns are kept as they are in the file",)
    assert turned.images.images == level.images.images
    data = (tmp_path / "b.jpg").read_bytes()
    for at in range(data.index(b"Exif"), data.index(b"Exif") + 40):
        read_texture_file(data[:at] + b"\xff" + data[at + 1 :])
