"""64-bit instructions: four indices into tables of the most frequent bit patterns (public facts)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from texsamp.emulator.eu.isa.encoding import COMPACT, IMMEDIATE, OPCODE, SOURCE_FILES, Bits, signed, unsigned
from texsamp.emulator.eu.isa.instruction import Compaction
from texsamp.emulator.eu.isa.operands import RegisterFile
from texsamp.errors import StateError

_TABLES = ("control", "datatype", "subregister", "source")
_CONTROL, _DATATYPE, _SUBREGISTER, _SOURCE_0 = Bits(8, 5), Bits(13, 5), Bits(18, 5), Bits(30, 5)
_SOURCE_1, _SPARE = Bits(35, 5), Bits(28)
_WHOLE = {Bits(0, 7): OPCODE, Bits(7): Bits(30), Bits(23): Bits(28), Bits(24, 4): Bits(24, 4), Bits(40, 8): Bits(53, 8)}
"""Fields copied as they are: place in 64 bits, place in 128."""
_REGISTERS = ((Bits(48, 8), Bits(69, 8)), (Bits(56, 8), Bits(101, 8)))
_PARTS = {
    "control": ((Bits(17, 2), Bits(89, 2)), (Bits(16), Bits(31)), (Bits(0, 16), Bits(8, 16))),
    "datatype": ((Bits(15, 3), Bits(61, 3)), (Bits(0, 15), Bits(32, 15))),
    "subregister": ((Bits(0, 5), Bits(48, 5)), (Bits(5, 5), Bits(64, 5))),
}
"""Fields of a table's entry: place in the entry, place in 128 bits. The subregister of source 1 is apart."""
_SUBREGISTER_1 = (Bits(10, 5), Bits(96, 5))
_SOURCES = (Bits(77, 12), Bits(109, 12))
_IMMEDIATE_BITS = 13


@dataclass(frozen=True)
class _Tables:
    entries: dict[str, tuple[int, ...]]

    def index(self, table: str, pattern: int) -> int:
        """Index of a pattern; StateError if the table has none."""
        try:
            return self.entries[table].index(pattern)
        except ValueError:
            raise StateError(f"no compact form: the {table} table lacks {pattern:#b}") from None


@cache
def _tables() -> _Tables:
    with files("texsamp.emulator.eu.isa").joinpath("data", "compaction.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return _Tables({name: tuple(int(row[name], 2) for row in rows) for name in _TABLES})


def _spread(entry: int, parts: tuple[tuple[Bits, Bits], ...]) -> int:
    return sum(there.put(here.get(entry)) for here, there in parts)


def _collected(word: int, parts: tuple[tuple[Bits, Bits], ...]) -> int:
    return sum(here.put(there.get(word)) for here, there in parts)


def _has_immediate(word: int) -> bool:
    return any(field.get(word) == RegisterFile.IMMEDIATE for field in SOURCE_FILES)


def expanded(compact: int) -> tuple[int, Compaction]:
    """The 128-bit word a 64-bit one stands for (with the compact bit clear), and what it holds beyond that."""
    entries = _tables().entries
    word = sum(there.put(here.get(compact)) for here, there in _WHOLE.items())
    word |= _spread(entries["control"][_CONTROL.get(compact)], _PARTS["control"])
    word |= _spread(entries["datatype"][_DATATYPE.get(compact)], _PARTS["datatype"])
    subregisters = entries["subregister"][_SUBREGISTER.get(compact)]
    word |= _spread(subregisters, _PARTS["subregister"])
    word |= _SOURCES[0].put(entries["source"][_SOURCE_0.get(compact)])
    word |= _REGISTERS[0][1].put(_REGISTERS[0][0].get(compact))
    if _has_immediate(word):
        value = _SOURCE_1.get(compact) << 8 | _REGISTERS[1][0].get(compact)
        word |= IMMEDIATE.put(signed(value, _IMMEDIATE_BITS) & 0xFFFFFFFF)
    else:
        word |= _spread(subregisters, (_SUBREGISTER_1,))
        word |= _SOURCES[1].put(entries["source"][_SOURCE_1.get(compact)])
        word |= _REGISTERS[1][1].put(_REGISTERS[1][0].get(compact))
    return word, Compaction(_SUBREGISTER.get(compact), _SPARE.get(compact))


def compacted(word: int, compaction: Compaction) -> int:
    """The 64-bit form of a 128-bit word: `expanded` undone. StateError if there is none."""
    tables = _tables()
    compact = sum(here.put(there.get(word)) for here, there in _WHOLE.items()) | COMPACT.mask
    compact |= _CONTROL.put(tables.index("control", _collected(word, _PARTS["control"])))
    compact |= _DATATYPE.put(tables.index("datatype", _collected(word, _PARTS["datatype"])))
    compact |= _SOURCE_0.put(tables.index("source", _SOURCES[0].get(word)))
    compact |= _REGISTERS[0][0].put(_REGISTERS[0][1].get(word)) | _SPARE.put(compaction.spare)
    subregisters = _collected(word, _PARTS["subregister"])
    if _has_immediate(word):  # many entries differ only in what an immediate has no use for
        index = compaction.subregister_index
        if tables.entries["subregister"][index] & 0x3FF != subregisters:
            raise StateError(f"subregister index {index} does not stand for {subregisters:#b}")
        value = unsigned(signed(IMMEDIATE.get(word), 32), _IMMEDIATE_BITS)
        compact |= _SOURCE_1.put(value >> 8) | _REGISTERS[1][0].put(value & 255)
    else:
        index = tables.index("subregister", subregisters | _collected(word, (_SUBREGISTER_1,)))
        compact |= _SOURCE_1.put(tables.index("source", _SOURCES[1].get(word)))
        compact |= _REGISTERS[1][0].put(_REGISTERS[1][1].get(word))
    return compact | _SUBREGISTER.put(index)
