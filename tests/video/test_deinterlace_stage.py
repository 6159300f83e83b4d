"""The deinterlace stage: streams of frames, their order in time, and where they begin and end."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle.deinterlace import DiState, deinterlace_luma, missing_lines
from support.frames import random_frame, samples_of
from support.interlaced import interlace

from texsamp.device import set_threads
from texsamp.errors import FormatError, StateError
from texsamp.io.clips import pattern_clip
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline


def clip(frames: int, width: int = 48, height: int = 22, top_first: bool = True) -> list[Frame]:
    """Interlaced frames of a moving pattern, at 25 frames per second from time 0."""
    made = interlace(list(pattern_clip(width, height, 2 * frames)), top_first)
    return [replace(frame, time_base=Fraction(1, 25)) for frame in made]


def noise(count: int, seed: int, width: int = 48, height: int = 22, top: int = 255) -> list[Frame]:
    """Unrelated interlaced frames no brighter than ``top``."""
    rng = np.random.default_rng(seed)
    pictures = [rng.integers(0, top + 1, (height, width)).astype(np.uint8) for _ in range(count)]
    return [
        Frame.from_arrays("gray", [p], width, height, "cpu", pts=n, time_base=Fraction(1, 25), interlaced=True)
        for n, p in enumerate(pictures)
    ]


def run(stage: Deinterlace, frames: Iterable[Frame]) -> list[Frame]:
    return list(Pipeline([stage], "cpu")(frames))


def same(a: Frame, b: Frame) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a.to_arrays(), b.to_arrays(), strict=True))


def by_oracle(frames: list[Frame], first: int) -> list[np.ndarray]:
    """Luma of a stream at field rate: each field with the frame next to it, the last one with the frame before."""
    state, second = DiState(), 1 - first
    luma = [samples_of(frame, "Y") for frame in frames]
    height, width = luma[0].shape
    stored = {parity: np.full((len(missing_lines(parity, height)), (width + 1) // 2), 255) for parity in (0, 1)}
    out = [deinterlace_luma(luma[0], None, first, state).luma]
    for before, now in itertools.pairwise(luma):
        fields = (
            deinterlace_luma(before, now, second, state, stored[second]),
            deinterlace_luma(now, before, first, state, stored[first]),
        )
        stored = {second: fields[0].stmm2, first: fields[1].stmm2}
        out += [field.luma for field in fields]
    return [*out, deinterlace_luma(luma[-1], luma[-2], second, state, stored[second]).luma]


@pytest.mark.parametrize("top_first", [True, False])
def test_a_stream_at_field_rate_is_the_oracles(top_first):
    frames = clip(5, 47, 21, top_first)
    made = run(Deinterlace("madi", "field", scenecut="off"), frames)
    expected = by_oracle(frames, int(not top_first))
    assert len(made) == 10
    for number, (frame, luma) in enumerate(zip(made, expected, strict=True)):
        assert np.array_equal(samples_of(frame, "Y"), luma), f"field {number}"
        assert not frame.interlaced


def test_frame_rate_is_every_first_field():
    frames = clip(5)
    whole = run(Deinterlace(rate="field"), frames)
    made = run(Deinterlace(rate="frame"), frames)
    assert len(made) == 5
    assert all(same(a, b) for a, b in zip(made, whole[::2], strict=True))
    assert [frame.pts for frame in made] == [0, 1, 2, 3, 4]
    assert {frame.time_base for frame in made} == {Fraction(1, 25)}


@pytest.mark.parametrize("layout", ["yuv420p", "yuv422p", "nv12", "uyvy422", "p010le"])
@pytest.mark.parametrize("size", [(33, 18), (16, 4), (17, 5)])
@pytest.mark.parametrize(("mode", "from_field"), [("madi", 5), ("hq", 7)])
def test_a_still_picture_comes_out_as_it_is(layout, size, mode, from_field):
    """The motion measure falls below its limit in two frames; then each field is completed by the other one.

    In noise hq finds single pixels, where two fields agree by chance, two fields later.
    """
    rng = np.random.default_rng(3)
    still = replace(random_frame(rng, layout, *size, pattern="random"), interlaced=True, top_field_first=True)
    made = run(Deinterlace(mode, "field"), [replace(still, pts=n) for n in range(5)])
    for frame in made[from_field:]:
        for name in still.layout.components:
            assert np.array_equal(samples_of(frame, name), samples_of(still, name)), name
    spatial = run(Deinterlace(mode="bob", rate="field"), [still])
    assert not np.array_equal(samples_of(spatial[0], "Y"), samples_of(still, "Y"))


@pytest.mark.parametrize("mode", ["bob", "madi", "mcdi", "mcdi-hsw", "hq", "weave"])
@pytest.mark.parametrize("value", [0, 77, 255])
def test_a_constant_stays_constant(mode, value):
    planes = [np.full(shape, value, np.uint8) for shape in ((9, 31), (5, 16), (5, 16))]
    frames = [Frame.from_arrays("yuv420p", planes, 31, 9, "cpu", pts=n, interlaced=True) for n in range(3)]
    for frame in run(Deinterlace(mode=mode, rate="field"), frames):
        assert all((plane == value).all() for plane in frame.to_arrays())


@pytest.mark.parametrize("angles", ["hardware", "ours"])
def test_angles_are_chosen_by_the_manual_or_by_our_rule(angles):
    """Stripes along which the two differ; hq has neither."""
    y, x = np.mgrid[:24, :60]
    stripes = (np.abs((x + 2 * y) % 22 - 11) * 20).astype(np.uint8)
    frame = Frame.from_arrays("gray", [stripes], 60, 24, "cpu", pts=0, interlaced=True, top_field_first=True)
    expected, other = (
        deinterlace_luma(stripes, None, 0, DiState(own_angles=own)).luma for own in (angles == "ours", angles != "ours")
    )
    assert not np.array_equal(expected, other)
    (made,) = run(Deinterlace("bob", angles=angles), [frame])
    assert np.array_equal(made.planes[0], expected)
    hq = Deinterlace("hq", angles=angles)
    assert repr(hq) == f"<Deinterlace deinterlace{'=angles=ours' * (angles == 'ours')}>"
    told = [Pipeline([Deinterlace(mode, angles=angles)], "cpu").describe() for mode in ("hq", "best", "bob")]
    assert ["choice of the angle" in text for text in told] == [False, False, True]
    assert ("our rule" in told[2]) == (angles == "ours")
    with pytest.raises(StateError, match="deinterlace angles must be one of hardware, ours, found 'all'"):
        Deinterlace(angles="all")


def test_motion_compensation_is_used_between_frames():
    """The first field of a stream and the last one are as without it; at frame rate they are the first fields'."""
    rng = np.random.default_rng(8)
    wide = np.repeat(rng.integers(0, 256, (30, 20)), 6, 1).astype(np.uint8)
    frames = [
        Frame.from_arrays("gray", [wide[:, 4 * n : 4 * n + 64].copy()], 64, 30, "cpu", pts=n, interlaced=True)
        for n in range(5)
    ]
    madi, mcdi = (run(Deinterlace(mode, "field", scenecut="off"), frames) for mode in ("madi", "mcdi"))
    assert [same(a, b) for a, b in zip(madi, mcdi, strict=True)] == [True, *[False] * 8, True]
    haswell = run(Deinterlace("mcdi-hsw", "field", scenecut="off"), frames)
    assert not any(same(a, b) for each in (madi, mcdi) for a, b in zip(each[2:-1], haswell[2:-1], strict=True))
    whole = run(Deinterlace("mcdi", "frame", scenecut="off"), frames)
    assert all(same(a, b) for a, b in zip(whole, mcdi[::2], strict=True))


