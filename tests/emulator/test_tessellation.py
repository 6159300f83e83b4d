"""Patches through hull shader, tessellator and domain shader, with kernels of our own."""

import numpy as np
import pytest
from oracle import patch_by_patch
from support.crossings import brought_by_stages
from support.draws import (
    CONSTANTS,
    HEADER,
    KERNEL_STEP,
    OUTPUT,
    STAGES,
    Draw,
    stage_command,
    write_slots,
)
from support.patches import INNER, OUTER

from texsamp.emulator.context.registers import Counter
from texsamp.emulator.fixed.tessellator import ONE
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import (
    DomainShader,
    HullShader,
    Partitioning,
    Tessellator,
    TessellatorDomain,
    TessellatorOutput,
    Topology,
)
from texsamp.state.commands_common import SwTessBaseAddress

pytestmark = pytest.mark.usefixtures("each_place")

NOMASK = "{NoMask}"
READ = 1 << 25 | 1 << 20 | 1 << 19 | 2
WRITE = 2 << 25 | 1 << 19 | 1 << 16
HULL = f"""
    {HEADER}
    shr (1) r20.0<1>:ud r0.2<0;1,0>:ud 16:ud {NOMASK}
    and (1) r20.0<1>:ud r20.0<0;1,0>:ud 127:ud {NOMASK}
    mov (1) r112.3<1>:ud r20.0<0;1,0>:ud {NOMASK}
    mov (4) r30.0<1>:ud r6.4<4;4,1>:ud {NOMASK}
    mov (4) r30.4<1>:ud r5.4<4;4,1>:ud {NOMASK}
    mov (8) r40.0<1>:ud 0:ud {NOMASK}
    mov (1) r40.0<1>:ud r1.2<0;1,0>:ud {NOMASK}
    mov (1) r40.5<1>:ud 0xff00:ud {NOMASK}
    send (8) r41.0<1>:ud r40.0<8;8,1>:ud urb {READ:#010x}:ud
    cmp.z.f0.0 (8) null:ud r20.0<0;1,0>:ud 0:ud
    (+f0.0) sel (8) r113.0<1>:ud r30.0<8;8,1>:ud r41.0<8;8,1>:ud
    send (8) null:ud r112.0<8;8,1>:ud urb {WRITE:#010x}:ud {{EOT}}
"""
"""Instance 0 writes the factors, from vertices 1 and 0 as they were pushed; instance 1 vertex 2, which it reads."""
DOMAIN = f"""
    {HEADER}
    mov (8) r40.0<1>:ud 0:ud {NOMASK}
    mov (1) r40.0<1>:ud r1.3<0;1,0>:ud {NOMASK}
    mov (1) r40.5<1>:ud 0xff00:ud {NOMASK}
    send (8) r41.0<1>:ud r40.0<8;8,1>:ud urb {READ | 1 << 3:#010x}:ud {NOMASK}
    mov (8) r113.0<1>:ud r1.0<8;8,1>:ud
    mov (4) r114.0<1>:ud r3.0<4;4,1>:ud {NOMASK}
    mov (4) r114.4<1>:ud r3.0<4;4,1>:ud {NOMASK}
    {write_slots(2, end=False)}
    mov (4) r113.0<1>:ud r41.4<4;4,1>:ud {NOMASK}
    mov (4) r113.4<1>:ud r41.4<4;4,1>:ud {NOMASK}
    mov (8) r114.0<1>:ud r0.0<8;8,1>:ud {NOMASK}
    {write_slots(2, first=1)}
"""
"""Slots: place of the point, slot 2 of the patch as it was pushed, slot 3 as it is read, R0."""


def vertices_of(patches, seed=0, points=3):
    """Vertices of patches, whose first two carry the patch's header in their second slot."""
    rng = np.random.default_rng(seed)
    vertices = rng.integers(0, 1 << 31, (len(patches), points, 2, 4)).astype(np.uint32)
    headers = np.array(patches, np.float32).view(np.uint32).reshape(-1, 2, 4)
    vertices[:, 1, 1], vertices[:, 0, 1] = headers[:, 0], headers[:, 1]
    return vertices


