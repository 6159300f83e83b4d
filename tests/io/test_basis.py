"""Basis Universal in KTX2: ETC1S and UASTC become formats of the table, texel for texel what the transcoder decodes."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from support.textures import texture

import texsamp as ts
from texsamp.errors import FormatError
from texsamp.io.textures.ktx2 import LEVEL_INDEX_OFFSET_B
from texsamp.io.textures.ktx2_writer import ktx2_parts
from texsamp.io.textures.read import read_texture_file

FOLDER = Path(__file__).parents[1] / "data" / "basis"
FILES = {
    "etc1s": ("ETC2_SRGB8", 5),
    "etc1s_alpha": ("R8G8B8A8_UNORM_SRGB", 1),
    "uastc": ("ASTC_LDR_2D_4x4_U8sRGB", 5),
    "uastc_zstd_linear": ("ASTC_LDR_2D_4x4_FLT16", 1),
}


def content(name):
    return (FOLDER / f"{name}.ktx2").read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_texels_are_what_the_transcoder_decodes(name):
    """By our own decoders of ETC and ASTC; those of ASTC have a mode of its own for sRGB, a code apart at most."""
    basis = pytest.importorskip("opengl_basisu")
    format, levels = FILES[name]
    surface = ts.Surface.open(FOLDER / f"{name}.ktx2", device="cpu")
    assert (surface.format, surface.levels, surface.shape[:2]) == (format, levels, (12, 20))
    voice = basis.open(content(name))
    for level in range(levels):
        found, said = surface.to_array(level).astype(int), voice.transcode("rgba8", level).data.astype(int)
        assert np.abs(found - said[..., : found.shape[-1]]).max() <= (format == "ASTC_LDR_2D_4x4_U8sRGB")
    y, x = np.mgrid[0:12, 0:20]
    source = np.stack([12 * x, 20 * y, 255 - 6 * x - 6 * y], -1)
    assert np.abs(surface.to_array().astype(int)[..., :3] - source).mean() < 20


def test_notes_and_words():
    pytest.importorskip("opengl_basisu")
    file = read_texture_file(content("uastc"))
    assert (file.container, file.stored_format) == ("KTX2", "UASTC (Basis Universal)")
    assert "UASTC (Basis Universal) became ASTC_LDR_2D_4x4_U8sRGB" in file.notes


def test_high_range_of_4x4_is_plain_astc():
    """Model 167 with the VkFormat of ASTC 4x4 SFLOAT, as Binomial's encoder writes it; no transcoder takes part."""
    images = texture("ASTC_HDR_2D_4x4_FLT16", levels=2)
    data = bytearray(b"".join(ktx2_parts(images)))
    model_at = struct.unpack_from("<I", data, 48)[0] + 12
    assert (struct.unpack_from("<I", data, 12)[0], data[model_at]) == (1000066000, 162)
    data[model_at] = 167
    assert read_texture_file(bytes(data)).images == images
    struct.pack_into("<I", data, 44, 4)
    with pytest.raises(FormatError, match=r"supercompression 4 is UASTC HDR 6x6 \(Basis Universal\)"):
        read_texture_file(bytes(data))


def test_without_the_transcoder_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opengl_basisu", None)
    with pytest.raises(FormatError, match=r"Basis Universal textures need .*: pip install 'texsamp\[basis\]'"):
        read_texture_file(content("etc1s"))


@pytest.mark.parametrize("name", FILES)
def test_lies_are_format_errors(name):
    """Every byte of the header and its tables, and random ones behind them."""
    pytest.importorskip("opengl_basisu")
    whole, random = content(name), np.random.default_rng(5)
    places = [*range(12, LEVEL_INDEX_OFFSET_B + 24), *random.integers(LEVEL_INDEX_OFFSET_B, len(whole), 200).tolist()]
    refused = 0
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= int(random.integers(1, 256))
        try:
            read_texture_file(bytes(changed))
        except FormatError:
            refused += 1
    assert refused > 40
    for end in range(0, len(whole), 7):
        with pytest.raises(FormatError):
            read_texture_file(whole[:end])
