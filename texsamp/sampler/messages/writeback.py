"""The writeback of a sampler message: results to registers and back (seed 003:5054-5549)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from texsamp.errors import StateError
from texsamp.sampler.messages.blocks import BLOCK_PIXELS, output_format_of, read_block, write_block
from texsamp.sampler.messages.groups import KILL_MASK
from texsamp.sampler.messages.lengths import expected_response_length
from texsamp.sampler.messages.request import SamplerRequest
from texsamp.sampler.messages.rows import REGISTER_DWORDS
from texsamp.state.sampler_messages import BlockMessage, SimdMode

PIXEL_FAULT_MASK_SINCE = 8
"""First generation whose messages can ask for a pixel fault mask (public; the header here has no such bit)."""

_PIXEL_TYPES = ("float32", "int32", "uint32")
_BLOCK_TYPES = ("uint16",)


@dataclass(frozen=True, eq=False)
class Response:
    """Registers a message returns, (threads, registers, 8) uint32, and which of their dwords are overwritten.

    Dwords that are not written are 0 here; the destination keeps what it held.
    """

    registers: NDArray[np.uint32]
    written: NDArray[np.bool_]

    @property
    def length(self) -> int:
        """Number of registers."""
        return int(self.registers.shape[1])

    def merged(self, destination: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The destination, (threads, registers, 8), after the writeback."""
        return self.registers if self.written.all() else np.where(self.written, self.registers, destination)


@dataclass(frozen=True, eq=False)
class Results:
    """What a writeback says: values (threads, lanes or pixels, 4), killed and faulted (threads, lanes or pixels)."""

    values: NDArray[Any]
    killed: NDArray[np.bool_] | None = None
    faulted: NDArray[np.bool_] | None = None


def result_pixels(request: SamplerRequest) -> int:
    """Results per thread: lanes, or pixels of the block; 0 for cache_flush. StateError for deinterlace."""
    if request.message is BlockMessage.DEINTERLACE:
        raise StateError("DEINTERLACE: its writeback is not made of pixels' channels: see `deinterlace`")
    if isinstance(request.message, BlockMessage):
        width, height = BLOCK_PIXELS.get(request.message, (0, 0))
        return width * height
    return request.lanes


def encode_response(
    request: SamplerRequest,
    values: ArrayLike,
    *,
    killed: ArrayLike | None = None,
    faulted: ArrayLike | None = None,
) -> Response:
    """Write the response to a request.

    values: (threads, lanes, 4), red to alpha, float32, int32 or uint32 as the surface's return format says. Block
    messages: (threads, pixels, 4) of uint16, FF00h for 1.0 (`blocks.codes_from_unorm`, `blocks.codes_from_float`).
    killed: (threads, lanes or pixels) bool, for messages that return a kill mask, and only for them. Lanes that the
    execution mask disables count as not killed.
    faulted: (threads, lanes) bool, adds the pixel fault mask register; generation 8 and later.

    Raises StateError for arrays of a wrong shape or type, and for channel masks that need different lengths.
    """
    pixels = result_pixels(request)
    results = np.asarray(values)
    kinds = _BLOCK_TYPES if isinstance(request.message, BlockMessage) else _PIXEL_TYPES
    if results.shape != (request.threads, pixels, 4) or results.dtype.name not in kinds:
        raise StateError(
            f"{request.message.name}: values ({request.threads}, {pixels}, 4) of {' or '.join(kinds)} are needed, "
            f"found {results.shape} of {results.dtype}"
        )
    kill = _lane_mask(request, "killed", killed, request.message.name in KILL_MASK)
    if faulted is not None and (
        request.generation < PIXEL_FAULT_MASK_SINCE or isinstance(request.message, BlockMessage)
    ):
        raise StateError(
            f"{request.message.name}: a pixel fault mask comes with SIMD4x2, SIMD8 and SIMD16 messages of generation "
            f"{PIXEL_FAULT_MASK_SINCE} and later, found generation {request.generation:g}"
        )
    fault = _lane_mask(request, "faulted", faulted, faulted is not None)
    length = expected_response_length(request)
    masks = [_mask_register(request, mask) for mask in (kill, fault) if mask is not None]
    shape = (request.threads, length - (kill is not None), REGISTER_DWORDS)
    registers, written = _channels(request, results, shape)
    registers = registers if written.all() else np.where(written, registers, np.uint32(0))
    if not masks:
        return Response(registers, written)
    only_first = np.arange(REGISTER_DWORDS) == 0
    return Response(
        np.concatenate([registers, *masks], axis=1),
        np.concatenate([written, *(np.broadcast_to(only_first, mask.shape) for mask in masks)], axis=1),
    )


