"""The output merger written out from the manual, a fragment's sample at a time (SNB 2.1 p. 354-368).

Floats are numpy's float32, each operation rounded on its own; texels are those of `oracle.texels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from oracle import texels, tiling

f32 = np.float32
TILED = {"linear": tiling.linear, "X": tiling.x_tiled, "Y": tiling.y_tiled, "W": tiling.w_tiled}


def bits(value) -> int:
    return int(np.array(value, f32).view(np.uint32))


def number(word: int) -> np.float32:
    return np.array(word, np.uint32).view(f32)[()]


@dataclass
class Plane:
    """One level of a surface: its layout, in memory that begins with the surface's first byte."""

    memory: bytearray
    layout: object
    level: int = 0
    first_slice: int = 0
    slices: int = 1
    offset: tuple[int, int] = (0, 0)

    def place(self, x, y, slice_, sample):
        """Offset of a sample's element; None outside."""
        x, y = x + self.offset[0], y + self.offset[1]
        width, height = self.layout.level_size_px(self.level)
        if not (0 <= x < width and 0 <= y < height and 0 <= slice_ < self.slices):
            return None
        d = self.layout.description
        which = "z" if d.type.name == "SURFTYPE_3D" else "layer"
        at = self.layout.place_el(x, y, level=self.level, sample=sample, **{which: slice_ + self.first_slice})
        return TILED[d.tiling](int(at[0]) * self.layout.element.size_B, int(at[1]), self.layout.pitch_B)

    def read(self, place) -> int:
        size = self.layout.element.size_B
        return 0 if place is None else int.from_bytes(self.memory[place : place + size], "little")

    def write(self, place, element: int) -> None:
        size = self.layout.element.size_B
        if place is not None:
            self.memory[place : place + size] = element.to_bytes(size, "little")


def compare(function: str, new, old) -> bool:
    return {
        "ALWAYS": True,
        "NEVER": False,
        "LESS": new < old,
        "EQUAL": new == old,
        "LEQUAL": new <= old,
        "GREATER": new > old,
        "NOTEQUAL": new != old,
        "GEQUAL": new >= old,
    }[function]


def stencil_operation(name: str, value: int, reference: int) -> int:
    return {
        "KEEP": value,
        "ZERO": 0,
        "REPLACE": reference,
        "INCRSAT": min(value + 1, 255),
        "DECRSAT": max(value - 1, 0),
        "INCR": (value + 1) % 256,
        "DECR": (value - 1) % 256,
        "INVERT": ~value & 255,
    }[name]


def alpha_to_coverage(alpha: int, samples: int) -> int:
    """Samples below round(alpha n), halves up; none for NaN."""
    value = number(alpha)
    if np.isnan(value):
        return 0
    exact = min(max(float(value), 0.0), 1.0)
    return (1 << int(np.floor(exact * samples + 0.5))) - 1


def alpha_test(state, color_calc, alpha: int) -> bool:
    if not state.alpha_test:
        return True
    if color_calc.alpha_format.name == "UNORM8":
        new, old = store(("unorm", 8, False), alpha), color_calc.alpha_reference & 255
    else:
        new, old = number(alpha), number(color_calc.alpha_reference)
    return compare(state.alpha_test_function.name, new, old)


def depth_of(value, viewport, kind: str) -> int:
    """Code of a depth: clamped to the viewport, rounded to nearest."""
    low, high = f32(viewport.min_depth), f32(viewport.max_depth)
    value = value if value > low else low
    value = value if value < high else high
    if kind == "R32_FLOAT":
        return bits(value)
    return store(("unorm", 16 if kind == "R16_UNORM" else 24, False), bits(value))


def depth_numbers(kind: str, *codes: int):
    return [number(code) for code in codes] if kind == "R32_FLOAT" else list(codes)


@cache
def store(kind: tuple[str, int, bool], word: int) -> int:
    return texels.store_channel(kind[0], kind[1], word, kind[2])


@cache
def load(kind: tuple[str, int, bool], code: int) -> int:
    return texels.load_channel(kind[0], code, kind[1], kind[2])


def kinds(info) -> dict[str, tuple[int, tuple[str, int, bool]]]:
    """Channel to its place and its kind."""
    srgb = info.color_space == "srgb"
    return {c.name: (c.offset, (c.kind, c.bits, srgb and c.name != "A")) for c in info.channels if c.name in "RGBA"}


def clamp_limits(name: str, info):
    """SNB 2.1 p. 360, 383: what a clamp keeps colors between; None: all."""
    if name == "UNORM":
        return f32(0), f32(1)
    if name == "SNORM":
        return f32(-1), f32(1)
    kind = info.channels[0].kind
    return {"unorm": (f32(0), f32(1)), "snorm": (f32(-1), f32(1))}.get(
        kind, (f32(0), f32(np.inf)) if info.name == "R11G11B10_FLOAT" else None
    )


