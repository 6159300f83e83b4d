"""Vertex shader threads and what is left of a draw before the clipper, with kernels of our own."""

import numpy as np
import pytest
from support.draws import CONSTANTS, HEADER, INDICES, KERNEL_STEP, KERNELS, Draw, stage_command, write_slots

from texsamp.emulator.context.registers import PRIMITIVE_REGISTERS, Counter
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import IndexBuffer, Topology, VertexShader, VfStatistics

pytestmark = pytest.mark.usefixtures("each_place")

ADD = """
    mov (8) r113.0<1>:ud r0.0<8;8,1>:ud
    mov (8) r114.0<1>:ud r3.0<8;8,1>:ud
    add (8) r115.0<1>:ud r4.0<8;8,1>:ud r1.0<0;4,1>:ud
    add (8) r116.0<1>:ud r3.0<8;8,1>:ud r2.4<0;1,0>:ud
"""
"""Slots: R0, the first element, the second plus constants 0 to 3, the first plus constant 12."""
KERNEL = HEADER + ADD + write_slots(2, end=False) + """
    mov (8) r113.0<1>:ud r115.0<8;8,1>:ud
    mov (8) r114.0<1>:ud r116.0<8;8,1>:ud
""" + write_slots(2, first=1)  # fmt: skip
PUSHED = np.arange(100, 116, dtype=np.uint32)
SHADER = {"enable": True, "grf_start": 1, "urb_read_length": 1, "max_threads": 36}


def data(count, seed=0, elements=2):
    return np.random.default_rng(seed).integers(0, 1 << 30, (count, elements, 4)).astype(np.uint32)


def settings(entry_size=1, **shader):
    return [
        VertexShader(**{**SHADER, **shader}),
        stage_command("3DSTATE_URB", "VS", entry_size=entry_size, entries=32),
        stage_command("3DSTATE_CONSTANT", "VS", read_lengths=[2, 0, 0, 0]),
        stage_command("3DSTATE_BINDING_TABLE_POINTERS", "VS", pointer=0x1E0),
        stage_command("3DSTATE_SAMPLER_STATE_POINTERS", "VS", pointer=0x240),
    ]


def shaded(vertices):
    added = np.zeros((len(vertices), 3, 4), np.uint32)
    added[:, 0] = vertices[:, 0]
    added[:, 1] = vertices[:, 1] + PUSHED[:4]
    added[:, 2] = vertices[:, 0] + PUSHED[12]
    return added.tolist()


