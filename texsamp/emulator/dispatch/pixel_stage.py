"""Pixel threads of a draw: subspans of objects become threads, their messages fragments for the output merger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.shared_memory import SharedMemory
from texsamp.emulator.dispatch.payloads import Batch
from texsamp.emulator.dispatch.pixel_kernels import PixelKernel
from texsamp.emulator.dispatch.pixel_payloads import QuadValues, enables, grouped, payloads
from texsamp.emulator.dispatch.pixel_quads import Quads, chosen_of, numbers_of
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.scratch_space import ScratchSpace
from texsamp.emulator.fixed.fragments import Fragments
from texsamp.emulator.fixed.objects import ScreenObjects
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
    coverage: of antialiased lines, (q, 4), by which alpha is multiplied.
    """

    quads: Quads
    values: QuadValues
    places: Places
    depth: Array | None
    coverage: NDArray[np.float32] | None = None


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
    (constants,) = kept(device, (drawn.constants,))

    def batches() -> Iterator[Batch]:
        started = 0
        for piece in pieces:
            held = grouped(piece.quads.objects, drawn.kernel.width)
            started_for = enables(held, piece.quads.lit)
            some = started_for.any(axis=1)
            if not some.all():
                held, started_for = held[some], started_for[some]
            for first in range(0, len(held), drawn.scratch.most_threads):
                last = first + drawn.scratch.most_threads
                chosen, lit = held[first:last], started_for[first:last]
                numbers = np.arange(started, started + len(chosen))
                started += len(chosen)
                of_object = piece.quads.objects[chosen[:, 0]]
                headers = _headers(drawn, objects, of_object, piece.quads.sample[chosen[:, 0]], numbers)
                with device.current():
                    behind: list[Any] = [np.broadcast_to(constants, (len(chosen), len(constants)))]
                    if drawn.shader.attributes:
                        behind.append((setup, objects.planes[of_object]))
                    expected = () if device.arrays is np or lit.all() else (numbers_of(lit),)
                    payload, sent = payloads(
                        headers, chosen, lit, piece.values, drawn.kernel.constants_at, behind, device, expected
                    )
                writes = RenderTargetWrites(
                    lit, headers[:, 0], objects.slices[of_object],
                    dual_source=bool(drawn.shader.dual_source_blend),
                )  # fmt: skip
                interpolator = PixelInterpolator(chosen, piece.places)
                yield Batch(
                    numbers, payload, memory, width=drawn.kernel.width, render_targets=writes.send,
                    interpolator=interpolator.send, fftids=headers[:, _SCRATCH] & _FFTID,
                )  # fmt: skip
                with device.current():
                    fragments = _rendered(
                        writes, objects, piece, chosen, tuple(zip(expected, sent, strict=True)), device
                    )
                finish(fragments)

    return runner.run(execution, drawn.kernel.start, batches(), _HALVES)


def _headers(
    drawn: PixelThreads,
    objects: ScreenObjects,
    of_object: NDArray[np.int64],
    sample: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> NDArray[np.uint32]:
    """R0 of threads by their object and first sample, (threads, 8)."""
    registers = np.zeros((len(numbers), 8), np.uint32)
    registers[:, 0] = _OMASK * bool(drawn.shader.omask) | _DEPTH * (drawn.windower.computed_depth != ComputedDepth.OFF)
    registers[:, 0] |= objects.topology & _TOPOLOGY
    registers[:, 0] |= np.where(objects.back[of_object], _BACK, 0).astype(np.uint32)
    registers[:, 0] |= (np.maximum(sample, 0) // 2).astype(np.uint32) << np.uint32(_PAIR_AT)
    registers[:, 0] |= objects.slices[of_object].astype(np.uint32) << np.uint32(_ARRAY_AT)
    registers[:, 1] = drawn.color_calc_at
    registers[:, 3] = drawn.kernel.start.sampler_table | drawn.shader.per_thread_scratch
    registers[:, 4] = drawn.kernel.start.binding_table
    registers[:, _SCRATCH] = drawn.scratch.pointers(numbers)
    registers[:, 6] = numbers & _NUMBERS
    registers[:, 7] = objects.numbers[of_object] & _NUMBERS
    return registers


def _rendered(
    writes: RenderTargetWrites,
    objects: ScreenObjects,
    piece: Piece,
    chosen: NDArray[np.int64],
    expected: Sequence[tuple[NDArray[np.int32], Array]],
    device: Device,
) -> Fragments:
    """Fragments of the pixels that threads left alive, in the order of the threads; what these wrote stays there.

    expected: numbers of slots that are where threads run already: those that these were started for.
    """
    alive = writes.lit
    for target in writes.targets.values():
        alive = alive | target.written
    at = None if alive.all() else numbers_of(alive)
    there = None
    if at is not None:
        there = next((sent for numbers, sent in expected if np.array_equal(numbers, at)), None)
        there = device.upload(at) if there is None else there
    all_written = at is None and all(target.written.all() for target in writes.targets.values())
    targets = sorted(writes.targets, key=lambda target: target[1])
    fragments = piece.quads.fragments(objects, chosen.reshape(-1), at, there, piece.depth, device)
    masks = writes.samples
    colors = {target: chosen_of(writes.targets[target].colors, there) for target in targets}
    second = None if writes.second is None else chosen_of(writes.second, there)
    alpha = None if writes.source0_alpha is None else chosen_of(writes.source0_alpha, there)
    rendered = replace(
        fragments,
        slices=fragments.slices if writes.slices is None else chosen_of(writes.slices, at),
        places=fragments.places if writes.slices is None else None,
        samples=fragments.samples if masks is None else fragments.samples & chosen_of(masks, at),
        depth=fragments.depth if writes.depth is None else chosen_of(writes.depth[:, :, None], there),
        colors=colors,
        written={} if all_written else {target: chosen_of(writes.targets[target].written, at) for target in targets},
        second=second,
        source0_alpha=alpha,
    )
    if piece.coverage is None:
        return rendered
    return rendered.covered(device.upload(chosen_of(piece.coverage[chosen].reshape(alive.shape), at)))
