"""What every test shares: which come first, and that GPU tests skip without a GPU and say why, or fail if required."""

import os

import pytest

from texsamp.device.cuda import why_no_cuda

COMPILING = ("kernels", "packaging")
"""Folders of the tests that take longest: a process that starts with them does not end with one of them alone."""

# A hundred tests start the command: its modules are compiled once for all of them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.parent.name not in COMPILING)
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = why_no_cuda() if marked else None
    if reason is not None and os.environ.get("TEXSAMP_REQUIRE_GPU") != "1":
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=f"no GPU: {reason}"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu"):
        reason = why_no_cuda()
        assert reason is None, f"TEXSAMP_REQUIRE_GPU=1, but {reason}"
