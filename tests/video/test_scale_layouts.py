"""`Scale` on every pixel layout equals the oracle: preset tables, positions, chroma siting, prefilter, all together."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.avs import AdaptiveState, CoefficientTables, avs, center_positions, hardware_positions
from oracle.prefilter import prefiltered
from support.filter_cases import sweep
from support.frames import assert_unused_bits_are_zero, random_frame, samples_of

from texsamp.errors import StateError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.frame import ColorTags
from texsamp.video.pipeline import Pipeline
from texsamp.video.presets.avs import COEFFICIENT_PRESETS, coefficients
from texsamp.video.scale import Scale

ADAPTIVE = AdaptiveState(bypass_x=False, bypass_y=False)
SETTINGS = {
    "tuned": dict(max_derivative4=0, max_derivative8=60, transition4=3, transition8=5),
    "tuned-ours": dict(max_derivative4=0, max_derivative8=8, transition4=3, transition8=3),
    "ihd": dict(max_derivative4=7, max_derivative8=20, transition4=4, transition8=5),
}
RULES = ("hardware", "literal", "ours")
# FFmpeg's chroma locations: offset of the first chroma sample from the first luma sample, in luma samples.
SITING = {
    0: (Fraction(0), Fraction(1, 2)),  # unspecified means left
    1: (Fraction(0), Fraction(1, 2)),
    2: (Fraction(1, 2), Fraction(1, 2)),
    3: (Fraction(0), Fraction(0)),
    4: (Fraction(1, 2), Fraction(0)),
    5: (Fraction(0), Fraction(1)),
    6: (Fraction(1, 2), Fraction(1)),
}


def rows_of(preset, ratio, taps, align):
    """32 rows; in hardware mode those that 17 stored ones give."""
    rows = coefficients(preset, ratio, taps).tolist()
    return [rows[p] if p <= 16 or align == "center" else rows[32 - p][::-1] for p in range(32)]


def halves(ratio):
    """The power of 1/2, at most 1, that leaves more than 1/2 of a ratio."""
    return max(Fraction(1, 2**n) for n in range(20) if ratio * 2**n > Fraction(1, 2))


def expected_samples(frame, size, *, preset, adaptive, align, edge, prefilter, rule, settings):
    """What the oracles make of every component."""
    layout = frame.layout
    picture_size = (frame.width_px, frame.height_px)
    ratios = tuple(Fraction(size[axis], picture_size[axis]) for axis in (0, 1))
    # Gen7's RGB formats of 8 and 10 bits must have zeros in the outer taps (seed 003:4051-4061)
    main_taps = 4 if layout.model == "rgb" and layout.bits != 16 and align == "hardware" else 8
    lowpass = (Fraction(1), Fraction(1))
    if prefilter == "auto" and align == "center":
        lowpass = tuple(halves(ratio) if preset in ("i965", "ihd") else min(ratio, Fraction(1)) for ratio in ratios)
    tables = CoefficientTables(
        *(
            rows_of(preset, ratio / low, taps, align)
            for taps in (main_taps, 4)
            for ratio, low in zip(ratios, lowpass, strict=True)
        ),
    )
    state = AdaptiveState()
    if adaptive != "off":
        chosen = SETTINGS["tuned-ours" if (settings, rule) == ("tuned", "ours") else settings] | {
            "adaptive_all_channels": adaptive == "all",
            "rgb_adaptive": layout.model == "rgb",
        }
        state = replace(ADAPTIVE, rule=rule, **chosen)
    groups = {}
    for component in layout.components:
        groups.setdefault(layout.subsampling(component), []).append(component)
    results = {}
    for log2, names in groups.items():
        channels, positions = [], []
        depths = [layout.components[name].bits for name in names]
        for name, bits in zip(names, depths, strict=True):
            samples, halvings = samples_of(frame, name), (0, 0)
            if min(lowpass) < 1:
                samples, halvings = prefiltered(samples, lowpass, bits)
            channels.append(samples)
            positions = []
            for axis in (0, 1):
                count = layout.component_size(name, *size)[axis]
                if align == "hardware":
                    positions.append(hardware_positions(0.0, 1 / count, 0.0, samples.shape[1 - axis], count))
                else:
                    offset = SITING[frame.color.chroma_location][axis] if log2[axis] else 0
                    positions.append(
                        halved_positions(picture_size[axis], size[axis], 2 ** log2[axis], offset, halvings[axis])
                    )
        px, py = ([axis] * len(names) for axis in positions)
        scaled = avs(channels, "".join(names), px, py, tables=tables, state=state, edge=edge, bits=depths)
        results |= dict(zip(names, scaled, strict=True))
    return results


def halved_positions(source, destination, subsampling, offset, halvings):
    """Center-aligned positions in a plane halved so often: its sample x lies at 2x + 1/2 of the plane before."""
    if not halvings:
        return center_positions(source, destination, subsampling=subsampling, offset=offset)
    positions = []
    for x in range(-(-destination // subsampling)):
        u = ((subsampling * x + offset + Fraction(1, 2)) * source / destination - Fraction(1, 2) - offset) / subsampling
        for _ in range(halvings):
            u = (u - Fraction(1, 2)) / 2
        positions.append(math.floor(u * 32 + Fraction(1, 2)))
    return positions


def check(frame, size, **options):
    defaults = dict(preset="lanczos3", adaptive="off", align="center", edge="clamp", prefilter="auto")
    options = defaults | dict(rule="hardware", settings="tuned") | options
    (scaled,) = Scale(*size, **options).feed(frame)
    assert (scaled.width_px, scaled.height_px, scaled.layout) == (*size, frame.layout)
    expected = expected_samples(frame, size, **options)
    for component, samples in expected.items():
        assert np.array_equal(samples_of(scaled, component), samples), (component, size, options)
    assert_unused_bits_are_zero(scaled)


LAYOUTS = list(PIXEL_LAYOUTS)
ONE_SIZE = [name for name, layout in PIXEL_LAYOUTS.items() if not layout.log2_chroma_width]


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout(name):
    rng = np.random.default_rng(LAYOUTS.index(name))
    for size, out_size in (((9, 7), (14, 11)), ((12, 10), (7, 9)), ((16, 5), (5, 13)), ((8, 8), (8, 8))):
        for adaptive in ("off", "on", "all") if name in ONE_SIZE else ("off", "on"):
            for align in ("center", "hardware"):
                frame = random_frame(rng, name, *size, str(rng.choice(["random", "steps", "extremes"])))
                check(frame, out_size, adaptive=adaptive, align=align, preset=str(rng.choice(COEFFICIENT_PRESETS)))


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("size", [(1, 1), (1, 5), (5, 1), (2, 1), (3, 3)])
def test_smallest_pictures(size, name):
    """One chroma sample, half-used chroma samples at the right and bottom edge."""
    rng = np.random.default_rng(size)
    for out_size in ((1, 1), (4, 3), (1, 6), (7, 1)):
        frame = random_frame(rng, name, *size)
        for align in ("center", "hardware"):
            edge = str(rng.choice(["clamp", "mirror"])) if align == "center" else "clamp"
            check(frame, out_size, align=align, edge=edge)


@pytest.mark.parametrize("preset", COEFFICIENT_PRESETS)
@pytest.mark.parametrize("align", ["center", "hardware"])
def test_every_preset(align, preset):
    rng = np.random.default_rng(5)
    edge = "mirror" if align == "center" else "clamp"
    for name in ("yuv420p", "p010le", "rgba", "rgba64le"):
        for out_size in ((21, 17), (9, 8), (5, 4)):
            for prefilter in ("auto", "off"):
                frame = random_frame(rng, name, 13, 11, "random")
                check(frame, out_size, preset=preset, align=align, prefilter=prefilter, edge=edge)


@pytest.mark.parametrize("name", ["yuyv422", "uyvy422", "nv12", "yuv420p", "gray", "rgba", "rgba64le"])
@pytest.mark.parametrize("align", ["center", "hardware"])
def test_mirrored_edges_of_every_kind_of_layout(align, name):
    """Seed 003:1787-1860: pixels in reverse; of a pair of 4:2:2 both lumas change places and chroma stays theirs."""
    rng = np.random.default_rng(6)
    for out_size in ((90, 83), (34, 33)):
        check(random_frame(rng, name, 34, 33, "random"), out_size, prefilter="off", align=align, edge="mirror")


@pytest.mark.parametrize("location", SITING)
@pytest.mark.parametrize("name", ["yuv420p", "nv12", "yuv422p10le", "uyvy422"])
def test_chroma_siting(name, location):
    rng = np.random.default_rng(location)
    for out_size in ((17, 19), (5, 6), (10, 9)):
        frame = replace(random_frame(rng, name, 11, 9), color=ColorTags(chroma_location=location))
        check(frame, out_size)


def test_an_unknown_chroma_location_means_left():
    frame = random_frame(np.random.default_rng(1), "yuv420p", 8, 8)
    unknown, left = (next(iter(Scale(12, 12).feed(replace(frame, color=ColorTags(chroma_location=n))))) for n in (9, 1))
    assert all(np.array_equal(a, b) for a, b in zip(unknown.planes, left.planes, strict=True))


@pytest.mark.parametrize("name", ["yuv420p10le", "gray10le", "p010le", "yuv444p10le"])
def test_garbage_in_unused_bits_does_not_matter(name):
    rng = np.random.default_rng(2)
    frame = random_frame(rng, name, 13, 9, "random")
    clean = replace(frame, planes=tuple(plane.copy() for plane in frame.planes))
    for component, part in clean.layout.components.items():
        clean.component(component)[...] = (samples_of(frame, component) << part.shift).astype(clean.layout.dtype)
    assert any(not np.array_equal(a, b) for a, b in zip(frame.planes, clean.planes, strict=True))
    for options in ({}, {"adaptive": "on"}, {"adaptive": "on", "align": "hardware"}):
        (a,), (b,) = (Scale(9, 17, **options).feed(f) for f in (frame, clean))
        assert all(np.array_equal(p, q) for p, q in zip(a.planes, b.planes, strict=True))


def test_planes_stored_bottom_up():
    """A negative pitch is a pitch like any other."""
    frame = random_frame(np.random.default_rng(3), "yuv420p", 9, 8)
    turned = replace(frame, planes=tuple(plane[::-1] for plane in frame.planes))
    copied = replace(frame, planes=tuple(np.ascontiguousarray(plane[::-1]) for plane in frame.planes))
    for options in ({}, {"adaptive": "on"}):
        for size in ((13, 12), (5, 3)):
            (a,), (b,) = (Scale(*size, **options).feed(f) for f in (turned, copied))
            assert all(np.array_equal(p, q) for p, q in zip(a.planes, b.planes, strict=True))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    name=st.sampled_from(LAYOUTS),
    size=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    out_size=st.tuples(st.integers(1, 26), st.integers(1, 26)),
    preset=st.sampled_from(COEFFICIENT_PRESETS),
    adaptive=st.sampled_from(["off", "on", "all"]),
    align=st.sampled_from(["center", "hardware"]),
    edge=st.sampled_from(["clamp", "mirror"]),
    prefilter=st.sampled_from(["auto", "off"]),
    location=st.sampled_from(sorted(SITING)),
    chosen=st.tuples(st.sampled_from(RULES), st.sampled_from(("tuned", "ihd"))),
)
def test_any_request(name, size, out_size, preset, adaptive, align, edge, prefilter, location, chosen):
    rng = np.random.default_rng([*size, *out_size])
    frame = replace(random_frame(rng, name, *size, "random"), color=ColorTags(chroma_location=location))
    adaptive = "on" if adaptive == "all" and name not in ONE_SIZE else adaptive
    edge = edge if align == "center" else "clamp"  # the hardware mirrors no small pictures
    options = dict(preset=preset, adaptive=adaptive, align=align, edge=edge, prefilter=prefilter)
    check(frame, out_size, rule=chosen[0], settings=chosen[1], **options)


@pytest.mark.sweep
def test_random_requests():
    rng = np.random.default_rng(31)
    for _ in range(sweep(15)):
        name = str(rng.choice(LAYOUTS))
        frame = random_frame(rng, name, *(int(v) for v in rng.integers(1, 50, 2)))
        frame = replace(frame, color=ColorTags(chroma_location=int(rng.integers(0, 7))))
        choices = {
            "preset": COEFFICIENT_PRESETS,
            "adaptive": ("off", "on", "all") if name in ONE_SIZE else ("off", "on"),
            "align": ("center", "hardware"),
            "edge": ("clamp", "mirror"),
            "prefilter": ("auto", "off"),
            "rule": RULES,
            "settings": ("tuned", "ihd"),
        }
        options = {key: str(rng.choice(values)) for key, values in choices.items()}
        options["edge"] = options["edge"] if options["align"] == "center" else "clamp"
        check(frame, tuple(int(v) for v in rng.integers(1, 60, 2)), **options)


@pytest.mark.parametrize(
    ("name", "size", "out_size", "problem"),
    [
        ("nv12", (32, 40), (64, 80), r"needs a width above 32 texels for a step of 0.5, found 32"),
        ("nv12", (64, 57), (64, 21), r"needs a height above 58.5714 texels for a step of 2.71429, found 57"),
        ("gray", (65, 64), (64, 64), r"needs an even width in gray, found 65"),
        ("yuyv422", (65, 64), (64, 64), r"needs an even width in yuyv422, found 65"),
    ],
)
def test_pictures_that_the_hardware_cannot_mirror(name, size, out_size, problem):
    """Seed 003:1787, 1902-1925; every other combination of edge and align takes them."""
    frame = random_frame(np.random.default_rng(1), name, *size)
    for align, edge in (("center", "mirror"), ("hardware", "clamp")):
        list(Pipeline([Scale(*out_size, align=align, edge=edge)], device="cpu")([frame]))
    with pytest.raises(StateError, match=problem):
        list(Pipeline([Scale(*out_size, align="hardware", edge="mirror")], device="cpu")([frame]))
