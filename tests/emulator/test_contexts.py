"""MI_SET_CONTEXT and images of contexts."""

import numpy as np
import pytest
from support.programs import (
    BASES,
    CURBE,
    DESCRIPTORS,
    KERNELS,
    SELECT,
    VFE,
    Program,
    buffer_surface,
    data_address,
    objects,
)

from texsamp.emulator.context.image import MARK, image_of
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import StreamOutBuffer, VertexBuffers, VertexBufferState
from texsamp.state.commands_common import StateBaseAddress
from texsamp.state.commands_mi import (
    MiBatchBufferEnd,
    MiLoadRegisterImm,
    MiSetContext,
    MiStoreDataImm,
    MiStoreRegisterMem,
)
from texsamp.state.commands_sampler import ChromaKey, MonofilterSize, PaletteLoad0
from texsamp.state.pixel_state import BlendStatePointers

ONE, OTHER, OUT = data_address(1), data_address(2), data_address(0)
REGISTER = 0x2440
DATA = [bytes(64), bytes(1 << 14), bytes(1 << 14)]


def _set(address, **flags):
    return MiSetContext(context_address=address, **flags)


def _load(value):
    return MiLoadRegisterImm(register_offset=REGISTER, data=value)


def _store(number):
    return MiStoreRegisterMem(register_offset=REGISTER, memory_address=OUT + 4 * number)


def test_registers_belong_to_their_context():
    new = {"restore_inhibit": True}
    program = Program(
        [
            _set(ONE, **new), _load(1), _set(OTHER, **new), _store(0), _load(2), _set(ONE), _store(1), _set(ONE),
            _load(3), _set(ONE), _store(2), _set(OTHER), _store(3), _set(ONE), _store(4),
        ],
        data=DATA,
    )  # fmt: skip
    program.run()
    assert program.data()[:20].view("<u4").tolist() == [1, 1, 3, 2, 3]  # inhibited: the values stay


def test_a_forced_restore_reads_the_image_again():
    program = Program(
        [_set(ONE, restore_inhibit=True), _load(1), _set(OTHER, restore_inhibit=True), _set(ONE), _load(9),
         _set(ONE), _store(0), _set(ONE, force_restore=True), _store(1)],
        data=DATA,
    )  # fmt: skip
    program.run()
    assert program.data()[:8].view("<u4").tolist() == [9, 1]


def test_threads_run_with_the_state_of_a_restored_context():
    store = """
        mov (8) r100.0<1>:ud 0:ud
        mov (8) r101.0<1>:ud r1.0<8;8,1>:ud
        mov (8) r102.0<1>:ud r1.0<8;8,1>:ud
        send (16) null:ud r100.0<8;8,1>:ud data_cache 0x060a0200:ud
    """
    elsewhere = StateBaseAddress(
        dynamic_state_base=KERNELS, dynamic_state_modify=True, surface_state_base=KERNELS, surface_state_modify=True
    )
    program = Program(
        [
            _set(ONE, restore_inhibit=True), SELECT, BASES, VFE, CURBE, DESCRIPTORS, ChromaKey(index=2, low_red=7),
            MonofilterSize(width=3, height=2), PaletteLoad0(tail=[5, 6]),
            _set(OTHER, restore_inhibit=True), elsewhere, MonofilterSize(), PaletteLoad0(tail=[8]),
            _set(ONE), *objects([[1]]),
        ],
        store, surfaces=[buffer_surface(0, 64)], data=DATA, curbe=bytes(range(32)), constant_read_length=1,
    )  # fmt: skip
    program.run()
    assert program.data()[:32].tobytes() == bytes(range(32))
    settings = program.context.sampler_settings
    assert settings.mono_size == (3, 2)
    assert settings.key(2)[0][0] == 7
    assert settings.palette("P8A8_UNORM_PALETTE0")[:3].tolist() == [5, 6, 0]
    with pytest.raises(CaptureError, match="chroma key 1 is used and was not loaded"):
        settings.key(1)


def test_an_image_is_made_of_commands_and_has_room_for_every_register():
    loads = [MiLoadRegisterImm(register_offset=0x5000 + 4 * n, data=n + 1) for n in range(300)]
    program = Program(
        [_set(ONE, restore_inhibit=True), *loads, _set(OTHER, restore_inhibit=True), _set(ONE)], data=DATA
    )
    program.run()
    assert [program.context.registers.read(0x5000 + 4 * n) for n in range(300)] == list(range(1, 301))
    image = image_of(program.context)
    assert image.startswith(MARK.pack())
    assert image.endswith(MiBatchBufferEnd().pack())


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ([_set(ONE, force_restore=True, restore_inhibit=True)], "cannot both force and inhibit the restore"),
        ([_set(ONE)], "no image of a context is at 0x1100000: those of hardware are opaque"),
        ([_set(0x9000_0000)], r"0x90000000 are not mapped"),
        ([_set(0x9000_0000, restore_inhibit=True), _set(ONE)], r"0x90000000 are not mapped"),
        (
            [_set(ONE, restore_inhibit=True), _set(OTHER, restore_inhibit=True),
             MiStoreDataImm(address=ONE + 4, data=0x01000000), _set(ONE)],
            "the image of a context at 0x1100000 holds MI_USER_INTERRUPT",
        ),
    ],
)  # fmt: skip
def test_refusals(commands, message):
    with pytest.raises(CaptureError, match=message):
        Program(commands, data=DATA).run()


def test_a_batch_buffer_should_not_switch_contexts():
    (done, *_) = Program([_set(ONE, restore_inhibit=True)], data=DATA).run()
    assert done.warnings == ("MI_SET_CONTEXT is permitted only within a ring buffer",)
    assert np.frombuffer(done.located.command.pack(), "<u4")[1] == ONE | 0x101


def test_vertex_buffers_and_pointers_keep_what_later_commands_leave_alone():
    buffers = [VertexBufferState(index=n, pitch=8, start_address=n << 12, end_address=n << 12 | 255) for n in (0, 2)]
    later = [
        VertexBufferState(index=2, pitch=16, start_address=1, end_address=2),
        VertexBufferState(index=0, pitch=4, start_address=64, end_address=99, address_modify=True),
        VertexBufferState(index=5, pitch=12),
    ]
    program = Program(
        [
            VertexBuffers(tail=buffers), VertexBuffers(tail=later),
            BlendStatePointers(pointer=64, valid=True), BlendStatePointers(pointer=128),
            *(StreamOutBuffer(index=n, pitch=4 * n + 4) for n in (0, 1, 0)),
        ]
    )  # fmt: skip
    program.run()
    kept = {state.index: state for state in program.context.last["3DSTATE_VERTEX_BUFFERS", 0].elements}
    assert sorted(kept) == [0, 2, 5]
    assert (kept[2].pitch, kept[2].start_address, kept[2].end_address) == (16, 0x2000, 0x20FF)
    assert (kept[0].pitch, kept[0].start_address, kept[0].end_address) == (4, 64, 99)
    assert program.context.last["3DSTATE_BLEND_STATE_POINTERS", 0].pointer == 64
    assert [program.context.last["3DSTATE_SO_BUFFER", n].pitch for n in (0, 1)] == [4, 8]
