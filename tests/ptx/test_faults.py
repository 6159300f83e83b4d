"""The executor finds planted errors, and says which kernel, line, thread and address; their right twins run."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from support.nvrtc import compiled
from support.ptx import Fault, Memory, Module

ARGUMENTS = """
struct Arguments { int* x; int n; int index; };
#define T ((int)(threadIdx.y * 32 + threadIdx.x))
#define KERNEL(name) extern "C" __global__ void name(const __grid_constant__ Arguments a)
static __device__ const int TABLE[] = {3, 1, 4, 1, 5, 9, 2, 6};
"""
KERNELS = {
    # name: (body; with RIGHT the right twin; index of the wrong launch and of the right one; what is said of the fault)
    "past_the_end": (
        "a.x[T + a.index] = T;",
        1,
        0,
        r"thread \(31, 7\) .* 4 bytes outside .* 0 B after the end of ours",
    ),
    "before_the_start": ("a.x[T + a.index] = T;", -1, 0, r"thread \(0, 0\) .* 4 bytes outside any live allocation"),
    "read_outside": ("a.x[0] = a.x[T * a.index];", 2, 0, r"ld\.global.* thread \(0, 4\) .* outside any live"),
    "misaligned": (
        "((int4*)(a.x + a.index))[0] = make_int4(1, 2, 3, 4);",
        1,
        4,
        "16 bytes at an address that is no mult",
    ),
    "misaligned_load": (
        "int4 v = *(const int4*)(a.x + a.index); a.x[64 + T % 64] = v.x + v.y + v.z + v.w;",
        3,
        4,
        "16 bytes at an address that is no multiple",
    ),
    "unknown_global": (
        "a.x[T] = a.x[256 + T + a.index] + 1;",
        0,
        -256,
        r"nothing has written at 0x.*, byte 1024 of ours",
    ),
    "unknown_shared": (
        "__shared__ int s[256]; if (T >= a.index) s[T] = T; __syncthreads(); a.x[T] = s[255 - T];",
        7,
        0,
        r"thread \(25, 7\) .* nothing has written at shared memory, .*s\+24",
    ),
    "unknown_local": (
        "int l[16]; for (int k = a.index; k < 16; ++k) l[k] = a.n; a.x[T] = l[T & 15];",
        3,
        0,
        r"thread \(0, 0\) .* nothing has written at local memory, unknown_local.*\+0",
    ),
    "outside_shared": (
        "__shared__ int s[256], t[256]; s[T] = t[T] = T; __syncthreads();a.x[T] = s[T + a.index] + t[T];",
        256,
        0,
        "4 bytes outside .* shared memory",
    ),
    "outside_local": (
        "int l[16]; for (int k = 0; k < 16; ++k) l[k] = a.n + k; a.x[T] = l[a.index];",
        17,
        7,
        r"4 bytes outside any live allocation at local memory",
    ),
    "outside_parameters": ("a.x[T] = ((const int*)&a)[a.index];", 4, 2, "byte 16 of 16 B of parameters"),
    "race_before": (
        "__shared__ int s[256]; s[T] = T; if (!a.index) __syncthreads(); a.x[T] = s[T ^ 1];",
        1,
        0,
        r"a race: thread \(1, 0\) accessed the same memory since the last barrier",
    ),
    "race_after": (
        "__shared__ int s[256]; s[T] = T; __syncthreads(); int v = s[T ^ 1];"
        "if (!a.index) __syncthreads(); s[T] = v; __syncthreads(); a.x[T] = s[T];",
        1,
        0,
        "st.shared.* a race: ",
    ),
    "race_of_writers": (
        "__shared__ int s[256]; s[T >> a.index] = 7; __syncthreads(); a.x[T] = s[T >> a.index];",
        1,
        0,
        r"thread \(1, 0\) .* a race: thread \(0, 0\)",
    ),
    "race_of_atomics": (
        "__shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads(); atomicAdd(s + (T & 7), 1);"
        "if (a.index && T == 9) s[1] = 0; __syncthreads(); a.x[T] = s[T & 7];",
        1,
        0,
        "a race: an atomic operation accessed",
    ),
    "divergent_barrier": (
        "__shared__ int s[256]; s[T] = T;"
        "if (T < a.index) { __syncthreads(); a.x[T] = s[T + 1]; } else { __syncthreads(); a.x[T] = T; }",
        9,
        0,
        r"a barrier in divergent code: thread \(9, 0\) waits at another",
    ),
    "barrier_of_some": (
        "__shared__ int s[256]; s[T] = T; if (T < a.index) return; __syncthreads(); a.x[T] = s[T ^ 3];",
        33,
        0,
        r"thread \(1, 1\) .* a barrier in divergent code: thread \(0, 1\) has ended",
    ),
    "constant": (
        "int* t = a.index ? const_cast<int*>(TABLE) : a.x; t[T & 7] = TABLE[(T + 1) & 7];",
        1,
        0,
        "a write to memory that can only be read at .* of the table TABLE",
    ),
    "division": ("a.x[T] = a.n / (T - a.index);", 40, -1, r"thread \(8, 1\) of block \(0, 0, 0\): a division by zero"),
}


@pytest.fixture(scope="module")
def ptx() -> str:
    source = ARGUMENTS + "\n".join(f"KERNEL({name}) {{ {body} }}" for name, (body, *_) in KERNELS.items())
    made = compiled(source, "faults.cu", ("--std=c++17", "--gpu-architecture=sm_75"))
    assert not made.error, made.log
    return made.ptx


def launch(ptx: str, name: str, index: int, *, size: int = 512, params: bytes | None = None) -> np.ndarray:
    memory = Memory()
    module = Module(ptx, memory)
    ours = memory.allocate(4 * size, "ours")
    ours.data.view(np.int32)[:256] = np.arange(256)
    ours.known[:1024] = 1
    if params is None:
        params = struct.pack("<Qii", ours.address, 256, index)
    module.kernel(name).launch((1, 1, 1), (32, 8), params)
    return ours.data.view(np.int32)[:256]


@pytest.mark.parametrize("name", KERNELS)
def test_a_planted_error_is_found(ptx, name):
    _, wrong, right, said = KERNELS[name]
    size = 256 if "past" in name or "read" in name else 512
    with pytest.raises(Fault, match=rf"^{name}, line \d+ \(.*\), thread \(\d+, \d+\) of block \(0, 0, 0\): ") as caught:
        launch(ptx, name, wrong, size=size)
    assert caught.match(said)
    launch(ptx, name, right, size=size)


def test_results_of_right_kernels(ptx):
    t = np.arange(256)
    assert (launch(ptx, "race_before", 0) == t ^ 1).all()
    assert (launch(ptx, "unknown_shared", 0) == 255 - t).all()
    assert (launch(ptx, "race_of_atomics", 0) == 32).all()
    assert (launch(ptx, "division", -1) == 256 // (t + 1)).all()
    assert (launch(ptx, "outside_parameters", 2) == 256).all()


def test_memory_that_was_freed_is_outside(ptx):
    memory = Memory()
    module = Module(ptx, memory)
    freed = memory.allocate(1024)
    memory.free(freed)
    memory.allocate(1024)
    with pytest.raises(Fault, match="outside any live allocation"):
        module.kernel("past_the_end").launch((1, 1, 1), (32, 8), struct.pack("<Qii", freed.address, 256, 0))


def test_parameters_of_another_size_are_refused(ptx):
    with pytest.raises(Fault, match="takes 16 B of parameters, found 12 B"):
        launch(ptx, "division", 0, params=bytes(12))


def test_an_unknown_instruction_is_named(ptx):
    exponential = ptx.replace("div.s32", "ex2.approx.f32")
    assert exponential != ptx
    with pytest.raises(NotImplementedError, match=r"the PTX instruction ex2\.approx\.f32"):
        launch(exponential, "division", -1)
    predicated = ptx.replace("\tdiv.s32", "@%p9 div.s32")
    with pytest.raises(NotImplementedError, match=r"a predicate of div\.s32"):
        launch(predicated, "division", -1)
