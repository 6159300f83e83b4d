"""Subspans that a device has found become the same threads and fragments there as on the host, which asks nothing."""

from contextlib import nullcontext

import numpy as np
import pytest
from support.crossings import moved_within, registers_brought
from support.strict_arrays import StrictDevice

from texsamp import get_device
from texsamp.emulator import Capture, CaseMemory, Gpu
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.device_copies import DeviceCopies
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.registers import Counter, Registers
from texsamp.emulator.dispatch.crew import Crews
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.dispatch.pixels import Pixels
from texsamp.emulator.drawing import Draw
from texsamp.emulator.eu.registers.constants import Constants
from texsamp.emulator.fixed import planes, raster
from texsamp.emulator.fixed.objects import Spans
from texsamp.errors import CaptureError
from texsamp.state.commands_raster import PixelShader, Windower
from texsamp.state.pixel_state import BlendState, DepthStencilState
from texsamp.surface.surface import Surface

SIZE = (40, 30)
BLEND = BlendState(
    blend_enable=True, color_function="ADD", source_factor="SRC_ALPHA", destination_factor="INV_SRC_ALPHA",
    alpha_function="ADD", source_alpha_factor="ONE", destination_alpha_factor="ZERO", pre_blend_clamp=True,
    post_blend_clamp=True,
)  # fmt: skip
DEPTH = DepthStencilState(depth_test=True, depth_write=True, depth_function="LEQUAL")


def paint(simd, planes):
    """A shader that shows its first attribute, whose planes begin at a register; 32 slots in two messages."""
    lines, parts = [], {8: [(8, 0x08031400, "")], 16: [(16, 0x10031000, "")]}
    parts[32] = [(16, 0x10030000, "Q1"), (16, 0x10031800, "Q3")]
    for number, (lanes, descriptor, quarter) in enumerate(parts[simd]):
        step, own = lanes // 8, f"{{{quarter}}}" if quarter else ""
        weights = f"r{(3 if simd == 32 else 2) + 4 * number}.0<8;8,1>:f"
        lines += [
            f"pln ({lanes}) r{112 + step * c}.0<1>:f r{planes + c // 2}.{4 * (c % 2)}<0;1,0>:f {weights} {own}"
            for c in range(4)
        ]
        flags = ", ".join(filter(None, [quarter, "EOT" if number == len(parts[simd]) - 1 else ""]))
        target = f"render_cache {descriptor:#x}:ud"
        lines.append(f"send ({lanes}) null:ud r112.0<8;8,1>:ud {target}" + (f" {{{flags}}}" if flags else ""))
    return "\n".join(lines)


def triangles(seed, count):
    """Some small, some large, over each other, facing both ways; colors with alpha."""
    random = np.random.default_rng(seed)
    size = random.choice([0.1, 0.5, 3], (count, 1, 1))
    at = random.uniform(-1, 1, (count, 1, 2)) + size * random.uniform(-1, 1, (count, 3, 2))
    depth = random.uniform(0, 1, (count, 3, 1))
    corners = np.concatenate([at, depth, np.ones_like(depth)], axis=2).reshape(-1, 4)
    return [corners, random.uniform(0, 1, (3 * count, 4))]


def drawn(monkeypatch, device, kernel, attributes, **options):
    """The picture, and the payloads of all threads with the numbers that tell them apart."""
    payloads, run = [], Crews.run

    def looking(self, batch, start):
        if batch.render_targets is not None:
            payloads.append((batch.numbers.tolist(), batch.fftids.tolist(), device.download(batch.payload).tolist()))
        run(self, batch, start)

    with monkeypatch.context() as patch:
        patch.setattr(Crews, "run", looking)
        size = {} if "target" in options else {"size": SIZE}
        picture = Gpu(device).draw(kernel, attributes, **size, **options).picture
    return np.asarray(picture if isinstance(picture, np.ndarray) else picture.to_array()), payloads


