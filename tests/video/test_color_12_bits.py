"""The color pipe at its own depth: every input of a channel, random pixels, and joints without jumps.

`test_random_pixels` compares a million pixels with TEXSAMP_SWEEP=500.
"""

from fractions import Fraction

import numpy as np
import pytest
from oracle import color as oracle
from oracle.color_state import Dwords
from support.color_states import ENABLES, piped, random_state, state
from support.filter_cases import sweep

from texsamp.state import ColorProcessingState, preset
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.procamp import procamp_state
from texsamp.video.color.skintone import skin_tone_state
from texsamp.video.color.vertices import vertex_table

PRESETS = {"doc": ColorProcessingState()} | {name: preset(ColorProcessingState, name) for name in ("hsw", "ihd")}
EVERY = np.arange(4096)


def through(colors, y, u, v):
    """12-bit samples through a state's blocks by the kernel; arrays of one shape or numbers."""
    planes = [np.atleast_2d(plane) for plane in np.broadcast_arrays(y, u, v)]
    return [plane.ravel() for plane in piped(planes, ColorBlocks.from_state(colors))]


def expected(colors, y, u, v):
    """The same by the oracle, pixel by pixel."""
    d = Dwords(colors.to_dwords())
    samples = np.stack([plane.ravel() for plane in np.broadcast_arrays(y, u, v)], axis=1)
    pixels = [tuple(Fraction(int(value), 16) for value in pixel) for pixel in samples]
    pairs = [oracle.pair(d, pixels[i : i + 2], shared_chroma=False)[0] for i in range(0, len(pixels), 2)]
    return list(np.array([[int(value * 16) for value in pixel] for both in pairs for pixel in both]).T)


def check(colors, y, u, v):
    found, wanted = through(colors, y, u, v), expected(colors, y, u, v)
    for name, a, b in zip("YUV", found, wanted, strict=True):
        assert np.array_equal(a, b), f"{name}: first difference at {np.flatnonzero(a != b)[0]}"


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("block", ["ace", "procamp", "detect"])
def test_every_luma(name, block):
    """On the middle of the skin, so that its luma membership counts."""
    colors = state(PRESETS[name].to_dwords(), *([block, "scores"] if block == "detect" else [block]))
    check(colors, EVERY, 110 * 16, 154 * 16)


@pytest.mark.parametrize("levels", [(-100, 10, 0, 0), (7.5, 0.3, 1.7, -33), (0, 1, 3, 180)], ids=str)
def test_every_input_of_procamp(levels):
    colors = procamp_state(*levels)
    rng = np.random.default_rng(60)
    check(colors, EVERY, EVERY, rng.permutation(EVERY))


@pytest.mark.parametrize(
    "blocks", [("skin",), ("tcc",), ("gamut",), ("mapping",), ("ace", "csc"), tuple(ENABLES)], ids="-".join
)
def test_random_pixels(blocks):
    blocks = tuple(block for block in blocks if block not in ("scores", "detect"))
    rng = np.random.default_rng(61 + len(blocks))
    for name in (*PRESETS, None):
        colors = random_state(rng, *blocks) if name is None else state(PRESETS[name].to_dwords(), *blocks)
        y, u, v = rng.integers(0, 4096, (3, 1, sweep(84)))
        if blocks == ("skin",):  # elsewhere nothing happens
            u, v = (middle * 16 + rng.integers(-400, 400, y.shape) for middle in (110, 154))
        check(colors, y, u, v)


def largest_step(values):
    return int(np.abs(np.diff(values)).max())


def test_scores_are_continuous():
    """Along luma, saturation and hue no step is larger than the steepest slope: 31 per 8-bit step, 2 per 12-bit one."""
    colors = skin_tone_state(3).replace(std_output=1, y_points=(40, 48, 240, 248))  # the default's slopes do not reach
    for vy in (False, True):
        colors = colors.replace(vy_std_enable=vy)
        assert largest_step(through(colors, EVERY, 110 * 16, 154 * 16)[0] >> 6) <= 2
        assert largest_step(through(colors, 2400, EVERY, 154 * 16)[0] >> 6) <= 2
        assert largest_step(through(colors, 2400, 110 * 16, EVERY)[0] >> 6) <= 2