def settings(domain="TRI", partitioning="INTEGER", output="TRI_CW", hull=None, shader=None, tessellator=None):
    fields = {"enable": True, "statistics": True, "max_threads": 16}
    hull_fields = {
        "kernel_start": STAGES["HS"] * KERNEL_STEP, "instances": 2, "include_vertex_handles": True, "grf_start": 5,
        "urb_read_length": 1,
    }  # fmt: skip
    domain_fields = {"kernel_start": STAGES["DS"] * KERNEL_STEP, "grf_start": 2, "patch_read_length": 2}
    return [
        HullShader(**fields | hull_fields | (hull or {})),
        Tessellator(
            enable=True, domain=domain, partitioning=partitioning, output_topology=output, max_factor_odd=63,
            max_factor_not_odd=64, **(tessellator or {}),
        ),
        DomainShader(**fields | domain_fields | (shader or {})),
        stage_command("3DSTATE_URB", "HS", entry_size=2, entries=32),
        stage_command("3DSTATE_URB", "DS", entry_size=1, entries=32),
    ]  # fmt: skip


def drawn(vertices, *, domain_kernel=DOMAIN, geometry_kernel=None, constants=None, **fields):
    flat = vertices.reshape(-1, *vertices.shape[2:])
    kernels = {"HS": HULL, "DS": domain_kernel} | ({"GS": geometry_kernel} if geometry_kernel else {})
    topology = Topology(31 + vertices.shape[1])
    return Draw(flat, kernels, settings=settings(**fields), topology=topology, constants=constants)


def wanted(vertices, domain, partitioning, output):
    """Vertices of every patch's points but for R0, objects' rows of them, and their primitive ids."""
    made, corners, numbers, first = [], [], [], 0
    for number, patch in enumerate(vertices):
        header = np.concatenate([patch[1, 1], patch[0, 1]]).view(np.float32)
        found = patch_by_patch.tessellate(
            TessellatorDomain[domain], Partitioning[partitioning], TessellatorOutput[output],
            header[list(OUTER[domain])].tolist(), header[list(INNER[domain])].tolist(),
            63 if partitioning == "ODD_FRACTIONAL" else 64,
        )  # fmt: skip
        made += [[(u / ONE, v / ONE), patch[2, 0].tolist(), patch[2, 1].tolist()] for u, v in found.points.tolist()]
        width = {"TRI_CW": 3, "TRI_CCW": 3, "POINT": 1, "LINE": 2}[output]
        for run in found.runs:
            step = 1 if output == "LINE" else width
            rows = [[r + first for r in run[n : n + width]] for n in range(0, len(run) - width + 1, step)]
            corners += rows
            numbers += [number] * len(rows)
        first += len(found.points)
    return made, corners, numbers


def header(*factors):
    """The eight dwords of a patch's header."""
    made = [0.0] * 8
    for place, value in factors:
        made[place] = value
    return made


def triangle(a, b, c, inside):
    return header((7, a), (6, b), (5, c), (4, inside))


