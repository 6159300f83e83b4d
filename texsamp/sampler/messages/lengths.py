"""Registers a sampler message returns (seed 003:4551-4561, 003:4631-4635)."""

from __future__ import annotations

from texsamp.errors import StateError, UndefinedBehavior
from texsamp.sampler.messages.blocks import BLOCK_PIXELS, output_format_of, returned_registers
from texsamp.sampler.messages.groups import KILL_MASK, SAMPLE_8X8
from texsamp.sampler.messages.request import SamplerRequest
from texsamp.state.sampler_messages import BlockMessage, SimdMode, response_length

DEINTERLACE_LENGTHS = frozenset({5, 9, 10, 11, 12})
"""Response lengths of deinterlace; which one, its states say (`deinterlace.DeinterlaceForm`)."""


def expected_response_length(request: SamplerRequest) -> int:
    """Registers the message returns under its channel mask.

    Raises StateError if threads of one message would need different lengths, and for deinterlace.
    """
    counts = {_length(request, masked) for _, masked in request.channel_groups()}
    if len(counts) > 1:
        raise StateError(
            f"{request.message.name}: channel masks of the threads of one message ask for {sorted(counts)} registers"
        )
    return counts.pop()


def _length(request: SamplerRequest, masked: tuple[bool, ...]) -> int:
    if isinstance(request.message, BlockMessage) and request.message in BLOCK_PIXELS:
        width, height = BLOCK_PIXELS[request.message]
        registers = returned_registers(width * height, output_format_of(request), masked)
        return len(registers) + (request.message.name in KILL_MASK)
    return response_length(request.simd, request.message, sum(masked) if request.simd == SimdMode.SIMD16 else 0)


def check_response_length(request: SamplerRequest) -> None:
    """Raise StateError if the descriptor makes room for another number of registers than come back.

    UndefinedBehavior for sample_8x8 without a response: the target of its media write is not specified (hole A11).
    """
    found, name = request.response_length, request.message.name
    if found is None:
        return
    if request.message is BlockMessage.DEINTERLACE:
        if found not in DEINTERLACE_LENGTHS:
            legal = ", ".join(map(str, sorted(DEINTERLACE_LENGTHS)))
            raise StateError(f"{name}: response length {found}; legal: {legal}")
        return
    if found == 0 and name in SAMPLE_8X8:
        raise UndefinedBehavior(f"{name}: with response length 0 it writes to memory, the manual does not say where")
    expected = expected_response_length(request)
    if found != expected:
        raise StateError(f"{name} ({request.simd.name}): returns {expected} registers, the response length is {found}")
