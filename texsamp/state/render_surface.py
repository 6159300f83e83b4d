"""Binding tables, RENDER_SURFACE_STATE and cache control (seed 003:1942 and 003:1967, holes T5 and T6)."""

from texsamp.state.base import Field, Struct
from texsamp.state.fields import When
from texsamp.state.formats import SurfaceFormat
from texsamp.state.kinds import Codes, address, enum, fixed, flag, minus_one, multiple_of, unsigned


class SurfaceType(Codes):
    """SURFTYPE_*."""

    SURFTYPE_1D = 0
    SURFTYPE_2D = 1
    SURFTYPE_3D = 2
    SURFTYPE_CUBE = 3
    SURFTYPE_BUFFER = 4
    SURFTYPE_STRBUF = 5, "structured buffer"
    SURFTYPE_NULL = 7


class VerticalAlign(Codes):
    """Alignment unit j of mip levels and array slices, rows."""

    VALIGN_2 = 0
    VALIGN_4 = 1


class HorizontalAlign(Codes):
    """Alignment unit i of mip levels, texels."""

    HALIGN_4 = 0
    HALIGN_8 = 1


class TileWalk(Codes):
    """Tiling of a tiled surface."""

    XMAJOR = 0
    YMAJOR = 1


class ArraySpacing(Codes):
    """Rows between array slices."""

    FULL = 0, "room for every level"
    LOD0 = 1, "room for level 0 only"


class MediaBoundaryMode(Codes):
    """How media block reads clamp beyond the surface."""

    NORMAL = 0
    PROGRESSIVE = 2
    INTERLACED = 3


class Rotation(Codes):
    """Render target rotation."""

    DEG_0 = 0
    DEG_90 = 1
    DEG_270 = 3


class MultisampleFormat(Codes):
    """Storage of a multisampled surface."""

    MSS = 0, "written as a render target"
    DEPTH_STENCIL = 1


class SampleCount(Codes):
    """Samples per pixel."""

    COUNT_1 = 0
    COUNT_4 = 2
    COUNT_8 = 3


class ChannelSelect(Codes):
    """Haswell's shader channel select."""

    ZERO = 0
    ONE = 1
    RED = 4
    GREEN = 5
    BLUE = 6
    ALPHA = 7


class Cacheability(Codes):
    """Caches that keep the data."""

    PAGE_TABLE = 0, "as the page table entry says"
    UNCACHED = 1
    LLC = 2, "last-level cache"
    LLC_AND_MLC = 3, "last-level and mid-level cache"


_BUFFERS = (SurfaceType.SURFTYPE_BUFFER, SurfaceType.SURFTYPE_STRBUF)
_PLANAR = SurfaceFormat["PLANAR_420_8"]

_IS_BUFFER = When("SURFTYPE_BUFFER and SURFTYPE_STRBUF only", lambda s: s.surface_type in _BUFFERS)
_NO_BUFFER = When("not SURFTYPE_BUFFER, not SURFTYPE_STRBUF", lambda s: s.surface_type not in _BUFFERS)
_IS_STRBUF = When("SURFTYPE_STRBUF only", lambda s: s.surface_type == SurfaceType.SURFTYPE_STRBUF)
_NO_STRBUF = When("not SURFTYPE_STRBUF", lambda s: s.surface_type != SurfaceType.SURFTYPE_STRBUF)
_IS_PLANAR = When("PLANAR formats only", lambda s: s.format == _PLANAR)
_NO_PLANAR = When("not PLANAR formats", lambda s: s.format != _PLANAR)
_HAS_MCS = When("mcs_enable set, not PLANAR formats", lambda s: s.format != _PLANAR and s.mcs_enable)
_NO_MCS = When("mcs_enable clear, not PLANAR formats", lambda s: s.format != _PLANAR and not s.mcs_enable)


class BindingTableState(Struct, name="BINDING_TABLE_STATE", dwords=1, source="003:1942-1949"):
    """One of up to 256 entries of a binding table."""

    surface_state_pointer = Field(0, 31, 5, address, "surface state, from Surface State Base")


class MemoryObjectControlState(Struct, name="MEMORY_OBJECT_CONTROL_STATE", dwords=1, source="001:59-77", since=5):
    """Cache control, the 4 bits of every `memory_object_control` field."""

    encrypted_data = Field(0, 3, 3, flag, "data is decrypted while being read")
    graphics_data_type = Field(0, 2, 2, flag, "lines are selected by a synchronized flush")
    cacheability = Field(0, 1, 0, enum(Cacheability), "caches that keep the data")


