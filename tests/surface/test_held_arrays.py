"""What people hold goes in as it is: lists, doubles, big-endian numbers, pictures, other libraries' words and names."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import texsamp as ts
from texsamp.errors import FormatError
from texsamp.state.format_names import format_rows
from texsamp.state.formats import surface_format

RNG = np.random.default_rng(10)
CODES = RNG.integers(0, 256, (6, 5, 4), dtype=np.uint8)
VALUES = RNG.random((6, 5, 4))
AT = np.linspace(0, 1, 7)


def made(array, *args, **options):
    return ts.Surface.from_array(array, *args, device="cpu", **options)


class HasArray:
    def __array__(self, dtype=None, copy=None):
        return CODES


class Tensor:
    """As torch's, as far as it is asked."""

    def __init__(self, *, requires_grad=False, dtype="torch.float32"):
        self.requires_grad, self.dtype = requires_grad, dtype

    def __dlpack__(self, **options):
        raise RuntimeError("Can't export tensors that require gradient, use tensor.detach()")

    def __dlpack_device__(self):
        return 1, 0


class OnGpu:
    """As an array there, of a package that copies to the host where it is asked to."""

    dtype, shape = CODES.dtype, CODES.shape

    def __init__(self, *, copies: bool) -> None:
        self._copies = copies

    def __dlpack__(self, *, dl_device=None, copy=None, stream=None, max_version=None):
        if not (self._copies and dl_device == (1, 0) and copy):
            raise BufferError("it stays where it is")
        return CODES.copy().__dlpack__()

    def __dlpack_device__(self):
        return 2, 0


class TestTexels:
    def test_those_of_a_gpu_come_to_the_cpu(self):
        assert np.array_equal(made(OnGpu(copies=True)).to_array(), CODES)
        with pytest.raises(ts.FormatError, match="is on a GPU, and cannot be brought to the CPU: it stays where it is"):
            made(OnGpu(copies=False))

    def test_lists_pictures_and_other_arrays(self):
        for held in (CODES.tolist(), HasArray(), Image.fromarray(CODES), CODES.astype(np.int64), CODES.astype(">u2")):
            assert np.array_equal(made(held).to_array(), CODES)

    def test_doubles_halves_and_big_endian_numbers(self):
        singles = made(VALUES.astype(np.float32))
        assert made(VALUES) == singles
        assert made(VALUES.astype(">f4")) == singles
        assert made(VALUES.astype(">f8").tolist()) == singles
        halves = VALUES.astype(np.float16)
        assert made(halves) == made(halves.astype(np.float32))
        assert np.array_equal(made(halves, "R16G16B16A16_FLOAT").to_array(), halves)

    def test_three_channels_get_an_alpha_of_one(self):
        for held, one in ((CODES[..., :3], 255), (Image.fromarray(CODES[..., :3]), 255), (VALUES[..., :3], 255)):
            texels = made(held).to_array()
            assert (texels[..., 3] == one).all()
        assert np.array_equal(made(CODES[..., :3]).to_array()[..., :3], CODES[..., :3])
        assert (made(CODES[..., :3], "R8G8B8A8_UINT").to_array()[..., 3] == 1).all()
        assert (made(CODES[..., :3].astype(np.int8), "R8G8B8A8_SNORM").to_array()[..., 3] == 127).all()

    def test_palettes_of_pictures(self):
        palette = Image.fromarray(CODES[..., :3]).quantize(5)
        assert np.array_equal(made(palette).to_array(), np.asarray(palette.convert("RGBA")))

    def test_gray_pictures_are_colors_where_the_format_has_them(self):
        gray = Image.fromarray(CODES[..., 0])
        assert np.array_equal(made(gray).to_array(), np.asarray(gray.convert("RGBA")))
        assert np.array_equal(made(gray, "R8_UNORM").to_array(), CODES[..., :1])
        clear = Image.merge("LA", [gray, Image.fromarray(CODES[..., 3])])
        assert np.array_equal(made(clear).to_array(), CODES[..., [0, 0, 0, 3]])
        assert np.array_equal(made(clear, "L8A8_UNORM").to_array(), CODES[..., [0, 3]])
        wide = Image.fromarray(CODES[..., 0].astype(np.uint16) * 257)
        for mode in ("I;16", "I"):
            assert np.array_equal(
                made(wide.convert(mode), "R16_UNORM").to_array()[..., 0], CODES[..., 0] * np.uint16(257)
            )

    @pytest.mark.parametrize(
        ("held", "words"),
        [
            (None, "array must be real numbers, found NoneType"),
            ("abc", "array must be real numbers, found str"),
            ([[1], [2, 3]], "array is no array of numbers"),
            (np.full((2, 2, 4), 256), "texels of R8G8B8A8_UNORM are integers from 0 to 255, found 256 to 256"),
            (np.zeros((2, 2, 4), complex), "can be uint8 or float32, found dtype 'complex128'"),
            (Tensor(requires_grad=True), r"needs gradients, which stop here: give array.detach\(\)"),
            (Tensor(dtype="torch.bfloat16"), r"array is of bfloat16, .*: give array.float\(\)"),
            (Tensor(), "array is no array of numbers: Can't export"),
        ],
    )
    def test_what_is_no_array_is_refused_in_words(self, held, words):
        with pytest.raises(ts.FormatError, match=words):
            made(held)

    def test_shape_and_array_are_those_of_level_0(self):
        faces = np.zeros((12, 4, 4, 4), np.uint8)
        for held, type in ((CODES, None), (CODES[None], None), (CODES, "1D"), (CODES[None], "3D"), (faces, "cube")):
            surface = made(held, type=type, mips="box")
            assert surface.shape == held.shape
            assert np.array_equal(np.asarray(surface), held)
        assert made(CODES[..., 0], "R8_UNORM").shape == (6, 5, 1)
        assert np.asarray(made(CODES), dtype=np.float32).dtype == np.float32


