"""The media pipeline: commands become threads, which run in lockstep (002:772-777; volume 2 part 2, pages 41-45)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.context.spawned_roots import Given
from texsamp.emulator.dispatch.payloads import Batch, check_registers, constants_of, registers_of
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.scoreboard import waves
from texsamp.emulator.dispatch.scratch_space import ScratchSpace
from texsamp.emulator.dispatch.thread_start import ThreadStart
from texsamp.emulator.dispatch.walks import walked_places
from texsamp.emulator.eu.registers.threads import REGISTER_B
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

_MASK_AT = 24
"""Where R0.0 has the scoreboard's mask."""
WORK_PER_WALK = 512
"""Units of work a walk is worth, whatever its threads do: some walk far and start none."""


@dataclass(frozen=True)
class _Starts:
    """Threads by their numbers: column, row and color (threads, 3), inline data (threads, dwords), half-slice.

    spawned: of synchronized threads, what the spawning threads sent them. header: dwords 1 and 2 of R0 where they are
    not a place.
    """

    places: NDArray[np.int64]
    inline: NDArray[np.uint32]
    halves: NDArray[np.int64]
    spawned: Given | None = None
    header: tuple[int, int] | None = None


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
        """Run the thread of MEDIA_OBJECT_PRT; a fence's threads come behind it anyway (pages 43-44 and 67-68).

        R0.2 is where its interface descriptor is; it is never restarted.
        """
        inline = np.array(command.inline_data, np.uint32)[None]
        thread = MediaObject(
            interface_descriptor=command.interface_descriptor, children_present=command.children_present
        )
        descriptor_at = execution.context.descriptors_at + command.interface_descriptor * InterfaceDescriptor.dwords * 4
        starts = _Starts(np.zeros((1, 3), np.int64), inline, np.zeros(1, np.int64), header=(0, descriptor_at))
        return self._dispatch(execution, thread, starts)

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
        if context.pipeline != Pipeline.MEDIA or context.vfe is None or context.vfe.gpgpu_mode:
            raise CaptureError(f"{command.name} needs the media pipeline selected and MEDIA_VFE_STATE set for it")
        descriptor = self._runner.descriptor(context, command.interface_descriptor)
        if command.thread_synchronization:
            starts = replace(starts, spawned=self._spawned(context, command, len(starts.places)))
        longest = 0 if starts.spawned is None else registers_of(starts.spawned.longest_B)
        shared = self._shared_payload(context, command, descriptor, starts.inline.shape[1], longest)
        batches = self._batches(context, command, shared, starts)
        return self._runner.run(execution, ThreadStart.of_descriptor(descriptor), batches, starts.halves)

    def _spawned(self, context: LogicalContext, command: MediaObject | MediaObjectWalker, count: int) -> Given:
        """What each synchronized thread is given by the message that starts it (page 35)."""
        if context.spawned_roots.count < count:
            raise CaptureError(
                f"{command.name} waits for {count} messages that spawn a root thread, earlier threads sent "
                f"{context.spawned_roots.count}"
            )
        with self._runner.device.current():
            return context.spawned_roots.take(self._runner.device, count)

    def _batches(
        self, context: LogicalContext, command: MediaObject | MediaObjectWalker, shared: _Payload, starts: _Starts
    ) -> Iterator[Batch]:
        assert context.vfe is not None
        scratch = ScratchSpace.of(context.vfe)
        memory = SharedMemory.of_half_slices(context.shared_memory, starts.halves)
        mask = command.scoreboard_mask if command.use_scoreboard else 0
        used = mask & context.vfe.scoreboard_mask if context.vfe.scoreboard else 0
        together = scratch.most_threads
        if command.children_present:
            together = min(together, max(context.urb_handles.free, 1))
        for wave in waves(starts.places, context.vfe, mask):
            for first in range(0, len(wave), together):
                numbers = wave[first : first + together]
                payload = _payload(shared, starts, numbers)
                header = payload[:, :REGISTER_B].view("<u4")
                header[:, 5] = scratch.pointers(numbers)
                header[:, 0] = used << _MASK_AT
                if command.children_present:
                    header[:, 0] |= context.urb_handles.take(len(numbers))
                if starts.header is None:
                    header[:, 2] |= command.interface_descriptor << 4
                given = starts.spawned
                yield Batch(numbers, payload if given is None else self._with(given, payload, shared, numbers), memory)

    def _with(self, given: Given, payload: NDArray[np.uint8], shared: _Payload, numbers: NDArray[np.intp]) -> Array:
        """Payloads where threads will run, whose own data come behind what they are given."""
        device, at = self._runner.device, len(shared.front)
        with device.current():
            behind = given.of(device, numbers).followed_by(device, np.ascontiguousarray(payload[:, at:]))
            made: Array = np.concatenate([*kept(device, (np.ascontiguousarray(payload[:, :at]),)), behind], axis=1)
        return made

    def _shared_payload(
        self,
        context: LogicalContext,
        command: MediaObject | MediaObjectWalker,
        descriptor: InterfaceDescriptor,
        inline_dwords: int,
        spawned: int,
    ) -> _Payload:
        assert context.vfe is not None
        header = ThreadHeader(
            sampler_state_pointer=descriptor.sampler_state_pointer,
            binding_table_pointer=descriptor.binding_table_pointer,
            per_thread_scratch=context.vfe.per_thread_scratch,
        )
        constants = constants_of(context, descriptor)
        indirect = b""
        if command.indirect_length:
            start = context.bases.indirect + command.indirect_start
            indirect = self._runner.memory.read(start, command.indirect_length)
        check_registers(
            1
            + descriptor.constant_read_length
            + spawned
            + registers_of(4 * inline_dwords)
            + registers_of(len(indirect))
        )
        return _Payload(header.pack() + constants, indirect)


def _payload(shared: _Payload, starts: _Starts, numbers: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Bytes the registers of these threads begin with, (threads, bytes); inline data ends with its register."""
    places = starts.places[numbers]
    at = len(shared.front)
    inline_B = registers_of(4 * starts.inline.shape[1]) * REGISTER_B
    size_B = registers_of(at) * REGISTER_B + inline_B + registers_of(len(shared.indirect)) * REGISTER_B
    registers = np.zeros((len(numbers), size_B), np.uint8)
    registers[:, :at] = np.frombuffer(shared.front, np.uint8)
    header = registers[:, :REGISTER_B].view("<u4")
    if starts.header is None:
        header[:, 1] = places[:, 1] << 16 | places[:, 0]
        header[:, 2] = places[:, 2]
    else:
        header[:, 1:3] = starts.header
    header[:, 6] = numbers & 0xFFFFFF
    own = registers[:, at:]
    inline = np.ascontiguousarray(starts.inline[numbers], "<u4").view(np.uint8)
    own[:, : inline.shape[1]] = inline
    own[:, inline_B : inline_B + len(shared.indirect)] = np.frombuffer(shared.indirect, np.uint8)
    return registers
