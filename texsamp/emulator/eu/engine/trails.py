"""What the host has seen of threads on a GPU, for those that begin with the same registers: it is not asked again.

Pictures of a video start the same threads one after the other. Where these jump and what their messages are looked at
by is the same as well, but for what comes of answers to messages (`origins`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import blake2b
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.engine.register_origins import Origins, UnknownOriginError, asked_bits
from texsamp.emulator.eu.sends.host_copies import Asked
from texsamp.emulator.eu.sends.messages import Send

Array = NDArray[Any]

_MOST_B = 1 << 25
"""Of all that is kept."""
_lock = Lock()


class Trail:
    """What has been seen of threads of one beginning.

    When others come that begin so, what hangs on answers is forgotten; before that nothing is told.
    """

    def __init__(self) -> None:
        self._ways: dict[tuple[int, str], Array] = {}
        self._registers: dict[int, dict[Asked, tuple[Array, int]]] = {}
        self._told: dict[int, dict[tuple[int, ...], bytes]] = {}
        self._origins: Origins | None = None
        self._is_new = True
        self.size_B = 0

    def come_again(self, step_at: Callable[[int], Any], payload: NDArray[np.uint8]) -> bool:
        """Whether what was seen holds for others."""
        if self._is_new:
            self._is_new = False
            try:
                origins = Origins(step_at, payload, {number: list(each) for number, each in self._told.items()})
            except UnknownOriginError:
                self._ways, self._registers, self.size_B = {}, {}, 0
                return False
            for number, found in self._registers.items():
                self._registers[number] = {
                    what: each for what, each in found.items() if origins.is_known(number, each[1])
                }
            self._origins = origins
        return self._origins is not None

    def ways(self, number: int, kind: str) -> Array | None:
        """Where threads went from an instruction on."""
        return None if self._origins is None else self._ways.get((number, kind))

    def keep_ways(self, number: int, kind: str, found: Array) -> None:
        """Threads have gone somewhere."""
        self._ways[number, kind] = self._kept(found)

    def registers(self, number: int) -> dict[Asked, Array]:
        """What a message is looked at by."""
        if self._origins is None:
            return {}
        return {what: found for what, (found, _) in self._registers.get(number, {}).items()}

    def keep_registers(self, number: int, send: Send, found: Mapping[Asked, Array]) -> None:
        """A message was looked at."""
        known = self._registers.setdefault(number, {})
        for what, array in found.items():
            bits = asked_bits(send, what)
            if what not in known and (self._origins is None or self._origins.is_known(number, bits)):
                known[what] = self._kept(array), bits

    def is_told(self, number: int, told: Mapping[tuple[int, ...], bytes]) -> bool:
        """Whether the host told the same as before of a response, or is the first one to tell."""
        if number not in self._told and self._is_new:
            self._told[number] = dict(told)
        return self._told.get(number, {}) == told

    def _kept(self, array: Array) -> Array:
        kept = np.array(array)
        kept.flags.writeable = False
        self.size_B += kept.nbytes
        return kept


class Walk:
    """Threads on their trail, as long as all channels are at one instruction. number: of instructions behind them.

    The trail is lost when the host puts into a response what it did not before.
    """

    def __init__(self, trail: Trail) -> None:
        self._trail: Trail | None = trail
        self._told: dict[tuple[int, ...], bytes] = {}
        self.number = 0

    def ways(self, kind: str) -> Array | None:
        """Where threads go from here, if that is known."""
        with _lock:
            return None if self._trail is None else self._trail.ways(self.number, kind)

    def went(self, kind: str, found: Array) -> None:
        """Where threads have gone."""
        with _lock:
            if self._trail is not None:
                self._trail.keep_ways(self.number, kind, found)

    def registers(self) -> dict[Any, Array]:
        """What is known of what the message here is looked at by, not to be changed."""
        with _lock:
            return {} if self._trail is None else self._trail.registers(self.number)

    def looked(self, send: Any, found: Mapping[Any, Array]) -> None:
        """What the message here was looked at by."""
        with _lock:
            if self._trail is not None:
                self._trail.keep_registers(self.number, send, found)

    def told(self, begin: int, data: NDArray[np.uint8]) -> None:
        """Bytes of registers, (threads, n), that the host puts into the response here."""
        self._told[begin, data.shape[1]] = _digest(data)

    def told_made(self, begin: int, size: int, source: tuple[int, int]) -> None:
        """Bytes of the response here that are made of others, the first and how many."""
        self._told[begin, size, *source] = b""

    def sent(self) -> None:
        """The message here has been carried out."""
        with _lock:
            if self._trail is not None and not self._trail.is_told(self.number, self._told):
                self._trail = None
        self._told = {}


def _digest(data: NDArray[np.uint8]) -> bytes:
    return blake2b(np.ascontiguousarray(data).data, digest_size=16).digest()


_trails: OrderedDict[tuple[Any, ...], Trail] = OrderedDict()


def walk_of(program: tuple[Any, ...], step_at: Callable[[int], Any], payload: NDArray[np.uint8]) -> Walk | None:
    """For threads of a program that begin with registers, (threads, bytes); None where all has to be asked.

    program: what tells it from others.
    """
    key = *program, payload.shape, _digest(payload)
    with _lock:
        trail = _trails.get(key)
        if trail is None:
            trail = _trails[key] = Trail()
        elif not trail.come_again(step_at, payload):
            trail = None
        _trails.move_to_end(key)
        held_B = sum(each.size_B for each in _trails.values())
        while held_B > _MOST_B and len(_trails) > 1:
            held_B -= _trails.popitem(last=False)[1].size_B
    return None if trail is None else Walk(trail)
