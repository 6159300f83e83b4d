"""ETC1 and ETC2 against the specification written out: every mode, table and base color; and texture2ddecoder."""

from functools import cache

import numpy as np
import pytest
from oracle import bc, etc
from support.etc_blocks import blocks_of, of_mode, spelled, with_indices
from support.filter_cases import sweep

from texsamp import FormatError, decode
from texsamp.surface.codec.formats import block_decoder
from texsamp.surface.codec.reserved import is_undefined_etc1

DECODERS = {
    "ETC1_RGB8": etc.decode_etc1,
    "ETC2_RGB8": etc.decode_etc2_rgb8,
    "ETC2_RGB8_PTA": etc.decode_etc2_pta,
    "ETC2_EAC_RGBA8": etc.decode_etc2_rgba8,
}
COLUMNS = 64


def random_words(count, seed):
    return np.random.default_rng(seed).integers(0, 1 << 64, count, np.uint64)


def extreme_words(count, seed):
    """Nearly all bits are one, or nearly all zero."""
    rng = np.random.default_rng(seed)
    rare = random_words(count, seed + 1) & random_words(count, seed + 2) & random_words(count, seed + 3)
    return np.where(rng.integers(0, 2, count) == 1, ~rare, rare)


def axes(*sizes):
    """One index array for each axis of an enumeration."""
    return np.ogrid[tuple(slice(0, size) for size in sizes)]


def individual():
    """Every pair of tables, flip, and base color; of the base colors, the channels differ."""
    table_1, table_2, flip, base, four = axes(8, 8, 2, 16, 4)
    colors = [(60, base), (56, 15 - base), (52, base ^ 5), (48, base ^ 10), (44, 15 - base), (40, base)]
    return spelled(*colors, (37, table_1), (34, table_2), (32, flip), (0, four))


def differential():
    """Every base color and difference in every channel, every table; sums outside of 0..31 are other modes."""
    channel, first, delta, table, flip, four = axes(3, 32, 8, 8, 2, 4)
    fields = []
    for place, low in enumerate((56, 48, 40)):
        fields.append((low + 3, np.where(channel == place, first, 31 - first)))
        fields.append((low, np.where(channel == place, delta, 0)))
    return spelled(*fields, (37, table), (34, 7 - table), (33, 1), (32, flip), (0, four))


def t_mode():
    """Every pair of a channel's colors, every distance."""
    first, second, distance, four = axes(16, 16, 8, 4)
    colors = [(59, first >> 2), (56, first & 3), (52, 15 - first), (48, first ^ 6)]
    colors += [(44, second), (40, second ^ 9), (36, 15 - second)]
    return spelled(*colors, (34, distance >> 1), (32, distance & 1), (0, four))


def h_mode():
    """Every pair of a channel's colors in either order, every distance; also colors that are equal."""
    first, second, same, distance, four = axes(16, 16, 2, 4, 4)
    second = np.where(same == 1, first, second)
    green, blue = first ^ 6, 15 - second
    colors = [(59, first), (56, green >> 1), (52, green & 1), (51, blue >> 3), (47, blue & 7)]
    colors += [(43, second), (39, second ^ 6), (35, blue)]
    return spelled(*colors, (34, distance >> 1), (32, distance & 1), (0, four))


def planar():
    """Every pair of corners in every channel, the third at its ends."""
    o, h, v = axes(64, 64, 3)
    v = np.choose(v, [0, 63, (o + h) & 63])
    red = [(57, o), (34, h >> 1), (32, h & 1), (13, v)]
    green_o, green_h, green_v = 127 - 2 * o, 2 * h + 1, v + (o & 64)
    green = [(56, green_o >> 6), (49, green_o & 63), (25, green_h), (6, green_v)]
    blue_o, blue_h, blue_v = h, o, 63 - v
    blue = [(48, blue_o >> 5), (43, blue_o >> 3 & 3), (39, blue_o & 7), (19, blue_h), (0, blue_v)]
    return spelled(*red, *green, *blue)


ENUMERATED = {"individual": individual, "differential": differential, "T": t_mode, "H": h_mode, "planar": planar}


@cache
def color_words(mode):
    """Enumerated, random and extreme words of a mode."""
    words = ENUMERATED[mode]()
    words = of_mode(words if mode == "planar" else with_indices(words), mode)
    assert len(words) > 8000
    others = np.concatenate([random_words(8192, 40), extreme_words(8192, 50)])
    return np.concatenate([words, of_mode(others, mode)])


