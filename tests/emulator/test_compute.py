"""GPGPU_WALKER: groups, masks, constants, barriers and shared local memory of compute threads."""

import numpy as np
import pytest
from support import programs
from support.captures import real_captures
from support.programs import BASES, CURBE, DESCRIPTORS, Program, buffer_surface
from support.strict_arrays import StrictDevice

from texsamp.emulator.dispatch import scratch_space
from texsamp.errors import CaptureError
from texsamp.replay import replay
from texsamp.state.commands_common import PipelineSelect
from texsamp.state.commands_media import GpgpuWalker, MediaVfeState
from texsamp.state.commands_mi import MiLoadRegisterImm, MiPredicate

pytestmark = pytest.mark.usefixtures("each_place")

VFE = MediaVfeState(max_threads=60, urb_entries=1, urb_entry_size=1, curbe_size=32, gpgpu_mode=True)
SET_UP = (PipelineSelect(selection="GPGPU"), BASES, VFE, CURBE, DESCRIPTORS)
THREAD_B = 64
STORE = """
    mov (8) r100.0<1>:ud 0:ud
    mov (8) r101.0<1>:ud r0.0<8;8,1>:ud
    mov (8) r102.0<1>:ud r1.0<8;8,1>:ud
    mov (1) r100.2<1>:ud r1.0<0;1,0>:ud
    mul (1) r100.2<1>:ud r100.2<0;1,0>:ud 4:uw            # OWords of 2 registers
    send (16) null:ud r100.0<8;8,1>:ud data_cache 0x060a0300:ud   # OWord block write, 4 OWords
"""
BARRIER = """
    and (1) r90.2<1>:ud r0.2<0;1,0>:ud 0x0f000000:ud
    send (8) null:ud r90.0<8;8,1>:ud gateway 0x02000004:ud
    wait (1) n0.0<1>:ud n0.0<0;1,0>:ud
"""


def _constants(threads, registers=1):
    """One register for each thread of a group, its first dword counting them."""
    rows = np.zeros((threads, registers, 8), "<u4")
    rows[:, :, 0] = np.arange(threads)[:, None]
    return rows.tobytes()


def _program(walker, kernel, size_B, *commands, **descriptor):
    return Program(
        [*SET_UP, *commands, walker], kernel, surfaces=[buffer_surface(0, size_B)], data=[bytes(size_B)],
        curbe=_constants(8), **{"constant_read_length": 1, **descriptor},
    )  # fmt: skip


def _walker(**fields):
    ends = {"end_x": 1, "end_y": 1, "end_z": 1}
    masks = {"right_mask": 0xFFFFFFFF, "bottom_mask": 0xFFFFFFFF}
    return GpgpuWalker(
        **{"simd_size": "SIMD16", "threads_x": 1, "threads_y": 1, "threads_z": 1, **ends, **masks, **fields}
    )


