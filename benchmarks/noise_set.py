"""Noisy clips whose noise is known: made of generators and real clips, by seed, apart for fitting and for testing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import gaussian_filter, zoom

from benchmarks.clips import decoded, planes

WIDTH_PX, HEIGHT_PX = 320, 240
SPLITS = {"fit": (0, 2), "test": (1, 3)}
"""Seeds of the two halves of the set."""
_REAL = ("bikes.mp4", "bigbuckbunny.mp4", "carphone_pristine.mp4")
_WORDS = "A brown dog leaps over 12 lazy foxes while quick wizards jump 0987 <=> {signal}".split()

Clip = list[av.VideoFrame]
Rng = np.random.Generator


@dataclass(frozen=True)
class NoisyClip:
    """Frames without and with noise; ``sigma`` is the deviation of luma's noise in steps, before it is clipped."""

    scene: str
    moves: bool
    noise: str
    sigma: float
    clean: Clip
    noisy: Clip


# -- scenes ----------------------------------------------------------------------------------------------------------


@cache
def _real(name: str) -> Clip:
    return list(decoded(name, limit=100))


def _crop(rng: Rng, count: int, name: str | None = None, step: int = 1) -> list[list[np.ndarray]]:
    """Planes of a part of a real clip from a random frame on; with ``step`` 0 one frame stands still."""
    clip = _real(name or str(rng.choice(_REAL[:2])))
    first = int(rng.integers(0, len(clip) - count))
    width, height = min(clip[0].width, WIDTH_PX), min(clip[0].height, HEIGHT_PX)
    x = int(rng.integers(0, (clip[0].width - width) // 2 + 1)) * 2
    y = int(rng.integers(0, (clip[0].height - height) // 2 + 1)) * 2
    parts = []
    for number in range(count):
        frame = planes(clip[first + number * step])
        parts.append(
            [
                p[y >> c : (y + height) >> c, x >> c : (x + width) >> c].copy()
                for c, p in zip((0, 1, 1), frame, strict=True)
            ]
        )
    return parts


def _picture(rng: Rng, width: int, height: int) -> np.ndarray:
    """Clouds of several sizes under polygons and lines, at twice the size."""
    size, clouds = (2 * width, 2 * height), np.full((2 * height, 2 * width), 110.0)
    for octave in (4, 8, 16, 32, 64):
        coarse = rng.normal(0, 1, (size[1] // octave + 2, size[0] // octave + 2)).astype(np.float32)
        clouds += np.asarray(Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC)) * octave * 0.5
    image = Image.fromarray(clouds.clip(16, 235).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for n in range(24):
        x, y = (int(v) for v in rng.integers(0, size))
        corners = [(x + int(dx), y + int(dy)) for dx, dy in rng.integers(-120, 121, (3, 2))]
        shade = int(rng.integers(16, 236))
        draw.polygon(corners, fill=shade) if n % 2 else draw.line(corners, fill=shade, width=5)
    return np.asarray(image, float)


def _gray(luma: np.ndarray) -> list[np.ndarray]:
    """Planes with a chroma that follows luma softly."""
    soft = gaussian_filter(luma[::2, ::2], 3)
    return [luma, 128 + 0.3 * (soft - 110), 128 - 0.2 * (soft - 110)]


def _pan(rng: Rng, count: int) -> list[list[np.ndarray]]:
    """A picture that drifts by parts of pixels."""
    reach = 3 * count
    picture = _picture(rng, WIDTH_PX + reach, HEIGHT_PX + reach)
    across, down = rng.uniform(0.5, 2.9, 2)
    frames = []
    for n in range(count):
        x, y = round(2 * across * n), round(2 * down * n)
        view = picture[y : y + 2 * HEIGHT_PX, x : x + 2 * WIDTH_PX]
        frames.append(_gray(view.reshape(HEIGHT_PX, 2, WIDTH_PX, 2).mean((1, 3))))
    return frames


def _graphics(rng: Rng, count: int) -> list[list[np.ndarray]]:
    """Text and boxes on flat ground."""
    image = Image.new("L", (WIDTH_PX, HEIGHT_PX), int(rng.integers(20, 90)))
    draw, top = ImageDraw.Draw(image), 4
    while top < HEIGHT_PX:
        size = int(rng.choice((14, 18, 30)))
        text = " ".join(str(word) for word in rng.permutation(_WORDS))
        draw.text((4, top), text, int(rng.integers(130, 236)), font=ImageFont.load_default(size=size))
        top += 2 * size
    draw.rectangle((200, 60, 300, 130), fill=int(rng.integers(100, 200)))
    return [_gray(np.asarray(image, float))] * count


def _bars(rng: Rng, count: int) -> list[list[np.ndarray]]:
    """A real clip between black bars that take a quarter of its height."""
    frames = _crop(rng, count)
    for frame in frames:
        for plane, black in zip(frame, (16, 128, 128), strict=True):
            bar = plane.shape[0] // 8
            plane[:bar] = plane[-bar:] = black
    return frames


def _dark(rng: Rng, count: int) -> list[list[np.ndarray]]:
    return [[p * 0.12 if n == 0 else 128 + (p - 128.0) * 0.2 for n, p in enumerate(f)] for f in _crop(rng, count)]


def _still(make: Callable[[Rng, int], list[list[np.ndarray]]]) -> Callable[[Rng, int], list[list[np.ndarray]]]:
    return lambda rng, count: make(rng, 1) * count


SCENES: dict[str, tuple[bool, Callable[[Rng, int], list[list[np.ndarray]]]]] = {
    "still picture": (False, _still(_pan)),
    "still clip": (False, _still(_crop)),
    "graphics": (False, _graphics),
    "pan": (True, _pan),
    "bikes": (True, lambda rng, count: _crop(rng, count, _REAL[0])),
    "bigbuckbunny": (True, lambda rng, count: _crop(rng, count, _REAL[1])),
    "carphone": (True, lambda rng, count: _crop(rng, count, _REAL[2])),
    "bars": (True, _bars),
    "dark": (True, _dark),
}
"""Name to whether it moves, and what makes its planes."""


# -- noise -----------------------------------------------------------------------------------------------------------


def _white(rng: Rng, shape: tuple[int, int]) -> np.ndarray:
    return rng.normal(0, 1, shape)


def _grain(radius: float) -> Callable[[Rng, tuple[int, int]], np.ndarray]:
    def make(rng: Rng, shape: tuple[int, int]) -> np.ndarray:
        field = gaussian_filter(rng.normal(0, 1, shape), radius, mode="wrap")
        return field / field.std()

    return make


def _scaled(rng: Rng, shape: tuple[int, int]) -> np.ndarray:
    """White noise of a picture two thirds as large."""
    field = zoom(rng.normal(0, 1, (shape[0] * 2 // 3 + 2, shape[1] * 2 // 3 + 2)), 1.5, order=3)
    field = field[: shape[0], : shape[1]]
    return field / field.std()


NOISES: dict[str, tuple[Callable[[Rng, tuple[int, int]], np.ndarray], tuple[float, ...]]] = {
    "white": (_white, (2, 5, 10, 20)),
    "grain 0.6": (_grain(0.6), (3, 6, 12)),
    "grain 0.9": (_grain(0.9), (3, 6, 12)),
    "scaled": (_scaled, (6,)),
    "encoded": (_white, (8,)),
}
"""Name to what makes a field of deviation 1, and the deviations in steps. Encoded: H.264 of what white noise made."""


def _frame(parts: list[np.ndarray]) -> av.VideoFrame:
    height, width = parts[0].shape
    frame = av.VideoFrame(width, height, "yuv420p")
    for target, values in zip(planes(frame), parts, strict=True):
        target[...] = np.clip(np.rint(values), 0, 255)
    return frame


def _encoded(clip: Clip) -> Clip:
    """The clip through H.264 at a good quality."""
    encoder = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt = clip[0].width, clip[0].height, "yuv420p"
    encoder.time_base, encoder.options = Fraction(1, 25), {"crf": "18", "preset": "fast", "threads": "1"}
    decoder = av.CodecContext.create("h264", "r")
    packets = []
    for number, frame in enumerate(clip):
        frame.pts = number
        packets += encoder.encode(frame)
    packets += encoder.encode(None)
    return [frame for packet in [*packets, None] for frame in decoder.decode(packet)]


def noisy_clips(
    split: str, count: int, noises: dict[str, tuple[float, ...]] | None = None, seeds: int = 2
) -> Iterator[NoisyClip]:
    """The clips of a half of the set, ``count`` frames each; ``noises`` are kinds and deviations instead of all."""
    for name, (moves, make) in SCENES.items():
        for seed in SPLITS[split][:seeds]:
            number = list(SCENES).index(name)
            parts = make(np.random.default_rng([seed, number]), count)
            clean = [_frame(part) for part in parts]
            for noise, (field, sigmas) in NOISES.items():
                for sigma in sigmas if noises is None else noises.get(noise, ()):
                    rng = np.random.default_rng([seed, number, round(10 * sigma), len(noise)])
                    noisy = [_frame([p + sigma * field(rng, p.shape) for p in part]) for part in parts]
                    true = float(sigma)
                    if noise == "encoded":
                        noisy = _encoded(noisy)
                        errors = [planes(a)[0].astype(float) - planes(b)[0] for a, b in zip(noisy, clean, strict=True)]
                        true = float(np.std(errors))
                    yield NoisyClip(name, moves, noise, true, clean, noisy)
