"""Commands from dwords: header decoding over the whole opcode map (`data/opcodes.csv`), then the structure's rows."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from texsamp.errors import StateError
from texsamp.state import registry  # noqa: F401 - defines the commands
from texsamp.state.base import Struct
from texsamp.state.command import LENGTH_BIAS, Command, header_form

_KEPT = 1024
"""Commands, and headers, that need not be decoded again."""


@dataclass(frozen=True, slots=True)
class CommandHeader:
    """What dword 0 of a command says: its name, the dwords of the whole command, its pipeline, its structure if any.

    pipeline: "mi", "blt", "common", "single" (single dword), "media" or "3d".
    """

    name: str
    dwords: int
    pipeline: str
    structure: type[Command] | None


@dataclass(frozen=True, slots=True)
class RawCommand:
    """A known command whose body no source gives: its name and its dwords."""

    name: str
    pipeline: str
    dwords: tuple[int, ...]

    def pack(self) -> bytes:
        """Return the little-endian bytes."""
        return b"".join(dword.to_bytes(4, "little") for dword in self.dwords)


@dataclass(frozen=True, slots=True)
class Opcode:
    """One entry of the opcode map; the same header can name another command on another generation."""

    header: int
    name: str
    since: float
    until: float
    source: str


@cache
def opcodes() -> tuple[Opcode, ...]:
    """Return the opcode map in the order of the headers."""
    with files("texsamp.state").joinpath("data", "opcodes.csv").open(encoding="utf-8") as file:
        return tuple(
            Opcode(int(row["header"], 16), row["name"], float(row["since"]), float(row["until"]), row["source"])
            for row in csv.DictReader(file)
        )


@cache
def _known(generation: float) -> dict[tuple[str, int], Opcode]:
    table = {}
    for opcode in opcodes():
        form = header_form(opcode.header)
        if form is not None and opcode.since <= generation <= opcode.until:
            table[form.pipeline, opcode.header >> form.opcode_low] = opcode
    return table


@lru_cache(maxsize=_KEPT)
def command_header(dword0: int, generation: float = 7) -> CommandHeader:
    """Decode the header of a command; StateError if the generation has no such command."""
    form = header_form(dword0)
    key = (form.pipeline, dword0 >> form.opcode_low) if form else ("", 0)
    opcode = _known(generation).get(key)
    if form is None or opcode is None:
        raise StateError(f"unknown command header {dword0:#010x} on generation {generation:g}")
    candidates = (cls for cls in Command.by_opcode.get(key, ()) if cls.since <= generation <= cls.until)
    structure = next(candidates, None)
    if structure is not None and "length" in structure.rows:
        dwords = structure.rows["length"].value(dword0)
    elif structure is not None:
        dwords = 1
    else:
        dwords = (dword0 & ((1 << form.length_bits) - 1)) + LENGTH_BIAS if form.length_bits else 1
    return CommandHeader(opcode.name, dwords, form.pipeline, structure)


def decode_command(
    data: bytes | bytearray | memoryview, offset: int = 0, *, strict: bool = True, generation: float = 7
) -> Command | RawCommand:
    """Decode the command at byte `offset`; StateError, naming it, if unknown, cut off or (strict) illegal."""
    try:
        header = command_header(int.from_bytes(data[offset : offset + 4], "little"), generation)
        body = bytes(data[offset : offset + header.dwords * 4])
        if len(body) < header.dwords * 4:
            raise StateError(f"{header.name} needs {header.dwords * 4} bytes, found {len(body)}")
        if header.structure is None:
            dwords = tuple(int.from_bytes(body[i : i + 4], "little") for i in range(0, len(body), 4))
            return RawCommand(header.name, header.pipeline, dwords)
        return _unpacked(header.structure.name, body, strict, generation)
    except StateError as error:
        raise StateError(f"at byte {offset:#x}: {error}") from None


@lru_cache(maxsize=_KEPT)
def _unpacked(name: str, body: bytes, strict: bool, generation: float) -> Command:
    """A command of bytes; drivers mostly repeat those of the draw or picture before."""
    structure = Struct.by_name[name]
    assert issubclass(structure, Command)
    return structure.unpack(body, strict=strict, generation=generation)
