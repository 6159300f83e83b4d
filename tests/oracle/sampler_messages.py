"""Sampler messages written out from the manual's tables (seed 003:4532-5880): places of values, one at a time.

Every function answers where one value lies: (register, dword) or (register, high bit, low bit), registers counted from
the first one after the header, bits from bit 0 of a 256-bit register.
"""

from __future__ import annotations

import re

# 4563-4592, as printed; "*" marks parameters of later generations, which the tables of generation 7 leave out.
SIMD8_AND_SIMD16 = """
00000 sample         u v r ai
00001 sample_b       bias u v r ai
00010 sample_l       lod u v r ai
00011 sample_c       ref u v r ai
00100 sample_d       u dudx dudy v dvdx dvdy r drdx drdy ai
00101 sample_b_c     ref bias u v r ai
00110 sample_l_c     ref lod u v r ai
00111 ld             u lod v r
01000 gather4        u v r ai
01001 LOD            u v r ai
01010 resinfo        lod
01011 sampleinfo
01100 sample_killpix u v r
10000 gather4_c      ref u v r ai
10001 gather4_po     u v offu offv r
10010 gather4_po_c   ref u v offu offv r
10100 sample_d_c     ref u dudx dudy v dvdx dvdy r drdx drdy ai
11100 ld2dms_w       si mcsl mcsh u v r lod
10110 sample_min     u v
10111 sample_max     u v
11101 ld_mcs         u v r lod
11110 ld2dms         si mcs u v r lod
11111 ld2dss         ssi u v r lod
11000 sample_lz      u v r ai
11001 sample_c_lz    ref u v r ai
11010 ld_lz          u v r
"""

# 4596-4616
SIMD4X2 = """
00010 sample_l       u v r ai lod
00100 sample_d       u v r ai dudx dudy dvdx dvdy drdx drdy
00110 sample_l_c     u v r ai ref lod
00111 ld             u v r lod
01000 gather4        u v r ai
01010 resinfo        lod
01011 sampleinfo
10000 gather4_c      u v r ai ref
10001 gather4_po     u v r ai offu offv
10010 gather4_po_c   u v r ref offu offv
10100 sample_d_c     u v r ai dudx dudy dvdx dvdy drdx drdy ref
11100 ld2dms_w       u v r lod si mcs mcsh
11101 ld_mcs         u v r lod
11110 ld2dms         u v r lod si mcs
"""


def _table(text):
    rows = [line.split() for line in text.strip().splitlines()]
    return {name.upper(): (int(code, 2), parameters) for code, name, *parameters in rows}


PARAMETERS = {"SIMD8": _table(SIMD8_AND_SIMD16), "SIMD4X2": _table(SIMD4X2)}
# 4561: SIMD16 forms of sample_d and sample_d_c are not allowed; 4655: sample+killpix only in SIMD8 mode.
PARAMETERS["SIMD16"] = {
    name: row for name, row in PARAMETERS["SIMD8"].items() if name not in ("SAMPLE_D", "SAMPLE_D_C", "SAMPLE_KILLPIX")
}
LANES = {"SIMD8": 8, "SIMD16": 16, "SIMD4X2": 2}


def length(simd, count, header):
    """4545-4549."""
    if simd == "SIMD4X2":
        while count % 4:
            count += 1
        return header + count // 4
    return header + count * (2 if simd == "SIMD16" else 1)


def parameter_place(simd, number, lane):
    """(register, dword) of parameter `number` of a lane: 4857-4880, 4886-4897, 4938-4954."""
    if simd == "SIMD16":  # packets 1 and 2: subspans 0 and 1, then 2 and 3, four pixels each
        subspan, pixel = lane // 4, lane % 4
        return 2 * number + (subspan >= 2), 4 * (subspan % 2) + pixel
    if simd == "SIMD8":
        subspan, pixel = lane // 4, lane % 4
        return number, 4 * subspan + pixel
    return number // 4, 4 * lane + number % 4


def double_slots(parameters):
    """SIMD8D: u0 and u1 stand in for u, v0 and v1 for v (4901)."""
    slots = []
    for name in parameters:
        slots += [f"{name}0", f"{name}1"] if name in ("u", "v") else [name]
    return slots


def double_place(parameters, name, lane):
    """(register, dword) of the lower 32 bits (4910-4917) or, of a single-precision parameter, of all."""
    slots = double_slots(parameters)
    if name in ("u", "v"):
        subspan, pixel = lane // 4, lane % 4
        return slots.index(f"{name}{subspan}"), 2 * pixel
    return slots.index(name), lane


