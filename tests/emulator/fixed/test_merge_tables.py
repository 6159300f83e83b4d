"""Blend, logic, stencil, depth, alpha and conversions of the output merger, every value against the manual's tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from oracle import merge as oracle
from support.merging import TARGET_FORMATS, Graphics, a_blend, layout_of

from texsamp import get_device
from texsamp.emulator.fixed.fragments import Fragments, MergeState, Target
from texsamp.emulator.fixed.merge import merge
from texsamp.state.formats import surface_format
from texsamp.state.pixel_state import (
    BlendFactor,
    BlendFunction,
    BlendState,
    CcViewport,
    ColorCalcState,
    CompareFunction,
    DepthStencilState,
    LogicOperation,
    StencilOperation,
)
from texsamp.surface.layout.description import Usage

CPU = get_device("cpu")
SIDE = 256
Y, X = np.divmod(np.arange(SIDE * SIDE, dtype=np.int32), SIDE)
NO_TESTS = DepthStencilState()
CLAMPED = {"clamp_range": "RTFORMAT", "pre_blend_clamp": 1, "post_blend_clamp": 1}
f32 = np.float32


def surface(format, size=(SIDE, SIDE), **values):
    return layout_of(format, size, **values)


def fragments(colors=None, x=X, y=Y, **values):
    count = len(x)
    parts = {
        "slices": np.zeros(count, np.int32),
        "samples": np.ones(count, np.uint32),
        "back": np.zeros(count, np.bool_),
        "depth": np.zeros((count, 1), f32),
        "colors": {} if colors is None else {0: np.ascontiguousarray(colors).view(np.uint32)},
    }
    return Fragments(x, y, **{**parts, **values})


def elements(memory, placed, x=X, y=Y):
    """Elements of pixels, as numbers of their size."""
    layout = placed.layout
    place = layout.addressing.offset_B(x.astype(np.int64) * layout.element.size_B, y.astype(np.int64))
    held = memory.bytes_from(placed.address)
    parts = [held[place + k].astype(np.uint64) << np.uint64(8 * k) for k in range(layout.element.size_B)]
    return sum(parts[1:], parts[0])


def drawn(format, state, colors, *, stored=None, color_calc=None, tiling="Y", **values):
    """Elements of a 256x256 target after one color per pixel; stored: an element for each pixel before."""
    graphics = Graphics(np.random.default_rng(0))
    placed = graphics.place(surface(format, tiling=tiling))
    memory = graphics.memory()
    if stored is not None:
        layout = placed.layout
        place = layout.addressing.offset_B(X.astype(np.int64) * layout.element.size_B, Y.astype(np.int64))
        for k in range(layout.element.size_B):
            memory.bytes_from(placed.address)[place + k] = stored >> np.uint64(8 * k) & np.uint64(255)
    merged = MergeState(
        NO_TESTS, color_calc or ColorCalcState(), (state,), (CcViewport(),), {0: Target(placed.state())}
    )
    merge(memory, merged, fragments(colors, **values), CPU)
    return elements(memory, placed)


FACTORS = [factor for factor in BlendFactor if factor != BlendFactor.UNSET]


def vector_factor(factor, c, source, second, stored, constant):
    """SNB 2.1 p. 362, table 23, over arrays."""
    name = factor.name
    if name.startswith("INV_"):
        return f32(1) - vector_factor(BlendFactor[name[4:]], c, source, second, stored, constant)
    if name == "SRC_ALPHA_SATURATE":
        return np.ones_like(source[3]) if c == 3 else np.minimum(f32(1) - stored[3], source[3])
    if name in ("ZERO", "ONE"):
        return np.full_like(source[3], name == "ONE")
    which, part = name.rsplit("_", 1)
    vectors = {"SRC": source, "SRC1": second, "DST": stored, "CONST": constant}
    return np.broadcast_to(vectors[which][3 if part == "ALPHA" else c], source[3].shape)


@pytest.mark.parametrize("function", list(BlendFunction), ids=lambda each: each.name)
def test_every_factor_and_function_over_all_8_bit_pairs(function):
    """Column: stored code; row: source code. Alpha runs across both, so that every factor has all of its values."""
    rng = np.random.default_rng(function.value)
    codes = np.stack([Y, X, Y ^ X, (3 * Y + 5 * X) & 255]).astype(np.uint64)
    stored_codes = np.stack([X, Y, (X * 7 + Y) & 255, X ^ 85]).astype(np.uint64)
    source = [(c / f32(255)).astype(f32) for c in codes]
    stored = [(c.astype(f32) / f32(255)).astype(f32) for c in stored_codes]
    second = rng.random((4, SIDE * SIDE), f32)
    constant = [f32(0.25), f32(0.6), f32(0.1), f32(0.7)]
    element = sum(stored_codes[c] << np.uint64(8 * c) for c in range(4))
    color_calc = ColorCalcState(blend_constant=[float(c) for c in constant])
    pairs = list(zip(FACTORS, rng.permutation(len(FACTORS)), strict=True))
    for factor, other in pairs:
        other_factor = FACTORS[int(other)]
        state = BlendState(
            blend_enable=1, color_function=function, source_factor=factor, destination_factor=other_factor,
            independent_alpha=1, alpha_function=function, source_alpha_factor=other_factor,
            destination_alpha_factor=factor, **CLAMPED,
        )  # fmt: skip
        found = drawn(
            "R8G8B8A8_UNORM", state, np.stack(source, 1), stored=element, color_calc=color_calc,
            second=np.ascontiguousarray(second.T).view(np.uint32),
        )  # fmt: skip
        for c in range(4):
            names = (factor, other_factor) if c < 3 else (other_factor, factor)
            with_source, with_stored = (vector_factor(name, c, source, second, stored, constant) for name in names)
            a, b = source[c] * with_source, stored[c] * with_stored
            result = {
                "ADD": a + b, "SUBTRACT": a - b, "REVERSE_SUBTRACT": b - a,
                "MIN": np.minimum(a, b), "MAX": np.maximum(a, b),
            }[function.name]  # fmt: skip
            expected = np.floor(np.clip(result, 0, 1).astype(np.float64) * 255 + 0.5).astype(np.uint64)
            assert np.array_equal(found >> np.uint64(8 * c) & np.uint64(255), expected), (factor, other_factor, c)


@pytest.mark.parametrize("operation", list(LogicOperation), ids=lambda each: each.name)
def test_every_logic_operation_over_all_8_bit_pairs(operation):
    state = BlendState(logic_op_enable=1, logic_op=operation, blend_enable=1, **CLAMPED)
    colors = np.repeat((Y / f32(255)).astype(f32)[:, None], 4, 1)
    found = drawn("R8_UNORM", state, colors, stored=X.astype(np.uint64))
    expected = [oracle.logic_operation(operation.name, int(s), int(d)) & 255 for s, d in zip(Y, X, strict=True)]
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("function", list(CompareFunction), ids=lambda each: each.name)
def test_stencil_functions_over_all_pairs_and_operations(function):
    """Reference: row; stored: column. All eight operations take turns as what happens on failure and on success."""
    for number, operation in enumerate(StencilOperation):
        other = StencilOperation((number + 3) % 8)
        graphics = Graphics(np.random.default_rng(number))
        depth = graphics.place(surface("R32_FLOAT", usage=Usage.DEPTH))
        stencil = graphics.place(surface("R8_UINT", usage=Usage.STENCIL, tiling="W"))
        memory = graphics.memory()
        before = elements(memory, stencil).astype(np.int64)
        for reference in range(number * 5, 256, 51):
            state = MergeState(
                DepthStencilState(
                    stencil_test=1, stencil_write=1, stencil_function=function, stencil_fail=operation,
                    stencil_pass=other, test_mask=0xBF, write_mask=0xFD,
                ),
                ColorCalcState(stencil_reference=reference), (), (CcViewport(),),
                depth_buffer=depth.depth_buffer(stencil_write=1), stencil_buffer=stencil.stencil_buffer(),
            )  # fmt: skip
            merged = merge(memory, state, fragments(), CPU)
            after = elements(memory, stencil).astype(np.int64)
            codes = range(256)
            passes = np.array([oracle.compare(function.name, reference & 0xBF, code & 0xBF) for code in codes])
            values = [
                oracle.stencil_operation((other if passes[code] else operation).name, code, reference) for code in codes
            ]
            expected = np.array([value & 0xFD | code & 2 for code, value in zip(codes, values, strict=True)])
            assert np.array_equal(merged.samples, passes[before])
            assert np.array_equal(after, expected[before]), (operation, reference)
            before = after


@pytest.mark.parametrize("kind", ["R16_UNORM", "R24_UNORM_X8_TYPELESS", "R32_FLOAT"])
@pytest.mark.parametrize("function", list(CompareFunction), ids=lambda each: each.name)
def test_depth_functions_over_codes_and_their_neighbors(kind, function):
    bits = {"R16_UNORM": 16, "R24_UNORM_X8_TYPELESS": 24, "R32_FLOAT": 32}[kind]
    largest = (1 << min(bits, 24)) - 1
    column = np.round(np.linspace(0, largest, SIDE)).astype(np.int64)
    stored = np.clip(column[X] + (Y % 3 - 1), 0, largest)
    new = (column[X] / np.float64(largest) + (Y % 5 - 2) * 2.0**-26).astype(f32)
    graphics = Graphics(np.random.default_rng(0))
    placed = graphics.place(surface(kind, usage=Usage.DEPTH))
    memory = graphics.memory()
    codes = (stored / np.float64(largest)).astype(f32).view(np.uint32).astype(np.int64) if bits == 32 else stored
    size = placed.layout.element.size_B
    place = placed.layout.addressing.offset_B(X.astype(np.int64) * size, Y.astype(np.int64))
    for k in range(size):
        memory.bytes_from(placed.address)[place + k] = codes >> 8 * k & 255
    state = MergeState(
        DepthStencilState(depth_test=1, depth_write=1, depth_function=function), ColorCalcState(), (),
        (CcViewport(min_depth=0.0, max_depth=1.0),), depth_buffer=placed.depth_buffer(depth_write=1),
    )  # fmt: skip
    merged = merge(memory, state, fragments(depth=new[:, None]), CPU)
    clamped = np.clip(new, f32(0), f32(1))
    if bits == 32:
        incoming, held = clamped, codes.astype(np.uint32).view(f32)
        written = clamped.view(np.uint32).astype(np.int64)
    else:  # exact: 24-bit numbers times 2^24 in float64
        incoming = written = np.floor(clamped.astype(np.float64) * largest + 0.5).astype(np.int64)
        held = stored
    passes = {
        "ALWAYS": np.ones(len(X), np.bool_), "NEVER": np.zeros(len(X), np.bool_), "LESS": incoming < held,
        "EQUAL": incoming == held, "LEQUAL": incoming <= held, "GREATER": incoming > held,
        "NOTEQUAL": incoming != held, "GEQUAL": incoming >= held,
    }[function.name]  # fmt: skip
    assert np.array_equal(merged.samples, passes)
    assert np.array_equal(elements(memory, placed).astype(np.int64), np.where(passes, written, codes))
    assert merged.passed == passes.sum()


@pytest.mark.parametrize("function", list(CompareFunction), ids=lambda each: each.name)
def test_alpha_test_of_all_8_bit_pairs(function):
    """Row: alpha's code; column: reference. A hair below the middle between two codes is the lower one."""
    alpha = ((Y + f32(0.4999)) / f32(255)).astype(f32)
    graphics = Graphics(np.random.default_rng(0))
    placed = graphics.place(surface("R8_UNORM"))
    colors = np.repeat(alpha[:, None], 4, 1)
    for reference in range(0, 256, 5):
        here = reference == X
        state = MergeState(
            NO_TESTS, ColorCalcState(alpha_reference=reference),
            (BlendState(alpha_test=1, alpha_test_function=function),), (CcViewport(),), {0: Target(placed.state())},
        )  # fmt: skip
        merged = merge(graphics.memory(), state, fragments(colors[here], X[here], Y[here]), CPU)
        expected = [oracle.compare(function.name, int(code), reference) for code in Y[here]]
        assert merged.samples.tolist() == expected


