"""The deinterlace filter of the table of filters."""

from __future__ import annotations

from typing import get_args

from texsamp.video.deinterlace.stage import Deint, Deinterlace, Mode, Parity, Rate, SceneCut
from texsamp.video.filter_spec import Fidelity, Filter, Option
from texsamp.video.options import Choice

DEINTERLACE = Filter(
    name="deinterlace",
    aliases=("dndi",),
    stage=Deinterlace,
    doc="Make progressive frames of interlaced ones; pictures must be 4:2:0, 4:2:2 or gray.",
    positional=("mode", "rate"),
    examples=("deinterlace", "deinterlace=rate=field", "deinterlace=mode=bob:rate=field:parity=bff:deint=all"),
    options=(
        Option(
            "mode",
            "mode",
            Choice(get_args(Mode)),
            "madi: motion adaptive; bob: each field by itself; weave: each field with the one before it",
        ),
        Option(
            "rate",
            "rate",
            Choice(get_args(Rate)),
            "frame: one frame of the first field of each; field: one of each field, twice as many",
        ),
        Option(
            "parity",
            "parity",
            Choice(get_args(Parity)),
            "field order: auto: as frames are flagged, top field first where they are not; tff, bff: top, bottom first",
        ),
        Option(
            "deint",
            "deint",
            Choice(get_args(Deint)),
            "interlaced: only frames flagged as interlaced, the others pass as they are; all: every frame",
        ),
        Option(
            "scenecut",
            "scenecut",
            Choice(get_args(SceneCut)),
            "auto: after a scene cut the first frame's rule holds again; off: motion alone decides",
        ),
    ),
    fidelity=(
        Fidelity("angle costs, fallbacks and median", "exact", "seed 003:1060-1136; I7, I8", "mode", ("madi", "bob")),
        Fidelity(
            "choice among the nine angles",
            "reconstructed",
            "I5: the figure is lost; its labels and layout remain",
            "mode",
            ("madi", "bob"),
        ),
        Fidelity(
            "motion measure, smoothing, blend", "exact", "seed 003:986-1052, 1211-1222; I3, I4", "mode", ("madi",)
        ),
        Fidelity(
            "division and vertical edges in the motion measure",
            "reconstructed",
            "I2: exact division; the edge term's columns are lost",
            "mode",
            ("madi",),
        ),
        Fidelity("chroma of 4:2:2", "exact", "seed 003:1183-1207; I10", "mode", ("madi", "bob")),
        Fidelity("chroma of 4:2:0", "reconstructed", "I9: doubled lines at their own places", "mode", ("madi", "bob")),
        Fidelity("means of two samples round half up", "reconstructed", "docs/deinterlace.md", "mode", ("madi", "bob")),
        Fidelity("lines beyond the picture", "ours", "the nearest of the same field", "mode", ("madi", "bob")),
        Fidelity(
            "last second field of a stream or scene", "ours", "measured against the frame before", "rate", ("field",)
        ),
        Fidelity("scene cuts", "ours", "the hardware leaves them to the motion measure", "scenecut", ("auto",)),
    ),
)