def refuse(monkeypatch):
    """Nothing of pixels may be brought."""

    def brought(*_):
        raise AssertionError("the host looks at pixels of a device")

    monkeypatch.setattr(Spans, "subspans", property(brought))


@pytest.mark.parametrize("together", [1 << 13, 64])
@pytest.mark.parametrize(("simd", "at"), [(8, 4), (16, 6)])
def test_objects_over_each_other(simd, at, together, monkeypatch):
    """Blended and tested in their order, in pieces that cut objects; their threads begin alike."""
    monkeypatch.setattr(raster, "TOGETHER", together)
    device = StrictDevice()
    draw = {"simd": simd, "blend": BLEND, "depth": DEPTH}
    expected = drawn(monkeypatch, get_device("cpu"), paint(simd, at), triangles(simd, 40), **draw)
    refuse(monkeypatch)
    found = drawn(monkeypatch, device, paint(simd, at), triangles(simd, 40), **draw)
    assert found[1] == expected[1]
    assert np.array_equal(found[0], expected[0])
    assert len(np.unique(found[0])) > 50
    assert len(found[1]) > (1 if together == 64 else 0)


@pytest.mark.parametrize("together", [1 << 13, 64])
@pytest.mark.parametrize(("simd", "at"), [(8, 4), (16, 6)])
@pytest.mark.parametrize("function", ["LESS", "GREATER", "NEVER"])
@pytest.mark.parametrize("count", [1, 40])
def test_what_tests_before_the_shader_leave(count, function, simd, at, together, monkeypatch):
    """The threads of the host, of what is left; sizes alone are asked."""
    monkeypatch.setattr(raster, "TOGETHER", together)
    early = Windower(thread_dispatch=True, barycentric_modes=1, early_depth="PREPS", statistics=True)
    tested = DepthStencilState(depth_test=True, depth_write=True, depth_function=function)
    draw = {"simd": simd, "depth": tested, "state": [early]}
    counted, count_up = [], Registers.count

    def counting(self, counter, number):
        counted.append((counter, int(number)))
        count_up(self, counter, number)

    monkeypatch.setattr(Registers, "count", counting)
    expected = drawn(monkeypatch, get_device("cpu"), paint(simd, at), triangles(simd, count), **draw)
    numbers, counted[:] = sum_of(counted), []
    refuse(monkeypatch)
    found = drawn(monkeypatch, StrictDevice(), paint(simd, at), triangles(simd, count), **draw)
    assert threads_of(found[1]) == threads_of(expected[1])
    assert np.array_equal(found[0], expected[0])
    assert sum_of(counted) == numbers
    assert bool(found[1]) == (function == "LESS")


@pytest.mark.parametrize("when", ["NORMAL", "PREPS"])
def test_pixels_without_threads_are_tested_where_they_are(when, monkeypatch):
    """Depth alone is drawn: all memory afterwards, and how many passed."""
    alone = Windower(thread_dispatch=False, statistics=True, early_depth=when)
    target = Surface.from_array(np.zeros((*SIZE[::-1], 4), np.uint8), tiling="Y", device="cpu")
    draw = Draw(paint(8, 4), target, triangles(9, 20), depth=DEPTH, state=[alone])
    capture = Capture.from_bytes(draw.submission().to_bytes(), "depth alone")
    seen = []
    for device in (None, StrictDevice()):
        if seen:
            refuse(monkeypatch)
        memory, context = CaseMemory(), LogicalContext()
        memory.enter(capture)
        list(CommandStreamer(Engines(memory, device), context).run(capture))
        images = [bytes(memory.image(buffer.handle)) for buffer in capture.buffers]
        seen.append((images, context.registers.read_wide(Counter.PS_DEPTH)))
    assert seen[0] == seen[1]
    assert seen[0][1] > 100
    before = CaseMemory()
    before.enter(capture)
    assert seen[0][0] != [bytes(before.image(buffer.handle)) for buffer in capture.buffers]


