"""Pictures for tables of colors: both filters, sizes of tables, pixels beside tiles."""

from __future__ import annotations

import numpy as np

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.video.lut.cube_file import ColorTable
from texsamp.video.lut.launch import Interpolation, lut_launch, tables_of


def _case(interpolation: Interpolation, size: int, width: int, height: int) -> Case:
    def run(device: Device) -> Arrays:
        random = np.random.default_rng(100 * size + width)
        cube = random.uniform(-0.1, 1.1, (size, size, size, 3)).astype(np.float32)
        ends = np.array([[0, 0.1, -0.5], [1, 0.9, 2]], np.float32)
        tables = tables_of(ColorTable(cube=cube, cube_range=ends))
        codes = random.integers(0, 65536, (height, 4 * width), np.uint16)
        codes[0, :4] = 65535
        codes[-1, :3] = 0
        target = device.empty(codes.shape, np.uint16)
        given = device.upload(tables.places), device.upload(tables.cube)
        device.launch(lut_launch(device, device.upload(codes), target, given, interpolation))
        return [device.download(target)]

    return Case(f"lut-{interpolation}-{size}-{width}x{height}", run)


_INTERPOLATIONS: tuple[Interpolation, ...] = ("tetrahedral", "trilinear")
LUT_CASES = tuple(
    _case(interpolation, size, *picture)
    for interpolation in _INTERPOLATIONS
    for size, picture in ((2, (1, 1)), (17, (131, 9)), (5, (515, 3)))
)
