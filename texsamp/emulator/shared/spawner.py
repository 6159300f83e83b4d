"""Thread spawner: threads end, give URB handles back and start others (volume 2 part 2, pages 33-37 and 47-50)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.urb_space import UrbHandles
from texsamp.emulator.eu.messages import Message
from texsamp.errors import CaptureError
from texsamp.state.thread_messages import SpawnerDescriptor, SpawnerOpcode, SpawnerPayload, SpawnerRequester

_HANDLE_B, _ROW_B = 64, 32
_END_OF_ROOT = 0x02000010
"""Descriptor of one register that dereferences no URB handle."""
MOST_SPAWNED = 1 << 14
"""Threads that those of one command may start; each of them may start more."""


@dataclass(frozen=True)
class Child:
    """A thread that another one starts. registers: bytes from the URB, (n, 32); the first is its R0."""

    interface_descriptor: int
    registers: NDArray[np.uint8]


class Spawner:
    """The spawner as the threads of one dispatch see it. children: those that wait to be started.

    urb: bytes. roots: messages to synchronized root threads, in order. is_child: whether threads of a batch were
    started by threads. compute: threads of groups, which start none.
    """

    def __init__(
        self,
        urb: NDArray[np.uint8],
        handles: UrbHandles,
        roots: deque[NDArray[np.uint8]],
        *,
        is_child: bool,
        compute: bool,
    ) -> None:
        self._urb, self._handles, self._roots = urb, handles, roots
        self._is_child, self._compute = is_child, compute
        self.children: list[Child] = []

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
        for handle in (message.dwords(0, 1)[:, 0] & 0xFFFF).tolist():
            if self._handles.holds(handle):
                self._handles.give_back(handle)

    def _spawn(self, message: Message, descriptor: SpawnerDescriptor) -> None:
        if message.end_of_thread:
            raise CaptureError("a thread cannot end with a spawn message (page 49)")
        if self._compute:
            raise CaptureError("compute threads start no threads (page 7)")
        for words in message.dwords(0, 1).tolist():
            payload = SpawnerPayload.from_dwords(words)
            start = payload.urb_handle * _HANDLE_B + payload.urb_offset * _ROW_B
            if descriptor.resource_select:
                self._roots.append(self._read(start, payload.urb_length))
            else:  # of a child the first register is its R0, which is there even if the length is 0 (page 49)
                self.children.append(Child(payload.interface_descriptor, self._read(start, max(payload.urb_length, 1))))
        if len(self.children) > MOST_SPAWNED:
            raise CaptureError(f"{len(self.children)} threads wait to be started, the limit is {MOST_SPAWNED}")

    def _read(self, start_B: int, registers: int) -> NDArray[np.uint8]:  # noqa: N803 - the unit
        """Registers from the URB; what lies beyond it is 0."""
        data = np.zeros(registers * _ROW_B, np.uint8)
        found = self._urb[start_B : start_B + len(data)]
        data[: len(found)] = found
        return data.reshape(registers, _ROW_B)
