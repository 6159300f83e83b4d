"""The blitter: fills of rectangles."""

from __future__ import annotations

import numpy as np

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.memory import CaseMemory
from texsamp.errors import CaptureError, StateError
from texsamp.state.commands_mi import BlitterDepth, XyColorBlt
from texsamp.surface.detile import tile
from texsamp.surface.tiling import Addressing, tiling

_PATTERN = 0xF0
_BYTES_OF_A_UNIT = 1 << 16
_PIXEL_B = {BlitterDepth.BITS_8: 1, BlitterDepth.BITS_16_565: 2, BlitterDepth.BITS_16_1555: 2, BlitterDepth.BITS_32: 4}


def color_fill(memory: CaseMemory, command: XyColorBlt, budget: Budget) -> None:
    """Execute XY_COLOR_BLT; tiled destinations are X-tiled. CaptureError for what is not executed or not mapped."""
    if command.raster_operation != _PATTERN:
        raise CaptureError(f"raster operation {command.raster_operation:#x} is not executed")
    if command.clip:
        raise CaptureError("the clip rectangle is not executed")
    pixel_B = _PIXEL_B[BlitterDepth(command.depth)]
    if pixel_B == 4 and not (command.write_alpha and command.write_rgb):
        raise CaptureError("32-bit fills of some channels only are not executed")
    width, height = command.right - command.left, command.bottom - command.top
    if min(command.left, command.top, width, height) < 0:
        raise CaptureError(f"a fill from {command.left}, {command.top} to {command.right}, {command.bottom}")
    if not width or not height:
        return
    pitch_B = command.pitch * (4 if command.tiled else 1)
    target = memory.bytes_from(command.base_address)
    size_B = width * height * pixel_B
    if size_B > len(target):
        raise CaptureError(f"a fill of {size_B} bytes, but {len(target)} are mapped from its base on")
    budget.spend(1 + size_B // _BYTES_OF_A_UNIT)
    color = (command.color & (1 << 8 * pixel_B) - 1).to_bytes(pixel_B, "little")
    line = np.frombuffer(color * width, np.uint8)
    rows = np.broadcast_to(line, (height, len(line)))
    try:
        addressing = Addressing(tiling("X" if command.tiled else "linear"), pitch_B)
        tile(np.ascontiguousarray(rows), target, addressing, x_B=command.left * pixel_B, y_rows=command.top)
    except StateError as error:
        raise CaptureError(str(error)) from None
    memory.touch(memory.find(command.base_address))
