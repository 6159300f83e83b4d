"""Messages that move no data: gateway, null, ends of threads, and the errors of seed 003:302-324."""

import numpy as np
import pytest
from support.programs import SET_UP, Program, buffer_surface, objects

from texsamp.emulator.eu.isa.text import SHARED_FUNCTIONS
from texsamp.errors import CaptureError

STORE = """
    mov (8) r90.0<1>:ud 0:ud
    mov (8) r91.0<1>:ud r20.0<8;8,1>:ud
    mov (8) r92.0<1>:ud 0:ud
    send (16) null:ud r90.0<8;8,1>:ud data_cache 0x060a0300:ud
"""


def _run(line):
    program = Program([*SET_UP, *objects([[1]])], line + STORE, surfaces=[buffer_surface(0, 64)], data=[bytes(64)])
    program.run()
    return program.data().view("<u4")[:8].tolist()


FILL = "mov (8) r20.0<1>:ud 0xeeeeeeee:ud\nmov (8) r10.0<1>:ud 0:ud\n"
UNTOUCHED = [0xEEEEEEEE] * 8


@pytest.mark.parametrize(
    ("function", "descriptor", "returned"),
    [
        (0, 0x02000000, UNTOUCHED),  # null
        (2, 0x021FF000, UNTOUCHED),  # sampler: a cache flush answers without writing
        (3, 0x02104000, [3 << 16, *UNTOUCHED[1:]]),  # gateway: an acknowledgment
        (4, 0x02184200, [7, 0, 0, 9, 0, 0, 0, 5]),  # sampler cache: an unaligned read
        (5, 0x0219E000, UNTOUCHED),  # render cache: a fence
        (6, 0x02180005, [0, *UNTOUCHED[1:]]),  # URB: an atomic increment of what nobody wrote
        (9, 0x02180200, [7, 0, 0, 9, 0, 0, 0, 5]),  # constant cache: a block read
        (10, 0x02180200, [7, 0, 0, 9, 0, 0, 0, 5]),  # data cache: the same
    ],
)
def test_function_ids_reach_their_functions(function, descriptor, returned):
    """Seed 003:154-217: four bits choose the function; ending (7, the spawner) is in every kernel here."""
    destination = "null" if returned == UNTOUCHED and function == 0 else "r20.0<1>"
    line = f"{FILL}send (8) {destination}:ud r10.0<8;8,1>:ud {SHARED_FUNCTIONS[function]} {descriptor:#010x}:ud"
    data = np.zeros(64, np.uint8)
    data.view("<u4")[[0, 3, 7]] = 7, 9, 5
    commands = [*SET_UP, *objects([[1]])]
    program = Program(
        commands, line + STORE, surfaces=[buffer_surface(0, 64), buffer_surface(1, 64)], data=[data, bytes(64)]
    )
    program.run()
    assert program.data().view("<u4")[:8].tolist() == returned


@pytest.mark.parametrize("function", [1, 8, 11, 12, 13, 14, 15])
def test_functions_that_are_not_there_are_named(function):
    with pytest.raises(CaptureError, match=r"messages to (\w+|\d+) are not executed|not a shared function|reserved"):
        _run(f"send (8) null:ud r0.0<8;8,1>:ud {SHARED_FUNCTIONS[function]} 0x02000000:ud")


def test_registers_are_eight_dwords():
    """Seed 003:280-300: Rn.d is dword d of register n, R(n + 1).0 the one after Rn.7; messages count alike."""
    lines = [f"mov (1) r20.{dword}<1>:ud {dword + 1}:ud" for dword in range(8)]
    assert _run("\n".join(lines)) == [1, 2, 3, 4, 5, 6, 7, 8]
    across = "mov (8) r19.0<1>:ud 0:ud\nmov (8) r20.0<1>:ud 0:ud\nmov (8) r19.6<1>:ud 9:ud"
    assert _run(across) == [9] * 6 + [0] * 2


@pytest.mark.parametrize("function", [0, 1])
def test_the_gateway_acknowledges_in_one_dword(function):
    fill = "mov (8) r20.0<1>:ud 0xeeeeeeee:ud\n"
    send = f"send (8) r20.0<1>:ud r0.0<8;8,1>:ud gateway {0x02104000 | function:#010x}:ud"
    assert _run(fill + send) == [3 << 16] + [0xEEEEEEEE] * 7
    silent = f"send (8) null:ud r0.0<8;8,1>:ud gateway {0x02000000 | function:#010x}:ud"
    assert _run(fill + silent) == [0xEEEEEEEE] * 8


