"""Media block reads and writes: rectangles of bytes between registers and surfaces (seed 003:8588-8900)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.memory import Watch
from texsamp.emulator.context.surfaces import SurfaceTable
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks, NobodySendsError, alike
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.eu.sends.splitting import parted
from texsamp.emulator.shared.data_port.media_blocks_on_device import SentBlocks, message_blocks, read_on_device
from texsamp.emulator.shared.data_port.media_color import ColorWrite, States
from texsamp.emulator.shared.data_port.media_edges import ReadPixel, RegisterLayout, base_pitch_B, lines, most_rows
from texsamp.emulator.shared.data_port.media_places import (
    Descriptor,
    View,
    Written,
    nv12_views,
    read_places,
    tiled_parts,
    view_of,
    written,
)
from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState
from texsamp.state.data_port import RenderCacheDescriptor
from texsamp.state.render_surface import MediaBoundaryMode

_DWORD_B = 4
_REGISTER_B = 32
_X, _Y, _SIZE, _MODES = _LOOKED_AT = 0, 1, 2, 3
"""Dwords of the header."""
_HEADER_DWORDS = 8
_BITS = ((_X, 3), (_X, 7), (_X, 15), (_Y, 1))
"""Of columns and lines, that must be 0 where blocks begin at multiples of so many."""
_SHIFTS = {"width": 0, "height": 16}
_COLOR, _AREA_OF_INTEREST, _PIXEL_MASK = np.uint32(0b1), np.uint32(0b10), np.uint32(0b10000)
_MODE_BITS = np.uint32(0b11111)
"""Bits of the header's fourth dword; the area of interest only counts in a histogram that nothing here reads."""
_ALL_BITS = 0xFFFFFFFF
_WRITTEN_SIZE, _READ_SIZE = (_SIZE, 0x003F003F), (_SIZE, 0x1F3F033F)
_PIPE, _POINTER = (_MODES, int(_MODE_BITS & ~_AREA_OF_INTEREST)), (_MODES, _ALL_BITS & ~int(_MODE_BITS))
_HAS_COLOR, _HAS_MASK = (_MODES, int(_COLOR)), (_MODES, int(_PIXEL_MASK))
_WRITE_LOOKS = (*_BITS, (_X, _ALL_BITS), (_Y, _ALL_BITS), _WRITTEN_SIZE, _PIPE, _POINTER)
"""What the host asks of writes: dwords of the header, and bits."""
_READ_LOOKS = ((_X, _ALL_BITS), (_Y, _ALL_BITS), (_X, _DWORD_B - 1), _READ_SIZE, _PIPE)
"""The same of reads."""
_MASKED_WIDTH_B, _MASKED_ROWS = 32, 4
_MASKED_CORNERS = (_X, _MASKED_WIDTH_B - 1), (_Y, _MASKED_ROWS - 1)
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


def _beyond(mode: MediaBoundaryMode, row_step: int) -> str:
    """Which lines beyond the edges are read, as `lines` says."""
    if mode == MediaBoundaryMode.INTERLACED and row_step == 1:
        return "EU_NEAREST_OF_FIELD"
    return "EU_NEAREST_OF_FRAME" if mode == MediaBoundaryMode.PROGRESSIVE and row_step == 2 else "EU_NEAREST_LINE"


