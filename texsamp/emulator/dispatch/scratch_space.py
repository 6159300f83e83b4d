"""Scratch space: every thread that runs has its own (volume 2 part 2, pages 39, 41 and 51)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.state.commands_media import MediaVfeState

MOST_THREADS = 4096
"""Threads in lockstep; more run one batch after the other."""
_UNIT_B = 1 << 10
_NUMBERS = 256
"""Fixed function thread numbers (FFTID), which tell threads that run at once apart."""


@dataclass(frozen=True)
class ScratchSpace:
    """base, size_B: from General State Base, and of a thread. most_threads: how many may run at once."""

    base: int
    size_B: int  # noqa: N815 - the unit
    most_threads: int
    used: bool

    @classmethod
    def of(cls, vfe: MediaVfeState) -> ScratchSpace:
        """The space MEDIA_VFE_STATE sets; without one (base and size 0) as many threads as ever run together."""
        used = bool(vfe.scratch_base or vfe.per_thread_scratch)
        most = min(vfe.max_threads, _NUMBERS) if used else MOST_THREADS
        return cls(vfe.scratch_base, (vfe.per_thread_scratch + 1) * _UNIT_B, most, used)

    @classmethod
    def of_stage(cls, base: int, per_thread_scratch: int, max_threads: int) -> ScratchSpace:
        """The space that a command of a stage of the 3D pipeline sets: 2 ** per_thread_scratch KB a thread."""
        used = bool(base or per_thread_scratch)
        most = min(max_threads, _NUMBERS) if used else MOST_THREADS
        return cls(base, _UNIT_B << per_thread_scratch, most, used)

    def pointers(self, threads: NDArray[np.intp]) -> NDArray[np.uint32]:
        """R0.5 of threads that run together: where the space of each begins, and its number."""
        return self.pointers_of(np.arange(len(threads)) if self.used else threads)

    def pointers_of(self, numbers: Array) -> Array:
        """The same by what tells threads apart, where that is: numbers from 0 on where there is such space."""
        own = (numbers % _NUMBERS).astype(np.uint32)
        found: Array = own * np.uint32(self.size_B) + np.uint32(self.base) | own
        return found
