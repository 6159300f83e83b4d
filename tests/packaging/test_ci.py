"""CI runs what the README tells people to run, the longest tests first."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_ci_runs_the_readmes_test_command():
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (command,) = [line for block in blocks for line in block.splitlines() if "[dev]" in line and "pytest" in line]
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_ci_is_executable():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_longest_files_come_first(request):
    long = [item.path.parent.name in ("kernels", "packaging", "gpu") for item in request.session.items]
    assert long == sorted(long, reverse=True)
    assert request.config.getoption("loadscopereorder", default=False) is False


def test_started_processes_keep_what_they_compile():
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
