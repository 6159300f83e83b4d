"""Whether a field that was woven with another picture's combs more than the right weave of the same decoded fields.

A codec may give both fields of a frame one motion: decoded, the wrong partner then shows what the right one does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from texsamp.video.film.variances import strip_area

_TILE_PX = 32
_NOISE = 16.0
"""Squared levels by which noise of codecs misfits at most: (7) of docs/film.md tells of so much, in any one tile."""


def tile_combs(picture: np.ndarray) -> np.ndarray:
    """How far lines lie outside both neighbors, mean squares of every tile of 32x32 pixels: (7), whatever moves."""
    lines = picture.astype(np.float64)
    inner, above, below = lines[1:-1], lines[:-2], lines[2:]
    outside = np.maximum(inner - np.maximum(above, below), np.minimum(above, below) - inner).clip(0) ** 2
    down, across = (range(0, size, _TILE_PX) for size in outside.shape)
    return np.array([[outside[y : y + _TILE_PX, x : x + _TILE_PX].mean() for x in across] for y in down])


def weave(frames: Sequence[np.ndarray], field: int, other: int) -> np.ndarray:
    """Two fields of frames, top fields first, of different parities."""
    parity = field % 2
    if other % 2 == parity:
        raise ValueError(f"fields {field} and {other} have the same lines")
    woven = frames[other // 2].copy()
    woven[parity::2] = frames[field // 2][parity::2]
    return woven


def combs_more(
    frames: Sequence[np.ndarray], field: int, partner: int, rights: Sequence[int], video_strips: Sequence[int] = ()
) -> bool:
    """Whether a tile of a decoded field, woven with ``partner``, combs more than with any of its right fields.

    Without a right field to compare with it does. Strips that are deinterlaced comb nothing.
    """
    woven = weave(frames, field, field + partner)
    worst = np.inf
    for right in (weave(frames, field, number) for number in rights):
        shown = woven.copy()
        for strip in video_strips:
            area = strip_area(strip, woven.shape[1])
            shown[area] = right[area]
        worst = min(worst, float((tile_combs(shown) - tile_combs(right)).max()))
    return worst > _NOISE