class TestCoordinates:
    def test_lists_doubles_and_big_endian_numbers(self):
        surface = made(CODES)
        expected = ts.sample(surface, ts.Sampler(), AT.astype(np.float32), AT.astype(np.float32))
        for u in (AT, AT.tolist(), AT.astype(">f8"), tuple(AT)):
            assert np.array_equal(ts.sample(surface, ts.Sampler(), u, AT), expected)

    def test_they_broadcast(self):
        surface = made(CODES)
        u, v = np.meshgrid(AT, AT[:3])
        expected = ts.sample(surface, ts.Sampler(), u, v, lod=0)
        assert np.array_equal(ts.sample(surface, ts.Sampler(), AT, AT[:3, None], lod=0), expected)
        assert np.array_equal(ts.sample(surface, ts.Sampler(), AT[None], AT[:3, None], lod=np.zeros((3, 1))), expected)
        texels = ts.load(surface, np.arange(5), np.arange(6)[:, None])
        assert np.array_equal(texels, ts.load(surface, *np.meshgrid(np.arange(5), np.arange(6))))
        with pytest.raises(ts.FormatError, match=r"must fit coordinates of shape \(7,\), found \(7, 7\)"):
            ts.sample(made(CODES, mips="box"), ts.Sampler(), AT, AT, lod=np.zeros((7, 1)))

    def test_one_array_has_all_axes(self):
        cube = made(RNG.integers(0, 256, (6, 4, 4, 4), dtype=np.uint8), type="cube")
        directions = RNG.standard_normal((3, 5, 3))
        apart = ts.sample(cube, ts.Sampler(), *np.moveaxis(directions, -1, 0))
        assert np.array_equal(ts.sample(cube, ts.Sampler(), directions), apart)
        assert np.array_equal(ts.gather4(cube, ts.Sampler(), directions).shape, (3, 5, 4))
        assert ts.verify(cube, ts.Sampler(), directions, result=apart).ok
        places = RNG.random((9, 2))
        surface = made(CODES)
        apart = ts.sample(surface, ts.Sampler(), places[:, 0], places[:, 1])
        assert np.array_equal(ts.sample(surface, ts.Sampler(), places), apart)
        with pytest.raises(ts.FormatError, match="SURFTYPE_2D is sampled at u, v, found v missing"):
            ts.sample(surface, ts.Sampler(), directions)

    def test_wrong_objects_are_refused_in_words(self):
        surface = made(CODES)
        with pytest.raises(
            ts.StateError, match=r"surface must be a Surface, found ndarray; Surface.from_array makes one"
        ):
            ts.sample(CODES, ts.Sampler(), AT, AT)
        with pytest.raises(ts.StateError, match="sampler must be a Sampler, found str"):
            ts.sample(surface, "linear", AT, AT)
        with pytest.raises(ts.StateError, match="surface must be a Surface, found str"):
            ts.load("x.png", 0, 0)
        with pytest.raises(ts.FormatError, match="u must be real numbers, found str"):
            ts.sample(surface, ts.Sampler(), "middle", AT)
        with pytest.raises(ts.StateError, match="sampler must be a Sampler, found NoneType"):
            ts.gather4(surface, None, AT, AT)
        with pytest.raises(ts.FormatError, match="lod must be real numbers, found 'low'"):
            ts.sample(surface, ts.Sampler(), AT, AT, lod="low")
        with pytest.raises(ts.FormatError, match=r"gradients are two groups .* found groups of \[\]"):
            ts.sample(surface, ts.Sampler(), AT, AT, gradients=object())
        with pytest.raises(ts.FormatError, match="array is a tensor that needs gradients"):
            ts.verify(surface, ts.Sampler(), AT, AT, result=Tensor(requires_grad=True))
        with pytest.raises(ts.FormatError, match="array is of bfloat16"):
            ts.Frame.from_arrays("gray", [Tensor(dtype="torch.bfloat16")], 4, 4)
        with pytest.raises(ts.StateError, match="RENDER_SURFACE_STATE is read from bytes, found str"):
            ts.Surface.from_memory(surface.data, "state")
        with pytest.raises(ts.FormatError, match="written to a path, found NoneType"):
            surface.save(None)
        with pytest.raises(ts.FormatError, match="dtype must be a type of numbers"):
            ts.sample(surface, ts.Sampler(), AT, AT, dtype=Tensor())
        with pytest.raises(ts.FormatError, match="read from a path, bytes or a file, found int"):
            ts.Surface.open(5)


