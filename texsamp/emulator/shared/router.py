"""Messages to the shared functions they are sent to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from types import MappingProxyType

from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.surfaces import SurfaceTable
from texsamp.emulator.eu.isa.text import SHARED_FUNCTIONS
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.errors import CaptureError, FormatError, StateError, UndefinedBehavior


class SharedFunction(IntEnum):
    """Numbers of the functions that take messages here (seed 003:215-254)."""

    NULL = 0
    SAMPLER = 2
    GATEWAY = 3
    SAMPLER_CACHE = 4
    RENDER_CACHE = 5
    URB = 6
    SPAWNER = 7
    CONSTANT_CACHE = 9
    DATA_CACHE = 10
    PIXEL_INTERPOLATOR = 11


SendMessage = Callable[[Message], None]
SendUnasked = Callable[[Unasked], bool]
_NEVER_LAST = (
    SharedFunction.SAMPLER,
    SharedFunction.SAMPLER_CACHE,
    SharedFunction.CONSTANT_CACHE,
    SharedFunction.PIXEL_INTERPOLATOR,
)
"""Functions that cannot end a thread (seed 003:254)."""


class Router:
    """Shared functions as the threads of one batch see them."""

    def __init__(
        self,
        execution: Execution,
        surfaces: SurfaceTable,
        functions: Mapping[int, SendMessage],
        unasked: Mapping[int, SendUnasked] = MappingProxyType({}),
    ) -> None:
        """functions: what takes messages, beside the null function. unasked: what takes those nothing is asked of."""
        self._unasked = unasked
        self._execution, self._surfaces = execution, surfaces
        self._functions: dict[int, SendMessage] = {
            SharedFunction.NULL: _null,
            **functions,
        }

    def send(self, message: Message) -> None:
        """Carry a message out; CaptureError, naming function, descriptor and first thread, if it cannot be."""
        name = SHARED_FUNCTIONS[message.shared_function]
        watch = self._surfaces.memory.watch
        try:
            function = self._functions.get(message.shared_function)
            if function is None:
                raise CaptureError(f"messages to {name} are not executed")
            if message.end_of_thread and message.shared_function in _NEVER_LAST:
                raise CaptureError(f"a message to {name} cannot end a thread")
            self._execution.budget.spend()  # threads may send as many messages as they are
            if watch is not None:
                watch.thread = None
            function(message)
            if watch is not None:
                self._surfaces.memory.attribute(self._writer(message, name, watch.thread))
        except (CaptureError, FormatError, StateError, UndefinedBehavior) as error:
            thread = message.threads.numbers[message.rows[0]]
            raise CaptureError(f"thread {thread}, {name} message {message.descriptor:#010x}: {error}") from None

    def send_unasked(self, message: Unasked) -> bool:
        """Carry a message out where threads are, with nothing brought from there; if that cannot be, return False.

        What is illegal is not carried out: `send` says of which thread it is.
        """
        budget = self._execution.budget
        function = self._unasked.get(message.shared_function)
        if function is None or self._surfaces.memory.watch is not None or not budget.left:
            return False
        if message.end_of_thread and message.shared_function in _NEVER_LAST:
            return False
        try:
            was_sent = function(message)
        except (CaptureError, FormatError, StateError, UndefinedBehavior):
            return False
        if was_sent:
            budget.spend()
        return was_sent

    def _writer(self, message: Message, name: str, thread: int | None) -> str:
        """Who a message's write is from: the thread, if it wrote a media block, and the state of its surface."""
        what = f"{name} message {message.descriptor:#010x}"
        if thread is None:
            return f"{self._execution.writer}: {what}"
        surface = self._surfaces.describe(message.descriptor & 0xFF)
        return f"{self._execution.writer}: thread {thread}, {what} to {surface}"


def _null(message: Message) -> None:
    if message.response_length:
        raise CaptureError("the null function returns nothing")
