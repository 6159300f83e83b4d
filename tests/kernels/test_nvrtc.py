"""Every kernel compiles for CUDA, without a GPU: PTX and CUBIN for four generations, no warning, no contraction."""

from __future__ import annotations

import re
from functools import cache

import pytest
from cuda.bindings import nvrtc

from texsamp.device.cuda import BLOCK, NVRTC_OPTIONS
from texsamp.device.sources import kernel_modules, kernel_source, kernels_by_name

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100")
STATIC_SHARED_MEMORY_B = 48 << 10
"""What a block may have without asking the driver for more."""


class CompileError(Exception):
    """NVRTC refused a source; the text is its log."""


def _check(result: nvrtc.nvrtcResult) -> None:
    assert result == nvrtc.nvrtcResult.NVRTC_SUCCESS, nvrtc.nvrtcGetErrorString(result)


def _text(program: nvrtc.nvrtcProgram, size_of, get) -> bytes:
    result, size = size_of(program)
    _check(result)
    text = b" " * size
    _check(get(program, text)[0])
    return text


@cache
def compiled(source: str, name: str, architecture: str) -> tuple[str, bytes, str]:
    """PTX, CUBIN and log."""
    result, program = nvrtc.nvrtcCreateProgram(source.encode(), f"{name}.cu".encode(), 0, [], [])
    _check(result)
    options = [option.encode() for option in (*NVRTC_OPTIONS, f"--gpu-architecture={architecture}")]
    (result,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = _text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog).decode().strip("\0 \n")
    if result != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompileError(log)
    ptx = _text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX).decode()
    return ptx, _text(program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN), log


def entries(ptx: str) -> dict[str, str]:
    """PTX of each kernel by name."""
    found = [entry.partition("(") for entry in ptx.split(".visible .entry ")[1:]]
    return {name: body for name, _, body in found}


@pytest.fixture(scope="module")
def oldest_ptx() -> dict[str, str]:
    made: dict[str, str] = {}
    for module in kernel_modules():
        made |= entries(compiled(kernel_source(module), module, ARCHITECTURES[0])[0])
    return made


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("module", kernel_modules())
def test_compiles_without_a_word(module, architecture):
    ptx, cubin, log = compiled(kernel_source(module), module, architecture)
    assert log == ""
    assert f".target {architecture}" in ptx
    assert cubin.startswith(b"\x7fELF")
    assert set(entries(ptx)) == {name for name, where in kernels_by_name().items() if where == module}


def test_a_broken_source_is_refused():
    with pytest.raises(CompileError, match="nonesuch"):
        compiled(kernel_source("packed10") + "\nFN int broken() { return nonesuch; }\n", "broken", "sm_80")


def test_a_warning_is_seen():
    source = kernel_source("packed10") + '\nextern "C" __global__ void warned(int* out) { int a; *out = a; }\n'
    assert "used before its value is set" in compiled(source, "warned", "sm_80")[2]


def test_there_are_kernels(oldest_ptx):
    assert set(oldest_ptx) == set(kernels_by_name())
    assert len(oldest_ptx) > 10


def test_products_and_sums_are_fused_only_where_a_kernel_asks():
    plain = 'extern "C" __global__ void plain(float* x) { x[2] = x[0] * x[1] + x[2]; }\n'
    asking = 'extern "C" __global__ void asking(float* x) { x[2] = multiply_add_exact(x[0], x[1], x[2]); }\n'
    ptx = entries(compiled(kernel_source("packed10") + plain + asking, "fused", "sm_80")[0])
    assert "fma" not in ptx["plain"]
    assert "fma.rn.f32" in ptx["asking"]


def test_only_kernels_of_the_scaler_ask(oldest_ptx):
    """multiply_add_exact is for sums of integers in floats; anything else must round twice as the CPU does."""
    fused = {name for name, ptx in oldest_ptx.items() if re.search(r"\bfma\.", ptx)}
    assert fused == {"scale_u8", "scale_u16", "adaptive_u8"}


def test_no_double_precision_and_no_approximations(oldest_ptx):
    for name, ptx in oldest_ptx.items():
        assert not re.search(r"\.f64|\.approx|\.ftz", ptx), name


def test_shared_memory_fits(oldest_ptx):
    for name, ptx in oldest_ptx.items():
        sizes = [int(bits) // 8 * int(count) for bits, count in re.findall(r"\.shared .*?\.b(\d+) \S+\[(\d+)\];", ptx)]
        assert ".shared" not in ptx or sizes, f"{name}: its declarations are written in another way"
        assert sum(sizes) <= STATIC_SHARED_MEMORY_B, f"{name}: {sum(sizes)} B"


def test_blocks_keep_the_launch_bound(oldest_ptx):
    for name, ptx in oldest_ptx.items():
        bound = re.search(r"\.maxntid (\d+)(?:, 1, 1)?\s", ptx)
        assert bound is not None, name
        assert BLOCK[0] * BLOCK[1] <= int(bound.group(1)), name
