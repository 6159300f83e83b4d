"""The tessellator: places against exact fractions, triangles by what any tessellation of a patch must be."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from oracle import patch_by_patch
from oracle import tessellator as oracle
from support.filter_cases import sweep
from support.patches import by_patch, tessellated
from support.strict_arrays import StrictDevice

from texsamp.emulator.fixed.tessellator import ONE
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Partitioning, TessellatorDomain, TessellatorOutput, Topology

DOMAINS = {"QUAD": (4, 2), "TRI": (3, 1)}
PARTITIONINGS = ["INTEGER", "ODD_FRACTIONAL", "EVEN_FRACTIONAL"]
NEAR = Fraction(10, ONE)
"""Up to 10 segments of a half edge, whose length is rounded to half a step, and a third more inside triangles."""


def divided(domain, partitioning, outer, inner=(), output="TRI_CW"):
    """One patch."""
    (found,) = by_patch(tessellated((domain, partitioning, output), [outer], [inner]))
    return found


def random_factors(rng, count):
    kinds = [lambda: float(rng.integers(1, 9)), lambda: 1.0, lambda: float(np.float32(rng.uniform(0.2, 20)))]
    return [kinds[rng.integers(3)]() for _ in range(count)]


def expected_points(domain, partitioning, outer, inner):
    most = 63 if partitioning == "ODD_FRACTIONAL" else 64
    edges = [oracle.effective(f, partitioning, most, inside=False, frame=False) for f in outer]
    frame = any(f > 1 + 2**-17 for f in (*edges, *(inner if domain == "QUAD" else ())))
    insides = [oracle.effective(f, partitioning, most, inside=True, frame=frame) for f in inner]
    if partitioning != "EVEN_FRACTIONAL" and all(f == 1 for f in (*edges, *insides)):
        corners = {(0, 0), (0, 1), (1, 0)}
        return corners | {(1, 1)} if domain == "QUAD" else corners

    def odd(factor, inside):
        if partitioning == "INTEGER":
            return factor % 2 == 1 and not (inside and factor == 1)
        return partitioning == "ODD_FRACTIONAL"

    lines = [oracle.places(f, odd=odd(f, False)) for f in edges]
    within = [oracle.places(f, odd=odd(f, True)) for f in insides]
    return getattr(oracle, "quad" if domain == "QUAD" else "triangle")(lines, *within)


@pytest.mark.parametrize("partitioning", PARTITIONINGS)
@pytest.mark.parametrize("domain", DOMAINS)
def test_places_of_points(domain, partitioning):
    rng = np.random.default_rng(1)
    for _ in range(40):
        outer, inner = (random_factors(rng, count) for count in DOMAINS[domain])
        found = divided(domain, partitioning, outer, inner).points.tolist()
        wanted = sorted(expected_points(domain, partitioning, outer, inner))
        grid = {}
        for u, v in wanted:
            grid.setdefault((math.floor(u * 512), math.floor(v * 512)), []).append((u, v))
        for u, v in found:
            cell = math.floor(u / 128), math.floor(v / 128)
            near = [p for a in (-1, 0, 1) for b in (-1, 0, 1) for p in grid.get((cell[0] + a, cell[1] + b), ())]
            assert any(abs(Fraction(u, ONE) - a) <= NEAR and abs(Fraction(v, ONE) - b) <= NEAR for a, b in near)
        assert len(found) >= len(wanted)


@pytest.mark.parametrize("partitioning", PARTITIONINGS)
@pytest.mark.parametrize("domain", DOMAINS)
def test_triangles_cover_the_patch_once(domain, partitioning):
    """Areas add up exactly; edges inside are met from both sides, those around from one; all points are used."""
    rng = np.random.default_rng(2)
    for _ in range(60):
        outer, inner = (random_factors(rng, count) for count in DOMAINS[domain])
        found = divided(domain, partitioning, outer, inner)
        assert found.topology == Topology.TRILIST
        corners = np.array(found.runs[0]).reshape(-1, 3)
        a, b, c = (found.points[corners[:, n]] for n in range(3))
        areas = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
        assert abs(int(areas.sum())) == ONE * ONE * (2 if domain == "QUAD" else 1)
        edges = Counter((int(t[n]), int(t[(n + 1) % 3])) for t in corners for n in range(3))
        assert set(edges.values()) == {1}
        rim = {x for x, y in edges if (y, x) not in edges}
        around = {n for n, (u, v) in enumerate(found.points.tolist()) if u == 0 or v == 0 or _far(domain, u, v)}
        assert rim <= around
        assert len(rim) == len(around) or partitioning == "ODD_FRACTIONAL"  # whose frame may have no width
        assert set(corners.reshape(-1).tolist()) == set(range(len(found.points)))


def _far(domain, u, v):
    return u + v == ONE if domain == "TRI" else ONE in (u, v)


@pytest.mark.parametrize("factor", [1, 2, 3, 4, 5, 8, 64])
def test_how_many_triangles_a_whole_factor_makes(factor):
    quads = divided("QUAD", "INTEGER", [factor] * 4, [factor] * 2)
    assert len(quads.runs[0]) // 3 == 2 * factor * factor
    triangles = divided("TRI", "INTEGER", [factor] * 3, [factor])
    assert len(triangles.runs[0]) // 3 == (3 * factor * factor - factor % 2) // 2


def test_small_patches_triangle_by_triangle():
    """One triangle, a fan around the center, and an odd frame around a triangle; clockwise and the other way."""
    assert divided("TRI", "INTEGER", [1, 1, 1], [1]).points.tolist() == [[0, ONE], [0, 0], [ONE, 0]]
    fan = divided("TRI", "INTEGER", [2, 2, 2], [2])
    assert fan.points.tolist() == [
        [0, ONE], [0, ONE // 2], [0, 0], [ONE // 2, 0], [ONE, 0], [ONE // 2, ONE // 2], [0x5555, 0x5555],
    ]  # fmt: skip
    rim = [0, 1, 2, 3, 4, 5, 0]
    assert fan.runs[0] == tuple(c for n in range(6) for c in (rim[n], rim[n + 1], 6))
    other = divided("TRI", "INTEGER", [2, 2, 2], [2], "TRI_CCW")
    assert other.runs[0] == tuple(c for n in range(6) for c in (rim[n], 6, rim[n + 1]))
    frame = divided("TRI", "INTEGER", [1, 1, 1], [3]).runs[0]
    assert frame[-3:] == (3, 4, 5)
    assert len(frame) == 3 * (3 + 3 + 1)


@pytest.mark.parametrize(("domain", "inner"), [("TRI", 4), ("TRI", 5), ("QUAD", 4), ("QUAD", 6)])
def test_an_edge_of_one_segment_meets_the_middle_of_the_ring_inside(domain, inner):
    """Not one of its ends: all of the definition's stitching is symmetric about the middle of an edge."""
    edges = 4 if domain == "QUAD" else 3
    made = divided(domain, "INTEGER", [1] * edges, [inner] * (edges - 2))
    triangles = made.points[np.array(made.runs[0]).reshape(-1, 3)] / ONE
    if domain == "QUAD":  # the edge V = 0
        (third,) = [t[t[:, 1] > 0] for t in triangles if (t[:, 1] == 0).sum() == 2]
        assert third[0, 0] == 0.5
    else:  # U = 0: from V = 0 to V = 1
        (third,) = [t[t[:, 0] > 0] for t in triangles if (t[:, 0] == 0).sum() == 2]
        off_middle = third[0, 1] - (1 - third[0, 0]) / 2
        assert abs(off_middle) < 1e-4 if inner % 2 == 0 else abs(off_middle) < 1 / 8


