"""ASTC blocks of three dimensions against the specification written out, and against Arm's own decoder."""

import shutil
import subprocess

import numpy as np
import pytest
from oracle import astc, astc_volume
from support.astc_blocks import MODE_CODES, blocks_of, placed, random_bits
from support.astc_volume_blocks import codes_for, legal_block, mixed_blocks, void_extent
from support.filter_cases import sweep

import texsamp as ts
from texsamp.errors import FormatError
from texsamp.io.textures import read_texture
from texsamp.surface.codec.astc_volume import FOOTPRINTS, volume_format

NAMES = {
    astc.LINEAR: "ASTC_{}x{}x{}_UNORM",
    astc.SRGB: "VK_FORMAT_ASTC_{}x{}x{}_SRGB_BLOCK_EXT",
    astc.HDR: "astc_{}X{}x{}_sfloat",
}
ALL_FOOTPRINTS = pytest.mark.parametrize("size", FOOTPRINTS, ids=lambda size: "{}x{}x{}".format(*size))


def texels_of(blocks, size, profile):
    """(count, depth, height, width, 4): uint8, or the bits of halves; blocks beside each other."""
    width, height, depth = size
    made = ts.decode_volume(blocks, NAMES[profile].format(*size), width * len(blocks), height, depth, device="cpu")
    texels = made.reshape(depth, height, len(blocks), width, 4).transpose(2, 0, 1, 3, 4)
    return texels.view(np.uint16) if texels.dtype == np.float16 else texels


def check(blocks, size, profile):
    made, expected = texels_of(blocks, size, profile), astc_volume.decode_astc(blocks, size, profile)
    wrong = (made != expected).any(axis=(1, 2, 3, 4))
    assert not wrong.any(), f"{wrong.sum()} blocks differ, first {blocks[wrong.argmax()].tobytes()[::-1].hex()}"
    return made


@pytest.mark.parametrize("profile", NAMES)
@ALL_FOOTPRINTS
def test_every_footprint(size, profile):
    """Legal blocks among broken and random ones and those of one color."""
    check(mixed_blocks(sweep(24), size, profile, sum(size)), size, profile)


def test_every_block_mode():
    """Each code in a footprint that has it, and those that are none anywhere."""
    rng = np.random.default_rng(1)
    size = (6, 6, 6)
    numbers = []
    for code in range(0, MODE_CODES, max(1, 5 // sweep(1))):
        legal = legal_block(rng, size, astc.LINEAR, code) if code in codes_for(size) else None
        numbers.append(legal if legal is not None else placed(random_bits(rng), 0, 11, code))
    made = check(blocks_of(numbers), size, astc.LINEAR)
    errors = (made == (255, 0, 255, 255)).all(axis=(1, 2, 3, 4))
    assert 50 < errors.sum() < 350


@pytest.mark.parametrize(
    ("ends", "legal"),
    [((0x1FF,) * 6, True), ((0, 1, 2, 3, 4, 5), True), ((0, 1, 2, 3, 5, 5), False), ((3, 1, 0, 9, 0, 9), False)],
)
def test_void_extents(ends, legal):
    rng = np.random.default_rng(2)
    for profile in (astc.LINEAR, astc.HDR):
        made = check(blocks_of([void_extent(rng, hdr, ends) for hdr in (False, True)]), (3, 3, 3), profile)
        error = [0xFFFF] * 4 if profile == astc.HDR else [255, 0, 255, 255]
        assert (made[0, 0, 0, 0].tolist() != error) == legal


def test_a_volume_whose_sides_are_no_multiples():
    """Slices of blocks, rows of them and more than a tile beside each other lie where they should."""
    size, sides = (5, 4, 4), (171, 9, 6)
    columns, rows, layers = 35, 3, 2
    blocks = mixed_blocks(columns * rows * layers, size, astc.LINEAR, 5)
    made = ts.decode_volume(blocks, "ASTC_5x4x4", *sides, device="cpu")
    each = texels_of(blocks, size, astc.LINEAR).reshape(layers, rows, columns, *size[::-1], 4)
    whole = each.transpose(0, 3, 1, 4, 2, 5, 6).reshape(layers * 4, rows * 4, columns * 5, 4)
    assert np.array_equal(made, whole[:6, :9, :171])


def test_names():
    with pytest.raises(FormatError, match="ASTC_4x4x4 has blocks of three dimensions, which decode_volume takes"):
        ts.decode(bytes(16), "ASTC_4x4x4", 4, 4)
    assert volume_format("GL_COMPRESSED_SRGB8_ALPHA8_ASTC_4x3x3_OES") == volume_format("ASTC_4x3x3_SRGB")
    assert volume_format("GL_COMPRESSED_RGBA_ASTC_6x6x6_OES").texels == "R8G8B8A8_UNORM"
    assert volume_format("ASTC_6x6x6_SFLOAT").texels == "R16G16B16A16_FLOAT"
    assert volume_format("ASTC_4x4") is None
    assert volume_format("ASTC_3x4x3") is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((bytes(16), "ASTC_4x4", 4, 4, 4), "format must be ASTC_4x4x4_UNORM, _SRGB or _SFLOAT, of 3x3x3"),
        ((bytes(16), None, 4, 4, 4), "found None"),
        ((bytes(16), "ASTC_4x4x4", 4, 4, 5), "has 1x1x2 blocks of 16 bytes, 32 bytes in all; found 16"),
        ((bytes(16), "ASTC_4x4x4", 4, 4, 0), "depth must be from 1 to 65536 texels, found 0"),
        ((bytes(16), "ASTC_4x4x4", 4, "4", 4), "height must be from 1"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(FormatError, match=message):
        ts.decode_volume(*arguments)


@pytest.mark.skipif(shutil.which("astcenc") is None, reason="astcenc is not installed (Debian: astcenc)")
@pytest.mark.parametrize(("profile", "word"), [(astc.LINEAR, "-dl"), (astc.SRGB, "-ds"), (astc.HDR, "-dH")])
@ALL_FOOTPRINTS
def test_arm_decodes_the_same(size, profile, word, tmp_path):
    """Legal blocks, bit for bit in the HDR profile. Its 8 bits of the others are rounded from halves, ours are the
    specification's decode_unorm8: one code apart at most."""
    rng = np.random.default_rng(6)
    legal_as = astc.HDR if profile == astc.HDR else astc.LINEAR
    blocks = blocks_of([legal_block(rng, size, legal_as) for _ in range(8 * 4 * 3)])
    sides = [side * count for side, count in zip(size, (8, 4, 3), strict=True)]
    header = bytes([0x13, 0xAB, 0xA1, 0x5C, *size]) + b"".join(side.to_bytes(3, "little") for side in sides)
    (tmp_path / "in.astc").write_bytes(header + blocks.tobytes())
    subprocess.run(["astcenc", word, "in.astc", "out.ktx", "-silent"], cwd=tmp_path, check=True, capture_output=True)
    images = read_texture(tmp_path / "out.ktx")
    ours = ts.decode_volume(blocks, NAMES[profile].format(*size), *sides, device="cpu")
    theirs = np.frombuffer(images.images[0][0], np.dtype(f"V{ours.itemsize}")).reshape(ours.shape).view(ours.dtype)
    codes = [texels.view(f"u{ours.itemsize}").astype(np.int32) for texels in (theirs, ours)]
    assert abs(codes[0] - codes[1]).max() <= (0 if profile == astc.HDR else 1)
