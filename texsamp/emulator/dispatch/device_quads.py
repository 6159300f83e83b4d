"""Subspans that a GPU has found become pixel threads and fragments there; the host knows how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.base import Array, Device
from texsamp.emulator.dispatch.pixel_payloads import QUAD, grouped
from texsamp.emulator.dispatch.pixel_quads import Quads
from texsamp.emulator.fixed.fragments import Found, Fragments
from texsamp.emulator.fixed.objects import Counted, ScreenObjects, Spans, Told

_NO_DEPTH = np.zeros((1, 1), np.float32)
_GROUP_QUADS = 4
_FAR = np.iinfo(np.int32).max
_COPY_AT = 16
"""Bit of a payload's mask of pixels where it comes again."""


@dataclass(frozen=True)
class DeviceQuads:
    """Quads of pixels with one sample, all of which is drawn, in the order of their objects.

    each: quads of a thread.
    """

    spans: Spans
    objects: ScreenObjects
    each: int

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def device(self) -> Device:
        """Where they are."""
        return self.objects.device

    @cached_property
    def here(self) -> Quads:
        """The same quads on the host, brought from there."""
        return Quads.of(Spans(self.spans.subspans), 1, 1, per_sample=False)

    @property
    def _counted(self) -> Counted:
        assert self.spans.counted is not None
        return self.spans.counted

    @property
    def pixels(self) -> int:
        """Pixels that are lit."""
        return self._counted.pixels

    @property
    def started(self) -> int:
        """How many have pixels that are lit: all."""
        return len(self)

    @cached_property
    def there(self) -> Array:
        """The subspans, (q, 4): object, x, y, pixels inside."""
        return self.spans.on(self.device)

    @property
    def coverage(self) -> Array:
        """Sample masks of pixels, uint32 (q, 4)."""
        inside = self.there.view(np.uint32)[:, 3:]
        made: Array = inside >> self.device.arrays.arange(QUAD, dtype=np.uint32) & np.uint32(1)
        return made

    def threads(self, most: int) -> Iterator[DeviceThreads]:
        """Threads, as `grouped` has them, at most so many at once."""
        total = self._counted.threads
        with self.device.current():
            quads = self._grouped(total)
        for first in range(0, total, most):
            last = min(first + most, total)
            yield DeviceThreads(self, quads[first:last], (first, last), total)

    def fragments(self, depth: Array | None) -> Fragments:
        """All pixels, one quad after the other; see `DeviceThreads.fragments`."""
        every = self.device.arrays.arange(len(self), dtype=np.int32)[:, None]
        return DeviceThreads(self, every, (0, len(self)), len(self)).fragments(depth)

    def left(self, samples: Array) -> DeviceQuads:
        """The quads with these samples of their pixels, (4 q,), without those that have none: sizes are asked."""
        arrays, count = self.device.arrays, len(self)
        of_pixels = samples.reshape(count, QUAD)
        inside = of_pixels[:, 0]
        for pixel in range(1, QUAD):
            inside = inside | of_pixels[:, pixel] << np.uint32(pixel)
        stays = inside != 0
        before = np.cumsum(stays, dtype=np.int32) - stays.astype(np.int32)
        of_quads = self.there[:, 0].copy()
        within = before - before[np.searchsorted(of_quads, of_quads)]  # its object's
        begins = stays & (within % self.each == 0)
        sizes = np.stack([each.sum() for each in (stays, of_pixels != 0, begins)])
        made = arrays.empty((count + 1, self.there.shape[1]), np.int32)  # the last row has those that go
        places = np.where(stays, before, np.int32(count))
        made[places, :3] = self.there[:, :3]
        made[places, 3] = inside.view(np.int32)
        quads, pixels, threads = self.device.download(sizes).tolist()
        counted, are_apart = Counted(pixels, threads), self.spans.are_apart
        return replace(self, spans=Spans.found(made[:quads], self.device, counted, are_apart=are_apart))

    def _grouped(self, threads: int) -> Array:
        """Quads of each thread, int32 (threads, each), -1 where there is none."""
        arrays, count, each = self.device.arrays, len(self), self.each
        numbers: Array = arrays.arange(count, dtype=np.int32)
        if count == threads * each:
            return numbers.reshape(threads, each)
        places = numbers
        if len(self.objects) > 1:
            of_quads = self.there[:, 0].copy()
            within = numbers - np.searchsorted(of_quads, of_quads).astype(np.int32)
            thread = np.cumsum((within % each == 0).astype(np.int32)).astype(np.int32) - 1
            places = thread * each + within % each
        found: Array = arrays.full(threads * each, -1, np.int32)
        found[places] = numbers
        return found.reshape(threads, each)


