"""Surfaces, states and fragments for the output merger, in memory of a case."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from support.captures import buffer, capture_bytes
from texsamp.emulator import Capture, CaseMemory
from texsamp.emulator.fixed.fragments import Found, Fragments, MergeState, Target
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.commands_mi import MiBatchBufferEnd
from texsamp.state.commands_raster import DepthBuffer, StencilBuffer
from texsamp.state.formats import surface_format, surface_formats
from texsamp.state.pixel_state import (
    AlphaFormat,
    BlendFactor,
    BlendFunction,
    BlendState,
    CcViewport,
    ClampRange,
    ColorCalcState,
    CompareFunction,
    DepthStencilState,
    LogicOperation,
    StencilOperation,
)
from texsamp.surface.layout.description import SurfaceDescription, Usage
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.layout.view import SurfaceView

PAGE_B = 4096
TARGET_FORMATS = tuple(
    name
    for name, info in surface_formats().items()
    if info.can("render_target") and info.channels and info.color_space != "ycbcr"
)
DEPTH_CODES = {"R32_FLOAT": "D32_FLOAT", "R24_UNORM_X8_TYPELESS": "D24_UNORM_X8_UINT", "R16_UNORM": "D16_UNORM"}
FACTORS = tuple(factor for factor in BlendFactor if factor != BlendFactor.UNSET)


@dataclass
class Placed:
    """A surface in the memory of a case: its first byte, its layout, and which of it is rendered to."""

    address: int
    layout: SurfaceLayout
    level: int = 0
    first_slice: int = 0
    slices: int = 1
    offset: tuple[int, int] = (0, 0)

    def state(self) -> RenderSurfaceState:
        state = SurfaceView(self.layout, self.address).state().replace(mip_count=self.level)
        if self.layout.description.is_array or self.layout.description.type == SurfaceType.SURFTYPE_3D:
            return state.replace(min_array_element=self.first_slice, view_extent=self.slices)
        return state

    def depth_buffer(self, **values) -> DepthBuffer:
        d = self.layout.description
        return DepthBuffer(
            surface_type="SURFTYPE_2D",
            format=DEPTH_CODES[d.format],
            pitch=self.layout.pitch_B,
            base_address=self.address,
            width=d.width_px,
            height=d.height_px,
            lod=self.level,
            depth=d.slices,
            min_array_element=self.first_slice,
            view_extent=self.slices,
            offset_x=self.offset[0],
            offset_y=self.offset[1],
            **values,
        )

    def stencil_buffer(self) -> StencilBuffer:
        return StencilBuffer(pitch=2 * self.layout.pitch_B, base_address=self.address)


@dataclass
class Graphics:
    """Surfaces one after the other, whole pages each, filled with random bytes."""

    rng: np.random.Generator
    contents: list[bytes] = field(default_factory=list)
    end: int = 0x10000

    def place(self, layout: SurfaceLayout, **values) -> Placed:
        size = -(-layout.size_B // PAGE_B) * PAGE_B
        placed = Placed(self.end, layout, **values)
        self.contents.append(self.rng.bytes(size))
        self.end += size + PAGE_B  # nothing is mapped between them
        return placed

    def memory(self) -> CaseMemory:
        address, buffers = 0x10000, [buffer(1, 0x1000, MiBatchBufferEnd().pack())]
        for number, contents in enumerate(self.contents):
            buffers.append(buffer(number + 2, address, contents))
            address += len(contents) + PAGE_B
        memory = CaseMemory()
        memory.enter(Capture.from_bytes(capture_bytes(*buffers)))
        return memory


@dataclass
class Case:
    """Everything of one call of the merger."""

    graphics: Graphics
    state: MergeState
    fragments: Fragments
    targets: dict[object, Placed]
    depth: Placed | None = None
    stencil: Placed | None = None


def layout_of(format, size, *, usage=Usage.RENDER_TARGET, tiling="Y", samples=1, wide_samples=False) -> SurfaceLayout:
    """A two-dimensional surface of one level."""
    return SurfaceLayout(
        SurfaceDescription(
            SurfaceType.SURFTYPE_2D, format, *size, tiling=tiling, usage=usage, samples=samples,
            wide_samples=wide_samples,
        )
    )  # fmt: skip


def subspans(width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """x and y of the pixels of a rectangle of even size, two by two, as threads have them."""
    y, x = (each.reshape(-1, 1) for each in np.mgrid[0:height:2, 0:width:2].astype(np.int32))
    return (x + np.array([0, 1, 0, 1], np.int32)).reshape(-1), (y + np.array([0, 0, 1, 1], np.int32)).reshape(-1)


def a_layout(rng, format, samples=1, *, usage=Usage.RENDER_TARGET, size=None, tiling=None) -> dict:
    """A random surface: its layout, the level, and the slices that are rendered to."""
    width, height = size or (int(rng.integers(1, 40)), int(rng.integers(1, 40)))
    tiling = tiling or str(rng.choice(["linear", "X", "Y"] if samples == 1 else ["X", "Y"]))
    volume = usage is Usage.RENDER_TARGET and samples == 1 and rng.random() < 0.2
    array = int(rng.integers(1, 5)) if rng.random() < 0.5 else 1
    levels = int(rng.integers(1, max(width, height).bit_length() + 1)) if samples == 1 else 1
    description = SurfaceDescription(
        SurfaceType.SURFTYPE_3D if volume else SurfaceType.SURFTYPE_2D,
        format,
        width,
        height,
        array if volume else 1,
        1 if volume else array,
        levels=levels,
        samples=samples,
        tiling=tiling,
        usage=usage,
    )
    layout = SurfaceLayout(description)
    depth = layout.levels[levels - 1].depth_px if volume else array
    first = int(rng.integers(0, depth))
    return {
        "layout": layout,
        "level": levels - 1,
        "first_slice": first,
        "slices": int(rng.integers(1, depth - first + 1)),
    }


def colors_for(rng, format: str, count: int) -> np.ndarray:
    """Bits of colors that a format makes a difference of: in and out of its range, and what is no number."""
    if "INT" in format:
        return rng.integers(0, 1 << rng.integers(1, 33), (count, 4), dtype=np.uint64).astype(np.uint32)
    colors = rng.normal(0.4, 0.6, (count, 4)).astype(np.float32)
    odd = rng.choice([0, -0.0, 1, -1, 0.5, 1e-6, 70000, -1e9, np.inf, -np.inf, np.nan, 1e-40], colors.shape)
    return np.where(rng.random(colors.shape) < 0.15, odd, colors).astype(np.float32).view(np.uint32)


def a_blend(rng, **values) -> BlendState:
    """Any blend state."""
    picked = {
        "blend_enable": rng.random() < 0.5,
        "independent_alpha": rng.random() < 0.5,
        **{name: rng.choice(list(BlendFunction)) for name in ("color_function", "alpha_function")},
        **{
            name: rng.choice(FACTORS)
            for name in ("source_factor", "source_alpha_factor", "destination_factor", "destination_alpha_factor")
        },
        "write_disable": [int(rng.random() < 0.15) for _ in range(4)],
        "logic_op_enable": rng.random() < 0.2,
        "logic_op": rng.choice(list(LogicOperation)),
        "alpha_to_one": rng.random() < 0.1,
        "alpha_to_coverage": rng.random() < 0.2,
        "alpha_test": rng.random() < 0.2,
        "alpha_test_function": rng.choice(list(CompareFunction)),
        "clamp_range": rng.choice(list(ClampRange)),
        "pre_blend_clamp": rng.random() < 0.7,
        "post_blend_clamp": rng.random() < 0.7,
    }
    picked.update(values)
    return BlendState(**{name: _plain(value) for name, value in picked.items()})


def _plain(value):
    return value if isinstance(value, list) else int(value)


def color_calc_for(rng) -> ColorCalcState:
    """References and constants."""
    unorm = rng.random() < 0.5
    reference = int(rng.integers(0, 256)) if unorm else int(np.float32(rng.normal(0.4, 0.5)).view(np.uint32))
    return ColorCalcState(
        stencil_reference=int(rng.integers(0, 256)),
        back_stencil_reference=int(rng.integers(0, 256)),
        alpha_format=AlphaFormat.UNORM8 if unorm else AlphaFormat.FLOAT32,
        alpha_reference=reference,
        blend_constant=[float(c) for c in rng.normal(0.5, 0.8, 4).astype(np.float32)],
    )


def depth_stencil_for(rng) -> DepthStencilState:
    """Any depth and stencil test."""
    operations = ("stencil_fail", "stencil_depth_fail", "stencil_pass", "back_fail", "back_depth_fail", "back_pass")
    masks = ("test_mask", "write_mask", "back_test_mask", "back_write_mask")
    return DepthStencilState(
        **{name: int(rng.random() < 0.8) for name in ("stencil_test", "stencil_write", "double_sided")},
        **{name: int(rng.random() < 0.8) for name in ("depth_test", "depth_write")},
        **{
            name: int(rng.choice(list(CompareFunction)))
            for name in ("stencil_function", "back_function", "depth_function")
        },
        **{name: int(rng.choice(list(StencilOperation))) for name in operations},
        **{name: int(rng.choice([255, 255, int(rng.integers(0, 256))])) for name in masks},
    )


def fragments_for(rng, count: int, size: tuple[int, int], slices: int, samples: int, formats, **values) -> Fragments:
    """Fragments in and a little around a rectangle, many of them on the same pixels."""
    width, height = size
    whole = np.uint32((1 << samples) - 1)
    masks = rng.integers(0, 1 << samples, count, dtype=np.uint32)
    parts = {
        "x": rng.integers(-2, width + 2, count).astype(np.int32),
        "y": rng.integers(-2, height + 2, count).astype(np.int32),
        "slices": rng.integers(0, slices + 1, count).astype(np.int32),
        "samples": np.where(rng.random(count) < 0.5, whole, masks),
        "back": rng.random(count) < 0.5,
        "depth": rng.normal(0.5, 0.4, (count, int(rng.choice([1, samples])))).astype(np.float32),
        "viewports": rng.integers(0, 3, count).astype(np.int32),
        "colors": {key: colors_for(rng, format, count) for key, format in formats.items()},
        "second": colors_for(rng, "R8_UNORM", count) if rng.random() < 0.5 else None,
        "source0_alpha": rng.normal(0.5, 0.5, count).astype(np.float32) if rng.random() < 0.3 else None,
    }
    if rng.random() < 0.3:
        parts["written"] = {next(iter(formats)): rng.random(count) < 0.7} if formats else {}
    parts.update(values)
    return Fragments(**parts)


def found_on(device, fragments: Fragments, state: MergeState) -> Fragments:
    """Fragments as those that a device has found: all of it there, some of them without samples."""
    names = ("x", "y", "slices", "samples", "depth", "viewports", "source0_alpha", "second")
    arrays = {name: getattr(fragments, name) for name in names}
    arrays["viewports"] = np.zeros(len(fragments.x), np.int32) if fragments.viewports is None else fragments.viewports
    x, y = ((int(each.min()) - 1, int(each.max()) + 2) for each in (fragments.x, fragments.y))
    left = fragments.samples & np.uint32(state.sample_mask & (1 << state.samples) - 1)
    slices = tuple(np.unique(fragments.slices).tolist())
    return replace(
        fragments,
        **{name: None if each is None else device.upload(np.ascontiguousarray(each)) for name, each in arrays.items()},
        back=device.upload(fragments.back.astype(np.uint8)),
        colors={key: device.upload(color) for key, color in fragments.colors.items()},
        written={},
        found=Found(x, y, slices, sum(mask.bit_count() for mask in left.tolist())),
    )


def random_case(seed: int, *, count: int = 120, with_depth: bool = True) -> Case:
    """Any call: one or two targets, maybe depth and stencil buffer, 1, 4 or 8 samples."""
    rng = np.random.default_rng(seed)
    graphics = Graphics(rng)
    samples = int(rng.choice([1, 1, 4, 8]))
    known = [name for name in TARGET_FORMATS if samples < 8 or surface_format(name).bits < 128]
    formats = {(3 + k, k): str(rng.choice(known)) for k in range(int(rng.integers(1, 3)))}
    targets = {key: graphics.place(**a_layout(rng, format, samples)) for key, format in formats.items()}
    first = next(iter(targets.values()))
    size, slices = first.layout.level_size_px(first.level), first.slices
    depth = stencil = depth_buffer = stencil_buffer = clear = None
    if with_depth and rng.random() < 0.8:
        kind = str(rng.choice(list(DEPTH_CODES)))
        made = a_layout(rng, kind, samples, usage=Usage.DEPTH, tiling="Y", size=tuple(int(s) + 3 for s in size))
        offset = (int(rng.integers(-2, 3)), int(rng.integers(-2, 3)))
        depth = graphics.place(**made, offset=offset)
        if kind == "R32_FLOAT":  # stored depths are numbers
            codes = rng.normal(0.5, 0.5, len(graphics.contents[-1]) // 4).astype(np.float32)
            graphics.contents[-1] = codes.tobytes()
        depth_buffer = depth.depth_buffer(
            **{name: int(rng.random() < 0.8) for name in ("depth_write", "stencil_write")}
        )
        if rng.random() < 0.7:
            d = made["layout"].description
            same = SurfaceDescription(
                d.type, "R8_UINT", d.width_px, d.height_px, 1, d.array_length, is_array=d.is_array, levels=d.levels,
                samples=samples, tiling="W", usage=Usage.STENCIL,
            )  # fmt: skip
            stencil = graphics.place(
                SurfaceLayout(same), **{k: v for k, v in made.items() if k != "layout"}, offset=offset
            )
            stencil_buffer = stencil.stencil_buffer()
        clear = int(rng.integers(0, 1 << 16)) if rng.random() < 0.15 else None
    limits = np.sort(rng.normal(0.5, 0.5, (3, 2)).astype(np.float32), axis=1)
    state = MergeState(
        depth_stencil_for(rng),
        color_calc_for(rng),
        tuple(a_blend(rng) for _ in range(8)),
        tuple(CcViewport(min_depth=float(low), max_depth=float(high)) for low, high in limits),
        {key: Target(placed.state(), key[1]) for key, placed in targets.items()},
        depth_buffer,
        stencil_buffer,
        samples,
        int(rng.choice([0xFF, 0xFF, int(rng.integers(0, 256))])),
        clear,
    )
    return Case(graphics, state, fragments_for(rng, count, size, slices, samples, formats), targets, depth, stencil)
