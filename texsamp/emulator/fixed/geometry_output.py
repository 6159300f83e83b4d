"""What geometry threads leave in their URB entries: vertices with cuts and stream numbers (seed 002:9408-9521)."""

from __future__ import annotations

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.fixed.assembly import Objects, assemble_owned
from texsamp.emulator.fixed.spread import spread
from texsamp.emulator.fixed.vertex_stream import VertexStream
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import ControlData, GeometryShader, Topology

_BITS, _STREAM_BITS, _STREAMS = 32, 2, 4
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
    entries: Array,
    counts: Array,
    numbers: Array,
    device: Device,
) -> list[tuple[int, Objects, Array]]:
    """Number, objects and vertices of every stream that has vertices, where threads have left them.

    entries: uint32 (e, slots, 4), what each instance of each object left, in order. counts: int64 (e,), its vertices.
    numbers: int64 (e,), primitive id of the object. CaptureError for counts that an entry or its control data cannot
    hold, for topologies that threads cannot put out, and for stream numbers of anything but points.
    """
    topology = next((each for each in _AFTER_GEOMETRY if each == shader.output_topology), None)
    if topology is None:
        raise CaptureError(f"{_name(shader.output_topology)} is no topology that geometry threads put out")
    control = min(_SLOTS_OF_CONTROL * shader.control_data_size, entries.shape[1])
    size = shader.output_vertex_size
    bits = _STREAM_BITS if shader.control_data_format == ControlData.SID else 1
    total = _total(counts, entries.shape[1], control, size, bits, device)
    entry, number = spread(counts, total, device)
    arange = device.arrays.arange
    vertices = entries[:, control:][entry[:, None], (number * size)[:, None] + arange(size)]
    data = device.arrays.zeros(total, np.uint32)
    if control:
        place = number * bits
        words = entries[:, :control].reshape(len(entries), control * 4)[entry, place // _BITS]
        data = words >> (place % _BITS).astype(np.uint32) & np.uint32((1 << bits) - 1)
    if shader.control_data_format == ControlData.CUT or not control:
        stream = _stream(entry, number, data.astype(np.bool_), device)
        return [(shader.default_stream, assemble_owned(topology, stream, numbers, device), vertices)]
    if topology != Topology.POINTLIST:
        raise CaptureError(f"stream numbers of {topology.name}: only points have them")
    found = []
    sizes = device.download((data[:, None] == arange(_STREAMS, dtype=np.uint32)).sum(axis=0))
    for which in np.flatnonzero(sizes).tolist():
        chosen = np.searchsorted(np.cumsum(data == which), arange(1, 1 + int(sizes[which])))
        points = arange(len(chosen))
        stream = _stream(entry[chosen], points, points < 0, device)
        found.append((which, assemble_owned(topology, stream, numbers, device), vertices[chosen]))
    return found


def _total(counts: Array, slots: int, control: int, size: int, bits: int, device: Device) -> int:
    """All vertices of entries, which are asked for; CaptureError if one has no room for its own."""
    if not len(counts):
        return 0
    most = (slots - control) // size
    if control:
        most = min(most, control * 4 * _BITS // bits)
    of_all = counts.reshape(-1, 1)
    (total,), (largest,) = device.start_download((of_all.sum(axis=0), of_all.max(axis=0))).result()
    if largest > most:
        raise CaptureError(f"a geometry thread puts out {int(largest)} vertices, its entry has room for {most}")
    return int(total)


def _name(topology: int) -> str:
    return Topology(topology).name if topology in set(Topology) else f"topology {topology}"


def _stream(entry: Array, number: Array, cuts: Array, device: Device) -> VertexStream:
    """Runs of vertices: one of each entry, ended by cuts behind vertices. instances: the entries.

    As many as there are vertices, so that nobody is asked; those that are none are empty, behind the others.
    """
    count, arrays = len(entry), device.arrays
    begins = arrays.ones(count, np.bool_)
    begins[1:] = (entry[1:] != entry[:-1]) | cuts[:-1]
    bounds = np.searchsorted(np.cumsum(begins), arrays.arange(1, count + 2))
    starts = bounds[:-1]
    lengths = bounds[1:] - starts
    return VertexStream(arrays.arange(count), starts, lengths, entry[np.minimum(starts, count - 1)])
