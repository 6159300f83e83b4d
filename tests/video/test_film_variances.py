"""Film detection's variances against the literal oracle, for every pixel that decides, block and frame."""

import itertools
import math

import numpy as np
import pytest
from oracle.film import FmdState, comb_squares, leans, levels, variances
from support.frames import samples_of
from support.interlaced import CONTENTS, frame_pair

from texsamp.errors import StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.presets import preset
from texsamp.video.film.variances import FilmCounters, FilmParameters, block_variances, measure_film, strip_area
from texsamp.video.frame import Frame

DEFAULTS = FilmParameters(175, 16, 100, 2)


def gray(picture: np.ndarray) -> Frame:
    return Frame.from_arrays("gray", [picture], picture.shape[1], picture.shape[0], "cpu")


def oracle_of(parameters: FilmParameters) -> FmdState:
    return FmdState(parameters.tdiff, parameters.vdiff1, parameters.vdiff2, parameters.tear)


def check(current: Frame, previous: Frame | None, parameters: FilmParameters) -> np.ndarray:
    """Blocks and sums equal the oracle's; returns the blocks."""
    shift = current.layout.components["Y"].bits - 8
    luma = [samples_of(frame, "Y") >> shift for frame in (current, previous) if frame is not None]
    expected = variances(luma[0], luma[1] if previous is not None else None, oracle_of(parameters), parameters.erratum)
    found = block_variances(current, previous, parameters)
    np.testing.assert_array_equal(found, expected)
    whole = measure_film(current, previous, parameters)
    assert whole.variances == tuple(expected.sum((0, 1)))
    assert whole.pixels.sum() == (luma[0].shape[0] + 1) // 2 * luma[0].shape[1]
    squares = comb_squares(*luma) if previous is not None else comb_squares(luma[0], luma[0], 0)[:1]
    sums = [one.sum() for one in squares]
    np.testing.assert_allclose((whole.combs.T @ whole.pixels)[: len(sums)], sums, rtol=1e-12)
    width = luma[0].shape[1]
    for strip, tile in enumerate(whole.strips.tiles):
        lines, columns = strip_area(strip, width)
        assert tile == lines.start // 32 * whole.strips.across + columns.start // 240
        for found_comb, one in zip(whole.strips.combs[strip], squares, strict=False):
            part = one[lines.start // 2 : lines.stop // 2, columns]
            np.testing.assert_allclose(found_comb, part.mean(), rtol=1e-12)
        strip_leans = 16 * np.array(leans(luma[0], luma[-1], slice(lines.start // 2, lines.stop // 2), columns))
        found_leans = whole.strips.leans[strip] * part.size
        found_levels = whole.strips.levels[strip] * part.size
        strip_levels = levels(luma[0], slice(lines.start // 2, lines.stop // 2), columns)
        np.testing.assert_allclose(found_levels, strip_levels, rtol=1e-12)
        known = len(squares)
        np.testing.assert_allclose(found_leans[:known], strip_leans[:known], rtol=1e-12, atol=1e-6)
    expected_leans = 16 * np.array(leans(luma[0], luma[-1]))
    known = 3 if previous is not None else 1
    np.testing.assert_allclose((whole.leans.T @ whole.pixels)[:known], expected_leans[:known], rtol=1e-12, atol=1e-6)
    return found


def random_parameters(rng: np.random.Generator) -> FilmParameters:
    edges = rng.integers(0, 3)
    tdiff, vdiff1, vdiff2 = (int(rng.choice([0, 255, rng.integers(0, 256), 20])) for _ in range(3))
    if edges == 0:
        tdiff = int(rng.integers(0, 0x3FFF))
    return FilmParameters(tdiff, vdiff1, vdiff2, int(rng.choice([0, 1, 2, 32, 33, 63])), bool(rng.integers(0, 2)))


@pytest.mark.parametrize("content", CONTENTS)
def test_random_states_on_every_content(content):
    rng = np.random.default_rng(list(CONTENTS).index(content))
    for layout, size in (("gray", (70, 45)), ("nv12", (256, 37)), ("yuyv422", (243, 66)), ("p010le", (33, 20))):
        for is_first in (False, True):
            previous, current = frame_pair(rng, layout, *size, content)
            check(current, None if is_first else previous, random_parameters(rng))


@pytest.mark.parametrize(
    "size", [(1, 1), (1, 9), (16, 4), (16, 8), (17, 5), (3, 2), (240, 32), (241, 33), (481, 65), (256, 72), (500, 106)]
)
def test_small_sizes_and_edges_of_tiles(size):
    rng = np.random.default_rng(size[0] * size[1])
    previous, current = frame_pair(rng, "gray", *size, "noisy edges")
    found = check(current, previous, DEFAULTS)
    assert found.shape == (-(-size[1] // 4), -(-size[0] // 16), 11)
    check(current, None, DEFAULTS)


@pytest.mark.parametrize("erratum", [False, True])
def test_tears_of_moving_smooth_fields(erratum):
    """What tears are made for: smooth bright shapes that move from field to field. Every counter counts."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:64, 0:96]
    pictures = [
        np.clip(200 * np.exp(-((x - 20 - 9 * t) ** 2 + (y - 30 - t) ** 2) / 300) + rng.integers(0, 3, y.shape), 0, 255)
        for t in range(5)
    ]
    woven = [np.where(y % 2 == 0, a, b).astype(np.uint8) for a, b in itertools.pairwise(pictures)]
    found = np.zeros(11, np.int64)
    for previous, current in ((woven[0], woven[2]), (woven[1], woven[2]), (pictures[0], woven[2])):
        frames = gray(current), gray(previous.astype(np.uint8))
        found += check(*frames, FilmParameters(175, 16, 100, 2, erratum)).sum((0, 1))
    assert (found > 0).all(), found


def test_a_woven_film_frame_tears_less_than_a_wrong_one():
    y, x = np.mgrid[0:64, 0:96]
    pictures = [(200 * np.exp(-((x - 20 - 9 * t) ** 2 + (y - 30) ** 2) / 300)).astype(np.uint8) for t in range(2)]
    torn = np.where(y % 2 == 0, pictures[1], pictures[0]).astype(np.uint8)
    right, wrong = (measure_film(gray(f), gray(pictures[0]), DEFAULTS).variances for f in (pictures[1], torn))
    assert right[2] < wrong[2] // 4
    assert right[5] < wrong[5]
    assert wrong[1] == 0 < right[1]


def test_differences_are_rounded_down_in_every_block():
    previous, current = np.zeros((8, 32), np.uint8), np.zeros((8, 32), np.uint8)
    current[0, 0] = 3  # 9 / 16 is 0, 9 * 2 / 16 is 1
    current[4, 16:18] = 3
    assert measure_film(gray(current), gray(previous), DEFAULTS).variances[:5] == (1, 0, 1, 1, 0)


def test_the_largest_frame_fits_the_registers():
    """1080 lines of all differences at their largest: below 2^32, as the manual says."""
    black, white = np.zeros((1080, 1920), np.uint8), np.full((1080, 1920), 255, np.uint8)
    sums = np.array(measure_film(gray(white), gray(black), DEFAULTS).variances)
    assert sums[0] == 130050 * 120 * 270 < 1 << 32
    counters = FilmCounters()
    counters.add(0, sums)
    assert counters.read(0) == tuple(sums)


@pytest.mark.parametrize("tdiff", [0, 1, 2, 175, 254, 16129, 16200, 16382])
def test_the_least_changes_that_move(tdiff):
    """Even lines of one pair of changes each, from just below the threshold to the largest of either line."""
    root = math.isqrt(tdiff // 2)
    near = [max(root + step, 0) for step in range(-1, 3)] + [math.isqrt(tdiff), math.isqrt(tdiff) + 1]
    pairs = np.array(list(itertools.product([0, *near, 127, 128, 255], repeat=2)))
    current = np.repeat(pairs.reshape(-1, 1).astype(np.uint8), 272, 1)
    found = check(gray(current), gray(np.zeros_like(current)), FilmParameters(tdiff, 255, 255, 0))
    moving = (pairs**2).sum(1) > tdiff
    assert found[..., 5:7].sum() == 272 * moving.sum()


def test_two_streams_have_counters_of_their_own():
    rng = np.random.default_rng(9)
    blocks = rng.integers(0, 130051, (40, 3, 11))
    counters = FilmCounters()
    counters.add(1, blocks)
    counters.add(0, blocks[:2])
    counters.add(1, blocks[5:9])
    expected = blocks.sum((0, 1)) + blocks[5:9].sum((0, 1))
    assert counters.read(1) == tuple(v % (1 << (32 if k < 5 else 24)) for k, v in enumerate(expected))
    assert counters.read(0) == tuple(blocks[:2].sum((0, 1)))
    counters.clear(1)
    assert (counters.read(1), counters.read(0)) == ((0,) * 11, tuple(blocks[:2].sum((0, 1))))
    for _ in range(200):
        counters.add(0, np.full((1000, 11), 130050))
    assert counters.read(0)[0] < 1 << 32
    with pytest.raises(StateError, match="0 or 1, found 2"):
        counters.read(2)


def test_parameters_of_a_state():
    assert FilmParameters.from_state(preset(DeinterlaceSamplerState, "i965")) == FilmParameters(175, 16, 100, 2)
    assert FilmParameters(175, 16, 100, 2).in_noise(15).tdiff == 175 + 12 * 225
    with pytest.raises(StateError, match="tear must be from 0 to 63, found 64"):
        FilmParameters(0, 0, 0, 64)
