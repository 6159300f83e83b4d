"""The low-pass before scaling down: texsamp's addition, the hardware aliases (docs/fidelity.md).

Ratios at or below 1/2 are first halved, as often as that holds, by a 12-tap Lanczos-3 filter that keeps every second
sample; a ratio between 1/2 and 1 that is left gets a Lanczos-3 low-pass at that ratio. Each axis by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Device, Launch
from texsamp.device.params import params_type
from texsamp.video.samples import Samples, plane_record

_ONE = 4096
_TILE_WIDTH = {"host": 512, "device": 256}

_PARAMS = params_type("PrefilterParams")
_MAX_TAPS = _PARAMS.dtype["x_taps"].shape[0]

Taps = NDArray[np.int16]
_KEEP_ALL: Taps = np.array([_ONE], dtype=np.int16)


def lanczos3_taps(ratio: Fraction, *, halve: bool) -> Taps:
    """Lanczos-3 stretched by 1/ratio, in 1/4096, summing to 4096 and symmetric; even in number when halving."""
    reach = float(3 / ratio)
    if halve:
        distance = np.arange(-np.floor(reach - 0.5) - 0.5, np.floor(reach - 0.5) + 1)
    else:
        distance = np.arange(-np.ceil(reach - 1), np.ceil(reach - 1) + 1)
    x = distance * float(ratio)
    weights = np.sinc(x) * np.sinc(x / 3)
    taps = np.rint(weights / weights.sum() * _ONE).astype(np.int16)
    middle = slice((len(taps) - 1) // 2, len(taps) // 2 + 1)
    taps[middle] += (_ONE - int(taps.sum())) // len(taps[middle])
    return np.asarray(taps, dtype=np.int16)


def whole_halvings(ratio: Fraction) -> Fraction:
    """1, or 1/2 as often as a ratio at or below 1/2 holds it; what is left of the ratio is above 1/2."""
    return Fraction(1) if ratio > Fraction(1, 2) else whole_halvings(2 * ratio) / 2


class _Step:
    """One pass over a plane: taps and how many samples to advance, per axis."""

    def __init__(self, taps: tuple[Taps, Taps], keep: tuple[int, int]) -> None:
        self.taps = taps
        self.keep = keep

    def output_size(self, size: tuple[int, int]) -> tuple[int, int]:
        return -(-size[0] // self.keep[0]), -(-size[1] // self.keep[1])

    def launch(self, device: Device, src: Samples, dst: Samples) -> Launch:
        x, y = (np.pad(taps, (0, _MAX_TAPS - len(taps))) for taps in self.taps)
        params = _PARAMS(
            plane=plane_record(device, src, dst),
            x_taps=x,
            y_taps=y,
            x_count=len(self.taps[0]),
            y_count=len(self.taps[1]),
            x_keep=self.keep[0],
            y_keep=self.keep[1],
            src_width=src.width,
            src_height=src.height,
            dst_width=dst.width,
            dst_height=dst.height,
            middle_shift=min(max(src.bits - 2, 6), 12),
        )
        tiles_x = -(-dst.width // _TILE_WIDTH[device.tile_limits])
        return Launch(f"prefilter_{src.type_name}", params, tiles_x, dst.height, (src.array, dst.array))


def _steps(ratios: tuple[Fraction, Fraction]) -> list[_Step]:
    steps = []
    half = Fraction(1, 2)
    halving = lanczos3_taps(half, halve=True)
    left = list(ratios)
    while min(left) <= half:
        halved = [ratio <= half for ratio in left]
        taps = tuple(halving if halve else _KEEP_ALL for halve in halved)
        steps.append(_Step((taps[0], taps[1]), (1 + halved[0], 1 + halved[1])))
        left = [ratio * 2 if halve else ratio for ratio, halve in zip(left, halved, strict=True)]
    if min(left) < 1:
        taps = tuple(lanczos3_taps(ratio, halve=False) if ratio < 1 else _KEEP_ALL for ratio in left)
        steps.append(_Step((taps[0], taps[1]), (1, 1)))
    return steps


class Prefilter:
    """The passes for planes, whatever their sizes: one of ``size`` comes out at ``output_size``.

    ``halvings`` says how often each axis has been halved afterwards.
    """

    def __init__(self, device: Device, size: tuple[int, int], ratios: tuple[Fraction, Fraction]) -> None:
        self._device = device
        self._steps = _steps(ratios)
        self.halvings = tuple(sum(step.keep[axis] == 2 for step in self._steps) for axis in (0, 1))
        for step in self._steps:
            size = step.output_size(size)
        self.output_size = size

    def run(self, planes: Sequence[Samples], into: Sequence[Samples | None] | None = None) -> list[Samples]:
        """The filtered planes, each an array of its own or, where ``into`` has one, that; its samples fill elements."""
        current = list(planes)
        for number, step in enumerate(self._steps):
            given = into if into is not None and number == len(self._steps) - 1 else [None] * len(current)
            made = [place or self._place(step, plane) for plane, place in zip(current, given, strict=True)]
            self._device.launch(*(step.launch(self._device, s, d) for s, d in zip(current, made, strict=True)))
            current = made
        return current

    def _place(self, step: _Step, plane: Samples) -> Samples:
        width, height = step.output_size((plane.width, plane.height))
        return Samples.plane(self._device.empty((height, width), plane.array.dtype), plane.bits)
