"""Bytes that callers hand over: any buffer or array, seen as uint8 on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from texsamp.device.base import Array, Device
from texsamp.errors import FormatError


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
