"""Scratch block messages: registers spilled and filled under a mask (seed 003:10052-10156)."""

import numpy as np
import pytest
from support.programs import SET_UP, Program, buffer_surface, objects

from texsamp.errors import CaptureError

pytestmark = pytest.mark.usefixtures("each_place")

SIZE = 2048
KERNEL = """
    mov (8) r60.0<1>:ud 0:ud                       # header; scratch begins at the general state base
    mov (8) r61.0<1>:ud r1.0<8;8,1>:ud
    mov (8) r62.0<1>:ud r2.0<8;8,1>:ud
    mov (8) r63.0<1>:ud r3.0<8;8,1>:ud
    mov (8) r64.0<1>:ud r4.0<8;8,1>:ud
    mov (8) r20.0<1>:ud 0xeeeeeeee:ud
    mov (8) r21.0<1>:ud 0xeeeeeeee:ud
    mov (8) r22.0<1>:ud 0xeeeeeeee:ud
    mov (8) r23.0<1>:ud 0xeeeeeeee:ud
    mov (1) f0.0<1>:uw {mask}:uw
    (+f0.0) send (16) {target} r60.0<8;8,1>:ud data_cache {descriptor:#010x}:ud
    mov (8) r90.0<1>:ud 0:ud
    mov (8) r91.0<1>:ud r20.0<8;8,1>:ud
    mov (8) r92.0<1>:ud r21.0<8;8,1>:ud
    mov (8) r93.0<1>:ud r22.0<8;8,1>:ud
    mov (8) r94.0<1>:ud r23.0<8;8,1>:ud
    send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0401:ud
"""


def _run(mask, *, write, by_dword, registers, offset):
    code = {1: 0, 2: 1, 4: 3}[registers]
    length, response, target = (1 + registers, 0, "null:ud") if write else (1, registers, "r20.0<1>:ud")
    descriptor = length << 25 | response << 20 | 1 << 19 | 1 << 18 | write << 17 | by_dword << 16 | code << 12 | offset
    rng = np.random.default_rng(mask)
    memory, payload = rng.integers(0, 256, SIZE, np.uint8), rng.integers(0, 1 << 32, 32, np.uint32)
    program = Program(
        [*SET_UP, *objects(payload)], KERNEL.format(mask=mask, target=target, descriptor=descriptor),
        surfaces=[buffer_surface(0, SIZE), buffer_surface(1, 128)], data=[memory.tobytes(), bytes(128)],
    )  # fmt: skip
    program.run()
    return memory.view("<u4"), program.data(0).view("<u4"), program.data(1).view("<u4"), payload


def _is_enabled(mask, by_dword, register, dword):
    half = mask >> 8 * (register % 2) & 0xFF
    return half >> dword & 1 if by_dword else half >> dword // 4 * 4 & 15


@pytest.mark.parametrize("registers", [1, 2, 4])
@pytest.mark.parametrize("by_dword", [False, True])
@pytest.mark.parametrize("mask", [0xFFFF, 0x5A01, 0x80F0])
@pytest.mark.parametrize("write", [False, True])
def test_registers_move_dword_by_dword(registers, by_dword, mask, write):
    offset = 7
    before, after, filled, payload = _run(mask, write=write, by_dword=by_dword, registers=registers, offset=offset)
    spilled, expected = before.copy(), [0xEEEEEEEE] * 32
    for register in range(registers):
        for dword in range(8):
            if _is_enabled(mask, by_dword, register, dword):
                if write:
                    spilled[8 * (offset + register) + dword] = payload[8 * register + dword]
                else:
                    expected[8 * register + dword] = int(before[8 * (offset + register) + dword])
    assert np.array_equal(after, spilled)
    assert filled.tolist() == expected


def test_scratch_must_exist():
    with pytest.raises(CaptureError, match="not mapped"):
        _run(0xFFFF, write=True, by_dword=True, registers=1, offset=100)
