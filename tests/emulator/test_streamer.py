"""The command streamer: registers, memory, predicate, base addresses, and what it refuses."""

import numpy as np
import pytest
from support.programs import BASES, BATCH, DATA, Program, data_address

from texsamp.device import get_device
from texsamp.emulator.dispatch.push_constants import allocation_violations, push_constants
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Primitive
from texsamp.state.commands_common import PipeControl, StateBaseAddress, StateSip
from texsamp.state.commands_media import MediaStateFlush, MediaVfeState
from texsamp.state.commands_mi import (
    MiArbCheck,
    MiArbOnOff,
    MiBatchBufferStart,
    MiClflush,
    MiConditionalBatchBufferEnd,
    MiDisplayFlip,
    MiFlush,
    MiFlushDw,
    MiLoadRegisterImm,
    MiLoadRegisterMem,
    MiLoadRegisterReg,
    MiNoop,
    MiPredicate,
    MiReportPerfCount,
    MiSemaphoreMbox,
    MiStoreDataImm,
    MiStoreDataIndex,
    MiStoreRegisterMem,
    MiSuspendFlush,
    MiUpdateGtt,
    MiUrbClear,
    MiUserInterrupt,
    MiWaitForEvent,
)
from texsamp.state.commands_raster import SampleMask
from texsamp.state.commands_sampler import MonofilterSize, PaletteLoad0
from texsamp.state.decode import RawCommand
from texsamp.state.registry import structure

CPU = get_device("cpu")

SOURCES = (0x2400, 0x2404, 0x2408, 0x240C)
AT = data_address(0)


def _run(*commands, data=bytes(32), **more):
    program = Program(commands, data=[data], **more)
    program.run()
    return program


def test_registers_go_to_and_come_from_memory():
    program = _run(
        MiLoadRegisterImm(register_offset=0x2440, data=0x11223344, tail=[0x2444, 7]),
        MiLoadRegisterImm(register_offset=0x2440, data=0xAABBCCDD, byte_write_disables=0b0101),
        MiStoreRegisterMem(register_offset=0x2440, memory_address=AT + 4),
        MiStoreRegisterMem(register_offset=0x2444, memory_address=AT + 8),
        MiLoadRegisterMem(register_offset=0x2500, memory_address=AT),
        MiStoreRegisterMem(register_offset=0x2500, memory_address=AT + 12),
        MiStoreRegisterMem(register_offset=0x2600, memory_address=AT),
        data=b"abcd" + bytes(range(28)),
    )
    assert program.data()[:16].tobytes() == bytes(4) + bytes.fromhex("44cc22aa") + b"\x07\0\0\0abcd"


def test_data_is_stored_as_one_or_two_dwords():
    program = _run(MiStoreDataImm(address=AT + 4, data=1), MiStoreDataImm(address=AT + 8, data=2, tail=[3]))
    assert program.data().view("<u4").tolist() == [0, 1, 2, 3, 0, 0, 0, 0]


def test_pipe_control_writes_its_immediate():
    program = _run(
        PipeControl(cs_stall=True),
        PipeControl(post_sync="WRITE_IMMEDIATE_DATA", address=AT + 8, immediate=5, tail=[6]),
        PipeControl(post_sync="WRITE_IMMEDIATE_DATA", address=AT + 16, immediate=9),
    )
    assert program.data().view("<u4").tolist() == [0, 0, 5, 6, 9, 0, 0, 0]


def test_time_stamps_count_executed_commands():
    stamp = PipeControl(post_sync="WRITE_TIMESTAMP", address=AT + 8)
    program = _run(
        PipeControl(post_sync="WRITE_TIMESTAMP", address=AT),
        MiNoop(),
        MiLoadRegisterImm(register_offset=0x2440, data=1),
        stamp,
        MiStoreRegisterMem(register_offset=0x2358, memory_address=AT + 16),
        MiLoadRegisterImm(register_offset=0x2358, data=0xFFFFFFFF),
        PipeControl(post_sync="WRITE_TIMESTAMP", address=AT + 24),
    )
    assert program.data().view("<u8").tolist() == [0, 3, 4, 1 << 32]