def decode_response(
    request: SamplerRequest, registers: NDArray[np.uint32], kind: Any = np.float32, *, fault_mask: bool = False
) -> Results:
    """Read the response to a request, (threads, registers, 8) uint32, as `encode_response` writes it.

    kind: number type of the values, float32, int32 or uint32; those of block messages are uint16. Masked channels are
    0. Raises StateError for a wrong number of registers.
    """
    pixels = result_pixels(request)
    kill = request.message.name in KILL_MASK
    length = expected_response_length(request) + fault_mask
    if registers.shape != (request.threads, length, REGISTER_DWORDS) or registers.dtype != np.uint32:
        raise StateError(
            f"{request.message.name}: registers ({request.threads}, {length}, {REGISTER_DWORDS}) of uint32 are needed, "
            f"found {registers.shape} of {registers.dtype}"
        )
    channels = registers[:, : length - kill - fault_mask]
    if isinstance(request.message, BlockMessage):
        values: NDArray[Any] = np.zeros((request.threads, pixels, 4), np.uint16)
        for rows, masked in request.channel_groups():
            if pixels:
                values[rows] = read_block(channels[rows], pixels, masked, output_format_of(request))
    else:
        values = _read_channels(request, channels).view(kind)
    bits = _bit_numbers(request)
    masks = [registers[:, place, :1] >> bits & np.uint32(1) == 0 for place in range(length - kill - fault_mask, length)]
    return Results(values, masks[0] if kill else None, masks[-1] if fault_mask else None)


def _lane_mask(request: SamplerRequest, what: str, mask: ArrayLike | None, wanted: bool) -> NDArray[np.bool_] | None:
    if mask is None:
        return np.zeros((request.threads, result_pixels(request)), np.bool_) if wanted else None
    if not wanted:
        raise StateError(f"{request.message.name}: returns no mask of {what} pixels")
    given, shape = np.asarray(mask, np.bool_), (request.threads, result_pixels(request))
    if given.shape != shape:
        raise StateError(f"{request.message.name}: {what} {shape} is needed, found {given.shape}")
    return given if isinstance(request.message, BlockMessage) else given & request.active


def _bit_numbers(request: SamplerRequest) -> NDArray[np.uint32]:
    """Bit of every lane or pixel in a mask dword: lane n is bit n; the upper left pixel of a block is bit 31."""
    pixels = result_pixels(request)
    numbers = np.arange(pixels, dtype=np.uint32)
    return np.uint32(31) - numbers if isinstance(request.message, BlockMessage) else numbers


def _mask_register(request: SamplerRequest, mask: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """One register whose first dword has a 1 for every lane but those in `mask`; unused bits are 1."""
    register = np.zeros((request.threads, 1, REGISTER_DWORDS), np.uint32)
    cleared = (mask.astype(np.uint32) << _bit_numbers(request)).sum(axis=1, dtype=np.uint32)
    register[:, 0, 0] = ~cleared
    return register


def _channels(
    request: SamplerRequest, results: NDArray[Any], shape: tuple[int, int, int]
) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Registers of the channels, `shape`, and which dwords are written."""
    if isinstance(request.message, BlockMessage):
        registers, written = np.zeros(shape, np.uint32), np.zeros(shape, np.bool_)
        for rows, masked in request.channel_groups():
            if results.shape[1]:
                registers[rows], written[rows] = write_block(results[rows], masked, output_format_of(request))
        return registers, written
    words = np.ascontiguousarray(results).view(np.uint32)
    if request.simd == SimdMode.SIMD4X2:
        return words.reshape(shape), (request.active[:, :, None] & ~request.masked_channels[:, None, :]).reshape(shape)
    if request.simd == SimdMode.SIMD8:
        return words.transpose(0, 2, 1), request.active[:, None, :] & ~request.masked_channels[:, :, None]
    registers = np.zeros((request.threads, shape[1] // 2, request.lanes), np.uint32)
    for rows, masked in request.channel_groups():
        enabled = _enabled(masked)
        first = enabled == list(range(len(enabled)))
        registers[rows] = words[rows][:, :, slice(len(enabled)) if first else enabled].transpose(0, 2, 1)
    written = np.broadcast_to(request.active[:, None, :], registers.shape)
    return registers.reshape(shape), written.reshape(shape)


def _read_channels(request: SamplerRequest, registers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    threads = request.threads
    if request.simd == SimdMode.SIMD4X2:
        words = registers.reshape(threads, 2, 4)
    elif request.simd == SimdMode.SIMD8:
        words = registers.transpose(0, 2, 1)
    else:
        count = registers.shape[1] // 2
        words = np.zeros((threads, request.lanes, 4), np.uint32)
        held = registers.reshape(threads, count, request.lanes).transpose(0, 2, 1)
        for rows, masked in request.channel_groups():
            chosen = words[rows]
            chosen[:, :, _enabled(masked)] = held[rows]
            words[rows] = chosen
    return np.ascontiguousarray(np.where(request.masked_channels[:, None, :], np.uint32(0), words))


def _enabled(masked: tuple[bool, ...]) -> list[int]:
    """Numbers of the channels that come back, in the order in which they do: masked ones close up."""
    return [channel for channel, is_masked in enumerate(masked) if not is_masked]
