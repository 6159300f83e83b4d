"""Arrays on a pretended device: they compute as numpy does, and never become host arrays unasked."""

from __future__ import annotations

from typing import Any

import numpy as np
from support.cupy_names import FUNCTIONS, UFUNCS
from support.ptx import Fault

from cupy import _work, standin
from cupy._memory import MemoryPointer, alloc, pinned

FLAGS = ("c_contiguous", "f_contiguous", "fnc", "forc", "owndata")
"""What an array's flags are asked for; numpy's have more, such as ``aligned``."""
METHODS = ("all", "any", "argmax", "clip", "max", "mean", "min", "nonzero", "ravel", "repeat", "sum", "transpose")


def _inner(value: Any) -> Any:
    """The numpy array within, if all of it was written; scalars as they are; TypeError for what CuPy would not take."""
    if isinstance(value, ndarray):
        return value._read()
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if isinstance(value, list | tuple):
        return type(value)(_inner(element) for element in value)
    if isinstance(value, dict):
        return {key: _inner(element) for key, element in value.items()}
    return value


def _outer(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return _made(np.asarray(value))
    return type(value)(map(_outer, value)) if isinstance(value, tuple | list) else value


def _made(values: np.ndarray) -> ndarray:
    made = ndarray(values.shape, values.dtype)
    made._write(values)
    return made


class Flags:
    """Of the array within, those that CuPy has."""

    def __init__(self, inner: Any) -> None:
        for name in FLAGS:
            setattr(self, name, getattr(inner, name))


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):  # noqa: N801 - CuPy's name
    """An array in device memory."""

    def __init__(
        self,
        shape: Any,
        dtype: Any = float,
        memptr: MemoryPointer | None = None,
        strides: Any = None,
        order: str = "C",
    ) -> None:
        assert order == "C"
        shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        size_B = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        self.data = alloc(size_B) if memptr is None else memptr
        whole = self.data.mem.allocation
        self._inner = np.ndarray(shape, dtype, whole.data.data, self.data._offset, strides)
        # Which bytes were written, once with an axis for the bytes of an element and once as elements of that size.
        form = (whole.known.data, self.data._offset)
        self._known = np.ndarray((*shape, self.itemsize), np.uint8, *form, (*self.strides, 1))
        self._marks = np.ndarray(shape, f"V{self.itemsize}", *form, self.strides)

    shape = property(lambda self: self._inner.shape)
    ndim = property(lambda self: self._inner.ndim)
    dtype = property(lambda self: self._inner.dtype)
    size = property(lambda self: self._inner.size)
    nbytes = property(lambda self: self._inner.nbytes)
    itemsize = property(lambda self: self._inner.itemsize)
    strides = property(lambda self: self._inner.strides)
    flags = property(lambda self: Flags(self._inner.flags))
    device = property(lambda self: self.data.device)

    def _read(self) -> np.ndarray:
        """The values, when the current stream has come so far."""
        self._settle()
        return self._checked()

    def _settle(self, stream: Any = None) -> None:
        from cupy.cuda import get_current_stream

        _work.settle(_work.last(stream or get_current_stream()))

    def _checked(self) -> np.ndarray:
        self._lives()
        if not self._known.all():
            raise Fault(f"an array of {self.shape} {self.dtype} is read, but not all of it was written")
        return self._inner

    def _lives(self) -> None:
        """Raise Fault for memory that was given back."""
        allocation = self.data.mem.allocation
        if self.data.mem.owner.memory.live.get(allocation.address) is not allocation:
            raise Fault(f"{allocation.name} is used after it was given back")

    def _unowned(self) -> ndarray:
        """The same array, not keeping its memory alive: what queued work holds."""
        from cupy._memory import UnownedMemory

        memory = UnownedMemory(self.data.mem.ptr, self.data.mem.size, None)
        return ndarray(self.shape, self.dtype, MemoryPointer(memory, self.data.ptr - memory.ptr), self.strides)

    def _queue(self, stream: Any, what: str, work: Any, *sources: ndarray) -> None:
        """Work on this array and sources, when their stream comes to it."""
        from cupy.cuda import get_current_stream

        if not _work.is_deferring():
            work(self, *sources)
            return
        arrays = [each._unowned() for each in (self, *sources)]

        def run() -> None:
            for each in arrays:
                each._lives()
            work(*arrays)

        _work.queue(stream or get_current_stream(), what, run)

    def _write(self, values: Any, index: Any = ...) -> None:
        self._inner[index] = values
        self._marks[index] = b"\1" * self.itemsize

    def _view(self, inner: np.ndarray) -> ndarray:
        """Another view of the same memory."""
        moved = inner.__array_interface__["data"][0] - self._inner.__array_interface__["data"][0]
        return ndarray(inner.shape, inner.dtype, self.data + moved, inner.strides)

    def _viewed(self, made: np.ndarray) -> ndarray:
        return self._view(made) if np.may_share_memory(made, self._inner) else _made(made)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array "
            "explicitly."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", ())
        if method != "__call__" or options or ufunc.__name__ not in UFUNCS:
            raise TypeError(f"{ufunc.__name__}.{method} with {sorted(options)} is not in UFUNCS of the stand-in")
        results = ufunc(*_inner(inputs), **options)
        if not out:
            return _outer(results)
        for target, values in zip(out, results if isinstance(results, tuple) else (results,), strict=True):
            target._write(values.astype(target.dtype, casting="same_kind"))
        return out[0] if len(out) == 1 else out

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        name = function.__name__
        if not set(options) <= set(FUNCTIONS.get(name, ())) or name not in FUNCTIONS:
            raise TypeError(f"{name} with {sorted(options)} is not in FUNCTIONS of support/cupy_names.py")
        if name in ("packbits", "unpackbits") and (len(args) > 1 or args[0].ndim > 1):
            raise TypeError("axis option is not supported")
        if name == "copyto":
            return _copyto(*args, **options)
        return _outer(function(*_inner(args), **_inner(options)))

    def __getitem__(self, index: Any) -> ndarray:
        return self._viewed(np.asarray(self._inner[_inner(index)]))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, ndarray) and index is ...:
            self._queue(None, "copy", lambda made, source: made._write(source._checked()), value)
            return
        self._settle()
        self._write(_inner(value), _inner(index))

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"'cupy.ndarray' object has no attribute {name!r}")
        return lambda *args, **options: _outer(getattr(self._read(), name)(*_inner(args), **_inner(options)))

    def reshape(self, *shape: Any, order: str = "C") -> ndarray:
        """A view where that can be one, else a copy."""
        assert order == "C"
        return self._viewed(self._inner.reshape(*shape))

    def view(self, dtype: Any = None) -> ndarray:
        """The same bytes as another type."""
        return self._view(self._inner.view(dtype or self.dtype))

    def astype(self, dtype: Any, order: str = "K", casting: str | None = None, copy: bool = True) -> ndarray:
        """Converted; itself if that changes nothing and no copy is wanted."""
        same = np.dtype(dtype) == self.dtype
        return self if same and not copy else _made(self._read().astype(dtype, casting=casting or "unsafe"))

    def copy(self, order: str = "C") -> ndarray:
        """A copy with rows packed, of what was written."""
        made = ndarray(self.shape, self.dtype)
        made._copy_from(self)
        return made

    def _copy_from(self, source: ndarray, stream: Any = None) -> None:
        def copy(made: ndarray, source: ndarray) -> None:
            made._inner[...] = source._inner
            made._known[...] = source._known

        self._queue(stream, "copy", copy, source)
        standin.note("copy", detail=self.nbytes)

    def fill(self, value: Any) -> None:
        """Every element."""
        self._write(_inner(value))

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> np.ndarray:
        """A copy on the host."""
        standin.note("download", stream, self.nbytes)
        if out is not None and (out.shape != self.shape or out.dtype != self.dtype or not out.flags.c_contiguous):
            raise TypeError("out must be a C-contiguous array of the same shape and type")
        host = None if out is None or blocking else pinned(out)
        if host is not None:
            self._queue(stream, "download", lambda source: np.copyto(host, source._checked()))
            return out
        if blocking:
            standin.note("synchronize", stream)
        self._settle(stream)
        values = self._checked()
        if out is None:
            return values.copy()
        out[...] = values
        return out

    def set(self, arr: Any, stream: Any = None) -> None:
        """Copied from the host."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if arr.dtype != self.dtype or arr.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        standin.note("upload", stream, self.nbytes)
        host = pinned(arr)
        values = arr.copy() if host is None and _work.is_deferring() else arr if host is None else host
        self._queue(stream, "upload", lambda made: made._write(values))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "data": (self.data.ptr, False),
            "strides": None if self.flags.c_contiguous else self.strides,
            "version": 3,
            "stream": 1,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self.data.device_id)  # kDLCUDA

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
    ) -> Any:
        from support.dlpack import capsule

        return capsule(self, self.data.ptr, self.__dlpack_device__())

    def __len__(self) -> int:
        return len(self._inner)

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __format__(self, format_spec: str) -> str:
        return format(self.get(), format_spec)

    __hash__ = None  # type: ignore[assignment]


def _copyto(dst: ndarray, src: Any, casting: str = "same_kind", where: Any = None) -> None:
    if not isinstance(where, ndarray | None):
        raise TypeError("where is an array")
    values = np.broadcast_to(_inner(src), dst.shape)
    if not np.can_cast(values.dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast {values.dtype} to {dst.dtype} by {casting!r}")
    index: Any = ... if where is None else np.broadcast_to(_inner(where), dst.shape)
    dst._write(values[index].astype(dst.dtype), index)


def empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """Unwritten."""
    return ndarray(shape, dtype, order=order)


def zeros(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """Of zeros."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """Of ones."""
    return full(shape, 1, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> ndarray:
    """Of one value."""
    made = ndarray(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    made.fill(fill_value)
    return made


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> ndarray:
    """Evenly spaced numbers."""
    bounds = (0, start) if stop is None else (start, stop)
    return _made(np.arange(*bounds, step, dtype=dtype))


def asarray(a: Any, dtype: Any = None, order: Any = None, *, blocking: bool = False) -> ndarray:
    """On the current device: itself if it is there, else a copy."""
    here = standin.current_device().ordinal
    if isinstance(a, ndarray) and a.data.device_id == here:
        return a if dtype is None else a.astype(dtype, copy=False)
    return array(a, dtype)


def array(obj: Any, dtype: Any = None, copy: bool = True) -> ndarray:
    """A copy on the current device of an array of the host or another device."""
    if isinstance(obj, ndarray):
        standin.note("copy", detail=obj.nbytes)
        return _made(obj._read().astype(dtype or obj.dtype))
    values = np.asarray(obj, dtype)
    if values.dtype.kind not in "biufc":
        raise ValueError(f"Unsupported dtype {values.dtype}")
    standin.note("upload", detail=values.nbytes)
    return _made(values)


def from_dlpack(array: Any, *, device: Any = None, copy: bool | None = None) -> ndarray:
    """The same memory, of another library on a device. Raises TypeError for what is not on one."""
    from cupy._memory import UnownedMemory

    kind, _ = array.__dlpack_device__()
    if kind != 2:
        raise TypeError(
            "CPU arrays cannot be directly imported to CuPy. Use `cupy.array(numpy.from_dlpack(input))` instead."
        )
    from support.dlpack import described

    found = described(array.__dlpack__(stream=1))
    memory = UnownedMemory(found.address, found.size_B, found.owner)
    return ndarray(found.shape, found.dtype, MemoryPointer(memory, 0), found.strides_B)
