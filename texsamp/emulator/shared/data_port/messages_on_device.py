"""Messages to the data port and the URB whose headers stay in registers on a device (kernels/eu_port.h)."""

from __future__ import annotations

import numpy as np

from texsamp.device import Launch
from texsamp.device.base import Array
from texsamp.device.params import constant, params_type
from texsamp.emulator.eu.registers.threads import PITCH_B, REGISTER_B
from texsamp.emulator.eu.sends.device_payloads import Unasked

_READ, _URB = params_type("EuBlockReadParams"), params_type("EuUrbParams")
_THREADS_OF_A_TILE = constant("EU_PORT_THREADS")
_WRITES = constant("EU_PORT_CLAIM"), constant("EU_PORT_STORE")
_READS = constant("EU_PORT_PLACE"), constant("EU_PORT_LOAD")
_OFFSET, _DWORD_B, _OWORD_B, _DWORDS = 2, 4, 16, 8
"""Dword of the header with an offset."""


def read_blocks(message: Unasked, memory: Array, size_B: int, dwords: int, first_B: int) -> None:  # noqa: N803
    """Dwords of a buffer from OWords on that headers name, into the response from a byte of it on; zeros beyond."""
    threads, device, mask = message.threads, message.threads.device, message.mask
    assert message.destination is not None
    params = _READ(
        registers=device.address(threads.registers),
        mask=0 if mask is None else device.address(mask),
        memory=device.address(memory),
        size_B=size_B,
        channels=message.exec_size,
        at=message.at(0) + _OFFSET * _DWORD_B,
        to=message.destination * REGISTER_B + first_B,
        unit_B=_OWORD_B,
        dwords=dwords,
        threads=threads.count,
        pitch=PITCH_B,
    )
    held = (threads.registers, memory, *(() if mask is None else (mask,)))
    device.launch(Launch("eu_block_read", params, 1, -(-threads.count // _THREADS_OF_A_TILE), held))


def exchange_urb(
    message: Unasked,
    dwords: Array,
    *,
    writes: bool,
    count: int,
    offset: int,
    farthest: int,
    unit: int,
    per_slot: bool,
    interleaved: bool,
) -> None:
    """Registers of data behind headers into the dwords of a buffer, at handles that the headers name, or from there.

    offset, farthest: in units, which are so many dwords. per_slot: whether headers have offsets, too.
    """
    threads, device, mask = message.threads, message.threads.device, message.mask
    last = device.arrays.full((len(dwords),), -1, np.int32) if writes else None
    places = None if writes else device.empty((threads.count, count * _DWORDS), np.int64)
    fields = dict(
        registers=device.address(threads.registers),
        mask=0 if mask is None else device.address(mask),
        dwords=device.address(dwords),
        last=0 if last is None else device.address(last),
        places=0 if places is None else device.address(places),
        size=len(dwords),
        channels=message.exec_size,
        at=message.at(0),
        to=0 if message.destination is None else message.destination * REGISTER_B,
        count=count,
        offset=offset,
        farthest=farthest,
        unit=unit,
        per_slot=int(per_slot),
        interleaved=int(interleaved),
        threads=threads.count,
        pitch=PITCH_B,
    )
    held = (threads.registers, dwords, *(each for each in (last, places, mask) if each is not None))
    for phase in _WRITES if writes else _READS:
        params = _URB(**fields, phase=phase)
        device.launch(Launch("eu_urb", params, 1, -(-threads.count // _THREADS_OF_A_TILE), held))
