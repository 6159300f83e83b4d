"""`movi`, held to the list of bytes that page 197 of volume 4 part 3 prints."""

import numpy as np
import pytest
from support.eu import END, Registers, emulate, hold

from texsamp.errors import CaptureError

THREADS = 5


def _registers(seed):
    rng = np.random.default_rng(seed)
    registers = Registers.random(rng, THREADS)
    addresses = registers.address.view("<u2")
    addresses[...] = 32 * rng.integers(20, 30, (THREADS, 1)) + rng.integers(0, 32, (THREADS, 8))
    return registers


@pytest.mark.parametrize("offset", [0, 5, -37, 64])
@pytest.mark.parametrize(
    ("kind", "size", "target"),
    [
        ("ub", 8, "r10.0"), ("b", 4, "r10.0"), ("uw", 8, "r10.0"), ("w", 2, "r10.0"), ("ud", 8, "r10.0"),
        ("d", 4, "r10.4"), ("f", 4, "r10.0"), ("ud", 1, "r10.0"),
    ],
)  # fmt: skip
def test_elements_are_chosen_by_the_address_register(kind, size, target, offset):
    tail = "{NoMask}" if size == 1 else ""
    hold(f"movi ({size}) {target}<1>:{kind} r[a0.0, {offset}]<VxH;1,0>:{kind} {tail}\n{END}", _registers(offset + 99))


def test_the_others_of_a_predicate_stay():
    hold(f"(+f0.0) movi (8) r10.0<1>:ud r[a0.0, 0]<VxH;1,0>:ud\n{END}", _registers(3))


def test_modifiers_and_saturation():
    registers = _registers(4)
    text = "movi.sat (8) r10.0<1>:w -abs r[a0.0, 0]<VxH;1,0>:w\nmovi (8) r11.0<1>:w r[a0.0, 0]<VxH;1,0>:w\n" + END
    words = emulate(text, registers).general.view("<i2").reshape(THREADS, 128, 16)
    assert np.array_equal(words[:, 10, :8], np.clip(-np.abs(words[:, 11, :8].astype(int)), -32768, 32767))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("movi (8) r10.0<1>:ud r20.0<8;8,1>:ud", "general register at an address"),
        ("movi (8) r10.0<1>:ud r[a0.1, 0]<VxH;1,0>:ud", "from a0.0 on"),
        ("movi (8) r10.0<1>:ud r[a0.0, 0]<8;8,1>:ud", "one for each element"),
        ("movi (8) r10.0<1>:ud r[a0.0, 0]<VxH;1,0>:d", "movi of D gives no UD"),
        ("movi (16) r10.0<1>:uw r[a0.0, 0]<VxH;1,0>:uw", "at most 8 channels"),
        ("movi (4) r10.0<2>:ud r[a0.0, 0]<VxH;1,0>:ud", "packed elements"),
        ("movi (4) r10.1<1>:ud r[a0.0, 0]<VxH;1,0>:ud", "a multiple of 16 bytes"),
        ("movi (4) r10.8<1>:uw r[a0.0, 0]<VxH;1,0>:uw", "movi of element 11"),
        ("movi (4) r10.0<1>:ud r[a0.0, -100]<VxH;1,0>:ud", "addresses -"),
    ],
)
def test_moves_that_cannot_be(line, message):
    with pytest.raises(CaptureError, match=message):
        emulate(f"{line}\n{END}", Registers.zeros(1))
