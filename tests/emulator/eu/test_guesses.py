"""Branches where channels part, on a GPU: it goes on where channels may be, and is asked at what needs to know."""

import numpy as np
import pytest
from emulator.eu.test_engine_branches import STRUCTURED, numbers_for
from support.eu import END, Collect, Registers, emulate, hold
from support.strict_arrays import StrictArray, StrictDevice

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.registers.threads import GENERAL_B, Threads

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


TIMED = "mov (2) r20.0<1>:ud tm0.0<2;2,1>:ud\n"
JUMPED = (
    """
    mov (1) f0.0<1>:uw r12.0<0;1,0>:uw {NoMask}
    (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud away {NoMask}
    add (16) r10.0<1>:d r16.0<8;8,1>:d 9:d
    add (16) r10.0<1>:d r16.0<8;8,1>:d 9:d
away:
"""
    + TIMED
    + END
)
CLOCKED = {
    **{name: text.replace(END, TIMED + END) for name, text in CASES.items() if "data_cache" not in text},
    "timed within": _text(body=TIMED),
    "a loop of some": f"{LOOP.replace('4:d', 'r12.0<8;8,1>:d')}{TIMED}{END}",
    "jumps": JUMPED,
}


@pytest.mark.parametrize("text", CLOCKED.values(), ids=CLOCKED)
@pytest.mark.parametrize("who", ["one tile parts", "all part", "alike", "tiles differ", "channels differ"])
@pytest.mark.parametrize("threads", [1, 70])
def test_a_clock_counts_what_its_thread_executes(text, who, threads):
    """Not what others do beside it, nor what nobody does; so the same on a GPU, whose tiles go ahead."""
    thread = np.arange(threads)
    numbers = {
        "one tile parts": np.where(thread < 64, thread % 2, 0),
        "all part": thread % 2,
        "alike": np.ones(threads, int),
        "tiles differ": np.where(thread < 64, 1, 0),
        "channels differ": np.random.default_rng(4).integers(0, 9, (threads, 16)),
    }[who]
    registers = numbers_for(Registers.zeros(threads), numbers.reshape(threads, -1))
    expected = (emulate if "brd" in text else hold)(text, registers)
    for _ in range(3):  # as it is learned where channels part
        assert emulate(text, registers, device=StrictDevice()).difference(expected) == "none"
        assert _steps(text, registers, StrictDevice()) == _steps(text, registers, None)


def test_a_clock_counts_what_it_waited_for_once():
    """What is tried before it is granted does not count."""
    text = "(+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud away {NoMask}\nwait (1) n0.0<1>:ud n0.0<0;1,0>:ud\naway:\n"
    for device in (None, StrictDevice()):
        threads = Threads(2, device=device)
        threads.set_flags(0, 0, threads.upload(np.array([[True], [False]])), None)
        program = Program(assemble(text + TIMED + END))
        program.advance(threads, Collect(), Budget(100))
        threads.notify(np.array([1]), 0)
        program.advance(threads, Collect(), Budget(100))
        found = threads.download(threads.registers)[:, 640:648].copy().view("<u4")
        assert found.tolist() == [[1, 0], [2, 0]]


def test_one_number_tells_of_branches_without_messages():
    text = _text(inner=6)
    registers = _registers()
    device = StrictDevice()
    _steps(text, registers, device)
    device, looks = StrictDevice(), StrictArray.looks
    _steps(text, registers, device)
    assert (device.downloads, StrictArray.looks - looks) == (2, 0)  # where tiles have come to, and how many steps


class _Taking:
    """Takes messages with their masks left where threads are; those that end threads come to `send`."""

    def __init__(self, device):
        self.device, self.asked, self.masks = device, [], []

    def send(self, message):
        assert message.end_of_thread

    def send_unasked(self, message):
        if message.end_of_thread:
            return False
        self.asked.append((self.device.downloads, StrictArray.looks))
        self.masks.append(message.mask.inner.copy())
        return True


@pytest.mark.parametrize("inner", [5, 100], ids=["some", "nobody"])
def test_a_message_in_a_branch_is_sent_with_its_mask_without_asking_who_is_there(inner):
    text = _text(inner=inner, body="send (16) r20.0<1>:ud r12.0<8;8,1>:ud data_cache 0x04200000:ud")
    registers, program = _registers(), Program(assemble(text))
    for _ in range(2):  # as it is learned where channels part
        device = StrictDevice()
        functions, looks = _Taking(device), StrictArray.looks
        threads = Threads(len(registers.general), device=device)
        threads.registers[:, :GENERAL_B] = threads.upload(registers.general)
        program.run(threads, functions, Budget(100_000))
    numbers = registers.general.view("<i4").reshape(-1, 128, 8)[:, 12:14].reshape(-1, 16)
    assert functions.asked == [(0, looks)]
    assert np.array_equal(functions.masks[0], (numbers > 3) & (numbers > inner))
