"""Multisampled targets with a control surface, and fast clears."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle import merge as oracle
from support.merging import Graphics, found_on, layout_of
from support.strict_arrays import StrictDevice

from texsamp import get_device
from texsamp.emulator.fixed.fragments import Fragments, MergeState, Target
from texsamp.emulator.fixed.merge import merge
from texsamp.errors import CaptureError
from texsamp.state.formats import surface_format
from texsamp.state.pixel_state import BlendState, CcViewport, ColorCalcState, DepthStencilState
from texsamp.surface.layout.multisample import MCS_CLEAR, mcs_description, sample_slice
from texsamp.surface.layout.surface_layout import SurfaceLayout

CPU = get_device("cpu")
FORMAT, CLEAR = "R8G8B8A8_UNORM", 0xFF0000FF  # red and alpha are 1
WIDE, WIDE_CLEAR = "R32G32B32A32_FLOAT", 0x3F800000 << 96 | 0x3F800000
BITS = {4: 2, 8: 3}
WHERE = pytest.mark.parametrize("where", ["host", "device"])


def state_of(surface, samples, **values):
    return MergeState(
        DepthStencilState(), ColorCalcState(), (BlendState(),), (CcViewport(),), {0: Target(surface)},
        samples=samples, **values,
    )  # fmt: skip


def fragments_at(x, y, samples, colors):
    count = len(x)
    return Fragments(
        np.array(x, np.int32), np.array(y, np.int32), np.zeros(count, np.int32), np.array(samples, np.uint32),
        np.zeros(count, np.bool_), np.zeros((count, 1), np.float32), colors={0: colors},
    )  # fmt: skip


def merged(memory, state, drawn, where):
    """Merge fragments of the host, or that a device has found, which brings nothing."""
    if where == "host":
        merge(memory, state, drawn, CPU)
        return
    device, none = StrictDevice(), np.zeros(1, np.int32)
    extra = replace(drawn, x=np.append(drawn.x, none), y=np.append(drawn.y, none), samples=np.append(drawn.samples, 0))
    extra = replace(
        extra, slices=np.append(drawn.slices, none), samples=extra.samples.astype(np.uint32),
        back=np.append(drawn.back, False), depth=np.append(drawn.depth, drawn.depth[:1], axis=0),
        colors={key: np.append(color, color[:1], axis=0) for key, color in drawn.colors.items()},
    )  # fmt: skip
    merge(memory, state, found_on(device, extra, state), device)
    assert device.downloads == 0


def seen(memory, target, control, x, y, samples, clear=CLEAR):
    """A pixel's samples as the sampler finds them: MCS element, then slices (001:2427-2443)."""
    layout, at = control.layout, control.layout.offset_B(x, y)
    held = memory.bytes_from(control.address)[at : at + layout.element.size_B]
    mcs = int.from_bytes(bytes(held), "little") & MCS_CLEAR[samples]
    if mcs == MCS_CLEAR[samples]:
        return [clear] * samples
    colors = memory.bytes_from(target.address)
    places = [target.layout.offset_B(x, y, sample=int(sample_slice(mcs, k, samples))) for k in range(samples)]
    size = target.layout.element.size_B
    return [int.from_bytes(bytes(colors[place : place + size]), "little") for place in places]


