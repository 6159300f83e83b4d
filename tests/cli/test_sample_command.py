"""`texsamp sample`: pictures of quads from every kind of texture, and errors that leave nothing behind."""

import numpy as np
import pytest
from PIL import Image
from support.shell import one_line, texsamp
from support.textures import KINDS, texture
from texsamp.cli.main import app
from typer.testing import CliRunner

import texsamp as ts
from texsamp.draw import FILTERS
from texsamp.io.textures import read_texture, write_texture
from texsamp.sampler.quad import face_directions

runner = CliRunner()
TRANSFORM = "rotate=30,scale=0.7,perspective=0.3"


def sample(*arguments):
    return runner.invoke(app, ["sample", *map(str, arguments), "--device", "cpu"])


def picture(path):
    if path.suffix == ".npy":
        return np.load(path)
    with Image.open(path) as image:
        return np.asarray(image)


@pytest.fixture
def brick(tmp_path):
    """A BC3 texture of four levels."""
    write_texture(tmp_path / "brick.dds", texture("BC3_UNORM", width_px=32, height_px=16, levels=4))
    return tmp_path / "brick.dds"


def drawn(path, sampler, size=(64, 48), transform=TRANSFORM, **options):
    grid = ts.quad_grid(size, transform, device="cpu")
    made = ts.sample(ts.Surface.open(path, device="cpu"), sampler, grid.u, grid.v, **options)
    made[~grid.inside] = 0
    return made


@pytest.mark.parametrize("filter", FILTERS)
def test_filters(brick, filter):
    out = brick.with_name("out.png")
    result = sample(brick, out, "--size", "64x48", "--transform", TRANSFORM, "--filter", filter)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{out}: 64x48, 4 channels of uint8, BC3_UNORM 32x16 through {filter}, 4 levels\n"
    wanted = drawn(brick, ts.Sampler(**FILTERS[filter]), dtype=np.uint8)
    np.testing.assert_array_equal(picture(out), wanted)
    assert 0.1 < (wanted == 0).all(axis=2).mean() < 0.9


def test_filters_differ(brick):
    same = ("aniso10", "aniso12", "aniso14", "aniso16")
    filters = [filter for filter in FILTERS if filter not in same and not filter.startswith("ewa")]
    found = []
    for filter in filters:  # the texture is flattened to an eighth of its height
        options = ("--size", "32x16", "--transform", "scale=1:0.13", "--filter", filter, "-y")
        assert sample(brick, brick.with_name("o.png"), *options).exit_code == 0
        found.append(picture(brick.with_name("o.png")).tobytes())
    assert len(set(found)) == len(filters) == 8


def test_ellipses_differ_where_pixels_are_skewed(brick):
    found = []
    for filter in ("aniso16", "ewa2", "ewa16"):
        options = ("--size", "32x16", "--plane", "--transform", "scale=1:0.13,rotate=40", "--filter", filter, "-y")
        assert sample(brick, brick.with_name("o.png"), *options).exit_code == 0
        found.append(picture(brick.with_name("o.png")).tobytes())
    assert len(set(found)) == 3


@pytest.mark.parametrize(("filter", "size"), [("mono1x1", (1, 1)), ("mono3x3", (3, 3)), ("mono7x7", (7, 7))])
def test_monochrome_filters_of_bits(tmp_path, filter, size):
    bits = np.random.default_rng(1).integers(0, 2, (24, 32, 1), np.uint8)
    (tmp_path / "in.bits").write_bytes(np.packbits(bits, bitorder="little").tobytes())
    raw = ("--format", "MONO8", "--texture-size", "32x24", "--size", "40x30", "--filter", filter)
    options = (*raw, "--transform", "rotate=20,scale=0.8", "--plane")
    result = sample(tmp_path / "in.bits", tmp_path / "o.npy", *options, "--address", "border")
    assert result.exit_code == 0, result.output
    surface = ts.Surface.from_array(bits, "MONO8", device="cpu")
    grid = ts.quad_grid((40, 30), "rotate=20,scale=0.8", device="cpu")
    wanted = ts.sample(surface, ts.Sampler(mono_size=size, mip_filter="none", address="border"), grid.u, grid.v)
    np.testing.assert_array_equal(picture(tmp_path / "o.npy"), wanted)
    assert sample(tmp_path / "in.bits", tmp_path / "o.png", *options, "--address", "border").exit_code == 0
    found = picture(tmp_path / "o.png")
    np.testing.assert_array_equal(found[..., :3], np.floor(wanted[..., :3] * 255 + 0.5))
    assert (found[..., 3] == 255).all()
    result = sample(tmp_path / "in.bits", tmp_path / "no.png", *options)
    assert result.exit_code == 2
    assert "the filter MONO needs address CLAMP_BORDER on both axes, found WRAP, WRAP" in result.stderr
    assert not (tmp_path / "no.png").exists()


