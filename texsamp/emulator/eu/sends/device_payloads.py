"""Messages whose headers, addresses and masks stay in registers on a device: the host asks a few numbers at most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.emulator.eu.registers.channels import any_channel
from texsamp.emulator.eu.registers.threads import REGISTER_B, Array, Mask, Threads
from texsamp.emulator.eu.sends.descriptors import Described
from texsamp.emulator.eu.sends.dword_ranges import Looks, Ranges, ranges, ranges_on_device
from texsamp.emulator.eu.sends.lanes import answer, take
from texsamp.errors import CaptureError

_DWORD_B = 4


@dataclass(frozen=True)
class Unasked(Described):
    """One message of all threads of a batch that have an enabled channel: see `Message`.

    enabled: channels that send, (threads, exec_size), where threads are; None for all. look: see `ranges`.
    """

    threads: Threads
    exec_size: int
    shared_function: int
    descriptor: int
    source: int
    destination: int | None
    end_of_thread: bool
    enabled: Callable[[], Mask]
    look: Callable[[Looks], Ranges] | None = None

    @cached_property
    def mask(self) -> Array | None:
        """Enabled channels, contiguous; None for all."""
        mask = self.enabled()
        return None if mask is None else mask.copy()

    @property
    def channels(self) -> Array:
        """The same, also of all, (threads, exec_size)."""
        everyone: Array = self.threads.arrays.ones((self.count, self.exec_size), np.bool_)
        return everyone if self.mask is None else self.mask

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

    def ranges(self, looks: Looks) -> Ranges:
        """Of dwords of the payload the least and the greatest among threads that send; the one thing that is brought.

        looks: their numbers and the bits that are looked at; always the same of messages of one kind, as the next one's
        come along with what is asked before. NobodySendsError if no thread sends.
        """
        assert self.look is not None
        return self.look(looks)

    def part(self, mask: Array) -> Unasked:
        """The same of these channels alone, (threads, exec_size), of which what is looked at comes by itself."""

        def look(looks: Looks) -> Ranges:
            return ranges(made.threads.download(made.ranges_on_device(looks)))

        made = replace(self, enabled=lambda: mask, look=look)
        return made

    def ranges_on_device(self, looks: Looks) -> Array:
        """The same where threads are, as `ranges_on_device` of all."""
        places = [(self.at(0) + _DWORD_B * number, bits) for number, bits in looks]
        return ranges_on_device(self.threads, self.mask, places)

    @cached_property
    def senders(self) -> Array | None:
        """Which threads send; None for all."""
        return None if self.mask is None else any_channel(self.mask)

    def dwords_on_device(self, first: int, count: int) -> Array:
        """See `Message`; a view, which is not contiguous."""
        return self.threads.general(self.source + first, count).view("<u4")

    def need(self, registers: int) -> None:
        """See `Message`."""
        if registers > self.length:
            raise CaptureError(f"the message has {self.length} registers, its type needs {registers}")

    def held_on_device(self, count: int) -> Array:
        """See `Message`; a view, which is not contiguous."""
        if self.destination is None:
            raise CaptureError("a message without a response has no registers for it")
        return self.threads.general(self.destination, count).view("<u4")

    def respond(self, data: Array, register: int = 0) -> None:
        """See `Message`; of all threads, of which those that do not send keep what they hold."""
        size = min(data.shape[1], (self.response_length - register) * REGISTER_B)
        if self.destination is None or size <= 0:
            return
        target = self.threads.general(self.destination + register, -(-size // REGISTER_B))[:, :size]
        if self.senders is None:
            target[...] = data[:, :size]
        else:
            np.copyto(target, data[:, :size], where=self.senders[:, None])

    def tell(self, begin: int, data: NDArray[np.uint8]) -> None:
        """See `Message`."""
        walk = self.threads.walk
        if walk is not None and self.destination is not None and self.mask is None:
            walk.told(self.destination * REGISTER_B + begin, data)

    def tell_made(self, begin: int, size: int, source: tuple[int, int]) -> None:
        """Bytes of a response that are made of some of registers, the first and how many: an answer where those are."""
        walk = self.threads.walk
        if walk is not None and self.destination is not None and self.mask is None:
            walk.told_made(self.destination * REGISTER_B + begin, size, source)

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
