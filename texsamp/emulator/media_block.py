"""Media block reads and writes: rectangles of bytes between registers and surfaces (seed 003:8588-8900)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.messages import Message
from texsamp.emulator.surfaces import SurfaceTable, addressing_of
from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.data_port import (
    MediaBlockHeader,
    MediaMessageMode,
    RenderCacheDescriptor,
    SamplerCacheDescriptor,
)
from texsamp.state.formats import surface_format
from texsamp.surface.tiling import Addressing

_DWORD_B = 4
_REGISTER_B = 32
_X, _Y, _SIZE, _MODES = 0, 1, 2, 3
_SHIFTS = {"width": 0, "height": 16}
_MOST_ROWS = {4: 64, 8: 32, 16: 16, 32: 8}
"""Largest height of a block by the pitch of its rows in the registers."""
_HEADER_MODES = 0b11111

Descriptor = SamplerCacheDescriptor | RenderCacheDescriptor


@dataclass(frozen=True)
class _View:
    """A surface as media blocks see it: rows of dwords, whatever its format."""

    addressing: Addressing
    width_B: int  # noqa: N815 - the unit
    rows: int
    row_step: int
    first_row: int


def _view(state: RenderSurfaceState, descriptor: Descriptor) -> _View:
    """Geometry of a surface, with the message's override of the vertical line stride (seed 003:8640-8676)."""
    if state.surface_type != SurfaceType.SURFTYPE_2D or state.surface_array or state.mip_count:
        raise CaptureError(f"media blocks need a 2D surface without mips or slices, found {state.surface_type.name}")
    if state.x_offset or state.y_offset:
        raise CaptureError("media blocks of a surface with an offset to its base are not executed")
    stride, first, rows = state.vertical_line_stride, state.vertical_line_stride_offset, state.height
    if descriptor.override_stride:
        rows = rows * (1 + stride) // (1 + descriptor.stride)
        stride, first = descriptor.stride, descriptor.stride_offset
    return _View(addressing_of(state), state.width * _DWORD_B, rows, 1 + stride, first if stride else 0)


