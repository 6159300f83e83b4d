"""MEDIA_OBJECT_WALKER: what its threads are given, the order the scoreboard makes, and what is refused."""

import numpy as np
import pytest
from oracle.walker import levels, walk
from support.programs import BASES, CURBE, DESCRIPTORS, SELECT, SET_UP, VFE, Program, buffer_surface

from texsamp.emulator.dispatch import media as media_module
from texsamp.emulator.dispatch import scratch_space
from texsamp.emulator.dispatch.scoreboard import waves
from texsamp.emulator.dispatch.walks import walked_places
from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaObject, MediaObjectWalker, MediaVfeState

CELL_B = 16
DEGREE_26 = ((-1, 0), (0, -1), (1, -1), (-1, -1))
PAYLOAD = """
    mov (8) r100.0<1>:ud 0:ud
    mul (1) r100.2<1>:ud r0.6<0;1,0>:ud 8:uw             # OWords of 8 registers' halves
    mov (8) r101.0<1>:ud r0.0<8;8,1>:ud
    mov (8) r102.0<1>:ud r1.0<8;8,1>:ud
    mov (8) r103.0<1>:ud r2.0<8;8,1>:ud
    mov (8) r104.0<1>:ud r3.0<8;8,1>:ud
    send (16) null:ud r100.0<8;8,1>:ud data_cache 0x0a0a0400:ud   # OWord block write, 8 OWords
"""
ADD = """
    add (1) r10.2<1>:d r4.2<0;1,0>:d {offset}:d
    send (8) r20.0<1>:ud r10.0<8;8,1>:ud data_cache 0x02180000:ud   # OWord block read
    add (1) r11.0<1>:ud r11.0<0;1,0>:ud r20.0<0;1,0>:ud
"""


def _frame(width, height, slope):
    """A walk in rows (0), 45 (1) or 26 degrees (2) over the whole frame."""
    local = {"local_outer_stride_y": 1, "local_inner_unit_x": 1}
    if slope:
        local = {"local_outer_stride_x": 1, "local_inner_unit_x": -slope, "local_inner_unit_y": 1}
    return {
        "global_resolution_x": width, "global_resolution_y": height, "block_resolution_x": width,
        "block_resolution_y": height, "global_outer_stride_x": width, "global_inner_unit_y": height,
        "global_loop_count": 1024, "local_loop_count": 1024,
    } | local  # fmt: skip


def _vfe(deltas, mask=0xFF, **fields):
    return MediaVfeState(
        max_threads=60, urb_entries=1, urb_entry_size=1, curbe_size=32, scoreboard=True, scoreboard_mask=mask,
        delta_x=[x for x, _ in deltas] + [0] * (8 - len(deltas)),
        delta_y=[y for _, y in deltas] + [0] * (8 - len(deltas)), **fields,
    )  # fmt: skip


def test_payload_is_place_color_number_constants_inline_and_indirect_data():
    fields = _frame(5, 3, 2) | {"colors": 2}
    curbe, indirect, inline = bytes(range(64)), bytes(range(100, 164)), [7, 8, 9]
    command = MediaObjectWalker(**fields, tail=inline, indirect_length=20, indirect_start=4)
    program = Program(
        [*SET_UP, command], PAYLOAD, surfaces=[buffer_surface(0, 30 * 128)], data=[bytes(30 * 128)],
        curbe=curbe, indirect=indirect, constant_read_length=1, constant_read_offset=1,
    )  # fmt: skip
    (done,) = [executed for executed in program.run() if executed.dispatch]
    assert (done.dispatch.threads, done.located.count) == (30, 1)
    rows = program.data().reshape(30, 4, 32)
    for number, (x, y, color) in enumerate(walk(fields)):
        header = rows[number, 0].view("<u4")
        assert header[[0, 1, 2, 6, 7]].tolist() == [0, y << 16 | x, color, number, 0]
        assert rows[number, 1].tobytes() == curbe[32:]
        assert rows[number, 2].view("<u4").tolist() == [*inline, 0, 0, 0, 0, 0]
        assert rows[number, 3].tobytes() == indirect[4:24] + bytes(12)


