"""The statistics register of the deinterlace writebacks, by generation and mode (seed 003:5614, holes I20 and I21).

Blocks of the denoise history are numbered from left to right; the manual's labels swap X and Y. What deinterlacing
returns covers 16x4 pixels, what denoising alone returns 16x8.
"""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis
from texsamp.state.kinds import unsigned

_FOUR_FROM_THE_TOP = (Axis(4, -8),)
_HISTORY = (Axis(4, 8),)
_HISTORY_2_ROWS = (Axis(2, 32), Axis(4, 8))
_TOP_AND_BOTTOM = (Axis(2, -48),)


class _Place(Struct):
    """Where the block lies in the frame."""

    y = Field(7, 31, 16, unsigned, "first row of the block")
    x = Field(7, 15, 0, unsigned, "first pixel of the block")


class _ColumnSums(_Place):
    """Sandy Bridge: sums for each of the four columns of the block, 4 pixels wide."""

    stad = Array(6, 31, 24, unsigned, "sum in time of absolute differences, column 0 to 3", _FOUR_FROM_THE_TOP)
    shcm = Array(5, 31, 24, unsigned, "sum horizontally of absolute differences, column 0 to 3", _FOUR_FROM_THE_TOP)
    svcm = Array(4, 31, 24, unsigned, "sum vertically of absolute differences, column 0 to 3", _FOUR_FROM_THE_TOP)


class DeinterlaceStatisticsGen5(
    Struct, name="DEINTERLACE_STATISTICS_GEN5", dwords=8, source="003:5614-5631", since=5, until=5
):
    """Statistics before Sandy Bridge, in every mode."""

    block_noise_estimate = Field(1, 7, 0, unsigned, "block noise estimate")
    denoise_history = Array(0, 7, 0, unsigned, "denoise history of the 4x4 blocks, left to right", _HISTORY)


class DeinterlaceStatisticsGen6(
    _ColumnSums, name="DEINTERLACE_STATISTICS_GEN6", dwords=8, source="003:5633-5705", since=6, until=6
):
    """Statistics of Sandy Bridge, deinterlacing."""

    diff_ctpt = Field(3, 31, 16, unsigned, "difference of the top fields, current and previous frame")
    diff_cbpb = Field(3, 15, 0, unsigned, "difference of the bottom fields, current and previous frame")
    diff_ctcb = Field(2, 31, 16, unsigned, "difference of top and bottom field of the current frame")
    diff_ctpb = Field(2, 15, 0, unsigned, "difference of current top and previous bottom field")
    diff_cbpt = Field(1, 31, 16, unsigned, "difference of current bottom and previous top field")
    motion_count = Field(1, 15, 8, unsigned, "pixels that move")
    block_noise_estimate = Field(1, 7, 0, unsigned, "block noise estimate")
    denoise_history = Array(0, 7, 0, unsigned, "denoise history of the 4x4 blocks, left to right", _HISTORY)


class DenoiseStatisticsGen6(
    _ColumnSums,
    name="DENOISE_STATISTICS_GEN6",
    dwords=8,
    source="003:5707-5735",
    since=6,
    until=6,
    ignores_rest=True,
):
    """Statistics of Sandy Bridge, denoising alone."""

    block_noise_estimate = Field(2, 7, 0, unsigned, "block noise estimate")
    denoise_history = Array(0, 7, 0, unsigned, "denoise history of the 4x4 blocks, by row", _HISTORY_2_ROWS)


class DeinterlaceStatistics(_Place, name="DEINTERLACE_STATISTICS", dwords=8, source="003:5737-5763"):
    """Statistics of Ivy Bridge and later, deinterlacing."""

    stad = Field(6, 31, 16, unsigned, "sum in time of absolute differences; 0 without denoise")
    shcm = Field(6, 15, 0, unsigned, "sum horizontally of absolute differences; 0 without denoise")
    svcm = Field(5, 31, 16, unsigned, "sum vertically of absolute differences; 0 without denoise")
    diff_ctpt = Field(5, 15, 0, unsigned, "difference of the top fields, current and previous frame")
    diff_cbpb = Field(4, 31, 16, unsigned, "difference of the bottom fields, current and previous frame")
    diff_ctcb = Field(4, 15, 0, unsigned, "difference of top and bottom field of the current frame")
    diff_ctpb = Field(3, 31, 16, unsigned, "difference of current top and previous bottom field")
    diff_cbpt = Field(3, 15, 0, unsigned, "difference of current bottom and previous top field")
    tearing_count = Field(1, 31, 24, unsigned, "pixels that tear")
    fitting_count = Field(1, 23, 16, unsigned, "pixels that fit")
    motion_count = Field(1, 15, 8, unsigned, "pixels that move")
    block_noise_estimate = Field(1, 7, 0, unsigned, "block noise estimate")
    denoise_history = Array(0, 7, 0, unsigned, "denoise history of the 4x4 blocks, left to right", _HISTORY)


class DenoiseStatistics(_Place, name="DENOISE_STATISTICS", dwords=8, source="003:5765-5790"):
    """Statistics of Ivy Bridge and later, denoising alone; sums of the top 16x4 pixels, then of the bottom ones."""

    stad = Array(6, 31, 16, unsigned, "sum in time of absolute differences, top and bottom", _TOP_AND_BOTTOM)
    shcm = Array(6, 15, 0, unsigned, "sum horizontally of absolute differences, top and bottom", _TOP_AND_BOTTOM)
    svcm = Array(5, 31, 16, unsigned, "sum vertically of absolute differences, top and bottom", _TOP_AND_BOTTOM)
    block_noise_estimate = Field(2, 7, 0, unsigned, "block noise estimate")
    denoise_history = Array(0, 7, 0, unsigned, "denoise history of the 4x4 blocks, by row", _HISTORY_2_ROWS)
