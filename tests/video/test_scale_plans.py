"""What the scaler refuses, and the plan it makes for a stream: sizes, sample aspect, errors that name the limit."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle.avs import AdaptiveState
from support.scaler import Scaling

from texsamp.device import get_device
from texsamp.errors import StateError
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.presets.avs import adaptive_parameters, coefficients
from texsamp.video.samples import Samples
from texsamp.video.scale import AvsPlane, AvsTables, Scale

ZERO = np.zeros((32, 8), dtype=np.int16)
ADAPTIVE = AdaptiveState(bypass_x=False, adaptive_all_channels=True)


def plane(width, height, dtype="u1", bits=8):
    return Samples.plane(np.zeros((height, width), dtype), bits)


def plan(**options):
    positions = tuple(np.arange(n, dtype=np.int32) * 32 for n in (4, 3))
    return AvsPlane(
        get_device("cpu"), (4, 3), positions, AvsTables(ZERO, ZERO, ZERO, ZERO), adaptive_parameters("i965"), **options
    )


@pytest.mark.parametrize(
    ("source", "target", "options", "message"),
    [
        (plane(4, 4), plane(4, 3), {}, r"scales \(4, 3\) to \(4, 3\), found \(4, 4\) to \(4, 3\)"),
        (plane(4, 3), plane(4, 2), {}, r"scales \(4, 3\) to \(4, 3\), found \(4, 3\) to \(4, 2\)"),
        (plane(4, 3, "<u2", 10), plane(4, 3), {}, "keeps the type of elements, found uint16 to uint8"),
        (plane(4, 3, "<u2", 10), plane(4, 3, "<u2", 16), {}, "output same keeps the bits of a sample, found 10 to 16"),
        (
            plane(4, 3),
            plane(4, 3),
            {"output": "full16"},
            "full16 takes 8-bit samples in 16-bit elements, found 8 bits in 8",
        ),
        (plane(4, 3, "<u2", 10), plane(4, 3, "<u2", 16), {"output": "full16"}, "found 10 bits in 16"),
    ],
)
def test_planes_that_do_not_fit_the_plan(source, target, options, message):
    with pytest.raises(StateError, match=message):
        plan(**options).launches([(source, target)], 0)


def test_channels_of_two_element_types():
    channels = [(plane(4, 3), plane(4, 3)), (plane(4, 3, "<u2", 10), plane(4, 3, "<u2", 10))]
    with pytest.raises(StateError, match="elements of one type, found u8 and u16"):
        plan().launches(channels, 0)


@pytest.mark.parametrize("names", ["Y", "YUV", "RG"])
def test_rgb_adaptive_needs_rgb(names):
    samples = [np.zeros((3, 4), dtype=int)] * len(names)
    case = Scaling(samples, names, [0, 32], [0], (ZERO,) * 4, replace(ADAPTIVE, rgb_adaptive=True))
    with pytest.raises(StateError, match=rf"RGB adaptive needs channels R, G, B with guide 1, found {len(names)}"):
        case.run()


def test_rgb_adaptive_needs_planes_alike():
    def state(device):
        adaptive = replace(adaptive_parameters("ihd"), rgb_adaptive=True)
        positions = tuple(np.arange(n, dtype=np.int32) * 32 for n in (4, 3))
        return AvsPlane(device, (4, 3), positions, AvsTables(ZERO, ZERO, ZERO, ZERO), adaptive)

    wider = Samples.plane(np.zeros((3, 9), "u1")[:, :4], 8)
    channels = [(plane(4, 3), plane(4, 3)), (plane(4, 3), plane(4, 3)), (wider, plane(4, 3))]
    with pytest.raises(StateError, match="R, G and B with one pitch, step, shift and number of bits"):
        state(get_device("cpu")).launches(channels, 1)


@pytest.mark.parametrize("axis", [0, 1])
def test_positions_must_not_decrease(axis):
    positions = [np.array([0, 32, 64]), np.array([0, 32, 64])]
    positions[axis] = np.array([0, 64, 63])
    with pytest.raises(StateError, match=r"positions must not decrease: negative Delta U and Delta V"):
        AvsPlane(
            get_device("cpu"),
            (4, 4),
            tuple(positions),
            AvsTables(ZERO, ZERO, ZERO, ZERO),
            adaptive_parameters("i965"),
        )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((17, 8), np.int16), r"table_0y must be \(32, 8\) int16, found \(17, 8\) int16"),
        (np.zeros((32, 8), np.int32), r"must be \(32, 8\) int16, found \(32, 8\) int32"),
        (ZERO + np.int16(128), r"must stay in \[-2, 2\) \(S1.6: -128..127\), found 128..128"),
        (ZERO - np.int16(129), r"found -129..-129"),
        (ZERO + np.int16(-32768), r"found -32768..-32768"),
    ],
)
def test_tables_out_of_range(table, message):
    with pytest.raises(StateError, match=message):
        AvsTables(ZERO, table, ZERO, ZERO)


def test_table_1_has_4_taps():
    table = coefficients("lanczos3", 1, 8)
    AvsTables(table, table, ZERO, ZERO)
    with pytest.raises(StateError, match=r"table_1x has 4 taps, 2\.\.5"):
        AvsTables(ZERO, ZERO, table, ZERO)


# ---- the stage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 4), "scale width must be an integer from 1 to 16384, or -1 or -2 to keep the aspect, found 0"),
        ((4, -3), "scale height must be an integer from 1 to 16384, or -1 or -2 to keep the aspect, found -3"),
        ((16385, 4), "scale width must be an integer from 1 to 16384, .* found 16385"),
        ((-1, -2), "scale needs a width or a height: both ask to keep the aspect"),
        ((4, 4, "sinc"), "scale preset must be one of i965, ihd, lanczos3, lanczos4, .* found 'sinc'"),
        ((4, 4, "ihd", "yes"), "scale adaptive must be one of off, on, all, found 'yes'"),
        ((4, 4, "ihd", "on", "left"), "scale align must be one of center, hardware, found 'left'"),
        ((4, 4, "ihd", "on", "center", "wrap"), "scale edge must be one of clamp, mirror, found 'wrap'"),
        (
            (4, 4, "ihd", "on", "center", "clamp", 1.0),
            "nonlinear must be a number from 0 to below 1, found 1.0",
        ),
        (
            (4, 4, "ihd", "on", "center", "clamp", -0.1),
            "nonlinear must be a number from 0 to below 1, found -0.1",
        ),
        (
            (4, 4, "ihd", "on", "center", "clamp", float("nan")),
            "nonlinear must be a number from 0 to below 1, found nan",
        ),
        ((4, 4, "ihd", "on", "hardware", "clamp", 0.5), "scale nonlinear needs align=center"),
        ((4, 4, "ihd", "on", "center", "clamp", 0.0, "on"), "scale prefilter must be one of auto, off, found 'on'"),
    ],
)
def test_wrong_options(arguments, message):
    with pytest.raises(StateError, match=message):
        Scale(*arguments)


@pytest.mark.parametrize(
    ("asked", "picture", "size"),
    [
        ((-1, 4), (16, 8), (8, 4)),
        ((-1, 5), (16, 9), (9, 5)),  # 8.89
        ((-2, 5), (16, 9), (8, 5)),  # 8 is nearer to 8.89 than 10
        ((-2, 50), (99, 50), (100, 50)),  # exactly between: to the even number of twos
        ((-2, 50), (97, 50), (96, 50)),
        ((7, -1), (16, 9), (7, 4)),  # 3.94
        ((7, -2), (16, 9), (7, 4)),
        ((1, -1), (640, 2), (1, 1)),  # never empty
        ((1, -2), (640, 2), (1, 2)),
        ((1280, -2), (720, 576), (1280, 1024)),
        ((3, 5), (640, 480), (3, 5)),
    ],
)
def test_sizes_that_keep_the_aspect(asked, picture, size):
    assert Scale(*asked).output_size(*picture) == size


def test_a_kept_aspect_may_be_impossible():
    with pytest.raises(StateError, match="keeping the aspect needs 20000x10: at most 16384 is possible"):
        Scale(-1, 10).output_size(2000, 1)


def test_pictures_larger_than_a_surface():
    frame = Frame.empty("gray", 16385, 1, "cpu")
    with pytest.raises(StateError, match="pictures of at most 16384x16384, found 16385x1"):
        list(Scale(8, 1).feed(frame))
    list(Scale(8, 1).feed(Frame.empty("gray", 16384, 1, "cpu")))


@pytest.mark.parametrize("layout", ["yuv420p", "nv12", "yuyv422", "yuv422p10le", "p010le"])
def test_all_channels_need_one_size(layout):
    with pytest.raises(
        StateError, match=rf"adaptive=all needs channels of one size .* found {layout}: use adaptive=on"
    ):
        list(Scale(4, 4, adaptive="all").feed(Frame.empty(layout, 8, 8, "cpu")))


@pytest.mark.parametrize(
    ("aspect", "picture", "size", "expected"),
    [
        (None, (16, 8), (8, 4), None),  # same shape: what was unknown stays so
        (None, (16, 8), (8, 8), Fraction(2)),
        (Fraction(16, 15), (720, 576), (720, 576), Fraction(16, 15)),
        (Fraction(16, 15), (720, 576), (768, 576), Fraction(1)),
        (Fraction(16, 15), (720, 576), (1280, 720), Fraction(16, 15) * Fraction(720, 576) * Fraction(720, 1280)),
        (Fraction(1), (16, 8), (8, 4), Fraction(1)),
    ],
)
def test_display_aspect_is_kept(aspect, picture, size, expected):
    frame = replace(Frame.empty("gray", *picture, "cpu"), sample_aspect=aspect)
    (scaled,) = Scale(*size).feed(frame)
    assert scaled.sample_aspect == expected
    if expected is not None:
        before = (aspect or 1) * Fraction(*picture)
        assert scaled.sample_aspect * Fraction(scaled.width_px, scaled.height_px) == before


def test_a_stream_may_change_its_pictures():
    """The plan follows layout, size and chroma siting; a result never depends on the frames before."""
    rng = np.random.default_rng(4)

    def frame(layout, width, height, location=0):
        empty = Frame.empty(layout, width, height, "cpu")
        for samples in empty.planes:
            samples[...] = rng.integers(0, 256, samples.shape)
        return replace(empty, color=ColorTags(chroma_location=location), pts=int(rng.integers(99)))

    frames = [frame("yuv420p", 9, 7), frame("yuv420p", 9, 7, 2), frame("nv12", 9, 7), frame("yuv420p", 12, 7)]
    frames += [frame("yuv444p", 9, 7), frame("gray", 9, 7), frame("yuv420p", 9, 7)]
    stage = Scale(11, 13)
    for one in frames + frames[::-1]:
        before = [samples.copy() for samples in one.planes]
        (together,), (alone,) = stage.feed(one), Scale(11, 13).feed(one)
        assert together.pts == one.pts
        for component in one.layout.components:
            assert np.array_equal(together.component(component), alone.component(component))
        assert all(np.array_equal(a, b) for a, b in zip(before, one.planes, strict=True))
    (left,), (center,) = (
        list(Scale(11, 13).feed(replace(frames[0], color=ColorTags(chroma_location=n)))) for n in (1, 2)
    )
    assert np.array_equal(left.component("Y"), center.component("Y"))
    assert not np.array_equal(left.component("U"), center.component("U"))
