"""Setup: faces, culling, attributes, points, fill modes and depth bias (volume 2 part 1, pages 212-311)."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from support.drawing import here, primitives, raster_state

from texsamp import get_device
from texsamp.emulator.fixed.clip import clip
from texsamp.emulator.fixed.interpolation import Interpolator
from texsamp.emulator.fixed.objects import Spans
from texsamp.emulator.fixed.raster_stage import subspans
from texsamp.emulator.fixed.setup import set_up
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import PolyStippleOffset, PolyStipplePattern
from texsamp.state.pixel_state import SfClipViewport

CPU = get_device("cpu")
SIZE = 32
CLOCKWISE = [[2, 2, 0, 1], [20, 2, 0, 1], [2, 20, 0, 1]]
"""As it is seen, y down."""


def pixels(objects, state):
    """Of each object the pixels that it has, as a set."""
    found = [set() for _ in range(len(objects))]
    for spans in subspans(objects, state):
        for row, x, y, bits in zip(spans.objects, spans.x, spans.y, spans.coverage.tolist(), strict=True):
            found[row] |= {(int(x) + n % 2, int(y) + n // 2) for n in range(4) if bits >> n & 1}
    return found


def floats(values):
    return np.ascontiguousarray(values).view(np.float32)


@pytest.mark.parametrize("counter_clockwise", [False, True])
@pytest.mark.parametrize("mode", ["NONE", "FRONT", "BACK", "BOTH"])
def test_faces_and_culling(mode, counter_clockwise):
    """The first triangle turns clockwise, the second the other way."""
    given = primitives(CLOCKWISE + CLOCKWISE[::-1])
    state = raster_state(setup={"cull_mode": mode, "front_winding": counter_clockwise})
    objects = set_up(given, state)
    fronts = [1] if counter_clockwise else [0]
    left = {"NONE": [0, 1], "BACK": fronts, "FRONT": [1 - fronts[0]], "BOTH": []}[mode]
    assert here(objects).numbers.tolist() == left
    assert here(objects).back.tolist() == [number not in fronts for number in left]


def test_rectangles_lines_and_points_are_not_culled():
    for topology, corners in ((Topology.RECTLIST, 3), (Topology.LINELIST, 2), (Topology.POINTLIST, 1)):
        state = raster_state(setup={"cull_mode": "BOTH", "point_width": 1.0})
        at = [[20, 20, 0, 1], [2, 20, 0, 1], [2, 2, 0, 1]][:corners]
        assert len(set_up(primitives(at, topology=topology, corners=corners), state)) == 1


def test_points_and_lines_may_be_declared_back_faces():
    for topology, corners in ((Topology.POINTLIST_BF, 1), (Topology.LINESTRIP_BF, 2), (Topology.LINESTRIP_CONT_BF, 2)):
        state = raster_state(setup={"point_width": 2.0})
        assert here(set_up(primitives(CLOCKWISE[:corners], topology=topology, corners=corners), state)).back.all()


@pytest.mark.parametrize(
    ("topology", "select"), [(Topology.TRILIST, "strip"), (Topology.TRIFAN, "fan"), (Topology.POLYGON, "fan")]
)
def test_flat_attributes_are_those_of_the_provoking_vertex(topology, select):
    """Counted in the order vertices came in; polygons always have the first (page 224)."""
    turned = {"rows": np.array([[0, 2, 1]]), "submitted": np.array([[0, 1, 2]])}
    given = primitives(CLOCKWISE, np.arange(12).reshape(3, 4) + 0.5, topology=topology, **turned)
    for number in range(3):
        state = raster_state(setup={f"{select}_provoking_vertex": number}, backend={"constant_attributes": 1})
        values = set_up(given, state).setup[0, 0]
        wanted = 0 if topology == Topology.POLYGON else number
        assert floats(values[:, 3]).tolist() == [4 * wanted + n + 0.5 for n in range(4)]
        assert not values[:, :3].any()


def test_attributes_are_swizzled_overridden_and_wrapped():
    rng = np.random.default_rng(1)
    slots = rng.uniform(-1, 1, (6, 5, 4)).astype(np.float32)
    given = primitives(CLOCKWISE + CLOCKWISE[::-1], slots)
    entries = 16
    of = {
        "source_attribute": [3, 1, 0, 2, 4], "swizzle_select": [0, 1, 2, 3, 0], "constant_source": [0, 1, 2, 3, 1],
        "override_x": [0, 0, 0, 1, 0], "override_w": [0, 1, 0, 0, 1], "override_y": [0, 0, 1, 0, 0],
        "wrap_shortest": [0b1010, 0, 0, 0, 0],
    }  # fmt: skip
    padded = {name: values + [0] * (entries - len(values)) for name, values in of.items()}
    state = raster_state(backend={"attributes": 5, "swizzle_enable": True, **padded})
    objects = set_up(given, state)
    for number in range(2):
        a0, a1, a2 = (slots[3 * number + n] for n in range(3))
        back = number
        picked = [3, 1 + back, 0, 2 + back, 4]
        for attribute, slot in enumerate(picked):
            wanted = np.stack([a1[slot] - a0[slot], a2[slot] - a0[slot], 0 * a0[slot], a0[slot]], axis=1)
            if attribute in (2, 3):
                wanted[0] = wanted[3]  # w to x
            if attribute == 0:
                for component in (1, 3):
                    ways = wanted[component, :2]
                    wanted[component, :2] = ways + (ways <= -0.5) - (ways >= 0.5)
            if attribute == 1:
                wanted[3] = 0, 0, 0, 1
            if attribute == 2:
                wanted[1] = 0, 0, 0, 1
            if attribute == 4:
                wanted[3] = 0, 0, 0, 1
            found = objects.setup[number, attribute]
            if attribute == 3:
                assert found[0].tolist() == [0, 0, 0, number]  # the primitive id, as an integer
                wanted, found = wanted[1:], found[1:]
            assert np.array_equal(floats(found), wanted.astype(np.float32)), attribute


@pytest.mark.parametrize("origin", ["UPPERLEFT", "LOWERLEFT"])
def test_point_sprites(origin):
    """Coordinates go from 0 to 1 over the square; the other attributes are those of the vertex everywhere."""
    state = raster_state(
        (SIZE, SIZE), setup={"point_width_source": "VERTEX"}, clip={"min_point_width": 1.0, "max_point_width": 8.0},
        backend={"attributes": 2, "sprite_attributes": 0b10, "sprite_origin": origin},
    )  # fmt: skip
    header = np.zeros((2, 4), np.uint32)
    header[:, 3] = np.float32([6.0, 99.0]).view(np.uint32)
    at = [[8.5, 9, 0.25, 1], [20, 20, 0.5, 1]]
    given = primitives(at, np.ones((2, 2, 4)) * 7, topology=Topology.POINTLIST, corners=1, header=header)
    objects = set_up(given, state)
    found = pixels(objects, state)
    for row, ((x, y, depth, _), width) in enumerate(zip(at, (6.0, 8.0), strict=True)):
        left, top = x - width / 2, y - width / 2
        middles = {(i, j) for i in range(SIZE) for j in range(SIZE)
                   if left <= i + 0.5 < left + width and top <= j + 0.5 < top + width}  # fmt: skip
        assert found[row] == middles
        planes = floats(objects.setup[row])
        assert (planes[0, :, 3] == 7).all() and not planes[0, :, :2].any()
        spans = Spans(np.concatenate([some.subspans for some in subspans(objects, state)]))
        spans = Spans(spans.subspans[spans.objects == row])
        numbers = Interpolator(objects, spans, state, CPU)
        b1, b2 = np.moveaxis(numbers.barycentrics(0b1)[:, 0], 1, 0)
        u, v, r, q = (planes[1, n, 0] * b1 + planes[1, n, 1] * b2 + planes[1, n, 3] for n in range(4))
        i = spans.x[:, None] + np.array([0, 1, 0, 1]) + 0.5
        j = spans.y[:, None] + np.array([0, 0, 1, 1]) + 0.5
        assert np.allclose(u, (i - left) / width, atol=1e-6)
        assert np.allclose(v, (j - top) / width if origin == "UPPERLEFT" else 1 - (j - top) / width, atol=1e-6)
        assert not r.any() and (q == 1).all()
        assert np.allclose(numbers.depth_of_samples(), depth)


def test_wireframe_draws_outer_edges_with_the_triangles_planes():
    given = primitives(CLOCKWISE, edges=np.array([[True, False, True]]))
    state = raster_state((SIZE, SIZE), setup={"front_fill": "WIREFRAME", "back_fill": "WIREFRAME", "line_width": 1.0})
    objects = set_up(given, state)
    whole = set_up(given, raster_state((SIZE, SIZE)))
    assert len(objects) == 2
    assert np.array_equal(objects.weights, np.repeat(whole.weights, 2, axis=0))
    across, down = pixels(objects, state)
    assert across == {(x, 1) for x in range(2, 20)}
    assert down == {(1, y) for y in range(2, 20)}


def test_degenerate_triangles_have_outlines_as_back_faces():
    given = primitives([[2, 4, 0, 1], [9, 4, 0, 1], [20, 4, 0, 1]])
    solid = raster_state((SIZE, SIZE), setup={"front_fill": "WIREFRAME"})
    lines = raster_state((SIZE, SIZE), setup={"back_fill": "WIREFRAME", "line_width": 1.0})
    assert not len(set_up(given, solid))
    objects = set_up(given, lines)
    assert here(objects).back.all() and len(objects) == 3
    assert set.union(*pixels(objects, lines)) == {(x, 3) for x in range(2, 20)}


def test_points_are_drawn_at_corners_but_not_where_the_clipper_put_them():
    tests = {"enable": True, "perspective_divide_disable": False, "viewport_xy_test": True}
    point = {"front_fill": "POINT", "back_fill": "POINT", "point_width_source": "STATE", "point_width": 2.0}
    viewport = SfClipViewport(m00=16, m11=16, m22=1, m30=16, m31=16)
    state = raster_state((SIZE, SIZE), clip=tests, setup={**point, "viewport_transform": True}, viewports=[viewport])
    given = primitives([[0, 0, 0, 1], [2, 0, 0, 1], [0, 0.5, 0, 1]])
    objects = set_up(clip(given, state), state)
    assert set.union(*pixels(objects, state)) == {(x, y) for x in (15, 16) for y in (15, 16, 23, 24)}


def test_polygons_filled_as_points_are_point_primitives():
    """Attributes of the corner everywhere in its square, coordinates of sprites, and what is flat from the polygon."""
    point = {"front_fill": "POINT", "back_fill": "POINT", "point_width_source": "STATE", "point_width": 4.0}
    state = raster_state(
        (SIZE, SIZE), setup=point | {"strip_provoking_vertex": 2},
        backend={"attributes": 3, "sprite_attributes": 0b10, "constant_attributes": 0b100},
    )  # fmt: skip
    at = np.array([[4, 4, 0.1, 1], [24, 4, 0.5, 1], [4, 24, 0.9, 1]])
    slots = np.arange(36, dtype=np.float32).reshape(3, 3, 4)
    given = primitives(at, slots)
    objects = set_up(given, state)
    points = set_up(primitives(at, slots, topology=Topology.POINTLIST, corners=1), state)
    assert pixels(objects, state) == pixels(points, state)
    for row in range(3):
        planes = floats(objects.setup[row])
        assert np.array_equal(planes[0], np.stack([0 * slots[row, 0]] * 3 + [slots[row, 0]], axis=1))
        assert planes[1, :, :].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
        assert planes[2, :, 3].tolist() == slots[2, 2].tolist()
        assert np.allclose(objects.corners[row], [1, 1, 1, at[row, 2], 0, 0])
    mixed = raster_state((SIZE, SIZE), setup=point | {"front_fill": "SOLID"}, backend={"attributes": 1})
    both = set_up(primitives(np.concatenate([at, at[::-1]]), np.concatenate([slots, slots[::-1]])), mixed)
    assert len(both) == 4
    assert [bool(floats(planes)[0, :, :2].any()) for planes in both.setup].count(True) == 1


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("depth_format", ["D16_UNORM", "D24_UNORM_X8_UINT", "D32_FLOAT"])
@pytest.mark.parametrize("clamp", [0.0, 0.01, -0.01])
def test_depth_bias(depth_format, clamp, legacy):
    """Constant times the smallest step, and scale times the steeper slope; for the fill modes that ask for it."""
    at = np.array([[2, 2, 0.3, 1], [22, 2, 0.45, 1], [2, 22, 0.1, 1]])
    bias = {
        "depth_offset_constant": 3.0, "depth_offset_scale": 0.5, "depth_offset_clamp": clamp,
        "depth_format": depth_format, "legacy_depth_bias": legacy,
    }  # fmt: skip
    step = {"D16_UNORM": 2**-16, "D24_UNORM_X8_UINT": 2**-24, "D32_FLOAT": 2.0 ** (-2 - 23)}[depth_format]
    wanted = 3 * (1 if legacy else step) + 0.5 * max(0.15 / 20, 0.2 / 20)
    wanted = min(wanted, clamp) if clamp > 0 else max(wanted, clamp) if clamp < 0 else wanted
    for mode, field in (("SOLID", "solid"), ("WIREFRAME", "wireframe"), ("POINT", "point")):
        fill = {"front_fill": mode, "back_fill": mode, "point_width": 2.0, "line_width": 1.0}
        without, moved = (
            set_up(primitives(at), raster_state((SIZE, SIZE), setup={**bias, **fill, f"depth_offset_{field}": on}))
            for on in (False, True)
        )
        difference = moved.corners.astype(float) - without.corners
        assert np.allclose(difference[:, 3], wanted, rtol=1e-4, atol=6e-8)
        assert not difference[:, [0, 1, 2, 4, 5]].any()


def test_polygon_stipple():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 1 << 32, 32).tolist()
    state = raster_state((SIZE, SIZE), windower={"polygon_stipple": True})
    state = replace(
        state, stipple_offset=PolyStippleOffset(x=5, y=30), stipple_pattern=PolyStipplePattern(pattern=rows)
    )
    whole = [[-9, -9, 0, 1], [99, -9, 0, 1], [-9, 99, 0, 1]]
    wanted = {(x, y) for x in range(SIZE) for y in range(SIZE) if rows[(y + 30) % 32] >> (31 - (x + 5) % 32) & 1}
    assert pixels(set_up(primitives(whole), state), state) == [wanted]
    every = {(x, y) for x in range(SIZE) for y in range(SIZE)}
    for topology in (Topology.TRIFAN_NOSTIPPLE, Topology.RECTLIST):
        corners = whole if topology != Topology.RECTLIST else [[99, 99, 0, 1], [-9, 99, 0, 1], [-9, -9, 0, 1]]
        assert pixels(set_up(primitives(corners, topology=topology), state), state) == [every]


def test_hostile_numbers_end():
    """Infinite, huge, tiny and missing numbers in positions and viewports: no sample outside, finite weights."""
    rng = np.random.default_rng(4)
    odd = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-45, 0, -0.0, 1, -1, 16384, 1e6, 0.5])
    rectangle = {"right": 16383, "bottom": 16383, "origin_x": -32768, "origin_y": 32767}
    for number in range(30):
        corners = number % 3 + 1
        topology = {1: Topology.POINTLIST, 2: Topology.LINELIST, 3: Topology.TRILIST}[corners]
        given = primitives(rng.choice(odd, (30 * corners, 4)), rng.choice(odd, (30 * corners, 1, 4)), topology=topology,
                           corners=corners, header=rng.integers(0, 1 << 32, (30 * corners, 4)))  # fmt: skip
        fields = ("m00", "m11", "m22", "m30", "m31", "m32")
        viewports = [SfClipViewport(**{name: float(rng.choice(odd)) for name in fields}) for _ in range(2)]
        fill = rng.choice(["SOLID", "WIREFRAME", "POINT"], 2)
        setup = {"viewport_transform": bool(number % 2), "front_fill": fill[0], "back_fill": fill[1],
                 "point_width": 255.0, "line_width": float(rng.choice([0, 1, 7.5])),
                 "antialiasing": bool(number % 5 == 0),
                 "depth_offset_solid": True, "depth_offset_scale": float(rng.choice(odd))}  # fmt: skip
        limits = rectangle if number % 4 == 0 else {"right": 63, "bottom": 63}
        state = raster_state(clip={"perspective_divide_disable": bool(number % 3 == 0)}, setup=setup,
                             rectangle=limits, viewports=viewports)  # fmt: skip
        objects = set_up(given, state)
        for spans in islice(subspans(objects, state), 4):  # a picture of 16384 x 16384 comes in pieces
            assert (spans.x >= 0).all() and (spans.x <= limits["right"]).all()
            assert (spans.y >= 0).all() and (spans.y <= limits["bottom"]).all()
            some = Spans(spans.subspans[:2000])
            numbers = Interpolator(objects, some, state, CPU)
            assert np.isfinite(numbers.barycentrics(0b111111)).all()
            assert np.isfinite(numbers.depth_of_samples()).all()
