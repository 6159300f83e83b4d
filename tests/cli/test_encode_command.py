"""`texsamp encode`: texture files of any format that can be encoded, with levels, from pictures and textures."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from support.textures import texture
from texsamp.cli.main import app
from typer.testing import CliRunner

import texsamp as ts
from texsamp.io.textures import read_texture, write_texture

runner = CliRunner()


def encode(*arguments):
    return runner.invoke(app, ["encode", *map(str, arguments)])


@pytest.fixture
def picture(tmp_path):
    y, x = np.mgrid[0:32, 0:48]
    Image.fromarray(np.stack([x * 5, y * 7, x + y], -1).astype(np.uint8)).save(tmp_path / "in.png")
    return tmp_path / "in.png"


@pytest.mark.parametrize(
    ("format", "suffix"),
    [
        ("BC7_UNORM_SRGB", ".dds"),
        ("BC1_UNORM", ".dds"),
        ("BC3_UNORM_SRGB", ".ktx2"),
        ("ASTC_6x6", ".ktx2"),
        ("ETC2_RGBA8", ".ktx"),
        ("BC2", ".ktx"),
    ],
)
def test_blocks_with_all_levels(picture, format, suffix):
    for package in ("etcpak", "ispc_texcomp", "astc_encoder"):
        pytest.importorskip(package)
    out = picture.with_suffix(suffix)
    result = encode(picture, out, "--format", format, "--mips", "kaiser")
    assert result.exit_code == 0, result.output
    made = ts.Surface.open(out, device="cpu")
    assert (made.levels, made.shape[:2]) == (6, (32, 48))
    assert f"{made.format} 48x32, 6 levels" in result.stdout
    codes = np.asarray(Image.open(picture)).astype(int)
    error = made.to_array()[..., :3].astype(int) - codes
    assert np.sqrt((error**2).mean()) < 6


def test_codes_of_pictures_stay_codes_in_srgb_formats(picture):
    out = picture.with_suffix(".ktx2")
    result = encode(picture, out, "--format", "rgba8unorm-srgb", "--mips", "box", "--levels", 2)
    assert result.exit_code == 0, result.output
    assert "note: codes of R8G8B8A8_UNORM are taken as SRGB, which the format of OUT is" in result.stderr
    codes = np.asarray(Image.open(picture).convert("RGBA"))
    assert np.array_equal(ts.Surface.open(out, device="cpu").to_array(), codes)
    expected = ts.Surface.from_array(codes, "R8G8B8A8_UNORM_SRGB", mips="box", levels=2, device="cpu")
    assert ts.Surface.open(out, device="cpu") == expected  # levels are made of light


def test_textures_keep_their_levels_and_slices(tmp_path):
    images = texture("R8G8B8A8_UNORM", width_px=16, height_px=16, levels=3)
    write_texture(tmp_path / "in.dds", images)
    result = encode(
        tmp_path / "in.dds", tmp_path / "out.ktx2", "--format", "R16G16B16A16_FLOAT", "--supercompression", "zstd"
    )
    assert result.exit_code == 0, result.output
    found = ts.Surface.from_images(read_texture(tmp_path / "out.ktx2"), device="cpu")
    before = ts.Surface.from_images(images, device="cpu")
    for level in range(3):
        values = before.to_array(level, dtype=np.float32).astype(np.float16)
        assert np.array_equal(found.to_array(level), values)


@pytest.mark.parametrize(
    ("format", "suffix", "kept"),
    [
        ("rgba8", ".tga", "R8G8B8A8_UNORM"),
        ("rgba16", ".png", "R16G16B16A16_UNORM"),
        ("rgba16f", ".exr", "R16G16B16A16_FLOAT"),
        ("rgb32f", ".hdr", "R32G32B32_FLOAT"),
        ("l8", ".tga", "L8_UNORM"),
        ("rgba8", ".ktx", "R8G8B8A8_UNORM"),
    ],
)
def test_pictures_out(picture, format, suffix, kept):
    out = picture.with_name(f"out{suffix}")
    result = encode(picture, out, "--format", format)
    assert result.exit_code == 0, result.output
    made = ts.Surface.open(out, device="cpu")
    assert made.format == kept
    values = made.to_array(dtype=np.float32)
    expected = np.asarray(Image.open(picture)).astype(np.float32)[..., : values.shape[-1]] / 255
    assert np.abs(values[..., :3] - expected).max() < 0.004


def test_a_picture_of_blocks_is_what_they_decode_to(picture):
    pytest.importorskip("ispc_texcomp")
    result = encode(picture, picture.with_suffix(".dds"), "--format", "BC1_UNORM")
    assert result.exit_code == 0, result.output
    again = encode(picture.with_suffix(".dds"), picture.with_name("out.png"), "--format", "BC1_UNORM")
    assert again.exit_code == 0, again.output
    once = ts.Surface.open(picture.with_suffix(".dds"), device="cpu").to_array()
    assert np.abs(np.asarray(Image.open(picture.with_name("out.png"))).astype(int) - once).mean() < 3


def test_a_picture_of_many_slices_is_refused(tmp_path):
    write_texture(tmp_path / "in.dds", texture("R8G8B8A8_UNORM", array_length=2, levels=1))
    result = encode(tmp_path / "in.dds", tmp_path / "out.png", "--format", "rgba8")
    assert result.exit_code == 2
    assert "a picture has one level and slice, found 2D R8G8B8A8_UNORM" in " ".join(result.stderr.split())
    assert not (tmp_path / "out.png").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (
            ("out.jpg", "--format", "BC7_UNORM"),
            2,
            "out.jpg: the extension says no texture file or picture, use one of .dds .ktx .ktx2 .astc .png",
        ),
        (("out.dds", "--format", "BC7_UNORM", "--levels", 3), 2, "--levels and --edge say how --mips makes levels"),
        (("out.dds", "--format", "BC9"), 2, "no surface format 'BC9'"),
        (("out.dds", "--format", "FXT1"), 1, "formats that can be encoded are BC1_UNORM"),
        (("out.png", "--format", "rgba8", "--mips", "box"), 2, "a picture has one level and is not packed"),
        (("out.tga", "--format", "rgba16"), 1, "TGA holds 8 bits of each channel, R16G16B16A16_UNORM has uint16"),
        (("out.exr", "--format", "rgba8"), 1, "EXR holds half and float"),
        (("out.dds", "--format", "BC7_UNORM", "--mips", "sharp"), 2, "mips must be one of box, kaiser, lanczos"),
    ],
)
def test_what_cannot_be_done_leaves_nothing(picture, arguments, status, words):
    name, *options = arguments
    result = encode(picture, picture.with_name(name), *options)
    assert result.exit_code == status
    assert words in " ".join(result.stderr.replace("│", " ").split())
    assert [each.name for each in picture.parent.iterdir()] == ["in.png"]
