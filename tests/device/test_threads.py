"""Queues of launches: every row once, in order, whatever the number of threads, and no thread left in a launch."""

import _thread
import ctypes
import gc
import os
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from texsamp import DeviceError, set_threads
from texsamp.device import threads
from texsamp.device.threads import KERNEL_ARGUMENTS, Job, LaunchQueue, thread_count

_KERNEL = ctypes.CFUNCTYPE(None, *KERNEL_ARGUMENTS)


@pytest.fixture(autouse=True)
def default_threads(monkeypatch):
    monkeypatch.delenv("TEXSAMP_THREADS", raising=False)
    yield
    set_threads(None)


def job(run: Callable[[int, int], object], rows: int) -> Job:
    """A kernel in Python."""
    kernel = _KERNEL(lambda _params, _tiles_x, begin, end: void(run(begin, end)))
    return Job(kernel, ctypes.cast(kernel, ctypes.c_void_p).value or 0, b"", 1, rows)


def void(_: object) -> None:
    """What a kernel returns."""


def launched(*jobs: Job) -> None:
    queue = LaunchQueue()
    queue.begin(jobs, jobs)
    queue.wait()


def rows_seen(*row_counts: int) -> list[list[int]]:
    seen: list[list[int]] = [[] for _ in row_counts]
    launched(*[job(lambda a, b, n=n: seen[n].extend(range(a, b)), rows) for n, rows in enumerate(row_counts)])
    return seen


@pytest.mark.parametrize("count", [1, 2, 3, 7, 256])
@pytest.mark.parametrize("row_counts", [(), (0,), (1,), (5, 0, 1), (1000, 3)])
def test_every_row_is_done_once(count, row_counts):
    set_threads(count)
    assert [sorted(rows) for rows in rows_seen(*row_counts)] == [list(range(rows)) for rows in row_counts]


def test_work_is_shared_between_threads():
    set_threads(3)
    together = threading.Barrier(3)
    launched(job(lambda _a, _b: together.wait(timeout=30), 3))  # passes only if three threads are inside at once
    assert not together.broken


def test_a_thread_begins_with_the_same_part_of_every_plane():
    set_threads(2)
    both = threading.Barrier(2)
    first: dict[int, list[tuple[str, int]]] = {}

    def run(plane: str, begin: int, _end: int) -> None:
        mine = first.setdefault(threading.get_ident(), [])
        mine.append((plane, begin))
        if len(mine) <= 2:
            both.wait(timeout=30)  # neither is done with its part before the other has begun, and helps it

    launched(job(partial(run, "luma"), 80), job(partial(run, "chroma"), 40))
    upper, lower = (
        first[threading.get_ident()],
        next(seen for who, seen in first.items() if who != threading.get_ident()),
    )
    assert upper[:2] == [("luma", 0), ("chroma", 0)]
    assert lower[:2] == [("luma", 40), ("chroma", 20)]


def test_one_thread_means_the_callers():
    set_threads(1)
    names: list[int] = []
    launched(job(lambda _a, _b: names.append(threading.get_ident()), 50))
    assert names == [threading.get_ident()]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_launches_of_a_queue_run_one_after_the_other(count):
    set_threads(count)
    done: list[int] = []
    before: list[list[int]] = []

    def run(launch: int, begin: int, end: int) -> None:
        before.append([launch, *done])
        time.sleep(0.001)
        done.extend([launch] * (end - begin))

    queue = LaunchQueue()
    for launch in range(4):
        jobs = [job(partial(run, launch), 3), job(partial(run, launch), 2)]
        queue.begin(jobs, jobs)
    queue.wait()
    assert len(done) == 20
    for launch, *others in before:
        assert [others.count(each) for each in range(launch)] == [5] * launch
        assert not [each for each in others if each > launch]


def test_helpers_work_while_the_caller_does_not_wait():
    set_threads(2)
    done = threading.Event()
    queue = LaunchQueue()
    work = job(lambda _a, _b: done.set(), 1)
    queue.begin([work], work)
    assert done.wait(30)
    queue.wait()


def test_what_a_queue_keeps_lives_until_it_is_done():
    set_threads(2)
    go = threading.Event()
    queue = LaunchQueue()
    kept = threading.Event()  # anything that can be watched
    watched = weakref.ref(kept)
    work = job(lambda _a, _b: go.wait(30), 2)
    queue.begin([work], (work, kept))
    del kept
    gc.collect()
    assert watched() is not None
    go.set()
    queue.wait()
    assert watched() is None


