"""A target of 4 samples is cleared fast, drawn to and resolved, in one batch, as Mesa's blorp does it.

The resolve is a rectangle whose kernel loads the element of the control surface and the samples (ld_mcs, ld2dms), and
takes their average; where all samples are in the first slice, it loads that alone.
"""

import numpy as np
import pytest

from texsamp.emulator import Gpu
from texsamp.emulator.drawing import Draw
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.submission_parts import SURFACES_AT
from texsamp.state import BindingTableState, RenderSurfaceState
from texsamp.state.command import Command
from texsamp.state.commands_3d import Primitive
from texsamp.state.commands_common import StateBaseAddress
from texsamp.state.commands_raster import Clip, Multisample, PixelShader, SampleMask, StripsFans, Windower
from texsamp.surface.layout.multisample import mcs_description
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.surface import Surface

pytestmark = pytest.mark.usefixtures("each_place")

WIDTH, HEIGHT = 40, 24
PLACES = ([0.375, 0.875, 0.125, 0.625], [0.125, 0.375, 0.625, 0.875])
TRIANGLES = [[(3.3, 1.2), (30.7, 6.9), (11.1, 22.4)], [(20.2, 3.1), (37.9, 12.6), (14.6, 19.7)]]
CLEAR, COLORS = (255, 0, 0, 255), [(3, 128, 200, 63), (191, 252, 0, 7)]
"""In 255ths; no average of four of them lies between two."""
LD_MCS, LD2DMS, WRITE, REPEATED = 0x0885D000, 0x1085E000, 0x10031000, 0x02031100
TABLES_AT = 0x100
"""Of the extra states: a binding table for each draw, behind the surfaces' states."""


def sampler(response, payload, message):
    return f"send (16) r{response}.0<1>:ud r{payload}.0<8;8,1>:ud sampler {message | 1:#x}:ud\n"


def ending(message):
    return f"send (16) null:ud r112.0<8;8,1>:ud render_cache {message:#x}:ud {{EOT}}\n"


def painting(color):
    """All pixels have one color, in one register."""
    parts = [f"mov (1) r112.{n}<1>:f {value / 255}:f {{NoMask}}\n" for n, value in enumerate(color)]
    return "".join(parts) + ending(REPEATED)


def resolving():
    lines = """
        add (16) r20.0<1>:uw r1.4<2;4,0>:uw 0x10101010:v
        add (16) r21.0<1>:uw r1.5<2;4,0>:uw 0x11001100:v
        mov (16) r28.0<1>:d 0:d
        mov (16) r32.0<1>:d r20.0<8;8,1>:uw
        mov (16) r34.0<1>:d r21.0<8;8,1>:uw
    """ + sampler(30, 32, LD_MCS).replace("r30", "r40")
    lines += "mov (16) r30.0<1>:d r40.0<8;8,1>:d\n" + sampler(112, 28, LD2DMS)
    lines += """
        cmp.nz.f0.0 (16) null:d r30.0<8;8,1>:d 0:d
        (+f0.0) if (16) jip=joined uip=joined
    """
    for sample in range(1, 4):
        lines += f"mov (16) r28.0<1>:d {sample}:d\n" + sampler(40 + 8 * sample, 28, LD2DMS)
    for at in range(0, 8, 2):
        lines += f"""
            add (16) r{112 + at}.0<1>:f r{112 + at}.0<8;8,1>:f r{48 + at}.0<8;8,1>:f
            add (16) r{56 + at}.0<1>:f r{56 + at}.0<8;8,1>:f r{64 + at}.0<8;8,1>:f
            add (16) r{112 + at}.0<1>:f r{112 + at}.0<8;8,1>:f r{56 + at}.0<8;8,1>:f
            mul (16) r{112 + at}.0<1>:f r{112 + at}.0<8;8,1>:f 0.25:f
        """
    return lines + "joined:\nendif (16) jip=2\n" + ending(WRITE)


