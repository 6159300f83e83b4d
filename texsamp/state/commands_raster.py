"""3D commands from the clipper to the pixel: clip, setup, attributes, windower, pixel shader, depth (seed 004)."""

from texsamp.state.base import Array, Field
from texsamp.state.command import Command
from texsamp.state.commands_3d import Shader
from texsamp.state.commands_media import RoundingMode
from texsamp.state.fields import Axis
from texsamp.state.kinds import Codes, address, enum, fixed, flag, float32, minus_one, signed, unsigned
from texsamp.state.render_surface import SampleCount


class CullMode(Codes):
    """Faces that are dropped."""

    BOTH = 0
    NONE = 1
    FRONT = 2
    BACK = 3


class ClipApi(Codes):
    """Depth range of clip space."""

    OGL = 0, "-w to w"
    D3D = 1, "0 to w"


class ClipMode(Codes):
    """What the clipper does."""

    NORMAL = 0
    REJECT_ALL = 3
    ACCEPT_ALL = 4


class DepthFormat(Codes):
    """Depth buffer formats."""

    D32_FLOAT_S8X24_UINT = 0
    D32_FLOAT = 1
    D24_UNORM_S8_UINT = 2
    D24_UNORM_X8_UINT = 3
    D16_UNORM = 5


class FillMode(Codes):
    """How polygons are filled."""

    SOLID = 0
    WIREFRAME = 1
    POINT = 2


class MultisampleRasterization(Codes):
    """Coverage rule."""

    OFF_PIXEL = 0
    OFF_PATTERN = 1
    ON_PIXEL = 2
    ON_PATTERN = 3


class RegionWidth(Codes):
    """Width of an antialiased border."""

    PIXELS_0_5 = 0
    PIXELS_1 = 1
    PIXELS_2 = 2
    PIXELS_4 = 3


class SubPixelPrecision(Codes):
    """Fraction bits of vertex positions."""

    BITS_8 = 0
    BITS_4 = 1


class PointWidthSource(Codes):
    """Where the point width comes from."""

    VERTEX = 0
    STATE = 1


class SwizzleHalf(Codes):
    """Attributes the swizzle entries are for."""

    SWIZ_0_15 = 0
    SWIZ_16_31 = 1


class SpriteOrigin(Codes):
    """Origin of point sprite coordinates."""

    UPPERLEFT = 0
    LOWERLEFT = 1


class ConstantSource(Codes):
    """Constant of an overridden attribute."""

    CONST_0000 = 0
    CONST_0001_FLOAT = 1
    CONST_1111_FLOAT = 2
    PRIM_ID = 3


class SwizzleSelect(Codes):
    """Source of an attribute."""

    INPUTATTR = 0
    INPUTATTR_FACING = 1
    INPUTATTR_W = 2
    INPUTATTR_FACING_W = 3


class ComputedDepth(Codes):
    """Depth from the pixel shader."""

    OFF = 0
    ON = 1
    ON_GE = 2, "not nearer than the polygon"
    ON_LE = 3, "not farther than the polygon"


class EarlyDepth(Codes):
    """When the depth test takes place."""

    NORMAL = 0
    PSEXEC = 1
    PREPS = 2


class PositionMode(Codes):
    """Where position z and w are evaluated."""

    PIXEL = 0
    CENTROID = 2
    SAMPLE = 3


class PositionOffset(Codes):
    """Position offsets in the payload."""

    NONE = 0
    CENTROID = 2
    SAMPLE = 3


class PointRule(Codes):
    """Pixel of a point on a border."""

    UPPER_LEFT = 0
    UPPER_RIGHT = 1


class DispatchRate(Codes):
    """Threads per pixel."""

    PERSAMPLE = 0
    PERPIXEL = 1


class DenormalMode(Codes):
    """Denormal numbers in a kernel."""

    FTZ = 0, "flushed to zero"
    RET = 1, "kept"


class PixelLocation(Codes):
    """Where a pixel's coordinates lie."""

    CENTER = 0
    UL_CORNER = 1


class DepthSurfaceType(Codes):
    """Dimension of the depth buffer."""

    SURFTYPE_1D = 0
    SURFTYPE_2D = 1
    SURFTYPE_3D = 2
    SURFTYPE_CUBE = 3
    SURFTYPE_NULL = 7


