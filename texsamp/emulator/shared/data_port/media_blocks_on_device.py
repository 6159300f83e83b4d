"""Blocks that threads write, on a device: from registers to surfaces at the places that headers name there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Launch
from texsamp.device.base import Array
from texsamp.device.params import constant, params_type
from texsamp.emulator.eu.registers.threads import GENERAL_REGISTERS, PITCH_B, REGISTER_B
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.media_edges import ReadPixel
from texsamp.surface.tiling import Addressing

_WRITE, _MEDIA_READ = params_type("EuMediaWriteParams"), params_type("EuMediaReadParams")
_TILINGS = {"linear": constant("EU_LINEAR"), "X": constant("EU_TILED_X"), "Y": constant("EU_TILED_Y")}
_AT_ONCE = constant("EU_WRITE_ALL")
_PHASES = [constant(name) for name in ("EU_CLAIM", "EU_WRITE_CLAIMED", "EU_COUNT_DIFFERENT")]
_THREADS_OF_A_TILE = constant("EU_MEDIA_THREADS")
_DWORD_B = 4

Group = NDArray[np.intp] | slice
"""Which of a message's threads."""


@dataclass(frozen=True)
class SurfaceLines:
    """Lines of a surface: bytes of each, how many, lines of memory from one to the next, and the first one's."""

    addressing: Addressing
    width_B: int  # noqa: N815 - the unit
    lines: int
    step: int
    first: int


