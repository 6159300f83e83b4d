"""The sample_8x8 message: every thread's message is a 16x4 block of a scaled surface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array, Device
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.sampler_settings import Key, SamplerSettings
from texsamp.emulator.context.samplers import POINTER, SamplerTable
from texsamp.emulator.context.surfaces import SurfaceTable, read_state
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.equal_parts import Header, agreeing, agreeing_on_device
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.sampler.blocks_on_device import HEADER, LOOKS, BlockPlacesOnDevice, BlockPositions
from texsamp.emulator.shared.sampler.keyed_planes import keyed_planes
from texsamp.emulator.shared.sampler.scaled_blocks import (
    BLOCK_PX,
    BLOCK_ROWS,
    GUIDE,
    USED,
    BlockSampler,
    Grid,
    blocks_of,
    grids,
    margin_of,
    scaled,
)
from texsamp.errors import CaptureError, StateError, UndefinedBehavior
from texsamp.state import MediaSurfaceFormat, MediaSurfaceState, Sample8x8SamplerState, Sampler8x8State
from texsamp.state.sampler_messages import SamplerMessageDescriptor
from texsamp.surface.planar import media_planes, read_plane
from texsamp.video.hardware_state import avs_from_state, ief_from_state

_DWORDS = 8
"""Of a register."""
_MASKS, _MASKS_AT = 2, 12
"""Dword of the header with the masks of channels, before that of samplers, and their bits."""
_LOOKED_AT = (_MASKS, POINTER, *(_DWORDS + number for number in USED))
"""Of header and coordinates."""
_OPAQUE = np.uint16(0xFF00)
_CHANNELS = "RGBA"
_BYTES_OF_A_UNIT = 1 << 16
"""Of a surface that is read."""
_KEPT_SURFACES = 4
"""Whose samples are kept: threads read the planes of a picture in turns."""
_avs_of = lru_cache(maxsize=16)(avs_from_state)


def _respond(message: Message, parts: list[tuple[Grid, dict[str, Array]]], name: str, register: int) -> bool:
    """Answer with a channel's blocks as they are; False, having written nothing, if the response has no room."""
    return all(
        message.respond_blocks(samples[name], place.places, register, _threads_of(place)) for place, samples in parts
    )


