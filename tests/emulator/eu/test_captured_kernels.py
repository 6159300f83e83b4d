"""Every captured video kernel, run by the emulator and by the scalar reference to the same registers."""

import numpy as np
import pytest
from oracle.eu import Thread, run
from support.captures import real_captures

from texsamp.emulator import Capture, CaseMemory, walk
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.registers.threads import ARCHITECTURE_PLACES, GENERAL_B, Threads
from texsamp.emulator.listing.programs import started_kernels

CASES = (
    "copy_nv12", "csc_bgrx_nv12", "csc_i420_i420_scaled", "csc_i420_nv12", "csc_i420_yuy2", "csc_nv12_bgrx",
    "csc_nv12_i420", "csc_nv12_yuy2", "csc_yuy2_nv12", "csc_yuy2_uyvy", "di_madi_both", "dn_025", "scale_nla_528x288",
)  # fmt: skip
THREADS = 3


def _answers(thread):
    """What messages of a thread are answered with: the same sequence for both sides."""
    rng = np.random.default_rng(thread)
    return lambda size: rng.integers(0, 256, size, np.uint8).tobytes()


class _Answering:
    def __init__(self):
        self.answers = [_answers(thread) for thread in range(THREADS)]
        self.sent = 0

    def send(self, message):
        self.sent += 1
        size = 32 * message.response_length
        if size and message.destination is not None and not message.end_of_thread:
            rows = [np.frombuffer(self.answers[row](size), np.uint8) for row in message.rows]
            message.respond(np.stack(rows))


@pytest.mark.parametrize("case", CASES)
def test_kernel_leaves_the_registers_of_the_reference(case):
    (path,) = real_captures(f"vpp/{case}_000.g7cap")
    capture, memory = Capture.open(path), CaseMemory()
    memory.enter(capture)
    commands = list(walk(memory, capture.batch_address, length=capture.batch_length))
    (kernel,) = started_kernels(memory, commands)
    code = memory.read(kernel.address, memory.extent(kernel.address))
    (load,) = [c.command for c in commands if c.command.name == "MEDIA_CURBE_LOAD"]
    tails = [c.command.tail for c in commands if c.command.name == "MEDIA_OBJECT"]
    general = np.zeros((THREADS, GENERAL_B), np.uint8)
    general[:, 32:288] = np.frombuffer(memory.read(load.data_start, load.data_length), np.uint8)
    chosen = [tails[0], tails[len(tails) // 2], tails[-1]]
    general[:, 288:352] = np.array(chosen, "<u4").view(np.uint8)

    threads, functions = Threads(THREADS), _Answering()
    threads.registers[:, :GENERAL_B] = general
    Program(code, single_program_flow=True).run(threads, functions, Budget(5000))
    assert functions.sent >= 3
    for number in range(THREADS):
        with np.errstate(all="ignore"):
            expected = run(code, Thread(general[number].tobytes()), answer=_answers(number))
        assert threads.registers[number, :GENERAL_B].tobytes() == bytes(expected.files["r"])
        for name, place in (("a", 0x10), ("acc", 0x20), ("f", 0x30)):
            at, size = ARCHITECTURE_PLACES[place][0] + GENERAL_B, len(expected.files[name])
            assert threads.registers[number, at : at + size].tobytes() == bytes(expected.files[name]), name