def test_media_objects_are_given_their_place_too():
    command = MediaObject(scoreboard_x=511, scoreboard_y=3, scoreboard_color=9, tail=[1])
    program = Program([*SET_UP, command], PAYLOAD, surfaces=[buffer_surface(0, 128)], data=[bytes(128)])
    program.run()
    assert program.data()[:16].view("<u4").tolist() == [0, 3 << 16 | 511, 9, 0]


def _sums(fields, deltas, vfe, mask=0xFF, most_threads=None, monkeypatch=None):
    """Memory after a walk whose threads write 1 more than the sum of what earlier ones wrote around them."""
    width, height = fields["global_resolution_x"], fields["global_resolution_y"]
    colors, pitch = fields.get("colors", 1), width + 2
    cells = (height + 1) * pitch
    kernel = f"""
        and (1) r4.0<1>:ud r0.1<0;1,0>:ud 0x1ff:ud
        shr (1) r4.1<1>:ud r0.1<0;1,0>:ud 16:ud
        mul (1) r4.2<1>:ud r4.1<0;1,0>:ud {pitch}:uw
        mul (1) r4.3<1>:ud r0.2<0;1,0>:ud {cells}:uw
        add (1) r4.2<1>:ud r4.2<0;1,0>:ud r4.0<0;1,0>:ud
        add (1) r4.2<1>:ud r4.2<0;1,0>:ud r4.3<0;1,0>:ud
        add (1) r4.2<1>:ud r4.2<0;1,0>:ud {pitch + 1}:ud
        mov (8) r10.0<1>:ud 0:ud
        mov (8) r11.0<1>:ud 0:ud
        mov (1) r11.0<1>:ud 1:ud
        {"".join(ADD.format(offset=y * pitch + x) for x, y in deltas)}
        mov (1) r10.2<1>:ud r4.2<0;1,0>:ud
        send (8) null:ud r10.0<8;8,1>:ud data_cache 0x040a0000:ud      # OWord block write
    """
    size = colors * cells * CELL_B
    command = MediaObjectWalker(**fields, use_scoreboard=True, scoreboard_mask=mask)
    program = Program(
        [SELECT, BASES, vfe, CURBE, DESCRIPTORS, command], kernel,
        surfaces=[buffer_surface(0, size)], data=[bytes(size)],
    )  # fmt: skip
    if most_threads is not None:
        monkeypatch.setattr(scratch_space, "MOST_THREADS", most_threads)
    program.run()
    found = program.data().view("<u4").reshape(colors, height + 1, pitch, 4)[..., 0]
    assert not found[:, 0].any()
    return found[:, 1:, 1:-1]


def _expected_sums(fields, deltas):
    """The same, thread after thread."""
    values = {}
    for x, y, color in walk(fields):
        values[x, y, color] = 1 + sum(values.get((x + dx, y + dy, color), 0) for dx, dy in deltas)
    shape = (fields.get("colors", 1), fields["global_resolution_y"], fields["global_resolution_x"])
    return np.array([values[x, y, color] % (1 << 32) for color, y, x in np.ndindex(shape)]).reshape(shape)


@pytest.mark.parametrize(
    ("slope", "deltas"), [(0, DEGREE_26), (1, DEGREE_26[:2]), (2, DEGREE_26)], ids=["raster", "45", "26"]
)
def test_threads_see_what_those_they_depend_on_wrote(slope, deltas, monkeypatch):
    fields = _frame(9, 7, slope) | {"colors": 2}
    expected = _expected_sums(fields, deltas)
    assert np.array_equal(_sums(fields, deltas, _vfe(deltas, (1 << len(deltas)) - 1)), expected)
    few = _sums(fields, deltas, _vfe(deltas, (1 << len(deltas)) - 1), most_threads=2, monkeypatch=monkeypatch)
    assert np.array_equal(few, expected)


