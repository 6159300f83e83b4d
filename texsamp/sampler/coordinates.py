"""Arrays of coordinates on a surface's device, all of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.given import given_array
from texsamp.errors import FormatError


def as_coordinates(device: Device, values: Sequence[tuple[str, Any]], dtype: Any) -> list[Array]:
    """Named arrays or numbers as contiguous arrays of one shape, to which they are broadcast.

    Raises FormatError if shapes do not go together, and for what has no numbers (or, for an integer dtype, other
    numbers).
    """
    integers = np.dtype(dtype).kind == "i"
    arrays: list[Array] = []
    for name, value in values:
        array = device.upload(given_array(name, value))
        if not array.size and not hasattr(value, "dtype"):
            array = array.astype(dtype)  # an empty list holds numbers of any kind
        if array.dtype.kind not in ("iu" if integers else "iuf"):
            raise FormatError(f"{name} must be {'integers' if integers else 'real numbers'}, found {array.dtype}")
        arrays.append(array)
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        found = ", ".join(f"{name} {array.shape}" for (name, _), array in zip(values, arrays, strict=True))
        raise FormatError(f"arrays must have one shape, or shapes that broadcast to one, found {found}") from None
    return [_plain(device, array, shape, dtype) for array in arrays]


def _plain(device: Device, array: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    aligned = device.address(array) % array.dtype.itemsize == 0
    if array.shape == shape and array.dtype == dtype and array.flags.c_contiguous and aligned:
        return array
    if np.dtype(dtype).kind == "i" and array.size:
        info = np.iinfo(dtype)
        array = array.clip(max(info.min, np.iinfo(array.dtype).min), min(info.max, np.iinfo(array.dtype).max))
    made = device.empty(shape, dtype)
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, as it would be there
        made[...] = array
    return made