def _holds(blocks: SentBlocks, view: View, corner: tuple[int, int], dwords: int) -> bool:
    """Whether blocks lie within so many dwords, whose corners are at most at a place, clipped at the surface.

    CaptureError if they reach beyond the surface's pitch.
    """
    (down, up), x = blocks.shifts, corner[0]
    x = min((x >> down << up) + _DWORD_B * blocks.dwords, view.width_B) - 1
    y = min((corner[1] >> blocks.halvings) + blocks.lines, view.rows) - 1
    if x < 0 or y < 0:
        return True
    across, lines = tiled_parts(view, np.array([[x]]), np.array([[y * view.row_step + view.first_row]]))
    return bool((int(across[0, 0]) + int(lines[0, 0])) // _DWORD_B < dwords)


@dataclass(frozen=True)
class _Modes:
    """What headers of a message say of masks and colors. are_alike: whether all say the same."""

    are_alike: bool
    are_all_masked: bool
    has_mask: bool
    has_color: bool

    @classmethod
    def of(cls, message: Unasked, pipe: NDArray[np.int32]) -> _Modes:
        """pipe: the range of what is asked of all. Of modes that differ masks and colors are asked."""
        is_alike = alike((pipe,))
        masks, colors = (pipe & _PIXEL_MASK, pipe & _COLOR) if is_alike else message.ranges((_HAS_MASK, _HAS_COLOR))
        return cls(is_alike, bool(masks[0]), bool(masks[1]), bool(colors[1]))


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
        view = view_of(state, descriptor)
        numbers = message.threads.numbers[message.rows]
        self._surfaces.note_written(descriptor.binding_table_index, _DWORD_B)
        masks = _pixel_masks(header)
        color, device = _color_write(header, state, view), message.threads.device
        views = [view] if color is None or not color.nv12 else nv12_views(state, view)
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
            states = [
                (self._general_base + pointer, own if isinstance(own, slice) else device.upload(own))
                for pointer, own in _groups(header[group][:, _MODES] & ~np.uint32(0x1F))
            ]
            corner_x = color.corners(corner_x, corner_y)
            planes = color.blocks(device, block, states, self._surfaces.memory, self._budget)
            for halvings, (plane, within) in enumerate(zip(planes, views, strict=True)):
                made = SentBlocks.made(message, group, plane, color.shifts, halvings)
                self._store(device, state, within, (corner_x, corner_y >> halvings), made, numbers[group], mask)
        self._surfaces.memory.touch(self._surfaces.memory.find(state.base_address), device)

    def write_unasked(self, message: Unasked, descriptor: RenderCacheDescriptor) -> bool:
        """The same of threads on a device, with headers left in registers."""
        if not message.has_header or not message.has_registers:
            return False
        state = self._surfaces.render(descriptor.binding_table_index)
        looks = message.ranges(_WRITE_LOOKS)
        modes = _Modes.of(message, looks[_WRITE_LOOKS.index(_PIPE)])
        if modes.has_color and (modes.has_mask or not modes.are_alike):
            return False
        parts = self._parts(message, modes, _WRITE_LOOKS, _WRITTEN_SIZE)
        made = [self._write_on_device(part, code, modes, descriptor, state) for code, part in parts]
        if None in made:
            return False
        self._note(message, descriptor.binding_table_index)
        for write in made:
            assert write is not None
            write()
        self._surfaces.memory.touch(self._surfaces.memory.find(state.base_address), message.threads.device)
        return True

    def _parts(self, message: Unasked, modes: _Modes, looks: Looks, size: tuple[int, int]) -> list[tuple[int, Unasked]]:
        """Threads with blocks of one size each, which is told as in headers without a mask, in the order of sizes."""
        (found,) = message.ranges((size,))
        if modes.are_all_masked:
            return [(int(_MASKED_SIZE), message)]
        if not modes.has_mask and alike((found,)):
            return [(int(found[0]), message)]
        sent = message.dwords_on_device(0, 1)
        masked = sent[:, _MODES] & _PIXEL_MASK
        sizes = np.where(masked != 0, _MASKED_SIZE, sent[:, _SIZE] & np.uint32(size[1]))
        parts = parted(message, [sizes])
        self._budget.spend(len(parts))
        return sorted(((part.values[0], part.message) for part in parts), key=lambda part: part[0])

    def _write_on_device(
        self,
        message: Unasked,
        size: int,
        modes: _Modes,
        descriptor: RenderCacheDescriptor,
        state: RenderSurfaceState,
    ) -> Callable[[], None] | None:
        """What writes blocks of one size; None for what is not legal."""
        found = dict(zip(_WRITE_LOOKS, message.ranges(_WRITE_LOOKS), strict=True))
        header = np.zeros((1, _HEADER_DWORDS), np.uint32)
        header[0, _SIZE] = size
        header[0, _MODES] = found[_PIPE][0] if modes.has_color else 0
        view, device = view_of(state, descriptor), message.threads.device
        color = _color_write(header, state, view)
        ((width_B, rows, group),) = _blocks(header)
        pitch_B = _pitch_B(width_B, rows)
        zeros = {bits: found[bits][1] == 0 for bits in _BITS}  # whether no thread has any of these bits
        if width_B % _DWORD_B or not zeros[_X, _DWORD_B - 1]:
            return None
        if modes.has_mask and not self._are_masks_legal(message):
            return None
        if color is not None:
            unit_B, lines = color.unit_B, color.unit_lines
            if not zeros[_X, unit_B - 1] or not (lines == 1 or zeros[_Y, lines - 1]):
                return None
        memory = self._dwords(device, state)
        views = [view] if color is None or not color.nv12 else nv12_views(state, view)
        dwords = width_B // _DWORD_B
        message.need(1 + -(-rows * pitch_B // _REGISTER_B))
        sent = [SentBlocks.of(message, group, rows, pitch_B, dwords, is_masked=modes.has_mask)]
        if color is not None:
            block = message_blocks(message, group, rows, pitch_B, dwords)
            states = self._states_on_device(message, found[_POINTER])
            planes = color.blocks(device, block, states, self._surfaces.memory, self._budget)
            sent = [
                SentBlocks.made(message, group, plane, color.shifts, halvings) for halvings, plane in enumerate(planes)
            ]
        corner = int(found[_X, _ALL_BITS][1]), int(found[_Y, _ALL_BITS][1])
        if not all(_holds(each, within, corner, len(memory)) for each, within in zip(sent, views, strict=True)):
            return None
        self._budget.spend()

        def write() -> None:
            for each, within in zip(sent, views, strict=True):
                differing = each.write(memory, within.surface, overlap=True)
                assert differing is not None
                self._note_overwritten(device, differing)

        return write

    @staticmethod
    def _are_masks_legal(message: Unasked) -> bool:
        """Whether blocks with a mask, of which there may be none, begin where they may."""
        masked = message.dwords_on_device(0, 1)[:, _MODES] & _PIXEL_MASK != 0
        own = message.part(np.broadcast_to(masked[:, None], (message.count, message.exec_size)) & message.channels)
        try:
            return not own.ranges(_MASKED_CORNERS)[:, 1].any()
        except NobodySendsError:
            return True

    def _states_on_device(self, message: Unasked, found: NDArray[np.int32]) -> States:
        """Where states of the color pipe are, and whose they are; who does not send has none."""
        if alike((found,)):
            return [(self._general_base + (int(found[0]) & _ALL_BITS), slice(None))]
        parts = parted(message, [message.dwords_on_device(0, 1)[:, _MODES] & np.uint32(_POINTER[1])])
        return [(self._general_base + part.values[0], part.rows) for part in parts]

    def _note(self, message: Unasked, index: int) -> None:
        """The surface is written if a thread sends."""
        if message.senders is None:
            self._surfaces.note_written(index, _DWORD_B)
        else:
            there = self._surfaces.note_written_if(message.threads.device, index, _DWORD_B)
            there[...] = np.maximum(there, message.senders.any())

    def _note_overwritten(self, device: Device, dwords: Array) -> None:
        """One number, which is looked at when all have been added."""
        self._overwritten = device, dwords if self._overwritten is None else self._overwritten[1] + dwords

    @property
    def overwritten(self) -> tuple[Device, Array] | None:
        """Dwords one thread wrote and a later one of the same message wrote differently: a number, and where it is."""
        return self._overwritten

    def _store(
        self,
        device: Device,
        state: RenderSurfaceState,
        view: View,
        corners: tuple[NDArray[np.int64], NDArray[np.int64]],
        blocks: SentBlocks,
        threads: NDArray[np.intp],
        masks: NDArray[np.bool_] | None,
    ) -> None:
        size = blocks.lines, blocks.dwords
        held = written(device, view, corners[0].tobytes(), corners[1].tobytes(), *size)
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

    def _write_at(self, device: Device, memory: Array, held: Written, values: Array) -> None:
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
        view = view_of(state, descriptor)
        upload = message.threads.upload
        held = self._held(message)
        memory = self._surfaces.bytes_on(message.threads.device, state.base_address)
        forms = _read_forms(header, isinstance(descriptor, RenderCacheDescriptor))
        self._budget.spend(len(forms))
        for form, group in forms:
            device, (corner_x, corner_y) = message.threads.device, _corners(header[group])
            kind = view, state.code("format"), state.media_boundary_mode
            places = read_places(device, *kind, corner_x.tobytes(), corner_y.tobytes(), form.width_B, form.rows)
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

    def read_unasked(self, message: Unasked, descriptor: Descriptor) -> bool:
        """The same of threads on a device, with headers left in registers."""
        if not message.has_header or not message.has_registers or message.destination is None:
            return False
        modes = _Modes.of(message, message.ranges(_READ_LOOKS)[-1])
        parts = self._parts(message, modes, _READ_LOOKS, _READ_SIZE)
        made = [self._read_on_device(part, code, modes, descriptor) for code, part in parts]
        if None in made:
            return False
        for read in made:
            assert read is not None
            read()
        return True

    def _read_on_device(
        self, message: Unasked, size: int, modes: _Modes, descriptor: Descriptor
    ) -> Callable[[], None] | None:
        """What reads blocks of one size; None for what is not legal."""
        (_, x_last), (y_first, y_last), odd, *_ = message.ranges(_READ_LOOKS).tolist()
        header = np.zeros((1, _HEADER_DWORDS), np.uint32)
        header[0, _SIZE], header[0, _MODES] = size, modes.has_color * _COLOR
        ((form, _),) = _read_forms(header, isinstance(descriptor, RenderCacheDescriptor))
        state = self._surfaces.render(descriptor.binding_table_index)
        view, pixel, beyond = view_of(state, descriptor), ReadPixel.of(state.code("format")), state.media_boundary_mode
        is_pair_broken = pixel.left >= 0 and (form.width_B % _DWORD_B or odd[1])
        end_B = form.layout.offset_B + (form.rows - 1) * form.layout.pitch_B + form.width_B
        if is_pair_broken or -(-end_B // _REGISTER_B) > message.response_length:
            return None
        memory = self._surfaces.bytes_on(message.threads.device, state.base_address)
        x = max(min(x_last + form.width_B, view.width_B), pixel.size_B) - 1
        ends = [max(min(y_first, view.rows), -2), max(min(y_last + form.rows - 1, view.rows + 1), 0)]
        y = lines(np.arange(ends[0], ends[1] + 1), view.rows, view.row_step, view.first_row, beyond)
        across, down = tiled_parts(view, np.array([[x]]), np.asarray(y)[None])
        if int(across.max()) + int(down.max()) >= len(memory):
            return None
        self._budget.spend()
        layout = form.layout.pitch_B, form.layout.offset_B
        block, how = (form.width_B, form.rows), _beyond(beyond, view.row_step)
        return lambda: read_on_device(message, memory, view.surface, block, layout, pixel, how, is_alone=form.alone)

    def _held(self, message: Message) -> Array:
        """What the registers of the response hold, (threads, bytes)."""
        held: Array
        if message.destination is None:
            held = message.threads.arrays.zeros((len(message.rows), message.response_length * _REGISTER_B), np.uint8)
        else:
            held = message.held_on_device(message.response_length).view(np.uint8)
        return held

    def _dwords(self, device: Device, state: RenderSurfaceState) -> Array:
        memory = self._surfaces.bytes_on(device, state.base_address)
        if state.base_address % _DWORD_B:
            raise CaptureError(f"media block writes need a base address of whole dwords, not {state.base_address:#x}")
        return memory[: len(memory) // _DWORD_B * _DWORD_B].view("<u4")


def _corners(header: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return header[:, _X].view(np.int32).astype(np.int64), header[:, _Y].view(np.int32).astype(np.int64)


def _color_write(header: NDArray[np.uint32], state: RenderSurfaceState, view: View) -> ColorWrite | None:
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
