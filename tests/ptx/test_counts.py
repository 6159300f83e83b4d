"""What a launch costs is counted: bytes, sectors, bank conflicts, idle threads; and what the model makes of it."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest
from support.nvrtc import compiled
from support.ptx import Counted, Memory, Module

from benchmarks.gpu_model import ARCHITECTURES, CARDS, modeled_s, occupancy, resources

SOURCE = """
struct Arguments { int* x; int step; };
#define T ((int)(threadIdx.y * 32 + threadIdx.x))
#define KERNEL(name) extern "C" __global__ void name(const __grid_constant__ Arguments a)
KERNEL(loads) { if (a.x[T * a.step] == -1) a.x[0] = 1; }
KERNEL(stores) { a.x[T * a.step] = 1; }
KERNEL(shared) {
    __shared__ int s[32 * 256];
    s[(T & 31) * a.step] = 1;
    __syncthreads();
    a.x[T] = s[(T & 31) * a.step];
}
KERNEL(halves) {
    float v = T;
    if (threadIdx.x < a.step)
        for (int k = 0; k < 300; ++k) v = v * 0.5f + k;
    a.x[T] = (int)v;
}
"""


@pytest.fixture(scope="module")
def ptx() -> str:
    made = compiled(SOURCE, "counts.cu", ("--std=c++17", "--gpu-architecture=sm_75"))
    assert not made.error, made.log
    return made.ptx


def count(ptx: str, kernel: str, step: int, block: tuple[int, int] = (32, 8)) -> Counted:
    memory = Memory()
    module = Module(ptx, memory)
    words = memory.allocate(4 * 256 * 32)
    words.known[:] = 1
    counted = module.kernel(kernel).count((1, 1, 1), block, struct.pack("<Qi", words.address, step) + bytes(4))
    assert words.touched is None
    return counted


def test_sectors_of_global_memory(ptx):
    for kernel, place in (("loads", 0), ("stores", 1)):
        for step, sectors in ((1, 8 * 4), (2, 8 * 8), (8, 256), (0, 8)):
            counted = count(ptx, kernel, step)
            assert counted.sectors == sectors, step
            assert counted.least_sectors == (8 * 4 if step else 8)
            assert counted.first_sectors == (sectors if step else 1)
            assert (counted.read_B, counted.written_B)[place] == (1024 if step else 4)
            assert (counted.read_B, counted.written_B)[1 - place] == 0


def test_passes_of_shared_memory(ptx):
    for step, passes in ((1, 1), (2, 2), (32, 32), (33, 1)):
        counted = count(ptx, "shared", step, (32, 1))
        assert (counted.passes, counted.least_passes, counted.sectors) == (2 * passes, 2, 4)


def test_threads_that_stand_idle(ptx):
    whole, half = count(ptx, "halves", 32), count(ptx, "halves", 16)
    assert whole.threads == 32 * whole.warps
    assert 0.49 < half.threads / (32 * half.warps) < 0.52
    assert abs(half.warps - whole.warps) <= 16


def test_occupancy():
    turing, ampere = ARCHITECTURES["sm_75"], ARCHITECTURES["sm_80"]
    assert occupancy(32, 0, turing) == occupancy(64, 16 << 10, turing) == 1
    assert occupancy(65, 0, turing) == 0.75  # 72 registers: 3 blocks of 256
    assert occupancy(32, 40 << 10, turing) == 0.25
    assert occupancy(32, 40 << 10, ampere) == 4 * 256 / 2048
    assert occupancy(128, 0, ampere) == 0.25


def test_the_longest_of_memory_and_issue():
    card = replace(CARDS["h100"], bytes_per_s=1e9, multiprocessors=2, hertz=1e6)
    counted = Counted(
        "k", 1, 600, 400, warps=8000, threads=0, sectors=0, least_sectors=0, first_sectors=0, passes=10, least_passes=10
    )
    assert modeled_s(counted, card) == pytest.approx(8000 / 4 / 2 / 1e6)
    assert modeled_s(replace(counted, passes=6000), card) == pytest.approx(6000 / 2 / 1e6)
    assert modeled_s(replace(counted, read_B=10**8), card) == pytest.approx((10**8 + 400) / 1e9)


def test_registers_and_shared_memory_come_from_the_binary():
    found = resources("sharpen", "sm_75")
    assert {"sharpen_u8", "sharpen_u16"} <= set(found)
    assert all(16 <= registers <= 255 and 0 < shared_B <= 48 << 10 for registers, shared_B in found.values())
    assert np.unique([shared_B for _, shared_B in found.values()]).size > 1
