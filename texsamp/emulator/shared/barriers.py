"""Barriers of compute groups (volume 4 part 2, pages 13-15)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.messages import Message
from texsamp.state.thread_messages import BarrierPayload

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
