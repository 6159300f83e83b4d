"""What every test shares: which come first, which a quick run takes, and on what the GPU tests run."""

import gc
import os
import signal
from collections.abc import Generator
from functools import cache

import hypothesis
import pytest
from support import quick

from texsamp.device.cuda import why_no_cuda

LONGEST = ("kernels", "packaging", "gpu")
"""Folders of the tests that take longest: a process that starts with them does not end with one of them alone."""

# A hundred tests start the command: its modules are compiled once for all of them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@cache
def why_no_gpu() -> str | None:
    """Asked before the stand-in takes its place."""
    return why_no_cuda()


# No test asserts a time.
hypothesis.settings.register_profile("texsamp", deadline=None)
hypothesis.settings.load_profile("texsamp")

# A GPU is for the tests that ask for one: the others compare what they get with numpy.
os.environ["TEXSAMP_DEVICE"] = "cpu"

# A shell that starts the tests in the background has them ignore Ctrl-C, and with them the programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Programs that tests start import the texsamp that is installed, wherever the tests are run from.
os.environ["PYTHONSAFEPATH"] = "1"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="a fifth of the tests of every folder, without compilers")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """25,000 tests are no garbage: looking for it among them takes seconds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("quick"):
        os.environ[quick.VARIABLE] = "1"
        chosen = quick.share(items)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
        items[:] = [item for item in items if item.nodeid in chosen]
    items.sort(key=lambda item: item.path.parent.name not in LONGEST)


def pytest_runtest_setup(item: pytest.Item) -> None:
    reason = why_no_gpu()
    if item.get_closest_marker("gpu") and os.environ.get("TEXSAMP_REQUIRE_GPU") == "1":
        assert reason is None, f"TEXSAMP_REQUIRE_GPU=1, but {reason}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if why_no_gpu() is not None:
        terminalreporter.write_line(f"no GPU: its tests ran on the stand-in, which executes PTX ({why_no_gpu()})")
