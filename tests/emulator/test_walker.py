"""Where walkers start threads: parameters as drivers program them, random ones, and what is refused.

The parameters are facts of public drivers: intel/media-driver (codechal_utilities, cm_command_buffer),
intel/intel-vaapi-driver (gen9_hevc_encoder, i965_encoder_common) and intel/intel-hybrid-driver (media_drv_hwcmds).
"""

import itertools

import numpy as np
import pytest
from oracle.walker import walk

from texsamp.emulator.dispatch import walks as walker_module
from texsamp.emulator.dispatch.walks import walked_places
from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaObjectWalker

MOST = 1024
LEFT, UP, UP_LEFT, UP_RIGHT = (-1, 0), (0, -1), (-1, -1), (1, -1)


def _whole(width, height, **fields):
    """One local block that is the frame, walked by the local loops."""
    return {
        "global_resolution_x": width, "global_resolution_y": height,
        "block_resolution_x": width, "block_resolution_y": height,
        "global_outer_stride_x": width, "global_inner_unit_y": height,
        "global_loop_count": MOST, "local_loop_count": MOST,
    } | fields  # fmt: skip


def _raster(width, height):
    return _whole(width, height, local_outer_stride_y=1, local_inner_unit_x=1, local_end_x=width - 1)


def _raster_counted(width, height):
    return _raster(width, height) | {"local_loop_count": height, "global_loop_count": 2}


def _columns(width, height):
    return _whole(width, height, local_outer_stride_x=1, local_inner_unit_y=1, local_end_y=height - 1)


def _degree_45(width, height):
    return _whole(width, height, local_outer_stride_x=1, local_inner_unit_x=-1, local_inner_unit_y=1)


def _degree_45_counted(width, height):
    return _degree_45(width, height) | {"local_loop_count": width + height - 1, "global_loop_count": 2, "repel": True}


def _degree_26(width, height):
    if width == 1:  # media-driver takes a raster there
        return _raster(width, height)
    return _whole(width, height, local_outer_stride_x=1, local_inner_unit_x=-2, local_inner_unit_y=1)


def _degree_26_counted(width, height):
    return _degree_26(width, height) | {"local_loop_count": width + 2 * (height - 1), "global_loop_count": 2}


def _pairs(width, height, slope):
    """Two rows at a time: the middle loop goes from the one to the other."""
    if width < slope:
        return _raster(width, height)
    return _whole(
        width, height, local_outer_stride_x=1, local_inner_unit_x=-slope, local_inner_unit_y=2,
        middle_loop_extra_steps=1, middle_loop_unit_y=1,
    )  # fmt: skip


def _degree_26x(width, height):
    return _pairs(width, height, 2) | {"global_loop_count": 1}


def _degree_45x(width, height):
    return _pairs(width, height, 1)


def _degree_26z(width, height):
    if width <= 2:  # as above
        return _raster(width, height)
    return {
        "global_resolution_x": width, "global_resolution_y": height, "block_resolution_x": 2, "block_resolution_y": 2,
        "global_outer_stride_x": 2, "global_inner_unit_x": -4, "global_inner_unit_y": 2,
        "global_loop_count": MOST, "local_loop_count": MOST, "local_outer_stride_y": 1, "local_inner_unit_x": 1,
    }  # fmt: skip


