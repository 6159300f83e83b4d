"""Stream-out, held to one dword at a time by the manual (seed 004:2043-2529)."""

import numpy as np
import pytest
from oracle import stream_out as oracle
from support.draws import OUTPUT, OUTPUT_B, Draw

from texsamp.emulator.context.registers import SO_PRIMS_WRITTEN, SO_STORAGE_NEEDED, SO_WRITE_OFFSET
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import StreamOut, StreamOutBuffer, StreamOutDeclarations, Topology

pytestmark = pytest.mark.usefixtures("each_place")

BUFFER_B = OUTPUT_B // 4


def settings(state):
    """The oracle's state as commands."""
    count = max(len(declarations) for declarations in state["declarations"])
    words = [[0] * count for _ in range(4)]
    for stream, declarations in enumerate(state["declarations"]):
        words[stream][: len(declarations)] = [oracle.word(declaration) for declaration in declarations]
    tail = [w for n in range(count) for w in (words[0][n] | words[1][n] << 16, words[2][n] | words[3][n] << 16)]
    return [
        StreamOut(
            enable=True, statistics=state["statistics"], buffers=[b["enabled"] for b in state["buffers"]],
            read_offset=state["read_offset"], read_length=state["read_length"],
            reorder_mode=state.get("reorder_mode", "LEADING"), render_disable=state.get("render_disable", False),
        ),
        StreamOutDeclarations(
            buffer_selects=state["selects"], entries=[len(d) for d in state["declarations"]], tail=tail
        ),
        *(
            StreamOutBuffer(index=n, pitch=b["pitch"], base_address=b["base"], end_address=b["end"])
            for n, b in enumerate(state["buffers"])
        ),
    ]  # fmt: skip


def simple(**fields):
    """All components of slots 0 and 1 to buffer 0."""
    buffers = [
        {"enabled": n == 0, "pitch": 32 * (n == 0), "base": OUTPUT + n * BUFFER_B, "end": OUTPUT + (n + 1) * BUFFER_B}
        for n in range(4)
    ]
    return {
        "statistics": True, "buffers": buffers, "read_offset": [0] * 4, "read_length": [1] * 4, "selects": [1, 0, 0, 0],
        "declarations": [[{"buffer": 0, "hole": 0, "slot": n, "mask": 15} for n in range(2)], [], [], []],
    } | fields  # fmt: skip


