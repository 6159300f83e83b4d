"""Threads of one message on a device, taken apart by dwords that differ: who they are, and how often that is asked."""

import numpy as np
import pytest
from support.filter_cases import sweep
from support.strict_arrays import StrictDevice

from texsamp.emulator.eu.registers.threads import Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import NobodySendsError
from texsamp.emulator.eu.sends.splitting import asked_together, gathered, parted

CHANNELS, PAYLOAD, RESPONSE = 8, 20, 40
DESCRIPTOR = 2 << 25 | 3 << 20


def _message(rng, count, *, everybody=False):
    """Registers of random dwords, and a message of two registers that some threads send, (message, mask, registers)."""
    device = StrictDevice()
    threads = Threads(count, device=device)
    registers = rng.integers(0, 256, threads.registers.shape, np.uint8)
    threads.registers[...] = device.upload(registers)
    mask = rng.random((count, CHANNELS)) < rng.choice([0.1, 0.9])
    there = None if everybody else device.upload(mask)
    message = Unasked(threads, CHANNELS, 10, DESCRIPTOR, PAYLOAD, RESPONSE, False, lambda: there)
    return message, np.ones_like(mask) if everybody else mask, registers


def _keys(rng, count, kinds):
    """Dwords of all bits, of which there are so many pairs at most."""
    pairs = rng.integers(0, 1 << 32, (kinds, 2), np.uint32)
    pairs[: kinds // 2, 0] = pairs[0, 0]
    return pairs[rng.integers(0, kinds, count)]


@pytest.mark.parametrize("seed", range(sweep(12)))
def test_parts_are_threads_that_agree_in_the_order_of_their_first(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 300))
    message, mask, _ = _message(rng, count, everybody=seed % 3 == 0)
    keys = _keys(rng, count, int(rng.integers(1, 60)))
    device, upload = message.threads.device, message.threads.device.upload
    dwords = [upload(keys[:, 0].copy()), upload(keys[:, 1].copy())]
    before = device.downloads
    found = parted(message, dwords)
    asked = device.downloads - before
    senders = np.flatnonzero(mask.any(axis=1))
    expected = dict.fromkeys(map(tuple, keys[senders].tolist()))
    assert [tuple(part.values) for part in found] == list(expected)
    assert asked == (1 if len(expected) <= 16 else 2)
    for part in found:
        own = np.array([row for row in senders if keys[row].tolist() == part.values])
        assert device.download(part.rows).tolist() == own.tolist()
        wanted = np.zeros_like(mask)
        wanted[own] = mask[own]
        assert np.array_equal(device.download(part.message.mask), wanted)


@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_asked_of_a_part_comes_of_all(at_once):
    rng = np.random.default_rng(3)
    message, mask, registers = _message(rng, 90)
    keys = _keys(rng, 90, 30)
    device = message.threads.device
    parts = parted(message, [device.upload(keys[:, 1].copy())], at_once=at_once)
    assert len(parts) > 16
    before, looks = device.downloads, ((3, 0xFFFFFFFF), (9, 0xFF00))
    payload = registers[:, 32 * PAYLOAD : 32 * (PAYLOAD + 2)].view("<u4")
    for part in parts:
        rows = np.flatnonzero(mask.any(axis=1) & (keys[:, 1] == part.values[0]))
        wanted = [(payload[rows, number] & np.uint32(bits)).view(np.int32) for number, bits in looks]
        assert part.message.ranges(looks).tolist() == [[each.min(), each.max()] for each in wanted]
        part.message.ranges(looks[:1])
    assert device.downloads - before == (1 if at_once else len(parts))


def test_gathered_threads_have_their_registers_and_channels_alone():
    rng = np.random.default_rng(4)
    message, mask, registers = _message(rng, 40)
    device = message.threads.device
    rows = np.array([2, 3, 17, 39])
    (own,) = asked_together([gathered(message, device.upload(rows))])
    assert np.array_equal(device.download(own.threads.registers), registers[rows])
    assert np.array_equal(device.download(own.mask), mask[rows])
    own.threads.registers[...] = device.upload(np.zeros_like(registers[rows]))
    assert np.array_equal(device.download(message.threads.registers), registers)


def test_nobody_sends_a_part_of_nothing():
    rng = np.random.default_rng(5)
    message, mask, _ = _message(rng, 4)
    nobody = message.part(message.threads.device.upload(np.zeros_like(mask)))
    with pytest.raises(NobodySendsError):
        nobody.ranges(((0, 1),))
    assert parted(nobody, [message.threads.device.upload(np.zeros(4, np.uint32))]) == []
