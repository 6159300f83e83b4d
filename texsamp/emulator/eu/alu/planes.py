"""Sources of `line` and `pln`: a vector of four that all channels share, and registers of coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.operands import DataType, Immediate, RegisterFile, Source
from texsamp.emulator.eu.isa.operands import Region as SourceRegion
from texsamp.emulator.eu.registers.regions import Place, Region, source_region
from texsamp.emulator.eu.registers.threads import Threads
from texsamp.errors import CaptureError

Array = NDArray[Any]
Reader = Callable[[Threads], Array]

_WHOLE_REGISTER = SourceRegion(8, 8, 1)
_GROUP = 8
"""Channels of a register of floats."""


def plane_readers(instruction: Instruction, convert: Callable[[Array], Array]) -> list[Reader]:
    """Readers of the plane, (threads, 4), and of the coordinates, (threads, channels): one for `line`, two for `pln`.

    The coordinates of `pln` take two registers for every eight channels, first all U of the eight and then all V.
    CaptureError for operands that are none of that.
    """
    plane, second = instruction.sources
    if isinstance(plane, Immediate) or isinstance(second, Immediate):
        raise CaptureError(f"{instruction.opcode.mnemonic} takes registers")
    if plane.indirection is not None or plane.file != RegisterFile.GENERAL or second.indirection is not None:
        raise CaptureError(f"{instruction.opcode.mnemonic} takes general registers without an address")
    readers = [_modified(plane, vector_of(plane).read, convert)]
    if instruction.opcode.mnemonic == "line":
        place = Place(second, source_region(second, instruction.exec_size))
        return [*readers, _modified(second, place.read, convert)]
    if instruction.exec_size not in (_GROUP, 2 * _GROUP) or second.subregister_B:
        raise CaptureError("pln needs 8 or 16 channels and whole registers of coordinates")
    for first in (0, 1):
        numbers = range(second.number + first, second.number + instruction.exec_size // _GROUP * 2, 2)
        readers.append(_modified(second, _joined(second, list(numbers)), convert))
    return readers


def vector_of(plane: Source) -> Place:
    """Four elements from the operand's origin on, whatever its region."""
    size = DataType.F.size_B
    region = Region(plane.type, [size * i for i in range(4)], (4,), (size,))
    return Place(replace(plane, region=SourceRegion(4, 4, 1)), region)


def _joined(source: Source, numbers: list[int]) -> Reader:
    places = []
    for number in numbers:
        part = replace(source, number=number, region=_WHOLE_REGISTER)
        places.append(Place(part, source_region(part, _GROUP)))
    return lambda threads: np.concatenate([place.read(threads) for place in places], axis=1)


def _modified(source: Source, read: Reader, convert: Callable[[Array], Array]) -> Reader:
    def modified(threads: Threads) -> Array:
        values = convert(read(threads))
        values = np.abs(values) if source.absolute else values
        return -values if source.negate else values

    return modified
