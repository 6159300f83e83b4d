"""Random programs, whose results go on as sources, in the engine and on arrays."""

import numpy as np
import pytest
from support.eu import END, emulate
from support.filter_cases import sweep
from support.random_instructions import FLOATS, INTEGERS, TWO_INTEGERS, Writer, instruction, written_registers

THREADS, BLOCK = 21, 12
WIDE = (
    "mad (16) r{a}.0<1>:f r{b}.0<4;4,1>:f -r{c}.0<4;4,1>:f r{a}.0<4;4,1>:f",
    "lrp (8) r{a}.0<1>:f r{b}.0<4;4,1>:f r{c}.0<4;4,1>:f r{a}.0<4;4,1>:f",
    "pln (16) r{a}.0<1>:f r{b}.0<0;4,1>:f r{c}.0<8;8,1>:f",
    "math.rsq (16) r{a}.0<1>:f abs r{b}.0<8;8,1>:f null<8;8,1>:f",
    "math.exp (8) r{a}.0<1>:f r{b}.0<8;8,1>:f null<8;8,1>:f",
    "mul (8) acc0.0<1>:f r{b}.0<8;8,1>:f r{c}.0<8;8,1>:f",
)


def _line(writer, floats):
    a, b, c = (2 * writer.pick(range(8, 15)) for _ in range(3))
    if floats and writer.chance(0.2):
        return writer.pick(WIDE).format(a=a, b=b, c=c)
    name = writer.pick(FLOATS if floats else ("mov", *TWO_INTEGERS))
    one = name in ("mov", "frc", "rndu", "rndd", "rnde", "rndz")
    kinds = ["f" if floats else writer.pick(INTEGERS) for _ in range(1 if one else 2)]
    if name == "mul" and kinds[0][-1] == kinds[1][-1] == "d":
        kinds[1] = "w"
    text = instruction(writer, name, kinds, "f" if floats else writer.pick(INTEGERS))
    return text if name == "mac" else text.replace(" r10.0<", f" r{a}.0<")


def _program(rng, floats):
    writer = Writer(rng)
    blocks = ["\n".join(_line(writer, floats) for _ in range(BLOCK)) for _ in range(4)]
    return f"""{blocks[0]}
    (+f0.0) if (16) jip=other uip=joined
    {blocks[1]}
    else (16) jip=joined
other:
    {blocks[2]}
joined:
    endif (16) jip=next
next:
    {blocks[3]}
    {END}"""


def _without_nans(registers):
    """Whose bits are those of the operand that a compiler puts first."""
    for part in (registers.general, registers.accumulator):
        floats = part.view("<f4")
        floats[np.isnan(floats)] = np.nan
    return registers


@pytest.mark.sweep
def test_random_programs_are_those_on_arrays(monkeypatch):
    """960 instructions; TEXSAMP_SWEEP=1000 makes them a million."""
    rng = np.random.default_rng(1)
    for number in range(sweep(20)):
        floats = bool(number % 2)
        text, registers = _program(rng, floats), written_registers(rng, THREADS, floats)
        monkeypatch.delenv("TEXSAMP_EU", raising=False)
        ours = emulate(text, registers)
        monkeypatch.setenv("TEXSAMP_EU", "reference")
        theirs = emulate(text, registers)
        if floats:
            ours, theirs = _without_nans(ours), _without_nans(theirs)
        assert ours.difference(theirs) == "none", text
