"""Labels of the color pipe."""

from texsamp.fidelity.part import Part

_PIPE = (
    Part(
        "12-bit pipe, order of its blocks, 4:2:2 chroma of pairs",
        "exact",
        "seed 003:6062-6066; SNB 4.1 p. 170-171; C17",
        "Unpacking repeats 4:2:2 chroma to both pixels of the pair; packing takes the high bits. 4:2:0, 10 bits and "
        "an odd last column are ours.",
    ),
    Part(
        "average of two, rounding between the steps",
        "reconstructed",
        "seed 003:6062-6158; SNB 4.1 p. 170; X4",
        "No page of the pipe rounds. Readings: every shift is arithmetic, toward minus infinity, and averages are "
        "`(a + b) >> 1`; or half up. Where hardware of this manual rounds, half a step is printed (`+ 128` in the "
        "scaler's blend, p. 60), and the packer keeps the high bits of each sample: the first.",
    ),
)

MEDIA_WRITES = (
    Part(
        "blocks that become NV12, and which chroma they keep",
        "exact",
        "seed 003:8651-8670",
        "Sizes and places of blocks; of 4:4:4 the chroma of pixel 0 of every 2x2, of 4:2:2 that of the upper row.",
    ),
    Part(
        "place of the chroma of NV12",
        "reconstructed",
        "seed 003:8651; VLV 2d p. 193",
        "The surface is R16_UNORM, and only PLANAR formats have offsets of a UV plane. Readings: below the rows of "
        "luma, with the same pitch; at those offsets all the same. The first: dword 6 of other formats has other uses.",
    ),
)

PROCAMP = (
    Part(
        "brightness, contrast, saturation, hue",
        "exact",
        "seed 003:6742-6772; SNB 4.1 p. 191-192; C15",
        '"64 is added" must be 256: the equation has 256, and a later volume corrects the prose.',
    ),
    *_PIPE,
)

CSC = (
    Part(
        "offsets and 3x3 matrix",
        "exact",
        "seed 003:6774-6806; SNB 4.1 p. 192, 205-206",
        "YUV_IN and YUV_OUT are the enables of the offset vectors. The default C8 is 1024; 1204 is a misprint of "
        "later volumes.",
    ),
    Part(
        "unit of the state's offsets",
        "reconstructed",
        "seed 003:6774-6806; SNB 4.1 p. 205-206; T20",
        "S9, -512 to 511, without a unit. Readings: codes of 8, 10 or 12 bits. Of 12, half of chroma (2048) does not "
        "fit; of 8, twice the range does. Of 10, -512 fits and +512, which an output needs, just does not. The drivers "
        "write 16 * 4 and 128 * 4: of 10.",
    ),
    Part("coefficients", "ours", "computed from Kr and Kb; 14 fraction bits, the state has 10"),
    Part(
        "4:2:2 and 4:2:0 chroma",
        "exact",
        "repeated and averaged, seed 003:6062-6066; rows of 4:2:0: ours",
        option="chroma",
        values=("repeated",),
    ),
    Part(
        "interpolated chroma",
        "ours",
        "4:2:0 or 4:2:2 to RGB: Lanczos-2 at the chroma's siting, by fields if interlaced; docs/conversions.md",
        option="chroma",
        values=("interpolated",),
    ),
    Part("rounding of the result", "ours", "to the nearest: half a step in the output offsets"),
)

CONTRAST = (
    Part(
        "luma histogram of all pixels",
        "exact",
        "seed 003:6556-6578; HSW 9 p. 25; C11",
        "256 bins by Y[9:2], of all pixels of the area.",
        "histogram",
        ("hardware",),
    ),
    Part(
        "luma histogram without skin",
        "ours",
        "so that a face does not set the curve",
        option="histogram",
        values=("ours",),
    ),
    Part(
        "Ymin and Ymax",
        "reconstructed",
        "seed 003:7560; HSW 9 p. 23; C11",
        "Readings: of all pixels (SNB 4.1 p. 170, 184), or of those above the skin threshold, which the threshold's "
        "field says and Haswell repeats. Of skin, in 10 bits.",
    ),
    Part(
        "curve of 11 segments",
        "exact",
        "seed 003:6580, 7547-7718; HSW 9 p. 32; C11",
        "`B_i + (S_i * (Y - Y_i) >> 10)` between Ymin and Ymax. B_0, which the state lacks, is Ymin, and B_11 Ymax.",
    ),
    Part(
        "luma outside the curve",
        "reconstructed",
        "seed 003:6580, 7547-7718; SNB 4.1 p. 182-185; C11",
        "Not told. Both ends map to themselves, so leaving it is the one continuous choice; clamping was considered.",
    ),
    Part("from the histogram to the curve", "ours", "seed 003:6560-6570 names the steps, without numbers"),
    *_PIPE,
)