class Clip(Command, name="3DSTATE_CLIP", header=0x78120000, dwords=4, source="001:870"):
    """Clipper."""

    front_winding = Field(1, 20, 20, flag, "counter-clockwise is front")
    sub_pixel_precision = Field(1, 19, 19, enum(SubPixelPrecision), "fraction bits for early culling")
    early_cull = Field(1, 18, 18, flag, "cull before clipping")
    cull_mode = Field(1, 17, 16, enum(CullMode), "dropped faces")
    statistics = Field(1, 10, 10, flag, "count")
    cull_distances = Field(1, 7, 0, unsigned, "user distances that cull, one bit each")
    enable = Field(2, 31, 31, flag, "clipper on")
    api_mode = Field(2, 30, 30, enum(ClipApi), "depth range")
    viewport_xy_test = Field(2, 28, 28, flag, "clip at the viewport, x and y")
    viewport_z_test = Field(2, 27, 27, flag, "clip at the viewport, z")
    guardband_test = Field(2, 26, 26, flag, "clip at the guard band only")
    clip_distances = Field(2, 23, 16, unsigned, "user distances that clip, one bit each")
    clip_mode = Field(2, 15, 13, enum(ClipMode), "mode")
    perspective_divide_disable = Field(2, 9, 9, flag, "positions are divided already")
    non_perspective_barycentric = Field(2, 8, 8, flag, "linear barycentric coordinates are needed")
    strip_provoking_vertex = Field(2, 5, 4, unsigned, "triangle strips and lists", legal=(0, 2))
    line_provoking_vertex = Field(2, 3, 2, unsigned, "lines", legal=(0, 1))
    fan_provoking_vertex = Field(2, 1, 0, unsigned, "triangle fans", legal=(0, 2))
    min_point_width = Field(3, 27, 17, fixed("U8.3"), "pixels")
    max_point_width = Field(3, 16, 6, fixed("U8.3"), "pixels")
    force_zero_array_index = Field(3, 5, 5, flag, "render target slice 0")
    max_viewport_index = Field(3, 3, 0, unsigned, "last viewport")


class StripsFans(Command, name="3DSTATE_SF", header=0x78130000, dwords=7, source="004:1681-2041"):
    """Triangle setup."""

    depth_format = Field(1, 14, 12, enum(DepthFormat), "depth buffer format, scales the depth bias")
    legacy_depth_bias = Field(1, 11, 11, flag, "depth bias as before Gen4")
    statistics = Field(1, 10, 10, flag, "count")
    depth_offset_solid = Field(1, 9, 9, flag, "depth bias for filled polygons")
    depth_offset_wireframe = Field(1, 8, 8, flag, "depth bias for outlines")
    depth_offset_point = Field(1, 7, 7, flag, "depth bias for points")
    front_fill = Field(1, 6, 5, enum(FillMode), "front faces")
    back_fill = Field(1, 4, 3, enum(FillMode), "back faces")
    viewport_transform = Field(1, 1, 1, flag, "positions go through the viewport")
    front_winding = Field(1, 0, 0, flag, "counter-clockwise is front")
    antialiasing = Field(2, 31, 31, flag, "antialiased lines")
    cull_mode = Field(2, 30, 29, enum(CullMode), "dropped faces")
    line_width = Field(2, 27, 18, fixed("U3.7"), "pixels")
    line_end_width = Field(2, 17, 16, enum(RegionWidth), "antialiased line ends")
    scissor_enable = Field(2, 11, 11, flag, "scissor test on")
    multisample_mode = Field(2, 9, 8, enum(MultisampleRasterization), "coverage rule")
    last_pixel = Field(3, 31, 31, flag, "draw the last pixel of lines")
    strip_provoking_vertex = Field(3, 30, 29, unsigned, "triangle strips and lists", legal=(0, 2))
    line_provoking_vertex = Field(3, 28, 27, unsigned, "lines", legal=(0, 1))
    fan_provoking_vertex = Field(3, 26, 25, unsigned, "triangle fans", legal=(0, 2))
    true_line_distance = Field(3, 14, 14, flag, "antialiased lines: true distance")
    sub_pixel_precision = Field(3, 12, 12, enum(SubPixelPrecision), "fraction bits of positions")
    point_width_source = Field(3, 11, 11, enum(PointWidthSource), "point width")
    point_width = Field(3, 10, 0, fixed("U8.3"), "pixels")
    depth_offset_constant = Field(4, 31, 0, float32, "depth bias, constant")
    depth_offset_scale = Field(5, 31, 0, float32, "depth bias, times slope")
    depth_offset_clamp = Field(6, 31, 0, float32, "depth bias, limit")


