"""Instructions as rows of a table for the engine, which computes what they mean (kernels/eu_compute.h).

What it does not take is left to `plan.Compute`: state registers, implicit writes of accumulators, double precision,
addresses in align16, and operations that are none of the engine's (`operations.Operation.engine`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from texsamp.device.params import constant, struct_dtype
from texsamp.emulator.eu.alu.align16 import Swizzled
from texsamp.emulator.eu.alu.operations import source_type
from texsamp.emulator.eu.alu.plan import Compute, flag_position, has_two_registers
from texsamp.emulator.eu.alu.planes import vector_of
from texsamp.emulator.eu.isa.instruction import KEPT_INSTRUCTIONS, Instruction
from texsamp.emulator.eu.isa.opcodes import PREDICATES, Shape
from texsamp.emulator.eu.isa.operands import (
    ADDRESS,
    DataType,
    Destination,
    Immediate,
    Indirection,
    RegisterFile,
    Source,
)
from texsamp.emulator.eu.registers.accumulator_place import AccumulatorPlace, is_accumulator
from texsamp.emulator.eu.registers.accumulators import ACCUMULATORS
from texsamp.emulator.eu.registers.regions import Place, destination_region, is_null, source_region
from texsamp.emulator.eu.registers.threads import ADDRESSES_AT, FLAGS, GENERAL_B, REGISTER_B
from texsamp.errors import CaptureError

OPERATION, _SOURCE = struct_dtype("EuOperation"), struct_dtype("EuSource")
assert OPERATION.fields is not None and _SOURCE.fields is not None


def _forms(kind: np.dtype[Any]) -> dict[str, tuple[struct.Struct, int]]:
    """How and where the numbers of a struct are put into bytes."""
    fields: Any = kind.fields
    return {
        name: (struct.Struct(f"<{dtype.char}"), offset)
        for name, (dtype, offset, *_) in fields.items()
        if dtype.kind in "iu" and not dtype.shape
    }


_OF_ROWS, _OF_SOURCES = _forms(OPERATION), _forms(_SOURCE)
_SOURCES_AT = OPERATION.fields["sources"][1]
_SOURCES = 3
_AT, _SOURCE_LISTS = (
    [_SOURCES_AT + n * _SOURCE.itemsize + _SOURCE.fields[name][1] for n in range(_SOURCES)] for name in ("at", "list")
)
_LISTS = (*_SOURCE_LISTS, OPERATION.fields["to_list"][1])
"""Where in a row the bytes of constants, and lists, of sources and destination are named."""
_PLACE = struct.Struct("<i")
CHANNELS = constant("EU_CHANNELS")
_FLAG_BITS = 32

_CONDITIONS = range(constant("EU_Z"), constant("EU_LE") + 1)
_FLOATS, _LOW, _WIDE = constant("EU_FLOATS"), constant("EU_LOW"), constant("EU_WIDE")
_PACKED, _SHARED, _LISTED, _NONE = (constant(f"EU_{name}") for name in ("PACKED", "SHARED", "LISTED", "NONE"))
_ROWED, _KEPT = constant("EU_ROWED"), constant("EU_KEPT")
_FORGETS, _COMPONENT = constant("EU_FORGETS"), constant("EU_COMPONENT")
_MOST_BRANCHING = 16
"""Channels of branches."""
_EXPECT, JUMP, BRANCH, STOP = (constant(f"EU_{name}") for name in ("EXPECT", "JUMP", "BRANCH", "STOP"))
_BRANCHES = {name: constant(f"EU_{name.upper()}") for name in ("parts", "joins", "loops", "suspends")}
_GENERAL, _NOTHING = constant("EU_GENERAL"), constant("EU_NOTHING")
_EIGHT = constant("EU_EIGHT")
_WHOLE, _FIRST_HALF, _SECOND_HALF = (constant(f"EU_{name}") for name in ("WHOLE", "FIRST_HALF", "SECOND_HALF"))
_MOV = constant("EU_MOV")
_DWORDS, _DWORD_B = (DataType.UD, DataType.D, DataType.F), 4
_DIRECT = {1: constant("EU_ONE"), 8: constant("EU_EIGHT"), 16: constant("EU_SIXTEEN")}
"""Channels to how operations of so many are run, if nothing is against it."""
_REACHED = (ADDRESS, *ACCUMULATORS, *FLAGS)
"""Architecture registers that the engine reads and writes."""
_COMPONENTS = ("x", "y", "z", "w")
"""Predicates of align16 that repeat one channel's flag."""
_LARGEST_SPAN_B = 255