def test_segments_come_into_being_in_the_order_of_the_printed_table():
    """What patches one by one go by, which all are held to."""
    assert list(patch_by_patch.ruler()) == oracle.RULER


def test_edges_depend_on_their_own_factor_alone_and_are_symmetric():
    rng = np.random.default_rng(3)
    for partitioning in PARTITIONINGS:
        for _ in range(30):
            factor = float(np.float32(rng.uniform(0.5, 64)))
            one = divided("QUAD", partitioning, [factor, 3, 7.5, 1], rng.uniform(2, 30, 2)).points
            other = divided("TRI", partitioning, [2, factor, 9], rng.uniform(2, 30, 1)).points
            edge = sorted(one[one[:, 0] == 0, 1].tolist())
            assert edge == sorted(other[other[:, 1] == 0, 0].tolist())
            assert [ONE - p for p in reversed(edge)] == edge


def test_factors_that_are_not_above_zero_cull():
    for factor in (0.0, -1.0, math.nan):
        for place in range(3):
            outer = [2.0] * 3
            outer[place] = factor
            found = divided("TRI", "INTEGER", outer, [2.0])
            assert (found.runs, len(found.points)) == ((), 0)
    assert len(divided("TRI", "INTEGER", [2, 2, 2], [math.nan]).runs[0]) // 3 == 6
    assert len(divided("TRI", "INTEGER", [2, 2, math.inf], [1]).runs[0]) // 3 == 2 + 2 + 64


