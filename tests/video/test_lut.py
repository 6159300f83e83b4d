"""Tables of colors: .cube files, both filters by the oracle and the sampler, video and pictures, and FFmpeg's lut3d."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction

import av
import av.filter
import numpy as np
import pytest
from oracle import lut as oracle

import texsamp as ts
from texsamp.errors import FormatError, MediaError, StateError
from texsamp.video.grammar import parse_graph
from texsamp.video.lut.cube_file import ColorTable, parse_cube
from texsamp.video.lut.launch import Tables, lut_launch, tables_of
from texsamp.video.pipeline import stage_text

CPU = ts.get_device("cpu")


def look(r, g, b):
    """A table's colors: smooth, and different for every channel."""
    return np.stack([r**1.3, 0.2 * r + 0.7 * g + 0.1 * b**2, 0.05 + 0.9 * b * (0.5 + 0.5 * g)], -1)


def cube_text(size):
    at = np.linspace(0, 1, size)
    b, g, r = np.meshgrid(at, at, at, indexing="ij")
    rows = "\n".join(" ".join(f"{value:.7f}" for value in row) for row in look(r, g, b).reshape(-1, 3))
    return f'TITLE "a look"\n# comment\nLUT_3D_SIZE {size}\n\n{rows}\n'


NEUTRAL = "LUT_3D_SIZE 2\n" + "\n".join(f"{n & 1} {n >> 1 & 1} {n >> 2}" for n in range(8))
NEGATIVE = "\n".join(f"{1 - (n & 1)} {1 - (n >> 1 & 1)} {1 - (n >> 2)}" for n in range(8))


COLORED = ts.Frame.from_arrays("rgb24", [np.arange(36, dtype=np.uint8).reshape(3, 12) * 7], 4, 3)


@pytest.fixture
def cube_file(tmp_path):
    path = tmp_path / "look.cube"
    path.write_text(cube_text(17))
    return str(path)


def launched(tables, codes, interpolation):
    target = np.empty_like(codes)
    CPU.launch(lut_launch(CPU, codes, target, (tables.places, tables.cube), interpolation))
    return target.reshape(-1, 4)


@pytest.mark.parametrize("interpolation", ["tetrahedral", "trilinear"])
@pytest.mark.parametrize("size", [2, 7, 33])
def test_kernels_are_the_oracle(interpolation, size):
    random = np.random.default_rng(size)
    cube = random.uniform(-0.2, 1.2, (size, size, size, 3)).astype(np.float32)
    ends = np.array([[0, -0.25, 0.125], [1, 1, 0.875]], np.float32)
    tables = tables_of(ColorTable(cube=cube, cube_range=ends))
    codes = random.integers(0, 65536, (3, 4 * 40), np.uint16)
    codes[0, :12] = [0, 0, 0, 7, 65535, 65535, 65535, 8, 32768, 32768, 32768, 9]
    found = launched(tables, codes, interpolation)
    wanted = codes.reshape(-1, 4)
    axes = [oracle.places(wanted[:, c].tolist(), *ends[:, c].tolist(), size) for c in range(3)]
    for index, at in enumerate(zip(*axes, strict=True)):
        assert found[index, :3].tolist() == getattr(oracle, interpolation)(cube, at)
        assert found[index, 3] == wanted[index, 3]


def test_trilinear_is_what_the_sampler_makes_of_a_volume():
    random = np.random.default_rng(5)
    size = 16  # a power of two: coordinates are exact
    cube = np.zeros((size, size, size, 4), np.float32)
    cube[..., :3] = random.uniform(0, 1, (size, size, size, 3))
    places = random.integers(0, 256 * (size - 1) + 1, (3, 65536)).astype(np.float32) / 256
    codes = random.integers(0, 65536, (1, 4 * 5000), np.uint16)
    found = launched(Tables(places, cube), codes, "trilinear")[:, :3]
    volume = ts.Surface.from_array(cube, "R32G32B32A32_FLOAT", type="3D", device="cpu")
    at = [(places[c][codes.reshape(-1, 4)[:, c]] + np.float32(0.5)) / np.float32(size) for c in range(3)]
    sampled = ts.sample(volume, ts.Sampler(address="clamp"), *at, lod=0.0)[:, :3]
    np.testing.assert_array_equal(found, np.floor(sampled * np.float32(65535) + np.float32(0.5)))


