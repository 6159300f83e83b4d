"""Threads that start threads: children, synchronized roots, persistent ones, and the handles they need."""

import numpy as np
import pytest
from support.programs import BASES, CURBE, DESCRIPTORS, DESCRIPTORS_AT, SELECT, Program, buffer_surface, objects

from texsamp.emulator.shared import spawner
from texsamp.emulator.shared.spawner import Spawner
from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaObjectPrt, MediaVfeState

pytestmark = pytest.mark.usefixtures("each_place")

THREAD_B = 64
HANDLES = 2
VFE = MediaVfeState(
    max_threads=60, urb_entries=HANDLES, urb_entry_size=4, curbe_size=32, bypass_gateway=True,
)  # fmt: skip
READY = (SELECT, BASES, VFE, CURBE, DESCRIPTORS)
END_OF_ROOT = """
    mov (8) r127.0<1>:ud r0.0<8;8,1>:ud
    send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000000:ud {EOT}
"""
END_OF_CHILD = "send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000012:ud {EOT}"
SPAWN = """
    mov (8) r10.0<1>:ud 0:ud                       # the payload of the child: its R0 and a register of data
    and (1) r10.0<1>:ud r0.0<0;1,0>:ud 0xffff:ud
    mov (1) r10.5<1>:ud 0xff00:ud
    mov (8) r11.0<1>:ud r0.0<8;8,1>:ud
    mov (1) r11.7<1>:ud 77:ud
    add (8) r12.0<1>:ud r1.0<8;8,1>:ud 100:ud
    {MORE}
    send (8) null:ud r10.0<8;8,1>:ud urb 0x06080000:ud
    mov (8) r20.0<1>:ud 0:ud
    mov (1) r20.0<1>:ud r10.0<0;1,0>:ud
    mov (1) r20.2<1>:ud 0x10:ud                    # interface descriptor 1
    mov (1) r20.4<1>:ud 0x800:ud                   # two registers, from the handle on
    send (8) null:ud r20.0<8;8,1>:ud spawner 0x02000001:ud
"""


def _store(first, second, place):
    """Two registers to a thread's place in the buffer."""
    return f"""
    mov (8) r100.0<1>:ud 0:ud
    mov (8) r101.0<1>:ud r{first}.0<8;8,1>:ud
    mov (8) r102.0<1>:ud r{second}.0<8;8,1>:ud
    mul (1) r100.2<1>:ud {place}<0;1,0>:ud 4:uw
    send (16) null:ud r100.0<8;8,1>:ud data_cache 0x060a0300:ud
    """


def _program(commands, *kernels, threads=8, **descriptor):
    size_B = threads * THREAD_B
    return Program(
        [*READY, *commands], *kernels, surfaces=[buffer_surface(0, size_B)], data=[bytes(size_B)],
        curbe=bytes(range(64)), **descriptor,
    )  # fmt: skip


@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("registers", [2, 9])
def test_of_who_is_started_numbers_come_alone(registers, root, each_place, monkeypatch):
    """Of each message whether it is sent, how many registers there are, which descriptor, and a child's tables."""
    if each_place is None:
        pytest.skip("of threads on a device")
    brought, act = [], Spawner.send_unasked

    def counting(self, message):
        before = each_place.downloaded_B
        is_done = act(self, message)
        brought.append((each_place.downloaded_B - before, is_done, message.count))
        return is_done

    monkeypatch.setattr(Spawner, "send_unasked", counting)
    spawn = SPAWN.replace("{MORE}", "").replace("r20.4<1>:ud 0x800:ud", f"r20.4<1>:ud {registers << 10:#x}:ud")
    spawn = spawn.replace("0x02000001", "0x02000011") if root else spawn
    program = _program(objects([[1, 2, 3]] * 2, children_present=True), spawn + END_OF_ROOT, END_OF_CHILD)
    (done,) = [executed.dispatch for executed in program.run() if executed.dispatch]
    assert done.threads == (2 if root else 4)
    assert done.tally.brought == 0
    most = {of_batch * (2 * 8 + 1 + (0 if root else 2 * 4)) for _, _, of_batch in brought}
    assert all(is_done for _, is_done, _ in brought)
    assert {size_B for size_B, *_ in brought} - {0} <= most | {of_batch * (4 + 1) for *_, of_batch in brought}


@pytest.mark.parametrize("constants", [0, 1])
def test_children_are_given_what_their_parents_wrote(constants):
    """Five roots, of which two hold a handle at a time; a child has R0, constants, then its parent's registers."""
    data = 1 + constants
    child = f"add (1) r{data}.0<1>:ud r{data}.0<0;1,0>:ud -100:d\n{_store(0, data, f'r{data}.0')}{END_OF_CHILD}"
    inline = np.arange(5)[:, None] * np.array([1, 10, 100])
    root = f"mov (8) r1.0<1>:ud r{data}.0<8;8,1>:ud" + SPAWN.replace("{MORE}", "") + END_OF_ROOT
    program = _program(objects(inline, children_present=True), root, child, threads=5, constant_read_length=constants)
    (done,) = [executed.dispatch for executed in program.run() if executed.dispatch]
    assert done.threads == 10
    rows = program.data().view("<u4").reshape(5, 2, 8)
    assert (rows[:, 0, 7] == 77).all()
    assert {int(handle) for handle in rows[:, 0, 0] & 0xFFFF} == {32, 34}  # behind 64 rows of 32 bytes
    assert rows[:, 1, :3].tolist() == [[n, 100 + 10 * n, 100 + 100 * n] for n in range(5)]


