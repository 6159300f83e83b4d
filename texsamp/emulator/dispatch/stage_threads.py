"""Threads of the vertex side's stages: vertex, hull, domain and geometry shaders start alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.shared_memory import SharedBytes, SharedMemory
from texsamp.emulator.dispatch.initial_state import states
from texsamp.emulator.dispatch.payloads import Batch, check_registers
from texsamp.emulator.dispatch.push_constants import push_constants
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.scratch_space import ScratchSpace
from texsamp.emulator.dispatch.thread_start import ThreadStart
from texsamp.emulator.eu.registers.threads import CHANNELS, REGISTER_B
from texsamp.emulator.shared.barriers import Barriers
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import (
    BindingTablePointers,
    Constants,
    DomainShader,
    GeometryShader,
    HullShader,
    SamplerStatePointers,
    UrbAlloc,
    VertexShader,
)
from texsamp.state.commands_media import FloatingPointMode, HalfSlice

Shader = VertexShader | HullShader | DomainShader | GeometryShader
HANDLE_B = 64
"""Bytes that a URB handle counts."""
MOST_HANDLES = 1 << 16
DWORDS = REGISTER_B // 4
SIMD4X2 = 8
SLOT_B, HALF = 16, 4
"""Bytes of a slot of a vertex, and channels of each of the two that a thread works on."""
MOST_OUTPUT_B = 1 << 28
"""Bytes of all URB entries of a stage in a draw; ours, against hostile sizes."""
_BYTES_OF_A_UNIT = 1 << 16
_STAGES = {VertexShader: "VS", HullShader: "HS", DomainShader: "DS", GeometryShader: "GS"}
_FFTID = np.uint32(0xFF)
_NUMBERS = 0xFFFFFF
"""Bits of a thread's number in R0.6."""


@dataclass(frozen=True)
class StageBatch:
    """Threads of a stage that run together, t of them.

    headers: uint32 (t, 8), R0, of which tables, scratch space and number are filled in. fixed, data: uint32
    (t, 8 * registers), behind R0 and behind the constants. urb: what their messages write to and read from, bytes.
    data, urb and ends are where threads run, headers and fixed may be there. channels: bool (t, 8), enabled ones, the
    host's or there, at least one of each thread; all if None. barriers: of the threads of a patch. ends: uint32 (t, 8),
    takes the headers of the messages that end threads.
    """

    headers: Array
    fixed: Array
    data: Array
    urb: Array
    channels: Array | None = None
    barriers: Barriers | None = None
    ends: Array | None = None


