"""Commands of the blitter (volume 1 part 4, pages 31-84)."""

from texsamp.state.base import Field
from texsamp.state.command import Command
from texsamp.state.kinds import Codes, address, enum, flag, signed, unsigned

_MOST_IMMEDIATE = 32
"""Dwords of a monochrome source in the command itself (volume 1 part 4, page 21)."""
_PATTERN_DWORDS = (16, 64)
"""Of a color pattern in the command itself: 8x8 pixels of 8 to 32 bits."""


class BlitterDepth(Codes):
    """Pixel size of a blit."""

    BITS_8 = 0
    BITS_16_565 = 1
    BITS_16_1555 = 2
    BITS_32 = 3


class KeyMode(Codes):
    """Which pixels a chroma key keeps from being written (volume 1 part 4, page 86)."""

    NONE = 0
    SOURCE = 1, "those whose source is in range"
    NONE_2 = 2
    SOURCE_ALPHA = 3, "those whose source is in range, alpha too"
    NONE_4 = 4
    DESTINATION_ALPHA = 5, "those whose destination is out of range, alpha too"
    NONE_6 = 6
    DESTINATION = 7, "those whose destination is out of range"


class FixedPattern(Codes):
    """Monochrome patterns that the blitter has (volume 1 part 4, pages 56-61)."""

    HORIZONTAL = 0
    VERTICAL = 1
    FORWARD_DIAGONAL = 2
    BACKWARD_DIAGONAL = 3
    CROSS = 4
    DIAGONAL_CROSS = 5
    SCREEN_DOOR = 8
    WIDE_SCREEN_DOOR = 9
    WALKING_ONE = 10
    WALKING_ZERO = 11


class _Operation(Command):
    """Masks, depth and raster operation, which most commands have."""

    write_alpha = Field(0, 21, 21, flag, "32-bit pixels: write alpha")
    write_rgb = Field(0, 20, 20, flag, "32-bit pixels: write red, green, blue")
    depth = Field(1, 25, 24, enum(BlitterDepth), "pixel size")
    raster_operation = Field(1, 23, 16, unsigned, "ROP; F0h writes the pattern, CCh the source")


class _Linear(_Operation):
    """A rectangle in bytes from an address on."""

    pitch = Field(1, 15, 0, signed, "bytes from row to row of the destination")
    height = Field(2, 31, 16, unsigned, "rows")
    width_B = Field(2, 15, 0, unsigned, "bytes of a row")  # noqa: N815 - the unit
    base_address = Field(3, 31, 0, address, "first byte that is written")


class ColorBlt(_Linear, name="COLOR_BLT", header=0x50000000, dwords=5, source="volume 1 part 4, pages 31-32"):
    """Fill rows of memory."""

    color = Field(4, 31, 0, unsigned, "color in the pixel size")


class SrcCopyBlt(_Linear, name="SRC_COPY_BLT", header=0x50C00000, dwords=6, source="volume 1 part 4, pages 32-33"):
    """Copy rows of memory."""

    backwards = Field(1, 30, 30, flag, "from right to left: both addresses are of the last byte of a row")
    source_pitch = Field(4, 15, 0, signed, "bytes from row to row of the source")
    source_address = Field(5, 31, 0, address, "first byte that is read")


class _Destination(_Operation):
    """The destination as commands with columns and rows have it."""

    tiled = Field(0, 11, 11, flag, "destination is tiled")
    clip = Field(1, 30, 30, flag, "clip rectangle on")
    pitch = Field(1, 15, 0, signed, "bytes from row to row, dwords if tiled")


class _Rectangle(_Destination):
    """The rectangle that is written."""

    top = Field(2, 31, 16, signed, "first row")
    left = Field(2, 15, 0, signed, "first column")
    bottom = Field(3, 31, 16, signed, "row behind the last")
    right = Field(3, 15, 0, signed, "column behind the last")
    base_address = Field(4, 31, 0, address, "byte address of the destination")


class _Pattern(_Rectangle):
    """A rectangle of an 8x8 pattern that repeats."""

    seed_x = Field(0, 14, 12, unsigned, "pixel of the pattern for column 0")
    seed_y = Field(0, 10, 8, unsigned, "row of the pattern for row 0")


class _BitPattern(_Pattern):
    """A rectangle of an 8x8 pattern of bits that repeats."""

    pattern_transparent = Field(1, 28, 28, flag, "zeros are not written")
    pattern_background = Field(5, 31, 0, unsigned, "color of zeros")
    pattern_foreground = Field(6, 31, 0, unsigned, "color of ones")


