"""`Surface.convert`: texels of one format in another, by value."""

from __future__ import annotations

import numpy as np
import pytest

import texsamp as ts

RNG = np.random.default_rng(19)
PLAIN = ["R8G8B8A8_UNORM", "B5G6R5_UNORM", "R10G10B10A2_UNORM", "R16G16B16A16_FLOAT", "R8G8B8_UNORM_SRGB", "L8A8_UNORM"]


def values(surface, **options):
    return surface.to_array(dtype=np.float32, **options)


def surface(format, shape=(5, 7), channels=4, **options):
    codes = RNG.integers(0, 256, (*shape, channels), dtype=np.uint8)
    made = ts.Surface.from_array(codes, "R8G8B8A8_UNORM" if channels == 4 else "R8G8B8_UNORM", device="cpu", **options)
    return made if made.format == format else made.convert(format)


def test_what_cannot_be_sampled_is_widened():
    codes = RNG.integers(0, 256, (9, 6, 3), dtype=np.uint8)
    for name, wide in (("R8G8B8_UNORM", "R8G8B8A8_UNORM"), ("R8G8B8_UNORM_SRGB", "R8G8B8A8_UNORM_SRGB")):
        narrow = ts.Surface.from_array(codes, name, mips="box", tiling="Y", device="cpu")
        with pytest.raises(ts.FormatError, match=rf"or sample what Surface\.convert\('{wide}'\) makes"):
            ts.sample(narrow, ts.Sampler(), np.float32([0.5]), np.float32([0.5]))
        made = narrow.convert(wide)
        assert (made.format, made.levels, made.description.tiling) == (wide, narrow.levels, "Y")
        for level in range(narrow.levels):
            assert np.array_equal(made.to_array(level)[..., :3], narrow.to_array(level))
            assert (made.to_array(level)[..., 3] == 255).all()
        ts.sample(made, ts.Sampler(), np.float32([0.5]), np.float32([0.5]))


@pytest.mark.parametrize("target", [*PLAIN, "R32G32B32A32_FLOAT"])
@pytest.mark.parametrize("source", PLAIN)
def test_values_stay(source, target):
    before = surface(source)
    after = before.convert(target)
    wanted = np.ones((5, 7, 4), np.float32)
    found = values(before)
    wanted[..., : found.shape[-1]] = found
    if source == "L8A8_UNORM":
        wanted = found[..., [0, 0, 0, 1]]
    names = [0, 3] if target == "L8A8_UNORM" else list(range(values(after).shape[-1]))
    again = ts.Surface.from_array(np.ascontiguousarray(wanted[..., names]), target, device="cpu")
    assert np.array_equal(after.to_array(), again.to_array())


def test_integers_are_rounded_and_clamped():
    numbers = np.array([[-3.5, -0.5, 0.49999997, 0.5, 2.5, 1e9, 3e38, np.nan]], np.float32)
    made = ts.Surface.from_array(numbers, "R32_FLOAT", device="cpu")
    assert made.convert("R8_SINT").to_array()[0, :, 0].tolist() == [-4, -1, 0, 1, 3, 127, 127, 0]
    assert made.convert("R32_UINT").to_array()[0, :, 0].tolist() == [0, 0, 0, 1, 3, 10**9, 2**32 - 256, 0]
    wide = ts.Surface.from_array(np.array([[0, 5, 2**32 - 1]], np.uint32), "R32_UINT", device="cpu")
    assert wide.convert("R32_SINT").to_array()[0, :, 0].tolist() == [0, 5, 2**31 - 1]
    assert wide.convert("R16_SINT").convert("R8_UINT").to_array()[0, :, 0].tolist() == [0, 5, 255]
    assert wide.convert("R32_FLOAT").to_array()[0, :, 0].tolist() == [0, 5, 2**32]


def test_intensity_alpha_and_ycbcr():
    gray = RNG.integers(0, 256, (4, 6), dtype=np.uint8)
    intensity = ts.Surface.from_array(gray, "I8_UNORM", device="cpu").convert("R8G8B8A8_UNORM")
    assert np.array_equal(intensity.to_array(), np.repeat(gray[..., None], 4, -1))
    alpha = ts.Surface.from_array(gray, "A8_UNORM", device="cpu").convert("R8G8B8A8_UNORM").to_array()
    assert np.array_equal(alpha[..., 3], gray)
    assert not alpha[..., :3].any()
    colors = ts.Surface.from_array(np.repeat(gray[:, ::2], 2, 1)[..., None].repeat(3, -1), "YCRCB_NORMAL", device="cpu")
    as_sampled = colors.to_array(channels="rgba", dtype=np.float32)
    assert np.array_equal(values(colors.convert("R32G32B32A32_FLOAT")), as_sampled)
    with pytest.raises(ts.FormatError, match="P8A8_UNORM_PALETTE0 has indices of a palette"):
        colors.convert("P8A8_UNORM_PALETTE0")


def test_blocks_are_decoded_and_encoded():
    pytest.importorskip("etcpak")
    ramp = np.zeros((16, 16, 4), np.uint8)
    ramp[..., 0], ramp[..., 1], ramp[..., 3] = np.arange(16) * 17, np.arange(16)[:, None] * 17, 255
    plain = ts.Surface.from_array(ramp, device="cpu")
    for mips, levels in ((None, 1), ("box", 5)):
        packed = plain.convert("BC7_UNORM", mips=mips)
        assert packed.levels == levels
        unpacked = packed.convert("R8G8B8A8_UNORM")
        assert all(np.array_equal(unpacked.to_array(n), packed.to_array(n)) for n in range(levels))
        assert np.abs(unpacked.to_array().astype(int) - ramp).max() < 20
    light = plain.convert("R8G8B8A8_UNORM_SRGB").convert("BC7_UNORM_SRGB")
    assert np.abs(values(light) - values(plain)).max() < 0.1


def test_levels_are_made_anew_of_cubes_and_volumes():
    cube = ts.Surface.from_array(RNG.integers(0, 256, (6, 8, 8, 4), dtype=np.uint8), type="cube", device="cpu")
    volume = ts.Surface.from_array(RNG.integers(0, 256, (4, 8, 8, 4), dtype=np.uint8), type="3D", device="cpu")
    for before in (cube, volume):
        assert before.convert("R8G8B8A8_UNORM", mips="box") == before.with_mips("box")
        assert before.convert("R8G8B8A8_UNORM") == before
        assert before.convert("R16G16B16A16_FLOAT", mips="kaiser", levels=2).levels == 2
