"""Pictures for Convolve: every type of sample, kernels of every kind of size, sizes around tiles and vectors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from pictures.cases import Arrays, Case, padded
from texsamp.device.base import Device
from texsamp.video.analytics import ConvolveKernel, convolve

_SIZES = ((1, 1), (2, 3), (67, 20), (257, 17), (64, 8), (65, 9), (5, 40), (300, 33))
_KERNELS = ((1, 1), (3, 3), (5, 5), (15, 15), (2, 4), (14, 1), (1, 15), (7, 8))


def _extremes(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    limits = np.iinfo(dtype)
    values = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    ends = rng.choice([limits.min, limits.max], shape).astype(dtype)
    return np.where(rng.random(shape) < 0.5, values, ends).astype(dtype)


def _case(dtype: str, size: tuple[int, int], taps: tuple[int, int], edge: str, index: int) -> Case:
    def run(device: Device) -> Arrays:
        rng = np.random.default_rng(1500 + index)
        source = device.upload(padded(_extremes(rng, size[::-1], dtype), index % 3 * 4))
        largest = np.full(taps[::-1], -32768, np.int16)  # the largest sums there are
        codes = largest if index % 4 == 3 else _extremes(rng, taps[::-1], "int16")
        kernel = ConvolveKernel(codes, index % 11)
        return [device.download(convolve(source, kernel, edge, device))]

    return Case(f"convolve-{dtype}-{size[0]}x{size[1]}-{taps[0]}x{taps[1]}-{edge}", run)


def _cases() -> Iterator[Case]:
    sizes = itertools.cycle(_SIZES)
    for index, (taps, dtype) in enumerate(itertools.product(_KERNELS, ("uint8", "uint16", "int16"))):
        yield _case(dtype, next(sizes), taps, ("clamp", "mirror")[index // 2 % 2], index)


ANALYTICS_CASES = tuple(_cases())
