"""Thread spawner: threads end, give URB handles back and start others (volume 2 part 2, pages 33-37 and 47-50)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.spawned_roots import Given, SpawnedRoots
from texsamp.emulator.context.urb_space import UrbHandles
from texsamp.emulator.eu.registers.threads import Array, Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.errors import CaptureError
from texsamp.state.thread_messages import SpawnerDescriptor, SpawnerOpcode, SpawnerPayload, SpawnerRequester

_HANDLE_B, _ROW_B = 64, 32
_TABLES, _TABLE = slice(3, 5), 0xFFFFFFE0
"""Dwords of R0 with the sampler and the binding table of a child, and bits of their pointers."""
_END_OF_ROOT = 0x02000010
"""Descriptor of one register that dereferences no URB handle."""
MOST_SPAWNED = 1 << 14
"""Threads that those of one command may start; each of them may start more."""


@dataclass(frozen=True)
class Children:
    """Threads that others start, in order, all with one interface descriptor, tables and size of payload.

    registers: bytes from the URB, (threads, n, 32), where threads run; the first is their R0.
    """

    interface_descriptor: int
    samplers: int
    binding_table: int
    registers: Array


class Spawner:
    """The spawner as the threads of one dispatch see it.

    urb: bytes, where threads run. roots: messages to synchronized root threads, in order. is_child: whether threads of
    a batch were started by threads. compute: threads of groups, which start none.
    """

    def __init__(
        self,
        urb: Array,
        handles: UrbHandles,
        roots: SpawnedRoots,
        *,
        is_child: bool,
        compute: bool,
    ) -> None:
        self._urb, self._handles, self._roots = urb, handles, roots
        self._is_child, self._compute = is_child, compute
        self._children: list[Children] = []
        self._waiting = 0

    def take_children(self) -> list[Children]:
        """Those that wait to be started, in order: they wait no more."""
        children, self._children, self._waiting = self._children, [], 0
        return children

    def send(self, message: Message) -> None:
        """Carry a message out; CaptureError for what the pages forbid."""
        descriptor = self._legal(message)
        if descriptor is None:
            return
        sent, threads = message.dwords(0, 1), message.threads
        if descriptor.opcode == SpawnerOpcode.SPAWN:
            starts_B, lengths, numbers = _asked(sent)
            self._spawn(threads, descriptor, threads.upload(starts_B), lengths, numbers)
        else:
            self._dereference(sent[:, 0])

    def send_unasked(self, message: Unasked) -> bool:
        """The same of threads on a device: who is started comes to the host, what they begin with does not."""
        descriptor = self._legal(message)
        if descriptor is None:
            return True
        if not message.has_registers:
            return False
        threads, senders, sent = message.threads, message.senders, message.dwords_on_device(0, 1)
        given = threads.arrays.ones(message.count, np.bool_) if senders is None else senders
        if descriptor.opcode != SpawnerOpcode.SPAWN:
            handles, sends = threads.bring((sent[:, 0].copy(), given))
            self._dereference(handles[sends])
            return True
        starts_B, *codes = _asked(sent)
        lengths, numbers, sends = threads.bring((*codes, given))
        if not sends.any():
            return True
        (rows,) = threads.kept(np.flatnonzero(sends))
        self._spawn(threads, descriptor, starts_B[rows], lengths[sends], numbers[sends])
        return True

    def _legal(self, message: Message | Unasked) -> SpawnerDescriptor | None:
        """What a message asks; None if there is nothing to do. CaptureError for what the pages forbid."""
        if message.descriptor == _END_OF_ROOT and message.end_of_thread and not self._is_child:
            return None  # as nearly all threads end: nothing to read
        descriptor = SpawnerDescriptor.from_dwords([message.descriptor & 0x7FFFF])
        if message.has_header or message.length != 1 or message.response_length:
            raise CaptureError("a spawner message is one register without a header, and returns nothing (page 48)")
        if descriptor.opcode == SpawnerOpcode.SPAWN:
            if message.end_of_thread:
                raise CaptureError("a thread cannot end with a spawn message (page 49)")
            if self._compute:
                raise CaptureError("compute threads start no threads (page 7)")
            return descriptor
        if (descriptor.requester == SpawnerRequester.CHILD) != self._is_child:
            raise CaptureError(f"requester {descriptor.requester.name} of a thread that is none (page 48)")
        return None if descriptor.resource_select or self._is_child or self._compute else descriptor

    def _dereference(self, handles: NDArray[np.uint32]) -> None:
        """Only roots with children hold handles, so that other threads' field is ignored (page 50)."""
        self._handles.give_back(handles.astype(np.int64) & 0xFFFF)

    def _spawn(
        self,
        threads: Threads,
        descriptor: SpawnerDescriptor,
        starts_B: Array,  # noqa: N803 - the unit
        lengths: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> None:
        """Start children, or give roots what they wait for. starts_B: of each in the URB, where threads run."""
        registers = self._read(threads, starts_B, max(int(lengths.max()), 1))
        if descriptor.resource_select:
            self._roots.add(Given(registers.reshape(len(registers), -1), lengths * _ROW_B))
            return
        lengths = np.maximum(lengths, 1)  # the first register is R0, which is there even if the length is 0 (page 49)
        first = registers[:, 0].copy().view("<u4")[:, _TABLES].copy()
        tables = threads.download(first).astype(np.int64) & _TABLE
        _, pointers = np.unique(tables[:, 0] << 32 | tables[:, 1], return_inverse=True)
        kinds = (pointers << 16) + (numbers << 8) + lengths
        _, first, kind = np.unique(kinds, return_index=True, return_inverse=True)
        for at in np.sort(first).tolist():
            (rows,) = threads.kept(np.flatnonzero(kind == kind[at]))
            chosen = registers[rows][:, : int(lengths[at])]
            self._children.append(Children(int(numbers[at]), int(tables[at, 0]), int(tables[at, 1]), chosen))
        self._waiting += len(kinds)
        if self._waiting > MOST_SPAWNED:
            raise CaptureError(f"{self._waiting} threads wait to be started, the limit is {MOST_SPAWNED}")

    def _read(self, threads: Threads, starts_B: Array, registers: int) -> Array:  # noqa: N803 - the unit
        """Registers from the URB for each start, where threads run; what lies beyond it is 0."""
        shape = len(starts_B), registers, _ROW_B
        if not len(self._urb):
            nothing: Array = threads.arrays.zeros(shape, np.uint8)
            return nothing
        places = starts_B[:, None] + threads.arrays.arange(registers * _ROW_B)
        held = self._urb[np.minimum(places, len(self._urb) - 1)]
        found: Array = np.where(places < len(self._urb), held, np.uint8(0)).reshape(shape)
        return found


def _asked(sent: Array) -> tuple[Array, Array, Array]:
    """Of messages that start threads: bytes of the URB that these begin at, registers, and interface descriptors."""
    starts_B = SpawnerPayload.urb_handle.codes(sent) * _HANDLE_B + SpawnerPayload.urb_offset.codes(sent) * _ROW_B
    return starts_B, SpawnerPayload.urb_length.codes(sent), SpawnerPayload.interface_descriptor.codes(sent)
