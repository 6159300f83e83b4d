"""Structures of Gen9 (Broxton) that seed 000 defines whole; Gen7 code never makes them."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis, When
from texsamp.state.formats import SurfaceFormat
from texsamp.state.kinds import Codes, address, enum, fixed, flag, minus_one, multiple_of, unsigned
from texsamp.state.render_surface import ChannelSelect, MediaBoundaryMode, MultisampleFormat, SurfaceType
from texsamp.state.sampler import (
    AddressControl,
    AnisotropicAlgorithm,
    BorderColorMode,
    ChromaKeyMode,
    CubeControl,
    MapFilter,
    MaxAnisotropy,
    MipFilter,
    ShadowFunction,
    TrilinearQuality,
)


class LodClampMagnification(Codes):
    """How the LOD is clamped while magnifying."""

    MIPNONE = 0, "as with MIPFILTER_NONE, OpenGL's rule"
    MIPFILTER = 1, "by the mip filter"


class ReductionType(Codes):
    """Gen9: what becomes of the texels of the footprint."""

    STANDARD = 0
    COMPARISON = 1
    MINIMUM = 2
    MAXIMUM = 3


class LodPreclamp(Codes):
    """Gen9: clamp of the LOD before the choice of mag or min filter."""

    NONE = 0
    OGL = 2


class SamplerStateGen9(Struct, name="SAMPLER_STATE_GEN9", dwords=4, source="000:701-1335", since=9):
    """Sampling state of Gen9: chroma key moved to DW1, the border pointer is an indirect state pointer, reductions."""

    disable = Field(0, 31, 31, flag, "all channels return 0")
    border_color_mode = Field(0, 29, 29, enum(BorderColorMode), "border color mode")
    lod_preclamp = Field(0, 28, 27, enum(LodPreclamp), "clamp before the choice of mag or min filter")
    coarse_lod_quality = Field(0, 26, 22, unsigned, "LOD bits that may be left out")
    mip_filter = Field(0, 21, 20, enum(MipFilter), "filter between levels")
    mag_filter = Field(0, 19, 17, enum(MapFilter), "filter inside a level, magnifying")
    min_filter = Field(0, 16, 14, enum(MapFilter), "filter inside a level, minifying")
    lod_bias = Field(0, 13, 1, fixed("S4.8"), "added to the LOD")
    lod_algorithm = Field(0, 0, 0, enum(AnisotropicAlgorithm), "LOD algorithm")
    min_lod = Field(1, 31, 20, fixed("U4.8"), "lower clamp of the LOD; wins over max_lod", legal=(0.0, 14.0))
    max_lod = Field(1, 19, 8, fixed("U4.8"), "upper clamp of the LOD", legal=(0.0, 14.0))
    chroma_key_enable = Field(1, 7, 7, flag, "chroma key test on")
    chroma_key_index = Field(1, 6, 5, unsigned, "entry of the key table")
    chroma_key_mode = Field(1, 4, 4, enum(ChromaKeyMode), "effect of a match")
    shadow_function = Field(1, 3, 1, enum(ShadowFunction), "comparison of the _c messages")
    cube_control = Field(1, 0, 0, enum(CubeControl), "cube surfaces")
    indirect_state_pointer = Field(2, 23, 6, address, "border color, from Dynamic State Base")
    lod_clamp_magnification = Field(2, 0, 0, enum(LodClampMagnification), "LOD clamp while magnifying")
    reduction_type = Field(3, 23, 22, enum(ReductionType), "reduction")
    max_anisotropy = Field(3, 21, 19, enum(MaxAnisotropy), "limit of the anisotropic filter")
    round_u_mag = Field(3, 18, 18, flag, "round U instead of truncating, magnifying")
    round_u_min = Field(3, 17, 17, flag, "round U, minifying")
    round_v_mag = Field(3, 16, 16, flag, "round V, magnifying")
    round_v_min = Field(3, 15, 15, flag, "round V, minifying")
    round_r_mag = Field(3, 14, 14, flag, "round R, magnifying")
    round_r_min = Field(3, 13, 13, flag, "round R, minifying")
    trilinear_quality = Field(3, 12, 11, enum(TrilinearQuality), "quality of the mip blend")
    non_normalized = Field(3, 10, 10, flag, "coordinates count texels")
    reduction_enable = Field(3, 9, 9, flag, "reduction_type applies")
    address_u = Field(3, 8, 6, enum(AddressControl), "address control of U")
    address_v = Field(3, 5, 3, enum(AddressControl), "address control of V")
    address_r = Field(3, 2, 0, enum(AddressControl), "address control of R")


class AuxiliaryMode(Codes):
    """What the auxiliary surface is."""

    AUX_NONE = 0
    AUX_CCS_D = 1, "color control, or multisample control with several samples"
    AUX_APPEND = 2, "append counter"
    AUX_HIZ = 3, "hierarchical depth"
    AUX_CCS_E = 5, "color control with compression, or multisample control"


class CompressionMode(Codes):
    """Direction of media memory compression."""

    HORIZONTAL = 0
    VERTICAL = 1


class VerticalAlignGen9(Codes):
    """Alignment unit j, in elements."""

    VALIGN_4 = 1
    VALIGN_8 = 2
    VALIGN_16 = 3


class HorizontalAlignGen9(Codes):
    """Alignment unit i, in elements."""

    HALIGN_4 = 1
    HALIGN_8 = 2
    HALIGN_16 = 3


class TileMode(Codes):
    """Gen9: tiling of a surface."""

    LINEAR = 0
    WMAJOR = 1
    XMAJOR = 2
    YMAJOR = 3


class TiledResourceMode(Codes):
    """Gen9: tiles of other sizes than 4 KiB of bytes."""

    NONE = 0
    TILE_4KB = 1
    TILE_64KB = 2


class RotationGen9(Codes):
    """Rotation of render targets and of sample_unorm."""

    DEG_0 = 0
    DEG_90 = 1
    DEG_180 = 2
    DEG_270 = 3


class SampleCountGen9(Codes):
    """Samples per pixel."""

    COUNT_1 = 0
    COUNT_2 = 1
    COUNT_4 = 2
    COUNT_8 = 3
    COUNT_16 = 4


_BUFFERS = (SurfaceType.SURFTYPE_BUFFER, SurfaceType.SURFTYPE_STRBUF)
_IS_BUFFER = When("SURFTYPE_BUFFER and SURFTYPE_STRBUF only", lambda s: s.surface_type in _BUFFERS)
_NO_BUFFER = When("not SURFTYPE_BUFFER, not SURFTYPE_STRBUF", lambda s: s.surface_type not in _BUFFERS)
_NO_STRBUF = When("not SURFTYPE_STRBUF", lambda s: s.surface_type != SurfaceType.SURFTYPE_STRBUF)
_FORMAT_LOW, _FORMAT_MASK = 18, 0x1FF
_PLANAR = When("PLANAR formats", lambda s: s.image >> _FORMAT_LOW & _FORMAT_MASK == SurfaceFormat["PLANAR_420_8"])
_NOT_PLANAR = When(
    "not PLANAR formats", lambda s: s.image >> _FORMAT_LOW & _FORMAT_MASK != SurfaceFormat["PLANAR_420_8"]
)
_COMPRESSED = When("memory_compression_enable set", lambda s: s.memory_compression_enable and _NOT_PLANAR.holds(s))
_AUXILIARY = When("memory_compression_enable clear", lambda s: not s.memory_compression_enable and _NOT_PLANAR.holds(s))


class RenderSurfaceStateGen9(
    Struct, name="RENDER_SURFACE_STATE_GEN9", dwords=16, source="000:1-700; Broxton volume 2c, pages 31-48", since=9
):
    """A surface of Gen9.

    In PLANAR formats with separate U and V planes the Y offsets count half rows.
    """

    surface_type = Field(0, 31, 29, enum(SurfaceType), "dimension", "SURFTYPE_2D")
    surface_array = Field(0, 28, 28, flag, "depth counts array slices")
    astc = Field(0, 27, 27, flag, "the format is one of ASTC's")
    format = Field(0, 26, 18, unsigned, "surface format, as Gen7's unless astc is set")
    vertical_alignment = Field(0, 17, 16, enum(VerticalAlignGen9), "alignment unit j", "VALIGN_4")
    horizontal_alignment = Field(0, 15, 14, enum(HorizontalAlignGen9), "alignment unit i", "HALIGN_4")
    tile_mode = Field(0, 13, 12, enum(TileMode), "tiling")
    vertical_line_stride = Field(0, 11, 11, unsigned, "1: every second row is the surface (one field)")
    vertical_line_stride_offset = Field(0, 10, 10, unsigned, "first row, with vertical_line_stride 1")
    in_order = Field(0, 9, 9, flag, "the sampler's caches keep the order of lines")
    render_cache_read_write = Field(0, 8, 8, flag, "render cache keeps lines for reading too")
    media_boundary_mode = Field(0, 7, 6, enum(MediaBoundaryMode), "media block reads beyond the edge")
    cube_faces = Field(0, 5, 0, unsigned, "enabled faces: bit 5 -X, 4 +X, 3 -Y, 2 +Y, 1 -Z, 0 +Z")
    memory_object_control = Field(1, 30, 24, unsigned, "cache control")
    base_mip_level = Field(1, 23, 19, fixed("U4.1"), "level that magnification is told by", legal=(0.0, 14.0))
    qpitch = Field(1, 14, 0, multiple_of(4), "rows of elements from slice to slice; 1D: texels")
    height = Field(2, 29, 16, minus_one, "rows of level 0", when=_NO_BUFFER)
    width = Field(2, 13, 0, minus_one, "texels of level 0", when=_NO_BUFFER)
    depth = Field(3, 31, 21, minus_one, "slices of a 3D surface or of an array, cubes of a cube array", when=_NO_BUFFER)
    entries = Field(2, 6, 0, minus_one, "elements of the buffer", more=((2, 29, 16), (3, 29, 21)), when=_IS_BUFFER)
    pitch = Field(3, 17, 0, minus_one, "bytes from row to row; buffers: bytes from element to element")
    rotation = Field(4, 30, 29, enum(RotationGen9), "rotation", when=_NO_STRBUF)
    min_array_element = Field(4, 28, 18, unsigned, "first slice that can be accessed", when=_NO_STRBUF)
    view_extent = Field(4, 17, 7, minus_one, "render target slices", when=_NO_STRBUF)
    multisample_format = Field(4, 6, 6, enum(MultisampleFormat), "multisample storage", when=_NO_STRBUF)
    samples = Field(4, 5, 3, enum(SampleCountGen9), "samples per pixel", when=_NO_STRBUF)
    sample_palette = Field(4, 2, 0, unsigned, "sample position palette index", when=_NO_STRBUF)
    x_offset = Field(5, 31, 25, multiple_of(4), "texels from the base address to the surface")
    y_offset = Field(5, 23, 21, multiple_of(4), "rows from the base address to the surface")
    plain_cube_lod = Field(5, 20, 20, flag, "no elliptical LODs on cubes")
    tiled_resource_mode = Field(5, 19, 18, enum(TiledResourceMode), "tiles of other kinds")
    cpu_coherent = Field(5, 14, 14, flag, "coherent with the CPU, not only with GPU threads")
    mip_tail_start_lod = Field(5, 11, 8, unsigned, "first level of the mip tail; 15: no tail")
    surface_min_lod = Field(5, 7, 4, unsigned, "first level that can be accessed; added to the LOD")
    mip_count = Field(5, 3, 0, unsigned, "sampler: levels - 1; render target: the level")
    separate_uv_planes = Field(6, 31, 31, flag, "U and V in planes of their own", when=_PLANAR)
    x_offset_uv = Field(6, 29, 16, unsigned, "pixels to the U or UV plane", when=_PLANAR)
    y_offset_uv = Field(6, 13, 0, unsigned, "rows to the U or UV plane", when=_PLANAR)
    auxiliary_qpitch = Field(6, 30, 16, multiple_of(4), "auxiliary surface: rows from slice to slice", when=_NOT_PLANAR)
    auxiliary_pitch = Field(6, 11, 3, minus_one, "auxiliary surface: pitch in tiles", when=_NOT_PLANAR)
    auxiliary_mode = Field(6, 2, 0, enum(AuxiliaryMode), "auxiliary surface", when=_NOT_PLANAR)
    memory_compression_mode = Field(7, 31, 31, enum(CompressionMode), "media memory compression")
    memory_compression_enable = Field(7, 30, 30, flag, "the surface may hold compressed pixels")
    select_red = Field(7, 27, 25, enum(ChannelSelect), "what the shader sees as red", "RED")
    select_green = Field(7, 24, 22, enum(ChannelSelect), "what the shader sees as green", "GREEN")
    select_blue = Field(7, 21, 19, enum(ChannelSelect), "what the shader sees as blue", "BLUE")
    select_alpha = Field(7, 18, 16, enum(ChannelSelect), "what the shader sees as alpha", "ALPHA")
    resource_min_lod = Field(7, 11, 0, fixed("U4.8"), "most detailed level present", legal=(0.0, 14.0))
    base_address = Field(8, 63, 0, address, "64-bit byte address")
    x_offset_v = Field(11, 29, 16, unsigned, "pixels to the V plane", when=_PLANAR)
    y_offset_v = Field(11, 13, 0, unsigned, "rows to the V plane", when=_PLANAR)
    auxiliary_table_index = Field(
        10, 31, 21, unsigned, "media compression: entry of the address table", when=_COMPRESSED
    )
    auxiliary_address = Field(10, 63, 12, address, "auxiliary surface", when=_AUXILIARY)
    quilt_height = Field(10, 9, 5, minus_one, "quilt slices, a power of two", when=_NOT_PLANAR)
    quilt_width = Field(10, 4, 0, minus_one, "quilt slices, a power of two", when=_NOT_PLANAR)
    clear_color = Array(
        12, 31, 0, unsigned, "red (or depth), green, blue, alpha, in the format's number kind", (Axis(4, 32),)
    )


class BindingTableStateGen9(Struct, name="BINDING_TABLE_STATE_GEN9", dwords=1, source="000:1423-1456", since=9):
    """Binding table entry of Gen9."""

    surface_state_pointer = Field(0, 31, 6, address, "surface state, from Surface State Base")


class SubslicePool(Struct, name="SUBSLICE_POOL", dwords=1, source="000:1336-1368", since=9):
    """Assignment of execution units to two pools: bit n is unit n."""

    subslices = Array(0, 7, 0, unsigned, "subslice 0 to 3", (Axis(4, 8),))


_BINDING_TABLE = range(0xF0)


class BindingTableIndex(Struct, name="MDC_BTS", dwords=1, source="000:1369-1388", since=9, ignores_rest=True):
    """Descriptor field: a surface of the binding table."""

    binding_table_index = Field(0, 7, 0, unsigned, "entry of the binding table", legal=frozenset(_BINDING_TABLE))


class BindingTableIndexA32(Struct, name="MDC_BTS_A32", dwords=1, source="000:1389-1422", since=9, ignores_rest=True):
    """Descriptor field: a surface of the binding table, or stateless access."""

    binding_table_index = Field(
        0,
        7,
        0,
        unsigned,
        "entry, FFh stateless coherent, FDh stateless",
        legal=frozenset((*_BINDING_TABLE, 0xFD, 0xFF)),
    )
