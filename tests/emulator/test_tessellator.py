"""The tessellator: places against exact fractions, triangles by what any tessellation of a patch must be."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from oracle import patch_by_patch
from oracle import tessellator as oracle

from texsamp.emulator.fixed.tessellation_forms import ruler
from texsamp.emulator.fixed.tessellator import ONE, tessellate
from texsamp.state.commands_3d import Partitioning, TessellatorDomain, TessellatorOutput, Topology

DOMAINS = {"QUAD": (4, 2), "TRI": (3, 1)}
PARTITIONINGS = ["INTEGER", "ODD_FRACTIONAL", "EVEN_FRACTIONAL"]
NEAR = Fraction(10, ONE)
"""Up to 10 segments of a half edge, whose length is rounded to half a step, and a third more inside triangles."""


def tessellated(domain, partitioning, outer, inner=(), output="TRI_CW"):
    most = 63 if partitioning == "ODD_FRACTIONAL" else 64
    made = tessellate(
        TessellatorDomain[domain], Partitioning[partitioning], TessellatorOutput[output],
        np.array([outer], float), np.array([inner], float), most,
    )  # fmt: skip
    (found,) = by_patch(made)
    return found


def by_patch(made):
    """Patches as `patch_by_patch` has them: points, and runs of their own points."""
    ends = np.cumsum(made.counts)
    runs = [[] for _ in made.counts]
    for run, owner in zip(np.split(made.rows, np.cumsum(made.lengths))[:-1], made.owners.tolist(), strict=True):
        runs[owner].append(tuple((run - ends[owner] + made.counts[owner]).tolist()))
    return [
        patch_by_patch.Tessellated(made.topology, points, tuple(own))
        for points, own in zip(np.split(made.points, ends)[:-1], runs, strict=True)
    ]


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
        found = tessellated(domain, partitioning, outer, inner).points.tolist()
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
        found = tessellated(domain, partitioning, outer, inner)
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
    quads = tessellated("QUAD", "INTEGER", [factor] * 4, [factor] * 2)
    assert len(quads.runs[0]) // 3 == 2 * factor * factor
    triangles = tessellated("TRI", "INTEGER", [factor] * 3, [factor])
    assert len(triangles.runs[0]) // 3 == (3 * factor * factor - factor % 2) // 2


def test_small_patches_triangle_by_triangle():
    """One triangle, a fan around the center, and an odd frame around a triangle; clockwise and the other way."""
    assert tessellated("TRI", "INTEGER", [1, 1, 1], [1]).points.tolist() == [[0, ONE], [0, 0], [ONE, 0]]
    fan = tessellated("TRI", "INTEGER", [2, 2, 2], [2])
    assert fan.points.tolist() == [
        [0, ONE], [0, ONE // 2], [0, 0], [ONE // 2, 0], [ONE, 0], [ONE // 2, ONE // 2], [0x5555, 0x5555],
    ]  # fmt: skip
    rim = [0, 1, 2, 3, 4, 5, 0]
    assert fan.runs[0] == tuple(c for n in range(6) for c in (rim[n], rim[n + 1], 6))
    other = tessellated("TRI", "INTEGER", [2, 2, 2], [2], "TRI_CCW")
    assert other.runs[0] == tuple(c for n in range(6) for c in (rim[n], 6, rim[n + 1]))
    frame = tessellated("TRI", "INTEGER", [1, 1, 1], [3]).runs[0]
    assert frame[-3:] == (3, 4, 5)
    assert len(frame) == 3 * (3 + 3 + 1)


@pytest.mark.parametrize(("domain", "inner"), [("TRI", 4), ("TRI", 5), ("QUAD", 4), ("QUAD", 6)])
def test_an_edge_of_one_segment_meets_the_middle_of_the_ring_inside(domain, inner):
    """Not one of its ends: all of the definition's stitching is symmetric about the middle of an edge."""
    edges = 4 if domain == "QUAD" else 3
    made = tessellated(domain, "INTEGER", [1] * edges, [inner] * (edges - 2))
    triangles = made.points[np.array(made.runs[0]).reshape(-1, 3)] / ONE
    if domain == "QUAD":  # the edge V = 0
        (third,) = [t[t[:, 1] > 0] for t in triangles if (t[:, 1] == 0).sum() == 2]
        assert third[0, 0] == 0.5
    else:  # U = 0: from V = 0 to V = 1
        (third,) = [t[t[:, 0] > 0] for t in triangles if (t[:, 0] == 0).sum() == 2]
        off_middle = third[0, 1] - (1 - third[0, 0]) / 2
        assert abs(off_middle) < 1e-4 if inner % 2 == 0 else abs(off_middle) < 1 / 8


def test_segments_come_into_being_in_the_order_of_the_printed_table():
    assert list(ruler()) == oracle.RULER


