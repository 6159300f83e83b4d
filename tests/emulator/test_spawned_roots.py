"""What synchronized root threads are given: messages in order, each thread's own data behind what it has."""

import numpy as np
import pytest
from support.filter_cases import sweep
from support.strict_arrays import StrictDevice

from texsamp.device import get_device
from texsamp.emulator.context.spawned_roots import Given, SpawnedRoots


@pytest.mark.parametrize("device", [get_device("cpu"), StrictDevice()], ids=["host", "device"])
@pytest.mark.parametrize("seed", range(sweep(8)))
def test_roots_are_given_what_was_sent_then_have_their_own(device, seed):
    rng, roots, sent = np.random.default_rng(seed), SpawnedRoots(), []
    for _ in range(12):
        count, longest_B = int(rng.integers(1, 9)), 32 * int(rng.integers(1, 6))
        sizes_B = 32 * rng.integers(0, longest_B // 32 + 1, count)
        registers = rng.integers(0, 256, (count, longest_B), np.uint8)
        roots.add(Given(device.upload(registers), sizes_B))
        sent += [row[:size_B].tobytes() for row, size_B in zip(registers, sizes_B.tolist(), strict=True)]
        taken = int(rng.integers(0, roots.count + 1))
        given = roots.take(device, taken)
        chosen = np.flatnonzero(rng.random(taken) < 0.7)
        own = rng.integers(0, 256, (len(chosen), 32 * int(rng.integers(0, 4))), np.uint8)
        found = device.download(given.of(device, chosen).followed_by(device, own))
        size_B = max((len(sent[row]) for row in chosen), default=0) + own.shape[1]
        for row, mine, registers in zip(chosen.tolist(), own, found, strict=True):
            assert registers.tobytes() == (sent[row] + mine.tobytes()).ljust(size_B, b"\0")
        sent = sent[taken:]
        assert roots.count == len(sent)
