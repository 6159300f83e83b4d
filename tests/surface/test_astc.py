"""ASTC against the specification written out, scalar and slow: every header, range, grid, partitioning and mode."""

import numpy as np
import pytest
from oracle import astc
from oracle.astc_sequences import COLOR_RANGES
from pictures.astc import mixed_blocks
from support.astc_blocks import (
    FOOTPRINTS,
    MODE_CODES,
    block_with,
    blocks_of,
    codes_for,
    legal_block,
    mode_of,
    placed,
    random_bits,
    void_extent,
)
from support.filter_cases import sweep

from texsamp import decode

NAMES = {
    astc.LINEAR: "ASTC_{}x{}",
    astc.SRGB: "ASTC_{}x{}_SRGB",
    astc.FLOAT16: "ASTC_{}x{}",
    astc.HDR: "ASTC_{}x{}_SFLOAT",
}
MAGENTA = [255, 0, 255, 255]
NAN = [0xFFFF] * 4


def texels_of(blocks, footprint, profile):
    """(count, block height, block width, 4): uint8, or the bits of halves."""
    width, height = footprint
    dtype = np.float16 if profile == astc.FLOAT16 else None
    image = decode(blocks, NAMES[profile].format(*footprint), width * len(blocks), height, dtype=dtype, device="cpu")
    texels = image.reshape(height, len(blocks), width, 4).swapaxes(0, 1)
    return texels.view(np.uint16) if texels.dtype == np.float16 else texels


def check(numbers, footprint, profile):
    """The kernel's texels of blocks are those of the specification; returns them."""
    blocks = blocks_of(numbers)
    made, expected = texels_of(blocks, footprint, profile), astc.decode_astc(blocks, *footprint, profile)
    wrong = (made != expected).any(axis=(1, 2, 3))
    assert not wrong.any(), f"{footprint} {profile}: {wrong.sum()} blocks differ, first {numbers[wrong.argmax()]:032x}"
    return made


def smallest_footprint(code):
    return next((size for size in FOOTPRINTS if code in codes_for(*size)), FOOTPRINTS[0])


def code_for(footprint, *, levels=None, columns=None, rows=None, dual_plane=False):
    """A block mode code with the weights asked for."""
    for code in codes_for(*footprint):
        mode = mode_of(code)
        wanted = ((levels, mode.range.levels), (columns, mode.width), (rows, mode.height))
        if mode.dual_plane == dual_plane and all(want in (None, have) for want, have in wanted):
            return code
    raise AssertionError("no such mode")


# -- headers ---------------------------------------------------------------------------------------------------------


def test_every_block_mode():
    """All 2048 codes, in the smallest footprint that has them; those of none are errors everywhere."""
    rng = np.random.default_rng(1)
    by_footprint = {}
    for code in range(MODE_CODES):
        footprint = smallest_footprint(code)
        legal = code in codes_for(*footprint)
        block = legal_block(rng, *footprint, astc.LINEAR, code) if legal else placed(random_bits(rng), 0, 11, code)
        by_footprint.setdefault(footprint, []).append(block)
    assert len(by_footprint) == len(FOOTPRINTS)
    for footprint, numbers in by_footprint.items():
        check(numbers, footprint, astc.LINEAR)