def clamp(color, limits):
    if limits is None:
        return color
    keeps_nan = np.isinf(limits[1])  # where the range is that of floats
    return [
        (c if keeps_nan else f32(0)) if np.isnan(c) else limits[0] if c <= limits[0] else min(c, limits[1])
        for c in color
    ]


def least(a, b):
    """The smaller; of a number and NaN the number."""
    return a if a < b or np.isnan(b) else b


def blend_factor(name: str, c: int, source, source1, stored, constant):
    if name.startswith("INV_"):
        return f32(1) - blend_factor(name[4:], c, source, source1, stored, constant)
    if name == "SRC_ALPHA_SATURATE":
        return f32(1) if c == 3 else least(f32(1) - stored[3], source[3])
    vectors = {"SRC": source, "SRC1": source1, "DST": stored, "CONST": constant}
    if name in ("ZERO", "UNSET"):
        return f32(0)
    if name == "ONE":
        return f32(1)
    which, part = name.rsplit("_", 1)
    return vectors[which][3 if part == "ALPHA" else c]


def blend_function(name: str, source, stored):
    return {
        "ADD": lambda: source + stored,
        "SUBTRACT": lambda: source - stored,
        "REVERSE_SUBTRACT": lambda: stored - source,
        "MIN": lambda: least(source, stored),
        "MAX": lambda: -least(-source, -stored),
    }[name]()


def blended(state, source, source1, stored, constant):
    result = []
    for c in range(4):
        alpha = c == 3 and state.independent_alpha
        function = state.alpha_function if alpha else state.color_function
        names = (
            (state.source_alpha_factor, state.destination_alpha_factor)
            if alpha
            else (state.source_factor, state.destination_factor)
        )
        factors = [blend_factor(name.name, c, source, source1, stored, constant) for name in names]
        with np.errstate(invalid="ignore", over="ignore"):
            value = blend_function(function.name, source[c] * factors[0], stored[c] * factors[1])
        result.append(number(0x7FC00000) if np.isnan(value) else value)
    return result


def logic_operation(name: str, s: int, d: int) -> int:
    """SNB 2.1 p. 366, table 25."""
    return {
        "CLEAR": 0,
        "NOR": ~(s | d),
        "AND_INVERTED": ~s & d,
        "COPY_INVERTED": ~s,
        "AND_REVERSE": s & ~d,
        "INVERT": ~d,
        "XOR": s ^ d,
        "NAND": ~(s & d),
        "AND": s & d,
        "EQUIV": ~(s ^ d),
        "NOOP": d,
        "OR_INVERTED": ~s | d,
        "COPY": s,
        "OR_REVERSE": s | ~d,
        "OR": s | d,
        "SET": ~0,
    }[name]


def element_of(state, color_calc, info, words, words1, stored_element: int) -> int:
    """What a color (32-bit words R, G, B, A) leaves of an element."""
    fields = kinds(info)
    words = [*words[:3], bits(1)] if state.alpha_to_one else list(words)
    integer = info.channels[0].kind in ("uint", "sint")
    limits = clamp_limits(state.clamp_range.name, info)
    before = limits if state.pre_blend_clamp else None
    if not integer:
        if state.blend_enable and "blend" in info.capabilities and not state.logic_op_enable:
            stored = [f32(0), f32(0), f32(0), f32(1)]
            for name, (offset, kind) in fields.items():
                stored["RGBA".index(name)] = number(load(kind, stored_element >> offset & (1 << kind[1]) - 1))
            constant = [f32(c) for c in color_calc.blend_constant]
            inputs = [[number(w) for w in words], [number(w) for w in words1], stored, constant]
            color = blended(state, *(clamp(each, before) for each in inputs))
            words = [bits(c) for c in clamp(color, limits if state.post_blend_clamp else None)]
        elif before is not None:
            words = [bits(c) for c in clamp([number(w) for w in words], before)]
    result, disabled = stored_element, state.write_disable
    logic = state.logic_op_enable and all(c.kind in ("unorm", "pad") for c in info.channels)
    logic = logic and info.color_space == "linear"
    for name, (offset, kind) in fields.items():
        if disabled["BGRA".index(name)]:
            continue
        mask = (1 << kind[1]) - 1
        code = store(kind, words["RGBA".index(name)])
        if logic:
            code = logic_operation(state.logic_op.name, code, stored_element >> offset & mask) & mask
        result = result & ~(mask << offset) | code << offset
    for channel in info.channels:  # padding: ours
        if channel.kind == "pad" and not all(disabled["BGRA".index(name)] for name in fields):
            mask = (1 << channel.bits) - 1
            code = logic_operation(state.logic_op.name, 0, stored_element >> channel.offset & mask) if logic else 0
            result = result & ~(mask << channel.offset) | (code & mask) << channel.offset
    return result


