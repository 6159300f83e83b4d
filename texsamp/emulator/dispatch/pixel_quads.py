"""Subspans of a draw as pixel threads have them: quads of four slots (Sandy Bridge volume 2 part 1, pages 336-338)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.base import Array, Device
from texsamp.emulator.dispatch.pixel_payloads import QUAD
from texsamp.emulator.fixed.fragments import Fragments
from texsamp.emulator.fixed.objects import ScreenObjects, Spans, Told

NO_DEPTH = np.zeros((1, 1), np.float32)
"""Of fragments that are not tested."""
_PIXELS = np.arange(QUAD)
_COLUMNS, _ROWS = (_PIXELS % 2).astype(np.int32), (_PIXELS // 2).astype(np.int32)


@dataclass(frozen=True)
class Quads:
    """Quads of a draw on the host, in the order of its objects.

    spans: the subspan of each, (q,). sample: which sample of the pixels, (q,); None for pixels as a whole.
    samples: of each pixel the samples that are covered and not masked, (q, 4).
    """

    spans: Spans
    sample: NDArray[np.int32] | None
    samples: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def pixels(self) -> int:
        """Pixels that are lit, or samples where a quad is one of four pixels."""
        return int(np.count_nonzero(self.samples))

    @property
    def started(self) -> int:
        """How many have pixels that are lit."""
        return int(np.count_nonzero(any_sample(self.samples)))

    @cached_property
    def objects(self) -> NDArray[np.int64]:
        """The object of each, by its number."""
        return self.spans.objects.astype(np.int64)

    @cached_property
    def lit(self) -> NDArray[np.bool_]:
        """Slots that threads are started for, (q, 4)."""
        lit: NDArray[np.bool_] = self.samples != 0
        return lit

    @classmethod
    def of(cls, spans: Spans, samples: int, device: Device, *, per_sample: bool) -> Quads:
        """samples: of a pixel. per_sample: a quad is one sample of four pixels."""
        covered = samples_of_pixels(spans, samples, device)
        if not per_sample:
            return cls(spans, None, covered)
        sample, alone = of_samples(covered, samples, device)
        return cls(spans.at(np.repeat(np.arange(len(spans)), samples)), sample, alone)

    def left(self, samples: NDArray[np.uint32]) -> Quads:
        """The quads with these samples, without those that have none."""
        rows = np.flatnonzero(any_sample(samples))
        return Quads(self.spans.at(rows), None if self.sample is None else self.sample[rows], samples[rows])

    def fragments(
        self, objects: ScreenObjects, quads: NDArray[np.int64], at: NDArray[np.int32] | None, depth: Array | None
    ) -> Fragments:
        """Pixels of quads as fragments without colors.

        at: numbers of the pixels among those of `quads`; None for all. depth: of all quads, (q, 1 or samples, 4); None
        where it is not tested.
        """
        some = _run_of(quads)
        of_object = self.objects[some]
        is_one = bool(len(of_object)) and bool((of_object == of_object[0]).all())
        count = QUAD * len(quads) if at is None else len(at)

        def pixels(values: NDArray[Any]) -> NDArray[Any]:
            return chosen_of(np.broadcast_to(values, (len(quads), QUAD)), at)

        def of_objects(values: NDArray[Any]) -> NDArray[Any]:
            return np.broadcast_to(values[of_object[0]], count) if is_one else pixels(values[of_object][:, None])

        return Fragments(
            x=pixels(self.spans.x[some][:, None] + _COLUMNS),
            y=pixels(self.spans.y[some][:, None] + _ROWS),
            slices=of_objects(objects.here.of(Told.SLICE)),
            samples=pixels(self.samples[some]),
            back=of_objects(objects.here.back),
            depth=NO_DEPTH if depth is None else chosen_of(depth[some].transpose(0, 2, 1), at),
            viewports=of_objects(objects.here.of(Told.VIEWPORT)),
            are_apart=is_one and self.sample is None,
        )


def samples_of_pixels(spans: Spans, samples: int, device: Device) -> Array:
    """Which of `samples` samples of subspans' pixels are inside, uint32 (m, 4), bit s for sample s, on a device."""
    inside, pixels = spans.on(device).view(np.uint32)[:, 3:], device.arrays.arange(QUAD, dtype=np.uint32)
    covered: Array = inside >> pixels & np.uint32(1)
    for number in range(1, samples):
        covered = covered | (inside >> (pixels + np.uint32(QUAD * number)) & np.uint32(1)) << np.uint32(number)
    return covered


def of_samples(covered: Array, samples: int, device: Device) -> tuple[Array, Array]:
    """Of quads of one sample each, (m * samples,), which it is, and where it is; a subspan's follow each other."""
    number = device.arrays.arange(len(covered) * samples, dtype=np.int32) % np.int32(samples)
    return number, covered.repeat(samples, axis=0) & (np.uint32(1) << number.astype(np.uint32))[:, None]


def corners_of(spans: Spans, device: Device) -> Array:
    """Upper left pixels as payloads have them, uint32 (q,), x below y, on a device."""
    x, y = spans.on(device)[:, 1:3].astype(np.uint32).transpose(1, 0)
    found: Array = x & np.uint32(0xFFFF) | y << np.uint32(16)
    return found


def any_sample(samples: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which quads have a sample, (q, 4)."""
    pairs = np.ascontiguousarray(samples).view(np.uint64)
    return np.asarray((pairs[:, 0] | pairs[:, 1]) != 0)


def numbers_of(chosen: NDArray[Any]) -> NDArray[np.int32]:
    """np.flatnonzero, in as many bytes as needed."""
    return np.flatnonzero(chosen).astype(np.int32)


def _run_of(quads: NDArray[np.int64]) -> NDArray[np.int64] | slice:
    """Quads that follow each other as a slice, which takes no copy; they ascend, but for -1 where there is none."""
    is_run = len(quads) and quads[-1] - quads[0] == len(quads) - 1 and quads.min() >= 0
    return slice(int(quads[0]), int(quads[-1]) + 1) if is_run else quads


def chosen_of(values: Array, at: Array | None) -> Array:
    """Values of slots, (threads or quads, slots, ...): of those with the numbers `at`, None for all."""
    flat = values.reshape(-1, *values.shape[2:])
    return flat if at is None else flat[at]