Fields = dict[str, Any]
"""Of `OPERATION` or one of its sources; 0 where there is none."""


@dataclass
class Operands:
    """What rows point to: constants, and offsets of elements, as many as there are channels."""

    constants: bytearray = field(default_factory=bytearray)
    offsets: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Lowered:
    """The row of an instruction, bytes of an `OPERATION`, and what it points to.

    of_constants, of_offsets: where in the row there are places among them, numbers of 4 bytes.
    """

    row: bytes
    operands: Operands
    of_constants: tuple[int, ...]
    of_offsets: tuple[int, ...]

    def among(self, others: Operands) -> bytes:
        """The row where what it points to has been put behind others'."""
        constants, offsets = len(others.constants), len(others.offsets)
        others.constants += self.operands.constants
        others.offsets += self.operands.offsets
        if not (self.operands.constants or self.operands.offsets):
            return self.row
        row = bytearray(self.row)
        for places, first in ((self.of_constants, constants), (self.of_offsets, offsets)):
            for place in places:
                _PLACE.pack_into(row, place, _PLACE.unpack_from(row, place)[0] + first)
        return bytes(row)


def _lowered(fields: Fields, operands: Operands) -> Lowered:
    constants = tuple(place for one, place in zip(fields["sources"], _AT, strict=True) if one.get("is_constant"))
    lists = _LISTS if fields.get("to_place") == _ROWED else _LISTS[:-1]
    return Lowered(_packed(fields), operands, constants, lists)


@lru_cache(maxsize=KEPT_INSTRUCTIONS)
def lowered(compute: Compute) -> Lowered | None:
    """What the engine is given of an instruction; None if it does not take it."""
    operands = Operands()
    try:
        fields = _fields(compute, operands)
    except CaptureError:  # raised again when the instruction runs
        return None
    return None if fields is None else _lowered(fields, operands)


def _packed(fields: Fields) -> bytes:
    row = bytearray(OPERATION.itemsize)
    for number, one in enumerate(fields["sources"]):
        for name, value in one.items():
            form, offset = _OF_SOURCES[name]
            form.pack_into(row, _SOURCES_AT + number * _SOURCE.itemsize + offset, value)
    for name, value in fields.items():
        if name != "sources":
            form, offset = _OF_ROWS[name]
            form.pack_into(row, offset, value)
    return bytes(row)


def _fields(compute: Compute, operands: Operands) -> Fields | None:
    instruction = compute.instruction
    operation = compute.operation
    if not operation.engine or not _is_plain(compute) or not _takes_modifiers(compute):
        return None
    row: Fields = {"sources": [{"place": _NONE} for _ in range(_SOURCES)]}
    row["opcode"], row["channels"], row["first_channel"] = (
        constant(f"EU_{operation.engine}"),
        instruction.exec_size,
        instruction.first_channel,
    )
    row["no_mask"], row["saturate"], row["inverted"] = instruction.no_mask, instruction.saturate, instruction.invert
    row["condition"] = instruction.condition if operation.condition else 0
    row["flags"] = -1
    if compute.flags is not None:
        row["flags"] = _FLAG_BITS * instruction.flag_register + compute.flags
    _put_predicate(row, instruction)
    row["keeps_denormals"] = compute.is_copy or (operation.chooses and not instruction.condition)
    row["arithmetic"] = _arithmetic(compute)
    _put_sources(row, compute, operands)
    _put_destination(row, compute, operands)
    row["path"] = _path(row)
    row["half"] = _half(row)
    return row


def _path(row: Fields) -> int:
    """How a CPU runs an operation: in one step, unless it needs an address for each element, or 64 bits."""
    channels = row["channels"]
    everywhere = (1 << channels) - 1
    near = {row["to_place"], *(one["place"] for one in row["sources"])} <= {_PACKED, _SHARED, _LISTED, _NONE}
    whole = row["enabled"] & everywhere == everywhere and row.get("keeping", 0) in (0, _FORGETS)
    narrow = row["arithmetic"] != _WIDE or _is_number(row)
    return _DIRECT.get(channels, _GENERAL) if near and whole and narrow else _GENERAL


