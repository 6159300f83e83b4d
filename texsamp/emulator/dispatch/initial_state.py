"""State and control registers as a thread finds them (volume 4 part 3, pages 45-48)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.dispatch.thread_start import ThreadStart
from texsamp.emulator.eu.registers.threads import CHANNELS, CONTROL, Threads
from texsamp.emulator.shared.recipients import IDENTITIES, THREADS_OF_A_UNIT

_FFID_AT, _FFTID_AT, _UNIT_AT = 24, 24, 8
_ROUNDING_AT, _SINGLE_AT = 4, 2
_GROUP = 4
"""Channels of a bit group of the vector mask."""
_LOWEST_OF_GROUPS = 0x11111111
SCRATCH_POINTER_B = 20
"""The byte of R0.5 with the number among threads that run (FFTID)."""


def _identities(slots: NDArray[np.intp]) -> NDArray[np.uint32]:
    """Execution unit and thread number of threads by their order of dispatch, as sr0.0 has them."""
    slot = (slots % IDENTITIES).astype(np.uint32)
    return slot // np.uint32(THREADS_OF_A_UNIT) << np.uint32(_UNIT_AT) | slot % np.uint32(THREADS_OF_A_UNIT)


def state_of(
    start: ThreadStart, slots: NDArray[np.intp], fftids: NDArray[np.uint32], enabled: NDArray[np.bool_]
) -> NDArray[np.uint32]:
    """sr0 of threads, (threads, 4).

    slots: numbers in the order of dispatch. enabled: dispatch mask, (threads, 32), or (1, 32) if it is that of all.
    """
    vector = np.repeat(enabled.reshape(len(enabled), -1, _GROUP).any(axis=2), _GROUP, axis=1)
    state = np.empty((len(slots), 4), np.uint32)
    state[:, 0] = _identities(slots) | np.uint32(start.fixed_function << _FFID_AT)
    state[:, 1] = fftids << np.uint32(_FFTID_AT)
    for dword, mask in ((2, enabled), (3, vector)):
        state[:, dword] = np.packbits(mask, axis=1, bitorder="little").view("<u4")[:, 0]
    return state


def states(start: ThreadStart) -> list[NDArray[np.uint32]]:
    """What `state_on_device` has sent and kept, of threads of 8, 16 and 32 channels, to travel with something else."""
    return [_states(start, np.arange(CHANNELS)[None] < width) for width in (8, 16, 32)]


def _states(start: ThreadStart, enabled: NDArray[np.bool_]) -> NDArray[np.uint32]:
    return state_of(start, np.arange(IDENTITIES), np.zeros(1, np.uint32), enabled)


def state_on_device(
    start: ThreadStart, slots: NDArray[np.intp], payload: Array, enabled: Array, device: Device
) -> Array:
    """`state_of` of threads whose payload, (threads, bytes), is on a device, made there.

    Numbers that tell threads apart are those in their R0.5. enabled: of all, the host's (1, 32), or there.
    """
    of_all = enabled if isinstance(enabled, np.ndarray) else np.ones((1, CHANNELS), np.bool_)
    (every,) = kept(device, (_states(start, of_all),))
    first = int(slots[0]) if len(slots) else 0
    state: Array = every[device.arrays.arange(first, first + len(slots)) % IDENTITIES]
    state[:, 1] = payload[:, SCRATCH_POINTER_B].astype(np.uint32) << np.uint32(_FFTID_AT)
    if enabled is not of_all:
        bits = np.packbits(enabled.reshape(-1), bitorder="little").view(np.uint32)
        state[:, 2] = bits
        lowest = (bits | bits >> 1 | bits >> 2 | bits >> 3) & np.uint32(_LOWEST_OF_GROUPS)
        state[:, 3] = lowest * np.uint32((1 << _GROUP) - 1)
    return state


def set_control(threads: Threads, start: ThreadStart) -> None:
    """Fill cr0."""
    control = threads.state(CONTROL)
    modes = (
        int(start.rounding_mode) << _ROUNDING_AT
        | int(start.single_program_flow) << _SINGLE_AT
        | int(start.alternative_floats)
    )
    control[:, 0] = modes
    control[:, 1] = (
        int(start.software_exception) << 13 | int(start.illegal_opcode_exception) << 12
        | int(start.mask_stack_exception) << 11
    )  # fmt: skip
    threads.take_control(modes)
