"""A CPU device whose arrays have no slack, so that a sanitizer sees the first byte read or written outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from texsamp.device.cpu import CpuDevice


class ExactDevice(CpuDevice):
    """Every array is a heap block of exactly its size; the kernels may come from a library built by a test."""

    def __init__(self, library: Path | None = None, tile_limits: str = "host") -> None:
        super().__init__(library=library)
        self.tile_limits = tile_limits

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, np.dtype[Any]]:
        return np.empty(shape, dtype)
