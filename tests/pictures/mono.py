"""Texels of one bit through boxes of several sizes, at any coordinates."""

from __future__ import annotations

import numpy as np

import texsamp as ts
from pictures.cases import Arrays, Case
from pictures.sampler import bits, noise, numbers
from texsamp.device.base import Device

COUNT = 600


def _case(index: int, size: tuple[int, int]) -> Case:
    texels = noise((9, 32, 1), np.uint8, index) & np.uint8(1)
    u, v = numbers(COUNT, 2 * index), numbers(COUNT, 2 * index + 1)
    sampler = ts.Sampler(mono_size=size, mip_filter="none", address="border", rounding=index % 2 == 0)

    def run(device: Device) -> Arrays:
        made = ts.Surface.from_array(texels, "MONO8", tiling="linear", device=device)
        return [bits(device.download(ts.sample(made, sampler, u, v)))]

    return Case(f"mono-{size[0]}x{size[1]}", run)


MONO_CASES = tuple(_case(index, size) for index, size in enumerate([(1, 1), (2, 7), (6, 5), (7, 7)]))
