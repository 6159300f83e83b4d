"""The run time: which devices there are."""

from __future__ import annotations

from typing import Any

from cupy import standin
from cupy.cuda._errors import CUDARuntimeError

__all__ = ["CUDARuntimeError", "getDeviceCount", "getDeviceProperties"]


def getDeviceCount() -> int:  # noqa: N802 - CuPy's name
    """How many devices are pretended."""
    return len(standin.devices)


def getDeviceProperties(device: int) -> dict[str, Any]:  # noqa: N802 - CuPy's name
    """Of one of them."""
    if not 0 <= device < len(standin.devices):
        raise CUDARuntimeError(101)
    major, minor = standin.COMPUTE
    return {
        "name": standin.NAME.encode(),
        "major": major,
        "minor": minor,
        "totalGlobalMem": standin.devices[device].memory.capacity_B,
        "maxGridSize": standin.MAX_GRID,
    }
