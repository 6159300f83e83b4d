"""What is given to a public constructor is refused there, by the name of what it is for and what was found."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.clips import random_pictures, write_clip

import texsamp as ts
import texsamp.io

ZEROS = np.zeros((2, 2))


def gray(**properties: Any) -> ts.Frame:
    return ts.Frame.from_arrays("gray", [np.zeros((2, 4), np.uint8)], 4, 2, "cpu", **properties)


REFUSED: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "grid of numbers": (
        ts.QuadGrid,
        {"u": 1, "v": 2, "inside": 3, "visible": 4},
        r"arrays of a QuadGrid must have one shape, \(height, width\), found \[None",
    ),
    "grid of unlike arrays": (
        ts.QuadGrid,
        {"u": ZEROS, "v": ZEROS, "inside": ZEROS, "visible": ZEROS[0]},
        r"arrays of a QuadGrid must have one shape",
    ),
    "matrix of words": (
        ts.ColorTags,
        {"matrix": "foo"},
        "matrix of color tags must be an integer from 0 to 255, found 'f",
    ),
    "no code point": (
        ts.ColorTags,
        {"transfer": 256},
        "transfer of color tags must be an integer from 0 to 255, found 256",
    ),
    "no place of chroma": (ts.ColorTags, {"chroma_location": 256}, "chroma_location .* 0 to 255, found 256"),
    "range as a number": (ts.ColorTags, {"full_range": 2}, "full_range .* True, False or None, found 2"),
    "title": (ts.ColorTable, {"title": 3}, "the title of a table must be of type str, found 3"),
    "curves": (ts.ColorTable, {"curves": 3}, r"curves .* an array of numbers of \(entries, 3\), found 3"),
    "one entry": (
        ts.ColorTable,
        {"curves": np.ones((1, 3))},
        r"curves .* 2 to 65536 entries .* found float64 \(1, 3\)",
    ),
    "no cube": (
        ts.ColorTable,
        {"cube": np.ones((2, 3, 2, 3))},
        r"cube .* entries along each axis, found .*\(2, 3, 2, 3\)",
    ),
    "no number": (
        ts.ColorTable,
        {"curves": np.full((2, 3), np.nan)},
        "curves .* numbers of at most 65504, found others",
    ),
    "empty range": (ts.ColorTable, {"cube_range": np.ones((2, 3))}, "cube_range of a table must begin below its end"),
    "pts": (gray, {"pts": 0.5}, "pts of a frame must be an integer or None, found 0.5"),
    "time base": (gray, {"time_base": 0.04}, "time_base of a frame must be of type Fraction, found 0.04"),
    "no time": (gray, {"time_base": Fraction(0)}, "time_base of a frame must be above 0, found 0"),
    "color": (gray, {"color": "bt709"}, "color of a frame must be of type ColorTags, found 'bt709'"),
    "field order": (gray, {"top_field_first": "tff"}, "top_field_first of a frame must be of type bool"),
    "hdr": (gray, {"hdr": 1000}, "hdr of a frame must be of type HdrMetadata, found 1000"),
    "planes": (
        ts.Frame.from_arrays,
        {"layout": "gray", "planes": 3, "width_px": 1, "height_px": 1},
        "planes .* found 3",
    ),
    "layout": (ts.Frame.empty, {"layout": 3, "width_px": 1, "height_px": 1}, "layout .* type PixelLayout, found 3"),
    "codec": (ts.VideoWriter, {"path": "a.mkv", "codec": 3}, "codec must be of type str, found 3"),
    "quality": (ts.VideoWriter, {"path": "a.mkv", "crf": "x"}, "crf must be a number, found 'x'"),
    "encoder": (
        ts.VideoWriter,
        {"path": "a.mkv", "options": "crf=3"},
        "options must be of type Mapping, found 'crf=3'",
    ),
    "truth": (ts.VideoWriter, {"path": "a.mkv", "lossless": "no"}, "lossless must be of type bool, found 'no'"),
    "pictures": (ts.write_frames, {"path": "a.mkv", "frames": 3}, "frames to write must be of type Iterable, found 3"),
    "source": (ts.Job, {"source": None, "target": "b"}, "source of a job must be of type str, found None"),
    "start": (
        ts.Job,
        {"source": "a", "target": "b", "start_s": -1},
        "start_s of a job must be .* at least 0, found -1",
    ),
    "frames": (ts.Job, {"source": "a", "target": "b", "frames": 0}, "frames of a job .* at least 1, found 0"),
    "segments": (ts.Job, {"source": "a", "target": "b", "segments": 0}, "the number of segments must be"),
    "encoding": (ts.Job, {"source": "a", "target": "b", "encoding": "x264"}, "encoding of a job .* dict, found 'x264'"),
    "settings": (ts.Denoise, {"settings": 3}, "denoise settings must be of type DenoiseParameters, found 3"),
    "strength": (ts.Denoise, {"strength": ZEROS}, "denoise strength must be"),
    "sharpening": (ts.Sharpen, {"settings": "x"}, "sharpen settings must be of type IefParameters or Gen6"),
    "state": (
        ts.Deinterlace,
        {"state": ()},
        "deinterlace state must be of type DeinterlaceSamplerState, found a tuple",
    ),
    "pipe": (ts.ColorPipe, {"state": 3}, "the state of a color pipe must be of type ColorProcessingState, found 3"),
    "filter text": (ts.Lavfi, {"text": 3}, "a filter of FFmpeg must be of type str, found 3"),
    "surface": (ts.Surface, {"view": 3, "data": ZEROS, "device": "cpu"}, "the view of a surface must be of type"),
    "null surface": (ts.NullSurface, {"device": ZEROS}, "device must be auto, cpu, cuda or cuda:N, found"),
    "shadow": (ts.Sampler, {"shadow": ZEROS}, "shadow must be one of"),
    "map filter": (ts.Sampler, {"filter": ZEROS}, "filter must be hardware or exact"),
    "seams": (ts.Sampler, {"cube": ZEROS}, "cube must be seamless or programmed"),
    "anisotropy": (ts.Sampler, {"max_anisotropy": ZEROS}, "max_anisotropy must be one of 2"),
    "truth as a ratio": (ts.Sampler, {"max_anisotropy": True}, "max_anisotropy must be one of 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_arguments_are_refused_in_words(name: str) -> None:
    make, arguments, words = REFUSED[name]
    with pytest.raises(ts.TexsampError, match=words):
        make(**arguments)


TEXELS = {"array": np.zeros((8, 8, 4), np.uint8), "format": "R8G8B8A8_UNORM"}
WORDS = {
    "tiling": (ts.Surface.from_array, TEXELS, "tiling must be one of .* found a ndarray"),
    "mips": (ts.Surface.from_array, TEXELS, "mips must be made with .* found a ndarray"),
    "edge": (ts.Surface.from_array, {**TEXELS, "mips": "box"}, "edge must be clamp or wrap, found a ndarray"),
    "overwrite": (ts.io.VideoWriter, {"path": "a.mkv"}, "overwrite must be True or False, found a ndarray"),
    "overwrite of a playlist": (ts.io.VideoWriter, {"path": "a.m3u8"}, "overwrite must be True or False"),
    "overwrite of a batch": (ts.batch, {"jobs": [], "out_dir": "a"}, "overwrite must be True or False"),
}


@pytest.mark.parametrize("name", WORDS)
def test_arrays_are_no_words(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing one with words gives another array, whose truth numpy refuses."""
    monkeypatch.chdir(tmp_path)
    make, arguments, words = WORDS[name]
    with pytest.raises(ts.TexsampError, match=words):
        make(**arguments, **{name.split(maxsplit=1)[0]: np.zeros(2)})
    assert not list(tmp_path.iterdir())


