"""Hull shader, tessellator and domain shader: from patches to vertices and objects."""

from __future__ import annotations

from texsamp.device.base import Array
from texsamp.device.kept import integers
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.registers import Counter
from texsamp.emulator.dispatch.domain_stage import run_domain
from texsamp.emulator.dispatch.hull_stage import run_hull
from texsamp.emulator.dispatch.runner import Dispatch, Runner, together
from texsamp.emulator.fixed.assembly import Objects
from texsamp.emulator.fixed.domain_points import domain_points
from texsamp.emulator.fixed.patch_ends import UNITS, PatchEnds
from texsamp.emulator.fixed.tessellator import tessellate
from texsamp.emulator.fixed.vertex_fetch import MOST_VERTICES
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import DomainShader, HullShader, Tessellator, TessellatorMode, Topology
from texsamp.state.commands_common import SwTessBaseAddress


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
    device = runner.device
    patches, first = run_hull(runner, execution, objects, vertices)

    def check(ends: PatchEnds) -> None:
        execution.budget.spend(len(ends.ends) + ends.sums[UNITS])
        if ends.points > MOST_VERTICES:
            raise CaptureError(f"patches become {ends.points} vertices, at most {MOST_VERTICES}")

    with device.current():
        (ids,) = integers(device, objects.numbers)
    if command.mode == TessellatorMode.SW_TESS:
        base = context.latest(SwTessBaseAddress).base_address
        made = domain_points(runner.memory, base, patches, ids, device, check)
    else:
        made = tessellate(command, patches, ids, device, check)
    shaded, second = run_domain(runner, execution, patches, ids, made)
    if context.latest(HullShader).statistics:
        context.registers.count(Counter.HS_INVOCATIONS, len(patches))
    if context.latest(DomainShader).statistics:
        context.registers.count(Counter.DS_INVOCATIONS, made.ends.points)
    return made.objects, shaded, together(first, second)