@dataclass(frozen=True)
class Stage:
    """What the threads of a stage have in common. entry_B: bytes of its URB entries. constants: dwords of registers."""

    shader: Shader
    start: ThreadStart
    scratch: ScratchSpace
    constants: NDArray[np.uint32]
    entry_B: int  # noqa: N815 - the unit

    @classmethod
    def of(cls, runner: Runner, execution: Execution, kind: type[Shader]) -> Stage:
        """The stage as commands have set it; CaptureError if its constants are not mapped."""
        context, stage = execution.context, _STAGES[kind]
        shader = context.latest(kind)
        samplers, table = context.of_stage(SamplerStatePointers, stage), context.of_stage(BindingTablePointers, stage)
        constants, space = context.of_stage(Constants, stage), context.of_stage(UrbAlloc, stage)
        pushed = b"" if constants is None else push_constants(runner.memory, context, constants)
        return cls(
            shader,
            ThreadStart(
                kernel_start=shader.kernel_start,
                sampler_table=0 if samplers is None else samplers.pointer,
                binding_table=0 if table is None else table.pointer,
                single_program_flow=bool(getattr(shader, "single_program_flow", False)),
                alternative_floats=shader.floating_point_mode != FloatingPointMode.IEEE_754,
                software_exception=bool(shader.software_exception),
                illegal_opcode_exception=bool(shader.illegal_opcode_exception),
                mask_stack_exception=bool(getattr(shader, "mask_stack_exception", False)),
            ),
            ScratchSpace.of_stage(shader.scratch_base, shader.per_thread_scratch, shader.max_threads),
            np.frombuffer(pushed, "<u4"),
            (1 if space is None else space.entry_size) * HANDLE_B,
        )

    def entries(self, execution: Execution, count: int, device: Device) -> Array:
        """URB entries full of zeros, uint32 (count, slots, 4); CaptureError for more than MOST_OUTPUT_B bytes."""
        size = count * self.entry_B
        if size > MOST_OUTPUT_B:
            raise CaptureError(f"{count} URB entries of {self.entry_B} bytes, at most {MOST_OUTPUT_B} bytes fit")
        execution.budget.spend(1 + size // _BYTES_OF_A_UNIT)
        made: Array = device.arrays.zeros((count, self.entry_B // SLOT_B, 4), np.uint32)
        return made

    def run(self, runner: Runner, execution: Execution, batches: Iterable[StageBatch], threads: int) -> Dispatch:
        """Run all threads of the stage, `threads`, batch by batch; CaptureError for whatever its kernel does wrong."""
        halves = np.full(threads, HalfSlice.EITHER, np.int64)
        shared = SharedMemory.of_half_slices(execution.context.shared_memory, halves)
        return runner.run(execution, self.start, self._batches(batches, shared, runner.device), halves)

    def _batches(self, batches: Iterable[StageBatch], shared: SharedMemory, device: Device) -> Iterator[Batch]:
        first = 0
        for batch in batches:
            count = len(batch.headers)
            numbers = np.arange(first, first + count)
            first += count
            channels: Array | None = None
            if batch.channels is not None and not (isinstance(batch.channels, np.ndarray) and batch.channels.all()):
                with device.current():
                    arrays = np if isinstance(batch.channels, np.ndarray) else device.arrays
                    channels = arrays.zeros((count, CHANNELS), np.bool_)
                    channels[:, :SIMD4X2] = batch.channels
            urb = SharedBytes.lent(batch.urb, device)
            yield Batch(
                numbers, self._payload(batch, numbers, device), shared, batch.barriers, channels, SIMD4X2, urb,
                batch.ends, fftids=self.scratch.pointers(numbers) & _FFTID,
            )  # fmt: skip
            left = urb.on(device)
            if left is not batch.urb:
                with device.current():
                    batch.urb[...] = left

    def _payload(self, batch: StageBatch, numbers: NDArray[np.intp], device: Device) -> Array:
        """Registers that threads begin with, bytes, where they run."""
        before = DWORDS + batch.fixed.shape[1]
        room = max(self.shader.grf_start * DWORDS, DWORDS) - before
        if room < 0:
            raise CaptureError(
                f"{self.shader.name} has its URB data from r{self.shader.grf_start} on, r{before // 8} is free"
            )
        here = isinstance(batch.headers, np.ndarray)
        behind: Array = np.concatenate([np.zeros(room, np.uint32), self.constants])
        with device.current():
            if not here:
                behind, *_ = kept(device, (behind, *states(self.start)))
            headers = batch.headers | self._headers(numbers, np if here else device.arrays)
            behind = np.broadcast_to(behind, (len(numbers), len(behind)))
            known: Array = np.concatenate([headers, batch.fixed, behind], axis=1)
            if here:
                known, *_ = kept(device, (known, *states(self.start)))
            payload: Array = np.concatenate([known, batch.data], axis=1)
        check_registers(payload.shape[1] // DWORDS)
        return payload.view(np.uint8)

    def _headers(self, numbers: NDArray[np.intp], arrays: Any) -> Array:
        """What R0 of threads has from the stage, uint32 (t, 8), made of a module's arrays."""
        count, first = len(numbers), int(numbers[0])
        slots = arrays.arange(first, first + count)
        made: Array = arrays.zeros((count, DWORDS), np.uint32)
        made[:, 3] = self.start.sampler_table | self.shader.per_thread_scratch
        made[:, 4] = self.start.binding_table
        made[:, 5] = self.scratch.pointers_of(arrays.arange(count) if self.scratch.used else slots)
        made[:, 6] = slots & _NUMBERS
        return made


def pairs(slots: Array) -> Array:
    """Slots of an even number of vertices, (2 t, slots, 4), as registers of t threads: one vertex in each half."""
    count, width = len(slots) // 2, slots.shape[1]
    return slots.reshape(count, 2, width, 4).transpose(0, 2, 1, 3).reshape(count, 2 * width * 4)


def read_slots(entries: Array, offset: int, length: int, device: Device) -> Array:
    """Slots of entries, uint32 (n, slots, 4), from `offset` on, both in pairs of slots: zeros behind the entries."""
    made: Array = device.arrays.zeros((len(entries), 2 * length, 4), np.uint32)
    found = entries[:, 2 * offset : 2 * (offset + length)]
    made[:, : found.shape[1]] = found
    return made


def in_handles(entries: Array, units: int, device: Device) -> Array:
    """Entries, uint32 (n, slots, 4), of so many handles each: zeros behind what they have."""
    made: Array = device.arrays.zeros((len(entries), units * HANDLE_B // SLOT_B, 4), np.uint32)
    found = entries[:, : made.shape[1]]
    made[:, : found.shape[1]] = found
    return made