@pytest.mark.parametrize("count", [1, 2, 3, 7, 64])
def test_vertices_in_pairs(count):
    vertices = data(count)
    draw = Draw(vertices, {"VS": KERNEL}, constants=PUSHED, settings=settings(), topology="POINTLIST")
    done = draw.run()
    found = done.primitives.vertices
    assert found.shape == (count, 4, 4)
    assert found[:, 1:].tolist() == shaded(vertices)
    assert done.threads.threads == -(-count // 2)
    assert done.primitives.corners.tolist() == [[n] for n in range(count)]


def test_the_header_of_a_thread():
    draw = Draw(data(5), {"VS": KERNEL}, constants=PUSHED, settings=settings(entry_size=2), topology="POINTLIST")
    low, high = (draw.run().primitives.vertices[n::2, 0] for n in range(2))
    assert low[:, 0].tolist() == [0, 4, 8]  # 2 units of 64 bytes an entry
    assert low[:, 1].tolist() == [2, 6, 8]  # the last thread has one vertex, and is told so
    assert low[:, 2].tolist() == [0, 0, 0]
    assert low[:, 3].tolist() == [0x240] * 3
    assert high[:, 0].tolist() == [0x1E0] * 2
    assert high[:, 2].tolist() == [0, 1]


def test_one_vertex_a_thread():
    vertices = data(5)
    shader = settings(single_vertex_dispatch=True)
    draw = Draw(vertices, {"VS": KERNEL}, constants=PUSHED, settings=shader, topology="POINTLIST")
    done = draw.run()
    assert done.primitives.vertices[:, 1:].tolist() == shaded(vertices)
    assert done.threads.threads == 5


def test_threads_that_share_scratch_space_run_one_after_the_other():
    """Two at once: R0.5 has the space of each, 2 KB."""
    shader = settings(scratch_base=0x10000, per_thread_scratch=1, max_threads=2)
    draw = Draw(data(9), {"VS": KERNEL}, constants=PUSHED, settings=shader, topology="POINTLIST")
    done = draw.run()
    assert done.primitives.vertices[:, 1:].tolist() == shaded(data(9))
    high = done.primitives.vertices[1::2, 0]
    assert high[:, 1].tolist() == [0x10000, 0x10801] * 2
    assert done.primitives.vertices[0, 0, 3] == 0x241


def test_elements_from_an_offset_on():
    vertices = data(4, elements=4)
    kernel = KERNEL.replace("r3.0", "r1.0").replace("r4.0", "r2.0").replace("r1.0<0;4,1>:ud", "5:ud")
    kernel = kernel.replace("r2.4<0;1,0>:ud", "7:ud")
    shader = settings(urb_read_offset=1)
    shader[2] = stage_command("3DSTATE_CONSTANT", "VS")
    found = Draw(vertices, {"VS": kernel}, settings=shader, topology="POINTLIST").run().primitives.vertices
    wanted = np.stack([vertices[:, 2], vertices[:, 3] + 5, vertices[:, 2] + 7], axis=1)
    assert found[:, 1:].tolist() == wanted.tolist()


def test_without_a_shader_elements_are_slots():
    vertices = data(6, elements=3)
    found = Draw(vertices, topology="TRILIST").run()
    assert found.primitives.vertices.tolist() == vertices.tolist()
    assert found.primitives.corners.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found.threads.threads == 0


def test_slots_that_no_thread_writes_keep_the_elements():
    vertices = data(2, elements=4)
    kernel = HEADER + "mov (8) r113.0<1>:ud 1:ud\nmov (8) r114.0<1>:ud 2:ud\n" + write_slots(2)
    found = Draw(vertices, {"VS": kernel}, settings=settings(), topology="POINTLIST", constants=PUSHED).run()
    assert found.primitives.vertices[:, 2:].tolist() == vertices[:, 2:].tolist()
    assert found.primitives.vertices[:, 0].tolist() == [[1] * 4] * 2


INDEX_BUFFER = IndexBuffer(index_format="WORD", start_address=INDICES, end_address=INDICES + 11, cut_index=True)


@pytest.mark.parametrize("reused", [True, False])
def test_vertices_of_one_index_are_shaded_once(reused):
    vertices = data(4)
    indices = np.array([0, 1, 2, 2, 1, 3], "<u2")
    shader = settings(vertex_cache_disable=not reused, statistics=True)
    draw = Draw(
        vertices, {"VS": KERNEL}, indices=indices, constants=PUSHED, settings=[*shader, INDEX_BUFFER, STATISTICS],
        topology="TRILIST", vertex_access="RANDOM", vertex_count=6, instance_count=2,
    )  # fmt: skip
    found = draw.run().primitives
    at = found.corners.reshape(2, 6)
    assert found.vertices[at][:, :, 1:].tolist() == [shaded(vertices[indices])] * 2
    count = draw.context.registers.read_wide
    assert count(Counter.VS_INVOCATIONS) == len(found.vertices) == (8 if reused else 12)
    assert count(Counter.IA_VERTICES) == 12
    assert count(Counter.IA_PRIMITIVES) == 4
    assert found.numbers.tolist() == [0, 1, 0, 1]


STATISTICS = VfStatistics(enable=True)


def test_vertices_that_make_no_object_are_counted_as_such():
    draw = Draw(data(8), settings=[STATISTICS, VertexShader(statistics=True)], topology="TRILIST")
    draw.run()
    draw.command = draw.command.replace(topology="LINELOOP")
    draw.run()
    count = draw.context.registers.read_wide
    assert count(Counter.IA_VERTICES) == 16
    assert count(Counter.IA_PRIMITIVES) == 2 + 7
    assert count(Counter.VS_INVOCATIONS) == 16
    draw.set(VfStatistics(enable=False), VertexShader())
    draw.run()
    assert count(Counter.IA_VERTICES) == 16


def test_counts_from_registers():
    vertices = data(12, elements=1)
    draw = Draw(vertices, topology="POINTLIST", indirect_parameter=True)
    values = {"VERTEX_COUNT": 3, "INSTANCE_COUNT": 2, "START_VERTEX": 4, "START_INSTANCE": 0, "BASE_VERTEX": 0}
    for name, value in values.items():
        draw.context.registers.write(PRIMITIVE_REGISTERS[name], value)
    assert draw.run().primitives.vertices[:, 0].tolist() == [*vertices[4:7, 0].tolist()] * 2
    draw.command = draw.command.replace(indirect_parameter=False, end_offset=True)
    draw.context.registers.write(PRIMITIVE_REGISTERS["END_OFFSET"], 5 * 16 + 15)
    assert draw.run().primitives.vertices[:, 0].tolist() == vertices[:5, 0].tolist()
    negative = np.array([2, 3], "<u2")
    draw = Draw(
        vertices, indices=negative, settings=[INDEX_BUFFER], topology="POINTLIST", indirect_parameter=True,
        vertex_access="RANDOM",
    )  # fmt: skip
    for name, value in {**values, "VERTEX_COUNT": 2, "START_VERTEX": 0, "BASE_VERTEX": 0xFFFFFFFE}.items():
        draw.context.registers.write(PRIMITIVE_REGISTERS[name], value)
    assert draw.run().primitives.vertices[:, 0].tolist() == [*vertices[:2, 0].tolist()] * 2


def test_a_kernel_at_another_place():
    vertices = data(2)
    shader = settings(kernel_start=2 * KERNEL_STEP)
    draw = Draw(vertices, {"DS": KERNEL}, constants=PUSHED, settings=shader, topology="POINTLIST")
    assert draw.run().primitives.vertices[:, 1:].tolist() == shaded(vertices)
    assert KERNELS != CONSTANTS


def test_what_does_not_fit_is_refused():
    with pytest.raises(CaptureError, match="5 vertex elements do not fit into URB entries of 64 bytes"):
        Draw(data(2, elements=5), {"VS": KERNEL}, constants=PUSHED, settings=settings()).run()
    with pytest.raises(CaptureError, match=r"the payload of a thread has .* registers, there are 128"):
        Draw(
            data(2), {"VS": KERNEL}, settings=[VertexShader(**{**SHADER, "urb_read_length": 63, "grf_start": 5})]
        ).run()
    with pytest.raises(CaptureError, match="an end offset counts vertices of vertex buffer 0"):
        draw = Draw(data(2), end_offset=True)
        draw.context.last.pop(("3DSTATE_VERTEX_BUFFERS", 0))
        draw.run()
    with pytest.raises(CaptureError, match="9000 URB entries of 32768 bytes, at most 268435456 bytes fit"):
        Draw(data(2), {"VS": KERNEL}, constants=PUSHED, settings=settings(entry_size=512), vertex_count=9000).run()
    with pytest.raises(CaptureError, match="limit on executed work"):
        Draw(data(2), {"VS": "around:\nwhile (8) jip=around"}, constants=PUSHED, settings=settings()).run(budget=1000)


def test_no_vertices_leave_no_primitives():
    done = Draw(data(2), {"VS": KERNEL}, constants=PUSHED, settings=settings(), vertex_count=0).run()
    assert done.primitives.corners.shape == (0, 3)
    assert done.primitives.topology == Topology.TRILIST
