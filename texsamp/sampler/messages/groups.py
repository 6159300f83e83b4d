"""Groups of messages, by name: codes of SIMD32/64 messages repeat those of the others, so members compare equal."""

from __future__ import annotations

from texsamp.state.sampler_messages import BlockMessage, SamplerMessage


def group(names: str) -> frozenset[str]:
    """A group from names between spaces; KeyError if there is no message of a name."""
    for name in names.split():
        if name not in SamplerMessage.__members__:
            BlockMessage[name]
    return frozenset(names.split())


PIXEL = frozenset(SamplerMessage.__members__)
"""Messages of SIMD4x2, SIMD8 and SIMD16."""

INTEGER = group("LD LD_LZ LD_MCS LD2DMS LD2DMS_W LD2DSS RESINFO SAMPLEINFO")
"""Messages whose parameters are integers; those of all others are floats, but for `mcs`, `offu` and `offv`."""

COMPARE = group("SAMPLE_C SAMPLE_B_C SAMPLE_L_C SAMPLE_D_C SAMPLE_C_LZ")
"""Messages that sample and compare with a reference."""

SAMPLE = COMPARE | group("SAMPLE SAMPLE_KILLPIX SAMPLE_B SAMPLE_L SAMPLE_LZ SAMPLE_D SAMPLE_MIN SAMPLE_MAX")
"""Messages that sample and filter."""

GATHER_PO = group("GATHER4_PO GATHER4_PO_C")
GATHER_C = group("GATHER4_C GATHER4_PO_C")
GATHER = group("GATHER4") | GATHER_PO | GATHER_C
LOD = group("LOD")
PLAIN_LD = group("LD LD_LZ")
MULTISAMPLE_LD = group("LD_MCS LD2DMS LD2DMS_W LD2DSS")

SAMPLE_UNORM = group("SAMPLE_UNORM SAMPLE_UNORM_KILLPIX SAMPLE_UNORM_MEDIA SAMPLE_UNORM_KILLPIX_MEDIA")
SAMPLE_8X8 = group("SAMPLE_8X8 SAMPLE_8X8_PS")
DEINTERLACE = group("DEINTERLACE")
MEDIA_PAYLOAD = group("SAMPLE_8X8 SAMPLE_UNORM_MEDIA SAMPLE_UNORM_KILLPIX_MEDIA")

KILL_MASK = group("SAMPLE_KILLPIX SAMPLE_UNORM_KILLPIX SAMPLE_UNORM_KILLPIX_MEDIA")
"""Messages that return the kill pixel mask of the chroma key."""
