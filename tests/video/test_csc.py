"""`csc`: known codes, the exact matrix, gray and white, tags and guesses."""

from fractions import Fraction

import numpy as np
import pytest
from support.color_frames import applied, color_of, patch, same
from support.filter_cases import nothing_else_written, padded_plane
from support.frames import random_frame, samples_of

from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.errors import StateError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color import (
    ConvertColor,
)
from texsamp.video.color.matrices import KR_KB, ColorSpace, conversion
from texsamp.video.conversion import convert
from texsamp.video.frame import ColorTags, Frame

LEGAL_601 = {"white": ((255, 255, 255), (235, 128, 128)), "black": ((0, 0, 0), (16, 128, 128)),
             "red": ((255, 0, 0), (81, 90, 240)), "green": ((0, 255, 0), (145, 54, 34)),
             "blue": ((0, 0, 255), (41, 240, 110)), "yellow": ((255, 255, 0), (210, 16, 146))}  # fmt: skip
RED = {"bt601": (81, 90, 240), "bt709": (63, 102, 240), "bt2020": (74, 97, 240)}


# ---- csc -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("color", LEGAL_601)
def test_colors_of_bt601_are_the_known_codes(color):
    rgb, yuv = LEGAL_601[color]
    assert color_of(applied(ConvertColor("bt601", format="yuv444p"), patch("rgb24", *rgb))) == yuv
    back = color_of(applied(ConvertColor(format="rgb24"), patch("yuv444p", *yuv, matrix=6)))
    assert max(abs(a - b) for a, b in zip(back, rgb, strict=True)) <= 1


@pytest.mark.parametrize("matrix", RED)
def test_red_in_every_matrix(matrix):
    assert color_of(applied(ConvertColor(matrix, format="yuv444p"), patch("rgb24", 255, 0, 0))) == RED[matrix]


def reference(value, source, target):
    """The conversion in exact fractions, from and to 8-bit-unit samples; rounded to the nearest at the end."""

    def decode(space, sample):
        offsets = [Fraction(o, 16) for o in space.offsets]
        v = [s - o for s, o in zip(sample, offsets, strict=True)]
        luma, chroma = Fraction(space.luma_span) / 16, Fraction(space.chroma_span) / 16
        if space.matrix is None:
            return [c / luma for c in v]
        kr, kb = KR_KB[space.matrix]
        y, cb, cr = v[0] / luma, v[1] / chroma, v[2] / chroma
        r, b = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
        return [r, (y - kr * r - kb * b) / (1 - kr - kb), b]

    def encode(space, rgb):
        offsets = [Fraction(o, 16) for o in space.offsets]
        luma, chroma = Fraction(space.luma_span) / 16, Fraction(space.chroma_span) / 16
        if space.matrix is None:
            return [c * luma + o for c, o in zip(rgb, offsets, strict=True)]
        kr, kb = KR_KB[space.matrix]
        y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]
        cb, cr = (rgb[2] - y) / (2 * (1 - kb)), (rgb[0] - y) / (2 * (1 - kr))
        return [y * luma + offsets[0], cb * chroma + offsets[1], cr * chroma + offsets[2]]

    bits = target.bits
    steps = [c * (1 << bits) / 256 for c in encode(target, decode(source, value))]
    return [min(max(round(c), 0), (1 << bits) - 1) for c in steps]


SPACES = [(matrix, full) for matrix in (None, *KR_KB) for full in (True, False)]


