"""Every instruction that computes × every type it takes × every rule of regions, held to a scalar reference.

The table of the instructions is the emulator's own: one that becomes executed is tested, or must be put into OTHERS.
"""

from pathlib import Path

import numpy as np
import pytest
from support.eu import END, Registers, emulate, hold
from support.instructions import SOURCES, instruction_lines, instruction_types, region_registers

from texsamp.emulator.eu.alu.operations import OPERATIONS
from texsamp.emulator.eu.isa.opcodes import BY_MNEMONIC, Shape
from texsamp.errors import CaptureError

OTHERS = {
    **dict.fromkeys(("mac", "bfe", "bfi2"), "test_execute_computing.py"),
    **dict.fromkeys(("mad", "lrp", "line", "pln", "dp2", "dp3", "dp4", "dph"), "test_execute_products.py"),
    **dict.fromkeys(("f32to16", "f16to32"), "test_execute_products.py"),
    **dict.fromkeys(("sad2", "sada2"), "test_execute_wide.py"),
}
"""Instructions whose operands are of another shape than the table's, and where they are tested."""
FLOW = ("jmpi", "if", "else", "endif", "while", "break", "cont", "halt", "brd", "brc")
REFUSED = {"illegal": ""}
"""Operands of what is not executed (docs/emulator-executed.md says why)."""
HERE = sorted(name for name in OPERATIONS if name not in OTHERS and BY_MNEMONIC[name].shape is Shape.PLAIN)


@pytest.mark.parametrize("name", HERE)
def test_every_type_and_region(name):
    rng = np.random.default_rng(sum(name.encode()))
    for is_float in (False, True):
        kinds, results = instruction_types(name, is_float)
        for turn, region in enumerate(SOURCES.values()):
            if kinds:
                lines = instruction_lines(name, region, kinds, results, turn)
                hold("\n".join([*lines, END]), region_registers(rng, is_float))


def test_every_instruction_is_tested_or_refused():
    assert set(OPERATIONS) == set(HERE) | set(OTHERS)
    elsewhere = {"math": "test_execute_products.py", "mach": "test_execute_wide.py", "nop": "", "send": "", "sendc": ""}
    elsewhere |= {"wait": "../test_compute.py", "movi": "test_indexed.py"}
    elsewhere |= dict.fromkeys(("call", "ret"), "test_calls.py")
    elsewhere |= OTHERS | dict.fromkeys(FLOW, "test_execute_flow.py")
    assert set(BY_MNEMONIC) == set(HERE) | set(elsewhere) | set(REFUSED)
    for name, file in elsewhere.items():
        assert name in ((Path(__file__).parent / file).read_text() if file else name)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_executed_is_refused(name):
    with pytest.raises(CaptureError, match=rf"EU offset 0x0, {name} .*not executed"):
        emulate(f"{name} (8){REFUSED[name]}\n{END}", Registers.zeros(1))
