"""The geometry shader stage written out for one kind of kernel: what instances of objects put out, in order."""

from __future__ import annotations

from oracle import vertices


def turned(name: str, number: int) -> bool:
    return name in ("TRISTRIP", "TRISTRIP_REVERSE", "TRISTRIP_ADJ") and number % 2 != (name == "TRISTRIP_REVERSE")


def payload(name: str, run: list, mode: str, *, discard: bool) -> list[tuple]:
    """Vertices of every object of a run as a thread has them (Sandy Bridge volume 2 part 1, pages 164-166)."""
    made = []
    for number, submitted in enumerate(vertices.objects(name, run)):
        found = submitted
        if name in ("TRISTRIP", "TRISTRIP_REVERSE") and turned(name, number):
            a, b, c = found
            found = (a, c, b) if mode == "LEADING" else (b, a, c)
        if name == "TRISTRIP_ADJ" and turned(name, number) and mode == "TRAILING":
            found = (*found[4:], *found[:4])  # the leading order has the last two vertices first
        if discard and name in ("LINELIST_ADJ", "LINESTRIP_ADJ"):
            found = found[1:3]
        if discard and name in ("TRILIST_ADJ", "TRISTRIP_ADJ"):
            found = found[::2]
        made.append(found)
    return made


def output(inputs: list, instance: int, most: int) -> list:
    """What the tests' kernel puts out of an object: vertices of two slots, and the control data's first dword.

    Vertex i has the slots of input i modulo their number, plus the instance, and plus 100 i. How many: the last dword
    of input 0; control data: the last dword of its first slot.
    """
    count = inputs[0][1][3] & 7
    made = []
    for i in range(min(count, most)):
        first, second = inputs[i % len(inputs)]
        made.append([[(v + instance) % 2**32 for v in first], [(v + 100 * i) % 2**32 for v in second]])
    return [made, inputs[0][0][3]]


def runs_of(made: list, control: int, control_format: str | None) -> dict[int, list]:
    """Runs of vertices by stream."""
    if control_format == "SID":
        found: dict[int, list] = {}
        for i, vertex in enumerate(made):
            found.setdefault(control >> 2 * i & 3, [[]])[0].append(vertex)
        return found
    runs: list = [[]]
    for i, vertex in enumerate(made):
        runs[-1].append(vertex)
        if control_format == "CUT" and control >> i & 1:
            runs.append([])
    return {0: [run for run in runs if run]}


def drawn(name: str, run: list) -> list[tuple]:
    """Objects of a run that a thread put out, all winding alike."""
    made = []
    for number, found in enumerate(vertices.objects(name, run)):
        made.append((found[0], found[2], found[1]) if turned(name, number) else found)
    return made