def test_isolines():
    found = divided("ISOLINE", "INTEGER", [3, 2], output="LINE")
    thirds = [0, 0x5555, ONE - 0x5555]
    assert found.points.tolist() == [[u, v] for v in thirds for u in (0, ONE // 2, ONE)]
    assert found.runs == ((0, 1, 2), (3, 4, 5), (6, 7, 8))
    assert found.topology == Topology.LINESTRIP
    points = divided("ISOLINE", "EVEN_FRACTIONAL", [1.5, 1], output="POINT")
    assert (points.topology, len(points.runs[0])) == (Topology.POINTLIST, 6)
    assert divided("ISOLINE", "INTEGER", [0, 2], output="LINE").runs == ()


def test_points_of_a_patch():
    found = divided("QUAD", "INTEGER", [2] * 4, [2] * 2, "POINT")
    assert found.runs == (tuple(range(9)),)
    assert sorted(map(tuple, found.points.tolist())) == sorted(
        (u, v) for u in (0, ONE // 2, ONE) for v in (0, ONE // 2, ONE)
    )


FACTORS = [0, -1, math.nan, math.inf, -math.inf, 1e-9, 1e-42, 1, 1 + 2**-17, 1 + 2**-16, 2, 63, 64, 65, 3e38]


def many_factors(rng, patches, count):
    """Of many patches: few whole ones, any, and those at the limits."""
    kinds = rng.choice(4, (patches, count), p=[0.4, 0.4, 0.15, 0.05])
    kinds[kinds[:, :1].repeat(count, 1) < 2] %= 2
    found = np.choose(
        kinds, [rng.integers(1, 9, kinds.shape), rng.uniform(0.5, 20, kinds.shape), rng.uniform(1, 70, kinds.shape),
                rng.choice(FACTORS, kinds.shape)],
    )  # fmt: skip
    return found.astype(np.float32).astype(float)


def same_as_one_after_the_other(kinds, outer, inner, most):
    """Whether points, objects and primitive ids are those of patches that are divided by themselves."""
    made = tessellated(kinds, outer, inner, max_factor_odd=most, max_factor_not_odd=most)
    enums = TessellatorDomain[kinds[0]], Partitioning[kinds[1]], TessellatorOutput[kinds[2]]
    owners = []
    for number, (found, *factors) in enumerate(zip(by_patch(made), outer.tolist(), inner.tolist(), strict=True)):
        expected = patch_by_patch.tessellate(*enums, *factors, most)
        assert np.array_equal(found.points, expected.points), factors
        assert found.runs == expected.runs, factors
        assert not found.runs or found.topology == expected.topology
        width = {Topology.TRILIST: 3, Topology.POINTLIST: 1}.get(found.topology)
        owners += [100 + number] * sum(len(run) // width if width else len(run) - 1 for run in found.runs)
    assert made.objects.numbers.tolist() == owners
    starts = np.diff(made.objects.runs, prepend=-1) != 0
    assert made.objects.first.tolist() == starts.tolist()
    assert made.objects.last.tolist() == np.append(starts, True)[1:].tolist() if len(starts) else not len(owners)


@pytest.mark.parametrize("output", ["POINT", "LINE", "TRI_CW", "TRI_CCW"])
@pytest.mark.parametrize("partitioning", PARTITIONINGS)
@pytest.mark.parametrize("domain", ["QUAD", "TRI", "ISOLINE"])
def test_patches_are_those_of_one_after_the_other(domain, partitioning, output):
    rng = np.random.default_rng(5)
    most = 63.0 if partitioning == "ODD_FRACTIONAL" else 64.0
    for count in (sweep(40), 0, 1):
        outer, inner = (many_factors(rng, count, factors) for factors in DOMAINS.get(domain, (2, 0)))
        same_as_one_after_the_other((domain, partitioning, output), outer, inner, most)


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_pair_of_numbers_of_points_is_stitched_as_one_after_the_other(domain):
    """Of an edge outside and one inside; of quads the numbers inside differ as well."""
    every = np.arange(1, 65)
    outer, inner = np.meshgrid(every, every[:: max(1, round(8 / sweep(1)))])
    outer = np.stack([np.roll(outer.ravel(), n) for n in range(DOMAINS[domain][0])], axis=1).astype(float)
    inner = np.stack([inner.ravel(), np.roll(inner.ravel(), 1)], axis=1)[:, : DOMAINS[domain][1]].astype(float)
    chosen = np.random.default_rng(6).permutation(len(outer))[: sweep(80)]
    same_as_one_after_the_other((domain, "INTEGER", "TRI_CW"), outer[chosen], inner[chosen], 64.0)


@pytest.mark.parametrize("partitioning", PARTITIONINGS)
def test_factors_between_numbers_of_16_bits_are_rounded_to_the_nearest_of_two_to_the_even_one(partitioning):
    """Products of a factor and 2^16 that lie halfway between two, and next to there."""
    rng = np.random.default_rng(7)
    halfway = (rng.integers(1 << 17, 1 << 20, 60) * 2 + 1) / (2 * ONE)
    floats = np.concatenate([halfway, np.nextafter(halfway.astype(np.float32), np.float32(0)), halfway * 1.0000001])
    outer = rng.choice(floats.astype(np.float32).astype(float), (sweep(40), 3))
    most = 63.0 if partitioning == "ODD_FRACTIONAL" else 64.0
    same_as_one_after_the_other(("TRI", partitioning, "POINT"), outer, outer[:, :1].copy(), most)


@pytest.mark.parametrize("most", [2.0, 3.0, 3.5, 17.25, 63.0])
def test_factors_reach_the_largest_one(most):
    rng = np.random.default_rng(8)
    for partitioning in PARTITIONINGS:
        if most >= 3 or partitioning != "ODD_FRACTIONAL":
            outer, inner = many_factors(rng, 12, 4), many_factors(rng, 12, 2)
            same_as_one_after_the_other(("QUAD", partitioning, "TRI_CCW"), outer, inner, most)


@pytest.mark.parametrize(
    ("partitioning", "most", "limits"),
    [
        ("INTEGER", 1.5, "1.5: it is from 2 to 64"),
        ("EVEN_FRACTIONAL", 65.0, "65: it is from 2 to 64"),
        ("ODD_FRACTIONAL", 64.0, "64: it is from 3 to 63"),
        ("INTEGER", math.nan, "nan: it is from 2 to 64"),
    ],
)
def test_largest_factors_beyond_their_limits_are_refused(partitioning, most, limits):
    fields = {"max_factor_odd": most} if partitioning == "ODD_FRACTIONAL" else {"max_factor_not_odd": most}
    with pytest.raises(CaptureError, match=f"largest tessellation factor of {limits}"):
        tessellated(("TRI", partitioning, "TRI_CW"), [[2.0] * 3], [[2.0]], **fields)
    other = {"max_factor_not_odd": most} if partitioning == "ODD_FRACTIONAL" else {"max_factor_odd": most}
    assert tessellated(("TRI", partitioning, "TRI_CW"), [[2.0] * 3], [[2.0]], **other).ends.points > 3


def test_how_much_patches_become_is_known_before_it_is_made():
    """Points, pairs of them, patches that are left, units of work, objects: the last row of what is summed up."""
    told = []
    kinds = "TRI", "INTEGER", "TRI_CW"
    outer, inner = [[1.0] * 3, [0.0] * 3, [2.0] * 3, [64.0] * 3], [[1.0], [1.0], [2.0], [64.0]]
    made = tessellated(kinds, outer, inner, check=told.append)
    assert [ends.sums for ends in told] == [(3 + 7 + 3169, 2 + 4 + 1585, 3, 12, 1 + 6 + 6144)]
    assert (len(made.points), len(made.objects.vertices)) == (told[0].points, 6151)

    def refuse(ends):
        raise CaptureError("too many")

    with pytest.raises(CaptureError, match="too many"):
        tessellated(kinds, outer, inner, check=refuse)


def test_patches_are_divided_where_they_are():
    """Of any number of patches five numbers come."""
    rng = np.random.default_rng(9)
    for count in (3, 300):
        device = StrictDevice()
        outer, inner = rng.uniform(0.5, 9, (count, 4)), rng.uniform(0.5, 9, (count, 2))
        there = tessellated(("QUAD", "EVEN_FRACTIONAL", "TRI_CW"), outer, inner, device)
        assert (device.downloads, device.downloaded_B) == (1, 5 * 8)
        here = tessellated(("QUAD", "EVEN_FRACTIONAL", "TRI_CW"), outer, inner)
        assert np.array_equal(there.points.inner, here.points)
        for name in ("vertices", "turned", "numbers", "runs", "first", "last"):
            assert np.array_equal(getattr(there.objects, name).inner, getattr(here.objects, name))


def test_no_patches_are_none():
    for domain, (outer, inner) in {**DOMAINS, "ISOLINE": (2, 0)}.items():
        kinds = domain, "INTEGER", "TRI_CW"
        made = tessellated(kinds, np.zeros((0, outer)), np.zeros((0, inner)))
        assert (len(made.points), len(made.ends.ends), len(made.objects.vertices)) == (0, 0, 0)
        culled = tessellated(kinds, np.zeros((3, outer)), np.ones((3, inner)))
        assert (len(culled.points), len(culled.objects.vertices)) == (0, 0)
        assert culled.ends.sums == (0, 0, 0, 0, 0)
        assert not culled.ends.ends.any()