def test_depth_stencil(state, fragment, sample, depth_plane, stencil_plane) -> bool:
    """Whether a sample passes; writes both buffers."""
    ds = state.depth_stencil
    at = fragment["x"], fragment["y"], fragment["slice"], sample
    passes, code = True, 0
    if depth_plane is not None:
        kind = depth_plane.layout.description.format
        name = {"R24_UNORM_X8_TYPELESS": 24, "R16_UNORM": 16, "R32_FLOAT": 32}[kind]
        code = depth_of(fragment["depth"][sample % len(fragment["depth"])], state.viewports[fragment["viewport"]], kind)
        if ds.depth_test and state.clear_depth is None:
            stored = depth_plane.read(depth_plane.place(*at)) & (1 << name) - 1
            passes = compare(ds.depth_function.name, *depth_numbers(kind, code, stored))
    stencil_passes = True
    if ds.stencil_test and stencil_plane is not None:
        back = fragment["back"] and ds.double_sided
        part = "back_" if back else "stencil_"
        prefix = "back_" if back else ""
        reference = getattr(state.color_calc, f"{prefix}stencil_reference")
        mask, write = getattr(ds, f"{prefix}test_mask"), getattr(ds, f"{prefix}write_mask")
        place = stencil_plane.place(*at)
        stored = stencil_plane.read(place)
        stencil_passes = compare(getattr(ds, f"{part}function").name, reference & mask, stored & mask)
        which = "fail" if not stencil_passes else "pass" if passes else "depth_fail"
        after = stencil_operation(getattr(ds, f"{part}{which}").name, stored, reference)
        if ds.stencil_write and state.depth_buffer.stencil_write:
            stencil_plane.write(place, after & write | stored & ~write)
    if passes and stencil_passes and depth_plane is not None and state.depth_buffer.depth_write:
        if state.clear_depth is not None:
            depth_plane.write(depth_plane.place(*at), state.clear_depth)
        elif ds.depth_write:
            depth_plane.write(depth_plane.place(*at), code)
    return passes and stencil_passes


def merge(state, fragments, infos, planes, depth_plane=None, stencil_plane=None) -> list[int]:
    """Samples of each fragment that passed; planes and formats' rows by target."""
    passed = []
    kept = state.sample_mask & (1 << state.samples) - 1
    keys = [key for key in state.targets if key in fragments.colors]
    for i in range(len(fragments.x)):
        samples = int(fragments.samples[i]) & kept
        left = {}
        for key in keys:
            blend = state.blends[state.targets[key].blend]
            own = int(fragments.colors[key][i, 3])
            first = int(fragments.colors[keys[0]][i, 3])
            if fragments.source0_alpha is not None:
                own = first = bits(fragments.source0_alpha[i])
            left[key] = samples
            if blend.alpha_to_coverage:
                left[key] &= alpha_to_coverage(first, state.samples)
            if not alpha_test(blend, state.color_calc, bits(1) if blend.alpha_to_one else own):
                left[key] = 0
        alive = samples if not keys else 0
        for each in left.values():
            alive |= each
        fragment = {
            "x": int(fragments.x[i]),
            "y": int(fragments.y[i]),
            "slice": int(fragments.slices[i]),
            "back": bool(fragments.back[i]),
            "depth": fragments.depth[i],
            "viewport": 0 if fragments.viewports is None else int(fragments.viewports[i]),
        }
        through = 0
        for sample in range(state.samples):
            if alive >> sample & 1 and test_depth_stencil(state, fragment, sample, depth_plane, stencil_plane):
                through |= 1 << sample
        for key in keys:
            if key in fragments.written and not fragments.written[key][i]:
                continue
            second = [0] * 4 if fragments.second is None else [int(w) for w in fragments.second[i]]
            for sample in range(state.samples):
                if not left[key] & through & 1 << sample:
                    continue
                slice_ = fragment["slice"] if 0 <= fragment["slice"] < planes[key].slices else 0  # seed 003:10395
                place = planes[key].place(fragment["x"], fragment["y"], slice_, sample)
                blend = state.blends[state.targets[key].blend]
                words = [int(w) for w in fragments.colors[key][i]]
                element = element_of(blend, state.color_calc, infos[key], words, second, planes[key].read(place))
                planes[key].write(place, element)
        passed.append(through)
    return passed
