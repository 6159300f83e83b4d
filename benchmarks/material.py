"""Generated clips that nothing was fitted to: text, lines, a zone plate, pans, and all of that at half the rate."""

from __future__ import annotations

import math
from collections.abc import Callable

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchmarks.clips import planes

WIDTH_PX, HEIGHT_PX = 352, 288
_WORDS = "The quick brown fox jumps over lazy dogs & WAVES of 0123456789 /\\|XKVZ<>".split()


def material(count: int = 40) -> dict[str, list[av.VideoFrame]]:
    """Progressive 4:2:0 frames by name, ``count`` of each; those named 25p show every picture twice."""
    text, picture = _text(), _picture()
    shown: dict[str, Callable[[int], np.ndarray]] = {
        "text that scrolls by 3": lambda n: text[3 * n : 3 * n + HEIGHT_PX, :WIDTH_PX],
        "text that crawls by 3": lambda n: text[:HEIGHT_PX, 3 * n : 3 * n + WIDTH_PX],
        "turning lines": _lines,
        "zone plate": _zone_plate,
        "pan by 1": lambda n: picture[:, n : n + WIDTH_PX],
        "pan by 4": lambda n: picture[:, 4 * n : 4 * n + WIDTH_PX],
        "25p pan by 4": lambda n: picture[:, 4 * (n // 2) : 4 * (n // 2) + WIDTH_PX],
        "25p turning lines": lambda n: _lines(3 * (n // 2)),
    }
    return {name: [_frame(luma(n)) for n in range(count)] for name, luma in shown.items()}


def _frame(luma: np.ndarray) -> av.VideoFrame:
    frame = av.VideoFrame(WIDTH_PX, HEIGHT_PX, "yuv420p")
    for target, values in zip(planes(frame), (luma, 128, 128), strict=True):
        target[...] = values
    return frame


def _text() -> np.ndarray:
    image = Image.new("L", (2 * WIDTH_PX, 2 * HEIGHT_PX), 30)
    draw, top = ImageDraw.Draw(image), 4
    for row in range(40):
        size = 34 if row % 6 == 4 else 17
        line = " ".join(_WORDS[(row + n) % len(_WORDS)] for n in range(16))
        draw.text((6 + 7 * (row % 5), top), line, 160 if row % 3 else 235, font=ImageFont.load_default(size=size))
        top += 40 if size == 34 else 21
    return np.asarray(image)


def _lines(time: float) -> np.ndarray:
    y, x = np.mgrid[:HEIGHT_PX, :WIDTH_PX].astype(float)
    out = np.zeros((HEIGHT_PX, WIDTH_PX))
    for n, angle in enumerate(np.radians(np.linspace(5, 85, 9)) + 0.01 * time):
        distance = (x - WIDTH_PX * (0.15 + 0.09 * n)) * math.sin(angle) - (y - HEIGHT_PX / 2) * math.cos(angle)
        out = np.maximum(out, np.clip(2.5 - abs(distance), 0, 1) * 220)
    return (20 + out).astype(np.uint8)


def _zone_plate(time: float) -> np.ndarray:
    y, x = np.mgrid[:HEIGHT_PX, :WIDTH_PX].astype(float)
    phase = ((x - WIDTH_PX / 2) ** 2 + (y - HEIGHT_PX / 2) ** 2) * 0.0035 - 0.3 * time
    return (128 + 100 * np.cos(phase)).astype(np.uint8)


def _picture() -> np.ndarray:
    """Clouds of several sizes under polygons whose edges are smooth."""
    rng, size = np.random.default_rng(5), (2 * WIDTH_PX, HEIGHT_PX)
    clouds = np.full(size[::-1], 120.0)
    for octave in (4, 8, 16, 32, 64):
        coarse = rng.normal(0, 1, (size[1] // octave + 2, size[0] // octave + 2)).astype(np.float32)
        clouds += np.asarray(Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC)) * octave * 0.7
    image = Image.fromarray(clouds.clip(16, 235).astype(np.uint8)).resize((2 * size[0], 2 * size[1]))
    draw = ImageDraw.Draw(image)
    for n in range(60):
        x, y = (int(v) for v in rng.integers(0, image.size))
        reach = 600 if n % 3 == 0 else 60
        corners = [(x + int(dx), y + int(dy)) for dx, dy in rng.integers(-reach, reach + 1, (3, 2))]
        draw.polygon(corners, fill=int(rng.integers(16, 236)))
    return np.asarray(image.resize(size, Image.Resampling.LANCZOS))
