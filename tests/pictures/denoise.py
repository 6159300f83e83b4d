"""The denoise kernels: every layout, both modes, first frames, chroma, noise measures, sizes around tiles."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pictures.cases import Arrays, Case, noise_frame, padded
from texsamp.device.base import Device
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.denoise.launches import Before, block_noise, denoise_plane, history_shape
from texsamp.video.denoise.measure import noise_sums
from texsamp.video.denoise.parameters import DenoiseParameters, NoiseThresholds
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples

_LAYOUTS = ("yuv420p", "nv12", "yuyv422", "gray", "yuv420p10le", "p010le", "yuv422p10le")
_SIZES = ((1, 1), (2, 3), (17, 5), (64, 18), (57, 17), (131, 34), (258, 9), (9, 40), (1, 20), (275, 37), (517, 9))
_LARGEST = DenoiseParameters(255, 16, 63, 255, 240, 15, 63, 47, 63)
_PARAMETERS = {
    "calm": DenoiseParameters(255, 16, 38, 255, 192, 8, 13, 7, 12),
    "largest": _LARGEST,
    "even": replace(_LARGEST, even=True, stad_th=0),
    "spatial": replace(_LARGEST, th=0, low=0),
}


def _near(frame: Frame, seed: int, device: Device) -> Frame:
    """A frame that differs little from another one, so that blocks are static too."""
    rng = np.random.default_rng(seed)
    planes = [
        padded(device.download(plane) ^ rng.integers(0, 4, plane.shape, plane.dtype), 4) for plane in frame.planes
    ]
    return Frame.from_arrays(frame.layout, planes, frame.width_px, frame.height_px, device)


def _case(layout: str, size: tuple[int, int], word: str, index: int) -> Case:
    def run(device: Device) -> Arrays:
        parameters, progressive = _PARAMETERS[word], bool(index & 1)
        current = noise_frame(PIXEL_LAYOUTS[layout], *size, 1300 + index, index % 3 * 4, device)
        previous = _near(current, index, device)
        arrays = []
        for name in current.layout.components:
            source, first = Samples.of(current, name), index % 5 == 0
            shape = history_shape(source)
            stored = device.upload(padded(np.random.default_rng(index).integers(0, 256, shape).astype("u1"), 3))
            before = None if first else Before(Samples.of(previous, name), stored)
            for kind in ("luma", "chroma"):
                out = Frame.empty(layout, *size, device)
                history, table = device.empty(shape, "u1"), device.empty((*shape, 5), "<u2")
                target = Samples.of(out, name)
                launch = denoise_plane(
                    device,
                    source,
                    target,
                    before,
                    history,
                    parameters,
                    progressive,
                    kind,
                    table,  # type: ignore[arg-type]
                )
                device.launch(launch)
                arrays += [history, table, out.component(name)]
            launch, blocks = block_noise(device, source, NoiseThresholds(15, 31), progressive, 8 if progressive else 4)
            device.launch(launch)
            arrays.append(blocks)
            measured = noise_sums(device, source, progressive)
            if measured is not None:
                device.launch(measured[0])
                arrays.append(measured[1])
        return [np.ascontiguousarray(device.download(array)) for array in arrays]

    return Case(f"denoise-{layout}-{size[0]}x{size[1]}-{word}", run)


def _cases() -> Iterator[Case]:
    sizes = itertools.cycle(_SIZES)
    for index, (layout, word) in enumerate(itertools.product(_LAYOUTS, _PARAMETERS)):
        yield _case(layout, next(sizes), word, index)


DENOISE_CASES = tuple(_cases())
