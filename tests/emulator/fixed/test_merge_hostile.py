"""Whatever surface states say: the output merger refuses them or stays inside their buffer objects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support.merging import TARGET_FORMATS, a_blend, color_calc_for, depth_stencil_for, fragments_for

from texsamp import get_device
from texsamp.emulator.fixed.fragments import MergeState, Target
from texsamp.emulator.fixed.merge import merge
from texsamp.errors import TexsampError
from texsamp.state import RenderSurfaceState
from texsamp.state.commands_raster import DepthBuffer, StencilBuffer
from texsamp.state.formats import SurfaceFormat, surface_formats
from texsamp.state.pixel_state import BlendState, CcViewport

CPU = get_device("cpu")
GUARD_B, HELD_B = 1 << 18, 48 << 12
BASES = (0x10000, 0x20000, 0x30000)


class Guarded:
    """Buffer objects between guards: what is written outside of them shows."""

    def __init__(self, rng):
        inside, guard = np.frombuffer(rng.bytes(HELD_B), np.uint8), np.full(GUARD_B, 0xA5, np.uint8)
        self.before = np.concatenate([guard, inside, guard])
        self.held = {base: self.before.copy() for base in BASES}

    def _base(self, address):
        return max(base for base in BASES if base <= address)

    def bytes_on(self, device, address):
        return self.bytes_from(address)

    def bytes_from(self, address):
        base = self._base(address)
        return self.held[base][GUARD_B : GUARD_B + HELD_B][address - base :]

    def find(self, address):
        return self._base(address)

    def touch(self, base, device=None):
        pass

    def guards_are_whole(self):
        outside = (slice(0, GUARD_B), slice(GUARD_B + HELD_B, None))
        return all((array[part] == 0xA5).all() for array in self.held.values() for part in outside)

    def changed(self):
        return any(not np.array_equal(array, self.before) for array in self.held.values())


def odd(rng, usual, *others):
    """Mostly the usual number."""
    return int(usual if rng.random() < 0.85 else rng.choice(others))


def hostile_surface(rng, samples):
    control = {"mcs_enable": 1, "mcs_base_address": BASES[2], "mcs_pitch": odd(rng, 1, 2, 100)}
    control = control if odd(rng, int(samples > 1), 0, 1) else {}
    names = TARGET_FORMATS if rng.random() < 0.9 else tuple(surface_formats())
    return RenderSurfaceState(
        surface_type=odd(rng, 1, 0, 2, 3), surface_array=odd(rng, 0, 1), format=SurfaceFormat[str(rng.choice(names))],
        base_address=BASES[0] + odd(rng, 0, 4096, 64), vertical_alignment=odd(rng, 1, 0),
        horizontal_alignment=odd(rng, 0, 1), tiled=odd(rng, 1, 0), tile_walk=int(rng.integers(0, 2)),
        array_spacing=odd(rng, int(samples > 1), 0, 1), vertical_line_stride=odd(rng, 0, 1),
        vertical_line_stride_offset=odd(rng, 0, 1), width=odd(rng, 30, 1, 200, 16384),
        height=odd(rng, 30, 1, 90, 16384), depth=odd(rng, 1, 3, 2048), pitch=odd(rng, 1024, 64, 512, 4096, 1 << 17, 77),
        min_array_element=odd(rng, 0, 1, 2047), view_extent=odd(rng, 1, 5, 2048),
        multisample_format=odd(rng, 0, 1), samples={1: 0, 4: 2, 8: 3}[samples], x_offset=odd(rng, 0, 4, 508),
        y_offset=odd(rng, 0, 2, 30), mip_count=odd(rng, 0, 1, 3, 15), **control,
    )  # fmt: skip


def hostile_depth(rng):
    return DepthBuffer(
        surface_type=odd(rng, 1, 2), depth_write=1, stencil_write=1, format=odd(rng, int(rng.choice([1, 3, 5])), 0),
        pitch=odd(rng, 512, 128, 4096, 100), base_address=BASES[1], width=odd(rng, 40, 1, 16384),
        height=odd(rng, 40, 1, 16384), lod=odd(rng, 0, 3, 15), depth=odd(rng, 1, 2048),
        min_array_element=odd(rng, 0, 3, 2047), view_extent=odd(rng, 1, 2048),
        offset_x=odd(rng, 0, 8, -8, 32767, -32768), offset_y=odd(rng, 0, 8, -8, 32767, -32768),
    )  # fmt: skip


def test_mutated_states_are_refused_or_stay_in_their_buffer_objects():
    rng = np.random.default_rng(7)
    merged = refused = written = 0
    for _ in range(300):
        memory, samples = Guarded(rng), int(rng.choice([1, 1, 4, 8]))
        try:
            state = MergeState(
                depth_stencil_for(rng), color_calc_for(rng), (a_blend(rng), a_blend(rng), *[BlendState()] * 6),
                (CcViewport(max_depth=1.0),), {0: Target(hostile_surface(rng, samples), int(rng.integers(0, 8)))},
                hostile_depth(rng) if rng.random() < 0.3 else None,
                StencilBuffer(pitch=odd(rng, 256, 128, 8192, 3), base_address=BASES[1]),
                samples, 255, 5 if rng.random() < 0.1 else None, bool(rng.random() < 0.1),
            )  # fmt: skip
            fragments = fragments_for(rng, 60, (50, 40), int(rng.choice([1, 4])), samples, {0: "R8G8B8A8_UNORM"})
            far = rng.random(60) < 0.05
            fragments = replace(
                fragments,
                x=np.where(far, rng.choice([-32768, 32767, 65535], 60), fragments.x).astype(np.int32),
                slices=np.where(far, -1, fragments.slices).astype(np.int32),
            )
            merge(memory, state, fragments, CPU)
            merged += 1
        except TexsampError:
            refused += 1
        written += memory.changed()
        assert memory.guards_are_whole()
    assert merged > 60 and refused > 60 and written > 30
