"""Names and offsets of memory-mapped registers (`data/registers.csv`) and what the ranges are for."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Register:
    """One register: byte offset, name, width, source."""

    offset: int
    name: str
    bits: int
    source: str


@dataclass(frozen=True, slots=True)
class RegisterRange:
    """A range of register offsets, both ends inclusive, and its use."""

    first: int
    last: int
    use: str
    source: str


def _rows(name: str) -> list[dict[str, str]]:
    with files("texsamp.state").joinpath("data", name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def registers() -> tuple[Register, ...]:
    """Return all named registers in the order of their offsets."""
    return tuple(
        Register(int(row["offset"], 16), row["name"], int(row["bits"]), row["source"]) for row in _rows("registers.csv")
    )


@cache
def register_ranges() -> tuple[RegisterRange, ...]:
    """Return the map of register ranges."""
    return tuple(
        RegisterRange(int(row["first"], 16), int(row["last"], 16), row["use"], row["source"])
        for row in _rows("register_ranges.csv")
    )


def register_name(offset: int) -> str:
    """Name of the dword at a register offset: `NAME`, `NAME+4` for a high dword, else the range's use, else hex."""
    for register in registers():
        if 0 <= offset - register.offset < register.bits // 8:
            high = offset - register.offset
            return f"{register.name}+{high}" if high else register.name
    for part in register_ranges():
        if part.first <= offset <= part.last:
            return f"{offset:#07x} ({part.use})"
    return f"{offset:#07x}"
