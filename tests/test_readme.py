"""The README's examples run as they are written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.clips import random_pictures, write_clip

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def code_block(language: str, heading: str) -> str:
    section = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL).group(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("readme")
    pictures = random_pictures(12, (160, 90), seed=8)
    write_clip(path / "in.mkv", pictures, rate=8)
    write_clip(path / "before.mkv", pictures[:3])
    write_clip(path / "after.mkv", random_pictures(3, (160, 90), seed=9))
    script = path / "bin" / "texsamp"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from texsamp_script import main; main()" "$@"\n')
    script.chmod(0o755)
    return path


@pytest.mark.parametrize("line", code_block("sh", "From the shell").splitlines())
def test_shell_examples(folder, line):
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    run = subprocess.run(
        ["/bin/sh", "-c", line], cwd=folder, env=environment, capture_output=True, timeout=120, check=False
    )
    assert run.returncode == (1 if "--exact" in line else 0), run.stderr
    assert run.stdout


def test_python_example(folder):
    code = code_block("python", "From Python") + "\nprint(luma.shape)\n"
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == b"(720, 1280)\n"
    assert (folder / "out.mp4").stat().st_size > 0


def test_linked_pages_exist():
    links = re.findall(r"\]\(([\w./-]+)\)", README)
    assert links
    assert [link for link in links if not (Path(__file__).parents[1] / link).exists()] == []
