"""Which bytes an align1 operand covers, and reading and writing them over many threads.

Element i of a source `<V;W,H>` lies `(i // W) * V + (i % W) * H` elements behind its origin, that of a destination
`i * stride`. Legal regions (public facts; holds for every captured instruction): elements are aligned to their size,
an execution is at least as wide as its rows, a single row of several elements has V = W * H, and an operand touches at
most two neighboring registers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from texsamp.emulator.eu.isa.operands import (
    ADDRESS,
    ARCHITECTURE_REGISTERS,
    NULL,
    VARIABLE,
    DataType,
    Destination,
    RegisterFile,
    Source,
)
from texsamp.emulator.eu.registers.channels import put
from texsamp.emulator.eu.registers.threads import ARCHITECTURE_PLACES, GENERAL_B, REGISTER_B, Array, Mask, Threads
from texsamp.errors import CaptureError

_MOST_REGISTERS = 2


@dataclass(frozen=True)
class _Span:
    """Bytes an operand may touch: where its file begins, and how many bytes there are."""

    origin: int
    size: int


def _span(file: RegisterFile, number: int) -> _Span:
    if file == RegisterFile.GENERAL:
        return _Span(0, GENERAL_B)
    if number not in ARCHITECTURE_PLACES:
        name = ARCHITECTURE_REGISTERS.get(number, f"{number:#x}")
        raise CaptureError(f"architecture register {name} is not supported as an operand")
    offset, size = ARCHITECTURE_PLACES[number]
    return _Span(GENERAL_B + offset, size)


class Region:
    """Where the elements of one operand lie: byte offsets from its origin, and the window to see them through.

    A window of one axis has shape (n,) and a stride; one of two axes is rows of a row width.
    """

    def __init__(self, kind: DataType, offsets: list[int], shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.type, self.offsets, self.shape, self.strides = kind, np.array(offsets, np.int64), shape, strides
        self.end_B = max(offsets) + kind.size_B


def source_region(source: Source, exec_size: int) -> Region:
    """Region of a source; CaptureError if it is illegal."""
    r, size = source.region, source.type.size_B
    if r.width > exec_size:
        raise CaptureError(f"region width {r.width} exceeds the execution size {exec_size}")
    if r.width == exec_size > 1 and r.horizontal and r.vertical not in (r.width * r.horizontal, VARIABLE):
        raise CaptureError(f"region <{r.vertical};{r.width},{r.horizontal}> of {exec_size} channels needs V = W * H")
    vertical = 0 if r.vertical == VARIABLE else r.vertical * size
    horizontal = r.horizontal * size
    rows = exec_size // r.width
    offsets = [row * vertical + column * horizontal for row in range(rows) for column in range(r.width)]
    if not any(offsets):
        return Region(source.type, offsets, (1,), (0,))
    if rows == 1 or vertical == r.width * horizontal:
        return Region(source.type, offsets, (exec_size,), (horizontal,))
    if r.width == 1:
        return Region(source.type, offsets, (exec_size,), (vertical,))
    return Region(source.type, offsets, (rows, r.width), (vertical, horizontal))


def destination_region(destination: Destination, exec_size: int) -> Region:
    """Region of a destination; CaptureError if it is illegal."""
    if destination.stride == 0:
        raise CaptureError("a destination cannot have stride 0")
    stride = destination.stride * destination.type.size_B
    return Region(destination.type, [i * stride for i in range(exec_size)], (exec_size,), (stride,))


def _check(region: Region, origin: int, span: _Span) -> int:
    """Position of a directly addressed operand in the register file; CaptureError if it leaves its registers."""
    if origin % region.type.size_B:
        raise CaptureError(f"sub-register offset {origin % REGISTER_B} is no multiple of {region.type.size_B} bytes")
    registers = (origin + region.end_B - 1) // REGISTER_B - origin // REGISTER_B + 1
    if registers > _MOST_REGISTERS:
        raise CaptureError(f"an operand touches {registers} registers, at most {_MOST_REGISTERS} are legal")
    if origin < 0:
        raise CaptureError(f"an operand begins {-origin} bytes before its registers")
    if origin + region.end_B > span.size:
        raise CaptureError(f"an operand ends at byte {origin + region.end_B} of {span.size}")
    return span.origin + origin


class Place:
    """An operand, direct or at an address: reads and writes its elements, one row per thread.

    CaptureError for regions that are illegal or not executed.
    """

    def __init__(self, operand: Source | Destination, region: Region, *, halves: bool = False) -> None:
        """halves: whether the second half of an operand at an address is at the next one (volume 4 part 3, page 71)."""
        self._region = region
        self._indirection = operand.indirection
        self._is_address = operand.file == RegisterFile.ARCHITECTURE and operand.number == ADDRESS
        self._rows = None
        if operand.indirection is None:
            span = _span(operand.file, operand.number)
            within = operand.subregister_B
            if operand.file == RegisterFile.GENERAL:
                within += operand.number * REGISTER_B
            self._at = _check(region, within, span)
        elif operand.file != RegisterFile.GENERAL:
            raise CaptureError("only general registers can be addressed indirectly")
        if isinstance(operand, Source) and operand.region.vertical == VARIABLE:
            if operand.indirection is None:
                raise CaptureError("a VxH region needs an address")
            rows = len(region.offsets) // operand.region.width
            if operand.indirection.subregister + rows > 8:
                raise CaptureError(f"a VxH region of {rows} rows runs beyond a0.7")
            self._rows = np.repeat(np.arange(rows), operand.region.width)

        elif halves and operand.indirection is not None and len(region.offsets) > 1 and region.offsets.any():
            half = len(region.offsets) // 2
            if operand.indirection.subregister % 2:
                raise CaptureError(f"two registers at addresses a0.{operand.indirection.subregister} on: it is odd")
            self._rows = np.repeat(np.arange(2), half)
            self._region = Region(region.type, [*region.offsets[:half]] * 2, region.shape, region.strides)

    @property
    def is_indirect(self) -> bool:
        """Whether the operand is at an address."""
        return self._indirection is not None

    @property
    def offsets(self) -> list[int]:
        """First byte of every element behind the operand's first, or behind its address."""
        offsets: list[int] = self._region.offsets.tolist()
        return offsets

    @property
    def positions(self) -> list[int]:
        """First byte of every element of a direct operand among a thread's registers."""
        return [self._at + offset for offset in self.offsets]

    @property
    def rows(self) -> list[int]:
        """Which address every element has, counted from the operand's first; all 0 if there is one for all."""
        if self._rows is None:
            return [0] * len(self._region.offsets)
        rows: list[int] = self._rows.tolist()
        return rows

    def refuse(self, address: int) -> CaptureError | None:
        """What is wrong with an address of the operand, or of an element that has its own; None if nothing is."""
        region = self._region
        if self._rows is not None:
            region = Region(region.type, [0], (1,), (0,))
        try:
            _check(region, address, _Span(0, GENERAL_B))
        except CaptureError as error:
            return error
        return None

    def read(self, threads: Threads) -> Array:
        """The elements in their own type, shape (threads, n); n is 1 if all channels read one element."""
        region = self._region
        if self._indirection is None:
            at = self._at
        else:
            starts = self._starts(threads)
            uniform = _uniform(starts)
            if uniform is None:
                return self._gathered(threads, starts)
            at = _check(region, uniform, _Span(0, GENERAL_B))
        window = threads.view(at, region.type.dtype, region.shape, region.strides)
        return window if len(region.shape) == 1 else window.reshape(threads.count, -1)

    def write(self, threads: Threads, values: Array, mask: Mask) -> None:
        """Store values, converted as C does, where the mask allows it."""
        region = self._region
        if self._indirection is None:
            at = self._at
        else:
            starts = self._starts(threads)
            uniform = _uniform(starts)
            if uniform is None:
                self._scatter(threads, starts, values, mask)
                return
            at = _check(region, uniform, _Span(0, GENERAL_B))
        window = threads.view(at, region.type.dtype, region.shape, region.strides)
        put(window, values, mask)
        if self._is_address:
            threads.trim_addresses()

    def _starts(self, threads: Threads) -> Array:
        """First byte of the operand, or of each element's row, per thread."""
        assert self._indirection is not None
        at = self._indirection
        if self._rows is None:
            return threads.addresses(at.subregister).astype(np.int64) + at.offset_B
        columns = [threads.addresses(at.subregister + row) for row in range(int(self._rows[-1]) + 1)]
        return np.stack(columns, axis=1).astype(np.int64)[:, threads.constant(self._rows)] + at.offset_B

    def _positions(self, threads: Threads, starts: Array) -> Array:
        positions = (starts[:, None] if starts.ndim == 1 else starts) + threads.constant(self._region.offsets)
        size = self._region.type.size_B
        low, high = int(positions.min()), int(positions.max())
        if low < 0 or high + size > GENERAL_B:
            raise CaptureError(f"addresses {low} to {high + size - 1} of {GENERAL_B} bytes of registers")
        if (positions % size).any():
            raise CaptureError(f"an address is no multiple of the element's {size} bytes")
        if self._rows is None:
            last = starts + self._region.end_B - 1
            registers = int((last // REGISTER_B - starts // REGISTER_B).max()) + 1
            if registers > _MOST_REGISTERS:
                raise CaptureError(f"an operand touches {registers} registers, at most {_MOST_REGISTERS} are legal")
        rows, elements = threads.arrays.arange(threads.count), threads.arrays.arange(size)
        return rows[:, None, None], positions[..., None] + elements  # type: ignore[return-value]

    def _gathered(self, threads: Threads, starts: Array) -> Array:
        data = threads.registers[self._positions(threads, starts)]
        return data.view(self._region.type.dtype)[..., 0]

    def _scatter(self, threads: Threads, starts: Array, values: Array, mask: Mask) -> None:
        index = self._positions(threads, starts)
        shape = (threads.count, len(self._region.offsets))
        converted = threads.arrays.empty(shape, self._region.type.dtype)
        put(converted, values, None)
        data = converted[..., None].view(np.uint8)
        if mask is None:
            threads.registers[index] = data
            return
        rows, positions = index
        rows = np.broadcast_to(rows, positions.shape)
        threads.registers[rows[mask], positions[mask]] = data[mask]


def _uniform(starts: Array) -> int | None:
    """The address all threads share, if they do."""
    first = int(starts.reshape(-1)[0])
    return first if starts.ndim == 1 and bool((starts == first).all()) else None


def is_null(operand: Source | Destination) -> bool:
    """Whether an operand is the null register."""
    return operand.file == RegisterFile.ARCHITECTURE and operand.number == NULL and operand.indirection is None