def test_depth_counts_are_those_of_the_register():
    program = _run(
        PipeControl(post_sync="WRITE_PS_DEPTH_COUNT", address=AT),
        MiLoadRegisterImm(register_offset=0x2350, data=5, tail=[0x2354, 6]),
        PipeControl(post_sync="WRITE_PS_DEPTH_COUNT", address=AT + 8),
        data=bytes([255]) * 32,
    )
    assert program.data()[:16].view("<u4").tolist() == [0, 0, 5, 6]


@pytest.mark.parametrize(
    ("values", "load", "combine", "before", "expected"),
    [
        ((1, 0, 1, 0), "LOAD", "SET", False, True),
        ((1, 0, 1, 5), "LOAD", "SET", True, False),
        ((1, 0, 1, 0), "LOADINV", "SET", True, False),
        ((1, 0, 2, 0), "LOADINV", "AND", True, True),
        ((1, 0, 1, 0), "LOADINV", "AND", False, True),  # combined first, then inverted
        ((1, 0, 1, 0), "LOADINV", "OR", True, False),
        ((1, 0, 2, 0), "LOAD", "OR", True, True),
        ((1, 0, 1, 0), "LOAD", "XOR", True, False),
        ((1, 0, 1, 0), "KEEP", "SET", False, False),
    ],
)
def test_predicate(values, load, combine, before, expected):
    loads = [MiLoadRegisterImm(register_offset=at, data=v) for at, v in zip(SOURCES, values, strict=True)]
    command = MiPredicate(load_operation=load, combine_operation=combine, compare_operation="SRCS_EQUAL")
    program = Program([*loads, command])
    program.context.registers.write(0x2418, int(before))
    program.run()
    assert program.context.registers.predicate is expected
    delta = (values[0] | values[1] << 32) - (values[2] | values[3] << 32)
    assert program.context.registers.read_wide(0x2410) == delta % 2**64


def test_a_predicate_compares_the_difference_with_the_data_register():
    loads = [MiLoadRegisterImm(register_offset=at, data=value) for at, value in zip(SOURCES, (7, 0, 9, 0), strict=True)]
    equal = MiPredicate(load_operation="LOAD", combine_operation="SET", compare_operation="SRCS_EQUAL")
    same_delta = MiPredicate(load_operation="LOAD", combine_operation="SET", compare_operation="DELTAS_EQUAL")
    shift = [
        MiLoadRegisterImm(register_offset=SOURCES[0], data=10),
        MiLoadRegisterImm(register_offset=SOURCES[2], data=12),
    ]
    store = MiStoreRegisterMem(register_offset=0x2418, memory_address=AT)
    assert _run(*loads, equal, *shift, same_delta, store).data()[:4].view("<u4").tolist() == [1]
    assert not _run(*loads, equal, shift[0], same_delta).context.registers.predicate


def test_draws_of_nothing_are_no_draws():
    clear = MiPredicate(load_operation="LOAD", combine_operation="SET", compare_operation="FALSE")
    drop = Primitive(vertex_count=3, instance_count=1, predicate_enable=True)
    empty = Primitive(instance_count=1), Primitive(vertex_count=3)
    program = _run(SampleMask(), *empty, clear, drop, MiStoreDataImm(address=AT, data=1))
    assert program.data()[0] == 1
    with pytest.raises(CaptureError, match="3DPRIMITIVE at 0x10000: vertex elements must be valid"):
        _run(Primitive(vertex_count=3, instance_count=1))


def test_bases_change_only_where_the_modify_bit_is_set():
    program = _run(
        BASES, StateBaseAddress(surface_state_base=0x7000, dynamic_state_base=0x5000, dynamic_state_modify=True)
    )
    bases = program.context.bases
    assert (bases.dynamic, bases.surface, bases.general) == (0x5000, BASES.surface_state_base, DATA)


