"""The clipper against polygons clipped in rational numbers (Sandy Bridge volume 2 part 1, pages 176-211)."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle.raster import clipped, share_of
from support.drawing import primitives, raster_state

from texsamp.emulator.fixed.clip import clip
from texsamp.state.commands_3d import Topology
from texsamp.state.pixel_state import SfClipViewport

BANDS = [(-2.0, 2.0, -1.5, 3.0), (-1.25, 1.0, -1.0, 1.5)]
VIEWPORTS = [
    SfClipViewport(guardband_x_min=a, guardband_x_max=b, guardband_y_min=c, guardband_y_max=d) for a, b, c, d in BANDS
]
WEIGHTS = np.eye(3)
TESTS = {
    "near and far, OpenGL": {"viewport_z_test": True},
    "near and far, Direct3D": {"viewport_z_test": True, "api_mode": "D3D"},
    "viewport": {"viewport_xy_test": True},
    "guard band": {"guardband_test": True, "viewport_xy_test": True, "viewport_z_test": True},
    "guard band alone": {"guardband_test": True},
    "distances": {"clip_distances": 0b10000101, "viewport_z_test": True},
    "w": {},
}


def triangles(rng, count, scale=1.5):
    """Clip space with w of both signs; each corner's attribute is its weight."""
    at = rng.uniform(-scale, scale, (count * 3, 4))
    at[:, 3] = rng.uniform(-0.4, 2, count * 3)
    attributes = np.zeros((count * 3, 1, 4))
    attributes[:, 0, :3] = np.tile(WEIGHTS, (count, 1))
    header = np.zeros((count * 3, 4), np.uint32)
    header[:, 2] = np.repeat(rng.integers(0, 2, count), 3)
    distances = rng.uniform(-1, 2, (count * 3, 2, 4))
    return primitives(at, attributes, header=header, distances=distances)


def clipping(tests):
    return raster_state(
        clip={"enable": True, "perspective_divide_disable": False, "max_viewport_index": 1, **tests},
        viewports=VIEWPORTS,
    )


def planes_of(at, distances, viewport, tests):
    """How far inside each plane the corners are, and the planes of trivial rejection alone."""
    x, y, z, w = at
    found = [w - Fraction(2) ** -100]
    if tests.get("viewport_z_test"):
        found += [z if tests.get("api_mode") == "D3D" else z + w, w - z]
    sides = [x + w, w - x, y + w, w - y]
    left, right, low, high = (Fraction(v) for v in BANDS[viewport])
    if tests.get("guardband_test"):
        found += [x - left * w, right * w - x, y - low * w, high * w - y]
    elif tests.get("viewport_xy_test"):
        found += sides
    found += [distances[n] for n in range(8) if tests.get("clip_distances", 0) >> n & 1]
    return found, sides if tests.get("viewport_xy_test") else []


@pytest.mark.parametrize("tests", TESTS.values(), ids=TESTS)
def test_triangles_are_what_planes_leave_of_them(tests):
    """Area of the pieces in weights, to 1e-5; pieces turn as the whole; corners are linear, and in order."""
    given = triangles(np.random.default_rng(1), 120)
    found = clip(given, clipping(tests))
    numbers = given.vertices.view(np.float32)
    made = found.vertices.view(np.float32)
    assert (np.diff(found.numbers) >= 0).all()
    cut = 0
    for number in range(120):
        rows = given.corners[number]
        corners = [[Fraction(float(v)) for v in numbers[row, 1]] for row in rows]
        distances = [[Fraction(float(v)) for v in numbers[row, 2:4].ravel()] for row in rows]
        by_corner = [
            planes_of(at, d, given.vertices[rows[0], 0, 2], tests) for at, d in zip(corners, distances, strict=True)
        ]
        planes = list(zip(*(planes for planes, _ in by_corner), strict=True))
        rejecting = list(zip(*(sides for _, sides in by_corner), strict=True))
        polygon = clipped(planes)
        if any(all(d < 0 for d in plane) for plane in planes + rejecting):
            polygon = []
        pieces = np.flatnonzero(found.numbers == number)
        shares = [share_of(made[found.corners[piece], 4, :3].astype(float).tolist()) for piece in pieces]
        assert abs(sum(shares) - float(share_of(polygon))) < 1e-5
        assert all(share > -1e-6 for share in shares)
        assert (found.submitted[pieces] == given.submitted[number]).all()
        for vertex in {int(row) for piece in pieces for row in found.corners[piece]}:
            at = made[vertex, 4, :3].astype(float)
            assert abs(at.sum() - 1) < 1e-6
            assert np.allclose(made[vertex, 1:4], np.tensordot(at, numbers[rows, 1:4], 1), atol=1e-5)
            assert (made[vertex, 0] == numbers[rows[0], 0]).all()
        cut += bool(polygon) and any(d < 0 for plane in planes for d in plane)
    assert cut > 10


