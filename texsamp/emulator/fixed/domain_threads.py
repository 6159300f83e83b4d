"""Which points of patches domain shader threads have, and what they begin with: `kernels/domain_threads.h`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array, Launch
from texsamp.device.params import constant, params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.patch_ends import PAIRS, PATCHES, POINTS
from texsamp.emulator.fixed.tessellator import ITEMS, Tessellated

_DWORDS = constant("DOMAIN_DWORDS")
_PARAMS = params_type("DomainThreadsParams")


@dataclass(frozen=True)
class DomainThreads:
    """Threads that run together, t of them, of a device.

    headers, fixed: uint32 (t, 8), R0 but for what all stages have in it, and R1. channels: bool (t, 8), enabled ones.
    patches: int32 (t,), of each. held: int32, all of these patches, whose entries lie behind those of the threads.
    """

    first: int
    headers: Array
    fixed: Array
    channels: Array
    patches: Array
    held: Array


@dataclass(frozen=True)
class DomainWork:
    """How points become threads. ids: int64 (patches,), primitive ids. lanes: points of a thread, 1 or 2, of a patch.

    entry, behind: handles of a thread's entry for a point, and of a patch's. has_w: whether a third coordinate is told.
    places: int32 (points,), the entry of each point; it is filled as threads are made.
    """

    made: Tessellated
    ids: Array
    lanes: int
    entry: int
    behind: int
    has_w: bool
    places: Array
    device: Device

    @property
    def threads(self) -> int:
        """All of them."""
        return self.made.ends.sums[self._column]

    @property
    def is_full(self) -> bool:
        """Whether no thread has fewer points than it has room for."""
        return self.threads * self.lanes == self.made.ends.points

    @property
    def _column(self) -> int:
        return POINTS if self.lanes == 1 else PAIRS

    def batches(self, together: int) -> Iterator[DomainThreads]:
        """Threads in order, so many at once; the host is asked which patches are theirs, if there are several."""
        known = self._patches(together)
        for first in range(0, self.threads, together):
            before, behind = known[first // together]
            yield self._launched(first, min(together, self.threads - first), before, behind - before)

    def _patches(self, together: int) -> list[tuple[int, int]]:
        """Of each batch how many patches that are not culled begin before it, and before its end."""
        ends = self.made.ends
        if self.threads <= together:
            return [(0, ends.sums[PATCHES])]
        device = self.device
        with device.current():
            first = device.arrays.arange(0, self.threads, together)
            last = np.minimum(first + together, self.threads) - 1
            of_thread, of_patch = ends.ends[:, self._column].copy(), ends.ends[:, PATCHES]
            numbers = [of_patch[np.searchsorted(of_thread, each, "right")] for each in (first, last)]
            found = device.download(np.stack(numbers, axis=1)).tolist()
        return [(first - 1, last) for first, last in found]

    def _launched(self, first: int, count: int, before: int, held: int) -> DomainThreads:
        device, ends = self.device, self.made.ends
        made = {
            "headers": device.empty((count, _DWORDS), np.uint32),
            "fixed": device.empty((count, _DWORDS), np.uint32),
            "channels": device.empty((count, _DWORDS), np.bool_),
            "patches": device.empty((count,), np.int32),
            "held": device.empty((held,), np.int32),
        }
        there = {"points": self.made.points, "ids": self.ids, "entries": self.places, **made}
        tiles = in_rows(count, ITEMS)
        params = _PARAMS(
            ends=ends.params(device), **{name: device.address(array) for name, array in there.items()},
            lanes=self.lanes, first=first, count=count, patches_before=before, entry=self.entry, behind=self.behind,
            has_w=self.has_w, tiles_x=tiles[0],
        )  # fmt: skip
        device.launch(Launch("domain_threads", params, *tiles, (ends.ends, *there.values())))
        return DomainThreads(first, **made)
