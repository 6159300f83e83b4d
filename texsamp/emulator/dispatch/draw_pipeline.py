"""The 3D pipeline: draws become vertices, objects, subspans, pixel threads, fragments, and what these leave."""

from __future__ import annotations

from dataclasses import replace

from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.registers import Counter
from texsamp.emulator.dispatch.geometry import GeometryPipeline
from texsamp.emulator.dispatch.pixels import Pixels
from texsamp.emulator.dispatch.raster_state import raster_state
from texsamp.emulator.dispatch.runner import Dispatch, Runner, together
from texsamp.emulator.fixed.objects import ScreenObjects
from texsamp.emulator.fixed.primitives import POSITION, Primitives
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.setup import clip_and_set_up
from texsamp.emulator.fixed.stipple import counted
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Primitive
from texsamp.state.commands_raster import PixelShader, Windower

_OBJECTS_OF_A_UNIT = 1 << 8


class DrawPipeline:
    """Executes 3DPRIMITIVE."""

    def __init__(self, runner: Runner) -> None:
        self._runner, self._geometry = runner, GeometryPipeline(runner)

    def draw(self, execution: Execution, command: Primitive) -> Dispatch:
        """Draw; CaptureError for state that is illegal or missing, and for whatever kernels do wrong."""
        geometry = self._geometry.run(execution, command)
        done = replace(geometry.threads, primitives=0, pixels=0)
        if geometry.primitives is None or _writes_nothing(execution):
            return done
        state = raster_state(self._runner.memory, execution.context)
        execution.budget.spend(1 + len(geometry.primitives) // _OBJECTS_OF_A_UNIT)
        objects = _set_up(execution, geometry.primitives, state)
        if state.windower.line_stipple:
            execution.context.keep(counted(objects, geometry.primitives.topology, state))
        pixels = Pixels(self._runner, execution, state, objects)
        shaded = pixels.run()
        return replace(
            done,
            threads=done.threads + shaded.threads,
            executed=done.executed + shaded.executed,
            written=(*done.written, *shaded.written, *pixels.written),
            primitives=objects.extent.drawn,
            pixels=pixels.count,
            tally=together(done, shaded).tally,
        )


def _set_up(execution: Execution, primitives: Primitives, state: RasterState) -> ScreenObjects:
    """What the clipper lets through, set up; it is counted if it is to be (volume 1 part 3, pages 105-106)."""
    if len(primitives) and primitives.vertices.shape[1] <= POSITION:
        raise CaptureError(f"vertices of {primitives.vertices.shape[1]} slots have no position")
    objects, passed = clip_and_set_up(primitives, state)
    if state.clip.statistics:
        execution.context.registers.count(Counter.CL_INVOCATIONS, len(primitives))
        execution.context.registers.count(Counter.CL_PRIMITIVES, passed)
    return objects


def _writes_nothing(execution: Execution) -> bool:
    """Whether a draw makes memory agree that always does here: hierarchical depth's and that of clear colors."""
    windower, shader = execution.context.latest(Windower), execution.context.latest(PixelShader)
    return bool(windower.depth_resolve or windower.hier_depth_resolve or shader.resolve)