def test_children_start_children():
    """Each child of a chain makes the next one from its own payload, and stores how far it came."""
    child = f"""
        {_store(0, 1, "r1.1")}
        add (1) r1.1<1>:ud r1.1<0;1,0>:ud 1:ud
        cmp.ge.f0.0 (1) null:ud r1.1<0;1,0>:ud 6:ud
        (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud done
        {SPAWN.replace("{MORE}", "mov (8) r12.0<1>:ud r1.0<8;8,1>:ud")}
    done:
        {END_OF_CHILD}"""
    root = SPAWN.replace("{MORE}", "mov (8) r12.0<1>:ud r1.0<8;8,1>:ud")
    program = _program(objects([[9, 0]], children_present=True), root + END_OF_ROOT, child, threads=6)
    program.run()
    assert program.data().view("<u4").reshape(6, 2, 8)[:, 1, :2].tolist() == [[9, n] for n in range(6)]


def test_a_parent_waits_for_its_child():
    """The child writes a register of its parent through the gateway and wakes it (volume 4 part 2, pages 9-11)."""
    more = "mov (1) r12.7<1>:ud sr0.0<0;1,0>:ud"
    root = SPAWN.replace("{MORE}", more) + "wait (1) n0.0<1>:ud n0.0<0;1,0>:ud" + _store(0, 50, "r1.0") + END_OF_ROOT
    child = f"""
        mov (8) r30.0<1>:ud 0:ud
        and (1) r30.4<1>:ud r1.7<0;1,0>:ud 0xf00:ud
        and (1) r31.0<1>:ud r1.7<0;1,0>:ud 7:ud
        or (1) r30.4<1>:ud r30.4<0;1,0>:ud r31.0<0;1,0>:ud
        shl (1) r30.4<1>:ud r30.4<0;1,0>:ud 16:ud          # EUID and TID
        mov (1) r30.5<1>:ud {50 << 21 | 3 << 18 | 2 << 8:#x}:ud
        mul (1) r30.0<1>:ud r1.0<0;1,0>:ud 3:uw
        send (8) null:ud r30.0<8;8,1>:ud gateway 0x02008002:ud
        {END_OF_CHILD}"""
    program = _program(objects([[0], [1]], children_present=True), root, child, threads=2)
    program.run()
    assert program.data().view("<u4").reshape(2, 2, 8)[:, 1].tolist() == [
        [0, 0, 0, 300, 0, 0, 0, 0], [0, 0, 0, 303, 0, 0, 0, 0],
    ]  # fmt: skip


def test_synchronized_roots_are_given_messages_before_their_own_data():
    """A persistent thread writes two payloads and spawns two roots, which come with later commands (page 35)."""
    spawner = """
        mov (8) r10.0<1>:ud 0:ud
        mov (1) r10.0<1>:ud r0.0<0;1,0>:ud
        and (1) r10.0<1>:ud r10.0<0;1,0>:ud 0xffff:ud
        mov (1) r10.5<1>:ud 0xff00:ud
        mov (8) r11.0<1>:ud 41:ud
        mov (8) r12.0<1>:ud 42:ud
        send (8) null:ud r10.0<8;8,1>:ud urb 0x06080000:ud
        mov (8) r20.0<1>:ud 0:ud
        mov (1) r20.0<1>:ud r10.0<0;1,0>:ud
        mov (1) r20.4<1>:ud 0x400:ud                   # one register
        send (8) null:ud r20.0<8;8,1>:ud spawner 0x02000011:ud
        mov (1) r20.4<1>:ud 0x401:ud                   # one register behind it
        send (8) null:ud r20.0<8;8,1>:ud spawner 0x02000011:ud
    """
    root = _store(1, 2, "r2.0")
    commands = [
        MediaObjectPrt(interface_descriptor=0, children_present=True, fence=True),
        *objects([[0], [1]], interface_descriptor=1, thread_synchronization=True),
    ]
    program = _program(commands, spawner + END_OF_ROOT, root, threads=2)
    program.run()
    rows = program.data().view("<u4").reshape(2, 2, 8)
    assert rows[:, 0, 0].tolist() == [41, 42]
    assert rows[:, 1, 0].tolist() == [0, 1]


