"""Which samples objects have: against rational arithmetic, sample by sample."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from oracle.raster import in_rectangle, in_triangle, samples_of
from support.drawing import POSITIONS, here, primitives, raster_state
from support.strict_arrays import StrictDevice

from texsamp import get_device
from texsamp.emulator.fixed import raster
from texsamp.emulator.fixed.objects import SUBPIXELS, ScreenObjects, Spans
from texsamp.emulator.fixed.raster import Taken, rasterize
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.setup import set_up
from texsamp.state.commands_3d import Topology
from texsamp.state.pixel_state import ScissorRect

CPU = get_device("cpu")
SIZE = (16, 12)


def screen(at: np.ndarray) -> np.ndarray:
    """Positions (…, 2) in 1/256 pixels as clip coordinates that are divided already."""
    flat = at.reshape(-1, 2)
    return np.concatenate([flat / SUBPIXELS, np.zeros((len(flat), 1)), np.ones((len(flat), 1))], axis=1)


def found_samples(objects: ScreenObjects, state: RasterState) -> dict[int, set[tuple[int, int, int]]]:
    """Samples of each object, by its number."""
    found: dict[int, set[tuple[int, int, int]]] = {int(number): set() for number in here(objects).numbers}
    for spans in rasterize(objects, state.tested):
        assert (spans.coverage != 0).all()
        for row, x, y, bits in zip(spans.objects, spans.x, spans.y, spans.coverage.tolist(), strict=True):
            assert x % 2 == y % 2 == 0
            for bit in range(4 * state.samples):
                if bits >> bit & 1:
                    found[int(here(objects).numbers[row])].add((int(x) + bit % 2, int(y) + bit % 4 // 2, bit // 4))
    return found


def points(values: np.ndarray) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(int(x), SUBPIXELS), Fraction(int(y), SUBPIXELS)) for x, y in values]


def expected_samples(corners, inside, samples: int) -> set[tuple[int, int, int]]:
    at = [(Fraction(x), Fraction(y)) for x, y in POSITIONS[samples]]
    shape = points(corners)
    return {which for which, p in samples_of(range(SIZE[0]), range(SIZE[1]), at) if inside(shape, p)}


def random_corners(count: int, corners: int, seed: int) -> np.ndarray:
    """Corners around the picture: anywhere, on samples and pixel borders, slivers, and far away."""
    random = np.random.default_rng(seed)
    at = random.integers(-2 * SUBPIXELS, 18 * SUBPIXELS, (count, corners, 2))
    on_grid = random.integers(-4, 36, (count, corners, 2)) * (SUBPIXELS // 2)
    far = random.integers(-(1 << 22), 1 << 22, (count, corners, 2))
    thin = (
        at[:, :1] + random.integers(-2, 3, (count, corners, 2)) + (at[:, 1:2] - at[:, :1]) * np.arange(corners)[:, None]
    )
    kind = random.integers(0, 4, count)[:, None, None]
    return np.select([kind == 0, kind == 1, kind == 2], [at, on_grid, thin], far)


def test_triangles_have_the_samples_inside_them():
    """Few, in fractions; test_many_triangles has thousands, in integers."""
    corners = random_corners(30, 3, 1)
    state = raster_state(SIZE)
    found = found_samples(set_up(primitives(screen(corners)), state), state)
    expected = [expected_samples(at, in_triangle, 1) for at in corners]
    assert [found.get(number, set()) for number in range(len(corners))] == expected
    assert sum(map(bool, expected)) > 10


def test_rectangles_have_the_pixels_between_their_borders():
    random = np.random.default_rng(5)
    low, high = (random.integers(-SUBPIXELS, 17 * SUBPIXELS, (40, 2)) // 64 * 64 for _ in range(2))
    corners = np.stack([high, np.stack([low[:, 0], high[:, 1]], axis=1), low], axis=1)
    state = raster_state(SIZE)
    found = found_samples(set_up(primitives(screen(corners), topology=Topology.RECTLIST), state), state)
    for number, at in enumerate(corners):
        assert found.get(number, set()) == expected_samples(at, in_rectangle, 1)


@pytest.mark.parametrize("rule", ["UPPER_LEFT", "UPPER_RIGHT"])
def test_points_are_squares(rule):
    random = np.random.default_rng(8)
    centers = random.integers(0, 16 * SUBPIXELS, (40, 1, 2)) // 128 * 128
    state = raster_state(SIZE, setup={"point_width_source": "STATE", "point_width": 3.0}, windower={"point_rule": rule})
    objects = set_up(primitives(screen(centers), topology=Topology.POINTLIST, corners=1), state)
    found = found_samples(objects, state)
    for number, (center,) in enumerate(centers / SUBPIXELS):
        columns = {x for x in range(SIZE[0]) if -1.5 <= x + 0.5 - center[0] < 1.5}
        if rule == "UPPER_RIGHT":
            columns = {x for x in range(SIZE[0]) if -1.5 < x + 0.5 - center[0] <= 1.5}
        rows = {y for y in range(SIZE[1]) if -1.5 <= y + 0.5 - center[1] < 1.5}
        assert found.get(number, set()) == {(x, y, 0) for x in columns for y in rows}


@pytest.mark.parametrize("samples", [1, 4])
def test_a_mesh_has_every_sample_once(samples):
    """Triangles of a grid of random points inside a fan of huge ones: each sample is in exactly one."""
    random = np.random.default_rng(11)
    columns, rows = np.meshgrid(np.arange(9), np.arange(7))
    at = np.stack([columns, rows], axis=2) * (2 * SUBPIXELS) + random.integers(-200, 200, (7, 9, 2))
    at[0, :, 1], at[-1, :, 1], at[:, 0, 0], at[:, -1, 0] = -(1 << 22), 1 << 22, -(1 << 22), 1 << 22
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]
    halves = [np.stack([a, b, c], axis=2), np.stack([b, d, c], axis=2)]
    corners = np.concatenate([half.reshape(-1, 3, 2) for half in halves])
    state = raster_state(SIZE, samples=samples)
    counts = np.zeros((SIZE[1], SIZE[0], samples), int)
    for inside in found_samples(set_up(primitives(screen(corners)), state), state).values():
        for x, y, sample in inside:
            counts[y, x, sample] += 1
    assert (counts == 1).all()


def test_only_the_area_is_drawn():
    corners = np.array([[[-SUBPIXELS, -SUBPIXELS], [60 * SUBPIXELS, -SUBPIXELS], [-SUBPIXELS, 60 * SUBPIXELS]]])
    scissor = {"left": 5, "top": 3, "right": 20, "bottom": 6}
    state = raster_state(
        SIZE, setup={"scissor_enable": True}, scissors=[ScissorRect(**scissor)], rectangle={"left": 2, "top": 4}
    )
    (found,) = found_samples(set_up(primitives(screen(corners)), state), state).values()
    assert found == {(x, y, 0) for x in range(5, SIZE[0]) for y in range(4, 7)}
    empty = raster_state(SIZE, setup={"scissor_enable": True}, scissors=[ScissorRect(left=6, right=5, bottom=9)])
    assert not len(set_up(primitives(screen(corners)), empty))


def test_pieces_of_work_are_in_order_and_whole(monkeypatch):
    corners = random_corners(60, 3, 3)
    state = raster_state(SIZE)
    objects = set_up(primitives(screen(corners)), state)
    (whole,) = rasterize(objects, state.tested)
    monkeypatch.setattr(raster, "_MOST_SUBSPANS", 7)
    pieces = list(rasterize(objects, state.tested))
    assert len(pieces) > 50
    assert np.array_equal(np.concatenate([piece.subspans for piece in pieces]), whole.subspans)


@pytest.mark.parametrize(("together", "each"), [(1 << 13, 4), (50, 2), (7, 8)])
def test_subspans_stay_where_they_are_found_until_they_are_looked_at(together, each, monkeypatch):
    """What the host knows without them of those that go on together: how many there are, their pixels and threads."""
    corners, state, device = random_corners(60, 3, 9), raster_state(SIZE), StrictDevice()
    (theirs,) = rasterize(set_up(primitives(screen(corners)), state), state.tested)
    monkeypatch.setattr(raster, "TOGETHER", together)
    there = set_up(primitives(screen(corners), device=device), state)
    asked = device.downloads
    ours = list(rasterize(there, state.tested, taken=Taken(each)))
    assert device.downloads == asked + 1
    assert [len(some) for some in ours[:-1]] == [together] * (len(ours) - 1)
    assert sum(map(len, ours)) == len(theirs) > 100
    for number, some in enumerate(ours):
        real = Spans(theirs.subspans[number * together : (number + 1) * together])
        _, counts = np.unique(real.objects, return_counts=True)
        assert some.counted.threads == (-(-counts // each)).sum()
        assert some.counted.pixels == sum(bits.bit_count() for bits in real.coverage.tolist())
    assert device.downloads == asked + 1
    assert ours[0].subspans.tolist() == theirs.subspans[:together].tolist()
    assert device.downloads == asked + 2


@pytest.mark.parametrize(("quads", "together"), [(2, 1 << 13), (4, 9), (8, 9)])
@pytest.mark.parametrize("samples", [4, 8])
def test_threads_of_samples_are_counted_that_have_any(samples, quads, together, monkeypatch):
    """And of so many subspans, of each object by itself, their samples, and pairs of a subspan and one of these."""
    corners, state = random_corners(30, 3, 5), raster_state(SIZE, samples=samples)
    (whole,) = rasterize(set_up(primitives(screen(corners)), state), state.tested)
    monkeypatch.setattr(raster, "TOGETHER", together)
    objects = set_up(primitives(screen(corners), device=StrictDevice()), state)
    ours = list(rasterize(objects, state.tested, taken=Taken(quads, per_sample=True)))
    for number, some in enumerate(ours):
        real = Spans(whole.subspans[number * together : (number + 1) * together])
        threads, pairs = 0, 0
        for row in np.unique(real.objects):
            own = real.coverage[real.objects == row].tolist()
            of_quads = [bits >> 4 * sample & 15 for bits in own for sample in range(samples)]
            pairs += sum(map(bool, of_quads))
            threads += sum(any(of_quads[first : first + quads]) for first in range(0, len(of_quads), quads))
        assert (some.counted.threads, some.counted.quads) == (threads, pairs)
        assert some.counted.samples == sum(bits.bit_count() for bits in real.coverage.tolist())
    assert len(ours) > 1 or together == 1 << 13


@pytest.mark.parametrize("samples", [4, 8])
def test_pixels_are_counted_that_have_any_sample_inside(samples):
    corners, state = random_corners(20, 3, 9), raster_state(SIZE, samples=samples)
    objects = set_up(primitives(screen(corners), device=StrictDevice()), state)
    (ours,) = rasterize(objects, state.tested)
    inside = [{bit % 4 for bit in range(32) if bits >> bit & 1} for bits in ours.coverage.tolist()]
    assert ours.counted.pixels == sum(map(len, inside))


def test_objects_are_known_to_be_apart_only_where_no_sample_is_in_two():
    random = np.random.default_rng(12)
    state, found = raster_state(SIZE), []
    for _ in range(100):
        a, b, c, d = random.integers(0, 16 * SUBPIXELS, (4, 2))
        corners = np.array([[a, b, c], [c, b, d]])  # which have an edge in common, but may lie on the same side of it
        objects = set_up(primitives(screen(corners)), state)
        if len(objects) < 2:
            continue
        first, other = found_samples(objects, state).values()
        sides = [np.cross(*np.pad([c - b, each - b], ((0, 0), (0, 1))))[2] for each in (a, d)]
        are_apart = not objects.meet[0]
        assert are_apart == (sides[0] * sides[1] < 0)
        assert not (are_apart and first & other)
        found.append(are_apart)
    assert 10 < sum(found) < len(found) - 10


@pytest.mark.parametrize(("samples", "count", "are_apart"), [(1, 1, True), (1, 2, True), (4, 1, True), (4, 2, False)])
def test_two_halves_of_a_square_share_pixels_whose_samples_are_several(samples, count, are_apart):
    corners = np.array([[[100, 90], [3000, 200], [130, 2500]], [[3000, 200], [2900, 2700], [130, 2500]]])[:count]
    state = raster_state(SIZE, samples=samples)
    (spans,) = rasterize(set_up(primitives(screen(corners)), state), state.tested)
    found = zip(spans.subspans[:, 1:3].tolist(), spans.coverage.tolist(), strict=True)
    places = [
        (*place, pixel)
        for place, bits in found
        for pixel in range(4)
        if any(bits >> 4 * n + pixel & 1 for n in range(8))
    ]
    assert spans.are_apart == are_apart == (len(set(places)) == len(places))


def test_positions_are_snapped_to_16ths_if_asked():
    corners = np.array([[[7, 9], [1000, 121], [55, 2000]]])
    fine, coarse = (
        set_up(primitives(screen(corners)), raster_state(setup={"sub_pixel_precision": precision}))
        for precision in ("BITS_8", "BITS_4")
    )
    by_hand = set_up(primitives(screen(np.array([[[0, 16], [992, 128], [48, 2000]]]))), raster_state())
    assert np.array_equal(coarse.edges, by_hand.edges)
    assert not np.array_equal(coarse.edges, fine.edges)
