"""Channels that part: the engine goes on with them by itself, on a CPU and a GPU, as array operations do."""

import numpy as np
import pytest
from emulator.eu.test_engine_branches import STRUCTURED, numbers_for
from pictures.eu import NESTED_LOOPS
from support.eu import END, Registers, emulate, hold
from support.strict_arrays import StrictDevice

from texsamp.emulator.eu.alu.plan import Compute
from texsamp.emulator.eu.control.flow import Branch

NESTED = f"""
{NESTED_LOOPS}
    {END}
"""
VERTICES = f"""
    mov (8) r10.0<1>.xyzw:d 0:d {{align16}}
again:
    cmp.l.f0.0 (8) null.x:d r12.0<4>.xxxx:d r10.0<4>.xxxx:d {{align16}}
    (+f0.0.x) break (8) jip=bottom uip=bottom {{align16}}
    add (8) r10.0<1>.xyzw:d r10.0<4>.xyzw:d 2:d {{align16}}
    cmp.z.f0.1 (8) null.y:d r12.0<4>.yyyy:d r10.0<4>.yyyy:d {{align16}}
    (-f0.1.y) if (8) jip=joined uip=joined {{align16}}
    add (8) r14.0<1>.xw:d r14.0<4>.xyzw:d r10.0<4>.wzyx:d {{align16}}
joined:
    endif (8) jip=bottom {{align16}}
bottom:
    while (8) jip=again {{align16}}
    {END}
"""
TEXTS = {"structured": STRUCTURED, "nested": NESTED, "vertices": VERTICES}


def _registers(threads, most, seed):
    return numbers_for(Registers.zeros(threads), np.random.default_rng(seed).integers(0, most, (threads, 16)))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("threads", [1, 7, 64, 150])
@pytest.mark.parametrize("most", [2, 9, 30])
def test_channels_that_part_go_the_reference_s_way(text, threads, most, monkeypatch):
    registers = _registers(threads, most, threads + most)
    monkeypatch.setenv("TEXSAMP_EU", "reference")
    expected = emulate(text, registers)
    monkeypatch.delenv("TEXSAMP_EU")
    if text is not VERTICES:  # of which the oracle has no branches
        assert hold(text, registers).difference(expected) == "none"
    assert emulate(text, registers).difference(expected) == "none"
    assert emulate(text, registers, device=StrictDevice()).difference(expected) == "none"


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("device", [None, StrictDevice()], ids=["host", "device"])
def test_channels_that_part_are_the_engine_s(text, device, monkeypatch):
    """Nothing between begin and end is left to array operations."""

    def refuse(*_):
        raise AssertionError("by array operations")

    monkeypatch.setattr(Branch, "run", refuse)
    monkeypatch.setattr(Compute, "run", refuse)
    monkeypatch.setattr(Compute, "__call__", refuse, raising=False)
    emulate(text, _registers(70, 9, 5), device=device)
