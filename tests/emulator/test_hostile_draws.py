"""Mutated draws: commands, states, kernels, vertices and indices that lie. CaptureError or pictures, soon.

The captures are made here: textures and discard, blending, depth, indices, instances, a vertex shader, lines, samples.
"""

import numpy as np
import pytest
from support.filter_cases import sweep
from support.mutations import replay_mutated

from texsamp.emulator import Capture, CaseMemory, Gpu
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.drawing import Draw
from texsamp.errors import CaptureError
from texsamp.sampler.sampler import Sampler
from texsamp.state.commands_3d import Primitive, VertexElements, VertexElementState
from texsamp.state.commands_mi import MiBatchBufferEnd
from texsamp.state.commands_raster import DrawingRectangle, Multisample, StripsFans, Windower
from texsamp.state.pixel_state import BlendState, DepthStencilState
from texsamp.surface.surface import Surface

REPLAYS = 75
WORK = 3000
"""Units of work; the captures as they are take below a tenth."""
TEXTURED = """
    pln (16) r120.0<1>:f r6.0<0;1,0>:f r2.0<8;8,1>:f
    pln (16) r122.0<1>:f r6.4<0;1,0>:f r2.0<8;8,1>:f
    send (16) r112.0<1>:ud r120.0<8;8,1>:ud sampler 0x08840001:ud
    cmp.g.f0.0 (16) null:f r112.0<8;8,1>:f 0.5:f
    mov (16) r108.0<1>:ud r0.0<8;8,1>:ud {NoMask}
    mov (8) r110.0<1>:ud r0.0<8;8,1>:ud {NoMask}
    mov (8) r111.0<1>:ud r1.0<8;8,1>:ud {NoMask}
    and (1) r111.14<1>:uw f0.0:uw r1.14<0;1,0>:uw {NoMask}
    send (16) null:ud r110.0<8;8,1>:ud render_cache 0x140b1000:ud {EOT}
"""
PLAIN = "send (16) null:ud r6.0<8;8,1>:ud render_cache 0x10031000:ud {EOT}"
TURN = """
    mov (8) r112.0<1>:ud r0.0<8;8,1>:ud {NoMask}
    mov (1) r112.5<1>:ud 0xff00:ud {NoMask}
    mov (8) r113.0<1>.xyzw:ud 0:ud {align16}
    mov (8) r114.0<1>.xyzw:f -r1.0<4>.xyzw:f {align16}
    mov (8) r114.0<1>.zw:f r1.0<4>.xyzw:f {align16}
    mov (8) r115.0<1>.xyzw:f r2.0<4>.xyzw:f {align16}
    send (8) null<1>.xyzw:f r112.0<4>.xyzw:f urb 0x0808c000:ud {align16, EOT}
"""
FAN = [(0, 0, 0.5, 1), (1, 0, 0.1, 1), (0.7, 0.7, 0.9, 2), (0, 1, 0.5, 1), (-2, 0.5, 0.5, 1), (-1, -1, 0, 0.5)]


def target(samples=1):
    shape = (16, 24, 4) if samples == 1 else (samples, 16, 24, 4)
    return Surface.from_array(np.zeros(shape, np.uint8), tiling="Y", samples=samples, device="cpu")


def draws():
    """Submissions that use what there is of the pipeline."""
    texture = Surface.from_array(np.arange(1024, dtype=np.uint8).reshape(16, 16, 4), tiling="X", device="cpu")
    over = BlendState(blend_enable=True, source_factor="SRC_ALPHA", destination_factor="INV_SRC_ALPHA")
    depth = DepthStencilState(depth_test=True, depth_write=True, depth_function="LEQUAL")
    coordinates = [(x, y) for x, y, *_ in FAN]
    of_samples = Windower(thread_dispatch=True, barycentric_modes=1, dispatch_rate="PERSAMPLE")
    samples = Multisample(samples="COUNT_4", x_offset=[0.375, 0.875, 0.125, 0.625] + [0] * 4,
                          y_offset=[0.125, 0.375, 0.625, 0.875] + [0] * 4)  # fmt: skip
    return {
        "textured": Draw(TEXTURED, target(), [FAN, coordinates], topology="TRIFAN", surfaces=[texture],
                         samplers=[Sampler()], blend=over, depth=depth),
        "indexed": Draw(PLAIN, target(), [FAN, FAN], indices=[0, 1, 2, 2, 5, 4], vertex_kernel=TURN, instances=3,
                        constants=np.arange(16)),
        "lines": Draw(PLAIN, target(), [FAN, FAN, FAN], topology="LINESTRIP", flat=[1],
                      state=[StripsFans(viewport_transform=True, cull_mode="NONE", line_width=3.5)]),
        "samples": Draw(PLAIN, target(4), [FAN, FAN], topology="TRISTRIP",
                        state=[samples, of_samples]),
    }  # fmt: skip


