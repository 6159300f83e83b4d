"""Regions of tiled surfaces, read and written: parts of tiles, single bytes, whole surfaces of every tiling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.surface.detile import detile, tile
from texsamp.surface.tiling import Addressing, AddressSwizzle, tiling

# Corner and size in bytes and rows, inside a surface of 2 tiles by 40 rows.
REGIONS = {"byte": (5, 3, 1, 1), "odd": (13, 1, 77, 37), "whole": (0, 0, None, 40)}


def _case(name: str, swizzle: AddressSwizzle, region: str) -> Case:
    x_B, y_rows, width_B, height_rows = REGIONS[region]
    pitch_B = 2 * tiling(name).width_B if name != "linear" else 300
    addressing = Addressing(tiling(name), pitch_B, swizzle)
    random = np.random.default_rng(7)
    memory = random.integers(0, 256, addressing.size_B(40), np.uint8)
    rows = random.integers(0, 256, (height_rows, width_B or pitch_B), np.uint8)

    def run(device: Device) -> Arrays:
        surface = device.empty(memory.shape, np.uint8)
        surface[:] = device.upload(memory)
        read = detile(surface, addressing, rows.shape[1], rows.shape[0], x_B=x_B, y_rows=y_rows, device=device)
        tile(device.upload(rows), surface, addressing, x_B=x_B, y_rows=y_rows, device=device)
        return [device.download(read), device.download(surface)]

    return Case(f"regions-{name}-{swizzle.name}-{region}", run)


def _cases() -> Iterator[Case]:
    for name in ("linear", "X", "Y", "W"):
        for region in REGIONS:
            yield _case(name, AddressSwizzle.NONE, region)
    for swizzle in AddressSwizzle:
        if swizzle is not AddressSwizzle.NONE:
            yield _case("Y", swizzle, "odd")
            yield _case("W", swizzle, "odd")


REGION_CASES = tuple(_cases())
