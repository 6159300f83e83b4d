"""A decoded sampler message: what many threads ask of one surface with one sampler state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from texsamp.cached import cached_property
from texsamp.errors import StateError
from texsamp.sampler.messages.groups import GATHER
from texsamp.sampler.messages.parameters import LANES, parameter_names, parameter_type
from texsamp.sampler.messages.rows import REGISTER_DWORDS, read_row
from texsamp.state.sampler_messages import BlockMessage, SamplerMessage, SamplerMessageHeader, SimdMode

Message = SamplerMessage | BlockMessage

OFFSET_BITS = 6
"""Bits of `offu` and `offv` that count: texels from -32 to 31 (seed 003:4757)."""


@dataclass(frozen=True, eq=False)
class MessageHeader:
    """The header registers M0 of many threads, (threads, 8) uint32; ignored bits are kept (seed 003:4472)."""

    registers: NDArray[np.uint32]

    def __post_init__(self) -> None:
        shape, kind = self.registers.shape, self.registers.dtype
        if kind != np.uint32 or len(shape) != 2 or shape[1] != REGISTER_DWORDS:
            raise StateError(f"{SamplerMessageHeader.name}: (threads, 8) of uint32 is needed, found {shape} of {kind}")

    @classmethod
    def repeat(cls, header: SamplerMessageHeader, threads: int) -> MessageHeader:
        """The same header for every thread."""
        return cls(np.tile(np.array(header.to_dwords(), np.uint32), (threads, 1)))

    def field(self, name: str) -> NDArray[Any]:
        """Values of a row of SAMPLER_MESSAGE_HEADER, (threads, *axes of the row)."""
        return read_row(SamplerMessageHeader.rows[name], self.registers)


@dataclass(frozen=True, eq=False)
class SamplerRequest:
    """One message of many threads.

    parameters: those that are sent, by name in payload order; each (threads, lanes) of 4 bytes per value (u and v are
    float64 in SIMD8D payloads). Lanes: 8, 16, 2 in SIMD4x2, 1 in SIMD32/64, where one set describes the block.
    active: (threads, lanes), lanes the execution mask enables; SIMD32/64 ignores the mask.
    header: of each thread, or one that all have.
    response_length: registers the descriptor makes room for; None: not given yet.
    """

    message: Message
    simd: SimdMode
    parameters: Mapping[str, NDArray[Any]]
    active: NDArray[np.bool_]
    header: MessageHeader | None = None
    binding_table_index: int = 0
    sampler_index: int = 0
    response_length: int | None = None
    double_coordinates: bool = False
    generation: float = 7

    @classmethod
    def build(
        cls,
        message: Message,
        simd: SimdMode,
        *,
        active: ArrayLike | None = None,
        header: MessageHeader | SamplerMessageHeader | None = None,
        binding_table_index: int = 0,
        sampler_index: int = 0,
        double_coordinates: bool = False,
        generation: float = 7,
        **parameters: ArrayLike,
    ) -> SamplerRequest:
        """Make a request from parameter arrays that broadcast to (threads, lanes).

        Parameters before the last one given that are missing are sent as 0, since none can be skipped
        (seed 003:4857). Raises StateError for a parameter the message does not have and for shapes that do not fit,
        UndefinedBehavior for a message the SIMD mode does not have.
        """
        names = parameter_names(message, simd, generation)
        unknown = parameters.keys() - set(names)
        if unknown:
            raise StateError(
                f"{message.name} has no parameter {', '.join(sorted(unknown))}; {simd.name} has {', '.join(names)}"
            )
        arrays = {name: np.atleast_2d(np.asarray(value)) for name, value in parameters.items()}
        mask = np.atleast_2d(np.asarray(True if active is None else active, np.bool_))
        headers = len(header.registers) if isinstance(header, MessageHeader) else 1
        threads = max([mask.shape[0], headers, *(array.shape[0] for array in arrays.values())])
        shape = (threads, LANES[simd])
        sent = 1 + max((names.index(name) for name in arrays), default=-1)
        if isinstance(message, BlockMessage):
            sent = len(names)
        return cls(
            message,
            simd,
            {
                name: _number(message, name, arrays.get(name, np.zeros((1, 1))), shape, double_coordinates)
                for name in names[:sent]
            },
            _broadcast(f"{message.name} active", mask, shape),
            MessageHeader.repeat(header, threads) if isinstance(header, SamplerMessageHeader) else header,
            binding_table_index,
            sampler_index,
            None,
            double_coordinates,
            generation,
        )

    @property
    def threads(self) -> int:
        """Number of threads."""
        return len(self.active)

    @property
    def lanes(self) -> int:
        """Sets of parameters per thread."""
        return int(self.active.shape[1])

    def parameter(self, name: str) -> NDArray[Any]:
        """A parameter, (threads, lanes); 0 where it was not sent.

        Raises StateError if the message has none of that name.
        """
        if name in self.parameters:
            return self.parameters[name]
        if name not in parameter_names(self.message, self.simd, self.generation):
            raise StateError(f"{self.message.name} ({self.simd.name}) has no parameter {name}")
        return np.zeros(self.active.shape, parameter_type(self.message, name))

    @cached_property
    def masked_channels(self) -> NDArray[np.bool_]:
        """Red, green, blue, alpha not to be returned, (threads, 4); deinterlace ignores the mask (seed 003:4509)."""
        if self.header is None or self.message is BlockMessage.DEINTERLACE:
            return np.zeros((self.threads, 4), np.bool_)
        masked: NDArray[np.bool_] = self.header.field("masked_channels")
        return masked

    def channel_groups(self) -> list[tuple[NDArray[np.intp] | slice, tuple[bool, ...]]]:
        """Threads by channel mask, nearly always one group: which threads, and red to alpha masked."""
        codes = self.masked_channels @ np.array([1, 2, 4, 8], np.uint8)
        if not len(codes) or (codes == codes[0]).all():
            first = int(codes[0]) if len(codes) else 0
            return [(slice(None), _channel_mask(first))]
        return [(np.flatnonzero(codes == code), _channel_mask(code)) for code in np.unique(codes).tolist()]

    @property
    def gather_channel(self) -> NDArray[np.uint32]:
        """Surface channel of a gather4 message (hole S24), (threads,); 0 red to 3 alpha."""
        return self._field("gather_channel") if self.message.name in GATHER else self._field(None)

    @property
    def force_lod_zero(self) -> NDArray[np.bool_]:
        """Whether the computed LOD is replaced by 0 (bit 16 of messages other than gather4, hole S24), (threads,)."""
        none = self.message.name in GATHER
        forced: NDArray[np.bool_] = self._field(None if none else "gather_channel") & np.uint32(1) != 0
        return forced

    def texel_offsets(self) -> NDArray[np.int32]:
        """Offsets of u, v, r in texels, (threads, lanes, 3).

        They come from the header; the `offu` and `offv` parameters replace those of u and v (seed 003:4514, 4757).
        SIMD32/64 messages have none.
        """
        offsets = np.zeros((*self.active.shape, 3), np.int32)
        if isinstance(self.message, BlockMessage):
            return offsets
        for axis, (name, parameter) in enumerate((("u_offset", "offu"), ("v_offset", "offv"), ("r_offset", ""))):
            offsets[..., axis] = self._field(name).view(np.int32)[:, None]
            if parameter in self.parameters:
                spare = np.int32(32 - OFFSET_BITS)
                offsets[..., axis] = self.parameters[parameter] << spare >> spare
        return offsets

    def _field(self, name: str | None) -> NDArray[Any]:
        if self.header is None or name is None:
            return np.zeros(self.threads if self.header is None else len(self.header.registers), np.uint32)
        return self.header.field(name)


def _channel_mask(code: int) -> tuple[bool, ...]:
    return tuple(bool(code >> channel & 1) for channel in range(4))


def _number(
    message: Message, name: str, value: NDArray[Any], shape: tuple[int, int], double_coordinates: bool
) -> NDArray[Any]:
    kind = np.dtype(np.float64) if double_coordinates and name in ("u", "v") else parameter_type(message, name)
    return _broadcast(f"{message.name} {name}", value.astype(kind), shape)


def _broadcast(what: str, value: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise StateError(f"{what}: an array {value.shape} where (threads, lanes) is {shape}") from None
