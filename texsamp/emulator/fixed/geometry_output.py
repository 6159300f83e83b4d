"""What geometry threads leave in their URB entries: vertices with cuts and stream numbers (seed 002:9408-9521)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.assembly import Objects, assemble
from texsamp.emulator.fixed.vertex_stream import VertexStream
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import ControlData, GeometryShader, Topology

_BITS, _STREAM_BITS = 32, 2
_SLOTS_OF_CONTROL = 2
"""Slots that a unit of control data takes."""
_AFTER_GEOMETRY = frozenset(
    {
        Topology.POINTLIST, Topology.LINELIST, Topology.LINESTRIP, Topology.TRILIST, Topology.TRISTRIP, Topology.TRIFAN,
        Topology.POLYGON, Topology.RECTLIST, Topology.LINESTRIP_BF, Topology.LINESTRIP_CONT, Topology.LINESTRIP_CONT_BF,
        Topology.POINTLIST_BF, Topology.TRIFAN_NOSTIPPLE, Topology.TRISTRIP_REVERSE,
    }
)  # fmt: skip
"""Topologies that threads may put out (Sandy Bridge volume 2 part 1, pages 171-172)."""


def geometry_streams(
    shader: GeometryShader,
    entries: NDArray[np.uint32],
    counts: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> list[tuple[int, Objects, NDArray[np.uint32]]]:
    """Number, objects and vertices of every stream that has vertices.

    entries: uint32 (e, slots, 4), what each instance of each object left, in order. counts: int64 (e,), its vertices.
    numbers: int64 (e,), primitive id of the object. CaptureError for counts that an entry or its control data cannot
    hold, for topologies that threads cannot put out, and for stream numbers of anything but points.
    """
    topology = next((each for each in _AFTER_GEOMETRY if each == shader.output_topology), None)
    if topology is None:
        raise CaptureError(f"{_name(shader.output_topology)} is no topology that geometry threads put out")
    control = min(_SLOTS_OF_CONTROL * shader.control_data_size, entries.shape[1])
    size = shader.output_vertex_size
    most = (entries.shape[1] - control) // size
    bits = _STREAM_BITS if shader.control_data_format == ControlData.SID else 1
    if control:
        most = min(most, control * 4 * _BITS // bits)
    if len(counts) and int(counts.max()) > most:
        raise CaptureError(f"a geometry thread puts out {int(counts.max())} vertices, its entry has room for {most}")
    entry = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(entry)) - np.repeat(np.cumsum(counts) - counts, counts)
    vertices = entries[:, control:][entry[:, None], (number * size)[:, None] + np.arange(size)]
    data = np.zeros(len(entry), np.uint32)
    if control:
        place = number * bits
        words = entries[:, :control].reshape(len(entries), control * 4)[entry, place // _BITS]
        data = words >> (place % _BITS).astype(np.uint32) & np.uint32((1 << bits) - 1)
    if shader.control_data_format == ControlData.CUT or not control:
        stream = _stream(entry, number, data.astype(np.bool_))
        return [(shader.default_stream, _objects(topology, stream, numbers), vertices)]
    if topology != Topology.POINTLIST:
        raise CaptureError(f"stream numbers of {topology.name}: only points have them")
    found = []
    for which in np.unique(data).tolist():
        chosen = np.flatnonzero(data == which)
        stream = _stream(entry[chosen], np.arange(len(chosen)), np.zeros(len(chosen), np.bool_))
        found.append((which, _objects(topology, stream, numbers), vertices[chosen]))
    return found


def _name(topology: int) -> str:
    return Topology(topology).name if topology in set(Topology) else f"topology {topology}"


def _stream(entry: NDArray[np.int64], number: NDArray[np.int64], cuts: NDArray[np.bool_]) -> VertexStream:
    """Runs of vertices: one of each entry, ended by cuts behind vertices. instances: the entries."""
    begins = np.ones(len(entry), np.bool_)
    begins[1:] = (entry[1:] != entry[:-1]) | cuts[:-1]
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, len(entry)))
    return VertexStream(np.arange(len(number)), starts, lengths, entry[starts])


def _objects(topology: Topology, stream: VertexStream, numbers: NDArray[np.int64]) -> Objects:
    """Objects with the primitive ids of those they were made from."""
    objects = assemble(topology, stream)
    return replace(objects, numbers=numbers[stream.instances[objects.runs]])
