"""Every tile on real threads under ThreadSanitizer: a phase that reads another's scratch needs a BARRIER() between."""

import shutil

import pytest
from support.filter_cases import sweep

OPTIONS = (
    "-std=c++17",
    "-g1",
    "-O1",
    "-fsanitize=thread",
    "-DTEXSAMP_THREADED_TILES",
)
GOING_ON = {"TSAN_OPTIONS": "halt_on_error=0:report_signal_unsafe=0"}
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


MISSING = {
    "prefilter.h": ("prefilter", "scale-gray"),
    "scale_linear.h": ("scale", "scale-gray"),
    "sharpen.h": ("sharpen", "sharpen-gray"),
    "color.h": ("color", "color-50"),
    "deinterlace_luma.h": ("deinterlace", "fields-gray"),
    "denoise.h": ("denoise", "denoise-gray"),
    "film.h": ("film", "film-uyvy422"),
}
"""Headers whose first barrier is taken away, modules that are compiled with them, and pictures that show it."""


@pytest.fixture(scope="module")
def races(gcc, kernel_files, objects, run_pictures, tmp_path_factory):
    """What ThreadSanitizer says of a library without these barriers."""
    folder = tmp_path_factory.mktemp("races")
    shutil.copytree(kernel_files[0].parent, folder / "kernels")
    for header in MISSING:
        path = folder / "kernels" / header
        before, barrier, after = path.read_text().partition("BARRIER();")
        assert barrier
        path.write_text(before + after)
    broken = gcc.objects([folder / "kernels" / f"{module}.cu" for module, _ in MISSING.values()], OPTIONS)
    library = gcc.library(folder, {**objects, **broken}, OPTIONS)
    pattern = "|".join(f"^{pictures}" for _, pictures in MISSING.values())
    return run_pictures(library, "libtsan.so", "device", GOING_ON, pattern, limit=8).stderr


@pytest.mark.sweep
@pytest.mark.parametrize("header", MISSING)
def test_a_missing_barrier_is_found(races, header):
    """The check can fail: without the barrier after a tile has been loaded, ThreadSanitizer names a data race."""
    reports = races.split("WARNING: ThreadSanitizer: data race")[1:]
    assert any(f"/{header}:" in report for report in reports), races[:3000]
