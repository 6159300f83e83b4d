"""Tiles of a row of items: as many as a grid has in y, and then more beside them."""

from __future__ import annotations

_MOST_Y = 65535


def in_rows(items: int, each: int) -> tuple[int, int]:
    """Tiles in x and y for so many items, so many of a tile; kernels count them by `tiles_x`."""
    tiles = -(-items // each)
    across = max(-(-tiles // _MOST_Y), 1)
    return across, -(-tiles // across)
