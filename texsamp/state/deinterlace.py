"""SAMPLER_STATE for the deinterlace message (seed 003:3669, repaired as holes T9 to T11).

Where the manual names no default, the value drivers use for motion-adaptive deinterlacing is the default.
"""

from texsamp.state.base import Field, Struct
from texsamp.state.kinds import Codes, biased, enum, flag, minus_one, unsigned


class WalkerStride(Codes):
    """Rows of blocks one of two deinterlacers takes before it leaves as many to the other."""

    STRIDE_1 = 0, "second half-slice starts one surface height further"
    STRIDE_2 = 1, "second half-slice starts 1 block further"
    STRIDE_4 = 2, "second half-slice starts 2 blocks further"
    STRIDE_8 = 3, "second half-slice starts 4 blocks further"


class StmmSelect(Codes):
    """STMM value the motion detection threshold uses."""

    MINIMUM = 0
    MAXIMUM = 1


class StmmShiftDown(Codes):
    """Quantizing shift of the motion measure."""

    SHIFT_4 = 0
    SHIFT_5 = 1
    SHIFT_6 = 2
    RESERVED_AS_4 = 3, "reserved by the manual, programmed by the Ivy Bridge driver: acts as shift 4"


class StmmShiftUp(Codes):
    """Shift back of the quantized motion measure."""

    SHIFT_6 = 0
    SHIFT_7 = 1
    SHIFT_8 = 2


class FieldPairing(Codes):
    """What a field of the output frame is made of."""

    DEINTERLACE = 0
    PREVIOUS_FIELD = 1, "woven with the previous field"
    NEXT_FIELD = 2, "woven with the next field"


class DeinterlaceSamplerState(Struct, name="DEINTERLACE_SAMPLER_STATE", dwords=8, source="003:3669-3922"):
    """Denoise, deinterlace and film detection parameters; the sampler index is a multiple of 2 (hole T21)."""

    stad_threshold = Field(0, 31, 24, unsigned, "4x4 temporal difference that makes a block moving", 140)
    max_history = Field(0, 23, 16, unsigned, "largest denoise history: temporal weight in 1/256", 192, (128, 240))
    walker_frame_sharing = Field(0, 14, 14, flag, "two deinterlacers share the frame")
    walker_y_stride = Field(0, 13, 12, enum(WalkerStride), "how they share it")
    history_delta = Field(0, 11, 8, unsigned, "denoise history added per static frame", 8)
    asd_threshold = Field(0, 7, 0, unsigned, "absolute value of the signed 4x4 difference", 38, (0, 63))
    temporal_difference_threshold = Field(1, 29, 24, unsigned, "above: spatial filter only; 1 to 16 over the low one")
    low_temporal_difference_threshold = Field(1, 21, 16, unsigned, "below: temporal filter only")
    stmm_c2 = Field(1, 15, 13, biased(1), "bias of the divisor in the STMM equation", 3)
    moving_pixel_threshold = Field(1, 12, 8, unsigned, "moving pixels that make a block moving", 1, (0, 16))
    scm_threshold = Field(1, 7, 0, unsigned, "sum of complexity measure that gates the ASD rule", 38)
    good_neighbor_threshold = Field(2, 29, 24, unsigned, "largest difference of a neighbor the spatial filter uses", 4)
    cat_slope = Field(2, 23, 20, minus_one, "slope of the content-adaptive threshold", 10)
    sad_tight_threshold = Field(2, 19, 16, unsigned, "motion compensation: tight block match", 5)
    smooth_mv_threshold = Field(2, 15, 14, unsigned, "motion compensation: agreement of vectors")
    bne_edge_threshold = Field(2, 11, 8, unsigned, "block noise estimate: edge", 1)
    bne_noise_threshold = Field(2, 7, 0, unsigned, "block noise estimate: maximum minus minimum", 20, (0, 31))
    stmm_select = Field(3, 31, 31, enum(StmmSelect), "STMM value for the motion detection threshold")
    large_stmm_blend = Field(3, 30, 24, unsigned, "weight of the old STMM for large values, 1/256", 64)
    small_stmm_blend = Field(3, 23, 16, unsigned, "weight of the old STMM for small values, 1/256", 125)
    vecm_multiplier = Field(3, 13, 8, unsigned, "strength of the vertical edge complexity measure", 30)
    max_stmm = Field(3, 7, 0, unsigned, "largest STMM in the blend", 150)
    min_stmm = Field(4, 31, 24, unsigned, "smallest STMM in the blend; max - min = 2 ** stmm_output_shift", 118)
    stmm_shift_down = Field(4, 23, 22, enum(StmmShiftDown), "quantizing shift")
    stmm_shift_up = Field(4, 21, 20, enum(StmmShiftUp), "shift back", "SHIFT_7")
    stmm_output_shift = Field(4, 19, 16, unsigned, "shift of the blend", 5)
    sdi_threshold = Field(4, 15, 8, unsigned, "spatial deinterlacing: angle detection", 100)
    sdi_delta = Field(4, 7, 0, unsigned, "spatial deinterlacing: angle detection", 5)
    sdi_fallback1_t1 = Field(5, 31, 24, unsigned, "spatial deinterlacing: fallback mode 1, constant T1", 50)
    sdi_fallback1_t2 = Field(5, 23, 16, unsigned, "spatial deinterlacing: fallback mode 1, constant T2", 100)
    sdi_fallback2 = Field(5, 15, 8, unsigned, "spatial deinterlacing: fallback mode 2, constant angle2x1", 37)
    fmd_temporal_difference = Field(5, 7, 0, unsigned, "film detection: temporal difference", 175)
    fmd_vertical_difference1 = Field(6, 31, 24, unsigned, "film detection: vertical difference 1", 16)
    fmd_vertical_difference2 = Field(6, 23, 16, unsigned, "film detection: vertical difference 2", 100)
    cat_threshold1 = Field(6, 15, 14, unsigned, "content-adaptive threshold 1")
    fmd_tear_threshold = Field(6, 13, 8, unsigned, "film detection: tear", 2)
    mcdi_enable = Field(6, 7, 7, flag, "motion-compensated deinterlacing")
    progressive_dn = Field(6, 6, 6, flag, "denoise neighbors are adjacent lines; deinterlacing must be off")
    first_frame = Field(6, 5, 5, flag, "no previous denoised frame and no previous statistics")
    stream_id = Field(6, 4, 4, unsigned, "which of two streams the counters belong to")
    top_first = Field(6, 3, 3, flag, "the top field comes first")
    di_partial = Field(6, 2, 2, flag, "partial writeback")
    di_enable = Field(6, 1, 1, flag, "deinterlacing on; it and dn_enable cannot both be off")
    dn_enable = Field(6, 0, 0, flag, "denoise on")
    column_width = Field(7, 31, 23, minus_one, "walker: width of a column")
    neighbor_pixel_threshold = Field(7, 22, 19, unsigned, "motion compensation: neighbor pixel", 10)
    walker_enable = Field(7, 18, 18, flag, "the hardware walks the frame instead of the driver")
    fmd_second_field = Field(7, 17, 16, enum(FieldPairing), "second field of the previous frame")
    mc_pixel_consistency_threshold = Field(7, 15, 10, unsigned, "motion compensation: consistency", 25)
    fmd_first_field = Field(7, 9, 8, enum(FieldPairing), "first field of the current frame")
    sad_threshold_b = Field(7, 7, 4, unsigned, "motion compensation: block match B", 10)
    sad_threshold_a = Field(7, 3, 0, unsigned, "motion compensation: block match A", 5)
