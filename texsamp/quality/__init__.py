"""How close two pictures are, and whether samples are what they may be. Plain numpy; no devices, no files."""

from texsamp.quality.comparison import (
    Comparison,
    FrameScores,
    Planes,
    PlaneScores,
    compare_streams,
    first_stream_difference,
)
from texsamp.quality.difference import Difference, first_difference
from texsamp.quality.psnr import mean_squared_error, psnr, psnr_from_mse
from texsamp.quality.ssim import ssim
from texsamp.quality.verifier import PRECISIONS, Precision, Report, Rules, Texture, verify, verify_mono

__all__ = [
    "PRECISIONS",
    "Comparison",
    "Difference",
    "FrameScores",
    "PlaneScores",
    "Planes",
    "Precision",
    "Report",
    "Rules",
    "Texture",
    "compare_streams",
    "first_difference",
    "first_stream_difference",
    "mean_squared_error",
    "psnr",
    "psnr_from_mse",
    "ssim",
    "verify",
    "verify_mono",
]
