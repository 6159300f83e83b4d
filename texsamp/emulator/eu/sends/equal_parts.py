"""Parts of the threads of one message whose payloads agree in some bits, so that each can be carried out by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.registers.threads import Array
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks, alike
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.eu.sends.splitting import asked_together, gathered, parted

_ALL_BITS = 0xFFFFFFFF
_DWORDS = 8
"""Of a register."""

Header = NDArray[np.uint32]
"""Of one thread, (1, 8): the bits that are looked at, 0 for all others."""

NO_HEADER: Header = np.zeros((1, _DWORDS), np.uint32)
"""Of messages without one."""


def agreeing(message: Message, looks: Looks) -> list[Message]:
    """Threads that agree in bits of the first register, in the order in which they first do; nearly always one part."""
    numbers = tuple(number for number, _ in looks)
    keys = message.dwords(0, 1, numbers)[:, numbers] & np.array([bits for _, bits in looks], np.uint32)
    if (keys == keys[0]).all():
        return [message]
    _, first, part = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    chosen = [part.reshape(-1) == number for number in np.argsort(first)]
    return [replace(message, rows=message.rows[each], mask=message.mask[each], ahead={}) for each in chosen]


def agreeing_on_device(message: Unasked, looks: Looks) -> list[AgreeingPart]:
    """The same where threads are."""
    found = message.ranges(looks)
    if alike(found):
        return [AgreeingPart(_header(looks, [int(least) & _ALL_BITS for least, _ in found]), message)]
    sent = message.dwords_on_device(0, 1)
    parts = parted(message, [sent[:, number] & np.uint32(bits) for number, bits in looks])
    own = asked_together([gathered(message, each.rows) for each in parts])
    return [
        AgreeingPart(_header(looks, part.values), mine, message, part.rows)
        for part, mine in zip(parts, own, strict=True)
    ]


@dataclass(frozen=True)
class AgreeingPart:
    """What threads of a message agree in, and a message of them.

    whole, rows: whose registers these stand for, and which; None where they are all.
    """

    header: Header
    message: Unasked
    whole: Unasked | None = None
    rows: Array | None = None

    def give_back(self) -> None:
        """Its response, when it has been written."""
        if self.whole is not None and self.whole.destination is not None:
            place = self.whole.destination, self.whole.response_length
            self.whole.threads.general(*place)[self.rows] = self.message.threads.general(*place)


def _header(looks: Looks, values: list[int]) -> Header:
    header = np.zeros((1, _DWORDS), np.uint32)
    for (number, _), value in zip(looks, values, strict=True):
        header[0, number] |= np.uint32(value)
    return header