class TestWords:
    def test_formats_by_the_names_of_others(self):
        for word, name in (
            ("rgba8", "R8G8B8A8_UNORM"), ("GL_SRGB8_ALPHA8", "R8G8B8A8_UNORM_SRGB"), ("rg16f", "R16G16_FLOAT"),
            ("rgba8unorm-srgb", "R8G8B8A8_UNORM_SRGB"), ("GL_RGB10_A2", "R10G10B10A2_UNORM"), ("r32ui", "R32_UINT"),
            ("bgra8unorm", "B8G8R8A8_UNORM"), ("VK_FORMAT_A8B8G8R8_UNORM_PACK32", "R8G8B8A8_UNORM"),
            ("dxgi_format_r8g8b8a8_unorm", "R8G8B8A8_UNORM"), ("GL_R11F_G11F_B10F", "R11G11B10_FLOAT"),
            ("GL_LUMINANCE8_ALPHA8", "L8A8_UNORM"), ("GL_LUMINANCE16F_ARB", "L16_FLOAT"),
            ("GL_BGRA8_EXT", "B8G8R8A8_UNORM"),
            ("GL_SLUMINANCE8", "L8_UNORM_SRGB"), ("GL_INTENSITY16", "I16_UNORM"), ("GL_ALPHA8", "A8_UNORM"),
            ("GL_DEPTH24_STENCIL8", "R24_UNORM_X8_TYPELESS"), ("d32f", "R32_FLOAT"), ("rg11b10f", "R11G11B10_FLOAT"),
        ):  # fmt: skip
            assert surface_format(word).name == name
        assert made(CODES, "rgba8") == made(CODES)
        for word in ("rgba2", "rgba", "", "GL_", "8", "rgba8x"):
            with pytest.raises(ts.FormatError, match="no surface format"):
                surface_format(word)

    @pytest.mark.parametrize(
        ("table", "prefix"), [("dxgi_formats.csv", "DXGI_FORMAT_"), ("vk_formats.csv", "VK_FORMAT_")]
    )
    def test_every_name_of_the_tables(self, table, prefix):
        rows = [row for row in format_rows(table) if row["format"]]
        assert len(rows) > 80
        assert all(surface_format(prefix + row["name"]).name == row["format"] for row in rows)

    def test_blocks_by_the_names_of_opengl(self):
        block = bytes(8)
        expected = ts.decode(block, "BC1_UNORM", 4, 4)
        assert np.array_equal(ts.decode(block, "GL_COMPRESSED_RGBA_S3TC_DXT1_EXT", 4, 4), expected)

    def test_samplers_by_the_words_of_others(self):
        assert ts.Sampler(address="repeat") == ts.Sampler(address="wrap")
        assert ts.Sampler(address=("clamp_to_edge", "mirrored_repeat")) == ts.Sampler(address=("clamp", "mirror"))
        assert ts.Sampler(min_filter="bilinear", mag_filter="point") == ts.Sampler(
            min_filter="linear", mag_filter="nearest"
        )
        assert ts.Sampler(max_anisotropy=1) == ts.Sampler()
        with pytest.raises(ts.StateError, match="trilinear is min_filter and mag_filter linear with mip_filter linear"):
            ts.Sampler(min_filter="trilinear")
        for words in (
            "GL_REPEAT",
            "VK_SAMPLER_ADDRESS_MODE_REPEAT",
            "D3D12_TEXTURE_ADDRESS_MODE_WRAP",
            "TEXCOORDMODE_WRAP",
        ):
            assert ts.Sampler(address=words) == ts.Sampler(address="wrap")
        assert ts.Sampler(mag_filter="VK_FILTER_NEAREST") == ts.Sampler(mag_filter="nearest")
        for words in ("GL_LEQUAL", "VK_COMPARE_OP_LESS_OR_EQUAL", "D3D12_COMPARISON_FUNC_LESS_EQUAL", "<="):
            assert ts.Sampler(compare=words) == ts.Sampler(compare="lequal")
        with pytest.raises(ts.StateError, match=r"MIPMAP_NEAREST.*min_filter linear with mip_filter nearest"):
            ts.Sampler(min_filter="GL_LINEAR_MIPMAP_NEAREST")
        with pytest.raises(ts.StateError, match=r"hardware or exact, found 'linear'; .*min_filter"):
            ts.Sampler(filter="linear")
        with pytest.raises(ts.StateError, match="words of other interfaces go to compare"):
            ts.Sampler(shadow="GL_LESS")


@pytest.mark.parametrize(
    ("mode", "format", "shape"),
    [("1", "L8_UNORM", (4, 5, 1)), ("La", "L8A8_UNORM", (4, 5, 2)), ("CMYK", "R8G8B8_UNORM", (4, 5, 3))],
)
def test_pictures_of_odd_modes(mode, format, shape):
    """Neither layers nor another package's exceptions."""
    picture = Image.new(mode, (5, 4))
    assert ts.Surface.from_array(picture, format, device="cpu").shape == shape


def test_colors_for_a_format_of_one_channel_are_no_layers():
    with pytest.raises(FormatError, match="R8_UNORM has 1 channels, found a picture of mode RGB"):
        ts.Surface.from_array(Image.new("RGB", (5, 4)), "R8_UNORM", device="cpu")


def test_truths_are_values_of_0_and_1():
    mask = CODES > 99
    assert np.array_equal(made(mask).to_array(), np.where(mask, 255, 0))
    assert np.array_equal(made(mask, "R8G8B8A8_UINT").to_array(), mask)
