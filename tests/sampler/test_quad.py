"""Grids of transformed quads: where each step puts the quad, and the same bits everywhere."""

import math
import zlib

import numpy as np
import pytest
from support.sampling import surface

import texsamp as ts
from texsamp.sampler.quad import face_directions


def quad(size, transform=""):
    return ts.quad_grid(size, transform, device="cpu")


@pytest.mark.parametrize("size", [(1, 1), (7, 5), (1000, 3), (256, 64)])
def test_without_a_transform_the_quad_fills_the_picture(size):
    grid = quad(size)
    width, height = size
    centers = [((np.arange(side) + 0.5) / side).astype(np.float32) for side in size]
    np.testing.assert_array_equal(grid.u, np.broadcast_to(centers[0], (height, width)))
    np.testing.assert_array_equal(grid.v, np.broadcast_to(centers[1][:, None], (height, width)))
    assert grid.inside.all()
    assert grid.visible.all()


@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_three_lines_draw_the_texture_itself(filter):
    made = surface(sizes=(61, 47, 1))
    grid = quad((61, 47))
    picture = ts.sample(made, ts.Sampler(mag_filter=filter, min_filter=filter), grid.u, grid.v, dtype=np.uint8)
    np.testing.assert_array_equal(picture, made.to_array())


@pytest.mark.parametrize(
    ("transform", "corners"),
    [
        # Corners of the quad in a picture of 200 x 100, in the order of (u, v) = 00, 10, 11, 01.
        ("scale=0.5", [(50, 25), (150, 25), (150, 75), (50, 75)]),
        ("scale=-1:1", [(200, 0), (0, 0), (0, 100), (200, 100)]),
        ("rotate=90", [(50, 150), (50, -50), (150, -50), (150, 150)]),
        ("rotate=-450", [(150, -50), (150, 150), (50, 150), (50, -50)]),
        ("translate=0.25:-0.5", [(50, -50), (250, -50), (250, 50), (50, 50)]),
        ("scale=0.5,translate=0.25:0", [(100, 25), (200, 25), (200, 75), (100, 75)]),
        ("translate=0.25:0,scale=0.5", [(75, 25), (175, 25), (175, 75), (75, 75)]),
        ("perspective=0.6", [(37.5, 18.75), (162.5, 18.75), (350, 175), (-150, 175)]),
        ("perspective=1:0", None),
        ("perspective=-0.5:0.25", None),
    ],
)
def test_steps_put_the_quad_where_they_say(transform, corners):
    grid = quad((200, 100), transform)
    if corners is None:
        x, y = map(float, transform.partition("=")[2].split(":"))
        corners = []
        for side, row in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            distance = 1 + x * side - y * row
            if not distance:
                return _check_half(grid)
            corners.append((100 + 100 * side / distance, 50 + 50 * row / distance))
    u, v, w = _homography(corners, 200, 100)
    visible = w > 0
    np.testing.assert_array_equal(grid.visible, visible)
    np.testing.assert_allclose(grid.u[visible], u[visible], rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(grid.v[visible], v[visible], rtol=2e-6, atol=2e-6)
    edges = np.minimum(np.minimum(u, 1 - u), np.minimum(v, 1 - v))
    clear = visible & (abs(edges) > 1e-6)
    np.testing.assert_array_equal(grid.inside[clear], edges[clear] > 0)


def _check_half(grid):
    """perspective=1:0: the right edge is twice as far, the left one at the viewer."""
    assert grid.visible.all()
    np.testing.assert_allclose(grid.u[0, -1], 0.5 + 99.5 / 100 / (1 - 0.995) / 2, rtol=1e-5)


def _homography(corners, width, height):
    """By linear equations: the matrix that takes the corners to the unit square; w > 0 at their center."""
    rows, right = [], []
    for (x, y), (u, v) in zip(corners, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    matrix = np.append(np.linalg.solve(rows, right), 1).reshape(3, 3)
    y, x = np.mgrid[0:height, 0:width] + 0.5
    s, t, w = matrix @ np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    center = matrix[2] @ [*np.mean(corners, axis=0), 1]
    w *= np.sign(center)
    u, v = s * np.sign(center) / w, t * np.sign(center) / w
    return u.reshape(x.shape), v.reshape(x.shape), w.reshape(x.shape)


def test_beyond_the_horizon_nothing_is_visible():
    grid = quad((64, 64), "perspective=2")
    rows = grid.visible.all(axis=1)
    np.testing.assert_array_equal(rows, np.arange(64) >= 16)
    assert (grid.u[:16] == 0).all()
    assert not np.signbit(grid.u[:16]).any()
    assert not grid.inside[:16].any()
    assert grid.inside[60].any()


def test_quads_that_share_an_edge_share_no_pixel():
    left = quad((64, 32), "scale=0.5:1,translate=-0.25:0,rotate=17")
    right = quad((64, 32), "scale=0.5:1,translate=0.25:0,rotate=17")
    both = quad((64, 32), "rotate=17")
    assert not (left.inside & right.inside).any()
    np.testing.assert_array_equal(left.inside | right.inside, both.inside)


def test_derivatives_of_a_grid_are_the_scale():
    made = ts.Surface.from_array(np.zeros((256, 256, 4), np.uint8), mips="box", device="cpu")
    for scale in (0.25, 0.3, 1, 3):
        grid = quad((256, 256), f"scale={scale},rotate=30")
        lods = ts.query_lod(made, ts.Sampler(), grid.u, grid.v)[..., 1]
        assert abs(lods + math.log2(scale)).max() <= 1 / 256


def test_the_bits_are_the_same_on_every_machine():
    grid = quad((320, 180), "scale=1.3:-0.7,rotate=33.3,perspective=0.4:-0.9,translate=0.01:0.02,rotate=271.828")
    sums = [zlib.crc32(part.tobytes()) for part in (grid.u, grid.v, grid.inside, grid.visible)]
    assert sums == [910321607, 3118411332, 271353700, 3808828952]
    assert 0 < grid.inside.mean() < 1


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        (",,", "found ''"),
        ("rotate=30,", "found ''"),
        ("spin=3", r"must be steps of scale, rotate, translate, perspective \(as in rotate=30\), found 'spin=3'"),
        ("rotate", "found 'rotate'"),
        ("rotate=1:2", "rotate takes 1 number with colons between, found '1:2'"),
        ("translate=1", "translate takes 2 numbers with colons between, found '1'"),
        ("scale=1:2:3", "scale takes 1 or 2 numbers with colons between, found '1:2:3'"),
        ("scale=0", "scale must not be 0"),
        ("scale=nan", "scale takes numbers up to 1000000, found 'nan'"),
        ("scale=1e7", "found '1e7'"),
        ("scale=", "found ''"),
        (",".join(["scale=1e-300:1e-300"] * 3), "leave the range of doubles"),
        (",".join(["scale=2"] * 65), "may have 64 steps, found 65"),
        (None, "must be text, found None"),
    ],
)
def test_bad_transforms(transform, message):
    with pytest.raises(ts.StateError, match=message):
        quad((4, 4), transform)