class _Copy(_Rectangle):
    """A rectangle of another one."""

    source_tiled = Field(0, 15, 15, flag, "source is tiled")
    source_top = Field(5, 31, 16, signed, "source: first row")
    source_left = Field(5, 15, 0, signed, "source: first column")
    source_pitch = Field(6, 15, 0, signed, "source: bytes from row to row, dwords if tiled")
    source_address = Field(7, 31, 0, address, "source")


class _Bits(_Rectangle):
    """A rectangle of bits."""

    first_bit = Field(0, 19, 17, unsigned, "pixels to leave out of the first byte of every row")
    transparent = Field(1, 29, 29, flag, "zeros are not written")


class _PatternAndCopy(_Pattern):
    """A rectangle of a pattern and another rectangle."""

    source_tiled = Field(0, 15, 15, flag, "source is tiled")
    source_pitch = Field(5, 15, 0, signed, "source: bytes from row to row, dwords if tiled")
    source_top = Field(6, 31, 16, signed, "source: first row")
    source_left = Field(6, 15, 0, signed, "source: first column")
    source_address = Field(7, 31, 0, address, "source")


class _PatternAndBits(_Pattern):
    """A rectangle of a pattern and bits."""

    first_bit = Field(0, 19, 17, unsigned, "pixels to leave out of the first byte of every row")
    transparent = Field(1, 29, 29, flag, "zeros of the source are not written")
    bits_address = Field(5, 31, 0, address, "byte address of the source's bits")
    background = Field(6, 31, 0, unsigned, "color of zeros of the source")
    foreground = Field(7, 31, 0, unsigned, "color of ones of the source")


class _FullBitPattern(Command):
    """The pattern of bits of a command that has a source, too."""

    solid = Field(1, 31, 31, flag, "the background color instead of the pattern")
    pattern_transparent = Field(1, 28, 28, flag, "zeros of the pattern are not written")
    pattern_background = Field(8, 31, 0, unsigned, "color of zeros of the pattern")
    pattern_foreground = Field(9, 31, 0, unsigned, "color of ones of the pattern")
    pattern_low = Field(10, 31, 0, unsigned, "rows 0 to 3 of the pattern, a byte each")
    pattern_high = Field(11, 31, 0, unsigned, "rows 4 to 7 of the pattern")


class XySetupClipBlt(Command, name="XY_SETUP_CLIP_BLT", header=0x40C00000, dwords=3, source="volume 1 part 4, page 40"):
    """Set the rectangle that later commands clip to."""

    tiled = Field(0, 11, 11, flag, "destination is tiled")
    top = Field(1, 30, 16, unsigned, "first row")
    left = Field(1, 14, 0, unsigned, "first column")
    bottom = Field(2, 30, 16, unsigned, "row behind the last")
    right = Field(2, 14, 0, unsigned, "column behind the last")


class _Setup(_Destination):
    """What pixels, scan lines and text have in common, and the clip rectangle."""

    top = Field(2, 30, 16, unsigned, "clip rectangle: first row")
    left = Field(2, 14, 0, unsigned, "clip rectangle: first column")
    bottom = Field(3, 30, 16, unsigned, "clip rectangle: row behind the last")
    right = Field(3, 14, 0, unsigned, "clip rectangle: column behind the last")
    base_address = Field(4, 31, 0, address, "byte address of the destination")
    background = Field(5, 31, 0, unsigned, "color of pixels and of zeros")
    foreground = Field(6, 31, 0, unsigned, "color of ones")


class XySetupBlt(_Setup, name="XY_SETUP_BLT", header=0x40400000, dwords=8, source="volume 1 part 4, pages 36-37"):
    """Set what pixels, scan lines of a color pattern, and text are drawn with."""

    transparent = Field(1, 29, 29, flag, "text: zeros are not written")
    pattern_address = Field(7, 28, 6, address, "byte address of the pattern, 8 rows of 8 pixels")


class XySetupMonoPatternSlBlt(
    _Setup,
    name="XY_SETUP_MONO_PATTERN_SL_BLT",
    header=0x44400000,
    dwords=9,
    source="volume 1 part 4, pages 38-39",
):
    """Set what scan lines of a monochrome pattern are drawn with."""

    solid = Field(1, 31, 31, flag, "the background color instead of the pattern")
    pattern_transparent = Field(1, 28, 28, flag, "zeros are not written")
    pattern_low = Field(7, 31, 0, unsigned, "rows 0 to 3 of the pattern, a byte each")
    pattern_high = Field(8, 31, 0, unsigned, "rows 4 to 7 of the pattern")


