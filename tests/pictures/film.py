"""Film detection: layouts, sizes around tiles, first frames and the erratum, per block and for the frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pictures.cases import Arrays, Case, noise_frame
from texsamp.device.base import Device
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.film.variances import FilmParameters, block_variances, measure_film

_SIZES = (
    ("gray", (1, 1)),
    ("nv12", (17, 5)),
    ("uyvy422", (243, 66)),
    ("yuyv422", (113, 17)),
    ("p010le", (481, 33)),
    ("gray10le", (16, 4)),
    ("yuv420p", (130, 71)),
    ("gray", (500, 106)),
)


def _case(layout: str, size: tuple[int, int], index: int) -> Case:
    parameters = FilmParameters(175, 255, 100, index, bool(index % 2))

    def run(device: Device) -> Arrays:
        frames = [noise_frame(PIXEL_LAYOUTS[layout], *size, 1700 + index + n, index % 3 * 4, device) for n in range(2)]
        whole = measure_film(frames[0], frames[1], replace(parameters, tdiff=0, vdiff2=0))
        return [
            block_variances(frames[0], frames[1], parameters),
            block_variances(frames[0], None, parameters),
            np.array(whole.variances),
            whole.combs,
            whole.pixels,
            whole.tile_changes,
            whole.rises,
            whole.falls,
            whole.strips.combs,
            whole.strips.changes,
            whole.strips.leans,
            whole.strips.levels,
        ]

    return Case(f"film-{layout}-{size[0]}x{size[1]}", run)


FILM_CASES = tuple(_case(layout, size, n) for n, (layout, size) in enumerate(_SIZES))
