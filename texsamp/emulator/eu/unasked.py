"""Messages of which the host asks nothing: their headers, addresses and masks stay in registers on a device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from texsamp.cached import cached_property
from texsamp.emulator.eu.described import Described
from texsamp.emulator.eu.lanes import answer, take
from texsamp.emulator.eu.threads import REGISTER_B, Array, Mask, Threads
from texsamp.errors import CaptureError


@dataclass(frozen=True)
class Unasked(Described):
    """One message of all threads of a batch that have an enabled channel: see `Message`.

    enabled: channels that send, (threads, exec_size), where threads are; None for all.
    """

    threads: Threads
    exec_size: int
    shared_function: int
    descriptor: int
    source: int
    destination: int | None
    end_of_thread: bool
    enabled: Callable[[], Mask]

    @cached_property
    def mask(self) -> Array | None:
        """Enabled channels, contiguous; None for all."""
        mask = self.enabled()
        return None if mask is None else mask.copy()

    @property
    def count(self) -> int:
        """Threads that it is looked at for."""
        return self.threads.count

    def take(self, registers: Sequence[int], lanes: int) -> list[Array]:
        """See `Message`; of threads that do not send, too."""
        return take(self.threads, None, [self.at(register) for register in registers], lanes)

    def answer(self, values: Array, channels: Sequence[int]) -> bool:
        """See `Message`; of as many lanes as the message has, and as many channels as come back."""
        assert self.destination is not None
        answer(self.threads, None, self.destination * REGISTER_B, values, channels, self.mask)
        return True

    @property
    def has_registers(self) -> bool:
        """Whether payload and response lie in the registers."""
        try:
            self.threads.general(self.source, self.length)
            if self.destination is not None:
                self.threads.general(self.destination, self.response_length)
        except CaptureError:
            return False
        return True

    def at(self, register: int) -> int:
        """Byte of a thread's registers that one of the payload begins at."""
        return (self.source + register) * REGISTER_B
