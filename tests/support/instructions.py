"""Instructions that compute, with every type and every rule of regions in turn, as text."""

import numpy as np

from support.eu import Registers
from texsamp.emulator.eu.alu.operations import OPERATIONS
from texsamp.emulator.eu.isa.opcodes import BY_MNEMONIC, Shape
from texsamp.emulator.eu.isa.operands import DataType

PLAIN = sorted(
    name
    for name, row in OPERATIONS.items()
    if BY_MNEMONIC[name].shape is Shape.PLAIN
    and name != "f16to32"
    and not (row.plane or row.vectors or row.pairs or row.half or row.accumulates)
)
"""Opcodes whose sources, one or two, have any region, each of its own."""

SOURCES = {
    "one element": "r{r}.{e}<0;1,0>",
    "packed": "r{r}.0<8;8,1>",
    "every second": "r{r}.0<16;8,2>",
    "rows side by side": "r{r}.{e}<4;4,1>",
    "rows apart": "r{r}.0<8;4,1>",
    "rows of every second": "r{r}.0<8;4,2>",
    "rows that overlap": "r{r}.{e}<1;4,1>",
    "one row again and again": "r{r}.{e}<0;4,1>",
    "columns": "r{r}.0<2;1,0>",
    "pairs of one": "r{r}.{e}<1;2,0>",
    "at one address": "r[a0.0, {offset}]<8;8,1>",
    "at an address of each thread": "r[a0.2, {offset}]<4;4,1>",
    "at an address of each row": "r[a0.2, {offset}]<VxH;4,1>",
    "at an address of each channel": "r[a0.0, {offset}]<VxH;1,0>",
}
"""Rules of source regions, for 8 channels."""
DESTINATIONS = (
    "r{r}.0<1>", "r{r}.0<2>", "r[a0.0, {offset}]<1>", "r[a0.2, {offset}]<2>", "r{r}.{e}<1>",
)  # fmt: skip
SIZE = {"ud": 4, "d": 4, "uw": 2, "w": 2, "ub": 1, "b": 1, "f": 4}


def with_addresses(registers, rng):
    """Registers with addresses of r32 to r39, those in a0.0 and a0.1 the same for all threads."""
    addresses = registers.address.view(np.uint16)
    addresses[...] = 32 * rng.integers(32, 40, addresses.shape)
    addresses[:, :2] = 32 * 36, 32 * 38
    return registers


def region_registers(rng, is_float, count=2):
    """Random registers, of numbers if floats are to be computed with."""
    registers = with_addresses(Registers.random(rng, count), rng)
    if is_float:
        values = rng.choice([0.0, 1.0, 0.5, -2.75, 3.4e7, -1e-3, 255.4, 65535.9, -70000.5], (count, 1024))
        registers.general[...] = (values * rng.integers(1, 5, values.shape)).astype(np.float32).view(np.uint8)
    return registers


def _operand(form, kind, register):
    """An operand near a register; addresses are those of r32 to r39."""
    return form.format(r=register, e=4 // SIZE[kind] if SIZE[kind] < 4 else 1, offset=32 * (register - 36)) + f":{kind}"


def instruction_lines(name, region, kinds, results, turn):
    """The instruction once for every type, with other types and regions beside it in turn."""
    regions, lines = list(SOURCES.values()), []
    for i, kind in enumerate(kinds):
        result = results[(i + turn) % len(results)]
        others = [kinds[(i + 2 * turn + 1) % len(kinds)]] if BY_MNEMONIC[name].sources == 2 else []
        if name == "mul" and SIZE[kind] == SIZE[others[0]] == 4 and kind != "f":
            others = ["w"]
        sources = [_operand(region, kind, 40)]
        sources += [_operand(regions[(i + turn) % len(regions)], other, 44) for other in others]
        form = DESTINATIONS[0] if name in ("addc", "subb") else DESTINATIONS[(i + turn) % len(DESTINATIONS)]
        condition = {"cmp": ".ge.f0.0", "cmpn": ".l.f1.0", "sel": ".l"}.get(name, "")
        tail = " {AccWrEn}" if name in ("addc", "subb") else ""
        where = 8 + 3 * i if "a0" not in form else 26 + 3 * (i % 3)
        lines.append(f"{name}{condition} (8) {_operand(form, result, where)} {' '.join(sources)}{tail}")
    return lines


def instruction_types(name, is_float):
    """Types of sources, integers or floats, and of destinations that an instruction takes."""
    of = {True: [kind for kind in DataType if kind.is_float], False: [kind for kind in DataType if not kind.is_float]}
    kinds = [kind.name.lower() for kind in of[is_float] if kind in OPERATIONS[name].types]
    return kinds, [kind.name.lower() for kind in DataType if kind in OPERATIONS[name].results]
