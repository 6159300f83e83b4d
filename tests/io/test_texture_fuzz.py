"""Headers that lie at random: every file ends as a texture or a FormatError, and takes no memory it has not brought.

TEXSAMP_SWEEP=25 reads 100,000 files.
"""

from __future__ import annotations

import struct
import tracemalloc

import numpy as np
import pytest
from support.filter_cases import sweep
from support.textures import KINDS, fourcc, ktx1, ktx1_level, legacy_dds, masks, texture

from texsamp.errors import FormatError
from texsamp.io.textures import read_texture
from texsamp.io.textures.astc import astc_parts
from texsamp.io.textures.dds_writer import dds_parts
from texsamp.io.textures.ktx2_writer import ktx2_parts
from texsamp.io.textures.supercompression import Scheme
from texsamp.surface.images import TextureImages

MAGIC_B = 12
NUMBERS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 255, 65535, 65536, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 2, (1 << 32) - 1)
PEAK_B = 4 << 20
"""Far above any of the files, far below what their headers can say (2 GiB)."""


def good_files():
    """At least one valid file of every container, byte order, header and packing."""
    files = {}
    for kind in ("2D", "2D array", "cube", "3D"):
        files[f"DDS {kind}"] = b"".join(dds_parts(texture("BC7_UNORM", **KINDS[kind])))
        files[f"KTX2 {kind}"] = b"".join(ktx2_parts(texture("R8G8B8A8_UNORM", **KINDS[kind])))
    for scheme in (Scheme.ZSTD, Scheme.ZLIB):
        files[f"KTX2 {scheme.name}"] = b"".join(ktx2_parts(texture("R16_FLOAT", **KINDS["cube"]), scheme))
    data = b"".join(level[0] for level in texture("BC1_UNORM").images)
    files["DDS fourCC"] = legacy_dds(21, 13, fourcc(b"DXT1"), data, mips=3)
    files["DDS masks"] = legacy_dds(8, 8, masks(0x40, 24, 0xFF0000, 0xFF00, 0xFF, 0), bytes(192))
    files["DDS numbers"] = legacy_dds(4, 4, fourcc(struct.pack("<I", 116)), bytes(256), depth=1)
    level = ktx1_level(16, bytes(96))
    files["KTX cube"] = ktx1((0x1401, 1, 0x1908, 0x8058), (2, 2, 0, 0, 6, 1), [level])
    big = [ktx1_level(6, bytes(6), ">"), struct.pack(">I", 2) + bytes(2)]
    files["KTX big endian"] = ktx1((0x1403, 2, 0x1903, 0x822A), (3, 1, 0, 0, 1, 2), big, byte_order=">")
    files["KTX keys"] = ktx1((0, 1, 0, 0x83F1), (4, 4, 0, 0, 1, 1), [ktx1_level(8, bytes(8))], pairs=b"\4\0\0\0k\0v\0")
    files["ASTC"] = b"".join(astc_parts(texture("ASTC_LDR_2D_6x6_FLT16", levels=1)))
    files["ASTC volume"] = files["ASTC"][:4] + bytes([4, 4, 3, 9, 0, 0, 8, 0, 0, 4, 0, 0]) + bytes(16 * 3 * 2 * 2)
    files["KTX volume"] = ktx1((0, 1, 0, 0x93E9), (6, 7, 5, 0, 1, 1), [ktx1_level(32, bytes(32))])
    return files


def mutated(data, rng):
    """The file with one to four lies behind its magic number, most of them among the numbers of the header."""
    result = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        header_B = min(len(result) - 8, 260)
        if header_B <= MAGIC_B:
            break
        offset = int(rng.integers(1, header_B // 4)) * 4
        kind = rng.integers(0, 10)
        if kind < 5:
            result[offset : offset + 4] = struct.pack("<I", NUMBERS[rng.integers(0, len(NUMBERS))])
        elif kind < 7:
            place = int(rng.integers(4, header_B))
            result[place] ^= 1 << int(rng.integers(0, 8))
        elif kind == 7:
            other = int(rng.integers(1, header_B // 4)) * 4
            result[offset : offset + 4], result[other : other + 4] = (
                result[other : other + 4],
                result[offset : offset + 4],
            )
        elif kind == 8:
            del result[int(rng.integers(MAGIC_B, len(result))) :]
        else:
            result += rng.bytes(int(rng.integers(1, 4000)))
    return bytes(result)


def test_the_files_are_valid_before():
    for name, data in good_files().items():
        assert isinstance(read_texture(data), TextureImages), name


@pytest.mark.sweep
def test_mutated_headers():
    rng = np.random.default_rng(20)
    files = list(good_files().values())
    magics = {data[:4] for data in files}
    read, refused = 0, set()
    tracemalloc.start()
    try:
        for case in range(sweep(4000)):
            data = mutated(files[case % len(files)], rng)
            if data[:4] not in magics:
                continue  # a picture, if anything; Pillow's business
            try:
                images = read_texture(data)
            except FormatError as error:
                refused.add(str(error)[:24])
                continue
            read += 1
            assert sum(len(level) for level in images.images) <= len(data) * 1100  # zlib's best; others pack nothing
        assert tracemalloc.get_traced_memory()[1] < PEAK_B
    finally:
        tracemalloc.stop()
    assert read > 500  # many lies do not matter
    assert len(refused) > 40  # and many kinds of others are found


def test_every_truncation():
    for name, data in good_files().items():
        step = max(len(data) // 150, 1)
        for end in [*range(4, min(len(data), 200)), *range(200, len(data), step)]:
            if data[:4] not in (b"DDS ", b"\x13\xab\xa1\x5c") and end < MAGIC_B:
                continue
            with pytest.raises(FormatError):
                read_texture(data[:end])
                pytest.fail(f"{name}: {end} of {len(data)} bytes were enough")
