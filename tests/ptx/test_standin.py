"""The stand-in for CuPy: a device that executes kernels, refuses what CuPy refuses, and logs what it is asked."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pictures import CASES
from support.pretended_cuda import pretended_cuda
from support.ptx import Fault

from texsamp import get_device
from texsamp.device.cuda import why_no_cuda
from texsamp.video.color.curves import device_curves
from texsamp.video.color.vertices import device_vertices


@pytest.fixture
def cupy():
    with pretended_cuda() as module:
        yield module


def test_it_is_there_only_while_it_is_wanted():
    before = sys.modules.get("cupy")
    with pretended_cuda() as module:
        assert why_no_cuda() is None
        assert sys.modules["cupy"] is module
        assert get_device("cuda").describe().startswith("stand-in (compute 7.5")
    assert sys.modules.get("cupy") is before
    with pretended_cuda() as again:
        assert again is not module


def test_tables_of_one_device_are_not_taken_for_those_of_the_next():
    for _ in range(2):
        with pretended_cuda() as module:
            device = get_device("cuda")
            for table in (device_vertices(device, "bt709"), device_curves(device)):
                assert isinstance(table, module.ndarray)


@pytest.mark.parametrize("name", ["scale-gray-37x23-61x40-lanczos3", "sharpen-gray"])
def test_kernels_compute_what_the_cpu_computes(cupy, name):
    case = next(case for case in CASES if case.name.startswith(name))
    for on_device, on_cpu in zip(case.run(get_device("cuda")), case.run(get_device("cpu")), strict=True):
        assert on_device.tobytes() == on_cpu.tobytes()
    kinds = [entry.what for entry in cupy.standin.log]
    assert kinds.count("launch") == len([entry for entry in cupy.standin.log if entry.what == "launch"]) > 0
    assert {"upload", "download"} <= set(kinds)


def test_arrays_never_become_host_arrays_unasked(cupy):
    array = cupy.asarray(np.arange(6).reshape(2, 3))
    with pytest.raises(TypeError, match="Implicit conversion to a NumPy array is not allowed"):
        np.asarray(array)
    with pytest.raises(TypeError, match="Unsupported type"):
        array + np.arange(3)
    assert ((array + 1).get() == np.arange(1, 7).reshape(2, 3)).all()
    assert array[1, 1:].get().tolist() == [4, 5]
    assert int(array.sum()) == 15


def test_memory_that_nothing_has_written_is_not_read(cupy):
    array = cupy.empty((4, 4), np.uint8)
    with pytest.raises(Fault, match="not all of it was written"):
        array.get()
    array[:2] = 3
    assert array[:2].get().tolist() == [[3] * 4] * 2
    with pytest.raises(Fault, match="not all of it was written"):
        array + 1


def test_memory_is_free_again(cupy):
    memory = cupy.standin.devices[0].memory
    before = memory.used_B
    array = cupy.empty(1000, np.uint8)
    part = array[10:]
    assert memory.used_B == before + 1000
    del array
    assert memory.used_B == before + 1000
    del part
    assert memory.used_B == before
    with pytest.raises(cupy.cuda.memory.OutOfMemoryError, match="Out of memory allocating"):
        cupy.empty(1 << 40, np.uint8)


def test_threads_share_a_device(cupy):
    waiting = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            made = list(threads.map(lambda fill: cupy.zeros(16, np.uint8) + fill, range(200)))
    finally:
        sys.setswitchinterval(waiting)
    assert len({each.data.ptr for each in made}) == 200
    assert [int(each[15]) for each in made] == list(range(200))


def test_memory_is_shared_by_dlpack(cupy):
    array = cupy.asarray(np.arange(12, dtype=np.int16).reshape(3, 4))
    taken = cupy.from_dlpack(array[:, 1:])
    assert (taken.shape, taken.dtype, taken.data.ptr) == ((3, 3), np.int16, array.data.ptr + 2)
    taken[0, 0] = 99
    assert array.get()[0, 1] == 99
    del array
    assert taken.get()[2].tolist() == [9, 10, 11]
    with pytest.raises(TypeError, match="CPU arrays cannot be directly imported"):
        cupy.from_dlpack(np.arange(3))


def test_devices_have_memories_of_their_own(cupy):
    with cupy.cuda.Device(1):
        there = cupy.asarray(np.arange(3))
        assert there.device.id == 1
    here = cupy.asarray(there)
    assert (here.device.id, here.get().tolist()) == (0, [0, 1, 2])
    with pytest.raises(cupy.cuda.runtime.CUDARuntimeError, match="invalid device ordinal"), cupy.cuda.Device(2):
        pass


def test_grids_beyond_the_limits_are_refused(cupy):
    module = cupy.RawModule(code='extern "C" __global__ void none(const __grid_constant__ int a) {}')
    none = module.get_function("none")
    argument = (np.array(1, np.int32),)
    none((70000, 1), (32, 8), argument)
    for grid, block in (((1, 65536), (32, 8)), ((0, 1), (32, 8)), ((1, 1), (64, 32))):
        with pytest.raises(cupy.cuda.driver.CUDADriverError, match="CUDA_ERROR_INVALID_VALUE"):
            none(grid, block, argument)
    with pytest.raises(cupy.cuda.driver.CUDADriverError, match="NOT_FOUND"):
        module.get_function("nonesuch")
    broken = cupy.RawModule(code="nonesuch")
    with pytest.raises(cupy.cuda.compiler.CompileException, match="nonesuch"):
        broken.get_function("none")


def test_nvrtc_compiles_and_binaries_load(cupy):
    nvrtc = cupy.cuda.nvrtc
    source = 'extern "C" __global__ void store(const __grid_constant__ long long p) { *(int*)p = 7; }'
    program = nvrtc.createProgram(source, "store.cu", [], [])
    nvrtc.compileProgram(program, ["--gpu-architecture=sm_75"])
    module = cupy.cuda.function.Module()
    module.load(nvrtc.getCUBIN(program))
    out = cupy.empty(1, np.int32)
    module.get_function("store")((1, 1), (1, 1), (np.array(out.data.ptr),))
    assert out.get().tolist() == [7]
    broken = nvrtc.createProgram("nonesuch", "broken.cu", [], [])
    with pytest.raises(nvrtc.NVRTCError):
        nvrtc.compileProgram(broken, [])
    assert "nonesuch" in nvrtc.getProgramLog(broken)
