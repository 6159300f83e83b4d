"""The deinterlacer's own walker as the threads of one dispatch see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.deinterlace_walker import DeinterlaceWalker
from texsamp.emulator.eu.sends.messages import Message
from texsamp.state import MediaSurfaceState
from texsamp.state.deinterlace import DeinterlaceSamplerState


@dataclass(frozen=True)
class WalkedBlocks:
    """The walkers as the threads of one dispatch see them. halves: half-slice of every thread, by its number."""

    walker: DeinterlaceWalker
    halves: NDArray[np.int64]

    def of(
        self, message: Message, state: DeinterlaceSamplerState, surface: MediaSurfaceState
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Columns and rows of the upper left pixels of the blocks a message's threads get."""
        return self.walker.next_blocks(self.halves[message.threads.numbers[message.rows]], state, surface)
