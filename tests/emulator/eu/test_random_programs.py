"""Random programs, whose results go on as sources, in the engine at every level and on arrays."""

import numpy as np
import pytest
from support.eu import END, emulate
from support.filter_cases import sweep
from support.random_instructions import FLOATS, INTEGERS, TWO_INTEGERS, Writer, instruction, written_registers

from texsamp.device.cpu import CpuDevice, library_path
from texsamp.device.levels import supported_levels
from texsamp.emulator.eu.isa.assembler import assemble

THREADS, BLOCK, BLOCKS = 21, 12, 4
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
    blocks = ["\n".join(_line(writer, floats) for _ in range(BLOCK)) for _ in range(BLOCKS)]
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


def _comparable(registers, floats):
    """Without the bits of NaNs, which are those of the operand that a compiler puts first."""
    for part in (registers.general, registers.accumulator) if floats else ():
        floats = part.view("<f4")
        floats[np.isnan(floats)] = np.nan
    return registers


@pytest.mark.sweep
def test_random_programs_are_those_on_arrays(monkeypatch):
    """960 instructions; TEXSAMP_SWEEP=1042 makes them a million."""
    rng = np.random.default_rng(1)
    devices = [CpuDevice(level) for level in supported_levels() if library_path(level)]
    for number in range(sweep(20)):
        floats = bool(number % 2)
        text, registers = _program(rng, floats), written_registers(rng, THREADS, floats)
        code = assemble(text)
        monkeypatch.setenv("TEXSAMP_EU", "reference")
        theirs = _comparable(emulate(code, registers), floats)
        monkeypatch.delenv("TEXSAMP_EU")
        for device in devices:
            ours = _comparable(emulate(code, registers, device=device), floats)
            assert ours.difference(theirs) == "none", f"{device.level}\n{text}"