def test_threads_know_their_group_and_have_constants_of_their_own():
    number = """
        mul (1) r3.0<1>:ud r0.1<0;1,0>:ud 1:uw
        mul (1) r4.0<1>:ud r0.6<0;1,0>:ud 3:uw
        mul (1) r5.0<1>:ud r0.7<0;1,0>:ud 6:uw
        add (1) r3.0<1>:ud r3.0<0;1,0>:ud r4.0<0;1,0>:ud
        add (1) r3.0<1>:ud r3.0<0;1,0>:ud r5.0<0;1,0>:ud
        mul (1) r3.0<1>:ud r3.0<0;1,0>:ud 4:uw               # threads of a group
        add (1) r1.0<1>:ud r1.0<0;1,0>:ud r3.0<0;1,0>:ud
    """
    walker = _walker(threads_x=2, threads_y=2, end_x=3, end_y=2, end_z=2)
    program = _program(walker, number + STORE, 48 * THREAD_B, group_threads=4)
    (executed,) = [e for e in program.run() if e.dispatch]
    assert executed.dispatch.threads == 48
    rows = program.data().view("<u4").reshape(48, 2, 8)
    order = np.arange(48)
    places = np.stack([order // 4 % 3, order // 12 % 2, order // 24], axis=1)
    assert np.array_equal(rows[:, 0][:, (1, 6, 7)], places)
    assert np.array_equal(rows[:, 1, 0], order)
    assert np.array_equal(rows[:, 0, 5] & 0xFF, order)


def test_a_start_is_that_of_the_first_row_only():
    program = _program(_walker(start_x=2, end_x=3, end_y=2), STORE, THREAD_B)
    (executed,) = [e for e in program.run() if e.dispatch]
    assert executed.dispatch.threads == 4


@pytest.mark.parametrize(("simd", "channels"), [("SIMD8", 8), ("SIMD16", 16)])
def test_masks_are_those_of_the_last_column_and_row_of_threads(simd, channels):
    kernel = """
        mov (16) r2.0<1>:uw 0:uw {NoMask}
        mov (16) r2.0<1>:uw 1:uw
        mov (8) r100.0<1>:ud 0:ud {NoMask}
        mul (1) r100.2<1>:ud r1.0<0;1,0>:ud 4:uw {NoMask}
        mov (8) r102.0<1>:ud r2.0<8;8,1>:ud {NoMask}
        send (16) null:ud r100.0<8;8,1>:ud data_cache 0x060a0300:ud {NoMask}
    """
    walker = _walker(simd_size=simd, threads_x=2, threads_y=2, right_mask=0x7, bottom_mask=0x1D)
    program = _program(walker, kernel, 4 * THREAD_B)
    program.run()
    rows = program.data().view("<u2").reshape(4, 32)[:, 16 : 16 + channels]
    found = [int(sum(int(bit) << n for n, bit in enumerate(row))) for row in rows]
    assert found == [(1 << channels) - 1, 0x7, 0x1D, 0x5]


def test_groups_meet_at_their_barrier_and_share_memory():
    """Thread n of a group leaves a number for thread n - 1, which a barrier lets it find."""
    share = f"""
        shl (1) r20.0<1>:ud r1.0<0;1,0>:ud 2:uw
        add (1) r21.0<1>:ud r0.1<0;1,0>:ud r1.0<0;1,0>:ud
        mul (1) r22.0<1>:ud r0.1<0;1,0>:ud 100:uw
        add (1) r21.0<1>:ud r22.0<0;1,0>:ud r1.0<0;1,0>:ud
        send (1) null:ud r20.0<8;8,1>:ud data_cache 0x04036efe:ud    # untyped write of red, SIMD8, shared memory
        cmp.z.f0.0 (1) null:ud r1.0<0;1,0>:ud 0:ud
        {BARRIER}
        add (1) r20.0<1>:ud r1.0<0;1,0>:ud 1:ud
        and (1) r20.0<1>:ud r20.0<0;1,0>:ud 3:ud
        shl (1) r20.0<1>:ud r20.0<0;1,0>:ud 2:uw
        send (1) r30.0<1>:ud r20.0<8;8,1>:ud data_cache 0x02116efe:ud
        mul (1) r3.0<1>:ud r0.1<0;1,0>:ud 4:uw
        add (1) r1.0<1>:ud r1.0<0;1,0>:ud r3.0<0;1,0>:ud
        mov (1) r1.1<1>:ud r30.0<0;1,0>:ud
    """
    walker = _walker(simd_size="SIMD8", threads_x=4, end_x=3)
    program = _program(walker, share + STORE, 12 * THREAD_B, barrier=True, shared_memory=1, group_threads=4)
    program.run()
    found = program.data().view("<u4").reshape(3, 4, 2, 8)[:, :, 1, 1]
    assert found.tolist() == [[100 * g + (n + 1) % 4 for n in range(4)] for g in range(3)]


DIVERGENT = f"""
    cmp.z.f0.0 (8) null:ud r1.0<0;1,0>:ud 0:ud
    (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud first {{NoMask}}
    mov (1) r5.0<1>:ud 7:ud
    {BARRIER}
    jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud done {{NoMask}}
first:
    mov (1) r5.0<1>:ud 9:ud
    {BARRIER}
done:
    mov (1) r1.1<1>:ud r5.0<0;1,0>:ud
"""


def test_a_thread_that_waits_lets_others_reach_the_barrier_elsewhere():
    walker = _walker(simd_size="SIMD8", threads_x=2)
    program = _program(walker, DIVERGENT + STORE, 2 * THREAD_B, barrier=True, group_threads=2)
    program.run()
    assert program.data().view("<u4").reshape(2, 2, 8)[:, 1, 1].tolist() == [9, 7]


LEAVING = f"""
    cmp.z.f0.0 (8) null:ud r1.0<0;1,0>:ud 0:ud
    (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud done {{NoMask}}
    {BARRIER}
    {BARRIER}
    mov (1) r1.1<1>:ud 7:ud
done:
    mov (1) r1.2<1>:ud 9:ud
"""


SKIPPING = f"""
    cmp.z.f0.0 (8) null:ud r1.0<0;1,0>:ud 0:ud
    (-f0.0) if (8) jip=end uip=end
    {BARRIER}
end:
    endif (8) jip=behind
behind:
    mov (1) r1.1<1>:ud 7:ud
"""


@pytest.mark.parametrize(
    ("kernel", "marks"),
    [
        pytest.param(LEAVING, [[0, 9], [7, 9], [7, 9]], id="threads that have ended are not waited for"),
        pytest.param(SKIPPING, [[7, 0], [7, 0], [7, 0]], id="channels that a branch sent ahead wait with their thread"),
    ],
)
def test_threads_that_leave_early_hold_no_barrier_up(kernel, marks):
    """As drivers' kernels do whose pixels lie outside the picture; SIMD8 leaves the upper channels to `if`."""
    walker = _walker(simd_size="SIMD8", threads_x=3)
    program = _program(walker, kernel + STORE, 3 * THREAD_B, barrier=True, group_threads=3)
    program.run()
    assert program.data().view("<u4").reshape(3, 2, 8)[:, 1, 1:3].tolist() == marks


@pytest.mark.parametrize("kernel", [LEAVING, SKIPPING, DIVERGENT])
def test_of_a_barrier_that_some_come_to_no_registers_are_brought(kernel, monkeypatch):
    """Numbers alone: who has come."""
    found = []
    for device in (None, StrictDevice()):
        monkeypatch.setattr(programs, "where_threads_run", device)
        program = _program(
            _walker(simd_size="SIMD8", threads_x=2), kernel + STORE, 2 * THREAD_B, barrier=True, group_threads=2
        )
        (executed,) = [e for e in program.run() if e.dispatch]
        assert executed.dispatch.tally.brought == 0
        found.append(program.data().tobytes())
    assert found[0] == found[1]


def test_a_barrier_waits_for_threads_that_wait_for_something_else():
    other = DIVERGENT.replace("mov (1) r5.0<1>:ud 9:ud", "wait (1) n0.2<1>:ud n0.2<0;1,0>:ud")
    program = _program(_walker(simd_size="SIMD8", threads_x=2), other, 2 * THREAD_B, barrier=True, group_threads=2)
    with pytest.raises(CaptureError, match="all 2 threads that are left wait for a notification"):
        program.run()


def test_batches_hold_whole_groups(monkeypatch):
    monkeypatch.setattr(scratch_space, "MOST_THREADS", 5)
    test_groups_meet_at_their_barrier_and_share_memory()
    with pytest.raises(CaptureError, match="a group has 6 threads, at most 5 run at once"):
        _program(_walker(threads_x=6), STORE, THREAD_B, group_threads=6).run()


def test_indirect_dimensions_and_predicates():
    loads = [MiLoadRegisterImm(register_offset=0x2500 + 4 * i, data=value) for i, value in enumerate((2, 3, 1))]
    walker = _walker(indirect_parameter=True, end_x=9, end_y=9)
    assert [e.dispatch.threads for e in _program(walker, STORE, THREAD_B, *loads).run() if e.dispatch] == [6]
    clear = MiPredicate(load_operation="LOAD", combine_operation="SET", compare_operation="FALSE")
    dropped = _walker(predicate_enable=True)
    assert not [e for e in _program(dropped, STORE, THREAD_B, clear).run() if e.dispatch]


def test_threads_with_scratch_space_have_one_each():
    vfe = MediaVfeState(max_threads=3, curbe_size=32, gpgpu_mode=True, scratch_base=0x400)
    kernel = """
        mov (8) r10.0<1>:ud r0.0<8;8,1>:ud
        mov (8) r11.0<1>:ud r1.0<0;1,0>:ud
        send (16) null:ud r10.0<8;8,1>:ud data_cache 0x040e0000:ud    # scratch block write of a register
        send (16) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x021c0000:ud
        mov (1) r1.1<1>:ud r20.0<0;1,0>:ud
        add (1) r1.0<1>:ud r1.0<0;1,0>:ud 100:ud
    """
    size_B = 200 * THREAD_B
    program = Program(
        [SET_UP[0], BASES, vfe, CURBE, DESCRIPTORS, _walker(threads_x=3)], kernel + STORE,
        surfaces=[buffer_surface(0, size_B)], data=[bytes(size_B)], curbe=_constants(3), group_threads=3,
        constant_read_length=1,
    )  # fmt: skip
    program.run()
    assert program.data().view("<u4").reshape(-1, 2, 8)[100:103, 1, 1].tolist() == [0, 1, 2]
    spaces = program.data()[0x400 : 0x400 + 3 * 1024].view("<u4").reshape(3, 256)
    assert spaces[:, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("walker", "descriptor", "message"),
    [
        (_walker(threads_x=64, threads_y=2), {}, "a group of 128 threads of 16 channels"),
        (_walker(end_x=1 << 21), {}, "2097152 groups, at most 1048576 of this size"),
        (_walker(start_y=1), {}, "start_y is 1, the groups end at 1"),
        (_walker(threads_x=9), {"constant_read_offset": 2}, "constants up to byte 352 of 256 are read"),
    ],
)
def test_what_a_walker_may_not_ask_for(walker, descriptor, message):
    with pytest.raises(CaptureError, match=f"GPGPU_WALKER at 0x.*{message}"):
        _program(walker, STORE, THREAD_B, **descriptor).run()


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (BARRIER, "whose interface descriptor has no barrier"),
        ("wait (1) n0.0<1>:ud n0.0<0;1,0>:ud", "all 1 threads that are left wait for a notification"),
        ("wait (1) n0.1<1>:ud n0.1<0;1,0>:ud", r"threads notify n0\.0 and n0\.2"),
        ("send (8) r30.0<1>:ud r20.0<8;8,1>:ud data_cache 0x02116efe:ud", "gives its groups none"),
    ],
)
def test_threads_that_would_hang_are_told(kernel, message):
    with pytest.raises(CaptureError, match=message):
        _program(_walker(), kernel, THREAD_B).run()


