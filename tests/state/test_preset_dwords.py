"""Every preset packs to the dwords its driver writes, packed here by hand from the manual's bit tables.

The numbers come from the drivers' own tables (see the provenance in presets.csv), the places from seed 003:3541-3667
(SAMPLER_STATE for sample_8x8), 3669-3922 (DEINTERLACE_SAMPLER_STATE), 4011-4198 (SAMPLER_8x8_STATE) and 7119-8116
(COLOR_PROCESSING_STATE). A field that no driver table covers keeps the documented default. Bits that belong to the
picture (field order, first frame) are zero; so is Haswell's initial denoise history, which has no place in Gen7.
"""

import json
import re

import pytest
import typer
from texsamp.cli.state import state as state_command
from typer.testing import CliRunner

from texsamp.state import preset, presets
from texsamp.state.registry import STRUCTURES

# The 4 words of detection and fallback that all DI presets share:
DI_3 = 0x407D1E96  # 30:24 trc1 64, 23:16 trc2 125, 13:8 VECM 30, 7:0 maximum STMM 150
DI_5 = 0x326425AF  # 31:24 fallback 1 T1 50, 23:16 T2 100, 15:8 fallback 2 37, 7:0 FMD temporal difference 175
DI_7 = 0x005064A5  # 22:19 neighbor pixel 10, 15:10 MC consistency 25, 7:4 SAD B 10, 3:0 SAD A 5

DEINTERLACE = {
    "doc": (
        0x8CC00826,  # 31:24 STAD 140, 23:16 maximum history 192, 11:8 delta 8, 7:0 ASD 38
        0x00004126,  # 29:24 TD 0, 21:16 LTD 0, 15:13 C2 3 as 2, 12:8 moving pixels 1, 7:0 SCM 38
        0x04950114,  # 29:24 good neighbor 4, 23:20 slope 10 as 9, 19:16 SAD tight 5, 11:8 BNE edge 1, 7:0 BNE noise 20
        DI_3,
        0x76156405,  # 31:24 minimum STMM 118, 23:22 down 0 (4), 21:20 up 1 (7), 19:16 out 5, 15:8 SDI 100, 7:0 delta 5
        DI_5,
        0x10640200,  # 31:24 FMD 1 16, 23:16 FMD 2 100, 15:14 CAT 0, 13:8 tear 2
        DI_7,
    ),
    "i965": (
        0x8CC00726,  # 140, 192, delta 7, 38
        0x00004126,
        0x0C950114,  # good neighbor 12
        DI_3,
        0x76D56405,  # 23:22 down 3, the reserved code
        DI_5,
        0x10640212,  # 4 stream 1, 1 DI
        DI_7,
    ),
    "i965-dn": (
        0x00800800,  # STAD 0, maximum history 128, delta 8, ASD 0
        0x10080040,  # TD 16, LTD 8, C2 1 as 0, moving pixels 0, SCM 64
        0x0495010F,  # good neighbor 4, slope 9, SAD tight 5, BNE edge 1, BNE noise int(31 * 0.5) = 15
        0x40000280,  # trc1 64, trc2 0, VECM 2, maximum STMM 128
        0x00078008,  # minimum STMM 0, shifts 0, out 7, SDI 128, delta 8
        0x00000000,  # fallbacks and FMD temporal difference 0
        0x20202079,  # FMD 32, 32, tear 32, 6 progressive DN, 5 first frame, 4 stream 1, 3 top first, 0 DN
        0x005166A5,  # 17:16 second field of the previous frame 1, 9:8 first field of the current frame 2
    ),
    "hsw": (
        0x8CC00726,
        0x00004126,
        0x0C950114,
        DI_3,
        0x76156405,  # 23:22 down 0
        DI_5,
        0x10640200,  # DI, DN and stream are bits of VEBOX_STATE on Haswell
        DI_7,
    ),
    "ihd": (
        0x80C00820,  # STAD 128, 192, delta 8, ASD 32
        0x0C064020,  # TD 12, LTD 6, C2 2, moving pixels 0, SCM 32
        0x00950114,  # good neighbor 0 until the first estimate
        DI_3,
        0x76156405,
        DI_5,
        0x10640280,  # 7 MCDI
        DI_7,
    ),
}

