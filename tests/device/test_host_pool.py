"""Host memory is used again, but never while anything still looks at it."""

import gc
import itertools
import threading

import numpy as np
import pytest

from texsamp.device import get_device, host_pool
from texsamp.device.host_pool import HostPool

LARGE = (300, 400)


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.fixture
def pool() -> HostPool:
    return HostPool()


@pytest.mark.parametrize("dtype", ["u1", "<u2", "<u4", "f4"])
@pytest.mark.parametrize("shape", [(0, 5), (1,), (7, 9), (255, 257), LARGE, (3, 200, 300)])
def test_arrays_are_what_was_asked_for(pool, shape, dtype):
    array = pool.empty(shape, dtype)
    assert array.shape == shape
    assert array.dtype == np.dtype(dtype)
    assert array.flags.c_contiguous
    assert array.flags.writeable
    if array.nbytes >= 1 << 16:
        assert address(array) % 64 == 0


def test_memory_is_used_again(pool):
    first = pool.empty(LARGE, "u1")
    where = address(first)
    del first
    assert address(pool.empty(LARGE, "u1")) == where


def test_memory_is_used_again_for_another_shape_of_about_the_size(pool):
    first = pool.empty((300, 400), "u1")
    where = address(first)
    del first
    assert address(pool.empty((59999,), "<u2")) == where


@pytest.mark.parametrize(
    "look",
    [
        lambda array: array[10:, ::2],
        lambda array: array.T.reshape(-1)[3:] if array.T.flags.c_contiguous else array.ravel()[3:],
        lambda array: array.view("i1"),
        memoryview,
        np.from_dlpack,
        lambda array: np.frombuffer(array, "u1"),
    ],
)
def test_a_view_keeps_the_memory(pool, look):
    array = pool.empty(LARGE, "u1")
    array[...] = 1
    view = look(array)
    del array
    others = [pool.empty(LARGE, "u1") for _ in range(4)]
    for other in others:
        other[...] = 2
    assert (np.asarray(view) == 1).all()
    del view
    assert pool.free_B() > 0


def test_two_living_arrays_never_share(pool):
    rng = np.random.default_rng(5)
    living: list[np.ndarray] = []
    for stamp in range(400):
        if living and rng.random() < 0.5:
            array = living.pop(rng.integers(len(living)))
            assert (array == array.flat[0]).all()
            del array
        made = pool.empty((int(rng.integers(1, 4)) << 16,), "u1")
        made[...] = stamp % 251
        living.append(made)
    starts = sorted((address(array), array.nbytes) for array in living)
    assert all(a + size <= b for (a, size), (b, _) in itertools.pairwise(starts))


def test_free_memory_is_bounded(pool, monkeypatch):
    monkeypatch.setattr(host_pool, "_MOST_FREE_B", 1 << 20)
    arrays = [pool.empty((1 << 18,), "u1") for _ in range(16)]
    while arrays:
        arrays.pop()
        assert pool.free_B() <= 1 << 20


def test_kept_memory_is_given_back_as_the_docs_say():
    device = get_device("cpu")
    kept, gone = (device.empty(LARGE, "u1") for _ in range(2))
    kept[...] = 7
    del gone
    assert device.pool.free_B() >= 300 * 400
    device.pool.clear()
    assert device.pool.free_B() == 0
    assert (kept == 7).all()


def test_threads_share_a_pool(pool):
    failures: list[str] = []

    def work(stamp: int) -> None:
        for _ in range(200):
            arrays = [pool.empty((1 << 16,), "u1") for _ in range(2)]
            for array in arrays:
                array[...] = stamp
            if not all((array == stamp).all() for array in arrays):
                failures.append(f"thread {stamp} found other values")

    threads = [threading.Thread(target=work, args=(stamp,)) for stamp in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


class Ring:
    """Garbage that only the collector frees, holding pooled memory."""

    def __init__(self, pool: HostPool) -> None:
        self.me = self
        self.array = pool.empty((1 << 16,), "u1")


def test_the_collector_may_run_inside_the_pool(pool, monkeypatch):
    monkeypatch.setattr(host_pool, "_MOST_FREE_B", 1 << 18)
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for stamp in range(500):
            Ring(pool)
            array = pool.empty((1 << 16,), "u1")
            array[...] = stamp % 251
            assert (array == stamp % 251).all()
            assert pool.free_B() <= 1 << 18
    finally:
        gc.set_threshold(*before)
