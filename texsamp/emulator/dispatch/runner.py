"""Runs the threads of one command in batches, with the state that commands have set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.surfaces import WrittenSurface
from texsamp.emulator.dispatch.crew import Crews
from texsamp.emulator.dispatch.payloads import Batch
from texsamp.emulator.dispatch.programs import Programs
from texsamp.emulator.dispatch.thread_start import ThreadStart
from texsamp.emulator.eu.execute import Tally
from texsamp.emulator.eu.registers.spare_registers import SpareRegisters
from texsamp.emulator.shared.sampler.kept_surfaces import KeptSurfaces
from texsamp.errors import CaptureError, StateError
from texsamp.state.commands_media import InterfaceDescriptor


@dataclass(frozen=True)
class Dispatch:
    """What a run of MEDIA_OBJECTs, a walk or a draw came to.

    executed: instructions, of each batch those of the thread with the most, where they are. counts: of dwords that were
    overwritten, likewise. written: surfaces that messages wrote to. primitives, pixels: of a draw, those that were
    rasterized and those that were lit. tally: how its programs ran.
    """

    threads: int
    executed: Array | int = field(compare=False)
    counts: tuple[tuple[Device, Array], ...] = field(default=(), compare=False)
    written: tuple[WrittenSurface, ...] = ()
    primitives: int | None = None
    pixels: int | None = None
    tally: Tally = field(default_factory=Tally, compare=False)

    @cached_property
    def steps(self) -> int:
        """`executed`; asked when looked at."""
        return int(self.executed)

    @cached_property
    def overwritten(self) -> int:
        """Dwords that later threads of one message wrote differently from earlier ones; asked when looked at."""
        return sum(int(device.download(dwords).sum()) for device, dwords in self.counts)


def together(first: Dispatch, second: Dispatch) -> Dispatch:
    """What threads of two stages came to."""
    tally = Tally()
    tally.add(first.tally)
    tally.add(second.tally)
    return Dispatch(
        first.threads + second.threads,
        first.executed + second.executed,
        first.counts + second.counts,
        first.written + second.written,
        tally=tally,
    )


class Runner:
    """Starts threads with the state commands have set."""

    def __init__(self, memory: CaseMemory, device: Device | None = None) -> None:
        """device: where threads run and draws are merged, the CPU if None."""
        self.memory, self._programs = memory, Programs(memory)
        self.device = get_device("cpu") if device is None else device
        self._spare, self._kept = SpareRegisters(), KeptSurfaces()

    def descriptor(self, context: LogicalContext, number: int) -> InterfaceDescriptor:
        """A loaded interface descriptor; CaptureError if there is none, or it is illegal."""
        size = InterfaceDescriptor.dwords * 4
        data = context.descriptors[number * size : (number + 1) * size]
        if len(data) < size:
            raise CaptureError(f"interface descriptor {number} of {len(context.descriptors) // size} is used")
        try:
            return InterfaceDescriptor.unpack(data)
        except StateError as error:
            raise CaptureError(str(error)) from None

    def run(
        self,
        execution: Execution,
        start: ThreadStart,
        batches: Iterable[Batch],
        halves: NDArray[np.int64],
    ) -> Dispatch:
        """Run batches, one after the other. halves: half-slice of every thread, by its number.

        CaptureError for whatever the kernel does wrong.
        """

        def descriptor_of(number: int) -> InterfaceDescriptor:
            return self.descriptor(execution.context, number)

        self._kept.begin()
        crews = Crews(
            self.memory, self.device, self._programs, execution, descriptor_of, halves, self._spare, self._kept
        )
        for batch in batches:
            crews.run(batch, start)
        return Dispatch(crews.threads, crews.steps, crews.overwritten, crews.written, tally=crews.tally)