def test_a_walker_needs_the_pipeline():
    with pytest.raises(CaptureError, match="GPGPU_WALKER needs the GPGPU pipeline selected"):
        Program([*SET_UP[:2], _walker()], STORE).run()


@pytest.mark.parametrize(("case", "most"), [("compute_hist", 0), ("compute_img_linear", 1)])
def test_compute_of_a_driver_gives_the_reference(case, most, tmp_path):
    files = real_captures(f"gl/{case}_*.g7cap")
    (picture,) = replay(files, tmp_path, expect=files[0].parent / "ref")
    assert picture.compared
    assert max((difference.maximum for difference in picture.differences), default=0) <= most
    assert picture.png.exists()


def test_channels_that_are_dispatched_are_counted():
    """Bits of the execution masks of all threads; a write to the counter resets it (volume 1 part 3, page 117)."""
    walker = _walker(simd_size="SIMD8", threads_x=2, threads_y=2, end_x=3, right_mask=0x7, bottom_mask=0x1D)
    program = _program(walker, "nop (1)", 64, walker)
    program.run()
    assert program.context.registers.read_wide(0x2290) == 2 * 3 * (8 + 3 + 4 + 2)
    program = _program(MiLoadRegisterImm(register_offset=0x2290, data=55), "nop (1)", 64, walker)
    program.run()
    assert program.context.registers.read_wide(0x2290) == 0


