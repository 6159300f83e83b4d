"""Media threads: payload, order, batches, and what is refused before a thread starts."""

import numpy as np
import pytest
from support.programs import (
    BASES,
    CURBE_AT,
    DESCRIPTORS,
    DESCRIPTORS_AT,
    INDIRECT,
    SAMPLERS_AT,
    SELECT,
    SET_UP,
    STATES,
    SURFACES_AT,
    TABLE_AT,
    VFE,
    Program,
    buffer_surface,
    objects,
)

from texsamp.emulator.dispatch import programs as programs_module
from texsamp.emulator.dispatch import scratch_space
from texsamp.errors import CaptureError
from texsamp.state.commands_media import (
    InterfaceDescriptor,
    MediaInterfaceDescriptorLoad,
    MediaObject,
    MediaObjectPrt,
    MediaVfeState,
)
from texsamp.state.commands_mi import MiStoreDataImm

THREAD_B = 16 * 32
STORE = """
    mov (8) r100.0<1>:ud 0:ud
    mul (1) r100.2<1>:ud r0.6<0;1,0>:ud 32:uw            # OWords of 16 registers
    add (1) r100.2<1>:ud r100.2<0;1,0>:ud {offset}:ud
    mov (8) r101.0<1>:ud r{first}.0<8;8,1>:ud
    mov (8) r102.0<1>:ud r{second}.0<8;8,1>:ud
    send (16) null:ud r100.0<8;8,1>:ud data_cache 0x060a0300:ud   # OWord block write, 4 OWords
"""


def _stored(registers):
    """Kernel text that stores pairs of registers behind each other."""
    pairs = zip(registers[0::2], registers[1::2], strict=True)
    return "\n".join(STORE.format(first=a, second=b, offset=4 * i) for i, (a, b) in enumerate(pairs))


def _program(commands, kernel, count, **more):
    size = count * THREAD_B
    return Program(commands, kernel, surfaces=[buffer_surface(0, size)], data=[bytes(size)], **more)


def test_payload_is_header_constants_inline_and_indirect_data():
    inline = np.arange(3 * 10).reshape(3, 10)
    curbe, indirect = bytes(range(128)), bytes(range(100, 148))
    threads = objects(inline, indirect_length=40, indirect_start=8)
    program = _program(
        [*SET_UP, *threads], _stored(range(8)), 3, curbe=curbe, indirect=indirect,
        constant_read_length=2, constant_read_offset=1, sampler_state_pointer=SAMPLERS_AT,
    )  # fmt: skip
    done = [executed for executed in program.run() if executed.dispatch]
    assert [(executed.dispatch.threads, executed.located.count) for executed in done] == [(3, 3)]
    rows = program.data().reshape(3, 16, 32)
    for thread in range(3):
        header = rows[thread, 0].view("<u4")
        assert header.tolist() == [0, 0, 0, SAMPLERS_AT, TABLE_AT, thread << 10 | thread, thread, 0]
        assert rows[thread, 1:3].tobytes() == curbe[32:96]
        assert rows[thread, 3:5].view("<u4").reshape(-1).tolist() == inline[thread].tolist() + [0] * 6
        assert rows[thread, 5:7].tobytes() == indirect[8:48] + bytes(24)
        assert not rows[thread, 7].any()


def test_threads_that_run_at_once_have_scratch_space_of_their_own():
    vfe = MediaVfeState(max_threads=2, curbe_size=32, scratch_base=0x4000, per_thread_scratch=1)
    kernel = """
        mov (8) r10.0<1>:ud r0.0<8;8,1>:ud
        mov (8) r11.0<1>:ud r1.0<0;1,0>:ud
        send (16) null:ud r10.0<8;8,1>:ud data_cache 0x040e0000:ud    # scratch block write of a register
        mov (8) r11.0<1>:ud 0:ud
        send (16) r11.0<1>:ud r10.0<8;8,1>:ud data_cache 0x021c0000:ud
        mov (8) r1.0<1>:ud r11.0<8;8,1>:ud
    """
    commands = [SET_UP[0], *SET_UP[1:2], vfe, *SET_UP[3:], *objects([[7], [8], [9]])]
    program = Program(
        commands, kernel + _stored(range(4)), surfaces=[buffer_surface(0, 3 * THREAD_B)], data=[bytes(0x8000)]
    )
    program.run()
    rows = program.data()[: 3 * THREAD_B].reshape(3, 16, 32).view("<u4")
    assert rows[:, 1, 0].tolist() == [7, 8, 9]
    assert rows[:, 0, 5].tolist() == [0x4000, 0x4801, 0x4000]  # two at once: 2 KiB each
    assert program.data()[0x4000:0x4004].tolist() == [9, 0, 0, 0]
    assert program.data()[0x4800:0x4804].tolist() == [8, 0, 0, 0]


