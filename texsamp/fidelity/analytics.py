"""Labels of video analytics: Convolve."""

from texsamp.fidelity.part import Part

CONVOLVE = (
    Part(
        "sum, order of the kernel",
        "exact",
        "seed 003:1734-1783",
        "The sum of 225 products needs 41 bits; nothing of it is lost.",
    ),
    Part(
        "rounding",
        "reconstructed",
        "seed 003:1734-1752; V1",
        "`tmp << 1`, INT, `>> scale`, `(tmp + 1) >> 1`. INT can cut toward zero or go down; a public driver's state "
        "says that the accumulator's bits from 12 on are shifted, so it goes down, and all steps together round to "
        "the nearest, halves up.",
    ),
    Part(
        "clamp",
        "reconstructed",
        "seed 003:1726; V1",
        'Printed to -2^16 and 2^16 - 1, where the destination is "16bit SINT": to -2^15 and 2^15 - 1. The other range '
        "does not fit the destination.",
    ),
    Part(
        "clamp, mirror",
        "exact",
        "seed 003:1753-1773",
        "Mirrored, samples -1, -2 are 0, 1: the edge is repeated. What is still outside then (arrays smaller than the "
        "kernel) is 0.",
    ),
    Part(
        "scale of real coefficients",
        "exact",
        "seed 003:1709-1721",
        "The largest power of two up to 2^9 that keeps the codes in S3.12. Printed with `<= 8`, it makes 8.0 of 1.0, "
        "which S3.12 does not have: one less then.",
    ),
    Part(
        "booleans in a byte",
        "reconstructed",
        "seed 003:1892-1896",
        "Lowest bit first, as R1_UNORM has them; the other end was considered.",
    ),
    Part(
        "rounding of coefficients",
        "ours",
        "docs/analytics.md",
        "To the nearest code, halves up. Below 1/128 the driver scales further and programs divide; here such "
        "coefficients have the precision that scale 9 leaves, 2^-22.",
    ),
    Part("arrays below 32x32", "ours", "seed 003:1938", "The message needs 32x32. All sizes are taken."),
)
