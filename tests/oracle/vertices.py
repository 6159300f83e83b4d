"""Vertex fetch and assembly written out, one vertex at a time (Sandy Bridge volume 2 part 1, pages 82-118, 163-166)."""

from __future__ import annotations

import struct

from oracle.texels import load_channel
from texsamp.state.formats import surface_format

ONE = 0x3F800000


def double_bits(code: int) -> int:
    """Float32 bits of a 64-bit float that is finite and in range, to the nearest."""
    value = struct.unpack("<d", struct.pack("<Q", code))[0]
    return struct.unpack("<I", struct.pack("<f", value))[0]


def element(memory: dict[int, int], name: str, address: int, end: int) -> list[int]:
    """Four components as 32 bits. memory: bytes by address."""
    info = surface_format(name)
    size = info.bits // 8
    integer = info.channels[0].kind in ("uint", "sint")
    if address + size - 1 > end:
        return [0, 0, 0, 0]
    code = sum(memory[address + n] << 8 * n for n in range(size))
    found = {"R": 0, "G": 0, "B": 0, "A": 1 if integer else ONE}
    for channel in info.channels:
        bits = code >> channel.offset & ((1 << channel.bits) - 1)
        if channel.kind != "pad":
            found[channel.name] = (
                double_bits(bits) if channel.bits == 64 else load_channel(channel.kind, bits, channel.bits, False)
            )
    return [found[name] for name in "RGBA"]


def vertex(memory, state, numbers) -> list[list[int]]:
    """Elements of one vertex. numbers: index, vertex id, instance, start instance, primitive id."""
    made = []
    for e in state["elements"]:
        source = [0, 0, 0, 0]
        if 1 in e["components"]:
            b = state["buffers"][e["buffer"]]
            if b["instanced"]:
                index = numbers["start_instance"]
                if b["rate"] > 0:
                    index += numbers["instance"] // b["rate"]
            else:
                index = numbers["index"]
            if not b["null"]:
                source = element(memory, e["format"], b["start"] + index * b["pitch"] + e["offset"], b["end"])
        row = []
        for component, control in enumerate(e["components"]):
            row.append(
                {
                    0: 0, 1: source[component], 2: 0, 3: ONE, 4: 1, 5: numbers["id"], 6: numbers["instance"],
                    7: numbers["primitive"],
                }[control] & 0xFFFFFFFF
            )  # fmt: skip
        made.append(row)
    return made


SKIP_REPEAT = {
    "POINTLIST": (1, 0), "LINELIST": (1, 1), "LINELIST_ADJ": (1, 3), "LINESTRIP": (2, 0), "LINESTRIP_ADJ": (3, 0),
    "LINELOOP": (2, 0), "TRILIST": (1, 2), "RECTLIST": (1, 2), "TRILIST_ADJ": (1, 5), "TRISTRIP": (3, 0),
    "TRISTRIP_REVERSE": (3, 0), "TRISTRIP_ADJ": (5, 1), "TRIFAN": (3, 0), "POLYGON": (3, 0), "QUADLIST": (1, 3),
    "QUADSTRIP": (3, 1),
}  # fmt: skip


def runs(memory, state, draw) -> list[list[tuple[int, list[list[int]]]]]:
    """Of each instance its runs, of each run its vertices, of each vertex its elements."""
    instances = []
    for instance in range(draw["instances"]):
        found, counted, run = [[]], 0, []
        skip, again = SKIP_REPEAT[draw["topology"]]
        s = r = primitive = 0
        for n in range(draw["vertices"]):
            index = identity = 0
            if draw["indexed"]:
                ib = state["index"]
                size = ib["size"]
                place = ib["start"] + (draw["start_vertex"] + n) * size
                if place + size - 1 <= ib["end"]:
                    identity = sum(memory[place + k] << 8 * k for k in range(size))
                if ib["cut"] and identity == (1 << 8 * size) - 1:
                    counted += len(objects(draw["topology"], run, closing=False))
                    found.append([])
                    run, s, r, primitive = [], 0, 0, counted
                    continue
                index = (identity + draw["base_vertex"]) % (1 << 32)
            else:
                index, identity = draw["start_vertex"] + n, n
            if s < skip:
                s += 1
            elif r < again:
                r += 1
            else:
                primitive += 1
                r = 0
            numbers = {
                "index": index, "id": identity, "instance": instance, "start_instance": draw["start_instance"],
                "primitive": primitive,
            }  # fmt: skip
            run.append(n)
            found[-1].append(vertex(memory, state, numbers))
        instances.append(found)
    return instances


def objects(topology: str, run: list, *, closing: bool = True) -> list[tuple]:
    """Vertices of each object of a run in the order of a geometry thread's payload, strips not reordered."""
    n = len(run)
    v = run
    if topology == "POINTLIST":
        return [(x,) for x in v]
    if topology == "LINELIST":
        return [(v[i], v[i + 1]) for i in range(0, n - 1, 2)]
    if topology == "LINESTRIP":
        return [(v[i], v[i + 1]) for i in range(n - 1)]
    if topology == "LINELOOP":
        return [(v[i], v[i + 1]) for i in range(n - 1)] + ([(v[-1], v[0])] if closing and n >= 2 else [])
    if topology == "LINELIST_ADJ":
        return [tuple(v[i : i + 4]) for i in range(0, n - 3, 4)]
    if topology == "LINESTRIP_ADJ":
        return [tuple(v[i : i + 4]) for i in range(n - 3)]
    if topology in ("TRILIST", "RECTLIST"):
        return [tuple(v[i : i + 3]) for i in range(0, n - 2, 3)]
    if topology == "TRILIST_ADJ":
        return [tuple(v[i : i + 6]) for i in range(0, n - 5, 6)]
    if topology in ("TRISTRIP", "TRISTRIP_REVERSE"):
        return [tuple(v[i : i + 3]) for i in range(n - 2)]
    if topology in ("TRIFAN", "POLYGON"):
        return [(v[0], v[i], v[i + 1]) for i in range(1, n - 1)]
    if topology == "QUADLIST":
        return [tuple(v[i : i + 4]) for i in range(0, n - 3, 4)]
    if topology == "QUADSTRIP":
        return [(v[i], v[i + 1], v[i + 3], v[i + 2]) for i in range(0, n - 3, 2)]
    assert topology == "TRISTRIP_ADJ"
    made = []
    n -= n % 2
    for k in range(max(0, n // 2 - 2)):
        behind = 2 * k + 5 if k == n // 2 - 3 else 2 * k + 6
        before = 1 if k == 0 else 2 * k - 2
        if k % 2 == 0:
            made.append((v[2 * k], v[before], v[2 * k + 2], v[behind], v[2 * k + 4], v[2 * k + 3]))
        else:
            made.append((v[2 * k], v[2 * k + 3], v[2 * k + 4], v[behind], v[2 * k + 2], v[2 * k - 2]))
    return made
