"""The color filters' rows of the table of filters."""

from __future__ import annotations

from texsamp.fidelity import color as parts
from texsamp.video.color.contrast import KINDS as CONTRAST_KINDS
from texsamp.video.color.contrast import Contrast
from texsamp.video.color.convert import KINDS as CSC_KINDS
from texsamp.video.color.convert import ConvertColor
from texsamp.video.color.gamut import KINDS as GAMUT_KINDS
from texsamp.video.color.gamut import CompressGamut
from texsamp.video.color.procamp import KINDS as PROCAMP_KINDS
from texsamp.video.color.procamp import Procamp
from texsamp.video.color.skintone import KINDS as SKINTONE_KINDS
from texsamp.video.color.skintone import SkinTone
from texsamp.video.color.tcc import KINDS as TCC_KINDS
from texsamp.video.color.tcc import TotalColorControl
from texsamp.video.filter_spec import Filter, Option


def _level(name: str, doc: str) -> Option:
    return Option(name, name, PROCAMP_KINDS[name], doc, (name[0],))


PROCAMP = Filter(
    name="procamp",
    aliases=("eq",),
    stage=Procamp,
    doc="Brightness, contrast, saturation and hue (ProcAmp of the color pipe); the neutral setting changes no bit.",
    examples=("procamp=contrast=1.1:saturation=1.2", "procamp=b=-5", "procamp=hue=12.5"),
    options=(
        _level("brightness", "8-bit steps added to luma"),
        _level("contrast", "factor of luma and chroma"),
        _level("saturation", "factor of chroma"),
        _level("hue", "turn of chroma in degrees"),
    ),
    fidelity=parts.PROCAMP,
)

CSC = Filter(
    name="csc",
    aliases=("colorspace",),
    stage=ConvertColor,
    doc="Convert matrix, range or pixel format; primaries and transfer curve stay as they are.",
    positional=("matrix",),
    examples=("csc=bt709", "csc=range=full", "csc=format=rgba", "csc=matrix=bt601:format=yuv420p"),
    options=(
        Option("matrix", "matrix", CSC_KINDS["matrix"], "matrix of a YUV result"),
        Option("range", "range", CSC_KINDS["range"], "range of the result; keep makes RGB full and YUV of RGB limited"),
        Option("format", "format", CSC_KINDS["format"], "pixel format of the result"),
        Option(
            "in_matrix",
            "in_matrix",
            CSC_KINDS["in_matrix"],
            "matrix of the input; auto: its tag, or a guess that is told",
        ),
        Option(
            "in_range",
            "in_range",
            CSC_KINDS["in_range"],
            "range of the input; auto: its tag; else limited YUV, full RGB",
        ),
        Option(
            "chroma",
            "chroma",
            CSC_KINDS["chroma"],
            "4:2:0 or 4:2:2 to RGB: interpolated by its siting, or repeated, as the hardware does",
        ),
    ),
    fidelity=parts.CSC,
)

CONTRAST = Filter(
    name="contrast",
    aliases=("ace",),
    stage=Contrast,
    doc="Adaptive contrast: spread luma where the picture has its pixels (ACE of the color pipe).",
    positional=("strength",),
    examples=("contrast", "contrast=8"),
    options=(
        Option(
            "strength",
            "strength",
            CONTRAST_KINDS["strength"],
            "0 changes nothing; auto is 5, and less for pictures of few levels and where a sky would darken",
        ),
        Option(
            "histogram",
            "histogram",
            CONTRAST_KINDS["histogram"],
            "ours: of the pixels that are not skin; hardware: of all",
        ),
    ),
    fidelity=parts.CONTRAST,
)

SKINTONE = Filter(
    name="skintone",
    aliases=("ste",),
    stage=SkinTone,
    doc="Detect skin by its color and enhance its saturation and hue (STD/E of the color pipe).",
    positional=("level",),
    examples=("skintone", "skintone=6"),
    options=(
        Option(
            "level",
            "level",
            SKINTONE_KINDS["level"],
            "up to 3: ever more toward the middle of skin; above: ever more saturated",
        ),
    ),
    fidelity=parts.SKINTONE,
)

TCC = Filter(
    name="tcc",
    aliases=("colorcontrol",),
    stage=TotalColorControl,
    doc="Saturation of six colors, each for itself (total color control); 1 is neutral.",
    examples=("tcc=green=1.3:blue=1.2", "tcc=red=0.8"),
    options=tuple(Option(color, color, kind, f"saturation factor of {color}") for color, kind in TCC_KINDS.items()),
    fidelity=parts.TCC,
)

GAMUT = Filter(
    name="gamut",
    aliases=("cgc",),
    stage=CompressGamut,
    doc="Draw colors outside the RGB cube to it along their hue (color gamut compression).",
    positional=("mode",),
    examples=("gamut", "gamut=advanced:to=bt709", "gamut=to=bt709:from=bt2020"),
    options=(
        Option(
            "mode",
            "mode",
            GAMUT_KINDS["mode"],
            "basic: what is outside goes to the boundary; advanced: all is squeezed",
        ),
        Option("to", "to", GAMUT_KINDS["to"], "matrix whose RGB cube it is; auto: the video's"),
        Option(
            "from",
            "source",
            GAMUT_KINDS["from"],
            "what is brought to the primaries of bt709 or bt601 as well; auto: video tagged BT.2020",
        ),
    ),
    fidelity=parts.GAMUT,
)

COLOR_FILTERS = (PROCAMP, CSC, SKINTONE, TCC, GAMUT, CONTRAST)
