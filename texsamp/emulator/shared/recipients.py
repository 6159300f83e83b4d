"""Threads that run at once, as the message gateway knows them: by execution unit and thread number."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.threads import ENDED, GENERAL_REGISTERS, Threads
from texsamp.errors import CaptureError

THREADS_OF_A_UNIT, UNITS = 8, 16
IDENTITIES = THREADS_OF_A_UNIT * UNITS
"""Threads that execution unit and thread number tell apart."""
LARGEST_GATEWAY = 5


@dataclass
class _Batch:
    """Threads that were started together: their identities, and of each gateway whether it is open, base and size."""

    threads: Threads
    identity: NDArray[np.int64]
    open: NDArray[np.bool_]
    base: NDArray[np.int64]
    size: NDArray[np.int64]


@dataclass(frozen=True)
class Found:
    """Open gateways: which of the batches of threads, -1 for none, the thread's row, first register and registers."""

    threads: list[Threads]
    batch: NDArray[np.int64]
    row: NDArray[np.int64]
    base: NDArray[np.int64]
    size: NDArray[np.int64]


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
        count = threads.count
        zeros = np.zeros(count, np.int64)
        self._batches.append(_Batch(threads, slots % IDENTITIES, np.zeros(count, np.bool_), zeros, zeros.copy()))
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
        batch = next(batch for batch in self._batches if batch.threads is threads)
        batch.open[rows], batch.base[rows], batch.size[rows] = True, base, 1 << size_code

    def close(self, threads: Threads, rows: NDArray[np.intp]) -> None:
        """Threads close their gateways."""
        next(batch for batch in self._batches if batch.threads is threads).open[rows] = False

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
            here = (row >= 0) & (self.bypass | batch.open[row])
            found.batch[here], found.row[here] = number, row[here]
            found.base[here] = 0 if self.bypass else batch.base[row[here]]
            found.size[here] = GENERAL_REGISTERS if self.bypass else batch.size[row[here]]
        return found


def _running(batch: _Batch) -> NDArray[np.intp]:
    """Rows of a batch that have not ended."""
    ips = batch.threads.ips
    if ips is None:
        return np.arange(batch.threads.count)
    return np.flatnonzero(batch.threads.download(ips).min(axis=1) != ENDED)
