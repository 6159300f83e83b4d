"""Kernels: modules loaded from what NVRTC made, and launches, executed from the PTX."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from support import nvrtc as shared_nvrtc
from support.ptx import Module as PtxModule

from cupy import _work, standin
from cupy.cuda import _errors
from cupy.cuda._streams import get_current_stream

_MOST_THREADS = 1024


class Function:
    """A kernel of a module loaded on one device."""

    def __init__(self, module: Module, funcname: str) -> None:
        try:
            self._kernel = module.loaded.kernel(funcname)
        except KeyError:
            raise _errors.CUDADriverError(_errors.NOT_FOUND) from None
        self._device = module.device

    def __call__(
        self,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        args: tuple[Any, ...],
        shared_mem: int = 0,
        stream: Any = None,
    ) -> None:
        """Launch it; arguments are numpy arrays of size one and numpy scalars, passed by value."""
        blocks, threads = ((*sizes, 1, 1)[:3] for sizes in (grid, block))
        fits = all(0 < size <= most for size, most in zip(blocks, standin.MAX_GRID, strict=True))
        if not fits or not 0 < np.prod(threads) <= _MOST_THREADS:
            raise _errors.CUDADriverError(_errors.INVALID_VALUE)
        if standin.current_device() is not self._device:
            raise _errors.CUDADriverError(_errors.INVALID_CONTEXT)
        assert (threads[2], shared_mem) == (1, 0)
        params = b""
        for each in args:
            if not isinstance(each, np.ndarray | np.number) or each.size != 1:
                raise TypeError(f"Unsupported type {type(each)}")
            params += bytes(-len(params) % each.dtype.alignment) + each.tobytes()
        standin.note("launch", stream, self._kernel.name)
        standin.launched.add(self._kernel.name)
        if standin.counted is None:
            launch = partial(self._kernel.launch, blocks, threads[:2], params)
            _work.queue(stream or get_current_stream(), "launch", launch)
        else:
            standin.counted.append(self._kernel.count(blocks, threads[:2], params))


class Module:
    """A module, loaded on the device that is current then."""

    def __init__(self) -> None:
        self.device = standin.current_device()

    def load(self, cubin: bytes) -> None:
        """From a binary that NVRTC made, or from PTX."""
        if cubin.startswith(b"\x7fELF"):
            ptx = shared_nvrtc.ptx_of(cubin)
        else:
            ptx = cubin.rstrip(b"\0").decode()
            if ".version" not in ptx:
                raise _errors.CUDADriverError(_errors.INVALID_IMAGE)
        self.loaded = PtxModule(ptx, self.device.memory)
        self.device.modules.append(self.loaded)

    def get_function(self, name: str) -> Function:
        """A kernel by name."""
        return Function(self, name)


class RawModule:
    """Source compiled at the first use."""

    def __init__(self, code: str, *, options: tuple[str, ...] = (), backend: str = "nvrtc") -> None:
        assert backend == "nvrtc"
        self._code, self._options = code, options
        self._module: Module | None = None

    def get_function(self, name: str) -> Function:
        """A kernel by name."""
        if self._module is None:
            architecture = "".join(map(str, standin.COMPUTE))
            options = (*self._options, f"--gpu-architecture=sm_{architecture}", "-ftz=true")
            made = shared_nvrtc.compiled(self._code, "module.cu", options)
            if made.error:
                raise _errors.CompileException(made.log, self._code, "module.cu", options)
            self._module = Module()
            self._module.load(made.cubin)
        return self._module.get_function(name)
