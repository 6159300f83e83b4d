"""Labels of the deinterlacer."""

from texsamp.fidelity.denoise import SCENE_CUTS
from texsamp.fidelity.part import Part

_ANGLED = ("madi", "mcdi", "mcdi-hsw", "bob")
_SPATIAL = (*_ANGLED, "hq", "best")
_TEMPORAL = ("madi", "mcdi", "mcdi-hsw", "hq", "best")
_COMPENSATED = ("mcdi", "mcdi-hsw")
_OURS = ("hq", "best")
_FILM = ("auto", "32", "22", "2332", "32322", "2224", "euro", "44", "55", "66", "64", "87")

DEINTERLACE = (
    Part(
        "motion measure, smoothing, blend",
        "exact",
        "seed 003:986-1052, 1211-1222; SNB 4.1 p. 39-40; I2-I4",
        "Both fields' lines, by the definition of the window (990-994); the vertical edge measure is that of the pair "
        "alone, one difference per line; TDM compares equal lines of the two frames; memory holds STMM before the "
        "horizontal maximum (1035-1045). Typical trc2 is 200 in the text, 125 in the state and all drivers: a "
        "parameter.",
        "mode",
        _TEMPORAL,
    ),
    Part(
        "division in the motion measure",
        "reconstructed",
        "seed 003:1023-1033; SNB 4.1 p. 40, HSW 9 p. 11; I2",
        "The reciprocal table is printed in no volume: exact division, rounded down, at most 255.",
        "mode",
        _TEMPORAL,
    ),
    Part(
        "angle costs, fallbacks",
        "exact",
        "seed 003:1060-1130; SNB 4.1 p. 41-44; I6, I7",
        "P is the positive offset. One figure draws it so, another the other way around; every use is symmetric, so "
        "nothing depends on it.",
        "mode",
        _ANGLED,
    ),
    Part(
        "choice of the angle",
        "exact",
        "seed 003:1078-1088; SNB 4.1 p. 43; I5",
        "The flowchart, lost from the seed: 45 degrees must be below its opposite and 90 degrees by Th, each steeper "
        "angle below the one before by D, and the cost of whichever is reached below Th.",
        "angles",
        ("hardware",),
        "mode",
        _ANGLED,
    ),
    Part(
        "choice of the angle by our rule",
        "ours",
        "docs/deinterlace.md (41)",
        "D in place of the margin, Th for 18 and 11 degrees alone. It finds many more angles.",
        "angles",
        ("ours",),
        "mode",
        _ANGLED,
    ),
    Part(
        "median of the angles",
        "reconstructed",
        "seed 003:1132-1136; I8: ordered by offset",
        "The median needs an order, which is not told. By offset: the one order in which a figure of the manual draws "
        "the angles (SNB 4.1 p. 46); or by the number of the angle.",
        "mode",
        _ANGLED,
    ),
    Part(
        "mean of two samples",
        "reconstructed",
        "half up, as seed 004:4101",
        '"/ 2", "average" and AVG say nothing of the odd half. Readings: down; half up, as the manual\'s other '
        "averages. Half up is better by 0.1 dB and 0.04 dB.",
        "mode",
        _ANGLED,
    ),
    Part(
        "chroma of 4:2:2 and its angles",
        "exact",
        "seed 003:1183-1207; SNB 4.1 p. 46; I10",
        "45 degrees is the mean of 90 and 27; 18 and 11 degrees use 27.",
        "mode",
        _ANGLED,
    ),
    Part(
        "chroma of 4:1:1",
        "exact",
        "seed 003:1176-1181; SNB 4.1 p. 46",
        "Doubled across as it is read.",
        "mode",
        _SPATIAL,
    ),
    Part(
        "doubled lines of 4:2:0 chroma",
        "exact",
        "seed 003:1142-1174; SNB 4.1 p. 45; I9",
        "The diagram places chroma line k of the frame in line k of either field, 1/4 of a field line off.",
        "mode",
        _ANGLED,
    ),
    Part(
        "which motion measure doubles chroma",
        "reconstructed",
        "seed 003:1159-1172; SNB 4.1 p. 45; I9",
        "Chroma lines lie between two lines of the measure. The nearest missing line's, or the mean of both.",
        "mode",
        _ANGLED,
    ),
    Part(
        "4:2:0 chroma of the message",
        "reconstructed",
        "seed 003:1142-1207; SNB 4.1 p. 45-47; I9; docs/deinterlace.md (42)",
        "Doubled, then deinterlaced as that of 4:2:2. A message has two frames, so that the fields at its ends lack a "
        "neighbor to be doubled with. The other frame's in its place, as for STMM; or in space alone. The filter keeps "
        "4:2:0, whose lines are those of the first step.",
        "mode",
        _ANGLED,
    ),
    Part(
        "motion search, compensation, checks",
        "exact",
        "seed 003:1236-1337; SNB 4.1 p. 47-50; I12-I15",
        "Window, order of the vectors, the tie rule, all four cases of P_DI and P_DI_cur and the smoothness test for "
        "x % 4 != 0 are printed.",
        "mode",
        _COMPENSATED,
    ),
    Part(
        "neighbor condition of the merge",
        "exact",
        "seed 003:1388-1391; SNB 4.1 p. 52; I16",
        "Lost from the seed but for its threshold: the compensated sample is the median of itself and its vertical "
        "neighbors, or nearer than the threshold to one of them.",
        "mode",
        ("mcdi",),
    ),
    Part(
        "thresholds of the merge",
        "exact",
        "seed 003:1339-1431; SNB 4.1 p. 51-53; I17",
        "Kept literally: cat_th1 is not multiplied by 30, and S is without vertical edges.",
        "mode",
        ("mcdi",),
    ),
    Part(
        "division of the adaptive threshold",
        "reconstructed",
        "seed 003:1404-1431; SNB 4.1 p. 53; I17: rounded down",
        "SCM / CAT_slope prints no rounding. Down, as the fields are integers; or to the nearest.",
        "mode",
        ("mcdi",),
    ),
    Part(
        "merge of Haswell",
        "reconstructed",
        "HSW 9 p. 13-15, Gen7.5; not of Ivy Bridge",
        "The checks alone decide; their equations are Ivy Bridge's, since that volume prints none. Its blend has (sdi, "
        "tdi) where Ivy Bridge's has the compensated sample: as printed, so that this stands above the maximum STMM "
        "alone (47.2 and 44.4 dB on 40 frames of the two clips, 50.4 on a pan); or a slip of copying (47.1, 44.3 and "
        "51.5).",
        "mode",
        ("mcdi-hsw",),
    ),
    Part(
        "when motion is compensated",
        "ours",
        "docs/deinterlace.md (37) to (39)",
        "`preset=tuned`, the default: [deinterlace.md](deinterlace.md#modes-of-the-filter). A call in which less than "
        "half of what moves is found is not compensated: `mcdi` is then `madi` on the two clips, and 7.7 dB better "
        "on an exact pan. `preset=i965` has the drivers' own thresholds.",
        "mode",
        ("mcdi",),
    ),
    Part(
        "long filters: 16 lines",
        "ours",
        "docs/deinterlace-hq.md (32) to (36), of chroma (80)",
        "Six lines of the field and five of either frame in place of means of two, weighted by the hardware's motion "
        "measure.",
        "mode",
        _OURS,
    ),
    Part(
        "edges at shallow angles",
        "ours",
        "docs/deinterlace-hq.md (51) to (57), (59), (60), (71), (75), (78)",
        "The offset of up to 11 pixels along which windows of 15 columns and three lines agree best, where lines "
        "differ and what is between them moves: the published idea of edge-directed interpolation, with costs and "
        "arithmetic of our own; drawn as the offsets of the lines above and below agree.",
        "mode",
        _OURS,
    ),
    Part(
        "motion between fields",
        "ours",
        "docs/deinterlace-hq.md (61) to (67), (72) to (74), (76)",
        "Vectors of blocks of 16x8 pixels to a quarter of a pixel and of a line, up to 16 pixels and 8 lines a field, "
        "from the fields before and after and over twice the way; believed as costs and combs tell.",
        "mode",
        _OURS,
    ),
    Part(
        "light that changes",
        "ours",
        "docs/deinterlace-hq.md (68) to (70)",
        "The line by which blocks of a field become those of the field beside it, by least squares, where it explains "
        "two thirds of what differs: all that hq compares is brought under the light of one field.",
        "mode",
        _OURS,
    ),
    Part(
        "fields of one picture, and still ones",
        "ours",
        "docs/deinterlace-hq.md (44) to (50), (58), (77), (81), (82)",
        "Where two fields are of one picture (25p, 30p), or all four agree, their lines are woven, by blocks: "
        "a pan shown twice comes out as it is, and still pictures from the second field on.",
        "mode",
        _OURS,
    ),
    Part(
        "lines beyond the picture",
        "ours",
        "the nearest of the same field",
        "Not specified. The nearest line of the same field, so that fields never mix.",
        "mode",
        _SPATIAL,
    ),
    Part(
        "last second field of a stream or scene",
        "ours",
        "measured against the frame before",
        option="rate",
        values=("field", "film"),
    ),
    Part(
        "progressive cadence reconstruction",
        "exact",
        "seed 003:1226-1234; I11",
        "Codes 1 and 2 for either field, luma and chroma.",
        "film",
        _FILM,
    ),
    Part(
        "film variances",
        "exact",
        "seed 003:1433-1526; SNB 4.1 p. 53-55; F1, F3, F4",
        "The text says absolute differences, the equations square them: squares, whose sums of 1920x1080 pixels just "
        "fit the 32 bits the text speaks of. The tests against zero are made per block, since the sum over the frame "
        "follows them. The erratum of stray tears is Ironlake's. Neighbors beyond the block are those of the picture; "
        "beyond the picture there is no tear (ours).",
        "film",
        _FILM,
    ),
    Part(
        "vertical smoothness",
        "reconstructed",
        "seed 003:1469-1471; F2: a minus for the printed plus",
        "Both volumes print a plus before the last term, with which the value would count nearly every pixel. With a "
        "minus a pixel between its neighbors is smooth.",
        "film",
        _FILM,
    ),
    Part(
        "variances of the first frame",
        "reconstructed",
        "seed 003:1581; F5",
        '"A maximum difference" is all that is told. 65535 per block, what its 16 bits hold, and counters 32; or the '
        "largest sum of squares, which does not fit; every pixel moves either way.",
        "film",
        _FILM,
    ),
    Part(
        "which fields belong together",
        "ours",
        "the manual leaves it to software; docs/film.md",
        'The manual leaves it to software, and public drivers always program "deinterlace".',
        "film",
        _FILM,
    ),
    Part("scene cuts", "ours", SCENE_CUTS, option="scenecut", values=("auto",)),
    Part("10 bits", "ours", "the hardware has 8"),
)

