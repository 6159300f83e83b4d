"""Every kernel compiles for CUDA, without a GPU: PTX and CUBIN, no warning, no contraction."""

from __future__ import annotations

import re
import struct

import pytest
from support import nvrtc
from support.filter_cases import sweep

from texsamp.device.cuda import BLOCK
from texsamp.device.nvrtc import compiler_options
from texsamp.device.sources import kernel_modules, kernel_source, kernels_by_name

OLDEST, *NEWER = ("sm_75", "sm_80", "sm_90", "sm_100")


def architectures(place: int) -> list[str]:
    """The oldest, where everything else is looked at too, and of every third module a newer one in turn.

    The long sweep takes all of every module.
    """
    if sweep(1) > 1:
        return [OLDEST, *NEWER]
    return [OLDEST] if place % len(NEWER) else [OLDEST, NEWER[place // len(NEWER) % len(NEWER)]]


COMPILED = [(module, each) for place, module in enumerate(kernel_modules()) for each in architectures(place)]
STATIC_SHARED_MEMORY_B = 48 << 10
"""What a block may have without asking the driver for more."""
LOCAL_MEMORY_B = 352
"""The most that a thread's own arrays take (those of astc_errors), less than the parameters of sampling and color."""
OWN_ARRAYS_B = {"clip_cut": 1664, "setup_objects": 768}
"""Of polygons of up to 18 corners, and of an object with its planes, shape and corners: of few threads."""


def compiled(source: str, name: str, architecture: str) -> tuple[str, bytes, str]:
    """PTX, CUBIN and log, with the options that texsamp uses: the GPU tests execute this PTX."""
    made = nvrtc.compiled(source, f"{name}.cu", compiler_options(architecture))
    if made.error:
        raise nvrtc.CompileError(made.log)
    return made.ptx, made.cubin, made.log


def entries(ptx: str) -> dict[str, str]:
    """PTX of each kernel by name."""
    found = [entry.partition("(") for entry in ptx.split(".visible .entry ")[1:]]
    return {name: body for name, _, body in found}


def shared_memory(cubin: bytes) -> dict[str, int]:
    """Bytes of static shared memory of each kernel with what it calls: the ELF sections .nv.shared.NAME."""
    (start,) = struct.unpack_from("<Q", cubin, 40)
    step, count, of_names = struct.unpack_from("<HHH", cubin, 58)
    sections = [struct.unpack_from("<IIQQQQ", cubin, start + step * i) for i in range(count)]
    names = cubin[sections[of_names][4] :]
    sizes = {names[section[0] :].split(b"\0", 1)[0].decode(): section[5] for section in sections}
    return {name.removeprefix(".nv.shared."): size for name, size in sizes.items() if name.startswith(".nv.shared.")}


@pytest.fixture(scope="module")
def oldest() -> dict[str, tuple[str, bytes]]:
    """PTX and CUBIN of every module."""
    return {module: compiled(kernel_source(module), module, OLDEST)[:2] for module in kernel_modules()}


@pytest.fixture(scope="module")
def oldest_ptx(oldest) -> dict[str, str]:
    return {name: text for ptx, _ in oldest.values() for name, text in entries(ptx).items()}


@pytest.mark.sweep
@pytest.mark.parametrize(("module", "architecture"), COMPILED)
def test_compiles_without_a_word(module, architecture):
    ptx, cubin, log = compiled(kernel_source(module), module, architecture)
    assert log == ""
    assert f".target {architecture}" in ptx
    assert cubin.startswith(b"\x7fELF")
    assert set(entries(ptx)) == {name for name, where in kernels_by_name().items() if where == module}


def test_an_empty_log_leaves_the_bytes_of_python_alone():
    assert compiled('extern "C" __global__ void f() {}', "empty", "sm_80")[2] == ""
    assert [bytes([n])[0] for n in range(256)] == list(range(256))


def test_a_broken_source_is_refused():
    with pytest.raises(nvrtc.CompileError, match="nonesuch"):
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


def test_only_kernels_of_the_scaler_ask(oldest, oldest_ptx):
    """multiply_add_exact is for sums of integers in floats; anything else must round twice as the CPU does."""
    fused = re.compile(r"\bfma\.")
    assert {module for module, (ptx, _) in oldest.items() if fused.search(ptx)} == {"scale"}
    assert {name for name, ptx in oldest_ptx.items() if fused.search(ptx)} == {"scale_u8", "scale_u16", "adaptive_u8"}


def test_only_programs_and_objects_take_double_precision_and_nothing_is_approximated(oldest):
    """And objects of draws, of which there are few, and whose numbers are told to the last bit."""
    for module, (ptx, _) in oldest.items():
        assert not re.search(r"\.approx|\.ftz", ptx), module
        assert module in ("eu", "setup") or ".f64" not in ptx, module


def larger_of_both_signs(ptx: str) -> bool:
    """Whether max(v, -v) goes on to a third number, of which ptxas 13.0 to 13.5 makes a VIMNMX3 that takes v twice."""
    negated = set(re.findall(r"neg\.s32\s+(%r\d+), (%r\d+);", ptx))
    larger = re.findall(r"(?:max|min)\.s32\s+(%r\d+), (%r\d+), (%r\d+);", ptx)
    magnitudes = {to for to, a, b in larger if (a, b) in negated or (b, a) in negated}
    return any(not magnitudes.isdisjoint(sources) for _, *sources in larger)


def kernel_with_magnitude(name: str, is_positive: str) -> str:
    body = f"int a = x[1], c = {is_positive} ? a : -a; x[0] = c > x[2] ? c : x[2];"
    return f'extern "C" __global__ void {name}(int* x) {{ {body} }}\n'


def test_magnitudes_are_no_maximum_of_a_number_and_its_negative(oldest):
    wrong, right = kernel_with_magnitude("wrong", "a > -a"), kernel_with_magnitude("right", "a > 0")
    ptx = entries(compiled(wrong + right, "magnitudes", OLDEST)[0])
    assert larger_of_both_signs(ptx["wrong"])
    assert not larger_of_both_signs(ptx["right"])
    functions = {
        module: re.split(r"^\.(?:visible|weak|func)", ptx, flags=re.MULTILINE) for module, (ptx, _) in oldest.items()
    }
    assert [module for module, each in functions.items() if any(map(larger_of_both_signs, each))] == []


def test_shared_memory_fits(oldest):
    sizes_B = [(name, size_B) for _, cubin in oldest.values() for name, size_B in shared_memory(cubin).items()]
    assert len(sizes_B) > 10
    for name, size_B in sizes_B:
        assert size_B <= STATIC_SHARED_MEMORY_B, f"{name}: {size_B} B"


def test_shared_memory_of_called_functions_counts():
    called = """
        FN_APART float called(float x) {
            SHARED float s[256];
            s[threadIdx.x] = x;
            BARRIER();
            return s[255 - threadIdx.x];
        }"""
    calling = 'extern "C" __global__ void calling(float* x) { x[threadIdx.x] = called(x[threadIdx.x]); }\n'
    source = kernel_source("packed10") + called + calling
    assert shared_memory(compiled(source, "calling", OLDEST)[1])["calling"] == 1024


def test_kernels_keep_their_parameters_where_they_are(oldest_ptx):
    """A function called apart must not make every thread copy the parameters: that is what __grid_constant__ is for."""
    for name, ptx in oldest_ptx.items():
        depots = [int(size) for size in re.findall(r"\.local .*__local_depot\d+\[(\d+)\]", ptx)]
        assert sum(depots) <= OWN_ARRAYS_B.get(name, LOCAL_MEMORY_B), f"{name}: {sum(depots)} B"


def test_blocks_keep_the_launch_bound(oldest_ptx):
    for name, ptx in oldest_ptx.items():
        bound = re.search(r"\.maxntid (\d+)(?:, 1, 1)?\s", ptx)
        assert bound is not None, name
        assert BLOCK[0] * BLOCK[1] <= int(bound.group(1)), name