def test_semaphores():
    """One that is signaled is passed, and signaled anew; one that nobody signals would be waited for without end."""
    signal = MiSemaphoreMbox(update=True, data=7, semaphore_address=AT)
    wait = MiSemaphoreMbox(update=True, compare=True, data=6, semaphore_address=AT)
    of_others = MiSemaphoreMbox(compare=True, compare_register=True, data=1 << 31, semaphore_address=0x2044)
    for commands, left in (([signal], 7), ([signal, wait], 6), ([of_others], 0)):
        assert _run(*commands).data()[0] == left
    with pytest.raises(CaptureError, match=r"waits for more than 6 at 0x\w+, which holds 6: nobody changes it"):
        _run(signal, wait, wait)


def test_commands_without_effect_and_chains():
    nothing = [MiNoop(), StateSip(), MediaStateFlush(), MiFlush(options=4), MiUserInterrupt(), MiArbCheck(),
               MiArbOnOff(enable=False), MiSuspendFlush(suspend=True), MiDisplayFlip(plane=1, pitch=40),
               MiClflush(page_address=AT, tail=[0, 0]), MiUpdateGtt(entry_address=AT, entry=AT | 1, tail=[AT | 4097]),
               MiWaitForEvent(events=1 << 3)]  # fmt: skip
    program = Program([*nothing, MiBatchBufferStart(start_address=data_address(0))],
                      data=[MiStoreDataImm(address=AT + 32, data=7).pack() + b"\0\0\0\x05" + bytes(24)])  # fmt: skip
    done = program.run()
    assert program.data()[32] == 7
    assert [executed.located.command.name for executed in done][-2:] == ["MI_STORE_DATA_IMM", "MI_BATCH_BUFFER_END"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (MiStoreDataImm(address=0x500, data=1), r"MI_STORE_DATA_IMM at 0x10000: 4 bytes at 0x500 are not mapped"),
        (MiLoadRegisterMem(memory_address=AT + 32), "4 bytes at 0x1000020 are not mapped"),
        (
            PipeControl(post_sync="WRITE_IMMEDIATE_DATA", store_data_index=True),
            "HWS_PGA .4080h. does not say where it is",
        ),
        (
            RawCommand("MI_REPORT_HEAD", "mi", (0x03800000,)),
            "MI_REPORT_HEAD at 0x10000: this command is not executed",
        ),
        (MiBatchBufferStart(start_address=BATCH), "the batch buffers run in a circle"),
    ],
)
def test_what_cannot_be_executed_names_command_and_address(command, message):
    with pytest.raises(CaptureError, match=message):
        _run(command)


@pytest.mark.parametrize(("select", "size_B"), [(None, 64), (1, 128), (2, 128), (4, 64), (5, 256), (6, 128), (7, 64)])
def test_reports_of_performance_counters_have_their_number_and_the_time(select, size_B):
    """And nothing counted: drivers subtract reports (Mesa's performance monitors have one of 256 bytes on Gen7)."""
    choose = [] if select is None else [MiLoadRegisterImm(register_offset=0x2360, data=select << 2 | 1)]
    program = _run(
        *choose,
        MiReportPerfCount(memory_address=AT + 64, report_id=0xFEEF),
        MiNoop(),
        MiReportPerfCount(memory_address=AT + 320, report_id=0x1234),
        data=b"\xa5" * 640,
    )
    found = program.data()
    for at, told in ((64, [0xFEEF, len(choose)]), (320, [0x1234, len(choose) + 2])):
        report = found[at : at + size_B]
        assert report[:8].view("<u4").tolist() == told and not report[8:].any()
        assert (found[at + size_B : at + 256] == 0xA5).all()
    assert (found[:64] == 0xA5).all() and (found[576:] == 0xA5).all()


def test_reports_are_as_drivers_write_them():
    assert MiReportPerfCount(memory_address=AT + 64, report_id=7).to_dwords() == (0x14000001, AT + 64, 7)


def _stored(*registers):
    return [
        MiStoreRegisterMem(register_offset=register, memory_address=AT + 4 * n) for n, register in enumerate(registers)
    ]