def test_a_neutral_table_changes_nothing(tmp_path):
    (tmp_path / "none.cube").write_text(NEUTRAL)
    picture = np.random.default_rng(1).integers(0, 65536, (20, 30, 4), np.uint16)
    for interp in ("tetrahedral", "trilinear"):
        for codes in (picture, (picture >> 8).astype(np.uint8)):
            made = ts.apply_lut(codes, tmp_path / "none.cube", interp=interp, device="cpu")
            most = 0 if interp == "tetrahedral" else np.iinfo(codes.dtype).max // 510 + 1  # 8 bits of the way
            assert np.abs(made.astype(int) - codes).max() <= most
            assert made.dtype == codes.dtype


def test_curves_alone_and_before_a_cube():
    curves = "LUT_1D_SIZE 3\n{}0 0 1\n0.25 0.5 0.5\n1 1 0\n"
    picture = np.array([[[0, 0, 0], [32768, 32768, 32768], [65535, 65535, 65535], [16384, 100, 49152]]], np.uint16)
    made = ts.apply_lut(picture, parse_cube(curves.format("")), device="cpu")[0].astype(int)
    expected = [[0, 0, 65535], [16384, 32768, 32767], [65535, 65535, 0], [8192, 100, 16383]]
    assert np.abs(made - expected).max() <= 1
    both = curves.format("LUT_3D_SIZE 2\n") + NEGATIVE
    again = ts.apply_lut(picture, parse_cube(both), device="cpu")[0].astype(int)
    assert np.abs(again + made - 65535).max() <= 1


@pytest.mark.parametrize("range", ["DOMAIN_MIN 0.1 0.1 0.1\nDOMAIN_MAX 0.5 0.5 0.5\n", "LUT_1D_INPUT_RANGE 0.1 0.5\n"])
def test_domains_and_ranges(range):
    picture = np.array([[[0.3 * 65535] * 3, [0.05 * 65535] * 3, [0.9 * 65535] * 3]]).astype(np.uint16)
    made = ts.apply_lut(picture, parse_cube(f"{range}LUT_1D_SIZE 2\n0 0 0\n1 1 1\n"), device="cpu")
    assert np.abs(made[0, :, 0].astype(int) - [32767, 0, 65535]).max() <= 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have LUT_1D_SIZE or LUT_3D_SIZE before its numbers, found neither"),
        ("0 0 0\n", "found neither"),
        ("LUT_3D_SIZE 1\n", "line 1: LUT_3D_SIZE must be an integer from 2 to 256, found '1'"),
        ("LUT_3D_SIZE 257\n", "from 2 to 256, found '257'"),
        ("LUT_1D_SIZE two\n", "line 1: LUT_1D_SIZE must be an integer from 2 to 65536, found 'two'"),
        ("LUT_3D_SIZE 2\nLUT_3D_SIZE 2\n", "line 2: LUT_3D_SIZE must be there once"),
        ("LUT_4D_SIZE 2\n", "line 1: words of a .cube file are TITLE, .* found 'LUT_4D_SIZE'"),
        ("LUT_1D_SIZE 2\n0 0 0\n", "has 2 lines of numbers, found 1"),
        ("LUT_1D_SIZE 2\n0 0 0\n0 1\n", "line 3: a color must be 3 numbers of at most 65504, found '0 1'"),
        ("LUT_1D_SIZE 2\n0 0 0\n0 1 inf\n", "line 3: a color must be 3 numbers"),
        ("LUT_1D_SIZE 2\n0 0 0\n# x\n0 1 1e9\n", "line 4: a color must be 3 numbers of at most 65504, found '0 1 1e9'"),
        ("LUT_1D_SIZE 2\n0 0\n0 1 1 1\n", "line 2: a color must be 3 numbers"),
        ("DOMAIN_MIN 0 0 1\nLUT_1D_SIZE 2\n0 0 0\n1 1 1", "DOMAIN_MIN must be below DOMAIN_MAX"),
        ("DOMAIN_MAX 1 1\nLUT_1D_SIZE 2\n0 0 0\n1 1 1", "line 1: DOMAIN_MAX must be 3 numbers"),
    ],
)
def test_bad_files_are_named(text, message, tmp_path):
    path = tmp_path / "bad.cube"
    path.write_text(text)
    with pytest.raises(FormatError, match=rf"bad\.cube: .*{message}"):
        ts.read_cube(path)