@pytest.mark.parametrize("source", SPACES, ids=str)
def test_conversions_are_the_exact_matrix_rounded(source):
    """Any meaning to any other, within one step of the exact result in 8 bits and in 10; mostly equal."""
    rng = np.random.default_rng(len(str(source)))
    layouts = {(None, 8): "rgb24", (None, 10): "x2rgb10le"}
    for matrix, full in SPACES:
        for bits in (8, 10):
            have = ColorSpace(source[0], source[1], 8)
            want = ColorSpace(matrix, full, bits)
            frame = random_frame(rng, layouts.get((source[0], 8), "yuv444p"), 8, 2)
            out = layouts.get((matrix, bits), "yuv444p" if bits == 8 else "yuv444p10le")
            stage = ConvertColor(
                matrix or "keep",
                "full" if full else "limited",
                out,
                source[0] or "auto",
                "full" if source[1] else "limited",
            )
            result = applied(stage, frame)
            names = list(result.layout.components)[:3]
            different = 0
            for place in np.ndindex(2, 8):
                sample = [Fraction(int(samples_of(frame, c)[place])) for c in list(frame.layout.components)[:3]]
                exact = reference(sample, have, want)
                if result.layout.packed_element:
                    element = int(result.planes[0][place])
                    found = [element >> result.layout.components[c].shift & 1023 for c in names]
                else:
                    found = [int(samples_of(result, c)[place]) for c in names]
                errors = [abs(a - b) for a, b in zip(found, exact, strict=True)]
                assert max(errors) <= 1, (have, want, sample, found, exact)
                different += sum(errors)
            assert different <= 8, (have, want, different)


@pytest.mark.parametrize("matrix", KR_KB)
@pytest.mark.parametrize("full", [True, False])
def test_gray_stays_gray_and_white_white(matrix, full):
    gray = np.arange(256, dtype=np.uint8)[np.newaxis]
    frame = Frame.from_arrays("rgb24", [np.repeat(gray, 3, 1)], 256, 1, "cpu")
    result = applied(ConvertColor(matrix, "full" if full else "limited", "yuv444p"), frame)
    assert (samples_of(result, "U") == 128).all()
    assert (samples_of(result, "V") == 128).all()
    luma = samples_of(result, "Y")[0]
    assert (luma[0], luma[255]) == ((0, 255) if full else (16, 235))
    back = applied(ConvertColor(format="rgb24"), result)
    assert np.abs(samples_of(back, "R") - gray).max() <= (0 if full else 1)
    assert same(back, back, "RGB")
    assert np.array_equal(samples_of(back, "R"), samples_of(back, "B"))


@pytest.mark.parametrize("matrix", KR_KB)
def test_full_range_444_comes_back(matrix):
    rng = np.random.default_rng(7)
    frame = random_frame(rng, "rgb24", 64, 8)
    there = applied(ConvertColor(matrix, "full", "yuv444p10le"), frame)
    back = applied(ConvertColor(format="rgb24"), there)
    for c in "RGB":
        assert np.abs(samples_of(back, c) - samples_of(frame, c)).max() <= 1


@pytest.mark.parametrize("name", [n for n, layout in PIXEL_LAYOUTS.items() if not layout.packed_element])
def test_nothing_to_convert_hands_the_frame_on(name):
    frame = random_frame(np.random.default_rng(8), name, 6, 4)
    result = applied(ConvertColor(), frame)
    assert all(a is b for a, b in zip(result.planes, frame.planes, strict=True))


@pytest.mark.parametrize(("have", "wanted"), [("yuv420p", "nv12"), ("yuv422p10le", "yuv444p10le"), ("nv12", "p010le")])
def test_other_places_for_the_same_samples(have, wanted):
    frame = random_frame(np.random.default_rng(9), have, 14, 6).with_color(ColorTags(matrix=1, full_range=False))
    result = applied(ConvertColor(format=wanted), frame)
    assert np.array_equal(samples_of(applied(ConvertColor(format=have), result), "U"), samples_of(frame, "U"))
    assert same(frame, applied(ConvertColor(format=have), result), "YUV")


def test_tags_say_what_was_made_and_notes_what_was_guessed():
    stage = ConvertColor("bt709")
    result = applied(stage, patch("yuv444p", 90, 100, 110, matrix=2, primaries=5))
    assert result.color == ColorTags(matrix=1, primaries=5, full_range=False)
    assert stage.notes == ("csc: the video does not say its matrix: bt601 is assumed for 2 rows",)
    stage = ConvertColor("bt709")
    assert color_of(applied(stage, patch("yuv444p", 90, 100, 110, matrix=1))) == (90, 100, 110)
    assert stage.notes == ()
    rgb = applied(ConvertColor(format="rgb24"), patch("yuv444p", 90, 100, 110, matrix=9))
    assert (rgb.color.matrix, rgb.color.full_range) == (0, True)
    stage = ConvertColor(format="yuv420p")
    assert applied(stage, patch("rgb24", 1, 2, 3)).color.matrix == 6
    assert stage.notes == ("csc: no matrix is asked for: bt601 is written for 2 rows",)
    tall = Frame.empty("yuv420p", 2, 720, "cpu")
    stage = ConvertColor(format="rgb24")
    applied(stage, tall)
    assert stage.notes == ("csc: the video does not say its matrix: bt709 is assumed for 720 rows",)


