"""Objects of every topology, by the manual's tables of them (Sandy Bridge volume 2 part 1, pages 115-117, 163-166)."""

import numpy as np
import pytest
from oracle import vertices as oracle

from texsamp.device import get_device
from texsamp.emulator.fixed.assembly import TOPOLOGIES, assemble, drawn, primitives
from texsamp.emulator.fixed.vertex_stream import VertexStream, cut_stream
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import ReorderMode, Topology

CPU = get_device("cpu")
NAMES = list(oracle.SKIP_REPEAT)
SAME = {
    "POINTLIST_BF": "POINTLIST", "LINESTRIP_BF": "LINESTRIP", "LINESTRIP_CONT": "LINESTRIP",
    "LINESTRIP_CONT_BF": "LINESTRIP", "TRIFAN_NOSTIPPLE": "TRIFAN",
}  # fmt: skip


def one_run(count):
    return cut_stream(np.arange(count), np.zeros(count, np.bool_), 1)


@pytest.mark.parametrize("name", [*NAMES, *SAME])
def test_objects_of_runs(name):
    """Runs of all lengths up to 13 in two instances; ids count on over cuts and begin again with an instance."""
    lengths = [*range(14), 5, 4, 12]
    runs, at = [], 0
    for length in lengths:
        runs.append(list(range(100 + at, 100 + at + length)))
        at += length
    kept = [run for run in runs if run]
    rows = np.array([row for run in kept for row in run] * 2)
    sizes = np.array([len(run) for run in kept] * 2)
    stream = VertexStream(rows, np.cumsum(sizes) - sizes, sizes, np.repeat([0, 1], len(kept)))
    found = assemble(Topology[name], stream, CPU)
    plain = SAME.get(name, name)
    wanted, numbers, closing = [], [], 0
    for _ in range(2):
        number = 0
        for run in runs:
            open_objects = oracle.objects(plain, run, closing=False)
            every = oracle.objects(plain, run)
            wanted += every
            numbers += [number + n for n in range(len(open_objects))] + [number] * (len(every) - len(open_objects))
            number += len(open_objects)
            closing += len(every) - len(open_objects)
    assert [tuple(row) for row in found.vertices.tolist()] == wanted
    assert found.numbers.tolist() == numbers
    assert found.counted == len(wanted) - closing


def test_cuts_end_runs():
    rows = np.arange(14)
    cuts = np.array([True, False, False, True, True, False, True])
    stream = cut_stream(rows, cuts, 2)
    runs = [stream.rows[s : s + n].tolist() for s, n in zip(stream.starts, stream.lengths, strict=True)]
    assert runs == [[1, 2], [5], [8, 9], [12]]
    assert stream.instances.tolist() == [0, 0, 1, 1]


def primitives_of(name, count, flags=None):
    return primitives(assemble(Topology[name], one_run(count), CPU), np.zeros((count, 2, 4), np.uint32), CPU, flags)


def test_strips_wind_one_way():
    found = primitives_of("TRISTRIP", 5)
    assert found.corners.tolist() == [[0, 1, 2], [1, 3, 2], [2, 3, 4]]
    assert found.submitted.tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    found = primitives_of("TRISTRIP_REVERSE", 5)
    assert found.corners.tolist() == [[0, 2, 1], [1, 2, 3], [2, 4, 3]]
    assert found.submitted.tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]


def test_the_vertex_that_keeps_its_place():
    objects = assemble(Topology.TRISTRIP, one_run(4), CPU)
    assert drawn(objects, ReorderMode.LEADING)[0][:, 0].tolist() == [[0, 1, 2], [1, 3, 2]]
    assert drawn(objects, ReorderMode.TRAILING)[0][:, 0].tolist() == [[0, 1, 2], [2, 1, 3]]


def test_adjacent_vertices_are_dropped():
    assert primitives_of("LINELIST_ADJ", 8).corners.tolist() == [[1, 2], [5, 6]]
    assert primitives_of("LINESTRIP_ADJ", 5).corners.tolist() == [[1, 2], [2, 3]]
    assert primitives_of("TRILIST_ADJ", 6).corners.tolist() == [[0, 2, 4]]
    found = primitives_of("TRISTRIP_ADJ", 10)
    assert found.corners.tolist() == [[0, 2, 4], [2, 6, 4], [4, 6, 8]]
    assert found.submitted.tolist() == [[0, 2, 4], [2, 4, 6], [4, 6, 8]]
    assert [primitives_of(name, 10).topology for name in ("LINELIST_ADJ", "TRISTRIP_ADJ")] == [
        Topology.LINELIST,
        Topology.TRISTRIP,
    ]


def test_quads_are_polygons_without_their_diagonal():
    found = primitives_of("QUADLIST", 8)
    assert found.topology == Topology.POLYGON
    assert found.corners.tolist() == [[3, 0, 1], [3, 1, 2], [7, 4, 5], [7, 5, 6]]
    assert found.edges.tolist() == [[True, True, False], [False, True, True]] * 2
    assert found.numbers.tolist() == [0, 0, 1, 1]
    found = primitives_of("QUADSTRIP", 6)
    assert found.corners.tolist() == [[3, 0, 1], [3, 2, 0], [5, 2, 3], [5, 4, 2]]
    assert found.edges.tolist() == [[False, True, True], [True, True, False]] * 2


@pytest.mark.parametrize(("name", "count"), [("QUADLIST", 4), ("QUADSTRIP", 4), ("POLYGON", 5)])
def test_the_edges_that_are_left_go_around(name, count):
    """Outer edges meet every vertex twice; the others are diagonals, and met from both sides."""
    found = primitives_of(name, count)
    outer, inner = [], []
    for corners, edges in zip(found.corners.tolist(), found.edges.tolist(), strict=True):
        for corner in range(3):
            (outer if edges[corner] else inner).append(frozenset((corners[corner], corners[(corner + 1) % 3])))
    assert len(set(outer)) == len(outer) == count
    assert all(sum(vertex in edge for edge in outer) == 2 for vertex in range(count))
    assert all(inner.count(edge) == 2 for edge in inner)


def test_edge_flags_are_of_the_edge_that_begins_there():
    found = primitives_of("TRILIST", 6, np.array([True, False, True, False, False, True]))
    assert found.edges.tolist() == [[True, False, True], [False, False, True]]


def test_patches_are_drawn_by_nobody():
    assert assemble(Topology.PATCHLIST_5, one_run(11), CPU).vertices.tolist() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    with pytest.raises(CaptureError, match="PATCHLIST_3 without tessellation"):
        primitives_of("PATCHLIST_3", 3)


def test_every_topology_has_a_rule():
    assert set(TOPOLOGIES) == set(Topology)
