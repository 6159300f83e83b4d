"""Labels of the adaptive video scaler."""

from texsamp.fidelity.part import Part

SCALE = (
    Part(
        "8x8 polyphase filter: tables, channels",
        "exact",
        "seed 003:1584-1626, 4011-4198; SNB 4.1 p. 57-61; A6",
        "Seed 003:1588 and the field texts of DW4. Formats with 8 or 10 bits of RGB must have zeros in taps 0, 1, 6 "
        "and 7 (4051-4061): `align=hardware` gives those the four-tap coefficients for that reason.",
    ),
    Part(
        "32 phases from 17 rows",
        "reconstructed",
        "seed 003:1606, 4038; A1",
        "5 bits of phase but 17 rows; how rows 17 to 31 come about is printed nowhere. Rows 0 to 16 are phases 0 to "
        "1/2, and phase p > 16 reads row 32 - p with its taps reversed. The drivers generate row i at phase i/32 and "
        "nothing else fits both lines.",
    ),
    Part(
        "base texel, texel centers, phase of 5 bits",
        "exact",
        "seed 003:1604; SNB 4.1 p. 58; A2",
        "`floor(u) - 3` with texel centers at integers, and the phase cut to 5 bits: the figure shows both, where the "
        "seed has only the worked example.",
    ),
    Part(
        "rounding between the steps",
        "reconstructed",
        "seed 003:1614-1628; SNB 4.1 p. 59; A3",
        "The manual clamps the sharp result to [0, 1) once, after both directions (SNB 4.1 p. 59), and says nothing of "
        "the rest. Readings: round to 8 bits between the directions, or keep everything to the end. Kept: it loses "
        "nothing, and only the clamp the manual names is made.",
    ),
    Part(
        "measures of the adaptive weight, blend",
        "exact",
        "seed 003:1629-1639; SNB 4.1 p. 60-61; A4, A5",
        "`D4 = min((|D1 - D2| + |D3 - D2|) / 2, min(max(d3, d2), max(d3, d4)))` against the largest of all seven "
        "steps; the larger of both alphas. The prose says the smaller, but its own sentence, that ringing shows where "
        "D4 is small and the step large, needs the larger. 255 is all sharp, also as Default Sharpness; else `smooth "
        "+ (128 + (sharp - smooth) * alpha) / 256`.",
        "rule",
        ("hardware", "literal"),
        "adaptive",
    ),
    Part(
        "ends of the adaptive ramps",
        "reconstructed",
        "seed 003:4146-4198; SNB 4.1 p. 60, VLV 2d p. 205; A4",
        "Printed as `2^(8 - transition)` for both, where the ramp has reached 255 only for transitions up to 4; for 5 "
        "it jumps from 56 to 255. Readings: literally, or `2^transition`, with which it is continuous and the field "
        "is the width that its description says. The second; `rule=literal` is the first.",
        "rule",
        ("hardware",),
        "adaptive",
    ),
    Part(
        "odd halves of the adaptive blend",
        "reconstructed",
        "SNB 4.1 p. 60-61; A4",
        "`/ 2` and `/ 256` say nothing of the rest of a negative number. Down, as shifts go; toward zero was "
        "considered.",
        "rule",
        ("hardware", "literal"),
        "adaptive",
    ),
    Part(
        "adaptive weight of ours",
        "ours",
        "smooth where a step is 8 times what the middle four do; docs/fidelity.md",
        option="rule",
        values=("ours",),
        needs="adaptive",
    ),
    Part(
        "adaptive settings of ihd",
        "reconstructed",
        "table of media-driver",
        "The manual gives ranges and no values. Of the two drivers one never adapts; the other writes these.",
        "settings",
        ("ihd",),
        needs="adaptive",
    ),
    Part(
        "adaptive settings of tuned",
        "ours",
        "by quality, under the manual's rule and under ours; docs/presets.md",
        option="settings",
        values=("tuned",),
        needs="adaptive",
    ),
    Part(
        "coefficients of i965",
        "reconstructed",
        "rule of intel-vaapi-driver, equal to captured state",
        "The manual has the format of coefficients, and no values. What the rule of the driver's source makes equals "
        "captured state in every row.",
        "preset",
        ("i965",),
    ),
    Part(
        "coefficients of ihd",
        "reconstructed",
        "rule of media-driver, equal to its known rows",
        "The manual has no values. The rule is that of the driver's source, and the rows that are known come out of "
        "it.",
        "preset",
        ("ihd",),
    ),
    Part(
        "coefficients of the other presets",
        "ours",
        "docs/presets.md",
        option="preset",
        values=("lanczos3", "lanczos4", "catmull-rom", "bilinear"),
    ),
    Part(
        "positions of align=center",
        "ours",
        "edges and chroma siting in place, phase rounded",
        option="align",
        values=("center",),
    ),
    Part(
        "positions of align=hardware",
        "reconstructed",
        "seed 003:4806-4811, 1906-1925, 5033-5048; scaled to texels first, rounded to 1/256",
        "The formula is the manual's; order and precision of its operations are not told. U and its differences are "
        "first multiplied by the width, as the manual's U_nn, in single precision. Sums are rounded to 1/256 texel, "
        "the unit of the manual's correction of starts, and the phase is truncated from that: rows of drivers' copies "
        "are identities so at every size. Without, rows in 19 of 68 blocks of 1080 rows would be a phase off.",
        "align",
        ("hardware",),
    ),
    Part("clamped edges", "exact", "seed 003:4802", option="edge", values=("clamp",)),
    Part(
        "mirrored edges",
        "exact",
        "seed 003:1787-1890; V2",
        "Described there; 4802 says that the address control of this message is clamp, and no state field selects it: "
        "it is an option, off by default. With `align=hardware` its restrictions on sizes hold (1898-1925).",
        "edge",
        ("mirror",),
    ),
    Part("shape of the stretch", "ours", "second derivative of seed 003:4806-4811, centered", option="nonlinear"),
    Part(
        "low-pass when the picture gets smaller",
        "ours",
        "the hardware has none; not with align=hardware; of i965 and ihd, which stretch, only halves",
        option="prefilter",
        values=("auto",),
    ),
)

