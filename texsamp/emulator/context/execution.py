"""One command while it is executed."""

from __future__ import annotations

from dataclasses import dataclass, field

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.logical_context import LogicalContext


@dataclass(frozen=True, slots=True)
class Execution:
    """What a command works on and what it may spend.

    writer: submission, name and address of the command, for errors and for whoever asks what wrote a byte.
    warnings: what the manual forbids and the replay carries out all the same. notes: what the command amounts to.
    """

    context: LogicalContext
    budget: Budget
    writer: str
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
