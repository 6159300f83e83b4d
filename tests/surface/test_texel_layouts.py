"""Texels that are more than channels of an element: palettes, 4:2:2, single bits; channel maps, pitches, arguments."""

import numpy as np
import pytest
from oracle import texels as oracle
from pictures.devices import ExactDevice

from texsamp.errors import FormatError
from texsamp.state.formats import surface_formats
from texsamp.surface.texel_formats import texel_type
from texsamp.surface.texels import fetch_texels, load_texels, put_texels, store_texels

PALETTE = np.random.default_rng(5).integers(0, 1 << 32, 256, dtype=np.uint32)
PALETTE_FORMATS = [name for name in surface_formats() if "PALETTE" in name]
PAIR_FORMATS = list(oracle.PAIRS)


def load(elements, name, width, height, **options):
    return load_texels(elements, name, width, height, device="cpu", **options)


def store(texels, name, **options):
    return store_texels(texels, name, device="cpu", **options)


# -- palettes --------------------------------------------------------------------------------------------------------


def palette_codes(name):
    """Index and alpha codes of every element, and alpha's bits (001:1385-1452)."""
    kind = name.partition("_")[0]
    elements = np.arange(1 << 16 if kind in ("P8A8", "A8P8") else 256)
    low, high = (elements & 15, elements >> 4) if kind in ("P4A4", "A4P4") else (elements & 255, elements >> 8)
    if kind in ("P8A8", "P4A4"):
        return low, high, 4 if kind == "P4A4" else 8
    if kind in ("A8P8", "A4P4"):
        return high, low, 4 if kind == "A4P4" else 8
    return elements, None, 0


@pytest.mark.parametrize("name", [name for name in PALETTE_FORMATS if not name.startswith("P2")])
def test_palette_colors(name):
    index, alpha, bits = palette_codes(name)
    size = surface_formats()[name].bits // 8
    rows = np.arange(len(index), dtype="<u4")[:, None].view(np.uint8)[:, :size].reshape(1, -1).copy()
    rows = rows.reshape(16, -1)
    width = len(index) // 16
    expected = np.array([oracle.palette_color(PALETTE, i) for i in index], np.uint8)
    if alpha is not None:
        expected[:, 3] = alpha * 17 if bits == 4 else alpha
    bytes_ = load(rows, name, width, 16, channels="rgba", palette=PALETTE)
    np.testing.assert_array_equal(bytes_.reshape(-1, 4), expected)
    floats = load(rows, name, width, 16, channels="rgba", palette=PALETTE, dtype=np.float32)
    np.testing.assert_array_equal(floats.reshape(-1, 4), expected.astype(np.float32) / np.float32(255))
    stored = load(rows, name, width, 16)
    np.testing.assert_array_equal(stored[..., 0].reshape(-1), index)
    if alpha is not None:
        np.testing.assert_array_equal(stored[..., 1].reshape(-1), alpha)
    np.testing.assert_array_equal(store(stored, name), rows)


@pytest.mark.parametrize("name", ["P2_UNORM_PALETTE0", "P2_UNORM_PALETTE1"])
def test_four_color_palette(name):
    rows = np.random.default_rng(2).integers(0, 256, (3, 5), np.uint8)
    index = [[oracle.small_texel(row.tobytes(), x, 2) for x in range(19)] for row in rows]
    expected = np.array([[oracle.palette_color(PALETTE, i) for i in line] for line in index], np.uint8)
    np.testing.assert_array_equal(load(rows, name, 19, 3, channels="rgba", palette=PALETTE), expected)


def test_entries_that_were_not_loaded_are_zero():
    found = load(bytes([0, 1, 2]), "P8_UNORM_PALETTE0", 3, 1, channels="rgba", palette=PALETTE[:2])
    np.testing.assert_array_equal(found[0, :2], [oracle.palette_color(PALETTE, i) for i in range(2)])
    assert not found[0, 2].any()