def test_bad_words_and_arrays(cube_file, tmp_path):
    with pytest.raises(MediaError, match=r"none\.cube: cannot be read"):
        list(parse_graph(f"lut3d={tmp_path / 'none.cube'}")[0].feed(COLORED))
    with pytest.raises(StateError, match=r"the name of a \.cube file"):
        parse_graph("lut3d=look.png")
    with pytest.raises(StateError, match="interp must be one of tetrahedral, trilinear"):
        ts.Lut3d(cube_file, interp="cubic")
    with pytest.raises(FormatError, match="must be uint8 or uint16"):
        ts.apply_lut(np.zeros((4, 4, 3), np.float32), cube_file)
    with pytest.raises(StateError, match="apply_lut interp must be one of tetrahedral, trilinear, found 'cubic'"):
        ts.apply_lut(np.zeros((4, 4, 3), np.uint8), cube_file, interp="cubic")
    gray = ts.Frame.from_arrays("gray", [np.zeros((4, 4), np.uint8)], 4, 4)
    with pytest.raises(FormatError, match="lut3d needs colors, found gray"):
        list(ts.Lut3d(cube_file).feed(gray))


@pytest.mark.parametrize("layout", ["rgb24", "rgba", "rgba64le", "x2rgb10le"])
def test_rgb_video_is_the_picture(layout, cube_file):
    random = np.random.default_rng(2)
    wide = random.integers(0, 65536, (6, 4 * 10), np.uint16)
    frame = ts.convert(ts.Frame.from_arrays("rgba64le", [wide], 10, 6), layout)
    (made,) = ts.Lut3d(cube_file).feed(frame)
    assert made.layout.name == layout
    back = ts.convert(frame, "rgba64le").planes[0].reshape(6, 10, 4)
    expected = ts.apply_lut(back, cube_file, device="cpu")
    found = ts.convert(made, "rgba64le").planes[0].reshape(6, 10, 4)
    assert np.abs(found[..., :3].astype(int) - expected[..., :3]).max() <= 65535 // made.layout.max_value // 2 + 1


@pytest.mark.parametrize("layout", ["yuv420p", "nv12", "yuv422p10le", "yuv444p", "uyvy422"])
@pytest.mark.parametrize("interlaced", [False, True])
def test_a_neutral_table_leaves_video_within_the_pipes_rounding(layout, interlaced, tmp_path):
    (tmp_path / "none.cube").write_text(NEUTRAL)
    y, x = np.mgrid[0:16, 0:32]
    rgb = np.stack([x * 5 + 30, y * 10 + 40, 220 - x * 5], -1).astype(np.uint8)
    frame = ts.convert(ts.Frame.from_arrays("rgb24", [rgb.reshape(16, 96)], 32, 16), layout)
    frame = replace(frame, interlaced=interlaced)
    (made,) = ts.Lut3d(str(tmp_path / "none.cube")).feed(frame)
    assert (made.layout, made.color, made.interlaced) == (frame.layout, frame.color, interlaced)
    for before, after in zip(frame.planes, made.planes, strict=True):
        assert np.abs(before.astype(int) - after).max() <= 1


@pytest.mark.parametrize("name", ["C:/a look.cube", "a,b=c.CUBE", "it's.cube", "C:\\looks\\warm.cube", "plain.cube"])
def test_names_of_files_are_quoted_where_the_grammar_needs_it(name):
    for written in (f'lut3d="{name}"', f'lut3d=file="{name}"', f'hflip,lut3d="{name}":interp=trilinear'):
        stage = ts.Pipeline.parse(written, "cpu").stages[-1]
        assert stage.file == name
        (again,) = ts.Pipeline.parse(stage_text(stage), "cpu").stages
        assert (again.file, again.interp) == (name, stage.interp)


def test_stages_travel(cube_file):
    stage = ts.Lut3d(cube_file)
    (before,) = stage.feed(COLORED)
    (after,) = pickle.loads(pickle.dumps(stage)).feed(COLORED)
    np.testing.assert_array_equal(before.planes[0], after.planes[0])


@pytest.mark.parametrize("interp", ["tetrahedral", "trilinear"])
def test_ffmpeg_says_the_same_within_a_step(interp, cube_file):
    codes = np.random.default_rng(3).integers(0, 256, (32, 48, 3), np.uint8)
    graph = av.filter.Graph()
    source = graph.add_buffer(width=48, height=32, format="rgb24", time_base=Fraction(1, 25))
    table = graph.add("lut3d", f"file={cube_file}:interp={interp}")
    sink = graph.add("buffersink")
    source.link_to(table)
    table.link_to(sink)
    graph.configure()
    given = av.VideoFrame.from_ndarray(codes, "rgb24")
    given.time_base, given.pts = Fraction(1, 25), 0
    graph.push(given)
    theirs = graph.pull().reformat(format="rgb24").to_ndarray().astype(int)
    ours = ts.apply_lut(codes, cube_file, interp=interp, device="cpu").astype(int)
    assert np.abs(ours - theirs).max() <= 1
    assert (ours == theirs).mean() > 0.4
