"""Threads on a device that differ in dwords of a message: parts of them that agree.

Which there are is found by sorting, where threads are: however many, one question tells of them, two of more than 16.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.registers.channels import any_channel
from texsamp.emulator.eu.registers.threads import Array, Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks, Ranges, ranges

_TOLD = 16
"""Parts that the first question tells of."""
_DWORD_BITS = 32


@dataclass(frozen=True)
class _Sorted:
    """Threads by their dwords, those that do not send last; numbers where they are.

    order: numbers of threads. begins: which are the first of theirs. senders: how many send.
    """

    order: Array
    begins: Array
    senders: Array

    @classmethod
    def of(cls, threads: Threads, dwords: Sequence[Array], sends: Array) -> _Sorted:
        arrays, count = threads.arrays, threads.count
        numbers, bits = arrays.arange(count), count.bit_length()
        rank = np.where(sends, np.int64(0), np.int64(1))
        for each in dwords:
            keys = np.sort(((rank << _DWORD_BITS | each.astype(np.int64)) << bits) + numbers)
            order, values = keys & (1 << bits) - 1, keys >> bits
            begins = arrays.ones(count, np.bool_)
            begins[1:] = values[1:] != values[:-1]
            rank = arrays.zeros(count, np.int64)
            rank[order] = np.cumsum(begins) - 1
        return cls(order, begins, sends.sum().astype(np.int64))

    def parts(self, threads: Threads, dwords: Sequence[Array]) -> list[tuple[list[int], Array]]:
        """What each part has, and its threads, ascending, in the order of their first ones."""
        count = threads.count
        places = threads.arrays.arange(count)
        begins = self.begins & (places < self.senders)
        firsts = np.sort(np.where(begins, places, np.int64(count)))

        def told(first: int, end: int) -> Array:
            """Of parts, by number: where each begins, its first thread, and its dwords."""
            numbers = np.minimum(threads.arrays.arange(first, end), count - 1)
            at = firsts[numbers]
            thread = self.order[np.minimum(at, count - 1)]
            return np.stack([at, thread, *(each[thread].astype(np.int64) for each in dwords)])

        sizes = np.stack([begins.sum().astype(np.int64), self.senders])
        (parts, senders), found = threads.bring((sizes, told(0, _TOLD)))
        if parts > _TOLD:
            found = np.concatenate([found, threads.download(told(_TOLD, int(parts)))], axis=1)
        rows = found[:, :parts].T.tolist()
        ends = [*(row[0] for row in rows), int(senders)][1:]
        made = [(first, values, self.order[at:end]) for (at, first, *values), end in zip(rows, ends, strict=True)]
        return [(values, numbers) for _, values, numbers in sorted(made, key=lambda each: each[0])]


@dataclass(frozen=True)
class Part:
    """Threads of a message that agree. values: in what; rows: their numbers, ascending, where they are."""

    values: list[int]
    rows: Array
    message: Unasked


def parted(message: Unasked, dwords: Sequence[Array], *, at_once: bool = True) -> list[Part]:
    """Parts in the order of their first threads. dwords: uint32 (threads,), as they are before any part is sent.

    Of a part only its own threads send. at_once: whether what is asked of one is asked of all, before any is sent.
    """
    threads = message.threads
    enabled = message.channels
    found = _Sorted.of(threads, dwords, any_channel(enabled)).parts(threads, dwords)

    def channels(rows: Array) -> Callable[[], Array]:
        def mask() -> Array:
            made: Array = threads.arrays.zeros(enabled.shape, np.bool_)
            made[rows] = enabled[rows]
            return made

        return mask

    parts = [replace(message, enabled=channels(rows)) for _, rows in found]
    asked = asked_together(parts) if at_once else [asked_together([each])[0] for each in parts]
    return [Part(values, rows, part) for (values, rows), part in zip(found, asked, strict=True)]


def asked_together(messages: Sequence[Unasked]) -> list[Unasked]:
    """The same, of which ranges that are asked of one come of all."""
    known: list[dict[tuple[int, int], NDArray[np.int32]]] = [{} for _ in messages]

    def look_of(number: int) -> Callable[[Looks], Ranges]:
        def look(looks: Looks) -> Ranges:
            new = tuple(each for each in dict.fromkeys(looks) if each not in known[number])
            if new:
                there = np.stack([each.ranges_on_device(new) for each in messages])
                for mine, found in zip(known, messages[0].threads.download(there), strict=True):
                    mine.update(zip(new, found, strict=True))
            return ranges(np.stack([known[number][each] for each in looks]))

        return look

    return [replace(each, look=look_of(number)) for number, each in enumerate(messages)]


def gathered(message: Unasked, rows: Array) -> Unasked:
    """A message of some threads alone, (n,) ascending, with registers of their own: what it costs is theirs."""
    threads = message.threads.some(rows)
    mask = message.mask
    return replace(message, threads=threads, enabled=lambda: None if mask is None else mask[rows])