def test_gray_gets_chroma_and_gray_loses_it():
    gray = patch("gray", 77, matrix=6)
    assert color_of(applied(ConvertColor(format="yuv444p"), gray)) == (77, 128, 128)
    assert color_of(applied(ConvertColor(format="gray10le"), patch("yuv444p", 77, 3, 9, matrix=6))) == (308,)


@pytest.mark.parametrize("word", ["matrix", "range", "format", "in_matrix", "in_range"])
def test_words_of_csc_are_checked(word):
    with pytest.raises(StateError, match=f"csc {word} must be one of .*, found 'purple'"):
        ConvertColor(**{word: "purple"})


def test_matrix_sums_cannot_overflow():
    """Coefficients in 14 bits times 12-bit samples, over all spaces."""
    for source in SPACES:
        for target in SPACES:
            for bits in (8, 10, 16):
                block = conversion(ColorSpace(*source, bits), ColorSpace(*target, 8))
                for row in range(3):
                    terms = [
                        max(abs(0 + o), abs(4095 + o)) * abs(c)
                        for c, o in zip(block["coefficients"][3 * row : 3 * row + 3], block["offsets_in"], strict=True)
                    ]
                    assert sum(terms) < 1 << 31


@pytest.mark.parametrize("level", [name for name in supported_levels() if library_path(name)])
@pytest.mark.parametrize("matrix", [{}, {"in_matrix": "bt2020", "in_range": "full"}, {"range": "limited"}])
@pytest.mark.parametrize("format", ["rgba", "bgra"])
def test_words_made_in_vectors_are_those_made_pixel_by_pixel(format, matrix, level):
    """Columns of 4:4:4 know nothing of each other: a width that is no whole number of vectors takes the other way."""
    planes = random_frame(np.random.default_rng(5), "yuv444p", 65, 3).planes
    device, stage = CpuDevice(level), ConvertColor(format=format, **matrix)
    whole = Frame(PIXEL_LAYOUTS["yuv444p"], 65, 3, planes, device)
    narrow = Frame(whole.layout, 64, 3, [plane[:, :64] for plane in planes], device)
    (made,), (expected,) = stage.feed(narrow), stage.feed(whole)
    assert np.array_equal(made.planes[0][:, :256], expected.planes[0][:, :256])


@pytest.mark.parametrize("source", ["yuv420p", "yuv444p", "nv12", "yuv422p", "gray"])
@pytest.mark.parametrize("width", [1, 31, 62, 64, 67, 130, 258, 2050])
def test_rgb_without_alpha_is_that_with_it(width, source):
    frame = random_frame(np.random.default_rng(width), source, width, 5).with_color(ColorTags(matrix=width % 3 % 2))
    words = convert(frame, "rgba").planes[0].reshape(5, width, 4)
    triples = convert(frame, "rgb24")
    assert np.array_equal(triples.planes[0].reshape(5, width, 3), words[..., :3])
    assert (words[..., 3] == 255).all()


@pytest.mark.parametrize(("source", "chroma"), [("yuv420p", "interpolated"), ("yuv444p", "repeated")])
def test_lines_of_rgb_end_where_they_end(source, chroma):
    rng = np.random.default_rng(8)
    frame = random_frame(rng, source, 130, 6)
    target = padded_plane(rng, 6, 3 * 130, "u1")
    with nothing_else_written([target]), pytest.MonkeyPatch.context() as changed:
        made = Frame.from_arrays("rgb24", [target], 130, 6, "cpu")
        changed.setattr("texsamp.video.color.pipe.Frame.empty", lambda *_: made)
        (given,) = ConvertColor(format="rgb24", chroma=chroma).feed(frame)
    assert given.planes[0] is target
    assert np.array_equal(target, convert(frame, "rgb24").planes[0])
