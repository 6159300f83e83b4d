"""The table of filters. Help, validation, docs/filters.md and `--explain` all come from it."""

from __future__ import annotations

from typing import get_args

from texsamp.video.color.filters import COLOR_FILTERS
from texsamp.video.deinterlace.filters import DEINTERLACE
from texsamp.video.denoise.filters import DENOISE
from texsamp.video.filter_spec import Fidelity, Filter, Option
from texsamp.video.options import Choice, Integer, Real
from texsamp.video.presets.avs import COEFFICIENT_PRESETS
from texsamp.video.presets.ief import HIGHEST_LEVEL
from texsamp.video.scale import Scale
from texsamp.video.scale.avs import Edge
from texsamp.video.scale.positions import MAX_SIZE_PX
from texsamp.video.scale.stage import Adaptive, Align
from texsamp.video.sharpen import Sharpen

_SIZE = Integer(1, MAX_SIZE_PX, (-1, -2), "keeps the aspect of the picture; -2 makes it even")

SCALE = Filter(
    name="scale",
    aliases=("avs",),
    stage=Scale,
    doc="Scale with the adaptive video scaler (AVS), an 8x8 polyphase filter with 32 phases.",
    positional=("width", "height"),
    joint="x",
    examples=("scale=1280x720", "scale=-2:720:preset=ihd", "scale=1920x1080:adaptive=on:align=hardware"),
    options=(
        Option("width", "width_px", _SIZE, "width of the result in pixels", ("w",)),
        Option("height", "height_px", _SIZE, "height of the result in pixels", ("h",)),
        Option("preset", "preset", Choice(COEFFICIENT_PRESETS), "the coefficients of the sharp filter"),
        Option(
            "adaptive",
            "adaptive",
            Choice(get_args(Adaptive)),
            "blend toward the smooth filter where the sharp one would ring: luma (G), or all channels (4:4:4 and RGB)",
        ),
        Option(
            "align",
            "align",
            Choice(get_args(Align)),
            "center: picture edges and chroma siting stay in place; hardware: sample where Gen7 was made to sample, "
            "with its 17 stored coefficient rows",
        ),
        Option("edge", "edge", Choice(get_args(Edge)), "what lies outside the picture"),
        Option(
            "nonlinear",
            "nonlinear",
            Real(0, 1),
            "anamorphic stretch: 0 is even, toward 1 the middle keeps its shape and the sides stretch",
        ),
        Option(
            "prefilter",
            "prefilter",
            Choice(("auto", "off")),
            "auto: low-pass a picture that gets smaller; off: alias as the hardware does",
        ),
    ),
    fidelity=(
        Fidelity("8x8 polyphase filter, its tables and phases", "exact", "seed 003:1584-1626, 4011-4198; A1, A6"),
        Fidelity("rounding between the steps", "reconstructed", "A3: full precision until the end"),
        Fidelity(
            "adaptive blend", "reconstructed", "A4: the figure is lost; field texts remain", "adaptive", ("on", "all")
        ),
        Fidelity(
            "coefficients", "reconstructed", "rule of intel-vaapi-driver, equal to captured state", "preset", ("i965",)
        ),
        Fidelity("coefficients", "reconstructed", "rule of media-driver, equal to its known rows", "preset", ("ihd",)),
        Fidelity(
            "coefficients", "ours", "docs/presets.md", "preset", ("lanczos3", "lanczos4", "catmull-rom", "bilinear")
        ),
        Fidelity("sample positions", "ours", "edges and chroma siting in place, phase rounded", "align", ("center",)),
        Fidelity(
            "sample positions",
            "reconstructed",
            "seed 003:4806-4811, 1906-1925; A1, A2: scaled to texels first",
            "align",
            ("hardware",),
        ),
        Fidelity("clamped edges", "exact", "seed 003:4802", "edge", ("clamp",)),
        Fidelity("mirrored edges", "exact", "seed 003:1787-1890; V2", "edge", ("mirror",)),
        Fidelity("shape of the stretch", "ours", "second derivative of seed 003:4806-4811, centered", "nonlinear"),
        Fidelity(
            "low-pass when the picture gets smaller",
            "ours",
            "the hardware has none; not with align=hardware",
            "prefilter",
            ("auto",),
        ),
    ),
)

SHARPEN = Filter(
    name="sharpen",
    aliases=("ief",),
    stage=Sharpen,
    doc="Sharpen luma with the image enhancement filter (IEF); chroma is untouched.",
    positional=("level",),
    examples=("sharpen", "sharpen=20", "sharpen=44:skintone=on"),
    options=(
        Option(
            "level",
            "level",
            Integer(0, HIGHEST_LEVEL),
            f"strength; 0 changes nothing, {HIGHEST_LEVEL} means {HIGHEST_LEVEL - 1}",
        ),
        Option("skintone", "skintone", Choice(("off", "on")), "on: detect skin, and sharpen it less"),
    ),
    fidelity=(
        Fidelity("edge measure and its three classes", "exact", "seed 003:1657-1679; E1"),
        Fidelity("detail filter", "reconstructed", "E2: the equations are lost; 5x5 minus 3x3 detail, gain and weight"),
        Fidelity("level table", "reconstructed", "table of media-driver"),
        Fidelity("skin tone detection", "exact", "seed 003:6160-6349; docs/color.md", "skintone", ("on",)),
        Fidelity("tuning by the score", "reconstructed", "E4: the delta times 1 - score", "skintone", ("on",)),
    ),
)

FILTERS: tuple[Filter, ...] = (DENOISE, DEINTERLACE, SCALE, SHARPEN, *COLOR_FILTERS)
"""Every filter that runs."""


def find_filter(name: str, filters: tuple[Filter, ...] = FILTERS) -> Filter | None:
    """The filter of a name or alias."""
    return next((f for f in filters if name == f.name or name in f.aliases), None)
