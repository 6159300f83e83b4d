"""Every tile on real threads under ThreadSanitizer: a phase that reads another's scratch needs a BARRIER() between."""

import shutil

import pytest
from support.filter_cases import sweep

OPTIONS = (
    "-std=c++20",
    "-g1",
    "-O1",
    "-fsanitize=thread",
    "-DTEXSAMP_THREADED_TILES",
    "-Wno-deprecated-enum-enum-conversion",
)
ENVIRONMENT = {"TSAN_OPTIONS": "halt_on_error=1:exitcode=66:report_signal_unsafe=0"}


@pytest.fixture(scope="module")
def objects(gcc, kernel_files):
    return gcc.objects(kernel_files, OPTIONS)


@pytest.mark.sweep
def test_no_barrier_is_missing_and_results_are_the_packages(gcc, objects, run_pictures, tmp_path):
    library = gcc.library(tmp_path, objects, OPTIONS)
    ran = run_pictures(library, "libtsan.so", "device", ENVIRONMENT, limit=sweep(5))
    assert ran.returncode == 0, f"{ran.stdout[-300:]}\n{ran.stderr[:6000]}"
    assert "different: []" in ran.stdout


@pytest.mark.parametrize(
    ("header", "module", "pattern"),
    [
        ("prefilter.h", "prefilter", "^scale-gray"),
        ("scale_linear.h", "scale", "^scale-gray"),
        ("sharpen.h", "sharpen", "^sharpen-gray"),
        ("color.h", "color", "^color-50"),
        ("deinterlace_luma.h", "deinterlace", "^fields-gray"),
        ("denoise.h", "denoise", "^denoise-gray"),
        ("film.h", "film", "^film-uyvy422"),
    ],
)
def test_a_missing_barrier_is_found(gcc, kernel_files, objects, run_pictures, tmp_path, header, module, pattern):
    """The check can fail: without the barrier after a tile has been loaded, ThreadSanitizer names a data race."""
    copy = tmp_path / "kernels"
    shutil.copytree(kernel_files[0].parent, copy)
    before, barrier, after = (copy / header).read_text().partition("BARRIER();")
    assert barrier
    (copy / header).write_text(before + after)
    broken = gcc.objects([copy / f"{module}.cu"], OPTIONS)
    library = gcc.library(tmp_path, {**objects, **broken}, OPTIONS)
    ran = run_pictures(library, "libtsan.so", "device", ENVIRONMENT, pattern)
    assert ran.returncode == 66, f"{ran.stdout[-300:]}\n{ran.stderr[:3000]}"
    assert "WARNING: ThreadSanitizer: data race" in ran.stderr
