"""The deinterlacer's kernels equal the oracle to the last bit."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from oracle.deinterlace import (
    DiState,
    deinterlace_luma,
    deinterlaced_chroma,
    doubled_chroma,
    final_angle,
    missing_lines,
)
from support.filter_cases import nothing_else_written, sweep
from support.frames import assert_unused_bits_are_zero, samples_of
from support.interlaced import CONTENTS, DRIVER, frame_pair, random_parameters, random_statistics

from texsamp.device import get_device
from texsamp.errors import FormatError, StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState, StmmSelect, StmmShiftDown
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.launches import deinterlace_fields, measure_motion
from texsamp.video.deinterlace.parameters import DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame

LAYOUTS = ("yuv420p", "yuv422p", "nv12", "nv21", "yuyv422", "uyvy422", "gray", "yuv420p10le", "yuv422p10le", "p010le")


def check_field(field: Field, result: Frame, stored: StatisticsSurface, parameters: DeinterlaceParameters) -> None:
    """One field of one frame against the oracle: STMM, every component, and the bits around samples."""
    state, layout, height = DiState(**asdict(parameters)), result.layout, result.height_px
    lines = missing_lines(field.parity, height)
    luma = samples_of(field.current, "Y")
    if not len(lines):
        assert np.array_equal(samples_of(result, "Y"), luma)
        return
    reference = None if field.reference is None else samples_of(field.reference, "Y")
    stmm_s = None if reference is None else stored.stmm[lines]
    expected = deinterlace_luma(luma, reference, field.parity, state, stmm_s, layout.bits)
    if field.motion is not None:
        assert np.array_equal(field.motion.stmm[lines], expected.stmm2), "STMM"
    wrong = np.argwhere(samples_of(result, "Y") != expected.luma)
    assert not len(wrong), f"Y: {len(wrong)} differ, first at {wrong[0]}"
    for name in (n for n in layout.components if n != "Y"):
        c = samples_of(field.current, name)
        r = None if field.reference is None else samples_of(field.reference, name)
        if layout.log2_chroma_height:
            chroma = doubled_chroma(c, r, field.parity, expected, height, state)
        else:
            chroma = deinterlaced_chroma(c, r, expected, state)
        wrong = np.argwhere(samples_of(result, name) != chroma)
        assert not len(wrong), f"{name}: {len(wrong)} differ, first at {wrong[0]}"
    assert_unused_bits_are_zero(result)


def check_pair(rng, layout, width, height, content, parameters, first_parity):
    """Both fields of a call as the hardware makes it, and the first field of a stream."""
    previous, current = frame_pair(rng, layout, width, height, content)
    second_parity = 1 - first_parity
    stored = random_statistics(rng, current)
    motion = StatisticsSurface.empty(get_device("cpu"), width, height)
    by_line = (previous, current) if first_parity == 0 else (current, previous)
    with nothing_else_written([motion.stmm]):
        get_device("cpu").launch(measure_motion(by_line, (0, 1), parameters, stored, motion))
    fields = [
        Field(previous, second_parity, current, motion),
        Field(current, first_parity, previous, motion),
        Field(current, first_parity),
    ]
    before = [plane.copy() for frame in (previous, current) for plane in frame.planes]
    for field, result in zip(fields, deinterlace_fields(fields, parameters), strict=True):
        check_field(field, result, stored, parameters)
    after = [plane for frame in (previous, current) for plane in frame.planes]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True)), "an input was written"


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_states_on_every_content(layout, content):
    rng = np.random.default_rng([len(content), LAYOUTS.index(layout)])
    for case in range(sweep(2)):
        width, height = (int(v) for v in rng.integers(1, 40, 2))
        ours = bool(rng.integers(0, 2))
        parameters = replace(random_parameters(rng), own_angles=ours) if case % 2 else DRIVER
        check_pair(rng, layout, width, height, content, parameters, int(rng.integers(0, 2)))


@pytest.mark.parametrize(
    "size", [(16, 4), (16, 8), (17, 5), (1, 1), (1, 2), (2, 1), (1, 9), (9, 1), (2, 2), (3, 3), (5, 4)]
)
def test_small_sizes(size):
    """Lines beyond the picture are the nearest of their own field, also where a field has no line at all."""
    rng = np.random.default_rng(size)
    for parity in (0, 1):
        for layout in LAYOUTS[parity::2]:
            check_pair(rng, layout, *size, "random", DRIVER, parity)
        for layout in LAYOUTS[1 - parity :: 2]:
            check_pair(rng, layout, *size, "noisy edges", replace(random_parameters(rng), sdi_d=0, sdi_th=255), parity)


@pytest.mark.parametrize("layout", ["yuv420p", "yuv422p", "p010le"])
@pytest.mark.parametrize("width", [55, 56, 57, 61, 247, 248, 249, 252, 253, 254, 256, 505])
def test_sizes_around_tile_borders(width, layout):
    rng = np.random.default_rng(width)
    for height in (15, 16, 17, 33):
        check_pair(rng, layout, width, height, "noisy edges", replace(DRIVER, sdi_d=0, sdi_angle2x1=0), height & 1)


@pytest.mark.parametrize("bits", [8, 10])
def test_the_largest_costs_do_not_overflow(bits):
    """Lines of alternate extremes: every cost, complexity and difference at its maximum."""
    rng = np.random.default_rng(bits)
    layout = "gray" if bits == 8 else "gray10le"
    extreme = dict.fromkeys(("sdi_th", "sdi_d", "sdi_t1", "sdi_t2", "sdi_angle2x1"), 255)
    for parameters in (DRIVER, replace(DRIVER, **extreme), replace(DRIVER, vecm_mul=63, tdm_shift2=8, stmm_c2=1)):
        for content in ("max", "extremes", "checkerboard", "impulses"):
            check_pair(rng, layout, 37, 18, content, parameters, 0)


def test_every_angle_is_chosen():
    """The material that the tests above are fed with reaches all nine directions."""
    rng, seen = np.random.default_rng(1), set()
    for _ in range(30):
        luma = CONTENTS["slanted"](rng, 24, 60, 255).astype(np.int64)
        seen |= set(np.unique(final_angle(luma, missing_lines(0, 24), DiState(sdi_d=0, sdi_th=255))).tolist())
    assert seen == {-5, -3, -2, -1, 0, 1, 2, 3, 5}


@pytest.mark.parametrize("parity", [0, 1])
def test_one_parity_of_lines_alone(parity):
    """At frame rate only the lines of the second field are measured; the others stay as they are."""
    rng = np.random.default_rng(parity)
    device = get_device("cpu")
    previous, current = frame_pair(rng, "gray", 131, 70, "steps")
    stored, motion = random_statistics(rng, current), StatisticsSurface.empty(device, 131, 70)
    motion.memory[...] = 77
    lines = missing_lines(parity, 70)
    by_line = (current, previous) if lines[0] == 0 else (previous, current)
    with nothing_else_written([motion.stmm[lines[0] :: 2]]):
        device.launch(measure_motion(by_line, (int(lines[0]), 2), DRIVER, stored, motion))
    field = Field(current, parity, previous, motion)
    check_field(field, deinterlace_fields([field], DRIVER)[0], stored, DRIVER)


def test_parameters_are_the_fields_of_the_state():
    assert asdict(DRIVER) == asdict(DiState())
    state = DeinterlaceSamplerState(stmm_select=StmmSelect.MAXIMUM, stmm_shift_down=StmmShiftDown.SHIFT_6, stmm_c2=8)
    read = DeinterlaceParameters.from_state(state)
    assert (read.stmm_md_th, read.tdm_shift1, read.stmm_c2) == (150, 6, 8)
    with pytest.raises(StateError, match=r"found 150 - 100 and shift 5"):
        DeinterlaceParameters.from_state(DeinterlaceSamplerState(min_stmm=100))


@pytest.mark.parametrize("layout", ["yuv444p", "rgba", "x2rgb10le", "rgba64le"])
def test_other_layouts_are_refused(layout):
    with pytest.raises(FormatError, match=layout):
        deinterlace_fields([Field(Frame.empty(layout, 8, 8, "cpu"), 0)], DRIVER)


def test_a_reference_needs_the_motion_between_both():
    frames = [Frame.empty("yuv420p", 8, 8, "cpu") for _ in range(2)]
    with pytest.raises(StateError, match="needs the motion between both"):
        deinterlace_fields([Field(frames[0], 0, frames[1])], DRIVER)


def test_statistics_lie_where_the_manual_puts_them():
    """STMM_X = x / 2, STMM_Y = y; DH_X = pitch / 2 + x / 4, DH_Y = y / 4 (seed 003:1550-1560)."""
    surface = StatisticsSurface.after_first_frame(get_device("cpu"), 70, 10)
    assert (surface.stmm == 255).all()
    assert not surface.denoise_history.any()
    surface.stmm[9, 34] = 1
    surface.denoise_history[2, 17] = 2
    assert surface.memory[9, 68 // 2] == 1
    assert surface.memory[8 // 4, surface.pitch_B // 2 + 68 // 4] == 2
    assert surface.denoise_history.shape == (3, 18)
