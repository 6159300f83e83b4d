"""Labels of the noise filter."""

from texsamp.fidelity.part import Part

_HARDWARE = ("auto", *range(65))
SCENE_CUTS = "the hardware leaves them to the motion measure"

DENOISE = (
    Part(
        "block sums, history, temporal and spatial filter, blend",
        "exact",
        "seed 003:799-952; SNB 4.1 p. 34-38; D1-D4",
        "The pages have the labels and braces in place; where Ivy Bridge's text was revised, it is followed. Both "
        "thresholds 0 mean spatial only.",
        "strength",
        _HARDWARE,
    ),
    Part(
        "neighborhood",
        "exact",
        "seed 003:3835; D5",
        "Adjacent lines with Progressive DN, else lines of the same field.",
        "strength",
        _HARDWARE,
    ),
    Part(
        "reciprocal tables",
        "exact",
        "seed 003:885-952; SNB 4.1 p. 36-37",
        "As printed: nine equal neighbors above 181 come out one lower. th - low = 13 reaches 256 for white, which is "
        "clamped (ours).",
        "strength",
        _HARDWARE,
    ),
    Part(
        "block noise",
        "exact",
        "seed 003:954-978; SNB 4.1 p. 34; D6",
        "The sum has absolute values: sum(|y - median|) in the block diagram.",
    ),
    Part(
        "edges of the picture, cut blocks",
        "reconstructed",
        "seed 003:773-798; SNB 4.1 p. 32-33; X5",
        "The hardware takes whole blocks only and tells nothing of what lies beyond the picture. The nearest sample of "
        "the same field; or zeros, which would make the border noisy; Haswell leaves blocks at the border out of its "
        "film counts (HSW 9 p. 21).",
        "strength",
        _HARDWARE,
    ),
    Part(
        "chroma left alone",
        "exact",
        "SNB 4.1 p. 32; D7",
        "In the block diagram chroma goes past the filter.",
        "chroma",
        ("off",),
    ),
    Part(
        "chroma",
        "reconstructed",
        "facts about the driver's program; auto: as luma (ours)",
        "Ivy Bridge's sampler has no such filter; facts about the program that the driver runs instead.",
        "chroma",
        ("on",),
    ),
    Part(
        "strength from the measured noise",
        "ours",
        "docs/denoise.md",
        "The driver's loop is closed, by a measure of our own: white noise within 15 %, also under bars and in the "
        "dark, correlated noise within 35 %. On bikes.mp4 with white noise of 8 steps 30.0 dB become 38.0 (hqdn3d "
        "30.6, tuned 32.6); clean pictures stay as they are.",
        "strength",
        ("auto", "fast", "hq"),
    ),
    Part(
        "motion compensated filter in time and space",
        "ours",
        "docs/denoise.md, H1-H10",
        "The hardware's filter knows the frame before at the same place alone. Here blocks are found again in seven "
        "frames and transformed with what was found; what does not stand out of the noise goes. hq does so again by "
        "what the first time left. In integers, and floats rounded as IEEE says: every device gives the same.",
        "strength",
        ("fast", "hq"),
    ),
    Part(
        "level table",
        "reconstructed",
        "table of media-driver",
        "No manual has levels; the table of a public driver is taken. The manual's own thresholds are `preset=doc`.",
        "strength",
        tuple(range(65)),
    ),
    Part("documented thresholds", "exact", "seed 003:3669-3922", option="preset", values=("doc",)),
    Part(
        "thresholds of drivers",
        "reconstructed",
        "structures of the drivers; docs/presets.md",
        "The thresholds that each driver writes, as captured or from its source; the manual's are `preset=doc`.",
        "preset",
        ("i965", "i965-dn", "hsw", "ihd"),
    ),
    Part("scene cuts", "ours", SCENE_CUTS, option="scenecut", values=("auto",)),
    Part("10 bits", "ours", "the hardware has 8"),
)
