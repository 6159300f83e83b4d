"""The sample_8x8 message: 16x4 blocks of a scaled surface, by the kernels of `texsamp.video.scale`.

Every thread's message is one block. Blocks that share columns or rows of positions are scaled together, as a grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import get_device
from texsamp.emulator.block_positions import block_positions
from texsamp.emulator.budget import Budget
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.samplers import SamplerTable
from texsamp.emulator.surfaces import SurfaceTable, read_state
from texsamp.errors import CaptureError, StateError, UndefinedBehavior
from texsamp.state import MediaSurfaceFormat, MediaSurfaceState, Sample8x8SamplerState, Sampler8x8State
from texsamp.state.sampler_messages import SamplerMessageDescriptor
from texsamp.surface.planar import media_planes, read_plane
from texsamp.video.hardware_state import avs_from_state
from texsamp.video.presets.avs import AdaptiveParameters
from texsamp.video.samples import Samples
from texsamp.video.scale.avs import AvsPlane
from texsamp.video.scale.tables import AvsTables

BLOCK_PX = 16
BLOCK_ROWS = 4
_LAST_BLOCK = 511
_HEADER, _PAYLOAD = 0, 1
_VERTICAL_BLOCK, _U, _V, _DU, _DV, _DDU = 1, 2, 3, 4, 5, 6
_MASKS_AT = 12
_OPAQUE = np.uint16(0xFF00)
_CHANNELS = "RGBA"
_BITS_8 = 8
_BYTES_OF_A_UNIT = 1 << 16
"""Of a surface that is read."""


@dataclass(frozen=True)
class _Place:
    """Where a channel's samples are in the bytes of a row: first byte, and bytes from sample to sample."""

    first_B: int  # noqa: N815 - the unit
    step_B: int  # noqa: N815


_YUV422 = {
    "YCRCB_NORMAL": "G0 B1 R3",
    "YCRCB_SWAPY": "B0 G1 R2",
    "YCRCB_SWAPUV": "G0 R1 B3",
    "YCRCB_SWAPUVY": "R0 G1 B2",
}
_LAYOUTS = {
    **{
        MediaSurfaceFormat[name]: {word[0]: _Place(int(word[1]), 2 if word[0] == "G" else 4) for word in places.split()}
        for name, places in _YUV422.items()
    },
    MediaSurfaceFormat.R8G8B8A8_UNORM: {channel: _Place(i, 4) for i, channel in enumerate(_CHANNELS)},
    MediaSurfaceFormat.R8B8_UNORM: {"R": _Place(0, 2), "B": _Place(1, 2)},
    MediaSurfaceFormat.R8_UNORM: {"R": _Place(0, 1)},
    MediaSurfaceFormat.Y8_UNORM: {"G": _Place(0, 1)},
}
"""Channels of the formats; V and U are R and B, Y is G. Formats without A return it opaque."""


@dataclass
class _Sampler:
    """One element of the sampler table, understood."""

    tables: AvsTables
    adaptive: AdaptiveParameters


