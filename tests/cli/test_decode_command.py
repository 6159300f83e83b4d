"""`texsamp decode`: pictures, conversions, words about files, and errors that leave nothing behind."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from PIL import Image
from support.shell import one_line, texsamp
from support.textures import KINDS, texture
from texsamp.cli.main import app
from typer.testing import CliRunner

from texsamp.io.textures import picture_texels, read_texture, write_texture

runner = CliRunner()


def decode(*arguments):
    return runner.invoke(app, ["decode", *map(str, arguments)])


@pytest.fixture
def brick(tmp_path):
    """A BC3 texture of four levels."""
    write_texture(tmp_path / "brick.dds", texture("BC3_UNORM", width_px=32, height_px=16, levels=4))
    return tmp_path / "brick.dds"


def picture(path):
    with Image.open(path) as image:
        texels = np.asarray(image)
    return texels.reshape(*texels.shape[:2], -1)


def test_a_level_to_png(brick):
    out = brick.with_name("out.png")
    result = decode(brick, out, "--level", 1, "--device", "cpu")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{out}: 16x8, 4 channels of uint8, level 1 of 4, BC3_UNORM\n"
    assert np.array_equal(picture(out), picture_texels(read_texture(brick), 1, device="cpu"))


def test_what_is_written_as_json(brick):
    picture, copy, smaller, drawn = (
        brick.with_name(name) for name in ("out.png", "out.ktx2", "rgba.ktx2", "drawn.png")
    )
    told = json.loads(decode(brick, picture, "--level", 1, "--json").stdout)
    assert (told["output"], told["size_px"], told["channels"], told["dtype"]) == (str(picture), [16, 8], 4, "uint8")
    told = json.loads(decode(brick, copy, "--json").stdout)
    assert (told["format"], told["size_px"], told["levels"], told["notes"]) == ("BC3_UNORM", [32, 16, 1], 4, [])
    told = json.loads(runner.invoke(app, ["encode", str(picture), str(smaller), "--format", "rgba8", "--json"]).stdout)
    assert (told["output"], told["format"], told["levels"]) == (str(smaller), "R8G8B8A8_UNORM", 1)
    told = json.loads(runner.invoke(app, ["sample", str(brick), str(drawn), "--size", "8x4", "--json"]).stdout)
    assert (told["output"], told["size_px"], told["texture"]["format"]) == (str(drawn), [8, 4], "BC3_UNORM")


def test_roundings_differ(brick):
    out = brick.with_name("out.png")
    texels = {}
    for rounding in ("d3d", "truncate", "intel"):
        assert decode(brick, out, "-y", "--rounding", rounding, "--device", "cpu").exit_code == 0
        texels[rounding] = picture(out)
    assert len({each.tobytes() for each in texels.values()}) == 3


@pytest.mark.parametrize(
    ("kind", "options", "level", "slice"),
    [
        ("cube", ("--face", "-z"), 0, 5),
        ("cube array", ("--layer", "1", "--face", "+y", "--level", "2"), 2, 8),
        ("2D array", ("--layer", "2"), 0, 2),
    ],
)
def test_layers_and_faces(tmp_path, kind, options, level, slice):
    images = texture("R8G8B8A8_UNORM", **KINDS[kind])
    write_texture(tmp_path / "in.ktx2", images)
    assert decode(tmp_path / "in.ktx2", tmp_path / "out.png", *options).exit_code == 0
    assert picture(tmp_path / "out.png").tobytes() == images.images[level][slice]


def test_slices_of_volumes(tmp_path):
    images = texture("R8_UNORM", **KINDS["3D"])
    write_texture(tmp_path / "in.dds", images)
    assert decode(tmp_path / "in.dds", tmp_path / "out.png", "--layer", 3).exit_code == 0
    size_B = 21 * 13
    assert picture(tmp_path / "out.png").tobytes() == images.images[0][0][3 * size_B : 4 * size_B]


@pytest.mark.parametrize("options", [(), ("--supercompression", "zstd"), ("--supercompression", "zlib")])
def test_conversion_keeps_everything(brick, options):
    out = brick.with_name("out.ktx2")
    result = decode(brick, out, *options)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{out}: 2D BC3_UNORM 32x16, 4 levels\n"
    assert read_texture(out) == read_texture(brick)


def test_a_conversion_says_that_the_meaning_of_alpha_is_lost(brick):
    data = bytearray(brick.read_bytes())
    struct.pack_into("<I", data, 144, 2)  # premultiplied, in the last number of the DX10 header
    brick.write_bytes(data)
    out = brick.with_name("out.ktx2")
    result = decode(brick, out)
    assert result.exit_code == 0, result.output
    assert f"alpha is premultiplied, which {out} does not say" in result.stderr


def test_raw_elements(brick):
    images = read_texture(brick)
    raw = brick.with_name("blocks.bin")
    raw.write_bytes(images.images[0][0])
    for name in ("BC3_UNORM", "bc3", "DXT5", "VK_FORMAT_BC3_UNORM_BLOCK"):
        out = brick.with_name("raw.npy")
        result = decode(raw, out, "-y", "--format", name, "--size", "32x16", "--device", "cpu")
        assert result.exit_code == 0, result.output
        assert np.array_equal(np.load(out), picture_texels(images, device="cpu"))
    assert decode(raw, brick.with_name("raw.dds"), "--format", "BC3", "--size", "32x16").exit_code == 0
    assert read_texture(brick.with_name("raw.dds")).images[0][0] == images.images[0][0]


def test_raw_elements_of_another_size(brick):
    result = decode(brick, brick.with_name("x.png"), "--format", "BC3", "--size", "32x16")
    assert result.exit_code == 1
    assert "BC3_UNORM of 32x16 texels has 512 bytes, found 836" in result.stderr


def test_notes_go_to_stderr(tmp_path):
    write_texture(tmp_path / "normals.dds", texture("BC5_SNORM"))
    run = texsamp("decode", "normals.dds", "normals.png", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr.decode().splitlines() == [
        "note: signed values -1 to 1 are written as 0 to 255",
        "note: two channels are written as red and green, with blue 0",
    ]


@pytest.mark.parametrize(
    ("format", "container", "out"),
    [
        ("ASTC_LDR_2D_6x6_FLT16", "in.astc", "out.png"),
        ("ASTC_LDR_2D_8x8_U8sRGB", "in.ktx2", "out.png"),
        ("ASTC_HDR_2D_4x4_FLT16", "in.ktx2", "out.exr"),
        ("ETC2_EAC_RGBA8", "in.ktx2", "out.png"),
        ("EAC_RG11", "in.ktx2", "out.png"),
        ("BC6H_UF16", "in.dds", "out.exr"),
    ],
)
def test_compressed_formats_of_all_families(tmp_path, format, container, out):
    write_texture(tmp_path / container, texture(format, levels=1))
    result = decode(tmp_path / container, tmp_path / out, "--device", "cpu")
    assert result.exit_code == 0, result.output
    expected = picture_texels(read_texture(tmp_path / container), device="cpu")
    channels = expected.shape[2]
    back = picture_texels(read_texture(tmp_path / out), device="cpu")[:, :, :channels]
    assert back.dtype == expected.dtype
    assert back.tobytes() == expected.tobytes()


def test_standard_input(brick):
    run = texsamp("decode", "-", "out.npy", cwd=brick.parent, stdin=brick.read_bytes())
    assert run.returncode == 0, run.stderr
    expected = picture_texels(read_texture(brick), device="cpu")
    assert np.array_equal(np.load(brick.with_name("out.npy")), expected)


class TestInfo:
    def test_words(self, tmp_path):
        write_texture(tmp_path / "sky.ktx2", texture("BC6H_UF16", **KINDS["cube array"]), supercompression="zstd")
        result = decode(tmp_path / "sky.ktx2", "--info")
        assert result.exit_code == 0
        lines = result.stdout.splitlines()
        rows = dict(line.split(maxsplit=1) for line in lines[:9])
        assert rows == {
            "file": str(tmp_path / "sky.ktx2"),
            "container": "KTX2, zstd",
            "type": "CUBE array",
            "format": "BC6H_UF16 (in the file: VK_FORMAT_BC6H_UFLOAT_BLOCK)",
            "size": "16x16",
            "levels": "3",
            "layers": "2",
            "alpha": "not said",
            "bytes": str(12 * (256 + 64 + 16)),
        }
        assert [line.split() for line in lines[9:]] == [
            ["level", "size", "images", "bytes", "of", "each"],
            ["0", "16x16", "12", "256"],
            ["1", "8x8", "12", "64"],
            ["2", "4x4", "12", "16"],
        ]

    def test_json(self, tmp_path):
        write_texture(tmp_path / "volume.dds", texture("R8_UNORM", **KINDS["3D"]))
        record = json.loads(decode(tmp_path / "volume.dds", "--info", "--json").stdout)
        assert (record["type"], record["format"], record["size_px"]) == ("3D", "R8_UNORM", [21, 13, 5])
        assert record["levels"][1] == {"size_px": [10, 6, 2], "images": 1, "image_B": 120}
        assert record["bytes"] == 21 * 13 * 5 + 120 + 5 * 3
        assert (record["alpha"], record["notes"]) == (None, [])


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("brick.dds",), "either OUT or --info"),
            (("brick.dds", "x.png", "--info"), "either OUT or --info"),
            (("brick.dds", "x.png", "--format", "BC3"), "both --format and --size"),
            (("brick.dds", "x.png", "--size", "4x4"), "both --format and --size"),
            (("brick.dds", "x.png", "--size", "4"), "must be WIDTHxHEIGHT in texels"),
            (("brick.dds", "x.png", "--format", "BC9", "--size", "4x4"), "BC9"),
            (("brick.dds", "x.png", "--format", "BC3", "--size", "99999x4"), "width must be from 1 to 65536"),
            (("brick.dds", "x.png", "--format", "BC3", "--size", "0x4"), "width must be from 1 to 65536"),
            (("brick.dds", "x.png", "--face", "up"), "face must be one of +x, -x, +y, -y, +z, -z, found 'up'"),
            (
                ("brick.dds", "x.png", "--rounding", "arm"),
                "rounding must be one of d3d, truncate, nvidia, amd, intel",
            ),
            (("brick.dds", "x.jpg"), "use one of .png .tga .exr .hdr .npy .dds .ktx .ktx2 .astc"),
            (("brick.dds", "x.ktx2", "--level", "1"), "keep all levels and slices as they are, found --level"),
            (("brick.dds", "x.ktx2", "--supercompression", "lz4"), "must be one of none, zstd, zlib"),
            (("brick.dds", "x.png", "--supercompression", "zstd"), "--supercompression is for KTX2 files"),
            (("brick.dds", "--info", "--level", "1", "--face", "+x"), "of the whole file, found --level --face"),
            (("brick.dds", "--info", "--supercompression", "zlib"), "of the whole file, found --supercompression"),
            (("brick.dds", "x.png", "--level", "-1"), "--level"),
            (("brick.dds", "x.png", "--device", "gpu"), "device must be auto"),
        ],
    )
    def test_bad_usage(self, brick, monkeypatch, arguments, message):
        monkeypatch.chdir(brick.parent)
        result = decode(*arguments)
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())
        assert [path.name for path in brick.parent.iterdir()] == ["brick.dds"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("none.dds", "x.png"), "none.dds: cannot be read: No such file or directory"),
            (("brick.dds", "x.png", "--level", "4"), "level must be from 0 to 3, found 4"),
            (("brick.dds", "x.png", "--layer", "1"), "layer must be from 0 to 0, found 1"),
            (("brick.dds", "x.png", "--face", "+x"), "only cubes have faces"),
            (("brick.dds", "brick.dds"), "brick.dds: the output is the input"),
            (("brick.dds", "brick.dds", "-y"), "brick.dds: the output is the input"),
            (("brick.dds", "nowhere/x.png"), "there is no directory 'nowhere'"),
            (("brick.dds", "x.exr"), "EXR holds half and float, BC3_UNORM has uint8"),
            (("brick.dds", "x.astc"), "holds ASTC blocks, found BC3_UNORM"),
        ],
    )
    def test_failures(self, brick, monkeypatch, arguments, message):
        monkeypatch.chdir(brick.parent)
        before = brick.read_bytes()
        result = decode(*arguments)
        assert result.exit_code == 1
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert [path.name for path in brick.parent.iterdir()] == ["brick.dds"]
        assert brick.read_bytes() == before

    def test_an_existing_picture_stays_without_y(self, brick):
        out = brick.with_name("out.png")
        out.write_text("precious")
        result = decode(brick, out)
        assert result.exit_code == 1
        assert f"{out}: exists already" in result.stderr
        assert out.read_text() == "precious"
        assert decode(brick, out, "-y").exit_code == 0
        assert picture(out).shape == (16, 32, 4)

    def test_malformed_files_are_one_line(self, brick):
        brick.write_bytes(brick.read_bytes()[:-1])
        run = texsamp("decode", "brick.dds", "out.png", cwd=brick.parent)
        assert run.returncode == 1
        assert "brick.dds: the texture must be bytes 148 to 836, found a file of 835 bytes" in one_line(run.stderr)
        assert [path.name for path in brick.parent.iterdir()] == ["brick.dds"]

    def test_malformed_pictures_are_one_line(self, tmp_path):
        Image.new("RGB", (4, 4)).save(tmp_path / "in.tif")
        data = bytearray((tmp_path / "in.tif").read_bytes())
        samples_per_pixel = data.index(struct.pack("<2HI", 277, 3, 1))
        data[samples_per_pixel + 8] = 99  # Pillow also logs this
        (tmp_path / "in.tif").write_bytes(data)
        run = texsamp("decode", "in.tif", "out.png", cwd=tmp_path)
        assert run.returncode == 1
        assert "in.tif: " in one_line(run.stderr)

    def test_a_full_disk_is_one_line_and_leaves_nothing(self, brick, monkeypatch):
        from pathlib import Path

        def no_space(_self, *_arguments):
            raise OSError(28, "No space left on device")

        real_open = Path.open

        class FullFile:
            def __init__(self, file):
                self.file = file

            def __enter__(self):
                return self

            def __exit__(self, *_error):
                self.file.close()

            writelines = no_space

        def full_open(path, mode="r", **options):
            file = real_open(path, mode, **options)
            return FullFile(file) if mode == "wb" else file

        monkeypatch.setattr(Path, "open", full_open)
        result = decode(brick, brick.with_name("out.png"))
        assert result.exit_code == 1
        assert "out.png: cannot be written: No space left on device" in result.stderr
        assert [path.name for path in brick.parent.iterdir()] == ["brick.dds"]