KERNELS = [*map(painting, COLORS), resolving()]
STARTS = [0]
for _number, _kernel in enumerate(KERNELS[:-1]):  # kernels begin at multiples of 64 bytes
    _nops = -(len(assemble(_kernel)) // 16) % 4
    KERNELS[_number] += "nop (1)\n" * _nops
    STARTS.append(STARTS[-1] + len(assemble(KERNELS[_number])))


def rectangle(width, height):
    return [(width, height), (0, height), (0, 0)]


def states(kernel, samples, table, **shader):
    """What differs from draw to draw. Positions are pixels already."""
    mode = {"multisample_mode": "ON_PATTERN"} if samples > 1 else {}
    x, y = (part + [0] * 4 for part in PLACES) if samples > 1 else ([0.5] + [0] * 7,) * 2
    pointers = Command.by_name["3DSTATE_BINDING_TABLE_POINTERS_PS"]
    return [
        Clip(), StripsFans(cull_mode="NONE", **mode),
        Multisample(samples=f"COUNT_{samples}", x_offset=x, y_offset=y), SampleMask(mask=(1 << samples) - 1),
        Windower(thread_dispatch=True, barycentric_modes=1, **mode),
        PixelShader(kernel_start_0=STARTS[kernel], grf_start_0=6, dispatch_16=True, max_threads=1, **shader),
        pointers(pointer=TABLES_AT + 32 * table),
    ]  # fmt: skip


def batch(extra_at, is_drawn):
    """Commands up to the resolve's primitive: a pixel of the first rectangle clears 8 x 2 pixels of 4 samples."""
    commands = [StateBaseAddress(surface_state_base=extra_at, surface_state_modify=True)]
    if is_drawn:
        commands += states(0, 4, 0, fast_clear=True)
        commands += [Primitive(topology="RECTLIST", vertex_count=3, instance_count=1)]
        for number in range(2):
            commands += states(number, 4, 0)
            commands += [Primitive(vertex_count=3, start_vertex=3 + 3 * number, instance_count=1)]
    return [*commands, *states(2, 1, 1)]


def extra_states(target, resolved, control_at, control_pitch):
    """Of the target with its control surface, and of what it is resolved to; the tables of both kinds of draws."""
    colors = {f"{name}_clear": code // 255 for name, code in zip(("red", "green", "blue", "alpha"), CLEAR, strict=True)}
    target = target.replace(mcs_enable=1, mcs_base_address=control_at, mcs_pitch=control_pitch // 128, **colors)
    data = np.zeros(0x200, np.uint8)
    for at, state in ((0, target), (0x20, resolved)):
        data[at : at + 32] = list(state.pack())
    for at, place in ((TABLES_AT, 0), (TABLES_AT + 32, 0x20), (TABLES_AT + 36, 0)):
        data[at : at + 4] = list(BindingTableState(surface_state_pointer=place).pack())
    return data


def resolve(samples, elements, *, is_drawn):
    """What is resolved of samples and elements of the control surface, after what is drawn."""
    target = Surface.from_array(samples, tiling="Y", samples=4, device="cpu")
    resolved = Surface.from_array(np.zeros(samples.shape[1:], np.uint8), tiling="Y", device="cpu")
    layout = SurfaceLayout(mcs_description(target.description))
    control = np.zeros(layout.size_B, np.uint8)
    control[layout.offset_B(*np.mgrid[:HEIGHT, :WIDTH][::-1])] = elements
    corners = [*rectangle(-(-WIDTH // 8), HEIGHT // 2), *TRIANGLES[0], *TRIANGLES[1], *rectangle(WIDTH, HEIGHT)]
    given = {
        "attributes": [[(x, y, 0, 1) for x, y in corners]], "topology": "RECTLIST", "indices": [9, 10, 11],
        "target": target,
    }  # fmt: skip
    code, surfaces = "".join(KERNELS), [control, resolved, np.zeros(0x200, np.uint8)]
    first = Draw(code, surfaces=surfaces, state=batch(0, is_drawn), **given)
    buffers = {each.name: each for each in first.submission().buffers}
    places = (SURFACES_AT, SURFACES_AT + 64)
    held = [RenderSurfaceState.unpack(buffers["states"].contents[at : at + 32]) for at in places]
    surfaces[2] = extra_states(*held, buffers["surface 1"].address, layout.pitch_B)
    state = batch(buffers["surface 3"].address, is_drawn)
    return Gpu().draw(code, surfaces=surfaces, state=state, **given).surfaces[1].to_array()


def covered(corners):
    """Samples within a triangle, (rows, columns, samples): no edge goes through one."""
    x = np.arange(WIDTH)[None, :, None] + np.array(PLACES[0])
    y = np.arange(HEIGHT)[:, None, None] + np.array(PLACES[1])
    sides = [
        (x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)
        for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    assert min(abs(side).min() for side in sides) > 0.01
    return np.all([side > 0 for side in sides], axis=0) | np.all([side < 0 for side in sides], axis=0)


def averages(samples):
    """Of samples (4, rows, columns, 4)."""
    total = samples.astype(int).sum(axis=0)
    assert (total % 4 != 2).all()
    return (total + 2) // 4


def test_what_is_cleared_and_drawn_is_resolved():
    """Whatever lies in the samples and the control surface before."""
    found = resolve(np.full((4, HEIGHT, WIDTH, 4), 0x33, np.uint8), 0x1B, is_drawn=True)
    samples = np.broadcast_to(CLEAR, (HEIGHT, WIDTH, 4, 4))
    for corners, color in zip(TRIANGLES, COLORS, strict=True):
        samples = np.where(covered(corners)[..., None], color, samples)
    assert np.array_equal(found, averages(samples.transpose(2, 0, 1, 3)))
    assert len(np.unique(found.reshape(-1, 4), axis=0)) > 8


def test_samples_that_share_slices_and_clear_ones_are_resolved():
    """As recordings may hold them: pixels of one slice, clear pixels, and any other element."""
    rng = np.random.default_rng(20)
    slices = (4 * rng.integers(0, 64, (4, HEIGHT, WIDTH, 4))).astype(np.uint8)
    elements = rng.choice([0, 0xFF, 0xE4, 0x50, 0x1B, 0x3C], (HEIGHT, WIDTH))
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    samples = np.stack([slices[elements >> 2 * sample & 3, y, x] for sample in range(4)])
    samples = np.where((elements == 0xFF)[..., None], CLEAR, samples)
    assert np.array_equal(resolve(slices, elements, is_drawn=False), averages(samples))
