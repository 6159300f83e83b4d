"""Pixel threads of a draw: subspans of objects become threads, their messages fragments for the output merger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.dispatch.payloads import Batch
from texsamp.emulator.dispatch.pixel_kernels import PixelKernel
from texsamp.emulator.dispatch.pixel_payloads import QuadValues, payloads
from texsamp.emulator.dispatch.pixel_quads import Quads, QuadThreads
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.scratch_space import ScratchSpace
from texsamp.emulator.fixed.fragments import Fragments
from texsamp.emulator.fixed.objects import ScreenObjects, Told
from texsamp.emulator.shared.pixel_interpolator import PixelInterpolator, Places
from texsamp.emulator.shared.render_target import RenderTargetWrites
from texsamp.state.commands_media import HalfSlice
from texsamp.state.commands_raster import ComputedDepth, PixelShader, Windower

_BACK, _DEPTH, _OMASK, _PAIR_AT, _ARRAY_AT = 1 << 15, 1 << 13, 1 << 12, 6, 16
_TOPOLOGY = 0x1F
"""Of R0.0: kernels tell front faces by a word that is above 0."""
"""Bits of R0.0."""
_SCRATCH, _FFTID = 5, np.uint32(0xFF)
"""Dword of R0 with the pointer to scratch space, and its bits with the number among threads that run."""
_NUMBERS = 0xFFFFFF
"""Bits of a thread's number in R0.6 and of its primitive's in R0.7."""
_HALVES = np.broadcast_to(np.int64(HalfSlice.EITHER), 1 << 32)
"""The half-slice of every thread."""


@dataclass(frozen=True)
class PixelThreads:
    """What the pixel threads of a draw have in common.

    constants: dwords behind the interpolated numbers, the same for all. color_calc_at: COLOR_CALC_STATE, from Dynamic
    State Base.
    """

    windower: Windower
    shader: PixelShader
    kernel: PixelKernel
    scratch: ScratchSpace
    constants: NDArray[np.uint32]
    color_calc_at: int


@dataclass(frozen=True)
class Piece:
    """Quads of a draw that are worked on together.

    places: what the pixel interpolator knows of them. depth: what is tested, where threads run, (q, 1 or samples, 4);
    None if nothing is.
    coverage: of antialiased lines, (q, 4), by which alpha is multiplied; None if there are none.
    """

    quads: Quads
    values: QuadValues
    places: Places
    depth: Array | None
    coverage: Array | None = None


def run_pixels(
    runner: Runner,
    execution: Execution,
    drawn: PixelThreads,
    objects: ScreenObjects,
    pieces: Iterable[Piece],
    finish: Callable[[Fragments], None],
) -> Dispatch:
    """Run the threads of pieces; `finish` is called with the fragments of each batch of them, in order.

    CaptureError for whatever the kernel does wrong.
    """
    memory, device = SharedMemory.none(), runner.device
    setup = objects.setup.reshape(len(objects.setup), prod(objects.setup.shape[1:]))

    def batches() -> Iterator[Batch]:
        started = 0
        for piece in pieces:
            for quads in piece.quads.threads(drawn.scratch.most_threads):
                some = _Threads(drawn, objects, piece, setup, device, quads)
                numbers = np.arange(started, started + len(some))
                started += len(some)
                (constants,) = kept(device, (drawn.constants,))  # that came with the objects
                pointers = drawn.scratch.pointers(numbers)
                with device.current():
                    payload = some.payload(numbers, constants)
                    interpolator = PixelInterpolator(some.held, piece.places)
                yield Batch(
                    numbers, payload, memory, width=drawn.kernel.width, render_targets=some.writes.send,
                    render_targets_unasked=some.writes.send_unasked, interpolator=interpolator.send,
                    interpolator_unasked=interpolator.send_unasked, fftids=pointers & _FFTID,
                )  # fmt: skip
                with device.current():
                    fragments = some.rendered()
                finish(fragments)

    return runner.run(execution, drawn.kernel.start, batches(), _HALVES)


@dataclass(frozen=True)
class _Threads:
    """Threads that run together. setup: of objects, a row for each."""

    drawn: PixelThreads
    objects: ScreenObjects
    piece: Piece
    setup: Array
    device: Device
    some: QuadThreads

    def __len__(self) -> int:
        return len(self.some)

    @property
    def held(self) -> Array:
        """Quads of each; slots without one have the numbers of the first."""
        return self.some.held

    @cached_property
    def writes(self) -> RenderTargetWrites:
        """Takes what they write."""
        return RenderTargetWrites(
            len(self), self.drawn.kernel.width, self.some.started, self.some.slices,
            int(header_of(self.drawn, self.objects)[0]), dual_source=bool(self.drawn.shader.dual_source_blend),
        )  # fmt: skip

    def payload(self, numbers: NDArray[np.int64], constants: Array) -> Array:
        """Bytes of their registers."""
        some, shared = self.some, (len(self), len(constants))
        behind = [np.broadcast_to(constants, shared)]
        if self.drawn.shader.attributes:
            behind.append(self.setup[some.of_object])
        return payloads(
            self._headers(int(numbers[0])), some.held, some.masks(), self.piece.values,
            self.drawn.kernel.constants_at, behind, self.device,
        )  # fmt: skip

    def _headers(self, first: int) -> Array:
        """R0, (threads, 8), of those with numbers from `first` on."""
        (header,), arrays = kept(self.device, (header_of(self.drawn, self.objects),)), self.device.arrays
        told, scratch = self.some.told, self.drawn.scratch
        registers = np.broadcast_to(header, (len(self), len(header))).copy()
        numbers = arrays.arange(first, first + len(self), dtype=np.int32)
        flags = told[:, Told.BACK] * _BACK | told[:, Told.SLICE] << _ARRAY_AT
        if self.some.sample is not None:
            flags = flags | self.some.sample // 2 << _PAIR_AT
        registers[:, 0] = registers[:, 0] | flags.astype(np.uint32)
        registers[:, _SCRATCH] = scratch.pointers_of(numbers - first if scratch.used else numbers)
        registers[:, 6] = numbers & _NUMBERS
        registers[:, 7] = told[:, Told.NUMBER] & _NUMBERS
        return registers

    def rendered(self) -> Fragments:
        """Fragments of their slots, where they are; those of pixels that are not alive have no samples."""
        writes, some = self.writes, self.some
        depth = None if writes.depth is None else writes.depth[:, :, None]
        fragments = some.fragments(self.piece.depth if depth is None else None)
        if not writes.are_as_started:
            fragments = some.alive(fragments, writes.alive, writes.slices, writes.samples)
            if not len(fragments.samples):
                return fragments
        targets = sorted(writes.colors, key=lambda target: target[1])
        written = {target: writes.written[target] for target in targets}
        rendered = replace(
            fragments,
            depth=fragments.depth if depth is None else _of_slots(depth),
            colors={target: _of_slots(writes.colors[target]) for target in targets},
            written={target: _of_slots(each) for target, each in written.items() if each is not None},
            second=None if writes.second is None else _of_slots(writes.second),
            source0_alpha=None if writes.source0_alpha is None else _of_slots(writes.source0_alpha),
        )
        coverage = self.piece.coverage
        return rendered if coverage is None else rendered.covered(coverage[some.held].reshape(-1))


def header_of(drawn: PixelThreads, objects: ScreenObjects) -> NDArray[np.uint32]:
    """What all threads have alike of R0."""
    register = np.zeros(8, np.uint32)
    register[0] = _OMASK * bool(drawn.shader.omask) | _DEPTH * (drawn.windower.computed_depth != ComputedDepth.OFF)
    register[0] |= objects.topology & _TOPOLOGY
    register[1] = drawn.color_calc_at
    register[3] = drawn.kernel.start.sampler_table | drawn.shader.per_thread_scratch
    register[4] = drawn.kernel.start.binding_table
    return register


def _of_slots(values: Array) -> Array:
    """Values of slots, (threads, slots, ...), one thread after the other."""
    return values.reshape(-1, *values.shape[2:])
