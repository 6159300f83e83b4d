"""The denoise filter's row of the table of filters."""

from __future__ import annotations

from texsamp.video.denoise.levels import HIGHEST_LEVEL
from texsamp.video.denoise.stage import PRESETS, Denoise
from texsamp.video.filter_spec import Fidelity, Filter, Option
from texsamp.video.options import Choice, Either, Integer

DENOISE = Filter(
    name="denoise",
    aliases=("dn",),
    stage=Denoise,
    doc="Denoise with the filter in front of the deinterlacer: in time where nothing moves, else in space.",
    positional=("strength",),
    examples=("denoise", "denoise=auto:chroma=off", "denoise=50", "denoise=preset=i965"),
    options=(
        Option(
            "strength",
            "strength",
            Either("auto", Integer(0, HIGHEST_LEVEL)),
            "auto: follow the noise of every plane; a level: 0 changes nothing, 48 and more filter in time too",
        ),
        Option("preset", "preset", Choice(PRESETS), "thresholds of the manual or of a driver, instead of a strength"),
        Option("chroma", "chroma", Choice(("on", "off")), "off: leave chroma as it is, as Ivy Bridge does"),
        Option(
            "scenecut",
            "scenecut",
            Choice(("auto", "off")),
            "auto: after a scene cut the first frame's rule holds again; off: motion alone decides",
        ),
    ),
    fidelity=(
        Fidelity("motion, history, temporal and spatial filter, blend", "exact", "seed 003:799-952; docs/denoise.md"),
        Fidelity("beyond the picture's edges", "reconstructed", "X5: the nearest sample of the same field"),
        Fidelity("strength from the measured noise", "ours", "docs/denoise.md", "strength", ("auto",)),
        Fidelity("level table", "reconstructed", "table of media-driver", "strength", tuple(range(HIGHEST_LEVEL + 1))),
        Fidelity("documented thresholds", "exact", "seed 003:3669-3922", "preset", ("doc",)),
        Fidelity("thresholds", "reconstructed", "what the driver programs", "preset", PRESETS[2:]),
        Fidelity("scene cuts", "ours", "the hardware leaves them to the motion measure", "scenecut", ("auto",)),
        Fidelity(
            "chroma", "reconstructed", "facts about the driver's program; auto: as luma (ours)", "chroma", ("on",)
        ),
    ),
)
