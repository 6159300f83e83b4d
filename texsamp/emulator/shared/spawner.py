"""Thread spawner: threads end, give URB handles back and start others (volume 2 part 2, pages 33-37 and 47-50)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.spawned_roots import Given, SpawnedRoots
from texsamp.emulator.context.urb_space import UrbHandles
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.threads import Array, Threads
from texsamp.errors import CaptureError
from texsamp.state.thread_messages import SpawnerDescriptor, SpawnerOpcode, SpawnerPayload, SpawnerRequester

_HANDLE_B, _ROW_B = 64, 32
_TABLES, _TABLE = [3, 4], 0xFFFFFFE0
"""Dwords of R0 with the sampler and the binding table of a child, and bits of their pointers."""
_END_OF_ROOT = 0x02000010
"""Descriptor of one register that dereferences no URB handle."""
MOST_SPAWNED = 1 << 14
"""Threads that those of one command may start; each of them may start more."""


@dataclass(frozen=True)
class Children:
    """Threads that others start, in order, all with one interface descriptor, tables and size of payload.

    registers: bytes from the URB, (threads, n, 32); the first is their R0.
    """

    interface_descriptor: int
    samplers: int
    binding_table: int
    registers: NDArray[np.uint8]


class Spawner:
    """The spawner as the threads of one dispatch see it. children: those that wait to be started.

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
        self.children: list[Children] = []

    def send(self, message: Message) -> None:
        """Carry a message out; CaptureError for what the pages forbid."""
        if message.descriptor == _END_OF_ROOT and message.end_of_thread and not self._is_child:
            return  # as nearly all threads end: nothing to read
        descriptor = SpawnerDescriptor.from_dwords([message.descriptor & 0x7FFFF])
        if message.has_header or message.length != 1 or message.response_length:
            raise CaptureError("a spawner message is one register without a header, and returns nothing (page 48)")
        if descriptor.opcode == SpawnerOpcode.SPAWN:
            self._spawn(message, descriptor)
        elif (descriptor.requester == SpawnerRequester.CHILD) != self._is_child:
            raise CaptureError(f"requester {descriptor.requester.name} of a thread that is none (page 48)")
        elif not (descriptor.resource_select or self._is_child or self._compute):
            self._dereference(message)

    def _dereference(self, message: Message) -> None:
        """Only roots with children hold handles, so that other threads' field is ignored (page 50)."""
        self._handles.give_back(message.dwords(0, 1)[:, 0].astype(np.int64) & 0xFFFF)

    def _spawn(self, message: Message, descriptor: SpawnerDescriptor) -> None:
        if message.end_of_thread:
            raise CaptureError("a thread cannot end with a spawn message (page 49)")
        if self._compute:
            raise CaptureError("compute threads start no threads (page 7)")
        sent = message.dwords(0, 1)
        starts_B = SpawnerPayload.urb_handle.codes(sent) * _HANDLE_B + SpawnerPayload.urb_offset.codes(sent) * _ROW_B
        lengths = SpawnerPayload.urb_length.codes(sent)
        registers = self._read(message.threads, starts_B, max(int(lengths.max()), 1))
        if descriptor.resource_select:
            self._roots.add(Given(registers.reshape(len(registers), -1), lengths * _ROW_B))
            return
        lengths = np.maximum(lengths, 1)  # the first register is R0, which is there even if the length is 0 (page 49)
        numbers = SpawnerPayload.interface_descriptor.codes(sent)
        tables = registers[:, 0].view("<u4")[:, _TABLES].astype(np.int64) & _TABLE
        _, pointers = np.unique(tables[:, 0] << 32 | tables[:, 1], return_inverse=True)
        kinds = (pointers << 16) + (numbers << 8) + lengths
        _, first, kind = np.unique(kinds, return_index=True, return_inverse=True)
        for at in np.sort(first).tolist():
            chosen = registers[kind == kind[at], : lengths[at]]
            self.children.append(Children(int(numbers[at]), int(tables[at, 0]), int(tables[at, 1]), chosen))
        waiting = sum(len(children.registers) for children in self.children)
        if waiting > MOST_SPAWNED:
            raise CaptureError(f"{waiting} threads wait to be started, the limit is {MOST_SPAWNED}")

    def _read(
        self,
        threads: Threads,
        starts_B: NDArray[np.int64],  # noqa: N803 - the unit
        registers: int,
    ) -> NDArray[np.uint8]:
        """Registers from the URB for each start, brought to the host; what lies beyond it is 0."""
        places = starts_B[:, None] + np.arange(registers * _ROW_B)
        inside = places < len(self._urb)
        found = np.zeros(places.shape, np.uint8)
        found[inside] = threads.download(self._urb[threads.upload(places[inside])])
        return found.reshape(len(starts_B), registers, _ROW_B)
