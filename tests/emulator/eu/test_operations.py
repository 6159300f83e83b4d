"""The table of operations: arrays and the lowering to the engine read every row, and know no opcode by its name."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.eu import Registers

from texsamp.device.params import constant
from texsamp.device.sources import kernel_directory
from texsamp.emulator.eu.alu import operations, plan
from texsamp.emulator.eu.alu.operations import MATH, OPERATIONS
from texsamp.emulator.eu.alu.plan import Compute
from texsamp.emulator.eu.engine import lowering
from texsamp.emulator.eu.engine.lowering import OPERATION
from texsamp.emulator.eu.engine.stretches import Stretch
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.isa.codec import decode
from texsamp.emulator.eu.isa.opcodes import BY_MNEMONIC, MATH_FUNCTIONS
from texsamp.emulator.eu.isa.operands import DataType
from texsamp.emulator.eu.registers.threads import GENERAL_B, Threads
from texsamp.errors import CaptureError

ROWS = OPERATIONS | MATH
ENGINE = sorted(name for name, row in ROWS.items() if row.engine)
THREE = "mad lrp bfe bfi2".split()
RINGS = (
    ("and", "or", "xor", "shl", "shr", "asr", "add", "mul", "avg"),
    ("mov", "not"),
    ("frc", "rndu", "rndd", "rnde", "rndz"),
    ("inv", "sqrt", "rsq"),
    ("mad", "lrp"),
)
"""Opcodes of alike operands, each of which is given the meaning of the next."""
PAIRS = [(ring[n], ring[(n + 1) % len(ring)]) for ring in RINGS for n in range(len(ring))]


def _text(name):
    """An instruction of every opcode or function, that both readers take if the row has it."""
    row = ROWS[name]
    kinds = ("uw",) if row.of_half else ("d", "f", "ud", "uw", "ub")  # halves of channels by themselves are words
    kind = next(kind for kind in kinds if kind.upper() in {each.name for each in row.types})
    first = int(row.half)
    result = kind if kind.upper() in {each.name for each in row.results} else sorted(row.results)[first].name.lower()
    if name in THREE:
        return f"{name} (8) r10.0<1>.xyzw:{kind} " + " ".join(f"r{r}.0<4>.xyzw:{kind}" for r in (20, 21, 22))
    if row.plane:
        return f"{name} (8) r10.0<1>:f r20.0<0;4,1>:f r22.0<8;8,1>:f"
    math = "math." * (name in MATH)
    condition = ".g.f0.0" * (row.compare is not None or row.chooses)
    count = BY_MNEMONIC["math" if math else name].sources
    second = "w" if kind == "d" and DataType.W in row.types else kind  # of dwords alone a product is another operation
    sources = [f"r20.0<8;8,1>:{kind}", f"r21.0<8;8,1>:{second}"][:count]
    tail = " {AccWrEn}" * (row.carry is not None)
    return f"{math}{name}{condition} (8) r10.0<1>:{result} {' '.join(sources)}{tail}"


def _compute(name):
    return Compute(decode(assemble(_text(name)), 0))


def _made(run):
    registers = Registers.random(np.random.default_rng(3), 3)
    words = registers.general.view("<u4")
    words[(words >> 23 & 255) > 200] ^= 1 << 30  # no NaN
    threads = Threads(3)
    threads.registers[:, :GENERAL_B] = registers.general
    run(threads)
    return threads.registers.copy()


def _on_arrays(name):
    return _made(lambda threads: _compute(name).run(threads, None))


def _on_engine(name):
    stretch = Stretch(0)
    assert stretch.take(_compute(name), 0, 16)
    return _made(lambda threads: stretch.launch(threads, None, 1))


def _give(monkeypatch, name, row):
    table = "MATH" if name in MATH else "OPERATIONS"
    monkeypatch.setattr(operations, table, {**getattr(operations, table), name: row})


@pytest.mark.parametrize(("name", "other"), PAIRS)
def test_both_readers_carry_out_what_the_row_says(name, other, monkeypatch):
    expected, before = _on_arrays(other), _on_arrays(name)
    assert not np.array_equal(expected, before)
    row = ROWS[other]
    _give(monkeypatch, name, row)
    assert np.array_equal(_on_arrays(name), expected)
    assert np.array_equal(_on_engine(name), expected)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_arrays_have_no_function_but_the_rows(name, monkeypatch):
    _compute(name)
    _give(monkeypatch, name, replace(ROWS[name], integers=None, floats=None, of=None))
    with pytest.raises(CaptureError, match="not executed"):
        _compute(name)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_engine_has_the_operation_that_the_row_names(name, monkeypatch):
    row = ROWS[name]
    made = lowering.lowered(_compute(name))
    assert (made is not None) == bool(row.engine)
    if made is not None:
        assert np.frombuffer(made.row, OPERATION)["opcode"] == [constant(f"EU_{row.engine}")]
        _give(monkeypatch, name, replace(row, engine=""))
        assert lowering.lowered(_compute(name)) is None


@pytest.mark.parametrize("name", sorted(ROWS))
@pytest.mark.parametrize("field", ["types", "results"])
def test_types_are_the_rows(name, field, monkeypatch):
    _give(monkeypatch, name, replace(ROWS[name], **{field: frozenset()}))
    with pytest.raises(CaptureError, match=r"takes no|gives no"):
        _compute(name)


def test_every_operation_of_the_engine_is_that_of_a_row():
    text = (kernel_directory() / "eu_operations.h").read_text()
    names = re.findall(r"EU_(\w+) = \d+", re.search(r"enum EuOpcode \{(.*?)\}", text, re.DOTALL).group(1))
    assert set(names) - {"EXPECT", "JUMP", "BRANCH", "STOP"} == {ROWS[name].engine for name in ENGINE}


def test_every_row_is_of_an_opcode_or_a_function():
    assert set(OPERATIONS) < set(BY_MNEMONIC)
    assert set(MATH) == set(MATH_FUNCTIONS.values())
    assert not set(OPERATIONS) & set(MATH)


@pytest.mark.parametrize("module", [plan, lowering])
def test_readers_know_no_names(module):
    names = set(ROWS) | set(BY_MNEMONIC)
    tree = ast.parse(Path(module.__file__).read_text())
    found = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not found & names
