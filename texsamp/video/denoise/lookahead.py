"""Frames that wait for those behind them, which `denoise=fast` and `hq` filter them with (ours; docs/denoise.md)."""

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
    """A frame, its fields (or itself) as the filter reads them, and what is to be done with it.

    ``guides`` are its fields as they were made the first time; None until then.
    """

    frame: Frame
    pictures: tuple[Picture, ...]
    noise: Mapping[str, Noise]
    figures: Callable[[], Statistics]
    guides: tuple[Picture, ...] | None = None


class Lookahead:
    """The last frames of a scene; each leaves, filtered, when `LOOKAHEAD` more are known or the scene ends.

    With ``twice`` they are filtered again, guided by what was made of them, when so many more are made.
    """

    def __init__(self, twice: bool) -> None:
        self._held: deque[_Held | None] = deque([None] * PICTURES, PICTURES)
        self._made: deque[_Held | None] | None = deque([None] * PICTURES, PICTURES) if twice else None

    def feed(
        self, frame: Frame, planes: Mapping[str, Samples], noise: Mapping[str, Noise], figures: Callable[[], Statistics]
    ) -> Iterator[Frame]:
        """Take the next frame, its components and their noise; gives the one that is now complete."""
        found = {name: each for name, each in noise.items() if each.sigma > 0}
        yield from self._advance(_Held(frame, _pictures(frame, planes), found, figures))

    def flush(self) -> Iterator[Frame]:
        """The scene has ended: gives what still waits, and forgets it."""
        for advance in (self._advance, self._advance_made):
            for _ in range(LOOKAHEAD):
                yield from advance(None)
        self._held.extend([None] * PICTURES)
        if self._made is not None:
            self._made.extend([None] * PICTURES)

    def _advance(self, entry: _Held | None) -> Iterator[Frame]:
        self._held.append(entry)
        now = self._held[NOW]
        if now is None:
            return
        made = _filtered(self._held, now)
        if self._made is None:
            yield made.told(figures=now.figures)
        else:
            planes = {name: Samples.of(made, name) for name in now.pictures[0].planes}
            yield from self._advance_made(replace(now, guides=_pictures(made, planes)))

    def _advance_made(self, entry: _Held | None) -> Iterator[Frame]:
        if self._made is None:
            return
        self._made.append(entry)
        now = self._made[NOW]
        if now is not None:
            yield _filtered(self._made, now).told(figures=now.figures)


def _filtered(row: deque[_Held | None], now: _Held) -> Frame:
    """The frame as those around it tell, and their guides if they have some."""
    out = written_frame(now.frame, set(now.noise))
    for number, field in enumerate(_fields(now.frame) if now.noise else ()):
        pictures = [None if held is None else held.pictures[number] for held in row]
        guides = [None if held is None or held.guides is None else held.guides[number] for held in row]
        targets = {name: _field(Samples.of(out, name), *field) for name in now.noise}
        device = now.frame.device
        denoise_picture(device, pictures, targets, now.noise, guides if now.guides is not None else None)
    return out


def _pictures(frame: Frame, planes: Mapping[str, Samples]) -> tuple[Picture, ...]:
    """The fields of a frame, or itself, as the filter reads them."""
    return tuple(
        prepare(frame.device, {name: _field(samples, *field) for name, samples in planes.items()})
        for field in _fields(frame)
    )


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
