"""What threads start with: batches of them, and the registers their payloads take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.shared_memory import SharedBytes, SharedMemory
from texsamp.emulator.eu.registers.threads import CHANNELS, GENERAL_REGISTERS, REGISTER_B
from texsamp.emulator.shared.barriers import Barriers
from texsamp.emulator.shared.router import SendMessage, SendUnasked
from texsamp.errors import CaptureError
from texsamp.state.commands_media import InterfaceDescriptor


@dataclass(frozen=True)
class Batch:
    """Threads that run together: their numbers, the bytes their registers begin with, and what is theirs alone.

    payload: (threads, bytes). channels: enabled ones, bool (threads, 32), all if None; `width` are dispatched; where
    threads run, if the host does not know them: then each thread has one.
    urb: the entries of a stage of the 3D pipeline, whose URB messages may end threads; the context's buffer if None.
    ends: uint32 (threads, 8), takes the headers of such messages. render_targets, interpolator: what takes writes to
    render targets, and messages to the pixel interpolator, if anything does; those with _unasked bring nothing.
    fftids: numbers among the threads that run, those in R0.5 if None; where they are given, the payload may be where
    threads run.
    """

    numbers: NDArray[np.intp]
    payload: Array
    shared_memory: SharedMemory
    barriers: Barriers | None = None
    channels: Array | None = None
    width: int = CHANNELS
    urb: SharedBytes | None = None
    ends: Array | None = None
    render_targets: SendMessage | None = None
    render_targets_unasked: SendUnasked | None = None
    interpolator: SendMessage | None = None
    interpolator_unasked: SendUnasked | None = None
    fftids: NDArray[np.uint32] | None = None


def constants_of(context: LogicalContext, descriptor: InterfaceDescriptor) -> bytes:
    """Constants of every thread of a descriptor; CaptureError if they are not loaded."""
    start, length = descriptor.constant_read_offset * REGISTER_B, descriptor.constant_read_length * REGISTER_B
    constants = context.curbe[start : start + length]
    if len(constants) < length:
        raise CaptureError(f"constants up to byte {start + length} of {len(context.curbe)} are read")
    return constants


def check_registers(count: int) -> None:
    """CaptureError if a thread's payload is larger than its registers."""
    if count > GENERAL_REGISTERS:
        raise CaptureError(f"the payload of a thread has {count} registers, there are {GENERAL_REGISTERS}")


def registers_of(size_B: int) -> int:  # noqa: N803 - the unit
    """Whole registers that bytes take."""
    return -(-size_B // REGISTER_B)
