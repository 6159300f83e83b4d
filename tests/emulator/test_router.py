"""Messages that move no data: gateway, null, ends of threads, and the errors of seed 003:302-324."""

import pytest
from support.programs import SET_UP, Program, buffer_surface, objects

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
        ("send (1) null:ud r0.0<8;8,1>:ud gateway 0x02000004:ud", "gateway function BARRIER_MSG is not executed"),
        ("send (1) null:ud r0.0<8;8,1>:ud gateway 0x02000002:ud", "gateway function FORWARD_MSG is not executed"),
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