def test_lines_are_cut_at_both_ends():
    at = np.array([[-3, 0, 0, 1], [3, 0, 0, 1], [0, 0, 0, -1], [0, 0, 0, 1], [0.1, 0, 0, 1], [0.2, 0, 0, 1.0]])
    given = primitives(at, topology=Topology.LINELIST, corners=2)
    found = clip(given, clipping({"viewport_xy_test": True, "viewport_z_test": True}))
    ends = found.vertices[found.corners, 1].view(np.float32)
    assert np.allclose(ends[0], [[-1, 0, 0, 1], [1, 0, 0, 1]])
    assert np.allclose(ends[1], [[0, 0, 0, 0], [0, 0, 0, 1]])
    assert np.array_equal(found.corners[2], given.corners[2])


def test_points_are_dropped_and_have_no_guard_band():
    at = np.array([[0, 0, 0, 1], [1.4, 0, 0, 1], [5, 0, 0, 1], [0, 0, 2, 1], [0, 0, 0, -1.0]])
    given = primitives(at, topology=Topology.POINTLIST, corners=1)
    seen = {"viewport_z_test": True, "guardband_test": True}
    assert clip(given, clipping({**seen, "viewport_xy_test": True})).numbers.tolist() == [0]
    assert clip(given, clipping(seen)).numbers.tolist() == [0, 1, 2]


def test_cull_distances_drop_what_is_outside_of_one_with_all_corners():
    """The others are whole; what a clip distance cuts off is not culled by it; a NaN drops the object (page 195)."""
    distances = np.ones((12, 2, 4))
    distances[0:3, 0, 1] = -1
    distances[3:5, 0, 1] = -1
    distances[6, 0, 1] = np.nan
    distances[9, 1, 3] = np.nan
    given = primitives(np.tile([[0, 0, 0, 1], [0.5, 0, 0, 1], [0, 0.5, 0, 1]], (4, 1)), distances=distances)
    found = clip(given, clipping({"cull_distances": 0b10}))
    assert found.numbers.tolist() == [1, 3]
    assert np.array_equal(found.corners, given.corners[[1, 3]])
    assert clip(given, clipping({})).numbers.tolist() == [0, 1, 2, 3]


def test_modes_and_positions_that_are_no_numbers():
    at = np.tile([[0.0, 0, 5, 1], [9, 0, 5, 1], [0, 9, 5, 1]], (4, 1))
    at[4, 1] = np.nan
    given = primitives(at)
    for tests, left in (({"enable": False}, [0, 2, 3]), ({"clip_mode": "ACCEPT_ALL"}, [0, 2, 3]),
                        ({"clip_mode": "REJECT_ALL"}, []), ({"viewport_z_test": True}, [])):  # fmt: skip
        assert clip(given, clipping(tests)).numbers.tolist() == left


@pytest.mark.parametrize("outer", [(True, False, True), (False, False, False)])
def test_outer_edges_stay_outer_edges(outer):
    """What is left of an inner edge is inner; edges along a plane are outer ones."""
    given = primitives(np.array([[0, 0, 0, 1], [2, 0, 0, 1], [0, 0.5, 0, 1.0]]), edges=np.array([outer]))
    found = clip(given, clipping({"viewport_xy_test": True}))
    at = found.vertices[found.corners, 1].view(np.float32)
    flags = {}
    for triangle, edges in zip(at, found.edges, strict=True):
        for n in range(3):
            a, b = triangle[n, :2].tolist(), triangle[(n + 1) % 3, :2].tolist()
            flags[(*a, *b)] = bool(edges[n])
    of_triangle = {(0, 0, 1, 0), (0, 0.5, 0, 0)} if outer[0] else set()
    assert {ends for ends, flag in flags.items() if flag} == {(1, 0, 1, 0.25), *of_triangle}
    assert len(flags) == 6


def test_hostile_numbers_end():
    """Infinite, huge, tiny and missing numbers everywhere: positions stay finite, nothing is raised."""
    rng = np.random.default_rng(9)
    odd = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-45, 0, -0.0, 1, -1])
    for _ in range(20):
        given = primitives(
            rng.choice(odd, (300, 4)), rng.choice(odd, (300, 1, 4)), distances=rng.choice(odd, (300, 2, 4))
        )
        viewports = [
            SfClipViewport(
                **{f"guardband_{name}": float(rng.choice(odd)) for name in ("x_min", "x_max", "y_min", "y_max")}
            )
        ]
        state = replace(
            clipping({"guardband_test": True, "viewport_z_test": True, "clip_distances": 0xF}),
            viewports=tuple(viewports),
        )
        found = clip(given, state)
        assert np.isfinite(found.vertices[found.corners, 1].view(np.float32)).all()
        assert len(found.corners) <= 100 * 10
