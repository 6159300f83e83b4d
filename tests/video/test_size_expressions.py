"""Sizes of scale may be arithmetic on the picture's own size."""

from fractions import Fraction

import pytest
from support.media import random_frame

import texsamp as ts
from texsamp.errors import StateError


@pytest.mark.parametrize(
    ("text", "picture", "size"),
    [
        ("scale=iw/2:ih/2", (36, 20), (18, 10)),
        ("scale=iw*2xih*3", (10, 4), (20, 12)),
        ("scale=iw/3:-2", (100, 50), (33, 16)),
        ("scale=w=-1:h=ih+5", (40, 20), (50, 25)),
        ("scale='max(iw,64)':'min(ih,10)'", (32, 48), (64, 10)),
        ("scale='max(iw,64):24'", (32, 48), (64, 24)),
        ("scale=round(iw/3):ceil(in_h/3)", (20, 20), (7, 7)),
        ("scale=ih*dar:ih", (20, 20), (26, 20)),
        ("scale=iw*sar:a*8", (30, 20), (40, 12)),
        ("scale=-(0-iw)%7+1:ih", (20, 5), (7, 5)),
        ("scale=2*iw/(iw-ih):ih", (20, 10), (4, 10)),
    ],
)
def test_expressions_follow_the_picture(text: str, picture: tuple[int, int], size: tuple[int, int]) -> None:
    (result,) = ts.Pipeline.parse(text, "cpu")([random_frame("gray", *picture, sample_aspect=Fraction(4, 3))])
    assert (result.width_px, result.height_px) == size


def test_they_follow_sizes_that_change_within_a_stream() -> None:
    frames = [random_frame("gray", width, 8) for width in (16, 16, 24)]
    assert [f.width_px for f in ts.Pipeline.parse("scale=iw/2:ih", "cpu")(frames)] == [8, 8, 12]


@pytest.mark.parametrize("text", ["scale=iw/2xih/2", "scale='max(iw,64)'x24", "scale=iwxih*2:preset=ihd"])
def test_text_of_a_pipeline_reads_back(text: str) -> None:
    assert str(ts.Pipeline.parse(text, "cpu")) == text
    assert str(ts.Pipeline.parse(str(ts.Pipeline.parse(text, "cpu")), "cpu")) == text


NO_SIZES = [
    "iw//2",
    "iw**2",
    "os",
    "iw.real",
    "max(iw)",
    "round(iw",
    "print(iw)",
    "iw if iw else 2",
    "iw<2",
    "lambda x",
]
NO_SIZES += ["lambda x", "iw" * 200, "(" * 150 + "iw", "__import__('os')", "[iw][0]"]


@pytest.mark.parametrize("value", NO_SIZES)
def test_other_text_is_refused(value: str) -> None:
    with pytest.raises(StateError, match=r"filter 'scale'"):
        ts.Pipeline.parse(f"scale={value}:4", "cpu")
    with pytest.raises(StateError, match="scale width must be arithmetic"):
        ts.Scale(value, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iw-20:4", "scale: iw-20 is 0 for 20x10: sizes go from 1 to 16384"),
        ("4:ih*2000", "scale: ih.2000 is 20000 for 20x10"),
        ("iw/(ih-10):4", "scale: iw/.*division"),
        ("iw/0:4", "scale: iw/0: .*division"),
        ("iw%0:4", "scale: iw%0: .*modulo"),
        ("round(1e999):4", r"scale: round\(1e999\): .*infinity"),
        ("iw*1e999*0:4", r"scale: iw\*1e999\*0: .*NaN"),
        ("iw-21:ih-12", "both ask to keep the aspect"),
    ],
)
def test_values_that_are_no_size_are_named(text: str, message: str) -> None:
    with pytest.raises(StateError, match=message):
        list(ts.Pipeline.parse(f"scale={text}", "cpu")([random_frame("gray", 20, 10)]))
