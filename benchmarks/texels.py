"""Speed of texel load and store against the same conversion in numpy, which uses one core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import texsamp as ts
from benchmarks.timing import Contender, Row, measure
from texsamp.surface.texel_formats import texel_type
from texsamp.surface.texels import load_texels, store_texels

SIDE_PX = 1024
Array = np.ndarray[Any, np.dtype[Any]]


def _fields(words: Array, *places: tuple[int, int]) -> Array:
    """Normalized channels at (shift, bits), as float32."""
    made = [
        (words >> shift & ((1 << bits) - 1)).astype(np.float32) / np.float32((1 << bits) - 1) for shift, bits in places
    ]
    return np.stack(made, axis=-1)


def _packed(texels: Array, dtype: str, *places: tuple[int, int]) -> Array:
    words = np.zeros(texels.shape[:2], dtype)
    for channel, (shift, bits) in enumerate(places):
        scaled = np.clip(texels[..., channel], 0, 1) * np.float32((1 << bits) - 1) + np.float32(0.5)
        words |= scaled.astype(dtype) << shift
    return words


def _linear(texels: Array) -> Array:
    table = np.arange(256) / 255
    table = np.where(table <= 0.04045, table / 12.92, ((table + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.concatenate([table[texels[..., :3]], texels[..., 3:] / np.float32(255)], axis=-1)


def _encoded(texels: Array) -> Array:
    color = np.clip(texels[..., :3], 0, 1)
    color = np.where(color <= 0.0031308, 12.92 * color, 1.055 * color ** np.float32(1 / 2.4) - 0.055)
    both = np.concatenate([color, texels[..., 3:]], axis=-1)
    return (np.clip(both, 0, 1) * 255 + 0.5).astype(np.uint8)


_565 = ((11, 5), (5, 6), (0, 5))
_1010102 = ((0, 10), (10, 10), (20, 10), (30, 2))

Convert = Callable[[Array], Array]
NUMPY: dict[str, tuple[Any, Convert, Convert]] = {
    # format: dtype of an element's parts, load, store
    "R8G8B8A8_UNORM": (
        np.uint8,
        lambda raw: raw / np.float32(255),
        lambda texels: (np.clip(texels, 0, 1) * np.float32(255) + np.float32(0.5)).astype(np.uint8),
    ),
    "R8G8B8A8_UNORM_SRGB": (np.uint8, _linear, _encoded),
    "B5G6R5_UNORM": (
        "<u2",
        lambda raw: _fields(raw[..., 0], *_565),
        lambda texels: _packed(texels, "<u2", *_565),
    ),
    "R10G10B10A2_UNORM": (
        "<u4",
        lambda raw: _fields(raw[..., 0], *_1010102),
        lambda texels: _packed(texels, "<u4", *_1010102),
    ),
    "R16G16B16A16_FLOAT": (
        np.float16,
        lambda raw: raw.astype(np.float32),
        lambda texels: texels.astype(np.float16),
    ),
    "R16G16B16A16_UNORM": (
        "<u2",
        lambda raw: raw / np.float32(65535),
        lambda texels: (np.clip(texels, 0, 1) * np.float32(65535) + np.float32(0.5)).astype("<u2"),
    ),
}


def texels(threads: int) -> list[Row]:
    """float32 values of 1024x1024 texels. numpy rounds float products, so its stored codes are now and then one off."""
    rows = []
    for name, (dtype, load, store) in NUMPY.items():
        row_B = texel_type(name).row_B(SIDE_PX)
        elements = np.random.default_rng(3).integers(0, 256, (SIDE_PX, row_B), np.uint8)
        if dtype == np.float16:
            elements = np.random.default_rng(3).normal(size=(SIDE_PX, row_B // 2)).astype(np.float16).view(np.uint8)
        raw = elements.view(dtype).reshape(SIDE_PX, SIDE_PX, -1)
        values = load_texels(elements, name, SIDE_PX, SIDE_PX, dtype=np.float32, device="cpu")

        def ours_load(elements: Array = elements, name: str = name) -> object:
            return load_texels(elements, name, SIDE_PX, SIDE_PX, dtype=np.float32, device="cpu")

        def ours_store(values: Array = values, name: str = name) -> object:
            return store_texels(values, name, device="cpu")

        def their_load(load: Convert = load, raw: Array = raw) -> object:
            return load(raw)

        def their_store(store: Convert = store, values: Array = values) -> object:
            return store(values)

        for verb, ours, theirs in (("load", ours_load, their_load), ("store", ours_store, their_store)):
            contenders = [
                Contender("numpy", theirs),
                Contender("texsamp", ours, lambda: ts.set_threads(threads)),
            ]
            rows += measure(f"{verb} {name} {SIDE_PX}x{SIDE_PX}", contenders, "numpy", threads, rounds=7, frames=2)
    ts.set_threads(None)
    return rows