_ATTRIBUTES = (Axis(16, 16),)


class SetupBackend(Command, name="3DSTATE_SBE", header=0x781F0000, dwords=14, source="004:1304-1633"):
    """Attributes of the pixel shader; DW2 to DW9 hold 16 entries of 16 bits, used with `swizzle_enable`."""

    swizzle_half = Field(1, 28, 28, enum(SwizzleHalf), "attributes the entries are for")
    attributes = Field(1, 27, 22, unsigned, "attributes of the shader", legal=(0, 32))
    swizzle_enable = Field(1, 21, 21, flag, "use the entries; else attribute n is slot n")
    sprite_origin = Field(1, 20, 20, enum(SpriteOrigin), "point sprites")
    urb_read_length = Field(1, 15, 11, unsigned, "256-bit units")
    urb_read_offset = Field(1, 9, 4, unsigned, "256-bit units")
    override_w = Array(2, 15, 15, flag, "component w is the constant", _ATTRIBUTES)
    override_z = Array(2, 14, 14, flag, "component z is the constant", _ATTRIBUTES)
    override_y = Array(2, 13, 13, flag, "component y is the constant", _ATTRIBUTES)
    override_x = Array(2, 12, 12, flag, "component x is the constant", _ATTRIBUTES)
    swizzle_control = Array(2, 11, 11, flag, "swizzle control mode", _ATTRIBUTES)
    constant_source = Array(2, 10, 9, enum(ConstantSource), "the constant", _ATTRIBUTES)
    swizzle_select = Array(2, 7, 6, enum(SwizzleSelect), "source", _ATTRIBUTES)
    source_attribute = Array(2, 4, 0, unsigned, "slot from the read offset on", _ATTRIBUTES)
    sprite_attributes = Field(10, 31, 0, unsigned, "attributes that are point sprite coordinates")
    constant_attributes = Field(11, 31, 0, unsigned, "flat attributes")
    wrap_shortest = Array(12, 3, 0, unsigned, "wrap-shortest components of attribute 0 to 15", (Axis(16, 4),))


class Windower(Command, name="3DSTATE_WM", header=0x78140000, dwords=3, source="004:3604-3950"):
    """Windower: coverage, early depth, barycentric coordinates."""

    statistics = Field(1, 31, 31, flag, "count")
    depth_clear = Field(1, 30, 30, flag, "depth buffer clear")
    thread_dispatch = Field(1, 29, 29, flag, "start pixel shader threads")
    depth_resolve = Field(1, 28, 28, flag, "depth buffer resolve")
    hier_depth_resolve = Field(1, 27, 27, flag, "hierarchical depth resolve")
    legacy_lines = Field(1, 26, 26, flag, "diamond rule of old")
    kill_pixel = Field(1, 25, 25, flag, "the shader kills pixels")
    computed_depth = Field(1, 24, 23, enum(ComputedDepth), "depth from the shader")
    early_depth = Field(1, 22, 21, enum(EarlyDepth), "when depth is tested")
    source_depth = Field(1, 20, 20, flag, "payload holds depth")
    source_w = Field(1, 19, 19, flag, "payload holds w")
    position_mode = Field(1, 18, 17, enum(PositionMode), "where z and w are evaluated")
    barycentric_modes = Field(
        1, 16, 11, unsigned, "sets in the payload: perspective pixel 1, centroid 2, sample 4, linear 8, 16, 32"
    )
    input_coverage = Field(1, 10, 10, flag, "payload holds coverage")
    line_end_width = Field(1, 9, 8, enum(RegionWidth), "antialiased line ends")
    line_width = Field(1, 7, 6, enum(RegionWidth), "antialiased lines")
    polygon_stipple = Field(1, 4, 4, flag, "polygon stipple on")
    line_stipple = Field(1, 3, 3, flag, "line stipple on")
    point_rule = Field(1, 2, 2, enum(PointRule), "points on a border")
    multisample_mode = Field(1, 1, 0, enum(MultisampleRasterization), "coverage rule")
    dispatch_rate = Field(2, 31, 31, enum(DispatchRate), "threads per pixel")