PATHS = {
    "src": (ts.process, {"dst": "b.mkv"}),
    "dst": (ts.process, {"src": "a.mkv"}),
    "stats": (ts.process, {"src": "a.mkv", "dst": "b.mkv"}),
    "report": (ts.process, {"src": "a.mkv", "dst": "b.mkv"}),
    "manifest": (ts.process, {"src": "a.mkv", "dst": "b.mkv"}),
    "plot": (ts.process, {"src": "a.mkv", "dst": "b.mkv"}),
    "path": (ts.io.VideoReader, {}),
    "path to write": (ts.io.VideoWriter, {}),
    "path of a cube": (ts.read_cube, {}),
    "out_dir": (ts.batch, {"jobs": []}),
}


@pytest.mark.parametrize("path", [3.5, b"a.mkv", np.zeros(2)], ids=["number", "bytes", "array"])
@pytest.mark.parametrize("name", PATHS)
def test_what_is_no_path_is_refused_in_words(
    name: str, path: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_clip(tmp_path / "a.mkv", random_pictures(2, (32, 16), seed=1), rate=25)
    make, arguments = PATHS[name]
    with pytest.raises(ts.StateError, match="a path must be of type str or PathLike, found"):
        made = make(**arguments, **{name.split(maxsplit=1)[0]: path})
        list(made)
    assert [file.name for file in tmp_path.iterdir()] == ["a.mkv"]


def test_numbers_of_numpy_are_numbers() -> None:
    assert ts.ColorTags(np.uint8(1), full_range=np.bool_(True)) == ts.ColorTags(1, full_range=True)
    frame = gray(pts=np.int64(3), time_base=Fraction(1, 25), interlaced=np.bool_(True))
    assert frame.pts == 3
    cube = np.zeros((2, 2, 2, 3))
    assert ts.ColorTable(cube=cube).cube is cube
