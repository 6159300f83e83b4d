"""The table of filters. Help, validation, docs/filters.md and `--explain` all come from it."""

from __future__ import annotations

from typing import Any

from texsamp.fidelity.scale import SCALE as SCALE_PARTS
from texsamp.fidelity.sharpen import SHARPEN as SHARPEN_PARTS
from texsamp.video.color.filters import COLOR_FILTERS
from texsamp.video.deinterlace.filters import DEINTERLACE
from texsamp.video.denoise.filters import DENOISE
from texsamp.video.filter_spec import Filter, Option
from texsamp.video.lut.filters import LUT3D
from texsamp.video.scale import Scale
from texsamp.video.scale.expression import Size
from texsamp.video.scale.positions import MAX_SIZE_PX
from texsamp.video.scale.stage import KINDS as SCALE_KINDS
from texsamp.video.sharpen import KINDS as SHARPEN_KINDS
from texsamp.video.sharpen import Sharpen
from texsamp.video.stage import Stage
from texsamp.video.tonemap.filters import TONEMAP

_SIZE = Size(1, MAX_SIZE_PX, (-1, -2), "keeps the aspect of the picture; -2 makes it even")

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
        Option("preset", "preset", SCALE_KINDS["preset"], "the coefficients of the sharp filter"),
        Option(
            "adaptive",
            "adaptive",
            SCALE_KINDS["adaptive"],
            "blend toward the smooth filter where the sharp one would ring: luma (G), or all channels (4:4:4 and RGB)",
        ),
        Option(
            "rule",
            "rule",
            SCALE_KINDS["rule"],
            "where adaptive blends: ours: beside every step, so that none of 16 codes or more overshoots; hardware: as "
            "the manual measures, with tuned beside steps of more than 60; literal: with its ramps' ends as printed",
        ),
        Option(
            "settings",
            "settings",
            SCALE_KINDS["settings"],
            "what adaptive takes for an edge: tuned: by quality; ihd: the driver's",
        ),
        Option(
            "align",
            "align",
            SCALE_KINDS["align"],
            "center: picture edges and chroma siting stay in place; hardware: sample where Gen7 was made to sample, "
            "with its 17 stored coefficient rows",
        ),
        Option(
            "edge",
            "edge",
            SCALE_KINDS["edge"],
            "what lies outside the picture; with align=hardware mirror needs more than 32 texels each way, and 7 more "
            "than 19 steps",
        ),
        Option(
            "nonlinear",
            "nonlinear",
            SCALE_KINDS["nonlinear"],
            "anamorphic stretch: 0 is even, toward 1 the middle keeps its shape and the sides stretch",
        ),
        Option(
            "prefilter",
            "prefilter",
            SCALE_KINDS["prefilter"],
            "auto: low-pass a picture that gets smaller; off: alias as the hardware does",
        ),
    ),
    fidelity=SCALE_PARTS,
)

SHARPEN = Filter(
    name="sharpen",
    aliases=("ief",),
    stage=Sharpen,
    doc="Sharpen luma with the image enhancement filter (IEF); chroma is untouched.",
    positional=("level",),
    examples=("sharpen", "sharpen=auto", "sharpen=20", "sharpen=44:skintone=on"),
    options=(
        Option(
            "level",
            "level",
            SHARPEN_KINDS["level"],
            "strength; 0 changes nothing; auto: as much as the sharpest edges are blurred, nothing if they are sharp",
        ),
        Option(
            "slider",
            "slider",
            SHARPEN_KINDS["slider"],
            "even: strength follows the level; driver: the levels of Intel's media driver, with 44 alike",
        ),
        Option("skintone", "skintone", SHARPEN_KINDS["skintone"], "on: detect skin, and sharpen it less"),
        Option(
            "mode",
            "mode",
            SHARPEN_KINDS["mode"],
            "gen7: Ivy Bridge's filter; gen6-detail: Sandy Bridge's, its gain the level; gen6-combination: its "
            "sharpening and smoothing, without a level",
        ),
    ),
    fidelity=SHARPEN_PARTS,
)

FILTERS: tuple[Filter, ...] = (DENOISE, DEINTERLACE, SCALE, SHARPEN, *COLOR_FILTERS, TONEMAP, LUT3D)
"""Every filter that runs."""


def find_filter(name: str, filters: tuple[Filter, ...] = FILTERS) -> Filter | None:
    """The filter of a name or alias."""
    return next((f for f in filters if name == f.name or name in f.aliases), None)


def filter_of(stage: Stage) -> tuple[Filter, dict[str, Any]] | None:
    """The filter a stage is, and its option values; None for a stage that no filter text can make."""
    which = next((f for f in FILTERS if type(stage) is f.stage), None)
    values = None if which is None else which.values_of(stage)
    return None if which is None or values is None else (which, values)


def filter_text(stage: Stage) -> str | None:
    """The shortest filter text that makes a stage; None if none can."""
    found = filter_of(stage)
    return None if found is None else found[0].text(found[1])
