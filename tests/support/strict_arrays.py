"""A device whose arrays behave as CuPy's do where that differs from numpy's: nothing reaches the host unasked.

Mixing them with numpy arrays, converting them to numpy, and what CuPy has no form of raise TypeError. They compute with
numpy, so results can be compared.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from support.cupy_names import FUNCTIONS, UFUNCS
from texsamp.device import get_device
from texsamp.device.base import Device

_NO_AXIS = ("packbits", "unpackbits")


def _inner(value):
    """The numpy array within; scalars as they are; TypeError for what CuPy would not take."""
    if isinstance(value, StrictArray):
        return value.inner
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if isinstance(value, list | tuple):
        return type(value)(_inner(element) for element in value)
    if isinstance(value, dict):
        return {key: _inner(element) for key, element in value.items()}
    return value


def _outer(value):
    if isinstance(value, np.ndarray | np.generic):
        return StrictArray.of(np.asarray(value))
    return type(value)(map(_outer, value)) if isinstance(value, tuple | list) else value


class _Pointer:
    def __init__(self, array, offset=0):
        self.array, self.offset = array, offset

    def __add__(self, offset):
        return _Pointer(self.array, self.offset + offset)


class StrictArray(np.lib.mixins.NDArrayOperatorsMixin):
    """As much of cupy.ndarray as the emulator uses. looks: how often `bool` or `int` took a number from one."""

    looks = 0

    def __init__(self, shape, dtype=float, memptr=None, strides=None):
        if memptr is None:
            self.inner = np.zeros(shape, dtype)
        else:
            self.inner = np.ndarray(shape, dtype, memptr.array.data, memptr.offset, strides)

    @classmethod
    def of(cls, inner):
        self = cls.__new__(cls)
        self.inner = inner
        return self

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`.")

    def __dlpack__(self, *_, **__):
        raise TypeError("an array of a device is exported to nobody")

    def __dlpack_device__(self):
        return 2, 0  # kDLCUDA

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method != "__call__" or not set(options) <= {"out"} or ufunc.__name__ not in UFUNCS:
            raise TypeError(f"{ufunc.__name__}.{method} with {sorted(options)}")
        return _outer(ufunc(*_inner(inputs), **_inner(options)))

    def __array_function__(self, function, types, args, options):
        name = function.__name__
        if not set(options) <= set(FUNCTIONS.get(name, ())) or name not in FUNCTIONS:
            raise TypeError(f"{name} with {sorted(options)} is not in FUNCTIONS of support/cupy_names.py")
        if name in _NO_AXIS and (len(args) > 1 or "axis" in options or args[0].ndim > 1):
            raise TypeError("axis option is not supported")
        if name == "copyto" and not isinstance(options.get("where"), StrictArray | None):
            raise TypeError("where is an array")
        return _outer(function(*_inner(args), **_inner(options)))

    def __getitem__(self, index):
        return _outer(self.inner[_inner(index)])

    def __setitem__(self, index, value):
        self.inner[_inner(index)] = _inner(value)

    def __getattr__(self, name):
        if name not in (
            "astype",
            "view",
            "reshape",
            "copy",
            "fill",
            "repeat",
            "transpose",
            "min",
            "max",
            "any",
            "all",
            "sum",
            "clip",
            "argmax",
        ):
            raise AttributeError(name)
        return lambda *args, **options: _outer(getattr(self.inner, name)(*_inner(args), **_inner(options)))

    def __len__(self):
        return len(self.inner)

    def __bool__(self):
        StrictArray.looks += 1
        return bool(self.inner)

    def __int__(self):
        StrictArray.looks += 1
        return int(self.inner)

    shape = property(lambda self: self.inner.shape)
    ndim = property(lambda self: self.inner.ndim)
    dtype = property(lambda self: self.inner.dtype)
    itemsize = property(lambda self: self.inner.itemsize)
    strides = property(lambda self: self.inner.strides)
    size = property(lambda self: self.inner.size)
    flags = property(lambda self: self.inner.flags)
    data = property(lambda self: _Pointer(self.inner))


def _maker(make):
    return lambda *args, **options: _outer(make(*_inner(args), **_inner(options)))


class StrictDevice(Device):
    """Uploads, downloads and the bytes of these are counted; kernels run on the CPU, on what the arrays hold.

    Arrays that travel together are one upload or download.
    """

    name = "strict"
    tile_limits = "host"
    arrays = SimpleNamespace(
        ndarray=StrictArray,
        **{name: _maker(getattr(np, name)) for name in ("zeros", "ones", "empty", "full", "arange", "packbits")},
    )

    def __init__(self):
        self.uploads = self.downloads = self.uploaded_B = self.downloaded_B = 0

    def upload(self, array):
        self.uploads += 1
        if isinstance(array, StrictArray):
            return array
        self.uploaded_B += array.nbytes
        return StrictArray.of(array.copy())

    def upload_all(self, arrays):
        before = self.uploads
        there = tuple(map(self.upload, arrays))
        self.uploads = before + 1
        return there

    def start_download(self, arrays):
        before = self.downloads
        found = super().start_download(arrays)
        self.downloads = before + 1
        return found

    def download(self, array):
        self.downloads += 1
        if isinstance(array, np.ndarray):
            return array
        self.downloaded_B += array.inner.nbytes
        return array.inner.copy()

    def empty(self, shape, dtype):
        return StrictArray(shape, dtype)

    def copy(self, array):
        return array.copy()

    def address(self, array):
        return array.inner.ctypes.data

    def launch(self, *launches):
        get_device("cpu").launch(*launches)

    def synchronize(self):
        pass

    def describe(self):
        return self.name
