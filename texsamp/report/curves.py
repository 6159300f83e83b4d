"""Curves over time as points of a drawing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

WIDTH, HEIGHT = 1000.0, 160.0
_MOST_POINTS = 2000
"""Of a curve; longer videos have one value of each piece."""


def place_of(frame: int, count: int) -> float:
    """Where a frame is on the axis of so many."""
    return WIDTH * frame / max(count - 1, 1)


def curves(
    of: Mapping[str, list[float]], pick: Callable[[list[float]], float], highest: float = math.inf
) -> dict[str, Any]:
    """Points of curves on one axis, and the values at its ends. pick: which value a piece of a long curve has."""
    values = {name: [min(value, highest) for value in _thinned(curve, pick)] for name, curve in of.items()}
    all_of_them = [value for curve in values.values() for value in curve]
    low, high = min(all_of_them, default=0.0), max(all_of_them, default=1.0)
    if high - low < 1e-6:
        low, high = low - 0.5, high + 0.5
    lines = {}
    for name, curve in values.items():
        heights = [HEIGHT * (high - value) / (high - low) for value in curve]
        lines[name] = " ".join(f"{place_of(n, len(curve)):.1f},{height:.1f}" for n, height in enumerate(heights))
    return {"low": low, "high": high, "lines": lines}


def _thinned(values: list[float], pick: Callable[[list[float]], float]) -> list[float]:
    piece = -(-len(values) // _MOST_POINTS) or 1
    return [pick(values[n : n + piece]) for n in range(0, len(values), piece)]
