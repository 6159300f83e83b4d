"""What callers hand over: sizes, and bytes in any buffer or array, seen as uint8 on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from texsamp.device.arguments import is_integer
from texsamp.device.base import Array, Device
from texsamp.errors import FormatError

MAX_SIDE_PX = 1 << 16
"""Largest width and height: four times what any generation's surface state can name, and safe in 32-bit pitches."""


def size_px(width_px: object, height_px: object) -> tuple[int, int]:
    """Width and height as Python's integers: numpy's would wrap around in what is computed from them.

    Raises FormatError unless both are integers from 1 to MAX_SIDE_PX.
    """
    return side_px("width", width_px), side_px("height", height_px)


def side_px(name: str, side: object) -> int:
    """One of the sides, as `size_px` has them."""
    if not is_integer(side) or not 1 <= side <= MAX_SIDE_PX:  # type: ignore[operator]
        raise FormatError(f"{name} must be from 1 to {MAX_SIDE_PX} texels, found {side!r}")
    return int(side)  # type: ignore[call-overload,no-any-return]


def dtype_named(dtype: Any) -> np.dtype[Any]:
    """A dtype as numpy understands it. Raises FormatError for what it does not."""
    try:
        named: np.dtype[Any] = np.dtype(dtype)
    except (TypeError, ValueError):
        raise FormatError(f"dtype must be a type of numbers that numpy knows, found {dtype!r}") from None
    return named


def flat_bytes(data: Any, device: Device) -> Array:
    """The data as one-dimensional uint8 on the device. Raises FormatError if it is not contiguous, or not bytes."""
    if isinstance(data, (bytes, bytearray, memoryview)) or not hasattr(data, "dtype"):
        data = _from_buffer(data)
    array = device.upload(data)
    if array.dtype.hasobject:
        raise FormatError(f"data must be bytes, a buffer or an array of numbers, found an array of {array.dtype}")
    if not array.flags.c_contiguous:
        raise FormatError(f"data must be contiguous, found an array of shape {array.shape}, strides {array.strides}")
    return array.reshape(-1).view(np.uint8)


def _from_buffer(data: Any) -> Any:
    if hasattr(data, "__dlpack__"):
        return data
    try:
        view = memoryview(data)
    except TypeError:
        raise FormatError(f"data must be bytes, a buffer or an array, found {type(data).__name__}") from None
    if not view.c_contiguous:
        raise FormatError(f"data must be contiguous, found a buffer of shape {view.shape}, strides {view.strides}")
    return np.frombuffer(view, np.uint8)