@dataclass(frozen=True)
class DeviceThreads:
    """Threads that run together: their quads there, -1 for none, and which of all threads of the quads they are.

    of_all: how many those are.
    """

    of: DeviceQuads
    quads: Array
    place: tuple[int, int]
    of_all: int

    def __len__(self) -> int:
        return self.place[1] - self.place[0]

    @cached_property
    def held(self) -> Array:
        """The quads of threads; where there is none the first one, which computes harmless numbers."""
        found: Array = np.where(self.quads >= 0, self.quads, self.quads[:, :1])
        return found

    @cached_property
    def inside(self) -> Array:
        """Which pixels of quads are lit, a bit for each, uint32 (threads, quads)."""
        found: Array = np.where(self.quads >= 0, self.of.there.view(np.uint32)[:, 3][self.held], np.uint32(0))
        return found

    @cached_property
    def of_object(self) -> Array:
        """The object of each, by its row."""
        found: Array = self.of.there[:, 0][self.held[:, 0]]
        return found

    @cached_property
    def told(self) -> Array:
        """What `Told` says of the objects of threads, int32 (threads, columns)."""
        found: Array = self.of.objects.told[self.of_object]
        return found

    def masks(self) -> list[Array]:
        """As payloads have them: which pixels of up to 16 slots are lit, with their copy."""
        found: list[Array] = []
        for first in range(0, self.quads.shape[1], _GROUP_QUADS):
            group = self.inside[:, first : first + _GROUP_QUADS]
            mask = group[:, 0]
            for number in range(1, group.shape[1]):
                mask = mask | group[:, number] << np.uint32(QUAD * number)
            found.append(mask | mask << np.uint32(_COPY_AT))
        return found

    def started(self) -> Array:
        """Slots that threads are started for, (threads, slots)."""
        pixels = self.of.device.arrays.arange(QUAD, dtype=np.uint32)
        found: Array = (self.inside[..., None] >> pixels & np.uint32(1)).reshape(len(self), -1) != 0
        return found

    @cached_property
    def chosen(self) -> NDArray[np.int64]:
        """`grouped` on the host, of quads that are brought."""
        first, last = self.place
        return grouped(self.of.here.objects, QUAD * self.quads.shape[1])[first:last]

    def slices(self) -> Array:
        """Array indices of threads."""
        found: Array = self.told[:, Told.SLICE].astype(np.int32)
        return found

    def _slices(self) -> tuple[int, ...]:
        """Array indices of all objects; more than two are brought."""
        low, high = self.of.objects.extent.slices
        if high - low > 1:
            return tuple(np.unique(self.of.objects.here.of(Told.SLICE)).tolist())
        return (low,) if low == high else (low, high)

    def alive(self, fragments: Fragments, alive: Array, slices: Array | None, masks: Array | None) -> Fragments:
        """Fragments of `fragments` of slots that are alive, (threads, slots); numbers say in which array indices.

        slices, masks: of slots, those that messages named; None if they named none.
        """
        device, flags = self.of.device, alive.reshape(-1)
        samples: Any = np.where(flags, fragments.samples, np.uint32(0))
        samples = samples if masks is None else samples & masks.reshape(-1)
        own = fragments.slices if slices is None else slices.reshape(-1)
        least, largest = np.where(flags, own, _FAR).min(), np.where(flags, own, -1).max()
        ends = [each.reshape(1) for each in (least, largest)]
        low, high = (int(each[0]) for each in device.start_download(ends).result())
        assert fragments.found is not None
        if low > high:
            return fragments.none()
        named = (low,) if low == high else (low, high)
        if high - low > 1:
            named = tuple(np.unique(device.download(np.where(flags, own, low))).tolist())
        found = replace(fragments.found, slices=named, pixels=None)
        return replace(fragments, samples=samples, slices=own, found=found)

    def fragments(self, depth: Array | None) -> Fragments:
        """All slots as fragments without colors; those that threads were not started for have no samples.

        depth: of all quads, (q, 1 or samples, 4), or None.
        """
        device, width = self.of.device, QUAD * self.quads.shape[1]
        pixel = device.arrays.arange(QUAD, dtype=np.int32)
        held = self.of.there[self.held]
        told = self.told

        def of_threads(column: Told, kind: type[np.generic]) -> Array:
            repeated: Array = told[:, column].astype(kind).repeat(width)
            return repeated

        extent = self.of.objects.extent
        found = Found(
            x=extent.x,
            y=extent.y,
            slices=self._slices(),
            pixels=self.of.pixels if self.place == (0, self.of_all) else None,
        )
        depths = None if depth is None else depth[self.held].transpose(0, 1, 3, 2).reshape(len(self) * width, -1)
        return Fragments(
            x=(held[..., 1:2] + (pixel & 1)).reshape(-1),
            y=(held[..., 2:3] + (pixel >> 1)).reshape(-1),
            slices=of_threads(Told.SLICE, np.int32),
            samples=(self.inside[..., None] >> pixel.astype(np.uint32) & np.uint32(1)).reshape(-1),
            back=of_threads(Told.BACK, np.uint8),
            depth=_NO_DEPTH if depths is None else depths,
            viewports=of_threads(Told.VIEWPORT, np.int32),
            are_apart=self.of.spans.are_apart,
            found=found,
        )
