"""The deinterlace filter of the table of filters."""

from __future__ import annotations

from typing import get_args

from texsamp.video.deinterlace.stage import Deint, Deinterlace, Film, Mode, Parity, Preset, Rate, SceneCut
from texsamp.video.filter_spec import Fidelity, Filter, Option
from texsamp.video.options import Choice

_SPATIAL = ("madi", "mcdi", "hq", "bob")
_TEMPORAL = ("madi", "mcdi", "hq")
_FILM = tuple(film for film in get_args(Film) if film != "off")

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
            "madi: motion adaptive; mcdi: also motion compensated; hq: with longer filters "
            "(ours), motion compensated where most of it is found; bob: each field by itself; weave: two fields",
        ),
        Option(
            "rate",
            "rate",
            Choice(get_args(Rate)),
            "frame: one frame of the first field of each; field: one of each field, twice as many; film: one of each "
            "picture of a film, evenly in time",
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
            "film",
            "film",
            Choice(get_args(Film)),
            "put the fields of each picture of a film together: auto: in any cadence; 32 (3:2), 22 (2:2) and so on: "
            "in that one; off: deinterlace everything",
        ),
        Option(
            "scenecut",
            "scenecut",
            Choice(get_args(SceneCut)),
            "auto: after a scene cut the first frame's rule holds again; off: motion alone decides",
        ),
        Option(
            "preset",
            "preset",
            Choice(get_args(Preset)),
            "motion compensation: tuned: where most of what moves is found, by thresholds of ours; i965: the drivers'",
        ),
    ),
    fidelity=(
        Fidelity("angle costs, fallbacks and median", "exact", "seed 003:1060-1136; I7, I8", "mode", _SPATIAL),
        Fidelity(
            "choice among the nine angles",
            "reconstructed",
            "I5: the figure is lost; its labels and layout remain",
            "mode",
            _SPATIAL,
        ),
        Fidelity(
            "motion measure, smoothing, blend",
            "exact",
            "seed 003:986-1052, 1211-1222; I3, I4",
            "mode",
            _TEMPORAL,
        ),
        Fidelity(
            "division and vertical edges in the motion measure",
            "reconstructed",
            "I2: exact division; the edge term's columns are lost",
            "mode",
            _TEMPORAL,
        ),
        Fidelity("chroma of 4:2:2", "exact", "seed 003:1183-1207; I10", "mode", _SPATIAL),
        Fidelity("chroma of 4:1:1", "exact", "seed 003:1176-1181; read as 4:2:2", "mode", _SPATIAL),
        Fidelity("chroma of 4:2:0", "reconstructed", "I9: doubled lines at their own places", "mode", _SPATIAL),
        Fidelity("motion search, compensation, checks", "exact", "seed 003:1236-1337; I12-I15", "mode", ("mcdi", "hq")),
        Fidelity("when motion is compensated", "ours", "docs/deinterlace.md (37) to (39)", "preset", ("tuned",)),
        Fidelity(
            "neighbor condition of the merge",
            "reconstructed",
            "I16: it is lost but for its threshold",
            "mode",
            ("mcdi", "hq"),
        ),
        Fidelity("luma from 16 lines", "ours", "docs/deinterlace.md (32) to (36), (40)", "mode", ("hq",)),
        Fidelity(
            "means of two samples round half up",
            "reconstructed",
            "docs/deinterlace.md",
            "mode",
            _SPATIAL,
        ),
        Fidelity("lines beyond the picture", "ours", "the nearest of the same field", "mode", _SPATIAL),
        Fidelity(
            "last second field of a stream or scene",
            "ours",
            "measured against the frame before",
            "rate",
            ("field", "film"),
        ),
        Fidelity("progressive cadence reconstruction", "exact", "seed 003:1226-1234; I11", "film", _FILM),
        Fidelity(
            "which fields belong together", "ours", "the manual leaves it to software; docs/film.md", "film", _FILM
        ),
        Fidelity("scene cuts", "ours", "the hardware leaves them to the motion measure", "scenecut", ("auto",)),
    ),
)
