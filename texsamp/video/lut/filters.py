"""The row of tables of colors in the table of filters."""

from __future__ import annotations

from typing import get_args

from texsamp.fidelity.lut import LUT3D as PARTS
from texsamp.video.filter_spec import Filter, Option
from texsamp.video.lut.launch import Interpolation
from texsamp.video.lut.stage import Lut3d
from texsamp.video.options import Choice, FileName

LUT3D = Filter(
    name="lut3d",
    stage=Lut3d,
    doc="Apply a table of colors, a .cube file with curves (1D), a cube (3D), or both.",
    positional=("file",),
    examples=("lut3d=look.cube", "lut3d=look.cube:interp=trilinear"),
    options=(
        Option("file", "file", FileName(".cube"), "the .cube file"),
        Option(
            "interp",
            "interp",
            Choice(get_args(Interpolation)),
            "between the entries of a cube: tetrahedral: from the nearest four; trilinear: from eight, with weights of "
            "8 bits, as the sampler filters a volume",
        ),
    ),
    fidelity=PARTS,
)