def sum_of(counted):
    """Of each counter."""
    return {counter: sum(number for each, number in counted if each == counter) for counter in dict(counted)}


def threads_of(payloads):
    """Payloads of threads, one after the other: batches differ where pieces do."""
    return [payload for _, _, registers in payloads for payload in registers]


def test_one_object_with_threads_that_are_not_full(monkeypatch):
    corners = [[(-0.9, -0.8, 0, 1), (0.9, -0.3, 0, 1), (0.1, 0.9, 0, 1)], np.eye(3, 4) + 0.1]
    expected = drawn(monkeypatch, get_device("cpu"), paint(16, 6), corners)
    refuse(monkeypatch)
    found = drawn(monkeypatch, StrictDevice(), paint(16, 6), corners)
    assert found[1] == expected[1]
    assert np.array_equal(found[0], expected[0])


def test_what_else_threads_are_told(monkeypatch):
    """Depth, w and masks of samples; scratch space by which as many run as have some; constants."""
    state = [
        Windower(thread_dispatch=True, barycentric_modes=0b1001, source_depth=True, source_w=True, input_coverage=True),
        PixelShader(
            grf_start_0=16, dispatch_16=True, max_threads=5, per_thread_scratch=1, attributes=True, push_constants=True
        ),
    ]
    draw = {"state": state, "constants": np.arange(8, dtype=np.uint32), "flat": [0]}
    expected = drawn(monkeypatch, get_device("cpu"), paint(16, 17), triangles(3, 20), **draw)
    refuse(monkeypatch)
    found = drawn(monkeypatch, StrictDevice(), paint(16, 17), triangles(3, 20), **draw)
    assert found[1] == expected[1]
    assert len(found[1]) > 10
    assert np.array_equal(found[0], expected[0])


