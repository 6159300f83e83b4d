"""The CUDA device against a stand-in for CuPy that records what it is asked: there is no GPU here."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from texsamp import DeviceError, device
from texsamp.device import cuda
from texsamp.device.base import Launch
from texsamp.device.cuda import BLOCK, NVRTC_OPTIONS, CudaDevice, why_no_cuda
from texsamp.device.sources import kernel_source


class OutOfMemoryError(Exception):
    """CuPy's."""


class CompileException(Exception):  # noqa: N818 - CuPy's name
    """CuPy's."""


class FakeCupy(ModuleType):
    """As much of CuPy as texsamp uses. ``log`` lists kernel calls; contexts entered are kept in ``inside``."""

    class ndarray:  # noqa: N801 - CuPy's name
        def __init__(self, values: Any) -> None:
            self.values = np.array(values)
            self.shape, self.dtype = self.values.shape, self.values.dtype
            self.device = SimpleNamespace(id=0)
            self.data = SimpleNamespace(ptr=self.values.ctypes.data)

        def get(self, stream: Any = None) -> np.ndarray:
            FakeCupy.current.log.append(("get", stream))
            return self.values.copy()

        def copy(self) -> FakeCupy.ndarray:
            return FakeCupy.ndarray(self.values)

        def __dlpack__(self, **_: Any) -> None:
            raise AssertionError("an array of CuPy's own must not go through DLPack")

    current: FakeCupy

    def __init__(self, count: int = 2, failure: Exception | None = None) -> None:
        super().__init__("cupy")
        FakeCupy.current = self
        self.log: list[Any] = []
        self.inside: list[str] = []
        self.modules: list[SimpleNamespace] = []
        self.cuda = SimpleNamespace(
            runtime=SimpleNamespace(
                getDeviceCount=self._device_count, getDeviceProperties=self._properties, CUDARuntimeError=RuntimeError
            ),
            driver=SimpleNamespace(CUDADriverError=RuntimeError),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            compiler=SimpleNamespace(CompileException=CompileException),
            Device=lambda ordinal: self._context(f"device {ordinal}"),
            Stream=lambda: self._context("stream"),
        )
        self.broken = ""
        self._count, self._failure = count, failure

    def _device_count(self) -> int:
        if self._failure:
            raise self._failure
        return self._count

    def _properties(self, ordinal: int) -> dict[str, Any]:
        return {"name": f"Fake {ordinal}".encode(), "major": 9, "minor": 0, "totalGlobalMem": 80 << 30}

    def _context(self, name: str) -> Any:
        inside = self.inside

        class Context:
            def __enter__(self) -> None:
                inside.append(name)

            def __exit__(self, *_: object) -> None:
                inside.remove(name)

            def synchronize(self) -> None:
                FakeCupy.current.log.append(("synchronize", name))

        return Context()

    def RawModule(self, **arguments: Any) -> Any:  # noqa: N802 - CuPy's name
        def get_function(name: str) -> Any:
            def call(grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...]) -> None:
                if name == self.broken:
                    raise CompileException("error: nonesuch")
                self.log.append((name, grid, block, args, tuple(self.inside)))

            return call

        self.modules.append(SimpleNamespace(**arguments, get_function=get_function))
        return self.modules[-1]

    def empty(self, shape: tuple[int, ...], dtype: Any) -> FakeCupy.ndarray:
        if np.prod(shape) > 1 << 30:
            raise OutOfMemoryError("Out of memory allocating")
        self.log.append(("empty", tuple(self.inside)))
        return self.ndarray(np.empty(shape, dtype))

    def asarray(self, array: Any) -> FakeCupy.ndarray:
        return self.ndarray(array.values if isinstance(array, self.ndarray) else array)

    def from_dlpack(self, array: Any) -> FakeCupy.ndarray:
        return self.ndarray(np.from_dlpack(array))


@pytest.fixture(autouse=True)
def empty_caches():
    for cache in (cuda._module, cuda.cuda_device):
        cache.cache_clear()
    yield
    for cache in (cuda._module, cuda.cuda_device):
        cache.cache_clear()


@pytest.fixture
def cupy(monkeypatch) -> FakeCupy:
    fake = FakeCupy()
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake


RECORD = np.array((1 << 40, 5), [("far", "<u8"), ("near", "<i4")])[()]


def test_reason_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert "CuPy is not installed (pip install 'texsamp[cuda12]' or 'texsamp[cuda13]')" in why_no_cuda()


def test_reason_without_a_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", FakeCupy(failure=RuntimeError("cudaErrorInsufficientDriver")))
    assert why_no_cuda() == "the CUDA driver does not answer: cudaErrorInsufficientDriver"


