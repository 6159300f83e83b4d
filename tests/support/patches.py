"""Patches by their factors: URB entries that begin with a header, and what the tessellator makes of them."""

from __future__ import annotations

import numpy as np
from oracle import patch_by_patch

from texsamp import get_device
from texsamp.emulator.fixed.tessellator import tessellate
from texsamp.state.commands_3d import Tessellator, Topology

OUTER = {"QUAD": (7, 6, 5, 4), "TRI": (7, 6, 5), "ISOLINE": (6, 7)}
INNER = {"QUAD": (3, 2), "TRI": (4,), "ISOLINE": ()}
"""Dwords of a patch's header with its factors."""
SLOTS = 4
_CORNERS = {Topology.POINTLIST: 1, Topology.LINESTRIP: 2, Topology.TRILIST: 3}


def command(domain, partitioning, output, **fields):
    """3DSTATE_TE with the largest factors of the API."""
    return Tessellator(
        domain=domain, partitioning=partitioning, output_topology=output,
        **{"max_factor_odd": 63.0, "max_factor_not_odd": 64.0, **fields},
    )  # fmt: skip


def entries_of(domain, outer, inner):
    """URB entries, uint32 (patches, SLOTS, 4), of factors, (patches, n) each; all else is NaN."""
    made = np.full((len(outer), 4 * SLOTS), np.nan, np.float32)
    made[:, OUTER[domain]], made[:, INNER[domain]] = outer, inner
    return made.view(np.uint32).reshape(-1, SLOTS, 4)


def tessellated(kinds, outer, inner, device=None, check=lambda ends: None, **fields):
    """What patches become, by names of domain, partitioning and output; primitive ids are 100 and so on."""
    device = device or get_device("cpu")
    ids = device.upload(np.arange(100, 100 + len(outer)))
    entries = device.upload(entries_of(kinds[0], outer, inner))
    return tessellate(command(*kinds, **fields), entries, ids, device, check)


def by_patch(made):
    """Patches as `patch_by_patch` has them, of arrays of the host: points, and runs of their own points."""
    ends, objects = made.ends.ends[:, 0], made.objects
    firsts = np.concatenate([[0], ends])[:-1]
    runs = [[] for _ in ends]
    cuts = np.flatnonzero(np.diff(objects.runs, prepend=-1))
    for vertices, run in zip(np.split(objects.vertices, cuts)[1:], objects.runs[cuts], strict=True):
        owner = int(np.searchsorted(ends, run, "right"))
        corners = vertices.reshape(-1)
        if objects.topology == Topology.LINESTRIP:
            assert (vertices[1:, 0] == vertices[:-1, 1]).all()
            corners = np.append(vertices[:, 0], vertices[-1, 1])
        runs[owner].append(tuple((corners - firsts[owner]).tolist()))
    points = np.split(made.points.astype(np.int64), ends)[:-1]
    return [
        patch_by_patch.Tessellated(objects.topology, each, tuple(own)) for each, own in zip(points, runs, strict=True)
    ]
