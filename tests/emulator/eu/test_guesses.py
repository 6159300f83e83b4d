"""Branches where channels part, on a GPU: it goes on where channels may be, and is asked at the next message."""

import numpy as np
import pytest
from emulator.eu.test_engine_branches import STRUCTURED, numbers_for
from support.eu import END, Collect, Registers, emulate, hold
from support.strict_arrays import StrictArray, StrictDevice

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu.assembler import assemble
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.threads import GENERAL_B, Threads

PARTED = """
    cmp.g.f0.0 (16) null:d r12.0<8;8,1>:d 3:d
    cmp.g.f0.1 (16) null:d r12.0<8;8,1>:d {inner}:d
    (+f0.0) if (16) jip=other uip=joined
    add (16) r10.0<1>:d r10.0<8;8,1>:d 5:d
    (+f0.1) if (16) jip={inner_else} uip=inner
    add (16) r10.0<1>:d r10.0<8;8,1>:d 50:d
    {body}
inner:
    endif (16) jip=joined
    else (16) jip=joined
other:
    add (16) r10.0<1>:d r10.0<8;8,1>:d 500:d
joined:
    endif (16) jip=2
    add (16) r14.0<1>:d r10.0<8;8,1>:d 1:d
"""
LOOP = """
around:
    add (16) r16.0<1>:d r16.0<8;8,1>:d 1:d
    cmp.l.f1.0 (16) null:d r16.0<8;8,1>:d 4:d
    (+f1.0) while (16) jip=around
"""
REFUSED = """
    else (16) jip=inner
refused:
    brd (16) jip=inner
"""
"""Who comes there has to have the Switch option."""


def _text(inner=5, body="", inner_else="inner", behind=""):
    return PARTED.format(inner=inner, body=body, inner_else=inner_else) + behind + END


def _registers(threads=70):
    numbers = np.random.default_rng(3).integers(0, 9, (threads, 16))
    return numbers_for(Registers.zeros(threads), numbers)


def _steps(text, registers, device):
    threads = Threads(len(registers.general), device=device)
    threads.registers[:, :GENERAL_B] = threads.upload(registers.general)
    return Program(assemble(text)).run(threads, Collect(), Budget(100_000))


CASES = {
    "some in the inner": _text(),
    "nobody in the inner": _text(inner=100),
    "all in the inner": _text(inner=-1),
    "a loop": _text(body=LOOP),
    "a loop of nobody": _text(inner=100, body=LOOP),
    "what is refused, and nobody comes to": _text(inner=-1, body=REFUSED, inner_else="refused"),
    "a message": _text(body="send (16) r20.0<1>:ud r12.0<8;8,1>:ud data_cache 0x04200000:ud"),
    "a message of nobody": _text(inner=100, body="send (16) r20.0<1>:ud r12.0<8;8,1>:ud data_cache 0x04200000:ud"),
    "loops and ends": STRUCTURED,
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_threads_go_the_host_s_way_in_as_many_steps(text):
    registers = _registers()
    has_own = not any(each in text for each in ("brd", "data_cache"))  # all that the oracle of programs takes
    expected = (hold if has_own else emulate)(text, registers)
    found = Collect(), Collect()
    for _ in range(3):  # as it is learned where channels part
        for functions, device in zip(found, (None, StrictDevice()), strict=True):
            assert emulate(text, registers, functions, device=device).difference(expected) == "none"
        assert _steps(text, registers, StrictDevice()) == _steps(text, registers, None)
    assert [each[:3] for each in found[0].messages] == [each[:3] for each in found[1].messages]


def test_a_clock_counts_no_steps_of_nobody():
    text = _text(inner=100, behind="mov (2) r20.0<1>:ud tm0.0<2;2,1>:ud\n")
    registers = _registers()
    assert emulate(text, registers, device=StrictDevice()).difference(emulate(text, registers)) == "none"


def test_one_number_tells_of_branches_without_messages():
    text = _text(inner=6)
    registers = _registers()
    device = StrictDevice()
    _steps(text, registers, device)
    device, looks = StrictDevice(), StrictArray.looks
    _steps(text, registers, device)
    assert (device.downloads, StrictArray.looks - looks) == (2, 0)  # where tiles have come to, and how many steps
