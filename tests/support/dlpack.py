"""DLPack capsules for memory of devices that do not exist, made and read with nothing but ctypes."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

_KINDS = {"i": 0, "u": 1, "f": 2, "b": 6}
_NAME = b"dltensor"


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_python.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)

_alive: dict[int, tuple[Any, ...]] = {}
"""What capsules point to, until the consumer is done with it."""


def _delete(address: int) -> None:
    _alive.pop(address, None)


_DELETE = _Deleter(_delete)


def capsule(array: Any, address: int, device: tuple[int, int]) -> Any:
    """A capsule for an array with shape, strides in bytes and dtype; it lives until the consumer deletes it."""
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = (ctypes.c_int64 * array.ndim)(*(step // array.itemsize for step in array.strides))
    kind = _KINDS[array.dtype.kind]
    tensor = _Tensor(address, *device, array.ndim, kind, 8 * array.itemsize, 1, shape, strides, 0)
    managed = _Managed(tensor, None, _DELETE)
    where = ctypes.addressof(managed)
    _alive[where] = (managed, shape, strides, array)
    return _python.PyCapsule_New(where, _NAME, None)


@dataclass(frozen=True)
class Described:
    """What a capsule says; ``owner`` keeps the memory alive."""

    address: int
    device: tuple[int, int]
    shape: tuple[int, ...]
    strides_B: tuple[int, ...] | None
    dtype: np.dtype
    size_B: int
    owner: Any


class _Owner:
    def __init__(self, managed: _Managed) -> None:
        self._managed = managed

    def __del__(self) -> None:
        if self._managed.deleter:
            self._managed.deleter(ctypes.addressof(self._managed))


def described(made: Any) -> Described:
    """Read a capsule and take it over."""
    managed = _Managed.from_address(_python.PyCapsule_GetPointer(made, _NAME))
    _python.PyCapsule_SetName(made, b"used_dltensor")
    tensor = managed.tensor
    letter = {code: kind for kind, code in _KINDS.items()}[tensor.code]
    dtype = np.dtype(bool) if letter == "b" else np.dtype(f"{letter}{tensor.bits // 8}")
    shape = tuple(tensor.shape[: tensor.ndim])
    steps = tuple(step * dtype.itemsize for step in tensor.strides[: tensor.ndim]) if tensor.strides else None
    reach = steps or ()
    size_B = sum((length - 1) * step for length, step in zip(shape, reach, strict=False)) + dtype.itemsize
    address = (tensor.data or 0) + tensor.byte_offset
    return Described(address, (tensor.device_type, tensor.device_id), shape, steps, dtype, size_B, _Owner(managed))
