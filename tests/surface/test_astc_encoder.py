"""ASTC against Arm's own decoder: all footprints and profiles, on blocks made field by field and encoded pictures."""

import numpy as np
import pytest
from oracle import astc
from pictures.astc import mixed_blocks
from support.astc_blocks import FOOTPRINTS, blocks_of, legal_block

from texsamp import decode

encoder = pytest.importorskip("astc_encoder")

PROFILES = {
    # profile: theirs, their element type, our name, our dtype
    astc.LINEAR: (encoder.ASTCProfile.LDR, encoder.ASTCType.U8, "ASTC_{}x{}_UNORM", np.uint8),
    astc.SRGB: (encoder.ASTCProfile.LDR_SRGB, encoder.ASTCType.U8, "ASTC_{}x{}_SRGB", np.uint8),
    astc.FLOAT16: (encoder.ASTCProfile.LDR, encoder.ASTCType.F16, "ASTC_{}x{}_UNORM", np.float16),
    astc.HDR: (encoder.ASTCProfile.HDR, encoder.ASTCType.F16, "ASTC_{}x{}_SFLOAT", np.float16),
}


def context(profile, footprint):
    fast = 0.0
    return encoder.ASTCContext(encoder.ASTCConfig(PROFILES[profile][0], *footprint, 1, fast))


def both(blocks, footprint, profile, width, height):
    """Their texels and ours; halves as bits."""
    _, kind, name, dtype = PROFILES[profile]
    image = encoder.ASTCImage(kind, width, height)
    context(profile, footprint).decompress(bytes(blocks), image, encoder.ASTCSwizzle())
    ours = decode(bytes(blocks), name.format(*footprint), width, height, dtype=dtype, device="cpu")
    bits = np.uint8 if dtype == np.uint8 else np.uint16
    return np.frombuffer(image.data, bits).reshape(height, width, 4), ours.view(bits)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("footprint", FOOTPRINTS, ids=lambda size: "{}x{}".format(*size))
def test_legal_blocks(footprint, profile):
    rng = np.random.default_rng(30)
    legal = astc.HDR if profile == astc.HDR else astc.LINEAR
    blocks = blocks_of([legal_block(rng, *footprint, legal) for _ in range(200)])
    theirs, ours = both(blocks, footprint, profile, 20 * footprint[0], 10 * footprint[1])
    assert np.array_equal(theirs, ours)


@pytest.mark.parametrize("profile", [astc.LINEAR, astc.SRGB])
def test_illegal_blocks_are_illegal_there_too(profile):
    """Arm's decoder makes them NaN, which its 8-bit texels have as white; HDR endpoints are magenta there as well."""
    blocks = mixed_blocks(2000, 6, 6, astc.LINEAR, 31)
    theirs, ours = (image.reshape(40, 6, 50, 6, 4) for image in both(blocks, (6, 6), profile, 6 * 50, 6 * 40))
    magenta = (ours == (255, 0, 255, 255)).all(axis=(1, 3, 4), keepdims=True)
    white = (theirs == 255).all(axis=(1, 3, 4), keepdims=True)
    assert white.sum() > 500
    assert np.array_equal(np.where(white & magenta, 255, ours), theirs)


@pytest.mark.parametrize("profile", PROFILES)
def test_encoded_pictures(profile):
    """A picture whose size is no multiple of the footprints, with edges, slopes, noise and transparency."""
    rng = np.random.default_rng(32)
    y, x = np.mgrid[0:67, 0:94]
    picture = np.stack([x * 2.5, y * 3, (x + y) % 64 * 4, 255 - x], axis=2) + rng.normal(0, 6, (67, 94, 4))
    picture[20:40, 30:60] = (250, 10, 90, 128)
    for footprint in ((4, 4), (6, 6), (10, 5), (12, 12)):
        if profile == astc.HDR:
            pixels = (np.clip(picture, 0, None) / 16).astype(np.float16)
            source = encoder.ASTCImage(encoder.ASTCType.F16, 94, 67, 1, pixels.tobytes())
        else:
            pixels = np.clip(picture, 0, 255).astype(np.uint8)
            source = encoder.ASTCImage(encoder.ASTCType.U8, 94, 67, 1, pixels.tobytes())
        blocks = context(profile, footprint).compress(source, encoder.ASTCSwizzle())
        theirs, ours = both(blocks, footprint, profile, 94, 67)
        assert np.array_equal(theirs, ours)
        if profile in (astc.LINEAR, astc.SRGB):
            assert np.abs(ours.astype(int) - pixels).mean() < 12
