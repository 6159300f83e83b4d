"""Subspans of a draw as pixel threads have them: quads of four slots (Sandy Bridge volume 2 part 1, pages 336-338).

They become threads and fragments where they were found; the host knows how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from texsamp.cached import cached_property
from texsamp.device.base import Array, Device
from texsamp.emulator.dispatch.pixel_payloads import QUAD
from texsamp.emulator.fixed.fragments import Found, Fragments, bits_in
from texsamp.emulator.fixed.objects import Counted, ScreenObjects, Spans, Told

_NO_DEPTH = np.zeros((1, 1), np.float32)
"""Of fragments that are not tested."""
_GROUP_QUADS = 4
_FAR = np.iinfo(np.int32).max
_MOST_SLICES = 2048
"""Of a surface."""
_COPY_AT = 16
"""Bit of a payload's mask of pixels where it comes again."""


def slices_between(ends: tuple[int, int], slices: Array, device: Device) -> tuple[int, ...]:
    """Which array indices there are from the least to the greatest; where these are not all, a bit is asked for each.

    Those between that no surface has may be left out.
    """
    low, high = ends
    if high - low <= 1:
        return (low,) if low == high else (low, high)
    there = device.arrays.zeros(_MOST_SLICES + 8, np.uint8)
    there[np.where((slices >= 0) & (slices < _MOST_SLICES), slices, np.int32(_MOST_SLICES))] = 1
    bits = device.download(device.arrays.packbits(there[:_MOST_SLICES]))
    between = [number for number in np.flatnonzero(np.unpackbits(bits)).tolist() if low < number < high]
    return (low, *between, high)


@dataclass(frozen=True)
class Quads:
    """Quads of a draw, in the order of its objects.

    spans: the subspan of each, (q,). sample: which sample of the pixels, (q,); None for pixels as a whole. samples: of
    each pixel the samples that are covered and not masked, (q, 4). counted: what the host knows of them. each: quads of
    a thread. among: how many quads follow each other of which some may have no samples; 0 where all have some.
    """

    spans: Spans
    objects: ScreenObjects
    sample: Array | None
    samples: Array
    counted: Counted
    each: int
    among: int = 0

    def __len__(self) -> int:
        return len(self.spans)

    @classmethod
    def of(cls, spans: Spans, objects: ScreenObjects, samples: int, each: int, *, per_sample: bool) -> Quads:
        """samples: of a pixel. each: quads of a thread. per_sample: a quad is one sample of four pixels."""
        device, counted = objects.device, spans.counted
        assert counted is not None
        covered = _samples_of_pixels(spans, samples, device)
        if not per_sample:
            return cls(spans, objects, None, covered, counted, each)
        sample, alone = _of_samples(covered, samples, device)
        repeated = Spans.found(spans.on(device).repeat(samples, axis=0), device, counted, are_apart=False)
        return cls(repeated, objects, sample, alone, counted, each, samples)

    @property
    def device(self) -> Device:
        """Where they are."""
        return self.objects.device

    @property
    def pixels(self) -> int:
        """Pixels that are lit, or samples where a quad is one of four pixels."""
        return self.counted.pixels if self.sample is None else self.counted.samples

    @property
    def started(self) -> int:
        """How many have pixels that are lit."""
        return self.counted.quads if self.among else len(self)

    @cached_property
    def there(self) -> Array:
        """The subspans, (q, 4): object, x, y, samples inside."""
        return self.spans.on(self.device)

    @cached_property
    def inside(self) -> Array:
        """Which pixels are lit, a bit for each, uint32 (q,)."""
        lit = (self.samples != 0).astype(np.uint32)
        found: Array = lit[:, 0]
        for pixel in range(1, QUAD):
            found = found | lit[:, pixel] << np.uint32(pixel)
        return found

    def threads(self, most: int) -> Iterator[QuadThreads]:
        """Threads, each of which has quads of one object that follow each other, at most so many at once."""
        total = self.counted.threads
        with self.device.current():
            quads = self._grouped(total)
        for first in range(0, total, most):
            last = min(first + most, total)
            yield QuadThreads(self, quads[first:last], (first, last), total)

    def fragments(self, depth: Array | None) -> Fragments:
        """All pixels, one quad after the other; see `QuadThreads.fragments`."""
        every = self.device.arrays.arange(len(self), dtype=np.int32)[:, None]
        return QuadThreads(self, every, (0, len(self)), len(self)).fragments(depth)

    def left(self, samples: Array) -> Quads:
        """The quads with these samples of their pixels, (4 q,), without those that have none: sizes are asked."""
        arrays, count = self.device.arrays, len(self)
        of_pixels = samples.reshape(count, QUAD)
        stays = (of_pixels != 0).astype(np.uint8).max(axis=1) != 0
        before = np.cumsum(stays, dtype=np.int32) - stays.astype(np.int32)
        of_quads = self.there[:, 0].copy()
        within = before - before[np.searchsorted(of_quads, of_quads)]  # its object's
        begins = stays & (within % self.each == 0)
        sizes = np.stack(
            [each.sum() for each in (of_pixels != 0, begins, stays)] + [bits_in(of_pixels).astype(np.int64)]
        )
        rows = arrays.empty(count + 1, np.int32)  # the last one is that of those that go
        rows[np.where(stays, before, np.int32(count))] = arrays.arange(count, dtype=np.int32)
        pixels, threads, quads, bits = self.device.download(sizes).tolist()
        rows, counted = rows[:quads], Counted(pixels, threads, bits, quads)
        return replace(
            self,
            spans=Spans.found(self.there[rows], self.device, counted, are_apart=self.spans.are_apart),
            sample=None if self.sample is None else self.sample[rows],
            samples=of_pixels[rows],
            counted=counted,
            among=0,
        )

    def _grouped(self, threads: int) -> Array:
        """Quads of each thread, int32 (threads, each), -1 where there is none."""
        arrays, count, each = self.device.arrays, len(self), self.each
        numbers: Array = arrays.arange(count, dtype=np.int32)
        if self.among >= each:
            return self._started(numbers.reshape(-1, each), threads)
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

    def _started(self, quads: Array, threads: int) -> Array:
        """Of threads of quads those some of whose pixels are lit."""
        if len(quads) == threads:
            return quads
        lit = self.inside[quads].max(axis=1) != 0
        places = np.where(lit, np.cumsum(lit, dtype=np.int32) - 1, np.int32(threads))
        found: Array = self.device.arrays.empty((threads + 1, self.each), np.int32)
        found[places] = quads
        return found[:threads]


