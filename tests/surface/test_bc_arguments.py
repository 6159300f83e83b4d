"""What `decode` takes and refuses: names, sizes, buffers, policies; nothing is read or written outside."""

import ctypes

import numpy as np
import pytest
from pictures import ExactDevice
from pictures.blocks import block_count, format_of_each_decoder, random_blocks

from texsamp import FormatError, decode
from texsamp.state.formats import surface_format, surface_formats
from texsamp.surface.codec.formats import ALIASES, DECODERS, ROUNDINGS, block_decoder

NATURAL = {name: decoder.dtype for name, decoder in DECODERS.items()}


@pytest.mark.parametrize("name", format_of_each_decoder())
def test_every_small_size_is_the_corner_of_a_whole_one(name):
    """Sizes 1 to 17 in both directions; data is exactly as long as its blocks."""
    device = ExactDevice()
    info = surface_format(name)
    for width in range(1, 18):
        for height in (1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17):
            columns, rows = -(-width // info.block_width), -(-height // info.block_height)
            blocks = random_blocks(name, columns * rows, 17 * width + height)
            whole = decode(blocks, name, info.block_width * columns, info.block_height * rows, device="cpu")
            part = decode(blocks, name, width, height, device=device)
            assert part.shape == (height, width, len(info.channels))
            assert part.dtype == NATURAL[name]
            assert part.tobytes() == np.ascontiguousarray(whole[:height, :width]).tobytes()


class Guarded(ExactDevice):
    """Output arrays lie between bytes that nobody may touch."""

    def __init__(self):
        super().__init__()
        self.around = []

    def empty(self, shape, dtype):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        memory = np.full(size + 128, 0xA5, np.uint8)
        self.around.append(memory)
        return memory[64 : 64 + size].view(dtype).reshape(shape)


@pytest.mark.parametrize("name", format_of_each_decoder())
def test_nothing_is_written_outside(name):
    for width, height in ((1, 1), (5, 3), (17, 6), (515, 2), (512, 4)):
        device = Guarded()
        blocks = random_blocks(name, block_count(name, width, height), 5)
        decode(blocks, name, width, height, device=device)
        (memory,) = device.around
        assert (memory[:64] == 0xA5).all()
        assert (memory[-64:] == 0xA5).all()


def test_srgb_formats_keep_the_encoded_values():
    for name in DECODERS:
        if name.endswith("_SRGB"):
            blocks = random_blocks(name, 16, 3)
            linear = decode(blocks, name.removesuffix("_SRGB"), 16, 16, device="cpu")
            assert np.array_equal(decode(blocks, name, 16, 16, device="cpu"), linear)


# -- names -----------------------------------------------------------------------------------------------------------


def test_every_compressed_format_of_the_table_has_a_decoder():
    families = ("BC", "DXT", "ETC", "EAC", "FXT")
    assert {name for name in surface_formats() if name.startswith(families)} <= set(DECODERS)


def test_other_names_are_of_formats_with_a_decoder():
    assert not set(ALIASES) & set(surface_formats())
    assert set(ALIASES.values()) <= set(DECODERS)


@pytest.mark.parametrize("name", ["astc4x4", "ASTC_4x4", "astc4x4_unorm", "VK_FORMAT_ASTC_4x4_UNORM_BLOCK"])
def test_astc_goes_by_short_names(name):
    assert block_decoder(name)[0].name == "ASTC_LDR_2D_4x4_FLT16"
    assert block_decoder(name.lower().replace("4x4", "6x5"))[0].name == "ASTC_LDR_2D_6x5_FLT16"


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("dxt5", "BC3_UNORM"),
        ("DXT1", "BC1_UNORM"),
        ("bc7", "BC7_UNORM"),
        ("DXGI_FORMAT_BC6H_SF16", "BC6H_SF16"),
        ("VK_FORMAT_BC1_RGB_SRGB_BLOCK", "DXT1_RGB_SRGB"),
        ("VK_FORMAT_BC6H_UFLOAT_BLOCK", "BC6H_UF16"),
        ("BC5S", "BC5_SNORM"),
        ("etc1", "ETC1_RGB8"),
        ("VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK", "ETC2_SRGB8_PTA"),
        ("VK_FORMAT_EAC_R11G11_SNORM_BLOCK", "EAC_SIGNED_RG11"),
        ("fxt1", "FXT1"),
    ],
)
def test_other_names(alias, name):
    assert block_decoder(alias)[0].name == name


@pytest.mark.parametrize("name", ["", "BC8", "R8G8B8A8_UNORM", "ETC", "BC1_UNORM " * 1000])
def test_unknown_names(name):
    with pytest.raises(FormatError, match=r"format must be one of BC1_UNORM, .*BC7_UNORM_SRGB"):
        decode(bytes(8), name, 4, 4, device="cpu")


# -- sizes and data --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 7, 31, 33, 40, 64])
def test_data_of_another_size(length):
    with pytest.raises(FormatError, match=rf"BC1_UNORM of 7x5 texels has 2x2 blocks of 8 bytes, 32 bytes.*{length}$"):
        decode(bytes(length), "BC1", 7, 5, device="cpu")