def test_monochrome_filters_are_for_bits(brick):
    result = sample(brick, brick.with_name("no.png"), "--size", "8x8", "--filter", "mono3x3", "--address", "border")
    assert result.exit_code == 1
    assert "the filter MONO is for 2D surfaces of MONO8, found SURFTYPE_2D of BC3_UNORM" in result.stderr


@pytest.mark.parametrize("address", ["wrap", "mirror", "clamp", "border", "mirror_once", "half_border", "wrap,mirror"])
def test_addresses(brick, address):
    out = brick.with_name("out.npy")
    options = ("--address", address, "--border", "0.25,0.5,1,1", "--plane", "--transform", "scale=0.4")
    assert sample(brick, out, "--size", "48x48", *options).exit_code == 0
    sampler = ts.Sampler(address=address.split(","), border=(0.25, 0.5, 1, 1))
    grid = ts.quad_grid((48, 48), "scale=0.4", device="cpu")
    wanted = ts.sample(ts.Surface.open(brick, device="cpu"), sampler, grid.u, grid.v)
    np.testing.assert_array_equal(picture(out), wanted)
    assert wanted.dtype == np.float32


def test_lod_bias_and_first_level(brick):
    out = brick.with_name("out.npy")
    sampler = ts.Sampler()
    for options, wanted in [
        (("--lod", 1.5), drawn(brick, sampler, lod=1.5)),
        (("--bias", 1.25), drawn(brick, sampler, bias=1.25)),
        (("--level", 2, "--lod", 0), drawn(brick, sampler, lod=2)),
    ]:
        result = sample(brick, out, "--size", "64x48", "--transform", TRANSFORM, "-y", *options)
        assert result.exit_code == 0, result.output
        np.testing.assert_array_equal(picture(out), wanted)


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "BC7_UNORM", "BC1_UNORM_SRGB", "BC4_UNORM", "BC6H_UF16"])
def test_levels_are_made_where_the_file_has_none(tmp_path, format):
    write_texture(tmp_path / "one.dds", texture(format, width_px=16, height_px=16, levels=1))
    out = tmp_path / "out.npy"
    result = sample(tmp_path / "one.dds", out, "--size", "4x4", "--address", "clamp")
    assert result.exit_code == 0, result.output
    assert "note: the texture has one level: a box filter made the others" in result.stderr
    texels = ts.load(ts.Surface.open(tmp_path / "one.dds", device="cpu"), *np.mgrid[0:16, 0:16].transpose(0, 2, 1))
    means = texels.astype(float).reshape(4, 4, 4, 4, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(picture(out), means, atol=0.006, rtol=2e-3)
    assert "note" not in sample(tmp_path / "one.dds", out, "--size", "4x4", "--filter", "linear", "-y").stderr


@pytest.mark.parametrize(
    ("format", "dtype", "channels"),
    [
        ("BC1_UNORM_SRGB", "uint8", 4),
        ("B5G6R5_UNORM", "uint8", 3),
        ("L8_UNORM", "uint8", 1),
        ("R8G8_SNORM", "int8", 2),
        ("R8G8B8A8_UINT", "uint8", 4),
        ("R16G16_UNORM", "uint16", 2),
        ("BC4_UNORM", "uint16", 1),
    ],
)
def test_depth_of_pngs(tmp_path, format, dtype, channels):
    """At its own size with nearest texels, a texture is what `decode` says that it is."""
    write_texture(tmp_path / "in.dds", texture(format, width_px=24, height_px=12, levels=1))
    result = sample(tmp_path / "in.dds", tmp_path / "out.png", "--size", "24x12", "--filter", "nearest")
    assert result.exit_code == 0, result.output
    assert f"4 channels of {dtype}, {format} 24x12 through nearest, 1 level\n" in result.stdout
    decoded = runner.invoke(app, ["decode", str(tmp_path / "in.dds"), str(tmp_path / "decoded.png")])
    assert decoded.exit_code == 0
    found, wanted = (shares(tmp_path / each)[..., :channels] for each in ("out.png", "decoded.png"))
    np.testing.assert_allclose(found, wanted, atol=1e-7 if format != "BC4_UNORM" else 1 / 255)
    assert len(np.unique(found)) > 2


def shares(path):
    """A picture from 0 to 1."""
    images = read_texture(path)
    dtype = np.dtype(np.uint16 if "16" in images.format else np.uint8)
    texels = np.frombuffer(images.images[0][0], dtype)
    return texels.reshape(images.height_px, images.width_px, -1) / np.iinfo(dtype).max


def test_cubes_volumes_arrays_and_rows(tmp_path):
    nearest = ts.Sampler(**FILTERS["nearest"])
    grid = ts.quad_grid((32, 20), TRANSFORM, device="cpu")
    for kind, options, coordinates in [
        ("cube array", ("--layer", 1, "--face", "-z"), lambda: face_directions(5, grid.u, grid.v)),
        ("2D array", ("--layer", 2), lambda: (grid.u, grid.v)),
        ("3D", ("--layer", 3), lambda: (grid.u, grid.v, 0.7)),
        ("1D", (), lambda: (grid.u,)),
    ]:
        images = texture("R8G8B8A8_UNORM", **KINDS[kind])
        path, out = tmp_path / "in.ktx2", tmp_path / "out.png"
        write_texture(path, images, overwrite=True)
        result = sample(
            path, out, "--size", "32x20", "--transform", TRANSFORM, "--filter", "nearest", "--plane", "-y", *options
        )
        assert result.exit_code == 0, result.output
        layer = {"layer": float(options[1])} if "array" in kind else {}
        made = ts.Surface.open(path, device="cpu")
        np.testing.assert_array_equal(picture(out), ts.sample(made, nearest, *coordinates(), **layer, dtype=np.uint8))


def test_raw_elements_from_standard_input(brick):
    data = read_texture(brick).images[0][0]
    options = ("--format", "BC3", "--texture-size", "32x16", "--size", "32x16", "--filter", "nearest")
    run = texsamp("sample", "-", "out.png", *options, cwd=brick.parent, stdin=data)
    assert run.returncode == 0, run.stderr
    np.testing.assert_array_equal(picture(brick.with_name("out.png")), ts.Surface.open(brick, device="cpu").to_array())


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("brick.dds", "x.png"), "--size"),
            (
                ("brick.dds", "x.jpg", "--size", "4x4"),
                "x.jpg: the extension says no picture, use one of .png .tga .exr",
            ),
            (("brick.dds", "x.png", "--size", "4"), "must be WIDTHxHEIGHT in texels"),
            (("brick.dds", "x.png", "--size", "4x12345678"), "from 1 to 65536 texels, found 12345678"),
            (("brick.dds", "x.png", "--size", "65536x65536"), "a grid may have 67108864 pixels, found 65536 x 65536"),
            (("brick.dds", "x.png", "--size", "4x4", "--filter", "cubic"), "filter must be one of nearest, linear"),
            (("brick.dds", "x.png", "--size", "4x4", "--address", "wrap,edge"), "address must be one of wrap, mirror"),
            (("brick.dds", "x.png", "--size", "4x4", "--address", "wrap,wrap,wrap,wrap"), "one for each of 3 axes"),
            (("brick.dds", "x.png", "--size", "4x4", "--border", "1,2"), "border takes red, green, blue and alpha"),
            (("brick.dds", "x.png", "--size", "4x4", "--border", "0,0,nan,1"), "border must be finite, found nan"),
            (("brick.dds", "x.png", "--size", "4x4", "--lod", "nan"), "lod must be finite, found nan"),
            (("brick.dds", "x.png", "--size", "4x4", "--bias", "inf"), "bias must be finite, found inf"),
            (("brick.dds", "x.png", "--size", "4x4", "--transform", "spin=1"), "must be steps of scale, rotate"),
            (("brick.dds", "x.png", "--size", "4x4", "--transform", "scale=0"), "scale must not be 0"),
            (("brick.dds", "x.png", "--size", "4x4", "--lod", "1", "--bias", "1"), "goes without bias"),
            (("brick.dds", "x.png", "--size", "4x4", "--format", "BC3"), "both --format and --texture-size"),
            (("brick.dds", "x.png", "--size", "4x4", "--level", "-1"), "--level"),
        ],
    )
    def test_bad_usage(self, brick, monkeypatch, arguments, message):
        monkeypatch.chdir(brick.parent)
        result = sample(*arguments)
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
            (("brick.dds", "nowhere/x.png"), "there is no directory 'nowhere'"),
        ],
    )
    def test_failures(self, brick, monkeypatch, arguments, message):
        monkeypatch.chdir(brick.parent)
        result = sample(*arguments, "--size", "4x4")
        assert result.exit_code == 1
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert [path.name for path in brick.parent.iterdir()] == ["brick.dds"]

    def test_floats_and_integers_where_they_cannot_be(self, tmp_path):
        for format, filter, out, message in [
            ("BC6H_UF16", "linear", "x.png", "PNG holds no floats, BC6H_UF16 has some; OUT.exr"),
            ("R32G32_UINT", "nearest", "x.png", "PNG holds unsigned numbers of 8 or 16 bits"),
            ("R32G32_UINT", "nearest", "x.exr", "EXR holds half and float"),
            ("R32G32_UINT", "linear", "x.npy", "integers, which cannot be filtered"),
        ]:
            write_texture(tmp_path / "in.dds", texture(format, levels=1), overwrite=True)
            result = sample(tmp_path / "in.dds", tmp_path / out, "--size", "4x4", "--filter", filter)
            assert result.exit_code == 1
            assert message in result.stderr
            assert not (tmp_path / out).exists()

    def test_an_existing_picture_stays_and_errors_are_one_line(self, brick):
        brick.with_name("out.png").write_text("precious")
        run = texsamp("sample", "brick.dds", "out.png", "--size", "8x8", cwd=brick.parent)
        assert run.returncode == 1
        assert "exists already" in one_line(run.stderr)
        assert brick.with_name("out.png").read_text() == "precious"
