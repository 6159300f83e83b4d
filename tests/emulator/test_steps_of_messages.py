"""A message of many threads takes about as many steps of Python as one of few: nothing goes from thread to thread.

Left out are messages whose order matters, each of which sees what the one before has done: atomic operations (a step
for each that meets another), threads that start others, and registers of other threads or of the device.
"""

import gc
import sys
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from support.captures import real_captures

from texsamp.device import host_pool
from texsamp.emulator.case import Case
from texsamp.emulator.eu.text import SHARED_FUNCTIONS
from texsamp.emulator.shared.barriers import Barriers
from texsamp.emulator.shared.router import Router

LEAST = 32
"""Threads in a quarter of a message that is looked at."""
MOST = 8
"""Messages of a kind that are looked at."""
ATOMIC = {("data_cache", 6)}
CASES = {
    "vpp/dn_di_scale": {
        ("sampler", 8),  # deinterlace
        ("sampler", 11),  # sample_8x8
        ("sampler_cache", 4),  # media block read
        ("render_cache", 10),  # media block write
    },
    "vpp/csc_yuy2_uyvy": {("sampler", 11), ("render_cache", 10)},
    "gl/compute_hist": {("data_cache", 5), ("data_cache", 7), ("data_cache", 13)},  # untyped, fence, untyped write
    "vk/vk_scale_bilinear": {("constant_cache", 0), ("render_cache", 13), ("sampler", 2)},  # constants, typed write
    "vk/vk_hflip": {("constant_cache", 0), ("render_cache", 13), ("sampler", 7)},
    "gl/tri_nearest": {("sampler", 0), ("render_cache", 12)},  # sample, render target write
}


def _kind(message):
    function = SHARED_FUNCTIONS[message.shared_function]
    at = 12 if function == "sampler" else 14
    return function, message.descriptor >> at & 15


def _steps(run):
    """Lines and calls that Python goes through, but for the pool of arrays, which tells what other tests have left."""
    count = 0

    def trace(frame, *_):
        nonlocal count
        if frame.f_code.co_filename == host_pool.__file__:
            return None
        count += 1
        return trace

    before = sys.gettrace()
    gc.disable()  # as does what is collected just now
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


@pytest.mark.parametrize("name", CASES)
def test_a_message_of_many_threads_takes_the_steps_of_one_of_few(name, monkeypatch):
    paths = [path for path in real_captures(f"{name}_*.g7cap") if path.stem[:-4] == name.split("/")[1]]
    if not paths:
        pytest.skip("captures are not here")
    found, send = defaultdict(list), Router.send

    def counting(self, message):
        """Send a message of many threads as two: of a quarter of them, and of the others."""
        function, quarter = SHARED_FUNCTIONS[message.shared_function], len(message.rows) // 4
        if quarter < LEAST or function in ("spawner", "gateway") or len(found[_kind(message)]) == MOST:
            send(self, message)
            return
        parts = [
            replace(message, rows=message.rows[part], mask=message.mask[part])
            for part in (slice(quarter), slice(quarter, None))
        ]
        if function == "sampler":
            for part in parts:  # what is kept for the same places again
                send(self, part)
        few, many = (_steps(lambda part=part: send(self, part)) for part in parts)
        found[_kind(message)].append((many - few) / (len(message.rows) - 2 * quarter))

    monkeypatch.setattr(Router, "send", counting)
    list(Case.open(paths).replay())
    assert set(found) - ATOMIC >= CASES[name]
    # a loop takes a step for each thread at least
    rates = {kind: np.median(steps) for kind, steps in found.items() if kind not in ATOMIC}
    assert {kind: rate for kind, rate in rates.items() if rate > 0.5} == {}


class _Arrivals:
    """Threads that send a barrier message, and who was notified."""

    def __init__(self, count):
        self.threads, self.numbers, self.notified = self, np.arange(count), []
        self.rows, self.sent = np.zeros(0, np.intp), np.zeros((0, 8), np.uint32)

    def notify(self, rows, counter):
        assert counter == 0
        self.notified += rows.tolist()

    def dwords(self, *_):
        return self.sent


def _one_after_the_other(waiting, rows, groups, sent, threads):
    """Who is notified, and who waits."""
    notified = []
    for row, word in zip(rows.tolist(), sent[:, 2].tolist(), strict=True):
        here = waiting.setdefault(int(groups[row]), [])
        before_last = word >> 9 & 63 if word >> 15 & 1 else threads - 1
        met = len(here) == before_last
        here.append(row)
        if met:
            notified += waiting.pop(int(groups[row]))
    return notified


def test_barriers_count_as_if_threads_came_one_after_the_other():
    rng = np.random.default_rng(5)
    for _ in range(60):
        groups, threads = int(rng.integers(1, 5)), int(rng.integers(1, 6))
        group = np.repeat(np.arange(groups), threads)
        barriers, waiting, arrivals = Barriers(group, threads), {}, _Arrivals(len(group))
        for _ in range(12):
            held = [row for rows in waiting.values() for row in rows]
            free = np.setdiff1d(arrivals.numbers, held)
            arrivals.rows = np.sort(rng.choice(free, rng.integers(1, len(free) + 1), replace=False))
            arrivals.sent = rng.integers(0, 1 << 32, (len(arrivals.rows), 8), np.uint32)
            arrivals.sent[:, 2] = int(rng.integers(1, threads + 1)) - 1 << 9 | int(rng.integers(2)) << 15
            arrivals.sent[rng.random(len(arrivals.rows)) < 0.1, 2] = 1 << 15
            arrivals.notified = []
            barriers.arrive(arrivals)
            expected = _one_after_the_other(waiting, arrivals.rows, group, arrivals.sent, threads)
            assert sorted(arrivals.notified) == sorted(expected)
            if sum(map(len, waiting.values())) == len(group):
                break


def _steps_of_a_barrier(count):
    arrivals, barriers = _Arrivals(count), Barriers(np.arange(count) // 16, 16)
    arrivals.rows, arrivals.sent = np.arange(count), np.zeros((count, 8), np.uint32)
    steps = _steps(lambda: barriers.arrive(arrivals))
    assert len(arrivals.notified) == count
    return steps


def test_a_barrier_of_many_threads_takes_the_steps_of_one_of_few():
    counts = [_steps_of_a_barrier(count) for count in (64, 512)]
    assert counts[0] == counts[1]
