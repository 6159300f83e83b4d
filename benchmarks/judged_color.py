"""Chroma of deinterlaced clips judged on saturated color that moves, against filters of others.

`python -m benchmarks.judged_color [--split fit] [--classes "text over bars"] [--clips 2] [--each]` shows parts of it.
"""

from __future__ import annotations

import colorsys
import itertools
import math
from collections.abc import Callable, Sequence

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchmarks.clips import decoded, interlaced, planes
from benchmarks.judged import (
    FIGURES,
    MODES,
    PEERS,
    JudgedRow,
    Score,
    frames_by,
    frames_by_peer,
    rows_of,
    score,
    show_parts,
)
from benchmarks.judged_clips import FRAMES, HEIGHT_PX, WIDTH_PX, Random, center, seeds, sign_of, view

_FIGURES = (("PSNR of U and V, dB", "psnr_dB", 1), *FIGURES[1:])
_SOURCES = (("bigbuckbunny.mp4", 132), ("bikes.mp4", 250), ("carphone_pristine.mp4", 120))


def _color(rng: Random) -> tuple[int, int, int]:
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.5, 1), rng.uniform(0.3, 1))
    return round(255 * red), round(255 * green), round(255 * blue)


def _bars(rng: Random, width: int, height: int) -> Image.Image:
    """Bars of color that stand upright, lie or lean."""
    image = Image.new("RGB", (width, height))
    draw, lean, reach = ImageDraw.Draw(image), rng.uniform(-1.5, 1.5) * rng.integers(0, 2), int(rng.integers(60, 260))
    lying = rng.random() < 0.3
    for at in range(-3 * height, width + 3 * height, reach):
        corners = [(at, 0), (at + reach, 0), (at + reach + lean * height, height), (at + lean * height, height)]
        draw.polygon([(y, x) for x, y in corners] if lying else corners, fill=_color(rng))
    return image


def _shapes(rng: Random, width: int = 1500, height: int = 1100) -> Image.Image:
    """Polygons and lines of color, one over the other."""
    image = _bars(rng, width, height)
    draw = ImageDraw.Draw(image)
    for n in range(120):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        corners = [(x + int(dx), y + int(dy)) for dx, dy in rng.integers(-160, 161, (3, 2))]
        if n % 3:
            draw.polygon(corners, fill=_color(rng))
        else:
            draw.line(corners, fill=_color(rng), width=int(rng.integers(3, 18)))
    return image


def _photograph(rng: Random) -> Image.Image:
    name, frames = _SOURCES[int(rng.integers(0, 2))]
    at = int(rng.integers(0, frames))
    (image,) = _pictures(name, at, 1)
    return image if image.height >= 700 else image.resize((image.width * 3, image.height * 3), Image.Resampling.BICUBIC)


def _pictures(name: str, first: int, count: int) -> list[Image.Image]:
    return [
        Image.fromarray(frame.to_ndarray(format="rgb24"))
        for frame in itertools.islice(decoded(name, limit=first + count), first, None)
    ]


def _text_over_bars(rng: Random) -> list[np.ndarray]:
    """Lines of colored text that crawl or roll over bars that stand."""
    behind, size = _bars(rng, 2 * WIDTH_PX, 2 * HEIGHT_PX), (2 * WIDTH_PX + 40 * FRAMES, 2 * HEIGHT_PX + 20 * FRAMES)
    page = Image.new("RGBA", size)
    draw, top = ImageDraw.Draw(page), 0
    while top < page.height:
        height = int(rng.integers(24, 90))
        words = "".join(chr(int(code)) for code in rng.integers(33, 126, 120))
        draw.text((0, top), words, (*_color(rng), 255), font=ImageFont.load_default(size=height))
        top += int(height * rng.uniform(1.2, 1.8))
    dx, dy = (int(rng.integers(1, 17)), 0) if rng.random() < 0.5 else (0, int(rng.integers(1, 9)))
    made = []
    for n in range(FRAMES):
        shown, text = behind.copy(), page.crop((dx * n, dy * n, dx * n + behind.width, dy * n + behind.height))
        shown.paste(text, mask=text)
        made.append(np.asarray(shown.reduce(2)))
    return made


def _moved(picture: Image.Image, rng: Random) -> list[np.ndarray]:
    x, y = center(picture)
    dx, dy = rng.uniform(0.3, 9) * sign_of(rng), rng.uniform(0.2, 5) * sign_of(rng)
    return [view(picture, x + dx * (n - FRAMES / 2), y + dy * (n - FRAMES / 2)) for n in range(FRAMES)]


def _turned(rng: Random) -> list[np.ndarray]:
    """Shapes that turn and come nearer."""
    picture, speed, zoom = _shapes(rng), rng.uniform(0.002, 0.02) * sign_of(rng), rng.uniform(-0.006, 0.006)
    return [view(picture, *center(picture), speed * n, 1 + zoom * n) for n in range(FRAMES)]