def _is_number(row: Fields) -> bool:
    """Whether an operation only makes dwords floats, for which floats do, though their integers need more bits."""
    source, to_float = row["sources"][0], row["to_type"] == DataType.F
    plain = not (row["saturate"] or source.get("address") or row.get("keeping")) and row["flags"] < 0
    return plain and to_float and row["opcode"] == _MOV and source["type"] in (DataType.D, DataType.UD)


def _half(row: Fields) -> int:
    """Whether a CPU may run an operation together with that for the eight channels before or behind."""
    first = row["first_channel"]
    plain = row["path"] == _EIGHT and not first % 8 and row["group"] == 1 and not row.get("vertical")
    if not plain or row.get("keeping") or row.get("trims") or row.get("to_address"):
        return _WHOLE
    if row["to"] >= 0 and (row["to_stride"] != _DWORD_B or not _is_of_dwords(row["to_type"], row["to"])):
        return _WHOLE
    for one in row["sources"]:
        if one["place"] != _NONE and (one.get("address") or not _is_of_halves(one)):
            return _WHOLE
    return _SECOND_HALF if first % 16 else _FIRST_HALF


def _is_of_halves(one: Fields) -> bool:
    """Whether a source is eight dwords side by side, or one for all channels."""
    if one.get("is_constant"):
        return bool(one["place"] == _SHARED)
    return one["place"] in (_SHARED, _PACKED) and _is_of_dwords(one["type"], one["at"])


def _is_of_dwords(kind: int, at: int) -> bool:
    return kind in _DWORDS and at < GENERAL_B


def nothing() -> bytes:
    """The row of an instruction that only takes a step."""
    return _packed({"sources": [{}] * _SOURCES, "predicate": -1, "flags": -1, "to": -1, "group": 1, "path": _NOTHING})


def expectation(jump: Instruction, taken: bool) -> bytes | None:
    """The row that stops where a predicated jump goes another way than expected; None for predicates of align16."""
    if jump.align16:
        return None
    row: Fields = {"sources": [{}] * _SOURCES, "opcode": _EXPECT, "channels": 1, "to": -1, "flags": -1}
    row["condition"], row["inverted"] = taken, jump.invert
    _put_predicate(row, jump)
    return _packed(row)


@dataclass(frozen=True)
class Ways:
    """Rows that a branch leads to. target: of channels that jump. ahead: of those it does not name, at last.

    lead: of threads that have no channel behind it, where `leads` says that such go there.
    """

    target: int
    ahead: int
    lead: int
    leads: bool


def going_on(jump: Instruction, number: int, *, stays: bool = False) -> bytes:
    """The row that goes on with another row of a program as a jump does.

    stays: it goes around rows that the engine does not take.
    """
    row: Fields = {"sources": [{"at": number}, {}, {}], "opcode": JUMP, "channels": 1, "to": -1, "flags": -1}
    row["inverted"], row["stays"] = jump.invert, stays
    _put_predicate(row, jump)
    return _packed(row)


def branching(branch: Instruction, ways: Ways, *, kind: str, inverted: bool) -> bytes | None:
    """The row that channels go on at as a branch says; None for others.

    kind: its EuBranch. inverted: whether they jump where the predicate is not set.
    """
    if branch.exec_size > _MOST_BRANCHING:
        return None
    ways_on = [{"at": number} for number in (ways.target, ways.lead, ways.ahead)]
    row: Fields = {"sources": ways_on, "opcode": BRANCH, "to": -1, "flags": -1}
    row["channels"], row["first_channel"] = branch.exec_size, branch.first_channel
    row["inverted"], row["condition"], row["leads"] = bool(branch.invert) != inverted, _BRANCHES[kind], ways.leads
    _put_predicate(row, branch)
    return _packed(row)


def stopping() -> bytes:
    """The row of an instruction that the engine does not take."""
    return _packed({"sources": [{}] * _SOURCES, "opcode": STOP, "predicate": -1, "to": -1, "flags": -1, "group": 1})


