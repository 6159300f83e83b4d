"""Labels of the image enhancement filter."""

from texsamp.fidelity.part import Part

SHARPEN = (
    Part(
        "edge measure and its three classes",
        "exact",
        "seed 003:1657-1679; SNB 4.1 p. 62; E1",
        "The seed lost the minus of a Sobel matrix; the page prints it. 6 bits and strict comparisons are Ivy "
        "Bridge's.",
        option="mode",
        values=("gen7",),
    ),
    Part(
        "detail filter",
        "reconstructed",
        "SNB 4.1 p. 67-68 for the map; E2",
        "The map of the coefficients is printed for Sandy Bridge's other mode, with the same names and defaults. What "
        'this mode combines is lost. Readings of "the combination of the convolution results": 5x5 minus 3x3, or '
        "their sum. The difference is kept: it agrees with the published patent on this filter (the larger window's "
        'detail less the smaller\'s), and with the signs of the other mode. The sum is `combine="sum"` of '
        "`IefParameters`.",
        option="mode",
        values=("gen7",),
    ),
    Part(
        "scale of delta",
        "reconstructed",
        "seed 003:1681-1684, 3541-3668; VLV 2d p. 218-220; E2",
        "By their formats the coefficients count 1/32, the gain 1/64 and the weight 1/8, which makes 14 fraction "
        "bits. Tried: 14, 16 and 17. Only 16 agrees with the published strength of the hardware's sharpening (PSNR of "
        "the result to its input at several levels, in the vendor's public test baselines). Rounded once.",
        option="mode",
        values=("gen7",),
    ),
    Part(
        "levels 0 to 64",
        "reconstructed",
        "table of media-driver",
        "The table of Intel's media driver, default 44; 64 means 63. See [presets.md](presets.md).",
        option="slider",
        values=("driver",),
    ),
    Part(
        "even levels",
        "ours",
        "the gain of the driver's level 44 by the level; docs/presets.md",
        option="slider",
        values=("even",),
    ),
    Part(
        "level by the blur of edges",
        "ours",
        "docs/presets.md",
        option="level",
        values=("auto",),
    ),
    Part(
        "input and window",
        "exact",
        "SNB 4.1 p. 62; E6",
        "The block diagram sends Y through the filter on 10 bits, and delays the rest; the window is 5x5.",
    ),
    Part(
        "noise estimate in detail mode",
        "reconstructed",
        "seed 003:3585-3590; VLV 2d p. 218; E5",
        "The field exists and its use is not told. Readings: scale delta by it, or ignore it. Ignored: drivers write "
        '255, "no estimate", and Sandy Bridge uses it in its combination only (SNB 4.1 p. 63-66).',
        option="mode",
        values=("gen7",),
    ),
    Part(
        "skin tone detection",
        "exact",
        "seed 003:6160-6349; docs/color.md",
        option="skintone",
        values=("on",),
    ),
    Part(
        "tuning by skin tones",
        "reconstructed",
        "seed 003:1685-1692; E4",
        '"Adjusts the delta by the score", without an equation. Readings: factor `1 - score` or `1 + score`. Later '
        "hardware chooses by a bit, SkinDetailFactor of Intel's public media driver: 0 reveals detail of skin, 1 does "
        "not; this one has no such bit, so one of them is wired. The first: it protects skin, which is what the "
        "manual says the detection is for. The state has no fields of a score, so that is an argument.",
        "skintone",
        ("on",),
    ),
    Part(
        "Sandy Bridge's detail filters",
        "exact",
        "SNB 4.1 p. 62-64",
        "Second gradient of 3x3 or of sparse 5x5, clipped, times gain and weight, over 8 plus the contrast of 3x3; the "
        "edge metric of B steppings.",
        "mode",
        ("gen6-detail-3x3", "gen6-detail-5x5"),
    ),
    Part(
        "quotient and input of the detail filters",
        "reconstructed",
        "SNB 4.1 p. 64: its table of quotients is not printed",
        "Readings of the quotient: exact, rounded down as its shift goes, or toward zero; of the input: 10 bits, which "
        "the filter is said to take, or the video's own with narrower clips. Down, and 10 bits.",
        "mode",
        ("gen6-detail-3x3", "gen6-detail-5x5"),
    ),
    Part(
        "Sandy Bridge's combination: measures, filters, limits",
        "exact",
        "SNB 4.1 p. 64-69, 112-115",
        "Equations and defaults of local contrast, ridges, steepness, both filters and the limits.",
        "mode",
        ("gen6-combination",),
    ),
    Part(
        "scales of the combination",
        "reconstructed",
        "SNB 4.1 p. 65-69, by the defaults and the widths printed there",
        "Slopes count 1/16, as their format S3.4 says: with the printed 1/8 the default curves would jump at every "
        "point, with 1/16 they meet. Contrasts, ridges and steepness are those of the 8 high bits (8.0u), limits those "
        'of 10. Both filters keep 2 fraction bits ("12.2u round 3 lsb") and strengths are U0.8, so that 10 bits are '
        'dropped ("round 10bits"); other scales leave widths that are not the printed ones.',
        "mode",
        ("gen6-combination",),
    ),
    Part(
        "NZ of the combination",
        "reconstructed",
        "SNB 4.1 p. 68: 1 / number of kept neighbors",
        "The table is not printed. Readings: 1/n, 4/n or 1. With the default coefficients, 59 and 25 of 128, only 1/n "
        "keeps a pixel between its neighbors. Counted in 3x3, as the prose says; the pseudocode's loop is 5x5.",
        "mode",
        ("gen6-combination",),
    ),
    Part(
        "broken lines of the combination",
        "reconstructed",
        "SNB 4.1 p. 65-69",
        "MAX(MIN(..., 1), 255) is a clamp to 1..255; the modified 3x3 contrast is not below 0; ridges and steepness "
        "count above their thresholds only (p. 113); the lower limit mirrors the upper one, where `max5` and `min5 - "
        "min3` are printed; the last segment serves 255, whose bias does not exist.",
        "mode",
        ("gen6-combination",),
    ),
)

SHARPEN_MESSAGE = (
    Part(
        "smooth mode",
        "reconstructed",
        "SNB 4.1 p. 68 for Sandy Bridge's law; E3",
        "Only its name, its fields and a patent remain of this generation's. Readings: the kernel is normalized to "
        "the sum of its weights, or to 128. With a driver's coefficients the sum is exactly 128, so 128. The "
        "threshold follows the noise estimate, but is at least 4. Sandy Bridge's law (SNB 4.1 p. 68) takes the noise "
        "estimate itself, strictly, and normalizes by the number of neighbors kept, by a table that is not printed: "
        "the same shape, so the strict comparison is kept, and neither number is told for this generation.",
    ),
)
