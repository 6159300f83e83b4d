"""Restrictions of the manual: each rule is broken by one change to a request that breaks none."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from texsamp.errors import StateError, UndefinedBehavior
from texsamp.sampler.messages import SamplerRequest, check_request, decode_request, encode_request, groups, violations
from texsamp.sampler.messages.parameters import parameter_names
from texsamp.sampler.messages.rules import RULES
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.media_surface import MediaSurfaceState
from texsamp.state.render_surface import RenderSurfaceState
from texsamp.state.sample_8x8 import Sample8x8SamplerState
from texsamp.state.sampler import SamplerState
from texsamp.state.sampler_messages import BlockMessage, SamplerMessage, SamplerMessageHeader, SimdMode

CUBE = {"surface_type": "SURFTYPE_CUBE", "cube_faces": 0x3F}


@dataclass
class Situation:
    """A message with its states: what each group of rules accepts, in the middle of the legal range."""

    message: str
    parameters: dict = field(default_factory=dict)
    header: dict = field(default_factory=dict)
    sampler_index: int = 0
    surface: object = None
    sampler: object = None

    def request(self):
        block = self.message in BlockMessage.__members__
        message = BlockMessage[self.message] if block else SamplerMessage[self.message]
        return SamplerRequest.build(
            message,
            SimdMode.SIMD32_64 if block else SimdMode.SIMD8,
            header=SamplerMessageHeader(**self.header) if self.header else None,
            sampler_index=self.sampler_index,
            generation=7 if block else max(7, message.since),
            **self.parameters,
        )

    def broken(self):
        return violations(self.request(), self.surface, self.sampler)


def legal(message):
    """A situation without a fault for every message."""
    if message in groups.SAMPLE_8X8:
        steps = {"du": 0.5 / 64, "dv": 0.5 / 64, "ddu": 0.01 / 64}
        surface = MediaSurfaceState(format="Y8_UNORM", width=64, height=64)
        return Situation(message, steps, {}, 4, surface, Sample8x8SamplerState(ief_bypass=True))
    if message in groups.DEINTERLACE:
        surface = MediaSurfaceState(format="PLANAR_420_8", width=64, height=64)
        states = DeinterlaceSamplerState(dn_enable=True)
        return Situation(message, {"u": 4095, "v": 2046}, {}, 2, surface, states)
    clamp = {"address_u": "CLAMP", "address_v": "CLAMP", "address_r": "CLAMP"}
    filters = {"min_filter": "LINEAR", "mag_filter": "LINEAR", "mip_filter": "NONE"}
    name = "R16_UNORM" if message in groups.COMPARE | groups.GATHER_C else "R8G8B8A8_UNORM"
    surface = RenderSurfaceState(format=name, width=64, height=64)
    if message in groups.MULTISAMPLE_LD:
        surface = surface.replace(samples="COUNT_4")
    parameters = {"du": 1 / 64, "dv": 1 / 64} if message in groups.SAMPLE_UNORM else {}
    if message in groups.PIXEL - {"SAMPLEINFO"}:
        member = SamplerMessage[message]
        parameters = {parameter_names(member, SimdMode.SIMD8, max(7, member.since))[0]: 0}
    return Situation(message, parameters, {}, 0, surface, SamplerState(**clamp, **filters))


EVERY_MESSAGE = [*SamplerMessage.__members__, *BlockMessage.__members__]


@pytest.mark.parametrize("message", EVERY_MESSAGE)
def test_a_legal_message_breaks_no_rule(message):
    situation = legal(message)
    assert [str(violation) for violation in situation.broken()] == []
    check_request(situation.request(), situation.surface, situation.sampler)
    check_request(situation.request())


def surface(**changes):
    return lambda s: setattr(s, "surface", s.surface.replace(**changes))


def sampler(**changes):
    return lambda s: setattr(s, "sampler", s.sampler.replace(**changes))


def header(**fields):
    return lambda s: s.header.update(fields)


def parameters(**values):
    return lambda s: s.parameters.update(values)


def index(value):
    return lambda s: setattr(s, "sampler_index", value)


def several(*changes):
    return lambda s: [change(s) for change in changes]


UNIT = {"u": 1.0, "v": 0.5, "r": -0.25}
AS_CUBE = several(surface(**CUBE), parameters(**UNIT))
BORDER = sampler(border_color_mode="DX9", address_v="CLAMP_BORDER")
FILTERED = groups.SAMPLE | groups.LOD | groups.GATHER | groups.SAMPLE_UNORM
CUBIC = "SAMPLE SAMPLE_L SAMPLE_B SAMPLE_C LOD GATHER4"
IN_TEXELS = sampler(non_normalized=True)
NO_LODS = "the mip filter is not LINEAR, and min LOD and LOD bias are 0"
MONO = several(
    surface(format="MONO8"),
    sampler(min_filter="MONO", mag_filter="MONO", address_u="CLAMP_BORDER", address_v="CLAMP_BORDER"),
)
KEYED = several(surface(format="B8G8R8A8_UNORM"), sampler(chroma_key_enable=True))
PROGRAMMED = sampler(cube_control="PROGRAMMED")
CUBE_MODES = "programmed address controls of cubes are CLAMP or CUBE, the same for all axes"
ALL = frozenset(EVERY_MESSAGE) - groups.DEINTERLACE  # deinterlace ignores the channel masks

# limit of the rule, messages it is tried with, the change that breaks it, the value named
BREAKS = [
    ("the sampler index is a multiple of 2", "DEINTERLACE", index(3), "3"),
    ("the sampler index is a multiple of 4", groups.SAMPLE_8X8, index(6), "6"),
    ("at least one channel is returned", ALL, header(masked_channels=(1, 1, 1, 1)), "all four masked"),
    ("the gather channel is red", groups.GATHER_C, header(gather_channel="GREEN"), "1"),
    ("U, V and R offset are 0 for cube and buffer surfaces", "SAMPLE LOD GATHER4 SAMPLE_C",
     several(AS_CUBE, header(v_offset=-3)), "v_offset -3"),
    ("U, V and R offset are 0 for cube and buffer surfaces", "LD",
     several(surface(surface_type="SURFTYPE_BUFFER"), header(u_offset=1)), "u_offset 1"),
    ("U, V and R offset are 0 (erratum)", "LD2DMS LD2DSS LD2DMS_W", header(r_offset=7), "r_offset 7"),
    ("all four channels are returned", groups.GATHER, header(masked_channels=(0, 1, 0, 1)), "2"),
    ("at least one parameter is sent", groups.PIXEL - {"SAMPLEINFO"}, lambda s: s.parameters.clear(), "0"),
    ("the surface has several samples per pixel", "LD_MCS", surface(samples="COUNT_1"), "COUNT_1"),
    ("the LOD bias is in [-16.0, 16.0)", "SAMPLE_B SAMPLE_B_C", parameters(bias=16.0), "16.0"),
    ("the LOD bias is in [-16.0, 16.0)", "SAMPLE_B", parameters(bias=-16.01), "-16.01"),
    ("the LOD bias is in [-16.0, 16.0)", "SAMPLE_B", parameters(bias=np.nan), "nan"),
    ("cube coordinates are divided by the largest absolute one", "SAMPLE SAMPLE_L LOD GATHER4 SAMPLE_C",
     several(AS_CUBE, parameters(v=-1.5)), "1.5"),
    ("Delta U is not negative", groups.MEDIA_PAYLOAD, parameters(du=-0.001), "-0.001"),
    ("Delta V is not negative", groups.MEDIA_PAYLOAD, parameters(dv=-0.001), "-0.001"),
    ("U is in [0, 4095] and V in [0, 2046]", "DEINTERLACE", parameters(u=4096), "U 4096"),
    ("U is in [0, 4095] and V in [0, 2046]", "DEINTERLACE", parameters(v=2047), "V 2047"),
    ("the surface is 1D, 2D, 3D or CUBE", (groups.SAMPLE - groups.COMPARE) | groups.LOD,
     surface(surface_type="SURFTYPE_BUFFER"), "SURFTYPE_BUFFER"),
    ("the surface is 1D, 2D or CUBE", groups.COMPARE, surface(surface_type="SURFTYPE_3D"), "SURFTYPE_3D"),
    ("the surface is 2D or CUBE", "GATHER4 GATHER4_C", surface(surface_type="SURFTYPE_3D"), "SURFTYPE_3D"),
    ("the surface is 2D", groups.GATHER_PO, AS_CUBE, "SURFTYPE_CUBE"),
    ("the surface is 1D, 2D, 3D or BUFFER", groups.PLAIN_LD, surface(**CUBE), "SURFTYPE_CUBE"),
    ("the surface is 2D", groups.MULTISAMPLE_LD | {"SAMPLEINFO"}, surface(surface_type="SURFTYPE_3D"), "SURFTYPE_3D"),
    ("the surface is 2D", groups.SAMPLE_UNORM, surface(surface_type="SURFTYPE_3D"), "SURFTYPE_3D"),
    ("the format is not MONO8", "SAMPLE SAMPLE_B SAMPLE_D SAMPLE_KILLPIX LOD GATHER4 LD LD2DMS",
     surface(format="MONO8"), "MONO8"),
    ("UINT and SINT formats are not sampled as 3D or CUBE", "SAMPLE SAMPLE_L SAMPLE_B SAMPLE_D",
     surface(format="R8G8B8A8_UINT", surface_type="SURFTYPE_3D"), "SURFTYPE_3D"),
    ("UINT and SINT formats have no address control with border", "SAMPLE SAMPLE_L",
     several(surface(format="R32_SINT"), sampler(address_u="CLAMP_BORDER")), "CLAMP_BORDER"),
    ("UINT and SINT formats have no address control with border", "SAMPLE",
     several(surface(format="R32_SINT"), sampler(address_v="HALF_BORDER")), "HALF_BORDER"),
    ("the format is not UINT or SINT", "LOD GATHER4 GATHER4_PO", surface(format="R16_SINT"), "R16_SINT"),
    ("the format supports shadow comparison", groups.COMPARE, surface(format="R8_UNORM"), "R8_UNORM"),
    ("the format is none of I24X8, L24X8, A24X8_UNORM, I32, L32, A32_FLOAT for CUBE", groups.COMPARE,
     several(AS_CUBE, surface(format="L32_FLOAT")), "L32_FLOAT"),
    ("the format is R32_FLOAT(_X8X24_TYPELESS), R24_UNORM_X8_TYPELESS or R16_UNORM", groups.GATHER_C,
     surface(format="L16_UNORM"), "L16_UNORM"),
    ("the format is UNORM with at most 8 bits per channel", groups.SAMPLE_UNORM, surface(format="R16_UNORM"),
     "R16_UNORM"),
    ("the format is UNORM with at most 8 bits per channel", groups.SAMPLE_UNORM, surface(format="R8_SNORM"),
     "R8_SNORM"),
    ("the format is UNORM with at most 10 bits per channel", groups.SAMPLE_8X8,
     surface(format="STMM_DN_STATISTICS"), "STMM_DN_STATISTICS"),
    ("the surface has one sample per pixel", "SAMPLE SAMPLE_C LOD GATHER4 GATHER4_C LD SAMPLE_UNORM",
     surface(samples="COUNT_8"), "COUNT_8"),
    ("MIP count, minimum LODs and minimum array element are 0", groups.SAMPLE_UNORM, surface(mip_count=2),
     "mip_count 2"),
    ("MIP count, minimum LODs and minimum array element are 0", "SAMPLE_UNORM", surface(surface_min_lod=1),
     "surface_min_lod 1"),
    ("MIP count, minimum LODs and minimum array element are 0", "SAMPLE_UNORM", surface(min_array_element=5),
     "min_array_element 5"),
    ("MIP count, minimum LODs and minimum array element are 0", "SAMPLE_UNORM", surface(resource_min_lod=0.5),
     "resource_min_lod 0.5"),
    ("the surface is one slice deep", groups.SAMPLE_UNORM, surface(depth=2), "2"),
    ("the surface is at least 4 pixels wide", groups.SAMPLE_8X8, surface(width=3), "3"),
    ("border color mode DX9 has neither border address controls nor disabled cube faces",
     "SAMPLE_C SAMPLE_L_C GATHER4 GATHER4_PO GATHER4_C", BORDER, "CLAMP_BORDER"),
    ("border color mode DX9 has neither border address controls nor disabled cube faces", "SAMPLE_C GATHER4",
     several(AS_CUBE, surface(cube_faces=0x3E), sampler(border_color_mode="DX9")), "enabled cube faces 0b111110"),
    ("the mip filter is NONE", groups.SAMPLE_UNORM, sampler(mip_filter="NEAREST"), "NEAREST"),
    ("min and mag filter are NEAREST or LINEAR", groups.SAMPLE_UNORM, sampler(mag_filter="ANISOTROPIC"),
     "ANISOTROPIC"),
    *(("U and V address control are CLAMP", groups.SAMPLE_UNORM, sampler(address_v=mode), mode)
      for mode in ("WRAP", "MIRROR", "MIRROR_ONCE", "CLAMP_BORDER", "HALF_BORDER")),
    ("the format supports the filters of the sampler state", "SAMPLE SAMPLE_L", surface(format="R32G32B32A32_SINT"),
     "R32G32B32A32_SINT"),
    ("the format supports the filters of the sampler state", "SAMPLE",
     several(surface(format="R8_UINT"), sampler(min_filter="NEAREST", mag_filter="NEAREST", mip_filter="LINEAR")),
     "R8_UINT"),
    ("Delta U times width is at most 3", groups.SAMPLE_UNORM, parameters(du=3.25 / 64), "3.25"),
    ("Delta V times height is at most 3", groups.SAMPLE_UNORM, parameters(dv=3.25 / 64), "3.25"),
    ("Delta U times width is less than 16", groups.SAMPLE_8X8, parameters(du=16 / 64), "16.0"),
    ("Delta V times height is less than 16", groups.SAMPLE_8X8, parameters(dv=16 / 64), "16.0"),
    ("the U second derivative is between -du/18 and (64 - 2 du)/35 texels", "SAMPLE_8X8",
     parameters(ddu=-0.5 / 16 / 64), "-0.03125"),
    ("the U second derivative is between -du/18 and (64 - 2 du)/35 texels", "SAMPLE_8X8", parameters(ddu=2 / 64),
     "2.0"),
    ("the U second derivative is below 0.02 texels (RGB: 0.05) with IEF off (erratum)", groups.SAMPLE_8X8,
     parameters(ddu=0.03125 / 64), "0.03125"),
    ("with coordinates in texels the surface is 2D or 3D", CUBIC, several(IN_TEXELS, AS_CUBE), "SURFTYPE_CUBE"),
    ("with coordinates in texels both filters are NEAREST or LINEAR", FILTERED,
     several(IN_TEXELS, sampler(min_filter="ANISOTROPIC")), "ANISOTROPIC"),
    *((f"with coordinates in texels {limit}", FILTERED, several(IN_TEXELS, change), found) for limit, change, found in [
        (NO_LODS, sampler(mip_filter="LINEAR"), "LINEAR"),
        (NO_LODS, sampler(min_lod=0.5), "min_lod 0.5"),
        (NO_LODS, sampler(lod_bias=-1.0), "lod_bias -1"),
        ("MIP count is 0", surface(mip_count=3), "mip_count 3"),
        ("address controls are CLAMP, CLAMP_BORDER or HALF_BORDER", sampler(address_v="WRAP"), "WRAP"),
        ("address controls are CLAMP, CLAMP_BORDER or HALF_BORDER", sampler(address_u="MIRROR"), "MIRROR"),
    ]),
    *((f"with the filter MONO {limit}", FILTERED, several(MONO, change), found) for limit, change, found in [
        ("both filters are, the mip filter is NONE, and min LOD is 0", sampler(mag_filter="LINEAR"), "LINEAR"),
        ("both filters are, the mip filter is NONE, and min LOD is 0", sampler(mip_filter="LINEAR"), "LINEAR"),
        ("both filters are, the mip filter is NONE, and min LOD is 0", sampler(min_lod=1.0), "min_lod 1"),
        ("the surface is 2D and MONO8", surface(format="R16_UNORM"), "R16_UNORM"),
        ("the surface is 2D and MONO8", surface(surface_type="SURFTYPE_3D"), "SURFTYPE_3D"),
        ("address controls are CLAMP_BORDER", sampler(address_v="CLAMP"), "CLAMP"),
    ]),
    ("3D surfaces have filters NEAREST or LINEAR", FILTERED,
     several(surface(surface_type="SURFTYPE_3D"), sampler(mag_filter="ANISOTROPIC")), "ANISOTROPIC"),
    ("with a chroma key the format supports one", FILTERED,
     several(KEYED, surface(format="R32G32B32A32_FLOAT")), "R32G32B32A32_FLOAT"),
    ("with a chroma key both filters are NEAREST or LINEAR", FILTERED,
     several(KEYED, sampler(min_filter="ANISOTROPIC")), "ANISOTROPIC"),
    ("with a chroma key the surface is not 3D", FILTERED, several(KEYED, surface(surface_type="SURFTYPE_3D")),
     "SURFTYPE_3D"),
    (CUBE_MODES, CUBIC, several(AS_CUBE, PROGRAMMED, sampler(address_v="WRAP")), "WRAP"),
    (CUBE_MODES, CUBIC, several(AS_CUBE, PROGRAMMED, sampler(address_r="CUBE")), "CLAMP, CLAMP, CUBE"),
    ("cubes without address control CUBE have all faces", CUBIC,
     several(AS_CUBE, PROGRAMMED, surface(cube_faces=0x1F)), "enabled cube faces 0b011111"),
    ("border color mode DX9 has channels of at most 16 bits, or floats", FILTERED,
     several(BORDER, surface(format="R24_UNORM_X8_TYPELESS")), "R24_UNORM_X8_TYPELESS"),
]  # fmt: skip


@pytest.mark.parametrize(("limit", "messages", "change", "found"), BREAKS)
def test_breaking_a_rule_is_reported_with_limit_and_value(limit, messages, change, found):
    for message in sorted(messages.split() if isinstance(messages, str) else messages):
        situation = legal(message)
        change(situation)
        texts = [str(violation) for violation in situation.broken()]
        named = [text for text in texts if text.startswith(f"{message}: {limit}; found {found}")]
        assert len(named) == 1, (message, texts)
        with pytest.raises(UndefinedBehavior, match=rf"^{message}: .*; found .* \(seed 00[023]:\d+\)$"):
            check_request(situation.request(), situation.surface, situation.sampler)


def test_every_rule_is_tried_with_some_message():
    tried = [
        (limit, set(messages.split() if isinstance(messages, str) else messages)) for limit, messages, *_ in BREAKS
    ]
    for rule in RULES:
        messages = rule.messages or frozenset(EVERY_MESSAGE)
        assert any(limit == rule.limit and names & messages for limit, names in tried), rule.limit
    assert {limit for limit, _ in tried} == {rule.limit for rule in RULES}


@pytest.mark.parametrize(
    ("message", "change"),
    [
        ("SAMPLE_B", parameters(bias=-16.0)),
        ("SAMPLE_B", parameters(bias=15.999)),
        ("SAMPLE_UNORM", parameters(du=3 / 64, dv=3 / 64)),
        ("SAMPLE_8X8", parameters(du=15.99 / 64, dv=15.99 / 64)),
        ("SAMPLE_8X8", several(parameters(ddu=0.03125 / 64), surface(format="R8G8B8A8_UNORM"))),
        ("SAMPLE_8X8", several(parameters(ddu=0.5 / 64), sampler(ief_bypass=False))),
        ("SAMPLE_8X8", surface(format="R10G10B10A2_UNORM")),
        ("SAMPLE", several(AS_CUBE, parameters(u=1 - 2.0**-14))),
        ("SAMPLE", surface(surface_type="SURFTYPE_NULL")),
        ("SAMPLE", several(surface(surface_type="SURFTYPE_1D"), BORDER)),
        ("GATHER4_C", surface(format="R24_UNORM_X8_TYPELESS")),
        ("GATHER4", header(gather_channel="ALPHA")),
        ("SAMPLEINFO", surface(surface_type="SURFTYPE_NULL")),
        ("LD_MCS", several(surface(surface_type="SURFTYPE_NULL", samples="COUNT_1"))),
        ("SAMPLE_MIN", surface(format="R32_FLOAT")),
        ("SAMPLE_D", surface(**CUBE)),
        ("SAMPLE", IN_TEXELS),
        ("SAMPLE", several(IN_TEXELS, sampler(address_u="HALF_BORDER"))),
        ("SAMPLE_L", MONO),
        ("SAMPLE", KEYED),
        ("SAMPLE", several(AS_CUBE, surface(cube_faces=1), sampler(cube_control="OVERRIDE"))),
        ("SAMPLE", several(BORDER, surface(format="R32G32B32A32_FLOAT"))),
        ("SAMPLE_UNORM", header(masked_channels=(0, 1, 1, 1))),
    ],
)
def test_the_edge_of_the_legal_range_is_legal(message, change):
    situation = legal(message)
    change(situation)
    assert [str(violation) for violation in situation.broken()] == []


def test_disabled_lanes_are_not_looked_at():
    bias = np.array([[0, 0, 0, 0, 99.0, 0, 0, 0]])
    request = SamplerRequest.build(SamplerMessage.SAMPLE_B, SimdMode.SIMD8, bias=bias)
    assert violations(request)
    active = np.ones((1, 8), bool)
    active[0, 4] = False
    assert not violations(SamplerRequest.build(SamplerMessage.SAMPLE_B, SimdMode.SIMD8, bias=bias, active=active))


def test_a_buffer_lacks_fields_but_is_refused_by_its_type():
    situation = legal("SAMPLE_UNORM")
    situation.surface = RenderSurfaceState(surface_type="SURFTYPE_STRBUF", entries=4096)
    assert "the surface is 2D; found SURFTYPE_STRBUF" in str(situation.broken()[0])


def test_decoding_is_strict_unless_told_otherwise():
    request = SamplerRequest.build(SamplerMessage.SAMPLE_B, SimdMode.SIMD8, bias=[[17.0] * 8])
    descriptor, registers = encode_request(request)
    with pytest.raises(UndefinedBehavior, match=r"SAMPLE_B: the LOD bias is in \[-16\.0, 16\.0\); found 17\.0"):
        decode_request(descriptor, registers)
    assert decode_request(descriptor, registers, strict=False).parameters["bias"][0, 0] == 17
    block = SamplerRequest.build(BlockMessage.SAMPLE_8X8, SimdMode.SIMD32_64)
    descriptor, registers = encode_request(block, response_length=0)
    with pytest.raises(UndefinedBehavior, match="SAMPLE_8X8: with response length 0"):
        decode_request(descriptor, registers)
    decode_request(descriptor, registers, strict=False)
    descriptor, registers = encode_request(legal("DEINTERLACE").request(), response_length=8)
    with pytest.raises(StateError, match="DEINTERLACE: response length 8; legal: 5, 9, 10, 11, 12"):
        decode_request(descriptor, registers)


def test_names_of_messages_are_unique_though_their_codes_are_not():
    assert not SamplerMessage.__members__.keys() & BlockMessage.__members__.keys()
    assert {int(message) for message in SamplerMessage} & {int(message) for message in BlockMessage}
    with pytest.raises(KeyError, match="SAMPLE_X"):
        groups.group("SAMPLE SAMPLE_X")
