"""The CUDA device against a stand-in for CuPy that records what it is asked: there is no GPU here."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from texsamp import DeviceError, device
from texsamp.device import cuda, nvrtc
from texsamp.device.base import Launch
from texsamp.device.cuda import BLOCK, CudaDevice, why_no_cuda
from texsamp.device.nvrtc import compiler_options
from texsamp.device.sources import kernel_source


class OutOfMemoryError(Exception):
    """CuPy's."""


class FakeNvrtc(SimpleNamespace):
    """CuPy's binding of NVRTC: ``compiled`` lists sources and options."""

    class NVRTCError(Exception):
        """CuPy's."""

    def __init__(self, missing: str = "") -> None:
        super().__init__(compiled=[], version=(13, 5), missing=missing)

    def getVersion(self) -> tuple[int, int]:  # noqa: N802 - CuPy's name
        if self.missing:
            raise RuntimeError(self.missing)
        return self.version

    def getSupportedArchs(self) -> tuple[int, ...]:  # noqa: N802
        return (75, 80, 90)

    def createProgram(self, source: str, name: str, headers: tuple, include_names: tuple) -> int:  # noqa: N802
        self.compiled.append([source])
        return len(self.compiled)

    def compileProgram(self, program: int, options: tuple[str, ...]) -> None:  # noqa: N802
        self.compiled[program - 1].append(options)
        if "nonesuch" in self.compiled[program - 1][0]:
            raise self.NVRTCError("NVRTC_ERROR_COMPILATION (6)")

    def getProgramLog(self, program: int) -> str:  # noqa: N802
        return 'identifier "nonesuch" is undefined'

    def getCUBIN(self, program: int) -> bytes:  # noqa: N802
        return b"\x7fELF" + self.compiled[program - 1][0].encode()

    def getPTX(self, program: int) -> bytes:  # noqa: N802
        return b".version 9.0" + self.compiled[program - 1][0].encode()

    def destroyProgram(self, program: int) -> None:  # noqa: N802
        self.compiled[program - 1].append("destroyed")


class FakeCupy(ModuleType):
    """As much of CuPy as texsamp uses. ``log`` lists kernel calls; contexts entered are kept in ``inside``."""

    class ndarray:  # noqa: N801 - CuPy's name
        def __init__(self, values: Any) -> None:
            self.values = np.array(values)
            self.shape, self.dtype = self.values.shape, self.values.dtype
            self.device = SimpleNamespace(id=0, synchronize=lambda: FakeCupy.current.log.append("other device done"))
            self.data = SimpleNamespace(ptr=self.values.ctypes.data)

        def get(self, stream: Any = None) -> np.ndarray:
            FakeCupy.current.log.append(("get", stream))
            return self.values.copy()

        def copy(self) -> FakeCupy.ndarray:
            return FakeCupy.ndarray(self.values)

        def __dlpack__(self, **_: Any) -> None:
            raise AssertionError("an array of CuPy's own must not go through DLPack")

    current: FakeCupy

    def __init__(self, count: int = 2, failure: Exception | None = None, missing: str = "") -> None:
        super().__init__("cupy")
        FakeCupy.current = self
        self.log: list[Any] = []
        self.inside: list[str] = []
        self.loaded: list[bytes] = []
        self.capability = "90"
        self.outer = self._context("outer", 0)
        self.cuda = SimpleNamespace(
            runtime=SimpleNamespace(
                getDeviceCount=self._device_count, getDeviceProperties=self._properties, CUDARuntimeError=RuntimeError
            ),
            driver=SimpleNamespace(CUDADriverError=RuntimeError),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            nvrtc=FakeNvrtc(missing),
            function=SimpleNamespace(Module=self._module),
            Device=lambda ordinal: self._context(f"device {ordinal}"),
            Stream=lambda non_blocking=False: self._context("stream", 0x100),
            get_current_stream=lambda: self.outer,
        )
        self.broken = ""
        self._count, self._failure = count, failure

    def _device_count(self) -> int:
        if self._failure:
            raise self._failure
        return self._count

    def _properties(self, ordinal: int) -> dict[str, Any]:
        return {"name": f"Fake {ordinal}".encode(), "major": 9, "minor": 0, "totalGlobalMem": 80 << 30}

    def _context(self, name: str, ptr: int = 0) -> Any:
        inside, capability = self.inside, getattr(self, "capability", "")
        pointer = ptr

        class Context:
            ptr = pointer
            compute_capability = capability

            def record(self) -> str:
                FakeCupy.current.log.append(("record", name))
                return f"event of {name}"

            def wait_event(self, event: str) -> None:
                FakeCupy.current.log.append(("wait", name, event))

            def __enter__(self) -> None:
                inside.append(name)

            def __exit__(self, *_: object) -> None:
                inside.remove(name)

            def synchronize(self) -> None:
                FakeCupy.current.log.append(("synchronize", name))

        return Context()

    def _module(self) -> Any:
        def get_function(name: str) -> Any:
            def call(grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...]) -> None:
                if name == self.broken:
                    raise RuntimeError("cudaErrorLaunchFailure")
                self.log.append((name, grid, block, args, tuple(self.inside)))

            return call

        return SimpleNamespace(load=self.loaded.append, get_function=get_function)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> FakeCupy.ndarray:
        if np.prod(shape) > 1 << 30:
            raise OutOfMemoryError("Out of memory allocating")
        self.log.append(("empty", tuple(self.inside)))
        return self.ndarray(np.empty(shape, dtype))

    def asarray(self, array: Any) -> FakeCupy.ndarray:
        assert type(array) is not self.ndarray, "CuPy leaves such an array where it is"
        return self.ndarray(array)

    def from_dlpack(self, array: Any) -> FakeCupy.ndarray:
        if array.__dlpack_device__()[0] == 1:
            raise TypeError("CPU arrays cannot be directly imported to CuPy")
        return self.ndarray(array.array)


