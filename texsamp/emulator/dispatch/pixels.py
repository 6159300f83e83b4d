"""The pixels of a draw: rasterized, interpolated, shaded by threads and merged, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.context.registers import Counter
from texsamp.emulator.context.surfaces import SurfaceTable, WrittenSurface
from texsamp.emulator.dispatch.merge_state import merge_state
from texsamp.emulator.dispatch.pixel_kernels import pixel_kernel
from texsamp.emulator.dispatch.pixel_payloads import QUAD, QuadValues
from texsamp.emulator.dispatch.pixel_quads import Quads, corners_of
from texsamp.emulator.dispatch.pixel_stage import Piece, PixelThreads, header_of, run_pixels
from texsamp.emulator.dispatch.push_constants import push_constants
from texsamp.emulator.dispatch.runner import Dispatch, Runner
from texsamp.emulator.dispatch.scratch_space import ScratchSpace
from texsamp.emulator.dispatch.written_targets import WrittenTargets
from texsamp.emulator.fixed.depth_rules import tests_stencil, uses_depth
from texsamp.emulator.fixed.fragments import Fragments, Merged, MergeState, Target
from texsamp.emulator.fixed.interpolation import Interpolator
from texsamp.emulator.fixed.line_coverage import line_coverage
from texsamp.emulator.fixed.merge import merge
from texsamp.emulator.fixed.objects import ScreenObjects
from texsamp.emulator.fixed.raster import Taken
from texsamp.emulator.fixed.raster_stage import subspans
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.shared.pixel_interpolator import Places
from texsamp.state.commands_3d import Constants
from texsamp.state.commands_raster import DispatchRate, EarlyDepth, PixelShader, PositionMode, PositionOffset
from texsamp.state.pixel_state import ColorCalcStatePointers

_SUBSPANS_OF_A_UNIT = 1 << 12
_UNITS_OF_A_PIECE = 64
"""What the host does to start threads, interpolate for them and merge what they write."""
_OFFSET_UNITS = 16
"""Subpixels of a unit of position offsets, 1/16 pixel."""
_OFFSETS = {PositionOffset.CENTROID: PositionMode.CENTROID, PositionOffset.SAMPLE: PositionMode.SAMPLE}


class Pixels:
    """The pixels of objects. count: those that were started, or samples where threads work on these."""

    def __init__(self, runner: Runner, execution: Execution, state: RasterState, objects: ScreenObjects) -> None:
        """CaptureError for states of the output merger that are illegal or not mapped."""
        self._runner, self._execution, self._state, self._objects = runner, execution, state, objects
        self._device = runner.device
        self._merging = merge_state(runner.memory, execution.context)
        self._shader = execution.context.latest(PixelShader)
        self._per_sample = state.samples > 1 and state.windower.dispatch_rate == DispatchRate.PERSAMPLE
        tested = tests_stencil(self._merging) or uses_depth(self._merging)
        self._is_tested = tested
        self._is_early = tested and state.windower.early_depth == EarlyDepth.PREPS
        self._targets = WrittenTargets(self._merging)
        self.count = 0

    @property
    def written(self) -> tuple[WrittenSurface, ...]:
        """Surfaces that were written to."""
        return self._targets.surfaces

    def run(self) -> Dispatch:
        """Draw them; CaptureError for whatever the kernel does wrong."""
        windower, context = self._state.windower, self._execution.context
        if not windower.thread_dispatch:
            for piece in self._pieces():
                self._merge(self._fragments(piece.quads, piece.depth), self._merging)
            return Dispatch(0, 0)
        kernel = pixel_kernel(context, self._shader, per_sample=self._per_sample)
        constants = context.of_stage(Constants, "PS") if self._shader.push_constants else None
        pushed = b"" if constants is None else push_constants(self._runner.memory, context, constants)
        scratch = (self._shader.scratch_base, self._shader.per_thread_scratch, self._shader.max_threads)
        drawn = PixelThreads(
            windower, self._shader, kernel, ScratchSpace.of_stage(*scratch), np.frombuffer(pushed, "<u4"),
            context.latest(ColorCalcStatePointers).pointer,
        )  # fmt: skip
        table = SurfaceTable(self._runner.memory, context.bases.surface, kernel.start.binding_table)
        merging = self._merging.tested() if self._is_early else self._merging

        def finish(fragments: Fragments) -> None:
            targets = {(index, blend): Target(table.render(index), blend) for index, blend in fragments.colors}
            self._merge(fragments, replace(merging, targets=targets))

        along = (drawn.constants, header_of(drawn, self._objects))
        pieces = self._pieces(along, kernel.width // QUAD)
        return run_pixels(self._runner, self._execution, drawn, self._objects, pieces, finish)

    def _pieces(self, along: Sequence[NDArray[Any]] = (), each: int = 1) -> Iterator[Piece]:
        """Quads and what threads are told about them, so many that memory is bounded.

        along: what is sent to the device with points of samples, to be kept. each: quads of a thread.
        """
        looked_at = self._objects.extent.pixels // QUAD
        self._execution.budget.spend(1 + looked_at // _SUBSPANS_OF_A_UNIT)
        for spans in subspans(self._objects, self._state, along, Taken(each, self._per_sample)):
            with self._device.current():
                quads = Quads.of(spans, self._objects, self._state.samples, each, per_sample=self._per_sample)
                piece = self._piece(quads)
            if len(piece.quads):
                self._execution.budget.spend(_UNITS_OF_A_PIECE)
                yield piece

    def _piece(self, quads: Quads) -> Piece:
        windower, shader = self._state.windower, self._shader
        self.count += quads.pixels
        if self._is_early:
            quads = self._tested(quads, self._interpolator(quads).depth_of_samples())
        if (
            windower.statistics and windower.thread_dispatch
        ):  # volume 1 part 3, page 106: pixels beside the primitive too
            self._execution.context.registers.count(Counter.PS_INVOCATIONS, QUAD * quads.started)
        interpolator = self._interpolator(quads)
        at = (
            interpolator.at(PositionMode(windower.position_mode))
            if windower.source_depth or windower.source_w
            else None
        )
        offsets = None
        if shader.position_offset in _OFFSETS:
            points = interpolator.points(_OFFSETS[PositionOffset(shader.position_offset)]) // _OFFSET_UNITS
            (points,) = kept(self._device, (points,)) if isinstance(points, np.ndarray) else (points,)
            offsets = np.broadcast_to(points, (len(quads), QUAD, 2)).astype(np.uint8)
        values = QuadValues(
            corners=corners_of(quads.spans, self._device),
            barycentrics=interpolator.barycentrics(windower.barycentric_modes),
            depth=at.depth if at is not None and windower.source_depth else None,
            w=at.w if at is not None and windower.source_w else None,
            offsets=offsets,
            coverage=quads.samples if windower.input_coverage else None,
        )
        of_lines = line_coverage(self._objects, quads.spans, self._state)
        places = Places(
            self._state.at_pixel, self._state.tested, lambda: interpolator.points(PositionMode.CENTROID),
            interpolator.weights_at,
        )  # fmt: skip
        depth = interpolator.depth_of_samples() if self._is_tested else None
        return Piece(quads, values, places, depth, of_lines)

    def _interpolator(self, quads: Quads) -> Interpolator:
        return Interpolator(self._objects, quads.spans, self._state, self._device, quads.sample)

    def _tested(self, quads: Quads, depth: Array) -> Quads:
        """What the tests before the shader leave (seed 004:3757-3790)."""
        fragments = self._fragments(quads, depth)
        merged = merge(self._runner.memory, self._merging, fragments, self._device)
        with self._device.current():
            left = quads.left(merged.samples)
        self._note(self._merging, fragments, replace(merged, known=left.counted.samples))
        return left

    def _fragments(self, quads: Quads, depth: Array | None) -> Fragments:
        """All pixels of quads, without colors."""
        with self._device.current():
            return quads.fragments(depth)

    def _merge(self, fragments: Fragments, merging: MergeState) -> None:
        self._note(merging, fragments, merge(self._runner.memory, merging, fragments, self._device))

    def _note(self, merging: MergeState, fragments: Fragments, merged: Merged) -> None:
        if self._state.windower.statistics and (not self._is_early or merging.depth_buffer is not None):
            self._execution.context.registers.count(Counter.PS_DEPTH, merged.passed)
        self._targets.add(merging, fragments)
