"""Encoding through the libraries of the `encode` extra: pictures come back nearly, and failures are errors."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from texsamp import FormatError, Surface, get_device
from texsamp.state.formats import surface_format
from texsamp.surface import encode as encode_module
from texsamp.surface.encode import ENCODERS, encodable, encode

CPU = get_device("cpu")


def needs(library):
    return pytest.mark.skipif(importlib.util.find_spec(library) is None, reason=f"{library} is not installed")


def picture(channels, height=45, width=70):
    """A smooth picture, as encoders like them, opaque if it has alpha."""
    y, x = np.mgrid[0:height, 0:width]
    planes = [2 * x + y, 4 * y, x + y + 60, np.full_like(x, 255)]
    return np.stack(planes[:channels], -1).astype(np.uint8)


def as_8_bits(texels):
    return texels if texels.dtype == np.uint8 else np.round(texels / np.iinfo(texels.dtype).max * 255)


def skip_without_encoder(format):
    library = "astc_encoder" if format.startswith("ASTC") else ENCODERS[format].library
    if library:
        pytest.importorskip(library)


def values_of(format):
    """A smooth picture as values of a format: signed where it is, opaque where it must be."""
    info = surface_format(format)
    values = picture(len(info.channels)).astype(np.float32) / 255
    if info.channels[0].kind == "snorm" or format == "BC6H_SF16":
        values = values * 2 - 1
    return values


FLOATS_AND_CODES = [*ENCODERS, "ASTC_HDR_2D_6x5_FLT16"]


@pytest.mark.parametrize("format", FLOATS_AND_CODES)
def test_pictures_come_back_nearly(format):
    skip_without_encoder(format)
    array = values_of(format)
    surface = Surface.from_array(array, format, mips="box", tiling="Y", device="cpu")
    assert surface.levels == 7
    error = np.abs(surface.to_array(dtype=np.float32) - array)
    assert error.mean() < 0.02
    # One line of colors in a block cannot follow ramps that cross.
    assert error.max() < (0.3 if "SF16" in format or "HDR" in format else 0.1)
    assert np.abs(surface.to_array(2, dtype=np.float32).mean((0, 1)) - array.mean((0, 1))).max() < 0.03


@pytest.mark.parametrize("format", ["BC4_SNORM", "BC5_SNORM"])
def test_signed_channels_reach_every_step_of_their_palette(format):
    """Ramps of sevenths are exact, single values and -128, too."""
    channels = len(surface_format(format).channels)
    ramp = np.array([-126, -90, -54, -18, 18, 54, 90, 126] * 2, np.int8).reshape(4, 4, 1).repeat(channels, 2)
    flat = np.full((4, 4, channels), -37, np.int8)
    lowest = np.where(flat < 0, -128, 0).astype(np.int8)
    array = np.concatenate([ramp, flat, lowest], 1)
    found = Surface.from_array(array, format, device="cpu").to_array()
    np.testing.assert_array_equal(found, np.maximum(array, -127))


def test_alpha_of_bc2_is_the_nearest_of_sixteen():
    skip_without_encoder("BC2_UNORM")
    array = picture(4, 16, 16)
    array[..., 3] = np.arange(256, dtype=np.uint8).reshape(16, 16)
    found = Surface.from_array(array, "BC2_UNORM", device="cpu").to_array()[..., 3].astype(int)
    np.testing.assert_array_equal(found, np.floor(array[..., 3] / 17 + 0.5).astype(int) * 17)


def test_signed_halves_of_one_line_are_nearly_exact():
    """Blocks whose texels lie on a line between two endpoints: an error of an endpoint's step and half an index."""
    ends = np.array([[-900.0, 3.5, 0.25], [1200.0, -7.0, 8.0]]).astype(np.float16).view(np.int16).astype(np.int64)
    signed = np.where(ends < 0, -(ends & 0x7FFF), ends)
    steps = signed[0] + (signed[1] - signed[0]) * np.arange(16)[:, None] // 15
    bits = np.where(steps < 0, 0x8000 | -steps, steps).astype(np.uint16).reshape(4, 4, 3)
    found = Surface.from_array(bits.view(np.float16), "BC6H_SF16", device="cpu").to_array()
    back = found.view(np.int16).astype(np.int64)
    error = np.where(back < 0, -(back & 0x7FFF), back) - steps.reshape(4, 4, 3)
    assert np.abs(error).max() < 700  # of 31743 each way


def test_what_halves_cannot_hold_is_clamped():
    skip_without_encoder("BC6H_UF16")
    array = np.full((4, 4, 3), 1.0, np.float32)
    array[0, 0] = np.nan, np.inf, -5
    codes = encodable(array, surface_format("BC6H_UF16"), CPU)
    assert codes.dtype == np.float16
    assert codes[0, 0].tolist() == [0, 65504, 0]
    assert encodable(array, surface_format("BC6H_SF16"), CPU)[0, 0].tolist() == [0, 65504, -5]


@pytest.mark.parametrize("format", ["BC3_UNORM", "BC7_UNORM", "ETC2_EAC_RGBA8"])
def test_alpha_comes_back_nearly(format):
    skip_without_encoder(format)
    array = picture(4)
    array[..., 3] = array[..., 0] // 2 + 40
    found = Surface.from_array(array, format, device="cpu").to_array()
    assert np.abs(found.astype(int) - array).mean((0, 1)).max() < 3