DEINTERLACE_MESSAGE = (
    Part(
        "lines that the motion measure sees denoised",
        "reconstructed",
        "seed 003:1016; SNB 4.1 p. 40; docs/deinterlace.md (43); I23",
        "In a call that also denoises, the cross filter gets denoised pixels of the current frame for -2 <= y <= 6 "
        "alone (-3 to 5, bottom field first), as printed; the origin of y is not. Readings: the pair's own line, from "
        "which the filter never goes beyond -4 to 4; or the 4 lines of a block. The second: of the lines that the "
        "measures of its two missing lines reach, -3 to 7 (-4 to 6), the window leaves out just the first and the "
        "last. The previous frame, and the current one as its reference, are denoised throughout, as printed.",
    ),
    Part(
        "writebacks, response lengths",
        "exact",
        "seed 003:5551-5880; SNB 4.1 p. 158-165; I20-I22",
        "With deinterlacing 12, 11 or 10 registers, without 9 or 5.",
    ),
    Part(
        "writeback with DI Partial",
        "reconstructed",
        "seed 003:3852, 5553; SNB 4.1 p. 121, 158, 162; ILK 4 p. 138; I19",
        'Three writebacks are announced and two drawn; "DI Enabled (Only)" is the one beside the lost one. Readings: '
        "the current first field alone, without the previous frame's (W0 to W3); or the deinterlaced lines alone, "
        "without those copied from the input. Nothing decides: no length is printed for it, and no public driver "
        "sets the bit. Refused as undefined.",
    ),
)
