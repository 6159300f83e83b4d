"""`convert`: every pair of pixel layouts by the literal oracle, what is lossless, and what comes back."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from oracle.conversion import interpolated, of_depth, resampled, rounded
from support.frames import assert_unused_bits_are_zero, random_frame, samples_of

import texsamp as ts
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color import ConvertColor
from texsamp.video.color.matrices import ColorSpace, conversion
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.pipe import run_pipe
from texsamp.video.conversion import SCALE_BITS, convert
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.presets.avs import coefficients
from texsamp.video.scale.chroma import doubling, full_chroma

MODEL = {name: layout.model for name, layout in PIXEL_LAYOUTS.items()}

KINDS = [(a, b) for a, b in product(PIXEL_LAYOUTS, repeat=2) if (MODEL[a] == "rgb") == (MODEL[b] == "rgb")]
ACROSS = [(a, b) for a, b in product(PIXEL_LAYOUTS, repeat=2) if (MODEL[a] == "rgb") != (MODEL[b] == "rgb")]
KR, KB = {6: Fraction(299, 1000), 1: Fraction(2126, 10000)}, {6: Fraction(114, 1000), 1: Fraction(722, 10000)}


def components(frame):
    """Samples of every component, those of 10:10:10:2 elements too."""
    return {
        name: (frame.component(name).astype(np.int64) >> part.shift) & ((1 << part.bits) - 1)
        for name, part in frame.layout.components.items()
    }


def expected(frame, name, layout):
    """A component of the result, by the oracle."""
    part, size = layout.components[name], layout.component_size(name, frame.width_px, frame.height_px)
    chroma = name in "UV"
    if name not in frame.layout.components:
        value = 1 << (part.bits - 1) if chroma else (1 << part.bits) - 1
        return np.full(size[::-1], value)
    default = frame.layout.model == "rgb"
    full = name == "A" or (default if frame.color.full_range is None else frame.color.full_range)
    rows = components(frame)[name].tolist()
    have, wanted = frame.layout.subsampling(name), layout.subsampling(name)
    values = resampled(rows, have, wanted, size, interlaced=frame.interlaced)
    bits = frame.layout.components[name].bits
    return np.array([[of_depth(v, bits, part.bits, full=full, chroma=chroma) for v in row] for row in values])


def check(frame, name):
    layout = PIXEL_LAYOUTS[name]
    result = convert(frame, name)
    assert (result.layout, result.color, result.pts) == (layout, frame.color, frame.pts)
    found = components(result)
    for component in layout.components:
        np.testing.assert_array_equal(found[component], expected(frame, component, layout), component)
    assert_unused_bits_are_zero(result)


def any_frame(rng, name, size, **properties):
    frame = replace(random_frame(rng, name, *size), pts=int(rng.integers(0, 99)), **properties)
    return frame


@pytest.mark.parametrize(("have", "wanted"), KINDS)
def test_every_pair_of_one_kind(have, wanted):
    rng = np.random.default_rng([*have.encode(), *wanted.encode()])
    for full in (None, True, False):
        width, height = (int(n) for n in rng.integers(1, 10, 2))
        frame = any_frame(rng, have, (width, height), color=ColorTags(full_range=full), interlaced=bool(width & 1))
        if have == wanted:
            assert convert(frame, wanted) is frame
        else:
            check(frame, wanted)


@pytest.mark.parametrize(("have", "wanted"), [("yuv420p", "yuv444p10le"), ("yuv444p", "nv12"), ("p010le", "uyvy422")])
@pytest.mark.parametrize("interlaced", [False, True])
def test_every_height_up_to_nine(have, wanted, interlaced):
    rng = np.random.default_rng(interlaced)
    for height in range(1, 10):
        check(any_frame(rng, have, (5, height), interlaced=interlaced), wanted)


@pytest.mark.parametrize("width", [511, 512, 513, 1025])
def test_tiles_do_not_show(width):
    rng = np.random.default_rng(width)
    for have, wanted in (("yuv420p", "yuv444p"), ("yuv444p10le", "nv12"), ("rgba", "rgba64le")):
        check(any_frame(rng, have, (width, 2)), wanted)


@pytest.mark.parametrize(("bits", "to_bits"), list(permutations((2, 8, 10, 12, 16), 2)))
@pytest.mark.parametrize("chroma", [False, True])
def test_the_ratio_is_the_exact_quotient_for_every_sample(bits, to_bits, chroma):
    """What the kernel computes with integers, against the quotient; the kernel itself is compared with the oracle."""
    largest, to_largest = (1 << bits) - 1, (1 << to_bits) - 1
    scale = ((to_largest << (SCALE_BITS + 1)) + largest) // (2 * largest)
    zero = 1 << (bits - 1) if chroma else 0
    value = np.arange(largest + 1, dtype=np.int64) - zero
    found = (value * scale + (1 << (SCALE_BITS - 1))) >> SCALE_BITS
    np.testing.assert_array_equal(found, (2 * value * to_largest + largest) // (2 * largest))


# -- lossless --------------------------------------------------------------------------------------------------------


def finer(a, b):
    """Whether b holds everything a holds."""
    a, b = PIXEL_LAYOUTS[a], PIXEL_LAYOUTS[b]
    depth = all(name in b.components and b.components[name].bits >= part.bits for name, part in a.components.items())
    coarse = b.model != "rgb" and (
        b.log2_chroma_width > a.log2_chroma_width or b.log2_chroma_height > a.log2_chroma_height
    )
    return depth and not (a.model == "yuv" and coarse)


@pytest.mark.parametrize(("have", "wanted"), [pair for pair in KINDS if finer(*pair)])
@pytest.mark.parametrize("full", [True, False])
def test_there_and_back_is_bit_exact(have, wanted, full):
    rng = np.random.default_rng(3)
    frame = any_frame(rng, have, (7, 6), color=ColorTags(full_range=full), interlaced=full)
    back = components(convert(convert(frame, wanted), have))
    for name, samples in components(frame).items():
        np.testing.assert_array_equal(back[name], samples)


def test_the_pairs_people_expect_to_be_lossless_are_among_them():
    for pair in (("nv12", "yuv420p"), ("yuyv422", "uyvy422"), ("yuv422p", "yuyv422"), ("yuv420p", "yuv420p10le")):
        assert finer(*pair)


# -- RGB and YUV -----------------------------------------------------------------------------------------------------


TAPS = coefficients("lanczos3", 1, 4).tolist()


def full_size(frame, name):
    """A component of YUV at every pixel."""
    samples, part = components(frame)[name], frame.layout.components[name]
    if name not in "UV" or not frame.layout.log2_chroma_width:
        return samples
    size, largest = (frame.width_px, frame.height_px), (1 << part.bits) - 1
    have, location = frame.layout.subsampling(name), frame.color.chroma_location
    return np.array(interpolated(samples.tolist(), have, location, size, TAPS, largest, interlaced=frame.interlaced))


def exact_color(frame, wanted, matrix):
    """Components of the result in exact numbers, chroma interpolated or averaged as the page says."""
    layout, have = PIXEL_LAYOUTS[wanted], frame.layout
    width, height = frame.width_px, frame.height_px
    kr, kb = float(KR[matrix]), float(KB[matrix])
    kg = 1 - kr - kb
    planes = {}
    for name, samples in components(frame).items():
        whole = full_size(frame, name) if MODEL[wanted] == "rgb" else samples
        planes[name] = whole / (1 << have.components[name].bits)
    white = 1 - 2.0**-have.bits
    if have.model == "rgb":
        r, g, b = (planes[name] / white for name in "RGB")
        full = layout.model == "gray"
        y = kr * r + kg * g + kb * b
        span = 1 - 2.0**-layout.bits
        luma = y * (span if full else 219 / 256) + (0 if full else 16 / 256)
        chroma = 224 / 256
        result = {"Y": luma}
        result["U"] = (b - y) / (2 * (1 - kb)) * chroma + 0.5
        result["V"] = (r - y) / (2 * (1 - kr)) * chroma + 0.5
        for name in "UV":
            across, down = layout.log2_chroma_width, layout.log2_chroma_height
            rows, columns = -(-height >> down), -(-width >> across)
            padded = np.pad(result[name], ((0, (rows << down) - height), (0, (columns << across) - width)), "edge")
            result[name] = padded.reshape(rows, 1 << down, columns, 1 << across).mean((1, 3))
        return result
    middle = np.full((height, width), 0.5)
    y = (planes["Y"] - 16 / 256) / (219 / 256)
    u, v = ((planes.get(name, middle) - 0.5) / (224 / 256) for name in "UV")
    r, b = y + 2 * (1 - kr) * v, y + 2 * (1 - kb) * u
    span = 1 - 2.0**-layout.bits
    return {"R": r * span, "G": (y - kr * r - kb * b) / kg * span, "B": b * span}


@pytest.mark.parametrize(("have", "wanted"), ACROSS)
def test_every_pair_of_rgb_and_yuv(have, wanted):
    """Within one code of the exact matrix, or one of the pipe's 12 bits."""
    rng = np.random.default_rng([*have.encode(), *wanted.encode()])
    matrix = int(rng.choice([1, 6]))
    tags = ColorTags(matrix=matrix if MODEL[have] != "rgb" else 2, chroma_location=int(rng.integers(0, 7)))
    frame = any_frame(rng, have, (9, 6), color=tags, interlaced=MODEL[wanted] == "rgb" and bool(rng.integers(2)))
    result = convert(frame, wanted)
    found = components(result)
    for name, exact in exact_color(frame, wanted, matrix if MODEL[have] != "rgb" else 6).items():
        if name in found:
            bits = result.layout.components[name].bits
            codes = np.clip(exact * (1 << bits), 0, (1 << bits) - 1)
            assert np.abs(found[name] - codes).max() <= 1.6 * max(1, (1 << bits) / 4096), name
    if "A" in found and "A" not in frame.layout.components:
        assert (found["A"] == (1 << result.layout.components["A"].bits) - 1).all()
    rgb, gray = MODEL[wanted] == "rgb", MODEL[wanted] == "gray"
    assert result.color.full_range is (rgb or gray)
    assert result.color.matrix == (0 if rgb else 6 if MODEL[have] == "rgb" else matrix)


