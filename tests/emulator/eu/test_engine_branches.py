"""Branches on a GPU: the engine goes on past those that all channels of a tile take alike, the host past others."""

import numpy as np
import pytest
from support.eu import END, Collect, Registers, emulate, hold
from support.strict_arrays import StrictArray, StrictDevice

STRUCTURED = f"""
    mov (16) r10.0<1>:d 0:d
    cmp.g.f0.0 (16) null:d r12.0<8;8,1>:d 2:d
    (+f0.0) if (16) jip=other uip=joined
    add (16) r10.0<1>:d r10.0<8;8,1>:d 5:d
    cmp.g.f0.1 (16) null:d r12.0<8;8,1>:d 4:d
    (-f0.1) if (16) jip=inner uip=inner
    add (16) r10.0<1>:d r10.0<8;8,1>:d 50:d
inner:
    endif (16) jip=joined
    else (16) jip=joined
other:
    add (16) r10.0<1>:d r10.0<8;8,1>:d 500:d
joined:
    endif (16) jip=2
again:
    add (16) r12.0<1>:d r12.0<8;8,1>:d -1:d
    cmp.l.f0.0 (16) null:d r12.0<8;8,1>:d 0:d
    (+f0.0) break (16) jip=bottom uip=bottom
    cmp.z.f0.0 (16) null:d r12.0<8;8,1>:d 3:d
    (+f0.0) cont (16) jip=bottom uip=bottom
    add (16) r10.0<1>:d r10.0<8;8,1>:d 5000:d
bottom:
    while (16) jip=again
    add (16) r14.0<1>:d r10.0<8;8,1>:d 1:d
    {END}
"""


def numbers_for(registers, numbers):
    """Registers whose r12 and r13 hold numbers, (threads, 1 or 16)."""
    count = len(registers.general)
    words = registers.general.view("<i4").reshape(count, 128, 8)
    words[:, 12:14] = np.broadcast_to(numbers, (count, 16)).reshape(count, 2, 8)
    return registers


@pytest.mark.parametrize("kind", ["alike", "tiles", "threads", "channels"])
def test_branches_of_threads_on_a_device_are_those_on_the_host(kind):
    """That tiles, threads or channels go apart; programs are run several times, as it is learned where they do."""
    random, threads = np.random.default_rng(14), 150
    for _ in range(4):
        for least, most in ((0, 7), (3, 5), (0, 2)):
            shape = {"alike": (1, 1), "tiles": (3, 1), "threads": (threads, 1), "channels": (threads, 16)}[kind]
            numbers = random.integers(least, most, shape)
            numbers = np.repeat(numbers, 64, axis=0)[:threads] if kind == "tiles" else numbers
            registers = numbers_for(Registers.zeros(threads), numbers)
            assert (
                emulate(STRUCTURED, registers, device=StrictDevice()).difference(hold(STRUCTURED, registers)) == "none"
            )


@pytest.mark.parametrize("number", range(7))
def test_branches_that_all_channels_take_alike_are_not_asked_for(number):
    text = STRUCTURED.replace("5000:d", f"{5000 + number}:d")  # that has learned nothing
    device, looks = StrictDevice(), StrictArray.looks
    emulate(text, numbers_for(Registers.zeros(50), np.full((1, 1), number)), device=device)
    assert device.downloads == 1 + 2  # for the last message, and the registers themselves
    assert StrictArray.looks == looks


@pytest.mark.parametrize("inner", ["", "(+f0.0) if (16) jip=4 uip=4\n"])
def test_of_loops_with_messages_no_tile_is_ahead(inner):
    """Messages are sent in the same order and together with the same ones as on the host."""
    behind = "endif (16) jip=2\n" if inner else ""
    text = f"""
    again:
        and.z.f0.0 (16) null:d r12.0<8;8,1>:d 1:d
        {inner}send (16) r20.0<1>:ud r12.0<8;8,1>:ud data_cache 0x04200000:ud
        {behind}add.g.f0.1 (16) r12.0<1>:d r12.0<8;8,1>:d -1:d
        (+f0.1) while (16) jip=again
        {END}
    """
    if inner:
        text = text.replace("jip=4 uip=4", "jip=behind uip=behind").replace(behind, f"behind:\n{behind}")
    numbers = np.repeat(np.array([[4], [3], [6]]), 64, axis=0)[:150]
    found = Collect(), Collect()
    registers = numbers_for(Registers.zeros(150), numbers)
    for functions, device in zip(found, (None, StrictDevice()), strict=True):
        emulate(text, registers, functions, device=device)
    messages = [[message[:3] for message in functions.messages] for functions in found]
    assert messages[0] == messages[1]
    assert len(messages[0]) > 3
