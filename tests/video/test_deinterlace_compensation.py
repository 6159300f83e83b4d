"""Motion compensated deinterlacing equals the oracle to the last bit."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from oracle.deinterlace import DiState, missing_lines
from oracle.hq_deinterlace import whole_width
from oracle.motion_compensation import McState, compensation, deinterlace_luma_mc, interleaved, search
from support.filter_cases import sweep
from support.frames import samples_of
from support.interlaced import CONTENTS, fill, frame_pair

from texsamp.device import get_device
from texsamp.video.deinterlace.compensation import search_motion
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.launches import compensated_share, deinterlace_fields, measure_motion
from texsamp.video.deinterlace.parameters import DRIVER_STATE, CompensationParameters, DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame

DRIVER = DeinterlaceParameters.from_state(DRIVER_STATE)
COMPENSATION = CompensationParameters.from_state(DRIVER_STATE)
GENEROUS = replace(
    COMPENSATION, cat_th1=3, sad_tha=15, sad_thb=15, sad_tight_th=0, smooth_mv_th=3, mc_pixel_consistency_th=63,
    neighbor_pixel_th=15,
)  # fmt: skip
MOVING = replace(DRIVER, stmm_min=0, stmm_max=1, stmm_shift=0)
"""Nothing is static: what is compensated shows."""
BLENDING = replace(DRIVER, stmm_min=10, stmm_max=74, stmm_shift=6)
"""Much lies between the limits."""


def moved_pair(rng, layout, width, height, content):
    """The second frame is the first one moved by any of the vectors, with a little noise."""
    first, second = frame_pair(rng, layout, width, height, content)
    part = first.layout.components["Y"]
    top = (1 << part.bits) - 1
    values = samples_of(first, "Y")
    shift = (int(rng.choice([-2, 0, 2])), int(rng.integers(-6, 7)))
    fill(second, "Y", np.clip(np.roll(values, shift, (0, 1)) + rng.integers(-2, 3, values.shape), 0, top))
    return first, second


def check(previous: Frame, current: Frame, first: int, parameters, constants, rng) -> int:
    """Vectors of all lines and both fields against the oracle; how many samples were compensated."""
    device, width, height = get_device("cpu"), current.width_px, current.height_px
    bits, second = current.layout.bits, 1 - first
    by_line = (previous, current) if first == 0 else (current, previous)
    stored = StatisticsSurface.after_first_frame(device, width, height)
    stored.stmm[...] = rng.integers(0, 256, stored.stmm.shape)
    motion = StatisticsSurface.empty(device, width, height)
    launch, vectors = search_motion(by_line, constants)
    device.launch(measure_motion(by_line, (0, 1), parameters, stored, motion), launch)
    luma = [samples_of(frame, "Y") for frame in by_line]
    parts = [search(luma[p], luma[1 - p], np.arange(p, height, 2)) for p in (0, 1)]
    expected = interleaved(*parts, height)
    assert np.array_equal(vectors.x, expected.x)
    assert np.array_equal(vectors.y, expected.y)
    small = vectors.sad != 65535
    assert np.array_equal(vectors.sad[small], expected.sad[small])
    fields = [Field(previous, second, current, motion, vectors), Field(current, first, previous, motion, vectors)]
    adaptive = deinterlace_fields([replace(field, vectors=None) for field in fields], parameters)
    compensated = 0
    for field, plain, made in zip(fields, adaptive, deinterlace_fields(fields, parameters), strict=True):
        lines = missing_lines(field.parity, height)
        if len(lines):
            c, r = samples_of(field.current, "Y"), samples_of(field.reference, "Y")
            state, mc = DiState(**asdict(parameters)), McState(**asdict(constants))
            oracle = deinterlace_luma_mc(c, r, field.parity, state, mc, stored.stmm[lines], expected, bits)
            wrong = np.argwhere(samples_of(made, "Y") != oracle.luma)
            assert not len(wrong), f"{len(wrong)} differ, first at {wrong[0]}"
            plan, take, _ = compensation(c, r, field.parity, state, mc, stored.stmm[lines], expected, bits)
            taken = take & whole_width(plan.stmm3 > parameters.stmm_min, width)  # what is blended in is counted
            assert compensated_share(field, parameters) == taken.mean()
        else:
            assert compensated_share(field, parameters) == 0
        compensated += int((samples_of(made, "Y") != samples_of(plain, "Y")).sum())
    return compensated


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("layout", ["gray", "nv12", "uyvy422", "yuv420p10le"])
def test_moved_pictures(layout, content):
    rng = np.random.default_rng([len(layout), len(content)])
    for case in range(sweep(2)):
        width, height = (int(v) for v in rng.integers(1, 45, 2))
        pair = moved_pair(rng, layout, width, height, content)
        constants = GENEROUS if case % 2 else COMPENSATION
        check(*pair, case % 2, MOVING if case % 2 else DRIVER, constants, rng)
        check(*pair, case % 2, BLENDING, constants.on_haswell(), rng)


def test_motion_is_compensated():
    """Blocks that move as a whole are taken from half the way, most of all where the vector is exact."""
    rng = np.random.default_rng(4)
    changed = [check(*moved_pair(rng, "gray", 60, 40, "steps"), 0, MOVING, GENEROUS, rng) for _ in range(4)]
    assert sum(changed) > 50


@pytest.mark.parametrize("lit", [0.0, 0.02, 1.0])
def test_black_and_white_pictures(lit):
    """What differs by so much that 16 bits do not hold a sum with its vector's number is searched in another way."""
    rng = np.random.default_rng(int(100 * lit))
    first, second = frame_pair(rng, "gray", 60, 40, "steps")
    fill(first, "Y", rng.integers(0, 30, (40, 60)))
    fill(second, "Y", np.where(rng.random((40, 60)) < lit, 30, 255) - rng.integers(0, 30, (40, 60)))
    check(first, second, 0, MOVING, GENEROUS, rng)


@pytest.mark.parametrize(
    "size", [(1, 1), (2, 3), (16, 4), (17, 5), (1, 9), (9, 1), (124, 18), (125, 17), (253, 33), (505, 9)]
)
@pytest.mark.parametrize("first", [0, 1])
def test_sizes(size, first):
    rng = np.random.default_rng(size)
    for layout in ("gray", "gray10le"):
        check(*moved_pair(rng, layout, *size, "steps"), first, MOVING, GENEROUS, rng)


@pytest.mark.parametrize("field", list(asdict(COMPENSATION)))
def test_each_field_through_its_range(field):
    rng = np.random.default_rng(len(field))
    tops = {"cat_th1": 3, "smooth_mv_th": 3, "mc_pixel_consistency_th": 63, "cat_slope": 16}
    for value in {0 if field != "cat_slope" else 1, tops.get(field, 15) // 2 + 1, tops.get(field, 15)}:
        pair = moved_pair(rng, "gray" if value % 2 else "gray10le", 40, 24, "steps")
        check(*pair, value % 2, MOVING, replace(GENEROUS, **{field: value}), rng)
