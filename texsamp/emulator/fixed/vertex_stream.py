"""Vertices in the order they come, cut into runs: what a draw's objects are assembled from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array


@dataclass(frozen=True)
class VertexStream:
    """Runs of vertices: strips and lists neither cross an instance nor a cut index. The host's, or of a device.

    rows: int64 (n,), rows of a table of vertices, in order.
    starts, lengths: int64 (runs,), places in `rows`; runs without vertices make no objects.
    instances: int64 (runs,), instance of each run; primitive ids begin again with each.
    """

    rows: Array
    starts: Array
    lengths: Array
    instances: Array


def cut_stream(rows: NDArray[np.int64], cuts: NDArray[np.bool_], instances: int) -> VertexStream:
    """The stream of `rows`, (instances * per instance,), without those where `cuts`, (per instance,), ends a run."""
    bounds = np.flatnonzero(np.concatenate([[True], cuts, [True]]))  # before the first, at each cut, behind the last
    lengths = np.diff(bounds) - 1
    kept = np.tile(~cuts, instances)
    of_run = lengths > 0
    lengths = np.tile(lengths[of_run], instances)
    return VertexStream(
        rows[kept],
        np.cumsum(lengths) - lengths,
        lengths,
        np.repeat(np.arange(instances), np.count_nonzero(of_run)),
    )
