"""`denoise=hq` on streams: what it takes away, order and times, scenes, fields, layouts, levels, threads."""

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


def run(frames, **arguments):
    stage = Denoise("hq", **arguments)
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


def test_the_measured_noise_does_as_well_as_the_known_one():
    clean, frames = moving(8, 6.0, width=240, height=160)
    assert error(clean, run(frames)) < 1.15 * error(clean, run(frames, sigma=6.0))


def test_sigma_0_and_clean_pictures_change_nothing():
    _, frames = moving(6, 0.0)
    for arguments in ({"sigma": 0}, {}):
        assert all(a.planes[0] is b.planes[0] for a, b in zip(frames, run(frames, **arguments), strict=True))


def test_constants_stay():
    for value in (0, 1, 128, 254, 255):
        plane = np.full((21, 50), value, "u1")
        frames = [Frame.from_arrays("gray", [plane], 50, 21, "cpu", pts=n) for n in range(5)]
        assert all((frame.planes[0] == value).all() for frame in run(frames, sigma=10))


def test_three_frames_wait_and_leave_in_order():
    _, frames = moving(6, 5.0)
    stage = Denoise("hq", sigma=5)
    left = [[out.pts for out in stage.feed(frame)] for frame in frames]
    assert left == [[], [], [], [0], [1], [2]]
    assert [out.pts for out in stage.flush()] == [3, 4, 5]
    assert list(stage.flush()) == []


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_short_streams(count):
    clean, frames = moving(count, 8.0)
    made = run(frames, sigma=8)
    assert [frame.pts for frame in made] == list(range(count))
    assert error(clean, made) < 0.45 * 64


@pytest.mark.parametrize("arguments", [{}, {"sigma": 8}])
def test_scenes_do_not_mix(arguments):
    """A scene cut, another size, or a step back in time: frames are what they are on their own."""
    first = moving(5, 8.0, seed=1)[1]
    second = [replace(f, pts=f.pts + 5) for f in moving(5, 8.0, seed=7)[1]]
    for frame in second:
        frame.planes[0][...] ^= 0x80
    larger = [replace(f, pts=f.pts + 5) for f in moving(4, 8.0, seed=2, width=120)[1]]
    for other in (second, larger, moving(4, 8.0, seed=3)[1]):
        assert same(run([*first, *other], **arguments), [*run(first, **arguments), *run(other, **arguments)])
    assert not same(run([*first, *second], scenecut="off", **arguments)[:5], run(first, **arguments))


def test_fields_are_pictures_of_their_own():
    """An interlaced frame is filtered as its two fields are, each as frames of half the height."""
    frames = [replace(f, interlaced=True, top_field_first=True) for f in moving(6, 6.0)[1]]
    made = run(frames, sigma=6)
    for parity in (0, 1):
        fields = [Frame.from_arrays("gray", [f.planes[0][parity::2]], 96, 32, "cpu", pts=f.pts) for f in frames]
        for whole, field in zip(made, run(fields, sigma=6), strict=True):
            assert np.array_equal(whole.planes[0][parity::2], field.planes[0])


@pytest.mark.parametrize("layout", TAKEN)
@pytest.mark.parametrize("size", [(1, 1), (35, 18)])
def test_layouts(layout, size):
    """Every plane of noise around one level comes near that level, and its unused bits stay 0; chroma=off shares."""
    rng, frames = np.random.default_rng(3), []
    scale = 1 << PIXEL_LAYOUTS[layout].bits - 8
    for number in range(4):
        frame = Frame.empty(layout, *size, "cpu")
        for name in frame.layout.components:
            shape = frame.component(name).shape
            fill(frame, name, np.clip(np.rint(rng.normal(100, 5, shape) * scale), 0, 255 * scale).astype(int))
        frames.append(replace(frame, pts=number, interlaced=size[0] > 1))
    for frame, out in zip(frames, run(frames, sigma=5), strict=True):
        for name in frame.layout.components:
            if name in "YUV" and size != (1, 1):
                assert np.std(out.component(name).astype(int)) < 0.5 * np.std(frame.component(name).astype(int))
    kept = run(frames, sigma=5, chroma="off")
    for name in frames[0].layout.components:
        if name != "Y":
            assert np.array_equal(kept[0].component(name), frames[0].component(name))


def test_levels_and_threads_do_not_matter():
    _, frames = moving(6, 7.0, width=131, height=70)
    results = []
    for level in [name for name in supported_levels() if library_path(name)]:
        for threads in (1, 3):
            ts.set_threads(threads)
            try:
                results.append(list(Pipeline([Denoise("hq")], CpuDevice(level))(frames)))
            finally:
                ts.set_threads(None)
    assert all(same(results[0], other) for other in results[1:])


def test_statistics_go_with_their_frames():
    _, frames = moving(6, 5.0)
    found = [f.statistics for f in Pipeline([Denoise("hq")], "cpu")(frames, statistics=True)]
    assert found == [f.statistics for f in Pipeline([Denoise()], "cpu")(frames, statistics=True)]
    assert all(row["denoise_noise_y"] > 0 for row in found)
