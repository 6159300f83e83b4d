"""Pictures as textures, and texels as pictures: full depth, or a word about it."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from contextlib import suppress

import imageio.v3 as imageio
import numpy as np
import pytest
from PIL import Image
from support.filter_cases import sweep
from support.textures import texture

from texsamp.errors import FormatError, MediaError
from texsamp.io.textures import picture_texels, read_texture, read_texture_file, write_picture
from texsamp.state.formats import surface_format
from texsamp.surface.images import TextureImages
from texsamp.surface.texels import load_texels, store_texels

imagecodecs = pytest.importorskip("imagecodecs")

RNG = np.random.default_rng(11)
BYTES = RNG.integers(0, 256, (9, 14, 4), dtype=np.uint8)
WORDS = RNG.integers(0, 65536, (9, 14, 4), dtype=np.uint16)


def saved(picture, kind, **options):
    content = io.BytesIO()
    picture.save(content, kind, **options)
    return content.getvalue()


def tiff_of_16_bits(words):
    """An uncompressed RGB TIFF of one strip."""
    height, width, _ = words.shape
    short, long = 3, 4
    tags = [
        (256, short, 1, width), (257, short, 1, height), (258, short, 3, 134), (259, short, 1, 1), (262, short, 1, 2),
        (273, long, 1, 140), (277, short, 1, 3), (278, short, 1, height), (279, long, 1, words.nbytes),
        (284, short, 1, 1),
    ]  # fmt: skip
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<2H2I", *tag) for tag in tags) + bytes(4)
    return struct.pack("<2sHI", b"II", 42, 8) + directory + struct.pack("<3H", 16, 16, 16) + words.tobytes()


def texels_of(data):
    return picture_texels(read_texture(data), device="cpu")


class TestPicturesIn:
    @pytest.mark.parametrize("kind", ["PNG", "TIFF", "TGA"])
    @pytest.mark.parametrize(
        ("mode", "format"),
        [("L", "L8_UNORM"), ("LA", "L8A8_UNORM"), ("RGB", "R8G8B8A8_UNORM"), ("RGBA", "R8G8B8A8_UNORM")],
    )
    def test_eight_bits(self, kind, mode, format):
        picture = Image.fromarray(BYTES).convert(mode)
        images = read_texture(saved(picture, kind))
        assert (images.format, images.width_px, images.height_px, images.levels) == (format, 14, 9, 1)
        expected = np.asarray(picture.convert("RGBA") if mode == "RGB" else picture).reshape(9, 14, -1)
        assert np.array_equal(picture_texels(images, device="cpu"), expected)

    @pytest.mark.parametrize(
        ("channels", "format"),
        [(1, "L16_UNORM"), (2, "L16A16_UNORM"), (3, "R16G16B16A16_UNORM"), (4, "R16G16B16A16_UNORM")],
    )
    def test_png_of_16_bits(self, channels, format):
        words = np.ascontiguousarray(WORDS[:, :, :channels])
        data = imagecodecs.png_encode(words[:, :, 0] if channels == 1 else words)
        texels = texels_of(data)
        assert read_texture(data).format == format
        assert np.array_equal(texels[:, :, :channels], words)
        assert (texels[:, :, channels:] == 65535).all()

    def test_palettes_one_bit_and_floats(self):
        palette = Image.fromarray(BYTES[:, :, :3]).quantize(7)
        assert np.array_equal(texels_of(saved(palette, "PNG")), np.asarray(palette.convert("RGBA")))
        bilevel = Image.fromarray(BYTES[:, :, 0]).convert("1")
        assert np.array_equal(texels_of(saved(bilevel, "PNG"))[:, :, 0], np.asarray(bilevel) * 255)
        floats = RNG.standard_normal((9, 14)).astype(np.float32)
        images = read_texture(saved(Image.fromarray(floats), "TIFF"))
        assert images.format == "L32_FLOAT"
        assert images.images[0][0] == floats.tobytes()

    def test_animations_give_their_first_picture(self):
        first, second = (Image.fromarray(np.full((4, 4), value, np.uint8)) for value in (10, 200))
        assert (texels_of(saved(first, "GIF", save_all=True, append_images=[second]))[:, :, 0] == 10).all()

    def test_depth_that_pillow_would_drop_is_refused(self):
        for data in (saved(Image.fromarray(BYTES[:, :, :3]), "SGI", bpc=2), tiff_of_16_bits(WORDS[:, :, :3])):
            with pytest.raises(FormatError, match="16 bits and mode RGB cannot be read at full depth; use PNG"):
                read_texture(data)

    @pytest.mark.parametrize("kind", ["BMP", "PCX", "TGA", "TIFF"])
    @pytest.mark.parametrize("width", [16, 160, 5461])
    def test_eight_bits_are_not_taken_for_sixteen_by_a_width(self, kind, width):
        gray = RNG.integers(0, 256, (3, width), dtype=np.uint8)
        assert np.array_equal(texels_of(saved(Image.fromarray(gray), kind))[:, :, 0], gray)
        colors = RNG.integers(0, 256, (3, width, 3), dtype=np.uint8)
        assert np.array_equal(texels_of(saved(Image.fromarray(colors), kind))[:, :, :3], colors)

    def test_pixels_of_sixteen_bits_are_no_samples_of_sixteen(self):
        codes = RNG.integers(0, 1 << 16, (4, 6), dtype="<u2")
        header = struct.pack(
            "<2s3I3I2H6I", b"BM", 66 + codes.nbytes, 0, 66, 40, 6, 4, 1, 16, 3, codes.nbytes, 0, 0, 0, 0
        )
        found = texels_of(header + struct.pack("<3I", 0xF800, 0x7E0, 0x1F) + codes[::-1].tobytes())
        assert np.array_equal(found[:, :, 0] >> 3, codes >> 11)
        assert np.array_equal(found[:, :, 1] >> 2, codes >> 5 & 63)
        assert np.array_equal(found[:, :, 2] >> 3, codes & 31)

    def test_damaged_tiffs_write_nothing_to_stderr(self, capfd):
        data = saved(Image.fromarray(BYTES).resize((64, 64)), "TIFF", compression="tiff_lzw")
        rng = np.random.default_rng(1)
        for _ in range(20):
            damaged = bytearray(data)
            for place in rng.integers(8, len(data), 20):
                damaged[place] = rng.integers(0, 256)
            with suppress(FormatError):
                read_texture(bytes(damaged))
        assert capfd.readouterr().err == ""

    @pytest.mark.parametrize("end", [8, 20, 40, 200])
    def test_truncated_pictures(self, end):
        for data in (saved(Image.fromarray(BYTES), "PNG"), imagecodecs.png_encode(WORDS)):
            with pytest.raises(FormatError, match="picture"):
                read_texture(data[:end])

    def test_what_is_no_picture(self, tmp_path):
        path = tmp_path / "words.dds"
        path.write_text("These are no texels. " * 50)
        with pytest.raises(FormatError, match=r"words\.dds: neither a DDS, KTX, KTX2 or ASTC file nor a picture"):
            read_texture(path)

    @pytest.mark.parametrize(
        ("side", "message"),
        [
            (100_000, "width must be from 1 to 65536 texels, found 100000"),
            (13_000, "a PNG picture of 13000x13000 must have at least [0-9]+ bytes, found [0-9]+"),
        ],
    )
    @pytest.mark.parametrize("texels", [BYTES, WORDS], ids=["8 bits", "16 bits"])
    def test_a_picture_too_large_is_refused_before_it_is_decoded(self, texels, side, message):
        data = bytearray(imagecodecs.png_encode(texels))
        data[16:24] = struct.pack(">2I", side, side)
        data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
        tracemalloc.start()
        try:
            with pytest.raises(FormatError, match=message):
                read_texture(bytes(data))
            assert tracemalloc.get_traced_memory()[1] < 1 << 20
        finally:
            tracemalloc.stop()

    def test_the_smallest_png_there_can_be(self):
        """Black packs best; it must not be taken for a lie."""
        images = read_texture(imagecodecs.png_encode(np.zeros((500, 700, 4), np.uint16), level=9))
        assert not any(images.images[0][0])


def write(path, texels, format):
    return write_picture(path, texels, surface_format(format))


class TestPng:
    @pytest.mark.parametrize(
        ("format", "channels"),
        [("R8_UNORM", 1), ("L8A8_UNORM", 2), ("R8G8B8_UNORM", 3), ("R8G8B8A8_UNORM_SRGB", 4), ("R8G8B8A8_UINT", 4)],
    )
    def test_eight_bits(self, tmp_path, format, channels):
        assert write(tmp_path / "x.png", BYTES[:, :, :channels], format) == []
        assert np.array_equal(np.asarray(Image.open(tmp_path / "x.png")).reshape(9, 14, -1), BYTES[:, :, :channels])

    @pytest.mark.parametrize(
        ("format", "channels"),
        [("R16_UNORM", 1), ("L16A16_UNORM", 2), ("R16G16B16_UNORM", 3), ("R16G16B16A16_UNORM", 4), ("R16_UINT", 1)],
    )
    def test_sixteen_bits(self, tmp_path, format, channels):
        assert write(tmp_path / "x.png", WORDS[:, :, :channels], format) == []
        theirs = imagecodecs.png_decode((tmp_path / "x.png").read_bytes())
        assert theirs.dtype == np.uint16
        assert np.array_equal(theirs.reshape(9, 14, -1), WORDS[:, :, :channels])

    def test_every_code_of_narrow_channels_has_a_number_of_its_own(self, tmp_path):
        codes = np.arange(1 << 16, dtype=np.uint16)
        texels = load_texels(codes.tobytes(), "B5G6R5_UNORM", 256, 256, device="cpu")
        write(tmp_path / "x.png", texels, "B5G6R5_UNORM")
        picture = imageio.imread(tmp_path / "x.png").reshape(-1, 3).astype(np.uint32)
        expected = [((codes >> shift) & top) for shift, top in ((11, 31), (5, 63), (0, 31))]
        for channel, (code, top) in enumerate(zip(expected, (31, 63, 31), strict=True)):
            assert np.array_equal(picture[:, channel], (code.astype(np.uint32) * 510 + top) // (2 * top))

    def test_ten_bits_take_sixteen(self, tmp_path):
        codes = np.arange(1024, dtype=np.uint32) << 10
        texels = load_texels(codes.tobytes(), "R10G10B10A2_UNORM", 32, 32, device="cpu")
        write(tmp_path / "x.png", texels, "R10G10B10A2_UNORM")
        picture = imagecodecs.png_decode((tmp_path / "x.png").read_bytes())
        assert picture.dtype == np.uint16
        green = picture[:, :, 1].ravel().astype(np.int64)
        assert np.array_equal(green, (np.arange(1024) * 131070 + 1023) // 2046)

    @pytest.mark.parametrize(("format", "dtype", "largest"), [("R8_SNORM", "i1", 127), ("R16_SNORM", "i2", 32767)])
    def test_signed_values_are_moved_and_that_is_said(self, tmp_path, format, dtype, largest):
        codes = np.arange(-largest - 1, largest + 1).astype(dtype).reshape(16, -1, 1)
        (note,) = write(tmp_path / "x.png", codes, format)
        top = 2 * largest + 1
        assert note == f"signed values -1 to 1 are written as 0 to {top}"
        picture = imagecodecs.png_decode((tmp_path / "x.png").read_bytes()).ravel().astype(np.int64)
        clamped = np.maximum(codes.ravel().astype(np.int64), -largest)
        assert np.array_equal(picture, ((clamped + largest) * top + largest) // (2 * largest))
        assert picture[0] == picture[1] == 0
        assert picture[-1] == top
        assert len(np.unique(picture)) == top

    def test_a_picture_beyond_the_limit_of_ffmpeg(self, tmp_path):
        with pytest.raises(FormatError, match=r"\(width \+ 128\) \* \(height \+ 128\) must be below 268435455, found"):
            write(tmp_path / "x.png", np.broadcast_to(np.uint16(7), (16384, 16384, 1)), "R16_UNORM")
        assert list(tmp_path.iterdir()) == []

    def test_two_channels_are_red_and_green(self, tmp_path):
        (note,) = write(tmp_path / "x.png", BYTES[:, :, :2], "BC5_UNORM")
        assert note == "two channels are written as red and green, with blue 0"
        picture = imageio.imread(tmp_path / "x.png")
        assert np.array_equal(picture[:, :, :2], BYTES[:, :, :2])
        assert (picture[:, :, 2] == 0).all()

    def test_video_texels_are_written_as_the_sampler_returns_them(self, tmp_path):
        images = texture("YCRCB_NORMAL", width_px=14, levels=1)
        texels = picture_texels(images, device="cpu")
        (note,) = write(tmp_path / "x.png", texels, "YCRCB_NORMAL")
        assert "Cr, Y, Cb are written as red, green, blue" in note
        assert np.array_equal(imageio.imread(tmp_path / "x.png"), texels)

    @pytest.mark.parametrize(
        ("format", "dtype", "message"),
        [
            ("BC6H_UF16", "f2", "PNG holds no floats, BC6H_UF16 has some; OUT.exr keeps them, and OUT.npy"),
            ("R9G9B9E5_SHAREDEXP", "f4", "PNG holds no floats"),
            ("R32_UINT", "u4", "R32_UINT has uint of up to 32 bits; OUT.npy keeps every format"),
            ("R32_UNORM", "u4", "R32_UNORM has unorm of up to 32 bits"),
            ("R24_UNORM_X8_TYPELESS", "f4", "has unorm of up to 24 bits"),
            ("R8_SINT", "i1", "R8_SINT has sint of up to 8 bits"),
        ],
    )
    def test_what_png_cannot_keep_is_refused(self, tmp_path, format, dtype, message):
        channels = 3 if format[0] == "B" or "G9" in format else 1
        with pytest.raises(FormatError, match=message):
            write(tmp_path / "x.png", np.zeros((4, 4, channels), dtype), format)
        assert list(tmp_path.iterdir()) == []


def exr_channels(data):
    """Channels of an EXR file as its header lists them: name and type (1 half, 2 float)."""
    start = data.index(b"channels\0chlist\0") + 20
    found = {}
    while data[start]:
        end = data.index(b"\0", start)
        found[data[start:end].decode()] = data[end + 1]
        start = end + 17
    return found


class TestFloats:
    floats = RNG.standard_normal((9, 14, 4)).astype(np.float32)

    @pytest.mark.parametrize(
        ("format", "dtype", "channels", "names"),
        [
            ("R32_FLOAT", np.float32, 1, "Y"),
            ("R32G32B32_FLOAT", np.float32, 3, "BGR"),
            ("R32G32B32A32_FLOAT", np.float32, 4, "ABGR"),
            ("BC6H_SF16", np.float16, 3, "BGR"),
            ("R16G16B16A16_FLOAT", np.float16, 4, "ABGR"),
        ],
    )
    def test_exr_keeps_every_bit(self, tmp_path, format, dtype, channels, names):
        from texsamp.io.textures.still_codec import decode_still

        texels = self.floats[:, :, :channels].astype(dtype)
        assert write(tmp_path / "x.exr", texels, format) == []
        data = (tmp_path / "x.exr").read_bytes()
        assert exr_channels(data) == dict.fromkeys(names, 1 if dtype == np.float16 else 2)
        assert np.array_equal(decode_still("exr", data), texels)
        back = picture_texels(read_texture(data), device="cpu")
        assert back.dtype == dtype
        assert np.array_equal(back[:, :, :channels], texels)
        assert (back[:, :, channels:] == 1).all()

    def test_exr_refuses_what_is_no_float(self, tmp_path):
        with pytest.raises(FormatError, match=r"EXR holds half and float, R8_UNORM has uint8; OUT\.png keeps it"):
            write(tmp_path / "x.exr", BYTES[:, :, :1], "R8_UNORM")
        with pytest.raises(FormatError, match=r"R64_FLOAT has float64; OUT\.npy keeps every format"):
            write(tmp_path / "x.exr", np.zeros((2, 2, 1)), "R64_FLOAT")

    def test_hdr_says_what_it_loses(self, tmp_path):
        texels = np.abs(self.floats)
        notes = write(tmp_path / "x.hdr", texels, "R32G32B32A32_FLOAT")
        assert notes == ["HDR keeps 8 bits of each number and no alpha; OUT.exr keeps all"]
        from texsamp.io.textures.still_codec import decode_still

        data = (tmp_path / "x.hdr").read_bytes()
        back = decode_still("hdr", data)
        assert read_texture(data).images[0][0] == back.tobytes()  # FFmpeg's decoder and ours
        largest = texels[:, :, :3].max(axis=2, keepdims=True)
        assert (np.abs(back - texels[:, :, :3]) <= largest / 128).all()

    @pytest.mark.parametrize("name", ["x.exr", "x.hdr"])
    def test_truncated_float_pictures(self, tmp_path, name):
        write(tmp_path / name, np.abs(self.floats[:, :, :3]), "R32G32B32_FLOAT")
        data = (tmp_path / name).read_bytes()
        assert read_texture(data).format == "R32G32B32_FLOAT"
        for end in range(12, len(data)):
            with pytest.raises(FormatError):
                read_texture(data[:end])

    @pytest.mark.parametrize("name", ["x.exr", "x.hdr"])
    def test_float_pictures_that_lie(self, tmp_path, name):
        write(tmp_path / name, np.abs(self.floats[:, :, :3]), "R32G32B32_FLOAT")
        data = (tmp_path / name).read_bytes()
        rng = np.random.default_rng(7)
        for _ in range(sweep(300)):
            lies = bytearray(data)
            for place in rng.integers(12, len(data), 2):
                lies[place] = rng.integers(0, 256)
            with suppress(FormatError):
                read_texture(bytes(lies))

    def test_sizes_of_float_pictures_are_checked_first(self, tmp_path):
        write(tmp_path / "x.hdr", np.ones((2, 9, 3), np.float32), "R32G32B32_FLOAT")
        data = (tmp_path / "x.hdr").read_bytes().replace(b"-Y 2 +X 9", b"-Y 99999999 +X 9")
        with pytest.raises(FormatError, match="height must be from 1 to 65536 texels, found 99999999"):
            read_texture(data)
        write(tmp_path / "x.exr", np.ones((2, 9, 3), np.float32), "R32G32B32_FLOAT")
        data = bytearray((tmp_path / "x.exr").read_bytes())
        places = [data.index(name + b"Window\0box2i\0") + len(name) + 25 for name in (b"display", b"data")]
        for place in places:
            lie = data[:place] + struct.pack("<i", 1 << 30) + data[place + 4 :]
            with pytest.raises(FormatError, match="width must be from 1 to 65536 texels, found 1073741825"):
                read_texture(bytes(lie))

    @pytest.mark.parametrize("width", [5, 40])
    def test_hdr_rows_without_run_lengths(self, width):
        numbers = RNG.integers(0, 256, (6, width, 4), dtype=np.uint8)
        numbers[0, 0] = (10, 20, 30, 0)
        data = b"#?RADIANCE\n# words\nFORMAT=32-bit_rle_rgbe\n\n-Y 6 +X %d\n" % width + numbers.tobytes()
        texels = picture_texels(read_texture(data), device="cpu")
        expected = numbers[..., :3].astype(np.float64) * 2.0 ** (numbers[..., 3:].astype(np.float64) - 136)
        expected[numbers[..., 3] == 0] = 0
        assert np.array_equal(texels, expected.astype(np.float32))
        with pytest.raises(FormatError, match="row 2 of the HDR picture has run lengths of the older kind"):
            numbers[2, 1, :3] = 1
            read_texture(data[: -numbers.nbytes] + numbers.tobytes())

    @pytest.mark.parametrize("value", [-1, np.nan, np.inf])
    def test_hdr_refuses_what_it_cannot_hold(self, tmp_path, value):
        with pytest.raises(FormatError, match="no negative numbers, infinities and NaN"):
            write(tmp_path / "x.hdr", np.full((4, 4, 1), value, np.float32), "R32_FLOAT")

    @pytest.mark.parametrize("format", ["R32_SINT", "R16G16_SNORM", "R64_FLOAT", "R8G8B8A8_UNORM"])
    def test_npy_keeps_every_format(self, tmp_path, format):
        texels = picture_texels(texture(format), device="cpu")
        assert write(tmp_path / "x.npy", texels, format) == []
        back = np.load(tmp_path / "x.npy")
        assert back.dtype == texels.dtype
        assert back.tobytes() == texels.tobytes()


def test_other_extensions_and_existing_pictures(tmp_path):
    with pytest.raises(FormatError, match=r"pictures end in \.png, \.tga, \.exr, \.hdr, \.npy, found '\.jpg'"):
        write(tmp_path / "x.jpg", BYTES, "R8G8B8A8_UNORM")
    (tmp_path / "x.png").write_text("precious")
    with pytest.raises(MediaError, match="exists already"):
        write(tmp_path / "x.png", BYTES, "R8G8B8A8_UNORM")
    assert (tmp_path / "x.png").read_text() == "precious"


def test_slices_of_volumes_and_faces_of_cubes():
    from support.textures import KINDS

    volume = texture("R8_UNORM", **KINDS["3D"])
    for level, z in ((0, 4), (1, 1)):
        width, height, depth = volume.level_size_px(level)
        expected = np.frombuffer(volume.images[level][0], np.uint8).reshape(depth, height, width)[z]
        assert np.array_equal(picture_texels(volume, level, z, device="cpu")[:, :, 0], expected)
    cubes = texture("R8_UNORM", **KINDS["cube array"])
    assert picture_texels(cubes, 1, 1, "-y", device="cpu").tobytes() == cubes.images[1][9]
    with pytest.raises(FormatError, match="layer must be from 0 to 1, found 2"):
        picture_texels(cubes, 0, 2)
    with pytest.raises(FormatError, match="layer must be from 0 to 1, found 2"):
        picture_texels(volume, 1, 2)
    with pytest.raises(FormatError, match="level must be from 0 to 2, found 3"):
        picture_texels(volume, 3)
    with pytest.raises(FormatError, match="rounding is for compressed formats"):
        picture_texels(cubes, rounding="amd")


def test_the_round_trip_of_a_picture(tmp_path):
    """PNG to texture to PNG: nothing is lost on the way."""
    (tmp_path / "a.png").write_bytes(imagecodecs.png_encode(WORDS))
    images = read_texture_file(tmp_path / "a.png").images
    assert isinstance(images, TextureImages)
    texels = picture_texels(images, device="cpu")
    write(tmp_path / "b.png", texels, images.format)
    assert np.array_equal(imagecodecs.png_decode((tmp_path / "b.png").read_bytes()), WORDS)
    assert store_texels(texels, images.format, device="cpu").tobytes() == images.images[0][0]
