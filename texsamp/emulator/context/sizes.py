"""Sizes of the memories on the chip that a context keeps."""

from __future__ import annotations

HALF_SLICES = 2
SHARED_MEMORY_B = 64 << 10
"""Shared local memory of a half-slice (seed 003:5981); addresses beyond wrap around."""
URB_B = 256 << 10
"""The largest unified return buffer (volume 4 part 2, page 17); `urb_space` has a context's."""
