"""The assembler: labels, what it understands, and what it says of lines it does not."""

import pytest

from texsamp.emulator.eu.isa.assembler import assemble, parse
from texsamp.emulator.eu.isa.codec import decode
from texsamp.emulator.eu.isa.text import text
from texsamp.errors import StateError

LINES = [
    "mov (8) r27.0<1>:ud r0.0<8;8,1>:ud",
    "(-f0.1) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 0x0000001a:d {NoMask}",
    "(+f1.0.any4h) add.sat.nz.f1.0 (4) r10.2<2>:uw -abs r12.3<4;4,1>:w 0x00050005:uw {N2, NoDDClr, NoDDChk}",
    "add.sat (16) r[a0.1, -32]<1>:uw r[a0.7, 511]<VxH;1,0>:uw 0x00800080:uw {Q3, Atomic, AccWrEn}",
    "mov (8) acc0.4<1>:f -1.5:f",
    "mov (8) r1.3b<1>:uw arf68.0<0;1,0>:uw {Debug}",
    "mov (4) acc0.0<1>:w 0x00006ea2:v",
    "math.idivqr (8) r1.0<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d",
    "mad (8) r10.0<1>.xyw:f r1.0<4>.xyzw:f -r2.2<4>.xxxx.r:f abs r3.0<4>.wzyx:f",
    "add (8) r10.0<1>.xz:f r1.4<0>.xyzw:f r2.0<4>.yyyy:f {align16}",
    "(+f0.0.x) sel (8) r10.0<1>.xyzw:f r1.0<4>.xyzw:f 0x30000000:vf {align16}",
    "if (16) jip=10 uip=-12",
    "while (16) jip=-20",
    "send (1) r64.0<1>:uw r16.0<0;1,0>:ub sampler a0.0<0;1,0>:ud",
    "send (1) null:d r127.0<0;1,0>:ub spawner 0x02000010:d {EOT}",
    "nop (1)",
]


@pytest.mark.parametrize("line", LINES)
def test_text_survives(line):
    assert text(decode(assemble(line))) == line


def test_labels_and_comments():
    data = assemble(
        """
        # a loop that is not executed
    top:
        add (8) r1.0<1>:d r1.0<8;8,1>:d 1:d   # count
        (+f0.0) break (8) jip=bottom uip=bottom
        mov (8) r2.0<1>:f r1.0<8;8,1>:f {Compact}
        jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top
    bottom:
        while (8) jip=top
        """
    )
    instructions = [decode(data, offset) for offset in (16, 40, 56)]
    assert (instructions[0].jip, instructions[0].uip) == (5, 5)
    assert text(instructions[1]).endswith("0xfffffff9:d")
    assert instructions[2].jip == -7


def test_numbers():
    words = {
        "-1:w": 0xFFFFFFFF,
        "7:uw": 0x00070007,
        "-1:d": 0xFFFFFFFF,
        "1.0:f": 0x3F800000,
        "0x7f800000:f": 0x7F800000,
    }
    for number, bits in words.items():
        assert parse(f"mov (8) r1.0<1>:d {number}").sources[0].bits == bits


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("add r1 r2", "line 2: no instruction"),
        ("foo (8) r1.0<1>:d r2.0<8;8,1>:d", "unknown mnemonic foo"),
        ("add (7) r1.0<1>:d r2.0<8;8,1>:d 1:d", "execution sizes are"),
        ("add (8) r1.0<1>:d r2.0<8;8,1>:d", "add takes 2 sources, found 1"),
        ("nop (8) r1.0<1>:d", "nop takes no operands"),
        ("mov (8)", "the destination is missing"),
        ("mov (8) r1.0<3>:d r2.0<8;8,1>:d", "destination strides are"),
        ("mov (8) r1.0<1>:d r2.0<8;8,3>:d", "widths are"),
        ("mov (8) r1.0<1>:d r2.0<7;8,1>:d", "vertical strides are"),
        ("mov (8) r1.0<1>:q r2.0<8;8,1>:d", "unknown type q"),
        ("mov (8) x1.0<1>:d r2.0<8;8,1>:d", "unknown register x1"),
        ("mov (8) r1.0<1>:d r256.0<8;8,1>:d", "bits 12:5 hold 0..255"),
        ("mov (8) r1.0<1>:d r[a0.0, 512]<8;8,1>:d", "512 does not fit into 10 signed bits"),
        ("mov (8) r1.0<1>:d 0x100000000:ud", "does not fit into 32 bits"),
        ("mov (8) r1.0<1>:d &4", "no source"),
        ("mov.big (8) r1.0<1>:d r2.0<8;8,1>:d", "unknown suffix .big"),
        ("mov.z.f2.0 (8) r1.0<1>:d r2.0<8;8,1>:d", "flags are f0.0 to f1.1"),
        ("(+f0.0) mov.z.f0.1 (8) r1.0<1>:d r2.0<8;8,1>:d", "share one flag register"),
        ("(+f0.0.any3h) mov (8) r1.0<1>:d r2.0<8;8,1>:d", "unknown predicate any3h"),
        ("math (8) r1.0<1>:f r2.0<8;8,1>:f r2.0<8;8,1>:f", "math needs one of inv"),
        ("mov (8) r1.0<1>:d r2.0<8;8,1>:d {Fast}", "unknown option Fast"),
        ("if (8) jip=nowhere uip=2", "unknown label nowhere"),
        ("if (8) jip=40000 uip=2", "40000 does not fit into 16 signed bits"),
        ("send (8) null:ud r1.0<8;8,1>:ud kitchen 0x0:ud", "unknown shared function kitchen"),
    ],
)
def test_refusals_name_the_line(line, message):
    with pytest.raises(StateError, match=message) as caught:
        assemble(f"nop (1)\n{line}")
    assert str(caught.value).startswith("line 2: ")
