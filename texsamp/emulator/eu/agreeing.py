"""Parts of the threads of one message whose payloads agree in some bits, so that each can be carried out by itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.parted import parts
from texsamp.emulator.eu.ranges import Looks, alike
from texsamp.emulator.eu.unasked import Unasked

_ALL_BITS = 0xFFFFFFFF
_DWORDS = 8
"""Of a register."""
_MOST_PARTS = 64
"""Of threads on a device: each is a question, and all are carried out before the first is answered."""

Header = NDArray[np.uint32]
"""Of one thread, (1, 8): the bits that are looked at, 0 for all others."""


def agreeing(message: Message, looks: Looks) -> list[Message]:
    """Threads that agree in bits of the first register, in the order in which they first do; nearly always one part."""
    numbers = tuple(number for number, _ in looks)
    keys = message.dwords(0, 1, numbers)[:, numbers] & np.array([bits for _, bits in looks], np.uint32)
    if (keys == keys[0]).all():
        return [message]
    _, first, part = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    chosen = [part.reshape(-1) == number for number in np.argsort(first)]
    return [replace(message, rows=message.rows[each], mask=message.mask[each], ahead={}) for each in chosen]


def agreeing_there(message: Unasked, looks: Looks) -> list[tuple[Header, Unasked]] | None:
    """The same where threads are, each with what it agrees in; None for more parts than are told by numbers."""
    found = message.ranges(looks)
    if alike(found):
        return [(_header(looks, [int(least) & _ALL_BITS for least, _ in found]), message)]
    sent = message.dwords_there(0, 1)
    keys = [sent[:, number] & np.uint32(bits) for number, bits in looks]
    made = islice(parts(message.threads, keys, message.mask, message.exec_size), _MOST_PARTS + 1)
    found_parts = [(_header(looks, values), message.part(mask)) for values, mask in made]
    return found_parts if len(found_parts) <= _MOST_PARTS else None


def _header(looks: Looks, values: list[int]) -> Header:
    header = np.zeros((1, _DWORDS), np.uint32)
    for (number, _), value in zip(looks, values, strict=True):
        header[0, number] |= np.uint32(value)
    return header