class XyPixelBlt(Command, name="XY_PIXEL_BLT", header=0x49000000, dwords=2, source="volume 1 part 4, page 41"):
    """Write a pixel of the background color."""

    tiled = Field(0, 11, 11, flag, "destination is tiled")
    top = Field(1, 31, 16, signed, "row")
    left = Field(1, 15, 0, signed, "column")


class _Corners(Command):
    """A rectangle whose destination has been set up."""

    tiled = Field(0, 11, 11, flag, "destination is tiled")
    top = Field(1, 31, 16, signed, "first row")
    left = Field(1, 15, 0, signed, "first column")
    bottom = Field(2, 31, 16, signed, "row behind the last")
    right = Field(2, 15, 0, signed, "column behind the last")


class XyScanlinesBlt(_Corners, name="XY_SCANLINES_BLT", header=0x49400000, dwords=3, source="volume 1 part 4, page 42"):
    """Fill a rectangle with the pattern that has been set up."""

    seed_x = Field(0, 14, 12, unsigned, "pixel of the pattern for column 0")
    seed_y = Field(0, 10, 8, unsigned, "row of the pattern for row 0")


class XyTextBlt(_Corners, name="XY_TEXT_BLT", header=0x49800000, dwords=4, source="volume 1 part 4, pages 43-44"):
    """Draw a rectangle of packed bits in memory."""

    byte_packed = Field(0, 16, 16, flag, "rows begin with a byte")
    bits_address = Field(3, 31, 0, address, "byte address of the bits")


class XyTextImmediateBlt(
    _Corners,
    name="XY_TEXT_IMMEDIATE_BLT",
    header=0x4C400000,
    dwords=3,
    tail=1,
    tail_count=(2, _MOST_IMMEDIATE),
    source="volume 1 part 4, pages 44-45",
):
    """Draw a rectangle of packed bits that the command holds."""

    byte_packed = Field(0, 16, 16, flag, "rows begin with a byte")


class XyColorBlt(_Rectangle, name="XY_COLOR_BLT", header=0x54000000, dwords=6, source="volume 1 part 4, page 45"):
    """Fill a rectangle."""

    color = Field(5, 31, 0, unsigned, "color in the pixel size")


class XyPatBlt(_Pattern, name="XY_PAT_BLT", header=0x54400000, dwords=6, source="volume 1 part 4, page 47"):
    """Fill a rectangle with a pattern."""

    pattern_address = Field(5, 28, 6, address, "byte address of the pattern, 8 rows of 8 pixels")


class XyPatChromaBlt(
    _Pattern, name="XY_PAT_CHROMA_BLT", header=0x5D800000, dwords=8, source="volume 1 part 4, pages 48-50"
):
    """Fill a rectangle with a pattern where the destination has certain colors."""

    key_mode = Field(0, 19, 17, enum(KeyMode), "chroma key")
    pattern_address = Field(5, 28, 6, address, "byte address of the pattern, 8 rows of 8 pixels")
    key_low = Field(6, 31, 0, unsigned, "least color in range")
    key_high = Field(7, 31, 0, unsigned, "greatest color in range")


class XyPatBltImmediate(
    _Pattern,
    name="XY_PAT_BLT_IMMEDIATE",
    header=0x5C800000,
    dwords=5,
    tail=1,
    tail_count=_PATTERN_DWORDS,
    source="volume 1 part 4, pages 50-51",
):
    """Fill a rectangle with the pattern that the command holds."""


class XyPatChromaBltImmediate(
    _Pattern,
    name="XY_PAT_CHROMA_BLT_IMMEDIATE",
    header=0x5DC00000,
    dwords=7,
    tail=1,
    tail_count=_PATTERN_DWORDS,
    source="volume 1 part 4, pages 52-53",
):
    """Fill a rectangle with the pattern that the command holds where the destination has certain colors."""

    key_mode = Field(0, 19, 17, enum(KeyMode), "chroma key")
    key_low = Field(5, 31, 0, unsigned, "least color in range")
    key_high = Field(6, 31, 0, unsigned, "greatest color in range")


