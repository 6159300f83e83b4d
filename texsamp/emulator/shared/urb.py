"""The unified return buffer: threads write and read entries by handle (seed 002:9221-10312)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu.sends.descriptors import Described
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.atomics import exchange
from texsamp.emulator.shared.data_port.buffers import ACCESSES_PER_UNIT, last_of_each, respond_enabled
from texsamp.emulator.shared.data_port.element_forms import of_header
from texsamp.emulator.shared.data_port.elements_on_device import Elements, Target
from texsamp.emulator.shared.data_port.messages_on_device import exchange_urb
from texsamp.emulator.shared.data_port.texels_on_device import OFF, OUTSIDE
from texsamp.errors import CaptureError
from texsamp.state.data_port import AtomicOperation
from texsamp.state.thread_messages import UrbDescriptor, UrbOpcode, UrbSwizzle

_HANDLE_B = 64
_DWORD_B, _OWORD_B, _HWORD_B = 4, 16, 32
_LANES = 8
_HALF = 4
_HANDLES, _OFFSETS, _MASKS = (0, 1), (3, 4), 5
_MASK_AT, _HIGH_AT = 8, 16
_SOURCE = 2
"""Dword of an atomic message's header that is moved."""
_FARTHEST = {_HWORD_B: 1023, _OWORD_B: 2047}
"""The largest offset that is defined. Shaders read both sides of a choice, with any index on the one they drop."""
_NOWHERE = 1 << 40
_WRITES = (UrbOpcode.URB_WRITE_HWORD, UrbOpcode.URB_WRITE_OWORD)
_HWORDS = (UrbOpcode.URB_WRITE_HWORD, UrbOpcode.URB_READ_HWORD)
_ATOMICS = {UrbOpcode.URB_ATOMIC_MOV: AtomicOperation.MOV, UrbOpcode.URB_ATOMIC_INC: AtomicOperation.INC}
_OWORDS = (UrbOpcode.URB_WRITE_OWORD, UrbOpcode.URB_READ_OWORD)


