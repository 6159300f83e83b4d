"""Edges at shallow angles, drawn into what another method has made of a field (docs/deinterlace.md)."""

from __future__ import annotations

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, source_record, target_record

_PARAMS = params_type("EdgeLineParams")
PIECE_PX = 96
"""Columns of a tile."""
LINES = {"host": 30, "device": 6}
"""Missing lines of a tile."""
Weights = tuple[int, ...]
WEIGHTS: Weights = (
    *(0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    *(0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0),
    *(0, 0, 8, 0, 2, 3, 2, 3, 4, 0, 2, 4),
    *(0, 2, 6, 2, 3, 4, 2, 5, 6, 2, 4, 7),
    *(2, 3, 5, 4, 4, 6, 5, 6, 7, 6, 7, 8),
)
"""Eighths of the sample along the edge, by agreement, ratio and side, by `benchmarks.fit_deinterlace`; (59), (60)."""


def draw_edges(current: Frame, parity: int, reference: Frame | None, made: Frame, weights: Weights = WEIGHTS) -> Launch:
    """The launch that does so in the luma of ``made``, the field of ``parity`` of ``current`` as a frame."""
    device = made.device
    source, target = Samples.of(current, "Y"), Samples.of(made, "Y")
    other = None if reference is None else Samples.of(reference, "Y")
    params = _PARAMS(
        current=source_record(device, source),
        reference=source_record(device, other),
        target=target_record(device, target),
        width=source.width,
        height=source.height,
        parity=parity,
        drop=source.bits - 8,
        weights=(*weights, 0, 0, 0, 0),
    )
    tiles = -(-source.width // PIECE_PX), -(-((source.height + 1) // 2) // LINES[device.tile_limits])
    arrays = (source.array, target.array, *(() if other is None else (other.array,)))
    return Launch(f"edge_line_{source.type_name}", params, *tiles, arrays)
