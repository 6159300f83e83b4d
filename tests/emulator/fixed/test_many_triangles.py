"""Coverage of thousands of triangles of every kind, in integers (Sandy Bridge volume 2 part 1, pages 226-300)."""

from dataclasses import replace

import numpy as np
import pytest
from oracle.raster import in_triangles
from support.drawing import POSITIONS, here, primitives, raster_state

from texsamp import get_device
from texsamp.emulator.fixed.raster import rasterize
from texsamp.emulator.fixed.setup import set_up
from texsamp.state.commands_raster import Multisample
from texsamp.state.pixel_state import ScissorRect, SfClipViewport

CPU = get_device("cpu")
SIZE = 24
CORNERS = np.arange(SIZE) * 256
CENTERS = CORNERS + 128
FARTHEST = 1 << 23


def kinds_of_triangles(rng, count):
    """Corners in 1/256 pixels, (count, 3, 2): small, slivers, huge, on the grid of samples, without area, any."""
    made = rng.integers(-4 * 256, (SIZE + 4) * 256, (count, 3, 2))
    kind = rng.integers(0, 6, count)[:, None, None]
    near = rng.integers(-300, 300, (count, 3, 2))
    step = rng.integers(-9000, 9000, (count, 1, 2)) * np.arange(3)[:, None]
    shapes = [
        made[:, :1] + near,
        made[:, :1] + step + rng.integers(-2, 3, made.shape),
        rng.integers(-FARTHEST, FARTHEST, made.shape),
        made // 128 * 128,
        made[:, :1] + (made[:, 1:2] - made[:, :1]) * np.array([0, 1, 3])[:, None],
    ]
    return np.clip(np.select([kind == n for n in range(5)], shapes, made), -FARTHEST, FARTHEST - 256)


