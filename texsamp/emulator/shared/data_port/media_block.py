"""Media block reads and writes: rectangles of bytes between registers and surfaces (seed 003:8588-8900)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.memory import Watch
from texsamp.emulator.context.surfaces import SurfaceTable, addressing_of
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.shared.data_port.buffers import last_of_each
from texsamp.emulator.shared.data_port.media_blocks_there import SentBlocks, SurfaceLines, message_blocks
from texsamp.emulator.shared.data_port.media_color import ColorWrite
from texsamp.emulator.shared.data_port.media_edges import RegisterLayout, base_pitch_B, columns, lines, most_rows
from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.data_port import RenderCacheDescriptor, SamplerCacheDescriptor
from texsamp.state.render_surface import MediaBoundaryMode
from texsamp.surface.tiling import Addressing

_DWORD_B = 4
_REGISTER_B = 32
_KEPT_PLACES = 8
"""Of messages; a picture is written by a few."""
_X, _Y, _SIZE, _MODES = _LOOKED_AT = 0, 1, 2, 3
"""Dwords of the header."""
_SHIFTS = {"width": 0, "height": 16}
_COLOR, _AREA_OF_INTEREST, _PIXEL_MASK = np.uint32(0b1), np.uint32(0b10), np.uint32(0b10000)
_MODE_BITS = np.uint32(0b11111)
"""Bits of the header's fourth dword; the area of interest only counts in a histogram that nothing here reads."""
_MASKED_WIDTH_B = 32
_MASKED_SIZE = np.uint32(0x0003001F)
"""Width and height of blocks with a pixel mask, coded as those of others."""
_MASK_BITS = np.array(
    [
        [0, 1, 4, 5, 16, 17, 20, 21],
        [2, 3, 6, 7, 18, 19, 22, 23],
        [8, 9, 12, 13, 24, 25, 28, 29],
        [10, 11, 14, 15, 26, 27, 30, 31],
    ],
    np.uint32,
)
"""Bit of the pixel mask for every dword of the block (hole P7)."""

Descriptor = SamplerCacheDescriptor | RenderCacheDescriptor


@dataclass(frozen=True)
class _View:
    """A surface as media blocks see it: rows of dwords, whatever its format."""

    addressing: Addressing
    width_B: int  # noqa: N815 - the unit
    rows: int
    row_step: int
    first_row: int

    @property
    def surface(self) -> SurfaceLines:
        """The same as blocks are written to it."""
        return SurfaceLines(self.addressing, self.width_B, self.rows, self.row_step, self.first_row)


@lru_cache(maxsize=_KEPT_PLACES)
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
    if not rows:
        raise CaptureError(f"media blocks of every second row need a surface of 2 rows or more, found {state.height}")
    return _View(addressing_of(state), state.width * _DWORD_B, rows, 1 + stride, first if stride else 0)