CASES = {
    "triangles": ("TRI", "INTEGER", "TRI_CW", [triangle(2, 3, 4, 3), triangle(1, 1, 1, 1), triangle(5, 1, 2, 6)]),
    "other way": ("TRI", "ODD_FRACTIONAL", "TRI_CCW", [triangle(2.5, 3, 1, 4.25), triangle(1, 1, 1, 1)]),
    "culled": ("TRI", "INTEGER", "TRI_CW", [triangle(2, 0, 4, 3), triangle(1, 2, 1, 1), triangle(2, 2, np.nan, 2)]),
    "quads": (
        "QUAD", "EVEN_FRACTIONAL", "TRI_CW",
        [header((7, 2), (6, 3.5), (5, 4), (4, 2), (3, 5), (2, 3.25)), header(*((n, 4) for n in range(2, 8)))],
    ),
    "lines": ("ISOLINE", "INTEGER", "LINE", [header((6, 3), (7, 2)), header((6, 1), (7, 5))]),
    "points": ("TRI", "INTEGER", "POINT", [triangle(2, 3, 4, 3), triangle(3, 3, 3, 2)]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_patches_become_vertices_and_objects(case):
    domain, partitioning, output, patches = CASES[case]
    vertices = vertices_of(patches)
    draw = drawn(vertices, domain=domain, partitioning=partitioning, output=output, shader={"compute_w": True})
    found = draw.run().primitives
    made, corners, numbers = wanted(vertices, domain, partitioning, output)
    places = found.vertices[:, 0].view(np.float32)
    assert places[:, :2].tolist() == [list(vertex[0]) for vertex in made]
    assert (places[:, 2] == 1 - places[:, 0].astype(np.float64) - places[:, 1]).all()
    assert found.vertices[:, 1:3].tolist() == [vertex[1:] for vertex in made]
    assert found.corners.tolist() == corners
    assert found.numbers.tolist() == numbers
    count = draw.context.registers.read_wide
    assert count(Counter.HS_INVOCATIONS) == len(patches)
    assert count(Counter.DS_INVOCATIONS) == len(made)


def test_points_of_software_tessellation_come_from_memory():
    """Two strips of a patch's seven points, none of an empty patch, one strip of the third; in the order they lie."""
    rng = np.random.default_rng(4)
    points = rng.integers(0, ONE + 1, (16, 2)).astype(np.uint32)
    lists = {0: [range(4), range(4, 7)], 8: [range(8, 12)]}
    words = points | np.array([[int(Topology.TRISTRIP) << 24, 0x12340000]], np.uint32)  # tags of a cache above V
    for runs in lists.values():
        for run in runs:
            words[run[0], 0] |= 1 << 31
            words[run[-1], 0] |= 1 << 30
    vertices = vertices_of([header()] * 3)
    at = 0x1000
    vertices[:, 0, 1, 2:] = [(at + 63, 7), (0x777000, 0), (at + 64, 4)]  # where and how many: dwords 6 and 7
    draw = drawn(vertices, tessellator={"mode": "SW_TESS"})
    draw.memory.write(OUTPUT + at, words.tobytes())
    draw.set(SwTessBaseAddress(base_address=OUTPUT))
    found = draw.run().primitives
    order = [*range(7), *range(8, 12)]
    assert found.vertices[:, 0, :2].view(np.float32).tolist() == (points[order] / ONE).tolist()
    assert found.submitted.tolist() == [[n, n + 1, n + 2] for n in (0, 1, 4, 7, 8)]
    assert found.numbers.tolist() == [0, 0, 0, 2, 2]
    for place, value, why in (
        (0, 0, "7 domain points must be primitives, each with a start and an end"),
        (4, words[4, 0] ^ np.uint32((int(Topology.TRISTRIP) ^ int(Topology.TRILIST)) << 24), r"topologies \[4, 5\]"),
        (8, words[8, 0] ^ np.uint32((int(Topology.TRISTRIP) ^ int(Topology.TRIFAN)) << 24), "TRISTRIP and TRIFAN in"),
    ):
        wrong = words.copy()
        wrong[place, 0] = value
        draw.memory.write(OUTPUT + at, wrong.tobytes())
        with pytest.raises(CaptureError, match=why):
            draw.run()


POINT = 1 << 31 | 1 << 30 | int(Topology.POINTLIST) << 24
"""First dword of a domain point that is a primitive, but for U."""


def software(counts, moved=None):
    """A draw of patches whose points lie in two buffer objects in turn, some patches' elsewhere; and all points."""
    rng = np.random.default_rng(len(counts))
    points = [rng.integers(0, ONE + 1, (count, 2)).astype(np.uint32) for count in counts]
    places = [(OUTPUT, CONSTANTS)[patch % 2] + 0x100 * patch for patch in range(len(counts))]
    vertices = vertices_of([header()] * len(counts))
    told = {**dict(enumerate(places)), **(moved or {})}
    vertices[:, 0, 1, 2:] = [(told[patch] + 1, count) for patch, count in enumerate(counts)]  # within a cache line
    draw = drawn(vertices, tessellator={"mode": "SW_TESS"}, constants=np.zeros(0x800), shader={"compute_w": True})
    for place, own in zip(places, points, strict=True):
        draw.memory.write(place, (own | np.array([[POINT, 0xABC0000]], np.uint32)).tobytes())
    return draw, points


@pytest.mark.parametrize("counts", [[3, 4, 0, 1, 5], [0, 0], [2, 0, 2], [1]])
def test_points_of_software_tessellation_lie_in_any_buffer_object(counts):
    draw, points = software(counts)
    found = draw.run().primitives
    every = np.concatenate(points)
    places = found.vertices[:, 0].view(np.float32)
    assert places[:, :2].tolist() == (every / ONE).tolist()
    assert places[:, 2].tolist() == (1 - (every / ONE).sum(axis=1)).tolist()
    assert found.corners[:, 0].tolist() == list(range(len(every)))
    assert found.numbers.tolist() == np.repeat(np.arange(len(counts)), counts).tolist()
    assert found.topology == Topology.POINTLIST


def test_points_of_software_tessellation_that_are_nowhere_are_told_of_the_first_patch():
    draw, _ = software([3, 4, 2], {1: 0x777000, 2: 0x778000})
    with pytest.raises(CaptureError, match="32 bytes at 0x777000 are not mapped"):
        draw.run()


def test_of_software_tessellation_numbers_come_alone(monkeypatch):
    """Eight with the sums, three of each buffer object, five of the points, and two of the objects."""
    for more in (1, 4):
        draw, _ = software([3, 4, 2, 1] * more)
        assert brought_by_stages(monkeypatch, draw) == 8 * (8 + 3 + 3 + 5 + 2)


def test_threads_with_one_point_have_half_of_their_channels():
    """sr0.2 and sr0.3 of threads with two points, and with one: the last of an odd number."""
    states = f"""
        mov (4) r113.0<1>:ud sr0.0<4;4,1>:ud {NOMASK}
        mov (4) r113.4<1>:ud sr0.0<4;4,1>:ud {NOMASK}
        mov (8) r114.0<1>:ud 0:ud {NOMASK}
    """
    vertices = vertices_of([triangle(1, 1, 1, 1), triangle(2, 2, 2, 2), triangle(3, 3, 3, 3)])
    for single in (False, True):
        draw = drawn(vertices, shader={"single_point_dispatch": single}, domain_kernel=HEADER + states + write_slots(2))
        found = draw.run().primitives.vertices[:, 0, 2:]
        masks = [
            0xF if single or (place == count - 1 and count % 2) else 0xFF
            for count in (3, 7, 12)
            for place in range(count)
        ]
        assert found.tolist() == [[mask, mask] for mask in masks]


def test_points_come_in_pairs_of_one_patch():
    """R1.3 has the patch's handle, R1.7 its primitive id, as the upper halves show; R0.1 is R0.0 for a lone point."""
    vertices = vertices_of([triangle(1, 1, 1, 1), triangle(1, 1, 1, 1)])
    done = drawn(vertices).run()
    assert done.threads.threads == 2 * 2 + 2 * 2
    found = done.primitives.vertices
    assert found[:, 0, 3].tolist() == [8, 0, 8, 10, 1, 10]
    assert found[[0, 2, 3, 5], 3, :2].tolist() == [[0, 1], [2, 2], [4, 5], [6, 6]]
    assert not found[:, 0, 2].any()


@pytest.mark.parametrize("case", ["triangles", "quads", "lines", "culled"])
def test_of_patches_numbers_come_alone(case, monkeypatch):
    """How many points, pairs, patches, units of work and objects, whatever the draw; no factor, no place, no vertex."""
    domain, partitioning, output, patches = CASES[case]
    for more in (1, 20):
        draw = drawn(vertices_of(patches * more), domain=domain, partitioning=partitioning, output=output)
        assert brought_by_stages(monkeypatch, draw) == 8 * 5


def test_of_batches_of_domain_threads_two_numbers_come_alone(monkeypatch):
    """How many patches begin before a batch, and before its end: their entries lie behind those of its threads."""
    brought = []
    for threads in (128, 4, 2):
        scratch = {"scratch_base": 0x10000, "max_threads": threads}
        brought.append(brought_by_stages(monkeypatch, drawn(vertices_of([triangle(3, 3, 3, 3)] * 5), shader=scratch)))
    batches = [-(-5 * (12 // 2) // threads) for threads in (4, 2)]
    assert brought == [40, *(40 + 2 * 8 * count for count in batches)]


def test_one_point_a_thread():
    vertices = vertices_of([triangle(2, 2, 2, 2)])
    done = drawn(vertices, shader={"single_point_dispatch": True}).run()
    made, _, _ = wanted(vertices, "TRI", "INTEGER", "TRI_CW")
    assert done.threads.threads == 2 + 7
    assert done.primitives.vertices[:, 0].view(np.float32)[:, :2].tolist() == [list(vertex[0]) for vertex in made]


def test_patches_in_many_batches():
    patches = [triangle(n % 3 + 1, 2, 1, n % 4 + 1) for n in range(9)]
    vertices = vertices_of(patches)
    scratch = {"scratch_base": 0x10000, "max_threads": 4}
    found = drawn(vertices, hull=scratch, shader=scratch).run().primitives
    made, corners, _ = wanted(vertices, "TRI", "INTEGER", "TRI_CW")
    assert found.vertices[:, 1:3].tolist() == [vertex[1:] for vertex in made]
    assert found.corners.tolist() == corners


def test_instances_of_a_patch_meet_at_its_barrier():
    """Instance 0 waits for instance 1's vertex and puts it into the header, whose factors are those of the vertex."""
    vertices = vertices_of([triangle(9, 9, 9, 9), triangle(8, 8, 8, 8)])
    vertices[:, 2] = np.array([[[0] * 4, [2, 2, 1, 1]], [[0] * 4, [1, 1, 1, 1]]], np.float32).view(np.uint32)
    write = HULL.replace("{EOT}", "")
    barrier = f"""
        mov (8) r50.0<1>:ud 0:ud {NOMASK}
        and (1) r50.2<1>:ud r0.2<0;1,0>:ud 0xf000:ud {NOMASK}
        shl (1) r50.2<1>:ud r50.2<0;1,0>:ud 12:ud {NOMASK}
        or (1) r50.2<1>:ud r50.2<0;1,0>:ud {1 << 15 | 1 << 9}:ud {NOMASK}
        send (8) null:ud r50.0<8;8,1>:ud gateway 0x02000004:ud {NOMASK}
        wait (1) n0.0<1>:ud n0.0<0;1,0>:ud
        mov (1) r40.0<1>:ud r0.0<0;1,0>:ud {NOMASK}
        send (8) r113.0<1>:ud r40.0<8;8,1>:ud urb {READ | 1 << 3:#010x}:ud {NOMASK}
        mov (1) r112.3<1>:ud 0:ud {NOMASK}
        send (8) null:ud r112.0<8;8,1>:ud urb {WRITE:#010x}:ud {{EOT}}
    """
    flat = vertices.reshape(-1, 2, 4)
    draw = Draw(flat, {"HS": write + barrier, "DS": DOMAIN}, settings=settings(), topology="PATCHLIST_3")
    found = draw.run().primitives
    vertices[:, 1, 1], vertices[:, 0, 1] = 0, vertices[:, 2, 1]
    _, corners, numbers = wanted(vertices, "TRI", "INTEGER", "TRI_CW")
    assert found.corners.tolist() == corners
    assert found.numbers.tolist() == numbers


def test_what_tessellation_refuses():
    vertices = vertices_of([triangle(1, 1, 1, 1)])
    draw = drawn(vertices)
    draw.set(DomainShader())
    with pytest.raises(CaptureError, match="must be enabled together"):
        draw.run()
    draw = drawn(vertices)
    draw.command = draw.command.replace(topology="TRILIST")
    with pytest.raises(CaptureError, match="TRILIST with tessellation: only patches have it"):
        draw.run()
    draw = drawn(vertices)
    draw.set(Tessellator(enable=True, mode="SW_TESS"))
    with pytest.raises(CaptureError, match="limit on executed work"):  # a factor of 1.0 is as many points
        draw.run()
    with pytest.raises(CaptureError, match="limit on executed work"):
        drawn(vertices_of([triangle(64, 64, 64, 64)] * 40)).run(budget=160)


def test_no_patches_start_no_threads():
    draw = drawn(vertices_of([triangle(1, 1, 1, 1)]))
    draw.command = draw.command.replace(vertex_count=2)
    done = draw.run()
    assert done.threads.threads == 0
    assert done.primitives.corners.shape[0] == 0
