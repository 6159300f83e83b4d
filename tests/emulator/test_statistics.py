"""Statistics counters over a whole draw (volume 1 part 3, pages 101-106)."""

import numpy as np
import pytest

from texsamp.emulator import Capture, CaseMemory
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.registers import Counter
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.drawing import Draw
from texsamp.state.commands_3d import VertexShader, VfStatistics
from texsamp.state.commands_raster import Clip, Windower
from texsamp.state.pixel_state import DepthStencilState
from texsamp.surface.surface import Surface

PAINT = """
    mov (16) r112.0<1>:f 1.0:f
    mov (16) r114.0<1>:f 1.0:f
    mov (16) r116.0<1>:f 1.0:f
    mov (16) r118.0<1>:f 1.0:f
    send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud {EOT}
"""
SQUARE = [(-1, -1, 0.5, 1), (1, -1, 0.5, 1), (-1, 1, 0.5, 1), (1, 1, 0.5, 1)]
OUTSIDE = [(5, -1, 0.5, 1), (6, -1, 0.5, 1), (6, 1, 0.5, 1)]


def counted(positions, *, state=(), size=(8, 6), **fields):
    """The target and the counters after a draw, every stage's statistics on."""
    target = Surface.from_array(np.zeros((size[1], size[0], 4), np.uint8))

    def run(more):
        submission = Draw(PAINT, target, [positions], state=(*state, *more), **fields).submission()
        capture = Capture.from_bytes(submission.to_bytes(), submission.case)
        memory, context = CaseMemory(), LogicalContext()
        memory.enter(capture)
        for _ in CommandStreamer(Engines(memory), context).run(capture):
            pass
        return context

    kept = run(())
    assert not any(kept.registers.read_wide(counter) for counter in Counter)
    on = [kept.latest(kind).replace(statistics=True) for kind in (Clip, Windower, VertexShader)]
    context = run((*on, VfStatistics(enable=True)))
    return {counter.name: context.registers.read_wide(counter) for counter in Counter}


def test_a_square_of_two_triangles():
    found = counted(SQUARE, topology="TRISTRIP")
    assert found | {"PS_INVOCATIONS": 0} == {
        "IA_VERTICES": 4, "IA_PRIMITIVES": 2, "VS_INVOCATIONS": 4, "HS_INVOCATIONS": 0, "DS_INVOCATIONS": 0,
        "GS_INVOCATIONS": 0, "GS_PRIMITIVES": 0, "CL_INVOCATIONS": 2, "CL_PRIMITIVES": 2, "PS_INVOCATIONS": 0,
        "PS_DEPTH": 48,
    }  # fmt: skip
    assert found["PS_INVOCATIONS"] % 4 == 0
    assert 48 < found["PS_INVOCATIONS"] <= 48 + 4 * 4  # subspans on the diagonal are started for both triangles


def test_what_is_clipped_away_is_counted_once():
    found = counted([*SQUARE[:3], *OUTSIDE])
    assert (found["CL_INVOCATIONS"], found["CL_PRIMITIVES"]) == (2, 1)


@pytest.mark.parametrize("passes", [True, False])
def test_samples_that_pass_the_depth_test(passes):
    depth = DepthStencilState(depth_test=True, depth_function="ALWAYS" if passes else "NEVER")
    found = counted(SQUARE, topology="TRISTRIP", depth=depth)
    assert found["PS_DEPTH"] == 48 * passes