class PixelShader(Shader, name="3DSTATE_PS", header=0x78200000, dwords=8, source="004:119-505"):
    """Pixel shader; kernel 0 is the only or the 8-pixel one, 1 the 32-pixel, 2 the 16-pixel one."""

    kernel_start_0 = Field(1, 31, 6, address, "kernel 0, from Instruction Base")
    single_program_flow = Field(2, 31, 31, flag, "one flow of control for all channels")
    denormal_mode = Field(2, 26, 26, enum(DenormalMode), "denormal numbers")
    rounding_mode = Field(2, 15, 14, enum(RoundingMode), "rounding")
    mask_stack_exception = Field(2, 11, 11, flag, "exception")
    max_threads = Field(4, 31, 24, minus_one, "threads at once")
    push_constants = Field(4, 11, 11, flag, "payload holds constants")
    attributes = Field(4, 10, 10, flag, "payload holds attributes")
    omask = Field(4, 9, 9, flag, "the shader writes a sample mask")
    fast_clear = Field(4, 8, 8, flag, "render target fast clear")
    dual_source_blend = Field(4, 7, 7, flag, "the shader writes two colors")
    resolve = Field(4, 6, 6, flag, "render target resolve")
    position_offset = Field(4, 4, 3, enum(PositionOffset), "position offsets in the payload")
    dispatch_32 = Field(4, 2, 2, flag, "threads of 32 pixels")
    dispatch_16 = Field(4, 1, 1, flag, "threads of 16 pixels")
    dispatch_8 = Field(4, 0, 0, flag, "threads of 8 pixels")
    grf_start_0 = Field(5, 22, 16, unsigned, "first register of constants and attributes, kernel 0")
    grf_start_1 = Field(5, 14, 8, unsigned, "kernel 1")
    grf_start_2 = Field(5, 6, 0, unsigned, "kernel 2")
    kernel_start_1 = Field(6, 31, 6, address, "kernel 1, from Instruction Base")
    kernel_start_2 = Field(7, 31, 6, address, "kernel 2, from Instruction Base")


class Multisample(Command, name="3DSTATE_MULTISAMPLE", header=0x790D0000, dwords=4, source="002:723"):
    """Sample positions."""

    pixel_location = Field(1, 4, 4, enum(PixelLocation), "pixel coordinates")
    samples = Field(1, 3, 1, enum(SampleCount), "samples per pixel")
    y_offset = Array(2, 3, 0, fixed("U0.4"), "sample 0 to 7", (Axis(8, 8),))
    x_offset = Array(2, 7, 4, fixed("U0.4"), "sample 0 to 7", (Axis(8, 8),))


class SampleMask(Command, name="3DSTATE_SAMPLE_MASK", header=0x78180000, dwords=2, source="004:904-951"):
    """Samples that are written."""

    mask = Field(1, 7, 0, unsigned, "one bit per sample")


class DrawingRectangle(Command, name="3DSTATE_DRAWING_RECTANGLE", header=0x79000000, dwords=4, source="001:876"):
    """Clip of all drawing."""

    top = Field(1, 31, 16, unsigned, "first row")
    left = Field(1, 15, 0, unsigned, "first column")
    bottom = Field(2, 31, 16, unsigned, "last row")
    right = Field(2, 15, 0, unsigned, "last column")
    origin_y = Field(3, 31, 16, signed, "added to positions")
    origin_x = Field(3, 15, 0, signed, "added to positions")


