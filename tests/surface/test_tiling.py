"""Tilings: two derivations of the swizzles agree, addresses are a bijection, published answers hold."""

import csv
from pathlib import Path

import numpy as np
import pytest
from oracle import tiling as oracle

from texsamp.errors import StateError
from texsamp.surface.tiling import LINEAR, MAX_PITCH_B, TILINGS, Addressing, AddressSwizzle, tiling

DATA = Path(__file__).parents[1] / "data" / "tiling"
CLASSIC = ("X", "Y", "W")
PLAIN_STANDARD = [name for name in TILINGS if name[:2] in ("YF", "YS") and "_3D" not in name]
VOLUMES = [name for name in TILINGS if "_3D" in name]


def _whole(addressing, tiles_x=1, tiles_y=1, z=0, sample=0):
    """Offsets of a rectangle of tiles, as a matrix of rows and bytes."""
    t = addressing.tiling
    y, x = np.mgrid[0 : t.height_rows * tiles_y, 0 : t.width_B * tiles_x]
    return addressing.offset_B(x, y, z, sample)


@pytest.mark.parametrize("swizzle", AddressSwizzle)
@pytest.mark.parametrize("name", CLASSIC)
def test_address_bits_and_formula_agree_over_full_tiles(name, swizzle):
    """Over 3 x 2 tiles: every byte of a tile, tiles in a row, and rows of tiles."""
    addressing = Addressing(tiling(name), 3 * tiling(name).width_B, swizzle)
    found = _whole(addressing, 3, 2)
    expected = np.array(
        [
            [
                oracle.swizzled(oracle.FORMULAS[name](x, y, addressing.pitch_B), swizzle.value)
                for x in range(found.shape[1])
            ]
            for y in range(found.shape[0])
        ]
    )
    np.testing.assert_array_equal(found, expected)
    assert np.array_equal(np.sort(found, axis=None), np.arange(found.size))


@pytest.mark.parametrize("name", PLAIN_STANDARD)
def test_standard_tiles_are_blocks_in_morton_order(name):
    t = tiling(name)
    bits, _, samples = name[3:].partition("_MSAA")
    seen = np.zeros(t.size_B, int)
    for sample in range(t.samples):
        found = _whole(Addressing(t, t.width_B), sample=sample)
        for y in range(0, t.height_rows, 3):
            for x in range(0, t.width_B, 5):
                expected = oracle.standard(x, y, sample, int(bits), int(samples or 1), t.size_B)
                assert found[y, x] == expected, (x, y)
        seen[found] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize("name", VOLUMES)
def test_standard_volumes_are_blocks_of_slices(name):
    t = tiling(name)
    seen = np.zeros(t.size_B, int)
    for z in range(t.depth_slices):
        found = _whole(Addressing(t, t.width_B), z=z)
        for y in range(0, t.height_rows, 3):
            for x in range(0, t.width_B, 7):
                assert found[y, x] == oracle.standard_volume(x, y, z, int(name[3:].split("_")[0]), t.size_B), (x, y)
        seen[found] += 1
    assert (seen == 1).all()


LARGEST_IN_A_MIP_TAIL = {  # 000:61-73, texels for 8, 16, 32, 64 and 128 bits
    "YS": "128x256 128x128 64x128 64x64 32x64",
    "YS_MSAA2": "128x128 128x64 64x64 64x32 32x32",
    "YS_MSAA4": "64x128 64x64 32x64 32x32 16x32",
    "YS_MSAA8": "64x64 64x32 32x32 32x16 16x16",
    "YS_MSAA16": "32x64 32x32 16x32 16x16 8x16",
    "YF": "32x64 32x32 16x32 16x16 8x16",
    "YS_3D": "32x32x32 16x32x32 16x32x16 16x16x16 8x16x16",
    "YF_3D": "16x8x16 8x8x16 8x8x8 8x4x8 4x4x8",
}


