"""A message of many threads takes about as many steps of Python as one of few: nothing goes from thread to thread."""

import gc
import sys
from collections import defaultdict
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from support.captures import real_captures
from support.patches import tessellated

from texsamp.device import get_device, host_pool
from texsamp.emulator.case import Case
from texsamp.emulator.context.registers import CHANNELS_DISPATCHED, Registers
from texsamp.emulator.context.spawned_roots import SpawnedRoots
from texsamp.emulator.context.urb_space import UrbHandles
from texsamp.emulator.eu.isa.text import SHARED_FUNCTIONS
from texsamp.emulator.eu.registers.threads import GENERAL_B, Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.fixed import vertex_fetch
from texsamp.emulator.shared.barriers import Barriers
from texsamp.emulator.shared.data_port.atomics import SOURCES, exchange
from texsamp.emulator.shared.gateway import Gateway
from texsamp.emulator.shared.recipients import Recipients
from texsamp.emulator.shared.router import Router
from texsamp.emulator.shared.spawner import Spawner
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_media import MediaVfeState
from texsamp.state.data_port import AtomicOperation
from texsamp.state.thread_messages import GatewayError, GatewayFunction, GatewayNotify

LEAST = 32
"""Threads in a quarter of a message that is looked at."""
MOST = 8
"""Messages of a kind that are looked at."""
CASES = {
    "vpp/dn_di_scale": {
        ("sampler", 8),  # deinterlace
        ("sampler", 11),  # sample_8x8
        ("sampler_cache", 4),  # media block read
        ("render_cache", 10),  # media block write
    },
    "vpp/csc_yuy2_uyvy": {("sampler", 11), ("render_cache", 10)},
    "gl/compute_hist": {("data_cache", kind) for kind in (5, 6, 7, 13)},  # untyped, atomic, fence, untyped write
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
    assert set(found) >= CASES[name]
    # a loop takes a step for each thread at least
    rates = {kind: np.median(steps) for kind, steps in found.items()}
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


class _Sent:
    """A message of one register from each of some threads, and what is answered."""

    has_header, length, end_of_thread, destination = False, 1, False, 20

    def __init__(self, threads, words, descriptor, response_length=0):
        self.threads, self.words, self.descriptor, self.response_length = threads, words, descriptor, response_length
        self.rows, self.answered = np.arange(len(words)), None

    def dwords(self, *_):
        return self.words

    def respond(self, data):
        self.answered = data.view("<u4").copy()


SIZES_B = {0: 1, 1: 2, 2: 4, 3: 8, 4: 16}
OPEN_EVERY = 3
"""Threads whose gateway is open, from r10 on: every third is not."""


def _forwarding(count, seed):
    """Threads with gateways, and messages to them, some to those that have none, with lengths that are none."""
    rng = np.random.default_rng(seed)
    threads, recipients = Threads(count), Recipients()
    threads.general(0, 128)[...] = rng.integers(0, 256, (count, GENERAL_B), np.uint8)
    recipients.enter(threads)
    rows = np.flatnonzero(np.arange(count) % OPEN_EVERY)
    recipients.open(threads, rows, np.full(len(rows), 10), np.full(len(rows), 1))
    words = rng.integers(0, 1 << 32, (count, 8), np.uint32)
    length, whom = rng.integers(0, 6, count), rng.integers(0, max(count // 4, 1) + 1, count)
    size = np.array([*SIZES_B.values(), 1])[length]
    at = rng.integers(0, 16 // size) * size
    words[:, 5] = rng.integers(0, 2, count) << 21 | at // 4 << 18 | at % 4 << 16 | length << 8
    words[:, 4] = whom // 8 << 24 | whom % 8 << 16
    descriptor = GatewayFunction.FORWARD_MSG | 1 << 14 | GatewayNotify.N0 << 15  # acknowledged
    return recipients, threads, words, descriptor, length, whom, at


def test_forwarded_registers_are_those_of_senders_one_after_the_other():
    for seed in range(20):
        recipients, threads, words, descriptor, length, whom, at = _forwarding(60, seed)
        registers, told, notified = threads.general(0, 128).copy(), [], np.zeros(60, np.int64)
        for n, row in enumerate(whom.tolist()):
            if length[n] not in SIZES_B:
                told.append(GatewayError.INVALID_SIZE)
            elif not row % OPEN_EVERY:
                told.append(GatewayError.GATEWAY_CLOSED)
            else:
                told.append(GatewayError.SUCCESSFUL)
                first = 32 * (10 + (int(words[n, 5]) >> 21 & 127)) + int(at[n])
                size = SIZES_B[int(length[n])]
                registers[row, first : first + size] = words[n, :4].view(np.uint8)[:size]
                notified[row] += 1
        message = _Sent(threads, words, descriptor, 1)
        Gateway(recipients, Registers(), None).send(message)
        assert np.array_equal(threads.general(0, 128), registers)
        assert (message.answered & 7).ravel().tolist() == told
        assert np.array_equal(threads.notifications[:, 0], notified)


def _accesses(count, seed, mixed):
    """Registers that threads read and write; some have bits that tell which others are written."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << 32, (count, 8), np.uint32)
    write = rng.integers(0, 2, count) if mixed else np.full(count, rng.integers(0, 2))
    offsets = np.array([0x2400, 0x2404, 0x20C0, CHANNELS_DISPATCHED, CHANNELS_DISPATCHED + 4])
    words[:, 2], words[:, 3] = rng.choice(offsets, count), write
    return words


def _accessing(words):
    """A message to registers of the device that is acknowledged."""
    threads = Threads(len(words))
    threads.general(20, 1)[...] = words.view(np.uint8)
    descriptor = 1 << 25 | 1 << 20 | GatewayFunction.MMIO_READ_WRITE | 1 << 14
    return Unasked(threads, 8, 3, descriptor, 20, 40, False, lambda: None)


@pytest.mark.parametrize("mixed", [False, True])
def test_registers_of_the_device_are_those_of_threads_one_after_the_other(mixed):
    for seed in range(20):
        words, registers, expected = _accesses(40, seed, mixed), Registers(), Registers()
        answers = []
        for word in words.tolist():
            if word[3] & 1:
                expected.write(word[2], word[0])
            answers.append(3 << 16 if word[3] & 1 else expected.read(word[2]))
        message = _accessing(words)
        assert Gateway(Recipients(), registers, MediaVfeState(gateway_mmio_access=2)).send_unasked(message)
        assert registers.saved() == expected.saved()
        assert message.threads.general(40, 1).view("<u4")[:, 0].tolist() == answers


class _Handles(UrbHandles):
    """Of some entries, whose places are theirs."""

    _all = np.arange(40, 60, dtype=np.uint32)


def _spawning(count, seed):
    """Payloads of children: interface descriptors, lengths, places of the URB, behind its end as well."""
    rng = np.random.default_rng(seed)
    urb = rng.integers(0, 256, 4096, np.uint8)
    words = np.zeros((count, 8), np.uint32)
    words[:, 2] = rng.integers(0, 3, count) << 4
    words[:, 4] = rng.integers(0, 4, count) << 10 | rng.integers(0, 2, count)
    words[:, 0] = rng.integers(0, 66, count)
    urb.view("<u4").reshape(-1, 8)[:, 3:5] = rng.integers(0, 2, (128, 2)) << 5  # tables of every R0
    return urb, words


@pytest.mark.parametrize("root", [0, 1])
def test_children_are_those_of_parents_one_after_the_other(root):
    for seed in range(20):
        urb, words = _spawning(50, seed)
        expected, alone = {}, []
        for word in words.tolist():
            start, length = (word[0] & 0xFFFF) * 64 + (word[4] & 1023) * 32, word[4] >> 10 & 63
            length = length if root else max(length, 1)
            payload = bytes(urb[start : start + 32 * length]).ljust(32 * length, b"\0")
            alone.append(payload)
            if not root:
                tables = tuple(int.from_bytes(payload[4 * n : 4 * n + 4], "little") & 0xFFFFFFE0 for n in (3, 4))
                expected.setdefault((word[2] >> 4 & 63, length, *tables), []).append(payload)
        roots = SpawnedRoots()
        spawner = Spawner(urb, UrbHandles(), roots, is_child=False, compute=False)
        spawner.send(_Sent(Threads(1), words, 1 | root << 4))
        given = roots.take(get_device("cpu"), roots.count)
        sent = zip(given.registers, given.sizes_B.tolist(), strict=True)
        assert [data[:size_B].tobytes() for data, size_B in sent] == (alone if root else [])
        found = {
            (each.interface_descriptor, each.registers.shape[1], each.samplers, each.binding_table): [
                registers.tobytes() for registers in each.registers
            ]
            for each in spawner.take_children()
        }
        assert list(found.items()) == list(expected.items())
        assert spawner.take_children() == []


def test_handles_are_given_back_as_by_threads_one_after_the_other():
    rng = np.random.default_rng(9)
    for _ in range(20):
        handles = _Handles()
        taken = handles.take(int(rng.integers(1, 20))).tolist()
        given = rng.integers(35, 65, 30)
        expected = []
        for handle in given.tolist():
            if handle in taken and handle not in expected:
                expected.append(handle)
        kept = handles.free
        handles.give_back(given)
        assert handles.take(handles.free)[kept:].tolist() == expected


def _forward_steps(count):
    recipients, threads, words, descriptor, *_ = _forwarding(count, 1)
    return _steps(lambda: Gateway(recipients, Registers(), None).send(_Sent(threads, words, descriptor, 1)))


def _access_steps(count):
    registers, vfe = Registers(), MediaVfeState(gateway_mmio_access=2)
    message = _accessing(_accesses(count, 1, mixed=True))
    return _steps(lambda: Gateway(Recipients(), registers, vfe).send_unasked(message))


def _spawn_steps(count):
    urb, words = _spawning(count, 1)
    spawner = Spawner(urb, UrbHandles(), SpawnedRoots(), is_child=False, compute=False)
    return _steps(lambda: spawner.send(_Sent(Threads(1), words, 1)))


def _root_steps(count):
    """Of root threads that wait for messages, and take URB handles."""
    urb, words = _spawning(count, 1)
    roots, vfe = SpawnedRoots(), MediaVfeState(urb_entries=count, urb_entry_size=2)
    spawner = Spawner(urb, UrbHandles(), roots, is_child=False, compute=False)

    def run():
        spawner.send(_Sent(Threads(1), words, 1 | 1 << 4))
        for taken in (count // 2, count - count // 2):
            roots.take(get_device("cpu"), taken)
        UrbHandles(vfe).take(count)

    return _steps(run)


def _cut_steps(count):
    """Of vertices, each third of which cuts."""
    return _steps(lambda: vertex_fetch._primitive_numbers(Topology.TRISTRIP, np.arange(count) % 3 == 0))


def _patch_steps(count):
    """Of patches that are divided in some ways."""
    factors = np.random.default_rng(2).integers(1, 4, (count, 4)).astype(float)
    return _steps(lambda: tessellated(("TRI", "INTEGER", "TRI_CW"), factors[:, :3], factors[:, 3:]))


def _atomic_steps(operation, count):
    """Of operations that all meet."""
    units, sources = np.zeros(1, np.uint32), np.arange(2 * count, dtype=np.uint32).reshape(2, count) % 3
    places = np.zeros(count, np.int64)
    return _steps(lambda: exchange(operation, get_device("cpu"), units, places, sources[: SOURCES[operation]]))


@pytest.mark.parametrize(
    ("steps", "few", "many"),
    [
        (_forward_steps, 64, 128),
        (_access_steps, 64, 512),
        (_spawn_steps, 256, 1024),  # which all kinds of children are among
        (_root_steps, 16, 128),
        (_cut_steps, 16, 512),
        (_patch_steps, 512, 2048),
        *((partial(_atomic_steps, AtomicOperation[name]), 16, 1 << 14) for name in ("ADD", "REVSUB", "IMAX", "CMPWR")),
    ],
)
def test_threads_that_meet_others_take_the_steps_of_few(steps, few, many):
    steps(few)  # what is made once
    assert steps(many) - steps(few) < (many - few) / 16
