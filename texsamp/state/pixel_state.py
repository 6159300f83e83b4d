"""States behind the pixel shader, and the commands that point to them (seed 002:724-735, 004:1635-3314)."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.command import Command
from texsamp.state.fields import Axis
from texsamp.state.kinds import Codes, address, enum, flag, float32, unsigned


class CompareFunction(Codes):
    """Depth, stencil and alpha test."""

    ALWAYS = 0
    NEVER = 1
    LESS = 2
    EQUAL = 3
    LEQUAL = 4
    GREATER = 5
    NOTEQUAL = 6
    GEQUAL = 7


class StencilOperation(Codes):
    """What happens to the stencil value."""

    KEEP = 0
    ZERO = 1
    REPLACE = 2
    INCRSAT = 3
    DECRSAT = 4
    INCR = 5
    DECR = 6
    INVERT = 7


class BlendFactor(Codes):
    """Factor of a blend operand."""

    UNSET = 0, "reserved; drivers leave it where blending is off"
    ONE = 1
    SRC_COLOR = 2
    SRC_ALPHA = 3
    DST_ALPHA = 4
    DST_COLOR = 5
    SRC_ALPHA_SATURATE = 6
    CONST_COLOR = 7
    CONST_ALPHA = 8
    SRC1_COLOR = 9
    SRC1_ALPHA = 10
    ZERO = 17
    INV_SRC_COLOR = 18
    INV_SRC_ALPHA = 19
    INV_DST_ALPHA = 20
    INV_DST_COLOR = 21
    INV_CONST_COLOR = 23
    INV_CONST_ALPHA = 24
    INV_SRC1_COLOR = 25
    INV_SRC1_ALPHA = 26


class BlendFunction(Codes):
    """How the operands are combined."""

    ADD = 0
    SUBTRACT = 1
    REVERSE_SUBTRACT = 2
    MIN = 3
    MAX = 4


class LogicOperation(Codes):
    """Bitwise operation instead of a blend."""

    CLEAR = 0
    NOR = 1
    AND_INVERTED = 2
    COPY_INVERTED = 3
    AND_REVERSE = 4
    INVERT = 5
    XOR = 6
    NAND = 7
    AND = 8
    EQUIV = 9
    NOOP = 10
    OR_INVERTED = 11
    COPY = 12
    OR_REVERSE = 13
    OR = 14
    SET = 15


class ClampRange(Codes):
    """Range colors are clamped to around the blend."""

    UNORM = 0
    SNORM = 1
    RTFORMAT = 2


class AlphaFormat(Codes):
    """Format of the alpha test's reference."""

    UNORM8 = 0
    FLOAT32 = 1


class DepthStencilState(Struct, name="DEPTH_STENCIL_STATE", dwords=3, source="002:727"):
    """Depth and stencil test."""

    stencil_test = Field(0, 31, 31, flag, "stencil test on")
    stencil_function = Field(0, 30, 28, enum(CompareFunction), "front faces: test")
    stencil_fail = Field(0, 27, 25, enum(StencilOperation), "front faces: stencil test fails")
    stencil_depth_fail = Field(0, 24, 22, enum(StencilOperation), "front faces: depth test fails")
    stencil_pass = Field(0, 21, 19, enum(StencilOperation), "front faces: both pass")
    stencil_write = Field(0, 18, 18, flag, "stencil is written")
    double_sided = Field(0, 15, 15, flag, "back faces have their own test")
    back_function = Field(0, 14, 12, enum(CompareFunction), "back faces: test")
    back_fail = Field(0, 11, 9, enum(StencilOperation), "back faces: stencil test fails")
    back_depth_fail = Field(0, 8, 6, enum(StencilOperation), "back faces: depth test fails")
    back_pass = Field(0, 5, 3, enum(StencilOperation), "back faces: both pass")
    test_mask = Field(1, 31, 24, unsigned, "front faces: tested bits")
    write_mask = Field(1, 23, 16, unsigned, "front faces: written bits")
    back_test_mask = Field(1, 15, 8, unsigned, "back faces: tested bits")
    back_write_mask = Field(1, 7, 0, unsigned, "back faces: written bits")
    depth_test = Field(2, 31, 31, flag, "depth test on")
    depth_function = Field(2, 29, 27, enum(CompareFunction), "depth test")
    depth_write = Field(2, 26, 26, flag, "depth is written")


class ColorCalcState(Struct, name="COLOR_CALC_STATE", dwords=6, source="002:726"):
    """References and constants of the tests and the blend."""

    stencil_reference = Field(0, 31, 24, unsigned, "front faces")
    back_stencil_reference = Field(0, 23, 16, unsigned, "back faces")
    round_disable = Field(0, 15, 15, flag, "no rounding function")
    alpha_format = Field(0, 0, 0, enum(AlphaFormat), "format of the alpha reference")
    alpha_reference = Field(1, 31, 0, unsigned, "alpha reference, UNORM8 or the bits of a float32")
    blend_constant = Array(2, 31, 0, float32, "red, green, blue, alpha", (Axis(4, 32),))


class CcViewport(Struct, name="CC_VIEWPORT", dwords=2, source="002:725"):
    """Depth range of a viewport."""

    min_depth = Field(0, 31, 0, float32, "lower clamp of depth")
    max_depth = Field(1, 31, 0, float32, "upper clamp of depth")


