"""The row of tables of colors in the table of filters."""

from __future__ import annotations

from texsamp.fidelity.lut import LUT3D as PARTS
from texsamp.video.filter_spec import Filter, Option
from texsamp.video.lut.stage import KINDS, Lut3d

LUT3D = Filter(
    name="lut3d",
    stage=Lut3d,
    doc="Apply a table of colors, a .cube file with curves (1D), a cube (3D), or both.",
    positional=("file",),
    examples=("lut3d=look.cube", "lut3d=look.cube:interp=trilinear"),
    options=(
        Option("file", "file", KINDS["file"], "the .cube file"),
        Option(
            "interp",
            "interp",
            KINDS["interp"],
            "between the entries of a cube: tetrahedral: from the nearest four; trilinear: from eight, with weights of "
            "8 bits, as the sampler filters a volume",
        ),
    ),
    fidelity=PARTS,
)
