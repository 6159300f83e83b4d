"""The output merger: random states, formats, tilings and samples, many fragments of a pixel; control surfaces."""

from __future__ import annotations

import numpy as np
from support.merging import Graphics, layout_of, random_case

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.emulator.fixed.fragments import Fragments, MergeState, Target
from texsamp.emulator.fixed.merge import merge
from texsamp.state.pixel_state import BlendState, CcViewport, ColorCalcState, DepthStencilState
from texsamp.surface.layout.multisample import mcs_description
from texsamp.surface.layout.surface_layout import SurfaceLayout


def _case(seed: int) -> Case:
    drawn = random_case(seed, count=40)

    def run(device: Device) -> Arrays:
        memory = drawn.graphics.memory()
        merged = merge(memory, drawn.state, drawn.fragments, device)
        places = [*drawn.targets.values(), *(each for each in (drawn.depth, drawn.stencil) if each is not None)]
        return [merged.samples, *(np.array(memory.bytes_from(placed.address)) for placed in places)]

    return Case(f"merge-{seed}", run)


def _control_case(samples: int, *, fast_clear: bool) -> Case:
    """Fragments on pixels whose samples share slices or are cleared, or that clear more than their own."""
    rng = np.random.default_rng(samples)
    graphics, size, count = Graphics(rng), (37, 21), 300
    target = graphics.place(layout_of("R8G8B8A8_UNORM", size, samples=samples))
    control = graphics.place(SurfaceLayout(mcs_description(target.layout.description)))
    surface = target.state().replace(
        mcs_enable=1, mcs_base_address=control.address, mcs_pitch=control.layout.pitch_B // 128,
        red_clear=1, alpha_clear=1,
    )  # fmt: skip
    bits, elements = (2 if samples == 4 else 3) * samples, rng.choice([0, -1, 0x123456, 0x50], size[::-1])
    fragments = Fragments(
        *(rng.integers(-2, side + 2, count).astype(np.int32) for side in size), np.zeros(count, np.int32),
        rng.integers(0, 1 << samples, count, np.uint32), np.zeros(count, np.bool_), np.zeros((count, 1), np.float32),
        colors={0: rng.random((count, 4), np.float32).view(np.uint32)},
    )  # fmt: skip
    state = MergeState(
        DepthStencilState(), ColorCalcState(), (BlendState(),), (CcViewport(),), {0: Target(surface)},
        samples=samples, fast_clear=fast_clear,
    )  # fmt: skip

    def run(device: Device) -> Arrays:
        memory, bytes_of_element = graphics.memory(), control.layout.element.size_B
        places = control.layout.offset_B(*np.mgrid[: size[1], : size[0]][::-1])
        for n in range(bytes_of_element):
            memory.bytes_from(control.address)[places + n] = (elements & (1 << bits) - 1) >> 8 * n & 0xFF
        merge(memory, state, fragments, device)
        return [np.array(memory.bytes_from(placed.address)) for placed in (target, control)]

    return Case(f"control-{samples}-{'clear' if fast_clear else 'apart'}", run)


MERGE_CASES = (
    *(_case(seed) for seed in (1, 2, 5, 11)),
    *(_control_case(samples, fast_clear=clear) for samples in (4, 8) for clear in (False, True)),
)
