"""Clips to judge deinterlacing by: progressive luma at field rate, of many kinds, each of a random number's choosing.

Every clip follows from its class and a seed: even seeds are to fit by, odd ones to test by. A class is a function of a
generator of random numbers that gives ``FRAMES`` pictures of ``HEIGHT_PX`` by ``WIDTH_PX`` bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchmarks.clips import clip_path, decoded, planes

WIDTH_PX, HEIGHT_PX, FRAMES = 352, 288, 20

Clip = list[np.ndarray]
Random = np.random.Generator
_WORDS = (
    "The quick brown fox jumps over lazy dogs & WAVES of 0123456789 /\\|XKVZ<> Ümlaut; minimum ill news—19:45".split()
)
_SOURCES = (("bigbuckbunny.mp4", 132), ("bikes.mp4", 250))


# -- pictures, twice as large as they are shown ------------------------------------------------------------------------


@cache
def _real_picture(number: int) -> Image.Image:
    name, frames = _SOURCES[number % len(_SOURCES)]
    at = number * 37 % frames
    frame = next(f for n, f in enumerate(decoded(name)) if n == at)
    image = Image.fromarray(np.array(planes(frame)[0]))
    return image if image.height >= 700 else image.resize((image.width * 3, image.height * 3), Image.Resampling.BICUBIC)


def _texture(rng: Random, width: int = 1500, height: int = 1100) -> Image.Image:
    """Clouds of several sizes under polygons and thin lines."""
    clouds = np.full((height, width), rng.uniform(80, 160))
    for octave in (2, 4, 8, 16, 64):
        coarse = rng.normal(0, 1, (height // octave + 2, width // octave + 2)).astype(np.float32)
        scale = rng.uniform(0.2, 0.8) * min(octave, 24) + 2
        clouds += np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)) * scale
    image = Image.fromarray(clouds.clip(16, 235).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for n in range(70):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        reach = 400 if n % 4 == 0 else 50
        corners = [(x + int(dx), y + int(dy)) for dx, dy in rng.integers(-reach, reach + 1, (3, 2))]
        if n % 3:
            draw.polygon(corners, fill=int(rng.integers(16, 236)))
        else:
            draw.line(corners, fill=int(rng.integers(16, 236)), width=int(rng.integers(2, 7)))
    return image


def _picture(rng: Random) -> Image.Image:
    return _texture(rng) if rng.random() < 0.5 else _real_picture(int(rng.integers(0, 12)))


def text_on(rng: Random, width: int, height: int, background: int | Image.Image, scale: int = 1) -> Image.Image:
    """Lines of text of several sizes; ``scale`` 2 to show at half the size."""
    image = Image.new("L", (width, height), background) if isinstance(background, int) else background.copy()
    draw, top, size = ImageDraw.Draw(image), 4, int(rng.integers(11, 30))
    ink = (235, 16) if not isinstance(background, int) or background < 128 else (16, 235)
    while top < height:
        font = ImageFont.load_default(size=size * scale)
        words = " ".join(str(word) for word in rng.choice(_WORDS, 40))
        stroke = scale * int(rng.random() < 0.3)
        draw.text((int(rng.integers(-60, 20)), top), words, ink[0], font=font, stroke_width=stroke, stroke_fill=ink[1])
        top += int(size * scale * rng.uniform(1.2, 1.8))
        size = int(rng.integers(11, 30))
    return image


def view(picture: Image.Image, x: float, y: float, angle: float = 0, zoom: float = 1) -> np.ndarray:
    """The part of a picture about a center, both at twice the size, as a camera whose pixels have an area sees it."""
    cos, sin = math.cos(angle) * zoom, math.sin(angle) * zoom
    data = (cos, -sin, x - cos * WIDTH_PX + sin * HEIGHT_PX, sin, cos, y - sin * WIDTH_PX - cos * HEIGHT_PX)
    size = (2 * WIDTH_PX, 2 * HEIGHT_PX)
    seen = picture.transform(size, Image.Transform.AFFINE, data, Image.Resampling.BICUBIC)
    return np.asarray(seen.reduce(2))


def center(picture: Image.Image) -> tuple[float, float]:
    return picture.width / 2, picture.height / 2


def _grid() -> tuple[np.ndarray, np.ndarray]:
    y, x = np.mgrid[:HEIGHT_PX, :WIDTH_PX].astype(np.float32)
    return x, y


def sign_of(rng: Random) -> int:
    return int(rng.choice((-1, 1)))


def _bytes(luma: np.ndarray) -> np.ndarray:
    return np.rint(luma).clip(0, 255).astype(np.uint8)


# -- classes -----------------------------------------------------------------------------------------------------------


def _charts(rng: Random) -> Clip:
    """A zone plate whose rings grow or that moves."""
    x, y = _grid()
    fine, grow = rng.uniform(0.001, 0.0042), rng.choice((0, 0.3, -0.6))
    dx, dy = rng.uniform(-3, 3), rng.uniform(-1.5, 1.5)
    made = []
    for n in range(FRAMES):
        square = (x - WIDTH_PX / 2 - dx * n) ** 2 + (y - HEIGHT_PX / 2 - dy * n) ** 2
        fade = np.clip(2.4 - 2 * fine * np.sqrt(square) / 1.2, 0, 1)  # no finer than a pixel can show
        made.append(_bytes(128 + 100 * np.cos(fine * square - grow * n) * fade))
    return made


def _ticker(rng: Random) -> Clip:
    """A band of text that goes 1 to 16 pixels a field to the left, over a picture that stands or pans."""
    band, top = int(rng.integers(28, 60)), int(rng.integers(150, 220))
    speed = float(rng.choice((1, 2, 3, 4, 5, 6, 8, 10, 12, 16)) + rng.choice((0, 0, 0.5)))
    scale = 2 if speed % 1 else 1
    text = np.asarray(text_on(rng, (WIDTH_PX + 17 * FRAMES) * scale, band * scale, int(rng.integers(16, 60)), scale))
    behind, pan = _picture(rng), rng.choice((0, 0, 1.5))
    x, y = center(behind)
    made = []
    for n in range(FRAMES):
        shown = view(behind, x + pan * n, y).copy()
        at = round(speed * scale * n)
        part = Image.fromarray(text[:, at : at + WIDTH_PX * scale])
        shown[top : top + band] = np.asarray(part.reduce(scale) if scale > 1 else part)
        made.append(shown)
    return made


def _credits(rng: Random) -> Clip:
    """Text that goes 0.5 to 4 lines a field up or down, over black, gray or a picture that stands."""
    speed, scale = float(rng.choice((0.5, 1, 1.5, 2, 2.5, 3, 4))) * sign_of(rng), 2
    length = 2 * (HEIGHT_PX + 5 * FRAMES)
    still = view(_picture(rng), 704, 500) if rng.random() < 0.3 else None
    text = np.asarray(text_on(rng, WIDTH_PX * scale, length, int(rng.choice((16, 16, 60, 200))), scale))
    made = []
    for n in range(FRAMES):
        at = round(2 * abs(speed) * (n if speed > 0 else FRAMES - n))
        part = np.asarray(Image.fromarray(text[at : at + 2 * HEIGHT_PX]).reduce(2))
        made.append(part if still is None else np.maximum(part, still // 2))
    return made


def _sharp_text(rng: Random) -> Clip:
    """Text of single pixels' sharpness: it scrolls by whole lines, crawls by whole pixels, or stands under a mover."""
    kind = int(rng.integers(0, 3))
    text = np.asarray(text_on(rng, WIDTH_PX + 5 * FRAMES, HEIGHT_PX + 5 * FRAMES, int(rng.choice((30, 200)))))
    step, made = int(rng.integers(1, 5)), []
    for n in range(FRAMES):
        at = n * step * (kind < 2)
        dx, dy = (at, 0) if kind == 0 else (0, at)
        shown = text[dy : dy + HEIGHT_PX, dx : dx + WIDTH_PX].copy()
        if kind == 2:
            shown[100 : 100 + 60, 5 * n : 5 * n + 60] = 90
        made.append(shown)
    return made