class Urb:
    """Executes URB messages on a buffer: bytes where threads run. Reads beyond it are 0, writes are dropped.

    So are those of slots whose offsets are beyond the defined ones.
    ends_threads: whether they may, as those of the 3D pipeline's stages do. ends: uint32 (threads, 8), takes the
    headers of messages that do.
    """

    def __init__(
        self,
        data: Array,
        budget: Budget,
        device: Device,
        *,
        ends_threads: bool = False,
        ends: Array | None = None,
    ) -> None:
        self._dwords, self._budget, self._device = data.view("<u4"), budget, device
        self._ends_threads, self._ends = ends_threads, ends

    def send(self, message: Message) -> None:
        """Carry a message out; CaptureError for what the manual leaves undefined."""
        descriptor = message.described(UrbDescriptor)
        opcode = UrbOpcode(descriptor.opcode)
        if message.end_of_thread and not self._ends_threads:
            raise CaptureError("a URB message ends threads of the 3D pipeline only")
        if opcode in _ATOMICS:
            self._exchange(message, descriptor, opcode)
            return
        registers = message.length - 1 if opcode in _WRITES else message.response_length
        if message.end_of_thread and self._ends is not None and message.length:
            (rows,) = kept(self._device, (message.rows,))
            self._ends[rows] = message.dwords_on_device(0, 1)
        if message.end_of_thread and opcode in _WRITES and registers == 0:  # the header alone, to end the thread
            return
        if opcode not in _WRITES and descriptor.complete and not registers:  # a handle that is not read any more
            return
        _check_lengths(message, opcode, registers)
        header = message.dwords(0, 1)
        places = _places(header, descriptor, registers)
        enabled = _enabled(message, header, descriptor, registers)
        inside = places < len(self._dwords)
        if opcode in _WRITES:
            self._write(message.dwords_on_device(1, registers).reshape(-1), places, enabled & inside)
            return
        found = self._read(places, inside).reshape(len(header), -1)
        respond_enabled(message, found, enabled.reshape(len(header), -1))

    def send_unasked(self, message: Unasked) -> bool:
        """Carry a message out with its header left where threads are; False for what is not defined."""
        descriptor = message.described(UrbDescriptor)
        opcode = UrbOpcode(descriptor.opcode)
        ends = message.end_of_thread
        writes = opcode in _WRITES
        if ends and not self._ends_threads:
            return False
        if opcode in _ATOMICS:
            return message.has_registers and self._exchange_on_device(message, descriptor, opcode)
        registers = message.length - 1 if writes else message.response_length
        unit = _OWORD_B if opcode in _OWORDS else _HWORD_B
        if not message.has_registers or descriptor.global_offset > _FARTHEST[unit]:
            return False
        if ends and self._ends is not None and message.length:
            found, senders = message.dwords_on_device(0, 1), message.senders
            if senders is None:
                self._ends[...] = found
            else:
                np.copyto(self._ends, found, where=senders[:, None])
        if registers == 0 and (ends if writes else descriptor.complete):  # see `send`
            return True
        _check_lengths(message, opcode, registers)
        if not writes and message.destination is None:
            return True
        exchange_urb(
            message,
            self._dwords,
            writes=writes,
            count=registers,
            offset=descriptor.global_offset,
            farthest=_FARTHEST[unit],
            unit=unit // _DWORD_B,
            per_slot=bool(descriptor.per_slot_offset),
            interleaved=descriptor.swizzle == UrbSwizzle.INTERLEAVED,
        )
        return True

    def _read(self, places: NDArray[np.int64], inside: NDArray[np.bool_]) -> Array:
        """Dwords one behind the other, zeros outside."""
        upload, flat = self._device.upload, places.reshape(-1)
        if inside.all():
            return self._dwords[upload(flat)]
        numbers = np.flatnonzero(inside)
        found: Array = self._device.arrays.zeros(len(flat), np.uint32)
        found[upload(numbers)] = self._dwords[upload(flat[numbers])]
        return found

    def _write(self, data: Array, places: NDArray[np.int64], chosen: NDArray[np.bool_]) -> None:
        """Store dwords, of several at one place the last."""
        numbers = np.flatnonzero(chosen)
        at = places.reshape(-1)[numbers]
        last = None if self._device.arrays is np else last_of_each(at)
        if last is not None:
            numbers, at = numbers[last], at[last]
        there, chosen_on_device = kept(self._device, (at, numbers))
        self._dwords[there] = data[chosen_on_device]

    def _exchange(self, message: Message, descriptor: UrbDescriptor, opcode: UrbOpcode) -> None:
        """Atomic move or increment of one dword for every thread, whatever its mask (002:10264-10312)."""
        returned = _check_atomic(message, descriptor, opcode)
        header = message.dwords(0, 1)
        places = (header[:, 0] & 0xFFFF).astype(np.int64) * (_HANDLE_B // _DWORD_B) + descriptor.global_offset
        inside = np.flatnonzero(places < len(self._dwords))
        there, source = self._device.upload(inside), message.dwords_on_device(0, 1)[:, _SOURCE]
        self._budget.spend(1 + len(places) // ACCESSES_PER_UNIT)
        old = self._device.arrays.zeros(len(places), np.uint32)
        old[there] = exchange(_ATOMICS[opcode], self._device, self._dwords, places[inside], [source[there]])
        if returned:
            message.respond(old[:, None].view(np.uint8))

    def _exchange_on_device(self, message: Unasked, descriptor: UrbDescriptor, opcode: UrbOpcode) -> bool:
        """The same with places left where threads are."""
        returns = _check_atomic(message, descriptor, opcode)
        handles = (message.dwords_on_device(0, 1)[:, 0] & 0xFFFF).astype(np.int64)
        places, memory = handles * _HANDLE_B + descriptor.global_offset * _DWORD_B, self._dwords.view(np.uint8)
        places = np.where(places < len(memory), places, np.int64(OUTSIDE))
        if message.senders is not None:
            places = np.where(message.senders, places, np.int64(OFF))
        self._budget.spend()
        form = of_header(_SOURCE, returns=returns)
        Elements(message, form, Target(), None, places[:, None].copy()).atomic(int(_ATOMICS[opcode]), memory)
        return True


def _check_atomic(message: Described, descriptor: UrbDescriptor, opcode: UrbOpcode) -> bool:
    """Whether one returns what was there; CaptureError for other forms than it has."""
    if not message.has_header or message.length != 1 or descriptor.per_slot_offset:
        raise CaptureError(f"{opcode.name} is its header alone, without offsets per slot")
    returned = opcode is UrbOpcode.URB_ATOMIC_INC
    if message.response_length != int(returned):
        raise CaptureError(f"{opcode.name} returns {int(returned)} registers, not {message.response_length}")
    return returned


def _check_lengths(message: Described, opcode: UrbOpcode, registers: int) -> None:
    if not message.has_header or not message.length:
        raise CaptureError("URB messages have a header")
    if opcode not in _WRITES and message.length != 1:
        raise CaptureError(f"a URB read is its header, found {message.length} registers")
    if opcode in _WRITES and message.response_length:
        raise CaptureError(f"a URB write returns nothing, found {message.response_length} registers")
    if registers < 1 or (opcode in _OWORDS and registers != 1):
        raise CaptureError(f"{opcode.name} cannot have {registers} registers of data")


def _places(header: NDArray[np.uint32], descriptor: UrbDescriptor, registers: int) -> NDArray[np.int64]:
    """Numbers of the buffer's dwords that belong to the data's, (threads, registers, 8)."""
    words = UrbOpcode(descriptor.opcode) in _OWORDS
    unit = _OWORD_B if words else _HWORD_B
    interleaved = descriptor.swizzle == UrbSwizzle.INTERLEAVED
    starts = []
    if descriptor.global_offset > _FARTHEST[unit]:
        raise CaptureError(f"URB offset {descriptor.global_offset}: at most {_FARTHEST[unit]} is defined")
    for handle, slot in zip(_HANDLES, _OFFSETS, strict=True):
        offset = np.full(len(header), descriptor.global_offset, np.int64)
        if descriptor.per_slot_offset:
            offset += header[:, slot]
        starts.append(((header[:, handle] & 0xFFFF).astype(np.int64) * _HANDLE_B + offset * unit) // _DWORD_B)
        starts[-1][offset > _FARTHEST[unit]] = _NOWHERE
    lanes, rows = np.arange(_LANES), np.arange(registers)[:, None]
    if interleaved:
        within = rows * _HALF + lanes % _HALF
        first = np.where(lanes < _HALF, starts[0][:, None, None], starts[1][:, None, None])
        return np.asarray(first + within, np.int64)
    return np.asarray(starts[0][:, None, None] + (lanes % _HALF if words else rows * _LANES + lanes), np.int64)


def _enabled(
    message: Message, header: NDArray[np.uint32], descriptor: UrbDescriptor, registers: int
) -> NDArray[np.bool_]:
    """Which dwords are transferred, (threads, registers, 8): execution mask, channel masks, half of an OWord."""
    lanes = np.arange(_LANES)
    chosen = (header[:, _MASKS, None] >> _MASK_AT >> lanes & 1).astype(np.bool_)
    mask = message.mask[:, :_LANES]
    chosen[:, : mask.shape[1]] &= mask
    chosen[:, mask.shape[1] :] = False
    if UrbOpcode(descriptor.opcode) in _OWORDS and descriptor.swizzle == UrbSwizzle.NOSWIZZLE:
        high = (header[:, _MASKS] >> _HIGH_AT & 1).astype(np.bool_)
        chosen &= (lanes >= _HALF) == high[:, None]
    return np.repeat(chosen[:, None], registers, axis=1)
