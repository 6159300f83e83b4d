"""What callers hold for an array, as devices take it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from texsamp.errors import FormatError


class SupportsDlpack(Protocol):
    """An array that travels by DLPack, as those of PyTorch, CuPy and JAX do."""

    def __dlpack__(self) -> object:
        """The tensor, in a capsule."""

    def __dlpack_device__(self) -> tuple[Any, Any]:
        """Kind of its device, and the device's number."""


GivenArray = ArrayLike | SupportsDlpack
"""What callers may give for an array: numbers, lists, numpy, whatever has ``__array__`` or ``__dlpack__``."""

_DLPACK_HOST = (1, 3)
"""kDLCPU and kDLCUDAHost."""


def given_array(name: str, value: Any) -> Any:
    """A numpy array of numbers in this machine's byte order, or an array of a GPU as it is.

    value: a number, a list, numpy, CuPy, a tensor with ``__dlpack__``, a picture, or whatever else has ``__array__``.

    Raises FormatError for what has no numbers, tensors that need gradients, and types that numpy lacks (bfloat16).
    """
    if getattr(value, "requires_grad", False):
        raise FormatError(f"{name} is a tensor that needs gradients, which stop here: give {name}.detach()")
    if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
        if "bfloat16" in str(getattr(value, "dtype", "")):
            raise FormatError(f"{name} is of bfloat16, which is none of the types here: give {name}.float()")
        if value.__dlpack_device__()[0] not in _DLPACK_HOST:
            return value
    try:
        array = _in_numpy(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise FormatError(f"{name} is no array of numbers: {error}") from None
    if array.dtype.kind not in "biufc":
        raise FormatError(f"{name} must be real numbers, found {_found(value, array)}")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


class _Brought:
    """An array of a GPU, exported to the host."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, *, stream: None = None, **_: object) -> Any:
        return self._array.__dlpack__(dl_device=self.__dlpack_device__(), copy=True)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _DLPACK_HOST[0], 0


def on_host(array: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """What `given_array` gave, in numpy. Raises FormatError for an array of a GPU that its library does not copy."""
    if isinstance(array, np.ndarray):
        return array
    try:
        return np.from_dlpack(_Brought(array))
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise FormatError(f"an array is on a GPU, and cannot be brought to the CPU: {error}") from None


def _in_numpy(value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    if not hasattr(value, "__dlpack__"):
        return np.asarray(value)
    if hasattr(value, "__array__"):  # by DLPack numpy may not write to it, unless the library can say that it may
        with suppress(RuntimeError):  # of a torch that was built for another numpy
            return np.asarray(value)
    return np.from_dlpack(value)


def _found(value: Any, array: np.ndarray[Any, np.dtype[Any]]) -> str:
    return f"an array of {array.dtype}" if hasattr(value, "dtype") else type(value).__name__