def test_a_register_is_copied_to_another():
    load = MiLoadRegisterImm(register_offset=0x2440, data=7)
    copy = MiLoadRegisterReg(source_register=0x2440, register_offset=0x2500)
    assert _run(load, copy, *_stored(0x2440, 0x2500)).data()[:8].view("<u4").tolist() == [7, 7]


def test_the_parser_mode_register_is_masked():
    program = _run(
        MiLoadRegisterImm(register_offset=0x20C0, data=0x00400040),
        MiLoadRegisterImm(register_offset=0x20C0, data=0x00800080),
        MiLoadRegisterImm(register_offset=0x20C0, data=0x0000FFFF),
        *_stored(0x20C0),
    )
    assert program.data()[:4].view("<u4").tolist() == [0xC0]
    assert program.context.registers.absolute_constants
    assert not _run(MiLoadRegisterImm(register_offset=0x20C0, data=0x00400000)).context.registers.absolute_constants


def test_push_constants_count_from_dynamic_state_base_unless_the_parser_mode_says_otherwise():
    constants = structure("3DSTATE_CONSTANT_PS")(read_lengths=(1, 0, 2, 0), buffers=(0x40, 0, AT + 64, 0))
    states = {0x40: bytes(range(32))}
    program = _run(BASES, data=bytes(range(200)), states=states)
    behind = bytes(range(64, 128))
    assert push_constants(program.memory, program.context, constants) == bytes(range(32)) + behind
    absolute = MiLoadRegisterImm(register_offset=0x20C0, data=0x00400040)
    program = _run(BASES, absolute, data=bytes(range(200)), states=states)
    with pytest.raises(CaptureError, match="32 bytes at 0x40 are not mapped"):
        push_constants(program.memory, program.context, constants)
    there = constants.replace(buffers=(AT + 32, 0, AT + 64, 0))
    assert push_constants(program.memory, program.context, there) == bytes(range(32, 64)) + behind


def test_constants_must_fit_into_the_space_that_is_allocated():
    def allocated(stage, **values):
        return structure(f"3DSTATE_PUSH_CONSTANT_ALLOC_{stage}")(**values)

    pushed = structure("3DSTATE_CONSTANT_PS")(read_lengths=(30, 0, 3, 0), buffers=(0x40, 0, AT, 0))
    for space, expected in (
        ([], []),
        ([allocated("PS", offset=8, size=2)], []),
        (
            [allocated("PS", size=1)],
            ["3DSTATE_CONSTANT_PS pushes 1056 bytes, 3DSTATE_PUSH_CONSTANT_ALLOC_PS has room for 1024"],
        ),
        (
            [allocated("VS", offset=8, size=9)],
            ["3DSTATE_PUSH_CONSTANT_ALLOC_VS: 8 and 9 KB are beyond the 16 KB there are"],
        ),
    ):
        program = _run(BASES, pushed, *space)
        assert allocation_violations(program.context) == expected


@pytest.mark.parametrize(
    ("bit", "command"),
    [(0, PaletteLoad0(tail=[5])), (1, MonofilterSize(width=3)), (2, Primitive(vertex_count=3, instance_count=1)),
     (3, MediaVfeState(max_threads=7))],
)  # fmt: skip
def test_the_parser_mode_disables_kinds_of_instructions(bit, command):
    disable = MiLoadRegisterImm(register_offset=0x20C0, data=(1 << 16 | 1) << bit)
    program = Program([disable, command], data=[bytes(8)])
    notes = [done.notes for done in program.run()]
    assert notes[1] == ("ignored, as INSTPM says",)
    assert not program.context.last
    assert program.context.vfe is None
    assert program.context.sampler_settings.mono_size == (1, 1)
    assert not program.context.sampler_settings.palette("A4P4_UNORM_PALETTE0").any()


