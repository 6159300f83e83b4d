"""SURFACE_STATE for deinterlace, sample_8x8 and VME messages (seed 003:3058, repaired as holes T1 to T4)."""

from texsamp.state.base import Field, Struct
from texsamp.state.kinds import Codes, address, enum, fixed, flag, minus_one, unsigned


class MediaSurfaceFormat(Codes):
    """Media surface formats. Codes 5 to 7 mean one thing to `deinterlace` and another to Haswell's `sample_8x8`."""

    YCRCB_NORMAL = 0, "bytes Y0 U Y1 V (YUY2)"
    YCRCB_SWAPUVY = 1, "bytes V Y0 U Y1 (VYUY)"
    YCRCB_SWAPUV = 2, "bytes Y0 V Y1 U (YVYU)"
    YCRCB_SWAPY = 3, "bytes U Y0 V Y1 (UYVY)"
    PLANAR_420_8 = 4, "NV12 with interleaved chroma, else I420/YV12"
    PLANAR_411_8 = 5, "deinterlace only; Y8_UNORM_VA to a Haswell sample_8x8"
    PLANAR_422_8 = 6, "deinterlace only; Y16_SNORM to a Haswell sample_8x8"
    STMM_DN_STATISTICS = 7, "deinterlace only; Y16_UNORM to a Haswell sample_8x8"
    R10G10B10A2_UNORM = 8, "sample_8x8 only"
    R8G8B8A8_UNORM = 9, "sample_8x8 only"
    R8B8_UNORM = 10, "interleaved Cr and Cb; sample_8x8 only"
    R8_UNORM = 11, "Cr or Cb alone; sample_8x8 only"
    Y8_UNORM = 12, "luma alone; sample_8x8 only"
    A8Y8U8V8_UNORM = 13, "", 7.5
    B8G8R8A8_UNORM = 14, "", 7.5
    R16G16B16A16 = 15, "", 7.5
    # Haswell's meaning of codes 5 to 7, for sample_8x8 and video analytics messages.
    Y8_UNORM_VA = 5
    Y16_SNORM = 6
    Y16_UNORM = 7


class PictureStructure(Codes):
    """Which rows of the frame the surface shows."""

    FRAME = 0
    TOP_FIELD = 1
    BOTTOM_FIELD = 2


class MediaTileMode(Codes):
    """Tiling of a media surface."""

    LINEAR = 0
    X = 2
    Y = 3


class MediaSurfaceState(Struct, name="MEDIA_SURFACE_STATE", dwords=8, source="003:3058-3210"):
    """Surface read by `deinterlace` and `sample_8x8`: 6 dwords used, 8 stored (elements are 32-byte aligned)."""

    base_address = Field(0, 31, 0, address, "byte address of the surface; tiled: a multiple of 4096")
    height = Field(1, 31, 18, minus_one, "rows of the luma plane, of one field if the surface shows a field")
    width = Field(1, 17, 4, minus_one, "pixels of the luma plane")
    picture_structure = Field(1, 3, 2, enum(PictureStructure), "frame, or one field of it")
    chroma_v_offset = Field(1, 1, 0, fixed("U0.2"), "vertical distance of chroma from the even luma rows; 4:2:0 only")
    format = Field(2, 31, 28, enum(MediaSurfaceFormat), "pixel format")
    interleave_chroma = Field(2, 27, 27, flag, "planar: U and V in one plane")
    memory_object_control = Field(2, 25, 22, unsigned, "cache control")
    pitch = Field(2, 20, 3, minus_one, "bytes from one row to the next")
    half_pitch_chroma = Field(2, 2, 2, flag, "planar: chroma rows have half the pitch")
    tile_mode = Field(2, 1, 0, enum(MediaTileMode), "memory tiling")
    x_offset_u = Field(3, 29, 16, unsigned, "pixels to the U (or UV) plane; not planar: to the surface")
    y_offset_u = Field(3, 14, 0, unsigned, "rows to the U (or UV) plane; not planar: to the surface")
    x_offset_v = Field(4, 29, 16, unsigned, "pixels to the V plane")
    y_offset_v = Field(4, 14, 0, unsigned, "rows to the V plane")
