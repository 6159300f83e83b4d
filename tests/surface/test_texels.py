"""Texels of every uncompressed format against the manual written out: all codes of channels up to 16 bits."""

from functools import cache

import numpy as np
import pytest
from oracle import texels as oracle

from texsamp.state.formats import surface_formats
from texsamp.surface.texel_formats import TexelType, texel_type
from texsamp.surface.texels import load_texels, store_texels

WIDTH = 512


def _types(wanted):
    return [
        texel_type(name)
        for name, info in surface_formats().items()
        if info.block_height == 1 and info.channels and not name.startswith("PLANAR") and wanted(texel_type(name))
    ]


def _id(type_):
    return type_.info.name


PLAIN = _types(lambda t: not (t.has_palette or t.is_pair or t.is_wide or t.info.bits < 8))
FLOAT_EDGES = [
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x33000000, 0x33000001, 0x337FFFFF,
    0x33800000, 0x387FC000, 0x387FE000, 0x387FF000, 0x38800000, 0x3D800000, 0x3EFFFFFF, 0x3F000000, 0x3F000001,
    0xBF000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0xBF800000, 0xBF800001, 0x40000000, 0xC0000000, 0x437F0000,
    0x437F8000, 0x43800000, 0x477FDFFF, 0x477FE000, 0x477FEFFF, 0x477FF000, 0x477FF001, 0x47800000, 0x477E0000,
    0x477E0001, 0x477F0000, 0x477F8000, 0x47FFFFFF, 0x4B000001, 0x4B7FFFFF, 0x4B800000, 0x4EFFFFFF, 0x4F000000,
    0x4F000001, 0x4F7FFFFF, 0x4F800000, 0xCF000000, 0xCF000001, 0xCEFFFFFF, 0x501502F9, 0x7F7FFFFF, 0xFF7FFFFF,
    0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0xFFC00000, 0x7F802000, 0xFF801FFF,
]  # fmt: skip
"""Zeros, denormals, halves, ones, the ends of 10-, 11- and 16-bit floats, of integers, infinities, NaN."""


def codes_of(bits: int) -> np.ndarray:
    """All codes of a channel up to 16 bits; of wider ones the ends, powers of two and their neighbors, and noise."""
    if bits <= 16:
        return np.arange(1 << bits, dtype=np.uint64)
    powers = np.array([1 << n for n in range(bits)], np.uint64)
    noise = np.random.default_rng(bits).integers(0, 1 << bits, 600, dtype=np.uint64)
    edges = np.array([0, (1 << bits) - 1], np.uint64)
    floats = np.array(FLOAT_EDGES, np.uint64) & np.uint64((1 << bits) - 1)
    return np.unique(np.concatenate([edges, powers, powers - np.uint64(1), noise, floats]))


