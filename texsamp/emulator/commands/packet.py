"""A command in its place, and what the tables of the modules beside this one say about each class of command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.emulator.files.capture import LocatedCommand


@dataclass(frozen=True, slots=True)
class Packet:
    """A command, what it works on, and the engines that may start threads for it."""

    located: LocatedCommand
    execution: Execution
    engines: Engines

    @property
    def memory(self) -> CaseMemory:
        """Graphics memory."""
        return self.engines.memory

    @property
    def context(self) -> LogicalContext:
        """The context whose state the command changes or uses."""
        return self.execution.context


class Flow(Enum):
    """Where the streamer goes on, if not at the next command."""

    END = "behind the batch buffer"


Handler = Callable[[Packet, Any], Dispatch | Flow | None]
Handlers = Mapping[type, Handler]
"""What executes a command, by its class; the second argument is the command."""


def no_effect(packet: Packet, command: object) -> None:
    """What has no effect here: everything is done when the next command begins."""