def test_a_queue_that_is_dropped_is_done_first():
    set_threads(2)
    seen: list[int] = []

    def run(begin: int, end: int) -> None:
        time.sleep(0.01)
        seen.extend(range(begin, end))

    work = job(run, 9)
    queue = LaunchQueue()
    queue.begin([work], work)
    del queue
    assert sorted(seen) == list(range(9))


def test_ctrl_c_waits_for_the_threads_that_use_the_callers_memory():
    set_threads(2)
    caller = threading.get_ident()
    both = threading.Barrier(2)
    inside = []

    def run(_begin: int, _end: int) -> None:
        inside.append(1)
        both.wait(timeout=30)
        if threading.get_ident() != caller:
            time.sleep(0.05)  # the caller waits by now
            _thread.interrupt_main()
            time.sleep(0.05)
        inside.pop()

    work = job(run, 2)
    queue = LaunchQueue()
    with pytest.raises(KeyboardInterrupt):
        queue.begin([work], work)
        queue.wait()
        time.sleep(1)  # the interrupt is due here at the latest
    assert inside == []
    queue.wait()


def test_set_threads_while_others_launch():
    stop = threading.Event()
    failures: list[BaseException] = []

    def launch() -> None:
        try:
            while not stop.is_set():
                assert sorted(rows_seen(40)[0]) == list(range(40))
        except BaseException as error:
            failures.append(error)

    launchers = [threading.Thread(target=launch) for _ in range(3)]
    for launcher in launchers:
        launcher.start()
    for turn in range(300):
        set_threads(1 + turn % 4)
    stop.set()
    for launcher in launchers:
        launcher.join(30)
    assert failures == []
    assert not any(launcher.is_alive() for launcher in launchers)


def test_a_queue_goes_on_with_other_threads():
    queue = LaunchQueue()
    seen: list[int] = []
    work = job(lambda a, b: seen.extend(range(a, b)), 5)
    for turn in range(6):
        set_threads(1 + turn % 3)
        queue.begin([work], work)
    queue.wait()
    assert sorted(seen) == sorted(6 * list(range(5)))


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no list of threads here")
def test_threads_end_with_the_queues_that_use_them():
    def running() -> set[str]:
        return set(os.listdir("/proc/self/task"))

    before = running()  # threads of other tests may end meanwhile
    set_threads(40)
    rows_seen(9)
    begun = running() - before
    assert len(begun) == 39
    set_threads(1)
    rows_seen(9)
    gc.collect()
    assert not running() & begun


def test_the_default_is_the_processors_of_this_process(monkeypatch):
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _pid: set(range(5)), raising=False)
    assert thread_count() == 5
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _pid: set(range(999)), raising=False)
    assert thread_count() == threads.MAX_THREADS


def test_the_environment_names_a_count(monkeypatch):
    monkeypatch.setenv("TEXSAMP_THREADS", "3")
    assert thread_count() == 3
    set_threads(2)
    assert thread_count() == 2, "set_threads goes before the environment"
    set_threads(None)
    assert thread_count() == 3


@pytest.mark.parametrize("text", ["0", "-1", "257", "two", "1.5", " 2", "²", "99999999999999999999"])
def test_a_bad_count_in_the_environment(monkeypatch, text):
    monkeypatch.setenv("TEXSAMP_THREADS", text)
    with pytest.raises(DeviceError, match="TEXSAMP_THREADS must be an integer from 1 to 256, found"):
        thread_count()


@pytest.mark.parametrize("count", [0, -1, 257])
def test_a_bad_count(count):
    with pytest.raises(DeviceError, match=f"from 1 to 256, found {count}"):
        set_threads(count)


@pytest.mark.parametrize("count", [0, 257, -1, 1.5, 2.0, "2", True, float("nan")], ids=repr)
def test_a_bad_count_is_refused_and_changes_nothing(count):
    set_threads(3)
    with pytest.raises(DeviceError, match=f"threads must be an integer from 1 to 256, found {count!r}"):
        set_threads(count)
    assert thread_count() == 3
    assert sorted(rows_seen(9)[0]) == list(range(9))


def test_integers_of_numpy_count():
    set_threads(np.int64(2))
    assert sorted(rows_seen(9)[0]) == list(range(9))
    assert type(thread_count()) is int
