"""DDS files in: legacy and DX10 headers, what writers get wrong, and Pillow as a second voice both ways."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from PIL import Image
from support.dds import dds, pillow_texels
from support.textures import fourcc, legacy_dds, masks, texture

from texsamp.errors import FormatError
from texsamp.io.textures import picture_texels, read_texture, read_texture_file
from texsamp.io.textures.dds_writer import dds_parts
from texsamp.state.render_surface import SurfaceType

RGB, ALPHA_PIXELS, ALPHA, LUMINANCE, BUMP, BUMP_LUMINANCE = 0x40, 0x1, 0x2, 0x20000, 0x80000, 0x40000
CUBE, ALL_FACES, VOLUME = 0x200, 0xFC00, 0x200000


def number(d3dfmt):
    return fourcc(struct.pack("<I", d3dfmt))


LEGACY = [
    (fourcc(b"DXT1"), "BC1_UNORM", ""),
    (fourcc(b"DXT2"), "BC2_UNORM", "premultiplied"),
    (fourcc(b"DXT3"), "BC2_UNORM", ""),
    (fourcc(b"DXT4"), "BC3_UNORM", "premultiplied"),
    (fourcc(b"DXT5"), "BC3_UNORM", ""),
    (fourcc(b"ATI1"), "BC4_UNORM", ""),
    (fourcc(b"BC4U"), "BC4_UNORM", ""),
    (fourcc(b"BC4S"), "BC4_SNORM", ""),
    (fourcc(b"ATI2"), "BC5_UNORM", ""),
    (fourcc(b"BC5U"), "BC5_UNORM", ""),
    (fourcc(b"BC5S"), "BC5_SNORM", ""),
    (fourcc(b"YUY2"), "YCRCB_NORMAL", ""),
    (fourcc(b"UYVY"), "YCRCB_SWAPY", ""),
    (number(36), "R16G16B16A16_UNORM", ""),
    (number(110), "R16G16B16A16_SNORM", ""),
    (number(111), "R16_FLOAT", ""),
    (number(112), "R16G16_FLOAT", ""),
    (number(113), "R16G16B16A16_FLOAT", ""),
    (number(114), "R32_FLOAT", ""),
    (number(115), "R32G32_FLOAT", ""),
    (number(116), "R32G32B32A32_FLOAT", ""),
    (masks(RGB | ALPHA_PIXELS, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000), "B8G8R8A8_UNORM", ""),
    (masks(RGB, 32, 0xFF0000, 0xFF00, 0xFF, 0), "B8G8R8X8_UNORM", ""),
    (masks(RGB, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000), "B8G8R8X8_UNORM", ""),  # a mask without its flag
    (masks(RGB | ALPHA_PIXELS, 32, 0xFF, 0xFF00, 0xFF0000, 0xFF000000), "R8G8B8A8_UNORM", ""),
    (masks(RGB, 32, 0xFF, 0xFF00, 0xFF0000, 0), "R8G8B8X8_UNORM", ""),
    (masks(RGB | ALPHA_PIXELS, 32, 0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000), "R10G10B10A2_UNORM", ""),
    (masks(RGB | ALPHA_PIXELS, 32, 0x3FF00000, 0xFFC00, 0x3FF, 0xC0000000), "B10G10R10A2_UNORM", ""),
    (masks(RGB, 32, 0xFFFF, 0xFFFF0000, 0, 0), "R16G16_UNORM", ""),
    (masks(RGB, 24, 0xFF, 0xFF00, 0xFF0000, 0), "R8G8B8_UNORM", ""),
    (masks(RGB, 16, 0xF800, 0x7E0, 0x1F, 0), "B5G6R5_UNORM", ""),
    (masks(RGB | ALPHA_PIXELS, 16, 0x7C00, 0x3E0, 0x1F, 0x8000), "B5G5R5A1_UNORM", ""),
    (masks(RGB, 16, 0x7C00, 0x3E0, 0x1F, 0), "B5G5R5X1_UNORM", ""),
    (masks(RGB | ALPHA_PIXELS, 16, 0xF00, 0xF0, 0xF, 0xF000), "B4G4R4A4_UNORM", ""),
    (masks(LUMINANCE, 8, 0xFF, 0, 0, 0), "L8_UNORM", ""),
    (masks(LUMINANCE, 8, 0xFF, 0xFF, 0xFF, 0), "L8_UNORM", ""),  # the same mask for every color
    (masks(LUMINANCE, 16, 0xFFFF, 0, 0, 0), "L16_UNORM", ""),
    (masks(LUMINANCE | ALPHA_PIXELS, 16, 0xFF, 0, 0, 0xFF00), "L8A8_UNORM", ""),
    (masks(LUMINANCE | ALPHA_PIXELS, 8, 0xFF, 0, 0, 0xFF00), "L8A8_UNORM", ""),  # bits of one channel only
    (masks(ALPHA, 8, 0, 0, 0, 0xFF), "A8_UNORM", ""),
    (masks(BUMP, 16, 0xFF, 0xFF00, 0, 0), "R8G8_SNORM", ""),
    (masks(BUMP, 32, 0xFF, 0xFF00, 0xFF0000, 0xFF000000), "R8G8B8A8_SNORM", ""),
    (masks(BUMP, 32, 0xFFFF, 0xFFFF0000, 0, 0), "R16G16_SNORM", ""),
    (masks(BUMP_LUMINANCE, 16, 0x1F, 0x3E0, 0xFC00, 0), "R5G5_SNORM_B6_UNORM", ""),
]


@pytest.mark.parametrize(("pixel_format", "format", "alpha"), LEGACY)
def test_legacy_pixel_formats(pixel_format, format, alpha):
    images = texture(format, levels=4)
    data = b"".join(level[0] for level in images.images)
    file = read_texture_file(legacy_dds(21, 13, pixel_format, data, mips=4))
    assert file.images == images
    assert (file.container, file.alpha, file.notes) == ("DDS, legacy header", alpha, ())


def test_blue_first_rows_of_24_bits_change_their_order():
    texels = np.random.default_rng(3).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    images = read_texture(legacy_dds(7, 5, masks(RGB, 24, 0xFF0000, 0xFF00, 0xFF, 0), texels[:, :, ::-1].tobytes()))
    assert images.format == "R8G8B8_UNORM"
    assert images.images[0][0] == texels.tobytes()


def test_legacy_cubes_and_volumes():
    cube = texture("BC1_UNORM", type=SurfaceType.SURFTYPE_CUBE, width_px=16, height_px=16, levels=5)
    by_face = b"".join(b"".join(level[face] for level in cube.images) for face in range(6))
    assert read_texture(legacy_dds(16, 16, fourcc(b"DXT1"), by_face, mips=5, caps2=CUBE | ALL_FACES)) == cube
    volume = texture("R32_FLOAT", type=SurfaceType.SURFTYPE_3D, width_px=9, height_px=4, depth_px=6, levels=4)
    data = b"".join(level[0] for level in volume.images)
    assert read_texture(legacy_dds(9, 4, number(114), data, mips=4, caps2=VOLUME, depth=6)) == volume


@pytest.mark.parametrize("flags", [0, 0x1007, 0x21007, 0xFFFFFFFF])
def test_header_flags_do_not_matter(flags):
    images = texture("BC1_UNORM", levels=2)
    data = b"".join(level[0] for level in images.images)
    assert read_texture(legacy_dds(21, 13, fourcc(b"DXT1"), data, mips=2, flags=flags)) == images


def test_bytes_after_the_last_level_are_noted():
    data = texture("BC1_UNORM", levels=1).images[0][0]
    file = read_texture_file(legacy_dds(21, 13, fourcc(b"DXT1"), data + bytes(77)))
    assert file.images.levels == 1
    assert file.notes == ("77 bytes after the last level are ignored",)


@pytest.mark.parametrize(("code", "alpha"), list(enumerate(["", "straight", "premultiplied", "opaque", "custom", ""])))
def test_alpha_modes_of_dx10_headers(code, alpha):
    file = bytearray(dds(98, 8, 8, bytes(64)))
    file[144:148] = struct.pack("<I", code)
    assert read_texture_file(bytes(file)).alpha == alpha


@pytest.mark.parametrize("dxgi", [70, 71, 73, 76, 79, 82, 94, 97])
def test_typeless_formats_are_read_as_normalized(dxgi):
    assert read_texture(dds(dxgi, 4, 4, bytes(16))).format.startswith("BC")


def bad_dds(**changes):
    """A DX10 file of 64 x 64 in which numbers at offsets are others."""
    data = bytearray(dds(98, 64, 64, bytes(4096)))
    for place, value in changes.items():
        data[int(place[1:]) : int(place[1:]) + 4] = struct.pack("<I", value)
    return bytes(data)


HEIGHT, WIDTH, MIPS, DXGI, DIMENSION, MISC, ARRAY = ("_12", "_16", "_28", "_128", "_132", "_136", "_140")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"DDS ", "DDS header must be bytes 0 to 128, found a file of 4 bytes"),
        (bad_dds()[:140], "DX10 header must be bytes 128 to 148, found a file of 140 bytes"),
        (bad_dds()[:-1], "texture must be bytes 148 to 4244, found a file of 4243 bytes"),
        (bad_dds(_4=123), "size of the DDS header must be 124, found 123"),
        (bad_dds(**{WIDTH: 0}), "width must be from 1 to 65536 texels, found 0"),
        (bad_dds(**{HEIGHT: 1 << 31}), "height must be from 1 to 65536 texels, found 2147483648"),
        (bad_dds(**{WIDTH: 0xFFFFFFFF}), "width must be from 1 to 65536 texels, found 4294967295"),
        (bad_dds(**{WIDTH: 65536, HEIGHT: 65536}), "at most 2147483648 bytes, found 4294967296"),
        (bad_dds(**{MIPS: 0xFFFFFFFF}), "levels of a texture of 64x64x1 must be from 1 to 7, found 4294967295"),
        (bad_dds(**{MIPS: 8}), "must be from 1 to 7, found 8"),
        (bad_dds(**{ARRAY: 0xFFFFFFFF}), "array slices must be from 1 to 2048, found 4294967295"),
        (bad_dds(**{ARRAY: 2048}), "texture must be bytes 148 to 8388756"),
        (bad_dds(**{DXGI: 4096}), "DXGI format 4096 is unknown"),
        (bad_dds(**{DXGI: 103}), "DXGI_FORMAT_NV12 is none of the surface formats"),
        (bad_dds(**{DIMENSION: 1}), "resource dimension must be one of 2, 3, 4, found 1"),
        (bad_dds(**{DIMENSION: 4, MISC: 4}), "a cube must have resource dimension 3, found 4"),
        (bad_dds(**{DIMENSION: 4}), "depth must be from 1 to 65536 texels, found 0"),
        (bad_dds(**{DIMENSION: 2}), "a 1D texture has one row, found 64x1"),
        (bad_dds(**{MISC: 4, WIDTH: 32}), "cube faces must be square, found 32x64"),
        (legacy_dds(4, 4, fourcc(b"DXT1"), bytes(48), caps2=CUBE | 0x400), "must have its six faces, found 1"),
        (legacy_dds(4, 4, fourcc(b"ABCD"), bytes(48)), "fourCC 'ABCD' is none of the surface formats"),
        (legacy_dds(4, 4, number(117), bytes(48)), "fourCC 117 is none of the surface formats"),
        (legacy_dds(4, 4, masks(RGB, 32, 1, 2, 4, 8), bytes(64)), "rgb of 32 bits with masks 00000001 00000002"),
        (legacy_dds(4, 4, masks(0x20, 8, 0, 0, 0, 0), bytes(2000)), "flags 0x20 say no fourCC and no masks"),
    ],
)
def test_lies_are_named(file, message):
    with pytest.raises(FormatError, match=message):
        read_texture(file)


class TestPillow:
    """Pillow writes what we read, and reads what we write."""

    texels = np.random.default_rng(5).integers(0, 256, (12, 20, 4), dtype=np.uint8)

    @pytest.mark.parametrize("mode", ["RGBA", "RGB", "L", "LA"])
    def test_uncompressed_files_of_pillow(self, mode):
        picture = Image.fromarray(self.texels).convert(mode)
        content = io.BytesIO()
        picture.save(content, "DDS")
        mine = picture_texels(read_texture(content.getvalue()), device="cpu")
        assert np.array_equal(mine, np.asarray(picture).reshape(12, 20, -1))

    @pytest.mark.parametrize(
        ("pixel_format", "format"),
        [
            ("DXT1", "BC1_UNORM"),
            ("DXT3", "BC2_UNORM"),
            ("DXT5", "BC3_UNORM"),
            ("BC2", "BC2_UNORM"),
            ("BC3", "BC3_UNORM"),
            ("BC5", "BC5_UNORM"),
        ],
    )
    def test_compressed_files_of_pillow(self, pixel_format, format):
        picture = Image.fromarray(self.texels).convert("RGB" if format == "BC5_UNORM" else "RGBA")
        content = io.BytesIO()
        picture.save(content, "DDS", pixel_format=pixel_format)
        images = read_texture(content.getvalue())
        assert images.format == format
        mine = picture_texels(images, rounding="truncate", device="cpu")
        assert np.array_equal(mine, pillow_texels(content.getvalue())[:, :, : mine.shape[2]])

    @pytest.mark.parametrize(
        "format", ["BC1_UNORM", "BC2_UNORM", "BC3_UNORM", "BC4_UNORM", "BC5_UNORM", "BC7_UNORM", "BC7_UNORM_SRGB"]
    )
    def test_our_compressed_files(self, format):
        images = texture(format, width_px=20, height_px=12, levels=3)
        rounding = "d3d" if "BC7" in format else "truncate"
        mine = picture_texels(images, rounding=rounding, device="cpu")
        theirs = pillow_texels(b"".join(dds_parts(images)))
        valid = np.ones((12, 20), bool)
        if "BC7" in format:  # Pillow gives reserved blocks an alpha
            first = np.frombuffer(images.images[0][0], np.uint8)[::16].reshape(3, 5) != 0
            valid = np.kron(first, np.ones((4, 4), bool))
        assert np.array_equal(mine[valid], theirs[..., : mine.shape[2]][valid])

    def test_our_uncompressed_files(self):
        images = texture("R8G8B8A8_UNORM", width_px=20, height_px=12)
        theirs = pillow_texels(b"".join(dds_parts(images)))
        assert theirs.tobytes() == images.images[0][0]

    def test_our_half_floats_keep_their_size(self):
        with Image.open(io.BytesIO(b"".join(dds_parts(texture("BC6H_UF16", width_px=20, height_px=12))))) as picture:
            assert picture.size == (20, 12)
