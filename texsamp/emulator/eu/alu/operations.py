"""What instructions mean that compute: a row each, which two read.

`plan` carries an instruction out on arrays as its row says, by the row's functions of NumPy. `lowering` makes of the
same row what the kernels' engine carries out, which has the row's arithmetic in C++ (kernels/eu_compute.h). Neither
knows an opcode by its name. Types and modifiers: seed 004:3952-4656; the others are public facts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu import arithmetic, conditions, products
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.opcodes import MATH_FUNCTIONS
from texsamp.emulator.eu.isa.operands import ELEMENT_TYPE, DataType, Immediate, Source
from texsamp.errors import CaptureError

Array = NDArray[Any]
Function = Callable[..., Array]

_INTEGERS = frozenset({DataType.UD, DataType.D, DataType.UW, DataType.W, DataType.UB, DataType.B})
_DWORDS = frozenset({DataType.UD, DataType.D})
_UD = frozenset({DataType.UD})
_WORDS = frozenset({DataType.UW, DataType.W})
_BYTES = frozenset({DataType.UB, DataType.B})
_F = frozenset({DataType.F})
_ANY = _INTEGERS | _F


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One opcode, or one function of `math`.

    Operands. types: of sources. results: of the destination. sources: how many mean something, None for all of the
    opcode. modifiers: whether sources take abs and negate. plane: elements used of a first source that all channels
    share, as vector of four. vectors, pairs: whether channels go by four or by two; of pairs only the first is written.

    Value. integers, floats: of sources, wide enough for every result; None for types that it has not. of: makes the
    function of an instruction that says more than types. engine: the number of the same in the kernels' engine,
    EU_`engine`; "" for what is left to arrays. low_from_low: the low 32 bits follow from those of the sources.
    no_larger: results fit 32 bits with a sign where the sources do. grows: results of words need more than 32 bits.

    Result. copies: moves bits that no modifier changes as they are. chooses: takes one of its sources, by the predicate
    or the condition modifier, which sets no flags. saturation: whether it takes it. half: is stored as a half float.
    of_half: is made of one.
    remainder: the next register gets what a division leaves.

    Flags. condition: whether there is a condition modifier, which tests the result. compare: tests the sources by this,
    and the result is all ones where it is true.

    Accumulator. accumulates: adds what the accumulator holds. product: is kept there with 64 bits of dwords. carry:
    what is kept there instead of the result.
    """

    types: frozenset[DataType]
    results: frozenset[DataType]
    sources: int | None = None
    modifiers: bool = True
    plane: tuple[int, ...] = ()
    vectors: bool = False
    pairs: bool = False

    integers: Function | None = None
    floats: Function | None = None
    of: Callable[[Instruction], Function] | None = None
    engine: str = ""
    low_from_low: bool = False
    no_larger: bool = False
    grows: bool = False

    copies: bool = False
    chooses: bool = False
    saturation: bool = True
    half: bool = False
    of_half: bool = False
    remainder: bool = False

    condition: bool = True
    compare: Function | None = None

    accumulates: bool = False
    product: bool = False
    carry: Function | None = None


def source_type(source: Source | Immediate) -> DataType:
    """Type of a source's elements."""
    return ELEMENT_TYPE[source.type] if isinstance(source, Immediate) else source.type


def _same(a: Array) -> Array:
    return a


def _chosen(instruction: Instruction) -> Function:
    if instruction.predicate and instruction.condition:
        raise CaptureError("sel takes a predicate or a condition modifier, not both")
    return partial(conditions.selected, instruction.condition)


def _shifted(instruction: Instruction) -> Function:
    return partial(arithmetic.logical_shift, (1 << 8 * source_type(instruction.sources[0]).size_B) - 1)


def _bit_field(instruction: Instruction) -> Function:
    assert instruction.destination is not None
    return arithmetic.bfe_unsigned if instruction.destination.type == DataType.UD else arithmetic.bfe_signed


def _differences(instruction: Instruction) -> Function:
    return partial(arithmetic.pair_differences, instruction.exec_size)


_arithmetic = partial(Operation, types=_ANY, results=_ANY)
_integer = partial(Operation, types=_INTEGERS, results=_INTEGERS)
_logic = partial(_integer, saturation=False, low_from_low=True, no_larger=True)
_float = partial(Operation, types=_F, results=_F)
_bits = partial(Operation, types=_DWORDS, results=_UD | _DWORDS, modifiers=False, saturation=False, condition=False)
_carry = partial(Operation, types=_UD, results=_UD, modifiers=False, saturation=False)
_differing = partial(Operation, types=_BYTES, results=_WORDS, of=_differences, pairs=True)

