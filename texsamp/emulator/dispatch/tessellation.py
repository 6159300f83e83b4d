"""Hull shader, tessellator and domain shader: from patches to vertices and objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.registers import Counter
from texsamp.emulator.dispatch.domain_stage import run_domain
from texsamp.emulator.dispatch.hull_stage import run_hull
from texsamp.emulator.dispatch.runner import Dispatch, Runner, together
from texsamp.emulator.fixed.assembly import Objects, assemble
from texsamp.emulator.fixed.domain_points import domain_points
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

_HEADER, _SLOT = 8, 4
"""Dwords of a patch's header, and of a slot."""
_OUTER = {TessellatorDomain.QUAD: (7, 6, 5, 4), TessellatorDomain.TRI: (7, 6, 5), TessellatorDomain.ISOLINE: (6, 7)}
_INNER = {TessellatorDomain.QUAD: (3, 2), TessellatorDomain.TRI: (4,), TessellatorDomain.ISOLINE: ()}
"""Dwords of a patch's header with its factors."""
_POINTS, _POINTS_AT, _POINTS_AT_MASK = 7, 6, 0xFFFFFFC0
"""Dwords of a patch's header that has been tessellated by software: how many domain points, and where."""
_POINT_B, _ADDRESS = 8, 0xFFFFFFFF
_Check = Callable[[NDArray[np.int64]], None]


def is_on(execution: Execution) -> bool:
    """Whether the stages are on; CaptureError unless all three are, or none (seed 004:2690-2708)."""
    context = execution.context
    hull, domain = context.latest(HullShader), context.latest(DomainShader)
    stages = bool(hull.enable), bool(context.latest(Tessellator).enable), bool(domain.enable)
    if any(stages) and not all(stages):
        raise CaptureError("hull shader, tessellator and domain shader must be enabled together")
    return all(stages)


def tessellate_patches(
    runner: Runner, execution: Execution, objects: Objects, vertices: Array
) -> tuple[Objects, Array, Dispatch]:
    """Objects and vertices that patches become, and what came of threads. Primitive ids are those of the patches.

    CaptureError for topologies that are no patches, domain points that are none, and whatever kernels do wrong.
    """
    context = execution.context
    if not Topology.PATCHLIST_1 <= objects.topology <= Topology.PATCHLIST_32:
        raise CaptureError(f"{objects.topology.name} with tessellation: only patches have it")
    command = context.latest(Tessellator)
    by_software, domain = command.mode == TessellatorMode.SW_TESS, TessellatorDomain(command.domain)
    base = context.latest(SwTessBaseAddress).base_address
    patches, first = run_hull(runner, execution, objects, vertices)
    looked_at = (_POINTS_AT, _POINTS) if by_software else (*_OUTER[domain], *_INNER[domain])
    header = _header(patches, looked_at, runner.device)

    def check(counts: NDArray[np.int64]) -> None:
        execution.budget.spend(len(counts) + int((counts // VERTICES_PER_UNIT).sum()))
        if (total := int(counts.sum())) > MOST_VERTICES:
            raise CaptureError(f"patches become {total} vertices, at most {MOST_VERTICES}")

    made = _read(runner, base, header, check) if by_software else _tessellated(command, header, check)
    shaded, second = run_domain(runner, execution, patches, objects.numbers, made.points, made.counts)
    if context.latest(HullShader).statistics:
        context.registers.count(Counter.HS_INVOCATIONS, len(patches))
    if context.latest(DomainShader).statistics:
        context.registers.count(Counter.DS_INVOCATIONS, len(made.points))
    return _objects(made, objects.numbers), shaded, together(first, second)


def _header(patches: Array, looked_at: Sequence[int], device: Device) -> NDArray[np.uint32]:
    """Headers of patches on the host, (n, 8): some dwords, which alone are brought, and 0 for all others."""
    header = np.zeros((len(patches), _HEADER), np.uint32)
    with device.current():
        own = patches[:, : _HEADER // _SLOT].reshape(len(patches), _HEADER)
        header[:, looked_at] = device.download(np.stack([own[:, dword] for dword in looked_at], axis=1))
    return header


def _read(runner: Runner, base: int, header: NDArray[np.uint32], check: _Check) -> Tessellated:
    """What hull threads left in memory; nothing where a header counts no points."""
    counts, at = header[:, _POINTS].astype(np.int64), header[:, _POINTS_AT].astype(np.int64) & _POINTS_AT_MASK
    check(counts)
    return domain_points(_points_at(runner.memory, (base + at) & _ADDRESS, counts), counts)


def _points_at(memory: CaseMemory, starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Domain points of all patches, (points, 2): in turn of each buffer object that holds some."""
    sizes_B, firsts = counts * _POINT_B, np.cumsum(counts) - counts
    found = np.zeros((int(counts.sum()), _POINT_B), np.uint8)
    left = np.flatnonzero(counts)
    while len(left):
        buffer = memory.find(int(starts[left[0]]), int(sizes_B[left[0]]))
        ends = starts[left] + sizes_B[left]
        held = (starts[left] >= buffer.address) & (ends <= buffer.address + buffer.size)
        patch, left = left[held], left[~held]
        owner = np.repeat(patch, counts[patch])
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts[patch]) - counts[patch], counts[patch])
        places = (starts[owner] - buffer.address + within * _POINT_B)[:, None] + np.arange(_POINT_B)
        found[firsts[owner] + within] = memory.bytes_from(buffer.address)[places]
    return found.view("<u4")


def _tessellated(command: Tessellator, header: NDArray[np.uint32], check: _Check) -> Tessellated:
    domain, partitioning = TessellatorDomain(command.domain), Partitioning(command.partitioning)
    factors = header.view(np.float32).astype(np.float64)
    odd = partitioning == Partitioning.ODD_FRACTIONAL
    return tessellate(
        domain,
        partitioning,
        TessellatorOutput(command.output_topology),
        factors[:, _OUTER[domain]],
        factors[:, _INNER[domain]],
        command.max_factor_odd if odd else command.max_factor_not_odd,
        check,
    )


def _objects(made: Tessellated, numbers: NDArray[np.int64]) -> Objects:
    """Objects of all patches; runs do not go from one to another."""
    stream = VertexStream(made.rows, np.cumsum(made.lengths) - made.lengths, made.lengths, made.owners)
    objects = assemble(made.topology, stream, get_device("cpu"))
    return replace(objects, numbers=numbers[made.owners[objects.runs]])