class LineStipple(
    Command, name="3DSTATE_LINE_STIPPLE", header=0x79080000, dwords=3, source="001:885 and Mesa's genxml"
):
    """Line stipple."""

    modify_counters = Field(1, 31, 31, flag, "take over the current counter and index")
    current_counter = Field(1, 29, 21, unsigned, "pixels of the current bit so far")
    current_index = Field(1, 19, 16, unsigned, "current bit")
    pattern = Field(1, 15, 0, unsigned, "pattern")
    inverse_repeat = Field(2, 31, 15, fixed("U1.16"), "1 / repeat")
    repeat = Field(2, 8, 0, unsigned, "pixels per bit")


class LineAntialiasing(
    Command, name="3DSTATE_AA_LINE_PARAMETERS", header=0x790A0000, dwords=3, source="001:888 and Mesa's genxml"
):
    """Line antialiasing."""

    bias = Field(1, 23, 16, fixed("U0.8"), "coverage, constant")
    slope = Field(1, 7, 0, fixed("U0.8"), "coverage, per distance")
    end_bias = Field(2, 23, 16, fixed("U0.8"), "line ends: constant")
    end_slope = Field(2, 7, 0, fixed("U0.8"), "line ends: per distance")


class PolyStippleOffset(Command, name="3DSTATE_POLY_STIPPLE_OFFSET", header=0x79060000, dwords=2, source="004:3-68"):
    """Origin of the polygon stipple."""

    x = Field(1, 12, 8, unsigned, "pixels")
    y = Field(1, 4, 0, unsigned, "pixels")


class PolyStipplePattern(
    Command, name="3DSTATE_POLY_STIPPLE_PATTERN", header=0x79070000, dwords=33, source="004:70-117"
):
    """Polygon stipple."""

    pattern = Array(1, 31, 0, unsigned, "rows from the top, bit 31 is the left pixel", (Axis(32, 32),))


class DepthBuffer(Command, name="3DSTATE_DEPTH_BUFFER", header=0x78050000, dwords=7, source="002:740"):
    """Depth buffer."""

    surface_type = Field(1, 31, 29, enum(DepthSurfaceType), "dimension")
    depth_write = Field(1, 28, 28, flag, "depth may be written")
    stencil_write = Field(1, 27, 27, flag, "stencil may be written")
    hier_depth_enable = Field(1, 22, 22, flag, "hierarchical depth on")
    format = Field(1, 20, 18, enum(DepthFormat), "format", "D32_FLOAT")
    pitch = Field(1, 17, 0, minus_one, "bytes from row to row")
    base_address = Field(2, 31, 0, address, "first byte")
    height = Field(3, 31, 18, minus_one, "rows")
    width = Field(3, 17, 4, minus_one, "pixels")
    lod = Field(3, 3, 0, unsigned, "level")
    depth = Field(4, 31, 21, minus_one, "slices")
    min_array_element = Field(4, 20, 10, unsigned, "first slice")
    memory_object_control = Field(4, 3, 0, unsigned, "cache control")
    offset_y = Field(5, 31, 16, signed, "rows to the level")
    offset_x = Field(5, 15, 0, signed, "pixels to the level")
    view_extent = Field(6, 31, 21, minus_one, "slices of the view")


class StencilBuffer(Command, name="3DSTATE_STENCIL_BUFFER", header=0x78060000, dwords=3, source="004:2256-2352"):
    """Stencil buffer."""

    memory_object_control = Field(1, 28, 25, unsigned, "cache control")
    pitch = Field(1, 16, 0, minus_one, "bytes, twice the width of a row")
    base_address = Field(2, 31, 0, address, "first byte")


class HierDepthBuffer(Command, name="3DSTATE_HIER_DEPTH_BUFFER", header=0x78070000, dwords=3, source="001:893"):
    """Hierarchical depth buffer."""

    memory_object_control = Field(1, 28, 25, unsigned, "cache control")
    pitch = Field(1, 16, 0, minus_one, "bytes from row to row")
    base_address = Field(2, 31, 0, address, "first byte")


class ClearParameters(Command, name="3DSTATE_CLEAR_PARAMS", header=0x78040000, dwords=3, source="001:895"):
    """Depth of a fast clear."""

    depth = Field(1, 31, 0, unsigned, "in the depth format")
    valid = Field(2, 0, 0, flag, "there is a value")