def test_a_conditional_end_compares_memory():
    store = MiStoreDataImm(address=AT + 16, data=1)
    for held, data, compare, goes_on in ((5, 4, 1, 1), (5, 5, 1, 0), (4, 5, 1, 0), (0, 5, 0, 1), (1 << 31, 1, 1, 1)):
        end = MiConditionalBatchBufferEnd(compare=compare, data=data, compare_address=AT + 8)
        program = _run(MiStoreDataImm(address=AT + 8, data=held), end, store)
        assert program.data()[16] == goes_on, (held, data, compare)
    with pytest.raises(CaptureError, match=r"MI_CONDITIONAL_BATCH_BUFFER_END at 0x10000: .* not mapped"):
        _run(MiConditionalBatchBufferEnd(compare=True, compare_address=0x9000_0000))


def test_the_recipe_for_indirect_dispatches_of_nothing():
    """Volume 1 part 3, page 115: the batch ends where a dimension is 0, whose register must not become 0."""
    load = MiLoadRegisterMem(register_offset=0x2504, memory_address=AT + 8)
    end = MiConditionalBatchBufferEnd(compare=True, data=0, compare_address=AT + 8)
    store = MiStoreDataImm(address=AT, data=1)
    program = Program([load, end, store], data=[bytes(16)])
    warnings = [done.warnings for done in program.run()]
    assert warnings == [("GPGPU_DISPATCHDIMY must not be 0",), ()]
    assert program.data()[0] == 0


def test_a_part_of_the_urb_is_cleared():
    program = Program([MiUrbClear(clear_length=3, urb_address=2)])
    program.context.urb.on(CPU)[:] = 255
    program.run()
    assert (np.flatnonzero(program.context.urb.on(CPU) == 0) == np.arange(64, 160)).all()
    program = Program([MiUrbClear(clear_length=8191, urb_address=(1 << 14) - 1)])
    program.context.urb.on(CPU)[:] = 255
    program.run()
    assert program.context.urb.on(CPU).all()


def test_data_is_stored_into_the_status_page():
    page = data_address(0)
    program = Program(
        [
            MiLoadRegisterImm(register_offset=0x4080, data=page | 0xFFF),
            MiStoreDataIndex(offset=64, data=0x11223344),
            MiStoreDataIndex(offset=4088, data=5, tail=[6]),
            PipeControl(
                address=128, store_data_index=True, post_sync="WRITE_IMMEDIATE_DATA", immediate=7, cs_stall=True
            ),
        ],
        data=[bytes(4096)],
    )  # fmt: skip
    program.run()
    dwords = program.data().view("<u4")
    assert {int(at): int(dwords[at]) for at in np.flatnonzero(dwords)} == {16: 0x11223344, 1022: 5, 1023: 6, 32: 7}


def test_flushes_of_the_blitter_write_behind_what_came_before():
    """One dword or two, at an address or in the status page, or the time."""
    page = data_address(0)
    program = Program(
        [
            MiLoadRegisterImm(register_offset=0x4080, data=page),
            MiFlushDw(address=page + 8, immediate=5),
            MiFlushDw(address=page + 16, immediate=6, tail=[7], post_sync="WRITE_IMMEDIATE_DATA"),
            MiFlushDw(address=24, immediate=8, post_sync="WRITE_IMMEDIATE_DATA", store_data_index=True),
            MiFlushDw(address=page + 32, post_sync="WRITE_TIMESTAMP"),
        ],
        data=[np.full(48, 0xEE, np.uint8).tobytes()],
    )
    program.run()
    dwords = program.data().view("<u4").tolist()
    unchanged = 0xEEEEEEEE
    assert dwords[:12] == [unchanged] * 4 + [6, 7, 8, unchanged, 4, 0, unchanged, unchanged]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (MiStoreDataIndex(offset=60), "the first 64 bytes are reserved"),
        (MiStoreDataIndex(offset=68, tail=[1]), "of two dwords at 68, which is no multiple of 8"),
    ],
)
def test_places_of_the_status_page_that_are_refused(command, message):
    with pytest.raises(CaptureError, match=message):
        Program([MiLoadRegisterImm(register_offset=0x4080, data=data_address(0)), command], data=[bytes(4096)]).run()