def test_bob_makes_each_field_by_itself():
    frames = clip(3)
    made = run(Deinterlace(mode="bob", rate="field"), frames)
    alone = [field for frame in frames for field in run(Deinterlace(mode="bob", rate="field"), [frame])]
    assert len(made) == len(alone) == 6
    assert all(same(a, b) for a, b in zip(made, alone, strict=True))
    for number, frame in enumerate(made):
        kept, source = slice(number % 2, None, 2), frames[number // 2]
        assert np.array_equal(frame.planes[0][kept], source.planes[0][kept])


def test_weave_puts_a_field_to_the_one_before():
    frames = clip(3)
    made = run(Deinterlace(mode="weave", rate="field"), frames)
    assert all(same(a, b) for a, b in zip(made[1::2], frames, strict=True))
    assert same(made[0], frames[0])
    for plane, now, before in zip(made[2].planes, frames[1].planes, frames[0].planes, strict=True):
        assert np.array_equal(plane[::2], now[::2])
        assert np.array_equal(plane[1::2], before[1::2])
    whole = run(Deinterlace(mode="weave"), frames)
    assert all(same(a, b) and not a.interlaced for a, b in zip(whole, frames, strict=True))


# ---- time ------------------------------------------------------------------------------------------------------------


def test_the_second_field_is_halfway_to_the_next_frame():
    """Also when frames are not evenly spaced; the last one is as long as its duration says."""
    times = [10, 14, 15, 25]
    frames = [replace(frame, pts=t, duration=3) for frame, t in zip(clip(4), times, strict=True)]
    made = run(Deinterlace(rate="field"), frames)
    assert {frame.time_base for frame in made} == {Fraction(1, 50)}
    assert [frame.pts for frame in made] == [20, 24, 28, 29, 30, 40, 50, 60]
    assert [frame.duration for frame in made] == [3, 4, 3, 1, 3, 10, 3, 10]


def test_times_that_are_not_known():
    bare = [replace(frame, pts=None, duration=None, time_base=None) for frame in clip(2)]
    assert [(f.pts, f.duration, f.time_base) for f in run(Deinterlace(rate="field"), bare)] == [(None, None, None)] * 4
    one = [replace(frame, duration=None) for frame in clip(1)]
    assert [frame.pts for frame in run(Deinterlace(rate="field"), one)] == [0, 1]


# ---- which frames ----------------------------------------------------------------------------------------------------


def test_field_order_is_the_frames_or_the_callers():
    frames = clip(3, top_first=False)
    by_flag = run(Deinterlace(rate="field"), frames)
    told = run(Deinterlace(rate="field", parity="bff"), [replace(f, top_field_first=None) for f in frames])
    assert all(same(a, b) for a, b in zip(by_flag, told, strict=True))
    other = run(Deinterlace(rate="field", parity="tff"), frames)
    assert np.array_equal(other[0].planes[0][::2], frames[0].planes[0][::2])
    assert np.array_equal(by_flag[0].planes[0][1::2], frames[0].planes[0][1::2])


def test_unknown_field_order_is_told():
    stage = Deinterlace()
    run(stage, [replace(frame, top_field_first=None) for frame in clip(3)])
    assert stage.notes == (
        "deinterlace: the field order of 3 of 3 frames is unknown: the top field was taken first "
        "(parity=bff takes the other)",
    )
    run(stage, clip(2))
    assert stage.notes == ()


def test_progressive_frames_pass():
    frames = [replace(frame, interlaced=n not in (1, 2)) for n, frame in enumerate(clip(5))]
    made = run(Deinterlace(rate="field"), frames)
    assert [frame.pts for frame in made] == [0, 1, 2, 4, 6, 7, 8, 9]
    assert [frame.duration for frame in made] == [1, 1, 2, 2, 1, 1, 1, 1]
    assert same(made[2], frames[1])
    assert same(made[3], frames[2])
    assert not same(made[4], frames[3])
    stage = Deinterlace()
    assert all(same(a, b) for a, b in zip(run(stage, frames[1:3]), frames[1:3], strict=True))
    assert stage.notes == (
        "deinterlace: no frame is flagged as interlaced: none was deinterlaced (deint=all takes them all)",
    )
    assert len(run(Deinterlace(rate="field", deint="all"), frames[1:3])) == 4


# ---- beginnings and ends ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(16, 4), (17, 5), (1, 1), (1, 7), (5, 1), (3, 2)])
@pytest.mark.parametrize("mode", ["bob", "madi", "mcdi", "mcdi-hsw", "hq", "weave"])
def test_one_frame_gives_both_of_its_fields(mode, size):
    frames = noise(1, 1, *size)
    made = run(Deinterlace(mode=mode, rate="field"), frames)
    assert len(made) == 2
    for parity, frame in enumerate(made):
        assert np.array_equal(frame.planes[0][parity::2], frames[0].planes[0][parity::2])
    assert run(Deinterlace(mode=mode), []) == []


def test_a_stage_may_be_used_again():
    stage = Deinterlace(rate="field")
    first, again = run(stage, clip(3)), run(stage, clip(3))
    assert all(same(a, b) for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize(
    "change",
    [
        lambda n, f: replace(f, pts=n - 5),  # a seek
        lambda _n, f: replace(f, top_field_first=False),
        lambda _n, f: clip(1, 60, 22)[0],
    ],
)
def test_a_break_ends_the_stream(change):
    """After it the first frame's rule holds; before it the last field is made as at the end of a file."""
    before, after = clip(3), [change(n, frame) for n, frame in enumerate(clip(2))]
    made = run(Deinterlace(rate="field"), [*before, *after])
    apart = [*run(Deinterlace(rate="field"), before), *run(Deinterlace(rate="field"), after)]
    assert all(same(a, b) for a, b in zip(made, apart, strict=True))


def test_a_scene_cut_starts_anew():
    dark = [replace(f, pts=n) for n, f in enumerate(noise(3, 1, top=40))]
    bright = [replace(f, pts=n + 3) for n, f in enumerate(noise(3, 2, top=40))]
    for frame in bright:
        frame.planes[0][...] += 150
    made = run(Deinterlace(rate="field"), [*dark, *bright])
    apart = [*run(Deinterlace(rate="field"), dark), *run(Deinterlace(rate="field"), bright)]
    assert all(same(a, b) for a, b in zip(made, apart, strict=True))
    assert [frame.pts for frame in made] == list(range(12))
    without = run(Deinterlace(rate="field", scenecut="off"), [*dark, *bright])
    assert not all(same(a, b) for a, b in zip(without, apart, strict=True))


def test_threads_do_not_matter():
    frames, results = clip(3, 300, 90), []
    try:
        for threads in (1, 3):
            set_threads(threads)
            results.append(run(Deinterlace(rate="field"), frames))
    finally:
        set_threads(None)
    assert all(same(a, b) for a, b in zip(*results, strict=True))


def test_inputs_are_left_alone():
    frames = clip(3)
    copies = [[plane.copy() for plane in frame.planes] for frame in frames]
    for mode in ("bob", "madi", "mcdi", "hq", "weave"):
        run(Deinterlace(mode=mode, rate="field"), frames)
    for frame, copy in zip(frames, copies, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(frame.planes, copy, strict=True))


# ---- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["mode", "rate", "parity", "deint", "scenecut", "preset"])
def test_wrong_options(option):
    with pytest.raises(StateError, match=rf"deinterlace {option} must be one of .*, found 'x'"):
        Deinterlace(**{option: "x"})


@pytest.mark.parametrize(("mode", "layout", "taken"), [("madi", "yuv444p", "4:2:2"), ("hq", "rgba", "4:4:4")])
def test_wrong_layout(mode, layout, taken):
    with pytest.raises(FormatError, match=f"takes 4:2:0, .*{taken} and gray .*found {layout}: convert it first"):
        list(Deinterlace(mode).feed(Frame.empty(layout, 8, 8, "cpu")))


def test_constants_of_a_state_are_used():
    """With limits no motion reaches, every field but the first is woven in time."""
    frames = noise(4, 5)
    state = DeinterlaceSamplerState(
        min_stmm=254, max_stmm=255, stmm_output_shift=0, stmm_c2=8, vecm_multiplier=0, stmm_shift_up="SHIFT_6"
    )
    made = run(Deinterlace("madi", scenecut="off", state=state), frames)
    mean = (frames[2].planes[0][1::2].astype(int) + frames[3].planes[0][1::2] + 1) >> 1
    assert np.array_equal(made[3].planes[0][1::2], mean)
    with pytest.raises(StateError, match="maximum STMM"):
        Deinterlace(state=DeinterlaceSamplerState(min_stmm=254))
