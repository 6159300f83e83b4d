"""How much a submission may do: hostile ones end in bounded time."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.errors import CaptureError


@dataclass
class Budget:
    """What is left to spend, in units of about an array operation over a thousand threads."""

    left: int

    def spend(self, units: int = 1) -> None:
        """Take some; CaptureError if there are not enough."""
        if units > self.left:
            raise CaptureError("the submission does more than the limit on executed work allows")
        self.left -= units
