"""Lines: their pixels by the manual's rules, their stipple, and where they are sampled (pages 237-244, 294-301)."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle.raster import in_polygon, thin_line, wide_line
from support.drawing import POSITIONS, here, primitives, raster_state

from texsamp import get_device
from texsamp.emulator.fixed.line_coverage import line_coverage
from texsamp.emulator.fixed.raster_stage import subspans
from texsamp.emulator.fixed.setup import set_up
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import LineAntialiasing, LineStipple

CPU = get_device("cpu")
SIZE = 16


def drawn(given, state):
    """Pixels of each object that has any, by its id: {pixel: samples}."""
    objects = set_up(given, state)
    found = {}
    for spans in subspans(objects, state):
        for row, x, y, bits in zip(spans.objects, spans.x, spans.y, spans.coverage.tolist(), strict=True):
            for pixel in range(4):
                samples = sum(bits >> (4 * s + pixel) & 1 and 1 << s for s in range(state.samples))
                if samples:
                    of = found.setdefault(int(here(objects).numbers[row]), {})
                    at = (int(x) + pixel % 2, int(y) + pixel // 2)
                    assert at not in of
                    of[at] = samples
    return found


def lines_of(ends, topology=Topology.LINELIST, **rows):
    flat = np.asarray(ends).reshape(-1, 2) / 256
    return primitives(np.concatenate([flat, np.zeros_like(flat)], axis=1), topology=topology, corners=2, **rows)


def kinds_of_lines(rng, count):
    """Ends in 1/256 pixels, (count, 2, 2): any, diagonal, along the axes, on corners of diamonds, short."""
    at = rng.integers(-512, (SIZE + 2) * 256, (count, 2, 2))
    length = rng.integers(-1500, 1500, count) // 64 * 64
    grid = at // 64 * 64
    diagonal = grid[:, 0] + length[:, None] * rng.choice([-1, 1], (count, 2))
    straight = grid[:, 0] + length[:, None] * rng.permuted(np.tile([0, 1], (count, 1)), axis=1)
    kind = rng.integers(0, 5, count)[:, None]
    begin = np.where(kind == 0, at[:, 0], grid[:, 0])
    end = np.select([kind == 0, kind == 1, kind == 2, kind == 3], [at[:, 1], diagonal, straight, grid[:, 1]],
                    grid[:, 0] + rng.integers(-4, 5, (count, 2)) * 32)  # fmt: skip
    ends = np.stack([begin, end], axis=1)
    return ends[(begin != end).any(axis=1)]


def exact(ends):
    return [tuple(Fraction(int(v), 256) for v in point) for point in ends]


def on_screen(pixels):
    return {(x, y) for x, y in pixels if 0 <= x < SIZE and 0 <= y < SIZE}


@pytest.mark.parametrize("last_pixel", [False, True])
@pytest.mark.parametrize("legacy", [False, True])
def test_thin_lines_light_the_diamonds_they_leave(legacy, last_pixel):
    ends = kinds_of_lines(np.random.default_rng(1), 80)
    state = raster_state((SIZE, SIZE), setup={"last_pixel": last_pixel}, windower={"legacy_lines": legacy})
    found = drawn(lines_of(ends), state)
    for number, line in enumerate(ends):
        wanted = on_screen(thin_line(*exact(line), legacy=legacy, last_pixel=last_pixel))
        assert set(found.get(number, {})) == wanted, line
    assert len(found) > 45


def strip_of(points):
    """A strip with shared vertices."""
    rows = np.stack([np.arange(len(points) - 1), np.arange(1, len(points))], axis=1)
    return lines_of(points, Topology.LINESTRIP, rows=rows, runs=np.zeros(len(rows)))


@pytest.mark.parametrize("last_pixel", [False, True])
def test_parts_of_a_thin_line_light_what_it_lights(last_pixel):
    """A strip straight on, cut where diamonds have corners and borders: no pixel is missing, none is lit twice."""
    rng = np.random.default_rng(2)
    state = raster_state((99, 99), setup={"last_pixel": last_pixel})
    for _ in range(30):
        start, step = rng.integers(8, 40, 2) * 64 + 2048, rng.integers(-8, 9, 2) * 32
        if not step.any():
            continue
        points = start + step * np.cumsum(rng.integers(1, 4, 6))[:, None]
        parts = drawn(strip_of(points), state).values()
        (whole,) = drawn(lines_of([points[[0, -1]]]), state).values()
        assert sorted(pixel for part in parts for pixel in part) == sorted(whole)


@pytest.mark.parametrize("width", [0.5, 1.0, 1.0078125, 7.9921875])
def test_wide_lines_are_parallelograms(width):
    ends = kinds_of_lines(np.random.default_rng(3), 20)
    state = raster_state((SIZE, SIZE), setup={"line_width": width})
    found = drawn(lines_of(ends), state)
    for number, line in enumerate(ends):
        corners = wide_line(*exact(line), Fraction(width))
        middles = {(x, y): (x + Fraction(1, 2), y + Fraction(1, 2)) for x in range(SIZE) for y in range(SIZE)}
        assert set(found.get(number, {})) == {at for at, p in middles.items() if in_polygon(corners, p)}


@pytest.mark.parametrize(("mode", "multisampled"), [("ON_PATTERN", True), ("OFF_PATTERN", False), ("OFF_PIXEL", False)])
def test_multisampled_lines_are_rectangles(mode, multisampled):
    """Samples nearer to a border than corners are rounded are not judged. Other modes: as with one sample."""
    rng = np.random.default_rng(4)
    ends = rng.integers(0, SIZE * 256, (25, 2, 2))
    how = {"multisample_mode": mode}
    state = raster_state((SIZE, SIZE), samples=4, setup={"line_width": 2.5, **how}, windower=how)
    found = drawn(lines_of(ends), state)
    alone = drawn(lines_of(ends), raster_state((SIZE, SIZE), setup={"line_width": 2.5}))
    for number, line in enumerate(ends):
        if not multisampled:
            assert found.get(number, {}) == dict.fromkeys(alone.get(number, {}), 15)
            continue
        begin, end = line / 256
        along = (end - begin) / np.hypot(*(end - begin))
        for x in range(SIZE):
            for y in range(SIZE):
                samples = found.get(number, {}).get((x, y), 0)
                for s, place in enumerate(POSITIONS[4]):
                    p = np.array([x, y]) + place - begin
                    outside = max(
                        abs(along[0] * p[1] - along[1] * p[0]) - 1.25, -(along @ p), along @ (p - end + begin)
                    )
                    if abs(outside) > 1 / 128:
                        assert samples >> s & 1 == (outside < 0)


def test_antialiased_lines_are_longer_by_their_ends():
    state = raster_state((SIZE, SIZE), setup={"line_width": 2.0, "antialiasing": True, "line_end_width": "PIXELS_2"})
    (found,) = drawn(lines_of([[[4 * 256, 8 * 256], [9 * 256, 8 * 256]]]), state).values()
    assert set(found) == {(x, y) for x in range(2, 11) for y in (7, 8)}


@pytest.mark.parametrize("width", [0.0, 1.0, 3.0])
def test_line_stipple(width):
    """The counter goes on over the lines of a strip, and begins again with each line of a list."""
    rng = np.random.default_rng(5)
    points = rng.integers(0, SIZE * 256, (12, 2))
    ends = np.stack([points[:-1], points[1:]], axis=1)
    pattern, repeat = 0b1011000111100101, 3
    plain = raster_state((SIZE, SIZE), setup={"line_width": width})
    state = raster_state((SIZE, SIZE), setup={"line_width": width}, windower={"line_stipple": True})
    state = replace(state, line_stipple=LineStipple(pattern=pattern, repeat=repeat))
    for topology in (Topology.LINELIST, Topology.LINESTRIP):
        given = strip_of(points) if topology == Topology.LINESTRIP else lines_of(ends)
        whole, found = drawn(given, plain), drawn(given, state)
        counter = 0
        for number, ((x0, y0), (x1, y1)) in enumerate(ends.tolist()):
            axis = 0 if abs(x1 - x0) >= abs(y1 - y0) else 1
            way = -1 if (x1 < x0 if axis == 0 else y1 < y0) else 1
            if topology == Topology.LINELIST:
                counter = 0
            steps = sorted({way * pixel[axis] for pixel in whole[number]})
            place = {step: counter + n for n, step in enumerate(steps)}
            wanted = {p for p in whole[number] if pattern >> (place[way * p[axis]] // repeat % 16) & 1}
            assert set(found.get(number, {})) == wanted
            counter += len(steps)


def test_a_stipple_begins_anew_with_every_strip():
    """Of strips in one draw, whose lines are those of draws of their own."""
    points = np.random.default_rng(7).integers(0, SIZE * 256, (12, 2))
    state = raster_state((SIZE, SIZE), setup={"line_width": 1.0}, windower={"line_stipple": True})
    state = replace(state, line_stipple=LineStipple(pattern=0b1011000111100101, repeat=2))
    rows = np.stack([np.arange(11), np.arange(1, 12)], axis=1)
    runs = np.repeat([4, 5, 9], [3, 2, 6])
    together = drawn(lines_of(points, Topology.LINESTRIP, rows=rows, runs=runs), state)
    alone, first = {}, 0
    for count in (3, 2, 6):
        found = drawn(strip_of(points[first : first + count + 1]), state)
        alone |= {first + number: pixels for number, pixels in found.items()}
        first += count
    assert together == alone
    assert len(alone) > 8


@pytest.mark.parametrize("slope", [0.0, 0.55078125])
def test_antialiased_lines_cover_pixels_partly(slope):
    """The closer side and the closer end, each ramping over its region; or all four edges with slope and bias."""
    setup = {"line_width": 3.0, "antialiasing": True, "line_end_width": "PIXELS_1"}
    state = raster_state((SIZE, SIZE), setup=setup, windower={"line_width": "PIXELS_2"})
    bias = 0.33984375
    given = LineAntialiasing(slope=slope, bias=bias, end_slope=slope / 2, end_bias=bias / 2)
    state = replace(state, line_antialiasing=given)
    ends = np.random.default_rng(6).integers(3 * 256, (SIZE - 3) * 256, (12, 2, 2))
    objects = set_up(lines_of(ends), state)
    checked = 0
    for spans in subspans(objects, state):
        found = line_coverage(objects, spans, state)
        for row, of in enumerate(here(objects).numbers[spans.objects].tolist()):
            begin, end = ends[of] / 256
            length = np.hypot(*(end - begin))
            along = (end - begin) / length
            for pixel in range(4):
                p = np.array([spans.x[row] + pixel % 2, spans.y[row] + pixel // 2]) + 0.5 - begin
                beside, step = along[0] * p[1] - along[1] * p[0], along @ p
                sides, tips = [1.5 - beside, 1.5 + beside], [step + 1, length + 1 - step]
                if slope:
                    wanted = np.prod([np.clip(slope * d - bias, 0, 1) for d in sides])
                    wanted *= np.prod([np.clip(slope / 2 * d - bias / 2, 0, 1) for d in tips])
                else:
                    wanted = np.clip(min(sides), 0, 1) * np.clip(min(tips), 0, 1)
                assert abs(found[row, pixel] - wanted) < 0.015  # steps of 1/255, corners rounded to 1/256 pixels
                checked += 0.1 < wanted < 0.9
    assert checked > 20
    assert line_coverage(objects, spans, raster_state()) is None


def test_masked_samples_are_not_drawn():
    how = {"multisample_mode": "ON_PATTERN"}
    state = raster_state((SIZE, SIZE), samples=4, setup={"line_width": 2.5, **how}, windower=how)
    given = lines_of([[[100, 100], [3000, 2000]]])
    (whole,) = drawn(given, state).values()
    (found,) = drawn(given, replace(state, sample_mask=0b0101)).values()
    assert found == {at: samples & 5 for at, samples in whole.items() if samples & 5}
