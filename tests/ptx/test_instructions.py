"""Instructions at the edges of what the PTX ISA says: shifts beyond the width, NaN, zeros, saturation, rounding."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from support.ptx import Memory, Module

NAN, CANONICAL, INF = 0x7FC12345, 0x7FFFFFFF, 0x7F800000
LEAST, MOST = 0x80000000, 0x7FFFFFFF
WIDE_NAN = 0x7FF8000000000123
TINY = 0x00000001  # the smallest denormal


def bits(value: float) -> int:
    """Of a float32."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def wide(value: float) -> int:
    """Bits of a float64."""
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


RESULTS = (
    # instruction, kinds of registers (the result first), operands, result; floats as their bits
    ("add.s32", "rrr", (MOST, 1), LEAST),
    ("mul.lo.s16", "hhh", (0xFFFF, 0xFFFF), 1),
    ("mul.wide.s16", "rhh", (0x8000, 0x7FFF), 0xC0008000),
    ("mul.wide.s32", "drr", (LEAST, LEAST), 1 << 62),
    ("mul.hi.s32", "rrr", (LEAST, 3), 0xFFFFFFFE),
    ("mul.hi.u32", "rrr", (LEAST, 3), 1),
    ("mad.lo.s32", "rrrr", (0x10001, 0x10001, 5), 0x20006),
    ("abs.s32", "rr", (LEAST,), LEAST),
    ("neg.s16", "hh", (0x8000,), 0x8000),
    ("min.s16", "hhh", (0x8000, 1), 0x8000),
    ("min.u16", "hhh", (0x8000, 1), 1),
    ("div.s32", "rrr", (0xFFFFFFF9, 2), 0xFFFFFFFD),
    ("rem.s32", "rrr", (0xFFFFFFF9, 2), 0xFFFFFFFF),
    ("div.u32", "rrr", (0xFFFFFFF9, 2), 0x7FFFFFFC),
    ("shl.b32", "rrr", (1, 32), 0),
    ("shl.b16", "hhr", (3, 15), 0x8000),
    ("shr.s32", "rrr", (0xFFFFFFF8, 40), 0xFFFFFFFF),
    ("shr.s32", "rrr", (0xFFFFFFF8, 1), 0xFFFFFFFC),
    ("shr.u32", "rrr", (0xFFFFFFF8, 40), 0),
    ("shr.u16", "hhr", (0x8000, 15), 1),
    ("shf.l.wrap.b32", "rrrr", (0x80000001, 0x00000002, 33), 0x00000005),
    ("bfi.b32", "rrrrr", (0x1FF, 0xF000000F, 4, 8), 0xF0000FFF),
    ("bfi.b32", "rrrrr", (0x1FF, 0xF000000F, 28, 8), 0xF000000F),
    ("bfe.s32", "rrrr", (0x00000F00, 8, 4), 0xFFFFFFFF),
    ("bfe.u32", "rrrr", (0x00000F00, 8, 4), 15),
    ("bfe.s32", "rrrr", (0x80000000, 28, 8), 0xFFFFFFF8),
    ("prmt.b32", "rrrr", (0x33221180, 0x77665544, 0x7418), 0x774411FF),
    ("dp2a.lo.s32.u32", "rrrr", (0xFFFF0002, 0x04030201, 10), 10),
    ("dp2a.lo.u32.u32", "rrrr", (0xFFFF0002, 0x04030201, 10), 0x2000A),
    ("dp2a.lo.s32.s32", "rrrr", (0xFFFF0002, 0x0403FE01, 10), 14),
    ("dp2a.lo.u32.s32", "rrrr", (0xFFFF0002, 0x0403FE01, 10), (12 - 2 * 65535) % 2**32),
    ("cvt.s16.s8", "hh", (0x1280,), 0xFF80),
    ("cvt.u32.u8", "rh", (0x1280,), 0x80),
    ("cvt.s64.s32", "dr", (LEAST,), 0xFFFFFFFF80000000),
    ("cvt.u16.u32", "hr", (0x12345678,), 0x5678),
    ("cvt.rn.f32.s32", "fr", (0x01000001,), bits(2.0**24)),
    ("cvt.rn.f32.u32", "fr", (0xFFFFFFFF,), bits(2.0**32)),
    ("cvt.rzi.s32.f32", "rf", (bits(-1.9),), 0xFFFFFFFF),
    ("cvt.rzi.s32.f32", "rf", (bits(3e9),), MOST),
    ("cvt.rzi.s32.f32", "rf", (0xFF800000,), LEAST),
    ("cvt.rzi.s32.f32", "rf", (NAN,), 0),
    ("cvt.rzi.s64.f32", "df", (bits(-1.9),), 0xFFFFFFFFFFFFFFFF),
    ("cvt.rzi.s64.f32", "df", (bits(2.0**40),), 1 << 40),
    ("cvt.rzi.s64.f32", "df", (bits(2.0**63),), (1 << 63) - 1),
    ("cvt.rmi.f32.f32", "ff", (bits(-1.5),), bits(-2.0)),
    ("add.rn.f32", "fff", (NAN, bits(1.0)), CANONICAL),
    ("sub.rn.f32", "fff", (INF, INF), CANONICAL),
    ("add.rn.f32", "fff", (TINY, TINY), 2),
    ("add.rn.ftz.f32", "fff", (TINY, TINY), 0),
    ("mul.rn.ftz.f32", "fff", (bits(2.0**-100), bits(-(2.0**-30))), 0x80000000),
    ("mul.rn.f32", "fff", (bits(2.0**-100), bits(-(2.0**-30))), 0x80080000),
    ("div.rn.f32", "fff", (bits(1.0), bits(3.0)), 0x3EAAAAAB),
    ("div.rn.f32", "fff", (bits(1.0), 0x80000000), 0xFF800000),
    ("dp4a.u32.u32", "rrrr", (0xFF020304, 0xFF010101, 10), 255 * 255 + 2 + 3 + 4 + 10),
    ("dp4a.u32.s32", "rrrr", (0xFF020304, 0xFF01FF01, 10), (-255 + 2 - 3 + 4 + 10) % 2**32),
    ("dp4a.s32.u32", "rrrr", (0xFF020304, 0xFF010101, 10), (-255 + 2 + 3 + 4 + 10) % 2**32),
    ("dp4a.s32.s32", "rrrr", (0xFF020304, 0xFF01FF01, 10), (1 + 2 - 3 + 4 + 10) % 2**32),
    ("vabsdiff4.u32.u32.u32.add", "rrrr", (0xFF020304, 0x00050301, 10), 255 + 3 + 0 + 3 + 10),
    ("rcp.rn.f32", "ff", (bits(3.0),), 0x3EAAAAAB),
    ("rcp.rn.f32", "ff", (0x80000000,), 0xFF800000),
    ("sqrt.rn.f32", "ff", (bits(-1.0),), CANONICAL),
    ("fma.rn.f32", "ffff", (0x3F800001, 0x3F800001, 0xBF800002), 0x28800000),
    ("min.f32", "fff", (NAN, bits(1.0)), bits(1.0)),
    ("max.f32", "fff", (bits(1.0), NAN), bits(1.0)),
    ("min.f32", "fff", (NAN, NAN), CANONICAL),
    ("min.f32", "fff", (0, 0x80000000), 0x80000000),
    ("max.f32", "fff", (0x80000000, 0), 0),
    ("copysign.f32", "fff", (bits(-2.0), bits(3.0)), bits(-3.0)),
    ("setp.lt.f32", "pff", (NAN, bits(1.0)), 0),
    ("setp.leu.f32", "pff", (NAN, bits(1.0)), 1),
    ("setp.neu.f32", "pff", (NAN, NAN), 1),
    ("setp.num.f32", "pff", (bits(1.0), NAN), 0),
    ("setp.ge.f64", "pgg", (wide(1.0), wide(1.0)), 1),
    ("setp.geu.f64", "pgg", (WIDE_NAN, wide(1.0)), 1),
    ("setp.nan.f64", "pgg", (wide(1.0), WIDE_NAN), 1),
    ("neg.f64", "gg", (0,), 1 << 63),
    ("abs.f64", "gg", (wide(-2.5),), wide(2.5)),
    ("cvt.rn.f64.s32", "gr", (0xFFFFFFFF,), wide(-1.0)),
    ("cvt.rn.f64.s64", "gd", ((1 << 53) + 1,), wide(2.0**53)),
    ("setp.lt.s32", "prr", (LEAST, 0), 1),
    ("setp.lt.u32", "prr", (LEAST, 0), 0),
    ("setp.eq.ftz.f32", "pff", (TINY, 0), 1),
    ("mov.pred %p1, -1;\n@%p1 bra $L1;\nmov.u32 %r1, 0;\n$L1:\nmov.u32", "rr", (7,), 7),
)
REGISTERS = {
    "g": ("%fd", "f64"),
    "r": ("%r", "b32"),
    "h": ("%rs", "b16"),
    "d": ("%rd", "b64"),
    "f": ("%f", "f32"),
    "p": ("%p", "pred"),
}