def elements_of(type_: TexelType) -> np.ndarray:
    """Rows of elements in which every channel has all of its codes; the others have noise, padding too."""
    size = type_.info.bits // 8
    rng = np.random.default_rng(3)
    made = []
    for channel in type_.info.channels:
        codes = codes_of(channel.bits)
        elements = rng.integers(0, 256, (len(codes), size), np.uint8)
        for bit in range(channel.bits):
            byte, shift = divmod(channel.offset + bit, 8)
            value = (codes >> np.uint64(bit) & np.uint64(1)).astype(np.uint8)
            elements[:, byte] = elements[:, byte] & ~np.uint8(1 << shift) | value << shift
        made.append(elements)
    every = np.concatenate(made)
    return np.resize(every, (-(-len(every) // WIDTH), WIDTH * size))


def fields(type_: TexelType, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Every stored channel's codes, and the exponent's."""
    size = type_.info.bits // 8
    elements = rows.reshape(-1, size).astype(np.uint64)
    found = {}
    for channel in type_.info.channels:
        if channel.kind != "pad":
            first = channel.offset // 8
            word = sum(elements[:, b] << np.uint64(8 * (b - first)) for b in range(first, min(first + 5, size)))
            found[channel.name] = word >> np.uint64(channel.offset % 8) & np.uint64((1 << channel.bits) - 1)
    return found


@cache
def small_table(kind: str, bits: int, srgb: bool) -> np.ndarray:
    """The numbers of all codes of a channel up to 16 bits."""
    return np.array([oracle.load_channel(kind, code, bits, srgb) for code in range(1 << bits)], np.uint32)


def words_of(kind: str, bits: int, srgb: bool, codes: np.ndarray) -> np.ndarray:
    if bits <= 16:
        return small_table(kind, bits, srgb)[codes]
    unique, inverse = np.unique(codes, return_inverse=True)
    return np.array([oracle.load_channel(kind, int(code), bits, srgb) for code in unique], np.uint32)[inverse]


def expected_words(type_: TexelType, rows: np.ndarray) -> np.ndarray:
    """32-bit numbers (texels, channels) by the oracle; each code is asked for once."""
    codes = fields(type_, rows)
    if type_.info.name == "R9G9B9E5_SHAREDEXP":
        elements = rows.reshape(-1).view("<u4")
        return np.array([oracle.load_shared_exponent(int(code)) for code in elements], np.uint32)
    columns = []
    for channel in type_.channels:
        srgb = type_.info.color_space == "srgb" and channel.name != "A"
        columns.append(words_of(channel.kind, channel.bits, srgb, codes[channel.name]))
    return np.stack(columns, axis=1)


def check(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    wrong = np.argwhere(found != expected)
    if len(wrong):
        place = tuple(wrong[0])
        pytest.fail(f"{what}: {len(wrong)} differ, at {place} {found[place]:#x} is not {expected[place]:#x}")


@pytest.mark.parametrize("type_", PLAIN, ids=_id)
def test_values_of_all_codes(type_):
    rows = elements_of(type_)
    found = load_texels(rows, type_.info.name, WIDTH, len(rows), dtype=type_.value, device="cpu")
    assert found.dtype == type_.value
    words = np.ascontiguousarray(found).view(np.uint32).reshape(-1, len(type_.channels))
    check(words, expected_words(type_, rows), type_.info.name)


@pytest.mark.parametrize("type_", [t for t in PLAIN if t.raw], ids=_id)
def test_natural_texels_are_the_codes(type_):
    rows = elements_of(type_)
    found = load_texels(rows, type_.info.name, WIDTH, len(rows), device="cpu")
    bits = type_.channels[0].bits
    words = found.view(f"u{bits // 8}").reshape(-1, len(type_.channels))
    codes = fields(type_, rows)
    for place, name in enumerate(type_.names):
        np.testing.assert_array_equal(words[:, place], codes[name])


@pytest.mark.parametrize("type_", [t for t in PLAIN if not t.raw and t.natural.kind in "iu"], ids=_id)
def test_packed_integers_are_narrow_and_signed(type_):
    rows = elements_of(type_)
    narrow = load_texels(rows, type_.info.name, WIDTH, len(rows), device="cpu")
    wide = load_texels(rows, type_.info.name, WIDTH, len(rows), dtype=type_.value, device="cpu")
    assert narrow.itemsize == 2
    np.testing.assert_array_equal(narrow, wide)


store_channel = cache(oracle.store_channel)
"""Formats share channels, and the numbers to store in them."""


def inputs_of(type_: TexelType) -> np.ndarray:
    """Numbers to store: every edge in every channel, and numbers around every step of small channels."""
    rng = np.random.default_rng(9)
    count = len(type_.channels)
    made = [np.array(FLOAT_EDGES, np.uint32), rng.integers(0, 1 << 32, 400, dtype=np.uint32)]
    made += [np.array([0, 1, 127, 128, 255, 256, 511, 512, 1023, 1024, 32767, 32768, 65535, 65536], np.uint32)]
    made += [(-made[-1].astype(np.int64)).astype(np.uint32)]
    if type_.value == np.float32:
        made.append(rng.uniform(-1.2, 1.2, 300).astype(np.float32).view(np.uint32))
        made.append(np.exp2(rng.uniform(-30, 18, 300)).astype(np.float32).view(np.uint32))
        bits = min(max(channel.bits for channel in type_.channels), 10)
        halves = ((np.arange(1 << bits) + 0.5) / ((1 << bits) - 1)).astype(np.float32).view(np.uint32)
        made.append((halves[:, None] + np.arange(-1, 2, dtype=np.int64)).reshape(-1).astype(np.uint32))
    numbers = np.concatenate(made)
    columns = [rng.permutation(numbers) for _ in range(count - 1)]
    return np.stack([numbers, *columns], axis=1)


@pytest.mark.parametrize("type_", PLAIN, ids=_id)
def test_stored_codes_of_all_numbers(type_):
    numbers = inputs_of(type_)
    texels = np.ascontiguousarray(numbers).view(type_.value)[None]
    rows = store_texels(texels, type_.info.name, device="cpu")
    if type_.info.name == "R9G9B9E5_SHAREDEXP":
        expected = [oracle.store_shared_exponent([int(word) for word in words]) for words in numbers]
        check(rows.reshape(-1).view("<u4"), np.array(expected, np.uint32), type_.info.name)
        return
    codes = fields(type_, rows)
    for place, channel in enumerate(type_.channels):
        unique, inverse = np.unique(numbers[:, place], return_inverse=True)
        srgb = type_.info.color_space == "srgb" and channel.name != "A"
        words = [store_channel(channel.kind, channel.bits, int(word), srgb) for word in unique]
        check(codes[channel.name], np.array(words, np.uint64)[inverse], f"{type_.info.name} {channel.name}")


@pytest.mark.parametrize("type_", PLAIN, ids=_id)
def test_every_code_comes_back(type_):
    """The second -1 of SNORM and R9G9B9E5 with a larger exponent than needed have another code of the same value."""
    rows = elements_of(type_)
    texels = load_texels(rows, type_.info.name, WIDTH, len(rows), device="cpu")
    again = store_texels(texels, type_.info.name, device="cpu")
    before, after = fields(type_, rows), fields(type_, again)
    if type_.info.name == "R9G9B9E5_SHAREDEXP":
        canonical = (before["E"] == 0) | (np.maximum.reduce([before[c] for c in "RGB"]) >= 256)
        assert canonical.mean() > 0.5
        before, after = ({c: codes[canonical] for c, codes in each.items()} for each in (before, after))
    for channel in type_.channels:
        expected = before[channel.name].copy()
        if channel.kind == "snorm" and not type_.raw:
            expected[expected == 1 << (channel.bits - 1)] += np.uint64(1)
        np.testing.assert_array_equal(after[channel.name], expected, err_msg=channel.name)


@pytest.mark.parametrize("type_", PLAIN, ids=_id)
def test_padding_is_stored_as_zero(type_):
    texels = np.ones((3, 5, len(type_.channels)), type_.natural)
    rows = store_texels(texels, type_.info.name, device="cpu").reshape(-1, type_.info.bits // 8)
    for channel in type_.info.channels:
        if channel.kind == "pad":
            for bit in range(channel.offset, channel.offset + channel.bits):
                assert not (rows[:, bit // 8] >> bit % 8 & 1).any()