def _wheels(rng: Random) -> Clip:
    """Spokes that turn, with hub and rim."""
    x, y = _grid()
    count, speed = int(rng.integers(5, 24)), rng.uniform(0.004, 0.06) * sign_of(rng)
    cx, cy = WIDTH_PX / 2 + rng.uniform(-40, 40), HEIGHT_PX / 2 + rng.uniform(-30, 30)
    radius, angle = np.hypot(x - cx, y - cy), np.arctan2(y - cy, x - cx)
    ring = np.clip(3 - abs(radius - 120), 0, 1) * 200
    made = []
    for n in range(FRAMES):
        away = abs((angle + speed * n) * count / (2 * np.pi) % 1 - 0.5) * 2 * np.pi / count * radius
        spokes = np.clip(2.5 - away, 0, 1) * (radius < 120) * 200
        made.append(_bytes(25 + np.maximum(spokes, ring)))
    return made


def _diagonals(rng: Random) -> Clip:
    """Lines and bars at shallow angles that drift or turn slowly."""
    x, y = _grid()
    angles, speed = np.radians(rng.uniform(2, 50, 9)) * rng.choice((-1, 1), 9), rng.uniform(0, 0.012)
    thick, drift = rng.uniform(1, 6, 9), rng.uniform(-1.5, 1.5, 9)
    cx, cy = rng.uniform(0, WIDTH_PX, 9), rng.uniform(0, HEIGHT_PX, 9)
    made = []
    for n in range(FRAMES):
        out = np.zeros_like(x)
        for k in range(9):
            turned = angles[k] + speed * n
            away = (x - cx[k]) * math.sin(turned) - (y - cy[k] - drift[k] * n) * math.cos(turned)
            out = np.maximum(out, np.clip(thick[k] - abs(away), 0, 1) * (110 + 15 * k))
        made.append(_bytes(20 + out))
    return made


