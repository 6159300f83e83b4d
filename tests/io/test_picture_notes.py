"""What people are told of pictures that hold more than is read: color profiles, and parts of EXR files."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from texsamp.io import VideoReader
from texsamp.io.textures.exr import PARTS_NOTE
from texsamp.io.textures.read import read_texture_file

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
OTHER = SRGB.replace("sRGB".encode("utf-16-be"), "Wide".encode("utf-16-be"))


@pytest.mark.parametrize(("profile", "told"), [(OTHER, True), (SRGB, False), (None, False)])
@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.tif", "a.webp"])
def test_a_texture_of_a_picture_tells_of_its_color_profile(
    tmp_path: Path, name: str, profile: bytes | None, told: bool
):
    Image.new("RGB", (8, 8), (200, 10, 10)).save(tmp_path / name, icc_profile=profile)
    assert any("color profile" in note for note in read_texture_file(tmp_path / name).notes) == told


def test_a_16_bit_png_does_so_as_well(tmp_path: Path) -> None:
    import zlib

    from texsamp.io.textures.still_codec import encode_still

    png = encode_still("png", np.full((8, 8, 3), 40000, np.uint16), "rgb48be")
    body = b"iCCPa\0\0" + zlib.compress(OTHER)
    chunk = (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
    (tmp_path / "a.png").write_bytes(png[:33] + chunk + png[33:])
    found = read_texture_file(tmp_path / "a.png")
    assert found.images.info.name == "R16G16B16A16_UNORM"
    assert any("color profile" in note for note in found.notes)


def test_parts_of_exr_that_are_not_read_are_told(tmp_path: Path) -> None:
    openexr = pytest.importorskip("OpenEXR")
    halves = np.ones((6, 8, 3), np.float16)
    parts = [openexr.Part({"name": name, "type": openexr.scanlineimage}, {"RGB": halves}) for name in ("one", "two")]
    openexr.File(parts).write(str(tmp_path / "a.exr"))
    assert read_texture_file(tmp_path / "a.exr").notes == (PARTS_NOTE,)
    with VideoReader(tmp_path / "a.exr") as reader:
        assert PARTS_NOTE in reader.notes
    openexr.File({"type": openexr.scanlineimage}, {"RGB": halves}).write(str(tmp_path / "b.exr"))
    assert read_texture_file(tmp_path / "b.exr").notes == ()
    with VideoReader(tmp_path / "b.exr") as reader:
        assert PARTS_NOTE not in reader.notes
