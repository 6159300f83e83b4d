"""Errors of the driver, the run time and the compiler, with the words of the real ones."""

from __future__ import annotations

INVALID_VALUE, INVALID_IMAGE, INVALID_CONTEXT, NOT_FOUND = 1, 200, 201, 500

_DRIVER = {
    INVALID_VALUE: "CUDA_ERROR_INVALID_VALUE: invalid argument",
    INVALID_IMAGE: "CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid",
    INVALID_CONTEXT: "CUDA_ERROR_INVALID_CONTEXT: invalid device context",
    NOT_FOUND: "CUDA_ERROR_NOT_FOUND: named symbol not found",
}
_RUNTIME = {101: "cudaErrorInvalidDevice: invalid device ordinal"}


class CUDADriverError(RuntimeError):
    """Of the driver."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(_DRIVER[status])


class CUDARuntimeError(RuntimeError):
    """Of the run time."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(_RUNTIME[status])


class NVRTCError(RuntimeError):
    """Of the compiler's interface."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f"NVRTC_ERROR ({status})")


class CompileException(Exception):  # noqa: N818 - CuPy's name
    """A source was refused; the log says why."""

    def __init__(self, msg: str, source: str, name: str, options: tuple[str, ...], backend: str = "nvrtc") -> None:
        self._msg = msg
        self.source, self.name, self.options, self.backend = source, name, options, backend
        super().__init__()

    def __str__(self) -> str:
        return self._msg
