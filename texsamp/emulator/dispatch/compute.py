"""The GPGPU pipeline: groups of threads that share memory and a barrier (volume 2 part 2, pages 7-21, 45-47, 77-79)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.context.sizes import SHARED_MEMORY_B
from texsamp.emulator.dispatch.payloads import Batch, check_registers
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.scratch_space import ScratchSpace
from texsamp.emulator.dispatch.thread_start import ThreadStart
from texsamp.emulator.eu.registers.threads import CHANNELS, REGISTER_B
from texsamp.emulator.shared.barriers import Barriers
from texsamp.errors import CaptureError
from texsamp.state.commands_common import Pipeline
from texsamp.state.commands_media import GpgpuWalker, HalfSlice, InterfaceDescriptor
from texsamp.state.thread_messages import ThreadHeader

MOST_THREADS_OF_A_WALK = 1 << 20
"""More are refused; a thread per 16 pixels of a picture of 4K is half of it."""
_MOST_THREADS = 64
"""Of a group. With 32 channels page 18 has 32, but OpenGL's driver starts more where programs choose their sizes."""
_WIDEST = 32
_SHARED_UNIT_B = 4 << 10
_BARRIER_AT, _SHARED_AT, _DESCRIPTOR_AT = 29, 28, 4
"""Bits of R0.2."""


@dataclass(frozen=True)
class _Group:
    """What all groups have in common: constants and enabled channels of each of its threads.

    active: enabled channels of all of them together.
    """

    constants: NDArray[np.uint8]
    channels: NDArray[np.bool_]
    active: int

    @property
    def threads(self) -> int:
        """Threads of a group."""
        return len(self.channels)


class ComputePipeline:
    """Starts the threads of GPGPU_WALKER."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def walk(self, execution: Execution, command: GpgpuWalker, counts: tuple[int, int, int]) -> Dispatch:
        """Run all threads of all groups. counts: groups behind the last in X, Y and Z.

        CaptureError for what is not executed, illegal sizes, and whatever the kernel does wrong.
        """
        context = execution.context
        if (
            context.vfe is None
            or not context.vfe.gpgpu_mode
            or context.pipeline not in (Pipeline.MEDIA, Pipeline.GPGPU)
        ):
            raise CaptureError(f"{command.name} needs the GPGPU pipeline selected and MEDIA_VFE_STATE set for it")
        descriptor = self._runner.descriptor(context, command.interface_descriptor)
        group = _group(context, command, descriptor)
        places = _places(command, counts, MOST_THREADS_OF_A_WALK // group.threads)
        context.registers.count_channels(len(places) * group.active)
        batches = self._batches(context, command, descriptor, group, places)
        halves = np.full(len(places) * group.threads, HalfSlice.EITHER, np.int64)
        return self._runner.run(execution, ThreadStart.of_descriptor(descriptor), batches, halves)

    def _batches(
        self,
        context: LogicalContext,
        command: GpgpuWalker,
        descriptor: InterfaceDescriptor,
        group: _Group,
        places: NDArray[np.int64],
    ) -> Iterator[Batch]:
        """Whole groups, as many as run in lockstep."""
        assert context.vfe is not None
        scratch = ScratchSpace.of(context.vfe)
        together = scratch.most_threads // group.threads
        if not together:
            raise CaptureError(f"a group has {group.threads} threads, at most {scratch.most_threads} run at once")
        block_B = min(descriptor.shared_memory * _SHARED_UNIT_B, SHARED_MEMORY_B)
        owner = np.arange(len(places) * group.threads) // group.threads
        for first in range(0, len(places), together):
            chosen = places[first : first + together]
            numbers = np.arange(first * group.threads, (first + len(chosen)) * group.threads)
            barriers = Barriers(owner, descriptor.group_threads) if descriptor.barrier else None
            shared = SharedMemory.of_groups(owner - first, len(chosen), block_B)
            of_threads = np.repeat(chosen, group.threads, axis=0)
            headers = _headers(context, command, descriptor, of_threads, scratch.pointers(numbers))
            payload = np.concatenate([headers, np.tile(group.constants, (len(chosen), 1))], axis=1)
            enabled = np.tile(group.channels, (len(chosen), 1))
            yield Batch(numbers, payload, shared, barriers, enabled, 8 << int(command.simd_size))


def _places(command: GpgpuWalker, counts: tuple[int, int, int], most: int) -> NDArray[np.int64]:
    """X, Y and Z of every group in order, (groups, 3): a start is that of the first row and plane only (page 78).

    CaptureError for more groups than `most`, and for starts that lie behind the last group.
    """
    starts = (command.start_x, command.start_y, command.start_z)
    if not all(counts):
        return np.zeros((0, 3), np.int64)
    for axis, start, count in zip("xyz", starts, counts, strict=True):
        if start >= count:
            raise CaptureError(f"{command.name}.start_{axis} is {start}, the groups end at {count}")
    x, y, z = counts
    first = (starts[2] * y + starts[1]) * x + starts[0]
    if x * y * z - first > most:
        raise CaptureError(f"{command.name}: {x * y * z - first} groups, at most {most} of this size are executed")
    order = np.arange(first, x * y * z)
    return np.stack([order % x, order // x % y, order // x // y], axis=1)


def _group(context: LogicalContext, command: GpgpuWalker, descriptor: InterfaceDescriptor) -> _Group:
    width, height, depth = command.threads_x, command.threads_y, command.threads_z
    simd, threads = 8 << int(command.simd_size), width * height * depth
    if threads > _MOST_THREADS or simd > _WIDEST:
        raise CaptureError(f"a group of {threads} threads of {simd} channels")
    order = np.arange(threads)
    masks = np.full(threads, (1 << simd) - 1, np.int64)
    masks[order % width == width - 1] &= command.right_mask
    masks[order // width % height == height - 1] &= command.bottom_mask
    channels = (masks[:, None] >> np.arange(CHANNELS) & 1).astype(np.bool_)
    active = int(channels[:, :simd].sum())
    channels[:, simd:] = channels[:, :simd].all(axis=1, keepdims=True)  # nothing is computed there: one mask is quicker
    length = descriptor.constant_read_length
    check_registers(1 + length)
    start, size = descriptor.constant_read_offset * REGISTER_B, threads * length * REGISTER_B
    constants = context.curbe[start : start + size]
    if len(constants) < size:
        raise CaptureError(f"constants up to byte {start + size} of {len(context.curbe)} are read")
    return _Group(np.frombuffer(constants, np.uint8).reshape(threads, length * REGISTER_B), channels, active)


def _headers(
    context: LogicalContext,
    command: GpgpuWalker,
    descriptor: InterfaceDescriptor,
    places: NDArray[np.int64],
    pointers: NDArray[np.uint32],
) -> NDArray[np.uint8]:
    """R0 of threads by the places of their groups and their scratch space, (threads, 32); pages 45-47."""
    assert context.vfe is not None
    header = ThreadHeader(
        sampler_state_pointer=descriptor.sampler_state_pointer,
        binding_table_pointer=descriptor.binding_table_pointer,
        per_thread_scratch=context.vfe.per_thread_scratch,
    )
    registers = np.tile(np.frombuffer(header.pack(), "<u4"), (len(places), 1))
    registers[:, (1, 6, 7)] = places
    registers[:, 2] = (
        int(descriptor.barrier) << _BARRIER_AT
        | int(descriptor.shared_memory > 0) << _SHARED_AT
        | command.interface_descriptor << _DESCRIPTOR_AT
    )
    registers[:, 5] = pointers
    return registers.view(np.uint8)
