"""The text of PTX, as NVRTC writes it, taken apart: modules, functions, statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

SIZES_B = {"pred": 1, "b8": 1, "b16": 2, "b32": 4, "b64": 8, "f32": 4, "f64": 8}
"""Bytes of a type of register or of a parameter."""

_PARAM = re.compile(r"\.param (?:\.align (\d+) )?\.(\w+) (\w+)(?:\[(\d+)\])?")
_ARRAY = re.compile(r"\.(shared|local|global) \.align (\d+) \.b8 \s*(\w+)\[(\d+)\](?:\s*= \{([^}]*)\})?")
_REGISTERS = re.compile(r"\.reg \.(\w+)\s+(%?\w+?)(?:<\d+>)?$")
_HEADER = re.compile(r"\.(?:visible )?\.?(entry|func)\s*(?:\(([^)]*)\))?\s*(\w+)\s*(?:\(([^)]*)\))?", re.DOTALL)
_LABEL = re.compile(r"(\$\w+):")


@dataclass(frozen=True)
class Variable:
    """A parameter or an array."""

    name: str
    alignment: int
    size_B: int


@dataclass(frozen=True)
class Statement:
    """One instruction: ``words`` without its predicate; ``labels`` stand before it. ``line`` counts from 1."""

    line: int
    text: str
    labels: tuple[str, ...]
    used_bytes: int
    """Bits of the bytes of a load that matter (a pragma says so where a load was widened)."""


@dataclass
class Function:
    """A kernel or a function it calls."""

    name: str
    is_entry: bool
    returns: list[Variable]
    params: list[Variable]
    first_line: int
    lines: list[str]
    registers: dict[str, str] = field(default_factory=dict)
    """Type by name, or by the part of the name before the number."""
    shared: list[Variable] = field(default_factory=list)
    depot: Variable | None = None

    @cached_property
    def statements(self) -> list[Statement]:
        """Every instruction in order; declarations are kept, scopes are forgotten, for their names do not collide."""
        return list(self._statements())

    def _statements(self) -> Iterator[Statement]:
        labels: list[str] = []
        used, pending, start = -1, "", 0
        for line, raw in enumerate(self.lines, self.first_line):
            rest = raw.partition("//")[0].strip()
            while rest:
                if not pending:
                    if rest[0] in "{}":
                        rest = rest[1:].strip()
                        continue
                    if label := _LABEL.match(rest):
                        labels.append(label[1])
                        rest = rest[label.end() :].strip()
                        continue
                    start = line
                head, end, rest = rest.partition(";")
                pending = f"{pending} {head.strip()}".strip()
                rest = rest.strip()
                if not end:
                    break
                if pending.startswith("."):
                    if mask := re.match(r'\.pragma "used_bytes_mask (\d+)"', pending):
                        used = int(mask[1])
                    self._declare(pending)
                elif pending:
                    yield Statement(start, pending, tuple(labels), used)
                    labels, used = [], -1
                pending = ""
        assert not labels, f"{self.name}: a label at the end"

    def _declare(self, text: str) -> None:
        if made := _REGISTERS.match(text):
            self.registers[made[2]] = made[1]
        elif made := _ARRAY.match(text):
            variable = Variable(made[3], int(made[2]), int(made[4]))
            if made[1] == "local":
                self.depot = variable
            else:
                self.shared.append(variable)
        elif not text.startswith((".param", ".pragma")):
            raise NotImplementedError(f"{self.name}: {text}")


@dataclass
class ParsedModule:
    """What a PTX text holds."""

    functions: dict[str, Function]
    tables: dict[str, tuple[Variable, bytes]]
    """Constant arrays in global memory."""
    shared: list[Variable]
    target: str


def _variables(text: str | None) -> list[Variable]:
    found = []
    for alignment, type_, name, count in _PARAM.findall(text or ""):
        size_B = SIZES_B[type_.replace("u", "b").replace("s", "b")] * int(count or 1)
        found.append(Variable(name, int(alignment or size_B), size_B))
    return found


def parse(text: str) -> ParsedModule:
    """Take a PTX text apart. Raises NotImplementedError for what it does not know."""
    module = ParsedModule({}, {}, [], "")
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at].rstrip("\0 ")
        at += 1
        if line.startswith(".target"):
            module.target = line.split()[1].rstrip(",")
        elif line.startswith((".shared", ".global")):
            made = _ARRAY.match(line)
            if made is None:
                raise NotImplementedError(line[:120])
            variable = Variable(made[3], int(made[2]), int(made[4]))
            if made[1] == "shared":
                module.shared.append(variable)
            else:
                values = bytes(int(value) for value in (made[5] or "").split(",") if value.strip())
                module.tables[variable.name] = (variable, values.ljust(variable.size_B, b"\0"))
        elif line.startswith((".visible .entry", ".entry", ".func", ".weak .func", ".visible .func")):
            header = [line]
            while lines[at].strip() not in ("{", ";") and not header[-1].rstrip().endswith(";"):
                header.append(lines[at])
                at += 1
            if lines[at].strip() != "{":
                continue  # declared ahead of its definition
            made = _HEADER.search("\n".join(header))
            assert made is not None, line
            end = lines.index("}", at)
            entry = made[1] == "entry"
            module.functions[made[3]] = Function(
                made[3], entry, _variables(made[2]), _variables(made[4]), at + 1, lines[at:end]
            )
            at = end + 1
        elif line.strip() and not line.lstrip().startswith(("//", ".version", ".address_size", ";")):
            raise NotImplementedError(f"line {at}: {line[:120]}")
    return module
