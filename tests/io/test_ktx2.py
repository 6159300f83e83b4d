"""KTX2 files: the bytes we write against the specification's words, packed levels, and lies."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from support.textures import KINDS, texture

from texsamp.errors import FormatError
from texsamp.io.textures import read_texture, read_texture_file
from texsamp.io.textures.ktx2_writer import ktx2_parts
from texsamp.io.textures.supercompression import Scheme
from texsamp.state.render_surface import SurfaceType

MAGIC = bytes([0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A])


def written(format="R8G8B8A8_UNORM", scheme=Scheme.NONE, **arguments):
    images = texture(format, **arguments)
    return images, b"".join(ktx2_parts(images, scheme))


def header_of(data):
    return struct.unpack_from("<9I", data, 12)


def index_of(data):
    return struct.unpack_from("<4I2Q", data, 48)


def levels_of(data):
    return [struct.unpack_from("<3Q", data, 80 + 24 * level) for level in range(header_of(data)[7])]


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("2D", (21, 13, 0, 0, 1, 3)),
        ("2D array", (21, 13, 0, 3, 1, 3)),
        ("2D array of one", (21, 13, 0, 1, 1, 3)),
        ("cube", (16, 16, 0, 0, 6, 3)),
        ("cube array", (16, 16, 0, 2, 6, 3)),
        ("3D", (21, 13, 5, 0, 1, 3)),
        ("1D", (21, 0, 0, 0, 1, 3)),
        ("1D array", (21, 0, 0, 4, 1, 3)),
    ],
)
def test_headers_as_the_specification_wants_them(kind, sizes):
    _, data = written(**KINDS[kind])
    assert data[:12] == MAGIC
    assert header_of(data) == (37, 1, *sizes, 0)  # VK_FORMAT_R8G8B8A8_UNORM, bytes


@pytest.mark.parametrize(
    ("format", "type_size"),
    [("R8G8B8_UNORM", 1), ("R16_FLOAT", 2), ("R32G32_UINT", 4), ("R10G10B10A2_UNORM", 4), ("B5G6R5_UNORM", 2),
     ("R9G9B9E5_SHAREDEXP", 4), ("BC7_UNORM", 1), ("R64G64_FLOAT", 8)],
)  # fmt: skip
def test_type_sizes(format, type_size):
    assert header_of(written(format)[1])[1] == type_size


@pytest.mark.parametrize(
    ("format", "alignment"), [("R8_UNORM", 4), ("R8G8B8_UNORM", 12), ("BC1_UNORM", 8), ("BC7_UNORM", 16)]
)
def test_levels_lie_from_the_smallest_to_the_largest_and_aligned(format, alignment):
    images, data = written(format, array_length=2)
    levels = levels_of(data)
    assert [offset % alignment for offset, _, _ in levels] == [0, 0, 0]
    assert [offset for offset, _, _ in levels] == sorted((offset for offset, _, _ in levels), reverse=True)
    for level, (offset, size, unpacked) in zip(images.images, levels, strict=True):
        assert size == unpacked
        assert data[offset : offset + size] == b"".join(level)


def test_the_writer_names_itself():
    data = written()[1]
    _, _, offset, size, *_ = index_of(data)
    assert data[offset : offset + size] == struct.pack("<I", 18) + b"KTXwriter\0texsamp\0" + bytes(2)


def descriptor(format):
    data = written(format)[1]
    offset, size, *_ = index_of(data)
    return data[offset : offset + size]


def sample(offset, bits, channel, lower, upper):
    return struct.pack("<HBB4BII", offset, bits - 1, channel, 0, 0, 0, 0, lower & 0xFFFFFFFF, upper)


def block(model, transfer, footprint, size, samples, primaries=1):
    body = struct.pack(
        "<I2H4B4B8B", 0, 2, 24 + 16 * len(samples), model, primaries, transfer, 0, *footprint, 0, 0, size, *[0] * 7
    )
    return struct.pack("<I", 4 + len(body) + 16 * len(samples)) + body + b"".join(samples)


ONE, MINUS_ONE, FULL = 0x3F800000, 0xBF800000, 0xFFFFFFFF
LINEAR_ALPHA, EXPONENT, SIGNED, FLOAT = 0x1F, 0x20, 0x40, 0x80
DESCRIPTORS = {
    # Color model 1 is RGBSDA, 128 to 134 are BC1 to BC7, 161 ETC2; channel 15 is alpha.
    "R8G8B8A8_UNORM": block(1, 1, (0, 0), 4, [sample(8 * k, 8, (0, 1, 2, 15)[k], 0, 255) for k in range(4)]),
    "B8G8R8A8_UNORM_SRGB": block(
        1, 2, (0, 0), 4, [sample(8 * k, 8, (2, 1, 0, LINEAR_ALPHA)[k], 0, 255) for k in range(4)]
    ),
    "R16G16_SNORM": block(1, 1, (0, 0), 4, [sample(16 * k, 16, k | SIGNED, -32767, 32767) for k in range(2)]),
    "R32_FLOAT": block(1, 1, (0, 0), 4, [sample(0, 32, FLOAT | SIGNED, MINUS_ONE, ONE)]),
    "R8_UINT": block(1, 0, (0, 0), 1, [sample(0, 8, 0, 0, 1)], primaries=0),
    "R8_SINT": block(1, 0, (0, 0), 1, [sample(0, 8, SIGNED, -1, 1)], primaries=0),
    "R10G10B10A2_UINT": block(
        1, 0, (0, 0), 4, [sample(10 * k, (10, 10, 10, 2)[k], (0, 1, 2, 15)[k], 0, 1) for k in range(4)], primaries=0
    ),
    "B5G6R5_UNORM": block(1, 1, (0, 0), 2, [sample(0, 5, 2, 0, 31), sample(5, 6, 1, 0, 63), sample(11, 5, 0, 0, 31)]),
    "R11G11B10_FLOAT": block(1, 1, (0, 0), 4, [sample(11 * k, (11, 11, 10)[k], k | FLOAT, 0, ONE) for k in range(3)]),
    "R9G9B9E5_SHAREDEXP": block(
        1,
        1,
        (0, 0),
        4,
        [s for k in range(3) for s in (sample(9 * k, 9, k, 0, 8448), sample(27, 5, k | EXPONENT, 15, 31))],
    ),
    "DXT1_RGB": block(128, 1, (3, 3), 8, [sample(0, 64, 0, 0, FULL)]),
    "BC1_UNORM": block(128, 1, (3, 3), 8, [sample(0, 64, 1, 0, FULL)]),
    "BC3_UNORM_SRGB": block(130, 2, (3, 3), 16, [sample(0, 64, LINEAR_ALPHA, 0, FULL), sample(64, 64, 0, 0, FULL)]),
    "BC5_SNORM": block(132, 1, (3, 3), 16, [sample(64 * k, 64, k | SIGNED, 0x80000000, 0x7FFFFFFF) for k in range(2)]),
    "BC6H_UF16": block(133, 1, (3, 3), 16, [sample(0, 128, FLOAT, 0, ONE)]),
    "BC6H_SF16": block(133, 1, (3, 3), 16, [sample(0, 128, FLOAT | SIGNED, MINUS_ONE, ONE)]),
    "BC7_UNORM": block(134, 1, (3, 3), 16, [sample(0, 128, 0, 0, FULL)]),
    "ASTC_LDR_2D_8x5_FLT16": block(162, 1, (7, 4), 16, [sample(0, 128, 0, 0, FULL)]),
    "ASTC_LDR_2D_8x5_U8sRGB": block(162, 2, (7, 4), 16, [sample(0, 128, 0, 0, FULL)]),
    "ASTC_HDR_2D_8x5_FLT16": block(162, 1, (7, 4), 16, [sample(0, 128, FLOAT | SIGNED, MINUS_ONE, ONE)]),
    "ETC2_RGB8": block(161, 1, (3, 3), 8, [sample(0, 64, 2, 0, FULL)]),
    "ETC2_EAC_RGBA8": block(161, 1, (3, 3), 16, [sample(0, 64, 15, 0, FULL), sample(64, 64, 2, 0, FULL)]),
}


@pytest.mark.parametrize("format", DESCRIPTORS)
def test_data_format_descriptors(format):
    assert descriptor(format).hex(" ", 4) == DESCRIPTORS[format].hex(" ", 4)


@pytest.mark.parametrize("scheme", [Scheme.ZSTD, Scheme.ZLIB])
def test_packed_levels(scheme):
    images, data = written("R32_FLOAT", scheme, levels=4)
    assert header_of(data)[8] == scheme
    for level, (offset, size, unpacked) in zip(images.images, levels_of(data), strict=True):
        assert unpacked == len(level[0])
        if scheme is Scheme.ZLIB:
            assert zlib.decompress(data[offset : offset + size]) == level[0]
    assert read_texture(data) == images


def changed(data, *places):
    """The file with 32-bit numbers changed: (offset, value)."""
    result = bytearray(data)
    for offset, value in places:
        result[offset : offset + 4] = struct.pack("<I", value)
    return bytes(result)


def test_premultiplied_alpha_is_said():
    data = bytearray(written()[1])
    data[index_of(data)[0] + 15] = 1
    assert read_texture_file(bytes(data)).alpha == "premultiplied"


@pytest.mark.parametrize("level_count", [0, 1])
def test_no_levels_mean_one(level_count):
    images, data = written(levels=1)
    assert read_texture(changed(data, (40, level_count))) == images


FILE = written()[1]
PACKED = written("R8G8B8A8_UNORM", Scheme.ZLIB)[1]
DFD = index_of(FILE)[0]
ONE_LEVEL = written(levels=1)[1]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (FILE[:30], "KTX2 header must be bytes 12 to 48, found a file of 30 bytes"),
        (FILE[:60], "KTX2 index must be bytes 48 to 80"),
        (FILE[:-1], f"level 0 must be bytes .* to {len(FILE)}, found a file of {len(FILE) - 1} bytes"),
        (changed(FILE, (12, 0)), "without a VkFormat are not supported, found color model 1"),
        (changed(FILE, (12, 0), (DFD + 12, 166)), "level 0 must have 384 bytes, found 1092"),
        (changed(FILE, (12, 0), (DFD + 12, 163)), "Basis Universal"),
        (changed(FILE, (44, 1)), "Basis Universal"),
        (changed(FILE, (44, 6)), "supercompression must be 0 .none., 2 .zstd. or 3 .zlib., found 6"),
        (changed(FILE, (12, 999)), "VkFormat 999 is unknown"),
        (changed(FILE, (12, 5)), "VK_FORMAT_B5G6R5_UNORM_PACK16 is none of the surface formats"),
        (changed(FILE, (12, 1000054004)), "VK_FORMAT_PVRTC1_2BPP_SRGB_BLOCK_IMG is none of the surface formats"),
        (changed(FILE, (20, 0)), "width must be from 1 to 65536 texels, found 0"),
        (changed(FILE, (20, 0xFFFFFFFF)), "width must be from 1 to 65536 texels, found 4294967295"),
        (changed(FILE, (24, 0)), "level 0 must have 84 bytes"),
        (changed(FILE, (24, 0), (28, 2)), "a volume must have a height"),
        (changed(FILE, (32, 0xFFFFFFFF)), "array slices must be from 1 to 2048, found 4294967295"),
        (changed(FILE, (36, 0)), "faces must be 1 or 6, found 0"),
        (changed(FILE, (40, 0xFFFFFFFF)), "levels of a texture of 21x13x1 must be from 1 to 5, found 4294967295"),
        (changed(FILE, (48, len(FILE))), "the data format descriptor must be bytes"),
        (changed(FILE, (52, 4)), "a data format descriptor must have at least 28 bytes, found 4"),
        (changed(FILE, (DFD, 5)), "must say its 92 bytes, found 5"),
        (changed(FILE, (DFD + 8, 0xFFFF0002)), "a descriptor block must have 24 to 88 bytes, found 65535"),
        (changed(FILE, (60, 0xFFFFFFFF)), "keys and values must be bytes"),
        (changed(FILE, (72, 0xFFFFFFFF)), "supercompression's global data must be bytes"),
        (changed(FILE, (84, 0x80000000)), "level 0 must be bytes 9223372036854776376 to"),
        (changed(FILE, (88, 1)), "level 0 is not packed and must have 1092 bytes, found 1"),
        (changed(FILE, (96, 1)), "level 0 must have 1092 bytes, found 1"),
        (changed(FILE, (80, 80)), "must not overlap, found one up to 152 and one from 80"),
        (changed(FILE, (80, levels_of(FILE)[1][0])), "must not overlap"),
        (changed(PACKED, (96, 1093)), "level 0 must have 1092 bytes, found 1093"),
        (changed(PACKED, (levels_of(PACKED)[0][0], 0)), "level 0 cannot be unpacked as ZLIB"),
        (changed(PACKED, (88, levels_of(PACKED)[0][1] - 200)), "level 0 must unpack to 1092 bytes, found"),
        (changed(PACKED, (44, 2)), "level 0 cannot be unpacked as ZSTD"),
    ],
)
def test_lies_are_named(file, message):
    with pytest.raises(FormatError, match=message):
        read_texture(file)


def with_level(data, content):
    """A file of one level whose packed bytes are others."""
    ((offset, _, _),) = levels_of(data)
    return changed(data[:offset], (88, len(content)), (92, 0)) + content


@pytest.mark.parametrize("scheme", [Scheme.ZSTD, Scheme.ZLIB])
def test_a_bomb_ends_soon_after_the_size_the_header_says(scheme):
    from texsamp.io.textures.supercompression import compress

    bomb = compress(scheme, bytes(1 << 28))
    _, data = written(levels=1, scheme=scheme)
    with pytest.raises(FormatError, match="level 0 must unpack to 1092 bytes, found more"):
        read_texture(with_level(data, bomb))


@pytest.mark.parametrize("scheme", [Scheme.ZSTD, Scheme.ZLIB])
def test_a_large_size_takes_no_memory_before_the_bytes_are_there(scheme):
    import tracemalloc

    _, data = written(levels=1, scheme=scheme)
    size = 16384 * 16384 * 4
    large = changed(data, (20, 16384), (24, 16384), (96, size))
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=f"level 0 must unpack to {size} bytes, found 1092"):
            read_texture(large)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_swizzles_and_orientation_are_noted():
    images, data = written("R8_UNORM", levels=1, width_px=4, height_px=4)
    content = b"".join(
        struct.pack("<I", len(text)) + text + bytes(-len(text) % 4)
        for text in (b"KTXorientation\0ru\0", b"KTXswizzle\0rrr1\0")
    )
    file = read_texture_file(changed(data, (56, len(data)), (60, len(content))) + content)
    assert file.images == images
    assert len(file.notes) == 2
    assert "KTXorientation is ru" in file.notes[0]
    assert "KTXswizzle is rrr1" in file.notes[1]


def test_blocks_of_blue_first_bytes_change_their_order():
    images, data = written("R8G8B8_UNORM", levels=1, width_px=4, height_px=1, type=SurfaceType.SURFTYPE_2D)
    swapped = read_texture(changed(data, (12, 30)))  # VK_FORMAT_B8G8R8_UNORM
    assert swapped.format == "R8G8B8_UNORM"
    content = images.images[0][0]
    assert swapped.images[0][0] == b"".join(content[k : k + 3][::-1] for k in range(0, 12, 3))


@pytest.mark.parametrize(
    ("name", "format", "kind", "sizes_px", "level_sizes_B", "slices"),
    [
        ("mips", "R8G8B8A8_UNORM", "2D", (5, 3, 1), (60, 8, 4), 1),
        ("cube", "DXT1_RGB_SRGB", "CUBE", (4, 4, 1), (48,), 6),
        ("volume", "R16_FLOAT", "3D", (3, 2, 2), (24,), 1),
    ],
)
def test_files_of_another_writer(name, format, kind, sizes_px, level_sizes_B, slices):
    """tests/data/ktx2: byte i of level k is 7 i + 31 k."""
    images = read_texture(Path(__file__).parents[1] / "data" / "ktx2" / f"{name}.ktx2")
    assert (images.format, images.type) == (format, SurfaceType[f"SURFTYPE_{kind}"])
    assert (images.width_px, images.height_px, images.depth_px) == sizes_px
    assert [len(level) for level in images.images] == [slices] * len(level_sizes_B)
    for k, (level, size_B) in enumerate(zip(images.images, level_sizes_B, strict=True)):
        assert b"".join(bytes(data) for data in level) == bytes((7 * i + 31 * k) % 256 for i in range(size_B))
