"""The tessellator: points and objects of patches, as Direct3D 11 defines them, where the patches are.

`kernels/tess_edges.h` and its neighbors divide them; the host learns how much all patches become, and launches for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array, Launch
from texsamp.device.params import constant, params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.assembly import Objects
from texsamp.emulator.fixed.patch_ends import OBJECTS, Check, PatchEnds, ends_of
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Partitioning, Tessellator, TessellatorDomain, TessellatorOutput, Topology

ONE = constant("TESS_ONE")
ITEMS = 256
"""Of a tile: TESS_ITEMS of the kernels."""
OUTPUTS = {
    Topology.POINTLIST: constant("TESS_POINTS"),
    Topology.LINESTRIP: constant("TESS_LINES"),
    Topology.TRILIST: constant("TESS_TRIANGLES"),
}
"""What comes of patches, by what it is a list or strip of."""
_CORNERS = {Topology.POINTLIST: 1, Topology.LINESTRIP: 2, Topology.TRILIST: 3}
_LARGEST = {Partitioning.ODD_FRACTIONAL: (3.0, 63.0)}
_LARGEST_NOT_ODD = 2.0, 64.0
"""What the largest factor may be (seed 004:2677-2706)."""
_RULES, _PATCH = params_type("TessRules"), params_type("TessPatch")
_PATCHES_PARAMS, _POINTS_PARAMS = params_type("TessPatchesParams"), params_type("TessPointsParams")
_OBJECTS_PARAMS = params_type("TessObjectsParams")
_DWORDS = _PATCH.dtype.itemsize // 4


@dataclass(frozen=True)
class Tessellated:
    """What patches become, of a device.

    points: int32 (points, 2), U and V in fixed point, patch by patch. ends: how much each patch becomes.
    objects: of rows of points.
    """

    points: Array
    ends: PatchEnds
    objects: Objects


def tessellate(command: Tessellator, entries: Array, ids: Array, device: Device, check: Check) -> Tessellated:
    """Tessellate patches; one with an outer factor that is not above 0 is culled.

    entries: their URB entries, uint32 (patches, slots, 4), each beginning with a header, whose factors are looked at.
    ids: their primitive ids, int64. check: is given how much they become, before it is made. CaptureError for a largest
    factor beyond its limits.
    """
    domain, partitioning = TessellatorDomain(command.domain), Partitioning(command.partitioning)
    output = TessellatorOutput(command.output_topology)
    topology = _topology(domain, output)
    count = len(entries)
    patches = device.empty((count, _DWORDS), np.int32)
    counts = device.empty((count, 2), np.int32)
    rules = _RULES(
        domain=int(domain), partitioning=int(partitioning), output=OUTPUTS[topology], most=_most(command, partitioning)
    )
    if count:
        pitch = entries.shape[1] * entries.shape[2]
        given = {"entries": entries, "patches": patches, "counts": counts}
        places = {name: device.address(array) for name, array in given.items()}
        tiles = in_rows(count, ITEMS)
        params = _PATCHES_PARAMS(**places, rules=rules, pitch=pitch, count=count, tiles_x=tiles[0])
        device.launch(Launch("tess_patches", params, *tiles, tuple(given.values())))
    with device.current():
        wide = counts.astype(np.int64)
        ends, _ = ends_of(wide[:, 0], wide[:, 1], device)
    check(ends)
    points = _points(domain, ends, patches, device)
    objects = _objects(domain, topology, output == TessellatorOutput.TRI_CCW, ends, patches, ids, device)
    return Tessellated(points, ends, objects)


def _topology(domain: TessellatorDomain, output: TessellatorOutput) -> Topology:
    """What is put out; isolines are no triangles."""
    if output == TessellatorOutput.POINT:
        return Topology.POINTLIST
    is_line = domain == TessellatorDomain.ISOLINE or output == TessellatorOutput.LINE
    return Topology.LINESTRIP if is_line else Topology.TRILIST


def _most(command: Tessellator, partitioning: Partitioning) -> float:
    """The largest factor; CaptureError for one that is neither normal nor reserved."""
    odd = partitioning == Partitioning.ODD_FRACTIONAL
    most = command.max_factor_odd if odd else command.max_factor_not_odd
    least, largest = _LARGEST.get(partitioning, _LARGEST_NOT_ODD)
    if not least <= most <= largest:  # NaN is not
        raise CaptureError(f"a largest tessellation factor of {most:g}: it is from {least:g} to {largest:g}")
    return most


def _points(domain: TessellatorDomain, ends: PatchEnds, patches: Array, device: Device) -> Array:
    count = ends.points
    points = device.empty((count, 2), np.int32)
    if count:
        tiles = in_rows(count, ITEMS)
        params = _POINTS_PARAMS(
            ends=ends.params(device), patches=device.address(patches), points=device.address(points),
            domain=int(domain), count=count, tiles_x=tiles[0],
        )  # fmt: skip
        device.launch(Launch("tess_points", params, *tiles, (ends.ends, patches, points)))
    return points


def _objects(
    domain: TessellatorDomain,
    topology: Topology,
    reversed_: bool,
    ends: PatchEnds,
    patches: Array,
    ids: Array,
    device: Device,
) -> Objects:
    """Objects of all patches; runs do not go from one to another."""
    count = ends.sums[OBJECTS]
    made = {"vertices": device.empty((count, _CORNERS[topology]), np.int32)}
    made |= {name: device.empty((count,), np.int32) for name in ("numbers", "runs")}
    if count:
        there = {"patches": patches, "ids": ids, **made}
        tiles = in_rows(count, ITEMS)
        params = _OBJECTS_PARAMS(
            ends=ends.params(device), **{name: device.address(array) for name, array in there.items()},
            domain=int(domain), output=OUTPUTS[topology], reversed=reversed_, count=count, tiles_x=tiles[0],
        )  # fmt: skip
        device.launch(Launch("tess_objects", params, *tiles, (ends.ends, *there.values())))
    with device.current():
        first, last = (device.arrays.ones(count, np.bool_) for _ in range(2))
        changes = made["runs"][1:] != made["runs"][:-1]
        first[1:], last[:-1] = changes, changes
        turned = device.arrays.zeros(count, np.bool_)
    return Objects(topology, made["vertices"], turned, made["numbers"], made["runs"], first, last, 0)
