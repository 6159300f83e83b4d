"""What the threads of a message ask of the sampling engine."""

from __future__ import annotations

from texsamp.emulator.eu.messages import Message
from texsamp.sampler.messages import SamplerRequest, decode_request
from texsamp.state.sampler_messages import SamplerMessageDescriptor


def read_request(message: Message, descriptor: SamplerMessageDescriptor) -> SamplerRequest:
    """What all threads ask of the sampling engine."""
    registers = message.dwords(0, message.length).reshape(len(message.rows), message.length, 8)
    return decode_request(descriptor, registers, message.mask)
