"""Vertex fetch, held to one vertex at a time by the manual (Sandy Bridge volume 2 part 1, pages 82-118)."""

import numpy as np
import pytest
from oracle import vertices as oracle
from support.captures import buffer, capture_bytes
from support.strict_arrays import StrictDevice

from texsamp.device import get_device
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.files.capture import Capture
from texsamp.emulator.fixed import vertex_fetch
from texsamp.emulator.fixed.assembly import TOPOLOGIES
from texsamp.emulator.fixed.vertex_fetch import MOST_VERTICES, DrawCounts, FetchState, converted, fetch_vertices
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import IndexBuffer, Topology, VertexBufferState, VertexElementState
from texsamp.state.formats import surface_format, surface_formats

BASE, SIZE = 0x10000, 2048
HOST = get_device("cpu")
FORMATS = [name for name, info in surface_formats().items() if info.can("vertex")]
COMPONENTS = ["component_0", "component_1", "component_2", "component_3"]


def memory_of(contents):
    memory = CaseMemory()
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, BASE, bytes(contents))), "a case"))
    return memory, {BASE + n: int(byte) for n, byte in enumerate(contents)}


def drawn(state, draw, contents, **options):
    """What is fetched, as the oracle has it: of each instance its runs of vertices of elements; and the fetched.

    A device is given the same, and brings edge flags alone to the host.
    """
    memory, _ = memory_of(contents)
    fetch = FetchState(
        {
            n: VertexBufferState(
                index=n, access=int(b["instanced"]), null_buffer=b["null"], pitch=b["pitch"], start_address=b["start"],
                end_address=b["end"], step_rate=b["rate"], address_modify=True,
            )
            for n, b in enumerate(state["buffers"])
        },
        tuple(
            VertexElementState(
                buffer_index=e["buffer"], valid=True, format=surface_format(e["format"]).code, offset=e["offset"],
                edge_flag=e.get("edge", False), **dict(zip(COMPONENTS, e["components"], strict=True)),
            )
            for e in state["elements"]
        ),
        None if "index" not in state else IndexBuffer(
            cut_index=state["index"]["cut"], index_format={1: 0, 2: 1, 4: 2}[state["index"]["size"]],
            start_address=state["index"]["start"], end_address=state["index"]["end"],
        ),
    )  # fmt: skip
    counts = DrawCounts(**{**draw, "topology": Topology[draw["topology"]]})
    found = fetch_vertices(memory, fetch, counts, Budget(1 << 17), HOST, **options)
    device = StrictDevice()
    there = fetch_vertices(memory, fetch, counts, Budget(1 << 17), device, **options)
    assert device.downloads == sum(e.get("edge", False) for e in state["elements"])
    assert np.array_equal(device.download(there.elements), found.elements)
    assert np.array_equal(there.edges, found.edges)
    stream = found.stream
    made = [[] for _ in range(draw["instances"])]
    for start, length, instance in zip(stream.starts, stream.lengths, stream.instances, strict=True):
        made[instance].append(found.elements[stream.rows[start : start + length]].tolist())
    return made, found


def expected(state, draw, contents):
    _, held = memory_of(contents)
    return [[run for run in instance if run] for instance in oracle.runs(held, state, draw)]


def element(name, components=(1, 1, 1, 1), **fields):
    return {"buffer": 0, "format": name, "offset": 0, "components": components, **fields}


def plain(**fields):
    return {"instanced": False, "null": False, "pitch": 16, "start": BASE, "end": BASE + SIZE - 1, "rate": 0, **fields}