@pytest.mark.parametrize(
    ("descriptor", "control"),
    [
        ({}, 0), ({"rounding_mode": "RTZ"}, 0x30), ({"floating_point_mode": "ALTERNATE"}, 1),
        ({"single_program_flow": True}, 4),
    ],
)  # fmt: skip
def test_threads_begin_with_the_modes_of_their_descriptor(descriptor, control):
    """cr0 and sr0 of four threads of two groups; 1 + 2^-30 rounds as the descriptor says."""
    kernel = """
        mov (1) r0.0<1>:ud cr0.0<0;1,0>:ud
        mov (4) r0.1<1>:ud sr0.0<4;4,1>:ud
        add (1) r0.5<1>:f r0.7<0;1,0>:f 0x3f800001:f
        mov (1) r2.0<1>:f 9.313226e-10:f
        add (1) r0.6<1>:f -r2.0<0;1,0>:f 1.0:f
        mul (1) r3.0<1>:ud r0.1<0;1,0>:ud 0:uw
    """
    walker = _walker(threads_x=2, end_x=2)
    kernel = "mul (1) r3.0<1>:ud r0.1<0;1,0>:ud 2:uw\nadd (1) r1.0<1>:ud r1.0<0;1,0>:ud r3.0<0;1,0>:ud" + kernel
    program = _program(walker, kernel + STORE, 4 * THREAD_B, group_threads=2, **descriptor)
    program.run()
    rows = program.data().view("<u4").reshape(4, 2, 8)[:, 0]
    assert (rows[:, 0] == control).all()
    assert (rows[:, 1] & 0x1FFF).tolist() == [0, 1, 2, 3]
    assert (rows[:, 2] >> 24).tolist() == [0, 1, 2, 3]
    assert (rows[:, 3:5] == 0xFFFF).all()
    below = np.nextafter(np.float32(1), np.float32(0))
    assert (rows[:, 6].view("<f4") == (below if control == 0x30 else 1)).all()
