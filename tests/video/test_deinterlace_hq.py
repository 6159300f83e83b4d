"""The long filters of `deinterlace=hq`: the kernels equal the oracle to the last bit."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from oracle.deinterlace import DiState, missing_lines
from oracle.hq_deinterlace import COEFFICIENTS, deinterlace_luma_hq
from support.filter_cases import sweep
from support.frames import assert_unused_bits_are_zero, samples_of
from support.interlaced import CONTENTS, DRIVER, frame_pair, random_parameters, random_statistics

import texsamp as ts
from texsamp.device import get_device
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.launches import deinterlace_fields, measure_motion
from texsamp.video.deinterlace.statistics import StatisticsSurface

LAYOUTS = ("gray", "yuv420p", "nv12", "yuyv422", "gray10le", "p010le", "yuv422p10le")


OURS = replace(DRIVER, own_angles=True)


def check(rng, layout, width, height, content, parameters=OURS):
    """Both fields of a call and a first field; nothing is known of chroma, which is made of the field's own lines."""
    previous, current = frame_pair(rng, layout, width, height, content)
    device, parity = get_device("cpu"), int(rng.integers(0, 2))
    stored = random_statistics(rng, current)
    motion = StatisticsSurface.empty(device, width, height)
    device.launch(
        measure_motion((current, previous) if parity else (previous, current), (0, 1), parameters, stored, motion)
    )
    fields = [
        Field(previous, 1 - parity, current, motion, long_filters=True),
        Field(current, parity, previous, motion, long_filters=True),
        Field(current, parity, long_filters=True),
    ]
    for field, result in zip(fields, deinterlace_fields(fields, parameters), strict=True):
        for name in result.layout.components:
            c = samples_of(field.current, name)
            lines = missing_lines(field.parity, len(c))
            expected = c
            if len(lines):
                r = None if field.reference is None or name != "Y" else samples_of(field.reference, name)
                state, stmm = DiState(**asdict(parameters)), stored.stmm[lines] if name == "Y" else None
                expected = deinterlace_luma_hq(c, r, field.parity, state, stmm, result.layout.bits)
            wrong = np.argwhere(samples_of(result, name) != expected)
            assert not len(wrong), f"{len(wrong)} of {name} differ, first at {wrong[0]}"
        assert_unused_bits_are_zero(result)


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_content(layout, content):
    rng = np.random.default_rng([len(content), LAYOUTS.index(layout)])
    for case in range(sweep(2)):
        width, height = (int(v) for v in rng.integers(1, 50, 2))
        check(
            rng,
            layout,
            width,
            height,
            content,
            replace(random_parameters(rng), own_angles=bool(case & 2)) if case % 2 else OURS,
        )


@pytest.mark.parametrize(
    "size", [(1, 1), (1, 2), (2, 1), (1, 9), (9, 1), (16, 4), (17, 5), (124, 18), (248, 16), (250, 17), (505, 33)]
)
def test_sizes(size):
    rng = np.random.default_rng(size)
    for layout in ("gray", "gray10le"):
        check(rng, layout, *size, "noisy edges")


def test_every_filter_is_used_and_leaves_a_constant_alone():
    assert len(COEFFICIENTS) == 16
    rng = np.random.default_rng(2)
    device = get_device("cpu")
    stored = StatisticsSurface.after_first_frame(device, 512, 16)
    stored.stmm[...] = np.arange(256)
    motion = StatisticsSurface.empty(device, 512, 16)
    frames = tuple(ts.Frame.from_arrays("gray", [np.full((16, 512), v, "u1")], 512, 16, "cpu") for v in (90, 90))
    device.launch(measure_motion(frames, (0, 1), replace(DRIVER, stmm_trc2=255), stored, motion))
    assert set((motion.stmm >> 4).ravel().tolist()) == set(range(16))
    for made in deinterlace_fields([Field(frames[0], 1, frames[1], motion, long_filters=True)], DRIVER):
        assert (made.planes[0] == 90).all()
    check(rng, "gray", 300, 40, "random", replace(DRIVER, tdm_shift2=6, stmm_c2=8))


def test_a_still_picture_comes_out_as_it_is():
    rng = np.random.default_rng(3)
    still = rng.integers(0, 256, (20, 50)).astype("u1")
    frames = [ts.Frame.from_arrays("gray", [still], 50, 20, "cpu", pts=n, interlaced=True) for n in range(8)]
    made = list(ts.Pipeline([ts.Deinterlace("hq", "field")], "cpu")(frames))
    assert all(np.array_equal(frame.planes[0], still) for frame in made[10:])


def test_the_table_is_the_one_of_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "deinterlace-hq.md").read_text()
    for row, values in enumerate(COEFFICIENTS):
        assert f"| {16 * row} | " + " | ".join(map(str, values)) + " |" in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"reference": None, "vectors": object()}, "a field with vectors needs its reference, found None"),
        ({"reference": None, "matches": object()}, "a field with matches needs its reference, found None"),
        ({"parity": 2}, r"the parity of a field is 0 \(top\) or 1 \(bottom\), found 2"),
        ({"size": (19, 11)}, "the motion of a field has its size, 20x11, found 19x11"),
        ({"other": (20, 12)}, "the reference of a field has its size, 20x11, found 20x12"),
        ({"layout": "gray10le"}, "the reference of a field has its layout, gray, found gray10le"),
    ],
)
@pytest.mark.parametrize("long_filters", [False, True])
def test_a_field_without_what_its_kernels_read_is_refused(given, message, long_filters):
    given = dict(given)
    device = get_device("cpu")
    current = ts.Frame.empty("gray", 20, 11, device)
    reference = ts.Frame.empty(given.pop("layout", "gray"), *given.pop("other", (20, 11)), device)
    motion = StatisticsSurface.empty(device, *given.pop("size", (20, 11)))
    field = replace(Field(current, 1, reference, motion, long_filters=long_filters), **given)
    with pytest.raises((ts.StateError, ts.FormatError), match=message):
        deinterlace_fields([field], OURS)
