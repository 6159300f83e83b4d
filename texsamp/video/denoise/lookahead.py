"""Frames that wait for those behind them, which `denoise=hq` filters them with (ours; docs/denoise.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from texsamp.video.denoise.hq import LOOKAHEAD, NOW, PICTURES, Picture, denoise_picture, prepare
from texsamp.video.denoise.measure import Noise
from texsamp.video.frame import Frame, Statistics
from texsamp.video.samples import Samples


@dataclass(frozen=True, eq=False)
class _Held:
    """A frame, its fields (or itself) as the filter reads them, and what is to be done with it."""

    frame: Frame
    pictures: tuple[Picture, ...]
    noise: Mapping[str, Noise]
    figures: Callable[[], Statistics]


class Lookahead:
    """The last frames of a scene; each leaves, filtered, when `LOOKAHEAD` more are known or the scene ends."""

    def __init__(self) -> None:
        self._held: deque[_Held | None] = deque([None] * PICTURES, PICTURES)

    def feed(
        self, frame: Frame, planes: Mapping[str, Samples], noise: Mapping[str, Noise], figures: Callable[[], Statistics]
    ) -> Iterator[Frame]:
        """Take the next frame, its components and their noise; gives the one that is now complete."""
        pictures = tuple(
            prepare(frame.device, {name: _field(samples, *field) for name, samples in planes.items()})
            for field in _fields(frame)
        )
        yield from self._advance(_Held(frame, pictures, noise, figures))

    def flush(self) -> Iterator[Frame]:
        """The scene has ended: gives what still waits, and forgets it."""
        for _ in range(LOOKAHEAD):
            yield from self._advance(None)
        self._held.extend([None] * PICTURES)

    def _advance(self, entry: _Held | None) -> Iterator[Frame]:
        self._held.append(entry)
        now = self._held[NOW]
        if now is not None:
            yield self._filtered(now).told(figures=now.figures)

    def _filtered(self, now: _Held) -> Frame:
        noise = {name: found for name, found in now.noise.items() if found.sigma > 0}
        out = written_frame(now.frame, set(noise))
        for number, field in enumerate(_fields(now.frame) if noise else ()):
            pictures = [None if held is None else held.pictures[number] for held in self._held]
            targets = {name: _field(Samples.of(out, name), *field) for name in noise}
            denoise_picture(now.frame.device, pictures, targets, noise)
        return out


def _fields(frame: Frame) -> tuple[tuple[int, int], ...]:
    """First line and distance of lines of what is filtered by itself."""
    return ((0, 2), (1, 2))[: frame.height_px] if frame.interlaced else ((0, 1),)


def _field(samples: Samples, first: int, step: int) -> Samples:
    first = min(first, samples.height - 1)  # a component may have one line where luma has two
    return replace(samples, array=samples.array[first::step], height=-(-(samples.height - first) // step))


def written_frame(frame: Frame, components: set[str]) -> Frame:
    """The frame with planes of its own where components are to be written, with what stays copied into them."""
    planes, device = list(frame.planes), frame.device
    if components >= frame.layout.components.keys() and not frame.layout.has_spare_elements(frame.width_px):
        planes = list(device.empty_all([plane.shape for plane in planes], frame.layout.dtype))
    else:
        for index, plane in enumerate(planes):
            inside = {name for name, part in frame.layout.components.items() if part.plane == index}
            if inside & components:
                whole = inside <= components and not frame.layout.has_spare_elements(frame.width_px)
                planes[index] = device.empty(plane.shape, plane.dtype) if whole else device.copy(plane)
    return frame.like(frame.width_px, frame.height_px, planes)