def assert_as_specified(name, blocks):
    image = decode(blocks, name, 4 * COLUMNS, len(blocks) // COLUMNS * 4, device="cpu")
    assert np.array_equal(image, bc.image_of(DECODERS[name](blocks), COLUMNS))
    assert image.any()


@pytest.mark.parametrize("mode", etc.MODES)
def test_etc2(mode):
    assert_as_specified("ETC2_RGB8", blocks_of(color_words(mode)))


@pytest.mark.parametrize("mode", etc.MODES[:2])
def test_etc1(mode):
    assert_as_specified("ETC1_RGB8", blocks_of(color_words(mode)))


@pytest.mark.parametrize("opaque", [0, 1])
@pytest.mark.parametrize("mode", etc.MODES[1:])
def test_punch_through(mode, opaque):
    """The bit that chooses the individual mode elsewhere says here whether the block is opaque."""
    words = color_words(mode) & ~np.uint64(1 << 33) | np.uint64(opaque << 33)
    blocks = blocks_of(words)
    assert_as_specified("ETC2_RGB8_PTA", blocks)
    alpha = decode(blocks, "ETC2_RGB8_PTA", 4 * COLUMNS, len(blocks) // COLUMNS * 4, device="cpu")[..., 3]
    assert set(np.unique(alpha)) == ({255} if opaque or mode == "planar" else {0, 255})


@pytest.mark.parametrize("mode", etc.MODES)
def test_colors_beside_alpha(mode):
    words = color_words(mode)
    assert_as_specified("ETC2_EAC_RGBA8", blocks_of(random_words(len(words), 60), words))


@pytest.mark.sweep
@pytest.mark.parametrize("name", DECODERS)
def test_random_blocks(name):
    count = sweep(128) * COLUMNS
    words = [random_words(count, 70 + half) for half in range(block_decoder(name)[0].bits // 64)]
    assert_as_specified(name, blocks_of(*words))


# -- the specification's own examples --------------------------------------------------------------------------------


def test_colors_of_the_specification():
    """Base colors and texels that its text works out."""
    individual = spelled((60, 14), (52, 3), (44, 8))
    assert etc.subblock_texels(*_without_modifier(individual))[0, 0].tolist() == [238 + 2, 51 + 2, 136 + 2]
    blocks = blocks_of(np.repeat(spelled((59, 28), (56, 4), (51, 4), (48, 2), (43, 3), (33, 1)), COLUMNS))
    image = decode(blocks, "ETC2_RGB8", 4 * COLUMNS, 4, device="cpu").astype(int) - 2  # modifier of table 0, index 0
    assert image[0, 0].tolist() == [231, 33, 24]
    assert image[0, 3].tolist() == [198, 49, 24]


def _without_modifier(word):
    base = np.array([[238, 51, 136]])
    return word, base, base, np.array([True])


# -- policy -----------------------------------------------------------------------------------------------------------


def test_undefined_sums_of_etc1_are_black_or_errors():
    blocks = blocks_of(np.repeat(of_mode(random_words(64, 7), "differential")[:1], COLUMNS))
    assert decode(blocks, "ETC1", 4 * COLUMNS, 4, errors="strict", device="cpu").any()
    bad = {5: "T", 40: "H", 63: "planar"}
    for place, mode in bad.items():
        blocks[place] = np.frombuffer(of_mode(random_words(64, place), mode)[:1].astype(">u8").tobytes(), np.uint8)
    image = decode(blocks, "ETC1", 4 * COLUMNS, 4, device="cpu").reshape(4, COLUMNS, 4, 3)
    assert [place for place in range(COLUMNS) if not image[:, place].any()] == list(bad)
    with pytest.raises(FormatError, match="ETC1_RGB8 has 3 reserved blocks, the first is block 5"):
        decode(blocks, "ETC1", 4 * COLUMNS, 4, errors="strict", device="cpu")


@pytest.mark.parametrize("mode", etc.MODES)
def test_strict_knows_the_modes_of_etc1(mode):
    blocks = blocks_of(color_words(mode))
    assert np.all(is_undefined_etc1(blocks) == (etc.MODES.index(mode) >= 2))


def test_every_block_of_etc2_is_legal():
    assert all(block_decoder(name)[1].reserved is None for name in DECODERS if name != "ETC1_RGB8")


def test_texels_without_alpha_are_black():
    """Where a punch-through block is transparent, red, green and blue are zero too."""
    image = decode(blocks_of(random_words(4096, 9)), "ETC2_RGB8_PTA", 256, 256, device="cpu")
    assert (image[..., 3] == 0).any()
    assert not image[image[..., 3] == 0].any()


def test_srgb_formats_keep_the_encoded_values():
    pairs = {"ETC2_SRGB8": "ETC2_RGB8", "ETC2_SRGB8_PTA": "ETC2_RGB8_PTA", "ETC2_EAC_SRGB8_A8": "ETC2_EAC_RGBA8"}
    for srgb, linear in pairs.items():
        blocks = blocks_of(*(random_words(64, half) for half in range(block_decoder(linear)[0].bits // 64)))
        left, right = (decode(blocks, name, 32, 32, device="cpu") for name in (srgb, linear))
        assert np.array_equal(left, right)


# -- another voice ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("ETC1_RGB8", "decode_etc1"),
        ("ETC2_RGB8", "decode_etc2"),
        ("ETC2_RGB8_PTA", "decode_etc2a1"),
        ("ETC2_EAC_RGBA8", "decode_etc2a8"),
    ],
)
def test_texture2ddecoder_agrees_where_texels_are_defined(name, function):
    """It wraps the undefined sums of ETC1 around, and keeps the color of transparent texels."""
    texture2ddecoder = pytest.importorskip("texture2ddecoder")
    words = np.concatenate([color_words(mode) for mode in etc.MODES[: 2 if name == "ETC1_RGB8" else None]])
    parts = [words] if name != "ETC2_EAC_RGBA8" else [random_words(len(words), 3), words]
    blocks = blocks_of(*parts)
    height = len(blocks) // COLUMNS * 4
    ours = decode(blocks, name, 4 * COLUMNS, height, device="cpu")
    bgra = getattr(texture2ddecoder, function)(blocks.tobytes(), 4 * COLUMNS, height)
    theirs = np.frombuffer(bgra, np.uint8).reshape(height, 4 * COLUMNS, 4)[..., [2, 1, 0, 3]][..., : ours.shape[2]]
    if name == "ETC2_RGB8_PTA":
        assert np.array_equal(theirs[..., 3], ours[..., 3])
        theirs = np.where(ours[..., 3:] == 0, 0, theirs)
    assert np.array_equal(ours, theirs)
