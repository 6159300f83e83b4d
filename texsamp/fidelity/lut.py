"""Labels of tables of colors: the hardware has them as volumes that are sampled."""

from texsamp.fidelity.part import Part

LUT3D = (
    Part(
        "trilinear filter of a volume",
        "reconstructed",
        "seed 003:605; docs/lut.md",
        "The order of axes and the rounding between them are the sampler's: a test finds the result equal to a sample "
        "of a volume. Codes have no coordinates in the manual: the first and last are the centers of the outer texels.",
        option="interp",
        values=("trilinear",),
    ),
    Part("tetrahedral filter", "ours", "docs/lut.md", option="interp", values=("tetrahedral",)),
    Part("places of colors in the table, curves, RGB between YUV and YUV", "ours", "docs/lut.md"),
)
