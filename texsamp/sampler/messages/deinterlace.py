"""Writebacks of the deinterlace message: fields, motion measure and statistics of a block (seed 003:5551-5880)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from texsamp.device.base import Array
from texsamp.errors import StateError, UndefinedBehavior
from texsamp.sampler.messages.rows import REGISTER_DWORDS, read_rows, write_rows
from texsamp.sampler.messages.writeback import Response
from texsamp.state.base import Struct
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.deinterlace_statistics import (
    DeinterlaceStatistics,
    DeinterlaceStatisticsGen5,
    DeinterlaceStatisticsGen6,
    DenoiseStatistics,
    DenoiseStatisticsGen6,
)
from texsamp.state.media_surface import MediaSurfaceFormat, MediaSurfaceState

REGISTER_B = 4 * REGISTER_DWORDS

PACKED_422 = frozenset(
    {
        MediaSurfaceFormat.YCRCB_NORMAL,
        MediaSurfaceFormat.YCRCB_SWAPUVY,
        MediaSurfaceFormat.YCRCB_SWAPUV,
        MediaSurfaceFormat.YCRCB_SWAPY,
    }
)
"""Formats whose denoised chroma comes back too."""

_STATISTICS = "statistics"
_FIELD_PAIRS = (
    ("previous_luma", (4, 16)),
    ("previous_chroma", (4, 8, 2)),
    ("current_luma", (4, 16)),
    ("current_chroma", (4, 8, 2)),
    ("stmm", (4, 8)),
    (_STATISTICS, (REGISTER_B,)),
)
_PLACE_AT = 28
"""Byte of the statistics that holds nothing but where a block is, in all of them, up to the last one."""
_SECOND_FIELD_LUMA = (("second_field_luma", (2, 16)),)
_SECOND_FIELD_CHROMA = (("second_field_chroma", (2, 8, 2)),)
_DENOISED = (("luma", (8, 16)), (_STATISTICS, (REGISTER_B,)))
_DENOISED_CHROMA = (("chroma", (8, 8, 2)),)


@dataclass(frozen=True, slots=True)
class DeinterlaceForm:
    """Which writeback a deinterlace message has.

    di, dn: DI Enable and DN Enable. packed_422: the surface is 4:2:2 packed. generation chooses the statistics.
    """

    di: bool
    dn: bool
    packed_422: bool
    generation: float = 7

    def __post_init__(self) -> None:
        if not self.di and not self.dn:
            raise UndefinedBehavior("DEINTERLACE: DI Enable and DN Enable are both off; one of them must be on")

    @classmethod
    def of(cls, sampler: DeinterlaceSamplerState, surface: MediaSurfaceState) -> DeinterlaceForm:
        """The form that the states ask for; UndefinedBehavior for DI Partial, whose layout is lost (hole I19)."""
        if sampler.di_partial:
            raise UndefinedBehavior("DEINTERLACE: DI Partial is set; the manual does not give its writeback")
        return cls(sampler.di_enable, sampler.dn_enable, surface.format in PACKED_422, sampler.generation)

    @property
    def arrays(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Names and shapes of what comes back, in order; one byte per element.

        Luma is [row][pixel], chroma [row][pair of pixels][Cr, Cb], stmm [row][pair of pixels]. "previous": the
        deinterlaced second field of the previous frame, "current": the first of the current one; "second_field": the
        denoised second field of the current one.
        """
        if not self.di:
            return _DENOISED + (_DENOISED_CHROMA if self.packed_422 else ())
        chroma = self.dn and self.packed_422
        return _FIELD_PAIRS + (_SECOND_FIELD_LUMA if self.dn else ()) + (_SECOND_FIELD_CHROMA if chroma else ())

    @property
    def response_length(self) -> int:
        """Registers: 12, 11 or 10 with deinterlacing, 9 or 5 without."""
        return sum(prod(shape) for _, shape in self.arrays) // REGISTER_B

    @property
    def statistics(self) -> type[Struct]:
        """Structure of the statistics register."""
        if self.generation >= 7:
            return DeinterlaceStatistics if self.di else DenoiseStatistics
        if self.generation >= 6:
            return DeinterlaceStatisticsGen6 if self.di else DenoiseStatisticsGen6
        return DeinterlaceStatisticsGen5