def finite(contents, name):
    """Bytes whose floats are finite and, at 64 bits, in range."""
    if "64" in name:
        values = np.random.default_rng(5).normal(0, 1e6, SIZE // 8)
        contents[:] = np.frombuffer(values.astype("<f8").tobytes(), np.uint8)
    return contents


@pytest.mark.parametrize("name", FORMATS)
def test_formats_are_converted(name):
    """All codes of up to 16 bits an element, random ones and extremes of the others."""
    info = surface_format(name)
    rng = np.random.default_rng(info.code)
    size = info.bits // 8
    if info.bits <= 16:
        data = np.arange(1 << info.bits, dtype=f"<u{size}").view(np.uint8).reshape(-1, size)[:: 1 + 16 * (size == 2)]
    else:
        data = finite(rng.integers(0, 256, SIZE, np.uint8), name)[: SIZE // size * size].reshape(-1, size)
        if "64" not in name:
            data[0], data[1], data[2] = 0, 255, np.frombuffer(bytes([0, 0, 0x80, 0x7F] * 4)[:size], np.uint8)
    found = converted(data, info, HOST)
    device = StrictDevice()
    assert np.array_equal(device.download(converted(device.upload(data), info, device)), found)
    for row, one in zip(found.tolist(), data, strict=True):
        held = {n: int(byte) for n, byte in enumerate(one)}
        assert row == oracle.element(held, name, 0, size - 1), one


def test_formats_that_are_none_of_vertices_are_refused():
    with pytest.raises(CaptureError, match="BC1_UNORM is no format of vertices"):
        drawn({"buffers": [plain()], "elements": [element("BC1_UNORM")]}, COUNTS, np.zeros(SIZE, np.uint8))


COUNTS = {
    "topology": "TRILIST", "indexed": False, "vertices": 9, "instances": 3, "start_vertex": 2, "start_instance": 1,
    "base_vertex": 0,
}  # fmt: skip
LAYOUTS = [
    (1, 1, 1, 1),
    (1, 2, 3, 4),
    (1, 5, 6, 7),
    (5, 6, 7, 2),
    (3, 0, 0, 0),
    (1, 1, 0, 0),
    (7, 6, 5, 4),
    (1, 6, 2, 2),
]


@pytest.mark.parametrize("seed", range(24))
def test_random_draws(seed):
    """Every component control, access, pitch 0, instances, cuts, bases, ends of buffers."""
    rng = np.random.default_rng(seed)
    contents = rng.integers(0, 256, SIZE).astype(np.uint8)
    contents[:200] = rng.choice([0, 1, 2, 3, 5, 9, 255], 200)
    names = [name for name in FORMATS if "64" not in name]
    buffers = [
        plain(
            instanced=bool(rng.random() < 0.3), null=bool(rng.random() < 0.1), pitch=int(rng.choice([0, 1, 4, 16, 37])),
            start=BASE + int(rng.integers(0, 300)), end=BASE + int(rng.integers(300, SIZE)),
            rate=int(rng.integers(0, 3)),
        )
        for _ in range(3)
    ]  # fmt: skip
    elements = [
        element(
            str(rng.choice(names)), LAYOUTS[rng.integers(len(LAYOUTS))], buffer=int(rng.integers(3)),
            offset=int(rng.integers(0, 20)),
        )
        for _ in range(rng.integers(1, 5))
    ]  # fmt: skip
    size = int(rng.choice([1, 2, 4]))
    if size > 1:
        words = rng.choice([0, 1, 2, 3, 40, (1 << 8 * size) - 1, 7], 200 // size).astype(f"<u{size}")
        contents[: 200 // size * size] = words.view(np.uint8)
    index = {"start": BASE, "end": BASE + int(rng.integers(20, 180)), "size": size, "cut": bool(rng.random() < 0.7)}
    state = {"buffers": buffers, "elements": elements, "index": index}
    indexed = bool(rng.random() < 0.7)
    draw = {
        "topology": str(rng.choice(list(oracle.SKIP_REPEAT))), "indexed": indexed,
        "vertices": int(rng.integers(1, 25)), "instances": int(rng.integers(1, 4)),
        "start_vertex": int(rng.integers(0, 6)), "start_instance": int(rng.integers(0, 3)),
        "base_vertex": int(rng.integers(-2, 4)) if indexed else 0,
    }  # fmt: skip
    made, found = drawn(state, draw, contents, reuse=bool(seed % 2))
    wanted = expected(state, draw, contents)
    assert made == wanted
    assert found.count == sum(len(run) for instance in wanted for run in instance)


def test_equal_indices_of_an_instance_are_one_vertex():
    contents = np.zeros(SIZE, np.uint8)
    contents[:6] = [0, 1, 2, 2, 1, 3]
    state = {
        "buffers": [plain()],
        "elements": [element("R32_UINT", (1, 5, 6, 2))],
        "index": {"start": BASE, "end": BASE + 5, "size": 1, "cut": False},
    }
    draw = {**COUNTS, "indexed": True, "vertices": 6, "instances": 2, "start_vertex": 0}
    assert len(drawn(state, draw, contents)[1].elements) == 8
    made, found = drawn(state, draw, contents, reuse=False)
    assert len(found.elements) == 12
    assert made == expected(state, draw, contents)


def test_indices_below_zero_and_beyond_32_bits_read_zeros():
    contents = np.full(SIZE, 1, np.uint8)
    state = {"buffers": [plain(pitch=2048)], "elements": [element("R32_UINT", (1, 4, 2, 2))]}
    state["index"] = {"start": BASE, "end": BASE, "size": 1, "cut": False}
    draw = {**COUNTS, "indexed": True, "vertices": 1, "instances": 1, "start_vertex": 0, "base_vertex": -2}
    assert drawn(state, draw, contents)[0] == [[[[[0, 1, 0, 0]]]]]
    draw = {**draw, "base_vertex": (1 << 31) - 1}
    assert drawn(state, draw, contents)[0] == [[[[[0, 1, 0, 0]]]]]


def test_vertices_that_a_device_wrote_stay_there():
    memory, _ = memory_of(np.zeros(SIZE, np.uint8))
    device = StrictDevice()
    memory.bytes_on(device, BASE)[:64] = 7
    memory.touch(memory.find(BASE), device)
    vertices = VertexBufferState(pitch=16, start_address=BASE, end_address=BASE + SIZE - 1, address_modify=True)
    elements = VertexElementState(
        valid=True, format=surface_format("R8G8B8A8_UINT").code, **dict.fromkeys(COMPONENTS, 1)
    )
    counts = DrawCounts(Topology.TRILIST, False, 6, 1)
    found = fetch_vertices(memory, FetchState({0: vertices}, (elements,)), counts, Budget(1 << 17), device)
    assert device.downloaded_B == 0
    assert device.download(found.elements)[:, 0, 0].tolist() == [7, 7, 7, 7, 0, 0]


def test_edge_flags_are_no_elements():
    contents = np.zeros(SIZE, np.uint8)
    contents[[0, 4, 8]] = 1, 0, 2
    flag = element("R8_UINT", (1, 0, 0, 0), edge=True)
    state = {"buffers": [plain(pitch=4)], "elements": [element("R8_UINT"), flag]}
    _, found = drawn(state, {**COUNTS, "vertices": 3, "instances": 1, "start_vertex": 0}, contents)
    assert found.elements.shape == (3, 1, 4)
    assert found.edges.tolist() == [True, False, True]
    state["elements"].reverse()
    with pytest.raises(CaptureError, match="vertex element 0 of 2 is the edge flag, which is the last one"):
        drawn(state, COUNTS, contents)


def test_what_cannot_be_fetched_is_refused():
    contents = np.zeros(SIZE, np.uint8)
    whole = {"buffers": [plain()], "elements": [element("R32_UINT")]}
    with pytest.raises(CaptureError, match="reads vertex buffer 7, which is not set"):
        drawn({**whole, "elements": [element("R32_UINT", buffer=7)]}, COUNTS, contents)
    drawn({**whole, "elements": [element("R32_UINT", (2, 3, 5, 6), buffer=7)]}, COUNTS, contents)
    with pytest.raises(CaptureError, match="without 3DSTATE_INDEX_BUFFER"):
        drawn(whole, {**COUNTS, "indexed": True}, contents)
    with pytest.raises(CaptureError, match="are not mapped"):
        drawn({**whole, "buffers": [plain(end=BASE + 20 * SIZE, pitch=2048)]}, COUNTS, contents)
    with pytest.raises(CaptureError, match=f"at most {MOST_VERTICES} together"):
        drawn(whole, {**COUNTS, "vertices": 1 << 31, "instances": 2}, contents)
    with pytest.raises(CaptureError, match="limit on executed work"):
        fetch_vertices(memory_of(contents)[0], FetchState({}, (VertexElementState(valid=True),)),
                       DrawCounts(Topology.TRILIST, False, 1 << 20, 1), Budget(100), HOST)  # fmt: skip
    with pytest.raises(CaptureError, match="valid from the first to the last"):
        fetch_vertices(memory_of(contents)[0], FetchState({}, (VertexElementState(), VertexElementState(valid=True))),
                       DrawCounts(Topology.TRILIST, False, 1, 1), Budget(100), HOST)  # fmt: skip


def test_a_draw_of_no_vertices_fetches_none():
    state = {"buffers": [plain()], "elements": [element("R32_UINT")]}
    made, found = drawn(state, {**COUNTS, "vertices": 0}, np.zeros(SIZE, np.uint8))
    assert made == [[], [], []]
    assert found.count == 0
    for nothing in ({"vertices": 1 << 31, "instances": 0}, {"vertices": 0, "instances": 1 << 16}):
        made, found = drawn(state, {**COUNTS, **nothing}, np.zeros(SIZE, np.uint8))
        assert not any(made)
        assert len(found.elements) == 0


def test_primitive_ids_are_counted_over_cuts_as_one_vertex_after_the_other():
    rng = np.random.default_rng(4)
    for topology, rule in TOPOLOGIES.items():
        skipped, repeated = rule.number_counters
        for share in (0, 0.05, 0.3, 0.8):
            cuts = rng.random(int(rng.integers(0, 60))) < share
            number, place, expected = 0, 0, []
            for cut in cuts.tolist():
                if cut:
                    expected.append(0)
                    number += max(0, (place - rule.least) // rule.step + 1)
                    place = 0
                else:
                    expected.append(number + max(0, (place - skipped + 1) // (repeated + 1)))
                    place += 1
            assert vertex_fetch._primitive_numbers(topology, cuts).tolist() == expected, topology
