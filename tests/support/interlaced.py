"""Interlaced material made of progressive pictures, and pairs of frames for the deinterlacer's tests."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from support.filter_cases import PATTERNS
from support.frames import random_frame
from texsamp.device import get_device
from texsamp.video.deinterlace.parameters import DRIVER_STATE, DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame

DRIVER = DeinterlaceParameters.from_state(DRIVER_STATE)

EDGES = {
    # What makes the deinterlacer choose: slanted edges of every angle, fine detail, and both with a little noise.
    "slanted": lambda rng, h, w, top: _slanted(rng, h, w, top, 0),
    "noisy edges": lambda rng, h, w, top: _slanted(rng, h, w, top, max(top // 40, 1)),
    "detail": lambda rng, h, w, top: (np.sin(np.add.outer(np.arange(h) * 0.7, np.arange(w) * 2.1)) + 1) * top / 2,
}
CONTENTS = {**PATTERNS, **EDGES}


def _slanted(rng: np.random.Generator, height: int, width: int, top: int, noise: int) -> np.ndarray:
    """Stripes whose edges move 1 to 8 pixels a line, either way."""
    slope, period = rng.choice([-1, 1]) * rng.uniform(0.5, 8), rng.uniform(6, 30)
    phase = np.add.outer(np.arange(height) * slope, np.arange(width)) / period
    edges = np.clip((np.abs(phase % 2 - 1) - 0.5) * 4 + 0.5, 0, 1) * top
    return np.clip(edges + rng.integers(-noise, noise + 1, (height, width)), 0, top)


def fill(frame: Frame, component: str, values: np.ndarray) -> None:
    """Set a component's samples; the rest of their elements stays."""
    part, view = frame.layout.components[component], frame.component(component)
    mask = ((1 << part.bits) - 1) << part.shift
    view[...] = (view & (np.iinfo(view.dtype).max - mask)) | (values.astype(view.dtype) << part.shift)


def frame_pair(rng: np.random.Generator, layout: str, width: int, height: int, content: str) -> tuple[Frame, Frame]:
    """Two frames in a row: blocks of 9x7 samples change, the others stay."""
    first, second = (random_frame(rng, layout, width, height) for _ in range(2))
    for name, part in first.layout.components.items():
        columns, rows = first.layout.component_size(name, width, height)
        old, new = (CONTENTS[content](rng, rows, columns, (1 << part.bits) - 1).astype(np.int64) for _ in range(2))
        changes = rng.integers(0, 2, (rows // 7 + 1, columns // 9 + 1))
        moving = np.repeat(np.repeat(changes, 7, 0), 9, 1)[:rows, :columns]
        fill(first, name, old)
        fill(second, name, np.where(moving, new, old))
    return first, second


def interlace(frames: Sequence[Frame], top_first: bool = True, rate: int = 25) -> list[Frame]:
    """Frames of a 2 x rate progressive clip as half as many interlaced ones (on the CPU)."""
    made = []
    for number, (first, second) in enumerate(zip(frames[::2], frames[1::2], strict=False)):
        planes = [np.array(plane) for plane in first.planes]
        for plane, other in zip(planes, second.planes, strict=True):
            start = 1 if top_first else 0
            plane[start::2] = other[start::2]
        whole = first.like(first.width_px, first.height_px, planes)
        made.append(replace(whole, interlaced=True, top_field_first=top_first, pts=number, duration=1))
    return made


def random_parameters(rng: np.random.Generator) -> DeinterlaceParameters:
    """Any legal state, fields often at an end of their range."""

    def any_of(top: int) -> int:
        return int(rng.choice([0, top, rng.integers(0, top + 1), rng.integers(0, top // 4 + 1)]))

    shift = int(rng.integers(0, 8))
    low = int(rng.integers(0, 256 - (1 << shift)))
    return DeinterlaceParameters(
        tdm_shift1=int(rng.integers(4, 7)),
        tdm_shift2=int(rng.integers(6, 9)),
        stmm_c2=int(rng.integers(1, 9)),
        vecm_mul=any_of(63),
        stmm_trc1=any_of(127),
        stmm_trc2=any_of(255),
        stmm_md_th=low + int(rng.integers(0, 2)) * (1 << shift),
        stmm_min=low,
        stmm_max=low + (1 << shift),
        stmm_shift=shift,
        sdi_th=any_of(255),
        sdi_d=any_of(255),
        sdi_t1=any_of(255),
        sdi_t2=any_of(255),
        sdi_angle2x1=any_of(255),
    )


def random_statistics(rng: np.random.Generator, frame: Frame) -> StatisticsSurface:
    surface = StatisticsSurface.after_first_frame(get_device("cpu"), frame.width_px, frame.height_px)
    surface.stmm[...] = rng.integers(0, 256, surface.stmm.shape)
    return surface