def drawn(corners, state, header=None):
    """How often each sample is covered, (n, samples, SIZE, SIZE)."""
    flat = np.asarray(corners).reshape(-1, 2) / 256
    given = primitives(np.concatenate([flat, np.zeros_like(flat)], axis=1), header=header)
    objects = set_up(given, state)
    made = np.zeros((len(corners), state.samples, SIZE, SIZE), np.int64)
    for spans in rasterize(objects, state.tested):
        for bit in range(4 * state.samples):
            lit = (spans.coverage >> np.uint32(bit) & 1).astype(bool)
            x, y = spans.x[lit] + bit % 2, spans.y[lit] + bit % 4 // 2
            np.add.at(made, (here(objects).numbers[spans.objects[lit]], bit // 4, y, x), 1)
    return made


def test_triangles_of_every_kind():
    """The samples of 3000 triangles are exactly those of the rule, none twice."""
    corners = kinds_of_triangles(np.random.default_rng(1), 3000)
    found = drawn(corners, raster_state((SIZE, SIZE)))[:, 0]
    assert (found == in_triangles(corners, CENTERS, CENTERS)).all()
    assert found.sum() > 20000


def test_fans_split_their_samples():
    """Around a point inside a polygon, on samples or not, every sample is covered once: neighbors share none."""
    rng = np.random.default_rng(3)
    angles = np.sort(rng.uniform(0, 2 * np.pi, (60, 7)), axis=1)
    angles = angles[(np.diff(angles, axis=1, append=angles[:, :1] + 2 * np.pi) < 3).all(axis=1)]
    radii = 256 * 10 ** rng.uniform(1.4, 4.4, angles.shape)
    center = np.rint(rng.uniform(10, 14, (len(angles), 1, 2)) * 2) * 128
    around = center + np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=2)
    fans = np.stack([np.broadcast_to(center, around.shape), around, np.roll(around, -1, axis=1)], axis=2)
    corners = np.rint(fans).astype(np.int64)
    found = drawn(corners.reshape(-1, 3, 2), raster_state((SIZE, SIZE)))
    counts = found.reshape(*corners.shape[:2], SIZE, SIZE).sum(axis=1)
    wanted = in_triangles(corners.reshape(-1, 3, 2), CENTERS, CENTERS).reshape(*corners.shape[:2], SIZE, SIZE)
    assert len(corners) > 20
    assert counts.max() == 1
    assert (counts == wanted.any(axis=1)).all()
    assert (counts[:, 9:14, 9:14] == 1).all()


@pytest.mark.parametrize("mode", ["ON_PATTERN", "OFF_PATTERN", "ON_PIXEL", "OFF_PIXEL"])
@pytest.mark.parametrize("samples", [4, 8])
def test_multisample_rasterization_modes(samples, mode):
    """Each sample of a triangle where 3DSTATE_MULTISAMPLE has it, or all of them where the pixel is."""
    corners = kinds_of_triangles(np.random.default_rng(samples), 150)
    state = raster_state(
        (SIZE, SIZE), samples=samples, setup={"multisample_mode": mode}, windower={"multisample_mode": mode}
    )
    found = drawn(corners, state)
    for number, (x, y) in enumerate(POSITIONS[samples]):
        at = (int(256 * x), int(256 * y)) if mode.endswith("PATTERN") else (128, 128)
        wanted = in_triangles(corners, CORNERS + at[0], CORNERS + at[1])
        assert (found[:, number] == wanted).all()
        assert wanted.any()


def test_pixels_may_be_at_their_corner():
    corners = kinds_of_triangles(np.random.default_rng(5), 300)
    state = raster_state((SIZE, SIZE))
    state = replace(state, multisample=Multisample(pixel_location="UL_CORNER"))
    assert (drawn(corners, state)[:, 0] == in_triangles(corners, CORNERS, CORNERS)).all()


def test_positions_are_rounded_to_the_nearest_even_subpixel():
    rng = np.random.default_rng(6)
    corners = np.concatenate([rng.integers(0, 2 * SIZE * 256, (200, 3, 2)) / 2, rng.uniform(0, 6000, (200, 3, 2))])
    found = drawn(corners, raster_state((SIZE, SIZE)))[:, 0]
    assert (found == in_triangles(np.rint(corners).astype(np.int64), CENTERS, CENTERS)).all()


def test_the_origin_of_the_drawing_rectangle_moves_all():
    corners = kinds_of_triangles(np.random.default_rng(8), 200) % (64 * 256)
    state = raster_state((SIZE, SIZE), rectangle={"origin_x": 5, "origin_y": -3})
    moved = corners + np.array([5 * 256, -3 * 256])
    assert (drawn(corners, state)[:, 0] == in_triangles(moved, CENTERS, CENTERS)).all()


def test_viewports_have_their_own_transform_and_scissor():
    """An index above the last one is viewport 0; an empty scissor draws nothing."""
    corners = np.broadcast_to(np.array([[-1, -1], [9, -1], [-1, 9]]) * 256, (4, 3, 2))
    header = np.zeros((12, 4), np.uint32)
    header[:, 2] = np.repeat([0, 1, 2, 9], 3)
    scissors = ({"right": 11, "bottom": 12}, {"left": 5, "right": 4, "bottom": 9}, {"right": 99, "bottom": 99})
    state = raster_state(
        (SIZE, SIZE),
        clip={"max_viewport_index": 2},
        setup={"scissor_enable": True, "viewport_transform": True},
        viewports=[SfClipViewport(m00=s, m11=s, m30=o, m31=2 * o) for s, o in ((40, 3), (40, 5), (1, 0))],
        scissors=[ScissorRect(**area) for area in scissors],
    )
    found = drawn(corners, state, header)[:, 0]
    first = in_triangles(corners[:1] * 40 + np.array([3 * 256, 6 * 256]), CENTERS, CENTERS)[0]
    first[13:] = first[:, 12:] = False
    assert (found[0] == first).all() and (found[3] == first).all() and first.any()
    assert not found[1].any()
    assert (found[2] == in_triangles(corners[:1], CENTERS, CENTERS)[0]).all()
