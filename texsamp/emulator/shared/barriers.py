"""Barriers of compute groups (volume 4 part 2, pages 13-15)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.registers.threads import REGISTER_B, Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import alike
from texsamp.emulator.eu.sends.messages import Message
from texsamp.state.thread_messages import BarrierPayload

_N0 = 0
_COUNT_DWORD = 2
_LOOKS = ((_COUNT_DWORD, 0xFFFFFFFF),)
"""What the host asks of messages: how many threads meet."""


@dataclass
class Barriers:
    """A barrier for each group of a batch. group: of every thread, by its number; threads: of a whole group."""

    group: NDArray[np.int64]
    threads: int
    _waiting: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    """Threads that have come, in order."""

    def arrive(self, message: Message) -> None:
        """Count the threads of a message; those of a group that have come are notified with the last one."""
        self._arrive(message.threads, message.rows, message.dwords(0, 1))

    def arrive_unasked(self, message: Unasked) -> None:
        """The same of threads on a device: who has come, and if they differ how many meet, comes to the host."""
        threads, found = message.threads, message.ranges(_LOOKS)
        counts: Any = np.uint32(int(found[0, 0]) & 0xFFFFFFFF)
        asked = [] if alike(found) else [message.dwords_on_device(0, 1)[:, _COUNT_DWORD].copy()]
        asked += [] if message.senders is None else [message.senders]
        told = list(threads.bring(asked)) if asked else []
        rows = np.arange(message.count) if message.senders is None else np.flatnonzero(told.pop())
        sent = np.zeros((message.count, REGISTER_B // 4), np.uint32)
        sent[:, _COUNT_DWORD] = told.pop() if told else counts
        self._arrive(threads, rows, sent[rows])

    def _arrive(self, threads: Threads, rows: NDArray[np.intp], sent: NDArray[np.uint32]) -> None:
        counted = BarrierPayload.count_enable.codes(sent) == 1
        needed = np.where(counted, BarrierPayload.count.codes(sent) + 1, self.threads)
        for first, end in pairwise([0, *(np.flatnonzero(np.diff(needed)) + 1).tolist(), len(needed)]):
            self._count(threads, rows[first:end], int(needed[first]))

    def _count(self, threads: Threads, rows: NDArray[np.intp], needed: int) -> None:
        """Threads come to barriers that so many have to come to; too many wait for ever."""
        groups = self.group[threads.numbers]
        before = np.bincount(groups[self._waiting], minlength=int(groups.max()) + 1)
        waiting = np.concatenate([self._waiting, rows])
        own = groups[waiting]
        order = np.argsort(own, kind="stable")
        firsts = np.searchsorted(own[order], own[order])
        place = np.empty(len(own), np.intp)
        place[order] = np.arange(len(own)) - firsts
        met = (place < np.bincount(own)[own] // needed * needed) & (before[own] < needed)
        threads.notify(waiting[met], _N0)
        self._waiting = waiting[~met]

    def pass_without_ended(self, threads: Threads) -> bool:
        """Notify groups of which all threads that have not ended have come; whether there are any.

        To be asked where no thread can go on. Ours: the pages say "all threads in the group", which would wait for
        ever; drivers' kernels return early beside others that come to a barrier.
        """
        come = self.group[threads.numbers[self._waiting]]
        left = np.bincount(self.group[threads.numbers[threads.suspended]], minlength=int(self.group.max()) + 1)
        met = np.bincount(come, minlength=len(left))[come] == left[come]
        threads.notify(self._waiting[met], _N0)
        self._waiting = self._waiting[~met]
        return bool(met.any())