def test_bad_sizes():
    with pytest.raises(ts.FormatError, match="width must be from 1 to 65536 texels, found 0"):
        quad((0, 4))
    for size in (4, (4,), "4x4"):
        with pytest.raises(ts.FormatError, match="size must be a width and a height, found"):
            quad(size)
    with pytest.raises(ts.StateError, match="a grid may have 67108864 pixels, found 65536 x 65536"):
        quad((65536, 65536))


def test_a_face_of_a_cube_as_directions():
    made = surface("CUBE", sizes=(8, 8, 1))
    faces = made.to_array().reshape(6, 8, 8, 4)
    grid = quad((8, 8))
    sampler = ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")
    for face in range(6):
        found = ts.sample(made, sampler, *face_directions(face, grid.u, grid.v), dtype=np.uint8)
        np.testing.assert_array_equal(found, faces[face])
    wide = quad((16, 16), "scale=0.5")
    found = ts.sample(made, sampler, *face_directions(4, wide.u, wide.v), dtype=np.uint8)
    np.testing.assert_array_equal(found[4:12, 4:12], faces[4])
    assert len({texel.tobytes() for texel in found.reshape(-1, 4)}) > 64
    with pytest.raises(ts.StateError, match="face must be from 0 to 5, found 6"):
        face_directions(6, grid.u, grid.v)
