"""Messages to the sampling engine as arrays over threads: payloads, writebacks, lengths and restrictions.

A message is decoded to a `SamplerRequest`; the response to it is made by `encode_response` or, for deinterlace, by
`deinterlace.encode_deinterlace`. Both ways exist for both, so that messages can be built as well as carried out.
"""

from texsamp.sampler.messages.payload import decode_request, encode_request
from texsamp.sampler.messages.request import MessageHeader, SamplerRequest
from texsamp.sampler.messages.rules import check_request, violations
from texsamp.sampler.messages.writeback import Response, Results, decode_response, encode_response, result_pixels

__all__ = [
    "MessageHeader",
    "Response",
    "Results",
    "SamplerRequest",
    "check_request",
    "decode_request",
    "decode_response",
    "encode_request",
    "encode_response",
    "result_pixels",
    "violations",
]
