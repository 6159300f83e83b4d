"""One kernel with all it calls as a program for the machine: rows for registers, places for labels, memory laid out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from support.ptx.library import Constant, Instruction, Operation, operation
from support.ptx.parser import SIZES_B, Function, ParsedModule, Statement, Variable

LANES = 256
RED_ZONE_B = 32
"""Between arrays of shared and local memory, so that what passes the end of one does not reach the next."""
SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW = (k << 60 for k in (1, 2, 3))
"""Generic addresses of what is not global memory."""

_SPACES = {"global": 1, "shared": 2, "local": 3, "param": 4}
_MODIFIERS = ("nc", "add", "max", "relaxed", "gpu")
"""Of accesses, without a meaning here: there is one device, and its threads go on in order."""
_SPECIALS = (
    *("%tid.x", "%tid.y", "%ntid.x", "%ntid.y"),
    *("%nctaid.x", "%nctaid.y", "%nctaid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z"),
)
_STATEMENT = re.compile(r"(?:@(!?)(%\w+)\s+)?([\w.]+)\s*(.*)", re.DOTALL)
_CALL = re.compile(r"(?:\((\w+)\)\s*,)?\s*(\w+)\s*(?:,\s*\(([^)]*)\))?")
_ADDRESS = re.compile(r"\[([%\w$.]+?)(?:\+(-?\d+))?\]")
_OPERAND = re.compile(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+")
_INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
_ADDRESSES = {
    "cvta.to.global.u64": ("mov.b64", None),
    "cvta.global.u64": ("mov.b64", None),
    "cvta.param.u64": ("mov.b64", None),
    "cvta.local.u64": ("or.b64", LOCAL_WINDOW),
    "cvta.shared.u64": ("or.b64", SHARED_WINDOW),
    "cvta.to.local.u64": ("and.b64", SHARED_WINDOW - 1),
    "cvta.to.shared.u64": ("and.b64", SHARED_WINDOW - 1),
}


@dataclass
class Layout:
    """Arrays one after the other with red zones between; ``marks`` is 1 where no array is."""

    places: dict[str, int] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    size_B: int = 0

    def add(self, variable: Variable) -> None:
        start = -(-self.size_B // max(variable.alignment, 16)) * max(variable.alignment, 16)
        self.places[variable.name] = start
        self.variables.append(variable)
        self.size_B = start + variable.size_B + RED_ZONE_B

    def marks(self) -> np.ndarray:
        made = np.ones(self.size_B, np.uint8)
        for variable in self.variables:
            start = self.places[variable.name]
            made[start : start + variable.size_B] = 0
        return made

    def name(self, offset: int) -> str:
        """The array that an offset lies in or after, and how far from its start."""
        before = [(start, name) for name, start in self.places.items() if start <= offset]
        return "{1}+{0}".format(*max((offset - start, name) for start, name in before[-1:])) if before else str(offset)


@dataclass
class Program:
    """Instructions, and the memory they need."""

    name: str
    code: np.ndarray
    lines: dict[int, str]
    """Text of the instructions by line of the PTX."""
    entries: dict[str, int]
    """Where each function begins; the kernel's is the last."""
    register_B: int
    constants: np.ndarray
    shared: Layout
    local: Layout
    params_B: int
    specials: list[int]


