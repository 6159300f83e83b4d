"""OWord block and DWord scattered messages: buffers seen as bytes (seed 003:8351-8520, 8830-8960, holes P2 to P6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.capture import BufferObject
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.surfaces import SurfaceTable
from texsamp.errors import CaptureError
from texsamp.state import SurfaceType
from texsamp.state.data_port import OWordBlockSize, ScatterSize

STATELESS = 255
_OWORD_B, _DWORD_B, _REGISTER_B = 16, 4, 32
_ELEMENT_B = 16
"""Size of a buffer's elements for bounds, whatever its pitch says (hole P6)."""
_OFFSET, _BUFFER_BASE = 2, 5
_BASE_MASK = 0xFFFFFC00
_OWORDS = {
    OWordBlockSize.OWORD_1_LOW: 1,
    OWordBlockSize.OWORD_1_HIGH: 1,
    OWordBlockSize.OWORDS_2: 2,
    OWordBlockSize.OWORDS_4: 4,
    OWordBlockSize.OWORDS_8: 8,
}
_SLOTS = {ScatterSize.DWORDS_8: 8, ScatterSize.DWORDS_16: 16}


@dataclass(frozen=True)
class _Buffer:
    """Where a buffer's bytes are, per thread: stateless ones have a base of their own. size_B: None if unbounded."""

    base: NDArray[np.int64]
    size_B: int | None  # noqa: N815 - the unit


@dataclass
class DataBlocks:
    """Executes messages on buffers. Reads outside a surface give 0 and writes there are dropped."""

    surfaces: SurfaceTable
    general_base: int

    def read_owords(self, message: Message, index: int, size: int, *, aligned: bool) -> None:
        """OWord block read; unaligned ones count the offset in bytes, a multiple of 4."""
        size = OWordBlockSize(size)
        header = self._header(message)
        offsets = header[:, _OFFSET].astype(np.int64) * (_OWORD_B if aligned else 1)
        if not aligned and (offsets % _DWORD_B).any():
            raise CaptureError("an unaligned OWord block begins at whole dwords")
        dwords = offsets[:, None] + _DWORD_B * np.arange(_OWORDS[size] * 4)
        data = self._load(self._buffer(message, header, index), dwords)
        if size == OWordBlockSize.OWORD_1_HIGH:
            kept = message.threads.general(message.destination or 0, 1)[message.rows, :_OWORD_B]
            message.respond(np.concatenate([kept, data.view(np.uint8)], axis=1))
        else:
            message.respond(data.view(np.uint8))

    def write_owords(self, message: Message, index: int, size: int) -> None:
        """OWord block write; each bit of the execution mask enables one dword of a pair of registers."""
        size = OWordBlockSize(size)
        header = self._header(message)
        count = _OWORDS[size] * 4
        first = 4 if size == OWordBlockSize.OWORD_1_HIGH else 0
        data = message.dwords(1, -(-(first + count) // 8))[:, first : first + count]
        offsets = header[:, _OFFSET].astype(np.int64)[:, None] * _OWORD_B + _DWORD_B * np.arange(count)
        channels = (np.arange(count) + first) % 16
        self._store(self._buffer(message, header, index), offsets, data, _channel_mask(message)[:, channels])

    def read_dwords(self, message: Message, index: int, size: int) -> None:
        """DWord scattered read; disabled slots keep what the response registers held."""
        header, slots = self._header(message), _SLOTS[ScatterSize(size)]
        data = self._load(self._buffer(message, header, index), self._slots(message, header, slots))
        if message.destination is None:
            return
        held = message.threads.general(message.destination, slots // 8)[message.rows].copy().view("<u4")
        enabled = _channel_mask(message)[:, :slots]
        message.respond(np.where(enabled, data, held).astype("<u4").view(np.uint8))

    def write_dwords(self, message: Message, index: int, size: int) -> None:
        """DWord scattered write; of slots with one address the highest wins."""
        header, slots = self._header(message), _SLOTS[ScatterSize(size)]
        data = message.dwords(1 + slots // 8, slots // 8)
        offsets = self._slots(message, header, slots)
        self._store(self._buffer(message, header, index), offsets, data, _channel_mask(message)[:, :slots])

    @staticmethod
    def _header(message: Message) -> NDArray[np.uint32]:
        if not message.has_header:
            raise CaptureError("data port block messages need a header")
        return message.dwords(0, 1)

    @staticmethod
    def _slots(message: Message, header: NDArray[np.uint32], slots: int) -> NDArray[np.int64]:
        offsets = message.dwords(1, slots // 8).astype(np.int64)
        return np.asarray((header[:, _OFFSET, None].astype(np.int64) + offsets) * _DWORD_B)

    def _buffer(self, message: Message, header: NDArray[np.uint32], index: int) -> _Buffer:
        if index == STATELESS:
            return _Buffer(self.general_base + (header[:, _BUFFER_BASE] & _BASE_MASK).astype(np.int64), None)
        state = self.surfaces.render(index)
        if state.surface_type != SurfaceType.SURFTYPE_BUFFER:
            raise CaptureError(f"data port blocks need a buffer, surface {index} is {state.surface_type.name}")
        if state.base_address % _DWORD_B:
            raise CaptureError(f"surface {index} begins at {state.base_address:#x}, within a dword")
        return _Buffer(np.full(len(header), state.base_address, np.int64), state.entries * _ELEMENT_B)

    def _load(self, buffer: _Buffer, offsets: NDArray[np.int64]) -> NDArray[np.uint32]:
        out = np.zeros(offsets.shape, np.uint32)
        inside = _inside(buffer, offsets)
        for dwords, chosen, places, _ in self._pieces(buffer, offsets, inside):
            out[chosen] = dwords[places]
        return out

    def _store(
        self, buffer: _Buffer, offsets: NDArray[np.int64], data: NDArray[np.uint32], enabled: NDArray[np.bool_]
    ) -> None:
        memory = self.surfaces.memory
        for dwords, chosen, places, owner in self._pieces(buffer, offsets, _inside(buffer, offsets) & enabled):
            dwords[places] = data[chosen]
            memory.touch(owner)

    def _pieces(
        self, buffer: _Buffer, offsets: NDArray[np.int64], chosen: NDArray[np.bool_]
    ) -> list[tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.int64], BufferObject]]:
        """Chosen dwords by the buffer object they lie in: its dwords, which of the offsets, their places in it, it."""
        addresses = buffer.base[:, None] + offsets
        pieces = []
        memory = self.surfaces.memory
        remaining = chosen.copy()
        while remaining.any():
            owner = memory.find(int(addresses[remaining][0]), _DWORD_B)
            here = remaining & (addresses >= owner.address) & (addresses + _DWORD_B <= owner.address + owner.size)
            dwords = memory.bytes_from(owner.address)[: owner.size // _DWORD_B * _DWORD_B].view("<u4")
            pieces.append((dwords, here, (addresses[here] - owner.address) // _DWORD_B, owner))
            remaining &= ~here
        return pieces


def _inside(buffer: _Buffer, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    if buffer.size_B is None:
        return np.ones(offsets.shape, np.bool_)
    return np.asarray(offsets + _DWORD_B <= buffer.size_B)


def _channel_mask(message: Message) -> NDArray[np.bool_]:
    """Enabled channels of the first 16; channels beyond the execution size are off."""
    mask = np.zeros((len(message.rows), 16), np.bool_)
    count = min(message.mask.shape[1], 16)
    mask[:, :count] = message.mask[:, :count]
    return mask