@needs("astc_encoder")
@pytest.mark.parametrize("block", ["4x4", "6x5", "12x12"])
@pytest.mark.parametrize("ending", ["UNORM", "SRGB"])
def test_astc_comes_back_nearly(block, ending):
    surface = Surface.from_array(picture(4), f"ASTC_{block}_{ending}", device="cpu")
    assert surface.format.startswith("ASTC_LDR")
    found = surface.to_array()
    assert np.abs(as_8_bits(found).astype(int) - picture(4)).mean() < 3


@needs("ispc_texcomp")
def test_other_names_of_formats():
    assert Surface.from_array(picture(4), "DXT5", device="cpu").format == "BC3_UNORM"


@needs("ispc_texcomp")
def test_floats_are_converted_first():
    array = picture(4)
    floats = array.astype(np.float32) / np.float32(255)
    assert Surface.from_array(floats, "BC7_UNORM", device="cpu") == Surface.from_array(array, "BC7_UNORM", device="cpu")
    linear = Surface.from_array(array, "R8G8B8A8_UNORM_SRGB", device="cpu").to_array(dtype=np.float32)
    from_light = Surface.from_array(linear, "BC7_UNORM_SRGB", device="cpu")
    assert from_light == Surface.from_array(array, "BC7_UNORM_SRGB", device="cpu")


@needs("ispc_texcomp")
def test_mips_of_blocks_are_made_of_the_picture_and_encoded_alone():
    array = picture(4, 32, 32)
    surface = Surface.from_array(array, "BC7_UNORM", mips="kaiser", device="cpu")
    plain = Surface.from_array(array, mips="kaiser", device="cpu")
    for level in range(surface.levels):
        alone = Surface.from_array(plain.to_array(level), "BC7_UNORM", device="cpu")
        np.testing.assert_array_equal(surface.elements(level), alone.elements())


@needs("ispc_texcomp")
def test_mips_of_blocks_can_be_made_later():
    surface = Surface.from_array(picture(4), "BC7_UNORM", device="cpu").with_mips("box")
    assert surface.levels == 7
    assert surface.view(level=0).with_mips(levels=1) == surface.view(level=0)
    expected = Surface.from_array(surface.to_array(), mips="box", device="cpu").to_array(1)
    assert np.abs(surface.to_array(1).astype(int) - expected).mean() < 2


@needs("ispc_texcomp")
@pytest.mark.parametrize("shape", [(6, 8, 8, 4), (2, 5, 3, 4)])
def test_faces_and_slices_are_encoded(shape):
    array = np.broadcast_to(np.arange(shape[0], dtype=np.uint8)[:, None, None, None] * 40, shape).copy()
    array[..., 3] = 255
    surface = Surface.from_array(array, "BC7_UNORM", type="CUBE" if shape[0] == 6 else None, device="cpu")
    assert np.abs(surface.to_array().astype(int) - array).max() <= 2


@needs("ispc_texcomp")
@pytest.mark.parametrize(
    ("array", "format", "message"),
    [
        (np.zeros((4, 4, 4), np.uint8), "BC1_UNORM", "BC1_UNORM without alpha, found alpha below 255: use BC3 or BC7"),
        (np.full((4, 4, 4), 256), "BC7_UNORM", "texels of BC7_UNORM are integers from 0 to 255, found 256 to 256"),
        (np.zeros((4, 4, 4), np.uint8), "FXT1", "formats that can be encoded are .*, found FXT1"),
        (np.zeros((4, 4, 3), np.uint8), "BC6H_UF16", "BC6H_UF16 is encoded from float16 or float32, found uint8"),
    ],
)
def test_what_cannot_be_encoded(array, format, message):
    with pytest.raises(FormatError, match=message):
        Surface.from_array(array, format, device="cpu")


@pytest.mark.parametrize(("format", "package"), [("BC7_UNORM", "ispc-texcomp"), ("ETC2_RGB8", "etcpak")])
def test_without_the_extra_the_error_says_what_to_install(format, package, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FormatError, match=rf"{format} needs {package}: pip install 'texsamp\[encode\]'"):
        Surface.from_array(picture(len(surface_format(format).channels)), format, device="cpu")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import os; os.abort()", "ispc_texcomp failed to encode BC7_UNORM: status -6, no message"),
        ("raise RuntimeError('no blocks today')", "status 1, RuntimeError: no blocks today"),
        ("import sys; sys.stdin.buffer.read(); sys.stdout.buffer.write(bytes(8))", "16 bytes, the encoder gave 0"),
        ("import sys; sys.stdin.buffer.read()", "16 bytes, the encoder gave 0"),
    ],
)
def test_an_encoder_that_dies_is_an_error(program, message, monkeypatch, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(program)
    monkeypatch.setattr(encode_module, "_WORKER", worker)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: "here")
    with pytest.raises(FormatError, match=message):
        encode([picture(4, 4, 4)], surface_format("BC7_UNORM"), CPU)


def test_a_python_that_cannot_be_started_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: "here")
    with pytest.raises(FormatError, match=r"cannot start .* to encode BC7_UNORM"):
        encode([picture(4, 4, 4)], surface_format("BC7_UNORM"), CPU)


def test_importing_texsamp_imports_no_encoder():
    code = "import texsamp, sys; print([n for n in ('etcpak', 'astc_encoder', 'ispc_texcomp') if n in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
