"""SAMPLER_STATE and the border colors (seed 003:3222 and 003:4199)."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis
from texsamp.state.kinds import Codes, address, enum, fixed, flag, float16, float32, signed, unsigned


class BorderColorMode(Codes):
    """How the border color is stored and which channels it fills."""

    DX10_OGL = 0
    DX9 = 1


class MipFilter(Codes):
    """MIPFILTER_*."""

    NONE = 0
    NEAREST = 1
    LINEAR = 3


class MapFilter(Codes):
    """MAPFILTER_*."""

    NEAREST = 0
    LINEAR = 1
    ANISOTROPIC = 2
    MONO = 6


class AnisotropicAlgorithm(Codes):
    """LOD and line of anisotropy."""

    LEGACY = 0
    EWA = 1, "elliptical weighted average approximation"


class ShadowFunction(Codes):
    """PREFILTEROP_*: the comparison `texel op reference`; its result is 0.0 when true (hole S10)."""

    ALWAYS = 0
    NEVER = 1
    LESS = 2
    EQUAL = 3
    LEQUAL = 4
    GREATER = 5
    NOTEQUAL = 6
    GEQUAL = 7


class CubeControl(Codes):
    """Address control of cube surfaces."""

    PROGRAMMED = 0
    OVERRIDE = 1, "CUBE on all axes"


class ChromaKeyMode(Codes):
    """What happens to a texel in the key range."""

    KILL_ON_ANY_MATCH = 0
    REPLACE_BLACK = 1


class MaxAnisotropy(Codes):
    """Largest ratio of anisotropy."""

    RATIO_2 = 0
    RATIO_4 = 1
    RATIO_6 = 2
    RATIO_8 = 3
    RATIO_10 = 4
    RATIO_12 = 5
    RATIO_14 = 6
    RATIO_16 = 7


class TrilinearQuality(Codes):
    """When the lesser mip level is left out."""

    FULL = 0
    MED = 2, "below 25 %"
    LOW = 3, "below 37.5 %"


class AddressControl(Codes):
    """TEXCOORDMODE_*."""

    WRAP = 0
    MIRROR = 1
    CLAMP = 2
    CUBE = 3
    CLAMP_BORDER = 4
    MIRROR_ONCE = 5
    HALF_BORDER = 6, "named in the text only; the code is Gen8's (hole S7)"


class SamplerState(Struct, name="SAMPLER_STATE", dwords=4, source="003:3222-3539", until=7.5):
    """Sampling state, an element of an array of up to 16, the array 32-byte aligned."""

    disable = Field(0, 31, 31, flag, "all channels return 0")
    border_color_mode = Field(0, 29, 29, enum(BorderColorMode), "border color mode")
    lod_preclamp = Field(0, 28, 28, flag, "OGL: clamp the LOD before the choice of mag or min filter")
    base_mip_level = Field(0, 26, 22, fixed("U4.1"), "level at which magnification begins", legal=(0.0, 14.0))
    mip_filter = Field(0, 21, 20, enum(MipFilter), "filter between levels")
    mag_filter = Field(0, 19, 17, enum(MapFilter), "filter inside a level, magnifying")
    min_filter = Field(0, 16, 14, enum(MapFilter), "filter inside a level, minifying")
    lod_bias = Field(0, 13, 1, fixed("S4.8"), "added to the LOD")
    anisotropic_algorithm = Field(0, 0, 0, enum(AnisotropicAlgorithm), "LOD algorithm")
    min_lod = Field(1, 31, 20, fixed("U4.8"), "lower clamp of the LOD", legal=(0.0, 14.0))
    max_lod = Field(1, 19, 8, fixed("U4.8"), "upper clamp of the LOD", legal=(0.0, 14.0))
    shadow_function = Field(1, 3, 1, enum(ShadowFunction), "comparison of the _c messages")
    cube_control = Field(1, 0, 0, enum(CubeControl), "cube surfaces")
    border_color_pointer = Field(2, 31, 5, address, "SAMPLER_BORDER_COLOR_STATE, from Dynamic State Base")
    chroma_key_enable = Field(3, 25, 25, flag, "chroma key test on")
    chroma_key_index = Field(3, 24, 23, unsigned, "entry of the key table")
    chroma_key_mode = Field(3, 22, 22, enum(ChromaKeyMode), "effect of a match")
    max_anisotropy = Field(3, 21, 19, enum(MaxAnisotropy), "limit of the anisotropic filter")
    round_u_mag = Field(3, 18, 18, flag, "round U instead of truncating, magnifying")
    round_u_min = Field(3, 17, 17, flag, "round U, minifying")
    round_v_mag = Field(3, 16, 16, flag, "round V, magnifying")
    round_v_min = Field(3, 15, 15, flag, "round V, minifying")
    round_r_mag = Field(3, 14, 14, flag, "round R, magnifying")
    round_r_min = Field(3, 13, 13, flag, "round R, minifying")
    trilinear_quality = Field(3, 12, 11, enum(TrilinearQuality), "quality of the mip blend")
    non_normalized = Field(3, 10, 10, flag, "coordinates count texels")
    address_u = Field(3, 8, 6, enum(AddressControl), "address control of U")
    address_v = Field(3, 5, 3, enum(AddressControl), "address control of V")
    address_r = Field(3, 2, 0, enum(AddressControl), "address control of R")


class BorderColorState(Struct, name="SAMPLER_BORDER_COLOR_STATE", dwords=4, source="003:4199-4244", until=7.5):
    """Border color of DX10/OGL mode: four floats."""

    color = Array(0, 31, 0, float32, "red, green, blue, alpha", (Axis(4, 32),))


class BorderColorStateDx9(Struct, name="SAMPLER_BORDER_COLOR_STATE_DX9", dwords=4, source="003:4199-4244", until=7.5):
    """Border color of DX9 mode: four UNORM8 in dword 0."""

    color_unorm8 = Array(0, 7, 0, unsigned, "red, green, blue, alpha, 255 = 1.0", (Axis(4, 8),))


class BorderColorStateGen6(
    Struct, name="SAMPLER_BORDER_COLOR_STATE_GEN6", dwords=12, source="003:4246-4306", since=5, until=6
):
    """Border color of Ironlake and Sandy Bridge: every number format at once (hole S18); red, green, blue, alpha."""

    unorm8 = Array(0, 7, 0, unsigned, "UNORM8", (Axis(4, 8),))
    float32 = Array(1, 31, 0, float32, "FLOAT32", (Axis(4, 32),))
    float16 = Array(5, 15, 0, float16, "FLOAT16", (Axis(4, 16),))
    unorm16 = Array(7, 15, 0, unsigned, "UNORM16", (Axis(4, 16),))
    snorm16 = Array(9, 15, 0, signed, "SNORM16", (Axis(4, 16),))
    snorm8 = Array(11, 7, 0, signed, "SNORM8", (Axis(4, 8),))
