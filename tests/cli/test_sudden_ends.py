"""Runs that end at random moments: killed, told to end, out of space, or with nobody left to read their pipe."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from support.clips import read_clip
from support.sync import write_part

MOMENTS = 5
"""Per kind of end; all have been run with 20."""

FRAMES = 40
_start = multiprocessing.get_context("forkserver")
_start.set_forkserver_preload(["texsamp.cli.main", "texsamp_script"])


def _run(folder: Path, arguments: tuple[str, ...], largest_B: int, stdout: str, begins: Any) -> None:
    """The command in a process that has imported it already; files may have ``largest_B`` bytes."""
    os.chdir(folder)
    for descriptor, name in ((1, stdout), (2, "/dev/null")):
        os.dup2(os.open(name, os.O_WRONLY), descriptor)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_B, largest_B))
    sys.argv = ["texsamp", *arguments]
    from texsamp_script import main

    begins.set()
    main()


class Folder:
    """A folder with a clip, in which runs come and go."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        write_part(path / "in.mkv", [0.4], FRAMES, FRAMES / 25, video="libx264", audio="aac", size=(160, 90))
        assert self.end(self.begin()) == 0  # which also makes all ready for the next ones
        run, began = self.begin(), time.monotonic()
        assert self.end(run) == 0
        self.seconds = time.monotonic() - began
        self.size_B = (path / "out.mkv").stat().st_size

    def begin(self, largest_B: int = resource.RLIM_INFINITY, out: str = "out.mkv", stdout: str = "/dev/null") -> Any:
        arguments = ("process", "in.mkv", out, "--vf", "scale=320x180,sharpen", "-y")
        begins = _start.Event()
        process = _start.Process(target=_run, args=(self.path, arguments, largest_B, stdout, begins))
        process.start()
        self.begins = begins  # until the process has taken it over
        if stdout == "/dev/null":
            assert begins.wait(20)
        return process

    def end(self, process: Any) -> int:
        process.join(20)
        assert process.exitcode is not None, "the run hangs"
        return process.exitcode

    def check(self, *others: str) -> None:
        """The output is not there or complete, and so is its sound; nothing else is there."""
        assert self.names() - {"out.mkv"} == {"in.mkv", *others}
        if "out.mkv" in self.names():
            assert len(read_clip(self.path / "out.mkv")) == FRAMES
            with av.open(self.path / "out.mkv") as container:
                assert sum(p.size > 0 for p in container.demux(audio=0)) == 76

    def names(self) -> set[str]:
        return {file.name for file in self.path.iterdir()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("sudden") / "runs")


@pytest.fixture
def moments(request: pytest.FixtureRequest) -> np.ndarray:
    return np.random.default_rng(len(request.node.name)).uniform(0, 1.1, MOMENTS)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_leave_nothing_at_any_moment(folder: Folder, moments: np.ndarray, number: int, status: int) -> None:
    for moment in moments:
        (folder.path / "out.mkv").unlink(missing_ok=True)
        run = folder.begin()
        time.sleep(moment * folder.seconds)
        with suppress(ProcessLookupError):
            os.kill(run.pid, number)
        began = time.monotonic()
        assert folder.end(run) in (0, status, -number)  # ended before, during, or not even begun
        assert time.monotonic() - began < 3
        folder.check()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_while_a_run_is_ending_change_nothing(number: int) -> None:
    program = f"""
import os, sys
from texsamp.cli import ending
from texsamp.cli.main import main
ending._clean_up = lambda: bool(os.kill(os.getpid(), {number:d}))
sys.argv = ["texsamp", "--no-such-option"]
main()
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False, text=True)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr


def test_killed_runs_leave_nothing_after_the_next_one(folder: Folder, moments: np.ndarray) -> None:
    for moment in moments:
        (folder.path / "out.mkv").unlink(missing_ok=True)
        run = folder.begin()
        time.sleep(moment * folder.seconds)
        run.kill()
        assert folder.end(run) in (0, -signal.SIGKILL)
        left = folder.names() - {"in.mkv", "out.mkv"}
        assert all(name.startswith(".out.texsamp-") for name in left)
        if not left:
            folder.check()
    assert folder.end(folder.begin()) == 0
    folder.check()


def test_a_full_disk_leaves_nothing(folder: Folder, moments: np.ndarray) -> None:
    """A limit on the size of files fails as a full disk does."""
    for moment in moments / 1.1:
        (folder.path / "out.mkv").unlink(missing_ok=True)
        assert folder.end(folder.begin(largest_B=int(moment * folder.size_B))) == 1
        assert folder.names() == {"in.mkv"}


def test_a_reader_that_leaves_a_pipe_ends_the_run(folder: Folder, moments: np.ndarray) -> None:
    os.mkfifo(folder.path / "pipe")
    frame_B = 320 * 180 * 3 // 2
    for moment in moments / 1.1:
        run = folder.begin(out="-", stdout="pipe")
        with (folder.path / "pipe").open("rb") as pipe:
            pipe.read(int(moment * FRAMES * frame_B * 0.9))
        assert folder.end(run) == 1
    os.unlink(folder.path / "pipe")
    folder.check()
