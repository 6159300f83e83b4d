"""The IEF kernels equal the oracle to the last bit, over the whole range of every parameter."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ief import IefState, ief
from support.filter_cases import PATTERNS, nothing_else_written, padded_plane, picture, sweep

from texsamp.device import get_device
from texsamp.errors import StateError
from texsamp.video.presets.ief import IefParameters, ief_level, ief_preset
from texsamp.video.samples import Samples
from texsamp.video.sharpen import sharpen_launch

RANGES = {
    "gain": 63,
    "strong_weight": 7,
    "regular_weight": 7,
    "non_edge_weight": 7,
    "strong_threshold": 63,
    "weak_threshold": 63,
    "r3x": 31,
    "r3c": 31,
    "r5x": 31,
    "r5cx": 31,
    "r5c": 31,
    "noise_estimate": 255,
}
LARGEST = IefParameters(**RANGES, combine="sum")
# Elements that hold the luma: dtype, step from sample to sample, offset, shift.
STORES = {
    8: [("u1", 1, 0, 0), ("u1", 2, 0, 0), ("u1", 2, 1, 0)],
    10: [("<u2", 1, 0, 0), ("<u2", 1, 0, 6), ("<u2", 2, 1, 6)],
}


def run(luma, settings_, bits, store=None, score=None, seed=0):
    """The kernels' result from and into planes with padded rows; fails if another byte changed. And the launch."""
    rng = np.random.default_rng(seed)
    dtype, step, offset, shift = store or STORES[bits][0]
    height, width = luma.shape
    planes = [padded_plane(rng, height, width * step, dtype) for _ in range(2)]
    source, target = (Samples(plane, width, height, bits, offset, step, shift) for plane in planes)
    part, out = (plane[:, offset::step] for plane in planes)
    mask = ((1 << bits) - 1) << shift
    part[...] = (part & (np.iinfo(part.dtype).max - mask)) | (luma << shift)
    if score is not None:
        inner = padded_plane(rng, height, width, "u1")
        inner[...] = score
        score = inner
    device = get_device("cpu")
    launch = sharpen_launch(device, source, target, settings_, score)
    with nothing_else_written([out]):
        device.launch(launch)
    values = out.astype(np.int64) >> shift
    assert np.array_equal(out, values << shift), "unused bits must be 0"
    return values, launch.kernel


def check(luma, settings_, bits, store=None, score=None, seed=0):
    result, kernel = run(luma, settings_, bits, store, score, seed)
    expected = ief(luma, IefState(**vars(settings_)), bits=bits, std_score=score)
    wrong = np.argwhere(result != expected)
    assert not len(wrong), f"{len(wrong)} differ, first at {wrong[0]}: {kernel} {settings_}"
    return kernel