INVERT = BlendState(logic_op_enable=True, logic_op="INVERT")
NAMES = ("textured", "indexed", "lines", "samples")


def replay(capture, memory, budget=WORK):
    """What is left of the budget, and how many pixels were drawn."""
    left = Budget(budget)
    done = list(CommandStreamer(Engines(memory), LogicalContext()).run(capture, left))
    return left.left, sum(executed.dispatch.pixels or 0 for executed in done if executed.dispatch is not None)


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_mutated_draws_are_replayed_or_refused(name):
    """300 in all; the long sweep (TEXSAMP_SWEEP=34) takes 10,000."""
    count = sweep(REPLAYS)
    capture = Capture.from_bytes(draws()[name].submission().to_bytes(), name)
    memory = CaseMemory()
    memory.enter(capture)
    left, pixels = replay(capture, memory)
    assert left > WORK * 3 // 4 and pixels > 30
    rng = np.random.default_rng([18, NAMES.index(name)])
    outcomes = replay_mutated(capture, memory, replay, rng, count)
    assert min(outcomes.values()) > count // 20, outcomes


def test_pixels_have_a_price_even_where_there_is_no_target():
    """A drawing rectangle of 16384x16384 pixels on a target of 24x16."""
    everywhere = [(-2000, -2000), (4000, -2000), (-2000, 4000)]
    huge = DrawingRectangle(right=16383, bottom=16383)
    for state in ([huge], [huge, Windower(depth_clear=True)]):
        capture = Capture.from_bytes(Draw(PLAIN, target(), [everywhere], state=state).submission().to_bytes(), "huge")
        memory = CaseMemory()
        memory.enter(capture)
        with pytest.raises(CaptureError, match="more than the limit on executed work"):
            replay(capture, memory)


def test_starting_threads_has_a_price():
    """A rectangle of 512x512 is eight pieces of pixels, each of which costs what starting and merging them takes."""
    everywhere = [(-2000, -2000), (4000, -2000), (-2000, 4000)]
    spent = []
    for right in (511, 1023):
        drawn = Draw(PLAIN, target(), [everywhere], state=[DrawingRectangle(right=right, bottom=511)])
        memory, capture = CaseMemory(), Capture.from_bytes(drawn.submission().to_bytes(), "pieces")
        memory.enter(capture)
        spent.append(WORK - replay(capture, memory)[0])
    assert 8 * 64 < spent[1] - spent[0] < 8 * 100


@pytest.mark.parametrize("count", [0, 3])
def test_vertices_without_a_position_are_refused_where_there_are_any(count):
    """Drivers start batches with a draw of no vertices, whatever their elements are."""
    header = VertexElementState(valid=True, format="R32_FLOAT", component_0="STORE_0")
    drawn = Draw(PLAIN, target(), [FAN], state=[VertexElements(tail=[header]), Primitive(topology="TRILIST",
                 vertex_count=count, instance_count=1), MiBatchBufferEnd()])  # fmt: skip
    memory, capture = CaseMemory(), Capture.from_bytes(drawn.submission().to_bytes(), "short")
    memory.enter(capture)
    if count:
        with pytest.raises(CaptureError, match="vertices of 1 slots have no position"):
            replay(capture, memory)
    else:
        assert replay(capture, memory)[1] == 0


@pytest.mark.parametrize("size", [(16384, 2), (2, 16384)])
def test_the_largest_targets_are_drawn_to(size):
    everywhere = [(-1, -1), (3, -1), (-1, 3)]
    picture = Gpu().draw(PLAIN.replace("r6.0", "r112.0"), [everywhere], size=size, blend=INVERT).picture
    assert (picture == 255).all()
