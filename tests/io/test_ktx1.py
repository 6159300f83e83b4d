"""KTX files in, built number by number after the specification: there is no other voice to ask."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from support.textures import ktx1, ktx1_level, texture

from texsamp.errors import FormatError
from texsamp.io.textures import read_texture, read_texture_file
from texsamp.state.render_surface import SurfaceType

UBYTE, USHORT, UINT, FLOAT, HALF = 0x1401, 0x1403, 0x1405, 0x1406, 0x140B
RED, RGB, RGBA, BGRA, LUMINANCE, RED_INTEGER = 0x1903, 0x1907, 0x1908, 0x80E1, 0x1909, 0x8D94
RGBA8 = (UBYTE, 1, RGBA, 0x8058)
R8 = (UBYTE, 1, RED, 0x8229)
BC1 = (0, 1, 0, 0x83F1)

NUMBERS = [
    (RGBA8, "R8G8B8A8_UNORM"),
    ((UBYTE, 1, RGBA, 0x8C43), "R8G8B8A8_UNORM_SRGB"),
    ((UBYTE, 1, BGRA, 0x8058), "B8G8R8A8_UNORM"),
    ((UBYTE, 1, LUMINANCE, 0x8040), "L8_UNORM"),
    ((UBYTE, 1, RED_INTEGER, 0x8232), "R8_UINT"),
    ((0x1400, 1, RGBA, 0x8F97), "R8G8B8A8_SNORM"),
    ((USHORT, 2, RGBA, 0x805B), "R16G16B16A16_UNORM"),
    ((HALF, 2, RGBA, 0x881A), "R16G16B16A16_FLOAT"),
    ((FLOAT, 4, RGBA, 0x8814), "R32G32B32A32_FLOAT"),
    ((0x8363, 2, RGB, 0x8D62), "B5G6R5_UNORM"),
    ((0x8033, 2, RGBA, 0x8056), "A4B4G4R4_UNORM"),
    ((0x8034, 2, RGBA, 0x8057), "A1B5G5R5_UNORM"),
    ((0x8368, 4, RGBA, 0x8059), "R10G10B10A2_UNORM"),
    ((0x8C3B, 4, RGB, 0x8C3A), "R11G11B10_FLOAT"),
    ((0x8C3E, 4, RGB, 0x8C3D), "R9G9B9E5_SHAREDEXP"),
    (BC1, "BC1_UNORM"),
    ((0, 1, 0, 0x83F0), "DXT1_RGB"),
    ((0, 1, 0, 0x8C4F), "BC3_UNORM_SRGB"),
    ((0, 1, 0, 0x8E8F), "BC6H_UF16"),
    ((0, 1, 0, 0x8D64), "ETC1_RGB8"),
    ((0, 1, 0, 0x9278), "ETC2_EAC_RGBA8"),
    ((0, 1, 0, 0x86B1), "FXT1"),
]


@pytest.mark.parametrize(("numbers", "format"), NUMBERS)
def test_formats_of_opengl(numbers, format):
    images = texture(format, width_px=16, height_px=8, levels=3)
    levels = [ktx1_level(len(level[0]), level[0]) for level in images.images]
    assert read_texture(ktx1(numbers, (16, 8, 0, 0, 1, 3), levels)) == images


def padded_rows(image, row_B):
    rows = np.frombuffer(image, np.uint8).reshape(-1, row_B)
    return np.pad(rows, ((0, 0), (0, -row_B % 4)), constant_values=0xCC).tobytes()


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_padding_of_rows_is_removed(width):
    images = texture("R8G8B8_UNORM", width_px=width, height_px=6, levels=2)
    padded = [padded_rows(level[0], 3 * max(width >> k, 1)) for k, level in enumerate(images.images)]
    levels = [ktx1_level(len(data), data) for data in padded]
    assert read_texture(ktx1((UBYTE, 1, RGB, 0x8051), (width, 6, 0, 0, 1, 2), levels)) == images


def test_rows_without_padding_are_read_too():
    images = texture("R8_UNORM", width_px=7, height_px=5, levels=1)
    data = images.images[0][0]
    assert read_texture(ktx1(R8, (7, 5, 0, 0, 1, 1), [ktx1_level(35, data)])) == images


def test_the_size_of_a_cube_is_that_of_a_face():
    images = texture("R8_UNORM", type=SurfaceType.SURFTYPE_CUBE, width_px=3, height_px=3, levels=2)
    levels = []
    for k, faces in enumerate(images.images):
        data = [padded_rows(face, max(3 >> k, 1)) for face in faces]
        levels.append(ktx1_level(len(data[0]), b"".join(data)))
    assert read_texture(ktx1(R8, (3, 3, 0, 0, 6, 2), levels)) == images


def test_faces_without_padding_of_rows_still_begin_at_multiples_of_four():
    images = texture("R8_UNORM", type=SurfaceType.SURFTYPE_CUBE, width_px=3, height_px=3, levels=1)
    faces = b"".join(bytes(face) + b"\xcc" * 3 for face in images.images[0])
    assert read_texture(ktx1(R8, (3, 3, 0, 0, 6, 1), [ktx1_level(9, faces)])) == images


@pytest.mark.parametrize(
    ("sizes", "arguments"),
    [
        ((8, 4, 0, 3, 1, 2), {"height_px": 4, "array_length": 3}),
        ((8, 4, 0, 1, 1, 2), {"height_px": 4, "is_array": True}),
        ((8, 4, 6, 0, 1, 2), {"height_px": 4, "type": SurfaceType.SURFTYPE_3D, "depth_px": 6}),
        ((8, 0, 0, 0, 1, 2), {"height_px": 1, "type": SurfaceType.SURFTYPE_1D}),
        ((8, 0, 0, 5, 1, 2), {"height_px": 1, "type": SurfaceType.SURFTYPE_1D, "array_length": 5}),
        ((8, 8, 0, 2, 6, 2), {"height_px": 8, "type": SurfaceType.SURFTYPE_CUBE, "array_length": 2}),
    ],
)
def test_arrays_volumes_and_1d(sizes, arguments):
    images = texture("R8G8B8A8_UNORM", width_px=8, levels=2, **arguments)
    levels = [ktx1_level(sum(map(len, level)), b"".join(level)) for level in images.images]
    assert read_texture(ktx1(RGBA8, sizes, levels)) == images


@pytest.mark.parametrize(
    ("numbers", "format", "dtype"),
    [
        ((USHORT, 2, RGBA, 0x805B), "R16G16B16A16_UNORM", "u2"),
        ((FLOAT, 4, RED, 0x822E), "R32_FLOAT", "u4"),
        ((0x8363, 2, RGB, 0x8D62), "B5G6R5_UNORM", "u2"),
        (RGBA8, "R8G8B8A8_UNORM", "u1"),
        (BC1, "BC1_UNORM", "u1"),
    ],
)
def test_big_endian_files(numbers, format, dtype):
    images = texture(format, width_px=8, height_px=8, levels=2)
    swapped = [np.frombuffer(level[0], f"<{dtype}").astype(f">{dtype}").tobytes() for level in images.images]
    levels = [ktx1_level(len(data), data, ">") for data in swapped]
    file = read_texture_file(ktx1(numbers, (8, 8, 0, 0, 1, 2), levels, byte_order=">"))
    assert file.images == images
    assert file.container == "KTX, big endian"


def pair(key, value, byte_order="<"):
    content = key + b"\0" + value
    return struct.pack(f"{byte_order}I", len(content)) + content + bytes(-len(content) % 4)


def test_orientation_is_noted():
    pairs = pair(b"KTXwriter", b"someone\0") + pair(b"KTXorientation", b"S=r,T=u\0")
    level = ktx1_level(4, bytes(4))
    file = read_texture_file(ktx1(RGBA8, (1, 1, 0, 0, 1, 1), [level], pairs=pairs))
    assert file.notes == ("KTXorientation is S=r,T=u: rows and columns are kept as they are in the file",)
    down = ktx1(RGBA8, (1, 1, 0, 0, 1, 1), [level], pairs=pair(b"KTXorientation", b"S=r,T=d\0"))
    assert read_texture_file(down).notes == ()


GOOD = ktx1_level(256, bytes(256))
SIZES = (8, 8, 0, 0, 1, 1)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (ktx1(RGBA8, SIZES, [GOOD])[:14], "KTX header must be bytes 12 to 16"),
        (ktx1(RGBA8, SIZES, [GOOD])[:40], "KTX header must be bytes 16 to 64"),
        (ktx1(RGBA8, SIZES, [GOOD])[:66], "size of level 0 must be bytes 64 to 68, found a file of 66 bytes"),
        (ktx1(RGBA8, SIZES, [GOOD])[:-1], "level 0 must be bytes 68 to 324, found a file of 323 bytes"),
        (ktx1(RGBA8, SIZES, [ktx1_level(255, bytes(256))]), "level 0 must have 256 bytes, found 255"),
        (ktx1(RGBA8, SIZES, [ktx1_level(0xFFFFFFFF, bytes(256))]), "level 0 must have 256 bytes, found 4294967295"),
        (ktx1(RGBA8, (0, 8, 0, 0, 1, 1), [GOOD]), "width must be from 1 to 65536 texels, found 0"),
        (ktx1(RGBA8, (8, 1 << 31, 0, 0, 1, 1), [GOOD]), "height must be from 1 to 65536"),
        (ktx1(RGBA8, (8, 0, 4, 0, 1, 1), [GOOD]), "a volume must have a height, found 0"),
        (ktx1(RGBA8, (8, 8, 4, 2, 1, 1), [GOOD]), "a volume must have one slice of an array, found 2"),
        (ktx1(RGBA8, (8, 8, 0, 0xFFFFFFFF, 1, 1), [GOOD]), "array slices must be from 1 to 2048, found 4294967295"),
        (ktx1(RGBA8, (8, 8, 0, 0, 3, 1), [GOOD]), "faces must be 1 or 6, found 3"),
        (ktx1(RGBA8, (8, 4, 0, 0, 6, 1), [GOOD]), "cube faces must be square, found 8x4"),
        (ktx1(RGBA8, (8, 8, 2, 0, 6, 1), [GOOD]), "a cube must have a height and no depth, found 8 and 2"),
        (ktx1(RGBA8, (8, 8, 0, 0, 1, 5), [GOOD]), "levels of a texture of 8x8x1 must be from 1 to 4, found 5"),
        (ktx1((UBYTE, 3, RGBA, 0x8058), SIZES, [GOOD]), "glTypeSize must be one of 1, 2, 4, 8, found 3"),
        (ktx1((UBYTE, 8, RGBA, 0x8058), SIZES, [GOOD]), "must divide the 4 bytes of a texel, found 8"),
        (ktx1((UBYTE, 1, 0x1234, 0x8058), SIZES, [GOOD]), "glFormat 0x1234 of glType 0x1401"),
        (ktx1((0, 1, 0, 0x9999), SIZES, [GOOD]), "compressed glInternalFormat 0x9999"),
        (
            ktx1(RGBA8, SIZES, [GOOD], pairs=struct.pack("<I", 99) + bytes(8)),
            "must end within 12 bytes",
        ),
        (ktx1(RGBA8, SIZES, [GOOD], pairs=struct.pack("<I", 4) + b"abcd"), "a key must end with a zero byte"),
        (ktx1(RGBA8, SIZES, [GOOD]).replace(b"\x01\x02\x03\x04", b"\x01\x02\x03\x05"), "endianness"),
    ],
)
def test_lies_are_named(file, message):
    with pytest.raises(FormatError, match=message):
        read_texture(file)


def test_more_keys_and_values_than_any_file_has():
    header = bytearray(ktx1(RGBA8, SIZES, [GOOD]))
    header[60:64] = struct.pack("<I", 1 << 21)
    with pytest.raises(FormatError, match="at most 1048576 bytes, found 2097152"):
        read_texture(bytes(header) + bytes(1 << 21))
