"""What the kernels of tone mapping are given: planes, coefficients and tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout
from texsamp.video.color.matrices import KR_KB, ColorSpace, product
from texsamp.video.color.primaries import inverse, to_xyz
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples
from texsamp.video.tonemap.curves import CODE_WHITE, device_table

Transfer = Literal["pq", "hlg"]

_PARAMS = params_type("TonemapParams")
CODE_SHIFT = 13
TILE_WIDTH = {"host": 256, "device": 128}
TILE_LINES = 2
PEAK_LINES = {"host": 32, "device": 8}
PEAK_BINS = 640


@dataclass(frozen=True)
class Mapping:
    """From what to what: ``nominal`` is the peak of the display that HLG is meant for; light is in cd/m²."""

    transfer: Transfer
    white: int
    nominal: int
    peak: float = 0


@lru_cache
def _coefficients(full_range: bool, have: str, wanted: str) -> dict[str, Any]:
    """From samples of BT.2020 in a layout to samples of BT.709 in another."""
    xyz = to_xyz("bt2020")
    return {
        **_decoding(full_range, PIXEL_LAYOUTS[have].bits),
        "luminance": tuple(map(float, xyz[1])),
        "primaries": [tuple(map(float, row)) for row in product(inverse(to_xyz("bt709")), xyz)],
        **_encoding(full_range, PIXEL_LAYOUTS[wanted]),
    }


def _decoding(full_range: bool, bits: int) -> dict[str, Any]:
    """From samples of BT.2020 to codes."""
    space, step = ColorSpace("bt2020", full_range, bits), 4096 >> bits
    return {
        "decode": [round(value * step * CODE_WHITE * (1 << CODE_SHIFT)) for row in space.to_rgb() for value in row],
        "offsets": [offset // step for offset in space.offsets],
    }


def _encoding(full_range: bool, layout: PixelLayout) -> dict[str, Any]:
    """From R', G', B' to samples of BT.709; half a step more, for what is cut off is rounded then."""
    space, step = ColorSpace("bt709", full_range, layout.bits), 4096 >> layout.bits
    kr, kb = KR_KB["bt709"]
    chroma = space.chroma_span / step / (1 << layout.log2_chroma_width + layout.log2_chroma_height)
    black, middle, _ = (offset // step for offset in space.offsets)
    return {
        "luma": (float(kr), float(1 - kr - kb), float(kb)),
        "luma_scale": float(space.luma_span / step),
        "luma_offset": black + 0.5,
        "u_scale": float(chroma / (2 * (1 - kb))),
        "v_scale": float(chroma / (2 * (1 - kr))),
        "chroma_offset": middle + 0.5,
        "dst_end": (1 << layout.bits) - 0.5,
    }


def _params(frame: Frame, mapping: Mapping, target: Frame | None, sums: Any) -> tuple[np.void, tuple[Any, ...]]:
    """Parameters, and the arrays they point to. Without a target the light is only looked at."""
    device, white, nominal = frame.device, mapping.white, mapping.nominal
    sources = [Samples.of(frame, name) for name in "YUV"]
    targets = [None if target is None else Samples.of(target, name) for name in "YUV"]
    tables = {
        "light": device_table(device, "pq", white) if mapping.transfer == "pq" else device_table(device, "hlg"),
        "system": None if mapping.transfer == "pq" else device_table(device, "system", nominal, white),
        "gain": None if target is None else device_table(device, "gain", mapping.peak, white),
        "code": None if target is None else device_table(device, "code"),
        "sums": sums,
    }
    planes = []
    for source, into in zip(sources, targets, strict=True):
        pairs = [
            (0, 0, 1, 0) if part is None else (part.address(device), part.pitch_B, part.step, part.shift)
            for part in (source, into)
        ]
        planes.append(tuple(value for pair in zip(*pairs, strict=True) for value in pair))
    wanted = frame.layout if target is None else target.layout
    params = _PARAMS(
        planes=planes,
        **{name: 0 if table is None else device.address(table) for name, table in tables.items()},
        sums_pitch_B=0 if sums is None else sums.strides[0],
        width=frame.width_px,
        height=frame.height_px,
        src_max=(1 << frame.layout.bits) - 1,
        log2_width=frame.layout.log2_chroma_width,
        log2_height=frame.layout.log2_chroma_height,
        **_coefficients(bool(frame.color.full_range), frame.layout.name, wanted.name),
    )
    samples = [part.array for part in (*sources, *targets) if part is not None]
    return params, (*samples, *(table for table in tables.values() if table is not None))


def _type(layout: PixelLayout) -> str:
    return "u8" if layout.dtype.itemsize == 1 else "u16"


def map_tones(frame: Frame, mapping: Mapping, layout: PixelLayout) -> Frame:
    """The frame mapped, in a YUV layout of the same subsampling and the same range; its tags are still the old ones."""
    made = Frame.empty(layout, frame.width_px, frame.height_px, frame.device)
    params, arrays = _params(frame, mapping, made, None)
    tiles = -(-frame.width_px // TILE_WIDTH[frame.device.tile_limits]), -(-frame.height_px // TILE_LINES)
    frame.device.launch(Launch(f"tonemap_{_type(frame.layout)}_{_type(layout)}", params, *tiles, arrays))
    return frame.like(frame.width_px, frame.height_px, made.planes, layout)


def count_light(frame: Frame, mapping: Mapping) -> npt.NDArray[np.int64]:
    """How many pixels are how bright: `PEAK_BINS` counts, 16 per octave from 2^-32 of white on."""
    tiles = -(-frame.height_px // PEAK_LINES[frame.device.tile_limits])
    sums = frame.device.empty((tiles, PEAK_BINS), "<u4")
    params, arrays = _params(frame, mapping, None, sums)
    frame.device.launch(Launch(f"tonemap_peak_{_type(frame.layout)}", params, 1, tiles, arrays))
    counts: npt.NDArray[np.int64] = frame.device.download(sums).sum(axis=0, dtype=np.int64)
    return counts
