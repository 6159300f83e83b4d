"""Elements of a surface in memory: one slice of one level as packed rows, read and written whatever its layout."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.errors import FormatError, StateError
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.detile import detile, tile
from texsamp.surface.layout import SurfaceLayout, SurfaceView
from texsamp.surface.layout.multisample import INTERLEAVED_SCALE


@dataclass(frozen=True)
class Place:
    """One slice of one level and, if multisampled, one sample (a sample slice, where samples have slices)."""

    level: int = 0
    slice: int = 0
    sample: int = 0


def rows_shape(view: SurfaceView, level: int = 0) -> tuple[int, int]:
    """Rows of elements of a slice of a level of the view, and bytes of a row without padding."""
    layout = view.layout
    width_px, height_px = layout.level_size_px(level + view.first_level)
    info = layout.description.info
    if layout.description.is_buffer:
        return 1, (width_px - view.first_layer) * _entry_B(layout)
    columns, rows = -(-width_px // info.block_width), -(-height_px // info.block_height)
    return rows, -(-columns * info.bits // 8)


def read_rows(
    memory: Array, view: SurfaceView, place: Place, device: Device, part: tuple[int, int] | None = None
) -> Array:
    """The elements of a place as uint8 rows, packed tightly; ``memory`` is bytes from the view's base address on.

    part: first row and number of rows, of those that there are; None for all.

    Raises StateError if the place lies outside the surface, or its rows outside of ``memory``.
    """
    if view.layout.description.is_buffer:
        overlap = view.layout.pitch_B < _entry_B(view.layout)
        entries = _overlapping(memory, view, device) if overlap else device.copy(_entries(memory, view))
        return entries.reshape(rows_shape(view))
    lines = _Lines(view, place)
    if part is not None and lines.are_rows:
        lines.narrow(*part)
        part = None
    rows = lines.of_place(lines.read(memory, device))
    if part is not None:
        rows = rows[part[0] : sum(part)]
    return rows if rows.flags.c_contiguous else device.copy(rows)


def write_rows(rows: Array, memory: Array, view: SurfaceView, place: Place, device: Device) -> None:
    """Put rows of elements where `read_rows` finds them; raises as it does, and FormatError for other rows."""
    expected = rows_shape(view, place.level)
    if tuple(rows.shape) != expected:
        raise FormatError(
            f"level {place.level} has {expected[0]} rows of elements of {expected[1]} bytes, found {tuple(rows.shape)}"
        )
    if view.layout.description.is_buffer:
        entries = _entries(memory, view)
        entries[...] = rows.reshape(entries.shape)
        return
    lines = _Lines(view, place)
    if lines.are_rows:
        lines.write(rows, memory, device)
        return
    every = lines.read(memory, device)
    lines.put(rows, every)
    lines.write(every, memory, device)


def _entry_B(layout: SurfaceLayout) -> int:  # noqa: N802 - the unit
    """Bytes of an entry of a buffer: an element, or a structure of as many bytes as the pitch (001:2256)."""
    is_structure = layout.description.type == SurfaceType.SURFTYPE_STRBUF
    return layout.pitch_B if is_structure else layout.element.size_B


def _entries(memory: Array, view: SurfaceView) -> Array:
    """Entries of a buffer, ``pitch_B`` apart, as a view of shape (entries, bytes)."""
    layout = view.layout
    entries, pitch_B = layout.description.width_px, layout.pitch_B
    if pitch_B < _entry_B(layout):
        raise StateError(f"entries of {_entry_B(layout)} bytes that are written lie so far apart, found {pitch_B}")
    return memory[: entries * pitch_B].reshape(entries, pitch_B)[view.first_layer :, : _entry_B(layout)]


def _overlapping(memory: Array, view: SurfaceView, device: Device) -> Array:
    """Entries that lie closer than their bytes, as drivers see constants byte by byte; zeros beyond the buffer."""
    layout, arrays = view.layout, device.arrays
    count, size_B = layout.description.width_px, _entry_B(layout)
    padded = arrays.zeros(count * layout.pitch_B + size_B, memory.dtype)
    padded[: count * layout.pitch_B] = memory[: count * layout.pitch_B]
    found: Array = arrays.empty((count - view.first_layer, size_B), memory.dtype)
    for byte in range(size_B):
        found[:, byte] = padded[byte :: layout.pitch_B][view.first_layer : count]
    return found


class _Lines:
    """The lines of tiled or linear memory that hold a place: its rows, or more where fields or samples interleave."""

    def __init__(self, view: SurfaceView, place: Place) -> None:
        layout = view.layout
        d, e = layout.description, layout.element
        level, layer = place.level + view.first_level, place.slice + view.first_layer
        volume = d.depth_px > 1
        sample_slice = 0 if d.interleaved else place.sample
        x_el, y_el = layout.origin_el(level, 0 if volume else layer, layer if volume else 0, sample_slice)
        self.x_B = (x_el + view.x_offset_px // e.width_px) * e.size_B
        self.y_rows = (y_el << view.line_stride) + view.line_offset + view.y_offset_rows // e.height_px
        self.height_rows, self.width_B = rows_shape(view, place.level)
        self.scale = INTERLEAVED_SCALE[d.samples] if d.interleaved else (1, 1)
        self.plane_rows, self.plane_B = self.height_rows, self.width_B
        if d.interleaved:
            self.plane_rows, self.plane_B = layout.levels[0].height_px, layout.levels[0].width_px * e.size_B
        self.step = 1 << view.line_stride
        self.addressing, self.sample, self.element_B = layout.addressing, place.sample, e.size_B

    @property
    def are_rows(self) -> bool:
        """Whether the lines are the rows of the place."""
        return self.step == 1 and self.scale == (1, 1)

    def narrow(self, first: int, count: int) -> None:
        """Leave other lines out, where they are the rows of the place."""
        self.y_rows += first
        self.plane_rows = self.height_rows = count

    def read(self, memory: Array, device: Device) -> Array:
        lines = (self.plane_rows - 1) * self.step + 1
        if self.overlap:
            pitch_B, first = self.addressing.pitch_B, self.y_rows * self.addressing.pitch_B + self.x_B
            rows = [memory[first + y * pitch_B : first + y * pitch_B + self.plane_B] for y in range(lines)]
            stacked: Array = device.arrays.stack(rows)
            return stacked
        return detile(memory, self.addressing, self.plane_B, lines, x_B=self.x_B, y_rows=self.y_rows, device=device)

    @property
    def overlap(self) -> bool:
        """Whether rows begin before the one above has ended, as linear textures may."""
        is_linear = self.addressing.tiling.name == "linear"
        return is_linear and bool(self.addressing.pitch_B < self.x_B + self.plane_B)

    def write(self, lines: Array, memory: Array, device: Device) -> None:
        if self.overlap:
            raise StateError(
                f"rows of {self.x_B + self.plane_B} bytes that lie {self.addressing.pitch_B} apart can only be read"
            )
        tile(lines, memory, self.addressing, x_B=self.x_B, y_rows=self.y_rows, device=device)

    def of_place(self, lines: Array) -> Array:
        """The rows of the place among the lines."""
        rows = lines[:: self.step]
        if self.scale == (1, 1):
            return rows
        return self._pixels(self._one_sample(rows))[: self.height_rows, : self.width_B]

    def put(self, rows: Array, lines: Array) -> None:
        """Change the rows of the place among the lines."""
        found = lines[:: self.step]
        if self.scale == (1, 1):
            found[...] = rows
            return
        sample = self._one_sample(found)
        pixels = self._pixels(sample)
        pixels[: self.height_rows, : self.width_B] = rows
        sample[...] = pixels.reshape(sample.shape)

    def _one_sample(self, plane: Array) -> Array:
        """A view of one sample: axes y / 2, y % 2, x / 2, x % 2, byte. The sample's bits lie as `interleave` says."""
        scale_x, scale_y = self.scale
        height, width = self.plane_rows // scale_y, self.plane_B // scale_x // self.element_B
        bits = plane.reshape(height // 2, 2, 2, width // 2, scale_x // 2, 2, 2, self.element_B)
        return bits[:, self.sample >> 1 & 1, :, :, self.sample >> 2, self.sample & 1]

    @staticmethod
    def _pixels(sample: Array) -> Array:
        """A copy of one sample as rows of bytes."""
        return sample.reshape(sample.shape[0] * 2, -1)