class XyMonoPatBlt(
    _BitPattern, name="XY_MONO_PAT_BLT", header=0x54800000, dwords=9, source="volume 1 part 4, pages 54-55"
):
    """Fill a rectangle with a pattern of bits."""

    pattern_low = Field(7, 31, 0, unsigned, "rows 0 to 3 of the pattern, a byte each")
    pattern_high = Field(8, 31, 0, unsigned, "rows 4 to 7 of the pattern")


class XyMonoPatFixedBlt(
    _BitPattern, name="XY_MONO_PAT_FIXED_BLT", header=0x56400000, dwords=7, source="volume 1 part 4, pages 56-61"
):
    """Fill a rectangle with a pattern of bits that the blitter has."""

    pattern = Field(0, 18, 15, enum(FixedPattern), "pattern")


class XySrcCopyBlt(_Copy, name="XY_SRC_COPY_BLT", header=0x54C00000, dwords=8, source="volume 1 part 4, pages 62-63"):
    """Copy a rectangle."""


class XySrcCopyChromaBlt(
    _Copy, name="XY_SRC_COPY_CHROMA_BLT", header=0x5CC00000, dwords=10, source="volume 1 part 4, pages 64-66"
):
    """Copy pixels of certain colors of a rectangle."""

    key_mode = Field(0, 19, 17, enum(KeyMode), "chroma key")
    key_low = Field(8, 31, 0, unsigned, "least color in range")
    key_high = Field(9, 31, 0, unsigned, "greatest color in range")


class XyMonoSrcCopyBlt(
    _Bits, name="XY_MONO_SRC_COPY_BLT", header=0x55000000, dwords=8, source="volume 1 part 4, pages 66-67"
):
    """Draw a rectangle of bits in memory."""

    bits_address = Field(5, 31, 0, address, "byte address of the bits")
    background = Field(6, 31, 0, unsigned, "color of zeros")
    foreground = Field(7, 31, 0, unsigned, "color of ones")


class XyMonoSrcCopyImmediateBlt(
    _Bits,
    name="XY_MONO_SRC_COPY_IMMEDIATE_BLT",
    header=0x5C400000,
    dwords=7,
    tail=1,
    tail_count=(2, _MOST_IMMEDIATE),
    source="volume 1 part 4, pages 68-70",
):
    """Draw a rectangle of bits that the command holds."""

    background = Field(5, 31, 0, unsigned, "color of zeros")
    foreground = Field(6, 31, 0, unsigned, "color of ones")


class XyFullBlt(_PatternAndCopy, name="XY_FULL_BLT", header=0x55400000, dwords=9, source="volume 1 part 4, page 70"):
    """Combine a rectangle with a pattern and another rectangle."""

    pattern_address = Field(8, 28, 6, address, "byte address of the pattern, 8 rows of 8 pixels")


class XyFullImmediatePatternBlt(
    _PatternAndCopy,
    name="XY_FULL_IMMEDIATE_PATTERN_BLT",
    header=0x5D000000,
    dwords=8,
    tail=1,
    tail_count=_PATTERN_DWORDS,
    source="volume 1 part 4, pages 72-74",
):
    """Combine a rectangle with the pattern that the command holds and another rectangle."""


class XyFullMonoSrcBlt(
    _PatternAndBits, name="XY_FULL_MONO_SRC_BLT", header=0x55800000, dwords=9, source="volume 1 part 4, pages 74-76"
):
    """Combine a rectangle with a pattern and bits."""

    pattern_address = Field(8, 28, 6, address, "byte address of the pattern, 8 rows of 8 pixels")


class XyFullMonoSrcImmediatePatternBlt(
    _PatternAndBits,
    name="XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT",
    header=0x5D400000,
    dwords=8,
    tail=1,
    tail_count=_PATTERN_DWORDS,
    source="volume 1 part 4, pages 77-79",
):
    """Combine a rectangle with the pattern that the command holds and bits."""


class XyFullMonoPatternBlt(
    _FullBitPattern,
    _PatternAndCopy,
    name="XY_FULL_MONO_PATTERN_BLT",
    header=0x55C00000,
    dwords=12,
    source="volume 1 part 4, pages 79-81",
):
    """Combine a rectangle with a pattern of bits and another rectangle."""


class XyFullMonoPatternMonoSrcBlt(
    _FullBitPattern,
    _PatternAndBits,
    name="XY_FULL_MONO_PATTERN_MONO_SRC_BLT",
    header=0x56000000,
    dwords=12,
    source="volume 1 part 4, pages 82-84",
):
    """Combine a rectangle with a pattern of bits and bits."""
