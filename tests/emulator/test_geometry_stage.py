"""Geometry shader threads with a kernel of our own, held to one object and instance at a time."""

import numpy as np
import pytest
from oracle import geometry as oracle
from oracle import vertices as assembly
from support.crossings import brought_by_stages
from support.draws import HEADER, KERNEL_STEP, OUTPUT, OUTPUT_B, STAGES, Draw, stage_command, write_slots

from texsamp.emulator.context.registers import SO_PRIMS_WRITTEN, Counter
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import (
    GeometryShader,
    StreamOut,
    StreamOutBuffer,
    StreamOutDeclarations,
    Topology,
)

pytestmark = pytest.mark.usefixtures("each_place")

MOST = 6
INPUTS = 40
NOMASK = "{NoMask}"


def kernel(inputs, mode, *, control=True, first=2):
    """`oracle.output` as a kernel. first: register of the vertices. inputs: vertices of an object."""
    lines = [HEADER]
    for vertex in range(inputs):
        for slot in range(2):
            made = f"r{INPUTS + 2 * vertex + slot}"
            if mode == "DUAL_OBJECT":
                lines.append(f"mov (8) {made}.0<1>:ud r{first + 2 * vertex + slot}.0<8;8,1>:ud {NOMASK}")
            else:
                source = f"r{first + vertex}.{4 * slot}<4;4,1>:ud {NOMASK}"
                lines += [f"mov (4) {made}.{half}<1>:ud {source}" for half in (0, 4)]
    for half in range(2):
        lines += [
            f"shr (1) r20.{half}<1>:ud r0.{half}<0;1,0>:ud 27:ud {NOMASK}",
            f"mov (4) r21.{4 * half}<1>:ud r20.{half}<0;1,0>:ud {NOMASK}",
            f"and (1) r22.{half}<1>:ud r{INPUTS + 1}.{4 * half + 3}<0;1,0>:ud 7:ud {NOMASK}",
        ]
    header = int(control)
    for i in range(MOST):
        at = INPUTS + 2 * (i % inputs)
        lines += [
            f"add (8) r113.0<1>:ud r{at}.0<8;8,1>:ud r21.0<8;8,1>:ud {NOMASK}",
            f"add (8) r114.0<1>:ud r{at + 1}.0<8;8,1>:ud {100 * i}:ud {NOMASK}",
            write_slots(2, first=header + i, end=False),
        ]
    if control:
        lines += [f"mov (8) r{n}.0<1>:ud 0:ud {NOMASK}" for n in (113, 114)]
        lines += [f"mov (1) r113.{at}<1>:ud r{INPUTS}.{at + 3}<0;1,0>:ud {NOMASK}" for at in (0, 4)]
        lines.append(write_slots(2, end=False))
    lines += [
        f"shl (1) r22.1<1>:ud r22.1<0;1,0>:ud 16:ud {NOMASK}",
        f"or (1) r112.2<1>:ud r22.0<0;1,0>:ud r22.1<0;1,0>:ud {NOMASK}",
        write_slots(0),
    ]
    return "\n".join(lines)


def pulled(inputs, mode, first):
    """Reads of the vertices that handles in r1 and behind name, to where they are otherwise pushed."""
    lines = [HEADER]
    each, registers = (4, 2) if mode == "DUAL_OBJECT" else (8, 1)
    for vertex in range(inputs):
        at = f"r{1 + vertex // each}", vertex % each
        lines.append(f"mov (1) r112.0<1>:ud {at[0]}.{at[1]}<0;1,0>:ud {NOMASK}")
        if mode == "DUAL_OBJECT":
            lines.append(f"mov (1) r112.1<1>:ud {at[0]}.{4 + at[1]}<0;1,0>:ud {NOMASK}")
        word = 0x0208C002 if mode == "DUAL_OBJECT" else 0x02088002
        word += registers << 20
        lines.append(f"send (8) r{first + registers * vertex}.0<1>:ud r112.0<8;8,1>:ud urb {word:#010x}:ud {NOMASK}")
    return "\n".join(lines) + "\n"


def data(seed, count):
    vertices = np.random.default_rng(seed).integers(0, 1 << 31, (count, 2, 4)).astype(np.uint32)
    vertices[:, 1, 3] = np.random.default_rng(seed + 1).integers(0, MOST + 1, count)
    return vertices


def settings(**shader):
    fields = {
        "enable": True, "kernel_start": STAGES["GS"] * KERNEL_STEP, "grf_start": 2, "urb_read_length": 1,
        "output_vertex_size": 2, "control_data_size": 1,
        "control_data_format": "CUT", "output_topology": int(Topology.TRISTRIP), "max_threads": 16, "statistics": True,
    }  # fmt: skip
    return [
        GeometryShader(**fields | shader),
        stage_command("3DSTATE_URB", "GS", entry_size=4, entries=32),
    ]


ROLLED = "LINELIST_ADJ", "LINESTRIP_ADJ", "TRILIST_ADJ", "TRISTRIP_ADJ"


