"""Commands of the blitter: which operands they have (volume 1 part 4, pages 31-84)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from texsamp.emulator.commands import blit_operands as operands
from texsamp.emulator.commands.blitter import Blit, Box, Bytes, Key, Operand, Pixels, pixel_B
from texsamp.emulator.commands.packet import Handlers, Packet
from texsamp.errors import CaptureError
from texsamp.state import commands_blitter as blt
from texsamp.state.command import Command

_SetUp = blt.XySetupBlt | blt.XySetupMonoPatternSlBlt


def _linear(packet: Packet, command: blt.ColorBlt | blt.SrcCopyBlt) -> None:
    """Rows of bytes: COLOR_BLT and SRC_COPY_BLT."""
    size = pixel_B(command.depth)
    if command.width_B % size:
        raise CaptureError(f"{command.name}: {command.width_B} bytes are no pixels of {size}")
    back = command.width_B - 1 if isinstance(command, blt.SrcCopyBlt) and command.backwards else 0
    target = Pixels.of(packet.memory, command.base_address - back, command.pitch, False, command.depth)
    blit = Blit(
        command.name, target, Box(0, 0, command.width_B // size, command.height), command.depth,
        command.raster_operation, command.write_alpha, command.write_rgb,
    )  # fmt: skip
    if isinstance(command, blt.SrcCopyBlt):
        origin = replace(target, address=command.source_address - back, pitch_B=command.source_pitch)
        blit = replace(blit, source=operands.rectangle(origin, 0, 0))
    else:
        blit = replace(blit, pattern=operands.solid(operands.color(command.color, size)))
    blit.draw(packet.execution.budget)


def _rectangle(packet: Packet, command: Any) -> None:
    """What has its destination, pattern and source itself."""
    memory, depth, fields = packet.memory, command.depth, command.rows
    box = Box(command.left, command.top, command.right, command.bottom)
    pattern, source = _pattern(packet, command), None
    if "bits_address" in fields or isinstance(command, blt.XyMonoSrcCopyImmediateBlt):
        source = _word_aligned_bits(packet, command, box)
    elif "source_address" in fields:  # negative coordinates move the destination's corner (page 34)
        box = replace(box, left=box.left + max(-command.source_left, 0), top=box.top + max(-command.source_top, 0))
        origin = Pixels.of(
            memory, command.source_address, command.source_pitch, command.source_tiled, depth,
            packet.context.registers.blits_from_y,
        )  # fmt: skip
        right, down = max(command.source_left, 0) - box.left, max(command.source_top, 0) - box.top
        source = operands.rectangle(origin, right, down)
    key = Key(command.key_mode, command.key_low, command.key_high) if "key_mode" in fields else None
    if key is not None and source is None and key.of_source:
        raise CaptureError(f"{command.name} has no source for its chroma key (page 49)")
    _draw(packet, command, command, box, pattern, source, key)


def _set_up(packet: Packet, command: Any) -> None:
    """Pixels, scan lines and text: the destination has been set up."""
    setup = packet.context.blitter_setup
    if setup is None:
        raise CaptureError(f"{command.name} needs an XY_SETUP_BLT before it")
    if setup.tiled != command.tiled:
        raise CaptureError(f"{command.name} and {setup.name} do not agree on tiling")
    size, pattern, source = pixel_B(setup.depth), None, None
    background, foreground = (operands.color(value, size) for value in (setup.background, setup.foreground))
    if isinstance(command, blt.XyPixelBlt):
        box = Box(command.left, command.top, command.left + 1, command.top + 1)
        pattern = operands.solid(background)  # page 89
    else:
        box = Box(command.left, command.top, command.right, command.bottom)
    if isinstance(command, blt.XyScanlinesBlt):
        pattern = _set_up_pattern(packet, setup, command, (background, foreground))
    elif not isinstance(command, blt.XyPixelBlt):
        if isinstance(setup, blt.XySetupMonoPatternSlBlt):
            raise CaptureError(f"{command.name} after {setup.name}, which is for scan lines (page 38)")
        row = -(-box.width // 8) * 8 if command.byte_packed else box.width
        source = operands.bits(
            _data(packet, command), (background, foreground), box,
            first=0, row_bits=row, step=row, transparent=setup.transparent,
        )  # fmt: skip
    _draw(packet, command, setup, box, pattern, source, None)


def _draw(
    packet: Packet,
    command: Command,
    target: Any,
    box: Box,
    pattern: Operand | None,
    source: Operand | None,
    key: Key | None,
) -> None:
    """Draw what is inside of the clip rectangle. target: the command that has the destination."""
    if target.clip:
        clip = packet.context.blitter_clip
        if clip is None:
            raise CaptureError(f"{command.name} clips, and nothing has set the rectangle")
        box = box.cut(Box(clip.left, clip.top, clip.right, clip.bottom))
    pixels = Pixels.of(
        packet.memory, target.base_address, target.pitch, target.tiled, target.depth,
        packet.context.registers.blits_to_y,
    )  # fmt: skip
    Blit(
        command.name, pixels, box, target.depth, target.raster_operation, target.write_alpha, target.write_rgb,
        pattern, source, key,
    ).draw(packet.execution.budget)  # fmt: skip


def _pattern(packet: Packet, command: Any) -> Operand | None:
    """The pattern of a command that has all it needs; None if it has none."""
    size, fields = pixel_B(command.depth), command.rows
    if "color" in fields:
        return operands.solid(operands.color(command.color, size))
    if "pattern_background" in fields:
        colors = operands.color(command.pattern_background, size), operands.color(command.pattern_foreground, size)
        fixed = isinstance(command, blt.XyMonoPatFixedBlt)
        rows = operands.fixed_rows(command.pattern) if fixed else _pattern_rows(command)
        return _of_bits(command, rows, colors, command)
    if "pattern_address" in fields:
        data = packet.memory.read(command.pattern_address, operands.PATTERN_PIXELS * size)
    elif "seed_x" in fields:
        data = _immediate(command)
    else:
        return None
    return operands.color_pattern(data, size, command.seed_x, command.seed_y)


def _set_up_pattern(packet: Packet, setup: _SetUp, command: blt.XyScanlinesBlt, colors: tuple[Bytes, Bytes]) -> Operand:
    """The pattern of scan lines, of colors or bits."""
    if isinstance(setup, blt.XySetupMonoPatternSlBlt):
        return _of_bits(setup, _pattern_rows(setup), colors, command)
    size = pixel_B(setup.depth)
    data = packet.memory.read(setup.pattern_address, operands.PATTERN_PIXELS * size)
    return operands.color_pattern(data, size, command.seed_x, command.seed_y)


def _of_bits(command: Any, rows: bytes, colors: tuple[Bytes, Bytes], seeds: Any) -> Operand:
    """A pattern of bits, or its background color alone."""
    if getattr(command, "solid", False):
        make = operands.nothing if command.pattern_transparent else operands.solid
        return make(colors[0])
    return operands.bit_pattern(rows, colors, (seeds.seed_x, seeds.seed_y), command.pattern_transparent)


def _word_aligned_bits(packet: Packet, command: Any, box: Box) -> Operand:
    size = pixel_B(command.depth)
    colors = operands.color(command.background, size), operands.color(command.foreground, size)
    address = command.bits_address if "bits_address" in command.rows else 0
    first_row, step = operands.word_rows(address, command.first_bit, box.width)
    return operands.bits(
        _data(packet, command), colors, box,
        first=command.first_bit, row_bits=first_row, step=step, transparent=command.transparent,
    )  # fmt: skip


def _data(packet: Packet, command: Any) -> Bytes:
    """Bits in memory or in the command."""
    if "bits_address" in command.rows:
        return packet.memory.bytes_from(command.bits_address)
    if len(command.tail) % 2:
        raise CaptureError(
            f"{command.name} holds {len(command.tail)} dwords of bits: the blitter hangs if they are odd"
        )
    return np.frombuffer(_immediate(command), np.uint8)


def _immediate(command: Command) -> bytes:
    return b"".join(dword.to_bytes(4, "little") for dword in command.tail)


def _pattern_rows(command: Any) -> bytes:
    rows: int = command.pattern_high << 32 | command.pattern_low
    return rows.to_bytes(8, "little")


_WHOLE = (
    blt.XyColorBlt, blt.XyPatBlt, blt.XyPatBltImmediate, blt.XyPatChromaBlt, blt.XyPatChromaBltImmediate,
    blt.XyMonoPatBlt, blt.XyMonoPatFixedBlt, blt.XySrcCopyBlt, blt.XySrcCopyChromaBlt, blt.XyMonoSrcCopyBlt,
    blt.XyMonoSrcCopyImmediateBlt, blt.XyFullBlt, blt.XyFullImmediatePatternBlt, blt.XyFullMonoSrcBlt,
    blt.XyFullMonoSrcImmediatePatternBlt, blt.XyFullMonoPatternBlt, blt.XyFullMonoPatternMonoSrcBlt,
)  # fmt: skip
HANDLERS: Handlers = {
    **dict.fromkeys((blt.ColorBlt, blt.SrcCopyBlt), _linear),
    **dict.fromkeys(_WHOLE, _rectangle),
    **dict.fromkeys((blt.XyPixelBlt, blt.XyScanlinesBlt, blt.XyTextBlt, blt.XyTextImmediateBlt), _set_up),
}
