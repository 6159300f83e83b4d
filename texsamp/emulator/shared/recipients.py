"""Threads that run at once, as the message gateway knows them: by execution unit and thread number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.registers.channels import put
from texsamp.emulator.eu.registers.pointers import ENDED
from texsamp.emulator.eu.registers.threads import GENERAL_REGISTERS, Array, Threads
from texsamp.errors import CaptureError

THREADS_OF_A_UNIT, UNITS = 8, 16
IDENTITIES = THREADS_OF_A_UNIT * UNITS
"""Threads that execution unit and thread number tell apart."""
LARGEST_GATEWAY = 5


@dataclass
class _Batch:
    """Threads that were started together: their identities, and of each gateway whether it is open, base and size.

    Identities are the host's, all others where the threads are.
    """

    threads: Threads
    identity: NDArray[np.int64]
    open: Array
    base: Array
    size: Array


@dataclass(frozen=True)
class Found:
    """Open gateways: which of the batches of threads, -1 for none, the thread's row, first register and registers."""

    threads: list[Threads]
    batch: NDArray[np.int64]
    row: NDArray[np.int64]
    base: NDArray[np.int64]
    size: NDArray[np.int64]


@dataclass(frozen=True)
class FoundOnDevice(Found):
    """The same where threads are. are_several: whether several threads that run are meant; they are told as any."""

    are_several: Array


@dataclass
class Recipients:
    """Gateways of the threads that run together. bypass: all are open, from r0 on (volume 4 part 2, page 5)."""

    bypass: bool = False
    _batches: list[_Batch] = field(default_factory=list)
    _started: int = 0

    def enter(self, threads: Threads) -> NDArray[np.intp]:
        """Threads start; returns their numbers in the order of starting."""
        slots = np.arange(self._started, self._started + threads.count)
        self._started += threads.count
        is_open, base, size = (threads.arrays.zeros(threads.count, kind) for kind in (np.bool_, np.int64, np.int64))
        self._batches.append(_Batch(threads, slots % IDENTITIES, is_open, base, size))
        return slots

    def leave(self, threads: Threads) -> None:
        """All of these have ended."""
        self._batches = [batch for batch in self._batches if batch.threads is not threads]

    def open(
        self, threads: Threads, rows: NDArray[np.intp], base: NDArray[np.int64], size_code: NDArray[np.int64]
    ) -> None:
        """Threads open their gateways: registers from `base` on, 2 ** size_code of them; CaptureError if one cannot."""
        if size_code.max() > LARGEST_GATEWAY:
            raise CaptureError(f"gateway size {size_code.max()}: codes 0 to {LARGEST_GATEWAY} are defined (page 7)")
        if base.max() >= GENERAL_REGISTERS:
            raise CaptureError(f"a gateway from register {base.max()} on, of {GENERAL_REGISTERS}")
        batch = self._batch_of(threads)
        there = threads.upload(rows)
        batch.open[there], batch.base[there] = True, threads.upload(base)
        batch.size[there] = threads.upload(1 << size_code)

    def open_on_device(self, threads: Threads, senders: Array | None, base: Array, size: Array) -> None:
        """The same of registers and sizes where threads are, which are legal. senders: who; None for all."""
        batch = self._batch_of(threads)
        put(batch.open, 1, senders)
        put(batch.base, base, senders)
        put(batch.size, size, senders)

    def close(self, threads: Threads, rows: NDArray[np.intp]) -> None:
        """Threads close their gateways."""
        self._batch_of(threads).open[threads.upload(rows)] = False

    def close_on_device(self, threads: Threads, senders: Array | None) -> None:
        """The same of those that send; None for all."""
        put(self._batch_of(threads).open, 0, senders)

    def _batch_of(self, threads: Threads) -> _Batch:
        return next(batch for batch in self._batches if batch.threads is threads)

    def find(self, identities: NDArray[np.int64]) -> Found:
        """Who threads with these identities are.

        CaptureError if several threads that run have one of them: more run in lockstep than hardware tells apart.
        """
        running = [_running(batch) for batch in self._batches]
        everyone = np.concatenate([batch.identity[rows] for batch, rows in zip(self._batches, running, strict=True)])
        counts = np.bincount(everyone, minlength=IDENTITIES)[identities]
        if (counts > 1).any():
            identity, count = (int(values[counts > 1][0]) for values in (identities, counts))
            raise CaptureError(
                f"{count} threads in lockstep are thread {identity % THREADS_OF_A_UNIT} of execution unit "
                f"{identity // THREADS_OF_A_UNIT}: MEDIA_VFE_STATE.max_threads of at most {IDENTITIES} tells them apart"
            )
        found = Found([], *(np.full(len(identities), nobody, np.int64) for nobody in (-1, 0, 0, 0)))
        for number, (batch, rows) in enumerate(zip(self._batches, running, strict=True)):
            found.threads.append(batch.threads)
            row_of = np.full(IDENTITIES, -1, np.int64)
            row_of[batch.identity[rows]] = rows
            row = row_of[identities]
            is_open, base, size = batch.threads.bring((batch.open, batch.base, batch.size))
            here = (row >= 0) & (self.bypass | is_open[row])
            found.batch[here], found.row[here] = number, row[here]
            found.base[here] = 0 if self.bypass else base[row[here]]
            found.size[here] = GENERAL_REGISTERS if self.bypass else size[row[here]]
        return found

    def find_on_device(self, identities: Array) -> FoundOnDevice:
        """The same of identities where threads are, (n,), with nothing asked."""
        arrays = self._batches[0].threads.arrays
        found = [arrays.full(len(identities), nobody, np.int64) for nobody in (-1, 0, 0, 0)]
        counts: Any = 0
        for number, batch in enumerate(self._batches):
            threads = batch.threads
            runs = _running_on_device(batch).astype(np.int64)
            many, sums = (_by_identity(batch, each) for each in (runs, runs * arrays.arange(threads.count)))
            counts = counts + many
            row = np.minimum(sums[identities], threads.count - 1)
            here = many[identities] > 0
            own = (0, GENERAL_REGISTERS) if self.bypass else (batch.base[row], batch.size[row])
            here = here if self.bypass else here & batch.open[row]
            found = [np.where(here, each, before) for each, before in zip((number, row, *own), found, strict=True)]
        of_batch, row, base, size = found
        everyone = [batch.threads for batch in self._batches]
        return FoundOnDevice(everyone, of_batch, row, base, size, are_several=counts[identities] > 1)


def _running(batch: _Batch) -> NDArray[np.intp]:
    """Rows of a batch that have not ended."""
    ips = batch.threads.ips
    if ips is None:
        return np.arange(batch.threads.count)
    return np.flatnonzero(batch.threads.download(ips).min(axis=1) != ENDED)


def _by_identity(batch: _Batch, values: Array) -> Array:
    """Sums of what threads have, (threads,), by their identity, which is one more for each."""
    first, count = int(batch.identity[0]), batch.threads.count
    rounds: Array = batch.threads.arrays.zeros(-(-(first + count) // IDENTITIES) * IDENTITIES, np.int64)
    rounds[first : first + count] = values
    found: Array = rounds.reshape(-1, IDENTITIES).sum(axis=0)
    return found


def _running_on_device(batch: _Batch) -> Array:
    """Which of a batch have not ended, where they are."""
    ips, arrays = batch.threads.ips, batch.threads.arrays
    found: Array = arrays.ones(batch.threads.count, np.bool_) if ips is None else ips.min(axis=1) != ENDED
    return found