def expected(name, vertices, *, mode="LEADING", discard=False, instances=1, topology="TRISTRIP", cuts="CUT"):
    """Objects of every stream in order, and the primitive id of each."""
    streams, numbers = {}, {}
    for number, inputs in enumerate(oracle.payload(name, vertices, mode, discard=discard)):
        for instance in range(instances):
            made, control = oracle.output(inputs, instance, MOST)
            for stream, runs in oracle.runs_of(made, control, cuts).items():
                for run in runs:
                    found = oracle.drawn(topology, run)
                    streams.setdefault(stream, []).extend([list(corners) for corners in found])
                    numbers.setdefault(stream, []).extend([number] * len(found))
    return streams, numbers


@pytest.mark.parametrize("dispatch", ["SINGLE", "DUAL_INSTANCE", "DUAL_OBJECT"])
@pytest.mark.parametrize("instances", [1, 3])
@pytest.mark.parametrize("name", ["POINTLIST", "LINESTRIP", "TRILIST", "TRISTRIP"])
def test_strips_with_cuts_of_every_instance(name, instances, dispatch):
    vertices = data(len(name) + instances, 13)
    shader = settings(dispatch_mode=dispatch, instances=instances, reorder_mode="TRAILING")
    inputs = len(assembly.objects(name, list(range(13)))[0])
    draw = Draw(vertices, {"GS": kernel(inputs, dispatch)}, settings=shader, topology=name)
    done = draw.run()
    wanted, numbers = expected(name, vertices.tolist(), mode="TRAILING", instances=instances)
    found = done.primitives
    assert found.topology == Topology.TRISTRIP
    assert found.vertices[found.corners].tolist() == wanted[0]
    assert found.numbers.tolist() == numbers[0]
    objects = len(assembly.objects(name, list(range(13))))
    threads = {"SINGLE": objects * instances, "DUAL_INSTANCE": objects * -(-instances // 2)}
    assert done.threads.threads == threads.get(dispatch, -(-objects // 2) * instances)
    count = draw.context.registers.read_wide
    assert count(Counter.GS_INVOCATIONS) == objects * instances
    assert count(Counter.GS_PRIMITIVES) == len(wanted[0])


@pytest.mark.parametrize("discard", [False, True])
@pytest.mark.parametrize("mode", ["LEADING", "TRAILING"])
@pytest.mark.parametrize("name", [*ROLLED, "TRISTRIP_REVERSE", "TRIFAN", "LINELOOP", "QUADSTRIP"])
def test_vertices_of_objects_in_their_order(name, mode, discard):
    vertices = data(3, 14)
    inputs = len(oracle.payload(name, list(range(14)), mode, discard=discard)[0])
    shader = settings(reorder_mode=mode, discard_adjacency=discard, output_topology=int(Topology.POINTLIST))
    draw = Draw(vertices, {"GS": kernel(inputs, "SINGLE")}, settings=shader, topology=name)
    found = draw.run().primitives
    wanted, _ = expected(name, vertices.tolist(), mode=mode, discard=discard, topology="POINTLIST", cuts=None)
    assert found.vertices[found.corners].tolist() == wanted[0]


def test_without_control_data_vertices_begin_the_entry():
    vertices = data(5, 9)
    shader = settings(control_data_size=0)
    draw = Draw(vertices, {"GS": kernel(3, "SINGLE", control=False)}, settings=shader, topology="TRILIST")
    found = draw.run().primitives
    wanted, _ = expected("TRILIST", vertices.tolist(), cuts=None)
    assert found.vertices[found.corners].tolist() == wanted[0]


def test_points_go_to_the_streams_that_their_threads_say():
    """Streams 0, 2 and 3 have a buffer each; stream 2 is rendered."""
    vertices = data(8, 12)
    streams = [0, 2, 3]
    size = OUTPUT_B // 4
    shader = settings(control_data_format="SID", output_topology=int(Topology.POINTLIST), dispatch_mode="DUAL_OBJECT")
    outputs = [
        StreamOut(enable=True, statistics=True, render_stream=2, buffers=[True, False, True, True]),
        StreamOutDeclarations(
            buffer_selects=[1, 0, 4, 8], entries=[2, 0, 2, 2],
            tail=[0x000F, 0x300F << 16 | 0x200F, 0x001F, 0x301F << 16 | 0x201F],
        ),
        *(
            StreamOutBuffer(index=n, pitch=32, base_address=OUTPUT + n * size, end_address=OUTPUT + (n + 1) * size)
            for n in streams
        ),
    ]  # fmt: skip
    draw = Draw(vertices, {"GS": kernel(1, "DUAL_OBJECT")}, settings=[*shader, *outputs], topology="POINTLIST")
    found = draw.run().primitives
    wanted, _ = expected("POINTLIST", vertices.tolist(), topology="POINTLIST", cuts="SID")
    assert found.vertices[found.corners].tolist() == wanted[2]
    memory = draw.output(OUTPUT_B // 4).reshape(4, -1, 2, 4)
    for n in range(4):
        points = wanted[n] if n in streams else []
        assert memory[n, : len(points)].tolist() == [point[0] for point in points]
        assert not memory[n, len(points) :].any()
        assert draw.context.registers.read_wide(SO_PRIMS_WRITTEN + 8 * n) == len(points)


def test_the_payload_of_a_thread():
    """R0.2 says which way a triangle of a strip winds; R1 has the primitive ids."""
    vertices = data(1, 6)
    vertices[:, 1, 3] = 1
    text = kernel(3, "DUAL_OBJECT").replace(f"r{INPUTS}.0<8;8,1>:ud r21.0<8;8,1>:ud", "r1.0<8;8,1>:ud 0:ud")
    text = text.replace(f"r{INPUTS + 1}.0<8;8,1>:ud 0:ud", "r0.0<8;8,1>:ud 0:ud")
    shader = settings(
        include_primitive_id=True, dispatch_mode="DUAL_OBJECT", output_topology=int(Topology.POINTLIST),
        control_data_format="SID", control_data_size=1,
    )  # fmt: skip
    vertices[:, 0, 3] = 0
    found = Draw(vertices, {"GS": text}, settings=shader, topology="TRISTRIP").run().primitives
    assert found.vertices[:, 0].tolist() == [[n, 0, 0, 0] for n in range(4)]
    low = found.vertices[::2, 1]
    assert low[:, :3].tolist() == [[0, 4, int(Topology.TRISTRIP)], [8, 12, int(Topology.TRISTRIP)]]
    assert found.numbers.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("dispatch", ["SINGLE", "DUAL_INSTANCE", "DUAL_OBJECT"])
@pytest.mark.parametrize(("name", "inputs"), [("LINELIST_ADJ", 4), ("TRILIST_ADJ", 6), ("PATCHLIST_10", 10)])
def test_vertices_are_read_by_their_handles(name, inputs, dispatch):
    """What threads put out is what it is when vertices are pushed; two threads at a time, so that handles differ."""
    vertices = data(inputs, 4 * inputs)
    streams = {"output_topology": int(Topology.POINTLIST), "instances": 2, "dispatch_mode": dispatch}
    text = pulled(inputs, dispatch, 10) + kernel(inputs, dispatch, first=10)
    handles = {"include_vertex_handles": True, "urb_read_length": 0, "grf_start": 4, "scratch_base": 0x10000}
    found = Draw(vertices, {"GS": text}, settings=settings(**streams, **handles, max_threads=2), topology=name).run()
    plain = Draw(vertices, {"GS": kernel(inputs, dispatch)}, settings=settings(**streams), topology=name).run()
    assert len(plain.primitives.corners) > 4
    assert np.array_equal(*(made.vertices[made.corners] for made in (found.primitives, plain.primitives)))


def test_objects_in_many_batches():
    vertices = data(2, 9)
    shader = settings(scratch_base=0x10000, max_threads=2, instances=2)
    found = Draw(vertices, {"GS": kernel(3, "SINGLE")}, settings=shader, topology="TRILIST").run().primitives
    wanted, _ = expected("TRILIST", vertices.tolist(), instances=2)
    assert found.vertices[found.corners].tolist() == wanted[0]


def test_what_geometry_threads_cannot_do():
    vertices = data(2, 3)

    def refused(text, why, **shader):
        with pytest.raises(CaptureError, match=why):
            Draw(vertices, {"GS": text}, settings=settings(**shader), topology="TRILIST").run()

    plain = kernel(3, "SINGLE")
    refused(
        plain, "TRILIST_ADJ is no topology that geometry threads put out", output_topology=int(Topology.TRILIST_ADJ)
    )
    vertices[:, 1, 3] = 7
    refused(plain, "puts out 7 vertices, its entry has room for 4", output_vertex_size=3)
    refused(plain, "entry has room for 0", control_data_size=15)
    refused(plain, "topology 26 is no topology that geometry threads put out", output_topology=26)
    refused(plain, "stream numbers of TRISTRIP", control_data_format="SID", output_vertex_size=1)
    refused(plain, "has its URB data from r1 on, r2 is free", grf_start=1, include_primitive_id=True)


def test_no_objects_start_no_threads():
    done = Draw(data(2, 2), {"GS": kernel(3, "SINGLE")}, settings=settings(), topology="TRILIST").run()
    assert done.threads.threads == 0
    assert done.primitives.corners.shape == (0, 3)


@pytest.mark.parametrize(("cuts", "topology"), [("CUT", "TRISTRIP"), ("SID", "POINTLIST")])
def test_of_entries_numbers_come_alone(cuts, topology, monkeypatch):
    """How many vertices, the most of one entry, how many objects; of streams how many of each: whatever the draw."""
    shader = {"dispatch_mode": "DUAL_OBJECT", "max_threads": 128, "output_topology": int(Topology[topology])}
    stage = settings(**shader, control_data_format=cuts)
    brought = [
        brought_by_stages(
            monkeypatch, Draw(data(3, 3 * n), {"GS": kernel(3, "DUAL_OBJECT")}, settings=stage, topology="TRILIST")
        )
        for n in (8, 80)
    ]
    streams = 4 if cuts == "SID" else 1
    of_streams = 0 if cuts == "CUT" else streams
    assert brought == [8 * (2 + 2 * streams + of_streams)] * 2
