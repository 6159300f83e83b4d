"""TEXSAMP_REQUIRE_GPU makes GPU tests fail where they would run on the stand-in."""

import os
import subprocess
import sys

import pytest

from texsamp.device.cuda import why_no_cuda


@pytest.fixture(scope="module")
def a_device():
    """None: the tests run in processes of their own."""


@pytest.mark.slow
@pytest.mark.skipif(why_no_cuda() is None, reason="there is a GPU here")
@pytest.mark.parametrize(
    ("required", "status", "word"), [("0", 0, "its tests ran on the stand-in"), ("1", 1, "TEXSAMP_REQUIRE_GPU=1, but")]
)
def test_gpu_tests_run_on_the_stand_in_or_fail(request, required, status, word):
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-m",
            "gpu",
            "-p",
            "no:cacheprovider",
            "-k",
            "moves_between",
            "tests/gpu/test_parity.py",
        ],
        cwd=request.config.rootpath,
        env={**os.environ, "TEXSAMP_REQUIRE_GPU": required},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == status, ran.stdout
    assert word in ran.stdout