def test_the_null_function_ends_threads_and_does_nothing_else():
    Program([*SET_UP, *objects([[1]])], "send (8) null:ud r0.0<8;8,1>:ud null 0x02000000:ud {EOT}").run()
    assert _run("send (8) null:ud r0.0<8;8,1>:ud null 0x02000000:ud") == [0] * 8


@pytest.mark.parametrize("cache", ["data_cache", "render_cache"])
def test_fences_change_nothing(cache):
    """Everything is done when the next message is sent, so there is nothing to wait for."""
    fill = "mov (8) r20.0<1>:ud 0xeeeeeeee:ud\n"
    assert _run(f"{fill}send (8) null:ud r0.0<8;8,1>:ud {cache} 0x0209c000:ud") == [0xEEEEEEEE] * 8
    assert _run(f"{fill}send (8) r20.0<1>:ud r0.0<8;8,1>:ud {cache} 0x0219e000:ud") == [0xEEEEEEEE] * 8


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("send (1) null:ud r0.0<8;8,1>:ud gateway 0x02000004:ud", "whose interface descriptor has no barrier"),
        (
            "send (1) null:ud r0.0<8;8,1>:ud gateway 0x02000005:ud",
            "UPDATE_GATEWAY_STATE: pages 5 and 6 print no",
        ),
        ("send (1) null:ud r0.0<8;8,1>:ud gateway 0x04000000:ud", "one register without a header"),
        ("send (8) r20.0<1>:ud r0.0<8;8,1>:ud gateway 0x02100000:ud", "returns 0 registers, not 1"),
        ("send (8) null:ud r0.0<8;8,1>:ud gateway 0x02004000:ud {EOT}", "ends its thread is not acknowledged"),
        ("send (8) r20.0<1>:ud r0.0<8;8,1>:ud null 0x02100000:ud", "the null function returns nothing"),
        ("send (8) null:ud r0.0<8;8,1>:ud sampler 0x02420000:ud {EOT}", "a message to sampler cannot end a thread"),
        ("send (8) null:ud r0.0<8;8,1>:ud constant_cache 0x020a0000:ud {EOT}", "constant_cache cannot end a thread"),
        ("send (8) null:ud r0.0<8;8,1>:ud urb 0x02080004:ud {EOT}", "ends threads of the 3D pipeline only"),
        ("send (8) null:ud r0.0<8;8,1>:ud vme 0x02080000:ud", "messages to vme are not executed"),
        ("send (8) null:ud r0.0<8;8,1>:ud 13 0x02000000:ud", "messages to 13 are not executed"),
        ("send (8) null:ud r0.0<8;8,1>:ud data_cache 0x02024000:ud", "legal|not executed"),
        (
            "send (8) r20.0<1>:ud r0.0<8;8,1>:ud data_cache 0x041a0200:ud",
            "OWORD_BLOCK_WRITE returns 0 registers, not 1",
        ),
        (
            "send (8) r20.0<1>:ud r0.0<8;8,1>:ud render_cache 0x041a8000:ud",
            "MEDIA_BLOCK_WRITE returns 0 registers, not 1",
        ),
        ("send (8) null:ud r0.0<8;8,1>:ud data_cache 0x0209e000:ud", "MEMORY_FENCE returns 1 registers, not 0"),
        ("send (8) r20.0<1>:ud r0.0<8;8,1>:ud data_cache 0x0219c000:ud", "MEMORY_FENCE returns 0 registers, not 1"),
        ("send (8) null:ud r0.0<8;8,1>:ud data_cache 0x020a0200:ud", "has 1 registers, its type needs"),
        ("send (8) r5.0<1>:ud r0.0<8;8,1>:ud spawner 0x02000010:ud {EOT}", "has a null destination"),
    ],
)
def test_message_errors(line, message):
    with pytest.raises(CaptureError, match=message):
        _run(line)


def test_a_message_that_ends_its_thread_may_name_acc0_as_its_destination():
    """As the last instruction of kernels that make batches for Intel's video encoder; nothing behind it is executed."""
    last = "send (16) acc0.0<1>:ud r64.0<0;1,0>:d spawner 0x02000010:d {EOT}"
    assert _run(f"mov (8) r20.0<1>:ud 7:ud\n{STORE}\n{last}\nmov (8) r20.0<1>:ud 9:ud\n") == [7] * 8
    with pytest.raises(CaptureError, match="the response of a message goes to general registers"):
        _run(last.replace(" {EOT}", ""))
