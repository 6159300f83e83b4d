"""The media pipeline: commands become threads, which run in lockstep (002:772-777; volume 2 part 2, pages 41-45)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.dispatch.runner import Batch, Dispatch, Runner, check_registers, registers_of
from texsamp.emulator.dispatch.scoreboard import waves
from texsamp.emulator.dispatch.scratch_space import ScratchSpace
from texsamp.emulator.dispatch.walks import walked_places
from texsamp.emulator.eu.threads import REGISTER_B
from texsamp.emulator.shared.gateway import Gateway
from texsamp.errors import CaptureError
from texsamp.state.commands_common import Pipeline
from texsamp.state.commands_media import (
    HalfSlice,
    InterfaceDescriptor,
    MediaObject,
    MediaObjectPrt,
    MediaObjectWalker,
)
from texsamp.state.thread_messages import ThreadHeader

WORK_PER_WALK = 512
"""Units of work a walk is worth, whatever its threads do: some walk far and start none."""
_REFUSED = ("children_present", "thread_synchronization")


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


class MediaPipeline:
    """Starts the threads of MEDIA_OBJECTs and walks."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def objects(
        self,
        execution: Execution,
        command: MediaObject,
        inline: NDArray[np.uint32],
        halves: NDArray[np.int64],
    ) -> Dispatch:
        """Run one thread per row of `inline` (threads, dwords), on half-slice `halves` (threads,).

        All of them have the command's other fields.
        CaptureError for what is not executed, an illegal descriptor, and whatever the kernel does wrong.
        """
        place = (command.scoreboard_x, command.scoreboard_y, command.scoreboard_color)
        return self._dispatch(execution, command, _Starts(np.tile(place, (len(inline), 1)), inline, halves))

    def persistent(self, execution: Execution, command: MediaObjectPrt) -> Dispatch:
        """Run the thread of MEDIA_OBJECT_PRT as that of a MEDIA_OBJECT; what it could wait for is done already."""
        inline = np.array(command.inline_data, np.uint32)[None]
        thread = MediaObject(
            interface_descriptor=command.interface_descriptor, children_present=command.children_present
        )
        return self.objects(execution, thread, inline, np.zeros(1, np.int64))

    def walk(self, execution: Execution, command: MediaObjectWalker) -> Dispatch:
        """Run one thread per place and color of the walk; all have the same inline data. CaptureError as above."""
        execution.budget.spend(WORK_PER_WALK)
        places = walked_places(command)
        inline = np.broadcast_to(np.array(command.tail, np.uint32), (len(places), len(command.tail)))
        halves = np.full(len(places), HalfSlice.EITHER, np.int64)
        return self._dispatch(execution, command, _Starts(places, inline, halves))

    def _dispatch(self, execution: Execution, command: MediaObject | MediaObjectWalker, starts: _Starts) -> Dispatch:
        """Run threads, those together that wait for no other."""
        context = execution.context
        for name in _REFUSED:
            if getattr(command, name):
                raise CaptureError(f"{command.name}.{name} is not executed")
        if context.pipeline != Pipeline.MEDIA or context.vfe is None or context.vfe.gpgpu_mode:
            raise CaptureError(f"{command.name} needs the media pipeline selected and MEDIA_VFE_STATE set for it")
        descriptor = self._runner.descriptor(context, command.interface_descriptor)
        shared = self._shared_payload(context, command, descriptor, starts.inline.shape[1])
        batches = self._batches(context, command, shared, starts)
        return self._runner.run(execution, descriptor, batches, starts.halves)

    def _batches(
        self, context: LogicalContext, command: MediaObject | MediaObjectWalker, shared: _Payload, starts: _Starts
    ) -> Iterator[Batch]:
        assert context.vfe is not None
        scratch = ScratchSpace.of(context.vfe)
        memory = SharedMemory.of_half_slices(context.shared_memory, starts.halves)
        mask = command.scoreboard_mask if command.use_scoreboard else 0
        for wave in waves(starts.places, context.vfe, mask):
            for first in range(0, len(wave), scratch.most_threads):
                numbers = wave[first : first + scratch.most_threads]
                payload = _payload(shared, starts, numbers)
                header = payload[:, :REGISTER_B].view("<u4")
                header[:, 5] = scratch.pointers(numbers)
                header[:, 2] |= command.interface_descriptor << 4
                yield Batch(numbers, payload, memory, Gateway())

    def _shared_payload(
        self,
        context: LogicalContext,
        command: MediaObject | MediaObjectWalker,
        descriptor: InterfaceDescriptor,
        inline_dwords: int,
    ) -> _Payload:
        assert context.vfe is not None
        header = ThreadHeader(
            sampler_state_pointer=descriptor.sampler_state_pointer,
            binding_table_pointer=descriptor.binding_table_pointer,
            per_thread_scratch=context.vfe.per_thread_scratch,
        )
        start, length = descriptor.constant_read_offset * REGISTER_B, descriptor.constant_read_length * REGISTER_B
        constants = context.curbe[start : start + length]
        if len(constants) < length:
            raise CaptureError(f"constants up to byte {start + length} of {len(context.curbe)} are read")
        indirect = b""
        if command.indirect_length:
            start = context.bases.indirect + command.indirect_start
            indirect = self._runner.memory.read(start, command.indirect_length)
        check_registers(
            1 + descriptor.constant_read_length + registers_of(4 * inline_dwords) + registers_of(len(indirect))
        )
        return _Payload(header.pack() + constants, indirect)


def _payload(shared: _Payload, starts: _Starts, numbers: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Bytes the registers of these threads begin with, (threads, bytes); inline data ends with its register."""
    places = starts.places[numbers]
    at = len(shared.front)
    used = registers_of(at) + registers_of(4 * starts.inline.shape[1]) + registers_of(len(shared.indirect))
    registers = np.zeros((len(numbers), used * REGISTER_B), np.uint8)
    registers[:, :at] = np.frombuffer(shared.front, np.uint8)
    header = registers[:, :REGISTER_B].view("<u4")
    header[:, 1] = places[:, 1] << 16 | places[:, 0]
    header[:, 2] = places[:, 2]
    header[:, 6] = numbers & 0xFFFFFF
    data = np.ascontiguousarray(starts.inline[numbers], "<u4").view(np.uint8)
    registers[:, at : at + data.shape[1]] = data
    at += registers_of(data.shape[1]) * REGISTER_B
    registers[:, at : at + len(shared.indirect)] = np.frombuffer(shared.indirect, np.uint8)
    return registers
