"""Reading and writing one structure in the registers of many threads at once, by the rows the structure has anyway."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from texsamp.errors import StateError
from texsamp.state.base import Array, Struct
from texsamp.state.fields import DWORD, Piece, Row
from texsamp.state.kinds import Address, Flag, Float, Integer

REGISTER_DWORDS = 8


def read_row(row: Row[Any], registers: NDArray[np.uint32]) -> NDArray[Any]:
    """Values of one row of a one-register structure.

    registers: (threads, 8) uint32. The result is (threads, *axes of the row): float32, bool, int32 or uint32, by the
    kind of the row; codes of enumerations stay codes, addresses are shifted to their place.
    """
    codes = np.stack([_code(registers, piece) for piece in row.runs()], axis=-1)
    codes = codes.reshape(len(registers), *(row.shape if isinstance(row, Array) else ()))
    if isinstance(row.kind, Float):
        return codes.view(np.float32)
    if isinstance(row.kind, Flag):
        return codes.astype(np.bool_)
    if isinstance(row.kind, Address):
        return codes << np.uint32(row.low)
    if isinstance(row.kind, Integer) and row.kind.signed:
        spare = np.int32(DWORD - row.width)
        return codes.view(np.int32) << spare >> spare
    return codes


def _code(registers: NDArray[np.uint32], piece: Piece) -> NDArray[np.uint32]:
    dword, low = divmod(piece.offset, DWORD)
    return registers[:, dword] >> np.uint32(low) & np.uint32((1 << piece.width) - 1)


def read_rows(structure: type[Struct], registers: NDArray[np.uint32]) -> dict[str, NDArray[Any]]:
    """Values of every row, as `read_row`."""
    return {name: read_row(row, registers) for name, row in structure.rows.items()}


def write_rows(structure: type[Struct], values: Mapping[str, ArrayLike], threads: int) -> NDArray[np.uint32]:
    """Registers (threads, 8) uint32 with the rows named in `values`; all other bits are 0.

    Each value broadcasts to (threads, *axes of its row). Raises StateError for a name the structure does not have, a
    shape that does not fit and a number that the bits of its row cannot hold.
    """
    registers = np.zeros((threads, REGISTER_DWORDS), np.uint32)
    for name, value in values.items():
        row = structure.rows.get(name)
        if row is None:
            raise StateError(f"{structure.name} has no field {name}; fields: {', '.join(structure.rows)}")
        shape = (threads, *(row.shape if isinstance(row, Array) else ()))
        codes = _codes(row, _broadcast(row, np.asarray(value), shape)).reshape(threads, prod(shape[1:]))
        for element, piece in enumerate(row.runs()):
            dword, low = divmod(piece.offset, DWORD)
            registers[:, dword] |= codes[:, element] << np.uint32(low)
    return registers


def _broadcast(row: Row[Any], value: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise StateError(f"{row.struct_name}.{row.name}: an array {value.shape} where {shape} is needed") from None


def _codes(row: Row[Any], value: NDArray[Any]) -> NDArray[np.uint32]:
    """Codes of the values of a row; rows of one register are single dwords or less."""
    if isinstance(row.kind, Float):
        return np.ascontiguousarray(value, np.float32).view(np.uint32)
    if value.dtype.kind not in "bui":
        raise StateError(f"{row.struct_name}.{row.name} ({row.bits}): holds integers, found {value.dtype}")
    signed = isinstance(row.kind, Integer) and row.kind.signed
    if isinstance(row.kind, Address) and (value & ((1 << row.low) - 1)).any():
        raise StateError(f"{row.struct_name}.{row.name} ({row.bits}): a multiple of {1 << row.low} is needed")
    lowest = -(1 << (row.width - 1)) if signed else 0
    highest = lowest + (1 << row.width) - 1
    wide = value.astype(np.int64) >> (row.low if isinstance(row.kind, Address) else 0)
    wrong = (wide < lowest) | (wide > highest)
    if wrong.any():
        raise StateError(
            f"{row.struct_name}.{row.name} ({row.bits}): {wide[wrong][0]} is out of range; legal: {lowest}..{highest}"
        )
    return (wide & ((1 << row.width) - 1)).astype(np.uint32)
