"""ASTC files: a header of 16 bytes and the blocks of one image."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from oracle.astc import LINEAR
from support.astc_volume_blocks import mixed_blocks
from support.textures import KINDS, ktx1, ktx1_level, texture

import texsamp as ts
from texsamp.errors import FormatError
from texsamp.io.textures import read_texture, read_texture_file, write_texture
from texsamp.io.textures.supercompression import Scheme, compress
from texsamp.state.render_surface import SurfaceType

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


def test_slices_of_flat_blocks_are_a_volume():
    data = np.random.default_rng(1).bytes(3 * 4 * 16)
    images = read_texture(astc((6, 6, 1), (11, 12, 3), data))
    assert (images.type, images.format, images.depth_px) == (SurfaceType.SURFTYPE_3D, "ASTC_LDR_2D_6x6_FLT16", 3)
    texels = np.concatenate([ts.decode(data[64 * k : 64 * k + 64], "ASTC_6x6", 11, 12) for k in range(3)])
    assert np.array_equal(ts.Surface.from_images(images, device="cpu").to_array().reshape(texels.shape), texels)


@pytest.mark.parametrize("kind", ["astc", "ktx", "ktx2", "ktx2 zstd"])
def test_blocks_of_three_dimensions_are_read_as_their_texels(kind):
    """A volume of 13x9x7 with two levels, but in .astc files; of OpenGL's and Vulkan's sRGB numbers in the others."""
    sides, levels = (13, 9, 7), 1 if kind == "astc" else 2
    sizes = [tuple(max(side >> level, 1) for side in sides) for level in range(levels)]
    blocks = [mixed_blocks(math.prod(-(-side // 4) for side in size), (4, 4, 4), LINEAR, 3) for size in sizes]
    if kind == "astc":
        data = astc((4, 4, 4), sides, blocks[0].tobytes())
    elif kind == "ktx":
        stored = [ktx1_level(each.size, each.tobytes()) for each in blocks]
        data = ktx1((0, 1, 0, 0x93E3), (*sides, 0, 1, levels), stored)
    else:
        data = ktx2_volume(1000288010, sides, [each.tobytes() for each in blocks], zstd=kind.endswith("zstd"))
    file = read_texture_file(data)
    name = "ASTC_4x4x4_UNORM" if kind == "astc" else "ASTC_4x4x4_SRGB"
    texels = [ts.decode_volume(each, name, *size, device="cpu") for each, size in zip(blocks, sizes, strict=True)]
    assert file.images.format == ("R8G8B8A8_UNORM" if kind == "astc" else "R8G8B8A8_UNORM_SRGB")
    assert any("blocks of three dimensions became" in note for note in file.notes)
    surface = ts.Surface.from_images(file.images, device="cpu")
    assert surface.levels == levels
    assert all(np.array_equal(surface.to_array(level), each) for level, each in enumerate(texels))


def test_blocks_with_a_depth_make_no_pictures():
    with pytest.raises(FormatError, match="ASTC_4x4x4_OES is for volumes, found SURFTYPE_2D"):
        read_texture(ktx1((0, 1, 0, 0x93C3), (4, 4, 0, 0, 1, 1), [ktx1_level(16, bytes(16))]))


def ktx2_volume(vk_format, sides, levels, *, zstd=False):
    """Levels of a volume, packed or not, behind a data format descriptor of a single plane."""
    stored = [compress(Scheme.ZSTD, level) if zstd else level for level in levels]
    descriptor = struct.pack("<III", 44, 0, 40 << 16 | 2) + bytes([162, 1, 2, 0, 3, 3, 3, 0, 16]) + bytes(23)
    place = 80 + 24 * len(levels)
    numbers = struct.pack("<9I", vk_format, 1, *sides, 0, 1, len(levels), 2 if zstd else 0)
    index = struct.pack("<4I2Q", place, 44, 0, 0, 0, 0)
    places, at = [], place + 44
    for level, packed in zip(levels, stored, strict=True):
        places.append(struct.pack("<3Q", at, len(packed), len(level)))
        at += len(packed)
    return b"\xabKTX 20\xbb\r\n\x1a\n" + numbers + index + b"".join(places) + descriptor + b"".join(stored)


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
        (astc((4, 4, 4), (4, 4, 5), bytes(31)), "image must be bytes 16 to 48, found a file of 47 bytes"),
        (astc((4, 4, 3), (65535, 65535, 3), bytes(32)), "at most 2147483648 bytes"),
        (astc((4, 4, 1), (4, 4, 2), bytes(31)), "image must be bytes 16 to 48, found a file of 47 bytes"),
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
