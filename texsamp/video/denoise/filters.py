"""The denoise filter's row of the table of filters."""

from __future__ import annotations

from texsamp.fidelity.denoise import DENOISE as PARTS
from texsamp.video.denoise.stage import KINDS, Denoise
from texsamp.video.filter_spec import Filter, Option

DENOISE = Filter(
    name="denoise",
    aliases=("dn",),
    stage=Denoise,
    doc="Denoise with the filter in front of the deinterlacer, or with a motion compensated one of our own.",
    positional=("strength",),
    examples=(
        "denoise",
        "denoise=hq",
        "denoise=hq:sigma=6",
        "denoise=fast",
        "denoise=auto:chroma=off",
        "denoise=50",
        "denoise=preset=i965",
    ),
    options=(
        Option(
            "strength",
            "strength",
            KINDS["strength"],
            "auto: as much as the noise of each plane asks for; fast: the motion compensated filter, better and "
            "slower, which looks 4 frames back and 3 ahead; hq: so twice, with 6 frames ahead, better still and more "
            "than twice as slow; a level: 0 changes nothing, 1 to 47 filter each frame "
            "by itself, 48 to 64 in time too; 64 is not the most: on strong noise auto takes away more",
        ),
        Option(
            "sigma",
            "sigma",
            KINDS["sigma"],
            "of fast and hq: standard deviation of the noise to take away, in 8-bit steps; auto: as measured, for each "
            "plane",
        ),
        Option("preset", "preset", KINDS["preset"], "thresholds of the manual or of a driver, instead of a strength"),
        Option("chroma", "chroma", KINDS["chroma"], "off: leave chroma as it is, as Ivy Bridge does"),
        Option(
            "scenecut",
            "scenecut",
            KINDS["scenecut"],
            "auto: after a scene cut the first frame's rule holds again; off: motion alone decides",
        ),
    ),
    fidelity=PARTS,
)
