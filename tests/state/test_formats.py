"""The format tables: every row complete, placed and consistent with the enumerations."""

import pytest

from texsamp.errors import FormatError
from texsamp.state import (
    MediaSurfaceFormat,
    SurfaceFormat,
    later_surface_formats,
    media_formats,
    surface_format,
    surface_formats,
)
from texsamp.state.formats import CAPABILITIES

KINDS = {
    "unorm", "snorm", "uint", "sint", "float", "sfixed", "sscaled", "uscaled", "typeless", "passthru", "sharedexp",
    "exponent", "index", "pad",
}  # fmt: skip
FORMATS = list(surface_formats().values())
LATER = list(later_surface_formats().values())


def test_the_table_has_222_formats_in_code_order():
    codes = [info.code for info in FORMATS]
    assert len(codes) == 222
    assert codes == sorted(set(codes))
    assert codes[0] == 0
    assert codes[-1] == 0x1FF


def test_later_formats_are_the_three_kinds_of_astc_and_not_counted():
    codes = [info.code for info in LATER]
    assert len(codes) == 42
    assert codes == sorted(set(codes))
    assert not {info.name for info in LATER} & set(surface_formats())
    for info in LATER:
        # bits 5..3 and 2..0 of a code are the footprint's sides, by their place in 4, 5, 6, 8, 10, 12
        sides = (4, 5, 6, None, 8, None, 10, 12)
        width, height = sides[info.code >> 3 & 7], sides[info.code & 7]
        assert (info.block_width, info.block_height) == (width, height)
        family = {0x200: "ASTC_LDR_2D_{}x{}_U8sRGB", 0x240: "ASTC_LDR_2D_{}x{}_FLT16", 0x340: "ASTC_HDR_2D_{}x{}_FLT16"}
        assert info.name == family[info.code & ~63].format(width, height)
        assert info.bits == 128
        assert info.generation == 9
        assert surface_format(info.name.lower()) is surface_format(info.code) is info
        assert not info.can("sampling", 7)
        assert info.can("filtering", 9) == (info.code < 0x340)


@pytest.mark.parametrize("info", FORMATS + LATER, ids=lambda info: info.name)
def test_channels_fill_the_element(info):
    placed = [channel for channel in info.channels if channel.offset is not None]
    position = 0
    for channel in placed:
        assert channel.offset == position
        position += channel.bits
    assert position in (0, info.bits)
    assert {channel.kind for channel in info.channels} <= KINDS
    is_block = info.block_width * info.block_height > 2
    assert is_block == (bool(info.channels) and not placed and info.name != "PLANAR_420_8")


@pytest.mark.parametrize("info", FORMATS, ids=lambda info: info.name)
def test_channel_maps_use_channels_the_format_has(info):
    names = {channel.name for channel in info.channels} | {"0", "1"}
    if {"P"} & names:
        names |= {"R", "G", "B", "A"}
    for channel_map in (info.map_dx10, info.map_dx9):
        if channel_map is not None:
            assert len(channel_map) == 4
            assert set(channel_map) <= names
    sampled_plainly = "sampling" in info.capabilities and info.name != "MONO8"
    assert sampled_plainly == (info.map_dx10 is not None)


def test_known_rows():
    bgra = surface_format("b8g8r8a8_unorm_srgb")
    assert [(c.name, c.offset) for c in bgra.channels] == [("B", 0), ("G", 8), ("R", 16), ("A", 24)]
    assert bgra.color_space == "srgb"
    assert surface_format(0x189).block_width == 4
    assert surface_format("FXT1").block_width == 8
    assert surface_format("R16G16_FLOAT").map_dx9 == ("R", "G", "1", "1")
    assert surface_format("R32G32_SINT").map_dx9 is None
    assert surface_format("YCRCB_SWAPY").map_dx10 == ("Cr", "Y", "Cb", "1")
    assert [c.name for c in surface_format("YCRCB_SWAPY").channels] == ["Cb", "Y", "Cr", "Y"]


def test_capabilities_depend_on_the_generation():
    info = surface_format("B8G8R8X8_UNORM")
    assert info.can("chroma_key")
    assert not info.can("render_target")
    assert info.can("render_target", 8)
    with pytest.raises(FormatError, match="no capability 'fast'; there are sampling, filtering"):
        info.can("fast")


def test_unknown_formats_are_refused():
    for key in ("R9_UNORM", 0x0FF):
        with pytest.raises(FormatError, match="no surface format"):
            surface_format(key)


def test_later_formats_are_refused_by_gen7_states():
    assert SurfaceFormat["R32_SFIXED"].since == 7.5
    assert SurfaceFormat["ETC2_RGB8"].since == 7
    assert len(SurfaceFormat) == 222


def test_media_table_and_enumeration_agree():
    assert {info.name: info.code for info in media_formats()} == {
        name: int(member) for name, member in MediaSurfaceFormat.__members__.items()
    }
    doubled = [info.name for info in media_formats() if info.code in (5, 6, 7)]
    assert len(doubled) == 6
    for info in media_formats():
        if info.generation > 7 and info.code > 12:
            assert MediaSurfaceFormat[info.name].since == info.generation


def test_capability_words_are_distinct():
    assert len(set(CAPABILITIES.values())) == len(CAPABILITIES) == 12
