"""Texels loaded and stored: every format, every kind of number on both sides, sizes that leave the last bytes exact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.errors import FormatError
from texsamp.state.formats import surface_formats
from texsamp.surface.texel_formats import TexelType, texel_type
from texsamp.surface.texels import fetch_texels, load_texels, put_texels, store_texels

SIZES = ((1, 1), (37, 6), (519, 2))
"""One texel; odd rows, more of them than a tile has; rows of two tiles on either device."""


def texel_types() -> Iterator[TexelType]:
    """Every format with texels."""
    for name in surface_formats():
        try:
            yield texel_type(name)
        except FormatError:
            continue


def _bytes(array: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.ascontiguousarray(array).view(np.uint8)


def _case(type_: TexelType, size: tuple[int, int], base: int, padding: int) -> Case:
    name, (width, height) = type_.info.name, size
    row_B = type_.row_B(width)
    pitch_B = row_B + padding
    random = np.random.default_rng(13)
    memory = random.integers(0, 256, base + (height - 1) * pitch_B + row_B, np.uint8)
    entries = random.integers(0, 1 << 32, 256, dtype=np.uint32)
    places = random.integers(0, np.array([width, height])[:, None, None], (2, 7, 41))
    palette = {"palette": entries} if type_.has_palette else {}

    def run(device: Device) -> Arrays:
        elements = device.upload(memory)[base:]
        options: dict[str, Any] = {"pitch_B": pitch_B, "device": device}
        natural = load_texels(elements, name, width, height, **options)
        made = [natural]
        if not type_.is_wide and not type_.has_palette:
            made.append(load_texels(elements, name, width, height, dtype=type_.value, **options))
        made += [store_texels(texels, name, **options) for texels in made]
        if type_.info.map_dx10:
            kinds = {type_.natural, type_.value}
            made += [
                load_texels(elements, name, width, height, channels="rgba", dtype=dtype, **palette, **options)
                for dtype in sorted(kinds, key=str)
            ]
            size_px = {"width_px": width, "height_px": height}
            made.append(fetch_texels(elements, name, *places, **size_px, **palette, **options))
        return [_bytes(device.download(array)) for array in made]

    return Case(f"texels-{name}-{width}x{height}-{base}-{padding}", run)


def _edges_case(type_: TexelType) -> Case:
    """Numbers that rounding and clamping are about: any bits, most of them floats near the range."""
    random = np.random.default_rng(17)
    shape = (3, 131, len(type_.channels))
    bits = random.integers(0, 1 << 32, shape, dtype=np.uint32)
    near = random.uniform(-2, 2, shape).astype(np.float32).view(np.uint32)
    numbers = np.where(random.random(shape) < 0.4, bits, near).view(type_.value)

    size_px = {"width_px": 131, "height_px": 3}
    y, x = np.divmod(random.permutation(3 * 131)[:300], 131)
    can_put = not type_.is_pair and type_.info.bits >= 8

    def run(device: Device) -> Arrays:
        made = [store_texels(numbers, type_.info.name, device=device)]
        if can_put:
            rows = device.upload(np.zeros((3, type_.row_B(131)), np.uint8))
            put_texels(numbers[y, x], rows, type_.info.name, x, y, **size_px, device=device)
            made.append(rows)
        return [_bytes(device.download(array)) for array in made]

    return Case(f"texels-{type_.info.name}-edges", run)


def _cases() -> Iterator[Case]:
    for index, type_ in enumerate(texel_types()):
        base, padding = ((0, 0), (1, 3), (4, 8))[index // 3 % 3]
        yield _case(type_, SIZES[index % 3], base, padding)
        if not type_.is_wide and not type_.has_palette:
            yield _edges_case(type_)


TEXEL_CASES = tuple(_cases())
