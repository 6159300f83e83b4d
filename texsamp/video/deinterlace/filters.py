"""The deinterlace filter of the table of filters."""

from __future__ import annotations

from texsamp.fidelity.deinterlace import DEINTERLACE as PARTS
from texsamp.video.deinterlace.stage import KINDS, Deinterlace
from texsamp.video.filter_spec import Filter, Option

DEINTERLACE = Filter(
    name="deinterlace",
    aliases=("dndi",),
    of_aliases={"mode": "madi"},  # the hardware's name
    stage=Deinterlace,
    doc="Make progressive frames of interlaced ones; modes of the hardware halve the chroma of 4:4:4.",
    positional=("mode", "rate"),
    examples=("deinterlace", "deinterlace=rate=field", "deinterlace=madi", "deinterlace=bob:field:deint=all"),
    options=(
        Option(
            "mode",
            "mode",
            KINDS["mode"],
            "hq (ours): long filters, edges at shallow angles, what moves taken from the fields beside it, fields of "
            "one picture woven; best: hq with edges sought in more places, and what matches found in U and V, too; "
            "madi: motion adaptive, as the hardware; mcdi: also motion compensated; mcdi-hsw: mcdi as the next "
            "generation, Haswell, merges it; bob: each field by itself; weave: two fields",
        ),
        Option(
            "rate",
            "rate",
            KINDS["rate"],
            "frame: one frame of the first field of each; field: one of each field, twice as many; film: one of each "
            "picture of a film, evenly in time",
        ),
        Option(
            "parity",
            "parity",
            KINDS["parity"],
            "field order: auto: as frames are flagged, else as they look, else top field first, but of film as it "
            "moves; tff, bff: top, bottom first",
        ),
        Option(
            "deint",
            "deint",
            KINDS["deint"],
            "interlaced: only frames flagged as interlaced, the others pass as they are, but for those of film; all: "
            "every frame",
        ),
        Option(
            "film",
            "film",
            KINDS["film"],
            "put the fields of each picture of a film together: auto: in any cadence; 32 (3:2), 22 (2:2) and so on: "
            "in that one; off: deinterlace everything",
        ),
        Option(
            "scenecut",
            "scenecut",
            KINDS["scenecut"],
            "auto: after a scene cut the first frame's rule holds again; off: motion alone decides",
        ),
        Option(
            "preset",
            "preset",
            KINDS["preset"],
            "motion compensation: tuned: where most of what moves is found, by thresholds of ours; i965: the drivers'",
        ),
        Option(
            "angles",
            "angles",
            KINDS["angles"],
            "direction of edges: hardware: as the manual chooses it; ours: by a rule that finds more, as in hq and "
            "best whatever is asked for",
        ),
    ),
    fidelity=PARTS,
)
