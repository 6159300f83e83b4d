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
    TABLE_AT,
    VFE,
    Program,
    buffer_surface,
    objects,
)

from texsamp.emulator import media as media_module
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
        assert header.tolist() == [0, 0, 0, SAMPLERS_AT, TABLE_AT, 0, thread, 0]
        assert rows[thread, 1:3].tobytes() == curbe[32:96]
        assert rows[thread, 3:5].view("<u4").reshape(-1).tolist() == inline[thread].tolist() + [0] * 6
        assert rows[thread, 5:7].tobytes() == indirect[8:48] + bytes(24)
        assert not rows[thread, 7].any()


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
    monkeypatch.setattr(media_module, "MOST_THREADS", 4)
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
        (objects([[1]], children_present=True), {}, "MEDIA_OBJECT.children_present is not executed"),
        ([MediaObjectPrt(children_present=True)], {}, r"MEDIA_OBJECT_PRT at 0x\w+: .*children_present is not executed"),
        (objects([[1]], thread_synchronization=True), {}, "thread_synchronization is not executed"),
        (objects([[1]], interface_descriptor=2), {}, "interface descriptor 2 of 2 is used"),
        (objects([[1]]), {"constant_read_length": 9}, "constants up to byte 288 of 256 are read"),
        (objects([[1]]), {"floating_point_mode": "ALTERNATE"}, "floating point mode ALTERNATE is not executed"),
        (objects([[1]]), {"rounding_mode": "RTZ"}, "rounding mode RTZ is not executed"),
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
    many, prepared = media_module.MOST_PROGRAMS + 5, []

    class Counted(media_module.Program):
        def __init__(self, *arguments):
            prepared.append(arguments)
            super().__init__(*arguments)

    monkeypatch.setattr(media_module, "Program", Counted)
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
        ("send (1) null:ud r0.0<8;8,1>:ud spawner 0x02000001:ud", "threads that start threads are not executed"),
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