def message_blocks(message: Message | Unasked, group: Group, lines: int, pitch_B: int, dwords: int) -> Array:  # noqa: N803
    """Dwords of the blocks of some threads, (threads, lines, dwords), where the registers are."""
    data = message.dwords_on_device(1, -(-lines * pitch_B // REGISTER_B))
    data = data if isinstance(group, slice) else data[message.threads.upload(group)]
    return data[:, : lines * pitch_B // _DWORD_B].reshape(len(data), lines, -1)[:, :, :dwords]


@dataclass(frozen=True)
class SentBlocks:
    """Blocks of one size that some threads of a message write.

    pitch_B: bytes from line to line in registers. plane: blocks made of those, (threads, lines, dwords), None for the
    registers' own. shifts: bits by which columns of the header are shifted down, then up; halvings: lines, down.
    is_masked: whether headers may have pixel masks.
    """

    message: Message | Unasked
    group: Group
    lines: int
    dwords: int
    pitch_B: int  # noqa: N815 - the unit
    plane: Array | None
    shifts: tuple[int, int]
    halvings: int
    is_masked: bool = False

    @classmethod
    def of(
        cls,
        message: Message | Unasked,
        group: Group,
        lines: int,
        pitch_B: int,  # noqa: N803
        dwords: int,
        *,
        is_masked: bool = False,
    ) -> SentBlocks:
        """Those in registers."""
        return cls(message, group, lines, dwords, pitch_B, None, (0, 0), 0, is_masked)

    @classmethod
    def made(
        cls, message: Message | Unasked, group: Group, plane: Array, shifts: tuple[int, int], halvings: int
    ) -> SentBlocks:
        """Those that were made of them, contiguous."""
        return cls(message, group, plane.shape[1], plane.shape[2], plane.shape[2] * _DWORD_B, plane, shifts, halvings)

    @cached_property
    def values(self) -> Array:
        """Their dwords, (threads, lines, dwords)."""
        if self.plane is not None:
            return self.plane
        return message_blocks(self.message, self.group, self.lines, self.pitch_B, self.dwords)

    def write(self, memory: Array, surface: SurfaceLines, *, overlap: bool) -> Array | None:
        """Into dwords of a surface's memory, clipped at the surface.

        overlap: whether blocks have the same dwords of it; of those the last one's stays. Returns, if so, how many
        differ from what stays, (1,) there.
        """
        message, threads, device = self.message, self.message.threads, self.message.threads.device
        numbers = mask = None
        count = threads.count
        if isinstance(message, Unasked):
            mask = message.mask
        else:
            rows = message.rows[self.group]
            count = len(rows)
            numbers = None if count == threads.count else threads.kept(rows.astype(np.int32))[0]
        if self.plane is None:
            sent = -(-self.lines * self.pitch_B // REGISTER_B)
            message.need(1 + sent)
            threads.general(message.source + 1, sent)  # they are there
            values, pitch_B = threads.view((message.source + 1) * REGISTER_B, np.dtype("<u4"), (1,), (4,)), PITCH_B
        else:
            values, pitch_B = self.plane, self.lines * self.pitch_B
        fields: dict[str, int] = dict(
            registers=device.address(threads.registers),
            rows=0 if numbers is None else device.address(numbers),
            mask=0 if mask is None else device.address(mask),
            channels=0 if mask is None else mask.shape[1],
            masked=int(self.is_masked),
            values=device.address(values),
            memory=device.address(memory),
            values_pitch=pitch_B,
            line_pitch=self.pitch_B,
            by_thread=int(self.plane is None),
            at=message.source * REGISTER_B,
            threads=count,
            pitch=PITCH_B,
            lines=self.lines,
            dwords=self.dwords,
            x_down=self.shifts[0],
            x_up=self.shifts[1],
            y_down=self.halvings,
            width_B=surface.width_B,
            surface_lines=surface.lines,
            line_step=surface.step,
            first_line=surface.first,
            tiling=_TILINGS[surface.addressing.tiling.name],
            pitch_B=surface.addressing.pitch_B,
        )
        held = (threads.registers, values, memory, *(each for each in (numbers, mask) if each is not None))
        tiles = -(-count // _THREADS_OF_A_TILE)
        if not overlap:
            params = _WRITE(**fields, last=0, different=0, phase=_AT_ONCE)
            device.launch(Launch("eu_media_write", params, 1, tiles, held))
            return None
        last = device.arrays.full((surface.lines, -(-surface.width_B // _DWORD_B)), -1, np.int32)
        different: Array = device.arrays.zeros(1, np.uint32)
        there = {"last": device.address(last), "different": device.address(different)}
        for phase in _PHASES:
            params = _WRITE(**fields, **there, phase=phase)
            device.launch(Launch("eu_media_write", params, 1, tiles, (*held, last, different)))
        return different


def read_on_device(
    message: Unasked,
    memory: Array,
    surface: SurfaceLines,
    block: tuple[int, int],
    registers: tuple[int, int],
    pixel: ReadPixel,
    beyond: str,
    *,
    is_alone: bool,
) -> None:
    """Blocks of a surface's memory into the response. block: bytes of a line, and lines.

    registers: bytes from line to line of the response, and of the first. beyond: where lines beyond the edges are read.
    is_alone: whether the rest of the response becomes 0.
    """
    threads, device, mask = message.threads, message.threads.device, message.mask
    assert message.destination is not None
    size_B, to = message.response_length * REGISTER_B, message.destination
    there = threads.registers
    if to <= message.source < to + message.response_length:  # the header is where the response goes
        there, to = there.copy(), 0
        if message.source < message.response_length:
            to = GENERAL_REGISTERS - message.response_length
    answer = there[:, to * REGISTER_B : to * REGISTER_B + size_B]
    if there is threads.registers:
        if is_alone:
            message.respond(threads.arrays.zeros((threads.count, size_B), np.uint8))
    elif is_alone:
        answer[...] = 0
    else:
        answer[...] = threads.general(message.destination, message.response_length)
    params = _MEDIA_READ(
        registers=device.address(there),
        mask=0 if mask is None else device.address(mask),
        memory=device.address(memory),
        channels=message.exec_size,
        at=message.at(0),
        to=to * REGISTER_B + registers[1],
        threads=threads.count,
        pitch=PITCH_B,
        lines=block[1],
        width_B=block[0],
        line_pitch=registers[0],
        pixel_B=pixel.size_B,
        left=pixel.left,
        right=pixel.right,
        row_B=surface.width_B,
        surface_lines=surface.lines,
        line_step=surface.step,
        first_line=surface.first,
        beyond=constant(beyond),
        tiling=_TILINGS[surface.addressing.tiling.name],
        pitch_B=surface.addressing.pitch_B,
    )
    held = (there, memory, *(() if mask is None else (mask,)))
    device.launch(Launch("eu_media_read", params, 1, -(-threads.count // _THREADS_OF_A_TILE), held))
    if there is not threads.registers:
        message.respond(answer)