@pytest.fixture(autouse=True)
def empty_caches():
    for cache in (nvrtc.load_nvrtc, cuda.cuda_device):
        cache.cache_clear()
    yield
    for cache in (nvrtc.load_nvrtc, cuda.cuda_device):
        cache.cache_clear()


@pytest.fixture(autouse=True)
def no_other_device(monkeypatch):
    monkeypatch.delenv("TEXSAMP_DEVICE")


@pytest.fixture(autouse=True)
def cache_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("TEXSAMP_CACHE_DIR", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


def use(monkeypatch, fake: FakeCupy) -> FakeCupy:
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setitem(sys.modules, "cupy.cuda", fake.cuda)
    return fake


@pytest.fixture
def cupy(monkeypatch) -> FakeCupy:
    return use(monkeypatch, FakeCupy())


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


def test_reason_without_nvrtc(monkeypatch):
    use(monkeypatch, FakeCupy(missing="CuPy failed to load libnvrtc.so.12"))
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", None)
    assert why_no_cuda() == (
        "NVRTC, which compiles the kernels, is not found (pip install 'texsamp[cuda12]' or 'texsamp[cuda13]' brings "
        "it): CuPy failed to load libnvrtc.so.12"
    )
    assert device.get_device("auto").name == "cpu"
    with pytest.raises(DeviceError, match="CUDA cannot be used: NVRTC"):
        CudaDevice()


def test_nvrtc_where_pip_has_put_it(monkeypatch):
    fake = use(monkeypatch, FakeCupy(missing="CuPy failed to load libnvrtc.so.12"))

    def load(name: str) -> None:
        assert name == "nvrtc"
        fake.cuda.nvrtc.missing = ""

    monkeypatch.setitem(sys.modules, "cuda.pathfinder", SimpleNamespace(load_nvidia_dynamic_lib=load))
    assert why_no_cuda() is None


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


def test_a_kernel_file_is_compiled_once(cupy, cache_directory):
    first = CudaDevice(0)
    first.launch(Launch("unpack10", RECORD, 3, 4, ()), Launch("pack10", RECORD, 1, 1, ()))
    first.launch(Launch("unpack10", RECORD, 1, 1, ()))
    ((source, options, end),) = cupy.cuda.nvrtc.compiled
    assert source == kernel_source("packed10")
    assert '#include "' not in source.replace('#include "threaded_tiles.h"', "")
    assert options == compiler_options("sm_90")
    assert "ftz" not in " ".join(options)
    assert end == "destroyed"
    assert cupy.loaded == [b"\x7fELF" + source.encode()]
    CudaDevice(1).launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert len(cupy.loaded) == 2, "loaded into each device"
    assert len(cupy.cuda.nvrtc.compiled) == 1, "the second time it is taken from disk"
    cupy.cuda.nvrtc.version = (13, 6)
    CudaDevice(0).launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert len(cupy.cuda.nvrtc.compiled) == 2, "of another version"
    cupy.capability = "80"
    CudaDevice(0).launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert cupy.cuda.nvrtc.compiled[2][1] == compiler_options("sm_80")
    assert len(list(cache_directory.iterdir())) == 3


def test_a_device_newer_than_nvrtc_gets_ptx(cupy):
    cupy.capability = "120"
    CudaDevice(0).launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert cupy.cuda.nvrtc.compiled[0][1] == compiler_options("compute_90")
    assert cupy.loaded[0].startswith(b".version")
    cupy.capability = "70"
    with pytest.raises(DeviceError, match="NVRTC compiles for compute capability 75 and newer, found 70"):
        CudaDevice(0).launch(Launch("unpack10", RECORD, 1, 1, ()))


def test_a_damaged_file_of_the_cache_is_made_again(cupy, cache_directory):
    CudaDevice(0).launch(Launch("unpack10", RECORD, 1, 1, ()))
    (file,) = cache_directory.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    CudaDevice(0).launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert cupy.loaded[0] == cupy.loaded[1]
    assert len(cupy.cuda.nvrtc.compiled) == 2


def test_a_cache_that_cannot_be_written_only_costs_time(cupy, cache_directory):
    cache_directory.write_text("no folder")
    CudaDevice(0).launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert len(cupy.loaded) == 1


def test_a_source_that_nvrtc_refuses(cupy, monkeypatch):
    monkeypatch.setattr(nvrtc, "kernel_source", lambda name: "nonesuch")
    with pytest.raises(DeviceError, match=r"NVRTC refuses packed10.cu for sm_90: identifier .nonesuch. is undefined"):
        CudaDevice(0).launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert cupy.inside == []


def test_a_launch_passes_its_parameters_by_value(cupy):
    CudaDevice(1).launch(Launch("unpack10", RECORD, 3, 4, ()))
    name, grid, block, args, inside = cupy.log[-1]
    assert (name, grid, block) == ("unpack10", (3, 4, 1), BLOCK)
    assert inside == ("device 1", "stream")
    argument, tiles_y = args
    assert (tiles_y.tobytes(), tiles_y.dtype) == (b"\4\0\0\0", np.int32)
    # What CuPy passes by value, whatever its size: an ndarray of one element. A numpy.void it refuses.
    assert type(argument) is np.ndarray
    assert argument.size == 1
    assert argument.tobytes() == RECORD.tobytes()


@pytest.mark.parametrize(("rows", "y", "z"), [(65535, 65535, 1), (65536, 65535, 2), (1 << 20, 65535, 17)])
def test_rows_beyond_the_grids_limit_follow_along_z(cupy, rows, y, z):
    CudaDevice().launch(Launch("unpack10", RECORD, 3, rows, ()))
    _, grid, _, (_, tiles_y), _ = cupy.log[-1]
    assert (grid, int(tiles_y)) == ((3, y, z), rows)


def test_work_is_in_order_with_the_callers_stream(cupy):
    """The legacy default stream waits for others by itself; other streams of a caller do not."""
    cuda_device = CudaDevice()
    cuda_device.launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert [entry[0] for entry in cupy.log] == ["unpack10"]
    cupy.log.clear()
    cupy.outer.__class__.ptr = 2  # cudaStreamPerThread
    cuda_device.launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert [entry[:3] if entry[0] != "unpack10" else "kernel" for entry in cupy.log] == [
        ("record", "outer"),
        ("wait", "stream", "event of outer"),
        "kernel",
        ("record", "stream"),
        ("wait", "outer", "event of stream"),
    ]


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


def test_arrays_of_another_device_are_copied_to_this_one(cupy):
    cuda_device = CudaDevice(1)
    elsewhere = cupy.asarray(np.arange(3))  # its device is 0
    here = cuda_device.upload(elsewhere)
    assert here is not elsewhere
    assert here.values.tolist() == [0, 1, 2]
    assert cupy.log[-1] == "other device done"


class Foreign:
    """An array of another library; kind 1 is in memory of the host, 2 on device 0."""

    def __init__(self, kind: int) -> None:
        self.array, self.kind = np.arange(4), kind

    def __dlpack__(self, **options):
        assert self.kind == 1
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.kind, 0)


@pytest.mark.parametrize("kind", [1, 2])
def test_arrays_of_other_libraries_are_taken(cupy, kind):
    assert CudaDevice(0).upload(Foreign(kind)).values.tolist() == [0, 1, 2, 3]


def test_synchronize(cupy):
    CudaDevice().synchronize()
    assert cupy.log[-1] == ("synchronize", "stream")


def test_what_fails_on_the_device_is_a_device_error(cupy):
    with pytest.raises(DeviceError, match="cuda:0: Out of memory allocating"):
        CudaDevice().empty((1 << 16, 1 << 16), "u1")
    cupy.broken = "unpack10"
    with pytest.raises(DeviceError, match="cuda:0: cudaErrorLaunchFailure"):
        CudaDevice().launch(Launch("unpack10", RECORD, 1, 1, ()))
    assert cupy.inside == []
