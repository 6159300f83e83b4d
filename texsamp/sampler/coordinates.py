"""Arrays of coordinates on a surface's device, all of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.errors import FormatError


def as_coordinates(device: Device, values: Sequence[tuple[str, Any]], dtype: Any) -> list[Array]:
    """Named arrays or numbers as contiguous arrays of one shape; numbers take the shape of the arrays.

    Raises FormatError if shapes differ, and for what has no numbers (or, for an integer dtype, other numbers).
    """
    integers = np.dtype(dtype).kind == "i"
    arrays: list[Array] = []
    for name, value in values:
        array = device.upload(value if hasattr(value, "dtype") or hasattr(value, "__dlpack__") else np.asarray(value))
        if array.dtype.kind not in ("iu" if integers else "iuf"):
            raise FormatError(f"{name} must be {'integers' if integers else 'real numbers'}, found {array.dtype}")
        arrays.append(array)
    shape = next((array.shape for array in arrays if array.shape), ())
    made = []
    for (name, _), array in zip(values, arrays, strict=True):
        if array.shape not in (shape, ()):
            raise FormatError(f"{name} must have shape {shape} as the others, or none, found {array.shape}")
        made.append(_plain(device, array, shape, dtype))
    return made


def _plain(device: Device, array: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    if array.shape == shape and array.dtype == dtype and array.flags.c_contiguous and array.flags.aligned:
        return array
    if np.dtype(dtype).kind == "i" and array.size:
        info = np.iinfo(dtype)
        array = array.clip(max(info.min, np.iinfo(array.dtype).min), min(info.max, np.iinfo(array.dtype).max))
    made = device.empty(shape, dtype)
    made[...] = array
    return made