def test_synchronized_roots_may_be_given_different_lengths():
    """Those that come together: one and two registers, behind which each has its own data."""
    spawner = """
        mov (8) r10.0<1>:ud 0:ud
        and (1) r10.0<1>:ud r0.0<0;1,0>:ud 0xffff:ud
        mov (1) r10.5<1>:ud 0xff00:ud
        mov (8) r11.0<1>:ud 40:ud
        mov (8) r12.0<1>:ud 41:ud
        mov (8) r13.0<1>:ud 43:ud
        send (8) null:ud r10.0<8;8,1>:ud urb 0x08080000:ud
        mov (8) r20.0<1>:ud 0:ud
        mov (1) r20.0<1>:ud r10.0<0;1,0>:ud
        mov (1) r20.4<1>:ud 0x400:ud                   # one register
        send (8) null:ud r20.0<8;8,1>:ud spawner 0x02000011:ud
        mov (1) r20.4<1>:ud 0x801:ud                   # two registers behind it
        send (8) null:ud r20.0<8;8,1>:ud spawner 0x02000011:ud
    """
    root = "and (1) r90.0<1>:ud r1.0<0;1,0>:ud 1:ud" + _store(2, 3, "r90.0")
    commands = [
        MediaObjectPrt(interface_descriptor=0, children_present=True, fence=True),
        *objects([[7, 8], [9, 10]], interface_descriptor=1, thread_synchronization=True),
    ]
    program = _program(commands, spawner + END_OF_ROOT, root, threads=2)
    program.run()
    rows = program.data().view("<u4").reshape(2, 2, 8)
    assert rows[0].tolist() == [[7, 8, 0, 0, 0, 0, 0, 0], [0] * 8]
    assert rows[1].tolist() == [[43] * 8, [9, 10, 0, 0, 0, 0, 0, 0]]


def test_headers_of_media_threads():
    """R0.0 has the scoreboard's mask, ANDed with MEDIA_VFE_STATE's; a persistent thread's R0.2 its descriptor."""
    beside = {"scoreboard": True, "scoreboard_mask": 0x3F, "delta_x": [1] * 8}
    vfe = MediaVfeState(max_threads=60, urb_entries=1, curbe_size=32, **beside)
    thread = objects([[0]], scoreboard_mask=0x5A, use_scoreboard=True, scoreboard_x=1)
    store = _store(0, 1, "r1.0")
    program = _program([vfe, *thread, MediaObjectPrt(interface_descriptor=1, inline_data=[1] + [0] * 11)], store, store)
    program.run()
    rows = program.data().view("<u4").reshape(8, 2, 8)
    assert rows[0, 0, 0] == 0x1A << 24
    assert rows[1, 0, :3].tolist() == [0, 0, DESCRIPTORS_AT + 32]


NOTHING = "mov (8) r20.0<1>:ud 0:ud\n"
SPAWN_NOTHING = "send (8) null:ud r20.0<8;8,1>:ud spawner 0x02000001:ud"


@pytest.mark.parametrize(
    ("commands", "kernel", "message"),
    [
        (
            objects([[1]]), NOTHING + SPAWN_NOTHING + " {EOT}", "cannot end with a spawn message .page 49",
        ),
        (objects([[1]]), END_OF_CHILD, "requester CHILD of a thread that is none .page 48"),
        (objects([[1]]), NOTHING + "send (8) null:ud r20.0<8;8,1>:ud spawner 0x04000001:ud", "one register without"),
        (
            objects([[1]] * 3, children_present=True), "nop (1)",
            "need a URB handle each: of 2, 0 are free",
        ),
        (objects([[1]], thread_synchronization=True), "nop (1)", "waits for 1 messages .* earlier threads sent 0"),
        (objects([[1]] * 2), "wait (1) n0.0<1>:ud n0.0<0;1,0>:ud", "EU offset 0x0, wait .*all 2 threads .* wait"),
    ],
)  # fmt: skip
def test_what_cannot_be_spawned(commands, kernel, message):
    with pytest.raises(CaptureError, match=message):
        _program(commands, kernel).run()


def test_no_more_threads_than_the_limit_wait_to_be_started(monkeypatch):
    monkeypatch.setattr(spawner, "MOST_SPAWNED", 500)
    kernel = f"{NOTHING}top:\n{SPAWN_NOTHING}\njmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top"
    with pytest.raises(CaptureError, match="threads wait to be started, the limit is 500"):
        _program(objects([[1]]), kernel).run()


def test_children_of_children_without_end_are_stopped():
    """A kernel that starts itself runs out of work, not of time."""
    kernel = NOTHING + SPAWN_NOTHING
    root = kernel.replace("\nsend", "\nmov (1) r20.2<1>:ud 0x10:ud\nsend")
    with pytest.raises(CaptureError, match="limit on executed work"):
        _program(objects([[1]]), root, root + "\n" + END_OF_CHILD).run(steps=3000)


def test_a_handle_is_given_back_before_the_thread_ends():
    early = "send (8) null:ud r0.0<8;8,1>:ud spawner 0x02000000:ud"
    program = _program(objects([[1]] * 9, children_present=True), early)
    (done,) = [executed.dispatch for executed in program.run() if executed.dispatch]
    assert done.threads == 9
    assert program.context.urb_handles.free == HANDLES
