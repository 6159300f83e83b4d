"""Hull shader, tessellator and domain shader: from patches to vertices and objects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.registers import Counter
from texsamp.emulator.dispatch.domain_stage import run_domain
from texsamp.emulator.dispatch.hull_stage import run_hull
from texsamp.emulator.dispatch.runner import Dispatch, Runner, together
from texsamp.emulator.fixed.assembly import Objects, assemble
from texsamp.emulator.fixed.domain_points import POINT_DWORDS, domain_points
from texsamp.emulator.fixed.tessellator import Tessellated, tessellate
from texsamp.emulator.fixed.vertex_fetch import MOST_VERTICES, VERTICES_PER_UNIT
from texsamp.emulator.fixed.vertex_stream import VertexStream
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import (
    DomainShader,
    HullShader,
    Partitioning,
    Tessellator,
    TessellatorDomain,
    TessellatorMode,
    TessellatorOutput,
    Topology,
)
from texsamp.state.commands_common import SwTessBaseAddress

_HEADER = 8
_OUTER = {TessellatorDomain.QUAD: (7, 6, 5, 4), TessellatorDomain.TRI: (7, 6, 5), TessellatorDomain.ISOLINE: (6, 7)}
_INNER = {TessellatorDomain.QUAD: (3, 2), TessellatorDomain.TRI: (4,), TessellatorDomain.ISOLINE: ()}
"""Dwords of a patch's header with its factors."""
_POINTS, _POINTS_AT, _POINTS_AT_MASK = 7, 6, 0xFFFFFFC0
"""Dwords of a patch's header that has been tessellated by software: how many domain points, and where."""
_ADDRESS = 0xFFFFFFFF


def is_on(execution: Execution) -> bool:
    """Whether the stages are on; CaptureError unless all three are, or none (seed 004:2690-2708)."""
    context = execution.context
    hull, domain = context.latest(HullShader), context.latest(DomainShader)
    stages = bool(hull.enable), bool(context.latest(Tessellator).enable), bool(domain.enable)
    if any(stages) and not all(stages):
        raise CaptureError("hull shader, tessellator and domain shader must be enabled together")
    return all(stages)


def tessellate_patches(
    runner: Runner, execution: Execution, objects: Objects, vertices: NDArray[np.uint32]
) -> tuple[Objects, NDArray[np.uint32], Dispatch]:
    """Objects and vertices that patches become, and what came of threads. Primitive ids are those of the patches.

    CaptureError for topologies that are no patches, domain points that are none, and whatever kernels do wrong.
    """
    context = execution.context
    if not Topology.PATCHLIST_1 <= objects.topology <= Topology.PATCHLIST_32:
        raise CaptureError(f"{objects.topology.name} with tessellation: only patches have it")
    command = context.latest(Tessellator)
    by_software = command.mode == TessellatorMode.SW_TESS
    base = context.latest(SwTessBaseAddress).base_address
    patches, first = run_hull(runner, execution, objects, vertices)
    made, total = [], 0
    for header in patches[:, :2].reshape(len(patches), _HEADER):
        points = int(header[_POINTS]) if by_software else 0
        if total + points <= MOST_VERTICES:
            made.append(_read(runner, base, header) if by_software else _tessellated(command, header))
            points = len(made[-1].points)
        total += points
        execution.budget.spend(1 + points // VERTICES_PER_UNIT)
        if total > MOST_VERTICES:
            raise CaptureError(f"patches become {total} vertices, at most {MOST_VERTICES}")
    shaded, second = run_domain(runner, execution, patches, objects.numbers, [patch.points for patch in made])
    if context.latest(HullShader).statistics:
        context.registers.count(Counter.HS_INVOCATIONS, len(patches))
    if context.latest(DomainShader).statistics:
        context.registers.count(Counter.DS_INVOCATIONS, total)
    return _objects(made, objects.numbers), shaded, together(first, second)


def _read(runner: Runner, base: int, header: NDArray[np.uint32]) -> Tessellated:
    """What a hull thread left in memory; nothing if its header counts no points."""
    count, at = int(header[_POINTS]), int(header[_POINTS_AT]) & _POINTS_AT_MASK
    if not count:
        return Tessellated(Topology.POINTLIST, np.zeros((0, POINT_DWORDS), np.int64), ())
    points = runner.memory.read((base + at) & _ADDRESS, count * POINT_DWORDS * 4)
    return domain_points(np.frombuffer(points, "<u4").reshape(count, POINT_DWORDS))


def _tessellated(command: Tessellator, header: NDArray[np.uint32]) -> Tessellated:
    domain, partitioning = TessellatorDomain(command.domain), Partitioning(command.partitioning)
    factors = header.view(np.float32)
    odd = partitioning == Partitioning.ODD_FRACTIONAL
    return tessellate(
        domain,
        partitioning,
        TessellatorOutput(command.output_topology),
        factors[list(_OUTER[domain])].tolist(),
        factors[list(_INNER[domain])].tolist(),
        command.max_factor_odd if odd else command.max_factor_not_odd,
    )


def _objects(made: list[Tessellated], numbers: NDArray[np.int64]) -> Objects:
    """Objects of all patches; runs do not go from one to another."""
    topologies = dict.fromkeys(patch.topology for patch in made if patch.runs)
    if len(topologies) > 1:
        raise CaptureError(f"patches of {' and '.join(topology.name for topology in topologies)} in one draw")
    topology = next(iter(topologies), Topology.POINTLIST)
    rows, lengths, owners, first = [np.zeros(0, np.int64)], [], [], 0
    for number, patch in enumerate(made):
        for run in patch.runs:
            rows.append(np.array(run, np.int64) + first)
            lengths.append(len(run))
            owners.append(number)
        first += len(patch.points)
    sizes, owner = np.array(lengths, np.int64), np.array(owners, np.int64)
    objects = assemble(topology, VertexStream(np.concatenate(rows), np.cumsum(sizes) - sizes, sizes, owner))
    return replace(objects, numbers=numbers[owner[objects.runs]])
