"""Message gateway: threads open and close theirs, and meet at the barrier of their group (volume 4 part 2, pages 5-16).

Messages from thread to thread are not executed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.messages import Message
from texsamp.errors import CaptureError
from texsamp.state.thread_messages import BarrierPayload, GatewayDescriptor, GatewayFunction, GatewayWriteback

_N0 = 0


@dataclass
class Barriers:
    """A barrier for each group of a batch. group: of every thread, by its number; threads: of a whole group."""

    group: NDArray[np.int64]
    threads: int
    _waiting: dict[int, list[int]] = field(default_factory=dict)

    def arrive(self, message: Message) -> None:
        """Count the threads of a message; those of a group that have come are notified with the last one."""
        groups = self.group[message.threads.numbers[message.rows]].tolist()
        for row, group, words in zip(message.rows.tolist(), groups, message.dwords(0, 1).tolist(), strict=True):
            fields = BarrierPayload.from_dwords(words)
            waiting = self._waiting.setdefault(group, [])
            before_last = fields.count if fields.count_enable else self.threads - 1
            satisfied = len(waiting) == before_last
            waiting.append(row)
            if satisfied:
                message.threads.notify(np.array(self._waiting.pop(group)), _N0)


@dataclass(frozen=True)
class Gateway:
    """The gateway as the threads of one batch see it. barriers: None where threads have no groups."""

    barriers: Barriers | None = None

    def send(self, message: Message) -> None:
        """Carry a message out, and acknowledge it if asked to; CaptureError for what is illegal or not executed."""
        descriptor = GatewayDescriptor.from_dwords([message.descriptor & 0x7FFFF])
        function = GatewayFunction(descriptor.function)
        if message.has_header or message.length != 1:
            raise CaptureError("a gateway message is one register without a header")
        if message.end_of_thread and descriptor.acknowledge:
            raise CaptureError("a gateway message that ends its thread is not acknowledged")
        if message.response_length != descriptor.acknowledge:
            raise CaptureError(
                f"a gateway message returns {int(descriptor.acknowledge)} registers, not {message.response_length}"
            )
        if function is GatewayFunction.BARRIER_MSG:
            if self.barriers is None:
                raise CaptureError("BARRIER_MSG of threads whose interface descriptor has no barrier")
            self.barriers.arrive(message)
        elif function not in (GatewayFunction.OPEN_GATEWAY, GatewayFunction.CLOSE_GATEWAY):
            raise CaptureError(f"gateway function {function.name} is not executed")
        if descriptor.acknowledge:
            answer = np.frombuffer(GatewayWriteback().pack(), np.uint8)
            message.respond(np.broadcast_to(answer, (len(message.rows), len(answer))))
