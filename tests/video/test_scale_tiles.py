"""Results do not show how the picture was cut into tiles: sizes around tile borders, and windows that shrink tiles."""

import re

import numpy as np
import pytest
from oracle.avs import AdaptiveState, avs
from oracle.avs_arrays import avs_plane
from support.filter_cases import (
    nothing_else_written,
    oracle_tables,
    padded_plane,
    picture,
    random_positions,
    random_tables,
    sweep,
)

from texsamp.device import get_device
from texsamp.device.sources import kernel_directory
from texsamp.video import sharpen
from texsamp.video.presets.avs import AdaptiveParameters, coefficients
from texsamp.video.samples import Samples
from texsamp.video.scale import AvsPlane, AvsTables, prefilter
from texsamp.video.scale import avs as avs_module

SHARP = AdaptiveState()
MIXED = AdaptiveState(default_sharpness=90)
IHD = AdaptiveState(max_derivative4=7, max_derivative8=20, transition4=4, transition8=5, bypass_x=False, bypass_y=False)
OURS = AdaptiveState(
    max_derivative4=0, max_derivative8=8, transition4=3, transition8=3, bypass_x=False, bypass_y=False, rule="ours"
)
STATES = {"sharp": SHARP, "mixed": MIXED, "adaptive": IHD, "ours": OURS}


@pytest.mark.parametrize("bits", [8, 10, 16])
def test_the_oracle_over_arrays_is_the_scalar_one(bits):
    rng = np.random.default_rng(bits)
    for _ in range(60):
        height, width, rows, columns = (int(v) for v in rng.integers(1, 16, 4))
        tables = random_tables(rng)
        numbers = [int(v) for v in rng.integers(0, [256, 64, 64, 8, 8])]
        state = AdaptiveState(
            *numbers, *(bool(v) for v in rng.integers(0, 2, 2)), rule=str(rng.choice(["hardware", "ours"]))
        )
        samples = picture(rng, height, width, (1 << bits) - 1)
        px, py = random_positions(rng, width, columns), random_positions(rng, height, rows)
        edge = str(rng.choice(["clamp", "mirror"]))
        (scalar,) = avs([samples], "Y", [px], [py], tables=oracle_tables(tables), state=state, edge=edge, bits=bits)
        arrays = avs_plane(samples, px, py, tables[:2], state, edge=edge, bits=bits)
        assert np.array_equal(arrays, scalar)


def check(samples, px, py, tables, state, bits, edge="clamp"):
    """The kernels against the oracle over arrays, into a plane with neighbors; the tile used."""
    rng = np.random.default_rng(1)
    dtype = "u1" if bits == 8 else "<u2"
    height, width = samples.shape
    source = padded_plane(rng, height, width, dtype)
    source[...] = samples
    target = padded_plane(rng, len(py), len(px), dtype)
    device = get_device("cpu")
    plan = AvsPlane(
        device,
        (width, height),
        (np.array(px, dtype=np.int32), np.array(py, dtype=np.int32)),
        AvsTables(*tables),
        AdaptiveParameters(**vars(state)),
        edge,
    )
    with nothing_else_written([target]):
        device.launch(*plan.launches([(Samples.plane(source, bits), Samples.plane(target, bits))], 0))
    expected = avs_plane(samples, px, py, tables[:2], state, edge=edge, bits=bits)
    assert np.array_equal(target, expected)
    return plan.launches([(Samples.plane(source, bits), Samples.plane(target, bits))], 0)[0]


