"""Instruction pointers of channels: where none is an instruction, and which of several is next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ENDED = (1 << 62) - 1
"""Instruction pointer of a channel whose thread has ended."""
PARKED = ENDED - 1
"""Instruction pointer of a channel that waits for others of its thread to return from a call."""
NOWHERE = ENDED + 1
"""Instead of the pointer of a channel that is not asked about."""
WAITING = ENDED - 2
"""Instruction pointer of threads that are all ended or suspended."""


def first_behind(ips: NDArray[np.int64], ip: int) -> int:
    """The lowest pointer beyond one (hostile ones may be below 0), ENDED if there is none: others wrap around."""
    behind = int((ips - (ip + 1)).view(np.uint64).min())
    return min(behind + ip + 1, ENDED)


@dataclass
class Together:
    """Channels at the current instruction while others wait, whose pointers alone are up to date.

    words: a bit for each channel, once asked for. others: the lowest instruction that one of the others waits at.
    """

    channels: NDArray[np.bool_]
    others: int
    words: NDArray[np.uint32] | None = None
