"""Registers that pixel threads start with (Sandy Bridge volume 2 part 1, pages 339-353)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from texsamp.device.base import Array, Device
from texsamp.emulator.eu.registers.threads import GENERAL_REGISTERS
from texsamp.errors import CaptureError

QUAD = 4
"""Slots of a quad: the pixels of a subspan, or one sample of each."""
_DWORDS = 8
_GROUP_QUADS = 4
"""Quads of 16 slots, which R1 and the registers behind it are for."""


@dataclass(frozen=True)
class QuadValues:
    """What threads are told about quads: of each quad and its slots, pixel 2 * dy + dx of its subspan.

    corners: the upper left pixel, uint32 (q,), x in bits 15:0 and y above.
    barycentrics: of each set the payload holds, weights of corners 1 and 2, (q, sets, 2, 4). depth, w: (q, 4).
    offsets: x and y in 1/16 pixel, (q, 4, 2) bytes. coverage: sample masks, (q, 4). The last four are None where the
    payload does not hold them. All are where threads run.
    """

    corners: Array
    barycentrics: Array
    depth: Array | None = None
    w: Array | None = None
    offsets: Array | None = None
    coverage: Array | None = None


def payloads(
    headers: Array,
    held: Array,
    masks: Sequence[Array],
    values: QuadValues,
    constants_at: int,
    behind: Sequence[Array],
    device: Device,
) -> Array:
    """Bytes of the registers of threads, (threads, bytes); all of it is where threads run.

    headers: R0, (threads, 8). held: quads of threads; in the place of none one of those that are, which computes
    harmless numbers. masks: which pixels of up to 16 slots count, with their copy. constants_at: register that
    what is `behind` begins at: dwords of constants and attributes, (threads, n) each. CaptureError if that is before
    the end of the rest, and for more registers than there are.
    """
    threads, each = held.shape
    groups = _groups(each)
    parts = [headers]
    parts += [_places(held[:, group], mask, values, device) for group, mask in zip(groups, masks, strict=True)]
    for group in groups:
        parts += _interpolated(held[:, group], values, device)
    used = sum(part.shape[1] for part in parts) // _DWORDS
    if used > constants_at:
        raise CaptureError(f"{used} registers come before the constants, which begin at register {constants_at}")
    parts += [device.arrays.zeros((threads, (constants_at - used) * _DWORDS), np.uint32)]
    parts += behind
    registers = sum(part.shape[1] for part in parts) // _DWORDS
    if registers > GENERAL_REGISTERS:
        raise CaptureError(f"the payload of a pixel thread has {registers} registers, there are {GENERAL_REGISTERS}")
    made: Array = np.concatenate(parts, axis=1)
    return made.view(np.uint8)


def _groups(quads: int) -> list[slice]:
    return [slice(first, min(first + _GROUP_QUADS, quads)) for first in range(0, quads, _GROUP_QUADS)]


def _places(quads: Array, masks: Array, values: QuadValues, device: Device) -> Array:
    """R1, or R2 of the upper 16 slots: where subspans are, and which of their pixels count."""
    register: Array = device.arrays.zeros((len(quads), _DWORDS), np.uint32)
    places = values.corners[quads]
    register[:, 2:6] = places[:, :1]
    register[:, 2 : 2 + quads.shape[1]] = places
    register[:, 7] = masks
    return register


def _interpolated(held: Array, values: QuadValues, device: Device) -> list[Array]:
    """What 16 slots (or the 8 that a thread has) are told about their pixels."""
    threads, count = held.shape
    parts: list[Array] = []
    chosen = values.barycentrics[held]  # threads, quads, sets, weights, slots
    if chosen.shape[2]:
        eights = chosen.reshape(threads, count // 2, 2, *chosen.shape[2:]).transpose(0, 3, 1, 4, 2, 5)
        parts.append(eights.reshape(threads, -1).view(np.uint32))
    for data in (values.depth, values.w):
        if data is not None:
            parts.append(data[held].reshape(threads, -1).view(np.uint32))
    if values.offsets is not None:
        register: Array = device.arrays.zeros((threads, 4 * _DWORDS), np.uint8)
        register[:, : 2 * QUAD * count] = values.offsets[held].reshape(threads, -1)
        parts.append(register.view("<u4"))
    if values.coverage is not None:
        parts.append(values.coverage[held].reshape(threads, -1))
    return parts
