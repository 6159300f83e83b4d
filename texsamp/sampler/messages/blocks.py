"""Writebacks of sample_unorm and sample_8x8: a block of pixels in four output formats (seed 003:5147-5549).

A result is a 16-bit UNORM with an 8-bit range: FF00h is 1.0, the low byte is fraction. The 8-bit formats hold it
rounded to its high byte. Generation 7 always returns 16 bits, all pixels ("16 bit Full"); before, the header chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from texsamp.errors import StateError
from texsamp.sampler.messages.request import SamplerRequest
from texsamp.sampler.messages.rows import REGISTER_DWORDS
from texsamp.state.sampler_messages import BlockMessage, OutputFormat

ONE = 0xFF00
"""Code of 1.0."""

BLOCK_PIXELS: dict[BlockMessage, tuple[int, int]] = {
    BlockMessage.SAMPLE_UNORM: (8, 4),
    BlockMessage.SAMPLE_UNORM_MEDIA: (8, 4),
    BlockMessage.SAMPLE_UNORM_KILLPIX: (8, 4),
    BlockMessage.SAMPLE_UNORM_KILLPIX_MEDIA: (8, 4),
    BlockMessage.SAMPLE_8X8: (16, 4),
    BlockMessage.SAMPLE_8X8_PS: (16, 4),
}
"""Width and height of the block; pixels are numbered by rows from the upper left one."""

_REGISTER_BITS = 256
_CHROMA = (0, 2)  # red and blue, where YUV surfaces have Cr and Cb
_BITS = {
    OutputFormat.FULL_16: 16,
    OutputFormat.CHROMA_DOWNSAMPLED_16: 16,
    OutputFormat.FULL_8: 8,
    OutputFormat.CHROMA_DOWNSAMPLED_8: 8,
}
_DOWNSAMPLED = (OutputFormat.CHROMA_DOWNSAMPLED_16, OutputFormat.CHROMA_DOWNSAMPLED_8)


@dataclass(frozen=True, slots=True)
class Part:
    """Pixels of one channel in ascending order, from dword `first_dword` of a register on."""

    channel: int
    pixels: range
    first_dword: int


@cache
def block_layout(pixels: int, output_format: OutputFormat) -> tuple[tuple[Part, ...], ...]:
    """Registers of the writeback with every channel enabled, in order; a register is what its parts are.

    Channels that fill half a register share it, the later channel below.
    """
    bits = _BITS[output_format]
    capacity = _REGISTER_BITS // bits
    registers: list[tuple[Part, ...]] = []
    shared: int | None = None
    for channel in range(4):
        step = 2 if output_format in _DOWNSAMPLED and channel in _CHROMA else 1
        held = range(0, pixels, step)
        if len(held) < capacity:
            if shared is None:
                shared = len(registers)
                registers.append((Part(channel, held, REGISTER_DWORDS // 2),))
            else:
                registers[shared] += (Part(channel, held, 0),)
            continue
        registers += [(Part(channel, held[i : i + capacity], 0),) for i in range(0, len(held), capacity)]
    return tuple(registers)


def returned_registers(
    pixels: int, output_format: OutputFormat, masked: tuple[bool, ...]
) -> tuple[tuple[Part, ...], ...]:
    """Registers that come back under a channel mask: those with an enabled channel, closed up."""
    return tuple(
        register
        for register in block_layout(pixels, output_format)
        if not all(masked[part.channel] for part in register)
    )


def output_format_of(request: SamplerRequest) -> OutputFormat:
    """Output format of a request; StateError if its threads disagree."""
    if request.generation >= 7 or request.header is None:
        return OutputFormat.FULL_16
    codes = np.unique(request.header.field("output_format"))
    if len(codes) != 1:
        raise StateError(f"{request.message.name}: threads of one message ask for output formats {codes.tolist()}")
    return OutputFormat(int(codes[0]))


def write_block(
    results: NDArray[np.uint16], masked: tuple[bool, ...], output_format: OutputFormat
) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Registers (threads, n, 8) of results (threads, pixels, 4), and which of their dwords are written."""
    threads, pixels, _ = results.shape
    returned = returned_registers(pixels, output_format, masked)
    registers = np.zeros((threads, len(returned), REGISTER_DWORDS), np.uint32)
    written = np.zeros((len(returned), REGISTER_DWORDS), np.bool_)
    codes = _narrow(results) if _BITS[output_format] == 8 else results
    for number, register in enumerate(returned):
        for part in register:
            if masked[part.channel]:
                continue
            words = np.ascontiguousarray(codes[:, part.pixels, part.channel]).view(np.uint32)
            place = slice(part.first_dword, part.first_dword + words.shape[1])
            registers[:, number, place] = words
            written[number, place] = True
    return registers, np.broadcast_to(written, registers.shape)


def read_block(
    registers: NDArray[np.uint32], pixels: int, masked: tuple[bool, ...], output_format: OutputFormat
) -> NDArray[np.uint16]:
    """Results (threads, pixels, 4) of registers (threads, n, 8), as `write_block` made them.

    Masked channels are 0. The odd pixels that a down-sampled format leaves out repeat the even ones before them.

    Raises StateError for another number of registers.
    """
    returned = returned_registers(pixels, output_format, masked)
    if registers.shape[1:] != (len(returned), REGISTER_DWORDS):
        raise StateError(f"a writeback of {len(returned)} registers is needed, found {registers.shape[1:]}")
    narrow = _BITS[output_format] == 8
    results = np.zeros((len(registers), pixels, 4), np.uint16)
    for number, register in enumerate(returned):
        for part in register:
            if masked[part.channel]:
                continue
            dwords = len(part.pixels) * _BITS[output_format] // 32
            words = np.ascontiguousarray(registers[:, number, part.first_dword : part.first_dword + dwords])
            values = words.view(np.uint8).astype(np.uint16) << np.uint16(8) if narrow else words.view(np.uint16)
            for repeated in range(part.pixels.step):
                results[:, [pixel + repeated for pixel in part.pixels], part.channel] = values
    return results


def _narrow(codes: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """High byte, rounded half up."""
    rounded: NDArray[np.uint32] = np.minimum((codes.astype(np.uint32) + 0x80) >> 8, 0xFF)
    return rounded.astype(np.uint8)


def codes_from_unorm(values: ArrayLike, bits: int) -> NDArray[np.uint16]:
    """Codes of UNORM integers of `bits` bits, FF00h for the largest one, rounded half up (hole A9).

    Raises StateError for larger integers.
    """
    largest = (1 << bits) - 1
    wide = np.asarray(values, np.uint64)
    if wide.size and wide.max() > largest:
        raise StateError(f"a UNORM of {bits} bits is 0..{largest}, found {wide.max()}")
    return ((wide * (2 * ONE) + largest) // (2 * largest)).astype(np.uint16)


def codes_from_float(values: Any) -> Any:
    """Codes of an array of floats, where it is: clamped to 0..1 (NaN is 0), times FF00h, rounded half up (hole A9)."""
    wide = values.astype(np.float64)
    clamped = np.where(np.isnan(wide), 0.0, wide).clip(0.0, 1.0)
    return (clamped * ONE + 0.5).astype(np.uint16)
