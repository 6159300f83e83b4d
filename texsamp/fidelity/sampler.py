"""Labels of the texture sampler. docs/sampler.md defines the rules."""

from texsamp.fidelity.part import Part

SAMPLER = (
    Part(
        "address controls",
        "exact",
        "seed 003:601-656; SNB 4.1 p. 25-28; S8",
        "MIRROR_ONCE takes ±u and clamps; the order of the operations, and CUBE on other surfaces (as CLAMP), are "
        "ours.",
    ),
    Part(
        "HALF_BORDER",
        "reconstructed",
        "seed 003:609; S7",
        "Halfway between the clamped texel and the border color, by its description. No page prints its code for "
        "Gen7: reserved, or 6, as Gen8 has it; 6, since the text names the mode among this generation's. Two axes at "
        "once: ours.",
    ),
    Part(
        "sub-texel positions of 8 bits, rounding enables",
        "reconstructed",
        "seed 003:3446-3461; VLV 2d p. 215; S13",
        "LODs have 8 bits of fraction; no page says how many a position has. 8, with the enable choosing between "
        "floor and to nearest at that precision; rounding to whole texels was considered, and would make linear "
        "filters nearest.",
    ),
    Part("gather4 is never rounded", "exact", "VLV 2d p. 215; S13", "The enables are forced off for it."),
    Part(
        "texel offsets before the address control",
        "reconstructed",
        "seed 003:4514",
        "The order is not printed. After it, an offset would leave the surface at every edge.",
    ),
    Part(
        "array slices",
        "reconstructed",
        "seed 003:4825",
        "Not told for numbers between two slices. Readings: truncated; or the nearest, halves up. The nearest, "
        "limited to those that exist, as interfaces of the time ask for.",
    ),
    Part(
        "the filter exact, and gradients",
        "ours",
        "docs/exact-sampling.md",
        "Weights and LODs of float32 instead of the hardware's 1/256; only where the sampler asks for it.",
    ),
    Part("coordinates that are NaN or beyond 2^22", "ours", "docs/sampler.md", "0, and the limit."),
    Part(
        "orientation and order of cube faces",
        "exact",
        "SNB 4.1 p. 18; IVB 1.1 p. 113; S23",
        "Ties of the largest component go X before Y before Z: not told.",
    ),
    Part(
        "corners of cubes",
        "reconstructed",
        "SNB 4.1 p. 74; S23",
        "The mean of the three texels that exist: one of the two choices of a Gen6 field that Gen7 no longer has; the "
        "other repeats the opposite texel.",
    ),
    Part(
        "derivatives, their length, LOD",
        "exact",
        "seed 003:420-430, 4435; SNB 4.1 p. 19; S4",
        "The law is printed whole; the parameters of the upper left, upper right and lower left pixel give the "
        "derivatives of all four.",
    ),
    Part(
        "precision of the LOD",
        "reconstructed",
        "seed 003:426-430; SNB 4.1 p. 19; S4",
        "How the logarithm is computed is not told: exactly and to the nearest 1/256, which later hardware was "
        "measured to do, or linear between powers of two.",
    ),
    Part(
        "clamps, min or mag, levels, trilinear quality",
        "exact",
        "seed 003:432-535, 3462-3472; ILK 4 p. 33; S1-S3, S14",
        "The Ironlake volume prints the pseudocode with its braces. The errata of levels out of bounds (S12) are of "
        "Sandy Bridge and of early steppings: not imitated.",
    ),
    Part(
        "anisotropic: LOD of the minor axis, number and places of probes",
        "exact",
        "seed 003:573-581; SNB 4.1 p. 23-24; S5",
        "Even numbers, a texel apart on the major axis; equal inner and lighter outer weights.",
    ),
    Part(
        "anisotropic: outer weights, below ratio 2",
        "reconstructed",
        "seed 003:573-581; SNB 4.1 p. 23-24; S5",
        "From the demand for continuity. Readings below 2: always a texel apart, which jumps at 1; or shrinking to "
        "none.",
    ),
    Part("anisotropic: EWA's ellipse, widths", "ours", "docs/sampler.md", "The manual has only the name."),
    Part(
        "monochrome filter",
        "exact",
        "seed 003:583-599; SNB 4.1 p. 24-25; S6",
        "The box with the weights of its two edges; divided once, by the box's size.",
    ),
    Part("border color", "exact", "seed 003:4199-4306; VLV 2d p. 207-208; S18", "Rounding to codes of 8 bits: ours."),
    Part(
        "comparison",
        "exact",
        "seed 003:694-716; SNB 4.1 p. 29-30; S10",
        "",
    ),
    Part(
        "references that texels of UNORM are compared with",
        "reconstructed",
        "seed 003:694-716; Direct3D 11.3, sample_c",
        "The manual compares a float and tells nothing of its range. Readings: as it is; limited to the format's "
        "range; or also rounded to its steps. Direct3D's is the last. OpenGL's driver counts on it: 0.5 is equal to "
        "7FFFFFh, so halves go down.",
    ),
    Part(
        "chroma key: ranges, kill, black",
        "exact",
        "seed 003:668-692, 4308-4329; SNB 4.1 p. 29, 109, 129; S19, S21",
        "Channels narrower than 8 bits have their high bits repeated.",
    ),
    Part(
        "chroma key: YCRCB texels without chroma, borders",
        "reconstructed",
        "seed 003:670-681, 4328; SNB 4.1 p. 29, 129; S20",
        "The average of both sides is told, not its odd half: down, or half up. Down, as the pipe's averages are "
        "taken. Border texels never match, since they are no texels of the map; comparing the border color was "
        "considered.",
    ),
    Part(
        "loads, samples, control surfaces",
        "exact",
        "seed 003:730-749, 4702-4767; SNB 4.1 p. 142-143; S28-S30",
        "Clear pixels return the clear color (ours: in hardware they are resolved first).",
    ),
    Part(
        "interleaved samples of a 4x surface",
        "reconstructed",
        "IVB 1.1 p. 108; S11",
        "The sizes are printed, the places inside are a public driver's.",
    ),
    Part(
        "4x surfaces at double size",
        "exact",
        "seed 003:736-743; SNB 4.1 p. 31; S11",
        "Sandy Bridge only: `ts.double_size` makes such a surface. Ivy Bridge no longer samples multisampled surfaces "
        "(003:749).",
    ),
    Part(
        "sizes of levels that do not exist",
        "exact",
        "seed 002:2551-2552",
        "`resinfo` returns 0 in red, green and blue. What buffers return for other levels is undefined: as for level "
        "0 (ours).",
    ),
    Part(
        "widths of sums, roundings",
        "ours",
        "docs/sampler.md",
        "The manual gives none. Texels come back exactly from their centers, and a flat texture stays flat.",
    ),
    Part(
        "sRGB",
        "reconstructed",
        "seed 003:724-728; S9",
        '"Gamma 2.4 to 1.0 by the exponent 1/2.4", in both volumes, is the inverse direction. The pure power 2.4 and '
        "the standard's piecewise curve were considered: the standard's, rounded once in both directions.",
    ),
)
