"""CI runs what the README tells people to run, the longest tests first."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import quick
from support.filter_cases import sweep
from support.kept import kept, key_of

import texsamp as ts

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


class Item:
    """What `quick.share` asks of a test."""

    def __init__(self, folder: str, number: int, fixtures: tuple[str, ...] = ()) -> None:
        self.nodeid, self.path, self.fixturenames = f"{folder}::{number}", Path(folder, "test.py"), fixtures

    def get_closest_marker(self, name: str) -> None:
        return None


def test_quick_runs_take_a_fifth_of_every_folder_and_no_compiler():
    items = [Item(folder, n) for folder, count in (("a", 50), ("b", 3)) for n in range(count)]
    chosen = quick.share([*items, *(Item("a", n, ("gcc",)) for n in range(50, 90))])
    assert [sum(name.startswith(folder) for name in chosen) for folder in "ab"] == [10, 1]
    assert chosen <= {item.nodeid for item in items}
    assert chosen == quick.share(reversed(items)), "the names choose, not their order"


@pytest.mark.parametrize(("factor", "cases"), [("1", 10), ("0.25", 2), ("0.001", 1), ("3", 30)])
def test_sweeps_run_longer_and_shorter(monkeypatch, factor, cases):
    monkeypatch.setenv("TEXSAMP_SWEEP", factor)
    assert sweep(10) == cases


def test_what_compilers_make_is_kept(tmp_path):
    made = []

    def make(target: Path) -> None:
        made.append(target)
        target.write_text("made")

    path = tmp_path / "one.o"
    assert [kept(path, make), kept(path, make)] == [True, False]
    assert (len(made), path.read_text()) == (1, "made")
    assert key_of("g++ 12", ("-O1",), "text") != key_of("g++ 12", ("-O0",), "text")


def test_programs_that_tests_start_import_what_is_installed(tmp_path):
    (tmp_path / "texsamp.py").write_text("raise SystemExit('the folder the tests were started in')")
    command = [sys.executable, "-c", "import texsamp; print(texsamp.__version__)"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (0, ts.__version__), ran.stderr


def test_started_processes_keep_what_they_compile():
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
