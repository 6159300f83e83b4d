"""`Denoise` on frames: layouts, streams, first frames, constants, identity, threads and slabs."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle.denoise import DnState, denoise, denoise_chroma
from support.frames import assert_unused_bits_are_zero, random_frame, samples_of
from support.interlaced import fill

import texsamp as ts
from texsamp.errors import FormatError, StateError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.denoise import Denoise, DenoiseParameters
from texsamp.video.denoise.levels import level_parameters
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

TAKEN = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model != "rgb" and layout.bits in (8, 10)]


def noisy_frames(rng, layout, width, height, count, sigma=6.0, **properties):
    """The same picture with other noise in every frame."""
    first = random_frame(rng, layout, width, height, "soft")
    frames = []
    for number in range(count):
        frame = random_frame(rng, layout, width, height)
        for name, part in first.layout.components.items():
            clean = samples_of(first, name)
            noise = rng.normal(0, sigma * (1 << part.bits - 8), clean.shape)
            fill(frame, name, np.clip(np.rint(clean + noise), 1, (1 << part.bits) - 2).astype(int))
        frames.append(replace(frame, pts=number, duration=1, time_base=Fraction(1, 25), **properties))
    return frames


def fed(stage, frames):
    return [out for frame in frames for out in stage.feed(frame)]


def same(a: Frame, b: Frame) -> bool:
    return all(np.array_equal(samples_of(a, name), samples_of(b, name)) for name in a.layout.components)


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("layout", TAKEN)
def test_a_stream_is_what_the_oracle_makes_of_it(layout, interlaced):
    """Four frames of level 52: luma with its history, chroma with its own, everything else untouched."""
    rng = np.random.default_rng(TAKEN.index(layout))
    frames = noisy_frames(rng, layout, 21, 14, 4, sigma=2, interlaced=interlaced)
    before = [[plane.copy() for plane in frame.planes] for frame in frames]
    parameters = level_parameters(52)
    results = fed(Denoise(52), frames)
    memory = {}
    for frame, result in zip(frames, results, strict=True):
        assert (result.pts, result.duration, result.interlaced) == (frame.pts, frame.duration, interlaced)
        assert_unused_bits_are_zero(result)
        for name, part in frame.layout.components.items():
            c = samples_of(frame, name)
            picture, history = memory.get(name, (None, None))
            fields = {key: value for key, value in vars(parameters).items() if key != "even"}
            state = DnState(**fields, bits=part.bits, progressive=not interlaced)
            if name == "Y":
                made = denoise(c, picture, history, state)
                memory[name] = made.picture, made.history
            elif name in "UV":
                memory[name] = denoise_chroma(c, picture, history, state)
            else:
                memory[name] = c, None
            assert np.array_equal(samples_of(result, name), memory[name][0]), f"{name} of frame {frame.pts}"
    after = [list(frame.planes) for frame in frames]
    assert all(np.array_equal(a, b) for x, y in zip(before, after, strict=True) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("layout", ["yuv420p", "nv12", "yuyv422", "p010le"])
def test_level_0_changes_nothing(layout):
    frames = noisy_frames(np.random.default_rng(1), layout, 37, 22, 3)
    for frame, result in zip(frames, fed(Denoise(0), frames), strict=True):
        assert all(a is b for a, b in zip(frame.planes, result.planes, strict=True))


@pytest.mark.parametrize("layout", ["yuv420p", "nv12", "yuv420p10le"])
def test_a_clean_picture_is_not_touched_by_auto(layout):
    frame = noisy_frames(np.random.default_rng(2), layout, 80, 64, 1, sigma=0)[0]
    shade = np.add.outer(np.arange(64), np.arange(80))
    fill(frame, "Y", shade)
    fill(frame, "U", shade[::2, ::2][:32, :40])
    fill(frame, "V", shade[::2, ::2][:32, :40])
    stage = Denoise()
    for result in fed(stage, [frame, replace(frame, pts=1)]):
        assert same(frame, result)
    assert set(stage.noise) == {"Y", "U", "V"}
    assert max(stage.noise.values()) < 0.5


@pytest.mark.parametrize("value", [0, 1, 16, 128, 181, 182, 235, 254, 255])
def test_constants(value):
    """Auto's reciprocals keep them; the manual's lose one step of what is above 181 (docs/denoise.md)."""
    frames = [
        Frame.from_arrays("gray", [np.full((18, 34), value, "u1")], 34, 18, "cpu", pts=number) for number in range(5)
    ]
    even = DenoiseParameters(255, 16, 63, 0, 240, 15, 16, 0, 20, even=True)
    for result in fed(Denoise(settings=even), frames):
        assert (result.planes[0] == value).all()
    for result in fed(Denoise(20), frames):
        assert (result.planes[0] == value - (value > 181)).all()
    first, *later = fed(Denoise(64), frames)
    assert (first.planes[0] == value - (value > 181)).all()
    assert all((result.planes[0] == value).all() for result in later)  # the temporal filter rounds


def test_constants_of_10_bits():
    even = DenoiseParameters(255, 16, 63, 0, 240, 15, 16, 0, 20, even=True)
    planes = [np.repeat(np.arange(1024), 24).reshape(-1, 24).astype("<u2")]
    frame = Frame.from_arrays("gray10le", planes, 24, 1024, "cpu", pts=0)
    flat = replace(even, gn_th=0)
    for result in fed(Denoise(settings=flat), [frame, replace(frame, pts=1)]):
        assert np.array_equal(result.planes[0], frame.planes[0])
    for value in (0, 511, 1023):
        planes = [np.full((18, 34), value, "<u2")]
        frames = [Frame.from_arrays("gray10le", planes, 34, 18, "cpu", pts=number) for number in range(4)]
        assert all((result.planes[0] == value).all() for result in fed(Denoise(settings=even), frames))


def test_a_static_clip_gets_calmer_with_time():
    rng = np.random.default_rng(3)
    clean = np.add.outer(np.arange(128), np.arange(160)) * 0.6 + 30
    frames = []
    for number in range(16):
        plane = np.rint(clean + rng.normal(0, 6, clean.shape)).astype("u1")
        frames.append(Frame.from_arrays("gray", [plane], 160, 128, "cpu", pts=number))
    errors = [float(np.mean((result.planes[0] - clean) ** 2)) for result in fed(Denoise(), frames)]
    assert errors[0] < 0.25 * 36
    assert errors[-1] < 0.85 * errors[0]


# ---- streams --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sigma", "stronger"), [(1.0, False), (8.0, True), (15.0, True)])
def test_on_strong_noise_auto_takes_away_more_than_level_64(sigma, stronger):
    """docs/denoise.md, "Which strength?"."""
    rng = np.random.default_rng(14)
    ramp = 60 + np.indices((64, 96)).sum(axis=0)
    noisy = [np.rint(ramp + rng.normal(0, sigma, ramp.shape)).astype(np.uint8) for _ in range(6)]
    frames = [Frame.from_arrays("gray", [rows], 96, 64, "cpu", pts=number) for number, rows in enumerate(noisy)]

    def taken(strength):
        last = fed(Denoise(strength), frames)[-1]
        return np.std(samples_of(last, "Y") - samples_of(frames[-1], "Y"))

    assert bool(taken("auto") > 1.2 * taken(64)) is stronger


@pytest.mark.parametrize("strength", ["auto", 50])
def test_first_frames(strength):
    """After flush, another size, another layout and a step back in time, a frame is what it is on its own."""
    rng = np.random.default_rng(4)
    frames = noisy_frames(rng, "yuv420p", 48, 40, 4)
    other = noisy_frames(rng, "yuv420p", 64, 40, 1)[0]
    packed = noisy_frames(rng, "nv12", 48, 40, 1)[0]
    alone = fed(Denoise(strength), [frames[3]])[0]

    def after(*earlier):
        stage = Denoise(strength)
        fed(stage, earlier)
        return stage

    assert not same(alone, fed(after(*frames[:3]), [frames[3]])[0])
    flushed = after(*frames[:3])
    assert list(flushed.flush()) == []
    stages = [flushed, after(*frames[:3], other), after(*frames[:3], packed), after(replace(frames[0], pts=3))]
    for stage in stages:
        assert same(alone, fed(stage, [frames[3]])[0])


def test_frames_without_a_time_go_on():
    frames = [replace(frame, pts=None) for frame in noisy_frames(np.random.default_rng(5), "gray", 40, 40, 3)]
    stamped = [replace(frame, pts=number) for number, frame in enumerate(frames)]
    for a, b in zip(fed(Denoise(60), frames), fed(Denoise(60), stamped), strict=True):
        assert same(a, b)


@pytest.mark.parametrize("strength", ["auto", 60])
@pytest.mark.parametrize(("scenecut", "anew"), [("auto", True), ("off", False)])
def test_a_scene_cut_starts_anew(strength, scenecut, anew):
    """After it frames are filtered as a stream of their own, also where the picture happens to stay."""
    frames = noisy_frames(np.random.default_rng(3), "gray", 96, 80, 6, sigma=3)
    for frame in frames[3:]:
        frame.planes[0][:40] ^= 0x80
    made = fed(Denoise(strength, scenecut=scenecut), frames)
    apart = [*fed(Denoise(strength), frames[:3]), *fed(Denoise(strength), frames[3:])]
    assert all(same(a, b) for a, b in zip(made, apart, strict=True)) == anew


@pytest.mark.parametrize(
    "filters",
    ["denoise", "denoise=fast", "denoise=hq", "denoise=50", "scale=40x36,denoise=preset=hsw", "denoise,sharpen"],
)
def test_threads_and_slabs_do_not_matter(filters):
    frames = noisy_frames(np.random.default_rng(6), "nv12", 300, 130, 3)
    results = []
    for threads in (1, 2, 5):
        ts.set_threads(threads)
        try:
            results.append(list(Pipeline.parse(filters, device="cpu")(frames)))
        finally:
            ts.set_threads(None)
    for other in results[1:]:
        assert all(same(a, b) for a, b in zip(results[0], other, strict=True))


def test_two_streams_one_after_the_other_do_not_mix():
    frames = noisy_frames(np.random.default_rng(7), "yuv420p", 64, 48, 3)
    pipeline = Pipeline.parse("denoise=64", device="cpu")
    first, second = list(pipeline(frames)), list(pipeline(frames))
    assert all(same(a, b) for a, b in zip(first, second, strict=True))


# ---- arguments ------------------------------------------------------------------------------------------------------


def test_chroma_off_shares_its_planes():
    frames = noisy_frames(np.random.default_rng(8), "yuv420p", 48, 40, 2)
    for frame, result in zip(frames, fed(Denoise(chroma="off"), frames), strict=True):
        assert result.planes[1] is frame.planes[1]
        assert result.planes[2] is frame.planes[2]
        assert not np.array_equal(result.planes[0], frame.planes[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strength": 65}, r"from 0 to 64, found 65"),
        ({"strength": "best"}, r"from 0 to 64, found 'best' \(which is hq now\)"),
        ({"strength": "high"}, r"from 0 to 64, found 'high'"),
        ({"strength": 5, "preset": "ihd"}, "a level or a preset, found 5 and 'ihd'"),
        ({"preset": "best"}, "preset must be one of off, .*ihd.*, found 'best'"),
        ({"scenecut": "on"}, "scenecut must be one of auto, off, found 'on'"),
        ({"sigma": 4.0}, "sigma is for strength fast and hq alone, found 4.0 with 'auto'"),
        ({"strength": "hq", "sigma": 65}, "sigma must be auto or a number from 0 to 64, found 65"),
        ({"strength": "hq", "sigma": "high"}, "sigma must be auto or a number from 0 to 64, found 'high'"),
        ({"strength": "hq", "preset": "ihd"}, "a level or a preset, found 'hq' and 'ihd'"),
        ({"chroma": "yes"}, "chroma must be one of on, off, found 'yes'"),
    ],
)
def test_arguments_that_are_refused(arguments, message):
    with pytest.raises(StateError, match=message):
        Denoise(**arguments)


@pytest.mark.parametrize(
    "text",
    [
        "denoise",
        "denoise=auto",
        "denoise=0",
        "denoise=64",
        "denoise=preset=i965-dn",
        "denoise=hq",
        "denoise=hq:sigma=6.5",
        "denoise=fast",
    ],
)
def test_the_text_of_a_stage_reads_back(text):
    pipeline = Pipeline.parse(text, device="cpu")
    assert str(Pipeline.parse(str(pipeline), device="cpu")) == str(pipeline)


def test_an_old_name_is_told_its_new_one():
    with pytest.raises(StateError, match=r"strength must be auto .* found 'best' \(which is hq now\)"):
        Pipeline.parse("denoise=best")


@pytest.mark.parametrize("text", ["denoise=65", "denoise=none", "denoise=-1"])
def test_texts_that_are_refused(text):
    with pytest.raises(StateError, match="strength must be auto or fast or hq or an integer from 0 to 64, found"):
        Pipeline.parse(text)


@pytest.mark.parametrize("layout", ["rgba", "x2rgb10le", "rgba64le"])
def test_pictures_that_are_refused(layout):
    with pytest.raises(FormatError, match=f"denoise .*{layout}"):
        fed(Denoise(), [Frame.empty(layout, 8, 8, "cpu")])


def test_the_noise_is_told_at_the_end():
    rng = np.random.default_rng(12)
    stage = Denoise()
    for sigma in (2.0, 4.0):
        planes = [np.rint(128 + rng.normal(0, s, (64, 64))).astype("u1") for s in (sigma, 2 * sigma)]
        list(
            Pipeline([stage], "cpu")(Frame.from_arrays("gray", [p], 64, 64, "cpu", pts=n) for n, p in enumerate(planes))
        )
        found = [float(v) for v in re.findall(r"[\d.]+", stage.notes[0])[-2:]]
        assert len(stage.notes) == 1
        assert stage.notes[0].startswith("denoise: noise of luma ")
        assert found == pytest.approx([sigma, 2 * sigma], rel=0.2)


@pytest.mark.parametrize("options", [{"strength": 32}, {"strength": 0}, {"preset": "i965"}])
@pytest.mark.parametrize("chroma", ["on", "off"])
def test_statistics_have_the_noise_whatever_the_strength(options, chroma):
    frames = noisy_frames(np.random.default_rng(5), "yuv420p", 64, 48, 3)
    found, wanted = (
        [f.statistics for f in Pipeline([Denoise(chroma=chroma, **some)], "cpu")(frames, statistics=True)]
        for some in (options, {})
    )
    assert found == wanted
    assert [row["denoise_noise_y"] > 0 for row in found] == [True] * 3
    assert {row["denoise_noise_u"] is None for row in found} == {chroma == "off"}