SAMPLE_8X8 = {
    "doc": (
        0x00000000,
        0x00000000,
        0x0D090801,  # 30:26 R5c 3, 25:21 R5cx 8, 20:16 R5x 9, 13:8 strong 8, 5:0 weak 1
        0x721A03C6,  # 30:28 strong 7, 26:24 regular 2, 22:20 non-edge 1, 19:14 gain 40, 10:6 R3c 15, 4:0 R3x 6
    ),
    "i965": (
        0x200000FF,  # 29 IEF bypass, 7:0 noise estimate 255
        0x00000000,
        0x0D090801,
        0x721A015B,  # R3c 5, R3x 27
    ),
    "ihd": (
        0x000000FF,
        0x00000000,
        0x1CE70801,  # R5c 7, R5cx 7, R5x 7, thresholds 8 and 1
        0x721B0145,  # weights 7, 2, 1, gain 44, R3c 5, R3x 5
    ),
}

AVS_TABLES = (0,) * 136  # the 17 phases: no part of a preset
AVS = {
    "i965": (
        *AVS_TABLES[:4],
        0x00008000,  # 15 adaptive filter for all channels
        *AVS_TABLES[5:],
        0xFF000000,  # 31:24 default sharpness 255, derivatives and transitions 0
        0x00600000,  # 22 bypass X, 21 bypass Y
    ),
    "ihd": (
        *AVS_TABLES,
        0xFF071445,  # sharpness 255, 23:16 derivative of 4 pixels 7, 15:8 of 8 pixels 20, 6:4 transition 4, 2:0 5
        0x00000000,
    ),
}

STD_RECTANGLE = (
    0x400D3C65,  # 30:28 diamond margin 4, 27:21 du 0, 20:18 HS margin 3, 17:10 cos 79, 7:0 sin 101
    0x000C9180,  # 20:13 diamond alpha 100, 12:7 threshold 35, 6:0 dv 0
)
CSC_AND_GAMUT = (  # documented defaults: Haswell has other layouts for these
    0x00002000,  # 55: 28:16 C1 0, 15:3 C0 1024
    0x00000000,
    0x00000400,  # 57: 12:0 C4 1024
    0x00000000,
    0x00000400,  # 59: 12:0 C8 1024
    0x00000000,
    0x00000000,
    0x00000000,
    0x00000000,  # 63: alpha
    0x0CD2911F,  # 64: 29:20 d_in 205, 19:10 d_out 164, 9:0 d1_out 287
    0x30000334,  # 65: 30:28 line shift 3, 9:0 d1_in 820
    0x8A800000,  # 66: 31 xvYCC, 27:26 STD average 2, 25:24 MVdark average 2, 23:22 SF average 2
)

