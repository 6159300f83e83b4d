"""Untyped messages whose addresses stay in registers on a device (kernels/eu_untyped.h)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Launch
from texsamp.device.base import Array
from texsamp.device.params import constant, params_type
from texsamp.emulator.eu.threads import PITCH_B, REGISTER_B
from texsamp.emulator.eu.unasked import Unasked

_PARAMS = params_type("EuUntypedParams")
_THREADS_OF_A_TILE, _OWNERS = constant("EU_UNTYPED_THREADS"), constant("EU_UNTYPED_OWNERS")
_CHANNELS = constant("EU_UNTYPED_CHANNELS")
_LANES_OF_A_REGISTER = 8


@dataclass(frozen=True)
class UntypedTarget:
    """Memory that slots reach: dwords of a buffer on the device, or of shared memory.

    size_B: of the buffer. held_B: of it in its buffer object. bases: of shared memory the first dword of every
    thread's block. block: dwords of these.
    """

    dwords: Array
    size_B: int  # noqa: N815 - the unit
    held_B: int  # noqa: N815 - the unit
    bases: NDArray[np.int32] | None = None
    block: int = 1


class UntypedSlots:
    """Slots of one message, which may be carried out if `is_legal`.

    channel: dwords of a slot that are loaded or stored. parameters: how many follow the address.
    """

    def __init__(
        self, message: Unasked, target: UntypedTarget, slots: int, channel: Sequence[int], parameters: int
    ) -> None:
        threads, device = message.threads, message.threads.device
        registers, header = slots // _LANES_OF_A_REGISTER, int(message.has_header)
        first = message.length - parameters * registers
        places = [header, *(first + number * registers for number in range(parameters))]
        addresses, *data = message.take(places, slots)
        mask, bases = message.mask, None if target.bases is None else threads.kept(target.bases)[0]
        empty = device.arrays.full
        self._message, self._target, self._slots = message, target, slots
        self._places = empty((threads.count, slots), -1, np.int32)
        self._refused = empty(1, 0, np.int32)
        self._held = (threads.registers, addresses, *data, target.dwords, self._places, self._refused)
        self._held += tuple(each for each in (mask, bases) if each is not None)
        destination = message.destination
        self._fields = dict(
            registers=device.address(threads.registers),
            mask=0 if mask is None else device.address(mask),
            addresses=device.address(addresses),
            data=[*map(device.address, data), *[0] * (_CHANNELS - len(data))],
            memory=device.address(target.dwords),
            bases=0 if bases is None else device.address(bases),
            places=device.address(self._places),
            refused=device.address(self._refused),
            size_B=target.size_B,
            held_B=target.held_B,
            block=target.block,
            channels=message.exec_size,
            header=message.at(0) if message.has_header else -1,
            to=-1 if destination is None else destination * REGISTER_B,
            slots=slots,
            count=len(channel),
            channel=[*channel, *[0] * (_CHANNELS - len(channel))],
            threads=threads.count,
            pitch=PITCH_B,
        )

    def is_legal(self) -> bool:
        """Whether addresses are those of whole dwords, within the buffer object; one number is brought."""
        self._launch("CHECK")
        return not int(self._message.threads.download(self._refused)[0])

    def load(self) -> None:
        """Into the response; 0 of dwords outside of the buffer."""
        self._launch("LOAD")

    def store(self) -> None:
        """In the order of threads and slots: of several at one place the last one stays."""
        last = self._message.threads.arrays.full((len(self._target.dwords),), -1, np.int32)
        for phase in ("CLAIM", "STORE"):
            self._launch(phase, last)

    def atomic(self, operation: int) -> None:
        """Read, change and write, in the order of threads and slots; the response is what each returns."""
        self._launch("ATOMIC", operation=operation)

    def _launch(self, phase: str, last: Array | None = None, operation: int = 0) -> None:
        device, count = self._message.threads.device, self._message.threads.count
        params = _PARAMS(
            **self._fields,
            last=0 if last is None else device.address(last),
            operation=operation,
            phase=constant(f"EU_UNTYPED_{phase}"),
        )
        items = _OWNERS if phase == "ATOMIC" else count
        held = self._held if last is None else (*self._held, last)
        device.launch(Launch("eu_untyped", params, 1, -(-items // _THREADS_OF_A_TILE), held))
