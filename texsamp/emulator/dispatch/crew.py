"""Threads that run at once: those of a batch, the threads these start, and so on (volume 2 part 2, pages 33-37).

A thread that waits for a notification lets the others go on; children are started when no thread can go on any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept as there
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.samplers import SamplerTable
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.context.surfaces import SurfaceTable, WrittenSurface
from texsamp.emulator.dispatch.initial_state import SCRATCH_POINTER_B, set_control, state_of, state_on_device
from texsamp.emulator.dispatch.payloads import Batch, check_registers, constants_of, registers_of
from texsamp.emulator.dispatch.programs import Programs
from texsamp.emulator.dispatch.thread_start import SPAWNER, ThreadStart
from texsamp.emulator.eu.execute import Program, Tally
from texsamp.emulator.eu.registers.spare_registers import SpareRegisters
from texsamp.emulator.eu.registers.threads import CHANNELS, REGISTER_B, STATE_AT, Threads
from texsamp.emulator.shared.barriers import Barriers
from texsamp.emulator.shared.data_port.buffers import Buffers
from texsamp.emulator.shared.data_port.media_block import MediaBlocks
from texsamp.emulator.shared.data_port.port import DataPort
from texsamp.emulator.shared.gateway import Gateway
from texsamp.emulator.shared.recipients import Recipients
from texsamp.emulator.shared.router import Router, SendMessage, SendUnasked, SharedFunction
from texsamp.emulator.shared.sampler.engine import Sampling
from texsamp.emulator.shared.sampler.kept_surfaces import KeptSurfaces
from texsamp.emulator.shared.sampler.walked_blocks import WalkedBlocks
from texsamp.emulator.shared.spawner import Children, Spawner
from texsamp.emulator.shared.urb import Urb
from texsamp.errors import CaptureError
from texsamp.state.commands_media import HalfSlice, InterfaceDescriptor


@dataclass(frozen=True)
class Tables:
    """Surfaces and samplers of threads, by the pointers in their R0."""

    surfaces: SurfaceTable
    samplers: SamplerTable
    media: MediaBlocks


@dataclass(frozen=True)
class _Member:
    """Threads that were started together, and who takes their messages."""

    program: Program
    threads: Threads
    router: Router
    spawner: Spawner
    barriers: Barriers | None

    def pass_barriers(self) -> bool:
        """Whether threads that cannot go on do so without those of their group that have ended."""
        return self.barriers is not None and self.barriers.pass_without_ended(self.threads)


class Crews:
    """Runs the batches of one command. halves: half-slice of every thread, by its number.

    spare, kept: what earlier threads leave.
    """

    def __init__(
        self,
        memory: CaseMemory,
        device: Device,
        programs: Programs,
        execution: Execution,
        descriptor_of: Callable[[int], InterfaceDescriptor],
        halves: NDArray[np.int64],
        spare: SpareRegisters,
        kept: KeptSurfaces,
    ) -> None:
        self._memory, self._device, self._programs = memory, device, programs
        self._execution, self._descriptor_of, self._halves = execution, descriptor_of, halves
        self._spare, self._kept = spare, kept
        self._tables: dict[tuple[int, int], Tables] = {}
        self.threads = 0
        self.steps: Array | int = 0
        self.tally = Tally()

    @property
    def overwritten(self) -> tuple[tuple[Device, Array], ...]:
        """Dwords that later threads of one message wrote differently from earlier ones: numbers, where they are."""
        found = [tables.media.overwritten for tables in self._tables.values()]
        return tuple(each for each in found if each is not None)

    @property
    def written(self) -> tuple[WrittenSurface, ...]:
        """Surfaces that messages wrote to."""
        return tuple(surface for tables in self._tables.values() for surface in tables.surfaces.written.values())

    def run(self, batch: Batch, start: ThreadStart) -> None:
        """Run a batch and all threads it starts; CaptureError if those that are left wait for each other."""
        vfe = self._execution.context.vfe
        recipients = Recipients(vfe is not None and vfe.bypass_gateway)
        with self._device.current():
            members = [self._member(batch, start, recipients, is_child=False)]
            while members:
                went = 0
                for member in members:
                    member.program.tally = self.tally
                    went += member.program.advance(member.threads, member.router, self._execution.budget)
                for member in [member for member in members if member.threads.ended]:
                    self.steps = self.steps + member.threads.executed.most
                    recipients.leave(member.threads)
                    member.threads.leave_registers()
                started = [child for member in members for child in member.spawner.take_children()]
                members = [member for member in members if not member.threads.ended]
                members += [
                    self._member(children, kind, recipients, is_child=True) for children, kind in self._batches(started)
                ]
                stuck = members and not went and not started
                if stuck and not any([member.pass_barriers() for member in members]):
                    waiting = sum(member.threads.waiting for member in members)
                    where = members[0].program.where_waiting(members[0].threads)
                    raise CaptureError(f"{where}: all {waiting} threads that are left wait for a notification")

    def _batches(self, started: list[Children]) -> list[tuple[Batch, ThreadStart]]:
        """Children that share a kernel, the size of their payload and their tables, in the order they were started."""
        groups: dict[tuple[int, int, int, int], list[Children]] = {}
        for children in started:
            tables = children.samplers, children.binding_table
            key = children.interface_descriptor, children.registers.shape[1], *tables
            groups.setdefault(key, []).append(children)
        found = []
        for (number, _, samplers, binding_table), group in groups.items():
            descriptor = self._descriptor_of(number)
            start = replace(ThreadStart.of_descriptor(descriptor), sampler_table=samplers, binding_table=binding_table)
            found.append((self._batch(descriptor, np.concatenate([children.registers for children in group])), start))
        return found

    def _batch(self, descriptor: InterfaceDescriptor, registers: Array) -> Batch:
        """R0 as the parents wrote it, then the constants, then the parents' other registers (page 40)."""
        context, count = self._execution.context, len(registers)
        constants = constants_of(context, descriptor)
        check_registers(registers.shape[1] + registers_of(len(constants)))
        (fixed,) = there(self._device, (np.frombuffer(constants, np.uint8).reshape(1, -1, REGISTER_B),))
        fixed = np.broadcast_to(fixed, (count, *fixed.shape[1:]))
        payload = np.concatenate([registers[:, :1], fixed, registers[:, 1:]], axis=1).reshape(count, -1)
        first = len(self._halves)
        self._halves = np.concatenate([self._halves, np.full(count, HalfSlice.EITHER, np.int64)])
        memory = SharedMemory.of_half_slices(context.shared_memory, self._halves)
        return Batch(np.arange(first, first + count), payload, memory)

    def _member(self, batch: Batch, start: ThreadStart, recipients: Recipients, *, is_child: bool) -> _Member:
        execution, context = self._execution, self._execution.context
        tables = self._tables_at(start.sampler_table, start.binding_table)
        program = self._programs.at(start.kernel_start, start.single_program_flow, context.bases.instruction)
        walked = WalkedBlocks(context.deinterlace_walker, self._halves)
        sampling = Sampling(
            tables.surfaces, tables.samplers, execution.budget, context.sampler_settings, walked, self._kept
        )
        buffers = Buffers(tables.surfaces, context.bases.general, execution.budget, batch.shared_memory, self._device)
        port = DataPort(tables.media, buffers, batch.render_targets, batch.render_targets_unasked)
        gateway = Gateway(recipients, context.registers, context.vfe, context.gateway_reset_at, batch.barriers)
        compute = context.vfe is not None and context.vfe.gpgpu_mode
        own = context.urb.on(self._device)[: context.urb_size_B]
        spawner = Spawner(own, context.urb_handles, context.spawned_roots, is_child=is_child, compute=compute)
        entries = own if batch.urb is None else batch.urb.on(self._device)
        urb = Urb(entries, execution.budget, self._device, ends_threads=batch.urb is not None, ends=batch.ends)
        functions: dict[int, SendMessage] = {
            SharedFunction.SAMPLER: sampling.send,
            SharedFunction.GATEWAY: gateway.send,
            SharedFunction.SAMPLER_CACHE: port.sampler_cache,
            SharedFunction.RENDER_CACHE: port.render_cache,
            SharedFunction.URB: urb.send,
            SharedFunction.CONSTANT_CACHE: port.constant_cache,
            SharedFunction.DATA_CACHE: port.data_cache,
        }
        if start.fixed_function == SPAWNER:
            functions[SharedFunction.SPAWNER] = spawner.send
        if batch.interpolator is not None:
            functions[SharedFunction.PIXEL_INTERPOLATOR] = batch.interpolator
        threads = self._threads(batch, start, recipients, program)
        self.threads += len(batch.numbers)
        unasked: dict[int, SendUnasked] = {
            SharedFunction.SAMPLER: sampling.send_unasked,
            SharedFunction.GATEWAY: gateway.send_unasked,
            SharedFunction.RENDER_CACHE: port.unasked,
            SharedFunction.SAMPLER_CACHE: port.unasked,
            SharedFunction.URB: urb.send_unasked,
            SharedFunction.CONSTANT_CACHE: port.unasked,
            SharedFunction.DATA_CACHE: port.data_unasked,
        }
        if start.fixed_function == SPAWNER:
            unasked[SharedFunction.SPAWNER] = spawner.send_unasked
        if batch.interpolator_unasked is not None:
            unasked[SharedFunction.PIXEL_INTERPOLATOR] = batch.interpolator_unasked
        router = Router(execution, tables.surfaces, functions, unasked)
        return _Member(program, threads, router, spawner, batch.barriers)

    def _tables_at(self, samplers: int, binding_table: int) -> Tables:
        key = samplers, binding_table
        if key not in self._tables:
            bases = self._execution.context.bases
            surfaces = SurfaceTable(self._memory, bases.surface, binding_table)
            table = SamplerTable(self._memory, bases.dynamic + samplers, bases.dynamic)
            self._tables[key] = Tables(surfaces, table, MediaBlocks(surfaces, bases.general, self._execution.budget))
        return self._tables[key]

    def _threads(self, batch: Batch, start: ThreadStart, recipients: Recipients, program: Program) -> Threads:
        threads = Threads(len(batch.numbers), batch.numbers, self._device, self._spare)
        enabled: Array = np.ones((1, CHANNELS), np.bool_) if batch.channels is None else batch.channels.copy()
        enabled[:, batch.width :] = False
        slots = recipients.enter(threads)
        payload: Any = batch.payload
        if isinstance(payload, np.ndarray) or isinstance(batch.channels, np.ndarray):
            fftids = batch.payload[:, SCRATCH_POINTER_B].astype(np.uint32) if batch.fftids is None else batch.fftids
            state: Array = state_of(start, slots, fftids, enabled).view(np.uint8)
        else:
            state = state_on_device(start, slots, batch.payload, enabled, self._device).view(np.uint8)
        threads.general(0, registers_of(batch.payload.shape[1]))  # they are there
        threads.begin((0, batch.payload), (STATE_AT, state))
        set_control(threads, start)
        if batch.channels is not None:
            threads.enable(batch.channels)
        elif threads.arrays is not np and threads.modes is None and isinstance(batch.payload, np.ndarray):
            threads.walk = program.walk(batch.payload)
        return threads