COLOR = {
    "hsw": (
        0x9A6E39F3,  # 0: 31:24 V_mid 154, 23:16 U_mid 110, 15:10 hue 14, 9:4 saturation 31, 1 STE, 0 STD
        *STD_RECTANGLE,
        0xFE2F2E80,  # 3: Y points 254, 47, 46, 7 VY enable
        0x0003FFFF,  # 4: 17:13 slope 31, 12:8 slope 31, 7:0 Y point 255
        0x01900CE4,  # 5: 31:16 inverse skin type margin 400, 15:0 inverse lower margin 3300
        0xD82E0640,  # 6: P1L 216, P0L 46, 15:0 inverse upper margin 1600
        0x8285ECEC,  # 7: B1L 130, B0L 133, P3L 236, P2L 236
        0x07FB8282,  # 8: 26:16 S0L -5, B3L 130, B2L 130
        0x00000000,  # 9: S2L, S1L 0
        0x02117000,  # 10: 26:19 P1U 66, 18:11 P0U 46, 10:0 S3L 0
        0xA38FEC96,  # 11: B1U 163, B0U 143, P3U 236, P2U 150
        0x0100C8C8,  # 12: 26:16 S0U 256, B3U 200, B2U 200
        0x003A6871,  # 13: 21:11 S2U -179 (74D), 10:0 S1U 113
        0x01478800,  # 14: 27:20 margin 20, 19:12 threshold 120, 11 skin types, 10:0 S3U 0
        0x7F07C37A,  # 15: 30:21 SATB1 -8 (3F8), 20:14 SATP3 31, 13:7 SATP2 6, 6:0 SATP1 -6 (7A)
        0x1291F008,  # 16: 30:20 SATS0 297, 19:10 SATB3 124, 9:0 SATB2 8
        0x00094855,  # 17: 21:11 SATS2 297, 10:0 SATS1 85
        0x1C1BD100,  # 18: 31:25 HUEP3 14, 24:18 HUEP2 6, 17:11 HUEP1 -6 (7A), 10:0 SATS3 256
        0x100023F8,  # 19: 29:20 HUEB3 256 (sic), 19:10 HUEB2 8, 9:0 HUEB1 -8 (3F8)
        0x0002A980,  # 20: 21:11 HUES1 85, 10:0 HUES0 384
        0x00080180,  # 21: HUES3 256, HUES2 384
        0x0007CFFB,  # 22: dark SATB1 0, SATP3 31, SATP2 31, SATP1 -5 (7B)
        0x1311F07C,  # 23: dark SATS0 305, SATB3 124, SATB2 124
        0x000800DC,  # 24: dark SATS2 256, SATS1 220
        0x1C387100,  # 25: dark HUEP3 14, HUEP2 14, HUEP1 14, SATS3 256
        0x0380E038,  # 26: dark HUEB3 56, HUEB2 56, HUEB1 56
        0x00080100,  # 27: dark HUES1 256, HUES0 256
        0x00080100,  # 28: dark HUES3 256, HUES2 256
        0x00000068,  # 29: 6:2 skin threshold 26, 0 ACE off
        0x4C382410,  # 30: Y3 76, Y2 56, Y1 36, Ymin 16
        0x9C887460,  # 31: Y7 156, 136, 116, Y4 96
        0xEBD8C4B0,  # 32: Ymax 235, 216, 196, Y8 176
        0x604C3824,  # 33: B4 96, 76, 56, B1 36
        0xB09C8874,  # 34: B8 176, 156, 136, B5 116
        0x0000D8C4,  # 35: B10 216, B9 196
        *(0x00000000,) * 6,  # 36 to 41: slopes 0; ACE is off
        0x00000000,  # 42: factors 0, 7 TCC off
        0x00000000,
        0x1E34CC91,  # 44: 29:20 red-yellow base 483, 19:10 307, 9:0 145
        0x3E3CCE91,  # 45: 995, 819, 657
        0x02E80195,  # 46: slopes 744, 405
        0x0197046B,  # 47: 407, 1131
        0x01790174,  # 48: 377, 372
        0x00000000,  # 49: biases 0
        0x00000000,
        0x03030000,  # 51: 30:24 UV threshold 3, 18:16 bits 3
        0x009201C0,  # 52: 31:16 inverse 146, 8:0 UV maximum 448
        0x01000001,  # 53: 27:17 contrast 1.0 (80), 12:1 brightness 0, 0 on
        0x01000000,  # 54: 31:16 cos 1.0 (100), 15:0 sin 0
        *CSC_AND_GAMUT,
    ),
    "ihd": (
        0x9A6E39F0,  # 0: STE and STD off until asked for
        *STD_RECTANGLE,
        0xFE2F2E00,  # 3: VY off
        0x0003FFFF,
        0x06660CE4,  # 5: inverse skin type margin 1638, inverse lower margin 3300
        0xD82E0640,
        0x8285ECEC,
        0x07FB8282,
        0x00000000,
        0x02117000,
        0xA38FEC96,
        0x01008CC8,  # 12: S0U 256, B3U 140, B2U 200
        0x003A6871,
        0x01478000,  # 14: skin types off
        0x7F07C37A,
        0x1291F008,
        0x00094855,
        0x1C1BD100,
        0x038023F8,  # 19: HUEB3 56, HUEB2 8, HUEB1 -8
        0x0002A980,
        0x00080180,
        0x0007CFF5,  # 22: dark SATB1 0, SATP3 31, SATP2 31, SATP1 -11 (75)
        0x18D1F07C,  # 23: dark SATS0 397, SATB3 124, SATB2 124
        0x000800BD,  # 24: dark SATS2 256, SATS1 189
        0x1C080100,  # 25: dark HUEP3 14, HUEP2 2, HUEP1 0, SATS3 256
        0x03800000,  # 26: dark HUEB3 56, HUEB2 0, HUEB1 0
        0x00000100,  # 27: dark HUES1 0, HUES0 256
        0x0008012B,  # 28: dark HUES3 256, HUES2 299
        0x00000068,
        0x4C382410,
        0x9C887460,
        0xEBD8C4B0,
        0x604C3824,
        0xB09C8874,
        0x0000D8C4,
        *(0x04000400,) * 5,  # 36 to 40: slopes 1.0
        0x00000400,  # 41: S10
        0xA0A0A000,  # 42: yellow, red, magenta 160 = 1.25
        0xA0A0A000,  # 43: blue, cyan, green
        0x1E34CC91,
        0x3E3CCE91,
        0x02E80195,
        0x0197046B,
        0x01790174,
        0x00096000,  # 49: 21:12 bias of red 150
        0x00000000,
        0x03030000,
        0x009201C0,
        0x01000000,  # 53: contrast 1.0, off
        0x01000000,
        *CSC_AND_GAMUT,
    ),
}

