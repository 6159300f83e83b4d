"""State of Convolve. The manual has its algorithm (seed 003:1701) but not its state: this is Broadwell's (hole V1)."""

from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis
from texsamp.state.kinds import Codes, enum, fixed, unsigned

LARGEST_KERNEL = 15
"""Rows and columns."""

LARGEST_SCALE = 10

STORED = 16
"""Rows and columns of the table; the kernel begins at its first."""


class CoefficientSize(Codes):
    """How much of a coefficient counts."""

    EIGHT_BITS = 0, "the lower 8 bits are taken as 0"
    SIXTEEN_BITS = 1


class ConvolveState(
    Struct,
    name="SAMPLER_STATE_8x8_CONVOLVE",
    dwords=512,
    source="media-driver's structures for Broadwell; 003:1723-1726",
    since=8,
):
    """Kernel of the Convolve function, as Broadwell stores it; Gen7 code never makes it."""

    height = Field(0, 3, 0, unsigned, "rows of the kernel", 1, legal=(1, LARGEST_KERNEL))
    width = Field(0, 7, 4, unsigned, "columns of the kernel", 1, legal=(1, LARGEST_KERNEL))
    scale_down = Field(0, 11, 8, unsigned, "the result is shifted right so far", legal=(0, LARGEST_SCALE))
    coefficient_size = Field(0, 12, 12, enum(CoefficientSize), "bits of a coefficient")
    coefficients = Array(16, 15, 0, fixed("S3.12"), "coefficients [row][column]", (Axis(STORED, 256), Axis(STORED, 16)))
