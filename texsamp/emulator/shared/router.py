"""Messages to the shared functions they are sent to."""

from __future__ import annotations

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.text import SHARED_FUNCTIONS
from texsamp.emulator.shared.data_port.buffers import Buffers
from texsamp.emulator.shared.data_port.media_block import MediaBlocks
from texsamp.emulator.shared.data_port.port import DataPort
from texsamp.emulator.shared.gateway import Gateway
from texsamp.emulator.shared.sampler.engine import Sampling
from texsamp.emulator.shared.urb import Urb
from texsamp.errors import CaptureError, FormatError, StateError, UndefinedBehavior

_NULL, _SAMPLER, _GATEWAY, _SAMPLER_CACHE, _RENDER_CACHE, _URB, _SPAWNER, _CONSTANT_CACHE, _DATA_CACHE = (
    0,
    2,
    3,
    4,
    5,
    6,
    7,
    9,
    10,
)
_NEVER_LAST = (_SAMPLER, _SAMPLER_CACHE, _CONSTANT_CACHE)
"""Functions that cannot end a thread (seed 003:254)."""
_END_OF_THREAD = 0x10


class Router:
    """Shared functions as the threads of one dispatch see them."""

    def __init__(
        self,
        sampling: Sampling,
        media: MediaBlocks,
        buffers: Buffers,
        urb: Urb,
        memory: CaseMemory,
        gateway: Gateway,
    ) -> None:
        self._media, self._memory, self._budget = media, memory, buffers.budget
        port = DataPort(media, buffers)
        self._functions = {
            _NULL: self._null,
            _SAMPLER: sampling.send,
            _GATEWAY: gateway.send,
            _SAMPLER_CACHE: port.sampler_cache,
            _RENDER_CACHE: port.render_cache,
            _CONSTANT_CACHE: port.constant_cache,
            _DATA_CACHE: port.data_cache,
            _URB: urb.send,
            _SPAWNER: self._spawner,
        }

    def send(self, message: Message) -> None:
        """Carry a message out; CaptureError, naming function, descriptor and first thread, if it cannot be."""
        name = SHARED_FUNCTIONS[message.shared_function]
        try:
            function = self._functions.get(message.shared_function)
            if function is None:
                raise CaptureError(f"messages to {name} are not executed")
            if message.end_of_thread and message.shared_function in _NEVER_LAST:
                raise CaptureError(f"a message to {name} cannot end a thread")
            self._media.watched_thread = None
            self._budget.spend()  # threads may send as many messages as they are
            function(message)
            if self._memory.watch is not None:
                self._memory.attribute(self._writer(message, name))
        except (CaptureError, FormatError, StateError, UndefinedBehavior) as error:
            thread = message.threads.numbers[message.rows[0]]
            raise CaptureError(f"thread {thread}, {name} message {message.descriptor:#010x}: {error}") from None

    def _writer(self, message: Message, name: str) -> str:
        """Who a message's write is from: the thread, if it wrote a media block, and the state of its surface."""
        what = f"{name} message {message.descriptor:#010x}"
        thread = self._media.watched_thread
        if thread is None:
            return f"{self._memory.command}: {what}"
        surface = self._media.describe(message.descriptor & 0xFF)
        return f"{self._memory.command}: thread {thread}, {what} to {surface}"

    def _null(self, message: Message) -> None:
        if message.response_length:
            raise CaptureError("the null function returns nothing")

    def _spawner(self, message: Message) -> None:
        if message.descriptor & 0x7FFFF != _END_OF_THREAD or not message.end_of_thread:
            raise CaptureError("threads that start threads are not executed")
