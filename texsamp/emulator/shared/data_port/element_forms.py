"""Where messages have their elements: offsets, masks, data and responses, one row of a table for each element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from texsamp.device.params import struct_dtype
from texsamp.emulator.eu.registers.threads import REGISTER_B

DWORD_B, OWORD_B = 4, 16
_ELEMENT = struct_dtype("EuElement")
_FIELDS = _ELEMENT.names or ()
_NONE = -1


@dataclass(frozen=True, eq=False)
class Form:
    """table: rows of EuElement. scale: bytes that offsets count. aligned_B: what addresses must be multiples of.

    has_offset: whether the header has an offset of all elements. registers: that the payload has at least.
    response: registers that come back. apart_B: from one register of an atomic operation's source to the next.
    """

    table: NDArray[np.int32]
    unit_B: int  # noqa: N815 - the unit
    scale: int
    aligned_B: int  # noqa: N815
    has_offset: bool
    registers: int
    response: int
    apart_B: int = 0  # noqa: N815


def _table(count: int, **columns: int | NDArray[np.intp]) -> NDArray[np.int32]:
    """Rows with numbers of each column, one for all or one for each; those that are not named are none."""
    made = np.full((count, len(_FIELDS)), _NONE, np.int32)
    for name, default in (("add", 0), ("channels", 0)):
        columns.setdefault(name, default)
    for name, values in columns.items():
        made[:, _FIELDS.index(name)] = values
    made.flags.writeable = False
    return made


@lru_cache(maxsize=64)
def scattered(slots: int, size_B: int, unit_B: int, scale: int, *, has_header: bool, stores: bool) -> Form:  # noqa: N803
    """Slots with an offset each; of bytes, `size_B` one behind the other."""
    header, registers = int(has_header), slots // 8
    slot, part = (each.reshape(-1) for each in np.mgrid[:slots, 0:size_B:unit_B])
    own = header * REGISTER_B + DWORD_B * slot
    table = _table(
        len(slot),
        u=own,
        add=part,
        channels=1 << slot,
        data=own + registers * REGISTER_B + part if stores else _NONE,
        to=_NONE if stores else DWORD_B * slot + part,
    )
    sent = header + registers * (1 + stores)
    return Form(table, unit_B, scale, 1, has_header, sent, 0 if stores else registers)


@lru_cache(maxsize=64)
def block(dwords: int, first: int, scale: int, *, stores: bool) -> Form:
    """Dwords behind the header's offset, from dword `first` of a register on; written where their channels are."""
    number = np.arange(dwords) + first
    place_B, registers = DWORD_B * number, -(-(dwords + first) // 8)
    table = _table(
        dwords,
        add=DWORD_B * np.arange(dwords),
        channels=1 << number % 16 if stores else 0,
        data=REGISTER_B + place_B if stores else _NONE,
        to=_NONE if stores else place_B,
    )
    return Form(
        table, DWORD_B, scale, 1 if scale % DWORD_B == 0 else DWORD_B, True, 1 + registers * stores,
        0 if stores else registers,
    )  # fmt: skip


@lru_cache(maxsize=64)
def dual(owords: int, *, has_header: bool, stores: bool) -> Form:
    """Two blocks of OWords, in the low and the high half of registers; read where one of four channels is enabled."""
    header = int(has_header)
    register, lane = (each.reshape(-1) for each in np.mgrid[:owords, :8])
    half, place_B = lane // 4, register * REGISTER_B + DWORD_B * lane
    table = _table(
        len(lane),
        u=header * REGISTER_B + OWORD_B * half,
        add=OWORD_B * register + DWORD_B * (lane % 4),
        channels=1 << lane if stores else 15 << 4 * half,
        data=(header + 1) * REGISTER_B + place_B if stores else _NONE,
        to=_NONE if stores else place_B,
    )
    sent = header + 1 + owords * stores
    return Form(table, DWORD_B, OWORD_B, 1, has_header, sent, 0 if stores else owords)


@lru_cache(maxsize=64)
def scratch(registers: int, first_B: int, *, by_oword: bool, stores: bool) -> Form:  # noqa: N803 - the unit
    """Registers behind the header's base: the low half of the channels for even ones, the high half for odd ones."""
    register, lane = (each.reshape(-1) for each in np.mgrid[:registers, :8])
    channel, place_B = lane + register % 2 * 8, register * REGISTER_B + DWORD_B * lane
    table = _table(
        len(lane),
        add=first_B + place_B,
        channels=15 << channel // 4 * 4 if by_oword else 1 << channel,
        data=REGISTER_B + place_B if stores else _NONE,
        to=_NONE if stores else place_B,
    )
    return Form(table, DWORD_B, 1, 1, False, 1 + registers * stores, 0 if stores else registers)


@lru_cache(maxsize=64)
def untyped(
    slots: int, axes: int, channels: tuple[int, ...], parameters: int, *, has_header: bool, stores: bool
) -> Form:
    """Slots with one or two addresses, and dwords of each, which go to memory or come from there; slot after slot."""
    header, registers = int(has_header), slots // 8
    slot, number = (each.reshape(-1) for each in np.mgrid[:slots, : len(channels)])
    own = header * REGISTER_B + DWORD_B * slot
    table = _table(
        len(slot),
        u=own,
        v=own + registers * REGISTER_B if axes > 1 else _NONE,
        add=DWORD_B * np.array(channels)[number],
        channels=1 << slot,
        pixel=slot if has_header else _NONE,
        data=own + (axes + number) * registers * REGISTER_B if stores else _NONE,
        to=_NONE if stores else DWORD_B * slot + number * registers * REGISTER_B,
    )
    sent = header + registers * (axes + parameters)
    return Form(table, DWORD_B, 1, DWORD_B, False, sent, 0 if stores else registers * len(channels))


@lru_cache(maxsize=64)
def untyped_pair(channels: tuple[int, ...], *, has_header: bool) -> Form:
    """SIMD4x2: two slots, whose channels are in one register; those that are left out keep what they hold."""
    header = int(has_header)
    slot, number = (each.reshape(-1) for each in np.mgrid[:2, : len(channels)])
    channel, own = np.array(channels)[number], header * REGISTER_B + OWORD_B * slot
    table = _table(
        len(slot),
        u=own,
        v=own + DWORD_B,
        add=DWORD_B * channel,
        channels=15 << 4 * slot,
        to=OWORD_B * slot + DWORD_B * channel,
    )
    return Form(table, DWORD_B, 1, DWORD_B, False, header + 1, 1)


@lru_cache(maxsize=128)
def exchanged(slots: int, axes: int, unit_B: int, sources: int, *, has_header: bool, returns: bool) -> Form:  # noqa: N803
    """Units of slots with one or two addresses, behind which their sources are."""
    header, registers, wide = int(has_header), slots // 8, unit_B // DWORD_B
    slot = np.arange(slots)
    own = header * REGISTER_B + DWORD_B * slot
    table = _table(
        slots,
        u=own,
        v=own + registers * REGISTER_B if axes > 1 else _NONE,
        channels=1 << slot,
        pixel=slot if has_header else _NONE,
        data=own + axes * registers * REGISTER_B if sources else _NONE,
        to=DWORD_B * slot if returns else _NONE,
        high=DWORD_B * slot + registers * REGISTER_B if returns and wide > 1 else _NONE,
    )
    sent, returned = header + registers * (axes + sources * wide), registers * wide * returns
    return Form(table, unit_B, 1, unit_B, False, sent, returned, registers * REGISTER_B)


@lru_cache(maxsize=2)
def of_header(source: int, *, returns: bool) -> Form:
    """One dword of every thread, whatever its channels, whose source is a dword of the header."""
    table = _table(1, data=DWORD_B * source, to=0 if returns else _NONE)
    return Form(table, DWORD_B, 1, DWORD_B, False, 1, int(returns))


@lru_cache(maxsize=64)
def cut(form: Form, registers: int) -> Form:
    """The same with a response of at most so many registers."""
    if registers >= form.response:
        return form
    table, response = form.table.copy(), [_FIELDS.index(name) for name in ("to", "high")]
    places = table[:, response]
    table[:, response] = np.where(places < registers * REGISTER_B, places, _NONE)
    table.flags.writeable = False
    return replace(form, table=table, response=registers)


def channels_of(masked: Sequence[bool]) -> tuple[int, ...]:
    """Channels that are not left out."""
    return tuple(number for number, left_out in enumerate(masked) if not left_out)
