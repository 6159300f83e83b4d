"""Mesa's decoders of BC6H, BC7, ETC2, EAC and FXT1, through OSMesa (Debian package libosmesa6), say the same."""

import numpy as np
import pytest
from oracle import bc, etc, fxt1
from support import osmesa
from support.etc_blocks import blocks_of, of_mode

from texsamp import decode

pytestmark = pytest.mark.skipif(osmesa.library() is None, reason="libOSMesa is not installed")

COLUMNS = 64
ETC_FORMATS = {"ETC2_RGB8": 0x9274, "ETC2_RGB8_PTA": 0x9276, "ETC2_EAC_RGBA8": 0x9278}
EAC_FORMATS = {"EAC_R11": 0x9270, "EAC_SIGNED_R11": 0x9271, "EAC_RG11": 0x9272, "EAC_SIGNED_RG11": 0x9273}
BC6H_FORMATS = {"BC6H_SF16": 0x8E8E, "BC6H_UF16": 0x8E8F}
COMPRESSED_RGBA_BPTC_UNORM = 0x8E8C
COMPRESSED_RGBA_FXT1_3DFX = 0x86B1


def random_words(count, seed):
    return np.random.default_rng(seed).integers(0, 1 << 64, count, np.uint64)


def test_bc7():
    """1024 blocks of each mode, and reserved ones."""
    blocks = np.random.default_rng(8).integers(0, 256, (9 * 1024, 16), np.uint8)
    mode = np.arange(len(blocks)) % 9
    blocks[:, 0] = np.where(mode < 8, blocks[:, 0].astype(int) << (mode + 1) | 1 << mode, 0).astype(np.uint8)
    height = len(blocks) // COLUMNS * 4
    ours = decode(blocks, "BC7_UNORM", 4 * COLUMNS, height, device="cpu")
    theirs = osmesa.decoded(COMPRESSED_RGBA_BPTC_UNORM, blocks, 4 * COLUMNS, height)
    assert np.array_equal(ours, np.rint(theirs * 255))


@pytest.mark.parametrize("name", BC6H_FORMATS)
def test_bc6h(name):
    """In every bit, infinities and reserved modes included."""
    blocks = np.random.default_rng(9).integers(0, 256, (8192, 16), np.uint8)
    height = len(blocks) // COLUMNS * 4
    ours = decode(blocks, name, 4 * COLUMNS, height, device="cpu").astype(np.float32)
    theirs = np.ascontiguousarray(osmesa.decoded(BC6H_FORMATS[name], blocks, 4 * COLUMNS, height)[..., :3])
    assert np.array_equal(ours.view(np.uint32), theirs.view(np.uint32))


@pytest.mark.parametrize("name", ETC_FORMATS)
def test_etc2(name):
    """4096 blocks of each mode; transparent texels of punch-through blocks are black there too."""
    punchthrough = name == "ETC2_RGB8_PTA"
    modes = etc.MODES[1:] if punchthrough else etc.MODES
    words = np.concatenate([of_mode(random_words(4096, 5), mode, punchthrough=punchthrough) for mode in modes])
    blocks = blocks_of(words) if name != "ETC2_EAC_RGBA8" else blocks_of(random_words(len(words), 6), words)
    height = len(blocks) // COLUMNS * 4
    ours = decode(blocks, name, 4 * COLUMNS, height, device="cpu")
    theirs = osmesa.decoded(ETC_FORMATS[name], blocks, 4 * COLUMNS, height)[..., : ours.shape[2]]
    assert np.array_equal(ours, np.rint(theirs * 255))


@pytest.mark.parametrize("name", EAC_FORMATS)
def test_eac(name):
    """In all 16 bits."""
    blocks = blocks_of(*(random_words(16384, seed) for seed in range(2 if "RG" in name else 1)))
    height = len(blocks) // COLUMNS * 4
    ours = decode(blocks, name, 4 * COLUMNS, height, device="cpu")
    theirs = osmesa.decoded(EAC_FORMATS[name], blocks, 4 * COLUMNS, height)[..., : ours.shape[2]]
    assert np.array_equal(ours, np.rint(theirs * np.float64(np.iinfo(ours.dtype).max)))


def test_fxt1_but_for_the_expansion_of_colors(monkeypatch):
    """Mesa rounds a color of n bits to the nearest 8-bit one; the manual repeats its highest bits."""
    blocks = np.random.default_rng(7).integers(0, 256, (16384, 16), np.uint8)
    blocks[:, 15] = blocks[:, 15] & 31 | np.arange(16384) % 8 << 5  # all modes equally often
    height = len(blocks) // COLUMNS * 4
    theirs = np.rint(osmesa.decoded(COMPRESSED_RGBA_FXT1_3DFX, blocks, 8 * COLUMNS, height) * 255).astype(int)
    assert abs(decode(blocks, "FXT1", 8 * COLUMNS, height, device="cpu").astype(int) - theirs).max() == 1
    monkeypatch.setattr(fxt1, "expanded", lambda value, width: (value * 510 // ((1 << width) - 1) + 1) // 2)
    assert np.array_equal(bc.image_of(fxt1.decode_fxt1(blocks), COLUMNS, 8), theirs)