# -- 4:2:2 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIR_FORMATS)
@pytest.mark.parametrize("width", [1, 2, 37, 1026])
def test_both_texels_of_a_pair_have_its_chroma(name, width):
    rows = np.random.default_rng(3).integers(0, 256, (3, 4 * -(-width // 2)), np.uint8)
    expected = [
        [oracle.load_pair(name, row[4 * (x // 2) : 4 * (x // 2) + 4].tobytes(), x % 2) for x in range(width)]
        for row in rows
    ]
    found = load(rows, name, width, 3)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, expected)
    floats = load(rows, name, width, 3, channels="rgba", dtype=np.float32)
    np.testing.assert_array_equal(floats[..., :3], found.astype(np.float32) / np.float32(255))
    assert (floats[..., 3] == 1).all()


@pytest.mark.parametrize("name", PAIR_FORMATS)
@pytest.mark.parametrize("width", [1, 2, 37, 1026])
def test_a_pair_is_stored_with_the_average_of_its_chroma(name, width):
    texels = np.random.default_rng(4).integers(0, 256, (3, width, 3), np.uint8)
    rows = store(texels, name)
    padded = np.concatenate([texels, texels[:, -1:]], axis=1).tolist()  # a texel without a partner is its own
    for row, line in zip(rows, padded, strict=True):
        pairs = [oracle.store_pair(name, line[x], line[x + 1]) for x in range(0, width, 2)]
        assert row.tobytes() == b"".join(pairs)


# -- single bits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["R1_UNORM", "MONO8"])
@pytest.mark.parametrize("width", [1, 7, 8, 9, 1027])
def test_bits_start_at_the_low_end(name, width):
    rows = np.random.default_rng(6).integers(0, 256, (2, -(-width // 8)), np.uint8)
    expected = [[[oracle.small_texel(row.tobytes(), x, 1)] for x in range(width)] for row in rows]
    found = load(rows, name, width, 2)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(load(rows, name, width, 2, dtype=np.float32), np.array(expected, np.float32))
    unused = -width % 8
    rows[:, -1] &= 0xFF >> unused
    np.testing.assert_array_equal(store(found, name), rows)


# -- channel maps ----------------------------------------------------------------------------------------------------

MAPPED = [
    name
    for name, info in surface_formats().items()
    if info.map_dx10 and info.block_height == 1 and "PALETTE" not in name and name != "FXT1"
]


@pytest.mark.parametrize("border", ["dx10", "dx9"])
@pytest.mark.parametrize("name", MAPPED)
def test_missing_channels_by_the_map(name, border):
    type_ = texel_type(name)
    rows = np.random.default_rng(7).integers(0, 256, (2, type_.row_B(11)), np.uint8)
    stored = dict(zip(type_.names, np.moveaxis(load(rows, name, 11, 2, dtype=type_.value), 2, 0), strict=True))
    info = type_.info
    wanted = info.map_dx9 if border == "dx9" and info.map_dx9 else info.map_dx10
    found = load(rows, name, 11, 2, channels="rgba", border=border, dtype=type_.value)
    assert found.shape == (2, 11, 4)
    for place, letter in enumerate(wanted):
        expected = stored[letter] if letter not in "01" else np.full((2, 11), int(letter), type_.value)
        assert found[..., place].tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("name", "one"),
    [
        ("R8_UNORM", 255),
        ("R8_SNORM", 127),
        ("R8_UINT", 1),
        ("R16_UNORM", 65535),
        ("R16_FLOAT", 1.0),
        ("L16A16_UNORM", None),
        ("R32_SINT", 1),
        ("I8_UNORM", None),
        ("R10G10B10A2_UINT", None),
        ("R24_UNORM_X8_TYPELESS", 1.0),
    ],
)
def test_one_in_the_natural_dtype(name, one):
    found = load(bytes([3]) * 16, name, 1, 1, channels="rgba")
    assert found.dtype == texel_type(name).natural
    if one is not None:
        assert found[0, 0, 3] == one
        assert found[0, 0, 1] == 0


def test_dx9_fills_with_ones():
    half = np.array([[[0.5, 0.25]]], np.float16)
    found = load(half, "R16G16_FLOAT", 1, 1, channels="rgba", border="dx9")
    np.testing.assert_array_equal(found[0, 0], [0.5, 0.25, 1, 1])
    assert load(half, "R16G16_FLOAT", 1, 1, channels="rgba")[0, 0, 2] == 0


def test_srgb_as_bytes_stays_encoded_and_as_floats_is_linear():
    texel = bytes([188, 128, 0, 128])
    np.testing.assert_array_equal(load(texel, "R8G8B8A8_UNORM_SRGB", 1, 1), [[[188, 128, 0, 128]]])
    linear = load(texel, "R8G8B8A8_UNORM_SRGB", 1, 1, dtype=np.float32)[0, 0]
    assert linear[0] == pytest.approx(0.5, abs=0.005)
    assert linear[3] == np.float32(128 / 255)


# -- single texels ---------------------------------------------------------------------------------------------------

FETCHED = [name for name in surface_formats() if "PALETTE" in name or name in MAPPED]


@pytest.mark.parametrize("name", FETCHED)
def test_single_texels_are_those_of_the_whole(name):
    type_ = texel_type(name)
    rng = np.random.default_rng(11)
    rows = rng.integers(0, 256, (9, type_.row_B(21) + 3), np.uint8)
    palette = {"palette": PALETTE} if type_.has_palette else {}
    whole = load(rows, name, 21, 9, channels="rgba", dtype=type_.value, **palette)
    x, y = rng.integers(0, 21, (3, 100)), rng.integers(0, 9, (3, 100))
    found = fetch_texels(rows, name, x, y, width_px=21, height_px=9, device="cpu", **palette)
    assert found.dtype == whole.dtype
    assert found.tobytes() == whole[y, x].tobytes()


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0, 4], [0, 0], "x_px must be from 0 to 3, found 0 to 4"),
        ([0, 0], [0, -1], "y_px must be from 0 to 3, found -1 to 0"),
        ([0.0], [0], "x_px and y_px must be integer arrays of one shape"),
        ([0], [[0]], "x_px and y_px must be integer arrays of one shape"),
    ],
)
def test_fetch_refuses(x, y, message):
    with pytest.raises(FormatError, match=message):
        fetch_texels(bytes(16), "R8_UNORM", np.array(x), np.array(y), width_px=4, height_px=4, device="cpu")


PUT = [
    name
    for name, info in surface_formats().items()
    if info.block_height == info.block_width == 1
    and info.bits >= 8
    and info.channels
    and info.channels[0].kind not in ("index", "passthru")
    and info.channels[0].bits not in (None, 64)
    and "PALETTE" not in name
]


@pytest.mark.parametrize("name", PUT)
def test_single_texels_are_written_as_the_whole_is(name):
    """At half of the places; all other bytes keep their values."""
    type_ = texel_type(name)
    rng = np.random.default_rng(12)
    numbers = rng.integers(0, 1 << 32, (9, 21, len(type_.channels)), dtype=np.uint32)
    near = rng.uniform(-1.5, 1.5, numbers.shape).astype(np.float32).view(np.uint32)
    texels = np.where(rng.random(numbers.shape) < 0.5, numbers, near).view(type_.value)
    size_B = type_.info.bits // 8
    whole = store(texels, name).reshape(9, 21, size_B)
    before = rng.integers(0, 256, (9, 21 * size_B + 5), np.uint8)
    rows = before.copy()
    places = rng.permutation(9 * 21)[:95].reshape(5, 19)
    y, x = places // 21, places % 21
    put_texels(texels[y, x], rows, name, x, y, width_px=21, height_px=9, device="cpu")
    expected = before.copy()
    elements = expected[:, : 21 * size_B].reshape(9, 21, size_B).copy()
    elements[y, x] = whole[y, x]
    expected[:, : 21 * size_B] = elements.reshape(9, -1)
    np.testing.assert_array_equal(rows, expected)


def test_put_refuses():
    rows, place = np.zeros((4, 16), np.uint8), np.array([0])
    options = {"width_px": 4, "height_px": 4, "device": "cpu"}
    texel = np.zeros((1, 1), np.float32)
    for name in ("R1_UNORM", "YCRCB_NORMAL", "P2_UNORM_PALETTE0"):
        with pytest.raises(FormatError, match=r"share bytes|can be uint8"):
            put_texels(texel, rows, name, place, place, **options)
    with pytest.raises(FormatError, match=r"must be float32 of shape \(1, 1\), found float64 of \(1, 1\)"):
        put_texels(texel.astype(np.float64), rows, "R8_UNORM", place, place, **options)
    with pytest.raises(FormatError, match="x_px must be from 0 to 3, found 4 to 4"):
        put_texels(texel, rows, "R8_UNORM", place + 4, place, **options)
    with pytest.raises(FormatError, match="rows must be writeable uint8 of two axes"):
        put_texels(texel, rows.reshape(-1), "R8_UNORM", place, place, **options)
    with pytest.raises(FormatError, match="needs 4 rows of 16 bytes, found 4 of 15"):
        put_texels(texel, rows[:, :15], "R32_FLOAT", place, place, **options)
    rows.flags.writeable = False
    with pytest.raises(FormatError, match="rows must be writeable"):
        put_texels(texel, rows, "R8_UNORM", place, place, **options)


# -- outside voices --------------------------------------------------------------------------------------------------


def test_half_floats_as_numpy_has_them():
    """But for the bits of NaN, which depend on numpy's build."""
    codes = np.arange(1 << 16, dtype=np.uint16).reshape(256, 256)
    found, expected = load(codes, "R16_FLOAT", 256, 256, dtype=np.float32)[..., 0], codes.view(np.float16)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    numbers = ~np.isnan(expected)
    assert found[numbers].tobytes() == expected[numbers].astype(np.float32).tobytes()

    floats = np.random.default_rng(8).integers(0, 1 << 32, (512, 512), dtype=np.uint32).view(np.float32)
    halves = store(floats, "R16_FLOAT").view(np.float16)
    with np.errstate(all="ignore"):
        expected = floats.astype(np.float16)
    np.testing.assert_array_equal(np.isnan(halves), np.isnan(floats))
    numbers = ~np.isnan(floats)
    assert halves[numbers].tobytes() == expected[numbers].tobytes()


def test_565_is_near_the_repetition_of_top_bits():
    """What other software does where the manual divides: within one step of 8 bits."""
    codes = np.arange(1 << 16, dtype="<u2")
    found = load(codes, "B5G6R5_UNORM", 256, 256).reshape(-1, 3)
    r, g, b = codes >> 11, codes >> 5 & 63, codes & 31
    repeated = np.stack([r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2], axis=1)
    assert np.abs(np.round(found * 255) - repeated).max() <= 1


# -- memory ----------------------------------------------------------------------------------------------------------

SHAPES = ["R8_UNORM", "B8G8R8A8_UNORM", "B5G6R5_UNORM", "R8G8B8_UNORM", "R16G16B16_FLOAT", "R32G32B32_FLOAT"]
SHAPES += ["R32G32B32X32_FLOAT", "R16G16B16X16_UNORM", "YCRCB_SWAPY", "R1_UNORM", "P8_UNORM_PALETTE0", "R64G64_FLOAT"]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("padding", [0, 1, 3, 64])
@pytest.mark.parametrize("base", [0, 1, 2])
def test_any_pitch_and_base(name, padding, base):
    """The memory ends with the last row; a sanitizer sees more, this sees wrong bytes."""
    type_ = texel_type(name)
    row_B = type_.row_B(13)
    rows = np.random.default_rng(9).integers(0, 256, (5, row_B), np.uint8)
    expected = load(rows, name, 13, 5).tobytes()
    memory = np.full(base + 4 * (row_B + padding) + row_B, 0xA5, np.uint8)
    for y in range(5):
        memory[base + y * (row_B + padding) :][:row_B] = rows[y]
    device = ExactDevice()
    found = load_texels(memory[base:], name, 13, 5, pitch_B=row_B + padding, device=device)
    assert found.tobytes() == expected
    wide = np.pad(rows, ((0, 0), (base, padding)))[:, base:]
    assert load_texels(wide, name, 13, 5, device=device).tobytes() == expected
    stored = store_texels(found, name, pitch_B=row_B + padding, device=device)
    assert stored.shape == (5, row_B + padding)
    assert not stored[:, row_B:].any()
    assert load_texels(stored, name, 13, 5, device=device).tobytes() == expected


def test_texels_to_store_may_be_strided():
    texels = np.random.default_rng(1).random((6, 8, 3), np.float32)
    np.testing.assert_array_equal(
        store(texels[::2, ::2], "B5G6R5_UNORM"), store(np.ascontiguousarray(texels[::2, ::2]), "B5G6R5_UNORM")
    )


# -- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "size", "options", "message"),
    [
        ("BC1_UNORM", (4, 4), {}, "BC1_UNORM is compressed"),
        ("FXT1", (4, 4), {}, "FXT1 is compressed"),
        ("PLANAR_420_8", (4, 4), {}, "planes are surfaces of their own"),
        ("RAW", (4, 4), {}, "RAW has no texels"),
        ("R8_NONESUCH", (4, 4), {}, "no surface format 'R8_NONESUCH'"),
        ("R8_UNORM", (0, 4), {}, "width must be from 1 to 65536 texels, found 0"),
        ("R8_UNORM", (4, 65537), {}, "height must be from 1 to 65536 texels, found 65537"),
        ("R8_UNORM", (4, True), {}, "found True"),
        ("R8_UNORM", (40, 40), {}, "needs 1600 bytes, found 64"),
        ("R8_UNORM", (8, 8), {"pitch_B": 7}, "pitch_B must be from 8 to 16777216 for 8 texels, found 7"),
        ("R8_UNORM", (8, 8), {"pitch_B": 9}, "needs 71 bytes, found 64"),
        ("R8_UNORM", (2, 2), {"channels": "all"}, "channels must be stored or rgba, found 'all'"),
        ("R8_UNORM", (2, 2), {"channels": "rgba", "border": "gl"}, "border must be dx10 or dx9, found 'gl'"),
        ("R32_UNORM", (2, 2), {"channels": "rgba"}, "R32_UNORM has no channel map"),
        ("R8_UNORM", (2, 2), {"dtype": "f8"}, "R8_UNORM can be uint8 or float32, found dtype 'float64'"),
        ("R8_UINT", (2, 2), {"dtype": "f4"}, "R8_UINT can be uint8 or uint32, found dtype 'float32'"),
        ("R64_FLOAT", (2, 2), {"dtype": "f4"}, "R64_FLOAT can be float64, found dtype 'float32'"),
        ("P8_UNORM_PALETTE0", (2, 2), {"channels": "rgba"}, "needs palette="),
        ("P8_UNORM_PALETTE0", (2, 2), {"dtype": "f4"}, "can be uint8, found dtype 'float32'"),
        ("R8_UNORM", (2, 2), {"palette": PALETTE}, "palette is for"),
        ("P8_UNORM_PALETTE0", (2, 2), {"channels": "rgba", "palette": np.zeros(257, "u4")}, "1 to 256 uint32 entries"),
        ("P8_UNORM_PALETTE0", (2, 2), {"channels": "rgba", "palette": np.zeros((4, 4), "u1")}, "found uint8 with"),
    ],
)
def test_load_refuses(name, size, options, message):
    with pytest.raises(FormatError, match=message.replace("(", r"\(")):
        load(bytes(64), name, *size, **options)


@pytest.mark.parametrize(
    ("texels", "name", "options", "message"),
    [
        (np.zeros((2, 2, 3), np.uint8), "R8G8B8A8_UNORM", {}, r"must have shape \(height, width, 4\) for R G B A"),
        (np.zeros((2, 2, 2, 4), np.uint8), "R8G8B8A8_UNORM", {}, "must have shape"),
        (np.zeros((2, 2), np.int8), "R8_UNORM", {}, "can be uint8 or float32, found dtype 'int8'"),
        (np.zeros((0, 2), np.uint8), "R8_UNORM", {}, "height must be from 1 to 65536 texels, found 0"),
        (np.zeros((2, 2), np.uint8), "R8_UNORM", {"pitch_B": 1}, "pitch_B must be from 2 to 16777216"),
        (np.zeros((4, 4, 4), np.uint8), "BC1_UNORM", {}, "BC1_UNORM is compressed"),
    ],
)
def test_store_refuses(texels, name, options, message):
    with pytest.raises(FormatError, match=message):
        store(texels, name, **options)


def test_rows_have_their_own_pitch():
    with pytest.raises(FormatError, match="pitch_B is for contiguous data"):
        load(np.zeros((4, 8), np.uint8), "R8_UNORM", 4, 4, pitch_B=8)
    with pytest.raises(FormatError, match="needs 5 rows of 8 bytes, found 4 of 8"):
        load(np.zeros((4, 8), np.uint8), "R8_UNORM", 8, 5)
