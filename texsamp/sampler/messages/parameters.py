"""Which parameters a message has, in which order and of which number type (seed 003:4532-4635, 003:4825-4851)."""

from __future__ import annotations

from functools import cache

import numpy as np

from texsamp.errors import UndefinedBehavior
from texsamp.sampler.messages.groups import INTEGER
from texsamp.state.base import Struct
from texsamp.state.kinds import Float
from texsamp.state.sampler_messages import (
    BlockMessage,
    MediaSamplePayload,
    PixelShaderSamplePayload,
    SamplerMessage,
    SimdMode,
    sampler_parameters,
)

LANES = {SimdMode.SIMD4X2: 2, SimdMode.SIMD8: 8, SimdMode.SIMD16: 16, SimdMode.SIMD32_64: 1}
"""Sets of parameters in one message; SIMD32/64 messages have one set for the whole block."""

DOUBLE_PARAMETERS = ("u", "v")
"""Parameters a SIMD8D payload delivers in double precision: u as "u0 u1", v as "v0 v1" (seed 003:4901)."""

_SAMPLE_UNORM = ("u", "v", "du", "dv")
_SAMPLE_8X8 = ("u", "v", "du", "dv", "ddu")
_MEDIA_8X8 = (*_SAMPLE_8X8, "vertical_block", "group_id")

BLOCK_PAYLOADS: dict[BlockMessage, tuple[type[Struct], tuple[str, ...]]] = {
    BlockMessage.SAMPLE_UNORM: (PixelShaderSamplePayload, _SAMPLE_UNORM),
    BlockMessage.SAMPLE_UNORM_KILLPIX: (PixelShaderSamplePayload, _SAMPLE_UNORM),
    BlockMessage.SAMPLE_8X8_PS: (PixelShaderSamplePayload, _SAMPLE_8X8),
    BlockMessage.DEINTERLACE: (PixelShaderSamplePayload, ("u", "v")),
    BlockMessage.SAMPLE_UNORM_MEDIA: (MediaSamplePayload, _SAMPLE_UNORM),
    BlockMessage.SAMPLE_UNORM_KILLPIX_MEDIA: (MediaSamplePayload, _SAMPLE_UNORM),
    BlockMessage.SAMPLE_8X8: (MediaSamplePayload, _MEDIA_8X8),
}
"""Payload register of a SIMD32/64 message, and the rows of it that the message uses; cache_flush has none."""


def parameter_names(message: SamplerMessage | BlockMessage, simd: SimdMode, generation: float = 7) -> tuple[str, ...]:
    """Every parameter of a message in payload order.

    Raises UndefinedBehavior if the message does not exist in the SIMD mode or on the generation.
    """
    if isinstance(message, BlockMessage):
        if simd != SimdMode.SIMD32_64:
            raise UndefinedBehavior(f"{message.name} is a SIMD32/64 message, found {simd.name}")
        return BLOCK_PAYLOADS[message][1] if message in BLOCK_PAYLOADS else ()
    if generation < message.since:
        raise UndefinedBehavior(
            f"{message.name} needs generation {message.since:g} or later, found generation {generation:g}"
        )
    forms = _forms(generation)
    if (message, simd) not in forms:
        modes = ", ".join(mode.name for known, mode in forms if known is message)
        raise UndefinedBehavior(f"{message.name} exists in {modes}, found {simd.name}")
    return forms[message, simd]


@cache
def _forms(generation: float) -> dict[tuple[SamplerMessage, SimdMode], tuple[str, ...]]:
    return {
        (row.message, mode): row.parameters
        for row in sampler_parameters()
        if row.since <= generation <= row.until
        for mode in row.simd
    }


def parameter_type(message: SamplerMessage | BlockMessage, name: str) -> np.dtype[np.generic]:
    """Number type of a parameter: float32, int32 or uint32, always 4 bytes."""
    if isinstance(message, BlockMessage):
        structure, _ = BLOCK_PAYLOADS[message]
        number = message is BlockMessage.DEINTERLACE or not isinstance(structure.rows[name].kind, Float)
        return np.dtype(np.uint32 if number else np.float32)
    if name.startswith("mcs") or message is SamplerMessage.RESINFO:
        return np.dtype(np.uint32)
    if name in ("offu", "offv") or message.name in INTEGER:
        return np.dtype(np.int32)
    return np.dtype(np.float32)
