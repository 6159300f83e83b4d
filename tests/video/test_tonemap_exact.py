"""Tone mapping's kernels are the oracle (docs/tonemap.md), sample for sample."""

import numpy as np
import pytest
from oracle import tonemap as oracle
from support.color_frames import applied
from support.filter_cases import PATTERNS, sweep
from support.frames import assert_unused_bits_are_zero, random_frame, samples_of

from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.frame import ColorTags
from texsamp.video.tonemap import ToneMap
from texsamp.video.tonemap.launches import Mapping, count_light
from texsamp.video.tonemap.peak import measured_peak

LAYOUTS = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model == "yuv"]
SIZES = ((1, 1), (2, 1), (1, 3), (5, 2), (8, 5), (17, 4), (259, 1))


def hdr_frame(rng, name, size, transfer, full_range, pattern=None):
    frame = random_frame(rng, name, *size, pattern)
    return frame.with_color(ColorTags(9, 9, {"pq": 16, "hlg": 18}[transfer], full_range))


def expected(frame, transfer, bits, white, peak, nominal):
    layout = frame.layout
    mapping = oracle.ToneMapping(transfer, bool(frame.color.full_range), (layout.bits, bits), white, peak, nominal)
    planes = [samples_of(frame, c) for c in "YUV"]
    return mapping.frame(*planes, layout.log2_chroma_width, layout.log2_chroma_height)


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_is_the_oracles(name):
    """Random states, sizes, contents and ranges, the same and the other depth out."""
    index = LAYOUTS.index(name)
    rng = np.random.default_rng(700 + index)
    for case in range(sweep(3)):
        transfer, bits = ("pq", "hlg")[(case + index) % 2], ("keep", "8", "10")[case % 3]
        pattern = str(rng.choice([*PATTERNS])) if case else None
        frame = hdr_frame(rng, name, SIZES[(index + 3 * case) % 7], transfer, bool(rng.integers(0, 2)), pattern)
        peak, white = int(rng.integers(100, 10001)), int(rng.integers(50, 1001))
        made = applied(ToneMap(peak, white, bits), frame)
        assert made.layout.bits == (frame.layout.bits if bits == "keep" else int(bits))
        wanted = expected(frame, transfer, made.layout.bits, white, peak, peak)
        for c, plane in zip("YUV", wanted, strict=True):
            assert np.array_equal(samples_of(made, c), plane), (transfer, bits, peak, white, c)
        assert_unused_bits_are_zero(made)


@pytest.mark.parametrize("transfer", ["pq", "hlg"])
@pytest.mark.parametrize("full_range", [False, True], ids=["limited", "full"])
def test_every_gray_is_the_oracles(transfer, full_range):
    """All 1024 luma codes, with gray and with the strongest colors."""
    rng = np.random.default_rng(720)
    frame = hdr_frame(rng, "yuv444p10le", (64, 16), transfer, full_range)
    for c, values in zip("YUV", (np.arange(1024).reshape(16, 64), 512, 512), strict=True):
        frame.component(c)[...] = values
    frame.component("U")[8:, ::3], frame.component("V")[8:, 1::3] = 1023, 0
    wanted = expected(frame, transfer, 10, 203, 1000, 1000)
    made = applied(ToneMap(1000), frame)
    assert all(np.array_equal(samples_of(made, c), plane) for c, plane in zip("YUV", wanted, strict=True))


@pytest.mark.parametrize(
    ("name", "size", "transfer"),
    [("yuv444p10le", (300, 70), "pq"), ("yuv420p10le", (131, 67), "hlg"), ("yuyv422", (1, 1), "pq")],
)
def test_the_measured_peak_is_the_oracles(name, size, transfer):
    rng = np.random.default_rng(730)
    frame = hdr_frame(rng, name, size, transfer, False, "soft")
    frame.component("Y")[...] = frame.component("Y") // 2
    frame.component("Y")[0, 0] = frame.component("Y")[-1, -1] = 900 >> (10 - frame.layout.bits)
    counts = count_light(frame, Mapping(transfer, 203, 1000))
    assert counts.sum() == size[0] * size[1]
    mapping = oracle.ToneMapping(transfer, False, (frame.layout.bits, 8), 203, 1000, 1000)
    y, u, v = (samples_of(frame, c) for c in "YUV")
    shifts = frame.layout.log2_chroma_width, frame.layout.log2_chroma_height
    known = {}
    lights = []
    for row in range(size[1]):
        for column in range(size[0]):
            at = row >> shifts[1], column >> shifts[0]
            pixel = int(y[row, column]), int(u[at]), int(v[at])
            if pixel not in known:
                known[pixel] = mapping.light(*pixel)
            lights.append(known[pixel])
    assert measured_peak(counts, 203) == oracle.peak_of(lights, 203)
