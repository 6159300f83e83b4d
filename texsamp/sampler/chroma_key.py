"""Texels that match the sampler's chroma key, replaced or marked before any filter (seed 003:668-692, 4308-4329)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from texsamp.device.base import Array
from texsamp.errors import StateError
from texsamp.sampler.expanded import Expanded, TexelKind, expanded
from texsamp.sampler.sampler import Key, Sampler
from texsamp.surface.surface import Surface

MOST_KEYS = 4
"""Keys whose texels a surface keeps: as many as the hardware's table has; the oldest goes first."""
_CHANNELS = ("red", "green", "blue", "alpha")
_MATCHES = TexelKind("unorm8", np.dtype(np.uint8), ("R", "0", "0", "0"))
_BLACK = (0, 0, 0, 0)
_BLACK_YCRCB = (0x80, 0x10, 0x80, 0)  # 003:3427


def keyed_texels(surface: Surface, sampler: Sampler, palette: Any) -> Expanded:
    """The texels that a sampler filters: the surface's, black where they match a key that replaces."""
    texels = expanded(surface, sampler.border_mode, palette)
    if sampler.chroma_key is None or sampler.kills:
        return texels

    def black() -> Expanded:
        made = texels.texels.copy()
        color = np.array(_BLACK_YCRCB if _is_ycrcb(surface) else _BLACK, np.float32)
        stored = color if texels.kind.name == "unorm8" else color / np.float32(255)
        made[_matches(surface, texels, sampler.chroma_key)] = surface.device.upload(stored.astype(made.dtype))
        return replace(texels, texels=made)

    return _kept(surface, sampler, texels, "black", black)


def key_matches(surface: Surface, sampler: Sampler, palette: Any) -> Expanded:
    """Where texels match: 255 in red, else 0."""
    texels = expanded(surface, sampler.border_mode, palette)

    def matches() -> Expanded:
        made = surface.device.empty(texels.texels.shape, np.uint8)
        made[...] = 0
        made[..., 0] = 255 * _matches(surface, texels, sampler.chroma_key)
        return Expanded(_MATCHES, made, texels.levels)

    return _kept(surface, sampler, texels, "matches", matches)


class _Keyed(dict[object, Expanded]):
    """Texels by channels and key."""


def _kept(surface: Surface, sampler: Sampler, texels: Expanded, what: str, make: Callable[[], Expanded]) -> Expanded:
    kept = surface.derived.made(_Keyed, what, _Keyed)
    key = texels.kind.channels, sampler.chroma_key
    made = kept.get(key)
    if made is None:
        made = make()
        while len(kept) >= MOST_KEYS:  # threads may have made others meanwhile
            kept.pop(next(iter(kept)), None)
        kept[key] = made
    return made


def _matches(surface: Surface, texels: Expanded, key: tuple[Key, Key] | None) -> Array:
    """Whether each texel lies in the key's range, all four channels (003:676)."""
    assert key is not None
    signed = any(channel.kind == "snorm" for channel in surface.info.channels)
    low, high = (tuple(_signed(byte) if signed else byte for byte in end) for end in key)
    for name, least, most in zip(_CHANNELS, low, high, strict=True):
        if most < least:
            raise StateError(f"the key's highest {name} must not be below its lowest, found {most} and {least}")
    parts = []
    for place, (least, most) in enumerate(zip(low, high, strict=True)):
        numbers = _key_numbers(surface, texels, place, signed=signed)
        if _is_ycrcb(surface) and texels.kind.channels[place] in ("Cr", "Cb"):
            numbers = _between_chroma(texels, numbers)
        parts.append((numbers >= least) & (numbers <= most))
    return parts[0] & parts[1] & parts[2] & parts[3]


def _is_ycrcb(surface: Surface) -> bool:
    return surface.format.startswith("YCRCB")


def _signed(byte: int) -> int:
    """Sign and magnitude (003:4327)."""
    return -(byte & 127) if byte & 128 else byte


def _key_numbers(surface: Surface, texels: Expanded, place: int, *, signed: bool) -> Array:
    """A channel as the key sees it: 8 bits, or 7 and a sign, narrower channels with their high bits repeated."""
    column = texels.texels[..., place]
    name = texels.kind.channels[place]
    if texels.kind.name == "unorm8":
        return column.astype(np.int32)
    width = 7 if signed else 8
    stored = next((c.bits - (c.kind == "snorm") for c in surface.info.channels if c.name == name and c.bits), width)
    levels = np.rint(column * np.float32((1 << stored) - 1)).astype(np.int32)
    magnitude, left = abs(levels), width - stored
    repeated: Array | int = 0
    while left > -stored:
        repeated = repeated | (magnitude << left if left >= 0 else magnitude >> -left)
        left -= stored
    return np.where(levels < 0, -repeated, repeated)


def _between_chroma(texels: Expanded, numbers: Array) -> Array:
    """Texels without chroma of their own, the second of each pair, have the mean of both sides, rounded down (S20)."""
    made = numbers.copy()
    for width, height, depth, first in texels.levels.tolist():
        rows = numbers[first : first + width * height * depth].reshape(-1, width)
        right = np.concatenate([rows[:, 2::2], rows[:, -1:]], axis=1)[:, : rows[:, 1::2].shape[1]]
        made[first : first + width * height * depth].reshape(-1, width)[:, 1::2] = (rows[:, 1::2] + right) >> 1
    return made
