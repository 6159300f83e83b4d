"""Labels of texels, of their places in memory and of block formats."""

from texsamp.fidelity.part import Part

TEXELS = (
    Part("loading of numbers", "exact", "seed 001:1199-1452", "Every format; [texels.md](texels.md) has the rules."),
    Part(
        "storing UNORM, SNORM, integers",
        "reconstructed",
        "Direct3D 11.3, 3.2.3",
        "The manual has no rule. Direct3D's: clamped, to nearest, NaN 0; computed exactly. Halves away from zero or "
        "to even differ for 0.5 in one bit alone (the alpha of 5551): away, as Direct3D adds 0.5 and truncates.",
    ),
    Part(
        "storing 10- and 11-bit floats",
        "reconstructed",
        "seed 001:1307; EXT_packed_float",
        "Only 16 bits have a rule. To nearest even as there, or truncated as some software does: to nearest even. "
        "Overflow is the largest number, as the public extension has it.",
    ),
    Part(
        "chroma of 4:2:2 texels",
        "reconstructed",
        "seed 003:4328, 6064; S20",
        "The average of the neighbors is named for the chroma key, the pair's own chroma for the unpacker. Texels "
        "have the pair's; pairs are stored with the average (6066), halves up.",
    ),
    Part(
        "order of P2's texels in a byte",
        "reconstructed",
        "seed 001:1370",
        "Texel 0 in the low bits, as R1 has it; the other end was considered.",
    ),
    Part(
        "rows of half-pitch chroma",
        "reconstructed",
        "seed 003:3058-3205",
        "Offsets count rows \"from the base address\": of the surface's pitch, or of the chroma's. The first, as for "
        "all other offsets; in tiles it raises `UndefinedBehavior`.",
    ),
    Part("SFIXED, floats beyond 32 bits, NaN in small floats", "ours", "docs/texels.md", "16.16, as GL_FIXED; copied."),
)

LAYOUT = (
    Part("sizes and alignment of levels", "exact", "seed 001:2279-2391, 003:2034; IVB 1.1 p. 105-112; SNB 1.1 p. 113"),
    Part(
        "distance of slices",
        "exact",
        "seed 001:2397, 003:2108; IVB 1.1 p. 111-112; VLV 5 p. 102-103; SNB 1.1 p. 115",
        "h0 + h1 + 12 j, before Gen7 11 j; the Sandy Bridge erratum adds 4 rows for heights 1, 5, 9.",
    ),
    Part("volumes, cubes, buffers", "exact", "seed 001:2254, 2451-2534; IVB 1.1 p. 113-117"),
    Part("sizes of interleaved samples", "exact", "IVB 1.1 p. 108; SNB 1.1 p. 111"),
    Part(
        "places of interleaved samples",
        "reconstructed",
        "Mesa's isl",
        "Sample bits go into x bits 1 (and 2) and y bit 1. The printed sizes fit; the pattern is printed nowhere. "
        "Whole pictures of each sample side by side were considered.",
    ),
    Part("control surfaces, slices of samples", "exact", "seed 001:2421-2449; VLV 5 p. 103-104"),
    Part("padding", "exact", "seed 001:2538-2560; VLV 5 p. 109"),
    Part("tilings X, Y and W", "exact", "VLV 5 p. 12; HSW 5 p. 20-21"),
    Part("formats that Gen7 lacks, offsets in compressed formats", "ours", "docs/layout.md"),
)

BLOCKS = (
    Part("BC4, BC5, FXT1", "exact", "seed 001:1461-2060", "As float32; 8 bits of BC4 and BC5 are rounded to nearest."),
    Part(
        "BC1 to BC3, BC6H, BC7, ETC, EAC",
        "reconstructed",
        "Direct3D 11.3, 19.5; Khronos Data Format 1.4",
        "The manual names them without defining them. The public specifications define all but the rounding of BC1 to "
        "BC3.",
    ),
    Part(
        "rounding of BC1 to BC3",
        "reconstructed",
        "Direct3D 11.3, 19.5.3; docs/decoding.md",
        "No manual has it. `rounding=intel` is what was measured on Intel hardware, of a later generation, for "
        "colors; `d3d`, the default and what the sampler reads, is the exact fraction to the nearest.",
    ),
    Part(
        "ASTC",
        "reconstructed",
        "Khronos Data Format 1.4",
        "Gen7 has none. Later generations have codes for it; the bits follow the public specification.",
    ),
)