@pytest.mark.parametrize("samples", [1, 4, 8])
def test_alpha_to_coverage_grows_with_alpha_by_its_share_of_samples(samples):
    alpha = np.concatenate([np.linspace(-0.2, 1.2, 4096), [0, 1, np.nan, np.inf, -np.inf]]).astype(f32)
    graphics = Graphics(np.random.default_rng(0))
    placed = graphics.place(surface("R8_UNORM", samples=samples))
    state = MergeState(
        NO_TESTS, ColorCalcState(), (BlendState(alpha_to_coverage=1),), (CcViewport(),),
        {0: Target(placed.state())}, samples=samples,
    )  # fmt: skip
    count = len(alpha)
    sent = fragments(np.repeat(alpha[:, None], 4, 1), X[:count], Y[:count], samples=np.full(count, 255, np.uint32))
    found = merge(graphics.memory(), state, sent, CPU).samples
    assert found.tolist() == [oracle.alpha_to_coverage(int(word), samples) for word in alpha.view(np.uint32)]
    held = np.array([bin(mask).count("1") for mask in found[:4096]])
    assert (np.diff(held) >= 0).all() and held[0] == 0 and held[-1] == samples


@pytest.mark.parametrize("format", TARGET_FORMATS)
def test_every_format_stores_what_its_codes_stand_for(format):
    """All codes of up to 11 bits, of longer ones the first, the last and many between."""
    info = surface_format(format)
    rng = np.random.default_rng(info.code)
    fields = oracle.kinds(info)
    words = np.zeros((SIDE * SIDE, 4), np.uint32)
    expected = np.zeros(SIDE * SIDE, object)
    for name, (offset, kind) in fields.items():
        held = 1 << kind[1]
        some = np.concatenate([np.arange(64), held - 1 - np.arange(64), rng.integers(0, held, 320)]) % held
        codes = np.resize(np.arange(held) if held <= 2048 else some, SIDE * SIDE)  # the oracle is slow
        every, back = np.unique(codes, return_inverse=True)
        loaded = np.array([oracle.load(kind, int(code)) for code in every], np.uint32)
        stored = np.array([oracle.store(kind, int(word)) for word in loaded], object)
        words[:, "RGBA".index(name)] = loaded[back]
        expected += stored[back] << offset
    state = a_blend(rng, blend_enable=0, logic_op_enable=0, write_disable=[0] * 4, alpha_test=0, alpha_to_one=0,
                    alpha_to_coverage=0, clamp_range=2, pre_blend_clamp=1)  # fmt: skip
    graphics = Graphics(rng)
    placed = graphics.place(surface(format, tiling="linear"))
    memory = graphics.memory()
    merge(memory, MergeState(NO_TESTS, ColorCalcState(), (state,), (CcViewport(),), {0: Target(placed.state())}),
          fragments(words), CPU)  # fmt: skip
    size = info.bits // 8
    held_bytes = memory.bytes_from(placed.address)[: SIDE * SIDE * size].tobytes()
    found = [int.from_bytes(held_bytes[at : at + size], "little") for at in range(0, len(held_bytes), size)]
    assert found == expected.tolist()


def test_one_color_for_every_pair_of_a_mask_keeps_the_other_channels():
    stored = (X.astype(np.uint64) << np.uint64(16)) | Y.astype(np.uint64) * np.uint64(0x01000101)
    colors = np.tile(np.array([0.2, 0.4, 0.6, 0.8], f32), (SIDE * SIDE, 1))
    codes = [51, 102, 153, 204]
    for disabled in product((0, 1), repeat=4):
        found = drawn("B8G8R8A8_UNORM", BlendState(write_disable=list(disabled), **CLAMPED), colors, stored=stored)
        for lane, off in enumerate(disabled):  # memory order is that of the disable bits
            channel = found >> np.uint64(8 * lane) & np.uint64(255)
            kept = stored >> np.uint64(8 * lane) & np.uint64(255)
            value = codes["RGBA".index("BGRA"[lane])]
            assert np.array_equal(channel, kept if off else np.full_like(kept, value))
