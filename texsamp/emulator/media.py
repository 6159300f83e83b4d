"""The media pipeline: commands become threads, which run in lockstep (seed 002:772-777)."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.emulator.budget import Budget
from texsamp.emulator.buffers import Buffers
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.threads import GENERAL_REGISTERS, REGISTER_B, Threads
from texsamp.emulator.media_block import MediaBlocks
from texsamp.emulator.memory import CaseMemory
from texsamp.emulator.router import Router
from texsamp.emulator.samplers import SamplerTable
from texsamp.emulator.sampling import Sampling
from texsamp.emulator.scoreboard import waves
from texsamp.emulator.state import ContextState
from texsamp.emulator.surfaces import SurfaceTable
from texsamp.emulator.urb import Urb
from texsamp.emulator.vdi_walker import ChosenBlocks
from texsamp.emulator.walker import walked_places
from texsamp.errors import CaptureError, StateError
from texsamp.state import RenderSurfaceState
from texsamp.state.commands_common import Pipeline
from texsamp.state.commands_media import (
    FloatingPointMode,
    HalfSlice,
    InterfaceDescriptor,
    MediaObject,
    MediaObjectPrt,
    MediaObjectWalker,
    RoundingMode,
)
from texsamp.state.thread_messages import ThreadHeader

MOST_THREADS = 4096
"""Threads in lockstep; more run one batch after the other."""
WORK_PER_WALK = 512
"""Units of work a walk is worth, whatever its threads do: some walk far and start none."""
MOST_PROGRAMS = 64
"""Prepared kernels that are kept; the oldest goes first."""
LARGEST_KERNEL_B = 1 << 20
"""Bytes of a kernel that can be reached; those of drivers stay below 64 KiB."""
_REFUSED = ("children_present", "thread_synchronization")


@dataclass(frozen=True)
class Dispatch:
    """What a run of MEDIA_OBJECTs or a walk came to.

    steps: executed instructions, those of threads in lockstep counted once. overwritten: dwords that later threads of
    one message wrote differently from earlier ones. written: surfaces that media blocks were written to.
    """

    threads: int
    steps: int
    overwritten: int
    written: tuple[RenderSurfaceState, ...] = ()


class MediaPipeline:
    """Starts threads with the state commands have set. Kernels stay prepared as long as their bytes do not change."""

    def __init__(self, memory: CaseMemory, device: Device | None = None) -> None:
        """device: where threads run, the CPU if None; what they send messages to runs on the CPU."""
        self._memory, self._device = memory, device
        self._programs: dict[tuple[int, bool], tuple[tuple[int, int], Program]] = {}

    def objects(
        self,
        state: ContextState,
        command: MediaObject,
        inline: NDArray[np.uint32],
        halves: NDArray[np.int64],
        budget: Budget,
    ) -> Dispatch:
        """Run one thread per row of `inline` (threads, dwords), on half-slice `halves` (threads,).

        All of them have the command's other fields.
        CaptureError for what is not executed, an illegal descriptor, and whatever the kernel does wrong.
        """
        place = (command.scoreboard_x, command.scoreboard_y, command.scoreboard_color)
        return self._dispatch(state, command, _Starts(np.tile(place, (len(inline), 1)), inline, halves), budget)

    def persistent(self, state: ContextState, command: MediaObjectPrt, budget: Budget) -> Dispatch:
        """Run the thread of MEDIA_OBJECT_PRT as that of a MEDIA_OBJECT; what it could wait for is done already."""
        inline = np.array(command.inline_data, np.uint32)[None]
        thread = MediaObject(
            interface_descriptor=command.interface_descriptor, children_present=command.children_present
        )
        return self.objects(state, thread, inline, np.zeros(1, np.int64), budget)

    def walk(self, state: ContextState, command: MediaObjectWalker, budget: Budget) -> Dispatch:
        """Run one thread per place and color of the walk; all have the same inline data. CaptureError as above."""
        budget.spend(WORK_PER_WALK)
        places = walked_places(command)
        inline = np.broadcast_to(np.array(command.tail, np.uint32), (len(places), len(command.tail)))
        halves = np.full(len(places), HalfSlice.EITHER, np.int64)
        return self._dispatch(state, command, _Starts(places, inline, halves), budget)

    def _dispatch(
        self, state: ContextState, command: MediaObject | MediaObjectWalker, starts: _Starts, budget: Budget
    ) -> Dispatch:
        """Run threads, those together that wait for no other."""
        for name in _REFUSED:
            if getattr(command, name):
                raise CaptureError(f"{command.name}.{name} is not executed")
        if state.pipeline != Pipeline.MEDIA or state.vfe is None or state.vfe.gpgpu_mode:
            raise CaptureError(f"{command.name} needs the media pipeline selected and MEDIA_VFE_STATE set for it")
        descriptor = self._descriptor(state, command.interface_descriptor)
        shared = self._shared_payload(state, command, descriptor, starts.inline.shape[1])
        program = self._program(state.bases.instruction + descriptor.kernel_start, descriptor)
        surfaces = SurfaceTable(self._memory, state.bases.surface, descriptor.binding_table_pointer)
        media = MediaBlocks(surfaces, state.bases.general, budget)
        buffers = Buffers(surfaces, state.bases.general, budget, state.shared_memory, starts.halves)
        dynamic = state.bases.dynamic
        samplers = SamplerTable(self._memory, dynamic + descriptor.sampler_state_pointer, dynamic)
        chosen = ChosenBlocks(state.vdi_walker, starts.halves)
        sampling = Sampling(surfaces, samplers, budget, state.sampler_settings, chosen)
        urb = Urb(state.urb, budget)
        steps = 0
        mask = command.scoreboard_mask if command.use_scoreboard else 0
        batches = (
            wave[first : first + MOST_THREADS]
            for wave in waves(starts.places, state.vfe, mask)
            for first in range(0, len(wave), MOST_THREADS)
        )
        for numbers in batches:
            with nullcontext() if self._device is None else self._device.current():
                threads = self._threads(shared, starts, numbers)
                steps += program.run(threads, Router(sampling, media, buffers, urb, self._memory), budget)
        return Dispatch(len(starts.places), steps, media.overwritten, tuple(media.written.values()))

    def _descriptor(self, state: ContextState, number: int) -> InterfaceDescriptor:
        size = InterfaceDescriptor.dwords * 4
        data = state.descriptors[number * size : (number + 1) * size]
        if len(data) < size:
            raise CaptureError(f"interface descriptor {number} of {len(state.descriptors) // size} is used")
        try:
            descriptor = InterfaceDescriptor.unpack(data)
        except StateError as error:
            raise CaptureError(str(error)) from None
        if descriptor.floating_point_mode != FloatingPointMode.IEEE_754:
            raise CaptureError(f"floating point mode {descriptor.floating_point_mode.name} is not executed")
        if descriptor.rounding_mode != RoundingMode.RTNE:
            raise CaptureError(f"rounding mode {descriptor.rounding_mode.name} is not executed")
        return descriptor

    def _shared_payload(
        self,
        state: ContextState,
        command: MediaObject | MediaObjectWalker,
        descriptor: InterfaceDescriptor,
        inline_dwords: int,
    ) -> _Payload:
        header = ThreadHeader(
            sampler_state_pointer=descriptor.sampler_state_pointer,
            binding_table_pointer=descriptor.binding_table_pointer,
            per_thread_scratch=state.vfe.per_thread_scratch if state.vfe else 0,
        )
        start, length = descriptor.constant_read_offset * REGISTER_B, descriptor.constant_read_length * REGISTER_B
        constants = state.curbe[start : start + length]
        if len(constants) < length:
            raise CaptureError(f"constants up to byte {start + length} of {len(state.curbe)} are read")
        indirect = b""
        if command.indirect_length:
            indirect = self._memory.read(state.bases.indirect + command.indirect_start, command.indirect_length)
        registers = 1 + descriptor.constant_read_length + _registers(4 * inline_dwords) + _registers(len(indirect))
        if registers > GENERAL_REGISTERS:
            raise CaptureError(f"the payload of a thread has {registers} registers, there are {GENERAL_REGISTERS}")
        return _Payload(header.pack() + constants, indirect)

    def _threads(self, shared: _Payload, starts: _Starts, numbers: NDArray[np.intp]) -> Threads:
        places = starts.places[numbers]
        threads = Threads(len(numbers), numbers, self._device)
        at = len(shared.front)
        used = at // REGISTER_B + _registers(4 * starts.inline.shape[1]) + _registers(len(shared.indirect))
        registers = np.zeros((len(numbers), used * REGISTER_B), np.uint8)
        registers[:, :at] = np.frombuffer(shared.front, np.uint8)
        header = registers[:, :REGISTER_B].view("<u4")
        header[:, 1] = places[:, 1] << 16 | places[:, 0]
        header[:, 2] = places[:, 2]
        header[:, 6] = numbers & 0xFFFFFF
        data = np.ascontiguousarray(starts.inline[numbers], "<u4").view(np.uint8)
        registers[:, at : at + data.shape[1]] = data
        at += _registers(data.shape[1]) * REGISTER_B
        registers[:, at : at + len(shared.indirect)] = np.frombuffer(shared.indirect, np.uint8)
        threads.general(0, used)[...] = threads.upload(registers)
        return threads

    def _program(self, address: int, descriptor: InterfaceDescriptor) -> Program:
        key = address, descriptor.single_program_flow
        version = self._memory.version(address)
        known = self._programs.get(key)
        if known is not None and known[0] != version and known[1].is_still(self._memory.bytes_from(address)):
            known = version, known[1]
        if known is None or known[0] != version:
            code = self._memory.read(address, min(self._memory.extent(address), LARGEST_KERNEL_B))
            known = version, Program(code, descriptor.single_program_flow)
        self._programs[key] = known
        if len(self._programs) > MOST_PROGRAMS:
            del self._programs[next(iter(self._programs))]
        return known[1]


@dataclass(frozen=True)
class _Starts:
    """Threads by their numbers: column, row and color (threads, 3), inline data (threads, dwords), half-slice."""

    places: NDArray[np.int64]
    inline: NDArray[np.uint32]
    halves: NDArray[np.int64]


@dataclass(frozen=True)
class _Payload:
    """Bytes every thread starts with: header and constants, and behind the inline data the indirect data."""

    front: bytes
    indirect: bytes


def _registers(size_B: int) -> int:  # noqa: N803 - the unit
    return -(-size_B // REGISTER_B)