def stretched(source, count):
    return [(2 * x + 1) * 16 * source // count - 16 for x in range(count)]


def lanczos_tables():
    return tuple(coefficients("lanczos3", 1, taps) for taps in (8, 8, 4, 4))


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
@pytest.mark.parametrize("bits", [8, 10, 16])
def test_sizes_around_tile_borders(bits, state):
    rng = np.random.default_rng(bits)
    for columns in (31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300):
        rows = int(rng.choice([7, 31, 33, 65, 127, 128, 129, 255, 257]))
        samples = picture(rng, rows * 2 // 3 + 1, columns * 2 // 3 + 1, (1 << bits) - 1, "random")
        px, py = stretched(samples.shape[1], columns), stretched(samples.shape[0], rows)
        check(samples, px, py, lanczos_tables(), state, bits)


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
@pytest.mark.parametrize("bits", [8, 10, 16])
@pytest.mark.parametrize("ratio", [1, 1.4, 2, 3, 7, 20, 60, 200])
def test_windows_that_need_small_tiles(bits, state, ratio):
    """Down by up to 200:1 without a prefilter, in either direction and both."""
    rng = np.random.default_rng([bits, int(ratio)])
    for across, down in ((ratio, 1), (1, ratio), (ratio, ratio)):
        columns, rows = int(900 / across) if across > 1 else 37, int(900 / down) if down > 1 else 37
        samples = picture(rng, int(rows * down), int(columns * across), (1 << bits) - 1, "random")
        px, py = stretched(samples.shape[1], columns), stretched(samples.shape[0], rows)
        launch = check(samples, px, py, lanczos_tables(), state, bits)
        if ratio >= 20 and across > 1:
            assert launch.tiles_x > columns // 8


@pytest.mark.parametrize("step", [119, 120, 121, 151, 152, 153, 183, 184, 185, 5000])
def test_a_jump_wider_than_a_tile_holds(step):
    """Between two outputs lies as much source as a tile's window holds, or a little less or more."""
    rng = np.random.default_rng(step)
    for base in (0, 3, 60):
        px = [32 * (base + x) for x in range(5)] + [32 * (base + 4 + step + x) + 7 for x in range(9)]
        for state in (SHARP, IHD, OURS):
            across = picture(rng, 6, 300, 255, "random")
            check(across, px, [0, 40, 41], lanczos_tables(), state, 8)
            check(across.T, [0, 40, 41], px, lanczos_tables(), state, 8)


def test_windows_of_shorter_tiles_that_begin_elsewhere():
    """Jumps between tiles of 40 outputs, and within tiles of 32, whose windows would not fit."""
    rng = np.random.default_rng(40)
    px, py = ([32 * (n + jump * (n // 40)) for n in range(160)] for jump in (150, 182))
    for state in (SHARP, IHD, OURS):
        across = picture(rng, 6, 750, 255, "random")
        assert check(across, px, [0, 40, 41], lanczos_tables(), state, 8).tiles_x == 4
        assert check(across.T, [0, 40, 41], py, lanczos_tables(), state, 8).tiles_y == 4


@pytest.mark.parametrize("phase", [1, 16, 28])
@pytest.mark.parametrize("taps", [4, 8])
def test_the_same_size_moved_along_x(taps, phase):
    """As chroma after its low-pass: lines are those of the source, and every column lies as far beside one of them."""
    rng = np.random.default_rng(phase)
    one = coefficients("lanczos3", 1, 8)
    strong = np.tile(np.array([0, 0, -64, 127, 1, -64, 0, 0], np.int16), (32, 1))  # as much as 16 bits hold
    for x_taps in (coefficients("lanczos3", 1, taps), strong):
        for columns, rows, pattern in (
            (31, 3, "random"),
            (129, 130, "extremes"),
            (256, 9, "random"),
            (300, 5, "extremes"),
        ):
            samples = picture(rng, rows, columns, 255, pattern)
            px, py = [32 * x + phase - 32 for x in range(columns)], [32 * y for y in range(rows)]
            check(samples, px, py, (x_taps, one, x_taps * 0, one * 0), SHARP, 8)
            check(samples, px[8:-9], py[1:], (x_taps, one, x_taps * 0, one * 0), SHARP, 8, "mirror")


@pytest.mark.sweep
@pytest.mark.parametrize("bits", [8, 10, 16])
def test_random_pictures_of_many_tiles(bits):
    rng = np.random.default_rng([bits, 2])
    for _ in range(sweep(10)):
        height, width, rows, columns = (int(v) for v in rng.integers(1, 400, 4))
        samples = picture(rng, height, width, (1 << bits) - 1)
        numbers = [int(v) for v in rng.integers(0, [256, 64, 64, 8, 8])]
        state = AdaptiveState(
            *numbers, *(bool(v) for v in rng.integers(0, 2, 2)), rule=str(rng.choice(["hardware", "ours"]))
        )
        px, py = random_positions(rng, width, columns), random_positions(rng, height, rows)
        check(samples, px, py, random_tables(rng), state, bits, str(rng.choice(["clamp", "mirror"])))


def test_smaller_tiles_give_the_same_picture(monkeypatch):
    """As a GPU cuts them, and smaller still."""
    rng = np.random.default_rng(8)
    samples = picture(rng, 90, 150, 255, "random")
    px, py = stretched(150, 220), stretched(90, 131)
    tiles = set()
    for limits in (avs_module.TILE_LIMITS["host"], avs_module.TILE_LIMITS["device"], avs_module.TileLimits(9, 8, 5, 3)):
        monkeypatch.setitem(avs_module.TILE_LIMITS, "host", limits)
        for state in (SHARP, IHD, OURS):
            launch = check(samples, px, py, lanczos_tables(), state, 8)
            tiles.add((launch.tiles_x, launch.tiles_y))
    assert len(tiles) == 3


def test_tile_sizes_are_those_of_the_kernels():
    """What Python decides by must be what the kernels were compiled with."""
    text = "".join(
        (kernel_directory() / name).read_text() for name in ("scale.h", "scale_adaptive.h", "prefilter.h", "sharpen.h")
    )
    pairs = {name: (int(host), int(gpu)) for name, host, gpu in re.findall(r"(\w+) = ON_DEVICE\((\d+), (\d+)\)", text)}
    singles = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)[,} ]", text)}
    for column, kind in enumerate(("host", "device")):
        limits = vars(avs_module.TILE_LIMITS[kind])
        assert limits == {name: pairs[f"SCALE_{name.upper()}"][column] for name in limits}
        assert prefilter._TILE_WIDTH[kind] == pairs["PREFILTER_WIDTH"][column]
        assert sharpen._TILE_WIDTH[kind] == pairs["SHARPEN_WIDTH"][column]
    assert singles["PREFILTER_TAPS"] == prefilter._MAX_TAPS
    assert singles["SHARPEN_HEIGHT"] == sharpen._TILE_HEIGHT
    assert singles["SCALE_MAX_PLANES"] == avs_module._MAX_PLANES