def _nv12_views(state: RenderSurfaceState, view: _View) -> list[_View]:
    """Luma and the chroma of NV12 below it; the surface's width counts words (seed 003:2240)."""
    luma = replace(view, width_B=2 * state.width)
    return [luma, replace(luma, rows=view.rows // 2, first_row=view.rows)]


class MediaBlocks:
    """Executes media block messages and counts overlapping writes.

    CaptureError for what is illegal or not executed, and for blocks that leave their buffer object.
    """

    def __init__(self, surfaces: SurfaceTable, general_base: int, budget: Budget) -> None:
        self._surfaces, self._general_base, self._budget = surfaces, general_base, budget
        self._overwritten: tuple[Device, Array] | None = None

    def write(self, message: Message, descriptor: RenderCacheDescriptor) -> None:
        """Write every thread's block, clipped at the surface, in ascending order of the threads."""
        state, header = self._surfaces.render(descriptor.binding_table_index), message.dwords(0, 1, _LOOKED_AT)
        view = _view(state, descriptor)
        numbers = message.threads.numbers[message.rows]
        self._surfaces.note_written(descriptor.binding_table_index, _DWORD_B)
        masks = _pixel_masks(header)
        color, device = _color_write(header, state, view), message.threads.device
        views = [view] if color is None or not color.nv12 else _nv12_views(state, view)
        blocks = _blocks(header)
        self._budget.spend(len(blocks))
        for width_B, rows, group in blocks:
            pitch_B = _pitch_B(width_B, rows)
            corner_x, corner_y = _corners(header[group])
            if width_B % _DWORD_B or (corner_x % _DWORD_B).any():
                raise CaptureError(f"media block writes need whole dwords, found width {width_B}")
            mask = None if masks is None else masks[group]
            if color is None:
                sent = SentBlocks.of(message, group, rows, pitch_B, width_B // _DWORD_B)
                self._store(device, state, view, (corner_x, corner_y), sent, numbers[group], mask)
                continue
            block = message_blocks(message, group, rows, pitch_B, width_B // _DWORD_B)
            pointers = self._general_base + (header[group][:, _MODES] & ~np.uint32(0x1F)).astype(np.int64)
            corner_x = color.corners(corner_x, corner_y)
            planes = color.blocks(device, block, pointers, self._surfaces.memory, self._budget)
            for halvings, (plane, within) in enumerate(zip(planes, views, strict=True)):
                made = SentBlocks.made(message, group, plane, color.shifts, halvings)
                self._store(device, state, within, (corner_x, corner_y >> halvings), made, numbers[group], mask)
        self._surfaces.memory.touch(self._surfaces.memory.find(state.base_address), device)

    def _note_overwritten(self, device: Device, dwords: Array) -> None:
        """One number, which is looked at when all have been added."""
        self._overwritten = device, dwords if self._overwritten is None else self._overwritten[1] + dwords

    @property
    def overwritten(self) -> int:
        """Dwords one thread wrote and a later one of the same message wrote differently."""
        if self._overwritten is None:
            return 0
        device, dwords = self._overwritten
        return int(device.download(dwords).sum())

    def _store(
        self,
        device: Device,
        state: RenderSurfaceState,
        view: _View,
        corners: tuple[NDArray[np.int64], NDArray[np.int64]],
        blocks: SentBlocks,
        threads: NDArray[np.intp],
        masks: NDArray[np.bool_] | None,
    ) -> None:
        size = blocks.lines, blocks.dwords
        held = _written(device, view, corners[0].tobytes(), corners[1].tobytes(), *size)
        if masks is not None:
            held = held.masked(masks[:, : size[0], : size[1]])
        memory = self._dwords(device, state)
        if held.end < 0:
            return
        if held.end >= len(memory):
            raise CaptureError(f"a media block write at {state.base_address:#x} leaves its buffer object")
        if device.arrays is not np and masks is None:
            differing = blocks.write(memory, view.surface, overlap=held.last is not None)
            if differing is not None:
                self._note_overwritten(device, differing)
        else:
            self._write_at(device, memory, held, blocks.values.reshape(-1))
        watch = self._surfaces.memory.watch
        if watch is not None:
            hits = held.hits(self._watched_dword(state, watch))
            watch.thread = max(threads[hits].tolist(), default=watch.thread)

    def _write_at(self, device: Device, memory: Array, held: _Written, values: Array) -> None:
        """Dwords to places that have been sent there; of several at one place the last one stays."""
        places, chosen, last = held.there
        if chosen is not None:
            values = values[chosen]
        if last is None:
            memory[places] = values
        else:
            memory[places[last]] = values[last]
            self._note_overwritten(device, (memory[places] != values).sum())

    def _watched_dword(self, state: RenderSurfaceState, watch: Watch) -> int:
        """The watched byte's dword, counted from the surface's base; -1 if it is not in its buffer object."""
        buffer = self._surfaces.memory.find(state.base_address)
        if watch.handle != buffer.handle:
            return -1
        return (buffer.address + watch.offset - state.base_address) // _DWORD_B

    def read(self, message: Message, descriptor: Descriptor) -> None:
        """Read every thread's block; beyond the edges the nearest pixel is repeated (seed 003:8606-8640)."""
        state, header = self._surfaces.render(descriptor.binding_table_index), message.dwords(0, 1, _LOOKED_AT)
        view = _view(state, descriptor)
        upload = message.threads.upload
        held = self._held(message)
        memory = self._surfaces.bytes_on(message.threads.device, state.base_address)
        forms = _read_forms(header, isinstance(descriptor, RenderCacheDescriptor))
        self._budget.spend(len(forms))
        for form, group in forms:
            device, (corner_x, corner_y) = message.threads.device, _corners(header[group])
            kind = view, state.code("format"), state.media_boundary_mode
            places = _read_places(device, *kind, corner_x.tobytes(), corner_y.tobytes(), form.width_B, form.rows)
            if places.end >= len(memory):
                raise CaptureError(f"a media block read at {state.base_address:#x} leaves its buffer object")
            end_B = form.layout.offset_B + (form.rows - 1) * form.layout.pitch_B + form.width_B
            if -(-end_B // _REGISTER_B) > message.response_length:
                raise CaptureError(f"the block needs {end_B} bytes, the response has {held.shape[1]}")
            threads = group if isinstance(group, slice) else upload(group)
            registers = held[threads]
            if form.alone:
                registers[...] = 0
            form.layout.place(memory[places.down[:, :, None] + places.across[:, None, :]], registers)
            held[threads] = registers
        message.respond(held)

    def _held(self, message: Message) -> Array:
        """What the registers of the response hold, (threads, bytes)."""
        held: Array
        if message.destination is None:
            held = message.threads.arrays.zeros((len(message.rows), message.response_length * _REGISTER_B), np.uint8)
        else:
            held = message.held_there(message.response_length).view(np.uint8)
        return held

    def _dwords(self, device: Device, state: RenderSurfaceState) -> Array:
        memory = self._surfaces.bytes_on(device, state.base_address)
        if state.base_address % _DWORD_B:
            raise CaptureError(f"media block writes need a base address of whole dwords, not {state.base_address:#x}")
        return memory[: len(memory) // _DWORD_B * _DWORD_B].view("<u4")


@dataclass(frozen=True)
class _Written:
    """Dwords that blocks are written to.

    device: what writes them. offsets: of every dword of every block, shape (threads, rows, dwords). inside: which of
    them the surface has, chosen their numbers; None if it has all. places: where those are. last: which of these are at
    a place that no later one has, None if no two are at one. end: the largest place, -1 if there is none.
    """

    device: Device
    offsets: NDArray[np.int64]
    inside: NDArray[np.bool_] | None
    chosen: NDArray[np.intp] | None
    places: NDArray[np.int64]
    last: NDArray[np.int32] | None
    end: int

    @classmethod
    def of(cls, device: Device, offsets: NDArray[np.int64], inside: NDArray[np.bool_] | None) -> _Written:
        chosen = None if inside is None else np.flatnonzero(inside)
        places = offsets.reshape(-1) if chosen is None else offsets.reshape(-1)[chosen]
        return cls(device, offsets, inside, chosen, places, last_of_each(places), int(places.max(initial=-1)))

    @cached_property
    def there(self) -> tuple[Array, Array | None, Array | None]:
        """Places, numbers of those that the surface has, and the last ones, on the device."""
        optional = [each for each in (self.chosen, self.last) if each is not None]
        places, *others = self.device.upload_all([_short(self.device, each) for each in (self.places, *optional)])
        found = iter(others)
        chosen, last = (None if each is None else next(found) for each in (self.chosen, self.last))
        return places, chosen, last

    def masked(self, mask: NDArray[np.bool_]) -> _Written:
        """Those of them that a mask allows."""
        return _Written.of(self.device, self.offsets, mask if self.inside is None else mask & self.inside)

    def hits(self, place: int) -> NDArray[np.bool_]:
        """The threads that write to a place."""
        hits = self.offsets == place
        return np.asarray((hits if self.inside is None else hits & self.inside).any(axis=(1, 2)))


@lru_cache(maxsize=_KEPT_PLACES)
def _written(device: Device, view: _View, corners_x: bytes, corners_y: bytes, rows: int, dwords: int) -> _Written:
    """Pictures of a video mostly repeat the places of the one before. Corners: int64."""
    x = np.frombuffer(corners_x, np.int64)[:, None] + _DWORD_B * np.arange(dwords)
    y = np.frombuffer(corners_y, np.int64)[:, None] + np.arange(rows)
    inside_x, inside_y = (x >= 0) & (x < view.width_B), (y >= 0) & (y < view.rows)
    lines = np.where(inside_y, y, 0) * view.row_step + view.first_row
    across, down = _tiled_parts(view, np.where(inside_x, x, 0), lines)
    inside = None
    if not (inside_x.all() and inside_y.all()):
        inside = inside_y[:, :, None] & inside_x[:, None, :]
    return _Written.of(device, (down[:, :, None] + across[:, None, :]) // _DWORD_B, inside)


@dataclass(frozen=True)
class _Read:
    """Bytes that blocks are read from, by lines (threads, lines) and columns (threads, columns), on a device.

    end: the largest sum.
    """

    down: Array
    across: Array
    end: int


@lru_cache(maxsize=_KEPT_PLACES)
def _read_places(
    device: Device,
    view: _View,
    format: int,
    mode: MediaBoundaryMode,
    corners_x: bytes,
    corners_y: bytes,
    width_B: int,  # noqa: N803 - the unit
    rows: int,
) -> _Read:
    """As `_written`."""
    x = columns(format, np.frombuffer(corners_x, np.int64), width_B, view.width_B)
    y = np.frombuffer(corners_y, np.int64)[:, None] + np.arange(rows)
    y = lines(y, view.rows, view.row_step, view.first_row, mode)
    across, down = _tiled_parts(view, x, y)
    end = int((across.max(axis=1) + down.max(axis=1)).max())
    there = device.upload_all([_short(device, each) for each in (down, across)])
    return _Read(there[0], there[1], end)


def _short(device: Device, places: NDArray[Any]) -> NDArray[Any]:
    """Places within a buffer object in as many bytes as they take, where they travel; NumPy would make them long."""
    return places if device.arrays is np else places.astype(np.int32)


def _tiled_parts(
    view: _View, x: NDArray[np.int64], y: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What columns x and lines y add to byte offsets, (threads, columns) and (threads, lines)."""
    if int(x.max(initial=0)) >= view.addressing.pitch_B:
        raise CaptureError(f"a media block reaches byte column {int(x.max())} of a pitch of {view.addressing.pitch_B}")
    return view.addressing.offset_B(x, np.int64(0)), view.addressing.offset_B(np.int64(0), y)


def _corners(header: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return header[:, _X].view(np.int32).astype(np.int64), header[:, _Y].view(np.int32).astype(np.int64)


def _color_write(header: NDArray[np.uint32], state: RenderSurfaceState, view: _View) -> ColorWrite | None:
    """How the blocks go through the color pipe; None if they do not."""
    modes = header[:, _MODES] & _MODE_BITS
    if not (modes & _COLOR).any():
        return None
    if (modes & ~_AREA_OF_INTEREST != modes[0] & ~_AREA_OF_INTEREST).any() or modes[0] & _PIXEL_MASK:
        raise CaptureError("media blocks with color processing beside others, or with pixel masks, are not executed")
    if view.row_step != 1:
        raise CaptureError("media blocks with color processing need a surface without vertical line stride")
    return ColorWrite.of(int(modes[0] >> 2 & 3), state)


def _blocks(header: NDArray[np.uint32]) -> list[tuple[int, int, NDArray[np.intp] | slice]]:
    """Width in bytes and height of the blocks that are written, and the threads that have one of this size."""
    masked = (header[:, _MODES] & _PIXEL_MASK) != 0
    sizes = np.where(masked, _MASKED_SIZE, header[:, _SIZE] & 0x003F003F)
    return [(int(size & 0x3F) + 1, int(size >> 16) + 1, group) for size, group in _groups(sizes)]


def _groups(codes: NDArray[np.uint32]) -> list[tuple[int, NDArray[np.intp] | slice]]:
    """Every code that occurs, and the threads that have it."""
    if (codes == codes[0]).all():
        return [(int(codes[0]), slice(None))]
    return [(int(code), np.flatnonzero(codes == code)) for code in np.unique(codes)]


def _pixel_masks(header: NDArray[np.uint32]) -> NDArray[np.bool_] | None:
    """Dwords of every thread's block that are written, (threads, 64, 8); None if no thread has a pixel mask."""
    masked = (header[:, _MODES] & _PIXEL_MASK) != 0
    if not masked.any():
        return None
    corners = header[masked][:, [_X, _Y]]
    if (corners % np.array([_MASKED_WIDTH_B, len(_MASK_BITS)], np.uint32)).any():
        raise CaptureError(
            f"media blocks with a pixel mask begin at multiples of {_MASKED_WIDTH_B} bytes and {len(_MASK_BITS)} rows"
        )
    masks = np.ones((len(header), most_rows(_DWORD_B), _MASKED_WIDTH_B // _DWORD_B), np.bool_)
    masks[masked, : len(_MASK_BITS)] = header[masked, _SIZE, None, None] >> _MASK_BITS & 1
    return masks


@dataclass(frozen=True)
class _ReadForm:
    """Blocks of one size that are read. alone: nothing says that they share registers with others."""

    width_B: int  # noqa: N815 - the unit
    rows: int
    layout: RegisterLayout
    alone: bool


def _read_forms(header: NDArray[np.uint32], render_cache: bool) -> list[tuple[_ReadForm, NDArray[np.intp] | slice]]:
    if (header[:, _MODES] & _COLOR).any():
        raise CaptureError("media block reads have no color processing")
    masked = (header[:, _MODES] & _PIXEL_MASK) != 0
    forms: list[tuple[_ReadForm, NDArray[np.intp] | slice]] = []
    for size, group in _groups(np.where(masked, _MASKED_SIZE, header[:, _SIZE] & 0x1F3F033F)):
        width_B, rows = (size & 0x3F) + 1, (size >> 16 & 0x3F) + 1
        control, offset_B = size >> 8 & 3, size >> 24
        if render_cache and (control or offset_B):
            raise CaptureError(
                "register pitch control and sub-register offset of the render cache must be 0, "
                f"found {control} and {offset_B}"
            )
        layout = RegisterLayout.of(width_B, rows, control, offset_B)
        forms.append((_ReadForm(width_B, rows, layout, not (control or offset_B)), group))
    return forms


def _pitch_B(width_B: int, rows: int) -> int:  # noqa: N802, N803 - the unit
    """Bytes from row to row of a block in registers."""
    pitch_B = base_pitch_B(width_B)
    if rows > most_rows(pitch_B):
        raise CaptureError(f"a media block of {width_B} bytes and {rows} rows is larger than the hardware allows")
    return pitch_B
