"""EXR pictures of every kind, written by OpenEXR itself."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from threading import Thread

import numpy as np
import pytest

from texsamp.errors import FormatError, MediaError
from texsamp.io import VideoReader
from texsamp.io.input.cut_short import complaints
from texsamp.io.textures import picture_texels, read_texture, read_texture_file
from texsamp.io.textures.c_stderr import hushed
from texsamp.io.textures.exr import ExrHeader, chunk_count, read_exr_header
from texsamp.io.textures.printed_words import printed_words

openexr = pytest.importorskip("OpenEXR")
RNG = np.random.default_rng(35)
ROWS, COLUMNS = 20, 30


def written(path, letters, dtype=np.float16, *, windows=None, tiles=False, levels=None):
    """A file with random channels of these names, and the channels."""
    planes = {name: RNG.standard_normal((ROWS, COLUMNS)).astype(dtype) for name in letters}
    if dtype == np.uint32:
        planes = {name: RNG.integers(0, 1 << 20, (ROWS, COLUMNS)).astype(np.uint32) for name in letters}
    header = {"compression": openexr.ZIP_COMPRESSION, "type": openexr.tiledimage if tiles else openexr.scanlineimage}
    if tiles:
        header["tiles"] = openexr.TileDescription()
    if windows is not None:
        pairs = zip(("dataWindow", "displayWindow"), windows, strict=True)
        header |= {name: tuple(np.array(end, np.int32) for end in window) for name, window in pairs}
    openexr.File(header, dict(planes)).write(str(path))
    return planes


@pytest.mark.parametrize(
    ("letters", "dtype", "format"),
    [
        (("Y",), np.float16, "L16_FLOAT"),
        (("Y", "A"), np.float32, "L32A32_FLOAT"),
        (("R", "G"), np.float16, "R16G16_FLOAT"),
        (("Z",), np.float32, "R32_FLOAT"),
        (("R", "G", "B"), np.float32, "R32G32B32_FLOAT"),
        (("R", "G", "B", "A", "Z"), np.float16, "R16G16B16A16_FLOAT"),
        (("R", "G"), np.uint32, "R32G32_FLOAT"),
    ],
)
@pytest.mark.parametrize("tiles", [False, True], ids=["scan lines", "tiles"])
def test_channels_become_formats(tmp_path, letters, dtype, format, tiles):
    planes = written(tmp_path / "x.exr", letters, dtype, tiles=tiles)
    texture = read_texture(tmp_path / "x.exr")
    assert texture.format == format
    texels = picture_texels(texture, device="cpu")
    for channel, name in enumerate(letters[: texels.shape[2]]):
        assert np.array_equal(texels[:, :, channel], planes[name].astype(texels.dtype))


def test_halves_of_three_channels_get_an_alpha(tmp_path):
    planes = written(tmp_path / "x.exr", "RGB", tiles=True)
    texels = picture_texels(read_texture(tmp_path / "x.exr"), device="cpu")
    assert np.array_equal(texels[:, :, 1], planes["G"])
    assert (texels[:, :, 3] == 1).all()


@pytest.mark.parametrize(("left", "top"), [(0, 0), (5, 7), (-4, -9), (-100, 0), (200, 200), (0, -ROWS)])
def test_the_data_window_lies_where_it_is_shown(tmp_path, left, top):
    windows = [((left, top), (left + COLUMNS - 1, top + ROWS - 1)), ((0, 0), (39, 24))]
    planes = written(tmp_path / "x.exr", "RGBA", windows=windows)
    expected = np.zeros((25, 40), np.float16)
    for y in range(ROWS):
        for x in range(COLUMNS):
            if 0 <= y + top < 25 and 0 <= x + left < 40:
                expected[y + top, x + left] = planes["B"][y, x]
    found = picture_texels(read_texture(tmp_path / "x.exr"), device="cpu")
    assert np.array_equal(found[:, :, 2], expected)


def test_the_first_of_several_parts(tmp_path):
    planes = [{name: RNG.random((ROWS, COLUMNS)).astype(np.float32) for name in "RGBA"} for _ in range(2)]
    header = {"type": openexr.scanlineimage}
    parts = [
        openexr.Part(dict(header), dict(each), name=name) for each, name in zip(planes, ("one", "two"), strict=True)
    ]
    openexr.File(parts).write(str(tmp_path / "x.exr"))
    texels = picture_texels(read_texture(tmp_path / "x.exr"), device="cpu")
    assert np.array_equal(texels[:, :, 0], planes[0]["R"])


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    written(tmp_path / "x.exr", ("left.R", "left.G"))
    with pytest.raises(FormatError, match=r"x\.exr: channels of an EXR picture must be .*, found left\.G left\.R"):
        read_texture(tmp_path / "x.exr")
    written(tmp_path / "tiles.exr", "RGB", tiles=True)
    assert read_texture_file(tmp_path / "tiles.exr").stored_format == "float16, channels B G R"
    monkeypatch.setitem(sys.modules, "OpenEXR", None)
    with pytest.raises(FormatError, match=r"need OpenEXR: pip install 'texsamp\[exr\]'"):
        read_texture(tmp_path / "tiles.exr")


def test_deep_data_is_refused(tmp_path):
    written(tmp_path / "x.exr", "RGB")
    data = bytearray((tmp_path / "x.exr").read_bytes())
    data[4:8] = struct.pack("<I", 2 | 0x800)
    with pytest.raises(FormatError, match="must be flat, found deep data"):
        read_texture(bytes(data))


def test_damaged_files_are_refused(tmp_path):
    for name, options in (("tiles", {"tiles": True}), ("two", {})):
        written(tmp_path / f"{name}.exr", "RG", **options)
        data = (tmp_path / f"{name}.exr").read_bytes()
        for _ in range(60):
            damaged = bytearray(data[: RNG.integers(1, len(data))] if RNG.random() < 0.3 else data)
            for place in RNG.integers(0, len(damaged), 4):
                damaged[place] = RNG.integers(0, 256)
            try:
                read_texture(bytes(damaged))
            except FormatError:
                continue


@pytest.mark.parametrize(("columns", "rows"), [(32, 32), (7, 5), (16, 64)])
def test_tiles_that_leave_the_file_are_told(tmp_path, columns, rows):
    """A whole file is whole to its last byte alone."""
    tiles = openexr.TileDescription()
    tiles.xSize, tiles.ySize = columns, rows
    planes = {name: RNG.standard_normal((ROWS, COLUMNS)).astype(np.float16) for name in "RGB"}
    header = {"compression": openexr.ZIP_COMPRESSION, "type": openexr.tiledimage, "tiles": tiles}
    openexr.File(header, planes).write(str(tmp_path / "a.exr"))
    data = (tmp_path / "a.exr").read_bytes()
    assert complaints("exr", data) == []
    for size in (len(data) - 1, len(data) * 3 // 4, len(data) // 2):
        assert complaints("exr", data[:size]) == ["the picture ends early"]


@pytest.mark.parametrize("letters", ["Z", "RGBAZ"])
def test_windows_and_channels_that_leave_the_file_are_told(tmp_path, letters):
    """The table is as long as the rows of the data window, not those that are shown."""
    written(tmp_path / "a.exr", letters, windows=(((5, 3), (34, 22)), ((0, 0), (9, 70))))
    data = (tmp_path / "a.exr").read_bytes()
    assert complaints("exr", data) == []
    assert complaints("exr", data[:-1]) == ["the picture ends early"]


@pytest.mark.parametrize("up", [0, 1])
@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 5), (64, 3), (33, 65)])
def test_tables_of_levels_are_as_long_as_their_tiles(width, height, up):
    """Each level has half of the one before, in one direction or both, down to one pixel."""

    def sizes(size):
        found = [size]
        while found[-1] > 1:
            found.append((found[-1] + up) // 2)
        return found

    def tiles(size, tile):
        return -(-size // tile)

    window = (0, 0, width - 1, height - 1)
    across, down = sizes(width), sizes(height)
    levels = max(len(across), len(down))
    pairs = zip(across + [1] * (levels - len(across)), down + [1] * (levels - len(down)), strict=True)
    expected = {
        0: tiles(width, 4) * tiles(height, 3),
        1: sum(tiles(w, 4) * tiles(h, 3) for w, h in pairs),
        2: sum(tiles(w, 4) for w in across) * sum(tiles(h, 3) for h in down),
    }
    for mode, count in expected.items():
        header = ExrHeader(window, window, 3, {"R": 1}, False, (4, 3, mode | up << 4), False, 0)
        assert chunk_count(header) == count


def test_a_small_file_asks_for_no_large_tile(tmp_path):
    """3.7 KB took 20 GB: OpenEXR makes room for a whole tile."""
    header = {"type": openexr.tiledimage, "tiles": openexr.TileDescription()}
    openexr.File(header, {"RGBA": np.ones((19, 23, 4), np.float16)}).write(str(tmp_path / "a.exr"))
    data = (tmp_path / "a.exr").read_bytes()
    assert read_texture(data).width_px == 23
    at = data.index(b"tiledesc") + len(b"tiledesc") + 1 + 4
    for width, height in ((32, 1 << 27), (1 << 16, 1 << 16), ((1 << 32) - 1, 1)):
        lie = data[:at] + struct.pack("<II", width, height) + data[at + 8 :]
        with pytest.raises(FormatError, match=f"at most 4194304 pixels, found {width}x{height}"):
            read_texture(lie)


@pytest.mark.parametrize("tiles", [False, True], ids=["scan lines", "tiles"])
def test_a_block_that_cannot_be_decoded_is_told(tmp_path, capfd, tiles):
    """FFmpeg leaves its rows black and logs a line; OpenEXR prints the reason to standard output and raises nothing."""
    written(tmp_path / "a.exr", "RGB", tiles=tiles)
    data = bytearray((tmp_path / "a.exr").read_bytes())
    header = read_exr_header(data)
    (offset_B,) = struct.unpack_from("<Q", data, header.end_B)
    begin = offset_B + (20 if tiles else 8)  # behind place, level and size
    data[begin : begin + 40] = bytes(40)
    (tmp_path / "a.exr").write_bytes(data)
    with pytest.raises(FormatError, match=r"cannot be decoded: (decode_block\(\) failed|Error reading pixel data\. U)"):
        read_texture(tmp_path / "a.exr")
    with VideoReader(tmp_path / "a.exr") as reader:
        assert [frame.damaged for frame in reader] == [True]
    assert any("1 picture is damaged" in note for note in reader.notes)
    with pytest.raises(MediaError, match="is incomplete"), VideoReader(tmp_path / "a.exr", strict=True) as reader:
        list(reader)
    assert capfd.readouterr().out == ""


def test_openexr_tells_standard_error_no_temporary_path(tmp_path, capfd):
    """Its core writes there itself; what others write in the meantime is passed on."""
    written(tmp_path / "a.exr", "RGB", tiles=True)
    data = bytearray((tmp_path / "a.exr").read_bytes())
    (offset_B,) = struct.unpack_from("<Q", data, read_exr_header(data).end_B)
    data[offset_B + 4 : offset_B + 8] = struct.pack("<i", 1 << 20)  # the tile's row
    for _ in range(2):
        with pytest.raises(FormatError, match="cannot be decoded"):
            read_texture(bytes(data))
    assert capfd.readouterr() == ("", "")
    library = ctypes.CDLL(None)
    with hushed("/tmp/name"):
        for line in (b"/tmp/name: mine\n", b"theirs\n"):
            library.fputs(line, ctypes.c_void_p.in_dll(library, "stderr"))
        os.write(2, b"Python's\n")
    library.fputs(b"later\n", ctypes.c_void_p.in_dll(library, "stderr"))
    assert capfd.readouterr().err == "Python's\ntheirs\nlater\n"


def test_words_of_other_threads_go_to_standard_output(capsys):
    with printed_words() as words:
        thread = Thread(target=print, args=("theirs",))
        thread.start()
        thread.join()
        print("mine")
        assert sys.stdout.isatty() in (False, True)  # as standard output has it
    print("later")
    assert words == ["mine"]
    assert capsys.readouterr().out == "theirs\nlater\n"


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("letters", ["Y", "YA"])
def test_gray_of_floats_is_a_video_of_one_picture(tmp_path, letters, dtype):
    """With alpha in 32 bits it ended Python: FFmpeg has no way from there to what its measure of fields reads."""
    planes = {name: RNG.random((ROWS, COLUMNS)).astype(dtype) for name in letters}
    header = {"compression": openexr.ZIP_COMPRESSION, "type": openexr.scanlineimage}
    openexr.File(header, dict(planes)).write(str(tmp_path / "a.exr"))
    with VideoReader(tmp_path / "a.exr") as reader:
        (frame,) = reader
    light = planes["Y"].astype(float)
    coded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    assert np.abs(frame.to_arrays()[0] - coded * (65535 / 64)).max() < 2  # FFmpeg dithers 16 bits to 10
