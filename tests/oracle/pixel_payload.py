"""The payload of a pixel thread, register by register (Sandy Bridge volume 2 part 1, pages 339-353).

Numbers are kept as tuples of what they stand for, so that a register in the wrong place cannot pass for another.
"""

from __future__ import annotations

Registers = list[list[object]]
QUAD = 4


def payload(
    width: int,
    quads: list[int | None],
    lit: dict[tuple[int, int], bool],
    sets: int,
    parts: tuple[str, ...],
    constants_at: int,
    constants: int,
    attributes: int,
) -> Registers:
    """Registers behind R0 of one thread, each 8 entries.

    quads: of the thread, None where there is none: those repeat the first. lit: pixels by quad and slot. sets: of
    barycentrics. parts: those of "depth", "w", "offsets" and "coverage" that are delivered. constants: registers.
    """
    slots = [(quads[0] if quads[n // QUAD] is None else quads[n // QUAD], n % QUAD) for n in range(width)]
    alive = [quads[n // QUAD] is not None and lit[slots[n]] for n in range(width)]
    registers: Registers = []
    for first in range(0, width, 16):  # R1, and R2 of 32 pixels
        register: list[object] = [0] * 8
        for subspan in range(4):
            slot = first + QUAD * subspan
            register[2 + subspan] = ("place", slots[slot][0] if slot < width else slots[first][0])
        mask = sum(alive[first + n] << n for n in range(min(16, width)))
        register[7] = mask << 16 | mask
        registers.append(register)
    for first in range(0, width, 16):  # the lower 16 slots, then all again for the upper ones
        eights = range(first, min(first + 16, width), 8)
        for mode in range(sets):
            for eight in eights:
                for weight in (1, 2):
                    registers.append([("b", mode, weight, *slots[n]) for n in range(eight, eight + 8)])
        for part in ("depth", "w"):
            if part in parts:
                registers += [[(part, *slots[n]) for n in range(eight, eight + 8)] for eight in eights]
        if "offsets" in parts:  # byte 2n is x of slot n, byte 2n + 1 its y: two slots to a dword
            count = min(16, width)
            pairs: list[object] = [("offsets", *slots[first + n], *slots[first + n + 1]) for n in range(0, count, 2)]
            registers.append(pairs + [0] * (8 - len(pairs)))
        if "coverage" in parts:
            registers += [[("coverage", *slots[n]) for n in range(eight, eight + 8)] for eight in eights]
    while 1 + len(registers) < constants_at:
        registers.append([0] * 8)
    registers += [[("constant", 8 * number + n) for n in range(8)] for number in range(constants)]
    for attribute in range(attributes):
        for pair in (0, 2):
            registers.append([("setup", attribute, pair + n // 4, n % 4) for n in range(8)])
    return registers