def _wheel(rng: Random) -> list[np.ndarray]:
    """Sectors of color that turn."""
    y, x = np.mgrid[: 2 * HEIGHT_PX, : 2 * WIDTH_PX] - np.array([HEIGHT_PX, WIDTH_PX]).reshape(2, 1, 1)
    colors = np.array([_color(rng) for _ in range(int(rng.integers(4, 15)))], np.uint8)
    angle, speed = np.arctan2(y, x) / (2 * math.pi) * len(colors), rng.uniform(0.005, 0.1) * sign_of(rng)
    sectors = (np.floor(angle + speed * n).astype(int) % len(colors) for n in range(FRAMES))
    return [np.asarray(Image.fromarray(colors[sector]).reduce(2)) for sector in sectors]


def _small_objects(rng: Random) -> list[np.ndarray]:
    """Colored things that fly their own ways over a photograph that stands."""
    behind = Image.fromarray(view(_photograph(rng), 704, 500)).resize((2 * WIDTH_PX, 2 * HEIGHT_PX))
    count = 50
    at, speed = rng.uniform((0, 0), behind.size, (count, 2)), rng.uniform(-10, 10, (count, 2)) * (1, 0.5)
    size, inks, made = rng.uniform(6, 30, (count, 2)), [_color(rng) for _ in range(count)], []
    for n in range(FRAMES):
        shown = behind.copy()
        draw = ImageDraw.Draw(shown)
        for k in range(count):
            (x, y), (w, h) = (at[k] + speed[k] * n) % behind.size, size[k]
            (draw.ellipse if k % 2 else draw.rectangle)((x - w, y - h, x + w, y + h), fill=inks[k])
        made.append(np.asarray(shown.reduce(2)))
    return made


def _real(rng: Random) -> list[np.ndarray]:
    """Pictures of the real clips that follow each other, cut out as they are."""
    name, frames = _SOURCES[int(rng.integers(0, 3))]
    first = int(rng.integers(0, frames - FRAMES))
    shown = _pictures(name, first, FRAMES)
    x, y = (
        int(rng.integers(0, max(size - cut, 0) + 1) // 2 * 2)
        for size, cut in zip(shown[0].size, (WIDTH_PX, HEIGHT_PX), strict=True)
    )
    box = (x, y, x + min(WIDTH_PX, shown[0].width), y + min(HEIGHT_PX, shown[0].height))
    return [np.asarray(image.crop(box)) for image in shown]


CLASSES: dict[str, Callable[[Random], list[np.ndarray]]] = {
    "text over bars": _text_over_bars,
    "shapes": lambda rng: _moved(_shapes(rng), rng),
    "shapes that turn": _turned,
    "wheels": _wheel,
    "pan": lambda rng: _moved(_photograph(rng), rng),
    "small objects": _small_objects,
    "real": _real,
}


def clip(name: str, seed: int) -> list[av.VideoFrame]:
    """The clip of a class and a seed at field rate, its chroma the mean of 2x2 pixels."""
    pictures = CLASSES[name](np.random.default_rng([sum(name.encode()), seed]))
    return [_subsampled(Image.fromarray(picture)) for picture in pictures]


def _subsampled(picture: Image.Image) -> av.VideoFrame:
    y, u, v = picture.convert("YCbCr").split()
    frame = av.VideoFrame(picture.width, picture.height, "yuv420p")
    for target, values in zip(planes(frame), (y, u.reduce(2), v.reduce(2)), strict=True):
        target[...] = np.asarray(values)
    return frame


def _picture(samples: Sequence[np.ndarray]) -> Image.Image:
    y, u, v = map(Image.fromarray, samples)
    return Image.merge("YCbCr", (y, u.resize(y.size), v.resize(y.size))).convert("RGB")


def scores(name: str, seed: int, modes: Sequence[str] = MODES) -> dict[str, Score]:
    """Every method on one clip: chroma's PSNR and change of error, and SSIMULACRA2 in color."""
    frames = clip(name, seed)
    truth, fields = [_samples(frame) for frame in frames], interlaced(frames)
    made = {mode: [frame.to_arrays() for frame in frames_by(mode, fields)] for mode in modes}
    made |= {peer: [_samples(frame) for frame in frames_by_peer(peer, fields)] for peer in PEERS}
    return {method: _score(truth, pictures) for method, pictures in made.items()}


_Samples = tuple[np.ndarray, ...]


def _samples(frame: av.VideoFrame) -> _Samples:
    return tuple(np.array(plane) for plane in planes(frame))


def _score(truth: list[_Samples], made: list[_Samples]) -> Score:
    true, found = ([np.stack(samples[1:]) for samples in pictures] for pictures in (truth, made))
    return score(true, found, lambda at: (_picture(truth[at]), _picture(made[at])))


def judged_color(
    splits: Sequence[str] = ("fit", "test"), classes: Sequence[str] = (), clips: int = 3
) -> list[JudgedRow]:
    """Rows by class, and of their mean."""
    rows: list[JudgedRow] = []
    for split in splits:
        found = {name: [scores(name, seed) for seed in seeds(split, clips)] for name in classes or CLASSES}
        rows += rows_of(split, found, _FIGURES)
    return rows


def _line(name: str, seed: int) -> str:
    return " ".join(f"{m} {s.psnr_dB:5.2f}" for m, s in scores(name, seed).items())


if __name__ == "__main__":
    show_parts(__doc__, tuple(CLASSES), judged_color, _line)