def _put_predicate(row: Fields, instruction: Instruction) -> None:
    row["group"] = 1
    row["predicate"] = -1
    if not instruction.predicate:
        return
    name = PREDICATES[instruction.align16][instruction.predicate]
    row["group_all"], row["vertical"] = name.startswith("all"), name.endswith("v")
    row["group"] = int(name[3:-1]) if name.endswith("h") else 1
    if name in _COMPONENTS:
        row["group"], row["group_all"] = len(_COMPONENTS), _COMPONENT + _COMPONENTS.index(name)
    first = instruction.first_channel if name.endswith("v") else flag_position(instruction)
    row["predicate"] = _FLAG_BITS * instruction.flag_register + first


def _is_plain(compute: Compute) -> bool:
    instruction = compute.instruction
    destination = instruction.destination
    assert destination is not None
    if not (is_null(destination) or _is_reached(destination, compute)) or instruction.accumulator_write:
        return False
    sources = _taken(compute)
    return DataType.DF not in [destination.type, *map(source_type, sources)] and all(
        isinstance(source, Immediate) or _is_reached(source, compute) for source in sources
    )


def _taken(compute: Compute) -> tuple[Source | Immediate, ...]:
    """Sources that mean something."""
    return compute.instruction.sources[: compute.operation.sources]


def _is_reached(operand: Source | Destination, compute: Compute) -> bool:
    align16 = compute.instruction.align16
    if operand.file == RegisterFile.ARCHITECTURE:
        return operand.number in _REACHED and not align16
    if operand.indirection is None:
        return operand.file == RegisterFile.GENERAL
    return not align16 and not compute.operation.plane


def _takes_modifiers(compute: Compute) -> bool:
    """Whether condition modifiers, and types together, are of those that the engine has."""
    instruction, operation = compute.instruction, compute.operation
    condition = instruction.condition if operation.condition else 0
    if condition and condition not in _CONDITIONS:
        return False
    if condition and compute.is_copy and compute.is_float:  # stored as it is, but tested without denormals
        return False
    same = len({source_type(source).is_float for source in instruction.sources}) == 1
    return same and (bool(condition) or operation.compare is None)


def _arithmetic(compute: Compute) -> int:
    instruction, operation = compute.instruction, compute.operation
    if compute.is_float:
        return _FLOATS
    if operation.accumulates or any(map(is_accumulator, (instruction.destination, *instruction.sources))):
        return _WIDE
    if compute.wide == np.int32:
        return _LOW
    sources = instruction.sources
    signed = DataType.UD not in map(source_type, sources)
    as_stored = not any(isinstance(source, Source) and (source.absolute or source.negate) for source in sources)
    destination = instruction.destination
    assert destination is not None
    compares = operation.chooses and instruction.condition  # other conditions look at what is stored
    exact = instruction.saturate or destination.type.is_float or compares
    if operation.no_larger and signed and as_stored:
        return _LOW
    return _LOW if operation.low_from_low and not exact and (signed or as_stored) else _WIDE