SCALE_MESSAGE = (
    Part(
        "second derivative",
        "exact",
        "seed 003:4809; SNB 4.1 p. 150-151; A7",
        "The formula has one for V too but the message has no place for it: it is 0. The errata of 4815-4817 change "
        "nothing here.",
    ),
    Part(
        "block number",
        "reconstructed",
        "seed 003:4806-4818; A8",
        "Its unit is not told: one step is the 4 rows of a 16x4 block, as drivers count; a row was considered.",
    ),
    Part(
        "results of 16 bits",
        "reconstructed",
        "seed 003:5151-5260, 5340-5387; SNB 4.1 p. 154-157; A9, A10",
        "Value v of 8 bits is `v << 8`, 1.0 is FF00h, and the 8 fraction bits are kept. The register tables that "
        "disagree are misprints by their own arithmetic.",
    ),
    Part(
        "response of length 0",
        "exact",
        "A11; BXT 6 p. 6-8",
        "Gen9 writes such a result to memory and has header fields for the place; Gen7 has none of them: it is "
        "refused.",
    ),
    Part(
        "chroma key of the message",
        "exact",
        "seed 003:3571-3582, 668-692; SNB 4.1 p. 29, 109, 111; S21",
        "Only replacing: matching texels are black before the filter, Cr 80h, Y 10h, Cb 80h in YCRCB formats. The "
        "channels that a surface lacks count as 0, alpha as 255: a key should accept them whole.",
    ),
    Part(
        "8-tap filter disabled",
        "reconstructed",
        "SNB 4.1 p. 111; VLV 2d p. 218; T7",
        "Readings: bilinear, as drivers name the bit, or nearest, as Sandy Bridge's state calls it. Bilinear: "
        "Valleyview reserves the bit, so only its users tell what it does there.",
    ),
    Part(
        "texels without chroma under the key",
        "reconstructed",
        "seed 003:4328; S20",
        "Compared with the average of both sides; its odd half is not told: down. At the right edge the pair's own.",
    ),
)