def held_to(draw, state, objects, offsets=(0, 0, 0, 0)):
    """Run a draw whose objects are the stream 0 of the oracle; registers and memory must be its."""
    for n, offset in enumerate(offsets):
        draw.context.registers.write(SO_WRITE_OFFSET + 4 * n, offset)
    done = draw.run()
    memory = dict.fromkeys(range(OUTPUT, OUTPUT + OUTPUT_B, 4), 0)
    registers = {"offset": list(offsets), "needed": [0] * 4, "written": [0] * 4}
    oracle.run(state, {0: objects}, memory, registers)
    assert draw.output(OUTPUT_B // 4).tolist() == list(memory.values())
    read = draw.context.registers
    assert [read.read(SO_WRITE_OFFSET + 4 * n) for n in range(4)] == registers["offset"]
    assert [read.read_wide(SO_STORAGE_NEEDED + 8 * n) for n in range(4)] == registers["needed"]
    assert [read.read_wide(SO_PRIMS_WRITTEN + 8 * n) for n in range(4)] == registers["written"]
    return done, registers


def data(count, elements=2):
    return np.random.default_rng(count).integers(1, 1 << 30, (count, elements, 4)).astype(np.uint32)


def random_state(rng):
    buffers, declarations = [], []
    for n in range(4):
        enabled, pitch = bool(rng.random() < 0.9), int(rng.choice([0, 4, 16, 20, 48], p=[0.05, 0.1, 0.25, 0.3, 0.3]))
        size = int(rng.integers(0, BUFFER_B // 4)) * 4
        base = OUTPUT + n * BUFFER_B
        buffers.append({"enabled": enabled, "pitch": pitch, "base": base, "end": base + size})
    filled = [0] * 4
    for _ in range(rng.integers(0, 9)):
        buffer, first = int(rng.integers(4)), int(rng.integers(4))
        width = int(rng.integers(0, 5 - first))
        if filled[buffer] + width <= buffers[buffer]["pitch"] // 4:
            filled[buffer] += width
            mask = ((1 << width) - 1) << first
            hole, slot = int(rng.random() < 0.2), int(rng.integers(0, 7))
            declarations.append({"buffer": buffer, "hole": hole, "slot": slot, "mask": mask})
    selects = sum(1 << n for n in range(4) if any(d["buffer"] == n for d in declarations))
    return simple(
        statistics=bool(rng.random() < 0.8), buffers=buffers, declarations=[declarations, [], [], []],
        selects=[selects, 0, 0, 0], read_offset=[int(rng.integers(2)), 0, 0, 0],
        read_length=[int(rng.integers(1, 4)), 1, 1, 1],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_random_declarations_and_buffers(seed):
    rng = np.random.default_rng(seed)
    vertices = data(int(rng.integers(1, 40)), 5)
    corners = int(rng.integers(1, 4))
    topology = ["POINTLIST", "LINELIST", "TRILIST"][corners - 1]
    state = random_state(rng)
    offsets = [int(rng.integers(0, 12)) * 4 for _ in range(4)]
    count = len(vertices) // corners * corners
    objects = vertices[:count].reshape(-1, corners, 5, 4).tolist()
    held_to(Draw(vertices, settings=settings(state), topology=topology), state, objects, offsets)


STRIPS = {
    ("TRISTRIP", "LEADING"): [(0, 1, 2), (1, 3, 2), (2, 3, 4)],
    ("TRISTRIP", "TRAILING"): [(0, 1, 2), (2, 1, 3), (2, 3, 4)],
    ("TRISTRIP_REVERSE", "LEADING"): [(0, 2, 1), (1, 2, 3), (2, 4, 3)],
    ("TRISTRIP_REVERSE", "TRAILING"): [(1, 0, 2), (1, 2, 3), (3, 2, 4)],
    ("TRIFAN", "LEADING"): [(0, 1, 2), (0, 2, 3), (0, 3, 4)],
    ("LINESTRIP", "LEADING"): [(0, 1), (1, 2), (2, 3), (3, 4)],
    ("LINELOOP", "LEADING"): [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)],
    ("LINESTRIP_ADJ", "LEADING"): [(1, 2), (2, 3)],
    ("QUADLIST", "LEADING"): [(3, 0, 1), (3, 1, 2)],
}


@pytest.mark.parametrize(("topology", "mode"), STRIPS)
def test_strips_are_written_as_lists(topology, mode):
    vertices = data(5)
    state = simple(reorder_mode=mode)
    objects = [[vertices[n].tolist() for n in corners] for corners in STRIPS[topology, mode]]
    held_to(Draw(vertices, settings=settings(state), topology=topology), state, objects)


def test_triangles_with_adjacent_vertices_by_both_orders():
    vertices = data(10)
    for mode, second in (("LEADING", (2, 6, 4)), ("TRAILING", (4, 2, 6))):
        state = simple(reorder_mode=mode)
        objects = [[vertices[n].tolist() for n in corners] for corners in ((0, 2, 4), second, (4, 6, 8))]
        held_to(Draw(vertices, settings=settings(state), topology="TRISTRIP_ADJ"), state, objects)


def test_later_draws_write_behind_earlier_ones_until_the_buffer_is_full():
    vertices = data(6)
    state = simple()
    state["buffers"][0]["end"] = OUTPUT + 5 * 3 * 32 + 92
    draw = Draw(vertices, settings=settings(state), topology="TRILIST")
    for _ in range(3):
        draw.run()
    registers = draw.context.registers
    assert registers.read(SO_WRITE_OFFSET) == 5 * 3 * 32
    assert registers.read_wide(SO_PRIMS_WRITTEN) == 5
    assert registers.read_wide(SO_STORAGE_NEEDED) == 6
    wanted = np.concatenate([vertices, vertices, vertices[:3]]).reshape(-1)
    assert draw.output(len(wanted) + 8).tolist() == [*wanted.tolist(), *[0] * 8]


def test_what_is_rendered_beside():
    draw = Draw(data(3), settings=settings(simple()), topology="TRILIST")
    assert draw.run().primitives.topology == Topology.TRILIST
    draw.set(StreamOut(render_disable=True))
    assert draw.run().primitives is None
    draw.set(StreamOut(render_stream=2))
    assert draw.run().primitives is None


def test_buffers_that_are_not_mapped_are_refused():
    state = simple()
    state["buffers"][0] |= {"base": 0x10, "end": 0x1000}
    with pytest.raises(CaptureError, match="are not mapped"):
        Draw(data(3), settings=settings(state), topology="TRILIST").run()


def test_vertices_that_reach_into_the_next_are_written_in_order():
    vertices = data(6, 1)
    state = simple(declarations=[[{"buffer": 0, "hole": 0, "slot": 0, "mask": 15}], [], [], []])
    state["buffers"][0]["pitch"] = 8
    held_to(Draw(vertices, settings=settings(state), topology="TRILIST"), state, vertices.reshape(2, 3, 1, 4).tolist())


def test_vertices_are_streamed_where_they_were_fetched(each_place):
    """Where nothing is rendered, the host has them when it looks at memory."""
    vertices, state = data(30), simple()
    state["render_disable"] = True
    draw = Draw(vertices, settings=settings(state), topology="TRILIST")
    draw.run()
    assert each_place is None or each_place.downloaded_B == 0
    assert draw.output(30 * 8).tolist() == vertices.reshape(-1).tolist()