KILLED = (
    paint(16, 6)
    .replace(
        "send",
        """mov (8) r110.0<1>:ud r0.0<8;8,1>:ud {NoMask}
        mov (8) r111.0<1>:ud r1.0<8;8,1>:ud {NoMask}
        cmp.g.f0.0 (16) null:f r112.0<8;8,1>:f KEPT:f
        and (1) r111.14<1>:uw f0.0<0;1,0>:uw r1.14<0;1,0>:uw {NoMask}
        send""",
    )
    .replace("r112.0<8;8,1>:ud render_cache 0x10031000", "r110.0<8;8,1>:ud render_cache 0x140b1000")
)
"""Pixels whose red is below a number are discarded by a header."""
LEAVING = "cmp.g.f0.0 (16) null:f r112.0<8;8,1>:f 0.5:f\n(+f0.0) send"
"""Threads none of whose pixels has more red send nothing, and end behind."""
SOME = {
    "two messages": (paint(32, 11), {"simd": 32}),
    "half discarded": (KILLED.replace("KEPT", "0.5"), {"simd": 16}),
    "all discarded": (KILLED.replace("KEPT", "2.0"), {"simd": 16}),
    "none discarded": (KILLED.replace("KEPT", "-1.0"), {"simd": 16}),
    "discarded and tested": (KILLED.replace("KEPT", "0.3"), {"simd": 16, "depth": DEPTH}),
    "some threads send": (
        paint(16, 6).replace("send", LEAVING).replace(" {EOT}", "")
        + "\nsend (8) null:ud r0.0<8;8,1>:ud render_cache 0x02000000:ud {EOT}".replace(
            "render_cache 0x02000000", "null 0x02000000"
        ),
        {"simd": 16},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOME)
def test_pixels_that_messages_leave_alive_are_known_where_they_are(name, monkeypatch):
    """By headers, slots and masks. Of one batch two numbers come: their least and their largest array index."""
    kernel, options = SOME[name]
    draw = {"blend": BLEND, "state": [Windower(thread_dispatch=True, barycentric_modes=1, kill_pixel=True)], **options}
    expected = drawn(monkeypatch, get_device("cpu"), kernel, triangles(5, 30), **draw)
    refuse(monkeypatch)
    device = StrictDevice()
    brought = registers_brought(monkeypatch, device)
    found = drawn(monkeypatch, device, kernel, triangles(5, 30), **draw)
    assert found[1] == expected[1]
    assert np.array_equal(found[0], expected[0])
    assert (len(np.unique(found[0])) > 50) == (name != "all discarded")
    assert max(brought["render_cache", 12]) < 1  # ranges of headers


@pytest.mark.parametrize("count", [1, 7])
def test_a_draw_brings_nothing_of_its_pixels(count, monkeypatch):
    """However many there are, but how many; what is sent are points of samples and what threads have alike."""
    for size in ((8, 6), (256, 256)):
        device = StrictDevice()
        moved = moved_within(monkeypatch, device, (Pixels, "run"), [(DeviceCopies, "of"), (Constants, "of")])
        target = Surface.from_array(np.zeros((size[1], size[0], 4), np.uint8), tiling="Y", device="cpu")
        Gpu(device).draw(paint(16, 6), triangles(1, count), target=target, blend=BLEND)
        subspans = count * size[0] * size[1] // 4  # at most; so many that go on together have two sums
        assert moved[0] <= 4 + 4 + 8 * (subspans // raster.TOGETHER + 1)
        assert moved[1] < 2500


def test_a_target_may_end_where_fragments_do(monkeypatch):
    """Bounds of an object may reach beyond its last sample; then the host looks at where samples are."""
    height = 16
    low = -1 + 2 * 1.7 / height  # row 14, above its centers
    corners = [(-1, low, 0, 1), (1, low, 0, 1), (-1, 1, 0, 1)]
    seen = {}
    for place, device in (("host", get_device("cpu")), ("there", StrictDevice())):
        for last in (13, 12):
            with monkeypatch.context() as patch:
                rows = seen[place, last] = []

                def end_B(_, box, last=last, rows=rows):  # noqa: N802
                    rows.append(box.y[1])
                    return 64 if box.y[1] <= last else 1 << 40

                patch.setattr(planes.Plane, "end_B", end_B)
                target = Surface.from_array(np.zeros((height, 16, 4), np.uint8), tiling="linear", device="cpu")
                refused = pytest.raises(CaptureError, match="is rendered to up to byte")
                with refused if last == 12 else nullcontext():
                    Gpu(device).draw(paint(16, 6), [corners, np.eye(3, 4)], target=target)
    assert seen == {("host", 13): [13], ("host", 12): [13], ("there", 13): [14, 13], ("there", 12): [14, 13]}


PASSED = """
    mov (8) r112.0<1>:ud r0.0<8;8,1>:ud {NoMask}
    mov (1) r112.5<1>:ud 0xff00:ud {NoMask}
    mov (8) r113.0<1>.xyzw:ud 0:ud {align16}
    mov (8) r114.0<1>.xyzw:f r1.0<4>.xyzw:f {align16}
    mov (8) r115.0<1>.xyzw:f r2.0<4>.xyzw:f {align16}
    send (8) null<1>.xyzw:f r112.0<4>.xyzw:f urb 0x0808c000:ud {align16, EOT}
"""


def test_what_tells_threads_apart_comes_with_the_first_vertices(monkeypatch):
    """Execution units, thread numbers and dispatch masks of threads of vertices and of pixels."""
    device = StrictDevice()
    moved = moved_within(monkeypatch, device, (Crews, "_threads"), [])
    corners = [[(-1, -1), (1, -1), (-1, 1), (1, 1)], np.eye(4)]
    draw = {"size": SIZE, "topology": "TRISTRIP", "vertex_kernel": PASSED}
    picture = Gpu(device).draw(paint(16, 6), corners, **draw).picture
    assert moved.tolist() == [0, 0]
    assert np.array_equal(picture, Gpu().draw(paint(16, 6), corners, **draw).picture)