class SfClipViewport(Struct, name="SF_CLIP_VIEWPORT", dwords=16, source="004:3270-3314"):
    """Viewport: x' = m00 x + m30, y' = m11 y + m31, z' = m22 z + m32."""

    m00 = Field(0, 31, 0, float32, "scale of x")
    m11 = Field(1, 31, 0, float32, "scale of y")
    m22 = Field(2, 31, 0, float32, "scale of z")
    m30 = Field(3, 31, 0, float32, "offset of x")
    m31 = Field(4, 31, 0, float32, "offset of y")
    m32 = Field(5, 31, 0, float32, "offset of z")
    guardband_x_min = Field(8, 31, 0, float32, "guard band")
    guardband_x_max = Field(9, 31, 0, float32, "guard band")
    guardband_y_min = Field(10, 31, 0, float32, "guard band")
    guardband_y_max = Field(11, 31, 0, float32, "guard band")


class ScissorRect(Struct, name="SCISSOR_RECT", dwords=2, source="004:1635-1679"):
    """Scissor; all limits inclusive, an empty rectangle has min > max."""

    top = Field(0, 31, 16, unsigned, "first row")
    left = Field(0, 15, 0, unsigned, "first column")
    bottom = Field(1, 31, 16, unsigned, "last row")
    right = Field(1, 15, 0, unsigned, "last column")


class BlendState(Struct, name="BLEND_STATE", dwords=2, source="002:735"):
    """Blend of one of eight render targets."""

    blend_enable = Field(0, 31, 31, flag, "blend on")
    independent_alpha = Field(0, 30, 30, flag, "alpha has its own blend")
    alpha_function = Field(0, 28, 26, enum(BlendFunction), "alpha")
    source_alpha_factor = Field(0, 24, 20, enum(BlendFactor), "alpha: source")
    destination_alpha_factor = Field(0, 19, 15, enum(BlendFactor), "alpha: destination")
    color_function = Field(0, 13, 11, enum(BlendFunction), "color")
    source_factor = Field(0, 9, 5, enum(BlendFactor), "color: source")
    destination_factor = Field(0, 4, 0, enum(BlendFactor), "color: destination")
    alpha_to_coverage = Field(1, 31, 31, flag, "alpha masks samples")
    alpha_to_one = Field(1, 30, 30, flag, "alpha becomes 1")
    alpha_to_coverage_dither = Field(1, 29, 29, flag, "dithered")
    write_disable = Array(1, 24, 24, flag, "blue, green, red, alpha is not written", (Axis(4, 1),))
    logic_op_enable = Field(1, 22, 22, flag, "logic operation on")
    logic_op = Field(1, 21, 18, enum(LogicOperation), "logic operation")
    alpha_test = Field(1, 16, 16, flag, "alpha test on")
    alpha_test_function = Field(1, 15, 13, enum(CompareFunction), "alpha test")
    dither = Field(1, 12, 12, flag, "dither colors")
    dither_x = Field(1, 11, 10, unsigned, "origin of the dither")
    dither_y = Field(1, 9, 8, unsigned, "origin of the dither")
    clamp_range = Field(1, 3, 2, enum(ClampRange), "clamp")
    pre_blend_clamp = Field(1, 1, 1, flag, "clamp before the blend")
    post_blend_clamp = Field(1, 0, 0, flag, "clamp after the blend")


class ColorCalcStatePointers(Command, name="3DSTATE_CC_STATE_POINTERS", header=0x780E0000, dwords=2, source="002:726"):
    """COLOR_CALC_STATE."""

    pointer = Field(1, 31, 6, address, "from Dynamic State Base")
    valid = Field(1, 0, 0, flag, "take over the pointer")


class BlendStatePointers(Command, name="3DSTATE_BLEND_STATE_POINTERS", header=0x78240000, dwords=2, source="002:735"):
    """BLEND_STATE of eight render targets."""

    pointer = Field(1, 31, 6, address, "from Dynamic State Base")
    valid = Field(1, 0, 0, flag, "take over the pointer")


class DepthStencilStatePointers(
    Command, name="3DSTATE_DEPTH_STENCIL_STATE_POINTERS", header=0x78250000, dwords=2, source="002:727"
):
    """DEPTH_STENCIL_STATE."""

    pointer = Field(1, 31, 6, address, "from Dynamic State Base")
    valid = Field(1, 0, 0, flag, "take over the pointer")


class CcViewportPointers(
    Command, name="3DSTATE_VIEWPORT_STATE_POINTERS_CC", header=0x78230000, dwords=2, source="004:3224-3268"
):
    """CC_VIEWPORT."""

    pointer = Field(1, 31, 5, address, "from Dynamic State Base")


class SfClipViewportPointers(
    Command, name="3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP", header=0x78210000, dwords=2, source="004:3270-3314"
):
    """SF_CLIP_VIEWPORT."""

    pointer = Field(1, 31, 6, address, "from Dynamic State Base")


class ScissorPointers(
    Command, name="3DSTATE_SCISSOR_STATE_POINTERS", header=0x780F0000, dwords=2, source="004:1635-1679"
):
    """SCISSOR_RECT."""

    pointer = Field(1, 31, 5, address, "from Dynamic State Base")
