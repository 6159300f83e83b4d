"""The slab pool: every row once, whatever the number of threads, and no thread left behind however a launch ends."""

import _thread
import threading
import time
from functools import partial

import numpy as np
import pytest

from texsamp import DeviceError, set_threads
from texsamp.device import threads
from texsamp.device.threads import run_slabs, thread_count


@pytest.fixture(autouse=True)
def default_threads(monkeypatch):
    monkeypatch.delenv("TEXSAMP_THREADS", raising=False)
    yield
    set_threads(None)


def rows_seen(*row_counts: int) -> list[list[int]]:
    seen: list[list[int]] = [[] for _ in row_counts]
    run_slabs([(lambda a, b, job=job: seen[job].extend(range(a, b)), rows) for job, rows in enumerate(row_counts)])
    return seen


@pytest.mark.parametrize("count", [1, 2, 3, 7, 256])
@pytest.mark.parametrize("row_counts", [(), (0,), (1,), (5, 0, 1), (1000, 3)])
def test_every_row_is_done_once(count, row_counts):
    set_threads(count)
    assert [sorted(rows) for rows in rows_seen(*row_counts)] == [list(range(rows)) for rows in row_counts]


def test_work_is_shared_between_threads():
    set_threads(3)
    together = threading.Barrier(3)
    run_slabs([(lambda _a, _b: together.wait(timeout=30), 3)])  # passes only if three threads are inside at once


def test_a_thread_begins_with_the_same_part_of_every_plane():
    set_threads(2)
    both = threading.Barrier(2)
    first: dict[int, list[tuple[str, int]]] = {}

    def run(plane: str, begin: int, _end: int) -> None:
        mine = first.setdefault(threading.get_ident(), [])
        mine.append((plane, begin))
        if len(mine) <= 2:
            both.wait(timeout=30)  # neither is done with its part before the other has begun, and helps it

    run_slabs([(partial(run, "luma"), 80), (partial(run, "chroma"), 40)])
    upper, lower = (
        first[threading.get_ident()],
        next(seen for who, seen in first.items() if who != threading.get_ident()),
    )
    assert upper[:2] == [("luma", 0), ("chroma", 0)]
    assert lower[:2] == [("luma", 40), ("chroma", 20)]


def test_one_thread_means_the_callers():
    set_threads(1)
    names = []
    run_slabs([(lambda _a, _b: names.append(threading.get_ident()), 50)])
    assert names == [threading.get_ident()]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_an_exception_reaches_the_caller_after_all_threads_are_done(count):
    set_threads(count)
    inside = []

    def run(begin: int, _end: int) -> None:
        inside.append(begin)
        try:
            time.sleep(0.01)
            if begin == 0:
                raise ValueError("slab 0")
        finally:
            inside.remove(begin)

    with pytest.raises(ValueError, match="slab 0"):
        run_slabs([(run, 16)])
    assert inside == []
    assert sorted(rows_seen(9)[0]) == list(range(9)), "the pool still works"


def test_an_exception_in_a_helper_reaches_the_caller():
    set_threads(2)
    caller = threading.get_ident()
    both = threading.Barrier(2)

    def run(_begin: int, _end: int) -> None:
        both.wait(timeout=30)
        if threading.get_ident() != caller:
            raise ValueError("in a helper")

    with pytest.raises(ValueError, match="in a helper"):
        run_slabs([(run, 2)])


def test_ctrl_c_waits_for_the_threads_that_use_the_callers_memory():
    set_threads(2)
    caller = threading.get_ident()
    both = threading.Barrier(2)
    inside = []

    def run(_begin: int, _end: int) -> None:
        inside.append(1)
        both.wait(timeout=30)
        try:
            if threading.get_ident() == caller:
                _thread.interrupt_main()
            else:
                time.sleep(0.05)
        finally:
            inside.pop()

    with pytest.raises(KeyboardInterrupt):
        run_slabs([(run, 2)])
        time.sleep(1)  # the interrupt is due here at the latest
    assert inside == []


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


def test_work_submitted_before_the_pool_is_shut_down_still_runs():
    set_threads(2)
    both = threading.Barrier(2)

    def run(begin: int, _end: int) -> None:
        both.wait(timeout=30)
        if begin == 0:
            set_threads(3)

    run_slabs([(run, 2)])
    assert thread_count() == 3


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
