"""The color pipe: skin tones, total color control, contrast, procamp and color space conversion (docs/color.md)."""

from texsamp.video.color.contrast import Contrast
from texsamp.video.color.convert import ConvertColor
from texsamp.video.color.gamut import CompressGamut, outside_gamut
from texsamp.video.color.pipe import ColorPipe
from texsamp.video.color.procamp import Procamp
from texsamp.video.color.skintone import SkinTone, skin_scores
from texsamp.video.color.statistics import ColorStatistics, color_statistics
from texsamp.video.color.tcc import TotalColorControl

__all__ = [
    "ColorPipe",
    "ColorStatistics",
    "CompressGamut",
    "Contrast",
    "ConvertColor",
    "Procamp",
    "SkinTone",
    "TotalColorControl",
    "color_statistics",
    "outside_gamut",
    "skin_scores",
]
