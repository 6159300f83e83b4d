"""XY_COLOR_BLT."""

import numpy as np
import pytest
from support.programs import Program, data_address

from texsamp.errors import CaptureError
from texsamp.state.commands_mi import XyColorBlt

SIZE = 32 << 10


def _fill(**fields):
    command = XyColorBlt(**{"base_address": data_address(0), "raster_operation": 0xF0, "pitch": 64} | fields)
    program = Program([command], data=[bytes(range(256)) * (SIZE // 256)])
    program.run()
    return program.data()


@pytest.mark.parametrize(
    ("depth", "pixel", "color"),
    [("BITS_8", 1, 0x11223344), ("BITS_16_565", 2, 0x11223344), ("BITS_32", 4, 0x11223344)],
)
def test_fills_a_rectangle(depth, pixel, color):
    channels = {"write_alpha": True, "write_rgb": True} if pixel == 4 else {}
    after = _fill(depth=depth, left=3, top=2, right=9, bottom=7, color=color, **channels)
    expected = np.frombuffer(bytes(range(256)) * (SIZE // 256), np.uint8).copy().reshape(-1, 64)
    value = color.to_bytes(4, "little")[:pixel] * 6
    expected[2:7, 3 * pixel : 9 * pixel] = np.frombuffer(value, np.uint8)
    assert np.array_equal(after, expected.reshape(-1))


def test_tiled_destinations_are_x_tiled():
    after = _fill(tiled=True, pitch=256, left=510, top=7, right=514, bottom=9, color=0xEE)
    changed = np.flatnonzero(after != np.frombuffer(bytes(range(256)) * (SIZE // 256), np.uint8))
    tiles = {(7, x): (x // 512) * 4096 + 7 * 512 + x % 512 for x in range(510, 514)}
    tiles |= {(8, x): 2 * 4096 + (x // 512) * 4096 + x % 512 for x in range(510, 514)}
    assert set(changed) <= set(tiles.values())
    assert (after[list(tiles.values())] == 0xEE).all()


def test_empty_rectangles_change_nothing():
    assert np.array_equal(_fill(left=3, right=3, bottom=5), _fill(right=4, top=6, bottom=6))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"raster_operation": 0xCC, "right": 1, "bottom": 1}, "raster operation 0xcc is not executed"),
        ({"clip": True, "right": 1, "bottom": 1}, "the clip rectangle is not executed"),
        ({"depth": "BITS_32", "write_rgb": True, "right": 1, "bottom": 1}, "some channels only are not executed"),
        ({"left": 5, "right": 1, "bottom": 1}, "a fill from 5, 0 to 1, 1"),
        ({"top": -1, "right": 1, "bottom": 1}, "a fill from 0, -1 to 1, 1"),
        ({"right": 65, "bottom": 1}, "width_B must be from 0 to 64"),
        ({"right": 32767, "bottom": 32767}, "a fill of 1073676289 bytes, but 32768 are mapped"),
        ({"right": 1, "bottom": 600}, "the region needs"),
        ({"right": 1, "bottom": 1, "pitch": -64}, "pitch of tiling linear"),
        ({"right": 1, "bottom": 1, "base_address": 0x500}, "at 0x500 are not mapped"),
    ],
)
def test_refusals(fields, message):
    with pytest.raises(CaptureError, match=message):
        _fill(**fields)
