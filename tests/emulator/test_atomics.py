"""Many atomic operations at once, held to one after the other, where the memory is."""

import numpy as np
import pytest
from support.strict_arrays import StrictDevice

from texsamp import get_device
from texsamp.emulator.shared.data_port.atomics import SOURCES, exchange
from texsamp.state.data_port import AtomicOperation

M32 = 0xFFFFFFFF


def _signed(value):
    return value - (value >> 31 << 32)


CHANGES = {
    "CMPWR8B": lambda old, a, b: b if old == a else old,
    "AND": lambda old, a, b: old & a,
    "OR": lambda old, a, b: old | a,
    "XOR": lambda old, a, b: old ^ a,
    "MOV": lambda old, a, b: a,
    "INC": lambda old, a, b: old + 1,
    "DEC": lambda old, a, b: old - 1,
    "ADD": lambda old, a, b: old + a,
    "SUB": lambda old, a, b: old - a,
    "REVSUB": lambda old, a, b: a - old,
    "IMAX": lambda old, a, b: max(_signed(old), _signed(a)),
    "IMIN": lambda old, a, b: min(_signed(old), _signed(a)),
    "UMAX": lambda old, a, b: max(old, a),
    "UMIN": lambda old, a, b: min(old, a),
    "CMPWR": lambda old, a, b: b if old == a else old,
    "PREDEC": lambda old, a, b: old - 1,
}
"""New value of the destination from its old one and two sources."""


def _one_after_the_other(operation, units, places, sources):
    """What is returned, and what is left in `units`."""
    change, returned = CHANGES[operation.name], []
    limit = (1 << 64) - 1 if operation is AtomicOperation.CMPWR8B else M32
    for number, place in enumerate(places.tolist()):
        old = int(units[place])
        a, b = (int(source[number]) for source in sources)
        units[place] = new = change(old, a, b) & limit
        returned.append(new if operation is AtomicOperation.PREDEC else old)
    return returned


@pytest.mark.parametrize("device", [get_device("cpu"), StrictDevice()], ids=["host", "device"])
@pytest.mark.parametrize("operation", AtomicOperation)
def test_operations_that_meet_are_those_of_threads_one_after_the_other(operation, device):
    kind = np.uint64 if operation is AtomicOperation.CMPWR8B else np.uint32
    rng = np.random.default_rng(operation)
    for count in (1, 2, 3, 8, 60, 400):
        for spread in (1, 3, 1000):
            for few in (False, True):

                def values(size, few=few):
                    anything = rng.integers(0, 1 << 63, size, np.uint64) * np.uint64(2) >> np.uint64(
                        64 - 8 * kind().nbytes
                    )
                    return rng.choice(anything[:4], size) if few or SOURCES[operation] == 2 else anything

                memory = values(1000).astype(kind)
                sources = [rng.choice(memory[: 4 * spread], count) if few else values(count).astype(kind) for _ in "ab"]
                places, expected = rng.integers(0, spread, count), memory.copy()
                returned = _one_after_the_other(operation, expected, places, sources)
                units = device.upload(memory)
                sent = [device.upload(source) for source in sources[: SOURCES[operation]]]
                found = device.download(exchange(operation, device, units, places, sent))
                assert found.dtype == kind
                assert found.tolist() == returned
                assert np.array_equal(device.download(units), expected)
