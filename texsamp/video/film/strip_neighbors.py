"""Strips beside some of the same picture."""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array


def sideways(strips: Array, across: int) -> Array:
    """Strips on both sides of some."""
    return _neighbors(strips.reshape(-1, across)).ravel()


def up_and_down(strips: Array, across: int) -> Array:
    """Strips above and below some."""
    return _neighbors(strips.reshape(-1, across).T).T.ravel()


def _neighbors(marked: Array) -> Array:
    """What lies before and behind marked ones in their rows."""
    beside = np.zeros_like(marked)
    beside[:, 1:] = marked[:, :-1]
    beside[:, :-1] |= marked[:, 1:]
    return beside