def _pan(rng: Random) -> Clip:
    """A pan at any fractional speed."""
    picture = _picture(rng)
    x, y = center(picture)
    dx, dy = rng.uniform(1, 18) * sign_of(rng), rng.uniform(0, 3) * sign_of(rng)
    if rng.random() < 0.3:
        dx, dy = rng.uniform(-1, 1), rng.uniform(2, 10) * sign_of(rng)
    dy = float(np.clip(dy, -5, 5))
    return [view(picture, x + dx * (n - FRAMES / 2), y + dy * (n - FRAMES / 2)) for n in range(FRAMES)]


def _hand(rng: Random) -> Clip:
    """A camera in a hand: it drifts, shakes, turns and zooms a little."""
    picture = _picture(rng)
    x, y = center(picture)
    shake = np.cumsum(rng.normal(0, 1, (FRAMES, 3)), axis=0) * (1.2, 0.9, 0.0015)
    drift, zoom = rng.uniform(-4, 4), rng.uniform(-0.004, 0.004)
    return [view(picture, x + drift * n + a, y + b, c, 1 + zoom * n) for n, (a, b, c) in enumerate(shake)]


def _small_objects(rng: Random) -> Clip:
    """Dozens of small things that fly their own ways over a picture that stands or drifts."""
    count, behind = 60, np.asarray(_picture(rng))
    at = rng.uniform((0, 0), (WIDTH_PX, HEIGHT_PX), (count, 2))
    speed = rng.uniform(-6, 6, (count, 2)) * (1, 0.5)
    size, ink = rng.uniform(3, 14, (count, 2)), rng.integers(16, 236, count)
    back = Image.fromarray(behind)
    x, y = center(back)
    drift, made = rng.choice((0, 0, 1.0)), []
    for n in range(FRAMES):
        large = Image.fromarray(view(back, x + drift * n, y)).resize(
            (4 * WIDTH_PX, 4 * HEIGHT_PX), Image.Resampling.BICUBIC
        )
        draw = ImageDraw.Draw(large)
        for k in range(count):
            a, b = 4 * ((at[k] + speed[k] * n) % (WIDTH_PX, HEIGHT_PX))
            w, h = 2 * size[k]
            (draw.ellipse if k % 2 else draw.rectangle)((a - w, b - h, a + w, b + h), fill=int(ink[k]))
        made.append(np.asarray(large.reduce(4)))
    return made


def _occlusion(rng: Random) -> Clip:
    """A textured shape goes one way over a texture that goes another."""
    front, behind = _picture(rng), _picture(rng)
    (fx, fy), (bx, by) = center(front), center(behind)
    speeds = rng.uniform(-7, 7, 2), rng.uniform(-1.5, 1.5, 2)
    x, y = _grid()
    made, radius = [], rng.uniform(50, 110)
    for n in range(FRAMES):
        cx, cy = WIDTH_PX / 2 + speeds[0][0] * (n - FRAMES / 2), HEIGHT_PX / 2 + speeds[1][0] * (n - FRAMES / 2)
        mask = np.clip(radius - np.maximum(abs(x - cx), 1.3 * abs(y - cy)), 0, 1)
        near = view(front, fx - 2 * speeds[0][0] * n, fy - 2 * speeds[1][0] * n)
        far = view(behind, bx - 2 * speeds[0][1] * (n - FRAMES / 2), by - 2 * speeds[1][1] * (n - FRAMES / 2))
        made.append(_bytes(mask * near + (1 - mask) * far))
    return made


