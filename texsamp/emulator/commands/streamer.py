"""The command streamer: executes the commands of a submission in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from texsamp.emulator.commands.blitter import color_fill
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.context_state import ContextState
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.registers import DISPATCH_DIMENSIONS, PS_DEPTH_COUNT, TIMESTAMP
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.dispatch.runner import Dispatch
from texsamp.emulator.files.capture import Capture, LocatedCommand, walk
from texsamp.errors import CaptureError, StateError
from texsamp.state.command import Command
from texsamp.state.commands_3d import Primitive
from texsamp.state.commands_common import (
    PipeControl,
    PipelineSelect,
    PostSyncOperation,
    StateBaseAddress,
    StateSip,
)
from texsamp.state.commands_media import (
    GpgpuWalker,
    MediaCurbeLoad,
    MediaInterfaceDescriptorLoad,
    MediaObject,
    MediaObjectPrt,
    MediaObjectWalker,
    MediaStateFlush,
    MediaVfeState,
)
from texsamp.state.commands_mi import (
    MiBatchBufferEnd,
    MiBatchBufferStart,
    MiLoadRegisterImm,
    MiLoadRegisterMem,
    MiNoop,
    MiPredicate,
    MiStoreDataImm,
    MiStoreRegisterMem,
    XyColorBlt,
)
from texsamp.state.commands_sampler import ChromaKey, MonofilterSize, PaletteLoad0, PaletteLoad1

_STATE_OF_DRAWS = "3DSTATE_"
"""Commands that only change what later draws do."""
_COUNTERS = {
    PostSyncOperation.WRITE_TIMESTAMP: TIMESTAMP,
    PostSyncOperation.WRITE_PS_DEPTH_COUNT: PS_DEPTH_COUNT,
}
"""Registers that PIPE_CONTROL writes (seed 002:351-358). As nothing is drawn, no pixels are counted."""
WORK_PER_SUBMISSION = 1 << 17
"""Units of work a submission may do: an EU instruction of up to 1024 threads is one; real ones take below 4096."""


@dataclass(frozen=True, slots=True)
class Executed:
    """One command that was executed, or a run of MEDIA_OBJECTs, and what its threads came to."""

    located: LocatedCommand
    dispatch: Dispatch | None = None


class CommandStreamer:
    """Executes commands on the memory of a case and the state of a context."""

    def __init__(self, memory: CaseMemory, state: ContextState, engines: Engines) -> None:
        self._memory, self._state, self._engines = memory, state, engines
        self._budget = Budget(0)
        self._handlers: dict[type, Callable[[Any], None]] = {
            StateBaseAddress: self._state_base_address,
            PipelineSelect: self._pipeline_select,
            PipeControl: self._pipe_control,
            ChromaKey: state.sampler_settings.take_key,
            PaletteLoad0: state.sampler_settings.take_palette,
            PaletteLoad1: state.sampler_settings.take_palette,
            MonofilterSize: state.sampler_settings.take_mono_size,
            MediaVfeState: self._vfe,
            MediaCurbeLoad: self._curbe,
            MediaInterfaceDescriptorLoad: self._descriptors,
            MiLoadRegisterImm: self._load_immediate,
            MiLoadRegisterMem: self._load_memory,
            MiStoreRegisterMem: self._store_register,
            MiStoreDataImm: self._store_data,
            MiPredicate: self._predicate,
            XyColorBlt: self._color_fill,
            Primitive: self._draw,
            **dict.fromkeys((MiNoop, MiBatchBufferStart, MiBatchBufferEnd, MediaStateFlush, StateSip), self._nothing),
        }

    def run(self, capture: Capture, budget: Budget | None = None) -> Iterator[Executed]:
        """Execute a submission, yielding each command when it is done.

        CaptureError, naming the command and its address, at whatever is illegal, unmapped or not executed; and, naming
        the submission, if it leaves a frame of the deinterlacer's walker undone.
        """
        self._budget = budget or Budget(WORK_PER_SUBMISSION)
        for located in walk(self._memory, capture.batch_address, length=capture.batch_length, runs=True):
            command, dispatch = located.command, None
            self._memory.command = f"{capture.name}: {command.name} at {located.address:#x}"
            try:
                if isinstance(command, MediaObject):
                    dispatch = self._objects(located, command)
                elif isinstance(command, MediaObjectPrt):
                    dispatch = self._engines.media.persistent(self._state, command, self._budget)
                elif isinstance(command, MediaObjectWalker):
                    dispatch = self._engines.media.walk(self._state, command, self._budget)
                elif isinstance(command, GpgpuWalker):
                    dispatch = self._compute(command)
                else:
                    self._handler(type(command), command.name)(command)
            except (CaptureError, StateError) as error:
                raise CaptureError(f"{self._memory.command}: {error}") from None
            self._memory.attribute(self._memory.command)
            self._state.registers.count_commands(located.count)
            yield Executed(located, dispatch)
        self._state.vdi_walker.check_done(f"{capture.name}: the submission ends")

    def _handler(self, kind: type, name: str) -> Callable[[Any], None]:
        if kind not in self._handlers:
            if name.startswith(_STATE_OF_DRAWS):
                return self._nothing
            raise CaptureError("this command is not executed")
        return self._handlers[kind]

    def _nothing(self, _: Command) -> None:
        """What has no effect here: everything is done when the next command begins."""

    # -- state ---------------------------------------------------------------------------------------------------------

    def _state_base_address(self, command: StateBaseAddress) -> None:
        self._state.bases.take(command)

    def _pipeline_select(self, command: PipelineSelect) -> None:
        self._state.pipeline = command.selection

    def _vfe(self, command: MediaVfeState) -> None:
        self._state.vfe = command

    def _curbe(self, command: MediaCurbeLoad) -> None:
        self._state.curbe = self._memory.read(self._state.bases.dynamic + command.data_start, command.data_length)

    def _descriptors(self, command: MediaInterfaceDescriptorLoad) -> None:
        start = self._state.bases.dynamic + command.data_start
        self._state.descriptors = self._memory.read(start, command.data_length)

    # -- registers and memory ------------------------------------------------------------------------------------------

    def _load_immediate(self, command: MiLoadRegisterImm) -> None:
        for offset, value in command.writes:
            self._state.registers.write(offset, value, command.byte_write_disables)

    def _load_memory(self, command: MiLoadRegisterMem) -> None:
        value = int.from_bytes(self._memory.read(command.memory_address, 4), "little")
        self._state.registers.write(command.register_offset, value)

    def _store_register(self, command: MiStoreRegisterMem) -> None:
        value = self._state.registers.read(command.register_offset)
        self._memory.write(command.memory_address, value.to_bytes(4, "little"))

    def _store_data(self, command: MiStoreDataImm) -> None:
        self._memory.write(command.address, b"".join(d.to_bytes(4, "little") for d in (command.data, *command.tail)))

    def _predicate(self, command: MiPredicate) -> None:
        self._state.registers.set_predicate(command)

    def _pipe_control(self, command: PipeControl) -> None:
        if command.post_sync == PostSyncOperation.NO_WRITE:
            return
        if command.lri_post_sync or command.store_data_index:
            raise CaptureError("post-sync writes to registers and the status page are not executed")
        counter = _COUNTERS.get(command.post_sync)
        if counter is None:
            value = command.immediate | (command.tail[0] if command.tail else 0) << 32
        else:
            value = self._state.registers.read_wide(counter)
        self._memory.write(command.address, value.to_bytes(8, "little"))

    def _draw(self, command: Primitive) -> None:
        """A draw without vertices, as drivers send one to flush, or one whose predicate is clear."""
        dropped = command.predicate_enable and not self._state.registers.predicate
        counted = command.indirect_parameter or command.end_offset or (command.vertex_count and command.instance_count)
        if counted and not dropped:
            raise CaptureError("drawing is not executed")

    def _color_fill(self, command: XyColorBlt) -> None:
        color_fill(self._memory, command, self._budget)

    # -- threads -------------------------------------------------------------------------------------------------------

    def _objects(self, located: LocatedCommand, command: MediaObject) -> Dispatch:
        """A run of MEDIA_OBJECTs that differ only in their inline data and half-slices."""
        dwords = MediaObject.dwords + len(command.tail)
        data = self._memory.read(located.address, 4 * dwords * located.count)
        rows = np.frombuffer(data, "<u4").reshape(located.count, dwords)
        halves = (rows[:, 2] >> 17 & 3).astype(np.int64)
        return self._engines.media.objects(self._state, command, rows[:, MediaObject.dwords :], halves, self._budget)

    def _compute(self, command: GpgpuWalker) -> Dispatch | None:
        """Groups as the command or, if it is indirect, registers count them; None if the predicate drops them."""
        registers = self._state.registers
        if command.predicate_enable and not registers.predicate:
            return None
        counts = (command.end_x, command.end_y, command.end_z)
        if command.indirect_parameter:
            x, y, z = (registers.read(offset) for offset in DISPATCH_DIMENSIONS)
            counts = (x, y, z)
        return self._engines.compute.walk(self._state, command, counts, self._budget)