OPERATIONS = MappingProxyType({
    "mov": _arithmetic(
        integers=_same, floats=_same, copies=True, engine="MOV", low_from_low=True, no_larger=True
    ),
    "sel": _arithmetic(of=_chosen, chooses=True, engine="SEL", low_from_low=True, no_larger=True),
    "add": _arithmetic(integers=np.add, floats=np.add, engine="ADD", low_from_low=True),
    "mul": _arithmetic(
        integers=np.multiply, floats=np.multiply, product=True, engine="MUL", low_from_low=True
    ),
    "mac": Operation(
        types=_WORDS | _BYTES | _F, results=_ANY, integers=np.multiply, floats=np.multiply,
        product=True, accumulates=True, engine="MAC",
    ),
    "cmp": _arithmetic(
        integers=np.subtract, floats=np.subtract, compare=conditions.compared, engine="CMP",
        no_larger=True,
    ),
    "cmpn": _arithmetic(
        integers=np.subtract, floats=np.subtract, compare=conditions.compared_for_numbers
    ),
    "avg": _integer(integers=arithmetic.avg, engine="AVG"),
    "shl": _integer(integers=arithmetic.shl, grows=True, engine="SHL", low_from_low=True),
    "shr": _integer(of=_shifted, engine="SHR", low_from_low=True),
    "asr": _integer(integers=arithmetic.asr, engine="ASR", no_larger=True),
    "not": _logic(integers=np.invert, engine="NOT"),
    "and": _logic(integers=np.bitwise_and, engine="AND"),
    "or": _logic(integers=np.bitwise_or, engine="OR"),
    "xor": _logic(integers=np.bitwise_xor, engine="XOR"),
    "bfi1": _bits(integers=arithmetic.bfi1, grows=True),
    "bfi2": _bits(integers=arithmetic.bfi2),
    "bfe": _bits(of=_bit_field),
    "fbh": _bits(integers=arithmetic.fbh),
    "fbl": _bits(types=_DWORDS | {DataType.UW, DataType.UB}, integers=arithmetic.fbl),  # Mesa reads flags so
    "cbit": _bits(types=_DWORDS | {DataType.UW, DataType.UB}, results=_UD, integers=arithmetic.cbit),
    "bfrev": _bits(types=_UD, results=_UD, integers=arithmetic.bfrev),
    "lzd": Operation(types=_DWORDS, results=_UD | _DWORDS, integers=arithmetic.lzd),
    "addc": _carry(integers=np.add, carry=arithmetic.carried),
    "subb": _carry(integers=np.subtract, carry=arithmetic.borrowed),
    "sad2": _differing(),
    "sada2": _differing(accumulates=True),
    "frc": _float(floats=arithmetic.fraction, engine="FRC"),
    "rndu": _float(floats=np.ceil, engine="RNDU"),
    "rndd": _float(floats=np.floor, engine="RNDD"),
    "rnde": _float(floats=np.rint, engine="RNDE"),
    "rndz": _float(floats=np.trunc, engine="RNDZ"),
    "mad": _float(floats=products.SUMS["mad"], engine="MAD"),
    "lrp": _float(floats=products.SUMS["lrp"], engine="LRP"),
    "line": _float(floats=products.SUMS["line"], plane=(0, 3), engine="MAD"),
    "pln": _float(floats=products.SUMS["pln"], plane=(0, 1, 3), engine="PLN"),
    **{name: _float(floats=products.SUMS[name], vectors=True) for name in ("dp2", "dp3", "dp4", "dph")},
    "f32to16": Operation(types=_F, results=_WORDS | _UD, floats=arithmetic.halved, half=True),
    "f16to32": Operation(types=_WORDS | _UD, results=_F, integers=arithmetic.of_half, modifiers=False, of_half=True),
})  # fmt: skip
"""Opcodes that compute; those of double precision, `mach` and `movi` have modules of their own."""

_of_one = partial(_float, sources=1, condition=False)
_of_two = partial(_float, condition=False)
_division = partial(Operation, types=_DWORDS, results=_DWORDS, modifiers=False, saturation=False, condition=False)

MATH = MappingProxyType({
    **{name: _of_one(floats=products.MATH_FLOAT[name]) for name in ("log", "exp", "sin", "cos")},
    "inv": _of_one(floats=products.MATH_FLOAT["inv"], engine="INV"),
    "sqrt": _of_one(floats=products.MATH_FLOAT["sqrt"], engine="SQRT"),
    "rsq": _of_one(floats=products.MATH_FLOAT["rsq"], engine="RSQ"),
    "fdiv": _of_two(floats=products.MATH_FLOAT["fdiv"], engine="FDIV"),
    "pow": _of_two(floats=products.MATH_FLOAT["pow"]),
    "idivq": _division(integers=products.quotient),
    "idivr": _division(integers=products.remainder),
    "idivqr": _division(integers=products.quotient, remainder=True),
})  # fmt: skip
"""Functions of `math`, whose code takes the place of a condition modifier."""


def math_function(instruction: Instruction) -> str:
    """Name of the function of `math`; CaptureError if it is reserved or not executed."""
    name = MATH_FUNCTIONS.get(instruction.condition, str(instruction.condition))
    if name not in MATH:
        raise CaptureError(f"math function {name} is not executed")
    return name


def name_of(instruction: Instruction) -> str:
    """Of the opcode, or of the function of `math`; CaptureError for a function that is not executed."""
    name = instruction.opcode.mnemonic
    return math_function(instruction) if name == "math" else name


def operation_of(instruction: Instruction) -> Operation:
    """The row of an instruction; CaptureError if it has none."""
    name = instruction.opcode.mnemonic
    if name == "math":
        return MATH[math_function(instruction)]
    if name not in OPERATIONS:
        raise CaptureError(f"{name} is not executed")
    return OPERATIONS[name]
