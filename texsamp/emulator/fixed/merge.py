"""The output merger: fragments into render targets, in the order of the primitives (SNB 2.1 chapter 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import ParamsType, params_type
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.fixed.blends import color_rules
from texsamp.emulator.fixed.control_surface import clear_scale, cleared_box, control, control_plane
from texsamp.emulator.fixed.depth_rules import (
    alpha_values,
    test_values,
    tests_stencil,
    uses_alpha,
    uses_depth,
    viewport_ranges,
)
from texsamp.emulator.fixed.fragments import Fragments, Merged, MergeState
from texsamp.emulator.fixed.planes import Plane, depth_plane, no_plane, stencil_plane, target_plane
from texsamp.emulator.fixed.runs import STRIP, box_of, device_runs, runs_of
from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.pixel_state import BlendState

_PIXELS = params_type("MergePixels")
_ALPHA = params_type("MergeAlphaParams")
_TESTS = params_type("MergeTestParams")
_COLOR = params_type("MergeColorParams")
_APART, _CLEAR = params_type("MergeApartParams"), params_type("MergeClearParams")
_ALPHA_TILE = 1024
"""ALPHA_TILE of `kernels/merge_alpha.h`."""

Samples = NDArray[np.uint32]
"""Of fragments, where these are."""


def merge(memory: CaseMemory, state: MergeState, fragments: Fragments, device: Device) -> Merged:
    """Test fragments and write what they leave into the surfaces of a state; returns which samples passed.

    Per pixel, fragments are merged in their order. Pixels outside of a surface are not written; a depth or stencil
    value outside reads as 0. Raises CaptureError, writing nothing to that surface, for one that leaves its buffer
    object, that has another number of samples, or whose format hardware does not render to.
    """
    with device.current():
        mask = np.uint32(state.sample_mask & (1 << state.samples) - 1)
        samples = fragments.samples & mask
        if not len(samples):
            return Merged(samples)
        merger = _Merger(memory, state, fragments, device)
        left = merger.after_alpha(samples)
        before = _any_of(left, samples)
        passed = merger.after_tests(before)
        for key, alive in left.items():
            merger.write_colors(key, alive if alive is passed else alive & passed)
    found = fragments.found if passed is samples else None
    return Merged(passed, None if found is None else found.samples)


def _any_of(left: Mapping[Any, Samples], samples: Samples) -> Samples:
    """Depth and stencil are written where alpha lets any target be written (SNB 2.1 p. 382)."""
    return reduce(or_, left.values()) if left else samples


class _Merger:
    """The fragments of one call, where kernels find them."""

    def __init__(self, memory: CaseMemory, state: MergeState, fragments: Fragments, device: Device) -> None:
        self._memory, self._state, self._fragments, self._device = memory, state, fragments, device
        self._box = box_of(fragments, device)
        self._is_rough = device.arrays is not np
        self._keys = [key for key in state.targets if key in fragments.colors]

    def _blend(self, key: Any) -> BlendState:
        return self._state.blends[self._state.targets[key].blend]

    def after_alpha(self, samples: Samples) -> dict[Any, Samples]:
        """By target, the samples that alpha to coverage and alpha test leave."""
        return {key: self._after_alpha(key, samples) if uses_alpha(self._blend(key)) else samples for key in self._keys}

    def _after_alpha(self, key: Any, samples: Samples) -> Samples:
        colors, alpha0 = self._fragments.colors, self._fragments.source0_alpha
        sources = [colors[key][:, 3], colors[self._keys[0]][:, 3]]
        if alpha0 is not None:
            sources = [alpha0.view(np.uint32)] * 2
        tested, coverage = (self._up(each, np.uint32) for each in sources)
        before, left = self._up(samples, np.uint32), self._device.empty(samples.shape, np.uint32)
        names = {"samples": before, "left": left, "tested": tested, "coverage": coverage}
        record = _ALPHA(
            **{name: self._device.address(array) for name, array in names.items()},
            tested_step=1,
            coverage_step=1,
            count=len(samples),
            **alpha_values(self._blend(key), self._state.color_calc, self._state.samples),
        )
        self._device.launch(Launch("merge_alpha", record, 1, -(-len(samples) // _ALPHA_TILE), tuple(names.values())))
        return left if self._fragments.found is not None else self._device.download(left)

    def after_tests(self, samples: Samples) -> Samples:
        """The samples that pass stencil and depth test, after which both buffers are written."""
        state, fragments = self._state, self._fragments
        planes: dict[str, Plane | None] = {"depth_plane": None, "stencil_plane": None}
        if state.depth_buffer is not None and uses_depth(state):
            planes["depth_plane"] = depth_plane(state.depth_buffer, state.samples)
        if state.depth_buffer is not None and state.stencil_buffer is not None and tests_stencil(state):
            planes["stencil_plane"] = stencil_plane(state.depth_buffer, state.stencil_buffer, state.samples)
        if not any(planes.values()):
            return samples
        passed = self._device.empty(samples.shape, np.uint32)
        passed.fill(0)  # of fragments that are left out
        ranges = viewport_ranges(state)
        viewports = fragments.viewports
        arrays = {
            "samples": self._samples(samples),
            "passed": passed,
            "back": self._up(fragments.back, np.uint8),
            "depth": self._up(fragments.depth, np.float32),
            "viewports": None if viewports is None else self._up(viewports, np.int32),
            "ranges": self._up(ranges, np.float32),
        }
        values = {**test_values(state), "viewport_count": len(ranges), "depth_step": fragments.depth.shape[1]}
        self._launch("merge_tests", _TESTS, planes, arrays, values)
        return passed if fragments.found is not None else self._device.download(passed)

    def write_colors(self, key: Any, samples: Samples) -> None:
        """Colors of the samples that passed into a target."""
        target = self._state.targets[key]
        if target.surface.surface_type == SurfaceType.SURFTYPE_NULL:
            return
        rules = color_rules(self._blend(key), self._state.color_calc, target.surface.format)
        plane, slices = target_plane(target.surface), self._fragments.slices
        first, last = self._box.slices
        if plane.slices and (
            first < 0 or last >= plane.slices
        ):  # the first slice takes the place of those beyond (seed 003:10395)
            there = (slices >= 0) & (slices < plane.slices)
            moved = replace(self._fragments, slices=np.where(there, slices, np.int32(0)))
            if moved.found is not None:
                known = {number if 0 <= number < plane.slices else 0 for number in moved.found.slices}
                moved = replace(moved, found=replace(moved.found, slices=tuple(sorted(known))))
            _Merger(self._memory, self._state, moved, self._device).write_colors(key, samples)
            return
        if self._state.fast_clear:
            self._clear(target.surface, plane)
            return
        if not any(rules.written):
            return
        written, second = self._fragments.written.get(key), self._fragments.second
        arrays = {
            "samples": self._samples(samples if written is None else np.where(written, samples, np.uint32(0))),
            "colors": self._up(self._fragments.colors[key], np.uint32),
            "second": None if second is None else self._up(second, np.uint32),
        }
        self._take_apart(target.surface, plane)
        self._launch("merge_color", _COLOR, {"plane": plane}, arrays, rules.values())

    def _take_apart(self, surface: RenderSurfaceState, plane: Plane) -> None:
        """Every sample of the pixels of fragments gets its own slice, where a control surface may say otherwise."""
        controls = control_plane(surface, plane)
        if controls is None:
            return
        memory = self._controls_of(controls)
        values = {"control": control(surface, plane, controls.record(self._device.address(memory)))}
        arrays = {"samples": self._samples(self._fragments.samples)}
        self._launch("merge_apart", _APART, {"plane": plane}, arrays, values, (memory,))
        self._memory.touch(self._memory.find(controls.view.base_address), self._device)

    def _clear(self, surface: RenderSurfaceState, plane: Plane) -> None:
        """The clear color into all samples of the pixels that those of fragments stand for."""
        device, samples = self._device, self._samples(self._fragments.samples)
        scale, controls = clear_scale(plane), control_plane(surface, plane)
        memory, record = [self._bytes_of(plane, scale)], None
        if controls is not None:
            memory.append(self._controls_of(controls, scale))
            record = controls.record(device.address(memory[1]))
        pixels, pixel_arrays = self._pixels
        params = _CLEAR(
            pixels=pixels,
            samples=device.address(samples),
            plane=plane.record(device.address(memory[0])),
            control=control(surface, plane, record),
            x_scale=scale[0],
            y_scale=scale[1],
            count=len(samples),
        )
        device.launch(Launch("merge_clear", params, 1, len(samples), (*memory, *pixel_arrays, samples)))
        for each in (plane, controls):
            if each is not None:
                self._memory.touch(self._memory.find(each.view.base_address), device)

    def _controls_of(self, plane: Plane, scale: tuple[int, int] = (1, 1)) -> Array:
        """The memory of a control surface that pixels are told of in; CaptureError if it leaves its buffer object."""
        memory, end = self._reached(plane, scale)
        if end > len(memory):
            raise CaptureError(f"control surface at {plane.view.base_address:#x} leaves its buffer object")
        return memory[:end]

    def _samples(self, samples: Samples) -> Array:
        """Samples where kernels find them: mostly all fragments have the same."""
        if self._device.arrays is np or not isinstance(samples, np.ndarray) or (samples != samples[0]).any():
            return self._up(samples, np.uint32)
        every: Array = self._device.arrays.full(len(samples), samples[0], np.uint32)
        return every

    def _up(self, array: Any, dtype: Any) -> Array:
        """An array of a type where kernels find it, packed; one that is there already has the type."""
        if isinstance(array, np.ndarray):
            return self._device.upload(np.ascontiguousarray(array, dtype))
        there: Array = array if array.flags.c_contiguous else array.copy()
        return there

    def _launch(
        self,
        kernel: str,
        params: ParamsType,
        planes: Mapping[str, Plane | None],
        arrays: Mapping[str, Array | None],
        values: dict[str, Any],
        memory: tuple[Array, ...] = (),
    ) -> None:
        """Run a kernel over all runs. planes, arrays, values: fields of its params. memory: that values point to."""
        device = self._device
        there = {name: plane for name, plane in planes.items() if plane is not None}
        surfaces = {name: self._bytes_of(plane) for name, plane in there.items()}
        runs, run_arrays = self._runs
        pixels, pixel_arrays = self._pixels
        record = params(
            runs=runs,
            pixels=pixels,
            **dict.fromkeys(planes.keys() - there.keys(), no_plane(self._state.samples)),
            **{name: plane.record(device.address(surfaces[name])) for name, plane in there.items()},
            **{name: 0 if array is None else device.address(array) for name, array in arrays.items()},
            **values,
        )
        kept = tuple(array for array in arrays.values() if array is not None)
        strips = -(-int(runs["count"]) // STRIP)
        device.launch(
            Launch(kernel, record, 1, strips, (*surfaces.values(), *memory, *run_arrays, *pixel_arrays, *kept))
        )
        for plane in there.values():
            self._memory.touch(self._memory.find(plane.view.base_address), device)

    def _bytes_of(self, plane: Plane, scale: tuple[int, int] = (1, 1)) -> Array:
        """The memory that pixels of a surface are in, on the device; CaptureError if it leaves its buffer object.

        scale: pixels that one of a fragment stands for.
        """
        at = plane.view.base_address
        if plane.samples != self._state.samples:
            raise CaptureError(
                f"the surface at {at:#x} has {plane.samples} samples, 3DSTATE_MULTISAMPLE says {self._state.samples}"
            )
        memory, end = self._reached(plane, scale)
        if end > len(memory):
            raise CaptureError(
                f"the surface at {at:#x} is rendered to up to byte {end}, its buffer object ends at {len(memory)}"
            )
        return memory[:end]

    def _reached(self, plane: Plane, scale: tuple[int, int]) -> tuple[Array, int]:
        """Memory from a surface's first byte on, on the device, and how many of its bytes fragments may reach."""
        memory = self._memory.bytes_on(self._device, plane.view.base_address)
        end = plane.end_B(cleared_box(self._box, scale))
        if end > len(memory) and self._is_rough:
            self._box, self._is_rough = box_of(self._fragments, self._device, exactly=True), False
            end = plane.end_B(cleared_box(self._box, scale))
        return memory, end

    @cached_property
    def _runs(self) -> tuple[Any, tuple[Array, ...]]:
        found = runs_of if isinstance(self._fragments.x, np.ndarray) else device_runs
        return found(self._fragments, self._box).upload(self._device)

    @cached_property
    def _pixels(self) -> tuple[Any, tuple[Array, ...]]:
        f = self._fragments
        arrays: tuple[Array, ...] = (f.x, f.y, f.slices)
        if f.found is None:
            arrays = self._device.upload_all([np.ascontiguousarray(each, np.int32) for each in arrays])
        x, y, slices = (self._device.address(each) for each in arrays)
        return _PIXELS(x=x, y=y, slices=slices), arrays