def test_reason_without_a_device(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", FakeCupy(count=0))
    assert why_no_cuda() == "there is no CUDA device"
    assert device.get_device("auto").name == "cpu"
    with pytest.raises(DeviceError, match="CUDA cannot be used: there is no CUDA device"):
        CudaDevice()


def test_names(cupy):
    assert why_no_cuda() is None
    assert device.get_device("auto").name == "cuda:0"
    assert device.get_device("cuda") is device.get_device("cuda:0")
    assert device.get_device("cuda:1").name == "cuda:1"
    with pytest.raises(DeviceError, match="cuda:2 does not exist: there are 2 CUDA devices, numbered from 0"):
        device.get_device("cuda:2")


def test_descriptions(cupy):
    found = device.devices()
    assert list(found) == ["cpu", "cuda:0", "cuda:1"]
    assert found["cuda:1"] == "Fake 1 (compute 9.0, 80 GiB)"


def test_a_kernel_file_is_compiled_once_per_device(cupy):
    first = CudaDevice(0)
    first.launch(Launch("unpack10", RECORD, 3, 4, ()), Launch("pack10", RECORD, 1, 1, ()))
    first.launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert len(cupy.modules) == 1
    module = cupy.modules[0]
    assert module.code == kernel_source("packed10")
    assert '#include "' not in module.code.replace('#include "threaded_tiles.h"', "")
    assert (module.options, module.backend) == (NVRTC_OPTIONS, "nvrtc")
    CudaDevice(1).launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert len(cupy.modules) == 2


def test_a_launch_passes_its_parameters_by_value(cupy):
    CudaDevice(1).launch(Launch("unpack10", RECORD, 3, 4, ()))
    name, grid, block, args, inside = cupy.log[-1]
    assert (name, grid, block) == ("unpack10", (3, 4), BLOCK)
    assert inside == ("device 1", "stream")
    (argument,) = args
    # What CuPy passes by value, whatever its size: an ndarray of one element. A numpy.void it refuses.
    assert type(argument) is np.ndarray
    assert argument.size == 1
    assert argument.tobytes() == RECORD.tobytes()


def test_a_launch_without_tiles_is_not_made(cupy):
    CudaDevice().launch(Launch("unpack10", RECORD, 0, 4, ()), Launch("unpack10", RECORD, 4, 0, ()))
    assert cupy.log == []


def test_an_unknown_kernel(cupy):
    with pytest.raises(DeviceError, match="no kernel named 'nonesuch'"):
        CudaDevice().launch(Launch("nonesuch", RECORD, 1, 1, ()))


def test_arrays(cupy):
    cuda_device = CudaDevice(0)
    made = cuda_device.empty((3, 4), "<u2")
    assert (made.shape, made.dtype) == ((3, 4), np.dtype("<u2"))
    assert cupy.log[-1] == ("empty", ("device 0", "stream"))
    assert cuda_device.upload(made) is made, "already here: not copied"
    assert cuda_device.address(made) == made.data.ptr
    uploaded = cuda_device.upload(np.arange(5))
    assert isinstance(uploaded, cupy.ndarray)
    assert uploaded.values.tolist() == [0, 1, 2, 3, 4]
    back = cuda_device.download(uploaded)
    assert type(back) is np.ndarray
    assert back.tolist() == [0, 1, 2, 3, 4]
    assert cupy.log[-1] == ("get", cuda_device._stream), "after what was launched before"
    on_host = np.arange(3)
    assert cuda_device.download(on_host) is on_host
    copy = cuda_device.copy(made)
    assert copy is not made


def test_arrays_of_another_device_are_copied_and_of_other_libraries_taken(cupy):
    cuda_device = CudaDevice(1)
    elsewhere = cupy.asarray(np.arange(3))  # its device is 0
    assert cuda_device.upload(elsewhere) is not elsewhere

    class Foreign:
        def __init__(self) -> None:
            self.array = np.arange(4)

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert cuda_device.upload(Foreign()).values.tolist() == [0, 1, 2, 3]


def test_synchronize(cupy):
    CudaDevice().synchronize()
    assert cupy.log[-1] == ("synchronize", "stream")


def test_what_fails_on_the_device_is_a_device_error(cupy):
    with pytest.raises(DeviceError, match="cuda:0: Out of memory allocating"):
        CudaDevice().empty((1 << 16, 1 << 16), "u1")
    cupy.broken = "unpack10"
    with pytest.raises(DeviceError, match="cuda:0: error: nonesuch"):
        CudaDevice().launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert cupy.inside == []
