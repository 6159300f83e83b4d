"""A batch on real worker processes: what fails fails alone, and whatever is killed, running again finishes."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from support.clips import random_pictures, write_clip
from support.shell import COMMAND

from texsamp import hash_frames
from texsamp.batch import Job, batch
from texsamp.errors import MediaError
from texsamp.io.frame_hashes import read_hashes
from texsamp.segments.cut import SHORTEST

psutil = pytest.importorskip("psutil")
pytest.importorskip("distributed")

FILTERS = "scale=320x180,sharpen"
COUNT = 2


@pytest.fixture
def jobs(tmp_path):
    (tmp_path / "in").mkdir()
    for number in range(COUNT):
        write_clip(tmp_path / "in" / f"{number}.mkv", random_pictures(40, (160, 90), seed=number), rate=25)
    return [
        Job(str(tmp_path / "in" / f"{n}.mkv"), str(tmp_path / "out" / f"{n}.mkv"), FILTERS, "cpu", hashes=True)
        for n in range(COUNT)
    ]


def assert_complete(jobs: list[Job]) -> None:
    """Every result has the pictures that one run makes, and nothing else is there."""
    for job in jobs:
        expected = [found.digest for found in hash_frames(job.source, FILTERS, "cpu")]
        assert read_hashes(job.hash_list) == expected
        assert os.path.getsize(job.target)
    there = {path.name for path in Path(jobs[0].target).parent.iterdir() if path.suffix != ".jsonl"}
    assert there == {name for n in range(len(jobs)) for name in (f"{n}.mkv", f"{n}.mkv.hashes.txt")}


def workers_of(parent):
    return [child for child in parent.children(recursive=True) if "spawn_main" in " ".join(child.cmdline())]


def test_a_result_of_others_is_said_to_be_there(jobs, tmp_path):
    (tmp_path / "out").mkdir()
    Path(jobs[0].target).write_bytes(b"of others")
    (outcome,) = batch(jobs[:1], tmp_path / "out").outcomes
    assert outcome.error is not None
    assert outcome.error.startswith(f"{jobs[0].target}: exists already")


def test_a_bad_file_and_a_full_disk_fail_alone_and_running_again_does_the_rest(jobs, tmp_path):
    good = Path(jobs[1].source).read_bytes()
    Path(jobs[1].source).write_bytes(b"no video")
    result = batch(jobs, tmp_path / "out", workers=1)
    assert [outcome.error is None for outcome in result.outcomes] == [True, False]
    assert "1.mkv: cannot be opened" in result.failed[0].error
    Path(jobs[1].source).write_bytes(good)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))  # of this process and its workers: the disk is full
    try:
        result = batch(jobs, tmp_path / "out", workers=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [outcome.skipped for outcome in result.outcomes] == [True, False]
    assert "1.mkv" in result.failed[0].error
    assert not (tmp_path / "out" / "1.mkv").exists()
    result = batch(jobs, tmp_path / "out", workers=1)
    assert [outcome.skipped for outcome in result.outcomes] == [True, False]
    assert not result.failed
    assert_complete(jobs)


def test_a_killed_worker_costs_nothing_but_time(jobs, tmp_path):
    """Jobs of one run, and one in segments, which workers share."""
    write_clip(tmp_path / "in" / "2.mkv", random_pictures(2 * SHORTEST, (48, 32), seed=2), rate=25)
    ends = {"source": str(tmp_path / "in" / "2.mkv"), "target": str(tmp_path / "out" / "2.mkv")}
    jobs.insert(0, replace(jobs[0], **ends, segments=2))
    killed = []
    lock = threading.Lock()

    def kill_one(_):
        with lock:
            if not killed:
                killed.extend(workers_of(psutil.Process())[:1])
                killed[0].kill()

    result = batch(jobs, tmp_path / "out", workers=2, progress=kill_one)
    assert killed
    assert not result.failed
    assert "filtered in 2 segments" in result.outcomes[0].notes[-1]
    assert_complete(jobs)


def test_a_killed_scheduler_is_named_and_running_again_finishes(jobs, tmp_path):
    file = tmp_path / "scheduler.json"
    common = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    scheduler = subprocess.Popen(
        [*common, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    started = [scheduler]
    try:
        while not file.exists():
            assert scheduler.poll() is None
            time.sleep(0.05)
        common = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--no-dashboard"]
        started.append(
            subprocess.Popen([*common, "--nthreads", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        )
        address = json.loads(file.read_text())["address"]
        with pytest.raises(MediaError, match="scheduler was lost, run again to continue"):
            batch(jobs, tmp_path / "out", scheduler=address, progress=lambda _: scheduler.kill())
    finally:
        for process in reversed(started):
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            process.wait()
    assert not batch(jobs, tmp_path / "out", workers=1).failed
    assert_complete(jobs)


def test_the_command_goes_on_after_everything_was_killed(jobs, tmp_path):
    command = [*COMMAND, "batch", "in", "--out-dir", "out", "--vf", FILTERS, "--workers", "1", "--device", "cpu"]
    run = subprocess.Popen(
        [*command, "--manifest", "--json"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert json.loads(run.stdout.readline())["error"] is None  # the first is done, the second at work
    left = workers_of(psutil.Process(run.pid))
    os.kill(run.pid, signal.SIGKILL)
    for child in left:
        child.kill()
    run.wait()
    again = subprocess.run(
        [*command, "--manifest", "--json"], cwd=tmp_path, capture_output=True, timeout=120, check=False
    )
    outcomes = [json.loads(line) for line in again.stdout.splitlines()]
    assert again.returncode == 0, again.stderr
    assert sum(outcome["skipped"] for outcome in outcomes) >= 1
    assert len(outcomes) == COUNT
    assert_complete(jobs)


def test_the_command_sums_up(tmp_path):
    write_clip(tmp_path / "good.mkv", random_pictures(3, (64, 36), seed=1), rate=25)
    (tmp_path / "bad.mkv").write_bytes(b"no video")
    command = [*COMMAND, "batch", "bad.mkv", "good.mkv", "--out-dir", "out", "--name", "{number}-{stem}.mp4"]
    run = subprocess.run(
        [*command, "--workers", "1"], cwd=tmp_path, capture_output=True, timeout=120, check=False, text=True
    )
    assert run.returncode == 1
    rows = [line.split() for line in run.stdout.splitlines()[1:]]
    assert [(row[0], Path(row[1]).name) for row in rows] == [("failed", "1-bad.mp4"), ("done", "2-good.mp4")]
    assert "bad.mkv: cannot be opened" in run.stderr


@pytest.mark.parametrize("whole_group", [False, True], ids=["alone", "with its workers, as from a terminal"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_batch_leaves_nothing_and_no_worker(jobs, tmp_path, number, status, whole_group):
    """In the middle of a picture, too: pictures that take long, of jobs that have begun to write."""
    slow = ",".join(["scale=3000x2000,scale=160x90"] * 8)
    command = [*COMMAND, "batch", "in", "--out-dir", "out", "--vf", slow, "--workers", "2", "--device", "cpu", "--json"]
    run = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    out, due = tmp_path / "out", time.monotonic() + 60
    while not list(out.glob(".*.texsamp-*")):
        assert run.poll() is None
        assert time.monotonic() < due
        time.sleep(0.05)
    left = psutil.Process(run.pid).children(recursive=True)
    assert left
    (os.killpg if whole_group else os.kill)(run.pid, number)
    said = [line for line in run.communicate(timeout=20)[1].decode().splitlines() if "dashboard: " not in line]
    assert run.returncode == status
    assert said == (["texsamp: interrupted"] if status == 130 else [])
    _, living = psutil.wait_procs(left, timeout=5)
    assert not living
    assert {path.name for path in out.iterdir()} == {"texsamp-batch.jsonl"}


def test_the_next_batch_removes_what_a_killed_one_has_left(jobs, tmp_path):
    """Where all is done already, too."""
    assert not batch(jobs, tmp_path / "out", workers=1).failed
    (tmp_path / "out" / ".0.texsamp-1-0.mkv").write_bytes(b"half a video")
    assert all(outcome.skipped for outcome in batch(jobs, tmp_path / "out", workers=1).outcomes)
    assert_complete(jobs)


def test_semaphores_of_an_interrupted_batch_go_without_a_word():
    program = """
import multiprocessing, os
from texsamp.batch.local import _start_tracker
_start_tracker()
lock = multiprocessing.get_context("spawn").Lock()
print(lock._semlock.name, os.environ.get("PYTHONWARNINGS"), flush=True)
os._exit(0)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=True, text=True)
    name, warnings = run.stdout.split()
    assert (warnings, run.stderr) == (str(os.environ.get("PYTHONWARNINGS")), "")
    assert not Path(f"/dev/shm/sem.{name.lstrip('/')}").exists()
