"""Film mode judged on seeded films in every cadence, and on video that is none, by the pictures they were made from.

`python -m benchmarks.judged_film [--split fit] [--contents pan] [--cadences 32,22] [--clips 2] [--each]` shows parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, cycle, pairwise
from typing import TypeVar

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchmarks.clips import decoded, planes
from benchmarks.tables import show
from texsamp.video.film.cadence import CADENCES
from texsamp.video.film.meter import FilmMeter
from texsamp.video.film.planner import FieldVerdict, FilmPlanner
from texsamp.video.film.variances import FilmParameters
from texsamp.video.frame import Frame

WIDTH_PX, HEIGHT_PX, PICTURES = 256, 176, 64
COMBED_DB = 35.0
"""A woven field is combed if it is further from its picture than this."""

Film = list[np.ndarray]
Random = np.random.Generator
_PARAMETERS = FilmParameters(175, 16, 100, 2)
_FIRST_SEED = {"fit": 0, "test": 18000}
"""Of clips to fit and test by. Those below 1000 were looked at, the first two of 1000 to 17000 judged rules before."""


@dataclass(frozen=True)
class FilmRow:
    """What became of the clips of a kind: sums over them.

    ``pictures`` are those that can be told apart and have two fields in a row; ``recovered`` of them were put together
    exactly. ``combed`` fields are woven with another picture's. ``missed`` and ``twice`` are pictures that `rate=film`
    shows never or more than once. Of video, ``pictures`` is 0 and ``locked`` counts the fields taken for film's.
    """

    split: str
    content: str
    cadence: str
    fields: int
    pictures: int
    recovered: int
    combed: int
    worst_dB: float  # noqa: N815 - the unit
    missed: int
    twice: int
    locked: int


Row = TypeVar("Row", bound=FilmRow)

# -- films -------------------------------------------------------------------------------------------------------------


def _texture(rng: Random, width: int, height: int) -> np.ndarray:
    """Clouds of several sizes under polygons."""
    clouds = np.full((height, width), rng.uniform(80, 160))
    for octave in (2, 4, 8, 32):
        coarse = rng.normal(0, 1, (height // octave + 2, width // octave + 2)).astype(np.float32)
        clouds += np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)) * octave * 0.7
    image = Image.fromarray(clouds.clip(16, 235).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for _ in range(40):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        corners = [(x + int(dx), y + int(dy)) for dx, dy in rng.integers(-60, 61, (3, 2))]
        draw.polygon(corners, fill=int(rng.integers(16, 236)))
    return np.asarray(image)


def scrolled_text(rng: Random, width: int, height: int, ground: int = 16) -> np.ndarray:
    """Lines of words."""
    image = Image.new("L", (width, height), ground)
    draw, top = ImageDraw.Draw(image), 3
    while top < height:
        size = int(rng.integers(10, 24))
        words = " ".join(rng.choice(["WAVES", "of", "0123", "Film/", "minimum", "quick", "&", "brown"], 40))
        draw.text((int(rng.integers(-40, 20)), top), words, 225, font=ImageFont.load_default(size=size))
        top += int(size * rng.uniform(1.3, 2))
    return np.asarray(image)


def _slid(picture: np.ndarray, places: Sequence[tuple[float, float]]) -> Film:
    """Views of a large picture, each from a place (x, y) in it, by two-tap interpolation."""
    made = []
    for x, y in places:
        left, top = int(x), int(y)
        a, b = x - left, y - top
        part = picture[top : top + HEIGHT_PX + 1, left : left + WIDTH_PX + 1].astype(np.float64)
        rows = (1 - b) * part[:-1] + b * part[1:]
        made.append(np.rint((1 - a) * rows[:, :-1] + a * rows[:, 1:]).astype(np.uint8))
    return made


def _path(rng: Random, dx: float, dy: float) -> list[tuple[float, float]]:
    """Places at a speed, either way about."""
    found = [(1 + abs(dx) * n, 1 + abs(dy) * n) for n in range(PICTURES)]
    xs, ys = zip(*found, strict=True)
    return list(zip(xs[:: int(rng.choice((-1, 1)))], ys[:: int(rng.choice((-1, 1)))], strict=True))


def _moved(rng: Random, dx: float, dy: float) -> Film:
    size = WIDTH_PX + int(abs(dx) * PICTURES) + 4, HEIGHT_PX + int(abs(dy) * PICTURES) + 4
    return _slid(_texture(rng, *size), _path(rng, dx, dy))


def _credits(rng: Random) -> Film:
    speed = float(rng.choice((1, 1.5, 2, 3, 4)))
    return _slid(scrolled_text(rng, WIDTH_PX + 4, HEIGHT_PX + int(speed * PICTURES) + 4), _path(rng, 0, speed))


def _chart(rng: Random) -> Film:
    """A sharp chart that stands, over which a few small things go."""
    y, x = np.mgrid[:HEIGHT_PX, :WIDTH_PX]
    kind = int(rng.integers(0, 3))
    plate = 128 + 90 * np.cos(rng.uniform(0.003, 0.008) * ((x - WIDTH_PX / 2) ** 2 + (y - HEIGHT_PX / 2) ** 2))
    chart = (plate, scrolled_text(rng, WIDTH_PX, HEIGHT_PX, 60), 40 + 170 * ((y // 2 + x // 5) % 2))[kind].astype(
        np.uint8
    )
    speeds, starts = rng.uniform(-4, 4, (4, 2)), rng.uniform(30, 140, (4, 2))
    sizes = rng.integers(6, 20, (4, 2))
    made = []
    for n in range(PICTURES):
        shown = chart.copy()
        for (dx, dy), (sx, sy), (w, h) in zip(speeds, starts, sizes, strict=True):
            left, top = int(sx + dx * n) % (WIDTH_PX - 20), int(sy + dy * n) % (HEIGHT_PX - 20)
            shown[top : top + h, left : left + w] = 200
        made.append(shown)
    return made


def _drawn(rng: Random, held: int) -> Film:
    """Animation: flat shapes over a background, each drawing held for some pictures."""
    ground = _texture(rng, WIDTH_PX, HEIGHT_PX)
    speeds, starts = rng.uniform(-5, 5, (5, 2)), rng.uniform(40, 130, (5, 2))
    made = []
    for n in range(PICTURES):
        image = Image.fromarray(ground)
        draw = ImageDraw.Draw(image)
        for k, ((dx, dy), (x, y)) in enumerate(zip(speeds, starts, strict=True)):
            a, b = (x + dx * (n // held)) % WIDTH_PX, (y + dy * (n // held)) % HEIGHT_PX
            draw.ellipse((a - 18, b - 14, a + 18, b + 14), fill=40 + 40 * k, outline=0, width=2)
        made.append(np.asarray(image))
    return made


def _hand(rng: Random) -> Film:
    shake = (
        np.cumsum(rng.normal(0, 1.2, (PICTURES, 2)), axis=0) + rng.uniform(-1.5, 1.5, 2) * np.arange(PICTURES)[:, None]
    )
    shake -= shake.min(0) - 1
    width, height = (int(v) + 4 for v in shake.max(0))
    return _slid(_texture(rng, WIDTH_PX + width, HEIGHT_PX + height), [(float(x), float(y)) for x, y in shake])


def _real(rng: Random) -> Film:
    name, frames = (("bikes.mp4", 250), ("bigbuckbunny.mp4", 132), ("carphone_pristine.mp4", 120))[
        int(rng.integers(0, 3))
    ]
    first = int(rng.integers(0, frames - PICTURES + 1))
    shown = [np.array(planes(f)[0]) for n, f in enumerate(decoded(name, limit=first + PICTURES)) if n >= first]
    height, width = shown[0].shape
    x, y = (int(rng.integers(0, max(a - b, 0) + 1)) for a, b in ((width, WIDTH_PX), (height, HEIGHT_PX)))
    return [picture[y : y + HEIGHT_PX, x : x + WIDTH_PX] for picture in shown]


def _noise(rng: Random) -> Film:
    source, sigma = _moved(rng, rng.uniform(0, 6), rng.uniform(0, 3)), rng.uniform(1, 4)
    return [np.rint(p + rng.normal(0, sigma, p.shape)).clip(0, 255).astype(np.uint8) for p in source]


CONTENTS: dict[str, Callable[[Random], Film]] = {
    "up or down by 1": lambda rng: _moved(rng, 0, 1),
    "up or down by 1.5": lambda rng: _moved(rng, 0, 1.5),
    "up or down": lambda rng: _moved(rng, 0, rng.uniform(0.3, 6)),
    "pan": lambda rng: _moved(rng, rng.uniform(0.5, 9), rng.choice((0, rng.uniform(0, 2)))),
    "credits": _credits,
    "chart": _chart,
    "on twos": lambda rng: _drawn(rng, 2),
    "on threes": lambda rng: _drawn(rng, 3),
    "hand": _hand,
    "real": _real,
    "noise": _noise,
}
_HELD = ("on twos", "on threes")

# -- cadences ----------------------------------------------------------------------------------------------------------


def _spread(runs: Sequence[int], offset: int = 0) -> list[int]:
    """The picture of every field, from a field of the cycle on."""
    whole = [n for n, length in zip(range(PICTURES), cycle(runs), strict=False) for _ in range(length)][offset:]
    return whole[: len(whole) // 2 * 2]


def _edited(rng: Random) -> list[int]:
    """Pieces of 3:2 of half a second and more, cut anywhere and put after each other."""
    whole, made = _spread((3, 2)), []
    while len(made) < 150:
        start = int(rng.integers(0, len(whole) - 70))
        made += whole[start : start + int(rng.integers(30, 70))]
    return made[: len(made) // 2 * 2]


def cadences(rng: Random) -> dict[str, list[int]]:
    """The picture of every field: of each cadence, of edits, and of video, which has one for each."""
    made = {name: _spread(runs, int(rng.integers(0, sum(runs)))) for name, runs in CADENCES.items()}
    return made | {"edits": _edited(rng), "video": list(range(PICTURES))}


def telecined(film: Film, shown: Sequence[int], top_first: bool) -> list[np.ndarray]:
    """Interlaced frames of the fields."""
    first, frames = int(not top_first), []
    for one, two in zip(shown[::2], shown[1::2], strict=True):
        frame = film[one].copy()
        frame[1 - first :: 2] = film[two][1 - first :: 2]
        frames.append(frame)
    return frames


def verdicts(frames: Sequence[np.ndarray], top_first: bool) -> list[FieldVerdict]:
    """What film mode says of their fields."""
    planner, meter, found = FilmPlanner("auto"), FilmMeter(_PARAMETERS), []
    for number, luma in enumerate(frames):
        frame = Frame.from_arrays("gray", [luma], luma.shape[1], luma.shape[0], "cpu", interlaced=True)
        found += planner.add(meter.measure(frame), int(not top_first), number == 0)
    return found + list(planner.finish())


def dB_of(a: np.ndarray, b: np.ndarray) -> float:  # noqa: N802 - the unit
    """PSNR of a picture whose one field has these lines in place of those."""
    error = float(np.mean((a.astype(np.float64) - b) ** 2)) / 2
    return 100.0 if not error else 10 * float(np.log10(255**2 / error))


def _woven_dB(film: Film, shown: Sequence[int], verdict: FieldVerdict, top_first: bool) -> float:  # noqa: N802 - the unit
    """PSNR of a woven field against its picture."""
    own, other = film[shown[verdict.number]], film[shown[verdict.number + verdict.partner]]
    lacks = (verdict.number + top_first) % 2  # the parity of the lines it lacks
    return dB_of(own[lacks::2], other[lacks::2])


def judged_clip(split: str, content: str, cadence: str, seed: int) -> FilmRow:
    """One clip."""
    rng = np.random.default_rng([sum(content.encode()), seed])
    film = CONTENTS[content](rng)
    shown = cadences(rng)[cadence]
    top_first = bool(rng.integers(0, 2))
    found = verdicts(telecined(film, shown, top_first), top_first)
    quality = [_woven_dB(film, shown, v, top_first) if v.partner else 100.0 for v in found]
    worst, combed = min(quality), sum(q < COMBED_DB for q in quality)
    locked = sum(v.partner != 0 for v in found)
    if cadence == "video":
        return FilmRow(split, content, cadence, len(shown), 0, 0, combed, worst, 0, 0, locked)
    keys = [film[n].tobytes() for n in range(PICTURES)]
    same = {n: keys.index(key) for n, key in enumerate(keys)}
    drawn = [same[n] for n in shown]
    wanted = {a for a, b in pairwise(drawn) if a == b}
    exact = {
        drawn[v.number] for v, q in zip(found, quality, strict=True) if v.partner and q == 100 and not v.video_strips
    }
    runs = [drawn[0], *(b for a, b in pairwise(drawn) if a != b)]
    made = [drawn[v.number] for v in found if v.shown]
    groups = list(accumulate((int(a != b) for a, b in pairwise(drawn)), initial=0))
    of_runs = [groups[v.number] for v in found if v.shown]
    missed = len(set(range(len(runs))) - set(of_runs))
    twice = 0 if content.startswith("on ") else len(made) - len(set(of_runs))
    return FilmRow(
        split, content, cadence, len(shown), len(wanted), len(wanted & exact), combed, worst, missed, twice, locked
    )


def seeds_of(split: str, clips: int) -> range:
    """Of so many clips of a kind."""
    return range(_FIRST_SEED[split], _FIRST_SEED[split] + clips)


def summed(rows: Sequence[Row], content: str, cadence: str) -> Row:
    """One row of several: their sums, and the worst quality."""
    kept = [f.name for f in fields(rows[0]) if f.name not in ("split", "content", "cadence", "worst_dB")]
    sums = {name: sum(getattr(row, name) for row in rows) for name in kept}
    return replace(rows[0], content=content, cadence=cadence, worst_dB=min(r.worst_dB for r in rows), **sums)


def judged_film(
    splits: Sequence[str] = ("fit", "test"),
    contents: Sequence[str] = (),
    chosen: Sequence[str] = (),
    clips: int = 2,
    each: bool = False,
) -> list[FilmRow]:
    """Rows by content and by cadence."""
    rows: list[FilmRow] = []
    for split in splits:
        names = [*CADENCES, "edits", "video"]
        allowed = {content: names for content in CONTENTS}
        for content in _HELD:  # cadences of held drawings are of these already
            allowed[content] = [name for name in names if name not in ("44", "55", "66", "64", "87")]
        found = [
            judged_clip(split, content, cadence, seed)
            for content in contents or CONTENTS
            for cadence in chosen or allowed[content]
            for seed in seeds_of(split, clips)
        ]
        if each:
            rows += found
            continue
        films = [row for row in found if row.cadence != "video"]
        videos = [row for row in found if row.cadence == "video"]
        for content in contents or CONTENTS:
            if some := [row for row in films if row.content == content]:
                rows.append(summed(some, content, "all"))
        for cadence in chosen or names:
            rows.append(summed([row for row in found if row.cadence == cadence], "all", cadence))
        rows += [summed(some, "all", name) for some, name in ((films, "film"), (videos, "video")) if some]
    return rows


def main() -> None:
    """Parts of it, for those who tune."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=("fit", "test"), default="fit")
    parser.add_argument("--contents", default="")
    parser.add_argument("--cadences", default="")
    parser.add_argument("--clips", type=int, default=1)
    parser.add_argument("--each", action="store_true")
    asked = parser.parse_args()
    contents, chosen = ([n for n in text.split(",") if n] for text in (asked.contents, asked.cadences))
    show("judged_film", judged_film((asked.split,), contents, chosen, asked.clips, asked.each))


if __name__ == "__main__":
    main()
