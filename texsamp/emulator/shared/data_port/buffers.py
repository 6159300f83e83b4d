"""Buffers as data port messages see them: reads outside a surface give 0 and writes there are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.context.surfaces import STATELESS, SurfaceTable
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.files.capture import BufferObject
from texsamp.emulator.shared.data_port.atomics import exchange
from texsamp.errors import CaptureError
from texsamp.state import SurfaceType
from texsamp.state.data_port import AtomicOperation

DWORD_B = 4
_REGISTER_DWORDS = 8
_OFFSET, _BUFFER_BASE = 2, 5
ACCESSES_PER_UNIT = 64
"""Atomic accesses that are worth a unit of work, if all are to one place."""
_BASE_MASK = 0xFFFFFC00


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

    registers: how many the header takes; 0 if there is none, which makes the offset 0.
    """

    registers: int
    offset: NDArray[np.int64]
    buffer_base: NDArray[np.int64] | None


def read_header(message: Message, *, required: bool) -> Header:
    """The header of a message; CaptureError if it is required and missing."""
    if message.has_header:
        dwords = message.dwords(0, 1).astype(np.int64)
        return Header(1, dwords[:, _OFFSET], dwords[:, _BUFFER_BASE] & _BASE_MASK)
    if required:
        raise CaptureError("this data port message needs a header")
    return Header(0, np.zeros(len(message.rows), np.int64), None)


@dataclass
class Buffers:
    """Resolves binding table indices to buffers, and moves units of 1 or 4 bytes between them and arrays."""

    surfaces: SurfaceTable
    general_base: int
    budget: Budget
    shared_memory: SharedMemory

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
    ) -> NDArray[np.uint32]:
        """Units at byte offsets, shape of `offsets`; those that are not enabled are not read and come back as 0."""
        out = np.zeros(offsets.shape, np.uint32)
        for units, chosen, places, _ in self._pieces(buffer, offsets, _inside(buffer, offsets, unit, enabled), unit):
            out[chosen] = units[places]
        return out

    def store(
        self,
        buffer: Buffer,
        offsets: NDArray[np.int64],
        values: NDArray[np.uint32],
        enabled: NDArray[np.bool_],
        unit: int = DWORD_B,
    ) -> None:
        """Write units in ascending order of thread and place, so that of two at one place the later one stays."""
        for units, chosen, places, owner in self._pieces(
            buffer, offsets, _inside(buffer, offsets, unit, enabled), unit
        ):
            units[places] = values[chosen]
            if owner is not None:
                self.surfaces.memory.touch(owner)

    def exchange(
        self,
        buffer: Buffer,
        offsets: NDArray[np.int64],
        enabled: NDArray[np.bool_],
        operation: AtomicOperation,
        sources: tuple[NDArray[Any], NDArray[Any]],
        unit: int,
    ) -> NDArray[Any]:
        """Atomic operations on units in ascending order of thread and place; the results are 0 if not enabled."""
        out = np.zeros(offsets.shape, sources[0].dtype)
        for units, chosen, places, owner in self._pieces(buffer, offsets, enabled, unit):
            self.budget.spend(1 + len(places) // ACCESSES_PER_UNIT)
            out[chosen] = exchange(operation, units, places, (sources[0][chosen], sources[1][chosen]))
            if owner is not None:
                self.surfaces.memory.touch(owner)
        return out

    def _pieces(
        self, buffer: Buffer, offsets: NDArray[np.int64], chosen: NDArray[np.bool_], unit: int
    ) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.int64], BufferObject | None]]:
        """Chosen units by the buffer object they lie in: its units, which of the offsets, their places in it, it."""
        kind: np.dtype[Any] = np.dtype(f"<u{unit}")
        if buffer.shared:
            places = (buffer.base[:, None] + offsets % self.shared_memory.block_B) // unit
            yield self.shared_memory.data.view(kind), chosen, places[chosen], None
            return
        addresses = buffer.base[:, None] + offsets
        memory = self.surfaces.memory
        remaining = chosen.copy()
        while remaining.any():
            owner = memory.find(int(addresses[remaining][0]), unit)
            here = remaining & (addresses >= owner.address) & (addresses + unit <= owner.address + owner.size)
            units = memory.bytes_from(owner.address)[: owner.size // unit * unit].view(kind)
            yield units, here, (addresses[here] - owner.address) // unit, owner
            remaining &= ~here


def _inside(
    buffer: Buffer, offsets: NDArray[np.int64], unit: int, enabled: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    inside = np.ones(offsets.shape, np.bool_) if enabled is None else enabled.copy()
    if buffer.size_B is not None:
        inside &= offsets + unit <= buffer.size_B
    return inside


def channel_mask(message: Message) -> NDArray[np.bool_]:
    """Enabled channels of the first 16, shape (threads, 16); channels beyond the execution size are off."""
    mask = np.zeros((len(message.rows), 16), np.bool_)
    count = min(message.mask.shape[1], 16)
    mask[:, :count] = message.mask[:, :count]
    return mask


def respond_enabled(message: Message, data: NDArray[np.uint32], enabled: NDArray[np.bool_]) -> None:
    """Answer with the enabled dwords of whole registers; all others of the response keep what they held."""
    if message.destination is None:
        return
    held = message.held(data.shape[1] // _REGISTER_DWORDS)
    message.respond(np.where(enabled, data, held).astype("<u4").view(np.uint8))
