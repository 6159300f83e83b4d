"""Light that changes from field to field (modes hq and best): the oracle's, and what stands under it stays sharp."""

import numpy as np
import pytest
from oracle.light import block_sums, light_between, relit
from support.frames import assert_unused_bits_are_zero, random_frame, samples_of
from support.interlaced import fill, interlace

from texsamp.video.deinterlace import Deinterlace
from texsamp.video.frame import Frame
from texsamp.video.light import explains_change, under_light_of
from texsamp.video.pipeline import Pipeline

LAYOUTS = ("gray", "nv12", "uyvy422", "p010le", "yuv422p10le")
LIGHTS = ((1.0, 0.0), (1.25, -3.0), (0.8, 9.0), (1.0, 0.2))
"""Of the fields of two frames: gain and offset in levels."""


def scene(rng, height, width, contrast=120.0):
    """Boxes of all sizes on a slope, in levels."""
    out = np.add.outer(np.linspace(40, 90, height), np.linspace(0, 60, width))
    for _ in range(1 + height * width // 200):
        y, x, tall, wide = (int(rng.integers(0, most)) for most in (height, width, 9, 40))
        out[y : y + tall, x : x + wide] = 60 + rng.uniform(0, contrast)
    return out


def lit_frames(rng, layout, width, height, lights=LIGHTS):
    """Two frames of one scene whose fields have lights of their own; chroma is random."""
    levels, frames = scene(rng, height, width), [random_frame(rng, layout, width, height) for _ in range(2)]
    for number, frame in enumerate(frames):
        top = (1 << frame.layout.bits) - 1
        luma = np.empty((height, width))
        for parity in (0, 1):
            gain, offset = lights[2 * number + parity]
            luma[parity::2] = levels[parity::2] * gain + offset
        fill(frame, "Y", np.rint(luma * 2 ** (frame.layout.bits - 8)).clip(0, top).astype(np.int64))
    return frames


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [(128, 96), (97, 135), (545, 70), (417, 33)])
def test_frames_under_the_light_of_a_field(layout, size):
    rng = np.random.default_rng([LAYOUTS.index(layout), *size])
    frames, bits = lit_frames(rng, layout, *size), 10 if "10" in layout else 8
    for parity in (0, 1):
        sums = [block_sums(samples_of(frame, "Y"), field) for frame in frames for field in (0, 1)]
        lights = [light_between(one, sums[parity], bits) for one in sums]
        made = under_light_of(parity, *frames)
        assert lights.count((4096, 0)) in (1, 2)
        assert lights[parity] == (4096, 0)
        assert made is not None
        for number, (frame, out) in enumerate(zip(frames, made, strict=True)):
            for name in frame.layout.components:
                middle = None if name == "Y" else 1 << bits - 1
                expected = relit(samples_of(frame, name), lights[2 * number : 2 * number + 2], bits, middle)
                assert np.array_equal(samples_of(out, name), expected)
            assert_unused_bits_are_zero(out)


def test_what_is_no_light_stays():
    rng = np.random.default_rng(4)
    (frame, _), (other, _) = (lit_frames(rng, "yuv420p", 160, 128, [(1.0, 0.0)] * 4) for _ in range(2))
    assert under_light_of(0, frame, other) is None  # another scene
    assert not explains_change(frame, other)
    assert under_light_of(1, frame, frame) is None
    flat = [Frame.from_arrays("gray", [np.full((64, 64), value, np.uint8)], 64, 64, "cpu") for value in (90, 120)]
    assert under_light_of(0, *flat) is None  # anything may have made it another gray
    small = [random_frame(rng, "gray", 64, 33) for _ in range(2)]
    assert under_light_of(0, *small) is None  # two blocks, which a light would always explain
    smallest = [random_frame(rng, "gray", 31, 64) for _ in range(2)]
    assert under_light_of(0, *smallest) is None  # no whole block


def shown(rng, lights):
    """What is seen of a scene that stands under lights, one for each field, and what hq makes of its fields."""
    levels = scene(rng, 128, 160)
    truth = [np.rint(levels * gain).clip(0, 255).astype(np.uint8) for gain in lights]
    frames = interlace([Frame.from_arrays("gray", [picture], 160, 128, "cpu") for picture in truth])
    stage = Deinterlace("hq", "field", deint="all", parity="tff")
    made = [result.planes[0] for result in Pipeline([stage], "cpu")(frames)]
    errors = [max(np.mean((a.astype(float) - b) ** 2), 0.01) for a, b in zip(truth, made, strict=True)]
    return 10 * np.log10(255**2 / np.array(errors)), stage.notes


def test_what_stands_under_light_that_flickers_stays_sharp():
    psnr_dB, _ = shown(np.random.default_rng(8), 1 + 0.25 * np.sin(1.1 * np.arange(16)))
    assert psnr_dB[2:].min() > 40  # 28 where light is left as it is


def test_light_that_comes_on_is_no_scene_cut():
    psnr_dB, notes = shown(np.random.default_rng(9), [0.6] * 6 + [1.0] * 6)
    assert notes == ()
    assert psnr_dB[2:].min() > 40