# 4966-4994: name: dword
PIXEL_SHADER = {"v": 6, "dv": 5, "u": 2, "ddu": 1, "du": 0}
# 4998-5051
MEDIA = {"group_id": 7, "ddu": 6, "dv": 5, "du": 4, "v": 3, "u": 2, "vertical_block": 1}
# 4621-4629: (message type, layout, message, response length, registers per masked channel)
BLOCKS = {
    "SAMPLE_UNORM": (0b00000, PIXEL_SHADER, ["u", "v", "du", "dv"], 8, 2),
    "SAMPLE_UNORM_KILLPIX": (0b00010, PIXEL_SHADER, ["u", "v", "du", "dv"], 9, 2),
    "SAMPLE_8X8_PS": (0b00011, PIXEL_SHADER, ["u", "v", "du", "dv", "ddu"], 16, 4),
    "DEINTERLACE": (0b01000, PIXEL_SHADER, ["u", "v"], None, 0),
    "SAMPLE_UNORM_MEDIA": (0b01100, MEDIA, ["u", "v", "du", "dv"], 8, 2),
    "SAMPLE_UNORM_KILLPIX_MEDIA": (0b01010, MEDIA, ["u", "v", "du", "dv"], 9, 2),
    "SAMPLE_8X8": (0b01011, MEDIA, ["u", "v", "du", "dv", "ddu", "vertical_block", "group_id"], 16, 4),
}


def result_place(simd, lane, channel, masked):
    """(register, dword) of a channel (0 red to 3 alpha) of a lane: 5058-5094, 5098-5119, 5129-5141."""
    if simd == "SIMD4X2":
        return 0, 4 * lane + channel
    if simd == "SIMD8":
        return channel, lane
    dropped = sum(masked[:channel])
    return 2 * (channel - dropped) + lane // 8, lane % 8


# Block writebacks. One line per register; "R 15:0" means pixel 15 of red in the most significant bits down to pixel 0
# in the least significant ones, "R 30::0" every second pixel (30, 28, ..., 0), "|" what shares a register.
UNORM_16_FULL = "R 15:0; R 31:16; G 15:0; G 31:16; B 15:0; B 31:16; A 15:0; A 31:16"  # 5165-5191
UNORM_16_CHROMA = "R 30::0; G 15:0; G 31:16; B 30::0; A 15:0; A 31:16"  # 5197-5260
UNORM_8_FULL = "R 31:0; G 31:0; B 31:0; A 31:0"  # 5264-5284
UNORM_8_CHROMA = "R 30::0 | B 30::0; G 31:0; A 31:0"  # 5290-5326
BLOCK_16_FULL = "; ".join(f"{c} 15:0; {c} 31:16; {c} 47:32; {c} 63:48" for c in "RGBA")  # 5360-5386, hole A10
BLOCK_16_CHROMA = (  # 5392-5446
    "R 30::0; R 62::32; G 15:0; G 31:16; G 47:32; G 63:48; B 30::0; B 62::32; A 15:0; A 31:16; A 47:32; A 63:48"
)
BLOCK_8_FULL = "R 31:0; R 63:32; G 31:0; G 63:32; B 31:0; B 63:32; A 31:0; A 63:32"  # 5450-5487
BLOCK_8_CHROMA = "R 62::0; G 31:0; G 63:32; B 62::0; A 31:0; A 63:32"  # 5491-5547

BLOCK_WRITEBACKS = {
    (32, "FULL_16"): (UNORM_16_FULL, 16),
    (32, "CHROMA_DOWNSAMPLED_16"): (UNORM_16_CHROMA, 16),
    (32, "FULL_8"): (UNORM_8_FULL, 8),
    (32, "CHROMA_DOWNSAMPLED_8"): (UNORM_8_CHROMA, 8),
    (64, "FULL_16"): (BLOCK_16_FULL, 16),
    (64, "CHROMA_DOWNSAMPLED_16"): (BLOCK_16_CHROMA, 16),
    (64, "FULL_8"): (BLOCK_8_FULL, 8),
    (64, "CHROMA_DOWNSAMPLED_8"): (BLOCK_8_CHROMA, 8),
}


def block_places(pixels, output_format, masked):
    """List of registers that come back; each a list of (channel, pixel, high bit, low bit)."""
    text, bits = BLOCK_WRITEBACKS[pixels, output_format]
    registers = []
    for line in text.split(";"):
        high, values = 255, []
        for part in line.split("|"):
            channel, first, step, last = re.fullmatch(r" *([RGBA]) (\d+)(::?)(\d+) *", part).groups()
            for pixel in range(int(first), int(last) - 1, -2 if step == "::" else -1):
                values.append(("RGBA".index(channel), pixel, high, high - bits + 1))
                high -= bits
        assert high == -1, line
        if not all(masked[channel] for channel, *_ in values):
            registers.append([value for value in values if not masked[value[0]]])
    return registers


def unorm_kill_bit(pixel):
    """Bit of a pixel in the active pixel mask: from the upper left (MSB) to the lower right (5335)."""
    return 31 - pixel


# Deinterlace blocks: (x, y) of every byte, 5561-5612.
def luma_bit(x, y):
    return 128 * y + 8 * x


