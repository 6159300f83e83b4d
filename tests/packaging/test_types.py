"""The package is typed: type checkers accept a user's program against it, and the program runs."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import texsamp as ts
from texsamp.io import pattern_clip

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "tests" / "typed" / "user.py"
WRONG = "import texsamp\n\nwidth: str = texsamp.Scale(8, 8).width_px\ntexsamp.sample(1, texsamp.Sampler(), 0.5)\n"


def checked(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """From a folder where the only texsamp is the installed one."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_the_package_says_that_it_is_typed():
    assert files("texsamp").joinpath("py.typed").is_file()


def test_strict_mypy_accepts_a_users_program_and_finds_faults(tmp_path):
    pytest.importorskip("mypy")
    shutil.copy(PROGRAM, tmp_path)
    (tmp_path / "wrong.py").write_text(WRONG)
    cache = ROOT / "build" / "mypy"  # what it finds out about the package takes it long
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}")
    found = checked(tmp_path, *mypy, "user.py", "wrong.py")
    assert "user.py" not in found.stdout, found.stdout + found.stderr
    assert found.stdout.count("wrong.py") == 2, found.stdout + found.stderr


def test_strict_pyright_accepts_a_users_program_and_finds_faults(tmp_path):
    pytest.importorskip("pyright")
    pyright = (sys.executable, "-m", "pyright")
    if checked(tmp_path, *pyright, "--version").returncode:
        pytest.skip("pyright is installed, but has no Node.js to run on")
    (tmp_path / "user.py").write_text("# pyright: strict\n" + PROGRAM.read_text())
    (tmp_path / "wrong.py").write_text(WRONG)
    found = checked(tmp_path, *pyright, "--pythonpath", sys.executable, "user.py", "wrong.py")
    assert "user.py:" not in found.stdout, found.stdout + found.stderr
    assert "2 errors" in found.stdout, found.stdout + found.stderr


def test_the_program_runs(tmp_path, capsys):
    with ts.VideoWriter(tmp_path / "in.mkv") as writer:
        for frame in pattern_clip(96, 64, frames=5):
            writer.write(frame)
    module = importlib.util.spec_from_file_location("user", PROGRAM)
    program = importlib.util.module_from_spec(module)
    module.loader.exec_module(program)
    program.main(str(tmp_path))
    assert capsys.readouterr().out == "10 (5, 4)\n"
