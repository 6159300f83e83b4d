"""The CPU twin under AddressSanitizer and UndefinedBehaviorSanitizer, on arrays without slack."""

import shutil
import subprocess

import pytest
from support.filter_cases import sweep
from support.thirds import third_of

from texsamp.device.levels import supported_levels
from texsamp.device.sources import kernel_modules

OPTIONS = (
    "-g1",
    "-O0",  # a third of the time that -O1 takes to compile
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
)
ENVIRONMENT = {
    # Python leaves memory behind on purpose; its allocator would hand out parts of larger blocks
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "PYTHONMALLOC": "malloc",
}
TILES = {
    "host": ("-std=c++17", "-march=x86-64-v2", "-fsanitize=address,undefined,float-cast-overflow"),
    # The expressions are the host's: what differs is where tiles end. A third of the modules at a time.
    "device": ("-std=c++17", "-DTEXSAMP_THREADED_TILES", "-fsanitize=address"),
}


PICTURES = {"host": 30, "device": 5}
"""Of each family; threads take their time."""


@pytest.mark.sweep
@pytest.mark.parametrize("tiles", TILES)
def test_pictures_are_clean_and_equal(gcc, kernel_files, run_pictures, tmp_path, tiles):
    options = (*TILES[tiles], *OPTIONS)
    modules = third_of(kernel_modules()) if tiles == "device" else kernel_modules()
    files = [path for path in kernel_files if path.stem in modules]
    wide = third_of(modules) if tiles == "host" and "v3" in supported_levels() else []  # of AVX's vectors
    objects = gcc.objects([path for path in files if path.stem not in wide], options)
    objects |= gcc.objects([path for path in files if path.stem in wide], (*options, "-march=x86-64-v3"))
    library = gcc.library(tmp_path, objects, options)
    ran = run_pictures(library, "libasan.so", tiles, ENVIRONMENT, limit=sweep(PICTURES[tiles]))
    assert ran.returncode == 0, f"{ran.stdout[-300:]}\n{ran.stderr[:6000]}"
    assert "different: []" in ran.stdout
    assert len(files) < len(kernel_files) or "left out: 0," in ran.stdout


BUGS = {
    "a read past the last row's end": (
        "packed10.h",
        "FOR_EACH(x, p.width) packed[x] =",
        "FOR_EACH(x, p.width + 1) packed[x] =",
        "heap-buffer-overflow",
        "pack-",
    ),
    "a shift that is too far": (
        "packed10.h",
        "(packed[x] >> shift) & mask",
        "(packed[x] >> (shift + 32)) & mask",
        "shift exponent",
        "pack-",
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_found(gcc, kernel_files, run_pictures, tmp_path, bug):
    header, right, wrong, message, pattern = BUGS[bug]
    copy = tmp_path / "kernels"
    shutil.copytree(kernel_files[0].parent, copy)
    text = (copy / header).read_text()
    assert text.count(right) == 1
    (copy / header).write_text(text.replace(right, wrong))
    options = (*TILES["host"], *OPTIONS)
    library = gcc.library(tmp_path, gcc.objects([copy / "packed10.cu"], options), options)
    ran = run_pictures(library, "libasan.so", "host", ENVIRONMENT, pattern)
    assert ran.returncode != 0
    assert message in ran.stderr


FAR_APART = """
#include "color.h"
int main() {
    ColorParams p{};
    for (int c = 0; c < 4; ++c) p.planes[c].dst = (decltype(p.planes[c].dst))(0x10000000ull * (8 * c + 1));
    return word_places<u16>(p).whole;
}
"""


def test_planes_may_lie_anywhere(gcc, kernel_files, tmp_path):
    """A large plane comes from the system, a small one from the heap: 8 times what is between them is no s32."""
    (tmp_path / "far.cpp").write_text(FAR_APART)
    where = f"-I{kernel_files[0].parent}"
    gcc("-std=c++17", "-fsanitize=undefined", *OPTIONS, where, tmp_path / "far.cpp", "-o", tmp_path / "far")
    ran = subprocess.run([tmp_path / "far"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