def random_settings(rng, **changes):
    """Any legal value, often an extreme one."""
    values = {
        field: int(rng.choice([0, top, rng.integers(0, top + 1), rng.integers(0, top // 4 + 1)]))
        for field, top in RANGES.items()
    }
    values |= {"smooth": bool(rng.random() < 0.25), "combine": str(rng.choice(["difference", "sum"]))}
    return IefParameters(**(values | changes))


@pytest.mark.parametrize("combine", ["difference", "sum"])
@pytest.mark.parametrize("bits", [8, 10])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_random_settings_on_every_content(pattern, bits, combine):
    rng = np.random.default_rng([bits, len(pattern)])
    for case in range(sweep(16)):
        height, width = (int(v) for v in rng.integers(1, 15, 2))
        luma = picture(rng, height, width, (1 << bits) - 1, pattern)
        store = STORES[bits][rng.integers(len(STORES[bits]))]
        score = rng.integers(0, 32, luma.shape) if rng.random() < 0.3 else None
        check(luma, random_settings(rng, combine=combine), bits, store, score, case)


@pytest.mark.parametrize(
    "size", [(1, 1), (1, 2), (2, 1), (1, 9), (9, 1), (2, 2), (3, 3), (4, 5), (5, 4), (7, 8), (8, 9)]
)
@pytest.mark.parametrize("bits", [8, 10])
def test_small_sizes(bits, size):
    """Edges repeat, also where the 5x5 window is larger than the picture."""
    rng = np.random.default_rng(size)
    for smooth in (False, True):
        for store in STORES[bits]:
            luma = picture(rng, size[1], size[0], (1 << bits) - 1, "random")
            check(luma, replace(random_settings(rng), smooth=smooth), bits, store)
            check(luma, replace(ief_level(44), smooth=smooth), bits, store)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("bits", [8, 10])
def test_sizes_around_tile_borders(bits, smooth):
    rng = np.random.default_rng(bits)
    for width in (255, 256, 257, 258, 513):
        for height in (3, 8, 9):
            luma = picture(rng, height, width, (1 << bits) - 1, str(rng.choice(["random", "extremes"])))
            check(luma, replace(random_settings(rng), smooth=smooth), bits)


@pytest.mark.parametrize("field", [name for name in RANGES if name != "noise_estimate"])
def test_each_field_through_its_range(field):
    rng = np.random.default_rng(len(field))
    for value in range(0, RANGES[field] + 1, 1 if RANGES[field] < 32 else 5):
        for bits in (8, 10):
            luma = picture(rng, 7, 8, (1 << bits) - 1, str(rng.choice(["random", "soft", "steps"])))
            base = ief_preset("doc") if value % 2 else LARGEST
            check(luma, replace(base, **{field: value}), bits)


@pytest.mark.parametrize("bits", [8, 10])
def test_smooth_mode_at_every_noise_estimate(bits):
    """Differences below, at and above the threshold."""
    rng = np.random.default_rng(bits)
    for estimate in range(256):
        threshold = max(4, estimate) << (bits - 8)
        steps = rng.choice([-1, 0, 1, threshold - 1, threshold, threshold + 1, -threshold, 1 - threshold], (6, 7))
        luma = np.clip((1 << (bits - 1)) + steps, 0, (1 << bits) - 1)
        check(luma, random_settings(rng, smooth=True, noise_estimate=estimate), bits)


@pytest.mark.parametrize("level", range(65))
def test_every_level(level):
    rng = np.random.default_rng(level)
    for bits in (8, 10):
        check(picture(rng, 8, 9, (1 << bits) - 1), ief_level(level), bits)


@pytest.mark.parametrize("bits", [8, 10])
def test_every_skin_tone_score(bits):
    rng = np.random.default_rng(bits)
    score = np.arange(32).reshape(4, 8)
    for _ in range(6):
        luma = picture(rng, 4, 8, (1 << bits) - 1, "extremes")
        for combine in ("difference", "sum"):
            check(luma, random_settings(rng, combine=combine, smooth=False), bits, score=score)
            check(luma, replace(LARGEST, combine=combine), bits, score=score)
    check(luma, replace(LARGEST, smooth=True), bits, score=score)


def worst_luma(settings_, top, sign):
    """9x9 samples whose middle pixel has the largest sums: each neighbor against the sign of its coefficient."""
    difference = -1 if settings_.combine == "difference" else 1
    luma = np.zeros((9, 9), dtype=int)
    for row in range(-2, 3):
        for column in range(-2, 3):
            near = max(abs(row), abs(column)) == 1
            coefficient = (difference if near else 1) * sign
            luma[4 + row, 4 + column] = 0 if coefficient > 0 else top
    luma[4, 4] = top if sign > 0 else 0
    return luma


@pytest.mark.parametrize("combine", ["difference", "sum"])
@pytest.mark.parametrize("bits", [8, 10])
def test_sums_never_overflow(bits, combine):
    rng = np.random.default_rng(bits)
    cases = [replace(LARGEST, combine=combine)]
    cases += [random_settings(rng, combine=combine, smooth=False) for _ in range(sweep(12))]
    for settings_ in cases:
        for sign in (-1, 1):
            worst = worst_luma(settings_, (1 << bits) - 1, sign)
            for luma in (worst, worst.T, (1 << bits) - 1 - worst):
                check(luma, settings_, bits)


# (r3x, r3c, r5cx, combine): 255 * (2 r5cx + 2 r3x + r3c) against 2^15, which lies between 128 and 129 times 255
@pytest.mark.parametrize(
    ("r3x", "r3c", "r5cx", "combine", "kernel"),
    [
        (31, 4, 31, "sum", "sharpen_u8"),
        (31, 5, 31, "sum", "sharpen_u8_wide"),
        (31, 31, 18, "sum", "sharpen_u8_wide"),
        (31, 31, 17, "sum", "sharpen_u8"),
        (31, 31, 31, "sum", "sharpen_u8_wide"),
        (31, 31, 31, "difference", "sharpen_u8"),
        (0, 0, 31, "difference", "sharpen_u8"),
    ],
)
def test_the_narrow_kernel_is_used_as_far_as_it_is_exact(r3x, r3c, r5cx, combine, kernel):
    settings_ = replace(LARGEST, r3x=r3x, r3c=r3c, r5cx=r5cx, combine=combine)
    rng = np.random.default_rng(5)
    for sign in (-1, 1):
        worst = worst_luma(settings_, 255, sign)
        for luma in (worst, 255 - worst, np.full((9, 9), 255), picture(rng, 9, 9, 255, "extremes")):
            assert check(luma, settings_, 8) == kernel
    assert run(np.zeros((1, 1), int), settings_, 10)[1] == "sharpen_u16"


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.data())
def test_anything(data):
    bits = data.draw(st.sampled_from([8, 10]))
    values = {field: data.draw(st.integers(0, top), field) for field, top in RANGES.items()}
    combine = data.draw(st.sampled_from(["difference", "sum"]))
    settings_ = IefParameters(**values, smooth=data.draw(st.booleans()), combine=combine)
    height, width = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 7)))
    samples = st.integers(0, (1 << bits) - 1)
    luma = np.array(data.draw(st.lists(samples, min_size=height * width, max_size=height * width)))
    check(luma.reshape(height, width), settings_, bits, data.draw(st.sampled_from(STORES[bits])))