def test_a_persistent_root_thread_is_given_its_twelve_dwords():
    inline = list(range(100, 112))
    commands = [MediaObjectPrt(interface_descriptor=0, fence=True, inline_data=inline)]
    program = _program([*SET_UP, *commands], _stored(range(4)), 1, curbe=bytes(range(32)), constant_read_length=1)
    (done,) = [executed for executed in program.run() if executed.dispatch]
    assert done.dispatch.threads == 1
    rows = program.data().reshape(16, 32)
    assert rows[1].tobytes() == bytes(range(32))
    assert rows[2:4].view("<u4").reshape(-1).tolist() == [*inline, 0, 0, 0, 0]
    words = MediaObjectPrt(inline_data=inline, fence=True, fence_type=1).to_dwords()
    assert words == (0x7102000E, 0, 3 << 22, 0, *inline)


def test_objects_with_other_fields_are_other_dispatches():
    threads = [*objects([[1]] * 2), *objects([[1]], interface_descriptor=1), *objects([[1, 2]]), MediaObject()]
    program = Program([*SET_UP, *threads], "nop (1)", "nop (1)\nnop (1)")
    dispatches = [executed.dispatch for executed in program.run() if executed.dispatch]
    assert [(dispatch.threads, dispatch.steps) for dispatch in dispatches] == [(2, 2), (1, 3), (1, 2), (1, 2)]


def test_batches_do_not_change_the_result(monkeypatch):
    inline = np.random.default_rng(1).integers(0, 1 << 32, (11, 8), np.uint32)
    whole = _program([*SET_UP, *objects(inline)], _stored(range(4)), 11)
    whole.run()
    monkeypatch.setattr(scratch_space, "MOST_THREADS", 4)
    parts = _program([*SET_UP, *objects(inline)], _stored(range(4)), 11)
    parts.run()
    assert np.array_equal(whole.data(), parts.data())
    assert whole.data().any()


def test_state_is_what_it_was_when_it_was_loaded():
    changes = [MiStoreDataImm(address=STATES + at, data=0x06060606) for at in (CURBE_AT, DESCRIPTORS_AT)]
    commands = [*SET_UP, *changes, *objects([[1]])]
    program = _program(commands, _stored(range(2)), 1, curbe=b"\x05" * 32, constant_read_length=1)
    program.run()
    assert (program.data()[32:64] == 5).all()


@pytest.mark.parametrize(
    ("commands", "descriptor", "message"),
    [
        (objects([[1]], interface_descriptor=2), {}, "interface descriptor 2 of 2 is used"),
        (objects([[1]]), {"constant_read_length": 9}, "constants up to byte 288 of 256 are read"),
        (objects([[0] * 1100]), {}, "the payload of a thread has 139 registers, there are 128"),
        (objects([[1]], indirect_length=32), {}, rf"32 bytes at {INDIRECT:#x} are not mapped"),
        (objects([[1]]), {"kernel_start": 0x100000}, "at 0x400000 are not mapped"),
        ([MediaVfeState(gpgpu_mode=True), *objects([[1]])], {}, "needs the media pipeline selected"),
    ],
)
def test_refusals(commands, descriptor, message):
    with pytest.raises(CaptureError, match=message):
        Program([*SET_UP, *commands], "nop (1)", **descriptor).run()