SKINTONE = (
    Part(
        "skin tone detection",
        "exact",
        "seed 003:6160-6349; SNB 4.1 p. 171-178; C2, C6",
        "Rectangle, rhombus, luma and V-Y parts, and the minimum of all.",
    ),
    Part(
        "margins of rectangle and rhombus",
        "reconstructed",
        "seed 003:6204-6214, 6246-6255; SNB 4.1 p. 173-174; C4, C5",
        "The exponent's sign in the else branches is printed so that the factor would never reach 31, in both "
        "volumes; continuity and the other branch agree on `2^(5 - m)`.",
    ),
    Part(
        "precision of the V-Y curves",
        "reconstructed",
        "seed 003:6300-6349; SNB 4.1 p. 175-177; C7",
        "Points, biases and slopes have formats; no page says with how many bits the curve goes on. 4 fraction bits, "
        "as 8-bit luma has in the pipe; more bits are the other reading.",
    ),
    Part("skin tone enhancement", "exact", "seed 003:6351-6525; SNB 4.1 p. 178-182; C8, C9"),
    Part(
        "back rotation",
        "reconstructed",
        "seed 003:6485-6490; SNB 4.1 p. 181; C3",
        "Both volumes print it without a minus, with which alone an identity curve returns its input.",
    ),
    Part(
        "level table",
        "reconstructed",
        "table of media-driver",
        "No manual has levels. The two drivers' tables agree where both have a level.",
    ),
    *_PIPE,
)

TCC = (
    Part(
        "hue angle, interpolation, limiters",
        "exact",
        "seed 003:6586-6740; SNB 4.1 p. 186-190; C12, C14",
        "The page prints the polynomial for all eight octants; the base colors are the BT.601 angles of the six "
        "colors.",
    ),
    Part(
        "precision of the quotients, quotient of the steep octants",
        "reconstructed",
        "seed 003:6586-6640; SNB 4.1 p. 187; C13",
        "Not printed: bits of min / max and of alpha, that the quotient is turned around where |V| > |U|, and that an "
        "angle is not below 0. 10 and 8 bits; another choice moves the angle by one step at most.",
    ),
    *_PIPE,
)

GAMUT = (
    Part(
        "detection, compression line, clipping",
        "exact",
        "seed 003:6866-7022",
        "The equations of the seed; no other volume prints them.",
    ),
    Part(
        "pixels inside stay as they are",
        "reconstructed",
        "seed 003:6904, 6967; C19",
        "Decoding and encoding them would lose a step; the text says that basic mode touches only what is outside.",
    ),
    Part(
        "full range mapping",
        "reconstructed",
        "seed 003:7024-7045; VLV 2d p. 58; C20",
        "The law of d_final is in none of the volumes; Haswell's (HSW 9 p. 24) only sum up distances. Readings: clip "
        "at the boundary, or squeeze the outer length into the inner one. Clipping is basic mode and needs no lengths. "
        'Their names, "inner" and "outer triangle mapping length", and "may also change the in-range pixels" speak for '
        "the second. Linear, as it is the one law that needs no third number.",
        "mode",
        ("advanced",),
    ),
    Part(
        "table of the cube's tips",
        "reconstructed",
        "seed 003:6888-6958; C18; beyond BT.601 and BT.709: ours",
        "Its printed values are lost; the outline of the RGB cube gives them, within one step of the tables in "
        "Intel's public media driver.",
    ),
    Part(
        "BT.2020 to BT.709 or BT.601",
        "ours",
        'docs/color.md, "Wider sources"',
        option="to",
        values=("bt709", "bt601"),
    ),
    *_PIPE,
)
