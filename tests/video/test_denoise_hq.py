"""`denoise=fast` and `hq` on streams: what it takes away, order and times, scenes, fields, layouts, levels, threads."""

from dataclasses import replace

import numpy as np
import pytest
from support.interlaced import fill

import texsamp as ts
from texsamp.device.cpu import CpuDevice, library_path
from texsamp.device.levels import supported_levels
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.denoise import Denoise
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

STRENGTHS = pytest.mark.parametrize("strength", ["fast", "hq"])
TAKEN = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model != "rgb" and layout.bits in (8, 10)]


def texture(seed, width, height):
    """Soft shapes and edges."""
    y, x = np.indices((height, width))
    phase = np.random.default_rng(seed).uniform(0, 6, 4)
    waves = 40 * np.sin(x / 7 + phase[0]) * np.cos(y / 9 + phase[1]) + 20 * np.sin((x + y) / 4 + phase[2])
    return 120 + waves + np.where((x // 24 + y // 16) % 2, 30, -30)


def moving(count, sigma, seed=1, width=96, height=64, speed=3):
    """Clean pictures of a pan, and frames of these with noise."""
    wide, rng = texture(seed, width + speed * count, height), np.random.default_rng(seed)
    clean = [wide[:, speed * n : speed * n + width] for n in range(count)]
    noisy = [np.clip(np.rint(c + rng.normal(0, sigma, c.shape)), 0, 255).astype("u1") for c in clean]
    return clean, [Frame.from_arrays("gray", [p], width, height, "cpu", pts=n) for n, p in enumerate(noisy)]


def run(frames, strength="fast", **arguments):
    stage = Denoise(strength, **arguments)
    return [out for frame in frames for out in stage.feed(frame)] + list(stage.flush())


def error(clean, frames):
    return float(np.mean([np.mean((c - f.planes[0]) ** 2) for c, f in zip(clean, frames, strict=True)]))


def same(a, b):
    return len(a) == len(b) and all(
        np.array_equal(x, y) for f, g in zip(a, b, strict=True) for x, y in zip(f.planes, g.planes, strict=True)
    )


@pytest.mark.parametrize("sigma", [4.0, 12.0])
@pytest.mark.parametrize("speed", [0, 3])
def test_it_takes_more_noise_away_than_auto_and_a_single_frame(speed, sigma):
    """By 3 dB against `auto` where things move, and by as much against itself without other frames."""
    clean, frames = moving(10, sigma, speed=speed)
    made = error(clean, run(frames, sigma=sigma))
    auto = error(clean, [out for stage in [Denoise()] for frame in frames for out in stage.feed(frame)])
    alone = error(clean, [out for frame in frames for out in run([frame], sigma=sigma)])
    assert made < sigma**2 / 8
    assert made < auto / 2
    assert made < alone / 1.6


@pytest.mark.parametrize("sigma", [4.0, 12.0])
@pytest.mark.parametrize("speed", [0, 3])
def test_the_second_time_takes_more_away(speed, sigma):
    """By 0.2 dB even of waves, which the transform is made for."""
    clean, frames = moving(14, sigma, speed=speed)
    assert error(clean, run(frames, "hq", sigma=sigma)) < 0.95 * error(clean, run(frames, sigma=sigma))


def test_the_measured_noise_does_as_well_as_the_known_one():
    clean, frames = moving(8, 6.0, width=240, height=160)
    assert error(clean, run(frames)) < 1.15 * error(clean, run(frames, sigma=6.0))


@STRENGTHS
def test_sigma_0_and_clean_pictures_change_nothing(strength):
    _, frames = moving(6, 0.0)
    for arguments in ({"sigma": 0}, {}):
        made = run(frames, strength, **arguments)
        assert all(a.planes[0] is b.planes[0] for a, b in zip(frames, made, strict=True))


@STRENGTHS
def test_constants_stay(strength):
    for value in (0, 1, 128, 254, 255):
        plane = np.full((21, 50), value, "u1")
        frames = [Frame.from_arrays("gray", [plane], 50, 21, "cpu", pts=n) for n in range(5)]
        assert all((frame.planes[0] == value).all() for frame in run(frames, strength, sigma=10))


@pytest.mark.parametrize(("strength", "wait"), [("fast", 3), ("hq", 6)])
def test_frames_wait_and_leave_in_order(strength, wait):
    _, frames = moving(9, 5.0)
    stage = Denoise(strength, sigma=5)
    left = [[out.pts for out in stage.feed(frame)] for frame in frames]
    assert left == [[]] * wait + [[n] for n in range(9 - wait)]
    assert [out.pts for out in stage.flush()] == list(range(9 - wait, 9))
    assert list(stage.flush()) == []


@STRENGTHS
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_short_streams(count, strength):
    clean, frames = moving(count, 8.0)
    made = run(frames, strength, sigma=8)
    assert [frame.pts for frame in made] == list(range(count))
    assert error(clean, made) < 0.45 * 64


@STRENGTHS
@pytest.mark.parametrize("arguments", [{}, {"sigma": 8}])
def test_scenes_do_not_mix(arguments, strength):
    """A scene cut, another size, or a step back in time: frames are what they are on their own."""
    first = moving(5, 8.0, seed=1)[1]
    second = [replace(f, pts=f.pts + 5) for f in moving(5, 8.0, seed=7)[1]]
    for frame in second:
        frame.planes[0][...] ^= 0x80
    larger = [replace(f, pts=f.pts + 5) for f in moving(4, 8.0, seed=2, width=120)[1]]
    for other in (second, larger, moving(4, 8.0, seed=3)[1]):
        apart = [*run(first, strength, **arguments), *run(other, strength, **arguments)]
        assert same(run([*first, *other], strength, **arguments), apart)
    mixed = run([*first, *second], strength, scenecut="off", **arguments)
    assert not same(mixed[:5], run(first, strength, **arguments))


@STRENGTHS
def test_fields_are_pictures_of_their_own(strength):
    """An interlaced frame is filtered as its two fields are, each as frames of half the height."""
    frames = [replace(f, interlaced=True, top_field_first=True) for f in moving(6, 6.0)[1]]
    made = run(frames, strength, sigma=6)
    for parity in (0, 1):
        fields = [Frame.from_arrays("gray", [f.planes[0][parity::2]], 96, 32, "cpu", pts=f.pts) for f in frames]
        for whole, field in zip(made, run(fields, strength, sigma=6), strict=True):
            assert np.array_equal(whole.planes[0][parity::2], field.planes[0])


@STRENGTHS
@pytest.mark.parametrize("layout", TAKEN)
@pytest.mark.parametrize("size", [(1, 1), (35, 18)])
def test_layouts(layout, size, strength):
    """Every plane of noise around one level comes near that level, and its unused bits stay 0; chroma=off shares."""
    rng, frames = np.random.default_rng(3), []
    scale = 1 << PIXEL_LAYOUTS[layout].bits - 8
    for number in range(4):
        frame = Frame.empty(layout, *size, "cpu")
        for name in frame.layout.components:
            shape = frame.component(name).shape
            fill(frame, name, np.clip(np.rint(rng.normal(100, 5, shape) * scale), 0, 255 * scale).astype(int))
        frames.append(replace(frame, pts=number, interlaced=size[0] > 1))
    for frame, out in zip(frames, run(frames, strength, sigma=5), strict=True):
        for name in frame.layout.components:
            if name in "YUV" and size != (1, 1):
                assert np.std(out.component(name).astype(int)) < 0.5 * np.std(frame.component(name).astype(int))
    kept = run(frames, strength, sigma=5, chroma="off")
    for name in frames[0].layout.components:
        if name != "Y":
            assert np.array_equal(kept[0].component(name), frames[0].component(name))


@STRENGTHS
def test_a_plane_without_noise_stays(strength):
    """Chroma that is measured clean is what it was, beside luma that is filtered."""
    rng, frames = np.random.default_rng(5), []
    for number in range(6):
        luma = np.clip(np.rint(texture(1, 240, 160) + rng.normal(0, 6, (160, 240))), 0, 255).astype("u1")
        chroma = [np.full((80, 120), level, "u1") for level in (90, 160)]
        frames.append(Frame.from_arrays("yuv420p", [luma, *chroma], 240, 160, "cpu", pts=number))
    for frame, out in zip(frames, run(frames, strength), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(frame.planes[1:], out.planes[1:], strict=True))
        assert not np.array_equal(frame.planes[0], out.planes[0])


@STRENGTHS
def test_levels_and_threads_do_not_matter(strength):
    _, frames = moving(6, 7.0, width=131, height=70)
    results = []
    for level in [name for name in supported_levels() if library_path(name)]:
        for threads in (1, 3):
            ts.set_threads(threads)
            try:
                results.append(list(Pipeline([Denoise(strength)], CpuDevice(level))(frames)))
            finally:
                ts.set_threads(None)
    assert all(same(results[0], other) for other in results[1:])


@STRENGTHS
def test_statistics_go_with_their_frames(strength):
    _, frames = moving(6, 5.0)
    found = [f.statistics for f in Pipeline([Denoise(strength)], "cpu")(frames, statistics=True)]
    assert found == [f.statistics for f in Pipeline([Denoise()], "cpu")(frames, statistics=True)]
    assert all(row["denoise_noise_y"] > 0 for row in found)