KNOWN = {
    (structure, name): dwords
    for structure, known in (
        ("DEINTERLACE_SAMPLER_STATE", DEINTERLACE),
        ("SAMPLER_STATE_8x8", SAMPLE_8X8),
        ("SAMPLER_8x8_STATE", AVS),
        ("COLOR_PROCESSING_STATE", COLOR),
    )
    for name, dwords in known.items()
}


def _hexadecimal(dwords):
    return [f"DW{i} {dword:08x}" for i, dword in enumerate(dwords)]


def test_every_preset_has_a_known_answer():
    assert set(presets()) == set(KNOWN)


@pytest.mark.parametrize(("structure", "name"), KNOWN)
def test_preset_packs_to_the_dwords_of_its_driver(structure, name):
    assert _hexadecimal(preset(STRUCTURES[structure], name).to_dwords()) == _hexadecimal(KNOWN[structure, name])


@pytest.mark.parametrize(("structure", "name"), KNOWN)
def test_the_dwords_read_back_as_the_preset(structure, name):
    read = STRUCTURES[structure].from_dwords(KNOWN[structure, name])
    assert read.diff(preset(STRUCTURES[structure], name)) == {}


@pytest.mark.parametrize(
    ("structure", "name"),
    [
        ("DEINTERLACE_SAMPLER_STATE", "hsw"),
        ("SAMPLER_STATE_8x8", "doc"),
        ("SAMPLER_8x8_STATE", "i965"),
        ("COLOR_PROCESSING_STATE", "ihd"),
    ],
)
def test_the_command_prints_the_dwords_of_its_driver(structure, name):
    app = typer.Typer()
    app.command()(state_command)
    known = [f"0x{dword:08x}" for dword in KNOWN[structure, name]]

    def output(*arguments):
        result = CliRunner().invoke(app, [*arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert output("--pack", structure, "--preset", name).split() == known
    assert json.loads(output(structure, "--preset", name, "--json"))["dwords"] == known
    printed = dict(re.findall(r"^ *DW(\d+) (0x[0-9a-f]{8})", output(structure, "--preset", name), re.MULTILINE))
    assert [printed[str(i)] for i in range(len(known))] == known