def chroma_bit(channel, x, y):
    """Cr below Cb, pairs of every second pixel."""
    return 128 * y + 16 * (x // 2) + (8 if channel == "Cb" else 0)


def stmm_bit(x, y):
    return 64 * y + 8 * (x // 2)


# Statistics registers: (field, index, dword, high, low).
STATISTICS = {
    "before 6": [  # 5614-5631, hole I20
        *(("denoise_history", i, 0, 8 * i + 7, 8 * i) for i in range(4)),
        ("block_noise_estimate", None, 1, 7, 0),
    ],
    "6 di": [  # 5665-5705
        ("y", None, 7, 31, 16),
        ("x", None, 7, 15, 0),
        *(("stad", i, 6, 31 - 8 * i, 24 - 8 * i) for i in range(4)),
        *(("shcm", i, 5, 31 - 8 * i, 24 - 8 * i) for i in range(4)),
        *(("svcm", i, 4, 31 - 8 * i, 24 - 8 * i) for i in range(4)),
        ("diff_ctpt", None, 3, 31, 16),
        ("diff_cbpb", None, 3, 15, 0),
        ("diff_ctcb", None, 2, 31, 16),
        ("diff_ctpb", None, 2, 15, 0),
        ("diff_cbpt", None, 1, 31, 16),
        ("motion_count", None, 1, 15, 8),
        ("block_noise_estimate", None, 1, 7, 0),
        *(("denoise_history", i, 0, 8 * i + 7, 8 * i) for i in range(4)),
    ],
    "6 dn": [  # 5707-5735, 5834-5872
        ("y", None, 7, 31, 16),
        ("x", None, 7, 15, 0),
        *(("stad", i, 6, 31 - 8 * i, 24 - 8 * i) for i in range(4)),
        *(("shcm", i, 5, 31 - 8 * i, 24 - 8 * i) for i in range(4)),
        *(("svcm", i, 4, 31 - 8 * i, 24 - 8 * i) for i in range(4)),
        ("block_noise_estimate", None, 2, 7, 0),
        *(("denoise_history", (1, i), 1, 8 * i + 7, 8 * i) for i in range(4)),
        *(("denoise_history", (0, i), 0, 8 * i + 7, 8 * i) for i in range(4)),
    ],
    "7 di": [  # 5737-5763
        ("y", None, 7, 31, 16),
        ("x", None, 7, 15, 0),
        ("stad", None, 6, 31, 16),
        ("shcm", None, 6, 15, 0),
        ("svcm", None, 5, 31, 16),
        ("diff_ctpt", None, 5, 15, 0),
        ("diff_cbpb", None, 4, 31, 16),
        ("diff_ctcb", None, 4, 15, 0),
        ("diff_ctpb", None, 3, 31, 16),
        ("diff_cbpt", None, 3, 15, 0),
        ("tearing_count", None, 1, 31, 24),
        ("fitting_count", None, 1, 23, 16),
        ("motion_count", None, 1, 15, 8),
        ("block_noise_estimate", None, 1, 7, 0),
        *(("denoise_history", i, 0, 8 * i + 7, 8 * i) for i in range(4)),
    ],
    "7 dn": [  # 5765-5790
        ("y", None, 7, 31, 16),
        ("x", None, 7, 15, 0),
        ("stad", 0, 6, 31, 16),
        ("shcm", 0, 6, 15, 0),
        ("svcm", 0, 5, 31, 16),
        ("stad", 1, 5, 15, 0),
        ("shcm", 1, 4, 31, 16),
        ("svcm", 1, 4, 15, 0),
        ("block_noise_estimate", None, 2, 7, 0),
        *(("denoise_history", (1, i), 1, 8 * i + 7, 8 * i) for i in range(4)),
        *(("denoise_history", (0, i), 0, 8 * i + 7, 8 * i) for i in range(4)),
    ],
}

# Registers of the deinterlace writebacks: (array, first row).
DI_ENABLED = [  # 5792-5825
    ("previous_luma", 0),
    ("previous_luma", 2),
    ("previous_chroma", 0),
    ("previous_chroma", 2),
    ("current_luma", 0),
    ("current_luma", 2),
    ("current_chroma", 0),
    ("current_chroma", 2),
    ("stmm", 0),
    ("statistics", 0),
]
DI_ENABLED_DN = [("second_field_luma", 0)]
DI_ENABLED_DN_422 = [("second_field_chroma", 0)]
DI_DISABLED = [("luma", 0), ("luma", 2), ("luma", 4), ("luma", 6), ("statistics", 0)]  # 5827-5880
DI_DISABLED_422 = [("chroma", 0), ("chroma", 2), ("chroma", 4), ("chroma", 6)]


def deinterlace_registers(di, dn, packed_422):
    if di:
        return DI_ENABLED + (DI_ENABLED_DN if dn else []) + (DI_ENABLED_DN_422 if dn and packed_422 else [])
    return DI_DISABLED + (DI_DISABLED_422 if packed_422 else [])