@dataclass
class Sample8x8:
    """Executes sample_8x8 messages of one dispatch."""

    surfaces: SurfaceTable
    samplers: SamplerTable
    budget: Budget
    _known_samplers: dict[int, _Sampler] = field(default_factory=dict)
    _planes: dict[tuple[object, ...], dict[str, NDArray[np.uint16]]] = field(default_factory=dict)

    def send(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """Answer every thread with its block: 4 registers per channel that is not masked, 16 bits per sample."""
        if not message.has_header:
            raise CaptureError("sample_8x8 without a header is not executed")
        header, payload = message.dwords(_HEADER, 1), message.dwords(_PAYLOAD, 1)
        self._check_header(header)
        state = self.surfaces.media(descriptor.binding_table_index)
        sampler = self._sampler(descriptor.sampler_index)
        planes = self._channels(state)
        masked = int(header[0, 2]) >> _MASKS_AT & 15
        grids: dict[tuple[int, ...], list[_Grid]] = {}
        register = 0
        for i, channel in enumerate(_CHANNELS):
            if masked >> i & 1:
                continue
            if channel not in planes and channel != "A":
                raise CaptureError(f"{state.format.name} has no channel {channel}; the message must mask it")
            if channel not in planes:
                data = np.full((len(payload), BLOCK_ROWS, BLOCK_PX), _OPAQUE)
            else:
                size = planes[channel].shape
                if size not in grids:
                    grids[size] = list(_grids(payload, (size[1], size[0])))
                self.budget.spend(len(grids[size]))
                data = _blocks(planes[channel], grids[size], len(payload), sampler, is_guide=channel == "G")
            message.respond(np.ascontiguousarray(data).reshape(len(payload), -1).view(np.uint8), register)
            register += BLOCK_ROWS

    def _check_header(self, header: NDArray[np.uint32]) -> None:
        masks = header[:, 2] >> _MASKS_AT & 15
        if (masks != masks[0]).any():
            raise CaptureError("threads that mask different channels in one sample_8x8 are not executed")
        self.samplers.check_header(header)

    def _sampler(self, index: int) -> _Sampler:
        known = self._known_samplers.get(index)
        if known is not None:
            return known
        state = self.samplers.state(Sample8x8SamplerState, index, every=4)
        for name in ("disable_8x8", "chroma_key_enable"):
            if getattr(state, name):
                raise CaptureError(f"{state.name}.{name} is not executed")
        if not state.ief_bypass:
            raise CaptureError(f"{state.name}: the image enhancement filter of sample_8x8 is not executed")
        at = self.samplers.dynamic_base + state.sampler_8x8_state_pointer
        coefficients = read_state(self.surfaces.memory, Sampler8x8State, at)
        sampler = _Sampler(*avs_from_state(coefficients))
        if not (sampler.adaptive.bypass_x and sampler.adaptive.bypass_y):
            raise CaptureError(f"{coefficients.name}: the adaptive filter of sample_8x8 is not executed")
        self._known_samplers[index] = sampler
        return sampler

    def _channels(self, state: MediaSurfaceState) -> dict[str, NDArray[np.uint16]]:
        """Samples of every channel the surface has, each (rows, samples), read again when memory has changed."""
        memory = self.surfaces.memory
        key = (state.image, memory.version(state.base_address))
        if key not in self._planes:
            layout = _LAYOUTS.get(MediaSurfaceFormat(state.code("format")))
            if layout is None:
                raise CaptureError(f"sample_8x8 of {state.format.name} is not executed")
            try:
                plane = media_planes(state)[0]
                self.budget.spend(1 + plane.width_B * plane.rows // _BYTES_OF_A_UNIT)
                rows = read_plane(self.surfaces.bytes_of(state.base_address), plane)
            except (StateError, UndefinedBehavior) as error:
                raise CaptureError(f"surface at {state.base_address:#x}: {error}") from None
            self._planes.clear()
            self._planes[key] = {
                name: np.ascontiguousarray(rows[:, place.first_B :: place.step_B], np.uint16)
                for name, place in layout.items()
            }
        return self._planes[key]


@dataclass(frozen=True)
class _Grid:
    """Blocks that are scaled together: positions of all columns and rows, and which block each thread gets."""

    threads: NDArray[np.intp] | slice
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    column: NDArray[np.intp]
    row: NDArray[np.intp]


def _grids(payload: NDArray[np.uint32], size: tuple[int, int]) -> Iterator[_Grid]:
    """Grids that hold every thread's block: one, if the threads form a grid, else one for each different block."""
    columns, column = _unique(payload[:, [_U, _DU, _DDU]])
    rows, row = _unique(payload[:, [_V, _DV, _VERTICAL_BLOCK]])
    if rows[:, 2].max() > _LAST_BLOCK:
        raise CaptureError(f"vertical block {rows[:, 2].max()} of {_LAST_BLOCK}")
    across, down = columns.view(np.float32), rows[:, :2].view(np.float32)
    pixels = np.broadcast_to(np.arange(BLOCK_PX), (len(columns), BLOCK_PX))
    x = block_positions(across[:, 0], across[:, 1], across[:, 2], size[0], pixels)
    lines = rows[:, 2:].astype(np.int64) * BLOCK_ROWS + np.arange(BLOCK_ROWS)
    y = block_positions(down[:, 0], down[:, 1], np.zeros(len(rows), np.float32), size[1], lines)
    if len(columns) * len(rows) <= 2 * len(payload):
        x_order, y_order = np.argsort(x[:, 0], kind="stable"), np.argsort(y[:, 0], kind="stable")
        joined = x[x_order].reshape(-1), y[y_order].reshape(-1)
        if all((np.diff(positions) >= 0).all() for positions in joined):
            yield _Grid(slice(None), *joined, np.argsort(x_order)[column], np.argsort(y_order)[row])
            return
    for pair in np.unique(np.stack([column, row], axis=1), axis=0).tolist():
        threads = np.flatnonzero((column == pair[0]) & (row == pair[1]))
        zeros = np.zeros(len(threads), np.intp)
        yield _Grid(threads, x[pair[0]], y[pair[1]], zeros, zeros)


def _unique(keys: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """Different rows of an array, and which of them each row is."""
    numbers = np.zeros(len(keys), np.intp)
    for column in keys.T:
        values, inverse = np.unique(column, return_inverse=True)
        numbers = numbers * len(values) + inverse
    _, firsts, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    return np.ascontiguousarray(keys[firsts]), inverse


def _blocks(
    source: NDArray[np.uint16], grids: list[_Grid], count: int, sampler: _Sampler, *, is_guide: bool
) -> NDArray[np.uint16]:
    """The block of every thread in 8.8 fixed point, shape (threads, rows, pixels)."""
    out = np.empty((count, BLOCK_ROWS, BLOCK_PX), np.uint16)
    for grid in grids:
        scaled = _scaled(source, (grid.x, grid.y), sampler, is_guide)
        blocks = scaled.reshape(-1, BLOCK_ROWS, scaled.shape[1] // BLOCK_PX, BLOCK_PX)
        out[grid.threads] = blocks[grid.row, :, grid.column]
    return out


def _scaled(
    source: NDArray[np.uint16],
    positions: tuple[NDArray[np.int32], NDArray[np.int32]],
    sampler: _Sampler,
    is_guide: bool,
) -> NDArray[Any]:
    """Samples at a grid of positions in 8.8 fixed point, shape (rows, columns)."""
    device = get_device("cpu")
    height, width = source.shape
    plan = AvsPlane(device, (width, height), positions, sampler.tables, sampler.adaptive, output="full16")
    target = device.empty((len(positions[1]), len(positions[0])), np.dtype(np.uint16))
    channels = [(Samples.plane(source, _BITS_8), Samples.plane(target, _BITS_8))]
    device.launch(*plan.launches(channels, guide=0 if is_guide else None))
    return np.asarray(target)
