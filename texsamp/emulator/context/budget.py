"""How much a submission may do: hostile ones end in bounded time."""

from __future__ import annotations

from dataclasses import dataclass, field

from texsamp.device.arguments import is_integer, short
from texsamp.errors import CaptureError, StateError

MOST_TIMES = 1024
"""How many times the limit on work may be asked for."""


@dataclass
class Budget:
    """What is left to spend, in units of about an array operation over a thousand threads."""

    left: int
    given: int = field(init=False)

    def __post_init__(self) -> None:
        self.given = self.left

    def spend(self, units: int = 1) -> None:
        """Take some; CaptureError if there are not enough."""
        if units > self.left:
            raise CaptureError(
                f"the submission does more than the limit on executed work allows, {self.given} units; "
                f"`work` is how many times as much it may do"
            )
        self.left -= units


def check_times(work: int) -> None:
    """Raises StateError for what is no number of times the limit on work."""
    if not is_integer(work) or not 1 <= work <= MOST_TIMES:
        raise StateError(f"work is how many times the limit may be done, 1 to {MOST_TIMES}, found {short(work)}")