def _put_sources(row: Fields, compute: Compute, operands: Operands) -> None:
    instruction, operation = compute.instruction, compute.operation
    sources: list[tuple[Source | Immediate, list[int]]] = []
    if operation.plane:
        plane, second = instruction.sources
        assert isinstance(plane, Source) and isinstance(second, Source)
        x, _, _, w = vector_of(plane).positions
        channels = instruction.exec_size
        if len(operation.plane) == 2:  # w + x * b
            place = Place(second, source_region(second, channels))
            sources = [(plane, [w] * channels), (plane, [x] * channels), (second, place.positions)]
        else:
            u = second.number * REGISTER_B
            pairs = [u + channel // 8 * 2 * REGISTER_B + channel % 8 * 4 for channel in range(channels)]
            sources = [(plane, [x] * channels), (second, pairs), (second, [at + REGISTER_B for at in pairs])]
    else:
        sources = [(source, _positions(source, instruction, operands)) for source in _taken(compute)]
    for number, (source, positions) in enumerate(sources):
        one = row["sources"][number]
        kind = source_type(source)
        one["type"], one["is_constant"] = kind, isinstance(source, Immediate)
        if isinstance(source, Source):
            one["absolute"], one["negate"] = source.absolute, source.negate
        _put_positions(one, positions, kind.size_B, operands)
        if isinstance(source, Source) and source.indirection is not None:
            place = Place(source, source_region(source, instruction.exec_size), halves=has_two_registers(instruction))
            _put_address(one, source.indirection, place, kind.size_B, operands)
        elif is_accumulator(source):
            assert isinstance(source, Source)
            kept = AccumulatorPlace(source, source_region(source, instruction.exec_size))
            if kept.guards:
                one["place"], one["address"] = _KEPT, kept.lanes[0]
                one["list"] = _listed([position - positions[0] for position in positions], operands)
    held = compute.accumulator
    if operation.accumulates and held is not None:
        one = row["sources"][2]
        one["type"] = held.type
        _put_positions(one, held.positions, held.type.size_B, operands)
        if held.guards:
            one["place"], one["address"] = _KEPT, held.lanes[0]
            one["list"] = _listed([position - held.positions[0] for position in held.positions], operands)


def _put_positions(one: Fields, positions: list[int], size_B: int, operands: Operands) -> None:  # noqa: N803 - the unit
    one["at"] = positions[0]
    steps = [position - positions[0] for position in positions]
    one["span"] = max(steps) + size_B
    if not any(steps):
        one["place"] = _SHARED
    elif steps == [size_B * i for i in range(len(steps))]:
        one["place"] = _PACKED
    else:
        one["place"], one["list"] = _LISTED, _listed(steps, operands)


def _listed(steps: list[int], operands: Operands) -> int:
    """Where a list of one number for each channel begins."""
    at = len(operands.offsets)
    operands.offsets += steps + [steps[0]] * (CHANNELS - len(steps))
    return at


def _put_address(one: Fields, at: Indirection, place: Place, size_B: int, operands: Operands) -> None:  # noqa: N803 - the unit
    """Elements behind one address, or each behind its own."""
    words = [ADDRESSES_AT + 2 * (at.subregister + row) for row in place.rows]
    one["at"] = at.offset_B
    one["address"] = words[0]
    if len(set(words)) == 1:
        return
    one["place"] = _ROWED
    one["list"] = _listed(place.offsets, operands)
    _listed(words, operands)


def _positions(source: Source | Immediate, instruction: Instruction, operands: Operands) -> list[int]:
    count = instruction.exec_size
    if isinstance(source, Immediate):
        values = source.values(count)
        at = len(operands.constants)
        operands.constants += values.tobytes() + bytes(-values.nbytes % 4)
        return [at + values.itemsize * (i if len(values) > 1 else 0) for i in range(count)]
    if instruction.align16:
        return Swizzled(source, count, three_sources=instruction.opcode.shape is Shape.THREE_SOURCES).positions
    place = Place(source, source_region(source, count), halves=has_two_registers(instruction))
    return place.offsets if source.indirection is not None else place.positions


def _put_destination(row: Fields, compute: Compute, operands: Operands) -> None:
    instruction = compute.instruction
    destination, count = instruction.destination, instruction.exec_size
    assert destination is not None
    row["to_type"], row["enabled"], row["to_place"] = destination.type, 0xFFFFFFFF, _PACKED
    if instruction.align16:
        mask = 15 if destination.mask is None else destination.mask
        row["enabled"] = sum(1 << n for n in range(count) if mask >> n % 4 & 1)
    if is_null(destination):
        row["to"] = -1
        return
    size_B, stride = destination.type.size_B, destination.stride
    if instruction.align16:
        stride = 1
    row["to_stride"] = stride * size_B
    packed = replace(destination, stride=stride, mask=None)
    place = Place(packed, destination_region(packed, count), halves=has_two_registers(instruction))
    if destination.indirection is not None:
        words = [ADDRESSES_AT + 2 * (destination.indirection.subregister + row_) for row_ in place.rows]
        row["to"], row["to_address"] = destination.indirection.offset_B, words[0]
        row["to_span_B"] = min(max(place.offsets) + size_B, _LARGEST_SPAN_B)
        if len(set(words)) > 1:
            row["to_place"], row["to_list"] = _ROWED, _listed(place.offsets, operands)
            _listed(words, operands)
        return
    row["to"] = place.positions[0]
    row["trims"] = destination.file == RegisterFile.ARCHITECTURE and destination.number == ADDRESS
    if is_accumulator(destination):
        kept = AccumulatorPlace(destination, destination_region(destination, count))
        row["keeping"], row["whole_product"] = (size_B if kept.guards else _FORGETS), compute.is_wide_product
        if kept.guards:
            row["to_list"] = kept.lanes[0]