def execute(instruction: str, kinds: str, operands: tuple[int, ...]) -> int:
    """One thread: operands from 8-byte words of memory, the result into the first."""
    declared = [f".reg .{type_} {name}<9>;" for name, type_ in REGISTERS.values()]
    names = [f"{REGISTERS[kind][0]}{place}" for place, kind in enumerate(kinds)]
    loads = [
        f"ld.global.{REGISTERS[kind][1]} {name}, [%rd8+{8 * place}];"
        for place, (kind, name) in enumerate(zip(kinds, names, strict=True))
        if place
    ]
    store = f"st.global.{REGISTERS[kinds[0]][1]} [%rd8+0], {names[0]};"
    if kinds[0] == "p":
        store = f"selp.u32 %r7, 1, 0, {names[0]}; st.global.u32 [%rd8+0], %r7;"
    lines = [
        *declared,
        "ld.param.u64 %rd8, [probe_param_0];",
        *loads,
        f"{instruction} {', '.join(names)};",
        store,
        "ret;",
    ]
    header = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry probe(\n.param .u64 probe_param_0\n)\n{\n"
    memory = Memory()
    words = memory.allocate(64)
    words.data.view(np.uint64)[:] = [0, *operands, *[0] * (7 - len(operands))]
    words.known[:] = 1
    module = Module(header + "\n".join(lines) + "\n}\n", memory)
    module.kernel("probe").launch((1, 1, 1), (1, 1), struct.pack("<Q", words.address))
    return int(words.data.view(np.uint64)[0])


@pytest.mark.parametrize("instruction", sorted({row[0] for row in RESULTS}))
def test_results(instruction):
    for name, kinds, operands, wanted in RESULTS:
        if name == instruction:
            assert hex(execute(name, kinds, operands)) == hex(wanted), (name, [hex(each) for each in operands])