@pytest.mark.sweep
@pytest.mark.parametrize("bits", [8, 10])
def test_random_larger_pictures(bits):
    rng = np.random.default_rng([bits, 9])
    for case in range(sweep(12)):
        height, width = (int(v) for v in rng.integers(10, 45, 2))
        luma = picture(rng, height, width, (1 << bits) - 1)
        store = STORES[bits][rng.integers(len(STORES[bits]))]
        check(luma, random_settings(rng), bits, store, rng.integers(0, 32, luma.shape), case)


# ---- what is refused ------------------------------------------------------------------------------------------------


def plane(width, height, dtype, bits):
    return Samples.plane(np.zeros((height, width), dtype), bits)


@pytest.mark.parametrize(
    ("source", "target", "score", "message"),
    [
        (
            plane(4, 3, "<u2", 16),
            plane(4, 3, "<u2", 16),
            None,
            "luma of 8 bits in bytes, or of 10 bits in 16 .* found 16",
        ),
        (plane(4, 3, "<u2", 8), plane(4, 3, "<u2", 8), None, "found 8 bits in 16"),
        (plane(4, 3, "u1", 8), plane(4, 4, "u1", 8), None, "keeps size and depth, found 4x3 of 8 bits to 4x4 of 8"),
        (plane(4, 3, "u1", 8), plane(4, 3, "<u2", 10), None, "found 4x3 of 8 bits to 4x3 of 10"),
        (
            plane(4, 3, "u1", 8),
            plane(4, 3, "u1", 8),
            np.zeros((4, 3), "u1"),
            r"must be \(3, 4\) uint8 .* found \(4, 3\)",
        ),
        (plane(4, 3, "u1", 8), plane(4, 3, "u1", 8), np.zeros((3, 4)), r"must be \(3, 4\) uint8 .* float64"),
        (plane(4, 3, "u1", 8), plane(4, 3, "u1", 8), np.zeros((4, 3), "u1").T, r"contiguous rows, .* strides \(1, 3\)"),
    ],
)
def test_planes_that_do_not_fit(source, target, score, message):
    with pytest.raises(StateError, match=message):
        sharpen_launch(get_device("cpu"), source, target, ief_level(44), score)
