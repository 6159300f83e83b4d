"""Runs the threads of one command in batches: what they share, and the shared functions as they see them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.samplers import SamplerTable
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.context.surfaces import SurfaceTable, WrittenSurface
from texsamp.emulator.dispatch.initial_state import set_state
from texsamp.emulator.dispatch.programs import Programs
from texsamp.emulator.eu.threads import CHANNELS, GENERAL_REGISTERS, REGISTER_B, Threads
from texsamp.emulator.shared.data_port.buffers import Buffers
from texsamp.emulator.shared.data_port.media_block import MediaBlocks
from texsamp.emulator.shared.data_port.port import DataPort
from texsamp.emulator.shared.gateway import Gateway
from texsamp.emulator.shared.router import Router, SendMessage, SharedFunction
from texsamp.emulator.shared.sampler.engine import Sampling
from texsamp.emulator.shared.sampler.walked_blocks import WalkedBlocks
from texsamp.emulator.shared.urb import Urb
from texsamp.errors import CaptureError, StateError
from texsamp.state.commands_media import InterfaceDescriptor

_SCRATCH_POINTER_B = 20
"""Where R0.5 is, whose low byte is the number of the thread among those that run (FFTID)."""


@dataclass(frozen=True)
class Dispatch:
    """What a run of MEDIA_OBJECTs or a walk came to.

    steps: executed instructions, those of threads in lockstep counted once. overwritten: dwords that later threads of
    one message wrote differently from earlier ones. written: surfaces that messages wrote to.
    """

    threads: int
    steps: int
    overwritten: int
    written: tuple[WrittenSurface, ...] = ()


@dataclass(frozen=True)
class Batch:
    """Threads that run together: their numbers, the bytes their registers begin with, and what is theirs alone.

    payload: (threads, bytes). channels: enabled ones, (threads, 32), all if None; `width` are dispatched.
    """

    numbers: NDArray[np.intp]
    payload: NDArray[np.uint8]
    shared_memory: SharedMemory
    gateway: Gateway
    channels: NDArray[np.bool_] | None = None
    width: int = CHANNELS


class Runner:
    """Starts threads with the state commands have set."""

    def __init__(self, memory: CaseMemory, device: Device | None = None) -> None:
        """device: where threads run, the CPU if None; what they send messages to runs on the CPU."""
        self.memory, self._device, self._programs = memory, device, Programs(memory)

    def descriptor(self, context: LogicalContext, number: int) -> InterfaceDescriptor:
        """A loaded interface descriptor; CaptureError if there is none, or it asks for what is not executed."""
        size = InterfaceDescriptor.dwords * 4
        data = context.descriptors[number * size : (number + 1) * size]
        if len(data) < size:
            raise CaptureError(f"interface descriptor {number} of {len(context.descriptors) // size} is used")
        try:
            descriptor = InterfaceDescriptor.unpack(data)
        except StateError as error:
            raise CaptureError(str(error)) from None
        return descriptor

    def run(
        self,
        execution: Execution,
        descriptor: InterfaceDescriptor,
        batches: Iterable[Batch],
        halves: NDArray[np.int64],
    ) -> Dispatch:
        """Run batches, one after the other. halves: half-slice of every thread, by its number.

        CaptureError for whatever the kernel does wrong.
        """
        context, budget = execution.context, execution.budget
        bases = context.bases
        program = self._programs.at(descriptor.kernel_start, descriptor.single_program_flow, bases.instruction)
        surfaces = SurfaceTable(self.memory, bases.surface, descriptor.binding_table_pointer)
        samplers = SamplerTable(self.memory, bases.dynamic + descriptor.sampler_state_pointer, bases.dynamic)
        media = MediaBlocks(surfaces, bases.general, budget)
        walked = WalkedBlocks(context.deinterlace_walker, halves)
        sampling = Sampling(surfaces, samplers, budget, context.sampler_settings, walked)
        urb = Urb(context.urb, budget)
        count = steps = 0
        for batch in batches:
            port = DataPort(media, Buffers(surfaces, bases.general, budget, batch.shared_memory))
            functions: dict[int, SendMessage] = {
                SharedFunction.SAMPLER: sampling.send,
                SharedFunction.GATEWAY: batch.gateway.send,
                SharedFunction.SAMPLER_CACHE: port.sampler_cache,
                SharedFunction.RENDER_CACHE: port.render_cache,
                SharedFunction.URB: urb.send,
                SharedFunction.CONSTANT_CACHE: port.constant_cache,
                SharedFunction.DATA_CACHE: port.data_cache,
            }
            router = Router(execution, surfaces, functions)
            with nullcontext() if self._device is None else self._device.current():
                steps += program.run(self._threads(batch, descriptor), router, budget)
            count += len(batch.numbers)
        return Dispatch(count, steps, media.overwritten, tuple(surfaces.written.values()))

    def _threads(self, batch: Batch, descriptor: InterfaceDescriptor) -> Threads:
        registers = registers_of(batch.payload.shape[1])
        threads = Threads(len(batch.numbers), batch.numbers, self._device)
        threads.general(0, registers)[:, : batch.payload.shape[1]] = threads.upload(batch.payload)
        fftids = batch.payload[:, _SCRATCH_POINTER_B].astype(np.uint32)
        enabled = np.ones((threads.count, CHANNELS), np.bool_) if batch.channels is None else batch.channels.copy()
        enabled[:, batch.width :] = False
        set_state(threads, descriptor, np.arange(threads.count), fftids, enabled)
        if batch.channels is not None:
            threads.enable(batch.channels)
        return threads


def check_registers(count: int) -> None:
    """CaptureError if a thread's payload is larger than its registers."""
    if count > GENERAL_REGISTERS:
        raise CaptureError(f"the payload of a thread has {count} registers, there are {GENERAL_REGISTERS}")


def registers_of(size_B: int) -> int:  # noqa: N803 - the unit
    """Whole registers that bytes take."""
    return -(-size_B // REGISTER_B)