@pytest.mark.parametrize("commands", [[BASES, VFE, DESCRIPTORS], [BASES, SELECT, DESCRIPTORS]])
def test_the_pipeline_must_be_set_up(commands):
    with pytest.raises(CaptureError, match="needs the media pipeline selected and MEDIA_VFE_STATE set"):
        Program([*commands, *objects([[1]])], "nop (1)").run()


def test_only_so_many_kernels_stay_prepared(monkeypatch):
    """Kernels that begin at every fourth instruction of one; the oldest has to be prepared again."""
    many, prepared = programs_module.MOST_PROGRAMS + 5, []

    class Counted(programs_module.Program):
        def __init__(self, *arguments):
            prepared.append(arguments)
            super().__init__(*arguments)

    monkeypatch.setattr(programs_module, "Program", Counted)
    states = {DESCRIPTORS_AT + 32 * n: InterfaceDescriptor(kernel_start=64 * n).pack() for n in range(many)}
    kernels = [*range(many), *range(5, many), 0, 5]
    commands = [
        command
        for n in kernels
        for command in (MediaInterfaceDescriptorLoad(data_length=32, data_start=DESCRIPTORS_AT + 32 * n), MediaObject())
    ]
    Program([*SET_UP, *commands], "nop (1)\n" * 4 * many, states=states).run()
    assert len(prepared) == many + 2


def test_endless_kernels_are_stopped():
    loop = "top:\njmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top"
    with pytest.raises(CaptureError, match=r"MEDIA_OBJECT at 0x\w+: EU offset 0x0, jmpi .* limit on executed work"):
        Program([*SET_UP, *objects([[1]])], loop).run(steps=500)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("send (1) null:ud r0.0<8;8,1>:ud spawner 0x02000009:ud", "SPAWNER_MESSAGE_DESCRIPTOR"),
        ("send (8) null:ud r0.0<8;8,1>:ud render_cache 0x02030000:ud", "RENDER_TARGET_WRITE is not executed"),
        ("send (8) r1.0<1>:ud r0.0<8;8,1>:ud render_cache 0x0212c000:ud", "legal"),
    ],
)  # fmt: skip
def test_messages_that_are_not_executed(line, message):
    with pytest.raises(CaptureError, match=message):
        Program([*SET_UP, *objects([[1]])], line).run()


def test_surfaces_must_exist():
    line = "send (16) null:ud r0.0<8;8,1>:ud data_cache 0x060a03{index}:ud"
    with pytest.raises(CaptureError, match="surface 7: RENDER_SURFACE_STATE"):
        states = {TABLE_AT + 28: (0x4000).to_bytes(4, "little")}
        Program([*SET_UP, *objects([[1]])], line.format(index="07"), states=states).run()
    with pytest.raises(CaptureError, match="binding table index 253 names no surface state"):
        Program([*SET_UP, *objects([[1]])], line.format(index="fd")).run()


def test_entries_of_the_binding_table_choose_surfaces():
    """Seeds 002:1509-1528, 003:1942-1949: an entry is the place of a surface state in steps of 32 bytes."""
    reads = "\n".join(
        f"send (8) r{20 + number}.0<1>:ud r10.0<8;8,1>:ud data_cache {0x02180200 | entry:#010x}:ud"
        for number, entry in enumerate((2, 1, 200))
    )
    kernel = f"""
        mov (8) r10.0<1>:ud 0:ud
        {reads}
        mov (8) r90.0<1>:ud 0:ud
        mov (8) r91.0<1>:ud r20.0<8;8,1>:ud
        mov (8) r92.0<1>:ud r21.0<8;8,1>:ud
        mov (8) r93.0<1>:ud r22.0<8;8,1>:ud
        mov (8) r94.0<1>:ud 0:ud
        send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0400:ud
    """
    surfaces = [buffer_surface(0, 128), buffer_surface(1, 64), buffer_surface(2, 64)]
    shared = {TABLE_AT + 4 * 200: (SURFACES_AT + 64).to_bytes(4, "little")}
    program = Program(
        [*SET_UP, *objects([[1]])], kernel, surfaces=surfaces, data=[bytes(128), b"\1" * 64, b"\2" * 64], states=shared
    )
    program.run()
    assert program.data().reshape(4, 32)[:, 0].tolist() == [2, 1, 2, 0]
