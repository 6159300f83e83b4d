"""All tables of labels, by name."""

from __future__ import annotations

from texsamp.fidelity.analytics import CONVOLVE
from texsamp.fidelity.color import CONTRAST, CSC, GAMUT, MEDIA_WRITES, PROCAMP, SKINTONE, TCC
from texsamp.fidelity.deinterlace import DEINTERLACE, DEINTERLACE_MESSAGE
from texsamp.fidelity.denoise import DENOISE
from texsamp.fidelity.lut import LUT3D
from texsamp.fidelity.part import Part
from texsamp.fidelity.sampler import SAMPLER
from texsamp.fidelity.scale import SCALE, SCALE_MESSAGE
from texsamp.fidelity.sharpen import SHARPEN, SHARPEN_MESSAGE
from texsamp.fidelity.surfaces import BLOCKS, LAYOUT, TEXELS
from texsamp.fidelity.tonemap import TONEMAP

FILTERS: dict[str, tuple[Part, ...]] = {
    "denoise": DENOISE,
    "deinterlace": DEINTERLACE,
    "scale": SCALE,
    "sharpen": SHARPEN,
    "contrast": CONTRAST,
    "procamp": PROCAMP,
    "tcc": TCC,
    "skintone": SKINTONE,
    "gamut": GAMUT,
    "csc": CSC,
    "tonemap": TONEMAP,
    "lut3d": LUT3D,
}
"""The parts of every filter, in the order of README.md."""

TABLES: dict[str, tuple[Part, ...]] = {
    **FILTERS,
    "deinterlace, message": DEINTERLACE_MESSAGE,
    "scale, message": SCALE_MESSAGE,
    "sharpen, message": SHARPEN_MESSAGE,
    "color pipe, message": MEDIA_WRITES,
    "convolve": CONVOLVE,
    "sampler": SAMPLER,
    "texels": TEXELS,
    "layout": LAYOUT,
    "blocks": BLOCKS,
}