@dataclass(frozen=True)
class QuadThreads:
    """Threads that run together: their quads there, -1 for none, and which of all threads of the quads they are.

    of_all: how many those are.
    """

    of: Quads
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
        found: Array = np.where(self.quads >= 0, self.of.inside[self.held], np.uint32(0))
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
    def sample(self) -> Array | None:
        """Which sample the first quad of each is of, int32; None where quads are pixels as a whole."""
        return None if self.of.sample is None else self.of.sample[self.held[:, 0]]

    def slices(self) -> Array:
        """Array indices of threads."""
        found: Array = self.told[:, Told.SLICE].astype(np.int32)
        return found

    def _slices(self) -> tuple[int, ...]:
        """Array indices of all objects."""
        objects = self.of.objects
        return slices_between(objects.extent.slices, objects.told[:, Told.SLICE], self.of.device)

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
        named = slices_between((low, high), np.where(flags, own, np.int32(low)), device)
        found = replace(fragments.found, slices=named, samples=None)
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
            samples=self.of.counted.samples if self.place == (0, self.of_all) else None,
        )
        depths = None if depth is None else depth[self.held].transpose(0, 1, 3, 2).reshape(len(self) * width, -1)
        return Fragments(
            x=(held[..., 1:2] + (pixel & 1)).reshape(-1),
            y=(held[..., 2:3] + (pixel >> 1)).reshape(-1),
            slices=of_threads(Told.SLICE, np.int32),
            samples=np.where(self.quads[..., None] >= 0, self.of.samples[self.held], np.uint32(0)).reshape(-1),
            back=of_threads(Told.BACK, np.uint8),
            depth=_NO_DEPTH if depths is None else depths,
            viewports=of_threads(Told.VIEWPORT, np.int32),
            are_apart=self.of.spans.are_apart,
            found=found,
        )


def _samples_of_pixels(spans: Spans, samples: int, device: Device) -> Array:
    """Which of `samples` samples of subspans' pixels are inside, uint32 (m, 4), bit s for sample s, on a device."""
    inside, pixels = spans.on(device).view(np.uint32)[:, 3:], device.arrays.arange(QUAD, dtype=np.uint32)
    covered: Array = inside >> pixels & np.uint32(1)
    for number in range(1, samples):
        covered = covered | (inside >> (pixels + np.uint32(QUAD * number)) & np.uint32(1)) << np.uint32(number)
    return covered


def _of_samples(covered: Array, samples: int, device: Device) -> tuple[Array, Array]:
    """Of quads of one sample each, (m * samples,), which it is, and where it is; a subspan's follow each other."""
    number = device.arrays.arange(len(covered) * samples, dtype=np.int32) % np.int32(samples)
    return number, covered.repeat(samples, axis=0) & (np.uint32(1) << number.astype(np.uint32))[:, None]


def corners_of(spans: Spans, device: Device) -> Array:
    """Upper left pixels as payloads have them, uint32 (q,), x below y, on a device."""
    x, y = spans.on(device)[:, 1:3].astype(np.uint32).transpose(1, 0)
    found: Array = x & np.uint32(0xFFFF) | y << np.uint32(16)
    return found
