"""Payloads of pixel threads, against the manual's table register by register."""

import numpy as np
import pytest
from oracle.pixel_payload import payload

from texsamp.device import get_device
from texsamp.emulator.dispatch.pixel_payloads import QuadValues, payloads
from texsamp.emulator.dispatch.pixel_quads import Quads
from texsamp.emulator.fixed.objects import Counted, Spans
from texsamp.errors import CaptureError

QUADS = 23
OBJECTS = np.array([0] * 9 + [2] + [3] * 13)
ATTRIBUTES, CONSTANTS = 2, 1
CPU = get_device("cpu")


def threads_of(width, samples=None):
    """Quads as threads of a width take them; samples of pixels, (quads, 4)."""
    samples = np.ones((len(OBJECTS), 4), np.uint32) if samples is None else samples
    subspans = np.zeros((len(OBJECTS), 4), np.int32)
    subspans[:, 0] = OBJECTS
    each, (_, counts) = width // 4, np.unique(OBJECTS, return_counts=True)
    counted = Counted(0, int((-(-counts // each)).sum()), 0, len(OBJECTS))

    class Objects:
        device = CPU

        def __len__(self):
            return 4

    (found,) = Quads(Spans(subspans), Objects(), None, samples, counted, each).threads(1000)
    return found


def values(rng, sets, parts):
    """Quads with numbers of their own everywhere."""
    bits = rng.integers(0, 1 << 30, (QUADS, 4)).astype(np.uint32)
    return QuadValues(
        corners=2 * rng.integers(0, 8000, QUADS).astype(np.uint32)
        | rng.integers(0, 8000, QUADS).astype(np.uint32) << 17,
        barycentrics=rng.random((QUADS, sets, 2, 4), np.float32),
        depth=rng.random((QUADS, 4), np.float32) if "depth" in parts else None,
        w=rng.random((QUADS, 4), np.float32) if "w" in parts else None,
        offsets=rng.integers(0, 16, (QUADS, 4, 2)).astype(np.uint8) if "offsets" in parts else None,
        coverage=bits if "coverage" in parts else None,
    )


def number(entry, given, constants, setup):
    """The dword that an entry of the oracle's registers stands for."""
    if not isinstance(entry, tuple):
        return entry
    kind, *where = entry
    if kind == "place":
        return int(given.corners[where[0]])
    if kind == "b":
        mode, weight, quad, slot = where
        return int(given.barycentrics[quad, mode, weight - 1, slot].view(np.uint32))
    if kind in ("depth", "w"):
        return int(getattr(given, kind)[tuple(where)].view(np.uint32))
    if kind == "offsets":
        pair = given.offsets[where[0], where[1]].tolist() + given.offsets[where[2], where[3]].tolist()
        return int.from_bytes(bytes(pair), "little")
    if kind == "coverage":
        return int(given.coverage[tuple(where)])
    return int(constants[where[0]] if kind == "constant" else setup[tuple(where)])


@pytest.mark.parametrize("parts", [(), ("depth",), ("w", "offsets"), ("depth", "w", "offsets", "coverage")])
@pytest.mark.parametrize("sets", [0, 1, 3])
@pytest.mark.parametrize("width", [8, 16, 32])
def test_every_register_is_where_the_table_has_it(width, sets, parts):
    rng = np.random.default_rng(width + sets)
    given, started = values(rng, sets, parts), rng.random((QUADS, 4)) < 0.7
    threads = threads_of(width, started.astype(np.uint32))
    held = threads.quads
    constants = rng.integers(0, 1 << 32, 8 * CONSTANTS, np.uint32)
    setup = rng.integers(0, 1 << 32, (ATTRIBUTES, 4, 4), np.uint32)
    headers = rng.integers(0, 1 << 32, (len(held), 8), np.uint32)
    at = 60
    rows = np.stack([~setup, setup]).reshape(2, -1)
    behind = [np.broadcast_to(constants, (len(held), constants.size)), rows[np.ones(len(held), np.intp)]]
    found = payloads(headers, threads.held, threads.masks(), given, at, behind, CPU).view("<u4")
    found = found.reshape(len(held), -1, 8)
    assert (found[:, 0] == headers).all()
    lit = {(quad, slot): bool(started[quad, slot]) for quad in range(QUADS) for slot in range(4)}
    for thread, quads in enumerate(held.tolist()):
        wanted = payload(width, [None if q < 0 else q for q in quads], lit, sets, parts, at, CONSTANTS, ATTRIBUTES)
        assert found[thread, 1:].tolist() == [[number(e, given, constants, setup) for e in r] for r in wanted]


@pytest.mark.parametrize("width", [8, 16, 32])
def test_a_thread_has_quads_of_one_object_and_every_quad_one_thread(width):
    threads = threads_of(width)
    held = threads.quads
    assert sorted(held[held >= 0].tolist()) == list(range(QUADS))
    for quads in held:
        assert quads[0] >= 0
        assert len(set(OBJECTS[quads[quads >= 0]])) == 1
    most = {8: 5 + 1 + 7, 16: 3 + 1 + 4, 32: 2 + 1 + 2}[width]
    assert len(held) == most
    assert threads.started().tolist() == np.repeat(held >= 0, 4, axis=1).tolist()


def test_payloads_that_registers_do_not_hold_are_refused():
    given = values(np.random.default_rng(1), 6, ("depth", "w"))
    threads = threads_of(16)
    held, masks = threads.held, threads.masks()
    headers = np.zeros((len(held), 8), np.uint32)
    with pytest.raises(CaptureError, match="30 registers come before the constants, which begin at register 29"):
        payloads(headers, held, masks, given, 29, [], CPU)
    with pytest.raises(CaptureError, match="has 129 registers, there are 128"):
        payloads(headers, held, masks, given, 30, [np.zeros((len(held), 99 * 8), np.uint32)], CPU)