@pytest.mark.parametrize("size", [0, -1, 65537, 1 << 31, 1 << 80])
def test_sides_out_of_range(size):
    with pytest.raises(FormatError, match=rf"width must be from 1 to 65536 texels, found {size}"):
        decode(bytes(8), "BC1", size, 4, device="cpu")
    with pytest.raises(FormatError, match=rf"height must be from 1 to 65536 texels, found {size}"):
        decode(bytes(8), "BC1", 4, size, device="cpu")


def test_the_largest_size_is_only_refused_for_its_data():
    with pytest.raises(FormatError, match="4294967296 bytes in all; found 16"):
        decode(bytes(16), "BC7", 65536, 65536, device="cpu")


def test_the_widest_image():
    blocks = random_blocks("BC1_UNORM", 16384, 9)
    image = decode(blocks, "BC1", 65536, 1, device="cpu")
    square = decode(blocks, "BC1", 512, 512, device="cpu").reshape(128, 4, 512, 4)[:, 0].reshape(1, 65536, 4)
    assert np.array_equal(image, square)


@pytest.mark.parametrize(
    "wrap",
    [
        bytes,
        bytearray,
        memoryview,
        lambda b: memoryview(b"x" + b)[1:],
        lambda b: (ctypes.c_uint8 * len(b)).from_buffer_copy(b),
        lambda b: np.frombuffer(b, np.uint8),
        lambda b: np.frombuffer(b, ">u4").reshape(-1, 2, 2),
        lambda b: np.frombuffer(b, np.float64),
    ],
)
def test_any_contiguous_buffer(wrap):
    data = random_blocks("BC3_UNORM", 15, 4).tobytes()
    expected = decode(np.frombuffer(data, np.uint8).copy(), "BC3", 17, 12, device="cpu")
    assert np.array_equal(decode(wrap(data), "BC3", 17, 12, device="cpu"), expected)


@pytest.mark.parametrize("offset", range(1, 8))
def test_data_at_any_address(offset):
    blocks = random_blocks("BC7_UNORM", 60, 4)
    memory = np.zeros(blocks.size + 16, np.uint8)
    memory[offset : offset + blocks.size] = blocks.reshape(-1)
    moved = memory[offset : offset + blocks.size]
    assert np.array_equal(decode(moved, "BC7", 40, 24, device="cpu"), decode(blocks, "BC7", 40, 24, device="cpu"))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (np.zeros((4, 32), np.uint8)[:, ::2], r"array of shape \(4, 16\), strides \(32, 2\)"),
        (np.zeros((8, 8), np.uint8).T[1:], r"array of shape \(7, 8\), strides \(1, 8\)"),
        (memoryview(bytes(64))[::2], r"buffer of shape \(32,\), strides \(2,\)"),
    ],
)
def test_gaps_in_data(data, found):
    with pytest.raises(FormatError, match=f"data must be contiguous, found an? {found}"):
        decode(data, "BC7", 4, 4, device="cpu")


@pytest.mark.parametrize("data", [None, 7, "text", [1, 2], np.array([None, None], object)])
def test_what_is_no_data(data):
    with pytest.raises(FormatError, match="data must be bytes, a buffer or an array"):
        decode(data, "BC7", 4, 4, device="cpu")


# -- policies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rounding", "known"),
    [
        ("BC7", "nvidia", "d3d"),
        ("BC6H", "truncate", "d3d"),
        ("BC4S", "truncate", "d3d"),
        ("BC3", "amd", "d3d, truncate, intel"),
        ("BC5", "intel", "d3d, truncate"),
        ("BC1", "arm", "d3d, truncate, nvidia, amd, intel"),
    ],
)
def test_roundings_without_a_source(name, rounding, known):
    block_B = block_decoder(name)[0].bits // 8
    with pytest.raises(FormatError, match=f"can be rounded as {known}, found '{rounding}'"):
        decode(bytes(block_B), name, 4, 4, rounding=rounding, device="cpu")


def test_every_rounding_is_used_and_first_is_the_default():
    assert {rounding for decoder in DECODERS.values() for rounding in decoder.roundings} == set(ROUNDINGS)
    assert {decoder.roundings[0] for decoder in DECODERS.values()} == {"d3d"}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("BC1", "float64"),
        ("BC4", "float16"),
        ("BC6H", "float64"),
        ("BC7", int),
        ("EAC_R11", "int16"),
        ("FXT1", "float64"),
    ],
)
def test_types_a_format_does_not_have(name, dtype):
    block_B = block_decoder(name)[0].bits // 8
    with pytest.raises(FormatError, match=r"decodes to .*, found dtype"):
        decode(bytes(block_B), name, 4, 4, dtype=dtype, device="cpu")


def test_unknown_error_policy():
    with pytest.raises(FormatError, match="errors must be replace or strict, found 'ignore'"):
        decode(bytes(16), "BC7", 4, 4, errors="ignore", device="cpu")
