"""ASTC files: a header of 16 bytes and the blocks of one image."""

from __future__ import annotations

import pytest
from support.textures import KINDS, texture

from texsamp.errors import FormatError
from texsamp.io.textures import read_texture, read_texture_file, write_texture

FOOTPRINTS = ["4x4", "5x4", "5x5", "6x5", "6x6", "8x5", "8x6", "8x8", "10x5", "10x6", "10x8", "10x10", "12x10", "12x12"]
MAGIC = bytes([0x13, 0xAB, 0xA1, 0x5C])


def astc(block, size, data):
    return MAGIC + bytes(block) + b"".join(side.to_bytes(3, "little") for side in size) + data


@pytest.mark.parametrize("footprint", FOOTPRINTS)
def test_every_footprint(footprint, tmp_path):
    width, height = map(int, footprint.split("x"))
    images = texture(f"ASTC_LDR_2D_{footprint}_FLT16", width_px=37, height_px=29, levels=1)
    data = astc((width, height, 1), (37, 29, 1), images.images[0][0])
    file = read_texture_file(data)
    assert file.images == images
    assert file.container == "ASTC"
    assert file.notes == ("ASTC files do not say their color space; read as linear values of low range",)
    assert write_texture(tmp_path / "x.astc", images) == []
    assert (tmp_path / "x.astc").read_bytes() == data


def test_a_color_space_that_the_file_cannot_say_is_noted(tmp_path):
    images = texture("ASTC_LDR_2D_6x6_U8sRGB", levels=1)
    (note,) = write_texture(tmp_path / "x.astc", images)
    assert note == "ASTC files do not say that blocks are ASTC_LDR_2D_6x6_U8sRGB; KTX2 files do"
    assert read_texture(tmp_path / "x.astc").images == images.images


def test_bytes_after_the_image_are_noted():
    data = astc((4, 4, 1), (4, 4, 1), bytes(20))
    assert "4 bytes after the image are ignored" in read_texture_file(data).notes


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (astc((4, 4, 1), (4, 4, 1), b"")[:15], "ASTC header must be bytes 0 to 16, found a file of 15 bytes"),
        (astc((4, 4, 1), (5, 4, 1), bytes(31)), "image must be bytes 16 to 48, found a file of 47 bytes"),
        (astc((4, 4, 4), (4, 4, 4), bytes(16)), "two-dimensional blocks and one slice, found blocks of 4x4x4 and 4"),
        (astc((4, 4, 1), (4, 4, 2), bytes(32)), "found blocks of 4x4x1 and 2 slices"),
        (astc((4, 4, 0), (4, 4, 1), bytes(16)), "ASTC has no blocks of 4x4x0 texels"),
        (astc((7, 7, 1), (4, 4, 1), bytes(16)), "ASTC has no blocks of 7x7x1 texels"),
        (astc((0, 0, 1), (4, 4, 1), bytes(16)), "ASTC has no blocks of 0x0x1 texels"),
        (astc((4, 4, 1), (0, 4, 1), bytes(16)), "width must be from 1 to 65536 texels, found 0"),
        (astc((4, 4, 1), (4, 4, 0), bytes(16)), "depth must be from 1 to 65536 texels, found 0"),
        (astc((12, 12, 1), (0xFFFFFF, 4, 1), bytes(16)), "found 16777215"),
        (astc((4, 4, 1), (65536, 65536, 1), bytes(16)), "at most 2147483648 bytes, found 4294967296"),
    ],
)
def test_lies_are_named(data, message):
    with pytest.raises(FormatError, match=message):
        read_texture(data)


@pytest.mark.parametrize("kind", ["2D array", "cube", "3D"])
def test_what_an_astc_file_cannot_hold(kind, tmp_path):
    with pytest.raises(FormatError, match="holds one 2D image"):
        write_texture(tmp_path / "x.astc", texture("ASTC_LDR_2D_4x4_FLT16", levels=1, **KINDS[kind]))
    assert list(tmp_path.iterdir()) == []


def test_levels_need_another_container(tmp_path):
    with pytest.raises(FormatError, match="3 levels; use KTX2"):
        write_texture(tmp_path / "x.astc", texture("ASTC_LDR_2D_4x4_FLT16"))