def _degree_26z_counted(width, height):
    if width <= 2:
        return _raster(width, height)
    counts = {"local_loop_count": 2, "global_loop_count": (-(-height // 2) - 1) * 2 + -(-width // 2)}
    return _degree_26z(width, height) | counts | {"local_end_x": 1}


def _degree_45z(width, height):
    """Four rows at a time."""
    return _degree_45(width, height) | {
        "local_inner_unit_y": 4, "middle_loop_extra_steps": 3, "middle_loop_unit_y": 1,
    }  # fmt: skip


PATTERNS = (
    _raster, _raster_counted, _columns, _degree_45, _degree_45_counted, _degree_26, _degree_26_counted,
    _degree_26x, _degree_45x, _degree_26z, _degree_26z_counted, _degree_45z,
)  # fmt: skip


def _sizes(count, most=40, seed=1):
    drawn = np.random.default_rng(seed).integers(1, most, (count, 2)).tolist()
    return [(1, 1), (1, 7), (9, 1), (2, 2), (3, 5), (5, 3), *map(tuple, drawn)]


def _turns(fields):
    """Turn of every place, shape (rows, columns)."""
    places = walked_places(MediaObjectWalker(**fields))
    turns = np.full((fields["global_resolution_y"], fields["global_resolution_x"]), -1)
    turns[places[:, 1], places[:, 0]] = np.arange(len(places))
    return turns


def _comes_after(turns, step, where=np.s_[:, :]):
    """Whether every place, of those `where`, comes after the one a step away, if there is one."""
    x, y = step
    padded = np.pad(turns, 1, constant_values=-1)
    other = padded[1 + y : 1 + y + turns.shape[0], 1 + x : 1 + x + turns.shape[1]]
    return bool((turns > other)[where].all())


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.__name__)
def test_drivers_walks_come_to_every_place_once(pattern):
    for width, height in _sizes(20):
        fields = pattern(width, height)
        places = walked_places(MediaObjectWalker(**fields))
        assert places.tolist() == [list(place) for place in walk(fields)], (width, height)
        assert sorted(map(tuple, places[:, 1::-1].tolist())) == list(np.ndindex(height, width))


def test_raster_and_columns_go_row_by_row_and_column_by_column():
    for width, height in _sizes(5):
        raster = np.arange(width * height).reshape(height, width)
        assert np.array_equal(_turns(_raster(width, height)), raster)
        assert np.array_equal(_turns(_columns(width, height)), raster.reshape(width, height).T)


def test_wavefronts_come_to_a_place_after_those_it_depends_on():
    for width, height in _sizes(20):
        for pattern, steps in (
            (_degree_45, (LEFT, UP, UP_LEFT)),
            (_degree_45_counted, (LEFT, UP, UP_LEFT)),
            (_degree_26, (LEFT, UP, UP_LEFT, UP_RIGHT)),
            (_degree_26_counted, (LEFT, UP, UP_LEFT, UP_RIGHT)),
            (_degree_26x, (LEFT, UP, UP_LEFT)),
            (_degree_45z, (LEFT, UP, UP_LEFT)),
        ):
            turns = _turns(pattern(width, height))
            assert all(_comes_after(turns, step) for step in steps), (pattern.__name__, width, height)
        assert _comes_after(_turns(_degree_26x(width, height)), UP_RIGHT, np.s_[::2])


def test_the_places_of_a_diagonal_follow_each_other():
    for width, height in _sizes(10):
        x, y = np.arange(width), np.arange(height)[:, None]
        for pattern, slope in ((_degree_45, 1), (_degree_26, 2)):
            if width < slope:
                continue
            expected = np.lexsort(((y + 0 * x).reshape(-1), (x + slope * y).reshape(-1)))
            assert np.array_equal(np.argsort(_turns(pattern(width, height)).reshape(-1)), expected)


def test_quads_go_in_26_degrees_and_each_row_by_row():
    for width, height in [(4, 2), (8, 6), (10, 20), (7, 5), (3, 9)]:
        turns = _turns(_degree_26z(width, height))
        for y, x in itertools.product(range(0, height, 2), range(0, width, 2)):
            quad = turns[y : y + 2, x : x + 2].reshape(-1)
            assert np.array_equal(quad, quad[0] + np.arange(len(quad)))
        assert all(_comes_after(turns[::2, ::2], step) for step in (LEFT, UP, UP_LEFT, UP_RIGHT))


@pytest.mark.parametrize(
    ("slope", "step_y", "extra"), [(1, 1, 0), (2, 1, 0), (1, 2, 1), (2, 2, 1), (2, 4, 3)],
    ids=["45d", "26d", "45xd", "26xd", "26z regions"],
)  # fmt: skip
def test_walks_that_start_beside_the_block_come_to_what_lies_right_of_the_first_diagonal(slope, step_y, extra):
    for width, height in [(width, height) for width, height in _sizes(15) if width >= slope]:
        fields = _whole(
            width, height, local_start_x=width, local_outer_stride_x=1, local_inner_unit_x=-slope,
            local_inner_unit_y=step_y, middle_loop_extra_steps=extra, middle_loop_unit_y=int(extra > 0),
        )  # fmt: skip
        places = walked_places(MediaObjectWalker(**fields))
        assert places.tolist() == [list(place) for place in walk(fields)]
        x, y = np.arange(width), np.arange(height)[:, None]
        found = np.zeros((height, width), int)
        np.add.at(found, (places[:, 1], places[:, 0]), 1)
        assert np.array_equal(found, x + slope * (y // step_y) >= width)


def test_colors_are_the_innermost_loop():
    fields = _degree_26(3, 2) | {"colors": 3}
    places = walked_places(MediaObjectWalker(**fields))
    assert places.tolist() == [list(place) for place in walk(fields)]
    assert places[:, 2].tolist() == [0, 1, 2] * 6
    assert np.array_equal(places[::3, :2], walked_places(MediaObjectWalker(**_degree_26(3, 2)))[:, :2])


def test_random_walks_are_what_the_loops_say():
    rng = np.random.default_rng(3)
    walked = refused = empty = 0
    for _ in range(600):
        fields = {
            f"{name}_{axis}": int(rng.integers(low, high))
            for axis in "xy"
            for name, low, high in (
                ("global_resolution", 0, 12), ("block_resolution", 0, 6), ("global_start", -3, 4),
                ("local_start", 0, 4), ("global_outer_stride", -2, 5), ("global_inner_unit", -4, 5),
                ("local_outer_stride", -1, 4), ("local_inner_unit", -2, 3), ("middle_loop_unit", -2, 2),
            )
        }  # fmt: skip
        fields |= {
            "middle_loop_extra_steps": int(rng.integers(0, 4)), "colors": int(rng.integers(1, 3)),
            "global_loop_count": int(rng.integers(1, 6)), "local_loop_count": int(rng.integers(1, 6)),
        }  # fmt: skip
        try:
            places = walked_places(MediaObjectWalker(**fields))
        except CaptureError as error:
            refused += any(part in str(error) for part in ("never ends", "two edges", "comes back"))
            continue
        assert places.tolist() == [list(place) for place in walk(fields)], fields
        walked += len(places) > 0
        empty += len(places) == 0
    assert walked > 80
    assert refused > 30
    assert walked + refused + empty == 600


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dual_mode": True}, "dual_mode: the order of two walkers at once is not known"),
        ({"local_inner_unit_x": 0}, "the local inner loop of MEDIA_OBJECT_WALKER has unit 0, 0: it never ends"),
        ({"global_inner_unit_y": 0}, "the global inner loop of MEDIA_OBJECT_WALKER has unit 0, 0: it never ends"),
        ({"colors": 16, "local_outer_stride_y": 0}, r"starts 8372224 threads or more, the limit is 262144"),
        ({"global_inner_unit_y": 1, "global_outer_stride_x": 1}, "blocks of 261121 sizes, the limit is 64"),
        ({"global_inner_unit_y": 1, "global_outer_stride_x": 0}, "walks 523264 blocks, the limit is 262144"),
        (
            {"local_inner_unit_x": -2, "local_inner_unit_y": 1, "local_outer_stride_x": 1, "local_outer_stride_y": 0,
             "block_resolution_x": 1, "global_resolution_x": 1},
            "the local outer loop of MEDIA_OBJECT_WALKER leaves its bounds after 1 steps and comes back at 0, 1",
        ),
        (
            {"block_resolution_x": 2, "block_resolution_y": 2, "global_resolution_x": 2, "global_outer_stride_x": 2,
             "global_inner_unit_x": -4, "global_inner_unit_y": 2},
            "the global outer loop of MEDIA_OBJECT_WALKER leaves its bounds after 1 steps and comes back at 0, 2",
        ),
        ({"global_start_x": -1, "global_resolution_x": 5}, "a block reaches over two edges of the frame"),
    ],
)  # fmt: skip
def test_refusals(fields, message):
    with pytest.raises(CaptureError, match=message):
        walked_places(MediaObjectWalker(**(_raster(511, 511) | fields)))


def test_whatever_the_bits_are_the_walk_is_bounded():
    rng = np.random.default_rng(4)
    outcomes = {True: 0, False: 0}
    for _ in range(400):
        words = rng.integers(0, 1 << 32, 17, np.uint32) & rng.choice([0, 0x00070007, 0x03FF03FF, 0xFFFFFFFF], 17)
        words[6] &= 0x0F1F3300
        command = MediaObjectWalker.from_dwords([0x7103000F, *words[1:].tolist()], strict=False)
        try:
            assert len(walked_places(command)) <= walker_module.MOST_WALKED
            outcomes[True] += 1
        except CaptureError:
            outcomes[False] += 1
    assert min(outcomes.values()) > 50


def test_the_largest_frame_fits():
    places = walked_places(MediaObjectWalker(**_degree_45(511, 511)))
    assert len(places) == 511 * 511 <= walker_module.MOST_WALKED
    assert not len(walked_places(MediaObjectWalker(local_inner_unit_x=1, global_inner_unit_x=1)))


def test_the_walk_is_in_the_bits_drivers_write():
    words = [0x7103000F, 0, 1 << 21, 0, 0, 0x0F, 1 << 30, 0x3FF03FF, 3 << 16 | 4, 0, 0, 1, 1 << 16 | 0x3FE,
             3 << 16 | 4, 0, 4, 3 << 16]  # fmt: skip
    command = MediaObjectWalker.from_dwords(words)
    assert command == MediaObjectWalker(**_degree_26(4, 3), use_scoreboard=True, scoreboard_mask=15, repel=True)
    assert walked_places(command)[:6, :2].tolist() == [[0, 0], [1, 0], [2, 0], [0, 1], [3, 0], [1, 1]]