def _threads_of(place: Grid) -> NDArray[np.intp] | None:
    return None if isinstance(place.threads, slice) else place.threads


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
class Sample8x8:
    """Executes sample_8x8 messages of one dispatch; CaptureError for what is illegal or not executed."""

    surfaces: SurfaceTable
    samplers: SamplerTable
    budget: Budget
    settings: SamplerSettings
    _known_samplers: dict[tuple[int, int], BlockSampler] = field(default_factory=dict)
    _planes: dict[tuple[object, ...], dict[str, Array]] = field(default_factory=dict)

    def send(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """Answer every thread with its block: 4 registers per channel that is not masked, 16 bits per sample."""
        if not message.has_header:
            raise CaptureError("sample_8x8 without a header is not executed")
        for part in agreeing(message, HEADER):
            self._send(part, descriptor)

    def _send(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """The same of threads with one table of samplers, that mask alike."""
        sent = message.dwords(0, 2, _LOOKED_AT)
        header, payload = sent[:, :_DWORDS], sent[:, _DWORDS:]
        state = self.surfaces.media(descriptor.binding_table_index)
        sampler = self._sampler(self.samplers.named(header), descriptor.sampler_index)
        device = message.threads.device
        planes, wanted = self._wanted(header, state, sampler, device)
        registers = {name: i * BLOCK_ROWS for i, name in enumerate(wanted)}
        if "A" in registers and "A" not in planes:
            opaque = message.threads.arrays.full((len(payload), BLOCK_ROWS * BLOCK_PX), _OPAQUE, np.uint16)
            message.respond(opaque.view(np.uint8), registers["A"])
        for size in self._sizes(planes, sampler):
            alike = {name: plane for name, plane in planes.items() if plane.shape == size}
            names = [name for name in alike if name in wanted]
            if not names:
                continue
            margin = margin_of(list(alike), sampler)
            places = grids(payload, (size[1], size[0]), margin)
            self.budget.spend(len(places))
            parts = scaled(device, alike, names, places, sampler)
            for name in names:
                if margin or not _respond(message, parts, name, registers[name]):
                    blocks = blocks_of(device, parts, name, len(payload), sampler).copy()
                    message.respond(blocks.reshape(len(payload), -1).view(np.uint8), registers[name])

    def send_unasked(self, message: Unasked, descriptor: SamplerMessageDescriptor) -> bool:
        """The same of threads on a device, with coordinates left in registers."""
        if not message.has_header or not message.has_registers or message.length < 2:
            return False
        message.ranges(LOOKS)  # all that will be looked at, at once
        parts = agreeing_on_device(message, HEADER)
        answers = [self._answer_on_device(part.message, descriptor, part.header) for part in parts]
        if None in answers:
            return False
        for part, answer in zip(parts, answers, strict=True):
            assert answer is not None
            answer()
            part.give_back()
        return True

    def _answer_on_device(
        self, message: Unasked, descriptor: SamplerMessageDescriptor, header: Header
    ) -> Callable[[], None] | None:
        """What answers threads that agree on header; None for those that are refused."""
        places = BlockPlacesOnDevice.of(message.ranges(LOOKS))
        if places is None:
            return None
        sampler = self._sampler(self.samplers.named(header), descriptor.sampler_index)
        state = self.surfaces.media(descriptor.binding_table_index)
        device, threads = message.threads.device, message.threads
        planes, wanted = self._wanted(header, state, sampler, device)
        found: list[tuple[list[str], BlockPositions]] = []
        for size in self._sizes(planes, sampler):
            alike = [name for name, plane in planes.items() if plane.shape == size]
            names = [name for name in alike if name in wanted]
            if names:
                positions = BlockPositions.of(message, places, (size[1], size[0]), margin_of(alike, sampler))
                if positions is None:
                    return None
                found.append((names, positions))
        self.budget.spend(len(found))

        def answer() -> None:
            if "A" in wanted and "A" not in planes:
                opaque = threads.arrays.full((threads.count, BLOCK_ROWS * BLOCK_PX), _OPAQUE, np.uint16)
                message.respond(opaque.view(np.uint8), BLOCK_ROWS * wanted.index("A"))
            for names, positions in found:
                alike_planes = {name: plane for name, plane in planes.items() if plane.shape[::-1] == positions.size}
                for name, blocks in positions.scaled(device, alike_planes, names, sampler).items():
                    message.respond(blocks.reshape(threads.count, -1).view(np.uint8), BLOCK_ROWS * wanted.index(name))

        return answer

    def _wanted(
        self, header: NDArray[np.uint32], state: MediaSurfaceState, sampler: BlockSampler, device: Device
    ) -> tuple[dict[str, Array], list[str]]:
        """Channels of the surface, and those that messages with a header want; CaptureError for others."""
        planes = self._channels(state, sampler.chroma_key, device)
        masked = int(header[0, _MASKS]) >> _MASKS_AT & 15
        wanted = [name for i, name in enumerate(_CHANNELS) if not masked >> i & 1]
        for channel in wanted:
            if channel not in planes and channel != "A":
                raise CaptureError(f"{state.format.name} has no channel {channel}; the message must mask it")
        if sampler.enhancement is not None and GUIDE not in wanted:
            raise CaptureError("the image enhancement filter works on channel G, which the message masks or has not")
        return planes, wanted

    @staticmethod
    def _sizes(planes: dict[str, Array], sampler: BlockSampler) -> set[tuple[int, ...]]:
        sizes = {plane.shape for plane in planes.values()}
        adapts = not (sampler.adaptive.bypass_x and sampler.adaptive.bypass_y)
        if adapts and sampler.adaptive.adaptive_all_channels and len(sizes) > 1:
            raise CaptureError("the adaptive filter on all channels needs channels of one size")
        return sizes

    def _sampler(self, table: SamplerTable, index: int) -> BlockSampler:
        known = self._known_samplers.get((table.address, index))
        if known is not None:
            return known
        state = table.state(Sample8x8SamplerState, index, every=4)
        at = table.dynamic_base + state.sampler_8x8_state_pointer
        tables, adaptive = _avs_of(read_state(self.surfaces.memory, Sampler8x8State, at))
        if state.disable_8x8:
            adaptive = replace(adaptive, default_sharpness=0, bypass_x=True, bypass_y=True)
        key = self.settings.key(state.chroma_key_index) if state.chroma_key_enable else None
        sampler = BlockSampler(tables, adaptive, None if state.ief_bypass else ief_from_state(state), key)
        self._known_samplers[table.address, index] = sampler
        return sampler

    def _channels(self, state: MediaSurfaceState, chroma_key: Key | None, device: Device) -> dict[str, Array]:
        """Samples of every channel the surface has, each (rows, samples), read again when memory has changed.

        They are where the threads' registers are, of which there are those of one device.
        """
        memory = self.surfaces.memory
        key = (state.image, memory.version(state.base_address), chroma_key)
        if key not in self._planes:
            layout = _LAYOUTS.get(MediaSurfaceFormat(state.code("format")))
            if layout is None:
                raise CaptureError(f"sample_8x8 of {state.format.name} is not executed")
            try:
                plane = media_planes(state)[0]
                self.budget.spend(1 + plane.width_B * plane.rows // _BYTES_OF_A_UNIT)
                rows = read_plane(self.surfaces.bytes_on(device, state.base_address), plane, device=device)
            except (StateError, UndefinedBehavior) as error:
                raise CaptureError(f"surface at {state.base_address:#x}: {error}") from None
            if len(self._planes) == _KEPT_SURFACES:
                del self._planes[next(iter(self._planes))]
            planes = {
                name: rows[:, place.first_B :: place.step_B].astype(np.uint16, order="C")
                for name, place in layout.items()
            }
            if chroma_key is not None:
                planes = keyed_planes(device, planes, MediaSurfaceFormat(state.code("format")), chroma_key)
            self._planes[key] = planes
        return self._planes[key]
