"""How close two pictures are: PSNR, SSIM and the first difference. Plain numpy; knows nothing of devices or files."""

from texsamp.quality.comparison import Comparison, Planes, PlaneScores, compare_streams, first_stream_difference
from texsamp.quality.difference import Difference, first_difference
from texsamp.quality.psnr import mean_squared_error, psnr, psnr_from_mse
from texsamp.quality.ssim import ssim

__all__ = [
    "Comparison",
    "Difference",
    "PlaneScores",
    "Planes",
    "compare_streams",
    "first_difference",
    "first_stream_difference",
    "mean_squared_error",
    "psnr",
    "psnr_from_mse",
    "ssim",
]
