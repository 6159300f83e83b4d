"""Whether the first fields behind a cut are of one picture, where no rhythm is known yet (ours; docs/film.md)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.witnesses import HIGH_COMB, Witnesses

_MOTION_SHARE = 0.1
"""Share of what fields beside it change that a pair of one picture combs at most."""
_DETAIL_SHARE, _WORST_SHARE, _LEAN_SHARE = 0.05, 0.2, 0.2
"""Shares of what its lines differ by: all strips comb by the first, the worst by the next, and lean by the last."""
_VIDEO_SHARE = 0.5
"""A stream's last pair of one picture combs by less: a cut behind what moves fast may look like one of its steps."""
_NOISE = 16.0
"""Squared levels of noise that lines differ by as well."""
_WHOLE = 4
"""Strips are asked one by one that are at least this part of the largest."""


def fits_behind_cut(fields: Witnesses, pair: int, video: Sequence[int]) -> bool:
    """Whether two fields are of one picture by what they comb and lean, but for strips that are video.

    They comb next to nothing beside what moves. Where a cut has made all changes near, that is not known: then they do
    beside the detail of their lines, everywhere.
    """
    pixels = _counted(fields, video)
    rises, falls = fields.strip_sides[pair]
    combs, detail = fields.strip_combs[pair], _detail(fields, pair)
    leans = np.clip((rises - falls) / detail, -1, 1)
    if abs(float(leans @ pixels)) > _LEAN_SHARE * pixels.sum():
        return False
    ends = [n for n in range(max(0, pair - 2), min(pair + 3, len(fields))) if fields.cuts[n] and fields.ends_scene(n)]
    near = {*range(max(0, pair - 1), min(pair + 3, len(fields)))} - {n + k for n in ends for k in (0, 1)}
    moved = [fields.changes[n] for n in near]
    if moved:
        return bool(fields.combs[pair] <= _MOTION_SHARE * max(moved) + HIGH_COMB)
    worst = (combs / detail)[_WHOLE * pixels >= pixels.max()].max()
    return bool(worst <= _WORST_SHARE and combs @ pixels <= _DETAIL_SHARE * (detail @ pixels))


def combs_at_end(fields: Witnesses, pair: int, video: Sequence[int]) -> bool:
    """Whether a stream's last pair combs by so much of its detail, but for strips that are video, that it is of two."""
    if pair + 1 < len(fields):
        return False
    pixels = _counted(fields, video)
    return bool(fields.strip_combs[pair] @ pixels > _VIDEO_SHARE * (_detail(fields, pair) @ pixels))


def _counted(fields: Witnesses, video: Sequence[int]) -> Array:
    """Pixels of strips that are not video."""
    pixels: Array = fields.strip_pixels.copy()
    pixels[list(video)] = 0
    return pixels


def _detail(fields: Witnesses, pair: int) -> Array:
    """What lines of strips differ by in a pair, and noise."""
    rises, falls = fields.strip_sides[pair]
    detail: Array = (rises + falls) / 2 + _NOISE
    return detail