def _offsets(variables: Sequence[Variable]) -> tuple[dict[str, int], int]:
    places, end = {}, 0
    for variable in variables:
        places[variable.name] = -(-end // variable.alignment) * variable.alignment
        end = places[variable.name] + variable.size_B
    return places, end


class Assembler:
    """Assembles one kernel. Raises NotImplementedError that names what it does not know."""

    def __init__(self, module: ParsedModule, kernel: str, tables: Mapping[str, int]) -> None:
        self._module, self._tables = module, tables
        self._code: list[tuple] = []
        self._lines: dict[int, str] = {}
        self._rows_end = 0
        self._rows: dict[str, int] = {}  # of the function at work
        self._constants: dict[tuple[int, int], int] = {}
        self._specials = [self._new_row(4) for _ in _SPECIALS]
        self._entries: dict[str, int] = {}
        self._shared, self._local = Layout(), Layout()
        self._entry = module.functions[kernel]
        self._params, self._params_B = _offsets(self._entry.params)

    def assemble(self) -> Program:
        order: list[Function] = []
        self._place_after_callees(self._entry, order, ())
        for variable in self._module.shared:
            self._shared.add(variable)
        for function in order:
            for variable in function.shared:
                self._shared.add(variable)
            formals = [] if function.is_entry else [*function.params, *function.returns]
            for variable in [*formals, *([function.depot] if function.depot else [])]:
                self._local.add(Variable(f"{function.name}:{variable.name}", variable.alignment, variable.size_B))
        self._local.size_B = -(-self._local.size_B // 16) * 16
        for function in order:
            self._function(function)
        return Program(
            self._entry.name,
            np.array(self._code, Instruction),
            self._lines,
            self._entries,
            self._rows_end,
            np.array([(row, size, bits) for (size, bits), row in self._constants.items()], Constant),
            self._shared,
            self._local,
            self._params_B,
            self._specials,
        )

    def _place_after_callees(self, function: Function, order: list[Function], above: tuple[Function, ...]) -> None:
        """The lowest instruction goes first, so functions stand before what calls them."""
        if function in above:
            raise NotImplementedError(f"{function.name} calls itself")
        for statement in function.statements:  # all, for the declarations among them too
            if statement.text.startswith("call"):
                callee = self._module.functions[self._call(statement)[1]]
                if callee not in order:
                    self._place_after_callees(callee, order, (*above, function))
        order.append(function)

    @staticmethod
    def _call(statement: Statement) -> tuple[str | None, str, list[str]]:
        made = _CALL.match(statement.text.partition(" ")[2])
        assert made is not None, statement.text
        return made[1], made[2], [word.strip() for word in (made[3] or "").split(",") if word.strip()]

    def _function(self, function: Function) -> None:
        self._rows, self._in = {}, function
        statements = function.statements
        self._entries[function.name] = len(self._code)
        labels = {label: len(self._code) + k for k, each in enumerate(statements) for label in each.labels}
        self._arguments: dict[str, str] = {}  # of calls: their names here to the callee's
        calls = [each for each in statements if each.text.startswith("call")]
        following = iter(calls)
        self._name_arguments(next(following, None))
        for statement in statements:
            self._lines[statement.line] = statement.text
            made = _STATEMENT.match(statement.text)
            assert made is not None, statement.text
            if made[2] and made[3].partition(".")[0] != "bra":
                raise NotImplementedError(f"a predicate of {made[3]}")
            name = made[3].partition(".")[0]
            if name == "bra":
                kind = "bra" if not made[2] else "bra.unless" if made[1] else "bra.if"
                row = self._row(made[2], 1) if made[2] else 0
                self._emit(statement, kind, (row,), labels[made[4].strip()])
            elif name == "call":
                self._emit_call(statement)
                self._name_arguments(next(following, None))
            elif name == "ret":
                self._emit(statement, "ret")
            elif name == "bar":
                if made[3] not in ("bar.sync", "barrier.sync") or made[4].strip() != "0":
                    raise NotImplementedError(statement.text)
                self._emit(statement, "bar.sync")
            else:
                self._plain(statement, made[3], _OPERAND.findall(made[4]))

    def _name_arguments(self, call: Statement | None) -> None:
        """Arguments are stored before the call that takes them, results are loaded after it and before the next."""
        if call is None:
            return
        _, callee, arguments = self._call(call)
        formals = self._module.functions[callee].params
        self._arguments |= {here: f"{callee}:{formal.name}" for here, formal in zip(arguments, formals, strict=True)}

    def _emit_call(self, statement: Statement) -> None:
        result, callee, _ = self._call(statement)
        function = self._module.functions[callee]
        if result:
            self._arguments[result] = f"{callee}:{function.returns[0].name}"
        depot = function.depot
        cleared = (self._local.places[f"{callee}:{depot.name}"], depot.size_B) if depot else (0, 0)
        self._emit(statement, "call", cleared, self._entries[callee])

    def _emit(
        self,
        statement: Statement,
        name: str,
        rows: Sequence[int] = (),
        immediate: int = 0,
        space: int = 0,
        count: int = 0,
    ) -> None:
        rows = tuple(rows) + (0,) * (6 - len(rows))
        used = statement.used_bytes & (1 << 64) - 1
        self._code.append((operation(name).number, statement.line, space, count, rows, immediate, used))

    def _plain(self, statement: Statement, name: str, operands: list[str]) -> None:
        words = name.split(".")
        if words[0] in ("ld", "st", "atom"):
            return self._access(statement, words, operands)
        if name in _ADDRESSES:
            name, constant = _ADDRESSES[name]
            operands = operands if constant is None else [*operands, str(constant)]
        elif words[0] == "cvt" and words[-1] in _INTEGERS and words[-2] in _INTEGERS:
            into = f"@{self._width(operands[0])}" if words[1][1:] == "8" else ""
            name = f"cvt.{words[1]}{into}@{self._width(operands[1])}.{words[2]}"
        elif "ftz" in words:
            words.remove("ftz")
            name = ".".join([*words[:-1], "ftz", words[-1]])
        vectors = [operand[0] == "{" for operand in operands]
        if words[0] == "mov" and any(vectors):
            parts = len(operands[vectors.index(True)].split(","))
            name = f"{'unpack' if vectors[0] else 'pack'}.b{words[1][1:]}.{parts}"
            operands = [word for operand in operands for word in re.findall(r"[^{},\s]+", operand)]
        made: Operation = operation(name)
        if len(made.sizes) != len(operands):
            raise NotImplementedError(f"{statement.text}: {len(operands)} operands")
        rows = [self._row(operand, size) for operand, size in zip(operands, made.sizes, strict=True)]
        self._emit(statement, name, rows)
        return None

    def _access(self, statement: Statement, words: list[str], operands: list[str]) -> None:
        space, count = 0, 1
        for word in words[1:-1]:
            if word in _SPACES:
                space = _SPACES[word]
            elif re.fullmatch(r"v[24]", word):
                count = int(word[1])
            elif word not in _MODIFIERS:
                raise NotImplementedError(".".join(words))
        target, where = (operands[1], operands[0]) if words[0] == "st" else (operands[0], operands[1])
        registers = re.findall(r"[^{},\s]+", target) + (operands[2:] if words[0] == "atom" else [])
        least = max(2, SIZES_B[f"b{words[-1][1:]}"])
        width = max(self._width(each) if each[0] == "%" else least for each in registers)
        rows = [self._row(each, width) for each in registers]
        made = _ADDRESS.fullmatch(where)
        if made is None:
            raise NotImplementedError(statement.text)
        base, offset = made[1], int(made[2] or 0)
        size = self._width(base) if base[0] == "%" else 8
        rows = [*rows, *[0] * (4 - len(rows)), self._row(base, size), size]
        kind = words[0]
        if kind == "atom":
            kind += next((f".{word}" for word in words if word in ("add", "max")), "")
        self._emit(statement, f"{kind}.{words[-1]}@{width}", rows, offset, space, count)

    def _new_row(self, size: int) -> int:
        self._rows_end += LANES * size
        return self._rows_end - LANES * size

    def _width(self, register: str) -> int:
        if register[0] != "%":
            return 4
        types = self._in.registers
        return SIZES_B[types[register] if register in types else types[register.rstrip("0123456789")]]

    def _row(self, operand: str, size: int) -> int:
        if operand in _SPECIALS:
            return self._specials[_SPECIALS.index(operand)]
        if operand == "_":
            return self._new_row(size)
        if operand[0] == "%":
            if self._width(operand) != size:
                raise NotImplementedError(f"{operand} of {self._width(operand)} bytes where {size} are meant")
            if operand not in self._rows:
                self._rows[operand] = self._new_row(size)
            return self._rows[operand]
        bits = self._value(operand) & (1 << 8 * size) - 1
        if (size, bits) not in self._constants:
            self._constants[size, bits] = self._new_row(size)
        return self._constants[size, bits]

    def _value(self, operand: str) -> int:
        """Bits of a number or the address of a name."""
        if operand.startswith(("0f", "0d")):
            return int(operand[2:], 16)
        if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)U?", operand):
            return int(operand.rstrip("U"), 0)
        here = f"{self._in.name}:{operand}"
        local = self._arguments.get(operand, here)
        if self._in.is_entry and operand in self._params:
            return PARAM_WINDOW | self._params[operand]
        for places, window in ((self._local.places, LOCAL_WINDOW), (self._shared.places, 0), (self._tables, 0)):
            name = local if places is self._local.places else operand
            if name in places:
                return window | places[name]
        raise NotImplementedError(f"the name {operand}")