def encode_deinterlace(
    form: DeinterlaceForm, values: Mapping[str, ArrayLike], statistics: Mapping[str, ArrayLike]
) -> Response:
    """Write the response to a deinterlace message.

    values: the arrays of `form.arrays` but for the statistics, each (threads, *shape) of uint8.
    statistics: rows of `form.statistics`, each (threads, *axes of the row); those left out are 0.
    Raises StateError for missing, unknown or misshapen arrays and for statistics their bits cannot hold.
    """
    shapes = dict(form.arrays)
    names = set(shapes) - {_STATISTICS}
    if values.keys() != names:
        raise StateError(
            f"DEINTERLACE: arrays {', '.join(sorted(names))} are needed, found {', '.join(sorted(values)) or 'none'}"
        )
    given = {name: np.asarray(value) for name, value in values.items()}
    threads = max((len(array) if array.ndim else 0 for array in given.values()), default=0)
    data = deinterlace_bytes(form, given, write_rows(form.statistics, statistics, threads))
    registers = np.ascontiguousarray(data).view(np.uint32).reshape(len(data), form.response_length, REGISTER_DWORDS)
    return Response(registers, np.ones(registers.shape, np.bool_))


def deinterlace_bytes(form: DeinterlaceForm, values: Mapping[str, Array], statistics: Array) -> Array:
    """The same as bytes, (threads, n), on the device that all are on. statistics: their register, (threads, 8) uint32.

    Raises StateError for misshapen arrays.
    """
    threads, packed = len(statistics), statistics.view(np.uint8)
    parts = []
    for name, shape in form.arrays:
        array = packed if name == _STATISTICS else values[name]
        if array.shape != (threads, *shape) or array.dtype != np.uint8:
            raise StateError(
                f"DEINTERLACE: {name} ({threads}, {', '.join(map(str, shape))}) of uint8 is needed, "
                f"found {array.shape} of {array.dtype}"
            )
        parts.append(array.reshape(threads, prod(shape)))
    made: Array = np.concatenate(parts, axis=1)
    return made


def place_bytes(form: DeinterlaceForm, x: NDArray[np.int64], y: NDArray[np.int64]) -> tuple[int, NDArray[np.uint8]]:
    """Which byte of a response the place of a block begins at, and its bytes, (threads, 4)."""
    names = [name for name, _ in form.arrays]
    before = sum(prod(shape) for _, shape in form.arrays[: names.index(_STATISTICS)])
    registers = write_rows(form.statistics, {"x": x, "y": y}, len(x)).view(np.uint8)
    return before + _PLACE_AT, registers[:, _PLACE_AT:]


def decode_deinterlace(
    form: DeinterlaceForm, registers: NDArray[np.uint32]
) -> tuple[dict[str, NDArray[np.uint8]], dict[str, NDArray[Any]]]:
    """Arrays and statistics of a response, (threads, `form.response_length`, 8) uint32, as `encode_deinterlace`.

    Raises StateError for a wrong number of registers.
    """
    if registers.dtype != np.uint32 or registers.shape[1:] != (form.response_length, REGISTER_DWORDS):
        raise StateError(
            f"DEINTERLACE: {form.response_length} registers of uint32 are needed, "
            f"found {registers.shape} of {registers.dtype}"
        )
    threads = len(registers)
    data = np.ascontiguousarray(registers).reshape(threads, form.response_length * REGISTER_DWORDS).view(np.uint8)
    values: dict[str, NDArray[np.uint8]] = {}
    first = 0
    for name, shape in form.arrays:
        values[name] = data[:, first : first + prod(shape)].reshape(threads, *shape)
        first += prod(shape)
    packed = np.ascontiguousarray(values.pop(_STATISTICS)).view(np.uint32)
    return values, read_rows(form.statistics, packed)