def _two_fields(rng: Random) -> Clip:
    """Any of the moving classes at half the rate: 25p, whose two fields are of one picture, either way about."""
    source = (_pan, _ticker, _wheels, _hand, _credits, _small_objects, _sharp_text)[int(rng.integers(0, 7))](rng)
    late = int(rng.integers(0, 2))
    return [source[min((n + late) // 2 * 2, FRAMES - 1)] for n in range(FRAMES)]


def _noise(rng: Random) -> Clip:
    """Any of the moving classes in white noise."""
    source = (_pan, _hand, _still, _occlusion, _real)[int(rng.integers(0, 5))](rng)
    sigma = rng.uniform(0.7, 5)
    return [_bytes(picture + rng.normal(0, sigma, picture.shape)) for picture in source]


def _still(rng: Random) -> Clip:
    """Detail that stands, with a little thing that moves."""
    picture = Image.fromarray(view(_picture(rng), 700, 400))
    shown = np.asarray(text_on(rng, WIDTH_PX, HEIGHT_PX, picture) if rng.random() < 0.5 else picture)
    row, step, made = int(rng.integers(20, 230)), int(rng.integers(1, 9)), []
    for n in range(FRAMES):
        frame = shown.copy()
        frame[row : row + 30, 30 + step * n : 60 + step * n] = 200
        made.append(frame)
    return made


def _cuts(rng: Random) -> Clip:
    """Five pictures' length of stills and moving scenes, one after the other."""
    parts = [(_still, _pan, _sharp_text, _real)[int(k)](rng)[:7] for k in rng.integers(0, 4, 3)]
    height, width = np.min([part[0].shape for part in parts], axis=0)
    return [picture[:height, :width] for part in parts for picture in part][:FRAMES]


def _dissolve(rng: Random) -> Clip:
    """A fade from one scene to the other, or a light that comes and goes."""
    a, b = _hand(rng), _still(rng)
    if rng.random() < 0.5:
        return [_bytes(x + (y.astype(float) - x) * n / FRAMES) for n, (x, y) in enumerate(zip(a, b, strict=True))]
    light = 1 + 0.3 * np.sin(np.arange(FRAMES) * rng.uniform(0.3, 1.5))
    return [_bytes(x * k) for x, k in zip(b, light, strict=True)]


def _real(rng: Random) -> Clip:
    """Pictures of the real clips that follow each other, cut out as they are or at half the size."""
    name, frames = (*_SOURCES, ("carphone_pristine.mp4", 120))[int(rng.integers(0, 3))]
    first = int(rng.integers(0, frames - FRAMES))
    shown = [np.array(planes(f)[0]) for n, f in enumerate(_decoded_from(name, first)) if n < FRAMES]
    height, width = shown[0].shape
    half = name == "bigbuckbunny.mp4" and rng.random() < 0.7
    factor = 2 if half else 1
    x = int(rng.integers(0, max(width - WIDTH_PX * factor, 0) + 1))
    y = int(rng.integers(0, max(height - HEIGHT_PX * factor, 0) + 1))
    cut = [Image.fromarray(p[y : y + HEIGHT_PX * factor, x : x + WIDTH_PX * factor]) for p in shown]
    return [np.asarray(p.reduce(2) if half else p) for p in cut]


def _decoded_from(name: str, first: int) -> Iterator[object]:
    assert clip_path(name)
    return (frame for n, frame in enumerate(decoded(name, limit=first + FRAMES)) if n >= first)


def _overlay(rng: Random) -> Clip:
    """A logo and a line of text that stand over a scene that moves."""
    source = (_pan, _hand, _real, _occlusion)[int(rng.integers(0, 4))](rng)
    logo = np.asarray(text_on(rng, 90, 40, int(rng.choice((30, 200)))))
    return [_with(picture, logo) for picture in source]


def _with(picture: np.ndarray, logo: np.ndarray) -> np.ndarray:
    shown = picture.copy()
    rows, columns = min(40, len(shown)), min(90, shown.shape[1])
    shown[-rows:, -columns:] = logo[:rows, :columns]
    return shown


CLASSES: dict[str, Callable[[Random], Clip]] = {
    "charts": _charts,
    "ticker": _ticker,
    "credits": _credits,
    "sharp text": _sharp_text,
    "wheels": _wheels,
    "diagonals": _diagonals,
    "pan": _pan,
    "hand camera": _hand,
    "small objects": _small_objects,
    "occlusion": _occlusion,
    "2:2": _two_fields,
    "noise": _noise,
    "still": _still,
    "cuts": _cuts,
    "dissolve": _dissolve,
    "real": _real,
    "overlay": _overlay,
}
COMPRESSED = {"MPEG-2": "mpeg2video", "H.264": "libx264"}
"""Classes of clips that are compressed as fields, and with what: any of the others."""


def clip(name: str, seed: int) -> Clip:
    """The clip of a class and a seed, before it is compressed."""
    rng = np.random.default_rng([sum(name.encode()), seed])
    if name in COMPRESSED:
        name = str(rng.choice(("ticker", "pan", "hand camera", "real", "real", "small objects", "2:2", "overlay")))
    return CLASSES[name](rng)


def seeds(split: str, count: int) -> list[int]:
    """The seeds of "fit" (even) or "test" (odd)."""
    return [2 * n + (split == "test") for n in range(count)]