class RenderSurfaceState(Struct, name="RENDER_SURFACE_STATE", dwords=8, source="003:1967-2615"):
    """A surface as the sampler, the render target unit and the data port see it; 32-byte aligned."""

    surface_type = Field(0, 31, 29, enum(SurfaceType), "dimension", "SURFTYPE_2D")
    surface_array = Field(0, 28, 28, flag, "depth counts array slices")
    format = Field(0, 26, 18, enum(SurfaceFormat), "surface format")
    vertical_alignment = Field(0, 17, 16, enum(VerticalAlign), "alignment unit j")
    horizontal_alignment = Field(0, 15, 15, enum(HorizontalAlign), "alignment unit i")
    tiled = Field(0, 14, 14, flag, "tiled, not linear")
    tile_walk = Field(0, 13, 13, enum(TileWalk), "tiling, if tiled")
    vertical_line_stride = Field(0, 12, 12, unsigned, "1: every second row is the surface (one field)")
    vertical_line_stride_offset = Field(0, 11, 11, unsigned, "first row, with vertical_line_stride 1")
    array_spacing = Field(0, 10, 10, enum(ArraySpacing), "rows between slices")
    render_cache_read_write = Field(0, 8, 8, flag, "render cache keeps lines for reading too")
    media_boundary_mode = Field(0, 7, 6, enum(MediaBoundaryMode), "media block reads beyond the edge")
    cube_faces = Field(0, 5, 0, unsigned, "enabled faces: bit 5 -X, 4 +X, 3 -Y, 2 +Y, 1 -Z, 0 +Z")
    base_address = Field(1, 31, 0, address, "byte address; tiled: a multiple of 4096")
    height = Field(2, 29, 16, minus_one, "rows of level 0", when=_NO_BUFFER)
    width = Field(2, 13, 0, minus_one, "texels of level 0", when=_NO_BUFFER)
    depth = Field(3, 31, 21, minus_one, "slices of a 3D surface or of an array, cubes of a cube array", when=_NO_BUFFER)
    entries = Field(2, 6, 0, minus_one, "elements of the buffer", more=((2, 29, 16), (3, 30, 21)), when=_IS_BUFFER)
    pitch = Field(3, 17, 0, minus_one, "bytes from row to row; buffers: bytes from element to element")
    rotation = Field(4, 30, 29, enum(Rotation), "render target rotation", when=_NO_STRBUF)
    min_array_element = Field(4, 28, 18, unsigned, "first slice that can be accessed", when=_NO_STRBUF)
    view_extent = Field(4, 17, 7, minus_one, "render target slices", when=_NO_STRBUF)
    multisample_format = Field(4, 6, 6, enum(MultisampleFormat), "multisample storage", when=_NO_STRBUF)
    samples = Field(4, 5, 3, enum(SampleCount), "samples per pixel", when=_NO_STRBUF)
    sample_palette = Field(4, 2, 0, unsigned, "sample position palette index", when=_NO_STRBUF)
    min_structure = Field(4, 26, 0, unsigned, "first element that can be accessed", when=_IS_STRBUF)
    x_offset = Field(5, 31, 25, multiple_of(4), "texels from the base address to the surface")
    y_offset = Field(5, 23, 20, multiple_of(2), "rows from the base address to the surface")
    memory_object_control = Field(5, 19, 16, unsigned, "cache control")
    surface_min_lod = Field(5, 7, 4, unsigned, "first level that can be accessed; added to the LOD", legal=(0, 14))
    mip_count = Field(5, 3, 0, unsigned, "sampler: levels - 1; render target: the level")
    x_offset_uv = Field(6, 29, 16, unsigned, "pixels to the UV plane", when=_IS_PLANAR)
    y_offset_uv = Field(6, 13, 0, unsigned, "rows to the UV plane", when=_IS_PLANAR)
    mcs_enable = Field(6, 0, 0, flag, "multisample control surface on", when=_NO_PLANAR)
    mcs_base_address = Field(6, 31, 12, address, "multisample control surface", when=_HAS_MCS)
    mcs_pitch = Field(6, 11, 3, minus_one, "its pitch in tiles", when=_HAS_MCS)
    append_counter_address = Field(6, 31, 6, address, "append counter", when=_NO_MCS)
    append_counter_enable = Field(6, 1, 1, flag, "append counter on", when=_NO_MCS)
    red_clear = Field(7, 31, 31, flag, "clear color of red is 1.0, not 0.0")
    green_clear = Field(7, 30, 30, flag, "clear color of green is 1.0")
    blue_clear = Field(7, 29, 29, flag, "clear color of blue is 1.0")
    alpha_clear = Field(7, 28, 28, flag, "clear color of alpha is 1.0")
    select_red = Field(7, 27, 25, enum(ChannelSelect), "what the shader sees as red", "RED", since=7.5)
    select_green = Field(7, 24, 22, enum(ChannelSelect), "what the shader sees as green", "GREEN", since=7.5)
    select_blue = Field(7, 21, 19, enum(ChannelSelect), "what the shader sees as blue", "BLUE", since=7.5)
    select_alpha = Field(7, 18, 16, enum(ChannelSelect), "what the shader sees as alpha", "ALPHA", since=7.5)
    resource_min_lod = Field(7, 11, 0, fixed("U4.8"), "most detailed level present", legal=(0.0, 14.0))