@pytest.mark.parametrize(
    ("vfe", "mask"), [(VFE, 0xFF), (_vfe(DEGREE_26, 0), 0xFF), (_vfe(DEGREE_26, 0x0F), 0)],
    ids=["scoreboard off", "no dependencies", "the threads have none"],
)  # fmt: skip
def test_threads_that_depend_on_none_run_together(vfe, mask):
    fields = _frame(9, 7, 2)
    assert (_sums(fields, DEGREE_26, vfe, mask) == 1).all()


def test_waves_are_the_levels_of_the_dependencies():
    rng = np.random.default_rng(5)
    for _ in range(60):
        fields = _frame(*(int(size) for size in rng.integers(2, 12, 2)), int(rng.integers(0, 3)))
        places = np.array(list(walk(fields | {"colors": int(rng.integers(1, 3))})))
        deltas = [tuple(map(int, delta)) for delta in rng.integers(-8, 8, (8, 2)) // rng.choice([1, 4])]
        mask = int(rng.integers(0, 256))
        used = [delta for bit, delta in enumerate(deltas) if mask >> bit & 1]
        if (0, 0) in used:
            with pytest.raises(CaptureError, match=r"dependency \d of the scoreboard is a thread's own place"):
                waves(places, _vfe(deltas), mask)
            continue
        expected = levels([tuple(place) for place in places.tolist()], used)
        groups = waves(places, _vfe(deltas), mask)
        assert [group.tolist() for group in groups] == [
            [number for number, level in enumerate(expected) if level == wanted] for wanted in range(1 + max(expected))
        ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dual_mode": True}, "dual_mode: the order of two walkers at once is not known"),
        ({"interface_descriptor": 2}, "interface descriptor 2 of 2 is used"),
        ({"indirect_length": 1 << 16}, "bytes at 0x400000 are not mapped"),
        ({"tail": [0] * 1100}, "the payload of a thread has 139 registers, there are 128"),
        ({"local_inner_unit_x": 0}, r"MEDIA_OBJECT_WALKER at 0x\w+: the local inner loop .* never ends"),
    ],
)
def test_refusals(fields, message):
    with pytest.raises(CaptureError, match=message):
        Program([*SET_UP, MediaObjectWalker(**(_frame(4, 4, 0) | fields))], "nop (1)").run()


def test_the_scoreboard_needs_one_thread_per_place():
    fields = _frame(4, 4, 0) | {"local_outer_stride_y": 0, "local_loop_count": 2}
    commands = [SELECT, BASES, _vfe(DEGREE_26), CURBE, DESCRIPTORS]
    walker = MediaObjectWalker(**fields, use_scoreboard=True, scoreboard_mask=1)
    with pytest.raises(CaptureError, match="two threads of one color at one of several places"):
        Program([*commands, walker], "nop (1)").run()
    objects = [MediaObject(use_scoreboard=True, scoreboard_mask=1, tail=[number]) for number in range(3)]
    (done,) = [executed for executed in Program([*commands, *objects], "nop (1)").run() if executed.dispatch]
    assert (done.dispatch.threads, done.dispatch.steps) == (3, 2)


@pytest.mark.parametrize("colors", [1, 3])
def test_threads_at_one_place_wait_for_none(colors):
    fields = _frame(1, 1, 0) | {"local_outer_stride_y": 0, "local_loop_count": 2, "colors": colors}
    places = walked_places(MediaObjectWalker(**fields))
    assert [tuple(place) for place in places.tolist()] == [(0, 0, color) for color in range(colors)] * 2
    (group,) = waves(places, _vfe(DEGREE_26, 0xF), 0xF)
    assert group.tolist() == list(range(2 * colors))


def test_walks_are_work():
    command = MediaObjectWalker(local_inner_unit_x=1, global_inner_unit_x=1)
    with pytest.raises(CaptureError, match="limit on executed work"):
        Program([*SET_UP, *[command] * 5], "nop (1)").run(steps=4 * media_module.WORK_PER_WALK)


def test_a_walk_of_nothing_starts_no_thread():
    command = MediaObjectWalker(local_inner_unit_x=1, global_inner_unit_x=1)
    (done,) = [executed for executed in Program([*SET_UP, command], "nop (1)").run() if executed.dispatch]
    assert (done.dispatch.threads, done.dispatch.steps) == (0, 0)