@pytest.mark.parametrize(
    ("samples", "format", "clear"), [(4, FORMAT, CLEAR), (8, FORMAT, CLEAR), (8, WIDE, WIDE_CLEAR)]
)
@WHERE
def test_samples_that_share_slices_or_are_cleared_are_taken_apart(samples, format, clear, where):
    """Whatever the control surface says of a pixel, samples that are not written stay what the sampler saw.

    128 bits with 8 samples are forbidden (003:2028-2032), and what OpenGL's driver has.
    """
    rng = np.random.default_rng(samples)
    width, height = 13, 9
    graphics = Graphics(rng)
    target = graphics.place(layout_of(format, (width, height), samples=samples, wide_samples=format == WIDE))
    control = graphics.place(SurfaceLayout(mcs_description(target.layout.description)))
    memory = graphics.memory()
    surface = target.state().replace(
        mcs_enable=1, mcs_base_address=control.address, mcs_pitch=control.layout.pitch_B // 128,
        red_clear=1, alpha_clear=1,
    )  # fmt: skip
    for y in range(height):
        for x in range(width):
            slices = rng.integers(0, samples, samples)
            element = sum(int(k) << BITS[samples] * n for n, k in enumerate(slices))
            if rng.random() < 0.4:
                element = MCS_CLEAR[samples]
            at = control.layout.offset_B(x, y)
            size = control.layout.element.size_B
            memory.bytes_from(control.address)[at : at + size] = list(element.to_bytes(size, "little"))
    before = {(x, y): seen(memory, target, control, x, y, samples, clear) for y in range(height) for x in range(width)}
    count = 60
    colors = rng.random((count, 4), np.float32).view(np.uint32)
    drawn = fragments_at(
        rng.integers(0, width, count), rng.integers(0, height, count), rng.integers(0, 1 << samples, count), colors
    )
    merged(memory, state_of(surface, samples), drawn, where)
    info = surface_format(format)
    for i in range(count):
        element = oracle.element_of(BlendState(), ColorCalcState(), info, [int(w) for w in colors[i]], [0] * 4, 0)
        for sample in range(samples):
            if int(drawn.samples[i]) >> sample & 1:
                before[int(drawn.x[i]), int(drawn.y[i])][sample] = element
    after = {(x, y): seen(memory, target, control, x, y, samples, clear) for y in range(height) for x in range(width)}
    assert after == before


@pytest.mark.parametrize(
    ("samples", "tiling", "scale"), [(1, "X", (128, 32)), (1, "Y", (64, 64)), (4, "Y", (8, 2)), (8, "Y", (2, 2))]
)
@WHERE
def test_a_pixel_of_a_fast_clear_clears_many(samples, tiling, scale, where):
    size = (scale[0] * 2 - 3, scale[1] * 2 - 1)
    graphics = Graphics(np.random.default_rng(0))
    target = graphics.place(layout_of(FORMAT, size, samples=samples, tiling=tiling))
    memory = graphics.memory()
    surface = target.state().replace(red_clear=1, alpha_clear=1)
    before = bytes(memory.bytes_from(target.address))
    drawn = fragments_at([0, 1], [0, 1], [1, 1], np.zeros((2, 4), np.uint32))
    merged(memory, state_of(surface, samples, fast_clear=True), drawn, where)
    held = memory.bytes_from(target.address)
    y, x = np.mgrid[0 : size[1], 0 : size[0]]
    for sample in range(samples):
        places = target.layout.offset_B(x, y, sample=sample)[..., None] + np.arange(4)
        now, then = (
            np.ascontiguousarray(each[places]).view(np.uint32)[..., 0]
            for each in (held, np.frombuffer(before, np.uint8))
        )
        cleared = (x // scale[0]) == (y // scale[1])
        assert np.array_equal(now, np.where(cleared, np.uint32(CLEAR), then))


def test_surfaces_that_leave_their_buffer_objects_are_refused():
    rng = np.random.default_rng(0)
    graphics = Graphics(rng)
    target = graphics.place(layout_of(FORMAT, (64, 64), samples=4))
    control = graphics.place(SurfaceLayout(mcs_description(target.layout.description)))
    memory = graphics.memory()
    drawn = fragments_at([60], [60], [15], np.zeros((1, 4), np.uint32))
    surface = target.state()
    beyond = surface.replace(base_address=target.address + 4096)
    with pytest.raises(CaptureError, match=r"its buffer object ends at"):
        merge(memory, state_of(beyond, 4), drawn, CPU)
    with_mcs = surface.replace(mcs_enable=1, mcs_base_address=control.address, mcs_pitch=500)
    with pytest.raises(CaptureError, match="leaves its buffer object"):
        merge(memory, state_of(with_mcs, 4), replace(drawn, y=np.array([63], np.int32)), CPU)
    with pytest.raises(CaptureError, match="has 4 samples, 3DSTATE_MULTISAMPLE says 8"):
        merge(memory, state_of(surface, 8), drawn, CPU)
    with pytest.raises(CaptureError, match="YCRCB_NORMAL is not executed"):
        merge(memory, state_of(target.state().replace(format="YCRCB_NORMAL", samples="COUNT_1"), 1), drawn, CPU)