class MediaBlocks:
    """Executes media block messages and counts overlapping writes."""

    def __init__(self, surfaces: SurfaceTable) -> None:
        self._surfaces = surfaces
        self.written: dict[int, RenderSurfaceState] = {}
        """Surfaces written to, by their base address."""
        self.overwritten = 0
        """Dwords one thread wrote and a later one of the same message wrote differently."""
        self.watched_thread: int | None = None
        """The last thread that wrote the watched byte with the last message, if memory watches one."""

    def write(self, message: Message, descriptor: RenderCacheDescriptor) -> None:
        """Write every thread's block, clipped at the surface, in ascending order of the threads."""
        state, header = self._surfaces.render(descriptor.binding_table_index), message.dwords(0, 1)
        view = _view(state, descriptor)
        numbers = message.threads.numbers[message.rows]
        self.written[state.base_address] = state
        for width_B, rows, group in _blocks(header):
            pitch_B = _pitch_B(width_B, rows)
            corner_x, corner_y = _corners(header[group])
            if width_B % _DWORD_B or (corner_x % _DWORD_B).any():
                raise CaptureError(f"media block writes need whole dwords, found width {width_B}")
            data = message.dwords(1, -(-rows * pitch_B // _REGISTER_B))[group]
            block = data[:, : rows * pitch_B // _DWORD_B].reshape(len(data), rows, -1)[:, :, : width_B // _DWORD_B]
            self._store(state, view, (corner_x, corner_y), block, numbers[group])
        self._surfaces.memory.touch(self._surfaces.memory.find(state.base_address))

    def _store(
        self,
        state: RenderSurfaceState,
        view: _View,
        corners: tuple[NDArray[np.int64], NDArray[np.int64]],
        block: NDArray[np.uint32],
        threads: NDArray[np.intp],
    ) -> None:
        x = corners[0][:, None] + _DWORD_B * np.arange(block.shape[2])
        y = corners[1][:, None] + np.arange(block.shape[1])
        inside_x, inside_y = (x >= 0) & (x < view.width_B), (y >= 0) & (y < view.rows)
        offsets = self._offsets(view, np.where(inside_x, x, 0), np.where(inside_y, y, 0))
        memory = self._dwords(state)
        if inside_x.all() and inside_y.all():
            places, values = offsets.reshape(-1), block.reshape(-1)
        else:
            inside = inside_y[:, :, None] & inside_x[:, None, :]
            places, values = offsets[inside], block[inside]
        if not len(places):
            return
        if int(places.max()) >= len(memory):
            raise CaptureError(f"a media block write at {state.base_address:#x} leaves its buffer object")
        memory[places] = values
        watched = self._watched_dword(state)
        if watched is not None:
            hits = (offsets == watched) & inside_y[:, :, None] & inside_x[:, None, :]
            self.watched_thread = max(threads[hits.any(axis=(1, 2))].tolist(), default=self.watched_thread)
        self.overwritten += int((memory[places] != values).sum())

    def describe(self, index: int) -> str:
        """A surface by its binding table index, with the state it was written through."""
        return f"surface {index}, {self._surfaces.render(index)!r}"

    def _watched_dword(self, state: RenderSurfaceState) -> int | None:
        """The watched byte's dword, counted from the surface's base; None if it is not in its buffer object."""
        watch, buffer = self._surfaces.memory.watch, self._surfaces.memory.find(state.base_address)
        if watch is None or watch.handle != buffer.handle:
            return None
        return (buffer.address + watch.offset - state.base_address) // _DWORD_B

    def read(self, message: Message, descriptor: Descriptor) -> None:
        """Read every thread's block; beyond the edges the nearest pixel is repeated (seed 003:8606-8640)."""
        state, header = self._surfaces.render(descriptor.binding_table_index), message.dwords(0, 1)
        view, pixel_B = _view(state, descriptor), _pixel_B(state)
        if state.media_boundary_mode:
            raise CaptureError(f"media boundary mode {state.media_boundary_mode.name} is not executed")
        if (header[:, _SIZE] & 0x1F000300).any():
            raise CaptureError("register pitch control and sub-register offset of media block reads are not executed")
        response = np.zeros((len(header), message.response_length * _REGISTER_B), np.uint8)
        memory = self._surfaces.bytes_of(state.base_address)
        for width_B, rows, group in _blocks(header):
            pitch_B = _pitch_B(width_B, rows)
            corner_x, corner_y = _corners(header[group])
            wanted = corner_x[:, None] + np.arange(width_B)
            pixel = np.clip(wanted // pixel_B, 0, view.width_B // pixel_B - 1)
            x = pixel * pixel_B + wanted % pixel_B
            y = np.clip(corner_y[:, None] + np.arange(rows), 0, view.rows - 1)
            offsets = _tiled_offsets(view, x, y)
            if int(offsets.max()) >= len(memory):
                raise CaptureError(f"a media block read at {state.base_address:#x} leaves its buffer object")
            if rows * pitch_B > response.shape[1]:
                raise CaptureError(f"the block needs {rows * pitch_B} bytes, the response has {response.shape[1]}")
            block = np.zeros((len(x), rows, pitch_B), np.uint8)
            block[:, :, :width_B] = memory[offsets]
            response[group, : rows * pitch_B] = block.reshape(len(x), -1)
        message.respond(response)

    def _dwords(self, state: RenderSurfaceState) -> NDArray[np.uint32]:
        memory = self._surfaces.bytes_of(state.base_address)
        if state.base_address % _DWORD_B:
            raise CaptureError(f"media block writes need a base address of whole dwords, not {state.base_address:#x}")
        return memory[: len(memory) // _DWORD_B * _DWORD_B].view("<u4")

    def _offsets(self, view: _View, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
        """Offsets in dwords of every dword of every block, shape (threads, rows, dwords)."""
        return np.asarray(_tiled_offsets(view, x, y) // _DWORD_B)


def _tiled_offsets(view: _View, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Byte offsets of columns x of rows y, shape (threads, rows, columns)."""
    if int(x.max(initial=0)) >= view.addressing.pitch_B:
        raise CaptureError(f"a media block reaches byte column {int(x.max())} of a pitch of {view.addressing.pitch_B}")
    columns = view.addressing.offset_B(x, np.int64(0))
    rows = view.addressing.offset_B(np.int64(0), y * view.row_step + view.first_row)
    return np.asarray(rows[:, :, None] + columns[:, None, :])


def _corners(header: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return header[:, _X].view(np.int32).astype(np.int64), header[:, _Y].view(np.int32).astype(np.int64)


def _blocks(header: NDArray[np.uint32]) -> list[tuple[int, int, NDArray[np.intp] | slice]]:
    """Width in bytes and height of the blocks, and the threads that have one of this size."""
    if (header[:, _MODES] & _HEADER_MODES).any():
        first = MediaBlockHeader.from_dwords(header[(header[:, _MODES] & _HEADER_MODES) != 0][0].tolist(), strict=False)
        mode = "pixel masks" if first.message_mode == MediaMessageMode.PIXEL_MASK else "color processing"
        raise CaptureError(f"media blocks with {mode} are not executed")
    sizes = header[:, _SIZE] & 0x003F003F
    if (sizes == sizes[0]).all():
        return [(int(sizes[0] & 0x3F) + 1, int(sizes[0] >> 16) + 1, slice(None))]
    return [(int(size & 0x3F) + 1, int(size >> 16) + 1, np.flatnonzero(sizes == size)) for size in np.unique(sizes)]


def _pitch_B(width_B: int, rows: int) -> int:  # noqa: N802, N803 - the unit
    """Bytes from row to row of a block in registers: its width, rounded up to a power of two of at least 4."""
    pitch_B = max(_DWORD_B, 1 << (width_B - 1).bit_length())
    if pitch_B not in _MOST_ROWS or rows > _MOST_ROWS[pitch_B]:
        raise CaptureError(f"a media block of {width_B} bytes and {rows} rows is larger than the hardware allows")
    return pitch_B


def _pixel_B(state: RenderSurfaceState) -> int:  # noqa: N802 - the unit
    """Bytes of the pixel that is repeated beyond an edge; packed 4:2:2 repeats parts of one and is refused."""
    info = surface_format(state.code("format"))
    if info.bits not in (8, 16, 32) or info.block_width != 1 or info.name.startswith("YCRCB"):
        raise CaptureError(f"media block reads of {info.name} are not executed")
    return info.bits // 8
