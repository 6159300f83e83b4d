"""Buffers as data port messages see them: reads outside a surface give 0 and writes there are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.context.surfaces import STATELESS, SurfaceTable
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.files.capture import BufferObject
from texsamp.emulator.shared.data_port.atomics import exchange
from texsamp.errors import CaptureError
from texsamp.state import SurfaceType
from texsamp.state.data_port import AtomicOperation

DWORD_B = 4
_REGISTER_DWORDS = 8
_OFFSET, _BUFFER_BASE, _PIXEL_MASK = 2, 5, 7
ACCESSES_PER_UNIT = 64
"""Atomic accesses that are worth a unit of work, if all are to one place."""
_BASE_MASK = 0xFFFFFC00
_DENSE = 64
"""Places for each number among which a table of all finds equal ones faster than sorting does."""


@dataclass(frozen=True)
class Buffer:
    """Where a buffer's bytes are, per thread: stateless ones have a base of their own. size_B: None if unbounded.

    shared: whether these are the shared local memories, one behind the other, and not graphics memory.
    """

    base: NDArray[np.int64]
    size_B: int | None  # noqa: N815 - the unit
    shared: bool = False


@dataclass(frozen=True)
class Header:
    """What the header of a message says: the global offset of every thread, in the message's unit.

    registers: how many the header takes; 0 if there is none, which makes the offset 0. pixel_mask: of
    messages that have slots.
    """

    registers: int
    offset: NDArray[np.int64]
    buffer_base: NDArray[np.int64] | None
    pixel_mask: NDArray[np.uint32] | None


def read_header(message: Message, *, required: bool) -> Header:
    """The header of a message; CaptureError if it is required and missing."""
    if message.has_header:
        sent = message.dwords(0, 1, (_OFFSET, _BUFFER_BASE, _PIXEL_MASK))
        dwords = sent.astype(np.int64)
        return Header(1, dwords[:, _OFFSET], dwords[:, _BUFFER_BASE] & _BASE_MASK, sent[:, _PIXEL_MASK])
    if required:
        raise CaptureError("this data port message needs a header")
    return Header(0, np.zeros(len(message.rows), np.int64), None, None)


@dataclass(frozen=True)
class _Piece:
    """What lies in one buffer object: its units, which of all units, None for all, and their places in it.

    device: where units are. owner: None for shared local memory.
    """

    device: Device
    units: Array
    chosen: NDArray[np.bool_] | None
    places: NDArray[np.int64]
    owner: BufferObject | None

    @cached_property
    def _numbers(self) -> Array:
        assert self.chosen is not None
        return self.device.upload(np.flatnonzero(self.chosen))

    def of(self, values: Array) -> Array:
        """Those of them that are here, one behind the other."""
        flat = values.reshape(-1)
        return flat if self.chosen is None else flat[self._numbers]

    def among_zeros(self, values: Array, shape: tuple[int, ...], others: Array | None) -> Array:
        """Values that are here, in a shape of all; with those of other pieces, else zeros."""
        if self.chosen is None:
            return values.reshape(shape)
        out: Array = self.device.arrays.zeros(shape, values.dtype) if others is None else others
        out.reshape(-1)[self._numbers] = values
        return out


@dataclass
class Buffers:
    """Resolves binding table indices to buffers, and moves units of 1 or 4 bytes between them and arrays.

    device: where threads' registers are. What is loaded and stored is there, addresses are the host's.
    """

    surfaces: SurfaceTable
    general_base: int
    budget: Budget
    shared_memory: SharedMemory
    device: Device

    def shared(self, message: Message) -> Buffer:
        """The shared local memory of each thread; CaptureError if it has none."""
        return Buffer(self.shared_memory.base_B(message.threads.numbers[message.rows]), None, shared=True)

    def find(self, header: Header, index: int, element_B: int) -> Buffer:  # noqa: N803 - the unit
        """Buffer of a binding table index; element_B: size of its elements for bounds, whatever its pitch says.

        CaptureError for a stateless message without a header, and for surfaces that are no buffers of whole dwords.
        """
        if index == STATELESS:
            if header.buffer_base is None:
                raise CaptureError("stateless messages need a header")
            return Buffer(self.general_base + header.buffer_base, None)
        state = self.surfaces.render(index)
        if state.surface_type == SurfaceType.SURFTYPE_NULL:  # nothing lies inside (seed 003:1992)
            return Buffer(np.zeros(len(header.offset), np.int64), 0)
        if state.surface_type != SurfaceType.SURFTYPE_BUFFER:
            raise CaptureError(f"data port blocks need a buffer, surface {index} is {state.surface_type.name}")
        if state.base_address % DWORD_B:
            raise CaptureError(f"surface {index} begins at {state.base_address:#x}, within a dword")
        return Buffer(np.full(len(header.offset), state.base_address, np.int64), state.entries * element_B)

    def load(
        self, buffer: Buffer, offsets: NDArray[np.int64], enabled: NDArray[np.bool_] | None, unit: int = DWORD_B
    ) -> Array:
        """Units at byte offsets, shape of `offsets`; those that are not enabled are not read and come back as 0."""
        out: Array | None = None
        for piece in self._pieces(buffer, offsets, _inside(buffer, offsets, unit, enabled), unit):
            found = piece.units[kept(self.device, (piece.places,))[0]].astype(np.uint32, copy=False)
            out = piece.among_zeros(found, offsets.shape, out)
        return self.device.arrays.zeros(offsets.shape, np.uint32) if out is None else out

    def store(
        self,
        buffer: Buffer,
        offsets: NDArray[np.int64],
        values: Array,
        enabled: NDArray[np.bool_],
        unit: int = DWORD_B,
    ) -> None:
        """Write units in ascending order of thread and place, so that of two at one place the later one stays."""
        upload = self.device.upload
        for piece in self._pieces(buffer, offsets, _inside(buffer, offsets, unit, enabled), unit):
            here, places = piece.of(values), piece.places
            last = None if self.device.arrays is np else last_of_each(places)
            if last is not None:
                here, places = here[upload(last)], places[last]
            piece.units[upload(places)] = here.astype(piece.units.dtype, copy=False)
            self._touch(piece)

    def exchange(
        self,
        buffer: Buffer,
        offsets: NDArray[np.int64],
        enabled: NDArray[np.bool_],
        operation: AtomicOperation,
        sources: tuple[Array, ...],
        unit: int,
    ) -> Array:
        """Atomic operations on units in ascending order of thread and place; the results are 0 if not enabled."""
        out: Array | None = None
        for piece in self._pieces(buffer, offsets, enabled, unit):
            self.budget.spend(1 + len(piece.places) // ACCESSES_PER_UNIT)
            here = [piece.of(source) for source in sources]
            old = exchange(operation, self.device, piece.units, piece.places, here)
            out = piece.among_zeros(old, offsets.shape, out)
            self._touch(piece)
        return self.device.arrays.zeros(offsets.shape, f"<u{unit}") if out is None else out

    def _touch(self, piece: _Piece) -> None:
        if piece.owner is not None:
            self.surfaces.memory.touch(piece.owner, self.device)

    def _pieces(
        self, buffer: Buffer, offsets: NDArray[np.int64], chosen: NDArray[np.bool_], unit: int
    ) -> Iterator[_Piece]:
        """Chosen units by the buffer object they lie in."""
        kind: np.dtype[Any] = np.dtype(f"<u{unit}")
        every = bool(chosen.all())
        if buffer.shared:
            places = (buffer.base[:, None] + offsets % self.shared_memory.block_B) // unit
            units = self.shared_memory.data.on(self.device).view(kind)
            where, places = (None, places.reshape(-1)) if every else (chosen, places[chosen])
            yield _Piece(self.device, units, where, places, None)
            return
        addresses = buffer.base[:, None] + offsets
        memory, remaining = self.surfaces.memory, chosen
        while remaining.any():
            start = int(addresses[remaining][0])
            owner = memory.find(start, unit)
            first = owner.address + (start - owner.address) % unit
            end = first + (owner.address + owner.size - first) // unit * unit
            units = memory.bytes_on(self.device, first)[: end - first].view(kind)
            here = remaining & (addresses >= first) & (addresses + unit <= end)
            if every and here.all():
                yield _Piece(self.device, units, None, (addresses.reshape(-1) - first) // unit, owner)
                return
            yield _Piece(self.device, units, here, (addresses[here] - first) // unit, owner)
            self.budget.spend()
            remaining = remaining & ~here


def _inside(
    buffer: Buffer, offsets: NDArray[np.int64], unit: int, enabled: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    inside = np.ones(offsets.shape, np.bool_) if enabled is None else enabled.copy()
    if buffer.size_B is not None:
        inside &= offsets + unit <= buffer.size_B
    return inside


def last_of_each(places: NDArray[np.int64]) -> NDArray[np.int32] | None:
    """Of numbers that are equal where the last one is, in the numbers' order; None if no two are.

    Of several values that are stored at one place numpy leaves the last, CuPy any.
    """
    if not len(places):
        return None
    first, end = int(places.min()), int(places.max()) + 1
    if end - first <= _DENSE * len(places):
        writer = np.full(end - first, -1, np.int32)
        writer[places - first] = np.arange(len(places), dtype=np.int32)
        last = writer[writer >= 0]
    else:  # a table of all would take as much memory as the surface
        order = np.argsort(places, kind="stable").astype(np.int32)
        ordered = places[order]
        last = order[np.append(ordered[1:] != ordered[:-1], True)]
    return None if len(last) == len(places) else last


def channel_mask(message: Message) -> NDArray[np.bool_]:
    """Enabled channels of the first 16, shape (threads, 16); channels beyond the execution size are off."""
    mask = np.zeros((len(message.rows), 16), np.bool_)
    count = min(message.mask.shape[1], 16)
    mask[:, :count] = message.mask[:, :count]
    return mask


def respond_enabled(message: Message, data: Array, enabled: NDArray[np.bool_]) -> None:
    """Answer with the enabled dwords of whole registers; all others of the response keep what they held."""
    if message.destination is None:
        return
    if not enabled.all():
        upload = message.threads.upload
        data = np.where(upload(enabled), upload(data), message.held_on_device(data.shape[1] // _REGISTER_DWORDS))
    message.respond(data.astype("<u4", copy=False).view(np.uint8))
