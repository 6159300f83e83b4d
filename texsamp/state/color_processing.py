"""COLOR_PROCESSING_STATE, the seven parts of one block of 67 dwords (seed 003:7119, repaired as holes T15 to T19)."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis, Listed
from texsamp.state.kinds import Codes, enum, fixed, flag, signed, unsigned


class StdOutput(Codes):
    """What the skin tone stage puts out."""

    PIXELS = 0
    STD_DECISIONS = 1, "the skin tone score, for inspection"


class PairMode(Codes):
    """How two luma samples sharing one chroma pair combine a factor."""

    MINIMUM = 0
    MAXIMUM = 1
    AVERAGE = 2


class ColorSpace(Codes):
    """Display color space, whose cube gamut compression fills (Valleyview PRM volume 2 part 4, page 60)."""

    BT709 = 0
    BT601 = 1


class GamutMapping(Codes):
    """Gamut compression mode."""

    BASIC = 0, "out-of-range pixels only"
    ADVANCED = 1, "full range mapping"


SKIN_TYPES = Axis(2, 7 * 32)
"""First the bright set of the enhancement curves, then the dark one."""

_S28, _U38, _S72, _U0_16 = fixed("S2.8"), fixed("U3.8"), fixed("S7.2"), fixed("U0.16")


class ColorProcessingState(Struct, name="COLOR_PROCESSING_STATE", dwords=67, source="003:7119-8116"):
    """Skin tone (DW0), contrast (DW29), total color control (DW42), procamp (DW53), CSC (DW55), gamut (DW64).

    Rows with several values list them in the manual's order: P0 to P3, S0 to S3, SatFactor1 to 6, C0 to C8.
    """

    v_mid = Field(0, 31, 24, unsigned, "skin rectangle: V of the center", 154)
    u_mid = Field(0, 23, 16, unsigned, "skin rectangle: U of the center", 110)
    hue_max = Field(0, 15, 10, unsigned, "skin rectangle: half width", 14)
    sat_max = Field(0, 9, 4, unsigned, "skin rectangle: half length", 31)
    std_output = Field(0, 2, 2, enum(StdOutput), "what is put out")
    ste_enable = Field(0, 1, 1, flag, "skin tone enhancement on")
    std_enable = Field(0, 0, 0, flag, "skin tone detection on")
    diamond_margin = Field(1, 30, 28, unsigned, "skin rhombus: log2 of the transition", 4)
    diamond_du = Field(1, 27, 21, signed, "skin rhombus: shift of the center along saturation")
    hs_margin = Field(1, 20, 18, unsigned, "skin rectangle: log2 of the transition", 3)
    cos_alpha = Field(1, 17, 10, fixed("S0.7"), "cosine of the skin axis", 79 / 128)
    sin_alpha = Field(1, 7, 0, fixed("S0.7"), "sine of the skin axis", 101 / 128)
    diamond_alpha = Field(2, 20, 13, fixed("U2.6"), "skin rhombus: 1 / tan of its angle", 100 / 64)
    diamond_threshold = Field(2, 12, 7, unsigned, "skin rhombus: half length along saturation", 35)
    diamond_dv = Field(2, 6, 0, signed, "skin rhombus: shift of the center along hue")
    y_points = Listed(
        ((3, 15, 8), (3, 23, 16), (3, 31, 24), (4, 7, 0)),
        unsigned,
        "luma membership, points 1 to 4",
        (46, 47, 254, 255),
    )
    vy_std_enable = Field(3, 7, 7, flag, "detection in the V-Y plane as well")
    y_slopes = Listed(((4, 12, 8), (4, 17, 13)), fixed("U2.3"), "luma membership, slopes 1 and 2", 31 / 8)
    inverse_skin_types_margin = Field(5, 31, 16, _U0_16, "1 / (2 * skin_types_margin)", 20 / 65536)
    inverse_margin_vyl = Field(5, 15, 0, _U0_16, "1 / margin of the lower V-Y curve", 3300 / 65536)
    inverse_margin_vyu = Field(6, 15, 0, _U0_16, "1 / margin of the upper V-Y curve", 1600 / 65536)
    lower_points = Listed(
        ((6, 23, 16), (6, 31, 24), (7, 7, 0), (7, 15, 8)),
        unsigned,
        "lower V-Y curve: Y of P0L to P3L",
        (46, 216, 236, 236),
    )
    lower_biases = Listed(
        ((7, 23, 16), (7, 31, 24), (8, 7, 0), (8, 15, 8)),
        unsigned,
        "lower V-Y curve: V of B0L to B3L",
        (133, 130, 130, 130),
    )
    lower_slopes = Listed(
        ((8, 26, 16), (9, 10, 0), (9, 21, 11), (10, 10, 0)),
        _S28,
        "lower V-Y curve: S0L to S3L",
        (-5 / 256, 0.0, 0.0, 0.0),
    )
    upper_points = Listed(
        ((10, 18, 11), (10, 26, 19), (11, 7, 0), (11, 15, 8)),
        unsigned,
        "upper V-Y curve: Y of P0U to P3U",
        (46, 66, 150, 236),
    )
    upper_biases = Listed(
        ((11, 23, 16), (11, 31, 24), (12, 7, 0), (12, 15, 8)), unsigned, "upper V-Y curve: V of B0U to B3U",
        (143, 163, 200, 140),
    )  # fmt: skip
    upper_slopes = Listed(
        ((12, 26, 16), (13, 10, 0), (13, 21, 11), (14, 10, 0)), _S28, "upper V-Y curve: S0U to S3U",
        (1.0, 113 / 256, -179 / 256, 0.0),
    )  # fmt: skip
    skin_types_margin = Field(14, 27, 20, unsigned, "luma margin between bright and dark skin", 20)
    skin_types_threshold = Field(14, 19, 12, unsigned, "luma threshold between bright and dark skin", 120)
    skin_types_enable = Field(14, 11, 11, flag, "bright and dark skin have their own curves")
    sat_points = Listed(
        ((15, 6, 0), (15, 13, 7), (15, 20, 14)), signed, "saturation curves: SATP1 to SATP3, bright then dark",
        ((-6, 6, 31), (-11, 31, 31)), axes=(SKIN_TYPES,),
    )  # fmt: skip
    sat_biases = Listed(
        ((15, 30, 21), (16, 9, 0), (16, 19, 10)), _S72, "saturation curves: SATB1 to SATB3, bright then dark",
        ((-2.0, 2.0, 31.0), (0.0, 31.0, 31.0)), axes=(SKIN_TYPES,),
    )  # fmt: skip
    sat_slopes = Listed(
        ((16, 30, 20), (17, 10, 0), (17, 21, 11), (18, 10, 0)), _U38,
        "saturation curves: SATS0 to SATS3, bright then dark",
        ((297 / 256, 85 / 256, 297 / 256, 1.0), (397 / 256, 189 / 256, 1.0, 1.0)), axes=(SKIN_TYPES,),
    )  # fmt: skip
    hue_points = Listed(
        ((18, 17, 11), (18, 24, 18), (18, 31, 25)), signed, "hue curves: HUEP1 to HUEP3, bright then dark",
        ((-6, 6, 14), (0, 2, 14)), axes=(SKIN_TYPES,),
    )  # fmt: skip
    hue_biases = Listed(
        ((19, 9, 0), (19, 19, 10), (19, 29, 20)), _S72, "hue curves: HUEB1 to HUEB3, bright then dark",
        ((-2.0, 2.0, 14.0), (0.0, 0.0, 14.0)), axes=(SKIN_TYPES,),
    )  # fmt: skip
    hue_slopes = Listed(
        ((20, 10, 0), (20, 21, 11), (21, 10, 0), (21, 21, 11)), _U38, "hue curves: HUES0 to HUES3, bright then dark",
        ((384 / 256, 85 / 256, 384 / 256, 1.0), (1.0, 0.0, 299 / 256, 1.0)), axes=(SKIN_TYPES,),
    )  # fmt: skip

    ace_skin_threshold = Field(29, 6, 2, unsigned, "score above which a pixel counts as skin", 26, (1, 31))
    full_image_histogram = Field(29, 1, 1, flag, "histogram over the whole image, not the area of interest")
    ace_enable = Field(29, 0, 0, flag, "contrast curve on")
    ace_points = Array(
        30, 7, 0, unsigned, "contrast curve: Ymin, Y1 to Y10, Ymax", (Axis(12, 8),),
        (16, 36, 56, 76, 96, 116, 136, 156, 176, 196, 216, 235),
    )  # fmt: skip
    ace_biases = Array(
        33, 7, 0, unsigned, "contrast curve: B1 to B10", (Axis(10, 8),), (36, 56, 76, 96, 116, 136, 156, 176, 196, 216)
    )
    ace_slopes = Array(36, 10, 0, fixed("U1.10"), "contrast curve: S0 to S10", (Axis(11, 16),), 1.0)

    tcc_enable = Field(42, 7, 7, flag, "total color control on")
    sat_factors = Listed(
        ((42, 15, 8), (42, 23, 16), (42, 31, 24), (43, 15, 8), (43, 23, 16), (43, 31, 24)), fixed("U1.7"),
        "saturation of magenta, red, yellow, green, cyan, blue", 220 / 128,
    )  # fmt: skip
    base_colors = Listed(
        ((44, 9, 0), (44, 19, 10), (44, 29, 20), (45, 9, 0), (45, 19, 10), (45, 29, 20)), unsigned,
        "hue angles of the six base colors, 1024 = full turn", (145, 307, 483, 657, 819, 995),
    )  # fmt: skip
    color_transit_slopes = Array(
        46, 15, 0, _U0_16, "1 / distance of base colors 12, 23, 34, 45, 56, 61", (Axis(6, 16),),
        (405 / 65536, 744 / 65536, 1131 / 65536, 407 / 65536, 372 / 65536, 377 / 65536),
    )  # fmt: skip
    color_biases = Listed(
        ((49, 11, 2), (49, 21, 12), (49, 31, 22), (50, 11, 2), (50, 21, 12), (50, 31, 22)), fixed("U2.8"),
        "bias of the six base colors", (0.0, 150 / 256, 0.0, 0.0, 0.0, 0.0),
    )  # fmt: skip
    uv_threshold = Field(51, 30, 24, unsigned, "chroma below it is grey", 3)
    uv_threshold_bits = Field(51, 18, 16, unsigned, "log2 of the transition from grey", 3)
    ste_threshold = Field(51, 12, 8, unsigned, "skin score above which the color control fades")
    ste_slope_bits = Field(51, 2, 0, unsigned, "log2 of that fade's slope")
    inverse_uv_max = Field(52, 31, 16, _U0_16, "1 / uv_max", 146 / 65536)
    uv_max = Field(52, 8, 0, unsigned, "largest chroma the control may produce", 448)

    contrast = Field(53, 27, 17, fixed("U4.7"), "procamp: contrast", 1.0)
    brightness = Field(53, 12, 1, fixed("S7.4"), "procamp: brightness in 8-bit units")
    procamp_enable = Field(53, 0, 0, flag, "procamp on", True)
    cos_c_s = Field(54, 31, 16, fixed("S7.8"), "procamp: contrast * saturation * cos(hue)", 1.0)
    sin_c_s = Field(54, 15, 0, fixed("S7.8"), "procamp: contrast * saturation * sin(hue)")

    csc_coefficients = Listed(
        ((55, 15, 3), (55, 28, 16), (56, 12, 0), (56, 25, 13), (57, 12, 0), (57, 25, 13), (58, 12, 0), (58, 25, 13),
         (59, 12, 0)),
        fixed("S2.10"), "color space matrix C0 to C8, row by row", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    )  # fmt: skip
    csc_yuv_in = Field(55, 2, 2, flag, "apply the input offsets (hole T20)")
    csc_yuv_out = Field(55, 1, 1, flag, "apply the output offsets (hole T20)")
    csc_enable = Field(55, 0, 0, flag, "color space conversion on")
    csc_offsets_in = Array(60, 9, 0, signed, "added before the matrix, 10-bit units: Y/R, U/G, V/B", (Axis(3, 32),))
    csc_offsets_out = Array(60, 19, 10, signed, "added after the matrix, 10-bit units: Y/R, U/G, V/B", (Axis(3, 32),))
    alpha_from_state = Field(63, 16, 16, flag, "alpha comes from this state, not from the message")
    alpha = Field(63, 15, 0, unsigned, "16-bit alpha")

    gamut_enable = Field(64, 31, 31, flag, "gamut compression on")
    gamut_mapping = Field(64, 30, 30, enum(GamutMapping), "mode")
    gamut_d_in = Field(64, 29, 20, unsigned, "inner triangle mapping length, 1024 = 1.0", 205)
    gamut_d_out = Field(64, 19, 10, unsigned, "outer triangle mapping length", 164)
    gamut_d1_out = Field(64, 9, 0, unsigned, "outer triangle mapping length below", 287)
    compression_line_shift = Field(65, 30, 28, unsigned, "shift of the compression line", 3, (0, 4))
    gamut_d1_in = Field(65, 9, 0, unsigned, "inner triangle mapping length below", 820)
    xvycc_enable = Field(66, 31, 31, flag, "decode and encode xvYCC; valid with gamut compression", True)
    forced_444_for_444 = Field(66, 30, 30, flag, "treat 4:4:4 input as 4:4:4 without detection")
    forced_422_for_444 = Field(66, 29, 29, flag, "treat 4:4:4 input as 4:2:2")
    forced_444_for_422 = Field(66, 28, 28, flag, "treat 4:2:2 input as 4:4:4")
    std_factor_mode = Field(66, 27, 26, enum(PairMode), "skin score of a chroma pair", "AVERAGE")
    mv_dark_factor_mode = Field(66, 25, 24, enum(PairMode), "dark skin factor of a chroma pair", "AVERAGE")
    scaling_factor_mode = Field(66, 23, 22, enum(PairMode), "gamut scaling factor of a chroma pair", "AVERAGE")
    vertex_color_space = Field(66, 3, 0, enum(ColorSpace), "vertex table")