@pytest.mark.parametrize("have", [name for name, model in MODEL.items() if model == "yuv"])
def test_untagged_sizes_choose_the_matrix(have):
    for height, matrix in ((718, 6), (720, 1)):
        frame = random_frame(np.random.default_rng(4), have, 2, height, "soft")
        tagged = frame.with_color(ColorTags(matrix=matrix))
        for a, b in zip(convert(frame, "rgb24").planes, convert(tagged, "rgb24").planes, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", ["yuv420p", "nv12", "p010le"])
def test_fields_keep_their_chroma_to_rgb_and_back(name):
    """One field of one color, the other of another: neither takes anything from the other's rows."""
    frame = any_frame(np.random.default_rng(8), name, (9, 12), interlaced=True, color=ColorTags(matrix=6))
    for component in "YUV":
        samples, part = frame.component(component), frame.layout.components[component]
        samples[0::2], samples[1::2] = 90 << part.shift + part.bits - 8, 140 << part.shift + part.bits - 8
    whole = convert(frame, "rgb24")
    rows = whole.planes[0]
    assert (rows[0::2] == rows[0]).all()
    assert (rows[1::2] == rows[1]).all()
    assert not (rows[0] == rows[1]).all()
    again = components(convert(whole, name))
    for component, samples in components(frame).items():
        assert np.abs(again[component] - samples).max() <= 1 << frame.layout.components[component].bits - 8


@pytest.mark.parametrize("have", ["yuv420p", "p010le", "uyvy422"])
def test_every_size_and_siting_of_chroma_that_becomes_rgb(have):
    """Also one row or one column of chroma, and fields without rows of their own."""
    rng = np.random.default_rng(9)
    for height, width, location in product(range(1, 6), range(1, 5), range(7)):
        tags = ColorTags(matrix=1, chroma_location=location)
        frame = any_frame(rng, have, (width, height), color=tags, interlaced=bool(rng.integers(2)))
        made = full_chroma(frame)
        for name in "UV":
            assert np.array_equal(made[name].array, full_size(frame, name)), (width, height, location)


@pytest.mark.parametrize("location", [0, 3, 5], ids=["left", "top left", "bottom left"])
@pytest.mark.parametrize("size", [(130, 9), (193, 7), (300, 20)], ids=str)
def test_chroma_at_twice_its_size(size, location):
    """Left of luma every second column is one of the source's: wide pictures take loops of their own."""
    rng = np.random.default_rng(10)
    frame = any_frame(rng, "yuv420p", size, color=ColorTags(matrix=1, chroma_location=location))
    frame.planes[1][:] = rng.choice([0, 255], frame.planes[1].shape)
    made = full_chroma(frame)
    for name in "UV":
        assert np.array_equal(made[name].array, full_size(frame, name))


@pytest.mark.parametrize("location", range(7))
@pytest.mark.parametrize("name", ["rgba", "bgra", "rgb24"])
def test_chroma_doubled_on_its_way_in_is_full_chroma(name, location):
    """Of 8-bit planes a CPU makes pixels without planes of full chroma between; what it may not do so, it does not."""
    rng, layout = np.random.default_rng(11), PIXEL_LAYOUTS[name]
    small = [(1, 1), (2, 3), (31, 2), (64, 5), (66, 3), (130, 4), (255, 3), (256, 1), (258, 6), (700, 2)]
    for width, height in [*small, (2048, 2), (2050, 3), (2078, 2), (2112, 1), (4100, 2)]:
        matrix = str(rng.choice(["bt601", "bt709", "bt2020"]))
        whole, space = bool(rng.integers(2)), ColorSpace(matrix, bool(rng.integers(2)), 8)
        blocks = ColorBlocks(matrix=conversion(space, ColorSpace(None, whole, 8)))
        frame = any_frame(rng, "yuv420p", (width, height), color=ColorTags(matrix=1, chroma_location=location))
        doubled = doubling(frame, layout)
        assert (doubled is None) == (location in (2, 4, 6))
        apart = run_pipe(frame, blocks, layout, full_chroma=full_chroma(frame))
        fused = run_pipe(frame, blocks, layout, doubled=doubled, full_chroma=None if doubled else full_chroma(frame))
        assert np.array_equal(fused.planes[0], apart.planes[0]), (width, height)
        assert doubling(replace(frame, interlaced=True), layout) is None
    assert all(
        doubling(frame, PIXEL_LAYOUTS[other]) is None for other in ("rgb48le", "x2rgb10le", "yuv444p", "yuyv422")
    )
    assert doubling(random_frame(rng, "nv12", 4, 4), layout) is None


def test_colored_ramps_have_no_steps_in_rgb():
    """Chroma that rises evenly: repeated samples step at every second pixel, interpolated ones nowhere."""
    frame = Frame.from_arrays(
        "yuv420p",
        [
            np.full((4, 64), 128, np.uint8),
            np.tile(np.arange(64, 192, 4, dtype=np.uint8), (2, 1)),
            np.full((2, 32), 128, np.uint8),
        ],
        64,
        4,
        "cpu",
        color=ColorTags(matrix=1),
    )
    steps = {}
    for chroma in ("interpolated", "repeated"):
        (made,) = ConvertColor(format="rgb24", chroma=chroma).feed(frame)
        steps[chroma] = np.diff(samples_of(made, "B")[1, 8:-8].astype(int))
    assert steps["repeated"].min() == 0
    assert steps["interpolated"].min() >= 3
    assert steps["interpolated"].max() <= steps["repeated"].max() // 2 + 1


def test_rgb_of_8_bits_survives_444_of_10_bits():
    frame = random_frame(np.random.default_rng(5), "rgb24", 64, 8)
    back = convert(convert(frame, "yuv444p10le"), "rgb24")
    for name in "RGB":
        assert np.abs(samples_of(back, name) - samples_of(frame, name)).max() <= 1


def test_what_is_refused():
    frame = random_frame(np.random.default_rng(6), "gray", 4, 4)
    with pytest.raises(ts.FormatError, match="pixel format 'gray16le' is not one of gray, "):
        convert(frame, "gray16le")
    for layout in (None, 8, ["nv12"]):
        with pytest.raises(ts.FormatError, match="is not one of gray, "):
            convert(frame, layout)


def test_planes_that_do_not_change_are_shared():
    frame = random_frame(np.random.default_rng(7), "yuv422p", 6, 4)
    for wanted, same in (("nv12", 1), ("yuv420p", 1), ("gray", 1), ("uyvy422", 0), ("yuv422p10le", 0)):
        made = convert(frame, wanted)
        assert sum(any(plane is own for own in frame.planes) for plane in made.planes) == same


def test_the_oracle_rounds_halves_up():
    assert [rounded(Fraction(n, 2)) for n in (-3, -1, 1, 3)] == [-1, 0, 1, 2]
