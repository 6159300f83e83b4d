"""Edges at shallow angles, drawn into what another method has made of a field (docs/deinterlace-hq.md (51) to (60))."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from texsamp.device.base import Array, Launch
from texsamp.device.params import params_type
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, require_alike, source_record, target_record

_SEARCH, _DRAW = params_type("EdgeSearchParams"), params_type("EdgeDrawParams")
SEARCH_TILES = {"host": (64, 8), "device": (64, 8)}
DRAWN_TILES = {"host": (256, 8), "device": (64, 8)}
"""Columns and missing lines of a tile."""
RUN_PX = 16
"""Of columns that are looked at together, whole ones in every row of offsets."""
Weights = tuple[int, ...]
WEIGHTS: Weights = (
    *(0, 2, 0, 0, 2, 0, 0, 0, 8, 0, 7, 7),
    *(0, 0, 0, 0, 2, 0, 0, 4, 7, 0, 2, 8),
    *(0, 2, 0, 3, 4, 0, 3, 7, 8, 5, 8, 8),
    *(0, 0, 0, 0, 2, 0, 8, 2, 7, 0, 8, 8),
    *(0, 0, 0, 0, 2, 8, 0, 2, 6, 0, 0, 8),
    *(0, 2, 0, 4, 4, 0, 7, 5, 8, 7, 8, 8),
    *(2, 0, 0, 4, 5, 7, 8, 6, 7, 8, 8, 8),
    *(2, 2, 0, 3, 4, 8, 0, 6, 7, 0, 3, 8),
    *(4, 6, 0, 6, 6, 0, 8, 8, 8, 8, 8, 8),
    *(4, 4, 0, 8, 7, 5, 8, 8, 7, 8, 8, 8),
    *(2, 3, 6, 6, 5, 7, 8, 6, 7, 7, 8, 8),
    *(2, 5, 0, 8, 7, 6, 8, 8, 8, 8, 8, 8),
    *(4, 0, 0, 6, 6, 0, 8, 8, 8, 8, 8, 8),
    *(2, 6, 0, 3, 6, 6, 3, 7, 8, 3, 5, 8),
    *(7, 8, 8, 8, 8, 4, 8, 8, 8, 8, 8, 8),
)
"""Eighths of the sample along the edge: by agreement, contrast, ratio and side, `benchmarks.fit_deinterlace`; (60)."""
AGAIN: Weights = (
    *(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 5),
    *(0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 3),
    *(0, 5, 0, 0, 0, 0, 0, 0, 4, 0, 4, 6),
    *(0, 2, 0, 0, 0, 0, 0, 0, 6, 0, 8, 0),
    *(0, 2, 0, 0, 0, 8, 0, 0, 6, 0, 0, 3),
    *(0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 2),
    *(0, 0, 0, 0, 0, 0, 0, 3, 5, 5, 6, 7),
    *(0, 0, 0, 0, 0, 8, 0, 0, 4, 0, 0, 7),
    *(0, 0, 0, 0, 0, 4, 3, 3, 4, 5, 4, 7),
    *(0, 0, 0, 3, 5, 8, 8, 7, 8, 8, 8, 8),
    *(0, 0, 0, 0, 0, 3, 6, 2, 5, 6, 8, 7),
    *(0, 0, 2, 0, 0, 0, 6, 5, 3, 8, 6, 5),
    *(2, 0, 8, 3, 3, 8, 6, 7, 8, 8, 8, 8),
    *(0, 0, 0, 0, 2, 0, 0, 4, 6, 0, 0, 7),
    *(0, 4, 0, 2, 0, 0, 5, 5, 3, 7, 7, 6),
)
"""The same once vectors have been followed; (71)."""


@dataclass(frozen=True)
class Sought:
    """Where edges are sought: least is the difference of the lines they part, of 256 levels.

    Unless everywhere, not where vectors lead to the fields beside a field. ``weights`` say how they are drawn, and
    ``again`` how once more, after vectors.
    """

    least: int
    everywhere: bool = False
    weights: Weights = WEIGHTS
    again: Weights = AGAIN


BY_HQ = Sought(36)
BY_BEST = Sought(8, everywhere=True)


class BlockMotions(Protocol):
    """Of blocks of 16 columns by 4 missing lines; see `texsamp.video.deinterlace.field_vectors`."""

    @property
    def y(self) -> Array:
        """The vectors' quarters of a line."""

    @property
    def cost(self) -> Array:
        """What they cost."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Of a field, by missing lines and columns: int8 offsets of edges, 0 for none, and what they are worth.

    ``sought`` says of every tile of a host's search, as uint8, whether there may be any; the others are not written.
    """

    current: Frame
    parity: int
    offsets: Array
    keys: Array
    sought: Array

    def drawn(self, made: Frame, weights: Weights) -> Launch:
        """The launch that draws them in the luma of ``made``, the field as a frame."""
        device = made.device
        source, target = Samples.of(self.current, "Y"), Samples.of(made, "Y")
        require_alike("a field and its frame", source, target)
        params = _DRAW(
            current=source_record(device, source),
            target=target_record(device, target),
            offsets=device.address(self.offsets),
            keys=device.address(self.keys),
            pitch_B=int(self.offsets.strides[0]),
            width=source.width,
            height=source.height,
            parity=self.parity,
            drop=source.bits - 8,
            sought=device.address(self.sought),
            sought_pitch_B=int(self.sought.strides[0]),
            weights=(*weights, 0, 0, 0, 0),
        )
        wide, high = DRAWN_TILES[device.tile_limits]
        tiles = -(-source.width // wide), -(-self.offsets.shape[0] // high)
        arrays = (source.array, target.array, self.offsets, self.keys, self.sought)
        return Launch(f"edge_draw_{source.type_name}", params, *tiles, arrays)


def seek_edges(
    current: Frame,
    parity: int,
    reference: Frame | None,
    motions: BlockMotions | None = None,
    sought: Sought = BY_HQ,
) -> tuple[Launch, Edges]:
    """The launch that finds the edges of the field of ``parity`` that move, and what it will have found."""
    motions = None if sought.everywhere else motions
    device = current.device
    source = Samples.of(current, "Y")
    other = None if reference is None else Samples.of(reference, "Y")
    require_alike("a field and its reference", source, *(() if other is None else (other,)))
    shape = (source.height + parity) // 2, -(-source.width // RUN_PX) * RUN_PX
    wide, high = SEARCH_TILES[device.tile_limits]
    tiles = -(-source.width // wide), -(-shape[0] // high)
    offsets, keys = device.empty(shape, "i1"), device.empty(shape, "u1")
    edges = Edges(current, parity, offsets, keys, device.empty(tiles[::-1], "u1"))
    params = _SEARCH(
        current=source_record(device, source),
        reference=source_record(device, other),
        offsets=device.address(edges.offsets),
        keys=device.address(edges.keys),
        pitch_B=int(edges.offsets.strides[0]),
        width=source.width,
        height=source.height,
        parity=parity,
        drop=source.bits - 8,
        least=sought.least,
        vectors_y=0 if motions is None else device.address(motions.y),
        vector_costs=0 if motions is None else device.address(motions.cost),
        vectors_pitch_B=0 if motions is None else int(motions.y.strides[0]),
        vector_costs_pitch_B=0 if motions is None else int(motions.cost.strides[0]),
        sought=device.address(edges.sought),
        sought_pitch_B=int(edges.sought.strides[0]),
    )
    read = (*(() if other is None else (other.array,)), *(() if motions is None else (motions.y, motions.cost)))
    arrays = (source.array, edges.offsets, edges.keys, edges.sought, *read)
    return Launch(f"edge_search_{source.type_name}", params, *tiles, arrays), edges