@pytest.mark.parametrize("kind", LARGEST_IN_A_MIP_TAIL)
def test_extents_of_standard_tiles_are_those_of_the_manual(kind):
    """A mip tail begins with half a tile: the half that the highest coordinate bit picks."""
    for bits, text in zip((8, 16, 32, 64, 128), LARGEST_IN_A_MIP_TAIL[kind].split(), strict=True):
        letter, _, suffix = kind.partition("_")
        t = tiling(f"{letter}_{bits}" + (f"_{suffix}" if suffix else ""))
        extent = {"X": t.width_B * 8 // bits, "Y": t.height_rows, "Z": t.depth_slices}
        extent[t.address_bits.lstrip("S")[0]] //= 2
        axes = "XYZ" if suffix == "3D" else "XY"
        assert "x".join(str(extent[axis]) for axis in axes) == text


@pytest.mark.parametrize("name", [*CLASSIC, "linear", "YS_32", "YF_8_MSAA4", "YS_64_3D"])
def test_position_undoes_offset(name):
    t = tiling(name)
    swizzle = AddressSwizzle.BIT_9_10 if name in CLASSIC else AddressSwizzle.NONE
    addressing = Addressing(t, 5 * t.width_B * (64 if t is LINEAR else 1), swizzle, slice_rows=2 * t.height_rows)
    rng = np.random.default_rng(3)
    x = rng.integers(0, addressing.pitch_B, 5000)
    y = rng.integers(0, addressing.slice_rows, 5000)
    z = rng.integers(0, 3 * t.depth_slices, 5000)
    sample = rng.integers(0, t.samples, 5000)
    found = addressing.position(addressing.offset_B(x, y, z, sample))
    for expected, back in zip((x, y, z, sample), (found.x_B, found.y_rows, found.z, found.sample), strict=True):
        np.testing.assert_array_equal(back, expected)
    assert addressing.position(int(addressing.offset_B(7 % addressing.pitch_B, 1))).y_rows == 1


@pytest.mark.parametrize("path", sorted(DATA.glob("[XYW]*.csv")), ids=lambda path: path.stem)
def test_published_tiles(path):
    """`<tiling>[_<swizzle>].csv`: line y, column x is the offset of byte (x, y) in a tile."""
    name, _, swizzle = path.stem.partition("_")
    published = np.loadtxt(path, delimiter=",", dtype=int)
    t = tiling(name)
    assert published.shape == (t.height_rows, t.width_B)
    mode = AddressSwizzle[swizzle.upper()] if swizzle else AddressSwizzle.NONE
    np.testing.assert_array_equal(_whole(Addressing(t, t.width_B, mode)), published)


def test_published_standard_tilings():
    """`standard.csv`: the offset of every power of two of every coordinate; all others are their exclusive or."""
    with (DATA / "standard.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["tiling"] for row in rows} == set(PLAIN_STANDARD) | set(VOLUMES)
    for row in rows:
        t = tiling(row["tiling"])
        at = dict.fromkeys("XYZS", 0) | {row["coordinate"]: int(row["value"])}
        assert Addressing(t, t.width_B).offset_B(at["X"], at["Y"], at["Z"], at["S"]) == int(row["offset_B"])


def test_all_published_files_are_there():
    assert {path.stem for path in DATA.glob("*.csv")} == {
        "X", "X_bit_9_10", "X_bit_9_10_11", "Y", "Y_bit_9", "Y_bit_9_11", "W", "W_bit_9", "W_bit_9_11", "standard",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "pitch_B", "swizzle", "slice_rows", "message"),
    [
        ("X", 511, "NONE", 0, "multiple of 512 bytes up to 262144, found 511"),
        ("Y", 0, "NONE", 0, "multiple of 128 bytes up to 262144, found 0"),
        ("Y", -128, "NONE", 0, "found -128"),
        ("W", 96, "NONE", 0, "multiple of 64 bytes"),
        ("linear", MAX_PITCH_B + 1, "NONE", 0, "up to 262144, found 262145"),
        ("linear", 64, "BIT_9", 0, "only tilings X, Y and W can have bit-6 swizzling, found linear"),
        ("YS_32", 512, "BIT_9", 0, "found YS_32"),
        ("YS_32_3D", 128, "NONE", 20, "slice_rows of tiling YS_32_3D must be a multiple of 32, found 20"),
    ],
)
def test_addressing_refuses(name, pitch_B, swizzle, slice_rows, message):
    with pytest.raises(StateError, match=message):
        Addressing(tiling(name), pitch_B, AddressSwizzle[swizzle], slice_rows)


def test_unknown_tiling():
    with pytest.raises(StateError, match="no tiling 'Z'; there are linear, X, Y, W, YF_8"):
        tiling("Z")