def test_edges_depend_on_their_own_factor_alone_and_are_symmetric():
    rng = np.random.default_rng(3)
    for partitioning in PARTITIONINGS:
        for _ in range(30):
            factor = float(np.float32(rng.uniform(0.5, 64)))
            one = tessellated("QUAD", partitioning, [factor, 3, 7.5, 1], rng.uniform(2, 30, 2)).points
            other = tessellated("TRI", partitioning, [2, factor, 9], rng.uniform(2, 30, 1)).points
            edge = sorted(one[one[:, 0] == 0, 1].tolist())
            assert edge == sorted(other[other[:, 1] == 0, 0].tolist())
            assert [ONE - p for p in reversed(edge)] == edge


def test_factors_that_are_not_above_zero_cull():
    for factor in (0.0, -1.0, math.nan):
        for place in range(3):
            outer = [2.0] * 3
            outer[place] = factor
            found = tessellated("TRI", "INTEGER", outer, [2.0])
            assert (found.runs, len(found.points)) == ((), 0)
    assert len(tessellated("TRI", "INTEGER", [2, 2, 2], [math.nan]).runs[0]) // 3 == 6
    assert len(tessellated("TRI", "INTEGER", [2, 2, math.inf], [1]).runs[0]) // 3 == 2 + 2 + 64


def test_isolines():
    found = tessellated("ISOLINE", "INTEGER", [3, 2], output="LINE")
    thirds = [0, 0x5555, ONE - 0x5555]
    assert found.points.tolist() == [[u, v] for v in thirds for u in (0, ONE // 2, ONE)]
    assert found.runs == ((0, 1, 2), (3, 4, 5), (6, 7, 8))
    assert found.topology == Topology.LINESTRIP
    points = tessellated("ISOLINE", "EVEN_FRACTIONAL", [1.5, 1], output="POINT")
    assert (points.topology, len(points.runs[0])) == (Topology.POINTLIST, 6)
    assert tessellated("ISOLINE", "INTEGER", [0, 2], output="LINE").runs == ()


def test_points_of_a_patch():
    found = tessellated("QUAD", "INTEGER", [2] * 4, [2] * 2, "POINT")
    assert found.runs == (tuple(range(9)),)
    assert sorted(map(tuple, found.points.tolist())) == sorted(
        (u, v) for u in (0, ONE // 2, ONE) for v in (0, ONE // 2, ONE)
    )


FACTORS = [0, -1, math.nan, math.inf, 1e-9, 1, 1 + 2**-17, 1 + 2**-16, 2, 63, 64, 65]


def many_factors(rng, patches, count):
    """Of many patches: few whole ones, any, and those at the limits."""
    kinds = rng.choice(4, (patches, count), p=[0.4, 0.4, 0.15, 0.05])
    kinds[kinds[:, :1].repeat(count, 1) < 2] %= 2
    found = np.choose(
        kinds, [rng.integers(1, 9, kinds.shape), rng.uniform(0.5, 20, kinds.shape), rng.uniform(1, 70, kinds.shape),
                rng.choice(FACTORS, kinds.shape)],
    )  # fmt: skip
    return found.astype(np.float32).astype(float)


@pytest.mark.parametrize("output", ["POINT", "LINE", "TRI_CW", "TRI_CCW"])
@pytest.mark.parametrize("partitioning", PARTITIONINGS)
@pytest.mark.parametrize("domain", ["QUAD", "TRI", "ISOLINE"])
def test_patches_are_those_of_one_after_the_other(domain, partitioning, output):
    rng = np.random.default_rng(5)
    kinds = TessellatorDomain[domain], Partitioning[partitioning], TessellatorOutput[output]
    most = 63.0 if partitioning == "ODD_FRACTIONAL" else 64.0
    outer, inner = (many_factors(rng, 40, count) for count in DOMAINS.get(domain, (2, 0)))
    made = tessellate(*kinds, outer, inner, most)
    for found, *factors in zip(by_patch(made), outer.tolist(), inner.tolist(), strict=True):
        expected = patch_by_patch.tessellate(*kinds, *factors, most)
        assert np.array_equal(found.points, expected.points), factors
        assert found.runs == expected.runs, factors
        assert not found.runs or found.topology == expected.topology


def test_no_patches_are_none():
    for domain, (outer, inner) in {**DOMAINS, "ISOLINE": (2, 0)}.items():
        kinds = TessellatorDomain[domain], Partitioning.INTEGER, TessellatorOutput.TRI_CW
        made = tessellate(*kinds, np.zeros((0, outer)), np.zeros((0, inner)), 64.0)
        assert (len(made.points), len(made.counts), len(made.lengths)) == (0, 0, 0)
        culled = tessellate(*kinds, np.zeros((3, outer)), np.ones((3, inner)), 64.0)
        assert (len(culled.points), culled.counts.tolist(), len(culled.lengths)) == (0, [0, 0, 0], 0)