@pytest.mark.parametrize("level", range(10))
def test_enhancement_is_continuous(level):
    """Where the slopes are up to 721/256, and the score adds its own steps of 1/32 of the change."""
    colors = skin_tone_state(level).replace(skin_types_enable=level % 2 == 1)
    for y in (1200, 2400):
        u, v = through(colors, y, EVERY, 154 * 16)[1:]
        assert max(largest_step(u), largest_step(v)) <= 24
        u, v = through(colors, y, 110 * 16, EVERY)[1:]
        assert max(largest_step(u), largest_step(v)) <= 24
    assert largest_step(through(colors, EVERY, 100 * 16, 150 * 16)[1]) <= 24


def test_total_color_control_is_continuous_around_the_circle():
    """Over all hues, the seam included, and from gray to the limit of over-saturation."""
    factors = (1.72, 0.5, 1.4, 0.8, 1.9, 0.6)
    colors = ColorProcessingState(tcc_enable=True, sat_factors=[round(f * 128) / 128 for f in factors])
    turn = np.linspace(0, 2 * np.pi, 6000)
    for radius in (200, 800, 1500):
        u, v = (np.rint(2048 + radius * wave(turn)).astype(int) for wave in (np.cos, np.sin))
        out_u, out_v = through(colors, 2048, u, v)[1:]
        lengths = np.hypot(out_u - 2048, out_v - 2048)
        assert np.abs(np.diff(lengths)).max() <= 16 + radius * 0.02
        assert abs(lengths[0] - lengths[-1]) <= 8
    for angle in np.linspace(0, 2 * np.pi, 24, endpoint=False):
        radii = np.arange(0, 2047, 2)
        u, v = (np.rint(2048 + radii * wave(angle)).astype(int) for wave in (np.cos, np.sin))
        out_u, out_v = through(colors, 2048, u, v)[1:]
        assert max(largest_step(out_u), largest_step(out_v)) <= 40


@pytest.mark.parametrize("mapping", ["basic", "advanced"])
@pytest.mark.parametrize("space", ["bt601", "bt709"])
def test_gamut_compression_is_continuous_along_chroma(mapping, space):
    """But for the steps from one of the 512 tips to the next, which is where hue goes when samples are rounded."""
    colors = ColorProcessingState(
        gamut_enable=True, gamut_mapping=mapping, vertex_color_space=space, xvycc_enable=False
    )
    worst = 0
    for angle in np.linspace(0, 2 * np.pi, 40, endpoint=False) + 0.003:
        radii = np.arange(0, 2040)
        u, v = (np.rint(2048 + radii * wave(angle)).astype(int) for wave in (np.cos, np.sin))
        for luma in (300, 1500, 3000):
            y, out_u, out_v = through(colors, luma, u, v)
            lengths = np.hypot(out_u - 2048, out_v - 2048)
            worst = max(worst, np.abs(np.diff(lengths)).max(), largest_step(y))
    assert worst <= {"basic": 12, "advanced": 60}[mapping]


# Hue in 1/1024 turns, chroma and luma of the six colors by Kr and Kb alone: 1.0 is 4096.
@pytest.mark.parametrize("space", ["bt601", "bt709"])
@pytest.mark.parametrize("rgb", [(1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1)], ids=str)
def test_the_tips_are_the_pure_colors(space, rgb):
    """At its hue each fully saturated color is the tip; between two hues the table's neighbors hold it."""
    kr, kb = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}[space]
    r, g, b = rgb
    luma = kr * r + (1 - kr - kb) * g + kb * b
    u, v = (b - luma) / (2 * (1 - kb)), (r - luma) / (2 * (1 - kr))
    hue = np.arctan2(v, u) / (2 * np.pi) * 1024 % 1024
    table = vertex_table(space)
    chroma, tip = (np.interp(hue % 512, np.arange(512), table[:, part]) for part in (0, 1))
    assert abs(chroma - 4096 * np.hypot(u, v)) <= 12  # a corner of the outline lies between two entries
    assert abs((tip if v > 0 else 4096 - tip) - 4096 * luma) <= 12