@pytest.mark.parametrize("profile", NAMES)
@pytest.mark.parametrize("footprint", FOOTPRINTS, ids=lambda size: "{}x{}".format(*size))
def test_every_footprint(footprint, profile):
    """Legal blocks among broken and random ones and those of one color."""
    count = sweep(900 // (8 + footprint[0] * footprint[1]))
    legal = astc.HDR if profile == astc.HDR else astc.LINEAR
    blocks = mixed_blocks(count, *footprint, legal, hash(footprint) % 1000)
    check([int.from_bytes(block.tobytes(), "little") for block in blocks], footprint, profile)


@pytest.mark.parametrize("footprint", FOOTPRINTS, ids=lambda size: "{}x{}".format(*size))
def test_every_grid_of_weights(footprint):
    """Each size of the grid that fits a footprint: every infill there is."""
    rng = np.random.default_rng(2)
    codes = {}
    for code in codes_for(*footprint):
        mode = mode_of(code)
        codes[mode.width, mode.height] = code
    check([legal_block(rng, *footprint, astc.LINEAR, code) for code in codes.values()], footprint, astc.LINEAR)


def test_every_endpoint_mode_with_every_range():
    """16 modes; the range of their values follows from the bits that weights leave: all that can occur do."""
    rng = np.random.default_rng(3)
    numbers, reached = [], set()
    footprint = (8, 8)
    for code in codes_for(*footprint):
        for endpoint_mode in range(16):
            block = block_with(rng, code, endpoint_modes=(endpoint_mode,))
            if astc.is_error(block, *footprint, astc.HDR):
                continue
            found = (endpoint_mode, astc.parse(block, *footprint).color_range.levels)
            if found not in reached:
                reached.add(found)
                numbers += [block, *(placed(random_bits(rng), 0, 17, block & 0x1FFFF) for _ in range(sweep(1)))]
    for endpoint_mode in range(8, 16):
        assert {levels for mode, levels in reached if mode == endpoint_mode} == {r.levels for r in COLOR_RANGES}
    check(numbers, footprint, astc.HDR)


@pytest.mark.parametrize("footprint", [(5, 5), (6, 6)], ids=["small", "large"])
@pytest.mark.parametrize("partitions", [2, 3, 4])
def test_partitionings(partitions, footprint):
    """Partitions of plain colors, so that a texel of another one shows; footprints below 31 texels scale by two."""
    rng = np.random.default_rng(4)
    code = code_for(footprint, levels=3, columns=4, rows=4)
    stride = max(1, 4 // sweep(1))
    indices = range(partitions % stride, 1024, stride)
    numbers = [block_with(rng, code, partitions, (0,), index) for index in indices]
    texels = check(numbers, footprint, astc.LINEAR)
    assert len(np.unique(texels.reshape(len(texels), -1), axis=0)) > len(texels) // 2


@pytest.mark.parametrize("partitions", [1, 2, 3])
@pytest.mark.parametrize("component", range(4))
def test_two_planes(component, partitions):
    """Each component with weights of its own, in all endpoint modes the profile has."""
    rng = np.random.default_rng(5 + component)
    footprint = (6, 5)
    codes = [code for code in codes_for(*footprint) if mode_of(code).dual_plane]
    numbers = []
    for endpoint_mode in range(16):
        for code in rng.permutation(codes)[:20]:
            block = block_with(rng, int(code), partitions, (endpoint_mode,), int(rng.integers(1024)), component)
            if not astc.is_error(block, *footprint, astc.HDR):
                break
        numbers.append(block)
    check(numbers, footprint, astc.HDR)


@pytest.mark.parametrize("partitions", [2, 3, 4])
def test_endpoint_modes_of_their_own(partitions):
    """Partitions whose modes differ: the header continues below the weights, also under two planes."""
    rng = np.random.default_rng(6)
    footprint = (8, 6)
    codes = [c for c in codes_for(*footprint) if not (mode_of(c).dual_plane and partitions == 4)]
    numbers = []
    for i in range(sweep(600)):
        base = i % (3 if partitions < 4 else 2)
        modes = tuple(int(m) for m in rng.integers(4 * base, 4 * base + 8, partitions))
        block = block_with(rng, int(rng.choice(codes)), partitions, modes, int(rng.integers(1024)), 1)
        if len(numbers) < sweep(60) and not astc.is_error(block, *footprint, astc.HDR):
            assert astc.parse(block, *footprint).endpoint_modes == list(modes)
            numbers.append(block)
    assert len(numbers) > 30
    check(numbers, footprint, astc.HDR)


# -- interpolation ---------------------------------------------------------------------------------------------------


def pairs_of_endpoints(endpoint_mode):
    """Blocks of 4x4 with every pair v0, v1 and every one of 32 weights, and the weights: (131072, 16)."""
    code = code_for((4, 4), levels=32, columns=4, rows=4)
    halves = np.arange(32).reshape(2, 16)
    streams = [sum(int(w) << 5 * i for i, w in enumerate(half)) for half in halves]
    weights = [int(format(stream, "0128b")[::-1], 2) for stream in streams]
    numbers = np.empty((256, 256, 2, 2), "<u8")
    pair = np.arange(256, dtype=np.uint64)
    for k, high in enumerate(weights):
        fixed = high | code | endpoint_mode << 13
        numbers[:, :, k, 0] = np.uint64(fixed & (1 << 64) - 1) | pair[:, None] << np.uint64(17) | pair << np.uint64(25)
        numbers[:, :, k, 1] = fixed >> 64
    six_bits = halves << 1 | halves >> 4
    return numbers.view(np.uint8).reshape(-1, 16), np.tile(six_bits + (six_bits > 32), (65536, 1))


def between(v0, v1, weights):
    """UNORM16 between the endpoints of all blocks."""
    return (v0[:, None] * (64 - weights) + v1[:, None] * weights + 32) // 64


@pytest.fixture(scope="module")
def halves():
    """Halves of every UNORM16 and of every 16-bit logarithm."""
    codes = range(65536)
    return (
        np.array([astc.half_of_unorm16(c) for c in codes], np.uint16),
        np.array([astc.half_of_lns(c) for c in codes], np.uint16),
    )


def all_pairs():
    return np.repeat(np.arange(256), 512), np.tile(np.repeat(np.arange(256), 2), 256)


@pytest.mark.parametrize("profile", [astc.LINEAR, astc.SRGB, astc.FLOAT16])
def test_every_pair_of_endpoints_and_weight(profile, halves):
    blocks, weights = pairs_of_endpoints(0)
    made = np.concatenate([texels_of(part, (4, 4), profile) for part in np.split(blocks, 16)]).reshape(-1, 16, 4)
    v0, v1 = all_pairs()
    linear = between(v0 * 257, v1 * 257, weights)
    color = between(v0 << 8 | 0x80, v1 << 8 | 0x80, weights) if profile == astc.SRGB else linear
    opaque = halves[0][65535] if profile == astc.FLOAT16 else 255
    expected = halves[0][color] if profile == astc.FLOAT16 else color >> 8
    assert np.array_equal(made[..., :3], np.repeat(expected[..., None], 3, axis=2))
    assert (made[..., 3] == opaque).all()


def test_every_pair_of_alphas_of_srgb_is_linear():
    """Mode 4, luminance and alpha, with 16 weights."""
    rng = np.random.default_rng(7)
    numbers = [block_with(rng, code_for((4, 4), levels=16, columns=4, rows=4), endpoint_modes=(4,)) for _ in range(300)]
    linear, srgb = check(numbers, (4, 4), astc.LINEAR), check(numbers, (4, 4), astc.SRGB)
    assert np.array_equal(linear[..., 3], srgb[..., 3])
    assert not np.array_equal(linear[..., :3], srgb[..., :3])


def test_every_pair_of_logarithms_and_weight(halves):
    blocks, weights = pairs_of_endpoints(2)
    made = np.concatenate([texels_of(part, (4, 4), astc.HDR) for part in np.split(blocks, 16)]).reshape(-1, 16, 4)
    v0, v1 = all_pairs()
    low = np.where(v1 >= v0, v0 << 4, (v1 << 4) + 8) << 4
    high = np.where(v1 >= v0, v1 << 4, (v0 << 4) - 8) << 4
    expected = halves[1][between(low, high, weights)]
    assert np.array_equal(made[..., :3], np.repeat(expected[..., None], 3, axis=2))
    assert (made[..., 3] == 0x3C00).all()


# -- one color -------------------------------------------------------------------------------------------------------


def test_every_unorm16_of_one_color(halves):
    """decode_float16 rounds toward zero, and 65535 is 1.0; decode_unorm8 keeps the top 8 bits."""
    blocks = np.zeros((16384, 16), np.uint8)
    blocks[:, :8] = 0xFF
    blocks[:, :2] = (0xFC, 0xFD)
    blocks[:, 8:] = np.arange(65536, dtype="<u2").view(np.uint8).reshape(-1, 8)
    codes = np.arange(65536).reshape(-1, 4)
    assert np.array_equal(texels_of(blocks, (4, 4), astc.LINEAR)[:, 1, 2], codes >> 8)
    assert np.array_equal(texels_of(blocks, (4, 4), astc.SRGB)[:, 3, 3], codes >> 8)
    assert np.array_equal(texels_of(blocks, (4, 4), astc.FLOAT16)[:, 0, 0], halves[0][codes])
    assert np.array_equal(texels_of(blocks, (4, 4), astc.HDR)[:, 0, 0], halves[0][codes])


EXTENTS = {
    # minimum and maximum of s, then of t: legal or not
    (0x1FFF, 0x1FFF, 0x1FFF, 0x1FFF): True,
    (0, 1, 0, 1): True,
    (5, 0x1FFF, 7, 8): True,
    (0, 0, 0, 1): False,
    (0, 1, 3, 3): False,
    (2, 1, 0, 1): False,
    (0, 1, 0x1FFF, 0x1FFF): False,
    (0x1FFF, 0x1FFF, 0, 1): False,
}


@pytest.mark.parametrize("profile", NAMES)
@pytest.mark.parametrize("extent", EXTENTS, ids=str)
def test_void_extents(extent, profile):
    rng = np.random.default_rng(8)
    numbers = [void_extent(rng, hdr, extent) for hdr in (False, True)]
    made = check(numbers, (6, 6), profile)
    error = {astc.HDR: NAN, astc.FLOAT16: [0x3C00, 0, 0x3C00, 0x3C00]}.get(profile, MAGENTA)
    legal = [EXTENTS[extent], EXTENTS[extent] and profile == astc.HDR]
    assert [made[k, 0, 0].tolist() != error for k in range(2)] == legal
    assert (made == made[:, :1, :1]).all()


def test_half_colors_are_the_bits_stored():
    """Infinities and NaNs too: the specification leaves them undefined, texsamp passes them on."""
    rng = np.random.default_rng(9)
    stored = np.array([0x7C00, 0xFC01, 0x8000, 0x7BFF])
    number = void_extent(rng, hdr=True)
    for k, half in enumerate(stored):
        number = placed(number, 64 + 16 * k, 16, int(half))
    assert (texels_of(blocks_of([number]), (12, 12), astc.HDR) == stored).all()
